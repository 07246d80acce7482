"""Ask for a file: to open, with what is there listed while one types, or to save to."""

import os

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from fluxtui.bridge import files, paths
from fluxtui.notation.source import printable
from fluxtui.ui.background import in_background
from fluxtui.ui.dialogs.dialog import Dialog
from fluxtui.ui.widgets.plain_input import PlainInput

LISTED = 200


class OpenDialog(Dialog[str]):
    """Asks for a file to open. Typing narrows the list; enter opens a file or enters a folder."""

    def compose(self) -> ComposeResult:
        """A path, and below it what could complete it."""
        with Vertical(id="box") as box:
            box.border_title = "Open an R document"
            box.border_subtitle = "enter opens · ↓ to the list · esc leaves"
            yield Static("A path, or demo for the cluster that ships inside.", classes="note")
            yield PlainInput(
                placeholder="path to a JSON document", id="open-path", select_on_focus=False
            )
            yield Static("", classes="fault", id="open-fault")
            yield OptionList(id="open-list")

    def on_mount(self) -> None:
        """Begin with what is here."""
        self._list("")

    def on_input_changed(self, event: Input.Changed) -> None:
        """List what could complete the path."""
        self._say("")
        self._list(event.value)

    def _list(self, typed: str) -> None:
        self.run_worker(self._list_files(typed), group="listing", exclusive=True)

    async def _list_files(self, typed: str) -> None:
        found = await in_background(lambda: paths.complete_path(typed, LISTED))
        options = self.query_one(OptionList)
        options.clear_options()
        options.add_options(
            Option(
                Text(printable(os.path.basename(path.rstrip("/")) + "/" * path.endswith("/"))),
                id=path,
            )
            for path in found
        )

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Open the path that was typed, or what it leads to when it is a folder."""
        value = event.value.strip()
        if value:
            self.run_worker(self._follow(value), group="following", exclusive=True)

    async def _follow(self, value: str) -> None:
        if await in_background(lambda: paths.is_folder(value)):
            self._go_into(value if value.endswith("/") else value + "/")
            return
        reason = await in_background(lambda: paths.why_unreadable(value))
        if value == files.DEMO:
            self.dismiss(value)
        elif reason is not None:
            self._say(f"That cannot be opened: {reason}.")
        else:
            self.dismiss(_file(value))

    def _say(self, text: str) -> None:
        self.query_one("#open-fault", Static).update(Text(printable(text)))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open the file, or go into the folder."""
        path = event.option.id or ""
        if path.endswith("/"):
            self._go_into(path)
        else:
            self.dismiss(_file(path))

    def _go_into(self, folder: str) -> None:
        field = self.query_one(Input)
        field.value = folder
        field.cursor_position = len(folder)
        field.focus()

    def key_down(self) -> None:
        """From the path to the list."""
        if self.query_one(Input).has_focus:
            self.query_one(OptionList).focus()


class SaveDialog(Dialog[str]):
    """Asks where to save; a file that is there is overwritten only after enter a second time."""

    def __init__(self, suggestion: str) -> None:
        super().__init__()
        self._suggestion = suggestion
        self._confirmed = ""

    def compose(self) -> ComposeResult:
        """A path, and a line for what stands in the way."""
        with Vertical(id="box") as box:
            box.border_title = "Save the jobspec"
            box.border_subtitle = "enter saves · esc leaves"
            yield Static("The ending says the form: .yaml or .json.", classes="note")
            yield PlainInput(self._suggestion, id="save-path")
            yield Static("", classes="fault", id="save-fault")

    def on_input_changed(self) -> None:
        """Another path is asked about anew."""
        self._confirmed = ""
        self._say("")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Save there, or say why not."""
        value = event.value.strip()
        if not value:
            self._say("Type a path.")
        else:
            self.run_worker(self._check(value), group="checking", exclusive=True)

    async def _check(self, value: str) -> None:
        reason, exists = await in_background(lambda: paths.why_not_save(value))
        if reason is not None:
            self._say(reason)
        elif exists and self._confirmed != value:
            self._confirmed = value
            name = os.path.basename(value)
            self._say(f"{name} exists. Press enter again to overwrite it, or type another name.")
        else:
            self.dismiss(os.path.expanduser(value))

    def _say(self, text: str) -> None:
        self.query_one("#save-fault", Static).update(Text(printable(text)))


def _file(path: str) -> str:
    """The path of a file, also where its name alone would mean something else to the workbench."""
    return f"./{path}" if path in ("-", files.DEMO) else os.path.expanduser(path)
