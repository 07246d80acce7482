"""The screen that the workbench stands on."""

from shutil import get_terminal_size
from typing import ClassVar

from textual.binding import BindingType
from textual.widget import Widget

from fluxtui.ui.kit.compositor import paint_sparsely
from fluxtui.ui.kit.dialog import SizedScreen
from fluxtui.ui.kit.keys import bind

# From so many columns or rows on, the screen has this class.
WIDTHS = [(0, "-narrow"), (100, "-normal"), (160, "-wide")]
HEIGHTS = [(0, "-short"), (28, "-tall"), (38, "-roomy")]


def _in_tab_order(widget: Widget) -> bool:
    """Tab leads to the widget; what it stands in may know better ways to it."""
    return all(getattr(around, "in_tab_order", True) for around in widget.ancestors)


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
        """The widgets that tab goes through, in order."""
        return [widget for widget in super().focus_chain if _in_tab_order(widget)]

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
