"""A multi-line editor that reports each edit synchronously, in the frame of the key."""

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

DRAWN = 512  # lines that are kept as they were drawn


class Lines(Document):
    """A text in lines that gives back each character as it came, the line ends too.

    What asks for lines in order to draw or to measure them gets a sign of one column for each
    character that cannot be printed.
    """

    def __init__(self, text: str) -> None:
        self._newline: LineEnd = line_end(text) or "\n"
        self._lines: list[str] = text.split(self._newline)
        self._text: str | None = text

    @property
    def text(self) -> str:
        """The original text with the edits; asked for by each drawn line."""
        if self._text is None:
            self._text = super().text
        return self._text

    def end_with(self, end: LineEnd) -> None:
        """Set the line ending without changing the lines."""
        self._newline = end
        self._text = None

    @property
    def with_feeds(self) -> str:
        """The text, but for line feeds alone at the ends of its lines."""
        return "\n".join(self._lines)

    @property
    def lines(self) -> Any:
        """The lines as they are drawn; tabs are left to who draws them.

        One is made when it is asked for: each edit asks for a few of thousands.
        """
        return LazySequence(len(self._lines), lambda row: visible(self._lines[row], tabs=True))

    def __getitem__(self, line_index: int | slice) -> Any:  # a line, or some
        """A line as it is drawn, or some of them."""
        return self.lines[line_index]

    def get_size(self, tab_width: int) -> Size:
        """The columns of the widest line, and how many lines there are."""
        text = self.text
        if text.isascii() and "\t" not in text:
            widest = max(map(len, self._lines))  # each character takes one column
        else:
            widest = max(cell_len(expand_tabs_inline(line, tab_width)) for line in self.lines)
        return Size(widest, len(self._lines))

    def replace_range(self, start: Location, end: Location, text: str) -> EditResult:
        """Put a text in the place of what is between two locations; a line feed ends a line too."""
        (top, left), (bottom, right) = sorted((start, end))
        replaced = self.get_text_range((top, left), (bottom, right))
        new = text.replace(self._newline, "\n").split("\n")
        behind = self._lines[bottom][right:] if bottom < len(self._lines) else ""
        new[0] = (self._lines[top][:left] if top < len(self._lines) else "") + new[0]
        column = len(new[-1])
        new[-1] += behind
        self._lines[top : bottom + 1] = new
        self._text = None
        return EditResult((top + len(new) - 1, column), replaced)


class Unwrapped(WrappedDocument):
    """A document whose lines are never wrapped, so that its height need not be added up."""

    @property
    def height(self) -> int:
        """The number of lines."""
        return self.document.line_count


class TextEditor(TextArea):
    """An editor whose lines are coloured by ``colour``, with problems underlined.

    on_edit is called with the whole text after each edit, before the next frame is drawn. Undo and
    redo are the workbench's, but in a dialog the editor's own. Escape calls on_leave.
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
        self._look: tuple[object, ...] = ()  # what they were drawn in
        super().__init__(id=id, soft_wrap=False, compact=True, tab_behavior="focus")
        # Nothing uses them, and they would pass through each ancestor at each key.
        self.disable_messages(self.Changed, self.SelectionChanged)
        self.indent_width = 2
        self.cursor_blink = False
        self._on_edit, self._done, self._colour = on_edit, on_leave, colour
        self._told = True
        self._marks: dict[int, list[tuple[int, int | None]]] = {}

    def _set_document(self, text: str, language: str | None) -> None:
        """Begin with a text; Textual's own document would change its line ends."""
        self.document = Lines(text)
        self.wrapped_document = Unwrapped(self.document, tab_width=self.indent_width)
        self.navigator = DocumentNavigator(self.wrapped_document)
        self.move_cursor((0, 0))
        self._rewrap_and_refresh_virtual_size()

    def _refresh_size(self) -> None:
        """How far the view scrolls; while all lines fit, none of them asks for a layout."""
        width, height = self.document.get_size(self.indent_width)
        width += self.gutter_width + 1  # the cursor may be behind the longest line
        room = self.scrollable_content_region.width - self.scrollbar_size_vertical
        if self.cursor_location[0] >= height:  # of an undo that has not put it back yet
            self.set_reactive(TextArea.selection, Selection.cursor(self.document.end))
        self.virtual_size = Size(max(width, room), height)
        self._refresh_scrollbars()

    def edit(self, edit: Edit) -> EditResult:
        """Make an edit and hand the text on at once, not by a message."""
        result = super().edit(edit)
        self._tell()
        return result

    def undo(self) -> None:
        """Undo the last edits, which is reported as an edit."""
        super().undo()
        self._tell()

    def redo(self) -> None:
        """Redo the undone edits."""
        super().redo()
        self._tell()

    def _tell(self) -> None:
        if self._told:
            self._on_edit(self.text)

    def put(self, text: str) -> None:
        """Show a text from elsewhere; the cursor stays where it was in the unchanged part.

        It is nothing that could be undone here.
        """
        if text == self.text:
            return
        end = line_end(text) or self.document.newline
        # With one character at the end of each line, no end can be shared by half.
        old, new = self.document.with_feeds, text.replace(end, "\n")
        self.document.end_with(end)
        start, stop = common_ends(old, new)
        put, places = new[start : len(new) - stop].replace("\n", end), (start, len(old) - stop)
        self._told = False
        try:
            self.replace(put, *(location(old, place, "\n") for place in places))
        finally:
            self._told = True
        self.history.clear()

    def mark(self, problems: Sequence[Problem]) -> None:
        """Underline the places of these problems."""
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
        """Discard lines drawn in other styles."""
        self._drawn.clear()
        super().notify_style_update()

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of a region; those kept were drawn in the same colours."""
        look = (self.rich_style, palette_of(self))
        if look != self._look:
            self._look = look
            self._drawn.clear()
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """Draw one line: Textual forgets all lines with each edit, and most are as they were."""
        row = self.scroll_offset.y + y
        (top, _), (bottom, _) = sorted(self.selection)
        bracket = self.matching_bracket_location
        is_lit = top <= row <= bottom or (bracket is not None and bracket[0] == row)
        if is_lit or row >= self.document.line_count:
            return self._render_line(y)
        columns = self.scroll_offset.x, self.size.width, self.virtual_size.width
        marks = tuple(self._marks.get(row, ()))  # two lines alike need not be marked alike
        key = (self.document.get_line(row), marks, *columns)
        strip = self._drawn.get(key)
        if strip is None:
            strip = self._drawn[key] = self._render_line(y)
        return strip

    def get_line(self, line_index: int) -> Text:
        """One line in its colours."""
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
        """Do what a key is bound to in its turn; a new line begins as far in as the one before."""
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
        """Take a paste, the lines of which many terminals end by carriage returns."""
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
