"""What a part of the app is that is neither a widget nor state."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from textual.app import SystemCommand

from fluxtui import workbench

if TYPE_CHECKING:
    from fluxtui.ui.app import FluxTUI


class Controller:
    """One concern of the app: drafts, documents, the watcher, export, fixes ...

    The app has them in one ordered list and calls each of these methods in that order.
    """

    def __init__(self, app: "FluxTUI") -> None:
        self.app = app

    def ready(self) -> None:
        """The first frame is on the screen."""

    def changed(self, before: workbench.State, after: workbench.State) -> None:
        """A step was made from one state to the next, which the panes show already."""

    def edited(self, edit: workbench.Edit, before: workbench.State, after: workbench.State) -> None:
        """An edit, which is no undo or redo, led from one state to the next; after `changed`."""

    def commands(self) -> Iterable[SystemCommand]:
        """What the palette offers now, beside the actions that have a name of their own."""
        return ()

    def stop(self) -> bool:
        """End what is going on, for the escape key; whether there was something to end."""
        return False

    def close(self, *, left: bool) -> None:
        """The program ends: write what must not be lost.

        left tells that a person left it. It may be called beside the event loop, and twice.
        """
