"""Where the parts of a vertex stand in the text it was read from (RFC 46)."""

import re
from typing import NamedTuple

from fluxtui.notation.problem import Span
from fluxtui.notation.shape.tree import Vertex

_EQUALS = re.compile(r"\s*=\s*")
_OPEN = re.compile(r"\s*\{\s*")
_COMMA = re.compile(r"\s*,\s*")
_CLOSE = re.compile(r"\s*\}")


class Own(NamedTuple):
    """The parts of a vertex without its children.

    counted  where the type and the count end
    entries  the label of a slot and the keys, in order
    inside   where the first entry starts, or would between empty braces
    end      where all of it ends
    """

    counted: int
    entries: tuple[Span, ...]
    inside: int
    end: int


def whole_end(text: str, vertex: Vertex) -> int:
    """Where a vertex ends, children included, without the white space behind it."""
    end = vertex.span[1]
    while end and text[end - 1].isspace():
        end -= 1
    return end


def own_end(text: str, vertex: Vertex) -> int:
    """Where the own parts of a vertex end: before the slash of its children."""
    start = vertex.type_span[1]
    if vertex.children:
        rest = text[start : vertex.children[0].span[0]].rstrip()
        rest = _without(rest, "[")
    else:
        rest = text[start : whole_end(text, vertex)]
        if rest.endswith(("]", "[", "/")):
            rest = _without_dangling(rest)
    return start + len(_without(rest, "/"))


def _without(text: str, sign: str) -> str:
    return text[:-1].rstrip() if text.endswith(sign) else text


def _without_dangling(text: str) -> str:
    """The text without a list at its end that holds nothing, but with the slash before it."""
    short = _without(_without(text, "]"), "[") if text[-1] in "[]" else text
    return short if short.endswith("/") else text


def own_parts(text: str, vertex: Vertex) -> Own | None:
    """The own parts of a vertex; None where anything else stands between them."""
    end = own_end(text, vertex)
    at = vertex.type_span[1]
    if vertex.count_span is not None:
        equals = _EQUALS.match(text, at)
        start, at = vertex.count_span
        if not equals or equals.end() != start or vertex.count_text not in text[start:at]:
            return None
    label = () if vertex.label_span is None else (vertex.label_span,)
    entries = (*label, *(item.span for item in vertex.keys))
    opening = _OPEN.match(text, at, end)
    if not opening:
        if entries or at != end:
            return None
        return Own(at, (), at, at)
    place = opening.end()
    for number, span in enumerate(entries):
        if number:
            comma = _COMMA.match(text, place)
            place = comma.end() if comma else -1
        if span[0] != place:
            return None
        place = span[1]
    closing = _CLOSE.match(text, place)
    if not closing or closing.end() != end:
        return None
    return Own(at, entries, opening.end(), end)
