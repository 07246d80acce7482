"""Choose one of a few things by a letter, by the arrows, or with the mouse."""

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from fluxtui.notation.source import printable
from fluxtui.ui.dialogs.dialog import Dialog


class ChoiceDialog(Dialog[str]):
    """Asks for one of several choices; each is a letter, a name and a detail."""

    def __init__(self, title: str, choices: Sequence[tuple[str, str, str]]) -> None:
        super().__init__()
        self._title = title
        self._choices = choices

    def compose(self) -> ComposeResult:
        """The list of choices."""
        width = max((cell_len(label) for _, label, _ in self._choices), default=0)
        with Vertical(id="box") as box:
            box.border_title = Text(printable(self._title))  # a str is markup
            box.border_subtitle = "a letter, or enter · esc leaves"
            yield OptionList(
                *(
                    Option(
                        Text.assemble(
                            (f" {key} ", "reverse"),
                            f"  {set_cell_size(label, width)}  ",
                            (printable(detail), "dim"),
                            no_wrap=True,
                        ),
                        id=key,
                    )
                    for key, label, detail in self._choices
                )
            )

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take the chosen one."""
        self.dismiss(event.option.id)

    def on_key(self, event: events.Key) -> None:
        """A letter takes its choice at once."""
        if any(event.character == key for key, _, _ in self._choices):
            event.stop()
            self.dismiss(event.character)
