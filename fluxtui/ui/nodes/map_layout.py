"""The layout of a map of some size: its zooms, the cells of each in their rows, their names.

A *place* is a position in the order of the nodes, from 0. Everything is computed from the sections
of the order, so a million nodes cost as little as ten.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, islice, takewhile
from typing import Literal, NamedTuple

from rich.cells import cell_len

from fluxtui.answers.listing.rows import Order, Section
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import printable

GUTTER = 2  # columns after the label of a row
NAME_GAP = 2  # columns after the name of a node next to its cell
MOST_BAR = 40  # columns of a bar, at most
LEAST_BLOCK = 10  # nodes of a block, at least
LABEL_LIMIT = 18  # columns of the name of a node, at most
SAMPLE = 256  # how many ranges or sections are measured to find how wide the names are
TITLE_LIMIT, NUMBER_LIMIT = 30, 8  # columns

_LAST_NUMBER = re.compile(r"([0-9]+)[^0-9]*\Z")


class Zoom(NamedTuple):
    """How far the map is zoomed in.

    kind  bars, a line each for a section or for a block of it; cells; or cells with names
    size  how many nodes a line or a cell has; 0 for all nodes of a section
    """

    kind: Literal["bars", "cells", "names"]
    size: int = 1

    @property
    def depth(self) -> tuple[str, float]:
        """A sort key that puts the farthest zoom first and the nearest last."""
        return self.kind, -self.size or float("-inf")


class Scale(NamedTuple):
    """The columns of a cell's glyph and of the gap after it, and the screen rows per row."""

    glyph: int = 1
    gap: int = 1
    pitch: int = 1


#: The scales, the largest first; with each of them cells are about square.
SCALES = (Scale(2, 2, 2), Scale(2, 1), Scale())


class Grid:
    """Cells of `size` nodes each, in rows of `per_row` cells; with size 0 a section is one cell.

    Each section starts a new cell in a new row.
    """

    def __init__(self, sections: Sequence[Section], size: int, per_row: int) -> None:
        self._sections, self._size = sections, size
        self.per_row = max(per_row, 1)
        counts = [-(-s.size // size) if size else 1 for s in sections]
        self._cells = list(accumulate(counts, initial=0))
        self._rows = list(accumulate((-(-n // self.per_row) for n in counts), initial=0))
        self.cells, self.rows = self._cells[-1], self._rows[-1]

    def cell_at(self, place: int) -> int:
        """Return the cell that contains a place."""
        number = bisect_right(self._sections, place, key=lambda section: section.start) - 1
        within = place - self._sections[number].start
        return self._cells[number] + (within // self._size if self._size else 0)

    def span(self, cell: int) -> tuple[int, int]:
        """Return the places of a cell: the first, and the one after the last."""
        number = bisect_right(self._cells, cell) - 1
        section = self._sections[number]
        if not self._size:
            return section.start, section.stop
        start = section.start + (cell - self._cells[number]) * self._size
        return start, min(start + self._size, section.stop)

    def row_of(self, cell: int) -> int:
        """Return the row of a cell."""
        number = bisect_right(self._cells, cell) - 1
        return self._rows[number] + (cell - self._cells[number]) // self.per_row

    def cells_in(self, row: int) -> range:
        """Return the cells of a row; none if the row does not exist."""
        if not 0 <= row < self.rows:
            return range(0)
        number = bisect_right(self._rows, row) - 1
        first = self._cells[number] + (row - self._rows[number]) * self.per_row
        return range(first, min(first + self.per_row, self._cells[number + 1]))

    def cuts(self, cells: range) -> list[int]:
        """Return the first place of each of some cells, and the place after the last cell."""
        places: list[int] = []
        cell = cells.start
        while cell < cells.stop:
            number = bisect_right(self._cells, cell) - 1
            end = min(cells.stop, self._cells[number + 1])
            start, step = self.span(cell)[0], self._size or 1
            places += range(start, start + (end - cell) * step, step)
            cell = end
        return [*places, self.span(cells.stop - 1)[1]] if places else places


def sizes() -> Iterator[int]:
    """Yield 1, 2, 5, 10, 20, 50 and so on."""
    scale = 1
    while True:
        yield from (scale, 2 * scale, 5 * scale)
        scale *= 10


def nearest_size(sections: Sequence[Section], per_row: int, rows: int) -> int | None:
    """Return the smallest number of nodes per cell with which all cells fit into the rows.

    None if there are more sections than rows: then they never fit.
    """
    if len(sections) > rows:
        return None
    return next(size for size in sizes() if Grid(sections, size, per_row).rows <= rows)


def block_size(sections: Sequence[Section], most: int) -> int | None:
    """Return how many nodes a block has if there are to be no more than `most` blocks.

    None if blocks would show no more than the sections do.
    """
    for size in takewhile(lambda size: size < largest(sections), sizes()):
        if size >= LEAST_BLOCK and sum(-(-s.size // size) for s in sections) <= most:
            return size
    return None


def largest(sections: Sequence[Section]) -> int:
    """Return how many nodes the largest section has."""
    return max((section.size for section in sections), default=0)


def tally_words(size: int, matching: int | None) -> str:
    """Return ``12 of 36``; the size alone if matching is None, that is, without a constraint."""
    return f"{size:,}" if matching is None else f"{matching:,} of {size:,}"


class Room(NamedTuple):
    """The columns and rows of the view, and the columns that names take.

    label   the names of rows
    number  the names of nodes next to their cells; 0 for none
    title   the names of lines with bars
    """

    width: int
    height: int
    label: int
    number: int
    title: int


class Layout(NamedTuple):
    """One way to draw an order.

    grid   the cells in their rows
    scale  how large the cells are drawn
    step   the columns from one cell to the next
    lead   the columns before the first cell of a row
    bars   the columns of the name, the bar and the count, if cells are lines with bars
    """

    zoom: Zoom
    grid: Grid
    scale: Scale
    step: int
    lead: int
    bars: tuple[int, int, int] | None = None

    @property
    def height(self) -> int:
        """The screen rows that the whole map takes."""
        return max(self.grid.rows * self.scale.pitch - (self.scale.pitch - 1), 0)


class Layouts:
    """The layouts of an order in some room, one for each zoom.

    An order by rank is drawn as one section if it has more sections than there are rows.
    With all_zooms False only cells are offered: neither bars nor names.
    """

    def __init__(self, order: Order, room: Room, *, all_zooms: bool = True) -> None:
        self._room, self._all = room, all_zooms
        self.sections: Sequence[Section] = order.sections
        if order.is_by_rank and len(self.sections) > room.height:
            self.sections = (Section("", 0, order.count),)
        self._fit = nearest_size(self.sections, self._per_row(1, 1), room.height)

    def _per_row(self, cell: int, gap: int) -> int:
        """Return how many cells fit in a row; from ten on, a multiple of five."""
        fit = max(1, (self._room.width - self._room.label - GUTTER + gap) // (cell + gap))
        return fit - fit % 5 if fit >= 10 else fit

    @cached_property
    def zooms(self) -> list[Zoom]:
        """The zooms to choose from, the farthest first."""
        sections, fit = self.sections, self._fit
        zooms: list[Zoom] = []
        if self._all and len(sections) > 1:
            zooms.append(Zoom("bars", 0))
        if self._all and (fit is None or fit > 1 or len(sections) == 1):
            size = block_size(sections, self._room.height)
            if size is not None and size != fit:
                zooms.append(Zoom("bars", size))
        # If the cells of no size fit, start at the size beyond which the rows do not get fewer.
        per_row = self._per_row(1, 1)
        most = fit or next(size for size in sizes() if size * per_row >= largest(sections))
        near = takewhile(lambda size: size <= most, sizes())
        zooms += [Zoom("cells", size) for size in reversed(list(near))]
        if self._all and self._room.number:
            zooms.append(Zoom("names"))
        return zooms

    @cached_property
    def fitting(self) -> Layout:
        """The nearest layout that shows all nodes at once; the farthest one if none does."""
        if self._all and self._room.number:
            named = self.of(Zoom("names"))
            if named.height <= self._room.height:
                return named
        return self.of(Zoom("cells", self._fit) if self._fit is not None else self.zooms[0])

    def of(self, zoom: Zoom) -> Layout:
        """Return the layout of a zoom, with blocks of the size that this room needs.

        Cells are drawn at the largest scale that shows all rows at once, else at the smallest.
        """
        sections, room = self.sections, self._room
        if zoom.kind == "bars":
            if zoom.size:
                zoom = next((z for z in self.zooms if z.kind == "bars" and z.size), zoom)
            size = zoom.size or largest(sections)
            tally = len(tally_words(size, size))
            bar = min(max(room.width - room.title - tally - 2, 1), MOST_BAR)
            grid = Grid(sections, zoom.size, 1)
            return Layout(zoom, grid, Scale(), room.width, 0, (room.title, bar, tally))
        for scale in SCALES:
            cell, gap = scale.glyph, scale.gap
            if zoom.kind == "names":
                cell, gap = cell + 1 + room.number, NAME_GAP
            grid = Grid(sections, zoom.size, self._per_row(cell, gap))
            layout = Layout(zoom, grid, scale, cell + gap, room.label + GUTTER)
            if layout.height <= room.height:
                break
        return layout

    def nearer(self, zoom: Zoom, nodes: int) -> Zoom:
        """Return the nearest zoom that shows so many nodes at once; this one if none is nearer."""
        deeper = [other for other in self.zooms if other.depth > zoom.depth]
        for other in reversed(deeper):
            per_row = self.of(other).grid.per_row
            if other.kind != "bars" and nodes <= other.size * per_row * self._room.height:
                return other
        return deeper[0] if deeper else zoom

    def stepped(self, zoom: Zoom, by: int) -> Zoom:
        """Return the next nearer zoom, or the next farther one; the same zoom if there is none."""
        if by > 0:
            return next((other for other in self.zooms if other.depth > zoom.depth), zoom)
        return next((other for other in reversed(self.zooms) if other.depth < zoom.depth), zoom)


def label_width(resources: Resources) -> int:
    """Return the columns that the names of the nodes take."""
    ranges = islice(resources.hosts.walk(), SAMPLE)
    return min(max((cell_len(printable(r.name(r.last))) for r in ranges), default=0), LABEL_LIMIT)


class Names:
    """The names next to the cells of an order, each worked out only when it is drawn.

    label, number and title are the widths of the names of rows, of nodes and of lines with bars.
    With by_section, a row is named after the section that it starts, not after its first host.
    """

    def __init__(self, resources: Resources, order: Order, *, by_section: bool = False) -> None:
        self._resources, self._order, self._by_section = resources, order, by_section
        self.block = lru_cache(maxsize=256)(self._find_block)
        last_rank = str(resources.ranks.last) if resources.ranks else ""
        ranges = islice(resources.hosts.walk(), SAMPLE)
        matches = [_LAST_NUMBER.search(names.name(names.last)) for names in ranges]
        numbers = [match[1] for match in matches if match is not None]
        all_have_hosts = resources.hosts.count >= resources.node_count
        self._has_numbers = bool(matches) and len(numbers) == len(matches) and all_have_hosts
        width = max(map(len, numbers if self._has_numbers else [last_rank]))
        self.number = width if width <= NUMBER_LIMIT else 0
        self.label = label_width(resources) or len(last_rank)
        self.title = self.label + self.number + len("[-]")
        if self._by_section:
            names = (section.name for section in islice(order.sections, SAMPLE))
            title = max((cell_len(printable(name)) for name in names), default=0)
            self.label = max(self.label, min(title, LABEL_LIMIT))
            self.title = max(title, self.label)
        self.title = min(self.title, TITLE_LIMIT)

    def row(self, place: int) -> tuple[str, bool]:
        """Return the label of the row that starts at a place, and whether it names a section."""
        if self._by_section:
            section = self._order.sections[self._order.section_at(place)]
            if section.start == place:
                return printable(section.name), True
        index = self._order.rows[place]
        return printable(self._resources.host(index)) or str(self._resources.rank(index)), False

    def node(self, index: int) -> str:
        """Return a short name of a node: the number of its host if all have one, else its rank."""
        if not self._has_numbers:
            return str(self._resources.rank(index))
        match = _LAST_NUMBER.search(self._resources.host(index))
        return match[1] if match is not None else ""

    def _find_block(self, start: int, stop: int) -> str:
        """Return the hosts of the places from start up to stop, or the name of that section."""
        if self._order.is_by_rank:
            nodes = self._order.nodes(start, stop)
            hosts = self._resources.hosts_of(nodes, limit=1)
            return printable(hosts) or f"ranks {self._resources.ranks_text(nodes, limit=1)}"
        section = self._order.sections[self._order.section_at(start)]
        whole = (section.start, section.stop) == (start, stop)
        return printable(section.name) if whole and section.name else self.row(start)[0]
