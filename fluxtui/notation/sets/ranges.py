"""`IdSet`: an immutable set of ids kept as ranges. Its text form is in `idset` (RFC 22)."""

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, islice, pairwise


class IdSet:
    """An immutable set of non-negative ids, kept as ascending, disjoint, unlinked ranges.

    Build one with `of`, `between`, `from_ranges`, `parse` or `from_mask`.
    """

    __slots__ = ("_count", "_firsts", "_lasts", "_places")

    def __init__(self, firsts: Sequence[int] = (), lasts: Sequence[int] = ()) -> None:
        """Take ranges that are already ascending, disjoint and not adjacent.

        Both are tuples or arrays, and are not changed afterwards. Of single ids they are best one
        and the same.
        """
        self._firsts = firsts
        self._lasts = lasts
        self._places: IdSet | None = None
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
        """The inclusive (first, last) pairs, ascending; built anew at each call."""
        return tuple(zip(self._firsts, self._lasts, strict=True))

    @property
    def starts(self) -> Sequence[int]:
        """The first id of each range, ascending."""
        return self._firsts

    @property
    def ends(self) -> Sequence[int]:
        """The last id of each range, ascending; may be `starts` itself where all ids are single."""
        return self._lasts

    @property
    def first(self) -> int:
        """The smallest id; IndexError for the empty set."""
        return self._firsts[0]

    @property
    def last(self) -> int:
        """The largest id; IndexError for the empty set."""
        return self._lasts[-1]

    @property
    def count(self) -> int:
        """How many ids, exactly, however many."""
        if self._count < 0:
            self._count = sum(self._lasts) - sum(self._firsts) + len(self._firsts)
        return self._count

    def __len__(self) -> int:
        """How many ids, at most ``sys.maxsize`` (`count` has no such limit)."""
        return min(self.count, sys.maxsize)

    def __bool__(self) -> bool:
        return bool(self._firsts)

    def __contains__(self, id_: object) -> bool:
        if not isinstance(id_, int):
            return False
        at = bisect_right(self._firsts, id_) - 1
        return at >= 0 and id_ <= self._lasts[at]

    def __iter__(self) -> Iterator[int]:
        for first, last in zip(self._firsts, self._lasts, strict=True):
            yield from range(first, last + 1)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, IdSet):
            return NotImplemented
        if type(self._firsts) is type(other._firsts) and type(self._lasts) is type(other._lasts):
            return self._firsts == other._firsts and self._lasts == other._lasts
        return len(self._firsts) == len(other._firsts) and self.ranges == other.ranges

    def __hash__(self) -> int:
        return hash((tuple(self._firsts), tuple(self._lasts)))

    def __str__(self) -> str:
        return format(self)

    def __repr__(self) -> str:
        return f"IdSet({format(self, 20)!r})"

    def __or__(self, other: "IdSet") -> "IdSet":
        return IdSet.from_ranges((*self.ranges, *other.ranges))

    def __and__(self, other: "IdSet") -> "IdSet":
        firsts: list[int] = []
        lasts: list[int] = []
        for first, last, _ in _overlaps(self, other):
            firsts.append(first)
            lasts.append(last)
        return IdSet(tuple(firsts), tuple(lasts))

    def __sub__(self, other: "IdSet") -> "IdSet":
        out: list[tuple[int, int]] = []
        common = self & other
        cut, cuts = 0, common.ranges
        for first, last in zip(self._firsts, self._lasts, strict=True):
            start = first
            while cut < len(cuts) and cuts[cut][0] <= last:
                if cuts[cut][0] > start:
                    out.append((start, cuts[cut][0] - 1))
                start = cuts[cut][1] + 1
                cut += 1
            if start <= last:
                out.append((start, last))
        return IdSet.from_ranges(out)

    def _here(self) -> "IdSet":
        """The places each range takes, one range for one; kept from the first call on."""
        if self._places is None:
            total, starts, ends = 0, [], []
            for first, last in zip(self._firsts, self._lasts, strict=True):
                starts.append(total)
                total += last - first + 1
                ends.append(total - 1)
            self._places = IdSet(tuple(starts), tuple(ends))
        return self._places

    def _counts(self) -> Sequence[int]:
        """How many ids stand before each range."""
        return self._here()._firsts

    def nth(self, index: int) -> int:
        """The id at this place in ascending order, counted from 0; IndexError outside."""
        if index >= 0:
            at = bisect_right(self._counts(), index) - 1
            id_ = self._firsts[at] + index - self._counts()[at] if at >= 0 else -1
            if at >= 0 and id_ <= self._lasts[at]:
                return id_
        raise IndexError(index)

    def index(self, id_: int) -> int | None:
        """The place of an id in ascending order, counted from 0; None if it is not here."""
        at = bisect_right(self._firsts, id_) - 1
        if at < 0 or id_ > self._lasts[at]:
            return None
        return self._counts()[at] + id_ - self._firsts[at]

    def locate(self, ids: "IdSet") -> "IdSet":
        """The places, counted from 0, at which those of ids that are here stand."""
        if len(self._firsts) == 1:
            only = ids & self if ids and (ids.first < self.first or ids.last > self.last) else ids
            return only.shifted(-self.first)
        if ids == self:
            return IdSet.between(0, self.count - 1)
        starts, ends, counts = self._firsts, self._lasts, self._counts()
        firsts: list[int] = []
        lasts: list[int] = []
        # What is here between two ids stands side by side, whatever is missing in between.
        for first, last in zip(ids.starts, ids.ends, strict=True):
            left = bisect_left(ends, first)
            right = left if first == last else bisect_right(starts, last) - 1
            if left > right or left == len(starts) or starts[left] > last:
                continue
            low = counts[left] + max(first - starts[left], 0)
            high = counts[right] + min(last, ends[right]) - starts[right]
            if lasts and lasts[-1] == low - 1:
                lasts[-1] = high
            else:
                firsts.append(low)
                lasts.append(high)
        return IdSet(tuple(firsts), tuple(lasts))

    def lowest(self, count: int) -> "IdSet":
        """The lowest ``count`` ids; all where there are no more."""
        if count <= 0:
            return EMPTY
        firsts, lasts = self._firsts, self._lasts
        for place, (first, last) in enumerate(zip(firsts, lasts, strict=True)):
            count -= last - first + 1
            if count <= 0:
                return IdSet(firsts[: place + 1], (*lasts[:place], last + count))
        return self

    def pick(self, places: "IdSet", limit: int | None = None) -> "IdSet":
        """The ids that stand at these places, counted from 0; places outside are left out.

        Stops after ``limit`` ranges where one is given.
        """
        if len(self._firsts) == 1:
            return (places & IdSet.between(0, self.count - 1)).shifted(self.first)
        counts = self._counts()
        ids: list[tuple[int, int]] = []
        for first, last, at in islice(_overlaps(places, self._here()), limit):
            shift = self._firsts[at] - counts[at]
            ids.append((first + shift, last + shift))
        return IdSet.from_ranges(ids)

    def shifted(self, by: int) -> "IdSet":
        """Every id plus ``by``; the caller sees to it that none falls below 0."""
        if not by:
            return self
        firsts = tuple(first + by for first in self._firsts)
        single = self._firsts is self._lasts
        return IdSet(firsts, firsts if single else tuple(last + by for last in self._lasts))


EMPTY = IdSet()


def _overlaps(ids: IdSet, other: IdSet) -> Iterator[tuple[int, int, int]]:
    """The common runs of two sets, ascending, each with the number of its range in other."""
    starts, ends = other.starts, other.ends
    # A few ranges against many are looked up, many against many are walked side by side.
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
    """The first and last ids of the runs of strictly ascending ids."""
    cuts = [a + 1 != b for a, b in pairwise(ids)]
    return (ids[0], *compress(ids[1:], cuts)), (*compress(ids, cuts), ids[-1])


def repeated(ranges: Iterable[tuple[int, int]]) -> IdSet:
    """The ids that stand in more than one of these inclusive ranges, which come in any order."""
    found: list[tuple[int, int]] = []
    reach = -1
    for first, last in sorted(ranges):
        if first <= reach:
            found.append((first, min(last, reach)))
        reach = max(reach, last)
    return IdSet.from_ranges(found)


def format(idset: IdSet, limit: int | None = None) -> str:
    """The RFC 22 text, without brackets; ``...`` stands after the first ``limit`` ranges."""
    cut = limit is not None and len(idset.starts) > limit
    starts = idset.starts[:limit] if cut else idset.starts
    parts = [str(a) if a == b else f"{a}-{b}" for a, b in zip(starts, idset.ends, strict=False)]
    return ",".join([*parts, "..."] if cut else parts)
