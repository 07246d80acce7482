"""Edits of one vertex: its count, its type, its label, its keys, or all of these (RFC 46, RFC 14).

Spaces, order, quotes, brackets and the spelling of counts and keys stay as they were typed
wherever they are not what changes.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fluxtui.notation import count as counts
from fluxtui.notation.count import MAX_DIGITS, Range
from fluxtui.notation.problem import Problem, at, printable
from fluxtui.notation.shape.edit.edited import (
    Edited,
    edited,
    of_vertex,
    read_line,
    readable,
    refused,
    refused_for,
    refused_label,
)
from fluxtui.notation.shape.edit.rewrite import Typed, piece
from fluxtui.notation.shape.edit.tree import (
    Labels,
    Path,
    document_path,
    labels,
    put,
    settled,
    slots,
    vertex_at,
)
from fluxtui.notation.shape.format import count_text, own_text
from fluxtui.notation.shape.rules import check
from fluxtui.notation.shape.tree import Item, Shape, Vertex

_CLOSED = re.compile(r"([0-9]+-)[0-9]+")
_OPEN = re.compile(r"[0-9]+")
_MOST = 10**MAX_DIGITS


@of_vertex
def step_count(shape: Shape, path: Path, vertex: Vertex, by: int) -> Edited:
    """The vertex with a count that is ``by`` steps larger, or smaller where ``by`` is negative.

    A number goes up or down by 1, and so does the smallest count of an open range (``2+``). Of a
    closed range the largest count moves: by the operand (``2-8`` to ``2-9``, ``2-8:2`` to
    ``2-10:2``, ``2-8:2:*`` to ``2-16:2:*``), but not below the smallest. No count falls below 1.
    Refused where nothing can move, and for an idset, which has no next one.
    """
    count = vertex.count
    if isinstance(count, Range):
        value, text = _stepped_range(count, count_text(vertex), by)
    elif isinstance(count, int):
        value = min(max(count + by, 1), _MOST - 1)
        text = str(value)
    else:
        message = "a set of counts has no next one; type the counts that are wanted"
        return refused(shape, path, message, "a count such as 4", key="count")
    if value == count and by:
        return refused(shape, path, _limit(count, by), key="count")
    return _with(shape, path, vertex._replace(count=value, count_text=text))


def _stepped_range(count: Range, text: str, by: int) -> tuple[Range, str]:
    """A range some steps on, and its text with one number changed."""
    if count.max is None:
        least = 2 if count.operator == "^" else 1
        after = replace(count, min=min(max(count.min + by, least), _MOST - 1))
        return after, _OPEN.sub(str(after.min), text, count=1)
    most = _moved(count, count.max, by)
    return replace(count, max=most), _CLOSED.sub(rf"\g<1>{most}", text, count=1)


def _moved(count: Range, most: int, by: int) -> int:
    """The largest count of a closed range some steps on, as far as it may go."""
    if count.operator == "+":
        room = (_MOST - 1 - most if by > 0 else max(most - count.min, 0)) // count.operand
        return most + count.operand * max(-room, min(by, room))
    for _ in range(abs(by)):
        moved = _up(most, count) if by > 0 else _down(most, count)
        if moved == most or (moved >= _MOST if by > 0 else moved < count.min):
            break
        most = moved
    return most


def _up(most: int, count: Range) -> int:
    return most * count.operand if count.operator == "*" else _power(most, count.operand)


def _down(most: int, count: Range) -> int:
    return most // count.operand if count.operator == "*" else _root(most, count.operand)


def _power(value: int, exponent: int) -> int:
    """The power, or a number too large for a count where it would be larger still."""
    large = (value.bit_length() - 1) * exponent > _MOST.bit_length()
    return _MOST if large else int(value**exponent)


def _root(value: int, exponent: int) -> int:
    """The largest whole number whose power is at most the value."""
    low, high = 1, value
    while low < high:
        middle = (low + high + 1) // 2
        if _power(middle, exponent) <= value:
            low = middle
        else:
            high = middle - 1
    return low


def _limit(count: int | Range, by: int) -> str:
    """Why a count does not move any further."""
    if isinstance(count, Range) and any(counts.broken(count)):
        return next(filter(None, counts.broken(count)))
    if by > 0:
        return f"a count has at most {MAX_DIGITS} digits"
    if isinstance(count, Range) and count.max is not None:
        return "the largest count of a range is not below the smallest"
    if isinstance(count, Range) and count.operator == "^":
        return "with ^ the smallest count is 2 or more"
    return "a count is 1 or more"


@of_vertex
def set_label(shape: Shape, path: Path, vertex: Vertex, label: str) -> Edited:
    """The vertex with this label, which no other vertex may have; an empty text takes it away.

    Refused where a slot needs its label: beside other slots, and before keys.
    """
    if vertex.type != "slot":
        if label:
            return set_key(shape, path, "label", label)
        known = any(item.key == "label" for item in vertex.keys)
        return remove_key(shape, path, "label") if known else Edited(shape.text, path)
    if not label and slots(shape.vertices) > 1:
        message = "a slot needs a label where there is more than one slot"
        return refused(shape, path, message, "a label", key="label")
    if not label and vertex.keys:
        message = "a slot with keys needs a label before them"
        return refused(shape, path, message, "a label", key="label")
    if label != vertex.label and label in labels(shape.vertices):
        return refused_label(shape, path, label)
    return _checked(shape, path, vertex._replace(label=label or None))


@of_vertex
def set_key(shape: Shape, path: Path, vertex: Vertex, key: str, value: Any) -> Edited:
    """The vertex with this key, which may be new, and any JSON value.

    The key is the name that RFC 14 has, so ``exclusive`` and not ``x``. A slot without a label
    gets one before its first key.
    """
    if key == "label" and vertex.type == "slot" and isinstance(value, str):
        return set_label(shape, path, value)
    others = put(shape.vertices, path, vertex._replace(keys=()))
    if key == "label" and value in labels(others):
        return refused_label(shape, path, value)
    item = Item(key, value)
    wrong = check((Vertex("node", keys=(item,)),))
    if wrong:
        where = at(document_path(path), key)
        return refused_for(shape, path, replace(wrong[0], span=None, path=where))
    places = [place for place, old in enumerate(vertex.keys) if old.key == key]
    keys = list(vertex.keys)
    for place in reversed(places[1:]):
        del keys[place]
    if places:
        keys[places[0]] = keys[places[0]]._replace(value=value)
    else:
        keys.append(item)
    after = vertex._replace(keys=tuple(keys))
    if after.type == "slot" and after.label is None:
        after = after._replace(label=Labels(labels(shape.vertices)).default())
    return _checked(shape, path, after)


@of_vertex
def remove_key(shape: Shape, path: Path, vertex: Vertex, key: str) -> Edited:
    """The vertex without this key; refused where it has none of that name."""
    if key == "label" and vertex.type == "slot":
        return set_label(shape, path, "")
    keys = _without(vertex.keys, key)
    if len(keys) == len(vertex.keys):
        return refused(shape, path, f"{printable(vertex.type)} has no key '{printable(key)}'")
    return _checked(shape, path, vertex._replace(keys=keys))


@of_vertex
def toggle_exclusive(shape: Shape, path: Path, vertex: Vertex) -> Edited:
    """The vertex made exclusive, then shared, then neither: ``x``, ``-x``, no key (RFC 14)."""
    given = [item.value for item in vertex.keys if item.key == "exclusive"]
    if given and given[0] is False:
        return remove_key(shape, path, "exclusive")
    return set_key(shape, path, "exclusive", not (given and given[0] is True))


def line_of(shape: Shape, path: Path) -> str:
    """A vertex as it was typed, without what it holds: the line to begin `edit_vertex` with."""
    vertex = vertex_at(shape.vertices, path)
    return "" if vertex is None else piece(shape, vertex, vertex, own=True)


@of_vertex
def edit_vertex(shape: Shape, path: Path, vertex: Vertex, line: str) -> Edited:
    """The vertex with the type, count, label and keys of a line such as ``node=4{x}``.

    What it holds stays; a line may name children only where the vertex has none. A line that
    `format_shape` would write just so says nothing of how things are spelled, and what it leaves
    as it was keeps its own spelling; any other line is taken letter for letter. A slot beside
    others keeps its label where the line leaves it out.
    """
    read = read_line(line)
    if isinstance(read, Problem):
        return refused_for(shape, path, read)
    typed = read.vertices[0]
    if typed.children and vertex.children:
        message = "the line of a resource names no children"
        return refused(shape, path, message, "a line without '/'")
    after = vertex._replace(
        type=typed.type, count=typed.count, count_text=typed.count_text, label=typed.label,
        keys=tuple(Item(item.key, item.value) for item in typed.keys), children=typed.children,
    )  # fmt: skip
    if after.type == "slot" and after.label is None and slots(shape.vertices) > 1:
        after = after._replace(label=vertex.label)
    return _instead(shape, path, vertex, after, read)


def _instead(
    shape: Shape, path: Path, vertex: Vertex, after: Vertex, line: Shape | None = None
) -> Edited:
    """The edit that gives a vertex other parts; ``after`` holds only the children that are new."""
    if not readable(after):
        return refused(shape, path, "a shape cannot say this")
    rest = put(shape.vertices, path, vertex._replace(type="", label=None, keys=()))
    new_slot = slots((after,)) > (vertex.type == "slot")
    if new_slot:
        rest, after, taken = settled(rest, after)
    else:
        known = labels((vertex._replace(children=()),))
        others = labels(rest)
        taken = next((n for n in labels((after,)) if n in others and n not in known), "")
    if taken:
        return refused_label(shape, path, taken)
    inside = vertex_at(rest, path)
    if inside is not None and inside.children:
        after = after._replace(children=inside.children)
    typed = None if line is None else _typed(line, after)
    return edited(shape, put(rest, path, after), path, typed, back=path)


def _typed(line: Shape, after: Vertex) -> Typed:
    """The texts of a line for the vertex that it gives, and for those below it."""
    old = line.vertices[0]
    own = piece(line, after, old, own=True)
    whole = {
        id(new): piece(line, new, child)
        for new, child in zip(after.children, old.children, strict=False)
    }
    return Typed({id(after): own} if own != own_text(after) else {}, whole)


def _checked(shape: Shape, path: Path, after: Vertex) -> Edited:
    """The edit that gives a vertex other parts, unless no shape can say them."""
    if not readable(after):
        return refused(shape, path, "a shape cannot say this")
    return _with(shape, path, after)


def _with(shape: Shape, path: Path, after: Vertex) -> Edited:
    return edited(shape, put(shape.vertices, path, after), path, back=path)


def _without(keys: Sequence[Item], key: str) -> tuple[Item, ...]:
    return tuple(item for item in keys if item.key != key)
