"""The nodes of a cluster in rows, in an order of their own and in sections."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, compress, pairwise
from typing import NamedTuple

from fluxtui.notation.bits import fill, from_mask, window

# One row in so many: from there on it is quicker to write all of a mask as digits.
_MANY = 64


class Section(NamedTuple):
    """Rows that belong together: from start up to, not with, stop, and what they are called."""

    name: str
    start: int
    stop: int

    @property
    def size(self) -> int:
        """How many rows."""
        return self.stop - self.start


class Order:
    """Nodes in rows, of which the sections cover all. Masks are over node indices, never rows.

    It may hold some of the nodes alone. Where a person sees a page of rows, nothing here grows
    with the number of nodes but a copy of a mask.
    """

    __slots__ = ("_masks", "_rising", "_rows_of", "rows", "sections")

    def __init__(self, rows: Sequence[int], sections: Iterable[Section], *, rising: bool) -> None:
        """Take over rows, which hold the index of the node of each row.

        rising says that the indices rise from row to row within each section.
        """
        self.rows = rows
        self.sections = tuple(sections)
        self._rising = rising
        self._masks: dict[int, int] = {}
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
        return isinstance(self.rows, range) and self.rows.step == 1

    # From rows to nodes and back

    def index(self, row: int) -> int:
        """The node of a row; IndexError outside."""
        return self.rows[row]

    def row(self, index: int) -> int | None:
        """The row of a node, None where the order does not hold it."""
        if isinstance(self.rows, range):
            return self.rows.index(index) if index in self.rows else None
        if not self._rising:
            known = self._inverse()
            return known[index] - 1 if 0 <= index < len(known) and known[index] else None
        for section in self.sections:
            at = bisect_left(self.rows, index, section.start, section.stop)
            if at < section.stop and self.rows[at] == index:
                return at
        return None

    def prepare(self) -> None:
        """Build now what `row` else builds at first use. Linear in the nodes: in the background."""
        if not self._rising and not isinstance(self.rows, range):
            self._inverse()

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
        part = self.rows[start:stop]
        if not part:
            return 0
        if isinstance(part, range):
            low, high = sorted((part[0], part[-1]))
            return fill((low,), (high,), high + 1)
        marks = bytearray(b"0") * (max(part) + 1)
        for index in part:
            marks[index] = 49
        return int(marks[::-1], 2)

    # From masks to rows

    def bits(self, mask: int, start: int, stop: int) -> str:
        """One character, '0' or '1', for each row from start up to stop."""
        part = self.rows[start:stop]
        if not part:
            return ""
        if isinstance(part, range):
            low, high = sorted((part[0], part[-1]))
            found = window(mask, low, high + 1)
            return found if part.step > 0 else found[::-1]
        if len(part) * _MANY > self.count:
            digits = window(mask, 0, max(part) + 1)
            return "".join(map(digits.__getitem__, part))
        data = mask.to_bytes(max(mask.bit_length(), max(part) + 1) // 8 + 1, "little")
        return "".join(["1" if data[i >> 3] >> (i & 7) & 1 else "0" for i in part])

    def counts(self, mask: int, cuts: Sequence[int]) -> list[int]:
        """How many nodes of a mask are in the rows from each cut up to the next.

        No two cuts next to each other may have the end of a section between them.
        """
        found: list[int] = []
        at = 0
        while at + 1 < len(cuts):
            number = self.section_at(cuts[at])
            end = bisect_right(cuts, self.sections[number].stop, at)
            found += self._counts_in(number, mask, cuts[at:end])
            at = end - 1
        return found

    def _counts_in(self, number: int, mask: int, cuts: Sequence[int]) -> list[int]:
        """As `counts`, of rows of one section."""
        if not self._rising:
            bits, base = self.bits(mask, cuts[0], cuts[-1]), cuts[0]
            return [bits.count("1", a - base, b - base) for a, b in pairwise(cuts)]
        if not isinstance(self.rows, range):
            mask &= self._mask(number)
        rows = self.rows
        bounds = ((rows[a], rows[b - 1] + 1) for a, b in pairwise(cuts))
        return _counts(mask, [(low, high) for low, high in bounds])

    def _mask(self, number: int) -> int:
        if number not in self._masks:
            section = self.sections[number]
            self._masks[number] = self.nodes(section.start, section.stop)
        return self._masks[number]

    # Other orders from this one

    def only(self, mask: int) -> "Order":
        """The nodes of a mask alone, in this order. Linear in the nodes: in the background."""
        if isinstance(self.rows, range) and self.rows.step == 1:
            whole = Order.of_groups((("", mask & self.nodes(0, self.count)),))
            rows: Sequence[int] = whole.rows
        else:
            keep = self.bits(mask, 0, self.count).encode().translate(_DIGITS)
            rows = array("I", compress(self.rows, keep))
        counts = [self.bits(mask, s.start, s.stop).count("1") for s in self.sections]
        ends = list(accumulate(counts, initial=0))
        sections = (
            Section(section.name, start, stop)
            for section, (start, stop) in zip(self.sections, pairwise(ends), strict=True)
            if stop > start
        )
        return Order(rows, sections, rising=self._rising)

    def turned(self) -> "Order":
        """The same from the last row to the first."""
        count = self.count
        sections = (
            Section(s.name, count - s.stop, count - s.start) for s in reversed(self.sections)
        )
        return Order(self.rows[::-1], sections, rising=False)


_DIGITS = bytes.maketrans(b"01", b"\x00\x01")


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
