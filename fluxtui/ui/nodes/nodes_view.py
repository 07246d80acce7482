"""What the node map and the node table share: the nodes, the match, and one cursor."""

from collections.abc import Callable, Sequence
from typing import ClassVar, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollTo
from textual.strip import Strip

from fluxtui.ui.kit.drawing import Drawn
from fluxtui.ui.kit.palette import Palette, palette_of

HOVER = Style(underline=True)
MARK = Style(underline=True)


class Light(NamedTuple):
    """How some nodes look: which, as a mask, their glyph, and the role of its colour.

    Marked ones are set off beside that: they are selected, and the glyph says something else.
    Of several nodes that are drawn as one, those of a light that stands over the others are shown,
    however few they are.
    """

    mask: int
    glyph: str
    role: str
    marked: bool = False
    over: int = 0

    def style(self, palette: Palette) -> Style:
        """The style of the glyph."""
        style = palette.role(self.role)
        return style + palette.selected + MARK if self.marked else style


class Handlers(NamedTuple):
    """Who is told what a person does in a view of nodes.

    move    the cursor goes to the node of this index
    hover   the mouse is over the node of this index, or over none
    select  these nodes are to be the selected ones, as a mask
    """

    move: Callable[[int], None] = lambda index: None
    hover: Callable[[int | None], None] = lambda index: None
    select: Callable[[int], None] = lambda mask: None


#: How nodes look of which nothing is said.
DARK = Light(0, "■", "quiet")


class NodesView(Drawn, ScrollView, can_focus=True):
    """A view of numbered nodes of which some match, with a cursor that a person moves.

    The nodes come as a count; lights say how some of them look, the first that holds a node counts.
    Where there is no node, the lines of the notice say what to do. Moving is told at once, so that
    every pane shows the other node in the same frame.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move_row(-1)", "Row up", show=False),
        Binding("down", "move_row(1)", "Row down", show=False),
        Binding("pageup", "move_page(-1)", "Page up", show=False),
        Binding("pagedown", "move_page(1)", "Page down", show=False),
        Binding("home", "move_to_edge(-1)", "First node", show=False),
        Binding("end", "move_to_edge(1)", "Last node", show=False),
        Binding("n", "next_match(1)", "Next match", show=False),
        Binding("p", "next_match(-1)", "Previous match", show=False),
    ]

    def __init__(self, handlers: Handlers, *, id: str) -> None:
        super().__init__(id=id)
        self._handlers = handlers
        self._count = 0
        self.notice: Sequence[str] = ()
        self._mask = 0
        self._selected = 0
        self._lights: tuple[Light, ...] = ()
        self._dark = DARK
        self._cursor: int | None = None
        self._hover: int | None = None
        self._top: int | None = None  # the node to stay on top, where it is not the cursor's turn

    @property
    def cursor(self) -> int | None:
        """The index of the node with the cursor."""
        return self._cursor

    @property
    def mask(self) -> int:
        """The nodes that next and previous go through, as a bit set over indices."""
        return self._mask

    def show_lights(self, lights: tuple[Light, ...], dark: Light, mask: int, selected: int) -> None:
        """Light up nodes: of several lights the first counts; dark is how all others look.

        mask holds the nodes that next and previous go through, selected those that are selected.
        """
        self._mask, self._selected = mask, selected
        before, self._lights = self._lights, lights
        looks = [light[1:] for light in lights]
        if dark != self._dark or looks != [light[1:] for light in before]:
            self._dark = dark
            self.refresh()
        elif self.display:  # one that comes into sight is painted anew as it is
            self._refresh_changed(before)

    def _refresh_changed(self, before: tuple[Light, ...]) -> None:
        """Paint those rows anew that look different; before are the lights until now."""
        self.refresh()

    def show_cursor(self, index: int | None) -> None:
        """Mark the node with the cursor and bring it into view."""
        if index == self._cursor:
            return
        self._refresh_row_of(self._cursor)
        self._cursor, self._top = index, None
        self._refresh_row_of(index)
        self.scroll_to_cursor()

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
        row = self._row_of_top
        if row is None:
            self.scroll_to_cursor()
        else:
            self.scroll_to(y=row, animate=False)

    @property
    def _row_of_top(self) -> int | None:
        there = self._top is not None and self._top < self._count
        return self.row_of(self._top) if there and self._top is not None else None

    def scroll_to_cursor(self) -> None:
        """Bring the node with the cursor into view."""
        if self._cursor is not None and self.size.height:
            row = self.row_of(self._cursor)
            if row is not None:
                region = Region(0, row, 1, 1 + self.header_rows)
                self.scroll_to_region(region, animate=False, force=True)

    # What a view of its own says

    header_rows = 0

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

    def _refresh_row_of(self, index: int | None) -> None:
        row = self.row_of(index) if index is not None and index < self._count else None
        if row is not None:
            self.refresh_rows([row + self.header_rows])

    def _notice_line(self, y: int) -> Strip:
        """A line of a view without nodes."""
        text = self.notice[y - 1] if not self._count and 1 <= y <= len(self.notice) else ""
        line = Strip([Segment(text, palette_of(self).quiet)])
        return line.crop_extend(0, self.size.width, None).apply_style(self.base)

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

    # What a person does

    def action_move(self, by: int) -> None:
        """Go so many nodes on."""
        self._go((self._cursor or 0) + by)

    def action_move_row(self, by: int) -> None:
        """Go so many rows on, keeping the place in the row where the row is long enough."""
        row = self._row_of_cursor
        if row is None or self._cursor is None:
            return
        here, there, end = self.first_of(row), self.first_of(row + by), self.last_of(row + by)
        if here is not None and there is not None and end is not None:
            self._go(min(there + self._cursor - here, end))

    def action_move_page(self, by: int) -> None:
        """Go a screenful on."""
        row = self._row_of_cursor
        if row is None:
            return
        row += by * max(1, self.size.height - 1 - self.header_rows)
        first = self.first_of(row) if 0 < row < self.row_count - 1 else None
        if first is not None:
            self._go(first)
        else:
            self.action_move_to_edge(by)

    @property
    def _row_of_cursor(self) -> int | None:
        return self.row_of(self._cursor) if self._cursor is not None else None

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
        if self._count:
            self._handlers.move(min(max(index, 0), self._count - 1))
