"""Listings of nodes in rows: from masks, in any order with sections, and reversed.

Masks are over node indices, never over rows.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, groupby, islice, pairwise
from operator import itemgetter
from typing import Literal, Protocol

from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets.bits import fill, has, lowest, runs, window

# From this fraction of the rows on (1/64), it is faster to write all of a mask as digits.
_MANY = 64

# Sections with at least this fraction of the rows (1/256) keep a mask, which limits their number.
_LARGE = 256

#: The maximum number of runs of hosts; more would take screen space without helping.
MAX_RUNS = 200


@dataclass(frozen=True, slots=True)
class Head:
    """The row of a class of nodes: how many there are, and whether they are listed below it."""

    size: int
    is_open: bool


class Listing(Protocol):
    """Nodes in rows, in an order: one node per row, except in a `FoldedListing`."""

    is_folded: bool = False  # nodes that are alike share a row
    count: int  # the number of rows

    def indices(self, start: int, stop: int) -> Sequence[int]:
        """The node of each row from start to before stop; for a class, its first node."""

    def row(self, index: int) -> int | None:
        """The row of a node, or None if it is not listed."""

    def nodes(self, start: int, stop: int) -> int:
        """All nodes of the rows from start to before stop, as a mask."""

    def following(self, mask: int, row: int, by: Literal[-1, 1]) -> int | None:
        """The nearest row after (by is 1) or before a row with a node of a mask, or None."""

    @property
    def node_count(self) -> int:
        """The number of nodes."""
        return self.count

    def head(self, row: int) -> Head | None:
        """The size and state of the class that a row represents; None for the row of a node."""
        return None

    def head_at(self, row: int) -> int | None:
        """The row of the class that a row belongs to; None if there are no classes."""
        return None

    def near(self, index: int) -> int | None:
        """The row nearest to a node that is not listed; None if the order does not tell."""
        return None


class MaskRows(Listing):
    """The indices in disjoint masks: those of the first mask ascending, then those of the next.

    Building it only counts the bits of each mask, which is much cheaper than listing them.
    """

    def __init__(self, masks: Iterable[int]) -> None:
        self._masks = tuple(masks)
        self._starts = [*accumulate((mask.bit_count() for mask in self._masks), initial=0)]
        self.count = self._starts[-1]

    def _parts(self, start: int, stop: int) -> Iterator[tuple[int, int, int]]:
        """The masks of the rows from start to before stop, and the range of their set bits."""
        for mask, (first, end) in zip(self._masks, pairwise(self._starts), strict=True):
            if max(start, first) < min(stop, end):
                yield mask, max(start, first) - first, min(stop, end) - first

    def row(self, index: int) -> int | None:
        """The row of an index; None if no mask has it."""
        for mask, start in zip(self._masks, self._starts, strict=False):
            if index >= 0 and has(mask, index):
                return start + (mask & ((1 << index) - 1)).bit_count()
        return None

    def near(self, index: int) -> int | None:
        """The first row whose node is not before this one, if there is only one mask; else None."""
        if len(self._masks) != 1:
            return None
        return (self._masks[0] & ((1 << index) - 1)).bit_count()

    def indices(self, start: int, stop: int) -> Sequence[int]:
        """The nodes of the rows from start to before stop, in order."""
        found: list[int] = []
        for mask, low, high in self._parts(start, stop):
            first = lowest(mask, low + 1).bit_length() - 1
            places = chain.from_iterable(range(a, b + 1) for a, b in runs(mask >> first))
            found.extend(first + place for place in islice(places, high - low))
        return found

    def nodes(self, start: int, stop: int) -> int:
        """The nodes of the rows from start to before stop, as a mask."""
        found = 0
        for mask, low, high in self._parts(start, stop):
            found |= lowest(mask, high) ^ lowest(mask, low)
        return found

    def following(self, mask: int, row: int, by: Literal[-1, 1]) -> int | None:
        """The nearest row after (by is 1) or before a row whose node is in a mask, or None."""
        parts = [*self._parts(*((row + 1, self.count) if by > 0 else (0, row)))]
        for own, low, high in parts if by > 0 else reversed(parts):
            found = mask & (lowest(own, high) ^ lowest(own, low))
            if found:
                nearest = found & -found if by > 0 else found
                return self.row(nearest.bit_length() - 1)
        return None


class Reversed(Listing):
    """A listing from the last row to the first, without a copy."""

    def __init__(self, nodes: Listing) -> None:
        self._nodes = nodes
        self.count = nodes.count

    def indices(self, start: int, stop: int) -> Sequence[int]:
        """The nodes of the rows from start to before stop, in order."""
        stop = min(stop, self.count)
        return self._nodes.indices(self.count - stop, self.count - max(start, 0))[::-1]

    def row(self, index: int) -> int | None:
        """The row of a node, or None if it is not listed."""
        row = self._nodes.row(index)
        return None if row is None else self.count - 1 - row

    def nodes(self, start: int, stop: int) -> int:
        """The nodes of the rows from start to before stop, as a mask."""
        return self._nodes.nodes(self.count - stop, self.count - start)

    def following(self, mask: int, row: int, by: Literal[-1, 1]) -> int | None:
        """The nearest row after (by is 1) or before a row whose node is in a mask, or None."""
        found = self._nodes.following(mask, self.count - 1 - row, 1 if by < 0 else -1)
        return None if found is None else self.count - 1 - found


@dataclass(frozen=True, slots=True)
class Section:
    """Rows that belong together, from start to before stop, and their name."""

    name: str
    start: int
    stop: int

    @property
    def size(self) -> int:
        """The number of rows."""
        return self.stop - self.start


class Order(Listing):
    """All or some nodes in any order; the sections cover all rows."""

    def __init__(
        self, rows: Sequence[int], sections: Iterable[Section] = (), *, rising: bool = False
    ) -> None:
        """Take the node index of each row, and the sections (one section if none are given).

        Rows that are a range are all nodes by rank. rising says that the indices ascend within
        each section.
        """
        self.rows = rows
        self.count = len(rows)
        self.sections = tuple(sections) or ((Section("", 0, len(rows)),) if rows else ())
        self._rising = rising
        self._masks: dict[int, int] = {}  # the nodes of large sections with ascending indices
        self._rows_of: array[int] | None = None  # each node's row + 1; 0 if it is not in the order

    @property
    def is_by_rank(self) -> bool:
        """Whether it has all nodes in the order of their ranks."""
        return isinstance(self.rows, range)

    def prepare(self) -> None:
        """Build the indexes now, not at first use. Linear in the nodes: run in the background."""
        if isinstance(self.rows, range):
            return
        self._inverse()
        for number, section in enumerate(self.sections if self._rising else ()):
            if section.size * _LARGE > self.count:
                self._masks[number] = self.nodes(section.start, section.stop)

    def _inverse(self) -> "array[int]":
        if self._rows_of is None:
            known = array("I", bytes(4 * (max(self.rows, default=-1) + 1)))
            for number, index in enumerate(self.rows, 1):
                known[index] = number
            self._rows_of = known
        return self._rows_of

    # From rows to nodes and back

    def row(self, index: int) -> int | None:
        """The row of a node, or None if it is not in the order."""
        if isinstance(self.rows, range):
            return index if index in self.rows else None
        known = self._inverse()
        return known[index] - 1 if 0 <= index < len(known) and known[index] else None

    def section_at(self, row: int) -> int:
        """The number of the section that a row is in."""
        return bisect_right(self.sections, row, key=lambda section: section.start) - 1

    def indices(self, start: int, stop: int) -> Sequence[int]:
        """The nodes of the rows from start to before stop, in order."""
        return self.rows[start:stop]

    def nodes(self, start: int, stop: int) -> int:
        """The nodes of the rows from start to before stop, as a mask."""
        part = self.rows[start:stop]
        if not part:
            return 0
        if isinstance(part, range):
            return fill((part[0],), (part[-1],), part[-1] + 1)
        return fill(part, part, max(part) + 1)

    # From masks to rows

    def bits(self, mask: int, start: int, stop: int) -> str:
        """One character, '0' or '1', for each row from start to before stop."""
        part = self.rows[start:stop]
        if not part:
            return ""
        if isinstance(part, range):
            return window(mask, part[0], part[-1] + 1)
        if len(part) * _MANY > self.count:
            digits = window(mask, 0, max(part) + 1)
            return "".join(map(digits.__getitem__, part))
        data = mask.to_bytes(max(mask.bit_length(), max(part) + 1) // 8 + 1, "little")
        return "".join(["1" if data[i >> 3] >> (i & 7) & 1 else "0" for i in part])

    def counts(self, mask: int, cuts: Sequence[int]) -> list[int]:
        """How many nodes of a mask are in the rows from each cut to before the next.

        The end of a section must not lie between two consecutive cuts.
        """
        if isinstance(self.rows, range):
            return _counts(mask, [*pairwise(cuts)])
        rows, found, at = self.rows, list[int](), 0
        while at + 1 < len(cuts):
            number = self.section_at(cuts[at])
            end = bisect_right(cuts, self.sections[number].stop, at)
            spans = [*pairwise(cuts[at:end])]
            if number in self._masks:
                bounds = [(rows[a], rows[b - 1] + 1) for a, b in spans]
                found += _counts(mask & self._masks[number], bounds)
            else:
                bits, base = self.bits(mask, cuts[at], cuts[end - 1]), cuts[at]
                found += [bits.count("1", a - base, b - base) for a, b in spans]
            at = end - 1
        return found

    def following(self, mask: int, row: int, by: Literal[-1, 1]) -> int | None:
        """The nearest row after (by is 1) or before a row whose node is in a mask, or None."""
        start, stop = (row + 1, self.count) if by > 0 else (0, max(row, 0))
        if isinstance(self.rows, range):
            found = mask & self.nodes(start, stop)
            nearest = found & -found if by > 0 else found
            return nearest.bit_length() - 1 if found else None
        rows, digits = self.rows, window(mask, 0, len(self._inverse()))
        places = range(start, stop) if by > 0 else range(stop - 1, start - 1, -1)
        return next((place for place in places if digits[rows[place]] == "1"), None)


def _counts(mask: int, bounds: Sequence[tuple[int, int]]) -> list[int]:
    """How many bits are set from each low to before its high; the bounds ascend."""
    if not bounds:
        return []
    base = bounds[0][0] & ~7
    size = bounds[-1][1] - base
    part = (mask >> base) & ((1 << size) - 1)
    data = part.to_bytes(size // 8 + 1, "little")
    found = []
    for low, high in bounds:
        first = low - base
        bits = int.from_bytes(data[first >> 3 : ((high - base) >> 3) + 1], "little")
        found.append(((bits >> (first & 7)) & ((1 << (high - low)) - 1)).bit_count())
    return found


def host_runs(resources: Resources) -> tuple[tuple[int, int], ...]:
    """Runs of consecutive nodes whose host names differ only in number, as (start, stop) indices.

    All nodes are one run if there would be more than `MAX_RUNS`, or runs of less than 3 nodes on
    average. Takes time for each range of the hostlist: not for the event loop.
    """
    count = resources.node_count
    whole = ((0, count),) if count else ()
    styles, before = resources.hosts.rows[0], resources.hosts.before
    found: list[tuple[int, int]] = []
    start = row = 0
    for _, alike in groupby(styles, key=itemgetter(0, 2)):  # by prefix and suffix
        if len(found) == MAX_RUNS:
            return whole
        row += sum(1 for _ in alike)
        found.append((start, before[row]))
        start = before[row]
    if not found or len(found) > max(1, count // 3):
        return whole
    return (*found[:-1], (found[-1][0], count))
