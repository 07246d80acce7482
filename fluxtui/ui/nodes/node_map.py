"""The node map: cells of one node or of many, by the line API, so a million cost what ten do."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import ClassVar

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
from fluxtui.ui.kit.wording import fitted
from fluxtui.ui.nodes.highlights import FULL, Highlight
from fluxtui.ui.nodes.map_colours import Names, order_by_rank
from fluxtui.ui.nodes.map_layout import GUTTER, NAME_GAP, Grid, Layout, Layouts, Room, Zoom
from fluxtui.ui.nodes.map_looks import Bar, Page, bar_segments, bars, cell_text
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
            "Zoom in on this cell; a double click does too",
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
        self._on_zoom = on_zoom
        self._frame = frame
        self._all_zooms = all_zooms
        self._order = Order(range(0))
        self._names = Names(Resources(), self._order)
        self._zoom: Zoom | None = None  # None shows all nodes at once
        self._laid_out: tuple[Size, Layouts, Layout] | None = None
        self._grounds: tuple[Highlight, ...] = ()
        self._bright = 0
        self._page: Page | None = None  # the rows in sight
        self._drawn: dict[int, Sequence[Highlight] | Sequence[Bar]] = {}

    # Display

    def show_cluster(self, cluster: Cluster) -> None:
        """Show the nodes of a cluster, all at once, by their ranks."""
        order = order_by_rank(cluster)
        self._count = order.count
        self._cursor = self._hover = self._top = self._zoom = None
        self._grounds = ()
        self.show_order(order, Names(cluster.resources, order))
        self.scroll_to(0, 0, animate=False)

    def show_order(self, order: Order, names: Names) -> None:
        """Show the same nodes in another order."""
        self._order, self._names = order, names
        self.end_drag()
        self._lay_out_again()

    def show_lights(
        self,
        lights: tuple[Highlight, ...],
        dark: Highlight,
        mask: int,
        selected: int,
        grounds: tuple[Highlight, ...] = (),
        bright: int = 0,
    ) -> None:
        """Highlight nodes, and repaint the rows that look different for it.

        Where no light is over a node it shows its value: one of the grounds, which are disjoint;
        bright are the nodes that stand out. Without grounds it shows the lights alone.
        """
        self._mask, self._selected = mask, selected
        self.lights, self.dark = lights, dark
        self._grounds, self._bright = grounds, bright
        before, page = self._drawn, self._page
        if page is None or page.grid is not self.grid or not self.is_on_screen:
            self._drawn = {}
            self.refresh()
            return
        self._drawn = self._find_looks(page)
        pitch = self._layout.scale.pitch
        self.refresh_rows(r * pitch for r, looks in self._drawn.items() if before.get(r) != looks)

    # Zoom and layout

    @property
    def _layout(self) -> Layout:
        return self._find_layout()[1]

    def _find_layout(self) -> tuple[Layouts, Layout]:
        """Worked out when it is looked at, so that the first frame of a new size is right."""
        height = (self._frame or self).size.height
        size = Size(self.size.width, height)
        if self._laid_out is None or self._laid_out[0] != size:
            names = self._names
            room = Room(size.width, height, names.label, names.number, names.title)
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

    def _first_in(self, cell: int) -> int:
        return self._order.rows[self.grid.span(cell)[0]]

    def _cells_in(self, row: int) -> range:
        """The cells in a screen row; none in one between two rows of cells."""
        number, between = divmod(row, self._layout.scale.pitch)
        return self.grid.cells_in(number) if not between else range(0)

    def row_of(self, index: int) -> int | None:
        """The screen row of a node, None where it has none."""
        cell = self.cell_of(index)
        return self.grid.row_of(cell) * self._layout.scale.pitch if cell is not None else None

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

    def nodes_at(self, index: int) -> int:
        """The nodes of the cell that holds this one."""
        cell = self.cell_of(index)
        return self._order.nodes(*self.grid.span(cell)) if cell is not None else 0

    def nodes_between(self, begin: int, end: int) -> int:
        """The nodes of the cells from that of one node to that of another, in the order shown."""
        cells = [cell for cell in (self.cell_of(begin), self.cell_of(end)) if cell is not None]
        if not cells:
            return 0
        return self._order.nodes(self.grid.span(min(cells))[0], self.grid.span(max(cells))[1])

    # Actions

    def action_move(self, by: int) -> None:
        """Move by cells."""
        cell = self.cell_of(self._cursor)
        if cell is not None:
            self._go(self._first_in(min(max(cell + by, 0), self.grid.cells - 1)))

    def action_move_row(self, by: int) -> None:
        """Go so many rows on, keeping the place in the row where the row is long enough."""
        cell = self.cell_of(self._cursor)
        if cell is None:
            return
        row = self.grid.row_of(cell)
        here, there = self.grid.cells_in(row), self.grid.cells_in(row + by)
        if there:
            self._go(self._first_in(there[min(cell - here.start, len(there) - 1)]))

    def action_next_match(self, by: int) -> None:
        """Go to the next cell with a node that matches, or the one before, round at the ends."""
        cell = self.cell_of(self._cursor)
        if cell is None or not self._mask:
            return
        start, stop = self.grid.span(cell)
        following, mask = self._order.following, self._mask
        if by > 0:
            places = (following(mask, at, 1) for at in (stop - 1, -1))
        else:
            places = (following(mask, at, -1) for at in (start, self._order.count))
        place = next((place for place in places if place is not None), None)
        if place is not None:
            self._go(self._order.rows[place])

    def action_zoom(self, by: int) -> None:
        """Zoom in or out."""
        layouts, layout = self._find_layout()
        self.zoom_to(layouts.stepped(layout.zoom, by))

    def action_fit(self) -> None:
        """Show all nodes at once."""
        self.zoom_to(None)

    def action_enter(self) -> None:
        """Look at the nodes of the cell with the cursor from nearer, as many as it has."""
        layouts, layout = self._find_layout()
        cell = self.cell_of(self._cursor)
        if cell is None:
            return
        start, stop = layout.grid.span(cell)
        zoom = layouts.nearer(layout.zoom, stop - start)
        if zoom is not None:
            self.zoom_to(zoom)
            self._go(self._order.rows[start])
            self.keep_on_top(self._order.rows[start])

    def zoom_to(self, zoom: Zoom | None) -> None:
        """Zoom to a level; None shows all nodes."""
        self._zoom, self._top = zoom, None
        self._lay_out_again()
        self._on_zoom()

    def on_click(self, event: events.Click) -> None:
        """Zoom in on a cell on the second click."""
        offset = event.get_content_offset(self)
        if event.chain == 2 and self._all_zooms and offset is not None:
            if self.index_at(*offset) is not None:
                self.action_enter()
            event.prevent_default()

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

    def _find_looks(self, page: Page) -> dict[int, Sequence[Highlight] | Sequence[Bar]]:
        if self._layout.bars is None:
            looks = page.looks(self.lights, self.dark, self._grounds, self._bright)
            return dict(page.by_row(looks))
        nothing_asked = self.dark.glyph in FULL
        mask = None if nothing_asked else self._bright if self._grounds else self._mask
        return dict(page.by_row(bars(page, self.lights, self.dark, self._grounds, mask)))

    def _looks_of(self, row: int) -> Sequence[Highlight] | Sequence[Bar]:
        """How the cells of a row look; found for all rows in sight together."""
        if self._page is None or self._page.grid is not self.grid or row not in self._page.rows:
            top = min(self.scroll_offset.y, row)
            end = min(max(top + self.size.height, row + 1), self.grid.rows)
            self._page, self._drawn = Page(self._order, self.grid, range(top, end)), {}
        if row not in self._drawn:
            self._drawn = self._find_looks(self._page)
        return self._drawn[row]

    def render_line(self, y: int) -> Strip:
        """One row: its label and its cells, or the lines with bars that are beside each other."""
        width = self.size.width
        layout = self._layout
        row = y + self.scroll_offset.y
        cells = self._cells_in(row)
        if not cells:
            return self._notice_line(y)
        looks = self._looks_of(row // layout.scale.pitch)
        line = Strip(list(self._segments(layout, cells, looks)))
        return line.extend_cell_length(width).crop(0, width).apply_style(self.base)

    def _segments(
        self, layout: Layout, cells: range, looks: Sequence[Highlight] | Sequence[Bar]
    ) -> Iterator[Segment]:
        palette = palette_of(self)
        pointed: dict[int | None, Style] = {
            self.cell_of(self._hover): HOVER,
            self.cell_of(self._cursor): palette.cursor,
        }
        if layout.bars is not None:
            for cell, bar in zip(cells, looks, strict=True):
                assert isinstance(bar, Bar)
                name = self._names.block(*layout.grid.span(cell))
                yield from bar_segments(name, bar, layout.bars, palette, pointed.get(cell))
            return
        label, is_section = self._names.row(layout.grid.span(cells[0])[0])
        style = palette.plain if is_section else palette.quiet
        yield Segment(fitted(label, layout.lead - GUTTER) + " " * GUTTER, style)
        lights = [light for light in looks if isinstance(light, Highlight)]
        if layout.zoom.kind == "names":
            for cell, light in zip(cells, lights, strict=True):
                name = set_cell_size(self._names.node(self._first_in(cell)), self._names.number)
                style = palette.faint if light.role == "unlit" else palette.quiet
                beside = pointed.get(cell)
                yield Segment(cell_text(light.glyph, layout.scale.glyph), light.style(palette))
                yield Segment(" ")
                yield Segment(name, style if beside is None else palette.plain + beside)
                yield Segment(" " * NAME_GAP)
            return
        # Runs of equal cells as one segment; a cell that is pointed at is one of its own.
        gap = " " * layout.scale.gap
        runs = groupby(
            zip(cells, lights, strict=True), lambda pair: (id(pair[1]), pointed.get(pair[0]))
        )
        for (_, beside), run in runs:
            found = [light for _, light in run]
            style = found[0].style(palette)
            text = gap.join([cell_text(found[0].glyph, layout.scale.glyph)] * len(found))
            yield Segment(text, style if beside is None else style + beside)
            yield Segment(gap)
