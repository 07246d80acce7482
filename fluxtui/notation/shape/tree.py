"""The tree that a shape stands for, each part with its span in the text (RFC 46)."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from fluxtui.notation.problem import Problem, Span, Token

if TYPE_CHECKING:
    from fluxtui.notation.count import Count

RULE = "RFC 46"

# Brackets, children and values together go no deeper; no machine is built of so many levels.
MAX_DEPTH = 100

# The span of what was not read from a text.
NOWHERE = Span(0, 0)

#: The usual resource types (RFC 14, RFC 46), and what they are.
TYPES = {
    "node": "a compute node",
    "slot": "where tasks run; holds what each of them gets",
    "core": "a processor core",
    "gpu": "a graphics processor",
    "memory": "memory; give its unit, as in memory=4{unit:GB}",
    "socket": "a processor socket",
    "numa": "a memory domain",
    "pu": "a hardware thread",
    "ssd": "a solid state drive",
    "storage": "storage",
    "rack": "a rack of nodes",
    "chassis": "a chassis of nodes",
    "switch": "a network switch",
    "cluster": "a whole cluster",
}


class Item(NamedTuple):
    """One key of a vertex and its value, which is any JSON value.

    value_span is None where a bare or signed key stands for a boolean.
    """

    key: str
    value: Any
    span: Span = NOWHERE
    key_span: Span = NOWHERE
    value_span: Span | None = None


class Vertex(NamedTuple):
    """One resource: what, how many, and what it holds.

    type        empty where the text does not say yet
    label       a slot's label, None where it is left out; other types keep theirs among keys
    keys        the other keys in the order written, repeats included
    span        all of it, children included
    count_text  the count as written, without brackets; empty where it is left out
    own_end     where its type, count and braces end, before the slash of its children
    """

    type: str
    count: "Count" = 1  # type: ignore[assignment]  # RFC 14's word; tuple.count is not missed
    label: str | None = None
    keys: tuple[Item, ...] = ()
    children: tuple["Vertex", ...] = ()
    span: Span = NOWHERE
    type_span: Span = NOWHERE
    count_span: Span | None = None
    label_span: Span | None = None
    count_text: str = ""
    own_end: int = 0


class Shape(NamedTuple):
    """A text read as a shape, as far as it makes sense.

    vertices  the tree so far
    tokens    every visible character belongs to one, in order
    problems  in the order of the text
    expected  what may come next at the end of the text
    """

    text: str
    vertices: tuple[Vertex, ...] = ()
    tokens: tuple[Token, ...] = ()
    problems: tuple[Problem, ...] = ()
    expected: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """No problem is an error (warnings may stand)."""
        return not any(p.severity == "error" for p in self.problems)


def walk(vertices: tuple[Vertex, ...]) -> Iterator[Vertex]:
    """Every vertex of a tree, parents before children, in the order of the text."""
    stack = list(reversed(vertices))
    while stack:
        vertex = stack.pop()
        yield vertex
        stack.extend(reversed(vertex.children))
