"""Ask for a file to open, with what is there listed while one types."""

import os

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from fluxtui.bridge import files, paths
from fluxtui.notation.problem import printable
from fluxtui.ui.kit.dialog import Dialog
from fluxtui.ui.kit.entry import PlainInput
from fluxtui.ui.kit.option_rows import OptionRows
from fluxtui.ui.kit.workers import run_in_thread, start_exclusive_worker

LISTED = 200
ROOMY = 18  # rows of a screen that has room for the note too

NOTE = (
    "A jobspec, an R document, a configuration, a job script: its content tells. "
    "demo is the cluster that ships inside. A document can also be pasted here."
)

# What is listed for a folder as a whole.
WHOLE = "*.toml  all of these, as a configuration"


class OpenDialog(Dialog[str]):
    """Asks for a file to open. Typing narrows the list; enter opens a file or enters a folder.

    A folder that holds a configuration can be opened as one. A document that is pasted is opened as
    it is.
    """

    takes_documents = True

    def compose(self) -> ComposeResult:
        """A path, and below it what could complete it."""
        with Vertical(id="box") as box:
            box.border_title = "Open"
            box.border_subtitle = "enter opens · ↓ to the list · esc leaves"
            yield Static(NOTE, classes="note")
            yield PlainInput(placeholder="path", id="open-path", select_on_focus=False)
            yield Static("", classes="fault", id="open-fault")
            yield OptionRows(id="open-list")

    def on_mount(self) -> None:
        """Begin with what is here."""
        self._list("")

    def on_resize(self) -> None:
        """On a small screen the room is that of what is in the way of a file, and of the list."""
        self.set_class(self.size.height < ROOMY, "-small")

    def on_input_changed(self, event: Input.Changed) -> None:
        """List what could complete the path."""
        self._say("")
        self._list(event.value)

    def _list(self, typed: str) -> None:
        start_exclusive_worker(self, "listing", self._list_files, typed)

    async def _list_files(self, typed: str) -> None:
        found = await run_in_thread(lambda: paths.complete_path(typed, LISTED))
        whole = typed.endswith("/") and await run_in_thread(lambda: paths.has_configuration(typed))
        if not self.query(OptionList):
            return  # a key that came with the one that ended the dialog had start_thread it
        options = self.query_one(OptionList)
        options.clear_options()
        if whole:
            options.add_option(Option(WHOLE, id=typed + os.path.curdir))
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
            start_exclusive_worker(self, "following", self._follow, value)

    async def _follow(self, value: str) -> None:
        if await run_in_thread(lambda: paths.is_folder(value)):
            if value.endswith("/") and await run_in_thread(lambda: paths.has_configuration(value)):
                self.dismiss(os.path.expanduser(value))
            else:
                self._go_into(value if value.endswith("/") else value + "/")
            return
        reason = await run_in_thread(lambda: paths.why_unreadable(value))
        if value == files.DEMO:
            self.dismiss(value)
        elif reason is not None:
            self._say(f"That cannot be opened: {reason}.")
        else:
            self.dismiss(_file(value))

    def _say(self, text: str) -> None:
        for line in self.query("#open-fault").results(Static):
            line.update(Text(printable(text)))

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


def _file(path: str) -> str:
    """The path of a file, also where its name alone would mean something else to the workbench."""
    return f"./{path}" if path in ("-", files.DEMO) else os.path.expanduser(path)
