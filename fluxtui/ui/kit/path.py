"""Ask for the path of a file to write, and whether what stands there may go."""

import os

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, Static

from fluxtui.bridge import paths
from fluxtui.notation.problem import printable
from fluxtui.ui.kit.dialog import Dialog, Result
from fluxtui.ui.kit.entry import PlainInput
from fluxtui.ui.kit.workers import run_in_thread, start_exclusive_worker


class AskPathDialog(Dialog[Result]):
    """Asks for a path, with a note on what is saved; the subclass looks whether it will do.

    fault says why nothing could be written under the path that is suggested, where that was tried.
    """

    def __init__(self, title: str, note: str, suggestion: str, fault: str = "") -> None:
        super().__init__()
        self._fault = fault
        self._title = title
        self._note = note
        self._suggestion = self._looked_at = suggestion

    def compose(self) -> ComposeResult:
        """A path, and a line for what stands in the way."""
        with Vertical(id="box") as box:
            box.border_title = self._title
            box.border_subtitle = "enter saves · esc leaves"
            yield Static(Text(printable(self._note)), classes="note")
            yield PlainInput(self._suggestion, id="save-path")
            yield Static(Text(printable(self._fault)), classes="fault", id="save-fault")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Another path is asked about anew; the one that it begins with is told of as well."""
        if event.value == self._looked_at:
            return
        self._looked_at = event.value
        self.forget()
        self.say("")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Save there, or say why not."""
        value = event.value.strip()
        if not value:
            self.say("Type a path.")
        else:
            start_exclusive_worker(self, "checking", self.check, value)

    def say(self, text: str) -> None:
        """Say what stands in the way."""
        self.query_one("#save-fault", Static).update(Text(printable(text)))

    def say_exists(self, path: str) -> None:
        """Say that there is a file, which goes when enter is pressed once more."""
        name = os.path.basename(path)
        self.say(f"{name} exists. Press enter again to overwrite it, or type another name.")

    def forget(self) -> None:
        """Forget which file may be overwritten."""
        raise NotImplementedError

    async def check(self, value: str) -> None:
        """End with a path that will do, or say why it does not."""
        raise NotImplementedError


class PathDialog(AskPathDialog[str]):
    """Asks where to save; a file that is there is overwritten only after enter a second time."""

    _confirmed = ""

    def forget(self) -> None:
        """Forget which file may be overwritten."""
        self._confirmed = ""

    async def check(self, value: str) -> None:
        """End with the path, once nothing stands in its way."""
        reason, exists = await run_in_thread(lambda: paths.why_not_save(value))
        if reason is not None:
            self.say(reason)
        elif exists and self._confirmed != value:
            self._confirmed = value
            self.say_exists(value)
        else:
            self.dismiss(os.path.expanduser(value))
