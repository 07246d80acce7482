"""The tree of a constraint query: its terms and how they are joined (RFC 35).

Every node keeps its span in the text. ``and`` and ``or`` hold all operands of a chain, so that
a query of a thousand terms is wide and not deep. Spans are the last fields; two trees that
differ only in their spans mean the same.
"""

import re
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from fluxtui.notation.json_text import Place, Places
from fluxtui.notation.problem import Problem, Span, Token, WithProblems, at, shortened

NOWHERE = Span(0, 0)

KEYWORDS = {"and", "or", "not"}
_PLAIN_NAME = re.compile(r"[\w.+@][\w.+@-]*")

#: The names that a query may use for an operator, with the RFC 31 operator each one means.
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
    values       the operand; properties are split at commas, any other operand is one value;
                 empty while the operand is missing
    span         the whole term, including quotes
    name_span    the operator with its colon
    value_spans  the span of each value
    chunks       the spans of text from which the word (operator and operand) was put together
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
    """Operands joined by ``&``, ``&&``, ``and`` or by white space alone.

    operator_spans has one entry fewer than operands: None between two without an operator.
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


@dataclass(frozen=True, slots=True)
class Query(WithProblems):
    """A query that was read, as far as possible; tree is None if there are no terms."""

    text: str
    tree: Node | None
    tokens: tuple[Token, ...]
    problems: tuple[Problem, ...]


def is_plain_name(name: str) -> bool:
    """Whether a property name needs no quotes in a query."""
    return _PLAIN_NAME.fullmatch(name) is not None and name.lower() not in KEYWORDS


def shown(text: str) -> str:
    """A piece of the query quoted for a message; the middle of a long one is left out."""
    mark = '"' if "'" in text and '"' not in text else "'"
    return f"{mark}{shortened(text)}{mark}"


@dataclass(slots=True)
class _Part:
    """An RFC 31 object under construction: an operator, its values and their places."""

    operator: str
    span: Span
    operator_span: Span | None
    values: "list[tuple[str, Place] | _Part]"


def _runs(chunks: tuple[Span, ...], start: int, end: int) -> tuple[Span, ...]:
    """The spans of text that hold the characters start to end of the joined chunks."""
    found = []
    for chunk in chunks:
        size = chunk.end - chunk.start
        first, last = chunk.start + max(start, 0), chunk.start + min(end, size)
        if first < last:
            found.append(Span(first, last))
        start, end = start - size, end - size
    return tuple(found)


def _built(node: Node) -> _Part:
    if node.kind == "term":
        values: list[tuple[str, Place]] = []
        start = 0 if node.name is None else len(node.name) + 1
        for value, span in zip(node.values, node.value_spans, strict=True):
            values.append((value, Place(span, _runs(node.chunks, start, start + len(value)))))
            start += len(value) + 1
        return _Part(node.operator, node.span, node.name_span, [*values])
    if node.kind == "not":
        return _Part("not", node.span, node.operator_span, [_built(node.operand)])
    part = _built(node.operands[0])
    for operand in node.operands[1:]:
        right = _built(operand)
        if part.operator == node.kind:
            part.values.append(right)
        elif node.kind == "and" and part.operator == right.operator == "properties":
            part.values += right.values
        else:
            span = Span(part.span.start, right.span.end)
            part = _Part(node.kind, span, None, [part, right])
    if part.operator == node.kind:
        part.span = node.span
    return part


def to_constraint(tree: Node, places: Places | None = None) -> dict[str, Any]:
    """The RFC 31 object that Flux makes of a query, merged and flattened as Flux does.

    Adds to places, by path, where each object, operator and value is in the query.
    """
    return _object(_built(tree), "", places)


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
