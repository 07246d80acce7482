"""Single-line inputs that are safe for any text, with readline's keys."""

import asyncio
import re
from collections.abc import Callable
from contextlib import suppress
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.message_pump import MessagePump
from textual.reactive import Reactive, var
from textual.widget import Widget
from textual.widgets import Input
from textual.widgets.input import Selection

from fluxtui.notation.problem import is_printable
from fluxtui.ui.kit.keys import bind, writes
from fluxtui.ui.kit.palette import StyledApp
from fluxtui.ui.kit.text import columns, shorten, visible, with_feeds

_WORD = re.compile(r"\w+")

# Seconds that a key waits at most for earlier keys; it takes that long only if something is broken.
PATIENCE = 1.0


def takes_document(widget: Widget, text: str, *, jobspecs: bool = True) -> bool:
    """Return whether a pasted text is a document, which the app then opens.

    jobspecs is whether a jobspec counts as a document here.
    """
    app = widget.app
    return isinstance(app, StyledApp) and app.take_pasted(text, jobspecs=jobspecs)


async def wait_for_keys(widget: MessagePump) -> None:
    """Wait until a widget or a screen has handled the keys that it was sent so far.

    The app handles a key before the focused widget has handled earlier keys of the same read.
    """
    done = asyncio.Event()
    if not widget.is_running:
        return  # it is not mounted yet, or gone
    if asyncio.current_task() is not widget.task and widget.call_later(done.set):
        with suppress(TimeoutError):
            await asyncio.wait_for(done.wait(), PATIENCE)


async def run_own_binding(widget: Widget, event: events.Key) -> bool:
    """Run the widget's own binding for a key in order of typing; return False if there is none.

    Textual handles printable keys in the widget, but bound keys only after they have bubbled up to
    the app. In a burst of keys, a backspace would be applied after the letter typed after it.
    """
    active = widget.screen.active_bindings.get(event.key)
    if event.is_printable or active is None or active.node is not widget:
        return False
    done = await widget.app.run_action(active.binding.action, widget)
    if done:
        event.stop()
        event.prevent_default()
    return done


class PlainInput(Input, inherit_bindings=False):
    """An input that is safe for any text: control characters are shown as visible signs.

    Typed and pasted control characters are dropped; line breaks and tabs in a paste become blanks.
    The keys are readline's: ctrl+y inserts what was last deleted by words or to an end.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        bind(f"input.{name}", keys, action, "", help)
        for name, keys, action, help in (
            ("left", "left,ctrl+b", "cursor_left", ""),
            ("right", "right", "cursor_right", ""),
            ("word_left", "ctrl+left,alt+left,alt+b", "cursor_left_word", "Go back a word"),
            ("word_right", "ctrl+right,alt+right,alt+f", "cursor_right_word", "Go forward a word"),
            ("start", "home,ctrl+a", "home", "Go to the start"),
            ("end", "end,ctrl+e", "end", "Go to the end"),
            ("select_left", "shift+left", "cursor_left(True)", ""),
            ("select_right", "shift+right", "cursor_right(True)", ""),
            ("select_word_left", "ctrl+shift+left", "cursor_left_word(True)", ""),
            ("select_word_right", "ctrl+shift+right", "cursor_right_word(True)", ""),
            ("select_start", "shift+home", "home(True)", ""),
            ("select_end", "shift+end", "end(True)", ""),
            ("select_all", "ctrl+shift+a", "select_all", ""),
            ("delete_left", "backspace,ctrl+h", "delete_left", ""),
            ("delete_right", "delete,ctrl+d", "delete_right", ""),
            (
                "kill_word_left",
                "ctrl+w,alt+backspace,ctrl+backspace",
                "kill('cursor_left_word')",
                "Delete the word before the cursor",
            ),
            (
                "kill_word_right",
                "alt+d,ctrl+delete",
                "kill('cursor_right_word')",
                "Delete the word after the cursor",
            ),
            ("kill_start", "ctrl+u,super+backspace", "kill('home')", "Delete to the start"),
            ("kill_end", "ctrl+k", "kill('end')", "Delete to the end"),
            ("yank", "ctrl+y", "yank", ""),
            ("transpose", "ctrl+t", "transpose", "Swap two characters"),
            ("cut", "ctrl+x", "cut", ""),
            ("copy", "ctrl+c,super+c", "copy", ""),
            ("paste", "ctrl+v", "paste", ""),
            ("submit", "enter", "submit", ""),
        )
    ]

    # It has one row and no scroll bars, so a longer text needs no layout.
    virtual_size: Reactive[Size] = Reactive(Size(0, 0), layout=False)

    # No blinking: an idle workbench should do nothing.
    cursor_blink = var(False, init=False)

    # Handles a pasted text that is not meant for the input; returns whether it did.
    takes_paste: Callable[[str], bool] = staticmethod(lambda text: False)

    killed: ClassVar[str] = ""  # the text last deleted by words or to an end, in any input

    _hint = ""

    # The text

    @property
    def _value(self) -> Text:
        """The value as it is drawn; overrides a private property of Textual's Input."""
        text = Text(visible(self.value), no_wrap=True, overflow="ignore", end="")
        self.draw(text)
        return text

    def draw(self, text: Text) -> None:
        """Style the text drawn for the value; it has one character for each in the value."""

    def _position_to_cell(self, position: int) -> int:
        return columns(self.value[:position])

    def show_cursor(self) -> None:
        """Scroll to the cursor."""
        self.scroll_to_region(Region(self._cursor_offset, 0, 1, 1), force=True, animate=False)

    def validate_placeholder(self, placeholder: str) -> str:
        """Cut the placeholder between words to the width of the input."""
        self._hint = placeholder
        width = self.size.width
        return shorten(placeholder, width, "words") if width else placeholder

    def on_resize(self) -> None:
        """Fit the placeholder and keep the cursor in sight in the new width."""
        self.placeholder = self._hint
        self.show_cursor()

    def replace(self, text: str, start: int, end: int) -> None:
        """Replace a part of the value, dropping characters that are not printable."""
        super().replace("".join(filter(is_printable, text)), start, end)
        self.show_cursor()  # Textual 8.2.8 does not scroll for the first text of an input

    def _on_paste(self, event: events.Paste) -> None:
        """Insert all lines of a paste, as in JSON; Textual inserts only the first."""
        event.prevent_default()
        event.stop()
        text = with_feeds(event.text)
        if not self.takes_paste(text) and not takes_document(self, text):
            self.replace(" ".join(text.splitlines()).replace("\t", " "), *self.selection)

    # Keys

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        """Printable keys are text here."""
        return writes(key, character)

    async def _on_key(self, event: events.Key) -> None:
        """Handle bound keys in the order of typing."""
        await run_own_binding(self, event)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return False if there is nothing to copy, yank or delete, to pass the key on."""
        if action in ("copy", "cut"):
            return not self.selection.is_empty
        if action == "yank":
            return bool(self.killed)
        return action != "delete_right" or not self.cursor_at_end or not self.selection.is_empty

    def action_cursor_right_word(self, select: bool = False) -> None:
        """Go to the end of a word, as readline does."""
        word = _WORD.search(self.value, self.cursor_position)
        end = word.end() if word else len(self.value)
        self.selection = Selection(self.selection.start if select else end, end)

    def action_kill(self, move: str) -> None:
        """Delete the selection, or the text up to where a move leads, and keep it for yank."""
        if self.selection.is_empty:
            getattr(self, f"action_{move}")(select=True)
        if self.selected_text:
            PlainInput.killed = self.selected_text
            self.delete_selection()

    def action_yank(self) -> None:
        """Insert what was killed last."""
        self.replace(self.killed, *self.selection)

    def action_transpose(self) -> None:
        """Swap the characters on both sides of the cursor; at the end, the last two."""
        text, at = self.value, min(self.cursor_position, len(self.value) - 1)
        if at > 0:
            self.replace(text[at] + text[at - 1], at - 1, at + 1)
