"""The node table: rows of nodes in any order, drawn by the line API; made only when drawn."""

from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar, Literal

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.strip import Strip

from fluxtui.answers.explain.properties import Standing
from fluxtui.answers.listing.lister import FoldedListing, Key
from fluxtui.answers.listing.rows import Head, Listing
from fluxtui.answers.matching import Matched
from fluxtui.model.resources.resource_set import Resources
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import columns_for
from fluxtui.ui.kit.palette import Palette, palette_of
from fluxtui.ui.kit.text import property_name
from fluxtui.ui.nodes.highlights import Highlights, state_style
from fluxtui.ui.nodes.nodes_view import HOVER, Handlers, SelectableNodes
from fluxtui.ui.nodes.table_cells import Cells
from fluxtui.ui.nodes.table_columns import Column, Layout, Piece, segments_of
from fluxtui.workbench import Cluster, Source

EMPTY = Cluster(Source(""), Resources())

LEAD = 3  # the cursor, the match, a gap
FOLD = 2  # the sign of a row that can be opened, a gap
TITLE_ROWS = 3  # that the titles take at the most
CURSOR = "›"
CLOSED, OPEN = "▸", "▾"
HAS, LACKS, UNWANTED = "●", "·", "✗"  # a property; one that is there and excluded


class NodeTable(SelectableNodes):
    """Draws a listing: whether the nodes of a row match, then its columns.

    A row is one node or several identical ones. If the node under the cursor is not listed, moving
    starts at the nearest row. Titles and the first columns stay in place while the others scroll.
    on_sort is called with the key of a clicked title, and on_escape before escape does anything
    else: it returns whether that was enough.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("table.left", "left", "sideways(-1)", ""),
        bind("table.right", "right", "sideways(1)", ""),
        bind("table.open", "enter", "open_or_close", "Open", "Open or close a folded row"),
        bind("table.leave", "escape", "leave_rows", "", "Clear the filter, then the selection"),
    ]

    def __init__(self, handlers: Handlers, *, id: str) -> None:
        super().__init__(handlers, id=id)
        self.on_sort: Callable[[Key], None] = lambda key: None
        self.on_escape: Callable[[], bool] = lambda: False
        self.nothing = ""  # shown when no node is listed
        self._key = Key()
        self._row: int | None = None  # of the cursor; None where its node is not listed
        self._near = 0  # where moving begins then
        self._cells = Cells(EMPTY, self.listing)
        self._columns: tuple[Column, ...] = ()
        self._standings: Mapping[str, Standing] = {}
        self._laid_out: tuple[Size, Layout] | None = None

    # Display

    def show_nodes(self, cluster: Cluster) -> None:
        """Show another cluster."""
        self.begin(cluster.resources.node_count)
        self._cells = Cells(cluster, self.listing)
        self._cells.show_lights(self.found)
        self._row, self._near = None, 0

    def refresh_cluster(self, cluster: Cluster) -> None:
        """Show the same nodes of a running Flux at a later moment."""
        self._cells.show_cluster(cluster)
        self.refresh()

    def show_listing(
        self, listing: Listing, key: Key, columns: tuple[Column, ...], *, from_top: bool = False
    ) -> None:
        """Show other rows; the cursor stays on its node where that is listed."""
        near = listing.near(self._cursor) if self._cursor is not None else None
        before = self._row if self._row is not None else self._near
        self._near = min(near if near is not None else before, max(listing.count - 1, 0))
        self._row = listing.row(self._cursor) if self._cursor is not None else None
        self.listing, self._key, self._columns = listing, key, columns
        self._cells.show(listing)
        self._lay_out()
        if from_top:
            self.scroll_to(y=0, animate=False)
        self.keep_in_view()

    def show_match(
        self, good: int, counted: Matched | None, standings: Mapping[str, Standing]
    ) -> None:
        """Say which nodes match, by which parts, and what is asked of each property named."""
        self._cells.show_match(good, counted)
        self._standings = standings
        self.refresh()

    def show_lights(self, found: Highlights) -> None:
        """Highlight nodes."""
        self._cells.show_lights(found)
        super().show_lights(found)

    def _lay_out(self) -> None:
        self._laid_out = None
        self.virtual_size = Size(self.columns.width, self.row_count + self.header_rows)
        self.refresh()

    def on_resize(self) -> None:
        """Place the columns again; the base class keeps the cursor in view."""
        self._lay_out()

    @property
    def columns(self) -> Layout:
        """Where the columns are at the present size.

        Worked out when it is looked at, so that the first frame after a resize is already right.
        """
        if self._laid_out is None or self._laid_out[0] != self.size:
            rows = min(max(self.size.height // 4, 1), TITLE_ROWS)
            needs = {c.name: self._cells.needs(c.name) for c in self._columns if c.most}
            room = columns_for(self, self.row_count + rows)
            self._laid_out = self.size, Layout(self._columns, self.lead, room, rows, needs)
        return self._laid_out[1]

    # Rows and nodes

    @property
    def header_rows(self) -> int:  # type: ignore[override]  # as many as the titles take
        """The rows of the titles."""
        return self.columns.height

    @property
    def lead(self) -> int:
        """How many columns come before the first one of the table."""
        return LEAD + (FOLD if self.listing.is_folded else 0)

    def row_of(self, index: int) -> int | None:
        """The row that shows a node, not counting the titles; None where none does."""
        if index == self._cursor and self._row is not None:
            return self._row
        return self.listing.row(index)

    def index_at(self, x: int, y: int) -> int | None:
        """The node under a position of the visible content, None where there is none."""
        row = self._row_at(y)
        return None if row is None else self.first_of(row)

    def _row_at(self, y: int) -> int | None:
        row = y - self.header_rows + self.scroll_offset.y
        return row if y >= self.header_rows and 0 <= row < self.row_count else None

    # The cursor

    def show_cursor(self, index: int | None) -> None:
        """Mark the row of the node with the cursor, and bring it into view."""
        row = None if index is None else self.row_of(index)
        if (index, row) == (self._cursor, self._row):
            return
        if row is None and self._row is not None:
            self._near = self._row
        self._put_cursor(index, row)

    def _put_cursor(self, index: int | None, row: int | None) -> None:
        self.refresh_rows(at + self.header_rows for at in (self._row, row) if at is not None)
        self._cursor, self._row, self._top = index, row, None
        self.scroll_to_cursor()

    def scroll_to_cursor(self) -> None:
        """Bring the row with the cursor into view; sideways everything stays."""
        if self._row is not None and self.size.height:
            region = Region(self.scroll_offset.x, self._row, 1, 1 + self.header_rows)
            self.scroll_to_region(region, animate=False, force=True)

    def go_to_row(self, row: int) -> None:
        """Go to a row; of one that stands for many nodes, the cursor is on the first of them."""
        index = self.first_of(min(max(row, 0), self.row_count - 1))
        if index is not None:
            # The first row of a class that is open has the same node as the class.
            self._put_cursor(index, min(max(row, 0), self.row_count - 1))
            self._go(index)

    def go_to_listed(self) -> None:
        """Go to the first row, unless the node with the cursor is in one."""
        if self._row is None:
            self.go_to_row(0)

    def action_move_row(self, by: int) -> None:
        """Go so many rows on; from a node that is not listed, to the nearest row."""
        self.go_to_row(self._near if self._row is None else self._row + by)

    def action_move_page(self, by: int) -> None:
        """Move by a page."""
        self.action_move_row(by * max(1, self.size.height - 1 - self.header_rows))

    def action_move_to_edge(self, by: int) -> None:
        """Go to the first or the last row."""
        self.go_to_row(0 if by < 0 else self.row_count - 1)

    def action_next_match(self, by: Literal[-1, 1]) -> None:
        """Go to the next row with a node that matches, or the one before; it goes round."""
        row = self._near - by if self._row is None else self._row
        found = self.listing.following(self.found.through, row, by)
        if found is None:
            found = self.listing.following(self.found.through, -1 if by > 0 else self.row_count, by)
        if found is not None:
            self.go_to_row(found)

    # Opening and closing, and sideways

    def _head(self, row: int | None) -> Head | None:
        """What a row is for; a single node cannot be opened."""
        head = self.listing.head(row) if row is not None else None
        return head if head is not None and head.size > 1 else None

    def _put_open(self, row: int, is_open: bool) -> None:
        if isinstance(self.listing, FoldedListing):
            self.listing.put_open(row, is_open)
            self.show_listing(self.listing, self._key, self._columns)
            self._row = self.listing.head_at(row)

    def action_open_or_close(self) -> None:
        """Open the row to its nodes, or close it."""
        head = self._head(self._row)
        if head is not None and self._row is not None:
            self._put_open(self._row, not head.is_open)

    def action_sideways(self, by: int) -> None:
        """Open what is closed, or close it; else scroll sideways."""
        head, row = self._head(self._row), self._row
        above = self.listing.head_at(row) if row is not None else None
        goes_back = by < 0 and self.scroll_offset.x > 0  # before anything is closed
        is_done = by > 0 if head is None else head.is_open == (by > 0)
        if row is None or above is None or goes_back or is_done:
            self.scroll_to(x=self.columns.scroll(self.scroll_offset.x, by), animate=False)
        elif head is None:
            self.go_to_row(above)
        else:
            self._put_open(row, by > 0)

    async def action_leave_rows(self) -> None:
        """Clear the filter, else clear the selection or go back."""
        if not self.on_escape():
            await self.run_action("app.do('unselect')")

    # The mouse

    def on_click(self, event: events.Click) -> None:
        """Sort by the title under the mouse, open or close a row by its sign, else go there."""
        event.prevent_default()  # as in the base class
        offset = event.get_content_offset(self)
        if offset is None or self._dragged:
            return
        row, column = self._row_at(offset.y), self._title_at(event)
        if column is not None and column.key is not None:
            self.on_sort(column.key)
        if row is None:
            return
        self.go_to_row(row)
        if event.ctrl or event.meta:
            self.action_toggle_selected()
        elif self.listing.is_folded and LEAD - 1 <= offset.x < self.lead:
            self.action_open_or_close()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Name the property whose title is under the mouse; the base cares for the node."""
        column = self._title_at(event)
        name = column.marked if column is not None else None
        self.tooltip = Text(property_name(name)) if name is not None else None

    def _title_at(self, event: events.MouseEvent) -> Column | None:
        offset = event.get_content_offset(self)
        if offset is None or offset.y >= self.header_rows or not self._count:
            return None
        return self.columns.at(*offset, self.scroll_offset.x)

    # The drawing

    def render_line(self, y: int) -> Strip:
        """The titles, or one row."""
        style, row = palette_of(self), self._row_at(y)
        if not self._count:
            return self._notice_line(y)
        if y < self.header_rows:
            scrolled = self.scroll_offset.x
            line = segments_of(self.columns.titles(y, scrolled, self._key, self._standings, style))
        elif row is not None:
            line = segments_of(self._pieces(row, style))
        else:
            hint = self.nothing if not self.row_count and y == self.header_rows + 1 else ""
            line = [Segment(" " * LEAD + hint, style.quiet)]
        strip = Strip(line).crop_extend(0, self.size.width, None)
        if row is not None and row == self._row:
            strip = strip.apply_style(style.selected)
        elif row is not None and self._hover is not None and row == self.row_of(self._hover):
            strip = strip.apply_style(HOVER)
        return strip.apply_style(self.base)

    def _pieces(self, row: int, style: Palette) -> Iterator[Piece]:
        cells, layout, look = self._cells, self.columns, self._cells.look(row)
        is_lit = bool(self.found.lights)
        plain = style.faint if is_lit and look.role == "unlit" else style.plain
        if row == self._row:
            yield Piece(0, CURSOR, style.strong)
        if is_lit:
            yield Piece(1, look.glyph, look.style(style))
        head = self._head(row)
        if head is not None:
            yield Piece(LEAD, OPEN if head.is_open else CLOSED, style.quiet)
        for place, start in layout.in_sight(self.scroll_offset.x):
            column = place.column
            if column.marked is not None:
                yield Piece(start, *self._mark(column.marked, row, plain, style))
                continue
            text = column.fit(cells.text(column.name, row), min(place.width, layout.room - start))
            if column.name == "state" and plain is not style.faint:
                yield Piece(start, text, state_style(text.strip(), style))
                continue
            if column.name != "properties":
                yield Piece(start, text, plain)
                continue
            at = start
            for word in text.split(" "):  # those that are asked for are set off
                is_wanted = self._standings.get(word) in ("required", "either")
                if word:
                    yield Piece(at, word, style.match if is_wanted else plain)
                at += cell_len(word) + 1

    def _mark(self, name: str, row: int, plain: Style, style: Palette) -> tuple[str, Style]:
        """Whether a row has a property; what the constraint asks of it shows where it is there."""
        if not self._cells.has(name, row):
            return LACKS, style.faint
        standing = self._standings.get(name)
        if standing in ("excluded", "both"):
            return UNWANTED, style.quiet
        return HAS, plain if standing is None else style.match
