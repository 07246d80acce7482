"""Show a pane, the whole screen, or the messages as plain lines, to read, print or copy."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import SuspendNotSupported
from textual.binding import BindingType

from fluxtui.bridge import terminal
from fluxtui.ui.controller import Controller, WorkbenchApp
from fluxtui.ui.kit.dialog import Dialog
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import RowsView
from fluxtui.ui.kit.text import wrap
from fluxtui.ui.kit.workers import run_in_thread, start_exclusive_worker
from fluxtui.workbench import State

#: Returns the lines of a pane by its name, or of the whole screen for an empty name.
Read = Callable[[State, str], Sequence[str]]


class Aloud(Controller):
    """Shows the focused pane as plain lines; read returns them, and copy copies a named text."""

    def __init__(
        self, app: WorkbenchApp, read: Read, copy: Callable[[str, Callable[[], str]], None]
    ) -> None:
        super().__init__(app)
        self._read, self._copy = read, copy

    def show(self) -> None:
        """Show the focused pane; from an input, the whole screen."""
        focused = self.app.focused_pane
        name = next((name for name, pane in self.app.panes.items() if pane is focused), "")
        self._show(name)

    def show_messages(self) -> None:
        """Show the messages so far, the latest first."""
        lines = []
        for message in reversed(self.app.messages):
            first, *others = message.text.split("\n")
            lines += [f"{message.at:%H:%M}  {first}", *(f"       {line}" for line in others)]
        self.app.push_screen(
            LinesToRead(
                "Messages", lines or ["No messages yet."], is_whole=True, copy=self._copy, hang=7
            )
        )

    def _show(self, name: str) -> None:
        async def show() -> None:
            lines = await run_in_thread(lambda: self._read(self.app.state, name))
            dialog = LinesToRead("Plain text", lines, is_whole=not name, copy=self._copy)
            self.open_dialog(dialog, lambda _: self._show(""))

        start_exclusive_worker(self.app, "aloud", show)


class LinesToRead(Dialog[bool]):
    """Lists lines with a cursor. It closes with True to show the whole screen instead."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("aloud.print", "p", "print", "Print", "Print the lines in the terminal, and pause"),
        bind("aloud.copy", "c,y,ctrl+y", "copy", "Copy", "Copy the lines"),
        bind("aloud.whole", "a", "whole", "All", "Show the whole screen"),
        bind("aloud.close", "q,R,M", "dismiss_dialog", "", first=True),
    ]

    def __init__(
        self,
        title: str,
        lines: Sequence[str],
        *,
        is_whole: bool,
        copy: Callable[[str, Callable[[], str]], None],
        hang: int = 0,
    ) -> None:
        super().__init__()
        self._hang = hang  # indent of the continuation of a line that is not indented
        self.heading, self._lines, self._is_whole, self._copy = title, lines, is_whole, copy
        self.listed = RowsView(lambda row: None, id="lines-to-read")
        self.parts = (self.listed,)

    def on_mount(self) -> None:
        """Show the keys."""
        whole = () if self._is_whole else (("a", "all"),)
        self.say_keys(("p", "prints"), ("c", "copies"), *whole, ("escape", "closes"))

    def on_resize(self) -> None:
        """Wrap the lines to the new width, after the layout."""
        self.call_after_refresh(self._show)

    def _show(self) -> None:
        width = max(self.listed.size.width - 1, 20)  # a column for the scroll bar
        rows = []
        for line in self._lines:
            hang = 0 if line.startswith(" ") else self._hang
            rows += wrap(Text(line, no_wrap=True, end=""), width, hang)
        self.listed.show_lines(rows)

    def action_print(self) -> None:
        """Print the lines in the terminal, where a screen reader reads new output."""
        try:
            with self.app.suspend():
                terminal.read_out(self._lines)
        except SuspendNotSupported:
            self.app.notify("There is no terminal to print in.", severity="warning")
            return
        self.app.refresh(layout=True)

    def action_copy(self) -> None:
        """Copy the lines."""
        self._copy(self.heading.lower(), lambda: "\n".join(self._lines) + "\n")

    def action_whole(self) -> None:
        """Close, to show the whole screen instead."""
        if not self._is_whole:
            self.dismiss(True)
