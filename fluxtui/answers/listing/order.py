"""The nodes of a cluster in rows, in an order of their own and in sections."""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Literal

from fluxtui.answers.listing.rows import Listing
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets.bits import fill, window
from fluxtui.notation.sets.idset import from_mask

# One row in so many: from there on it is quicker to write all of a mask as digits.
_MANY = 64

# Rows whose nodes are kept as one mask, where the order is not that of the ranks.
_CHUNK = 1 << 15

# A section of one row in so many, or more, keeps a mask of its nodes: so there are no more masks.
_LARGE = 256


#: More runs of hosts would waste the screen rather than order it.
MAX_RUNS = 200


@dataclass(frozen=True, slots=True)
class Section:
    """Rows that belong together: from start up to, not with, stop, and what they are called."""

    name: str
    start: int
    stop: int

    @property
    def size(self) -> int:
        """How many rows."""
        return self.stop - self.start


class Order(Listing):
    """Nodes in rows, of which the sections cover all. Masks are over node indices, never rows.

    It may hold some of the nodes alone. Where a person sees a page of rows, nothing here grows
    with the number of nodes but a copy of a mask.
    """

    __slots__ = ("_chunks", "_masks", "_rising", "_rows_of", "rows", "sections")

    def __init__(self, rows: Sequence[int], sections: Iterable[Section], *, rising: bool) -> None:
        """Take over rows, which hold the index of the node of each row.

        A range of rows is all nodes by their rank. rising says that the indices rise from row to
        row within each section.
        """
        self.rows = rows
        self.sections = tuple(sections)
        self._rising = rising
        self._masks: dict[int, int] = {}
        self._chunks: dict[int, int] = {}
        self._rows_of: array[int] | None = None  # each node's row and 1; 0 of those it has not

    @classmethod
    def of_all(cls, count: int, sections: Iterable[Section] = ()) -> "Order":
        """All of so many nodes by their rank; one section where none are given."""
        whole = (Section("", 0, count),) if count else ()
        return cls(range(count), tuple(sections) or whole, rising=True)

    @classmethod
    def of_groups(cls, groups: Iterable[tuple[str, int]]) -> "Order":
        """The nodes of disjoint masks, one group after the other; empty ones are left out."""
        rows = array("I")
        sections: list[Section] = []
        for name, mask in groups:
            start = len(rows)
            ranges = from_mask(mask)
            for first, last in zip(ranges.starts, ranges.ends, strict=True):
                rows.extend(range(first, last + 1))
            if len(rows) > start:
                sections.append(Section(name, start, len(rows)))
        return cls(rows, sections, rising=True)

    @property
    def count(self) -> int:
        """How many rows."""
        return len(self.rows)

    @property
    def is_by_rank(self) -> bool:
        """All nodes stand in the order of their ranks."""
        return isinstance(self.rows, range)

    # From rows to nodes and back

    def index(self, row: int) -> int:
        """The node of a row; IndexError outside."""
        return self.rows[row]

    def row(self, index: int) -> int | None:
        """The row of a node, None where the order does not hold it."""
        if isinstance(self.rows, range):
            return self.rows.index(index) if index in self.rows else None
        known = self._inverse()
        return known[index] - 1 if 0 <= index < len(known) and known[index] else None

    def prepare(self) -> None:
        """Build now what is else built at first use. Linear in the nodes: in the background."""
        if isinstance(self.rows, range):
            return
        self._inverse()
        if self.count > _CHUNK:
            for number in range(-(-self.count // _CHUNK)):
                self._chunk(number)
        for number, section in enumerate(self.sections):
            if self._rising and self._is_large(section):
                self._mask(number)

    def _inverse(self) -> "array[int]":
        if self._rows_of is None:
            known = array("I", bytes(4 * (max(self.rows, default=-1) + 1)))
            for number, index in enumerate(self.rows, 1):
                known[index] = number
            self._rows_of = known
        return self._rows_of

    def section_at(self, row: int) -> int:
        """The number of the section that a row is in."""
        return bisect_right(self.sections, row, key=lambda section: section.start) - 1

    def indices(self, start: int, stop: int) -> Sequence[int]:
        """The nodes of the rows from start up to stop, in order."""
        return self.rows[start:stop]

    def nodes(self, start: int, stop: int) -> int:
        """The nodes of the rows from start up to stop, as a mask."""
        first, last = -(-start // _CHUNK), stop // _CHUNK
        if first >= last or isinstance(self.rows, range):
            return self._gathered(start, stop)
        mask = self._gathered(start, first * _CHUNK) | self._gathered(last * _CHUNK, stop)
        for number in range(first, last):
            mask |= self._chunk(number)
        return mask

    def _chunk(self, number: int) -> int:
        if number not in self._chunks:
            self._chunks[number] = self._gathered(number * _CHUNK, (number + 1) * _CHUNK)
        return self._chunks[number]

    def _gathered(self, start: int, stop: int) -> int:
        """As `nodes`, from each of the rows."""
        part = self.rows[start:stop]
        if not part:
            return 0
        if isinstance(part, range):
            return fill((part[0],), (part[-1],), part[-1] + 1)
        return fill(part, part, max(part) + 1)

    # From masks to rows

    def bits(self, mask: int, start: int, stop: int) -> str:
        """One character, '0' or '1', for each row from start up to stop."""
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
        """How many nodes of a mask are in the rows from each cut up to the next.

        No two cuts next to each other may have the end of a section between them.
        """
        if isinstance(self.rows, range):
            return _counts(mask >> self.rows.start, [*pairwise(cuts)])
        found: list[int] = []
        at = 0
        while at + 1 < len(cuts):
            number = self.section_at(cuts[at])
            if self._rising and self._is_large(self.sections[number]):
                end = bisect_right(cuts, self.sections[number].stop, at)
                found += self._counts_in(number, mask, cuts[at:end])
            else:
                end = self._small_until(number, cuts, at)
                bits, base = self.bits(mask, cuts[at], cuts[end - 1]), cuts[at]
                found += [bits.count("1", a - base, b - base) for a, b in pairwise(cuts[at:end])]
            at = end - 1
        return found

    def _small_until(self, number: int, cuts: Sequence[int], at: int) -> int:
        """The cuts up to which all sections from this one on are not large."""
        sections = self.sections
        while number < len(sections) and sections[number].start < cuts[-1]:
            if self._rising and self._is_large(sections[number]):
                break
            number += 1
        return bisect_right(cuts, sections[number - 1].stop, at)

    def _is_large(self, section: Section) -> bool:
        return section.size * _LARGE > self.count

    def _counts_in(self, number: int, mask: int, cuts: Sequence[int]) -> list[int]:
        """As `counts`, of rows of one section in which the nodes rise."""
        rows = self.rows
        bounds = [(rows[a], rows[b - 1] + 1) for a, b in pairwise(cuts)]
        return _counts(mask & self._mask(number), bounds)

    def following(self, mask: int, row: int, by: Literal[-1, 1]) -> int | None:
        """The nearest row after a row, or before it, whose node is in a mask; None for none."""
        start, stop = (row + 1, self.count) if by > 0 else (0, max(row, 0))
        if isinstance(self.rows, range):
            found = mask & self.nodes(start, stop)
            if not found:
                return None
            nearest = found & -found if by > 0 else found
            return self.rows.index(nearest.bit_length() - 1)
        numbers = range(start // _CHUNK, -(-stop // _CHUNK))
        for number in numbers if by > 0 else reversed(numbers):
            low, high = max(number * _CHUNK, start), min((number + 1) * _CHUNK, stop)
            if low < high and mask & self._chunk(number):
                bits = self.bits(mask, low, high)
                at = bits.find("1") if by > 0 else bits.rfind("1")
                if at >= 0:
                    return low + at
        return None

    def _mask(self, number: int) -> int:
        if number not in self._masks:
            section = self.sections[number]
            self._masks[number] = self.nodes(section.start, section.stop)
        return self._masks[number]


def _counts(mask: int, bounds: Sequence[tuple[int, int]]) -> list[int]:
    """How many bits are set from each low up to, not with, its high; in rising order."""
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
    """Consecutive nodes whose host names differ in their number alone, as (start, stop) indices.

    stop is the first index after the run. Where that would make more runs than help (more than
    `MAX_RUNS`, or hardly larger than a node each), all nodes are one run. Looks at each range of
    the hostlist: not for the event loop.
    """
    count = resources.node_count
    whole = ((0, count),) if count else ()
    found: list[tuple[int, int]] = []
    start, last = 0, None
    styles, _, _, before = resources.hosts.columns
    # The last of the rows of each style that stand side by side.
    ends = (row for row, (style, after) in enumerate(pairwise(styles)) if style is not after)
    for row in chain(ends, (len(styles) - 1,) if styles else ()):
        stop = before[row + 1]
        prefix, _, suffix = styles[row]
        key = (prefix, suffix)
        if key == last:
            found[-1] = (found[-1][0], stop)
        elif len(found) == MAX_RUNS:
            return whole
        else:
            found.append((start, stop))
        start, last = stop, key
    if not found or len(found) > max(1, count // 3):
        return whole
    return (*found[:-1], (found[-1][0], count))
