"""The tree of what contains what in a cluster in a person's hands: select, and the mouse."""

from textual import events

from fluxtui.answers.containment import Bond, Fold
from fluxtui.notation.sets.bits import less
from fluxtui.ui.nodes.graph_lines import mark_at
from fluxtui.ui.nodes.graph_rows import GraphRows, vertex_of
from fluxtui.ui.nodes.nodes_view import Handlers
from fluxtui.ui.nodes.open_rows import Spot


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
