"""A multi-line editor that reports each edit synchronously, within the frame of the key."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.cache import LRUCache
from textual.document._document import Document, EditResult, Location
from textual.document._document_navigator import DocumentNavigator
from textual.document._edit import Edit
from textual.document._wrapped_document import WrappedDocument
from textual.expand_tabs import expand_tabs_inline
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widgets import TextArea
from textual.widgets.text_area import Selection

from fluxtui.notation.problem import Problem, common_ends
from fluxtui.ui.kit.input import run_own_binding, takes_document
from fluxtui.ui.kit.keys import bind, writes
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.text import LazySequence, LineEnd, line_end, location, visible, with_feeds

DRAWN = 512  # how many drawn lines are cached


class Lines(Document):
    """A document that preserves every character of its text, including the line ends.

    Lines read for drawing or measuring have a one-column sign for each character that is not
    printable.
    """

    def __init__(self, text: str) -> None:
        self._newline: LineEnd = line_end(text) or "\n"
        self._lines: list[str] = text.split(self._newline)
        self._text: str | None = text

    @property
    def text(self) -> str:
        """The text with its edits; cached, because drawing reads it for every line."""
        if self._text is None:
            self._text = super().text
        return self._text

    def end_with(self, end: LineEnd) -> None:
        """Set the line ending without changing the lines."""
        self._newline = end
        self._text = None

    @property
    def with_feeds(self) -> str:
        """The text with line feeds for all line ends."""
        return "\n".join(self._lines)

    @property
    def lines(self) -> Any:
        """The lines as they are drawn, with tabs, which Textual expands.

        They are made on access: an edit reads only a few of thousands.
        """
        return LazySequence(len(self._lines), lambda row: visible(self._lines[row], tabs=True))

    def __getitem__(self, line_index: int | slice) -> Any:  # a line, or a list of lines
        """Return a line as it is drawn, or a list of lines."""
        return self.lines[line_index]

    def get_size(self, tab_width: int) -> Size:
        """Return the width of the widest line and the number of lines."""
        text = self.text
        if text.isascii() and "\t" not in text:
            widest = max(map(len, self._lines))  # each character takes one column
        else:
            widest = max(cell_len(expand_tabs_inline(line, tab_width)) for line in self.lines)
        return Size(widest, len(self._lines))

    def replace_range(self, start: Location, end: Location, text: str) -> EditResult:
        """Replace the text between two locations; line feeds in the new text also end lines."""
        (top, left), (bottom, right) = sorted((start, end))
        replaced = self.get_text_range((top, left), (bottom, right))
        new = text.replace(self._newline, "\n").split("\n")
        rest = self._lines[bottom][right:] if bottom < len(self._lines) else ""
        new[0] = (self._lines[top][:left] if top < len(self._lines) else "") + new[0]
        column = len(new[-1])
        new[-1] += rest
        self._lines[top : bottom + 1] = new
        self._text = None
        return EditResult((top + len(new) - 1, column), replaced)


class Unwrapped(WrappedDocument):
    """A wrapped document that never wraps lines, so its height need not be summed up."""

    @property
    def height(self) -> int:
        """The number of lines."""
        return self.document.line_count


class TextEditor(TextArea):
    """An editor whose lines are coloured by ``colour``, with problems underlined.

    on_edit is called with the whole text after each edit, before the next frame is drawn. Undo and
    redo are those of the workbench, except in a dialog. Escape calls on_leave.
    """

    document: Lines

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("editor.leave", "escape", "leave", "Close", "Close the editor and keep the text",
             first=True),
        bind("editor.redo", "ctrl+r", "redo", ""),
    ]  # fmt: skip

    def __init__(
        self,
        on_edit: Callable[[str], None],
        on_leave: Callable[[], None],
        colour: Callable[[str], Text],
        *,
        id: str,
    ) -> None:
        self._drawn: LRUCache[tuple[Any, ...], Strip] = LRUCache(DRAWN)
        self._look: tuple[object, ...] = ()  # the styles of the cached lines
        super().__init__(id=id, soft_wrap=False, compact=True, tab_behavior="focus")
        # Nothing uses these messages, which would bubble through each ancestor at each key.
        self.disable_messages(self.Changed, self.SelectionChanged)
        self.indent_width = 2
        self.cursor_blink = False
        self._on_edit, self._done, self._colour = on_edit, on_leave, colour
        self._reports = True  # whether edits call on_edit
        self._marks: dict[int, list[tuple[int, int | None]]] = {}

    def _set_document(self, text: str, language: str | None) -> None:
        """Use `Lines` for the text, because Textual's document would change its line ends."""
        self.document = Lines(text)
        self.wrapped_document = Unwrapped(self.document, tab_width=self.indent_width)
        self.navigator = DocumentNavigator(self.wrapped_document)
        self.move_cursor((0, 0))
        self._rewrap_and_refresh_virtual_size()

    def _refresh_size(self) -> None:
        """Update the virtual size; the width of the view, without a layout, while all lines fit."""
        width, height = self.document.get_size(self.indent_width)
        width += self.gutter_width + 1  # the cursor may be after the longest line
        room = self.scrollable_content_region.width - self.scrollbar_size_vertical
        if self.cursor_location[0] >= height:  # during an undo, before Textual moves the cursor
            self.set_reactive(TextArea.selection, Selection.cursor(self.document.end))
        self.virtual_size = Size(max(width, room), height)
        self._refresh_scrollbars()

    def edit(self, edit: Edit) -> EditResult:
        """Apply an edit, and report the text at once instead of with a message."""
        result = super().edit(edit)
        self._report()
        return result

    def undo(self) -> None:
        """Undo the last batch of edits, and report the text."""
        super().undo()
        self._report()

    def redo(self) -> None:
        """Redo the last batch of undone edits, and report the text."""
        super().redo()
        self._report()

    def _report(self) -> None:
        if self._reports:
            self._on_edit(self.text)

    def put(self, text: str) -> None:
        """Show another text without calling on_edit; the editor's own undo history is cleared.

        In the unchanged parts at the start and the end, the cursor stays at its character.
        """
        if text == self.text:
            return
        end = line_end(text) or self.document.newline
        # With line feeds only, the common start or end cannot contain half of a line end.
        old, new = self.document.with_feeds, text.replace(end, "\n")
        self.document.end_with(end)
        start, stop = common_ends(old, new)
        middle, places = new[start : len(new) - stop].replace("\n", end), (start, len(old) - stop)
        self._reports = False
        try:
            self.replace(middle, *(location(old, place, "\n") for place in places))
        finally:
            self._reports = True
        self.history.clear()

    def mark(self, problems: Sequence[Problem]) -> None:
        """Underline the spans of these problems."""
        marks: dict[int, list[tuple[int, int | None]]] = {}
        for problem in problems:
            if problem.span is None:
                continue
            row, column = location(self.text, problem.span.start, self.document.newline)
            last, end = location(self.text, problem.span.end, self.document.newline)
            marks.setdefault(row, []).append((column, end if last == row else None))
        if marks != self._marks:
            self._marks = marks
            self.notify_style_update()

    def notify_style_update(self) -> None:
        """Discard the cached lines, which have the old styles."""
        self._drawn.clear()
        super().notify_style_update()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw the lines of a region; the cache is cleared if the styles have changed."""
        look = (self.rich_style, palette_of(self))
        if look != self._look:
            self._look = look
            self._drawn.clear()
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """Draw one line from the cache; Textual's own cache is cleared by each edit."""
        row = self.scroll_offset.y + y
        (top, _), (bottom, _) = sorted(self.selection)
        bracket = self.matching_bracket_location
        is_lit = top <= row <= bottom or (bracket is not None and bracket[0] == row)
        if is_lit or row >= self.document.line_count:
            return self._render_line(y)
        columns = self.scroll_offset.x, self.size.width, self.virtual_size.width
        marks = tuple(self._marks.get(row, ()))  # lines with the same text may differ in marks
        key = (self.document.get_line(row), marks, *columns)
        strip = self._drawn.get(key)
        if strip is None:
            strip = self._drawn[key] = self._render_line(y)
        return strip

    def get_line(self, line_index: int) -> Text:
        """Return one line with its colours and marks."""
        line = self._colour(self.document.get_line(line_index))
        look = palette_of(self).problem + Style(underline=True)
        for start, end in self._marks.get(line_index, ()):
            stop = len(line) if end is None else end
            if start >= len(line):
                line.append(" ", style=look)
            else:
                line.stylize(look, start, max(stop, start + 1))
        return line

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        """Printable keys are text here."""
        return writes(key, character)

    async def _on_key(self, event: events.Key) -> None:
        """Handle bound keys in the order of typing; indent a new line like the one before."""
        if event.key != "enter":
            if not await run_own_binding(self, event):
                await super()._on_key(event)
            return
        event.stop()
        event.prevent_default()
        row, column = self.cursor_location
        before = self.document.get_line(row)[:column]
        lead = before[: len(before) - len(before.lstrip(" "))]
        item = before.lstrip(" ")
        if item.rstrip().endswith(":"):
            lead += "  " + "  " * item.startswith("- ")
        elif item.startswith("- ") and ": " in item:
            lead += "  "
        start, end = self.selection
        self._replace_via_keyboard("\n" + lead, start, end)

    async def _on_paste(self, event: events.Paste) -> None:
        """Insert a paste, in which many terminals end lines with carriage returns."""
        event.prevent_default()
        event.stop()
        text = with_feeds(event.text)
        if takes_document(self, text, jobspecs=False):
            return
        if result := self._replace_via_keyboard(text, *self.selection):
            self.move_cursor(result.end_location)

    def action_leave(self) -> None:
        """Close the editor and keep the text."""
        self._done()
