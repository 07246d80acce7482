"""A dialog for a multi-line text that describes the text after each key."""

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.timer import Timer
from textual.widgets import Static

from fluxtui.ui.kit.dialog import Dialog
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.text import uncoloured
from fluxtui.ui.kit.text_editor import TextEditor

LONG = 8_000  # characters that can be described within a millisecond or two
PAUSE = 0.15  # seconds without a key before a longer text is described


class LinesDialog(Dialog[str]):
    """Asks for a multi-line text; ctrl+s applies it.

    title and note say what it is for. describe, if given, returns what the text means; it is called
    after each key, for a long text once typing pauses, and escape asks before it discards the text.
    Without describe, escape keeps the text.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("lines.apply", "ctrl+s", "apply", "", "Apply the text", first=True),
    ]

    takes = "applies"  # the verb for what ctrl+s does

    def __init__(
        self, title: str, note: str, text: str, describe: Callable[[str], Text] | None = None
    ) -> None:
        super().__init__()
        self.heading, self._text, self._describe = title, text, describe
        self._later: Timer | None = None
        self._asks = False  # whether escape, pressed again, discards what was typed
        self.editor = TextEditor(
            self._edited, self.action_dismiss_dialog, uncoloured, id="lines-editor"
        )
        self.meaning = Static("", classes="note", id="lines-meaning")
        self.parts = (Static(Text(note), classes="note"), self.editor, self.meaning)

    def on_mount(self) -> None:
        """Start with the current text."""
        self._name_keys()
        self.editor.put(self._text)
        self.set_focus(self.editor)
        self._say(self._text)

    def _name_keys(self) -> None:
        if self._describe is None:
            self.say_keys(("ctrl+z", "undoes"), ("ctrl+r", "redoes"), ("escape", "keeps it"))
        else:
            leaves = "discards it" if self._asks else "closes"
            self.say_keys(("ctrl+s", f"{self.takes} it"), ("escape", leaves))

    async def on_key(self, event: events.Key) -> None:
        """Pass on keys typed before the editor was ready."""
        await self.editor._on_key(event)

    async def on_paste(self, event: events.Paste) -> None:
        """Pass on a paste that came before the editor was ready."""
        await self.editor._on_paste(event)

    def _edited(self, text: str) -> None:
        self._ask_again(asks=False)
        if self._later is not None:
            self._later.stop()
            self._later = None
        if len(text) > LONG and self._describe is not None:
            self._later = self.set_timer(PAUSE, lambda: self._say(text))
        else:
            self._say(text)

    def _say(self, text: str) -> None:
        if self._describe is not None:
            self.meaning.update(self._describe(text))

    # Closing

    def action_apply(self) -> None:
        """Close with the text."""
        self.dismiss(self.editor.text)

    def action_dismiss_dialog(self) -> None:
        """Close: keep the text, or with describe discard it, after asking once if it was edited."""
        if self._describe is None:
            is_same = self.editor.text == self._text
            self.dismiss(None if is_same else self.editor.text)
        elif self._asks or not (self.editor.history.undo_stack and self.editor.text.strip()):
            self.dismiss(None)
        else:
            self._ask_again(asks=True)
            words = f"Press escape again to discard what you typed; ctrl+s {self.takes} it."
            self.meaning.update(Text(words, style=palette_of(self).warning))

    def _ask_again(self, *, asks: bool) -> None:
        if asks != self._asks:
            self._asks = asks
            self._name_keys()
