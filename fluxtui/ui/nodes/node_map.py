"""The node map: cells of one node or of many, by the line API, so a million cost what ten do."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import ClassVar, cast

from rich.cells import set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from fluxtui.answers.listing.rows import Order
from fluxtui.model.resources.resource_set import Resources
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.text import fitted
from fluxtui.ui.nodes.highlights import Highlights
from fluxtui.ui.nodes.map_layout import GUTTER, NAME_GAP, Grid, Layout, Layouts, Names, Room, Zoom
from fluxtui.ui.nodes.map_looks import Bar, Look, Page, bar_segments, cell_text
from fluxtui.ui.nodes.map_orders import order_by_rank
from fluxtui.ui.nodes.nodes_view import HOVER, Handlers, SelectableNodes
from fluxtui.workbench import Cluster


class NodeMap(SelectableNodes):
    """Nodes in cells, in rows that begin anew with each section of the order.

    Unless a person zooms, all nodes are shown at once, in cells as large as there is room for.
    on_zoom is called when cells may mean another number of nodes than before. frame is a widget
    whose height counts instead of the map's, where something else takes some of it for a while.
    all_zooms is False for cells alone: neither bars nor names.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("map.left", "left", "move(-1)", ""),
        bind("map.right", "right", "move(1)", ""),
        bind(
            "map.zoom_in", "plus,equals_sign", "zoom(1)", "Zoom in", "Zoom in; ctrl+wheel does too"
        ),
        bind("map.zoom_out", "minus,underscore", "zoom(-1)", "Zoom out", "Zoom out"),
        bind("map.fit", "0", "fit", "All nodes", "Zoom out to show all nodes"),
        bind(
            "map.enter",
            "enter",
            "enter",
            "Zoom in here",
            "Zoom in on this cell; so does a double click",
        ),
    ]

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
        self._order = Order(range(0))
        self._names = Names(Resources(), self._order)
        self._zoom: Zoom | None = None  # None shows all nodes at once
        self._laid_out: tuple[Size, Layouts, Layout] | None = None
        self._page: Page | None = None  # the rows in sight
        self._drawn: dict[int, Sequence[Look | Bar]] = {}

    # Display

    def show_cluster(self, cluster: Cluster) -> None:
        """Show the nodes of a cluster, all at once, by their ranks."""
        order = order_by_rank(cluster)
        self.begin(order.count)
        self._zoom = None
        self.show_order(order, Names(cluster.resources, order))

    def show_order(self, order: Order, names: Names) -> None:
        """Show the same nodes in another order."""
        self.listing = self._order = order
        self._names = names
        self.end_drag()
        self._lay_out_again()

    def show_lights(self, found: Highlights) -> None:
        """Highlight nodes, and repaint the rows that look different."""
        self.found = found
        before, page = self._drawn, self._page
        if page is None or page.grid is not self.grid:
            self._drawn = {}
            self.refresh()
            return
        self._drawn = page.by_row(found, as_bars=self._layout.bars is not None)
        pitch = self._layout.scale.pitch
        self.refresh_rows(r * pitch for r, looks in self._drawn.items() if before.get(r) != looks)

    # Zoom and layout

    def _lay_out(self) -> tuple[Layouts, Layout]:
        """Worked out when it is looked at, so that the first frame of a new size is right."""
        size = Size(self.size.width, (self._frame or self).size.height)
        if self._laid_out is None or self._laid_out[0] != size:
            names = self._names
            room = Room(*size, names.label, names.number, names.title)
            layouts = Layouts(self._order, room, all_zooms=self._all_zooms)
            layout = layouts.of(self._zoom) if self._zoom is not None else layouts.fitting
            self._laid_out = (size, layouts, layout)
        return self._laid_out[1:]

    def _lay_out_again(self) -> None:
        self._laid_out = None
        self._set_height()
        self.call_after_refresh(self.keep_in_view)

    def on_resize(self) -> None:
        """Scroll by the rows of the new width."""
        self._set_height()
        self._on_zoom()

    def _set_height(self) -> None:
        self._page = None
        self.virtual_size = Size(self.size.width, self.row_count)
        self.refresh()

    @property
    def _layout(self) -> Layout:
        return self._lay_out()[1]

    @property
    def zoom(self) -> Zoom:
        """How far the map is zoomed in."""
        return self._layout.zoom

    @property
    def is_fitted(self) -> bool:
        """The zoom is the one that shows all nodes at once."""
        return self._zoom is None

    @property
    def grid(self) -> Grid:
        """The cells."""
        return self._layout.grid

    @property
    def lead(self) -> int:
        """The columns before the first cell of a row."""
        return self._layout.lead

    # From nodes to cells and screen rows, and back

    @property
    def row_count(self) -> int:
        """How many screen rows the whole map takes."""
        return self._layout.height

    def cell_of(self, index: int | None) -> int | None:
        """The cell that holds a node; None where the order does not hold it."""
        place = self._order.row(index) if index is not None else None
        return self.grid.cell_at(place) if place is not None else None

    def span(self, index: int) -> tuple[int, int] | None:
        """The places of the cell of a node."""
        cell = self.cell_of(index)
        return self.grid.span(cell) if cell is not None else None

    def row_of(self, index: int) -> int | None:
        """The screen row of a node, None where it has none."""
        cell = self.cell_of(index)
        return self.grid.row_of(cell) * self._layout.scale.pitch if cell is not None else None

    def _first_in(self, cell: int) -> int:
        return self._order.rows[self.grid.span(cell)[0]]

    def _cells_in(self, row: int) -> range:
        """The cells in a screen row; none in one between two rows of cells."""
        number, between = divmod(row, self._layout.scale.pitch)
        return self.grid.cells_in(number) if not between else range(0)

    def first_of(self, row: int) -> int | None:
        """The first node of a screen row, None where there is none."""
        cells = self._cells_in(row)
        return self._first_in(cells[0]) if cells else None

    def last_of(self, row: int) -> int | None:
        """The first node of the last cell of a screen row, None where there is none."""
        cells = self._cells_in(row)
        return self._first_in(cells[-1]) if cells else None

    def index_at(self, x: int, y: int) -> int | None:
        """The first node of the cell under a position, None where there is none."""
        cells = self._cells_in(y + self.scroll_offset.y)
        number = (x - self.lead) // self._layout.step
        return self._first_in(cells[number]) if x >= self.lead and number < len(cells) else None

    # Actions

    def action_move(self, by: int) -> None:
        """Move by cells."""
        cell = self.cell_of(self._cursor)
        if cell is not None:
            self._go(self._first_in(min(max(cell + by, 0), self.grid.cells - 1)))

    def action_move_row(self, by: int) -> None:
        """Go so many rows on, keeping the place in the row where the row is long enough."""
        cell = self.cell_of(self._cursor)
        if cell is not None:
            row = self.grid.row_of(cell)
            here, there = self.grid.cells_in(row), self.grid.cells_in(row + by)
            if there:
                self._go(self._first_in(there[min(cell - here.start, len(there) - 1)]))

    def action_zoom(self, by: int) -> None:
        """Zoom in or out."""
        layouts, layout = self._lay_out()
        self.zoom_to(layouts.stepped(layout.zoom, by))

    def action_fit(self) -> None:
        """Show all nodes at once."""
        self.zoom_to(None)

    def action_enter(self) -> None:
        """Look at the nodes of the cell with the cursor from nearer, as many as it has."""
        layouts, layout = self._lay_out()
        span = self.span(self._cursor) if self._cursor is not None else None
        if span is None:
            return
        zoom, first = layouts.nearer(layout.zoom, span[1] - span[0]), self._order.rows[span[0]]
        if zoom != layout.zoom:
            self.zoom_to(zoom)
            self._go(first)
            self.keep_on_top(first)

    def zoom_to(self, zoom: Zoom | None) -> None:
        """Zoom to a level; None shows all nodes."""
        self._zoom, self._top = zoom, None
        self._lay_out_again()
        self._on_zoom()

    def on_click(self, event: events.Click) -> None:
        """Zoom in on a cell on the second click."""
        if event.chain == 2 and self._all_zooms:
            event.prevent_default()
            if self._under(event) is not None:
                self.action_enter()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """With ctrl, zoom in."""
        self._wheel(event, 1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """With ctrl, zoom out."""
        self._wheel(event, -1)

    def _wheel(self, event: events.MouseEvent, by: int) -> None:
        if event.ctrl and self._all_zooms:
            event.stop()
            event.prevent_default()
            self.action_zoom(by)

    # Drawing

    def render_line(self, y: int) -> Strip:
        """One row: its label and its cells, or a line with a bar."""
        layout, row = self._layout, y + self.scroll_offset.y
        cells = self._cells_in(row)
        if not cells:
            return self._notice_line(y)
        looks = self._looks_of(row // layout.scale.pitch)
        line = Strip(list(self._segments(layout, cells, looks)))
        width = self.size.width
        return line.extend_cell_length(width).crop(0, width).apply_style(self.base)

    def _looks_of(self, row: int) -> Sequence[Look | Bar]:
        """How the cells of a row look; found for all rows in sight together."""
        if self._page is None or self._page.grid is not self.grid or row not in self._page.rows:
            top = min(self.scroll_offset.y, row)
            end = min(max(top + self.size.height, row + 1), self.grid.rows)
            self._page, self._drawn = Page(self._order, self.grid, range(top, end)), {}
        if row not in self._drawn:
            self._drawn = self._page.by_row(self.found, as_bars=self._layout.bars is not None)
        return self._drawn[row]

    def _segments(
        self, layout: Layout, cells: range, looks: Sequence[Look | Bar]
    ) -> Iterator[Segment]:
        palette = palette_of(self)
        pointed: dict[int | None, Style] = {
            self.cell_of(self._hover): HOVER,
            self.cell_of(self._cursor): palette.cursor,
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
                name = set_cell_size(self._names.node(self._first_in(cell)), self._names.number)
                style = palette.faint if look.role == "unlit" else palette.quiet
                beside = pointed.get(cell)
                yield Segment(cell_text(look.glyph, layout.scale.glyph), palette.role(look.role))
                yield Segment(" ")
                yield Segment(name, style if beside is None else palette.plain + beside)
                yield Segment(" " * NAME_GAP)
            return
        # Runs of equal cells as one segment; a cell that is pointed at is one of its own.
        gap = " " * layout.scale.gap
        for (look, beside), run in groupby(shown, lambda pair: (pair[1], pointed.get(pair[0]))):
            style = palette.role(look.role)
            text = gap.join(cell_text(look.glyph, layout.scale.glyph) for _ in run)
            yield Segment(text, style if beside is None else style + beside)
            yield Segment(gap)
