"""Nodes in rows: what a listing answers, rows of masks, and any listing reversed."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Literal, Protocol

from fluxtui.notation.sets.bits import fill

# Bytes of a mask that are counted together, and later read together.
_BLOCK = 512
_BITS = _BLOCK * 8

# The places of the bits that are set, for each value of a byte.
_PLACES = tuple(tuple(bit for bit in range(8) if byte >> bit & 1) for byte in range(256))


class Listing(Protocol):
    """Nodes in rows, in an order: a row a node, but for a `FoldedListing`."""

    @property
    def count(self) -> int:
        """How many rows."""

    def indices(self, start: int, stop: int) -> Sequence[int]:
        """The node of each row from start up to stop; of a row for many the first of them."""

    def row(self, index: int) -> int | None:
        """The row in which a node is found, None where it is not listed."""

    def nodes(self, start: int, stop: int) -> int:
        """All the nodes of the rows from start up to stop, as a mask."""

    def following(self, mask: int, row: int, by: Literal[-1, 1]) -> int | None:
        """The nearest row after a row, or before it, with a node of a mask; None for none."""

    @property
    def node_count(self) -> int:
        """How many nodes."""
        return self.count

    @property
    def is_folded(self) -> bool:
        """Nodes that are alike have one row."""
        return False

    def head(self, row: int) -> "Head | None":
        """What a row stands for; None where it is one node."""
        return None

    def head_at(self, row: int) -> int | None:
        """The row of the class that a row belongs to; None where there are no classes."""
        return None

    def near(self, index: int) -> int | None:
        """The row that is nearest to a node which is not listed; None where none is any nearer."""
        return None


@dataclass(frozen=True, slots=True)
class Head:
    """A row that stands for all nodes of a class: how many, and whether they are listed below."""

    number: int
    size: int
    is_open: bool


class MaskRows(Listing):
    """The indices in disjoint masks: those of the first mask rising, then those of the next.

    To build it costs one count of the bits of each mask, far less than to write them out: a
    million nodes take less than a millisecond. A row is found by the counts, and read in its block.
    """

    __slots__ = ("_blocks", "_data", "_masks", "_starts")

    def __init__(self, masks: Iterable[int]) -> None:
        self._masks = tuple(masks)
        self._data: list[bytes] = []
        self._blocks: list[list[int]] = []  # the rows before each block of each mask
        self._starts = [0]
        for mask in self._masks:
            data = mask.to_bytes((mask.bit_length() + 7) // 8, "little")
            counts = (
                int.from_bytes(data[at : at + _BLOCK], "little").bit_count()
                for at in range(0, len(data), _BLOCK)
            )
            self._data.append(data)
            self._blocks.append(list(accumulate(counts, initial=0)))
            self._starts.append(self._starts[-1] + self._blocks[-1][-1])

    @property
    def count(self) -> int:
        """How many rows."""
        return self._starts[-1]

    def row(self, index: int) -> int | None:
        """The row of an index; None where no mask has it."""
        byte, bit = index >> 3, index & 7
        for start, data, blocks in zip(self._starts, self._data, self._blocks, strict=False):
            if index >= 0 and byte < len(data) and data[byte] >> bit & 1:
                block = index // _BITS
                part = data[block * _BLOCK : byte]
                before = int.from_bytes(part, "little").bit_count()
                here = (data[byte] & ((1 << bit) - 1)).bit_count()
                return start + blocks[block] + before + here
        return None

    def near(self, index: int) -> int | None:
        """The first row whose node is not before this one; None where more than one mask is read.

        Past the last node it is the number of rows.
        """
        if len(self._masks) != 1:
            return None
        mask = self._masks[0]
        return (mask & ((1 << index) - 1)).bit_count()

    def indices(self, start: int, stop: int) -> Sequence[int]:
        """The nodes of the rows from start up to stop, in order."""
        return self._between(max(start, 0), min(stop, self.count))

    def nodes(self, start: int, stop: int) -> int:
        """The nodes of the rows from start up to stop, as a mask."""
        found = 0
        for mask, (first, end) in zip(self._masks, pairwise(self._starts), strict=True):
            low, high = max(start, first), min(stop, end)
            if (low, high) == (first, end):
                found |= mask
            elif low < high:
                bounds = self._between(low, low + 1) + self._between(high - 1, high)
                found |= mask & fill(bounds[:1], bounds[1:], bounds[1] + 1)
        return found

    def following(self, mask: int, row: int, by: Literal[-1, 1]) -> int | None:
        """The nearest row after a row, or before it, whose node is in a mask; None for none."""
        places = list(zip(self._masks, pairwise(self._starts), strict=True))
        for own, (first, end) in places if by > 0 else reversed(places):
            low, high = (max(row + 1, first), end) if by > 0 else (first, min(row, end))
            found = own & mask if low < high else 0
            if found and (low, high) != (first, end):
                found &= self.nodes(low, high)
            if found:
                lowest = found & -found if by > 0 else found
                return self.row(lowest.bit_length() - 1)
        return None

    def _between(self, start: int, stop: int) -> list[int]:
        """The indices of the rows from start up to stop."""
        found: list[int] = []
        while start < stop:
            which = bisect_right(self._starts, start) - 1
            blocks = self._blocks[which]
            row = start - self._starts[which]
            block = bisect_right(blocks, row) - 1
            skip = row - blocks[block]
            part = _read(self._data[which], block)[skip : skip + stop - start]
            found.extend(part)
            start += len(part)
        return found


def _read(data: bytes, block: int) -> list[int]:
    """The indices in one block of a mask."""
    first = block * _BLOCK
    places = _PLACES
    return [
        (at << 3) + bit
        for at, byte in enumerate(data[first : first + _BLOCK], first)
        if byte
        for bit in places[byte]
    ]


class Reversed(Listing):
    """Nodes from the last to the first; nothing is copied."""

    def __init__(self, nodes: Listing) -> None:
        self._nodes = nodes

    @property
    def count(self) -> int:
        """How many rows."""
        return self._nodes.count

    def indices(self, start: int, stop: int) -> Sequence[int]:
        """The nodes of the rows from start up to stop, in order."""
        stop = min(stop, self.count)
        return self._nodes.indices(self.count - stop, self.count - max(start, 0))[::-1]

    def row(self, index: int) -> int | None:
        """The row of a node, None where it has none."""
        row = self._nodes.row(index)
        return None if row is None else self.count - 1 - row

    def nodes(self, start: int, stop: int) -> int:
        """The nodes of the rows from start up to stop, as a mask."""
        return self._nodes.nodes(self.count - stop, self.count - start)

    def following(self, mask: int, row: int, by: Literal[-1, 1]) -> int | None:
        """The nearest row after a row, or before it, whose node is in a mask; None for none."""
        found = self._nodes.following(mask, self.count - 1 - row, 1 if by < 0 else -1)
        return None if found is None else self.count - 1 - found
