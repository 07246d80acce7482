"""Where the nodes of an order are drawn: in cells that hold one node or more, in rows of cells.

A *place* is a row of the order, from 0; a row is one of the screen, counted from the top of the
view. All of it is worked out of the sections, so a million nodes cost what ten do.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple

from fluxtui.answers.listing.rows import Section

# Nodes in a block, at least: a block is drawn as a line with a bar.
LEAST_BLOCK = 10

Kind = Literal["sections", "blocks", "cells", "names"]


class Zoom(NamedTuple):
    """How near the nodes are looked at.

    kind  whole sections or round blocks of them as lines with bars, cells, or cells with names
    size  how many nodes a cell has; 0 where it is all of a section
    """

    kind: Kind
    size: int = 1

    @property
    def has_bars(self) -> bool:
        """A cell is a line with a name, a bar and a count."""
        return self.kind in ("sections", "blocks")


class Grid:
    """Cells of some size over sections, in rows of some cells.

    A section begins with a new cell, and with a new row where it does not run on.
    """

    __slots__ = ("_cells", "_rows", "_runs_on", "_sections", "_size", "per_row")

    def __init__(
        self, sections: Sequence[Section], size: int, per_row: int, *, runs_on: bool = False
    ) -> None:
        """size is in nodes, 0 for all of a section; per_row in cells."""
        self._sections = sections
        self._size = size
        self.per_row = max(per_row, 1)
        self._runs_on = runs_on
        counts = [-(-s.size // size) if size else 1 for s in sections]
        self._cells = list(accumulate(counts, initial=0))
        rows = (-(-count // self.per_row) for count in counts)
        self._rows = [] if runs_on else list(accumulate(rows, initial=0))

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return self._cells[-1]

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return -(-self.cells // self.per_row) if self._runs_on else self._rows[-1]

    def section_of(self, cell: int) -> int:
        """The number of the section that a cell is of."""
        return bisect_right(self._cells, cell) - 1

    def cell_at(self, place: int) -> int:
        """The cell that holds a place."""
        number = bisect_right(self._sections, place, key=lambda section: section.start) - 1
        within = place - self._sections[number].start
        return self._cells[number] + (within // self._size if self._size else 0)

    def span(self, cell: int) -> tuple[int, int]:
        """The places of a cell, from one up to, not with, another."""
        number = self.section_of(cell)
        section = self._sections[number]
        if not self._size:
            return section.start, section.stop
        start = section.start + (cell - self._cells[number]) * self._size
        return start, min(start + self._size, section.stop)

    def row_of(self, cell: int) -> int:
        """The row of a cell."""
        if self._runs_on:
            return cell // self.per_row
        number = self.section_of(cell)
        return self._rows[number] + (cell - self._cells[number]) // self.per_row

    def cells_in(self, row: int) -> range:
        """The cells of a row; none where there is no such row."""
        if not 0 <= row < self.rows:
            return range(0)
        if self._runs_on:
            return range(row * self.per_row, min((row + 1) * self.per_row, self.cells))
        number = bisect_right(self._rows, row) - 1
        first = self._cells[number] + (row - self._rows[number]) * self.per_row
        return range(first, min(first + self.per_row, self._cells[number + 1]))

    def cuts(self, cells: range) -> list[int]:
        """The first place of each of some cells, and where the last of them ends."""
        found: list[int] = []
        cell = cells.start
        while cell < cells.stop:
            number = self.section_of(cell)
            end = min(cells.stop, self._cells[number + 1])
            start = self._sections[number].start
            step = self._size or 1
            from_, to = cell - self._cells[number], end - self._cells[number]
            found += range(start + from_ * step, start + to * step, step)
            cell = end
        return [*found, self.span(cells.stop - 1)[1]] if found else found


def sizes() -> Iterator[int]:
    """1, 2, 5, 10, 20, 50 and so on."""
    scale = 1
    while True:
        yield from (scale, 2 * scale, 5 * scale)
        scale *= 10


def nearest_size(sections: Sequence[Section], per_row: int, rows: int) -> int | None:
    """How many nodes a cell has at least, so that all of them fit in so many rows.

    None where they never do, as there are more sections than rows.
    """
    if len(sections) > rows:
        return None
    largest = max((section.size for section in sections), default=1)
    for size in sizes():
        if Grid(sections, size, per_row).rows <= rows:
            return size
        if size > largest:
            return None
    return None


def block_size(sections: Sequence[Section], most: int) -> int | None:
    """How many nodes a block has, so that there are so many blocks at most.

    None where blocks would tell no more than the sections do.
    """
    largest = max((section.size for section in sections), default=0)
    for size in sizes():
        if size >= largest:
            return None
        if size >= LEAST_BLOCK and sum(-(-s.size // size) for s in sections) <= most:
            return size
    return None
