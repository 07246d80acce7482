"""Edits of how many: a count that is typed, and one more or one fewer (RFC 46, RFC 45)."""

import re
from dataclasses import replace

from fluxtui.notation import count as counts
from fluxtui.notation.count import MAX_DIGITS, Range
from fluxtui.notation.problem import at
from fluxtui.notation.shape.edit.pieces import count_text
from fluxtui.notation.shape.edit.tree import (
    Edited,
    Path,
    document_path,
    edited,
    nowhere,
    put,
    refused,
    refused_for,
    vertex_at,
)
from fluxtui.notation.shape.tree import Shape, Vertex

_CLOSED = re.compile(r"([0-9]+-)[0-9]+")
_OPEN = re.compile(r"[0-9]+")
_MOST = 10**MAX_DIGITS


def set_count(shape: Shape, path: Path, text: str) -> Edited:
    """The vertex with this count, as it was typed; an empty text or ``1`` takes the count out.

    Brackets around the old count stay. Refused where the text is no count (RFC 14, RFC 45); the
    problem's span is then a place in ``text``.
    """
    vertex = vertex_at(shape.vertices, path)
    if vertex is None:
        return nowhere(shape, path)
    typed = text.strip() or "1"
    read = counts.parse(typed, text.find(typed))
    if read.value is None or not read.ok:
        where = at(document_path(path), "count")
        return refused_for(shape, path, read.problems[0]._replace(path=where))
    return _counted(shape, path, vertex._replace(count=read.value, count_text=typed))


def step_count(shape: Shape, path: Path, by: int) -> Edited:
    """The vertex with a count that is ``by`` steps larger, or smaller where ``by`` is negative.

    A number goes up or down by 1, and so does the smallest count of an open range (``2+``). Of a
    closed range the largest count moves: by the operand (``2-8`` to ``2-9``, ``2-8:2`` to
    ``2-10:2``, ``2-8:2:*`` to ``2-16:2:*``), but not below the smallest. No count falls below 1.
    Refused where nothing can move, and for an idset, which has no next one.
    """
    vertex = vertex_at(shape.vertices, path)
    if vertex is None:
        return nowhere(shape, path)
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
    return _counted(shape, path, vertex._replace(count=value, count_text=text))


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


def _counted(shape: Shape, path: Path, vertex: Vertex) -> Edited:
    return edited(shape, put(shape.vertices, path, vertex), path, back=path)
