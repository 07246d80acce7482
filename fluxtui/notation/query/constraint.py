"""The RFC 31 object of a query, with flux-core's merging and flattening (RFC 35)."""

from typing import Any

from fluxtui.notation.places import Place, Places
from fluxtui.notation.problem import Span, at
from fluxtui.notation.query.tree import Node, Term


class _Part:
    """One RFC 31 object under construction: an operator, its values and where all of it stands."""

    __slots__ = ("operator", "operator_span", "span", "values")

    def __init__(self, operator: str, span: Span, operator_span: Span | None) -> None:
        self.operator = operator
        self.span = span
        self.operator_span = operator_span
        self.values: list[tuple[str, Place] | _Part] = []


def _term(node: Term) -> _Part:
    part = _Part(node.operator, node.span, node.name_span)
    chunks = node.chunks
    if len(chunks) == 1 or (node.name_span and chunks and chunks[0].end == node.name_span.end):
        chunks = ()  # each value stands in one run
    for value, span in zip(node.values, node.value_spans, strict=True):
        part.values.append((value, Place(span, chunks or (span,))))
    return part


def _both(left: _Part, right: _Part) -> _Part:
    """Left and right: joins an ``and`` on the left, and merges properties beside each other."""
    if left.operator == "and":
        left.values.append(right)
        return left
    if left.operator == right.operator == "properties":
        left.values += right.values
        return left
    return _pair("and", left, right)


def _either(left: _Part, right: _Part) -> _Part:
    """Left or right: joins an ``or`` on the left."""
    if left.operator == "or":
        left.values.append(right)
        return left
    return _pair("or", left, right)


def _pair(operator: str, left: _Part, right: _Part) -> _Part:
    part = _Part(operator, Span(left.span.start, right.span.end), None)
    part.values = [left, right]
    return part


def _build(node: Node) -> _Part:
    if node.kind == "term":
        return _term(node)
    if node.kind == "not":
        part = _Part("not", node.span, node.operator_span)
        part.values.append(_build(node.operand))
        return part
    join = _both if node.kind == "and" else _either
    part = _build(node.operands[0])
    for operand in node.operands[1:]:
        part = join(part, _build(operand))
    if part.operator == node.kind:
        part.span = node.span
    return part


def to_constraint(tree: Node) -> dict[str, Any]:
    """The RFC 31 object Flux makes of a query (see ``query.to_constraint``)."""
    return _object(_build(tree))


def _object(part: _Part) -> dict[str, Any]:
    values = [_object(v) if isinstance(v, _Part) else v[0] for v in part.values]
    return {part.operator: values}


def places(tree: Node) -> Places:
    """The place of each object, operator and value of ``to_constraint(tree)``, by its path."""
    found: Places = {}
    _locate(_build(tree), "", found)
    return found


def _locate(part: _Part, path: str, found: Places) -> None:
    found[path] = Place(part.span)
    values = at(path, part.operator)
    found[values] = Place(part.operator_span or part.span)
    for index, value in enumerate(part.values):
        here = at(values, index)
        if isinstance(value, _Part):
            _locate(value, here, found)
        else:
            found[here] = value[1]
