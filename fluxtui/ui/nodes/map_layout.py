"""How a map of some size is laid out: which zooms there are, and the grid of each."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate, takewhile
from typing import Literal, NamedTuple

from fluxtui.answers.listing.rows import Order, Section
from fluxtui.workbench import Cluster

# Nodes in a block, at least: a block is drawn as a line with a bar.
LEAST_BLOCK = 10

Kind = Literal["sections", "blocks", "cells", "names"]


def order_by_rank(cluster: Cluster) -> Order:
    """The nodes by rank, in stretches of hosts; what these are called is found when it is drawn."""
    stretches = (Section("", start, stop) for start, stop in cluster.stretches)
    return Order(range(cluster.resources.node_count), stretches)


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


STEP = 2  # columns a cell takes: the glyph and a gap, which makes cells about square
GUTTER = 2
NAME_GAP = 2  # columns after the name of a node beside its cell


BAR_GAP = 3  # columns between two bars beside each other
LEAST_BAR, MOST_BAR = 8, 40  # columns of a bar


class BarWidths(NamedTuple):
    """The columns that the parts of a line take, and how many lines stand beside each other."""

    name: int
    bar: int
    tally: int
    beside: int

    @property
    def step(self) -> int:
        """The columns from the beginning of a line to that of the one beside it."""
        return self.name + self.bar + self.tally + 2 + BAR_GAP


def bar_widths(name: int, largest: int, cells: int, width: int, height: int) -> BarWidths:
    """How lines of some names and numbers of nodes stand in a view of a width and a height."""
    count = max(len(tally_words(largest, largest)), len(tally_words(largest, None)))
    taken = name + count + 2 + BAR_GAP
    beside = min(-(-cells // max(height, 1)), (width + BAR_GAP) // (taken + LEAST_BAR))
    beside = max(beside, 1)
    bar = (width + BAR_GAP) // beside - taken
    return BarWidths(name, min(max(bar, 1), MOST_BAR), count, beside)


def tally_words(size: int, matching: int | None) -> str:
    """``12 of 36``; the number alone where nothing is asked."""
    return f"{size:,}" if matching is None else f"{matching:,} of {size:,}"


class Room(NamedTuple):
    """What a map has to stand in.

    width, height  of the view, in columns and rows
    label          the columns of the names before the rows
    number         the columns of a node's name beside its cell; 0 where it has none
    title          the columns of the names of sections
    """

    width: int
    height: int
    label: int
    number: int
    title: int


class Layout(NamedTuple):
    """One way to draw an order.

    grid  the cells in their rows
    step  the columns from one cell to the next
    lead  the columns before the first cell of a row
    bars  how the lines with bars are laid out, where the cells are such lines
    """

    zoom: Zoom
    grid: Grid
    step: int
    lead: int
    bars: BarWidths | None = None


class Layouts:
    """The layouts of an order in some room, the farthest first.

    An order by ranks is drawn as one section where its sections are more than there are rows.
    """

    def __init__(self, order: Order, room: Room, *, all_zooms: bool = True) -> None:
        self._room = room
        sections = order.sections
        if order.is_by_rank and len(sections) > room.height:
            sections = (Section("", 0, order.count),)
        self.sections: Sequence[Section] = sections
        self._all = all_zooms
        self._fit = nearest_size(sections, self._per_row(Zoom("cells")), room.height)

    def _per_row(self, zoom: Zoom) -> int:
        """How many cells a full row holds; fives where there is room."""
        step = self._step(zoom)
        gap = STEP - 1 if zoom.kind == "cells" else NAME_GAP
        room = self._room
        fit = max(1, (room.width - room.label - GUTTER + gap) // step)
        return fit - fit % 5 if fit >= 10 else fit

    def _step(self, zoom: Zoom) -> int:
        return STEP if zoom.kind == "cells" else STEP + self._room.number + NAME_GAP

    @cached_property
    def zooms(self) -> list[Zoom]:
        """What there is to choose from, the farthest first."""
        sections, fit = self.sections, self._fit
        found: list[Zoom] = []
        if self._all and len(sections) > 1:
            found.append(Zoom("sections", 0))
        if self._all and (fit is None or fit > 1 or len(sections) == 1):
            size = block_size(sections, self._room.height * self._most_beside)
            if size is not None and size != fit:
                found.append(Zoom("blocks", size))
        most = fit if fit is not None else self._coarsest
        near = takewhile(lambda size: size <= most, sizes())
        found += [Zoom("cells", size) for size in reversed(list(near))]
        if self._all and self._room.number:
            found.append(Zoom("names"))
        return found

    @property
    def _most_beside(self) -> int:
        largest = max((section.size for section in self.sections), default=0)
        height = self._room.height
        widths = bar_widths(self._room.title, largest, 10**9, self._room.width, height)
        return widths.beside

    @property
    def _coarsest(self) -> int:
        """So many nodes a cell that larger cells take no fewer rows."""
        largest = max((section.size for section in self.sections), default=1)
        per_row = self._per_row(Zoom("cells"))
        return next(size for size in sizes() if size * per_row >= largest)

    @property
    def fitting(self) -> Layout:
        """The nearest one in which all nodes can be seen at once; the farthest if none is."""
        if self._all and self._room.number:
            named = self.of(Zoom("names"))
            if named.grid.rows <= self._room.height:
                return named
        if self._fit is not None:
            return self.of(Zoom("cells", self._fit))
        return self.of(self.zooms[0])

    def of(self, zoom: Zoom) -> Layout:
        """The layout of a zoom; blocks are as large as they have to be here."""
        sections, room = self.sections, self._room
        if zoom.kind == "blocks":
            zoom = next((z for z in self.zooms if z.kind == "blocks"), zoom)
        if not zoom.has_bars:
            grid = Grid(sections, zoom.size, self._per_row(zoom))
            return Layout(zoom, grid, self._step(zoom), room.label + GUTTER)
        largest = max((section.size for section in sections), default=0)
        largest = min(zoom.size, largest) if zoom.size else largest
        cells = Grid(sections, zoom.size, 1, runs_on=True).cells
        bars = bar_widths(room.title, largest, cells, room.width, room.height)
        grid = Grid(sections, zoom.size, bars.beside, runs_on=True)
        return Layout(zoom, grid, bars.step, 0, bars)

    def nearer(self, zoom: Zoom, nodes: int) -> Zoom | None:
        """The nearest zoom in which so many nodes can be seen at once; None for no nearer one."""
        zooms = self.zooms
        at = zooms.index(zoom) if zoom in zooms else -1
        for found in reversed(zooms[at + 1 :]):
            if not found.has_bars:
                rows = -(-nodes // (found.size * self._per_row(found)))
                if rows <= max(self._room.height, 1):
                    return found
        return zooms[at + 1] if at + 1 < len(zooms) else None

    def stepped(self, zoom: Zoom, by: int) -> Zoom:
        """The next zoom, nearer or farther; the same where there is none."""
        zooms = self.zooms
        if zoom in zooms:
            at = zooms.index(zoom) + by
        else:  # it is one of another room
            nearer = [n for n, z in enumerate(zooms) if not z.has_bars and z.size < zoom.size]
            first = nearer[0] if nearer else len(zooms)
            at = first if by > 0 else first - 1
        return zooms[min(max(at, 0), len(zooms) - 1)]
