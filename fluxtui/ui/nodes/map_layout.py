"""How a map of some size is laid out: which zooms there are, and the grid of each."""

from collections.abc import Sequence
from functools import cached_property
from itertools import takewhile
from typing import NamedTuple

from fluxtui.answers.listing.rows import Order, Section
from fluxtui.ui.nodes import map_bars
from fluxtui.ui.nodes.cells import Grid, Zoom, block_size, nearest_size, sizes

STEP = 2  # columns a cell takes: the glyph and a gap, which makes cells about square
GUTTER = 2
NAME_GAP = 2  # columns after the name of a node beside its cell


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
    bars: map_bars.Widths | None = None


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
        widths = map_bars.widths(self._room.title, largest, 10**9, self._room.width, height)
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
        bars = map_bars.widths(room.title, largest, cells, room.width, room.height)
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
