"""Nodes in the rows of a listing, in a person's hands: whatever their order, filtered or folded."""

from typing import Literal

from textual.geometry import Region

from fluxtui.answers.listing.rows import Listing, Order
from fluxtui.ui.nodes.nodes_view import Handlers, SelectableNodes


class ListedNodes(SelectableNodes):
    """A view of rows, each of one node or of several that are alike.

    The cursor is on a row. Where its node is in none, moving begins at the row that is nearest.
    """

    def __init__(self, handlers: Handlers, *, id: str) -> None:
        super().__init__(handlers, id=id)
        self.listing: Listing = Order(range(0))
        self._row: int | None = None  # of the cursor
        self._near = 0  # where moving begins when the node with the cursor is not listed

    def put_listing(self, listing: Listing) -> None:
        """Have other rows; the cursor stays on its node where that is listed."""
        near = listing.near(self._cursor) if self._cursor is not None else None
        row = listing.row(self._cursor) if self._cursor is not None else None
        before = self._row if self._row is not None else self._near
        self._near = min(near if near is not None else before, max(listing.count - 1, 0))
        self.listing, self._row = listing, row

    # Rows and nodes

    @property
    def row_count(self) -> int:
        """How many rows there are, not counting the titles."""
        return self.listing.count

    def row_of(self, index: int) -> int | None:
        """The row that shows a node, not counting the titles; None where none does."""
        if index == self._cursor and self._row is not None:
            return self._row
        return self.listing.row(index)

    def first_of(self, row: int) -> int | None:
        """The first node of a row, None where there is no such row."""
        return self.listing.indices(row, row + 1)[0] if 0 <= row < self.row_count else None

    last_of = first_of

    def index_at(self, x: int, y: int) -> int | None:
        """The node under a position of the visible content, None where there is none."""
        row = self._row_at(y)
        return None if row is None else self.first_of(row)

    def _row_at(self, y: int) -> int | None:
        row = y - self.header_rows + self.scroll_offset.y
        return row if y >= self.header_rows and 0 <= row < self.row_count else None

    def nodes_at(self, index: int) -> int:
        """The nodes of the row of a node, as a mask; none where it is not listed."""
        row = self.row_of(index)
        return 0 if row is None else self.listing.nodes(row, row + 1)

    def nodes_between(self, begin: int, end: int) -> int:
        """The nodes of the rows from that of one node to that of another, as a mask."""
        rows = [row for row in (self.row_of(begin), self.row_of(end)) if row is not None]
        return self.listing.nodes(min(rows), max(rows) + 1) if rows else 0

    # The cursor

    def show_cursor(self, index: int | None) -> None:
        """Mark the row of the node with the cursor, and bring it into view."""
        row = None if index is None else self.row_of(index)
        if (index, row) == (self._cursor, self._row):
            return
        self._refresh_row(self._row)
        self._near = self._row if row is None and self._row is not None else self._near
        self._cursor, self._row, self._top = index, row, None
        self._refresh_row(row)
        self.scroll_to_cursor()

    def scroll_to_cursor(self) -> None:
        """Bring the row with the cursor into view; sideways everything stays."""
        if self._row is not None and self.size.height:
            region = Region(self.scroll_offset.x, self._row, 1, 1 + self.header_rows)
            self.scroll_to_region(region, animate=False, force=True)

    def _refresh_row(self, row: int | None) -> None:
        if row is not None:
            self.refresh_rows([row + self.header_rows])

    def go_to_row(self, row: int) -> None:
        """Go to a row; of one that stands for many nodes, the cursor is on the first of them."""
        if not self.row_count:
            return
        row = min(max(row, 0), self.row_count - 1)
        index = self.listing.indices(row, row + 1)[0]
        if row != self._row:  # the first row of a class that is open has the same node as the class
            self._refresh_row(self._row)
            self._refresh_row(row)
            self._cursor, self._row, self._top = index, row, None
        self._go(index)
        self.scroll_to_cursor()

    def _go(self, index: int) -> None:
        if index != self._cursor:
            self._row = None
        super()._go(index)

    def action_move(self, by: int) -> None:
        """Go so many rows on."""
        self.action_move_row(by)

    def action_move_row(self, by: int) -> None:
        """Go so many rows on; from a node that is not listed, to the nearest row."""
        self.go_to_row(self._near if self._row is None else self._row + by)

    def action_move_page(self, by: int) -> None:
        """Go a screenful on."""
        rows = max(1, self.size.height - 1 - self.header_rows)
        self.go_to_row(self._near if self._row is None else self._row + by * rows)

    def action_move_to_edge(self, by: int) -> None:
        """Go to the first or the last row."""
        self.go_to_row(0 if by < 0 else self.row_count - 1)

    def action_next_match(self, by: int) -> None:
        """Go to the next row with a node that matches, or the one before; it goes round."""
        way: Literal[-1, 1] = 1 if by > 0 else -1
        row = self._near - by if self._row is None else self._row
        found = self.listing.following(self._mask, row, way)
        if found is None:
            found = self.listing.following(self._mask, -1 if by > 0 else self.row_count, way)
        if found is not None:
            self.go_to_row(found)
