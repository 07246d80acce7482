"""Choose a step of a stage list: by the arrows, by its number, or with the mouse."""

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from fluxtui.model.stage import Step
from fluxtui.notation.problem import printable
from fluxtui.ui.kit.dialog import Dialog
from fluxtui.ui.kit.option_rows import OptionRows
from fluxtui.ui.kit.wording import shorten

WIDE = 80  # characters of a constraint, of which more would not be seen
BOX = 100  # columns of the dialog, where there are so many
AROUND = 12  # of these that neither title nor constraint takes


class StepsDialog(Dialog[int]):
    """Asks for one of the steps; its number, from 0."""

    def __init__(self, title: str, steps: Sequence[Step], current: int) -> None:
        super().__init__()
        self._title = title
        self._steps = steps
        self._current = current
        self._typed = ""

    def compose(self) -> ComposeResult:
        """The list of steps."""
        digits = len(str(len(self._steps)))
        titles = [printable(step.title) or "(no title)" for step in self._steps]
        half = (min(self.app.size.width, BOX) - AROUND - digits) // 2
        width = min(max(cell_len(title) for title in titles), half)
        with Vertical(id="box") as box:
            box.border_title = Text(shorten(printable(self._title), WIDE))
            box.border_subtitle = "a number, or ↑↓ · enter goes there · esc leaves"
            yield OptionRows(
                *(
                    Option(
                        Text.assemble(
                            (f"{number:>{digits}}  ", "dim"),
                            _fit(title, width),
                            (f"  {shorten(printable(step.constraint), WIDE)}", "dim"),
                        )
                    )
                    for number, (title, step) in enumerate(zip(titles, self._steps, strict=True), 1)
                )
            )

    def on_mount(self) -> None:
        """Begin at the step that is shown."""
        self.query_one(OptionList).highlighted = self._current

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take the chosen one."""
        self.dismiss(event.option_index)

    def on_key(self, event: events.Key) -> None:
        """A digit goes on with the number, or begins another one."""
        if event.character is None or event.character not in "0123456789":
            self._typed = ""
            return
        event.stop()
        for typed in (self._typed + event.character, event.character):
            if 1 <= int(typed) <= len(self._steps):
                self._typed = typed
                self.query_one(OptionList).highlighted = int(typed) - 1
                return


def _fit(text: str, width: int) -> str:
    """A text in just so many columns, with an ellipsis where it is cut."""
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    return set_cell_size(set_cell_size(text, width - 1).rstrip() + "…", width)
