"""What a constraint query says: its terms and how they are joined (RFC 35).

Every node keeps its place in the text. ``and`` and ``or`` hold as many operands as were written
in a row, so that a query of a thousand terms is wide and not deep. Places are the last fields;
two trees that differ in nothing else mean the same.
"""

import re
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from fluxtui.notation.json_text import Place, Places
from fluxtui.notation.problem import Problem, Span, Token, WithProblems, at

NOWHERE = Span(0, 0)

KEYWORDS = {"and", "or", "not"}
_PLAIN_NAME = re.compile(r"[\w.+@][\w.+@-]*")

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


@dataclass(frozen=True, slots=True)
class Query(WithProblems):
    """A query as far as it makes sense; tree is None where nothing was asked."""

    text: str
    tree: Node | None
    tokens: tuple[Token, ...]
    problems: tuple[Problem, ...]


def is_plain_name(name: str) -> bool:
    """A property name that is nothing else in a query, and needs no quotes."""
    return _PLAIN_NAME.fullmatch(name) is not None and name.lower() not in KEYWORDS


def shown(text: str) -> str:
    """A piece of the query for a message: in quotes not its own, its middle left out when long."""
    mark = '"' if "'" in text and '"' not in text else "'"
    return f"{mark}{text if len(text) <= 60 else f'{text[:38]}…{text[-20:]}'}{mark}"


@dataclass(slots=True)
class _Part:
    """One RFC 31 object under construction: an operator, its values and their places."""

    operator: str
    span: Span
    operator_span: Span | None
    values: "list[tuple[str, Place] | _Part]"


def _runs(chunks: tuple[Span, ...], start: int, end: int) -> tuple[Span, ...]:
    """The runs of text that hold the characters start to end of the joined chunks."""
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
    """The RFC 31 object Flux makes of a query, with its merging and flattening.

    Adds the place in the query of each object, operator and value to places, by its path.
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
