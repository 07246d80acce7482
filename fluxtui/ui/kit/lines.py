"""Views that draw lines with Textual's line API, which is cheap enough to redraw at every key."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, TypeAlias

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events, on
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.reactive import Reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from fluxtui.notation.problem import Token
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.palette import Palette, palette_of
from fluxtui.ui.kit.text import LazySequence, columns, cut, in_row, visible, wrap

_KEY = re.compile(r'^(\s*)((?:- )*)("(?:[^"\\]|\\.)*"|[^\s"\[{:#][^:#]*?)(:)(?= |$)')
_CONSTANT = re.compile(r"(true|false|null|-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?)[,\]}]*\Z")


class LineView(ScrollView, can_focus=True):
    """A view that draws its lines on one background, whose style is computed once a frame.

    Subclasses implement ``render_line``.
    """

    _base: Style | None = None

    @property
    def base(self) -> Style:
        """The background style of the lines in this frame."""
        if self._base is None:
            self._base = self.rich_style
        return self._base

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the drawn lines of a region."""
        self._base = None
        return super().render_lines(crop)

    def refresh_rows(self, rows: Iterable[int]) -> None:
        """Repaint these rows in the next frame, counted from the top of the whole content."""
        top, width = self.scroll_offset.y, self.size.width
        if regions := [Region(0, row - top, width, 1) for row in rows]:
            self.refresh(*regions)


def columns_for(view: ScrollView, rows: int) -> int:
    """Return the columns that a view has for its lines if it shows this many rows.

    If the rows overflow, a scroll bar takes some columns. Textual accounts for it only after the
    next layout; this function does beforehand.
    """
    size = view.size
    has_bar = rows > size.height or view.styles.overflow_y == "scroll"
    bar = view.styles.scrollbar_size_vertical if has_bar else 0
    return max(size.width - bar, 0)


#: Lines of styled text, each made on access.
LazyLines: TypeAlias = LazySequence[Text]


class LinesView(LineView):
    """Shows lines of styled text, one a row, and scrolls both ways.

    With wrap, wide lines continue on further rows, indented by hang columns; no line takes more
    than most rows. If the stylesheet hides the horizontal overflow, only visible lines are read, so
    they may be a sequence that makes each line on access. The background comes from the stylesheet,
    the colours from the lines.
    """

    # No layout: a new size changes only the scroll bars of the view itself.
    virtual_size: Reactive[Size] = Reactive(Size(0, 0), layout=False, repaint=False)

    DEFAULT_CSS = """
    LinesView { background: transparent; scrollbar-size-horizontal: 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [bind("lines.enter", "enter", "enter", "")]

    def __init__(
        self,
        *,
        id: str | None = None,
        wrap: bool = False,
        hang: int = 0,
        most: int | None = None,
        on_enter: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(id=id)
        self._wrap, self._hang, self._most = wrap, hang, most
        self._enter = on_enter
        self._given: Sequence[Text] = ()
        self._lines: Sequence[Text] = ()
        self._widest: int | None = None

    @property
    def lines(self) -> Sequence[Text]:
        """The lines shown, after wrapping."""
        return self._lines

    @property
    def plain(self) -> str:
        """The text as given, without styles and before wrapping."""
        return "\n".join(line.plain for line in self._given)

    def action_enter(self) -> None:
        """Call on_enter."""
        if self._enter is not None:
            self._enter()

    def show_lines(self, lines: Sequence[Text], widest: int | None = None) -> None:
        """Show these lines, keeping the scroll position if possible.

        widest is the width of the widest line if known; otherwise all lines are measured.
        """
        self._given, self._widest = lines, widest
        self._lay_out()

    def on_resize(self) -> None:
        """Wrap to the new width."""
        if self._wrap:
            self._lay_out()

    def _lay_out(self) -> None:
        self._lines, widest = self._given, self._widest
        if self._wrap and self.size.width > 1:
            width, before = columns_for(self, len(self._lines)), 0
            while width != before:  # wrapped rows may need a scroll bar, which narrows them
                wrapped = (wrap(line, width, self._hang, self._most) for line in self._given)
                self._lines, widest = [row for rows in wrapped for row in rows], None
                width, before = min(width, columns_for(self, len(self._lines))), width
        if self.styles.overflow_x == "hidden":
            widest = self.size.width  # nothing to scroll to, so no line need be measured
        elif widest is None:
            widest = max((columns(line.plain) for line in self._lines), default=0)
        size = Size(widest, len(self._lines))
        if size != self.virtual_size:
            self.virtual_size = size
            self._scroll_update(size)
            if self.styles.auto_dimensions:
                self.refresh(layout=True)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw one row of the view."""
        scroll_x, scroll_y = self.scroll_offset
        width, row = self.size.width, scroll_y + y
        if row >= len(self._lines):
            return Strip.blank(width, self.base)
        line = self._lines[row]
        if self.styles.overflow_x == "hidden":
            line = cut(line, columns_for(self, len(self._lines)) or width)
        return in_row(line, self.base, scroll_x, width, self.app.console)


class RowsView(LinesView):
    """Lines with a cursor on one row.

    on_choose is called with the row that the user chooses, counted from 0, and on_move with the row
    that the user moves to.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("list.up", "up", "move(-1)", ""),
        bind("list.down", "down", "move(1)", ""),
        bind("list.page_up", "pageup", "move_page(-1)", ""),
        bind("list.page_down", "pagedown", "move_page(1)", ""),
        bind("list.first", "home", "move(-1000000)", ""),
        bind("list.last", "end", "move(1000000)", ""),
        bind("list.choose", "enter,space", "choose", "Choose", "Choose the selected row"),
    ]

    def __init__(
        self,
        on_choose: Callable[[int], None],
        on_move: Callable[[int], object] = lambda row: None,
        *,
        id: str,
    ) -> None:
        super().__init__(id=id)
        self._on_choose, self._on_move = on_choose, on_move
        self._row = 0

    @property
    def row(self) -> int:
        """The row with the cursor, from 0."""
        return self._row

    def show_lines(self, lines: Sequence[Text], widest: int | None = None) -> None:
        """Show these lines; the cursor keeps its row, or goes to the last one."""
        self._row = min(self._row, max(len(lines) - 1, 0))
        super().show_lines(lines, widest)

    def put_row(self, row: int) -> None:
        """Put the cursor on a row, which may not exist yet, without calling on_move."""
        row = max(row, 0)
        if row != self._row:
            before, self._row = self._row, row
            self.refresh_rows((before, row))

    def go_to(self, row: int) -> None:
        """Put the cursor on a row and scroll to it, without calling on_move."""
        self.put_row(row)
        place = Region(self.scroll_offset.x, self._row, 1, 1)
        self.scroll_to_region(place, animate=False)

    def action_move(self, by: int) -> None:
        """Move the cursor by a number of rows, as far as there are any."""
        self.go_to(min(max(self._row + by, 0), max(len(self.lines) - 1, 0)))
        self._on_move(self._row)

    def action_move_page(self, by: int) -> None:
        """Move the cursor by a number of pages."""
        self.action_move(by * max(1, self.size.height - 1))

    def action_choose(self) -> None:
        """Choose the row with the cursor."""
        if self.lines:
            self._on_choose(self._row)

    def on_click(self, event: events.Click) -> None:
        """Handle a click on a row."""
        row = self.row_under(event)
        if row is not None:
            self.clicked(row, event.chain)

    def row_under(self, event: events.Click) -> int | None:
        """Return the row under the mouse; None below the last row and on the frame."""
        offset = event.get_content_offset(self)
        row = offset.y + self.scroll_offset.y if offset is not None else len(self.lines)
        return row if row < len(self.lines) else None

    def clicked(self, row: int, times: int) -> None:
        """Move to a clicked row; a double click chooses it."""
        self.action_move(row - self._row)
        if times > 1:
            self.action_choose()

    @on(events.Focus)
    @on(events.Blur)
    def _show_cursor(self) -> None:
        self.refresh()  # the cursor shows only with the focus

    def render_line(self, y: int) -> Strip:
        """Draw one row, in the colours of the cursor if it has the cursor."""
        strip = super().render_line(y)
        is_selected = y + self.scroll_offset.y == self._row and bool(self.lines)
        if is_selected and (self.has_focus or not self.can_focus):
            bar = palette_of(self).selected
            strip = Strip([Segment(s.text, (s.style or self.base) + bar) for s in strip])
        return strip


class OneLine(Widget):
    """One row that never needs a layout: a text at the left and one at the right.

    The left text is cut if there is not enough room.
    """

    DEFAULT_CSS = "OneLine { height: 1; width: 1fr; }"

    _left = _right = Text()
    _make: Callable[[int], Text] | None = None

    @property
    def plain(self) -> str:
        """The text of the line, without styles."""
        return f"{self._left.plain} {self._right.plain}".strip()

    def show(self, left: Text, right: Text | None = None) -> None:
        """Show these texts at the left and the right."""
        right = right if right is not None else Text()
        shown = (left, left.style, right, right.style)
        if shown != (self._left, self._left.style, self._right, self._right.style):
            self._left, self._right = left, right
            self.refresh()

    def show_fitted(self, make: Callable[[int], Text]) -> None:
        """Show at the right the text that make returns for a width, here and after each resize."""
        self._make = make
        self._fit()

    def _fit(self) -> None:
        if self._make is not None:
            self.show(Text(), self._make(self.size.width))

    def on_resize(self) -> None:
        """Fit the text to the new width."""
        self._fit()

    def render_line(self, y: int) -> Strip:
        """Draw the row."""
        width, base, console = self.size.width, self.rich_style, self.app.console
        if y:
            return Strip.blank(width, base)
        taken = min(self._right.cell_len, width)
        room = max(width - taken - 1, 0) if taken else width
        text = self._left if self._left.cell_len <= room else self.cut(self._left, room)
        left = in_row(text, base, 0, width - taken, console)
        return Strip.join([left, in_row(self._right, base, 0, taken, console)])

    def cut(self, text: Text, room: int) -> Text:
        """Cut the left text to the columns that there are."""
        return cut(text, room)


class CaretLine(OneLine):
    """The line below an input: carets under the faulty characters, and a message next to them."""

    _carets: tuple[int, int, Text, int] | None = None

    def point(self, start: int, width: int, message: Text, least: int) -> None:
        """Show carets at a column, width columns wide, with the message after or before them.

        The message goes after the carets if it fits there, or if it would be cut on both sides and
        its first least columns fit there.
        """
        self._carets = (start, max(1, width), message, least)
        self.show(self._with_carets(*self._carets))

    def say(self, text: Text) -> None:
        """Show a message without carets."""
        self._carets = None
        self.show(text)

    def on_resize(self) -> None:
        """Fit the message to the new width."""
        if self._carets is not None:
            self.show(self._with_carets(*self._carets))

    def _with_carets(self, start: int, width: int, message: Text, least: int) -> Text:
        """Return the carets with the message; only the message if the carets are out of sight."""
        room = self.size.width or 80
        if start < 0 or start >= room:
            return message
        carets = Text("^" * min(width, room - start), style=message.style)
        after, before = room - start - carets.cell_len - 1, start - 1
        whole = message.cell_len
        if after >= whole or (before < whole and after >= min(least, before)):
            return Text(" " * start).append_text(carets).append(" ").append_text(message)
        message = self.cut(message, before)
        gap = " " * (before - message.cell_len)
        return Text(gap).append_text(message).append(" ").append_text(carets)


def in_colours(text: str, tokens: Iterable[Token], style: Palette) -> Text:
    """Return a shape or a constraint as one line, with its tokens coloured."""
    line = Text(visible(text), style=style.plain, end="")
    for kind, span in tokens:
        line.stylize(style.token(kind), *span)
    return line


def colour(line: str, style: Palette) -> Text:
    """Return a line of YAML or JSON with its key and its value coloured.

    The text has as many characters as the line; tabs are left for the caller to expand.
    """
    line = visible(line, tabs=True)
    text = Text(line, style=style.string, no_wrap=True, end="")
    start = 0
    key = _KEY.match(line)
    if key:
        text.stylize(style.punctuation, 0, key.start(3))
        text.stylize(style.key, key.start(3), key.end(3))
        text.stylize(style.punctuation, key.start(4), key.end(4))
        start = key.end(4)
    value = line[start:].lstrip(" \t-")
    at = len(line) - len(value)
    if _CONSTANT.match(value):
        text.stylize(style.number, at)
    if value and value[0] in "[]{}":
        text.stylize(style.punctuation, at)
    if not key:
        text.stylize(style.punctuation, 0, at)
    return text
