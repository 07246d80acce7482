"""Screens that close over the workbench, and the box of every dialog."""

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

    In Textual 8.2.8 a screen that takes on a size sends itself that size again. Where the terminal
    had another one meanwhile, both are under way, and each brings back the other, without an end.
    """

    @on(events.Resize)
    def _drop_outdated(self, event: events.Resize) -> None:
        """Drop a size that the terminal had before; its size now comes as well."""
        if event.size != self.app.size:
            event.prevent_default()


class OverlayScreen(SizedScreen[Result]):
    """A screen over another one that closes with a result or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "help_leave", "How to leave", show=False, system=True),
    ]

    def action_help_leave(self) -> None:
        """Say which keys lead out of here."""
        self.notify(f"esc goes back · {written(key_of('quit', 'ctrl+q'))} quits", timeout=4)

    async def wait_for_keys(self) -> None:
        """Wait until it is there, and what was typed so far has had its effect."""
        await wait_for_keys(self)
        if self.focused is not None:
            await wait_for_keys(self.focused)

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Close with a result. Keys typed before the screen is gone close nothing else."""
        if not self.is_active:
            return AwaitComplete()
        self.workers.cancel_node(self)  # they would look for what is gone
        return super().dismiss(result)


class Dialog(ModalScreen[Result | None], OverlayScreen[Result | None]):
    """A box over the workbench: a title, its content, and its keys in the lower edge.

    It ends with a result, or with None when a person closes it. The subclass has the title, and the
    parts of the box, which has the id ``box``.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss_dialog", "Close", show=False, priority=True),
    ]

    takes_documents: ClassVar[bool] = False  # a document that is pasted here is opened
    heading = ""
    parts: Sequence[Widget] = ()

    def compose(self) -> ComposeResult:
        """The box with its title and its parts."""
        with Vertical(id="box") as box:
            yield from self.parts
        box.border_title = Content(printable(self.heading))

    def take_pasted(self, text: str) -> bool | None:
        """Take a paste that is a document; whether it did, None where that is not its business."""
        return None

    def say_title(self, title: str, note: str = "") -> None:
        """Show a title in the frame, followed by a quiet note."""
        quiet = f"  {printable(note)}" if note else ""
        words = Content.assemble(printable(title), (quiet, "$role-quiet"))
        self.query_one("#box").border_title = words

    def say_keys(self, *keys: tuple[str, str], room: int = 0) -> None:
        """Name keys, by Textual's names, each with what it does; a click on one presses it.

        Those that so many columns have no room for are left out, the last but one first; without a
        number there are as many as the box has.
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
    """The columns that keys take with their labels."""
    return sum(cell_len(f"{written(key)} {does}{DOT}") for key, does in keys) - len(DOT)
