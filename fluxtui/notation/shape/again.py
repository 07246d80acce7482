"""Reads a shape again of which only one resource of its list was changed (RFC 46).

What was read of the others still holds; only their places may be others. It takes a third of the
time at most, and next to none where the change is at the end: as one types.
"""

from bisect import bisect_left
from operator import attrgetter
from typing import NamedTuple

from fluxtui.notation.difference import shared
from fluxtui.notation.problem import MAX_LENGTH, Span
from fluxtui.notation.shape.edit.labels import labels, slots
from fluxtui.notation.shape.parser import ShapeReader
from fluxtui.notation.shape.reader import EnoughError, make
from fluxtui.notation.shape.rules import check
from fluxtui.notation.shape.tokens import spliced
from fluxtui.notation.shape.tree import Item, Shape, Vertex, walk

_END = attrgetter("span.end")
_START = attrgetter("span.start")


class Again(NamedTuple):
    """A text read again; changed is the only resource of its list that is another one now.

    It is None where more of them may be.
    """

    shape: Shape
    changed: int | None = None


def parse_again(text: str, before: Shape) -> Again:
    """Read a text that is much like another one, which was read as this shape (RFC 46).

    The shape is the one that `fluxtui.notation.shape.shape.parse` gives. Never raises.
    """
    return _changed(text, before) or Again(ShapeReader(text).read())


def _changed(text: str, before: Shape) -> Again | None:
    """The text read by its only resource that is another one; None where that cannot be told."""
    vertices, was = before.vertices, before.text
    if len(vertices) < 2 or before.problems or before.expected or len(text) > MAX_LENGTH:
        return None
    if '"' in text or "'" in text or '"' in was or "'" in was:
        return None  # a quotation mark may reach from one resource into another
    start, stop = shared(was, text)
    number = bisect_left(vertices, start, key=_END)
    if number == len(vertices):
        return None
    old, by = vertices[number], len(text) - len(was)
    if start < old.span.start or len(was) - stop > old.span.end:
        return None
    reader = ShapeReader(text)
    new = _member(reader, old.span.start)
    if new is None or new.span.end != old.span.end + by:
        return None
    behind = vertices[number + 1 :]
    if by:
        behind = tuple([moved(vertex, by) for vertex in behind])
    found = (*vertices[:number], new, *behind)
    if check((new,) if _slots_of(new) == _slots_of(old) else found):
        return None
    first = bisect_left(before.tokens, old.span.start, key=_START)
    last = bisect_left(before.tokens, old.span.end, key=_START)
    tokens = spliced(before.tokens, first, last, reader.tokens, by)
    return Again(Shape(text, found, tokens), number)


def _slots_of(vertex: Vertex) -> tuple[list[str], int, int]:
    """What matters to other vertices: the labels in a vertex, how many slots, how many without one.

    A label may be a slot's, or stand as a key in a slot that has lost its own.
    """
    bare = sum(one.type == "slot" and one.label is None for one in walk((vertex,)))
    return labels((vertex,)), slots((vertex,)), bare


def _member(reader: ShapeReader, start: int) -> Vertex | None:
    """The resource of a list that starts there, where nothing at all is wrong with it."""
    reader.pos, reader.open = start, 1
    if not reader.space():
        return None
    try:
        found = reader.vertex(1)
    except EnoughError:
        return None
    if len(found) != 1 or reader.problems or reader.wanted:
        return None
    return found[0]


def moved(vertex: Vertex, by: int) -> Vertex:
    """A vertex that stands by so many characters further on; back where these are negative."""
    kind, count, label, keys, children, span, type_span, count_span, label_span, text = vertex
    return make(
        Vertex,
        (
            kind,
            count,
            label,
            tuple([_item(item, by) for item in keys]) if keys else keys,
            tuple([moved(child, by) for child in children]) if children else children,
            make(Span, (span[0] + by, span[1] + by)),
            make(Span, (type_span[0] + by, type_span[1] + by)),
            count_span and make(Span, (count_span[0] + by, count_span[1] + by)),
            label_span and make(Span, (label_span[0] + by, label_span[1] + by)),
            text,
        ),
    )


def _item(item: Item, by: int) -> Item:
    return item._replace(
        span=_span(item.span, by),
        key_span=_span(item.key_span, by),
        value_span=item.value_span and _span(item.value_span, by),
    )


def _span(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)
