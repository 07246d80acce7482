"""The tree of what contains what in a cluster in a person's hands: select, and the mouse."""

from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.strip import Strip

from fluxtui.answers.containment import Bond, Containment, Fold, Item
from fluxtui.notation.sets.bits import less
from fluxtui.ui.kit.lines import columns_for
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.nodes.graph_lines import Drawn, Lamps, mark_at
from fluxtui.ui.nodes.nodes_view import HOVER, Handlers, Highlight, SelectableNodes
from fluxtui.ui.nodes.open_rows import Branch, OpenRows, Spot


class GraphRows(SelectableNodes):
    """Vertices of a cluster of which a person opens what is of interest, and a cursor among them.

    What is below an item is looked at when it is opened, and a line made when it is drawn. On a
    node, or within one, the cursor is that of all views; on what holds many, it is this one's own.
    on_item is told where the cursor is, on_grow to open all below it, on_find to look for a text.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "turn", "Open or close", show=False),
        Binding("right", "into", "Open, or go in", show=False),
        Binding("left", "out", "Close, or go out", show=False),
        Binding("asterisk", "open_all", "Open all below", show=False),
        Binding("minus", "close_all", "Close all below", show=False),
        # With priority, so that what is typed right after is already looked for.
        Binding("slash", "find", "Find", show=False, priority=True),
    ]

    own_letters = ("focus_constraint",)  # a slash is for the graph

    def __init__(self, handlers: Handlers, *, id: str) -> None:
        super().__init__(handlers, id=id)
        self.on_item: Callable[[], None] = lambda: None
        self.on_grow: Callable[[Spot], None] = lambda spot: None
        self.on_find: Callable[[], None] = lambda: None
        self._tree: Containment | None = None
        self._rows: OpenRows | None = None
        self._spot: Spot | None = None
        self._lamps: Lamps | None = None
        self._hover_row: int | None = None

    # What is shown

    def show_tree(self, tree: Containment | None, count: int) -> None:
        """Show another cluster of so many nodes, opened as far as there is but one way."""
        self._tree, self._count = tree, count
        self._rows = OpenRows(tree) if tree is not None else None
        self._spot = self._cursor = self._hover = self._hover_row = None
        rows = self._rows
        if rows is not None and len(rows):
            self._spot = spot = rows.at(0)
            while len(rows) == rows.row_of(spot) + 1 and rows.open(spot):
                inner = spot.branch.opened(spot.place)
                assert inner is not None
                spot = Spot(inner, 0)
        self._resize()
        self.scroll_to(0, 0, animate=False)

    def show_lights(
        self, lights: tuple[Highlight, ...], dark: Highlight, mask: int, selected: int
    ) -> None:
        """Highlight nodes; see `SelectableNodes`."""
        self._lamps = None
        super().show_lights(lights, dark, mask, selected)

    def show_cursor(self, index: int | None) -> None:
        """Take the node with the cursor of all views; `follow` goes there."""
        self._cursor = index

    def follow(self) -> None:
        """Open what the node with the cursor stands in, and go there, unless one is within it."""
        index, tree = self._cursor, self._tree
        if tree is None or index is None or self._node_here() == index:
            return
        vertex = tree.at(index)
        if vertex is not None:
            self.go_to(vertex)

    def go_to(self, vertex: int) -> bool:
        """Open what a vertex stands in and put the cursor there; whether it is in the tree."""
        spot = self._rows.reveal(vertex) if self._rows is not None else None
        if spot is None:
            return False
        self._resize()
        self._put(spot)
        return True

    def _resize(self) -> None:
        self.virtual_size = Size(self.size.width, len(self._rows) if self._rows is not None else 0)
        self.refresh()

    @property
    def spot(self) -> Spot | None:
        """Where the cursor is."""
        return self._spot

    @property
    def vertex(self) -> int | None:
        """The vertex with the cursor; of folded leaves the first, of an edge the one it is at."""
        return vertex_of(self._spot.item) if self._spot is not None else None

    def _node_here(self) -> int | None:
        vertex, tree = self.vertex, self._tree
        return tree.node(vertex) if tree is not None and vertex is not None else None

    @property
    def rows(self) -> OpenRows | None:
        """The rows, and what of them is open."""
        return self._rows

    # Rows

    def _row(self) -> int | None:
        """The row with the cursor."""
        if self._rows is None or self._spot is None:
            return None
        return self._rows.row_of(self._spot)

    def _spot_at(self, y: int) -> Spot | None:
        """What stands in a line of the visible content."""
        row = y + self.scroll_offset.y
        return self._rows.at(row) if self._rows is not None and 0 <= row < len(self._rows) else None

    def index_at(self, x: int, y: int) -> int | None:
        """The node that is under a position of the visible content, or what is under it is in."""
        spot = self._spot_at(y)
        return self._tree.node(vertex_of(spot.item)) if spot is not None and self._tree else None

    def row_of(self, index: int) -> int:
        """The row with the cursor: that alone is ever brought into view."""
        return self._row() or 0

    def scroll_to_cursor(self) -> None:
        """Bring the row with the cursor into view."""
        row = self._row()
        if row is not None and self.size.height:
            self.scroll_to_region(Region(0, row, 1, 1), animate=False, force=True)

    def _refresh_row_of(self, index: int | None) -> None:
        """Nothing: rows are painted anew where the cursor of this view leaves or comes."""

    def render_line(self, y: int) -> Strip:
        """The row of one item."""
        width = self.size.width
        spot = self._spot_at(y)
        if spot is None or self._tree is None or self._rows is None:
            return self._notice_line(y)
        if self._lamps is None:
            self._lamps = Lamps(self._lights, self._dark)
        style = palette_of(self)
        here = spot == self._spot
        line = Drawn(self._tree, self._lamps, style).line(
            spot.item,
            spot.branch.level,
            columns_for(self, len(self._rows)),
            is_open=spot.is_open,
            here=here,
        )
        line = line.extend_cell_length(width)
        if here:
            line = line.apply_style(style.selected)
        elif y + self.scroll_offset.y == self._hover_row:
            line = line.apply_style(HOVER)
        return line.apply_style(self.base)

    # What a person does: move

    def action_move_row(self, by: int) -> None:
        """Go so many rows on."""
        row = self._row()
        if row is not None and self._rows is not None:
            self._put(self._rows.at(min(max(row + by, 0), len(self._rows) - 1)))

    action_move = action_move_row

    def action_move_page(self, by: int) -> None:
        """Go a screenful on."""
        self.action_move_row(by * max(1, self.size.height - 1))

    def action_move_to_edge(self, by: int) -> None:
        """Go to the first or the last row."""
        if self._rows is not None and len(self._rows):
            self.action_move_row(by * len(self._rows))

    def _go(self, index: int) -> None:
        """Go to a node: the next match."""
        super()._go(index)
        self.follow()

    def _put(self, spot: Spot) -> None:
        """Put the cursor on an item, and tell of it."""
        before = self._row() if self._is_there(self._spot) else None
        self._spot = spot
        now = self._row()
        self.refresh_rows(row for row in (before, now) if row is not None)
        self.scroll_to_cursor()
        index = self._node_here()
        if index is not None and index != self._cursor:
            self._handlers.move(index)
        self.on_item()

    def _is_there(self, spot: Spot | None) -> bool:
        return spot is not None and self._rows is not None and self._rows.has(spot)

    # What a person does: open and close

    def action_turn(self) -> None:
        """Open or close an item; from an edge go to the vertex at its other end."""
        if self._spot is None:
            return
        item = self._spot.item
        if isinstance(item, Bond):
            self.go_to(item.link.row)
        elif self._spot.is_open:
            self._close(self._spot)
        else:
            self._open(self._spot)

    def action_into(self) -> None:
        """Open an item; of one that is open go to the first that is below it."""
        if self._spot is not None and not self._open(self._spot) and self._spot.is_open:
            self.action_move_row(1)

    def action_out(self) -> None:
        """Close an item; from one that is closed go to what it stands in."""
        if self._spot is None or self._rows is None:
            return
        above = self._rows.above(self._spot)
        if self._spot.is_open:
            self._close(self._spot)
        elif above is not None:
            self._put(above)

    def action_open_all(self) -> None:
        """Open all that is below an item."""
        if self._spot is not None:
            self.on_grow(self._spot)

    def action_close_all(self) -> None:
        """Close all that is below an item, which stays open itself."""
        if self._spot is not None and self._spot.is_open:
            self._close(self._spot)
            self._open(self._spot)

    def put_grown(self, spot: Spot, branch: Branch) -> None:
        """Show an item as it was opened with all that is below it."""
        if self._rows is not None and self._is_there(spot):
            self._rows.put(spot, branch)
            self._settle(spot)

    def _open(self, spot: Spot) -> bool:
        opened = self._rows is not None and self._rows.open(spot)
        if opened:
            self._resize()
        return opened

    def _close(self, spot: Spot) -> None:
        if self._rows is not None:
            self._rows.close(spot)
            self._settle(spot)

    def _settle(self, spot: Spot) -> None:
        """The rows below an item are others: where the cursor stood in one of them, it goes up."""
        if not self._is_there(self._spot):
            self._spot = None
            self._put(spot)
        self._resize()
        self.scroll_to_cursor()

    def action_find(self) -> None:
        """Look for a vertex by a part of its name, type or path."""
        self.on_find()


def vertex_of(item: Item) -> int:
    """The vertex of an item: of folded leaves the first, of an edge the one that it is at."""
    if isinstance(item, Fold):
        return item.first
    return item.vertex if isinstance(item, Bond) else item


class GraphTree(GraphRows):
    """Rows of vertices in which a person selects nodes, beside opening them and going through them.

    A row stands for all nodes at and below its vertex.
    """

    def __init__(self, handlers: Handlers, *, id: str) -> None:
        super().__init__(handlers, id=id)
        self._begun: tuple[Spot, int] | None = None  # where a range began, what was selected
        self._taken = -1  # what was selected by it

    def _put(self, spot: Spot) -> None:
        """Put the cursor on an item; a range that was begun ends."""
        self._begun = None
        super()._put(spot)

    # What a person does: select

    def action_toggle_selected(self) -> None:
        """Select all nodes at and below an item, or none of them where all are."""
        mask = self._mask_of(self._spot)
        if mask:
            is_whole = mask & self._selected == mask
            self._handlers.select(less(self._selected, mask) if is_whole else self._selected | mask)

    def _mask_of(self, spot: Spot | None) -> int:
        """The nodes at and below an item; of what is within a node, that node."""
        if spot is None or self._tree is None:
            return 0
        vertex = vertex_of(spot.item)
        found = self._tree.nodes(vertex) if isinstance(spot.item, int) else 0
        if found:
            return found
        index = self._tree.node(vertex)
        return 1 << index if index is not None else 0

    def action_extend(self, move: str, by: int) -> None:
        """Move, and select the nodes in all rows from where that began.

        What is closed stands for all nodes below it; what is open for the rows that are seen.
        """
        if self._spot is None:
            return
        goes_on = self._begun is not None and self._is_there(self._begun[0])
        if not goes_on or self._taken != self._selected:
            self._begun = (self._spot, self._selected)
            self._taken = self._selected
        anchor = self._begun
        assert anchor is not None
        getattr(self, f"action_{move}")(by)
        self._begun = anchor
        if self._is_there(anchor[0]):
            self._taken = anchor[1] | self._between(anchor[0], self._spot)
            self._handlers.select(self._taken)

    def _between(self, one: Spot, other: Spot) -> int:
        """The nodes in the rows from one item to another, in either direction."""
        assert self._tree is not None
        assert self._rows is not None
        first, last = sorted((one, other), key=self._rows.row_of)
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
        """No range begins."""
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
        """Tell which node the mouse is over, and mark its row."""
        event.prevent_default()
        offset = event.get_content_offset(self)
        self._hover_over(self.index_at(*offset) if offset is not None else None)
        self._hover_at(offset.y + self.scroll_offset.y if offset is not None else None)

    def on_leave(self) -> None:
        """The mouse is over no row."""
        self._hover_at(None)

    def _hover_at(self, row: int | None) -> None:
        if row != self._hover_row:
            self.refresh_rows(at for at in (self._hover_row, row) if at is not None)
            self._hover_row = row
