"""What the map, the table and the graph share: nodes, highlights, one cursor and a selection."""

from collections.abc import Callable, Sequence
from typing import ClassVar, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.geometry import Region
from textual.scrollbar import ScrollTo
from textual.strip import Strip

from fluxtui.notation.sets.bits import less
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import LineView
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.nodes.highlights import DARK, Highlight

HOVER = Style(underline=True)


class Handlers(NamedTuple):
    """What is called when a person does something in a view of nodes.

    move    the cursor goes to the node of this index
    hover   the mouse is over the node of this index, or over none
    select  these nodes, as a mask, are to be the selected ones
    """

    move: Callable[[int], None] = lambda index: None
    hover: Callable[[int | None], None] = lambda index: None
    select: Callable[[int], None] = lambda mask: None


# The keys that move the cursor, and what they do: with shift they select what they pass.
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


class _Range(NamedTuple):
    """A range that is being selected: where it began, what was selected before, and with it."""

    begin: int
    before: int
    selected: int


class SelectableNodes(LineView, can_focus=True):
    """A view of numbered nodes of which some match; a person moves a cursor and selects nodes.

    Nodes are given as a count; the first highlight that holds a node says how it looks. A view
    without nodes shows the notice. Moves and selections go to the handlers at once, so that all
    panes follow in the same frame, this one included. A range follows the order of the view and
    adds to the selection.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *(bind(f"nodes.{key}", key, f"{move}({by})", "") for key, move, by in _MOVES),
        *(
            bind(f"nodes.extend_{key}", f"shift+{key}", f"extend('{move}', {by})", "")
            for key, move, by in _MOVES
        ),
        bind(
            "nodes.select",
            "space",
            "toggle_selected",
            "Select",
            "Select or deselect the nodes under the cursor; shift+arrows select a range",
            footer=True,
        ),
        bind(
            "nodes.select_matching",
            "a",
            "select_matching",
            "Select matches",
            "Select all nodes that match",
        ),
        bind(
            "nodes.name",
            "x",
            "app.do('name_selected')",
            "To constraint",
            "Write a constraint that matches exactly the selected nodes",
        ),
        bind("nodes.save", "w", "app.do('save_nodes')", "Save nodes", "Save the nodes to a file"),
        bind(
            "nodes.compare",
            "d",
            "app.do('compare_documents')",
            "Compare",
            "Compare with another document",
        ),
        bind("nodes.changes", "D", "app.do('changes')", "Changes", "List what differs"),
        bind("nodes.leave", "escape", "app.do('unselect')", "", "Clear the selection, or go back"),
    ]

    def __init__(self, handlers: Handlers, *, id: str) -> None:
        super().__init__(id=id)
        self._handlers = handlers
        self._count = 0
        self.notice: Sequence[str] = ()
        self._mask = 0
        self._selected = 0
        self.lights: tuple[Highlight, ...] = ()
        self.dark = DARK
        self._cursor: int | None = None
        self._hover: int | None = None
        self._top: int | None = None  # the node whose row stays on top, until a person moves
        self._range: _Range | None = None  # that the keys select
        self._drag: _Range | None = None  # that the mouse selects, while its button is down
        self._dragged = False

    @property
    def cursor(self) -> int | None:
        """The index of the node with the cursor."""
        return self._cursor

    @property
    def mask(self) -> int:
        """The nodes that next and previous go through, as a bit set over indices."""
        return self._mask

    # Where the nodes are: for each view to say

    header_rows = 0

    @property
    def lead(self) -> int:
        """How many columns come before the first node of a row."""
        return 0

    @property
    def row_count(self) -> int:
        """How many rows the whole view has."""
        return self._count

    def row_of(self, index: int) -> int | None:
        """The row, counted from the top of the whole view, that shows a node; None for none."""
        raise NotImplementedError

    def first_of(self, row: int) -> int | None:
        """The first node of a row, None where there is no such row."""
        raise NotImplementedError

    def last_of(self, row: int) -> int | None:
        """The last node of a row, None where there is no such row."""
        raise NotImplementedError

    def index_at(self, x: int, y: int) -> int | None:
        """The node under a position of the visible content, None where there is none."""
        raise NotImplementedError

    def nodes_at(self, index: int) -> int:
        """The nodes that are drawn as one with this one, as a mask."""
        raise NotImplementedError

    def nodes_between(self, begin: int, end: int) -> int:
        """The nodes from one to another in the order of the view, both included, as a mask.

        Either may come first.
        """
        raise NotImplementedError

    # Display

    def show_lights(
        self, lights: tuple[Highlight, ...], dark: Highlight, mask: int, selected: int
    ) -> None:
        """Highlight nodes: the first light that holds a node counts; dark is how all others look.

        mask holds the nodes that next and previous go through, selected those that are selected.
        """
        self._mask, self._selected = mask, selected
        if (lights, dark) != (self.lights, self.dark):
            self.lights, self.dark = lights, dark
            self.refresh()

    def show_cursor(self, index: int | None) -> None:
        """Mark the node with the cursor and bring it into view."""
        if index == self._cursor:
            return
        self._refresh_row_of(self._cursor)
        self._cursor, self._top = index, None
        self._refresh_row_of(index)
        self.scroll_to_cursor()

    def _refresh_row_of(self, index: int | None) -> None:
        row = self.row_of(index) if index is not None and index < self._count else None
        if row is not None:
            self.refresh_rows([row + self.header_rows])

    def _notice_line(self, y: int) -> Strip:
        text = self.notice[y - 1] if not self._count and 1 <= y <= len(self.notice) else ""
        line = Strip([Segment(text, palette_of(self).quiet)])
        return line.crop_extend(0, self.size.width, None).apply_style(self.base)

    # What is in view

    def on_resize(self) -> None:
        """Keep what is looked at in view."""
        self.call_after_refresh(self.keep_in_view)

    def keep_on_top(self, index: int | None) -> None:
        """Show the row of a node on top, until the cursor goes on or a person scrolls.

        It stays there when the view gets another size or other rows, which may come frames later.
        With None those bring the node with the cursor into view again.
        """
        self._top = index
        if index is not None:
            self.call_after_refresh(self.keep_in_view)

    def keep_in_view(self) -> None:
        """Bring what is looked at back into view: what is to be on top, else the cursor."""
        top = self._top
        row = self.row_of(top) if top is not None and top < self._count else None
        if row is None:
            self.scroll_to_cursor()
        else:
            self.scroll_to(y=row, animate=False)

    def scroll_to_cursor(self) -> None:
        """Bring the node with the cursor into view."""
        if self._cursor is not None and self.size.height:
            row = self.row_of(self._cursor)
            if row is not None:
                region = Region(0, row, 1, 1 + self.header_rows)
                self.scroll_to_region(region, animate=False, force=True)

    # Where a person scrolls, no node is kept on top. Not where the place changes: it does so too
    # where there are fewer rows for a while.

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel; with a key it scrolls sideways."""
        self._forget_top(event)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel."""
        self._forget_top(event)

    def _forget_top(self, event: events.MouseEvent) -> None:
        if not (event.ctrl or event.shift):
            self._top = None

    def on_scroll_to(self, message: ScrollTo) -> None:
        """The scroll bar is dragged; the one for sideways says no row."""
        if message.y is not None:
            self._top = None

    def on_scroll_up(self) -> None:
        """A click above the scroll bar's grip."""
        self._top = None

    def on_scroll_down(self) -> None:
        """A click below the scroll bar's grip."""
        self._top = None

    # The cursor

    def action_move(self, by: int) -> None:
        """Move by nodes."""
        raise NotImplementedError

    def action_move_row(self, by: int) -> None:
        """Move by rows."""
        raise NotImplementedError

    def action_move_page(self, by: int) -> None:
        """Move by a page."""
        row = self.row_of(self._cursor) if self._cursor is not None else None
        if row is None:
            return
        row += by * max(1, self.size.height - 1 - self.header_rows)
        first = self.first_of(row) if 0 < row < self.row_count - 1 else None
        if first is not None:
            self._go(first)
        else:
            self.action_move_to_edge(by)

    def action_move_to_edge(self, by: int) -> None:
        """Go to the first or the last node."""
        index = self.first_of(0) if by < 0 else self.last_of(self.row_count - 1)
        if index is not None:
            self._go(index)

    def action_next_match(self, by: int) -> None:
        """Go to the next node that matches, or the one before; it goes round at the ends."""
        if not self._mask or self._cursor is None:
            return
        mask, at = self._mask, self._cursor
        if by > 0:
            after = mask >> (at + 1) << (at + 1) or mask
            self._go((after & -after).bit_length() - 1)
        else:
            before = mask & ((1 << at) - 1) or mask
            self._go(before.bit_length() - 1)

    def _go(self, index: int) -> None:
        self._range = None
        if self._count:
            self._handlers.move(min(max(index, 0), self._count - 1))

    # Selecting by keys

    def action_toggle_selected(self) -> None:
        """Select or deselect the node under the cursor."""
        if self._cursor is not None:
            self._toggle(self._cursor)

    def action_select_matching(self) -> None:
        """Select all nodes that next and previous go through."""
        self._handlers.select(self._selected | self._mask)

    def action_extend(self, move: str, by: int) -> None:
        """Move, and select all nodes from where that began."""
        if self._cursor is None:
            return
        range_ = self._range
        if range_ is None or range_.selected != self._selected:
            range_ = _Range(self._cursor, self._selected, self._selected)
        getattr(self, f"action_{move}")(by)
        self._range = self._extended(range_, self._cursor)

    def _extended(self, range_: _Range, end: int) -> _Range:
        selected = range_.before | self.nodes_between(range_.begin, end)
        self._handlers.select(selected)
        return range_._replace(selected=selected)

    def _toggle(self, index: int) -> None:
        nodes = self.nodes_at(index)
        all_selected = not less(nodes, self._selected)
        self._handlers.select(
            less(self._selected, nodes) if all_selected else self._selected | nodes
        )

    # Selecting by the mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Prepare to start a range at the node under the mouse."""
        self._dragged = False
        index = self._under(event)
        if event.button == 1 and index is not None:
            self._drag = _Range(index, self._selected, self._selected)
            self.capture_mouse()

    def on_mouse_up(self) -> None:
        """End the range."""
        self.end_drag()

    def on_blur(self) -> None:
        """End dragging when the focus leaves."""
        self.end_drag()

    def end_drag(self) -> None:
        """End the range, by keys or by mouse."""
        self._range = None
        if self._drag is not None:
            self._drag = None
            self.release_mouse()

    def on_click(self, event: events.Click) -> None:
        """Go to the node under the mouse; with ctrl or alt select it too, or no longer."""
        index = self._under(event)
        if index is None or self._dragged:
            return
        self._go(index)
        if event.ctrl or event.meta:
            self._toggle(index)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Tell which node the mouse is over, and select the range while its button is down."""
        self._hover_over(self._under(event))
        if self._drag is None:
            return
        if event.button != 1:  # it was released outside the terminal
            self.end_drag()
            return
        index = self._nearest(*event.get_content_offset_capture(self))
        if index is not None and (self._dragged or index != self._drag.begin):
            self._dragged = True
            self._go(index)
            self._drag = self._extended(self._drag, index)

    def on_leave(self) -> None:
        """Forget the node under the mouse."""
        self._hover_over(None)

    def _under(self, event: events.MouseEvent) -> int | None:
        offset = event.get_content_offset(self)
        return self.index_at(*offset) if offset is not None else None

    def _nearest(self, x: int, y: int) -> int | None:
        """The node under a position, or the one nearest to it; beyond an edge the next row."""
        y = min(max(y, self.header_rows - 1), self.size.height)
        index = self.index_at(x, y) if self.header_rows <= y < self.size.height else None
        if index is not None:
            return index
        row = min(max(self.scroll_offset.y + y - self.header_rows, 0), self.row_count - 1)
        return self.first_of(row) if x < self.lead else self.last_of(row)

    def _hover_over(self, index: int | None) -> None:
        if index != self._hover:
            self._refresh_row_of(self._hover)
            self._hover = index
            self._refresh_row_of(index)
            self._handlers.hover(index)
