"""Ask for a path to write to, and before a file is overwritten."""

import os
from typing import ClassVar

from rich.text import Text
from textual.binding import BindingType
from textual.suggester import Suggester
from textual.widgets import Input, Static

from fluxtui.bridge import paths
from fluxtui.notation.problem import printable
from fluxtui.ui.kit.dialog import Dialog, Result
from fluxtui.ui.kit.input import PlainInput
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.workers import run_in_thread, start_exclusive_worker


class _Completion(Suggester):
    """Suggests the first path that begins with what is typed."""

    async def get_suggestion(self, value: str) -> str | None:
        """The whole path."""
        found = await run_in_thread(lambda: paths.complete_path(value, 1)) if value else []
        return found[0] if found and found[0].startswith(value) else None


class AskPathDialog(Dialog[Result]):
    """Asks for a path, with a note on what is saved; the subclass checks it.

    fault says why nothing could be written under the path that is suggested, where that was tried.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("path.complete", "tab", "complete", "", "Accept the suggestion")
    ]

    confirmed: object = None  # what was asked about, that enter once more overwrites

    def __init__(self, title: str, note: str, suggestion: str, fault: str = "") -> None:
        super().__init__()
        self.heading, self._checked, self._reason = title, suggestion, fault
        field = PlainInput(suggestion, id="save-path")
        field.suggester = _Completion(use_cache=False, case_sensitive=True)
        self._fault = Static(classes="fault", id="save-fault")
        self.parts = (Static(Text(printable(note)), classes="note"), field, self._fault)

    def on_mount(self) -> None:
        """Show why it is asked again."""
        self.say(self._reason)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Forget the problem of the previous path."""
        if event.value != self._checked and self.is_active:
            self._checked, self.confirmed = event.value, None
            self.say("")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Save, or show why not."""
        value = event.value.strip()
        if not self.is_active:
            return  # a key that was typed after this one has closed it
        if not value:
            self.say("Type a path.")
        else:
            start_exclusive_worker(self, "checking", self.check, value)

    def action_complete(self) -> None:
        """Accept what the field suggests."""
        self.query_one(Input).action_cursor_right()

    def say(self, text: str) -> None:
        """Show the problem, and the keys that are usual."""
        self._fault.update(Text(printable(text)))
        self._fault.display = bool(text)
        self.say_keys(("enter", "saves"), ("tab", "completes"), ("escape", "closes"))

    def say_exists(self, path: str) -> None:
        """Say that the file exists, and that enter again overwrites it."""
        name = os.path.basename(path)
        self.say(f"{name} exists. Press enter again to overwrite it, or type another name.")

    async def check(self, value: str) -> None:
        """Close with a valid path, or show what is wrong with it."""
        raise NotImplementedError


class PathDialog(AskPathDialog[str]):
    """Asks where to save; a file that is there is overwritten only after enter a second time."""

    async def check(self, value: str) -> None:
        """Close with the path if nothing is in the way."""
        reason, exists = await run_in_thread(lambda: paths.why_not_save(value))
        if reason is not None:
            self.say(reason)
        elif exists and self.confirmed != value:
            self.confirmed = value
            self.say_exists(value)
        else:
            self.dismiss(os.path.expanduser(value))
