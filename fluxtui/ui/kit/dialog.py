"""The base of screens that open over the workbench, and of every dialog."""

from collections.abc import Sequence
from typing import ClassVar, TypeVar

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.markup import escape
from textual.screen import ModalScreen, Screen
from textual.widget import Widget

from fluxtui.notation.problem import printable
from fluxtui.ui.kit.input import wait_for_keys
from fluxtui.ui.kit.keys import key_of, written
from fluxtui.ui.kit.text import DOT

Result = TypeVar("Result")


class SizedScreen(Screen[Result]):
    """A screen that ignores outdated sizes of the terminal.

    In Textual 8.2.8 a screen that handles a resize posts the same size to itself again. If the
    terminal is resized in between, two sizes are in the queue, and they alternate forever.
    """

    @on(events.Resize)
    def _drop_outdated(self, event: events.Resize) -> None:
        """Drop a size that the terminal no longer has; another event brings the current size."""
        if event.size != self.app.size:
            event.prevent_default()


class OverlayScreen(SizedScreen[Result]):
    """A screen over another screen, which closes with a result or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "help_leave", "How to leave", show=False, system=True),
    ]

    def action_help_leave(self) -> None:
        """Say which keys close the screen and quit."""
        self.notify(f"esc goes back · {written(key_of('quit', 'ctrl+q'))} quits", timeout=4)

    async def wait_for_keys(self) -> None:
        """Wait until the screen is mounted and has handled the keys typed so far."""
        await wait_for_keys(self)
        if self.focused is not None:
            await wait_for_keys(self.focused)

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Close with a result; further calls before the screen is gone do nothing."""
        if not self.is_active:
            return AwaitComplete()
        self.workers.cancel_node(self)  # they would query widgets that are gone
        return super().dismiss(result)


class Dialog(ModalScreen[Result | None], OverlayScreen[Result | None]):
    """A box over the workbench: a title, its content, and its keys in the lower edge.

    It closes with a result, or with None if the user cancels. The subclass sets the heading and the
    parts of the box, which has the id ``box``.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss_dialog", "Close", show=False, priority=True),
    ]

    takes_documents: ClassVar[bool] = False  # whether a document pasted here is opened
    heading = ""
    parts: Sequence[Widget] = ()

    def compose(self) -> ComposeResult:
        """Yield the box with its title and its parts."""
        with Vertical(id="box") as box:
            yield from self.parts
        box.border_title = Content(printable(self.heading))

    def take_pasted(self, text: str) -> bool | None:
        """Handle a pasted document; return whether it did, or None to leave it to the app."""
        return None

    def say_title(self, title: str, note: str = "") -> None:
        """Show a title in the frame, followed by a note in a quiet colour."""
        quiet = f"  {printable(note)}" if note else ""
        words = Content.assemble(printable(title), (quiet, "$role-quiet"))
        self.query_one("#box").border_title = words

    def say_keys(self, *keys: tuple[str, str], room: int = 0) -> None:
        """Show keys, given by Textual's names, with what each does; a click presses the key.

        If they do not fit into room columns (by default the width of the box), keys are left out,
        the last but one first.
        """
        named = list(keys)
        room = room or (self.query_one("#box").size.width or self.app.size.width) - 4
        while len(named) > 2 and keys_width(named) > room:
            named.pop(-2)
        press = "[@click=app.simulate_key('{}')][$primary]{}[/] {}[/]"
        words = (press.format(key, escape(written(key)), escape(does)) for key, does in named)
        self.query_one("#box").border_subtitle = DOT.join(words)

    def on_click(self, event: events.Click) -> None:
        """Close on a click outside the box."""
        if event.widget is self:
            self.action_dismiss_dialog()

    def action_dismiss_dialog(self) -> None:
        """Close without a result."""
        self.dismiss(None)


def keys_width(keys: Sequence[tuple[str, str]]) -> int:
    """Return the columns that keys take with their labels."""
    return sum(cell_len(f"{written(key)} {does}{DOT}") for key, does in keys) - len(DOT)
