"""Ask for a path to write to, and for confirmation before overwriting a file."""

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
    """Suggests the first path that begins with the typed text."""

    async def get_suggestion(self, value: str) -> str | None:
        """Return the complete path, or None if there is none."""
        found = await run_in_thread(lambda: paths.complete_path(value, 1)) if value else []
        return found[0] if found and found[0].startswith(value) else None


class AskPathDialog(Dialog[Result]):
    """Asks for a path, with a note on what is saved; the subclass checks the path.

    fault says why writing to the suggested path failed, if it was tried before.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("path.complete", "tab", "complete", "", "Accept the suggestion")
    ]

    confirmed: object = None  # the path that enter, pressed again, overwrites

    def __init__(self, title: str, note: str, suggestion: str, fault: str = "") -> None:
        super().__init__()
        self.heading, self._checked, self._reason = title, suggestion, fault
        field = PlainInput(suggestion, id="save-path")
        field.suggester = _Completion(use_cache=False, case_sensitive=True)
        self._fault = Static(classes="fault", id="save-fault")
        self.parts = (Static(Text(printable(note)), classes="note"), field, self._fault)

    def on_mount(self) -> None:
        """Show why the path is asked for again, if so."""
        self.say(self._reason)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Forget the problem of the previous path."""
        if event.value != self._checked and self.is_active:
            self._checked, self.confirmed = event.value, None
            self.say("")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Check the path, and close or show what is wrong with it."""
        value = event.value.strip()
        if not self.is_active:
            return  # a key typed after enter has closed the dialog
        if not value:
            self.say("Type a path.")
        else:
            start_exclusive_worker(self, "checking", self.check, value)

    def action_complete(self) -> None:
        """Accept the suggestion."""
        self.query_one(Input).action_cursor_right()

    def say(self, text: str) -> None:
        """Show a problem, none if empty, and the usual keys."""
        self._fault.update(Text(printable(text)))
        self._fault.display = bool(text)
        self.say_keys(("enter", "saves"), ("tab", "completes"), ("escape", "closes"))

    def say_exists(self, path: str) -> None:
        """Say that the file exists, and that pressing enter again overwrites it."""
        name = os.path.basename(path)
        self.say(f"{name} exists. Press enter again to overwrite it, or type another name.")

    async def check(self, value: str) -> None:
        """Close with a valid path, or show what is wrong with it."""
        raise NotImplementedError


class PathDialog(AskPathDialog[str]):
    """Asks where to save; an existing file is overwritten only if enter is pressed again."""

    async def check(self, value: str) -> None:
        """Close with the path, show why it cannot be written, or ask before overwriting."""
        reason, exists = await run_in_thread(lambda: paths.why_not_save(value))
        if reason is not None:
            self.say(reason)
        elif exists and self.confirmed != value:
            self.confirmed = value
            self.say_exists(value)
        else:
            self.dismiss(os.path.expanduser(value))
