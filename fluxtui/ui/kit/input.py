"""Inputs of one line: safe for any text, with readline's keys."""

import re
from collections.abc import Callable
from typing import ClassVar

from rich.highlighter import Highlighter
from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.reactive import Reactive
from textual.widget import Widget
from textual.widgets import Input
from textual.widgets.input import Selection

from fluxtui.ui.kit.keys import bind, writes
from fluxtui.ui.kit.palette import StyledApp
from fluxtui.ui.kit.text import columns, visible, with_feeds
from fluxtui.ui.kit.wording import shorten

_WORD = re.compile(r"\w+")


def takes_document(widget: Widget, text: str, *, jobspecs: bool = True) -> bool:
    """Whether a paste is a document, which the app opens; the widget does not take it then.

    jobspecs says that a jobspec is a document here too.
    """
    app = widget.app
    return isinstance(app, StyledApp) and app.take_pasted(text, jobspecs=jobspecs)


async def run_own_binding(widget: Widget, event: events.Key) -> bool:
    """Do what a key is bound to in a widget before the next key is looked at; False for none.

    Textual handles keys that write in the widget, but others only after they have bubbled up to the
    app: of keys that come in one burst, a backspace would follow the letter typed after it.
    """
    active = widget.screen.active_bindings.get(event.key)
    if event.is_printable or active is None or active.node is not widget:
        return False
    done = await widget.app.run_action(active.binding.action, widget)
    if done:
        event.stop()
        event.prevent_default()
    return done


class _Drawing(Highlighter):
    """Draws the text of an input as that has it."""

    def __init__(self, draw: Callable[[Text], None]) -> None:
        self._draw = draw

    def highlight(self, text: Text) -> None:
        """Style the text in place."""
        self._draw(text)


class PlainInput(Input, inherit_bindings=False):
    """An input that is safe for any text: control characters are shown as signs.

    They are dropped from what is typed or pasted; line breaks and tabs of a paste become blanks.
    The keys are readline's: ctrl+y brings back what was deleted by words or to an end.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("input.left", "left,ctrl+b", "cursor_left", ""),
        bind("input.right", "right", "cursor_right", ""),
        bind(
            "input.word_left",
            "ctrl+left,alt+left,alt+b",
            "go('word_left')",
            "",
            "Go a word to the left",
        ),
        bind(
            "input.word_right",
            "ctrl+right,alt+right,alt+f",
            "go('word_right')",
            "",
            "Go a word to the right",
        ),
        bind("input.start", "home,ctrl+a", "go('start')", "", "Go to the start"),
        bind("input.end", "end,ctrl+e", "go('end')", "", "Go to the end"),
        bind("input.select_left", "shift+left", "cursor_left(True)", ""),
        bind("input.select_right", "shift+right", "cursor_right(True)", ""),
        bind("input.select_word_left", "ctrl+shift+left", "go('word_left', True)", ""),
        bind("input.select_word_right", "ctrl+shift+right", "go('word_right', True)", ""),
        bind("input.select_start", "shift+home", "go('start', True)", ""),
        bind("input.select_end", "shift+end", "go('end', True)", ""),
        bind("input.select_all", "ctrl+shift+a", "select_all", ""),
        bind("input.delete_left", "backspace,ctrl+h", "delete_left", ""),
        bind("input.delete_right", "delete,ctrl+d", "delete_right", ""),
        bind(
            "input.kill_word_left",
            "ctrl+w,alt+backspace,ctrl+backspace",
            "kill('word_left')",
            "",
            "Delete the word to the left",
        ),
        bind(
            "input.kill_word_right",
            "alt+d,ctrl+delete",
            "kill('word_right')",
            "",
            "Delete the word to the right",
        ),
        bind(
            "input.kill_start", "ctrl+u,super+backspace", "kill('start')", "", "Delete to the start"
        ),
        bind("input.kill_end", "ctrl+k", "kill('end')", "", "Delete to the end"),
        bind("input.yank", "ctrl+y", "yank", ""),
        bind("input.transpose", "ctrl+t", "transpose", "", "Swap two characters"),
        bind("input.cut", "ctrl+x", "cut", ""),
        bind("input.copy", "ctrl+c,super+c", "copy", ""),
        bind("input.paste", "ctrl+v", "paste", ""),
        bind("input.submit", "enter", "submit", ""),
    ]

    # It has one row and no scroll bars: a longer text needs no layout of the screen.
    virtual_size: Reactive[Size] = Reactive(Size(0, 0), layout=False)

    # Takes a paste that is not text for the input.
    takes_paste: Callable[[str], bool] = staticmethod(lambda text: False)

    killed: ClassVar[str] = ""  # what was deleted last by words or to an end, in any input

    def __init__(
        self,
        value: str | None = None,
        placeholder: str = "",
        *,
        id: str | None = None,
        select_on_focus: bool = True,
        compact: bool = False,
    ) -> None:
        self._hint = ""
        super().__init__(
            value,
            placeholder,
            highlighter=_Drawing(self.draw),
            select_on_focus=select_on_focus,
            id=id,
            compact=compact,
        )

    def draw(self, text: Text) -> None:
        """Style a text that is drawn for the value; its characters are those of the value."""
        text.plain = visible(self.value)

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        """Printable keys are text here."""
        return writes(key, character)

    async def _on_key(self, event: events.Key) -> None:
        """Handle a key in the order it was typed."""
        await run_own_binding(self, event)

    def replace(self, text: str, start: int, end: int) -> None:
        """Put in a text; what is not printable is left out, as it could not be seen."""
        super().replace("".join(c for c in text if c.isprintable()), start, end)
        self.show_cursor()  # Textual 8.2.8 does not with the first text of an input

    def _on_paste(self, event: events.Paste) -> None:
        """Take all lines of a paste (Textual takes the first), as JSON may have many."""
        event.prevent_default()
        event.stop()
        text = with_feeds(event.text)
        if self.takes_paste(text) or takes_document(self, text):
            return
        self.replace(" ".join(text.splitlines()).replace("\t", " "), *self.selection)

    # Scrolling

    def validate_placeholder(self, placeholder: str) -> str:
        """What an empty input shows, cut between words."""
        self._hint = placeholder
        width = self.size.width
        return shorten(placeholder, width, "words") if width else placeholder

    def on_resize(self) -> None:
        """Keep the cursor in sight: what is beside the input has taken of its columns."""
        self.placeholder = self._hint
        self.show_cursor()

    def show_cursor(self) -> None:
        """Scroll to the cursor."""
        column = self._position_to_cell(self.cursor_position) + self.cursor_at_end
        self.scroll_to_region(Region(column, 0, 1, 1), force=True, animate=False)

    def _position_to_cell(self, position: int) -> int:
        return columns(self.value[:position])

    # Keys

    def _place(self, name: str) -> int:
        """The place that a key leads to from the cursor."""
        text, at = self.value, self.cursor_position
        if name == "word_left":
            return max((word.start() for word in _WORD.finditer(text, 0, at)), default=0)
        if name == "word_right":
            word = _WORD.search(text, at)
            return word.end() if word else len(text)
        return 0 if name == "start" else len(text)

    def action_go(self, name: str, select: bool = False) -> None:
        """Go to a place, and select what is on the way."""
        place = self._place(name)
        self.selection = Selection(self.selection.start if select else place, place)

    def action_kill(self, name: str) -> None:
        """Delete up to a place, or what is selected, and keep it."""
        start, end = sorted(self.selection)
        if start == end:
            start, end = sorted((self.cursor_position, self._place(name)))
        if start < end:
            PlainInput.killed = self.value[start:end]
            self.delete(start, end)

    def action_yank(self) -> None:
        """Bring back what was deleted last."""
        self.replace(self.killed, *self.selection)

    def action_transpose(self) -> None:
        """Swap the characters on both sides of the cursor; at the end the last two."""
        text, at = self.value, min(self.cursor_position, len(self.value) - 1)
        if at > 0:
            self.replace(text[at] + text[at - 1], at - 1, at + 1)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Pass the key on if there is nothing to copy, yank or delete."""
        if action in ("copy", "cut"):
            return not self.selection.is_empty
        if action == "yank":
            return bool(self.killed)
        return action != "delete_right" or not self.cursor_at_end or not self.selection.is_empty
