"""What every dialog is: a box over the workbench that escape leaves."""

from typing import ClassVar, TypeVar

from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

Result = TypeVar("Result")


class Dialog(ModalScreen[Result | None]):
    """A box over the workbench. It ends with a result, or with None when a person leaves it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss_dialog", "Leave", show=False, priority=True),
    ]

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """End with a result. A key typed before the dialog had gone ends nothing more."""
        if not self.is_active:
            return AwaitComplete()
        self.workers.cancel_node(self)  # they would look for what has gone
        return super().dismiss(result)

    def action_dismiss_dialog(self) -> None:
        """Leave without a result."""
        self.dismiss(None)
