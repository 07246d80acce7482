"""A view of nodes in cells, in an order: where each node stands, how near, and how one moves.

A place is a row of the order; a row is one of the screen (see `cells`).
"""

from collections.abc import Callable
from typing import ClassVar, NamedTuple

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.widget import Widget

from fluxtui.answers.listing.rows import Order
from fluxtui.ui.nodes.cells import Grid, Zoom
from fluxtui.ui.nodes.map_layout import Layout, Layouts, Room
from fluxtui.ui.nodes.nodes_view import Handlers, SelectableNodes


class Names(NamedTuple):
    """What stands beside the cells, each asked for only when it is drawn.

    row     before a row that begins with a place, and whether it is the name of a section
    number  beside a node, short, by its index
    block   before the bar of the places from one up to another
    widths  the columns these take
    """

    row: Callable[[int], tuple[str, bool]]
    number: Callable[[int], str]
    block: Callable[[int, int], str]
    widths: tuple[int, int, int]


NAMELESS = Names(lambda place: ("", False), str, lambda start, stop: "", (0, 0, 0))


class CellsView(SelectableNodes):
    """Nodes in cells, in rows that begin anew with each section of the order.

    on_zoom is called when cells mean another number of nodes than before.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "move(-1)", "Previous cell", show=False),
        Binding("right", "move(1)", "Next cell", show=False),
        Binding("plus,equals_sign", "zoom(1)", "Zoom in", show=False),
        Binding("minus,underscore", "zoom(-1)", "Zoom out", show=False),
        Binding("z", "fit", "All nodes", show=False),
        Binding("enter", "enter", "Zoom in here", show=False),
    ]

    own_letters = ("focus_constraint",)  # a slash is for the map
    all_zooms = True  # else cells alone, without names
    frame: Widget | None = None  # whose height counts where something else is in it for a while

    def __init__(
        self,
        handlers: Handlers,
        on_zoom: Callable[[], object] = lambda: None,
        *,
        id: str,
    ) -> None:
        super().__init__(handlers, id=id)
        self._on_zoom = on_zoom
        self._order = Order(range(0))
        self._names = NAMELESS
        self._zoom: Zoom | None = None  # None shows all nodes at once
        self._laid_out: tuple[Size, Layouts, Layout] | None = None

    def show_nodes(self, count: int, order: Order, names: Names) -> None:
        """Show another cluster: how many nodes, their order, and what they are called."""
        self._count = count
        self._cursor = self._hover = self._top = None
        self._zoom = None
        self._put(order, names)
        self.scroll_to(0, 0, animate=False)

    def show_order(self, order: Order, names: Names) -> None:
        """Show the same nodes in another order."""
        self._put(order, names)
        self.call_after_refresh(self.keep_in_view)

    def _put(self, order: Order, names: Names) -> None:
        self._order, self._names = order, names
        self.end_drag()
        self._lay_out_again()

    # How near, and where the cells stand

    @property
    def zoom(self) -> Zoom:
        """How near the nodes are looked at."""
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

    @property
    def per_row(self) -> int:
        """How many cells a full row holds at the present width."""
        return self.grid.per_row

    @property
    def _layout(self) -> Layout:
        return self._find_layout()[1]

    def _find_layout(self) -> tuple[Layouts, Layout]:
        """Worked out when it is looked at, so that the first frame of a new size is right."""
        height = self.frame.size.height if self.frame is not None else self.size.height
        size = Size(self.size.width, height)
        if self._laid_out is None or self._laid_out[0] != size:
            label, number, title = self._names.widths
            room = Room(size.width, size.height, label, number, title)
            layouts = Layouts(self._order, room, all_zooms=self.all_zooms)
            layout = layouts.of(self._zoom) if self._zoom is not None else layouts.fitting
            self._laid_out = (size, layouts, layout)
        return self._laid_out[1:]

    def _lay_out_again(self) -> None:
        self._laid_out = None
        self._set_height()

    def on_resize(self) -> None:
        """Scroll by the rows of the new width."""
        self._set_height()
        self._on_zoom()

    def _set_height(self) -> None:
        self.virtual_size = Size(self.size.width, self.row_count)
        self.refresh()

    # From nodes to cells and back

    @property
    def row_count(self) -> int:
        """How many rows of cells there are."""
        return self.grid.rows

    def cell_of(self, index: int) -> int | None:
        """The cell that holds a node; None where the order does not hold it."""
        place = self._order.row(index)
        return self.grid.cell_at(place) if place is not None else None

    def first_in(self, cell: int) -> int:
        """The first node of a cell."""
        return self._order.rows[self.grid.span(cell)[0]]

    def row_of(self, index: int) -> int | None:
        """The row that shows a node, None where none does."""
        cell = self.cell_of(index)
        return self.grid.row_of(cell) if cell is not None else None

    def first_of(self, row: int) -> int | None:
        """The first node of a row, None where there is no such row."""
        cells = self.grid.cells_in(row)
        return self.first_in(cells[0]) if cells else None

    def last_of(self, row: int) -> int | None:
        """The first node of the last cell of a row, None where there is no such row."""
        cells = self.grid.cells_in(row)
        return self.first_in(cells[-1]) if cells else None

    def index_at(self, x: int, y: int) -> int | None:
        """The first node of the cell under a position, None where there is none."""
        cells = self.grid.cells_in(y + self.scroll_offset.y)
        number = (x - self.lead) // self._layout.step
        return self.first_in(cells[number]) if x >= self.lead and number < len(cells) else None

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

    # What a person does

    def action_move(self, by: int) -> None:
        """Go so many cells on."""
        cell = self._cell_of_cursor
        if cell is not None:
            self._go(self.first_in(min(max(cell + by, 0), self.grid.cells - 1)))

    def action_move_row(self, by: int) -> None:
        """Go so many rows on, keeping the place in the row where the row is long enough."""
        cell = self._cell_of_cursor
        if cell is None:
            return
        row = self.grid.row_of(cell)
        here, there = self.grid.cells_in(row), self.grid.cells_in(row + by)
        if there:
            self._go(self.first_in(there[min(cell - here.start, len(there) - 1)]))

    def action_next_match(self, by: int) -> None:
        """Go to the next cell with a node that matches, or the one before, round at the ends."""
        cell = self._cell_of_cursor
        if cell is None or not self._mask:
            return
        start, stop = self.grid.span(cell)
        if by > 0:
            place = self._order.following(self._mask, stop - 1, 1)
            place = self._order.following(self._mask, -1, 1) if place is None else place
        else:
            place = self._order.following(self._mask, start, -1)
            if place is None:
                place = self._order.following(self._mask, self._order.count, -1)
        if place is not None:
            self._go(self._order.rows[place])

    @property
    def _cell_of_cursor(self) -> int | None:
        return self.cell_of(self._cursor) if self._cursor is not None else None

    def action_zoom(self, by: int) -> None:
        """Look from nearer, or from farther."""
        layouts, layout = self._find_layout()
        self.zoom_to(layouts.stepped(layout.zoom, by))

    def action_fit(self) -> None:
        """Show all nodes at once."""
        self.zoom_to(None)

    def action_enter(self) -> None:
        """Look at the nodes of the cell with the cursor from nearer, as many as it has."""
        layouts, layout = self._find_layout()
        cell = self._cell_of_cursor
        if cell is None:
            return
        start, stop = layout.grid.span(cell)
        zoom = layouts.nearer(layout.zoom, stop - start)
        if zoom is not None:
            self.zoom_to(zoom)
            self._go(self._order.rows[start])
            self.keep_on_top(self._order.rows[start])

    def zoom_to(self, zoom: Zoom | None) -> None:
        """Look from so near; None shows all nodes at once."""
        self._zoom, self._top = zoom, None
        self._lay_out_again()
        self.call_after_refresh(self.keep_in_view)
        self._on_zoom()

    def on_click(self, event: events.Click) -> None:
        """A second click on a cell looks at its nodes from nearer."""
        offset = event.get_content_offset(self)
        if event.chain == 2 and self.all_zooms and offset is not None:
            if self.index_at(*offset) is not None:
                self.action_enter()
            event.prevent_default()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """With ctrl, look from nearer."""
        self._wheel(event, 1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """With ctrl, look from farther."""
        self._wheel(event, -1)

    def _wheel(self, event: events.MouseEvent, by: int) -> None:
        if event.ctrl and self.all_zooms:
            event.stop()
            event.prevent_default()
            self.action_zoom(by)
