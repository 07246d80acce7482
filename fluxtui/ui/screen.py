"""The screen of the workbench, and the screen with letters for jumping to its parts."""

from collections.abc import Callable, Iterable
from shutil import get_terminal_size
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Offset
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Label

from fluxtui.ui.kit.compositor import paint_sparsely
from fluxtui.ui.kit.dialog import OverlayScreen, SizedScreen
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.pane import SKIPPED_BY_TAB

# The class of the screen from a number of columns or rows on.
WIDTHS = [(0, "-narrow"), (100, "-normal"), (160, "-wide")]
HEIGHTS = [(0, "-short"), (28, "-tall"), (38, "-roomy")]

LETTERS = "asdfjklghqwertyuiop"


class MainScreen(SizedScreen[None]):
    """The screen of the workbench. Tab goes through the inputs, then the visible panes.

    Tab has priority, so that text typed right after it goes to the next input.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        bind(
            "screen.next",
            "tab",
            "app.focus_next",
            "",
            "Accept the suggestion, or go to the next part",
            first=True,
        ),
        bind("screen.back", "shift+tab", "app.focus_previous", "", "Go back", first=True),
    ]

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        paint_sparsely(self)

    @property
    def focus_chain(self) -> list[Widget]:
        """The widgets that tab goes through, in order, without those marked to be skipped."""
        return [
            widget
            for widget in super().focus_chain
            if not any(around.has_class(SKIPPED_BY_TAB) for around in widget.ancestors)
        ]

    @classmethod
    def for_terminal(cls) -> "MainScreen":
        """Return the screen with the classes for the size of the terminal.

        Setting them only at the first resize would style and lay out everything twice before the
        first frame.
        """
        screen = cls(id="_default")
        columns, rows = get_terminal_size()
        for points, size in ((WIDTHS, columns), (HEIGHTS, rows)):
            screen.add_class([name for least, name in points if size >= least][-1], update=False)
        return screen


class JumpScreen(ModalScreen[None], OverlayScreen[None]):
    """Shows a letter at each place until a key is pressed; a letter calls its place's function."""

    DEFAULT_CSS = """
    JumpScreen > Label { background: $primary; color: $background; text-style: bold; padding: 0 1; }
    """

    # With priority, so that keys typed right after the letter go to its place.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Close", show=False, priority=True),
        *(Binding(key, f"go({key!r})", show=False, priority=True) for key in LETTERS),
    ]

    def __init__(self, places: Iterable[tuple[Offset, Callable[[], object]]]) -> None:
        super().__init__()
        self._places = dict(zip(LETTERS, places, strict=False))

    def compose(self) -> ComposeResult:
        """Yield a label at each place."""
        for letter, (place, _) in self._places.items():
            label = Label(letter)
            label.styles.position = "absolute"
            label.styles.offset = place
            yield label

    def action_go(self, letter: str) -> None:
        """Close, and go to the place of a letter."""
        self.dismiss(None)
        if letter in self._places:
            self._places[letter][1]()

    def on_click(self) -> None:
        """Close."""
        self.dismiss(None)

    def on_key(self, event: events.Key) -> None:
        """Close on any other key."""
        event.stop()
        self.dismiss(None)
