"""Sets of non-negative ids written as text such as ``0-3,7`` (RFC 22), and bit sets.

An `IdSet` keeps its ranges, never its single ids, so a set over a million ranks costs
what its text costs. A bit set (*mask*) is a Python ``int`` with bit i set for id i.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import compress
from operator import lt

from fluxtui.notation.problem import (
    ENOUGH,
    Completion,
    Parsed,
    Problem,
    Span,
    first_of,
    is_digits,
    too_long,
)
from fluxtui.notation.sets.bits import first_ranges, from_mask, less, to_mask, window
from fluxtui.notation.sets.ranges import EMPTY, IdSet, format, runs

__all__ = [
    "EMPTY",
    "IdSet",
    "completions",
    "first_ranges",
    "format",
    "from_mask",
    "lengths",
    "parse",
    "to_mask",
    "window",
]

RULE = "RFC 22"

# No id is anywhere near it.
MAX_DIGITS = 100

#: The longest text that is read, in characters; that of a million scattered ids is shorter.
MAX_LENGTH = 1 << 24

# The slow path reads about this many characters at a time, so that one mistake among a million
# ids costs one slow block, and no more than a block is ever in parts.
_BLOCK = 1 << 15

# A text from this length on is read many numbers at a time.
_LONG = 1 << 10

# Of the signs between numbers: a comma is 1.
_COMMAS = bytes.maketrans(b",-", b"\1\0")

_FAST = re.compile(r"[0-9,-]*")
_PART = re.compile(r"([0-9]+)(?:-([0-9]+))?")


def parse(text: str, offset: int = 0) -> Parsed[IdSet]:
    """Read an idset (RFC 22); the empty text and ``[]`` are the empty set.

    Spans of problems count from ``offset``. After a problem the value still holds every
    id that could be read.
    """
    start, end = 0, len(text)
    if end > MAX_LENGTH:
        return Parsed(EMPTY, (too_long("idset", text, RULE, MAX_LENGTH),))
    if end >= 2 and text[0] == "[" and text[-1] == "]":
        start, end = 1, end - 1
    if start == end:
        return Parsed(EMPTY)
    inner = text[start:end]
    fast = _parse_long(inner) if len(inner) >= _LONG else _parse_fast(inner)
    if fast is not None:
        return Parsed(fast)
    return _parse_slow(inner, offset + start)


def _parse_fast(text: str) -> IdSet | None:
    """The set, or None where anything at all is wrong with the text."""
    if len(text) >= _LONG:
        found = _parse_long(text)
        if found is not None:
            return found
    # Ascending ids without leading zeroes have a 0 after a comma or hyphen nowhere.
    if not _FAST.fullmatch(text) or ",0" in text or "-0" in text:
        return None
    if text[0] == "0" and is_digits(text[1:2]):
        return None
    parts = text.split(",")
    try:
        if "-" not in text:
            ids = list(map(int, parts))
            return IdSet(*runs(ids)) if all(map(lt, ids, ids[1:])) else None
        return _merge_fast(parts)
    except ValueError:
        return None


def _parse_long(text: str) -> IdSet | None:
    """The set of a long text; None where it has to be looked at otherwise."""
    from fluxtui.notation.sets.numbers import ascending

    if not text.isascii():
        return None
    data = text.encode()
    signs = data.translate(None, b"0123456789")
    if signs.translate(None, b",-") or b"--" in signs:
        return None
    read = ascending(data)
    if read is None:
        return None
    if b"-" not in signs:
        return IdSet(*read.runs())
    # A number before a hyphen begins a range, and the one behind it ends that. Where a number does
    # not break, the range that it begins goes on with the one before.
    inner = signs.translate(_COMMAS)
    breaks = bytes(read.breaks)
    firsts = compress(read.numbers, _both(b"\1" + inner, breaks))
    lasts = compress(read.numbers, _both(inner + b"\1", breaks[1:] + b"\1"))
    return IdSet(tuple(firsts), tuple(lasts))


def _both(one: bytes, two: bytes) -> bytes:
    """1 where both have 1."""
    common = int.from_bytes(one, "little") & int.from_bytes(two, "little")
    return common.to_bytes(len(one), "little")


def _merge_fast(parts: list[str]) -> IdSet | None:
    firsts: list[int] = []
    lasts: list[int] = []
    end = -2
    for part in parts:
        head, dash, tail = part.partition("-")
        first = int(head)
        last = first
        if dash:
            last = int(tail)
            if last <= first:
                return None
        if first > end + 1:
            firsts.append(first)
            if end >= 0:
                lasts.append(end)
        elif first <= end:
            return None
        end = last
    lasts.append(end)
    return IdSet(tuple(firsts), tuple(lasts))


def _parse_slow(text: str, offset: int) -> Parsed[IdSet]:
    """Read part by part, naming each problem and keeping each id that can be read.

    Of a text with very many problems no more is read.
    """
    problems: list[Problem] = []
    ranges: list[tuple[int, int]] = []
    end, at = -1, 0
    while at <= len(text) and len(problems) < ENOUGH:
        stop = text.find(",", at + _BLOCK)
        stop = len(text) if stop < 0 else stop
        block = text[at:stop]
        good = _parse_fast(block) if block else None
        if good is not None and good.first > end:
            ranges += good.ranges
            end, at = good.last, stop + 1
            continue
        for part in block.split(","):
            span = Span(offset + at, offset + at + len(part))
            last = offset + len(text)
            found, problem = _part(part, span, end) if part else (None, _missing(span, last))
            at += len(part) + 1
            if problem is not None:
                problems.append(problem)
            if found is not None:
                ranges.append(found)
                end = max(end, found[1])
    return Parsed(IdSet.from_ranges(ranges), first_of(problems, "idset", is_cut=at < len(text)))


def _part(part: str, span: Span, end: int) -> tuple[tuple[int, int] | None, Problem | None]:
    """One id or range of an idset; ``end`` is the largest id before it."""

    def problem(message: str, *expected: str, where: Span = span) -> Problem:
        return Problem(message, where, expected=expected, rule=RULE)

    match = _PART.fullmatch(part)
    if match is None:
        return None, _misread(part, span)
    head, tail = match.group(1), match.group(2)
    if max(len(head), len(tail or "")) > MAX_DIGITS:
        return None, problem(f"id of {len(head + (tail or ''))} digits is too large")
    first = int(head)
    last = int(tail) if tail is not None else first
    for digits in (head, tail or "0"):
        if digits != "0" and digits.startswith("0"):
            return (first, max(first, last)), problem(
                f"id '{digits}' has leading zeroes", str(int(digits))
            )
    if last < first:
        return None, problem(f"range '{part}' runs backwards", f"{last}-{first}")
    if tail is not None and last == first:
        return (first, last), problem(f"range '{part}' holds one id", str(first))
    if first <= end:
        why = f"'{part}' is out of order after {end}"
        if first == last == end:
            why = f"'{part}' is given twice"
        elif last > end:
            why = f"'{part}' overlaps the ids before it, which go up to {end}"
        return (first, last), problem(why, "ascending ids, each once")
    return (first, last), None


def _missing(span: Span, last: int) -> Problem:
    """Nothing stands between two commas, or on one side of one."""
    after = span.start == last
    comma = Span(span.start - 1, span.start) if after else Span(span.start, span.start + 1)
    side = "after" if after else "before"
    return Problem(f"an id is missing {side} ','", comma, None, ("an id",), RULE)


def _misread(part: str, span: Span) -> Problem:
    """What is wrong with a part that is neither an id nor a range."""

    def problem(message: str, place: int, *expected: str, size: int = 1) -> Problem:
        where = Span(span.start + place, span.start + place + size)
        return Problem(message, where, None, expected, RULE)

    for place, char in enumerate(part):
        if char not in "0123456789-":
            if char.isspace():
                return problem("white space does not belong in an idset", place, "','")
            if char in "[]":
                message = "brackets stand around all of an idset, or nowhere"
                return problem(message, place, "[...] around all of it")
            return problem(f"'{char}' does not belong in an idset", place, "a digit", "','", "'-'")
    if part.count("-") == 1:
        return problem(
            "the first id is missing before '-'" if part[0] == "-" else
            "the last id is missing after '-'", part.index("-"), "N-M"
        )  # fmt: skip
    shown = part if len(part) <= 40 else part[:40] + "..."
    message = f"'{shown}' is not an id or a range"
    return problem(message, 0, "an id", "N-M", size=len(part))


def lengths(ids: IdSet, masks: Iterable[int]) -> Iterator[int]:
    """How many characters the ids at the places of each mask take as a text, which is not made.

    Where ids has gaps it may be more, as a gap parts what stands side by side.
    """
    longer = [_below(ids, 10**digits) for digits in range(1, len(str(ids.last)))] if ids else []
    for mask in masks:
        starts = less(mask, mask << 1)
        ends = less(less(mask, mask >> 1), starts)  # of ranges: a single id is written once
        written = starts.bit_count() + ends.bit_count()
        more = sum((row >> place).bit_count() for place in longer for row in (starts, ends))
        yield written + more + max(written - 1, 0)


def _below(ids: IdSet, bound: int) -> int:
    """How many of the ids are smaller than a number."""
    at = bisect_left(ids.starts, bound) - 1
    place = ids.index(min(ids.ends[at], bound - 1)) if at >= 0 else None
    return 0 if place is None else place + 1


def completions(text: str, cursor: int, known: IdSet = EMPTY) -> list[Completion]:
    """What may stand at the cursor of an idset; known are the ids there are."""
    from fluxtui.notation.sets import completion

    return completion.ids(text, cursor, known)
