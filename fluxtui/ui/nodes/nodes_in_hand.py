"""The nodes of a map or a table in a person's hands: selected by keys, and what the mouse does."""

from typing import ClassVar, NamedTuple

from textual import events
from textual.binding import Binding, BindingType

from fluxtui.notation.sets.bits import fill, less
from fluxtui.ui.nodes.nodes_view import Handlers, NodesView

# The keys that move, and what they do: with shift they select what they pass.
_MOVES = (
    ("left", "move", -1),
    ("right", "move", 1),
    ("up", "move_row", -1),
    ("down", "move_row", 1),
    ("pageup", "move_page", -1),
    ("pagedown", "move_page", 1),
    ("home", "move_to_edge", -1),
    ("end", "move_to_edge", 1),
)


class _Reach(NamedTuple):
    """A range that is being selected: where it began, what was selected before, and since."""

    begin: int
    before: int
    selected: int


class NodesInHand(NodesView):
    """A view in which a person selects nodes, beside moving the cursor.

    What is to be selected is told as a mask, and shown when the view is told
    so in turn. A range is one in the order of the view; it adds to what is selected.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "toggle_selected", "Select", show=False),
        Binding("a", "select_matching", "Select what matches", show=False),
        Binding("x", "app.name_selected", "Constraint for the selected", show=False),
        Binding("w", "app.save_nodes", "Save nodes in a file", show=False),
        Binding("d", "app.compare_documents", "What differs from another document", show=False),
        Binding("D", "app.changes", "The list of what differs", show=False),
        Binding("escape", "app.unselect", "Select nothing, leave", show=False),
        *(
            Binding(f"shift+{key}", f"extend('{move}', {by})", "Select on", show=False)
            for key, move, by in _MOVES
        ),
    ]

    def __init__(self, handlers: Handlers, *, id: str) -> None:
        super().__init__(handlers, id=id)
        self._reach: _Reach | None = None  # by the keys
        self._drag: _Reach | None = None  # by the mouse, from where its button was pressed
        self._dragged = False

    @property
    def lead(self) -> int:
        """How many columns stand before the first node of a row."""
        return 0

    def nodes_at(self, index: int) -> int:
        """The nodes that are drawn as one with this one, as a mask."""
        return 1 << index

    def nodes_between(self, begin: int, end: int) -> int:
        """The nodes from one to another in the order of the view, both included, as a mask.

        Either may come first.
        """
        first, last = sorted((begin, end))
        return fill((first,), (last,), last + 1)

    # By keys

    def action_toggle_selected(self) -> None:
        """Select the node with the cursor, or no longer."""
        if self._cursor is not None:
            self._toggle(self._cursor)

    def action_select_matching(self) -> None:
        """Select all nodes that next and previous go through."""
        self._handlers.select(self._selected | self._mask)

    def action_extend(self, move: str, by: int) -> None:
        """Move, and select all nodes from where that began."""
        if self._cursor is None:
            return
        reach = self._reach
        if reach is None or reach.selected != self._selected:
            reach = _Reach(self._cursor, self._selected, self._selected)
        getattr(self, f"action_{move}")(by)
        self._reach = self._extended(reach, self._cursor)

    def _extended(self, reach: _Reach, end: int) -> _Reach:
        """Select the range up to this node."""
        selected = reach.before | self.nodes_between(reach.begin, end)
        self._handlers.select(selected)
        return reach._replace(selected=selected)

    def _toggle(self, index: int) -> None:
        nodes = self.nodes_at(index)
        whole = not less(nodes, self._selected)
        self._handlers.select(less(self._selected, nodes) if whole else self._selected | nodes)

    def _go(self, index: int) -> None:
        self._reach = None
        super()._go(index)

    # By the mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """A range may begin at the node under the mouse."""
        self._dragged = False
        offset = event.get_content_offset(self)
        index = self.index_at(*offset) if offset is not None else None
        if event.button == 1 and index is not None:
            self._drag = _Reach(index, self._selected, self._selected)
            self.capture_mouse()

    def on_mouse_up(self) -> None:
        """The range is selected."""
        self.let_go()

    def on_blur(self) -> None:
        """What took the focus has the mouse too."""
        self.let_go()

    def let_go(self) -> None:
        """No range goes on."""
        self._reach = None
        if self._drag is not None:
            self._drag = None
            self.release_mouse()

    def on_click(self, event: events.Click) -> None:
        """Go to the node under the mouse; with ctrl or alt select it too, or no longer."""
        offset = event.get_content_offset(self)
        index = self.index_at(*offset) if offset is not None else None
        if index is None or self._dragged:
            return
        self._go(index)
        if event.ctrl or event.meta:
            self._toggle(index)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Tell which node the mouse is over, and select the range while its button is down."""
        offset = event.get_content_offset(self)
        self._hover_over(self.index_at(*offset) if offset is not None else None)
        if self._drag is None:
            return
        if event.button != 1:  # it was let go of where nobody could see it
            self.let_go()
            return
        index = self._nearest(*event.get_content_offset_capture(self))
        if index is not None and (self._dragged or index != self._drag.begin):
            self._dragged = True
            self._go(index)
            self._drag = self._extended(self._drag, index)

    def _nearest(self, x: int, y: int) -> int | None:
        """The node under a position, or the one nearest to it; beyond an edge the next row."""
        y = min(max(y, self.header_rows - 1), self.size.height)
        index = self.index_at(x, y) if self.header_rows <= y < self.size.height else None
        if index is not None:
            return index
        row = min(max(self.scroll_offset.y + y - self.header_rows, 0), self.row_count - 1)
        return self.first_of(row) if x < self.lead else self.last_of(row)

    def on_leave(self) -> None:
        """The mouse is over no node."""
        self._hover_over(None)

    def _hover_over(self, index: int | None) -> None:
        if index != self._hover:
            self._refresh_row_of(self._hover)
            self._hover = index
            self._refresh_row_of(index)
            self._handlers.hover(index)
