"""What every dialog is: a box over the workbench that escape leaves."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from fluxtui.ui.screen import PassingScreen, Result


class Dialog(ModalScreen[Result | None], PassingScreen[Result | None]):
    """A box over the workbench. It ends with a result, or with None when a person leaves it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss_dialog", "Leave", show=False, priority=True),
    ]

    def action_dismiss_dialog(self) -> None:
        """Leave without a result."""
        self.dismiss(None)
