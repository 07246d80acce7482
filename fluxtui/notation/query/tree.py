"""What a constraint query says: its terms and how they are joined (RFC 35).

Every node keeps its place in the text. ``and`` and ``or`` hold as many operands as were written
in a row, so that a query of a thousand terms is wide and not deep. Places are the last fields;
two trees that differ in nothing else mean the same.
"""

from typing import Literal, NamedTuple, TypeAlias

from fluxtui.notation.problem import Problem, Span, Token

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
        """The RFC 31 operator this term stands for."""
        return "properties" if self.name is None else OPERATORS.get(self.name, self.name)


class Not(NamedTuple):
    """``-term`` or ``not expr``."""

    operand: "Node"
    span: Span = NOWHERE
    operator_span: Span = NOWHERE
    kind: Literal["not"] = "not"


class And(NamedTuple):
    """Operands joined by ``&``, ``&&``, ``and`` or by standing beside each other.

    operator_spans has one entry less than operands: None where they stand beside each other.
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
    problems  errors and warnings, in the order they stand in the text
    expected  what may come next at the end of the text, most likely first
    """

    text: str
    tree: Node | None
    tokens: tuple[Token, ...]
    problems: tuple[Problem, ...]
    expected: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """No problem is an error (warnings may stand)."""
        return not any(p.severity == "error" for p in self.problems)


def shown(text: str) -> str:
    """A piece of the query for a message: in quotes not its own, its middle left out when long."""
    mark = '"' if "'" in text and '"' not in text else "'"
    return f"{mark}{text if len(text) <= 60 else f'{text[:38]}…{text[-20:]}'}{mark}"
