"""The node map: cells of one or many nodes, by the line API: a million cost as little as ten."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, groupby, pairwise
from typing import ClassVar, NamedTuple, cast

from rich.cells import set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events, on
from textual.binding import BindingType
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from fluxtui.answers.listing.rows import Order
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets.bits import less
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.palette import Palette, palette_of
from fluxtui.ui.kit.text import fitted
from fluxtui.ui.nodes.highlights import FULL, PARTS, Highlight, Highlights, steps
from fluxtui.ui.nodes.map_layout import (
    GUTTER,
    NAME_GAP,
    Grid,
    Layout,
    Layouts,
    Names,
    Room,
    Zoom,
    tally_words,
)
from fluxtui.ui.nodes.map_orders import order_by_rank
from fluxtui.ui.nodes.nodes_view import HOVER, Handlers, SelectableNodes
from fluxtui.workbench import Cluster

# Glyphs that are drawn twice in a cell of two columns; others are followed by a blank.
_DOUBLED = frozenset(f"■□▣◪▤▇{PARTS}")

# An offset of the thresholds between partial glyphs, in hundredths of a step: it keeps them away
# from a third, a half and other common shares, which would otherwise flip between two glyphs.
_OFFSET = 23

_KEPT = 24  # how many masks counts are cached for

_DIGITS = bytes.maketrans(b"01", b"\x00\x01")


# The look of cells, from the highlights or the values of their nodes


class Look(NamedTuple):
    """The look of a cell: its glyph and the role of its colour."""

    glyph: str
    role: str


class Bar(NamedTuple):
    """A line with a bar: looks with their numbers of nodes, its size, and how many nodes match.

    matching is None without a constraint.
    """

    parts: tuple[tuple[Look, int], ...]
    size: int
    matching: int | None


def cell_text(glyph: str, columns: int) -> str:
    """Return the text of a cell of one or two columns."""
    return glyph if columns == 1 else glyph * 2 if glyph in _DOUBLED else f"{glyph} "


class Page:
    """The cells of some rows, with counts of how many nodes of a mask each contains."""

    def __init__(self, order: Order, grid: Grid, rows: range) -> None:
        self.rows, self.grid, self._order = rows, grid, order
        self._row_cells = [grid.cells_in(row) for row in rows]
        self.cells = range(self._row_cells[0].start, self._row_cells[-1].stop)
        self._cuts = grid.cuts(self.cells)
        self.sizes = [b - a for a, b in pairwise(self._cuts)]
        self.counts = lru_cache(maxsize=_KEPT)(self._count)
        blank = [Look(" ", "unlit")] * len(self.cells)
        self._most = lru_cache(maxsize=1)(
            lambda values: self._over(blank, values, in_steps=False)
        )  # the value that most nodes of each cell have, however large their share is

    def _count(self, mask: int) -> Sequence[int]:
        """Return how many nodes of a mask each cell contains."""
        start, stop = self._cuts[0], self._cuts[-1]
        if not mask:
            return bytes(len(self.cells))
        if stop - start == len(self.cells):
            return self._order.bits(mask, start, stop).encode().translate(_DIGITS)
        return self._order.counts(mask, self._cuts)

    def by_row(self, highlights: Highlights, *, as_bars: bool) -> dict[int, Sequence[Look | Bar]]:
        """Return how the cells of each row look."""
        looks = self.bars(highlights) if as_bars else self.looks(highlights)
        base = self.cells.start
        return {
            row: looks[cells.start - base : cells.stop - base]
            for row, cells in zip(self.rows, self._row_cells, strict=True)
        }

    def looks(self, highlights: Highlights) -> Sequence[Look]:
        """Return how each cell looks: by its lights, else by the value of its nodes, else dark.

        Among the lights with the highest `over` that contain any of its nodes, a cell shows the one
        with the most. If any of its nodes matches, the value is the one that most of them have.
        """
        dark = Look(highlights.dark.glyph, highlights.dark.role)
        cells = [dark] * len(self.cells)
        if highlights.values:
            shown = zip(self.counts(highlights.good), self._most(highlights.values), strict=True)
            cells = [value if count else dark for count, value in shown]
        for over in sorted({light.over for light in highlights.lights}):
            lights = [light for light in highlights.lights if light.over == over]
            cells = self._over(cells, lights, in_steps=True)
        return cells

    def _over(
        self, cells: Sequence[Look], lights: Iterable[Highlight], *, in_steps: bool
    ) -> list[Look]:
        """Return the cells with lights on top: each cell shows the light with most of its nodes."""
        result = list(cells)
        best: Sequence[int] = bytes(len(result))
        for light in lights:
            counts = self.counts(light.mask)
            if not any(counts):
                continue
            glyphs = steps(light.glyph) if in_steps else light.glyph
            looks, last = [Look(glyph, light.role) for glyph in glyphs], len(glyphs) - 1
            result = [
                looks[last if c == n else _part(c, n, last)] if c > b else cell
                for c, n, b, cell in zip(counts, self.sizes, best, result, strict=True)
            ]
            best = list(map(max, counts, best))
        return result

    def bars(self, highlights: Highlights) -> Sequence[Bar]:
        """Return the lines with bars: by the values if there are any, else by the lights."""
        seen = 0
        looks: list[Look] = []
        counted: list[Sequence[int]] = []
        for light in highlights.values or highlights.lights:
            looks.append(Look(light.glyph, light.role))
            counted.append(self.counts(less(light.mask, seen)))
            seen |= light.mask
        dark = Look(highlights.dark.glyph, highlights.dark.role)
        has_constraint = highlights.dark.glyph not in FULL
        matching = self.counts(highlights.mask)
        bars = []
        for at, size in enumerate(self.sizes):
            numbers = [counts[at] for counts in counted]
            shown = zip([*looks, dark], [*numbers, size - sum(numbers)], strict=True)
            parts = tuple((look, number) for look, number in shown if number)
            bars.append(Bar(parts, size, matching[at] if has_constraint else None))
        return bars


def _part(count: int, size: int, parts: int) -> int:
    """Return the step, from 0, of `parts` steps, for a count that is less than a cell's size."""
    return min((100 * parts * count + _OFFSET * size) // (100 * size), max(parts - 1, 0))


def bar_segments(
    name: str, bar: Bar, widths: tuple[int, int, int], palette: Palette, pointed: Style | None
) -> Iterator[Segment]:
    """Yield one line with a bar; pointed is a style for its name, under the cursor or the mouse."""
    title, columns, tally = widths
    text = fitted(name, title)
    shown = text.rstrip()
    yield Segment(shown, palette.quiet + pointed if pointed is not None else palette.quiet)
    yield Segment(text[len(shown) :] + " ")
    widths_of_parts = shares([number for _, number in bar.parts], columns)
    for (look, _), share in zip(bar.parts, widths_of_parts, strict=True):
        yield Segment(look.glyph * share, palette.role(look.role))
    count = tally_words(bar.size, bar.matching).rjust(tally)
    yield Segment(f" {count}", palette.faint if bar.matching == 0 else palette.quiet)


def shares(counts: Sequence[int], width: int) -> list[int]:
    """Return how the columns of a width are shared out in proportion to counts, none of them 0.

    While there are enough columns each count gets at least one, so that even a few nodes show.
    """
    if len(counts) >= width:
        return [1] * width + [0] * (len(counts) - width)
    whole = sum(counts)
    ends = [round(end * width / whole) for end in accumulate(counts)]
    columns = [end - start for start, end in pairwise([0, *ends])]
    while 0 in columns:
        columns[columns.index(0)] = 1
        columns[columns.index(max(columns))] -= 1
    return columns


class NodeMap(SelectableNodes):
    """Nodes in cells, with a new row for each section of the order.

    Unless the user zooms, all nodes are shown at once, in cells as large as there is room for.
    on_zoom is called when the number of nodes per cell may have changed. frame is a widget whose
    height is used instead of the map's, if something else may take some of that for a while.
    With all_zooms False there are only cells: neither bars nor names.
    """

    listing: Order

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("map.left", "left", "move(-1)", ""),
        bind("map.right", "right", "move(1)", ""),
        bind("map.zoom_in", "plus,equals_sign", "zoom(1)", "Zoom in",
             "Zoom in; ctrl+wheel does too"),
        bind("map.zoom_out", "minus,underscore", "zoom(-1)", "Zoom out", "Zoom out"),
        bind("map.fit", "0", "zoom(0)", "All nodes", "Zoom out to show all nodes"),
        bind("map.enter", "enter", "enter", "Zoom in here",
             "Zoom in on this cell; so does a double click"),
    ]  # fmt: skip

    def __init__(
        self,
        handlers: Handlers,
        on_zoom: Callable[[], object] = lambda: None,
        *,
        frame: Widget | None = None,
        all_zooms: bool = True,
        id: str,
    ) -> None:
        super().__init__(handlers, id=id)
        self._on_zoom, self._frame, self._all_zooms = on_zoom, frame, all_zooms
        self._names = Names(Resources(), self.listing)
        self.zoomed: Zoom | None = None  # the zoom that the user chose; None shows all nodes
        self._laid_out: tuple[Size, Layouts, Layout] | None = None
        self._page: Page | None = None  # the visible rows
        self._drawn: dict[int, Sequence[Look | Bar]] = {}

    # Display

    def show_cluster(self, cluster: Cluster) -> None:
        """Show the nodes of a cluster, all at once, by rank."""
        order = order_by_rank(cluster)
        self.begin(order.count)
        self.zoomed = None
        self.show_order(order, Names(cluster.resources, order))

    def show_order(self, order: Order, names: Names) -> None:
        """Show the same nodes in another order."""
        self.listing, self._names = order, names
        self._lay_out_again()

    def show_lights(self, highlights: Highlights) -> None:
        """Show highlights, and repaint the rows that look different."""
        self.highlights = highlights
        before, page = self._drawn, self._page
        if page is None or page.grid is not self.grid:
            self._drawn = {}
            self.refresh()
            return
        self._drawn = page.by_row(highlights, as_bars=self.plan.bars is not None)
        pitch = self.plan.scale.pitch
        self.refresh_rows(r * pitch for r, looks in self._drawn.items() if before.get(r) != looks)

    # Zoom and layout

    def _lay_out(self) -> tuple[Layouts, Layout]:
        """Return the layouts and the current one, computed lazily: a resize is right at once."""
        size = Size(self.size.width, (self._frame or self).size.height)
        if self._laid_out is None or self._laid_out[0] != size:
            names = self._names
            room = Room(*size, names.label, names.number, names.title)
            layouts = Layouts(self.listing, room, all_zooms=self._all_zooms)
            layout = layouts.of(self.zoomed) if self.zoomed is not None else layouts.fitting
            self._laid_out = (size, layouts, layout)
        return self._laid_out[1:]

    def _lay_out_again(self) -> None:
        self._laid_out = None
        self._set_height()
        self.call_after_refresh(self.keep_in_view)

    def on_resize(self) -> None:
        """Lay out and scroll for the new size."""
        self._set_height()
        self._on_zoom()

    def _set_height(self) -> None:
        self.end_drag()  # the cells that it started on have changed
        self._page = self._hover = None
        self.virtual_size = Size(self.size.width, self.row_count)
        self.refresh()

    @property
    def plan(self) -> Layout:
        """The layout of the cells, which are the items, at the current zoom and size."""
        return self._lay_out()[1]

    @property
    def at(self) -> int | None:
        """The cell with the cursor."""
        return self.item_of(self.cursor)

    @property
    def zoom(self) -> Zoom:
        """How far the map is zoomed in."""
        return self.plan.zoom

    @property
    def grid(self) -> Grid:
        """The cells in their rows."""
        return self.plan.grid

    # Actions

    def _go_to_place(self, row: int) -> None:
        """Go to a node that need not be the first of its cell."""
        index = self.listing.rows[row]
        self.show_cursor(index)
        self._handlers.move(index)

    def action_zoom(self, by: int) -> None:
        """Zoom in by 1 or out by -1; 0 shows all nodes at once."""
        layouts, layout = self._lay_out()
        self.zoom_to(layouts.stepped(layout.zoom, by) if by else None)

    def action_enter(self) -> None:
        """Zoom in on the nodes of the cell with the cursor."""
        layouts, layout = self._lay_out()
        if self.at is None:
            return
        start, stop = self.grid.span(self.at)
        zoom, first = layouts.nearer(layout.zoom, stop - start), self.listing.rows[start]
        if zoom != layout.zoom:
            self.zoom_to(zoom)
            self._go_to_place(start)
            self.keep_on_top(first)

    def zoom_to(self, zoom: Zoom | None) -> None:
        """Zoom to a level; None shows all nodes at once."""
        self.zoomed, self._top = zoom, None
        self._lay_out_again()
        self._on_zoom()

    @on(events.MouseScrollUp)
    @on(events.MouseScrollDown)
    def _zoom_by_wheel(self, event: events.MouseEvent) -> None:
        """Zoom instead of scrolling while ctrl is held."""
        if event.ctrl and self._all_zooms:
            event.stop()
            event.prevent_default()
            self.action_zoom(1 if isinstance(event, events.MouseScrollUp) else -1)

    # Drawing

    def render_line(self, y: int) -> Strip:
        """Draw one row: its label and its cells, or a line with a bar."""
        layout, row = self.plan, y + self.scroll_offset.y
        cells = self._items_in(row)
        if not cells:
            return self._notice_line(y)
        looks = self._looks_of(row // layout.scale.pitch)
        line = Strip(list(self._segments(layout, cells, looks)))
        width = self.size.width
        return line.extend_cell_length(width).crop(0, width).apply_style(self.base)

    def _looks_of(self, row: int) -> Sequence[Look | Bar]:
        """Return how the cells of a row look; worked out for all visible rows together."""
        if self._page is None or self._page.grid is not self.grid or row not in self._page.rows:
            top = min(self.scroll_offset.y, row)
            end = min(max(top + self.size.height, row + 1), self.grid.rows)
            self._page, self._drawn = Page(self.listing, self.grid, range(top, end)), {}
        if row not in self._drawn:
            self._drawn = self._page.by_row(self.highlights, as_bars=self.plan.bars is not None)
        return self._drawn[row]

    def _segments(
        self, layout: Layout, cells: range, looks: Sequence[Look | Bar]
    ) -> Iterator[Segment]:
        palette = palette_of(self)
        pointed: dict[int | None, Style] = {
            self._hover: HOVER,
            self.at: palette.cursor,
        }
        if layout.bars is not None:
            name, bar = self._names.block(*layout.grid.span(cells[0])), cast("Bar", looks[0])
            yield from bar_segments(name, bar, layout.bars, palette, pointed.get(cells[0]))
            return
        label, is_section = self._names.row(layout.grid.span(cells[0])[0])
        style = palette.plain if is_section else palette.quiet
        yield Segment(fitted(label, layout.lead - GUTTER) + " " * GUTTER, style)
        shown = list(zip(cells, cast("Sequence[Look]", looks), strict=True))
        if layout.zoom.kind == "names":
            for cell, look in shown:
                name = set_cell_size(
                    self._names.node(self.listing.rows[layout.grid.span(cell)[0]]),
                    self._names.number,
                )
                style = palette.faint if look.role == "unlit" else palette.quiet
                extra = pointed.get(cell)
                yield Segment(cell_text(look.glyph, layout.scale.glyph), palette.role(look.role))
                yield Segment(" ")
                yield Segment(name, style if extra is None else palette.plain + extra)
                yield Segment(" " * NAME_GAP)
            return
        # A run of equal cells is one segment; the cells at the cursor and mouse have their own.
        gap = " " * layout.scale.gap
        for (look, extra), run in groupby(shown, lambda pair: (pair[1], pointed.get(pair[0]))):
            style = palette.role(look.role)
            text = gap.join(cell_text(look.glyph, layout.scale.glyph) for _ in run)
            yield Segment(text, style if extra is None else style + extra)
            yield Segment(gap)
