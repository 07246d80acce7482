"""A text of many lines in a box of its own, with a word on it after each key."""

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.timer import Timer
from textual.widgets import Static

from fluxtui.ui.colouring import uncoloured
from fluxtui.ui.dialogs.dialog import Dialog
from fluxtui.ui.widgets.text_editor import TextEditor

LONG = 8_000  # characters, which are read and told of within a millisecond or two
PAUSE = 0.15  # seconds


class LinesDialog(Dialog[str]):
    """Asks for a text of many lines; ctrl+s takes it.

    title and note say what it is for; tell says what the text so far means, after each key. A long
    text is told of when the keys pause, as that takes more time than a key may.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "take", "Take", show=False, priority=True),
    ]

    takes = "takes"  # what ctrl+s does with the text

    def __init__(
        self, title: str, note: str, text: str, tell: Callable[[str], Text] | None = None
    ) -> None:
        super().__init__()
        self._title = title
        self._note = note
        self._text = text
        self._tell = tell
        self._later: Timer | None = None

    def compose(self) -> ComposeResult:
        """A note, the text, and what it means."""
        with Vertical(id="box") as box:
            box.border_title = self._title
            box.border_subtitle = f"ctrl+s {self.takes} it · esc leaves"
            yield Static(Text(self._note), classes="note")
            self.editor = TextEditor(
                self._edited, self.action_dismiss_dialog, uncoloured, id="lines-editor"
            )
            yield self.editor
            self.told = Static("", classes="note", id="lines-told")
            yield self.told

    def on_mount(self) -> None:
        """Begin with the text as it stands."""
        self.editor.put(self._text)
        self.editor.focus()
        self._say(self._text)

    def _edited(self, text: str) -> None:
        if self._tell is None:
            return
        if self._later is not None:
            self._later.stop()
            self._later = None
        if len(text) > LONG:
            self._later = self.set_timer(PAUSE, lambda: self._say(text))
        else:
            self._say(text)

    def _say(self, text: str) -> None:
        if self._tell is not None:
            self.told.update(self._tell(text))

    def action_take(self) -> None:
        """Take the text."""
        self.dismiss(self.editor.text)
