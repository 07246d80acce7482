"""A letter on each part of the screen; the one that is typed leads there."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import Label

from fluxtui.ui.kit.dialog import PassingScreen

if TYPE_CHECKING:
    from fluxtui.ui.core import Workbench

LETTERS = "asdfjklghqwertyuiop"


class JumpScreen(ModalScreen[None], PassingScreen[None]):
    """Shows the letters over the workbench until one is typed, or anything else."""

    DEFAULT_CSS = """
    JumpScreen > Label { background: $primary; color: $background; text-style: bold; padding: 0 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Close", show=False, priority=True)
    ]

    def __init__(self, app: "Workbench") -> None:
        super().__init__()
        places: list[tuple[int, int, Callable[[], object]]] = [
            (*app.shape_bar.region.offset, app.focus_shape),
            (*app.ask_bar.region.offset, app.focus_constraint),
        ]
        for name, tab in app.workspace.tabs.items():
            pane = app.workspace.panes[name]
            if pane.is_on_screen and tab:
                x, y = pane.region.offset
                places.append((x + 1, y, partial(app.go_to, name)))
        self._places = dict(zip(LETTERS, places, strict=False))

    def compose(self) -> ComposeResult:
        """A label at each place."""
        for letter, (x, y, _) in self._places.items():
            label = Label(letter)
            label.styles.position = "absolute"
            label.styles.offset = (x, y)
            yield label

    def on_key(self, event: events.Key) -> None:
        """Go where a letter leads; any other key ends it."""
        event.stop()
        place = self._places.get(event.key)
        self.dismiss(None)
        if place is not None:
            self.app.call_later(place[2])
