"""Sets of non-negative ids (RFC 22): `IdSet`, its text such as ``0-3,7``, and its bit set.

An `IdSet` keeps ranges, never single ids, so a set over a million ranks costs as much as its
text. A bit set (*mask*) is a Python ``int`` with bit i set for id i.
"""

import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, compress, islice, pairwise, repeat
from operator import add, eq, lt, sub

from fluxtui.notation.problem import (
    ENOUGH,
    Completion,
    Parsed,
    Problem,
    Span,
    first_of,
    is_digits,
    shortened,
    too_long,
)
from fluxtui.notation.sets.bits import edges, fill

RULE = "RFC 22"

# No real id comes anywhere near this.
MAX_DIGITS = 100
_LIMIT = 10**MAX_DIGITS

#: The longest text that is read, in characters; a million scattered ids take fewer.
MAX_LENGTH = 1 << 24

# The slow path reads about this many characters at a time, so that one mistake among a million
# ids slows down one block only, and no more than one block at a time is split into parts.
_BLOCK = 1 << 15

_FAST = re.compile(r"[0-9,-]*+")
_PART = re.compile(r"([0-9]+)(?:-([0-9]+))?")


class IdSet:
    """An immutable set of non-negative ids, kept as ascending ranges with gaps between them.

    starts and ends are the first and the last id of each range. Build one with `of`, `between`,
    `from_ranges`, `parse` or `from_mask`.
    """

    __slots__ = ("_count", "_ranks", "ends", "starts")

    def __init__(self, firsts: tuple[int, ...] = (), lasts: tuple[int, ...] = ()) -> None:
        """Take ranges that are already ascending, disjoint and not adjacent."""
        self.starts = firsts
        self.ends = lasts
        self._ranks: IdSet | None = None
        self._count = -1

    @classmethod
    def of(cls, ids: Iterable[int]) -> "IdSet":
        """The set of these ids, in any order, repeats allowed."""
        ordered = sorted(set(ids))
        return cls(*runs(ordered)) if ordered else EMPTY

    @classmethod
    def between(cls, first: int, last: int) -> "IdSet":
        """The ids from first to last, both included; empty when last is below first."""
        return cls((first,), (last,)) if last >= first else EMPTY

    @classmethod
    def from_ranges(cls, ranges: Iterable[tuple[int, int]]) -> "IdSet":
        """The union of inclusive ranges, in any order, overlaps allowed."""
        firsts: list[int] = []
        lasts: list[int] = []
        for first, last in sorted(ranges):
            if lasts and first <= lasts[-1] + 1:
                lasts[-1] = max(last, lasts[-1])
            else:
                firsts.append(first)
                lasts.append(last)
        return cls(tuple(firsts), tuple(lasts))

    @property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """The inclusive (first, last) pairs, ascending; built at each call."""
        return tuple(zip(self.starts, self.ends, strict=True))

    @property
    def first(self) -> int:
        """The smallest id; IndexError for the empty set."""
        return self.starts[0]

    @property
    def last(self) -> int:
        """The largest id; IndexError for the empty set."""
        return self.ends[-1]

    @property
    def count(self) -> int:
        """The exact number of ids, which may exceed ``sys.maxsize``."""
        if self._count < 0:
            self._count = sum(self.ends) - sum(self.starts) + len(self.starts)
        return self._count

    def __len__(self) -> int:
        """The number of ids, at most ``sys.maxsize`` (`count` has no such limit)."""
        return min(self.count, sys.maxsize)

    def __bool__(self) -> bool:
        return bool(self.starts)

    def __contains__(self, id_: object) -> bool:
        if not isinstance(id_, int):
            return False
        at = bisect_right(self.starts, id_) - 1
        return at >= 0 and id_ <= self.ends[at]

    def __iter__(self) -> Iterator[int]:
        for first, last in zip(self.starts, self.ends, strict=True):
            yield from range(first, last + 1)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, IdSet):
            return NotImplemented
        return self.starts == other.starts and self.ends == other.ends

    def __hash__(self) -> int:
        return hash((self.starts, self.ends))

    def __str__(self) -> str:
        return format(self)

    def __repr__(self) -> str:
        return f"IdSet({format(self, 20)!r})"

    def __or__(self, other: "IdSet") -> "IdSet":
        return IdSet.from_ranges((*self.ranges, *other.ranges))

    def __and__(self, other: "IdSet") -> "IdSet":
        few, many = (self, other) if len(self.starts) <= len(other.starts) else (other, self)
        found = list(_overlaps(few, many))
        return IdSet(tuple([first for first, _, _ in found]), tuple([last for _, last, _ in found]))

    def __sub__(self, other: "IdSet") -> "IdSet":
        if not self or not other:
            return self
        befores = (*(first - 1 for first in other.starts), max(self.last, other.last))
        afters = (0, *(last + 1 for last in other.ends))
        gaps = [gap for gap in zip(afters, befores, strict=True) if gap[0] <= gap[1]]
        return self & IdSet.from_ranges(gaps)

    @property
    def _places(self) -> "IdSet":
        """For each range, the range of the places of its ids, counted from 0; cached."""
        if self._ranks is None:
            sizes = map(sub, self.ends, self.starts)
            ends = tuple(accumulate(size + 1 for size in sizes))
            self._ranks = IdSet((0, *ends)[:-1], tuple(end - 1 for end in ends))
        return self._ranks

    def nth(self, index: int) -> int:
        """The id at this place in ascending order, counted from 0; IndexError if out of range."""
        if not 0 <= index < self.count:
            raise IndexError(index)
        starts = self._places.starts
        at = bisect_right(starts, index) - 1
        return self.starts[at] + index - starts[at]

    def index(self, id_: int) -> int | None:
        """The place of an id in ascending order, counted from 0; None if it is not in the set."""
        at = bisect_right(self.starts, id_) - 1
        if at < 0 or id_ > self.ends[at]:
            return None
        return self._places.starts[at] + id_ - self.starts[at]

    def locate(self, ids: "IdSet") -> "IdSet":
        """The places, counted from 0, of the ids that are in this set; the others are ignored."""
        if len(self.starts) == 1:
            only = ids & self if ids and (ids.first < self.first or ids.last > self.last) else ids
            return only.shifted(-self.first)
        starts, ends, counts = self.starts, self.ends, self._places.starts
        found: list[tuple[int, int]] = []
        # The members between two ids have consecutive places, whatever gaps are between them.
        for first, last in zip(ids.starts, ids.ends, strict=True):
            left = bisect_left(ends, first)
            right = left if first == last else bisect_right(starts, last) - 1
            if left <= right and left < len(starts) and starts[left] <= last:
                low = counts[left] + max(first - starts[left], 0)
                found.append((low, counts[right] + min(last, ends[right]) - starts[right]))
        return IdSet.from_ranges(found)

    def lowest(self, count: int) -> "IdSet":
        """The lowest ``count`` ids; all of them if there are no more."""
        return self.pick(IdSet.between(0, count - 1))

    def pick(self, places: "IdSet", limit: int | None = None) -> "IdSet":
        """The ids at these places, counted from 0; places out of range are ignored.

        Stops after ``limit`` ranges if that is given.
        """
        if len(self.starts) == 1:
            return (places & IdSet.between(0, self.count - 1)).shifted(self.first)
        ids: list[tuple[int, int]] = []
        for first, last, at in islice(_overlaps(places, self._places), limit):
            shift = self.starts[at] - self._places.starts[at]
            ids.append((first + shift, last + shift))
        return IdSet.from_ranges(ids)

    def shifted(self, by: int) -> "IdSet":
        """Every id plus ``by``; the caller ensures that none falls below 0."""
        if not by:
            return self
        firsts = tuple([first + by for first in self.starts])
        return IdSet(firsts, tuple([last + by for last in self.ends]))


EMPTY = IdSet()


def _overlaps(ids: IdSet, other: IdSet) -> Iterator[tuple[int, int, int]]:
    """The common ranges of two sets, ascending, each with the index of its range in other."""
    starts, ends = other.starts, other.ends
    # A few ranges among many are found by bisection; otherwise both sets are walked in parallel.
    search = len(ids.starts) * 16 < len(starts)
    at, stop = 0, len(starts)
    for first, last in zip(ids.starts, ids.ends, strict=True):
        if search:
            at = max(bisect_right(starts, first) - 1, 0)
        while at < stop and ends[at] < first:
            at += 1
        while at < stop and starts[at] <= last:
            yield (max(first, starts[at]), min(last, ends[at]), at)
            if ends[at] > last:
                break
            at += 1


def runs(ids: list[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The first and the last id of each run of consecutive ids in a strictly ascending list.

    Both are the same tuple if no two ids are consecutive.
    """
    if not any(map(eq, map(add, ids, repeat(1)), islice(ids, 1, None))):
        alone = tuple(ids)
        return alone, alone
    cuts = [a + 1 != b for a, b in pairwise(ids)]
    return (ids[0], *compress(ids[1:], cuts)), (*compress(ids, cuts), ids[-1])


def repeated(ranges: Iterable[tuple[int, int]]) -> IdSet:
    """The ids that are in more than one of these inclusive ranges, given in any order."""
    found: list[tuple[int, int]] = []
    reach = -1
    for first, last in sorted(ranges):
        if first <= reach:
            found.append((first, min(last, reach)))
        reach = max(reach, last)
    return IdSet.from_ranges(found)


# Text


def format(idset: IdSet, limit: int | None = None) -> str:
    """The RFC 22 text, without brackets; cut after ``limit`` ranges, with ``…`` at the end."""
    cut = limit is not None and len(idset.starts) > limit
    starts = idset.starts[:limit] if cut else idset.starts
    parts = [str(a) if a == b else f"{a}-{b}" for a, b in zip(starts, idset.ends, strict=False)]
    return ",".join([*parts, "…"] if cut else parts)


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
    fast = _parse_fast(inner)
    return _parse_slow(inner, offset + start) if fast is None else Parsed(fast)


def _parse_fast(text: str) -> IdSet | None:
    # In ascending ids without leading zeroes no 0 follows a comma or hyphen.
    if not _FAST.fullmatch(text) or ",0" in text or "-0" in text:
        return None
    if text[0] == "0" and is_digits(text[1:2]):
        return None
    parts = text.split(",")
    firsts: list[int] = []
    lasts: list[int] = []
    end = -2
    try:
        if "-" not in text:
            ids = list(map(int, parts))
            ascending = ids[-1] < _LIMIT and all(map(lt, ids, islice(ids, 1, None)))
            return IdSet(*runs(ids)) if ascending else None
        for part in parts:
            head, dash, tail = part.partition("-")
            first = int(head)
            last = int(tail) if dash else first
            if first <= end or (dash and last <= first):
                return None
            if first > end + 1:
                firsts.append(first)
                lasts.append(last)
            else:
                lasts[-1] = last
            end = last
    except ValueError:
        return None
    return IdSet(tuple(firsts), tuple(lasts)) if end < _LIMIT else None


def _parse_slow(text: str, offset: int) -> Parsed[IdSet]:
    """Read part by part, reporting every problem and keeping every id that can be read."""
    problems: list[Problem] = []
    ranges: list[tuple[int, int]] = []
    end, at = -1, 0
    while at <= len(text) and len(problems) < ENOUGH:
        stop = text.find(",", at + _BLOCK)
        stop = len(text) if stop < 0 else stop
        block = text[at:stop]
        parsed = _parse_fast(block) if block else None
        if parsed is not None and parsed.first > end:
            ranges += parsed.ranges
            end, at = parsed.last, stop + 1
            continue
        for part in block.split(","):
            span = Span(offset + at, offset + at + len(part))
            found, problem = _part(part, span, end, is_end=at + len(part) == len(text))
            at += len(part) + 1
            if problem is not None:
                problems.append(problem)
            if found is not None:
                ranges.append(found)
                end = max(end, found[1])
    return Parsed(IdSet.from_ranges(ranges), first_of(problems, "idset", is_cut=at < len(text)))


def _part(
    part: str, span: Span, end: int, *, is_end: bool
) -> tuple[tuple[int, int] | None, Problem | None]:
    """Read one id or range; end is the largest id before it, is_end means that the text ends."""

    def problem(message: str, *expected: str, at: int = 0, size: int = len(part)) -> Problem:
        where = Span(span.start + at, span.start + at + size)
        return Problem(message, where, expected=expected, rule=RULE)

    if not part:
        side, at = ("after", -1) if is_end else ("before", 0)
        return None, problem(f"an id is missing {side} ','", "an id", at=at, size=1)
    match = _PART.fullmatch(part)
    if odd := re.search("[^0-9-]", part):
        expected: tuple[str, ...] = ("a digit", "','", "'-'")
        message = f"'{odd[0]}' does not belong in an idset"
        if odd[0].isspace():
            message, expected = "white space does not belong in an idset", ("','",)
        elif odd[0] in "[]":
            message = "brackets go around all of an idset, or nowhere"
            expected = ("[...] around all of it",)
        return None, problem(message, *expected, at=odd.start(), size=1)
    if match is None and part.count("-") == 1:
        side = "first id is missing before" if part[0] == "-" else "last id is missing after"
        return None, problem(f"the {side} '-'", "N-M", at=part.index("-"), size=1)
    if match is None:
        return None, problem(f"'{shortened(part)}' is not an id or a range", "an id", "N-M")
    head, tail = match.group(1), match.group(2)
    if max(len(head), len(tail or "")) > MAX_DIGITS:
        return None, problem(f"id of {len(head + (tail or ''))} digits is too large")
    first = int(head)
    last = int(tail) if tail is not None else first
    for digits in (head, tail or "0"):
        if digits != "0" and digits.startswith("0"):
            message = f"id '{digits}' has leading zeroes"
            return (first, max(first, last)), problem(message, str(int(digits)))
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


# Bit sets


def to_mask(idset: IdSet) -> int:
    """The bit set with bit i set for each id i; linear in the largest id.

    The caller must bound the ids, since a mask takes one bit for each number up to the largest.
    """
    return fill(idset.starts, idset.ends, idset.last + 1) if idset else 0


def from_mask(mask: int) -> IdSet:
    """The ids whose bits are set; linear in the highest bit."""
    places = list(edges(mask)) if mask > 0 else []
    return IdSet(tuple(places[::2]), tuple([end - 1 for end in places[1::2]]))


# Completion

#: The most completions offered: enough to fill one screen.
MOST = 50

#: The completion that ends a list in brackets, with its description.
CLOSE = ("]", "the end of the brackets")


def completions(
    text: str,
    cursor: int,
    known: IdSet = EMPTY,
    describe: Callable[[int], str] = lambda number: "an id of the set",
) -> list[Completion]:
    """What may be typed at the cursor of an idset: ids of ``known``, then punctuation."""
    cursor = max(0, min(cursor, len(text)))
    before = text[:cursor]
    opened = before.startswith("[")
    inner = before[opened:]
    if not inner:
        choices = [CLOSE] if opened else [("[", "an idset in brackets")]
    else:
        choices = signs_after(inner) if parse(inner).ok else []
        choices += [CLOSE] if opened and choices else []
    signs = [Completion(sign, Span(cursor, cursor), meaning) for sign, meaning in choices]
    done = inner.rstrip("0123456789")
    typed = inner[len(done) :]
    whole, sign = done[:-1], done[-1:]  # what the comma or hyphen follows
    read = parse(whole)
    may_continue = read.ok and bool(read.value) == bool(done) and sign in ("", ",", "-")
    if sign == "-" and not is_digits(whole.rpartition(",")[2]):
        may_continue = False
    if not may_continue or typed.startswith("0"):
        return signs
    least = int(re.findall("[0-9]+", whole)[-1]) + 1 if whole else 0
    span = Span(cursor - len(typed), cursor)
    if sign != "-" or typed:
        found = islice(_beginning_with(typed, least, known), MOST)
        return [Completion(str(number), span, describe(number)) for number in found] + signs
    at = bisect_right(known.starts, least) - 1
    run = known.ends[at] if at >= 0 else -1
    if run < least:
        return signs
    return [Completion(str(run), span, f"{run - least + 2:,} ids without a gap"), *signs]


def signs_after(inner: str, another: str = "another id") -> list[tuple[str, str]]:
    """The punctuation that may follow complete ids and ranges, with its descriptions."""
    run = [("-", "up to the number that follows")]
    return [*(run if "-" not in inner.rpartition(",")[2] else []), (",", another)]


def _beginning_with(typed: str, least: int, known: IdSet) -> Iterator[int]:
    """The known ids from least, of up to ten digits, that begin with the typed digits."""
    for missing in range(11 - len(typed)) if typed else (10,):
        first = int(typed or "0") * 10**missing
        within = IdSet.between(max(first, least), first + 10**missing - 1)
        for low, high, _ in _overlaps(within, known):
            yield from (number for number in range(low, high + 1) if str(number) != typed)
