"""A text of many lines that answers in the frame of the key: an edit leaves it synchronously."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.document._document import EditResult
from textual.document._edit import Edit
from textual.widgets import TextArea

from fluxtui.notation.source import Problem, position
from fluxtui.ui.palette import palette_of


class TextEditor(TextArea):
    """An editor whose lines are coloured by ``colour``, with problems underlined.

    on_edit is called with the whole text after each edit, before the next frame is drawn. Undo and
    redo are the workbench's. Escape leaves it by on_leave.
    """

    takes_letters = True  # no letter does anything else while it has the focus

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", show=False, priority=True),
    ]

    def __init__(
        self,
        on_edit: Callable[[str], None],
        on_leave: Callable[[], None],
        colour: Callable[[str], Text],
        *,
        id: str,
    ) -> None:
        super().__init__(id=id, soft_wrap=False, compact=True, tab_behavior="focus")
        self.indent_width = 2
        self.cursor_blink = False
        self._on_edit = on_edit
        self._done = on_leave
        self._colour = colour
        self._told = True
        self._marks: dict[int, list[tuple[int, int | None]]] = {}

    def edit(self, edit: Edit) -> EditResult:
        """Make an edit and hand the text on at once, not by a message."""
        result = super().edit(edit)
        if self._told:
            self._on_edit(self.text)
        return result

    def put(self, text: str) -> None:
        """Show a text that came from elsewhere; the cursor stays where it was in what stays."""
        old = self.text
        if text == old:
            return
        start, stop = _shared(old, text)
        self._told = False
        try:
            self.replace(
                text[start : len(text) - stop],
                _location(old, start),
                _location(old, len(old) - stop),
            )
        finally:
            self._told = True

    def mark(self, problems: Sequence[Problem]) -> None:
        """Underline where these problems stand in the text."""
        marks: dict[int, list[tuple[int, int | None]]] = {}
        for problem in problems:
            if problem.span is None:
                continue
            row, column = _location(self.text, problem.span.start)
            last, end = _location(self.text, problem.span.end)
            marks.setdefault(row, []).append((column, end if last == row else None))
        if marks != self._marks:
            self._marks = marks
            self.notify_style_update()

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

    async def _on_key(self, event: events.Key) -> None:
        """Do what a key is bound to at once, and begin a new line as far in as the one before.

        Textual would take the letters of a burst of keys before a backspace between them.
        """
        if event.key != "enter":
            bound = () if event.is_printable else self._bindings.key_to_bindings.get(event.key, ())
            for binding in bound:
                event.stop()
                event.prevent_default()
                await self.run_action(binding.action)
            if not bound:
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

    def action_leave(self) -> None:
        """Leave the text as it stands."""
        self._done()


def _shared(old: str, new: str) -> tuple[int, int]:
    """How many characters two texts share at their beginnings, and then at their ends."""
    most = min(len(old), len(new))
    start = 0
    step = most
    while step:  # by halves: comparing slices is faster than single characters
        if old[start : start + step] == new[start : start + step]:
            start += step
            step = min(step, most - start)
        else:
            step //= 2
    most -= start
    stop, step = 0, most
    while step:
        a, b = len(old) - stop, len(new) - stop
        if old[a - step : a] == new[b - step : b]:
            stop += step
            step = min(step, most - stop)
        else:
            step //= 2
    return start, stop


def _location(text: str, index: int) -> tuple[int, int]:
    line, column = position(text, index)
    return line - 1, column - 1
