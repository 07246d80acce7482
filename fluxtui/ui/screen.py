"""The screen of the workbench, and the letters over it that lead to its parts."""

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

# From so many columns or rows on, the screen has this class.
WIDTHS = [(0, "-narrow"), (100, "-normal"), (160, "-wide")]
HEIGHTS = [(0, "-short"), (28, "-tall"), (38, "-roomy")]

LETTERS = "asdfjklghqwertyuiop"


class MainScreen(SizedScreen[None]):
    """The screen of the workbench. Tab goes through the inputs, then the panes in sight.

    The keys come first (priority), so that what is typed right after a tab is already for the
    next input.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        bind(
            "screen.next",
            "tab",
            "app.focus_next",
            "",
            "Accept the suggestion, or go on",
            first=True,
        ),
        bind("screen.back", "shift+tab", "app.focus_previous", "", "Go back", first=True),
    ]

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        paint_sparsely(self)

    @property
    def focus_chain(self) -> list[Widget]:
        """The widgets that tab goes through, in order; not those in what it is to pass by."""
        return [
            widget
            for widget in super().focus_chain
            if not any(around.has_class(SKIPPED_BY_TAB) for around in widget.ancestors)
        ]

    @classmethod
    def for_terminal(cls) -> "MainScreen":
        """The screen with the classes for the terminal's size.

        Taking them on at the first resize instead would style and lay out everything twice before
        anything is seen.
        """
        screen = cls(id="_default")
        columns, rows = get_terminal_size()
        for points, size in ((WIDTHS, columns), (HEIGHTS, rows)):
            screen.add_class([name for least, name in points if size >= least][-1], update=False)
        return screen


class JumpScreen(ModalScreen[None], OverlayScreen[None]):
    """Shows a letter at each place until a key is pressed."""

    DEFAULT_CSS = """
    JumpScreen > Label { background: $primary; color: $background; text-style: bold; padding: 0 1; }
    """

    # First, so that what is typed right after is for where it leads.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Close", show=False, priority=True),
        *(Binding(key, f"go({key!r})", show=False, priority=True) for key in LETTERS),
    ]

    def __init__(self, places: Iterable[tuple[Offset, Callable[[], object]]]) -> None:
        super().__init__()
        self._places = dict(zip(LETTERS, places, strict=False))

    def compose(self) -> ComposeResult:
        """A label at each place."""
        for letter, (place, _) in self._places.items():
            label = Label(letter)
            label.styles.position = "absolute"
            label.styles.offset = place
            yield label

    def action_go(self, letter: str) -> None:
        """Go where a letter leads."""
        self.dismiss(None)
        if letter in self._places:
            self._places[letter][1]()

    def on_click(self) -> None:
        """Close."""
        self.dismiss(None)

    def on_key(self, event: events.Key) -> None:
        """Close: the key is none of the letters."""
        event.stop()
        self.dismiss(None)
