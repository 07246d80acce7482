"""What a constraint query says: its terms and how they are joined (RFC 35).

Every node keeps its place in the text. ``and`` and ``or`` hold as many operands as were written
in a row, so that a query of a thousand terms is wide and not deep. Places are the last fields;
two trees that differ in nothing else mean the same.
"""

from typing import Any, Literal, NamedTuple, TypeAlias

from fluxtui.notation.json_text import Place, Places
from fluxtui.notation.problem import Problem, Span, Token, at

NOWHERE = Span(0, 0)

#: Names a user may write for an operator, and the RFC 31 operator each one means.
OPERATORS = {
    "host": "hostlist",
    "hosts": "hostlist",
    "hostlist": "hostlist",
    "rank": "ranks",
    "ranks": "ranks",
    "properties": "properties",
}


class Term(NamedTuple):
    """``name:operand``, or an operand alone, which is a list of properties.

    name         the operator as written, or None for an operand alone
    values       the operand; properties are split at commas, all else is one value;
                 empty while the operand is still missing
    span         the whole term, quotes and all
    name_span    the operator with its colon
    value_spans  the place of each value
    chunks       the runs of text the operand was put together from
    """

    name: str | None
    values: tuple[str, ...]
    span: Span = NOWHERE
    name_span: Span | None = None
    value_spans: tuple[Span, ...] = ()
    chunks: tuple[Span, ...] = ()
    kind: Literal["term"] = "term"

    @property
    def operator(self) -> str:
        """The RFC 31 operator of this term."""
        return "properties" if self.name is None else OPERATORS.get(self.name, self.name)


class Not(NamedTuple):
    """``-term`` or ``not expr``."""

    operand: "Node"
    span: Span = NOWHERE
    operator_span: Span = NOWHERE
    kind: Literal["not"] = "not"


class And(NamedTuple):
    """Operands joined by ``&``, ``&&``, ``and`` or by nothing but white space.

    operator_spans has one entry less than operands: None where there is no operator between two.
    """

    operands: tuple["Node", ...]
    span: Span = NOWHERE
    operator_spans: tuple[Span | None, ...] = ()
    kind: Literal["and"] = "and"


class Or(NamedTuple):
    """Operands joined by ``|``, ``||`` or ``or``."""

    operands: tuple["Node", ...]
    span: Span = NOWHERE
    operator_spans: tuple[Span | None, ...] = ()
    kind: Literal["or"] = "or"


Node: TypeAlias = Term | Not | And | Or


class Query(NamedTuple):
    """A query as far as it makes sense.

    tree      what was asked, or None where nothing was
    tokens    the coloured pieces, in order
    problems  errors and warnings, in the order of the text
    expected  what may come next at the end of the text, most likely first
    """

    text: str
    tree: Node | None
    tokens: tuple[Token, ...]
    problems: tuple[Problem, ...]
    expected: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """No problem is an error (there may be warnings)."""
        return not any(p.severity == "error" for p in self.problems)


def shown(text: str) -> str:
    """A piece of the query for a message: in quotes not its own, its middle left out when long."""
    mark = '"' if "'" in text and '"' not in text else "'"
    return f"{mark}{text if len(text) <= 60 else f'{text[:38]}…{text[-20:]}'}{mark}"


class _Part:
    """One RFC 31 object under construction: an operator, its values and their places."""

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
        chunks = ()  # each value is one run of text
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


def to_constraint(tree: Node, places: Places | None = None) -> dict[str, Any]:
    """The RFC 31 object Flux makes of a query, with its merging and flattening.

    Adds the place in the query of each object, operator and value to places, by its path.
    """
    return _object(_build(tree), "", places)


def _object(part: _Part, path: str, places: Places | None) -> dict[str, Any]:
    inside = at(path, part.operator)
    if places is not None:
        places[path] = Place(part.span)
        places[inside] = Place(part.operator_span or part.span)
    values: list[Any] = []
    for index, value in enumerate(part.values):
        here = at(inside, index) if places is not None else ""
        if isinstance(value, _Part):
            values.append(_object(value, here, places))
        else:
            values.append(value[0])
            if places is not None:
                places[here] = value[1]
    return {part.operator: values}
