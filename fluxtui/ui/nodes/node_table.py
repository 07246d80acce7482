"""The node table: rows of nodes in any order, drawn by the line API; made only when drawn."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.strip import Strip

from fluxtui.answers.listing.lister import FoldedListing, Key
from fluxtui.answers.listing.rows import Head, Listing
from fluxtui.ui.kit.lines import columns_for
from fluxtui.ui.kit.palette import Palette, palette_of
from fluxtui.ui.nodes.listed_nodes import ListedNodes
from fluxtui.ui.nodes.nodes_view import HOVER, Handlers, Highlight
from fluxtui.ui.nodes.table_cells import Cells
from fluxtui.ui.nodes.table_columns import Column
from fluxtui.ui.nodes.table_layout import SIDE, Layout
from fluxtui.ui.nodes.table_looks import Looks

if TYPE_CHECKING:
    from fluxtui.answers.explain.properties import Standing

MARKS = 3  # the cursor, the match, a gap
FOLD = 2  # the sign of a row that can be opened, a gap
TITLES = 5  # rows that the titles of the marks may take where there are few
NODES = 9  # rows that longer titles leave to the nodes
CURSOR = "›"
CLOSED, OPEN = "▸", "▾"


class NodeTable(ListedNodes):
    """Draws a listing: whether the nodes of a row match, then its columns.

    The titles stay in place, and the first columns too where the others scroll sideways. What a
    click on a title asks for is told through on_sort. Which property has the title that the mouse
    is over is told through on_title, as it may be cut; a blank one is none.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "sideways(-1)", "Scroll left, close", show=False),
        Binding("right", "sideways(1)", "Scroll right, open", show=False),
        Binding("escape", "leave_rows", "Drop the filter, select nothing, leave", show=False),
        Binding("enter", "open_or_close", "Open or close", show=False),
    ]

    # Letters that do here what they say in the table, and not what they do in other panes.
    own_letters: ClassVar[Sequence[str]] = ("focus_constraint", "focus_shape")

    def __init__(self, handlers: Handlers, *, id: str) -> None:
        super().__init__(handlers, id=id)
        self.on_sort: Callable[[Key], None] = lambda key: None
        self.on_escape: Callable[[], bool] = lambda: False
        self.on_title: Callable[[str], None] = lambda name: None
        self._over = ""  # the property under whose title the mouse is
        self.key = Key()
        self._cells: Cells | None = None
        self._columns: tuple[Column, ...] = ()
        self._standings: Mapping[str, Standing] = {}
        self._found: tuple[object, Layout] | None = None
        self._looks = Looks(self.listing)

    # What is shown

    def show_nodes(self, cells: Cells) -> None:
        """Show another cluster."""
        self._count, self._cells = cells.resources.node_count, cells
        self._cursor = self._hover = self._top = self._row = None
        self._near = 0
        self.end_drag()
        self.scroll_to(0, 0, animate=False)

    def show_listing(self, listing: Listing, key: Key, columns: tuple[Column, ...]) -> None:
        """Show other rows; the cursor stays on its node where that is listed."""
        self.put_listing(listing)
        self.key, self._columns = key, columns
        self._looks = Looks(listing, self._lights, self._dark)
        if self._cells is not None:
            self._cells.show(listing)
        self._lay_out()
        self.keep_in_view()

    def show_standings(self, standings: "Mapping[str, Standing]") -> None:
        """Say what the constraint asks of each property that it names."""
        if standings != self._standings:
            self._standings = standings
            self.refresh()

    def show_lights(
        self, lights: tuple[Highlight, ...], dark: Highlight, mask: int, selected: int
    ) -> None:
        """Highlight nodes (see the base); rows alone that look another way are painted."""
        before, self._looks = self._looks, Looks(self.listing, lights, dark)
        self._looks.before = before
        super().show_lights(lights, dark, mask, selected)

    def _refresh_changed(self, before: tuple[Highlight, ...]) -> None:
        top = self.scroll_offset.y
        known = self._looks.before
        all_change = self.listing.is_folded or any(c.name == "match" for c in self._columns)
        self.refresh_rows(
            row + self.header_rows
            for row in range(top, min(top + self.size.height, self.row_count))
            if all_change or known is None or known.at(row) != self._looks.at(row)
        )

    def _lay_out(self) -> None:
        """Be as large as the rows and the columns."""
        self._found = None
        rows = self.row_count + self.header_rows
        self.virtual_size = Size(self.layout_of_columns.width, rows)
        self.refresh()

    def on_resize(self) -> None:
        """Place the columns anew; the base keeps the cursor in view."""
        self._lay_out()

    @property
    def layout_of_columns(self) -> Layout:
        """Where the columns stand at the present size.

        Worked out when it is looked at, so that the first frame after a resize is already right.
        """
        cells = self._cells
        names = cells.names if cells is not None else ()
        asked = (self.size, self.row_count, self._columns, names)
        if self._found is None or self._found[0] != asked:
            room = columns_for(self, self.row_count + 1)
            height = self.size.height
            rows = max(height // 3, TITLES), min(height // 2, height - NODES)
            needs = {c.name: cells.needs(c.name) for c in self._columns if cells and c.grows}
            self._found = asked, Layout(self._columns, names, self.lead, room, rows, needs)
        return self._found[1]

    @property
    def header_rows(self) -> int:  # type: ignore[override]  # as many as the titles take
        """The rows of the titles."""
        return self.layout_of_columns.height

    @property
    def lead(self) -> int:
        """How many columns stand before the first one of the table."""
        return MARKS + (FOLD if self.listing.is_folded else 0)

    def values_at(self, index: int) -> Sequence[str]:
        """What stands in the columns of a node's row, but for the marks; nothing if in no row."""
        row, cells = self.row_of(index), self._cells
        if row is None or cells is None:
            return ()
        return tuple(cells.text(c.name, row) for c in self._columns if not c.is_marks)

    # Opening and closing, and sideways

    def _head(self) -> Head | None:
        """What the row with the cursor stands for; a single node cannot be opened."""
        head = self.listing.head(self._row) if self._row is not None else None
        return head if head is not None and head.size > 1 else None

    def put_open(self, row: int, is_open: bool) -> None:
        """Open the row of a class to its nodes, or close it."""
        if isinstance(self.listing, FoldedListing):
            self.listing.put_open(row, is_open)
            self.show_listing(self.listing, self.key, self._columns)
            self._row = self.listing.head_at(row)

    def action_open_or_close(self) -> None:
        """Open the row to its nodes, or close it."""
        head = self._head()
        if head is not None and self._row is not None:
            self.put_open(self._row, not head.is_open)

    async def action_leave_rows(self) -> None:
        """List all nodes again; where that is done, select nothing or leave."""
        if not self.on_escape():
            await self.run_action("app.do('unselect')")

    def action_sideways(self, by: int) -> None:
        """Open what is closed, or close it; else scroll sideways."""
        head, row = self._head(), self._row
        scrolled = by < 0 and self.scroll_offset.x > 0
        if row is not None and head is not None and head.is_open != (by > 0) and not scrolled:
            self.put_open(row, by > 0)
        elif (
            row is not None and head is None and self.listing.is_folded and by < 0 and not scrolled
        ):
            above = self.listing.head_at(row)
            self.go_to_row(row if above is None else above)
        else:
            self.scroll_relative(x=by * SIDE, animate=False)

    def on_click(self, event: events.Click) -> None:
        """Sort by the title under the mouse, open or close a row by its sign, else go there."""
        event.prevent_default()  # what the base does with it
        offset = event.get_content_offset(self)
        if offset is None or self._dragged:
            return
        row = self._row_at(offset.y)
        if row is None:
            is_title = offset.y < self.header_rows and bool(self._count)
            key = self.layout_of_columns.at(offset.x, self.scroll_offset.x) if is_title else None
            if key is not None:
                self.on_sort(key)
            return
        self.go_to_row(row)
        if event.ctrl or event.meta:
            self.action_toggle_selected()
        elif self.listing.is_folded and MARKS - 1 <= offset.x < self.lead:
            self.action_open_or_close()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Tell of the title under the mouse; the base tells of the node."""
        offset = event.get_content_offset(self)
        is_title = offset is not None and offset.y < self.header_rows and bool(self._count)
        key = None
        if offset is not None and is_title:
            key = self.layout_of_columns.at(offset.x, self.scroll_offset.x)
        self._go_over(key.name if key is not None else "")

    def on_leave(self) -> None:
        """The mouse is over no title."""
        self._go_over("")

    def _go_over(self, name: str) -> None:
        if name != self._over:
            self._over = name
            self.on_title(name)

    # The drawing

    def render_line(self, y: int) -> Strip:
        """The titles, or one row."""
        width = self.size.width
        style = palette_of(self)
        scrolled = self.scroll_offset.x
        if y < self.header_rows and self._count:
            titles = self.layout_of_columns.titles(y, scrolled, self.key, self._standings, style)
            line = Strip([Segment(" " * self.lead), *titles])
            return line.crop_extend(0, width, None).apply_style(self.base)
        row = self._row_at(y)
        if row is None or self._cells is None:
            return self._notice_line(y)
        line = Strip(self._row_line(row, style)).crop_extend(0, width, None)
        if row == self._row:
            line = line.apply_style(style.selected)
        elif self._hover is not None and row == self.row_of(self._hover):
            line = line.apply_style(HOVER)
        return line.apply_style(self.base)

    def _row_line(self, row: int, style: Palette) -> list[Segment]:
        assert self._cells is not None
        look = self._looks.at(row)
        plain = style.faint if self._lights and look.role == "faint" else style.plain
        head = self.listing.head(row) if self.listing.is_folded else None
        lead = [
            Segment(CURSOR if row == self._row else " ", style.strong),
            Segment(look.glyph if self._lights else " ", look.style(style)),
            Segment(" "),
        ]
        if self.listing.is_folded:
            sign = " "
            if head is not None and head.size > 1:
                sign = OPEN if head.is_open else CLOSED
            lead.append(Segment(sign + " ", style.quiet))
        scrolled = self.scroll_offset.x
        layout = self.layout_of_columns
        return lead + layout.row(self._cells, row, scrolled, self._standings, plain, style)
