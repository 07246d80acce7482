"""The rows of what contains what in a cluster: opened, gone through, and selected."""

from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.strip import Strip

from fluxtui.answers.containment import Bond, Containment, Fold
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import columns_for
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.nodes.graph_lines import Lamps, Lines, mark_at, vertex_of
from fluxtui.ui.nodes.highlights import Highlights
from fluxtui.ui.nodes.nodes_view import HOVER, Handlers, SelectableNodes
from fluxtui.ui.nodes.open_rows import Branch, OpenRows, Spot


class GraphTree(SelectableNodes):
    """Vertices of a cluster of which a person opens what is of interest, and a cursor among them.

    Items are read when opened, and lines made when drawn. On a node or within one, the cursor is
    shared with the other views; on a vertex that holds several nodes it is this view's own, and the
    row stands for all of them. on_item is called when the cursor moves to another item.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("graph.turn", "enter", "turn", "Open", "Open or close; follow an edge"),
        bind("graph.into", "right", "into", ""),
        bind("graph.out", "left", "out", ""),
        bind("graph.close_all", "minus", "close_all", "Close all", "Close everything below"),
    ]

    def __init__(self, handlers: Handlers, on_item: Callable[[], object], *, id: str) -> None:
        super().__init__(handlers, id=id)
        self._on_item = on_item
        self._tree: Containment | None = None
        self.rows: OpenRows | None = None
        self.spot: Spot | None = None  # where the cursor is
        self._lamps: Lamps | None = None
        self._hover_row: int | None = None
        self._begun: tuple[Spot, int] | None = None  # where a range began, what was selected
        self._taken = -1  # what was selected by it

    # Display

    def show_tree(self, tree: Containment, count: int) -> None:
        """Show another cluster of so many nodes, opened as far as there is but one way."""
        self.begin(count)
        self._tree = tree
        self.rows = rows = OpenRows(tree)
        self.spot = self._hover_row = self._begun = None
        if len(rows):
            self.spot = spot = rows.at(0)
            while len(rows) == rows.row_of(spot) + 1 and rows.open(spot):
                spot = rows.at(rows.row_of(spot) + 1)
        self._resize()

    def show_lights(self, found: Highlights) -> None:
        """Highlight nodes."""
        self._lamps = None
        super().show_lights(found)

    def show_cursor(self, index: int | None) -> None:
        """Take the node with the cursor of all views; `follow` goes there."""
        self._cursor = index

    def follow(self) -> None:
        """Open what the node with the cursor is in, and go there, unless one is within it."""
        index, tree = self._cursor, self._tree
        if tree is None or index is None or self._node_here() == index:
            return
        vertex = tree.at(index)
        if vertex is not None:
            self.go_to(vertex)

    def go_to(self, vertex: int) -> bool:
        """Open what a vertex is in and put the cursor there; whether it is in the tree."""
        spot = self.rows.reveal(vertex) if self.rows is not None else None
        if spot is None:
            return False
        self._resize()
        self._put(spot)
        return True

    def _resize(self) -> None:
        self.virtual_size = Size(self.size.width, self.row_count)
        self.refresh()

    # Rows

    @property
    def row_count(self) -> int:
        """How many rows are open."""
        return len(self.rows) if self.rows is not None else 0

    @property
    def vertex(self) -> int | None:
        """The vertex with the cursor; of folded leaves the first, of an edge the one it is at."""
        return vertex_of(self.spot.item) if self.spot is not None else None

    def _node_here(self) -> int | None:
        vertex, tree = self.vertex, self._tree
        return tree.node(vertex) if tree is not None and vertex is not None else None

    def _row(self) -> int | None:
        return self.rows.row_of(self.spot) if self.rows is not None and self.spot else None

    def _spot_at(self, y: int) -> Spot | None:
        row = y + self.scroll_offset.y
        return self.rows.at(row) if self.rows is not None and 0 <= row < len(self.rows) else None

    def index_at(self, x: int, y: int) -> int | None:
        """The node that is under a position of the visible content, or what is under it is in."""
        spot = self._spot_at(y)
        return self._tree.node(vertex_of(spot.item)) if spot is not None and self._tree else None

    def scroll_to_cursor(self) -> None:
        """Bring the row with the cursor into view."""
        row = self._row()
        if row is not None and self.size.height:
            self.scroll_to_region(Region(0, row, 1, 1), animate=False, force=True)

    def _refresh_row_of(self, index: int | None) -> None:
        """Nothing: rows are painted anew where the cursor of this view leaves or comes."""

    def render_line(self, y: int) -> Strip:
        """The row of one item."""
        spot = self._spot_at(y)
        if spot is None or self._tree is None:
            return self._notice_line(y)
        if self._lamps is None:
            self._lamps = Lamps(self.found.lights, self.found.dark)
        style, here = palette_of(self), spot == self.spot
        width = columns_for(self, self.row_count)
        line = Lines(self._tree, self._lamps, style).line(spot, width, here=here)
        line = line.extend_cell_length(self.size.width)
        if here:
            line = line.apply_style(style.selected)
        elif y + self.scroll_offset.y == self._hover_row:
            line = line.apply_style(HOVER)
        return line.apply_style(self.base)

    # Moving

    def action_move_row(self, by: int) -> None:
        """Move by rows."""
        row = self._row()
        if row is not None and self.rows is not None:
            self._put(self.rows.at(min(max(row + by, 0), len(self.rows) - 1)))

    def action_move_page(self, by: int) -> None:
        """Move by a page."""
        self.action_move_row(by * max(1, self.size.height - 1))

    def action_move_to_edge(self, by: int) -> None:
        """Go to the first or the last row."""
        self.action_move_row(by * self.row_count)

    def _go(self, index: int) -> None:
        """Go to a node: the next match."""
        super()._go(index)
        self.follow()

    def _put(self, spot: Spot) -> None:
        """Put the cursor on an item; a range that was begun ends."""
        self._begun = None
        before = self._row() if self._is_there(self.spot) else None
        self.spot = spot
        self.refresh_rows(row for row in (before, self._row()) if row is not None)
        self.scroll_to_cursor()
        index = self._node_here()
        if index is not None and index != self._cursor:
            self._handlers.move(index)
        self._on_item()

    def _is_there(self, spot: Spot | None) -> bool:
        return spot is not None and self.rows is not None and self.rows.has(spot)

    # Opening and closing

    def action_turn(self) -> None:
        """Open or close an item; from an edge go to the vertex at its other end."""
        if self.spot is None:
            return
        item = self.spot.item
        if isinstance(item, Bond):
            self.go_to(item.link.row)
        elif self.spot.is_open:
            self._close(self.spot)
        else:
            self._open(self.spot)

    def action_into(self) -> None:
        """Open an item; of one that is open go to the first that is below it."""
        if self.spot is not None and not self._open(self.spot) and self.spot.is_open:
            self.action_move_row(1)

    def action_out(self) -> None:
        """Close an item; from one that is closed go to what it is in."""
        if self.spot is None:
            return
        if self.spot.is_open:
            self._close(self.spot)
        elif self.spot.above is not None:
            self._put(self.spot.above)

    def action_close_all(self) -> None:
        """Close everything below an item, which stays open itself."""
        if self.spot is not None and self.spot.is_open:
            self._close(self.spot)
            self._open(self.spot)

    def put_grown(self, spot: Spot, branch: Branch) -> None:
        """Show an item as it was opened with all that is below it."""
        if self._is_there(spot):
            spot.put(branch)
            self._settle(spot)

    def _open(self, spot: Spot) -> bool:
        opened = self.rows is not None and self.rows.open(spot)
        if opened:
            self._resize()
        return opened

    def _close(self, spot: Spot) -> None:
        spot.put(None)
        self._settle(spot)

    def _settle(self, spot: Spot) -> None:
        """The rows below an item are others: where the cursor was in one of them, it goes up."""
        if not self._is_there(self.spot):
            self.spot = None
            self._put(spot)
        self._resize()
        self.scroll_to_cursor()

    # Selecting

    def action_toggle_selected(self) -> None:
        """Select all nodes at and below an item, or deselect them if all are selected."""
        mask = self._nodes_of(self.spot)
        if mask:
            self.toggle(mask)

    def _nodes_of(self, spot: Spot | None) -> int:
        """The nodes at and below an item; of what is within a node, that node."""
        if spot is None or self._tree is None:
            return 0
        vertex = vertex_of(spot.item)
        found = self._tree.nodes(vertex) if isinstance(spot.item, int) else 0
        index = None if found else self._tree.node(vertex)
        return found if index is None else 1 << index

    def action_extend(self, move: str, by: int) -> None:
        """Move, and select the nodes in all rows from where that began.

        What is closed counts with all nodes below it; what is open with the rows that are seen.
        """
        if self.spot is None:
            return
        begun = self._begun
        if begun is None or not self._is_there(begun[0]) or self._taken != self.found.selected:
            begun = (self.spot, self.found.selected)
        getattr(self, f"action_{move}")(by)
        self._begun = begun
        start, before = begun
        if self._is_there(start):
            self._taken = before | self._between(start, self.spot)
            self._handlers.select(self._taken)

    def _between(self, one: Spot, other: Spot) -> int:
        """The nodes in the rows from one item to another, in either direction."""
        assert self._tree is not None
        assert self.rows is not None
        first, last = sorted((one, other), key=self.rows.row_of)
        end = last.item
        found = self._tree.between(
            vertex_of(first.item),
            end.last if isinstance(end, Fold) else vertex_of(end),
            whole=not last.is_open and not isinstance(end, Bond),
        )
        index = self._tree.node(vertex_of(first.item))
        return found | (1 << index if index is not None else 0)

    # The mouse: it does not select ranges here, as a row may hold many nodes

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Do not start a range."""
        event.prevent_default()

    def on_click(self, event: events.Click) -> None:
        """Go to the row under the mouse; open or close it by its sign, or by a second click."""
        event.prevent_default()
        offset = event.get_content_offset(self)
        spot = self._spot_at(offset.y) if offset is not None else None
        if spot is None or offset is None:
            return
        aside = offset.x - mark_at(spot.branch.level)
        is_sign = 0 <= aside <= 1 and not isinstance(spot.item, Bond)
        self._put(spot)
        if event.ctrl or event.meta:
            self.action_toggle_selected()
        elif is_sign or event.chain == 2:
            self.action_turn()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Report the node under the mouse, and mark its row."""
        event.prevent_default()
        offset = event.get_content_offset(self)
        self._hover_over(self.index_at(*offset) if offset is not None else None)
        self._hover_at(offset.y + self.scroll_offset.y if offset is not None else None)

    def on_leave(self) -> None:
        """Forget the row under the mouse."""
        self._hover_at(None)

    def _hover_at(self, row: int | None) -> None:
        if row != self._hover_row:
            self.refresh_rows(at for at in (self._hover_row, row) if at is not None)
            self._hover_row = row
