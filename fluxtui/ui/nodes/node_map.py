"""The node map: cells of one node or of many, by the line API, so a million cost what ten do."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, islice
from typing import ClassVar, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from fluxtui.answers.listing.rows import Order
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import printable
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.nodes import map_looks as map_bars
from fluxtui.ui.nodes.map_layout import (
    GUTTER,
    NAME_GAP,
    STEP,
    Grid,
    Layout,
    Layouts,
    Room,
    Zoom,
    order_by_rank,
)
from fluxtui.ui.nodes.map_looks import FULL, Page
from fluxtui.ui.nodes.nodes_view import HOVER, Handlers, Highlight, SelectableNodes
from fluxtui.workbench import Cluster

LABEL_LIMIT = 18
TITLE_LIMIT = 30
NUMBER_LIMIT = 8
SAMPLE = 256  # ranges or sections looked at to find how wide the names are

_LAST_NUMBER = re.compile(r"([0-9]+)[^0-9]*\Z")


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

    def show_cluster(self, cluster: Cluster) -> None:
        """Show the nodes of a cluster, by their ranks."""
        order = order_by_rank(cluster)
        self.show_nodes(order.count, order, names_in(cluster.resources, order, by_name=False))

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


class NodeMap(CellsView):
    """Draws which nodes match. Names are asked for only where they are drawn."""

    def __init__(
        self,
        handlers: Handlers,
        on_zoom: Callable[[], object] = lambda: None,
        *,
        id: str,
    ) -> None:
        super().__init__(handlers, on_zoom, id=id)
        self._page: Page | None = None  # the rows in sight
        self._drawn: dict[int, Sequence[Highlight] | Sequence[map_bars.Bar]] = {}
        self._grounds: tuple[Highlight, ...] = ()
        self._bright = 0

    def show_nodes(self, count: int, order: Order, names: Names) -> None:
        """Show another cluster: how many nodes, their order, and what they are called."""
        self._grounds = ()
        super().show_nodes(count, order, names)

    def _set_height(self) -> None:
        self._page = None
        super()._set_height()

    def put_grounds(self, grounds: tuple[Highlight, ...], bright: int) -> None:
        """From the next lights on, show a value of the nodes where no light is over them.

        grounds are disjoint, none show the lights alone; bright are the nodes that stand out.
        """
        self._grounds, self._bright = grounds, bright

    def show_lights(
        self, lights: tuple[Highlight, ...], dark: Highlight, mask: int, selected: int
    ) -> None:
        """Highlight nodes, and paint the rows that look different for it."""
        self._mask, self._selected = mask, selected
        self._lights, self._dark = lights, dark
        self._look_again()

    # Drawing

    def _look_again(self) -> None:
        """Paint the rows that look different by now."""
        before, page = self._drawn, self._page
        if page is None or page.grid is not self.grid or not self.is_on_screen:
            self._drawn = {}
            self.refresh()
            return
        self._drawn = self._find_looks(page)
        self.refresh_rows(row for row, looks in self._drawn.items() if before.get(row) != looks)

    def _find_looks(self, page: Page) -> dict[int, Sequence[Highlight] | Sequence[map_bars.Bar]]:
        if self._layout.bars is None:
            looks = page.looks(self._lights, self._dark, self._grounds, self._bright)
            return dict(page.by_row(looks))
        everything = self._dark.glyph in FULL
        mask = None if everything else self._bright if self._grounds else self._mask
        bars = map_bars.bars(page, self._lights, self._dark, self._grounds, mask)
        return dict(page.by_row(bars))

    def _looks_of(self, row: int) -> Sequence[Highlight] | Sequence[map_bars.Bar]:
        """How the cells of a row look; found for all rows in sight together."""
        if self._page is None or self._page.grid is not self.grid or row not in self._page.rows:
            top = min(self.scroll_offset.y, row)
            end = min(max(top + self.size.height, row + 1), self.row_count)
            self._page, self._drawn = Page(self._order, self.grid, range(top, end)), {}
        if row not in self._drawn:
            self._drawn = self._find_looks(self._page)
        return self._drawn[row]

    def render_line(self, y: int) -> Strip:
        """One row: its label and its cells, or the lines with bars that stand beside each other."""
        width = self.size.width
        layout = self._layout
        row = y + self.scroll_offset.y
        cells = layout.grid.cells_in(row)
        if not cells:
            return self._notice_line(y)
        line = Strip(list(self._segments(layout, cells, self._looks_of(row))))
        return line.extend_cell_length(width).crop(0, width).apply_style(self.base)

    def _segments(
        self, layout: Layout, cells: range, looks: Sequence[Highlight] | Sequence[map_bars.Bar]
    ) -> Iterator[Segment]:
        palette = palette_of(self)
        pointed = self._pointed()
        if layout.bars is not None:
            for cell, bar in zip(cells, looks, strict=True):
                assert isinstance(bar, map_bars.Bar)
                name = self._names.block(*layout.grid.span(cell))
                yield from map_bars.segments(name, bar, layout.bars, palette, pointed.get(cell))
            return
        label, is_section = self._names.row(layout.grid.span(cells[0])[0])
        style = palette.plain if is_section else palette.quiet
        yield Segment(map_bars.fitted(label, layout.lead - GUTTER) + " " * GUTTER, style)
        seen = [light for light in looks if isinstance(light, Highlight)]
        if layout.zoom.kind == "names":
            yield from self._named(layout, cells, seen, pointed)
        else:
            yield from self._cells(cells, seen, pointed)

    def _cells(
        self, cells: range, looks: Sequence[Highlight], pointed: dict[int, Style]
    ) -> Iterator[Segment]:
        """Runs of equal cells as one segment; a cell that is pointed at is one of its own."""
        palette = palette_of(self)
        runs = groupby(
            zip(cells, looks, strict=True), lambda pair: (id(pair[1]), pointed.get(pair[0]))
        )
        for (_, beside), run in runs:
            found = [light for _, light in run]
            style = found[0].style(palette)
            if beside is None:
                yield Segment(" ".join(found[0].glyph * len(found)), style)
                yield Segment(" ")
            else:
                yield Segment(found[0].glyph, style + beside)
                yield Segment(" ")

    def _named(
        self, layout: Layout, cells: range, looks: Sequence[Highlight], pointed: dict[int, Style]
    ) -> Iterator[Segment]:
        """Each cell with the name of its node beside it."""
        palette = palette_of(self)
        width = layout.step - STEP - NAME_GAP
        for cell, light in zip(cells, looks, strict=True):
            name = set_cell_size(self._names.number(self.first_in(cell)), width)
            style = palette.faint if light.role == "faint" else palette.quiet
            beside = pointed.get(cell)
            yield Segment(light.glyph, light.style(palette))
            yield Segment(" ")
            yield Segment(name, style if beside is None else palette.plain + beside)
            yield Segment(" " * NAME_GAP)

    def _pointed(self) -> dict[int, Style]:
        """The cells with the cursor and under the mouse, and what their look gets beside."""
        found: dict[int, Style] = {}
        for index, style in ((self._hover, HOVER), (self._cursor, palette_of(self).cursor)):
            cell = self.cell_of(index) if index is not None else None
            if cell is not None:
                found[cell] = style
        return found


def label_width(resources: Resources) -> int:
    """The columns that the names of the nodes take."""
    ranges = islice(resources.hosts.walk(), SAMPLE)
    return min(max((cell_len(printable(r.name(r.last))) for r in ranges), default=0), LABEL_LIMIT)


def names_in(resources: Resources, order: Order, *, by_name: bool) -> Names:
    """What stands beside the nodes of an order; by_name where its sections have telling names."""
    label = label_width(resources) or len(str(resources.ranks.last if resources.ranks else ""))
    number, number_width = _numbers(resources)
    title = label + number_width + len("[-]")
    if by_name:
        sections = islice(order.sections, SAMPLE)
        title = max((cell_len(printable(section.name)) for section in sections), default=0)
        label = max(label, min(title, LABEL_LIMIT))
        title = max(title, label)
    rows = _Rows(resources, order, by_name=by_name)
    widths = (label, number_width, min(title, TITLE_LIMIT))
    return Names(rows.row, number, rows.block, widths)


def _numbers(resources: Resources) -> tuple[Callable[[int], str], int]:
    """A short name for each node by index, and how wide it is; no columns where none is short.

    It is the number in the host's name where the hosts are numbered, else the rank.
    """
    widest = 0
    for names in islice(resources.hosts.walk(), SAMPLE):
        found = _LAST_NUMBER.search(names.name(names.last))
        if found is None:
            break
        widest = max(widest, len(found[1]))
    else:
        if widest and resources.hosts.count >= resources.node_count:
            return _number_of(resources), widest if widest <= NUMBER_LIMIT else 0
    width = len(str(resources.ranks.last)) if resources.node_count else 0
    return (lambda index: str(resources.rank(index))), width if width <= NUMBER_LIMIT else 0


def _number_of(resources: Resources) -> Callable[[int], str]:
    def number(index: int) -> str:
        host = resources.host(index)
        found = _LAST_NUMBER.search(host)
        return found[1] if found is not None else ""

    return number


class _Rows:
    """The names of rows and of blocks; those of blocks are found once."""

    def __init__(self, resources: Resources, order: Order, *, by_name: bool) -> None:
        self._resources = resources
        self._order = order
        self._by_name = by_name
        self._blocks: dict[tuple[int, int], str] = {}

    def row(self, place: int) -> tuple[str, bool]:
        """The section that begins at a place, where it has a name; else the node there."""
        if self._by_name:
            section = self._order.sections[self._order.section_at(place)]
            if section.start == place:
                return printable(section.name), True
        index = self._order.rows[place]
        return printable(self._resources.host(index)) or str(self._resources.rank(index)), False

    def block(self, start: int, stop: int) -> str:
        """The hosts of the places from start up to stop, or the name of that section."""
        if (start, stop) not in self._blocks:
            self._blocks[start, stop] = self._found(start, stop)
        return self._blocks[start, stop]

    def _found(self, start: int, stop: int) -> str:
        if self._order.is_by_rank:
            nodes = self._order.nodes(start, stop)
            hosts = self._resources.hosts_of(nodes, limit=1)
            return printable(hosts) or f"ranks {self._resources.ranks_text(nodes, limit=1)}"
        section = self._order.sections[self._order.section_at(start)]
        whole = (section.start, section.stop) == (start, stop)
        return printable(section.name) if whole and section.name else self.row(start)[0]
