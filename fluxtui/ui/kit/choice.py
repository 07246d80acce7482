"""Choose one of a few things by a letter, by the arrows, or with the mouse."""

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from fluxtui.notation.problem import is_digits, printable
from fluxtui.ui.kit.dialog import Dialog
from fluxtui.ui.kit.option_rows import OptionRows
from fluxtui.ui.kit.wording import shorten

NAME = 40  # characters of a name
WIDTH = 72  # columns of the box where there is room
AROUND = 14  # of them that frame and rim, the key, the gaps and a scroll bar take


class ChoiceDialog(Dialog[str]):
    """Asks for one of several choices; each is a letter or a digit, a name and a detail."""

    DEFAULT_CSS = "ChoiceDialog OptionList { text-wrap: nowrap; text-overflow: ellipsis; }"

    def __init__(self, title: str, choices: Sequence[tuple[str, str, str]]) -> None:
        super().__init__()
        self._title = title
        self._choices = choices

    def compose(self) -> ComposeResult:
        """The list of choices."""
        labels = [shorten(label, NAME) for _, label, _ in self._choices]
        width = max(map(cell_len, labels), default=0)
        room = min(WIDTH, self.app.size.width) - AROUND - width
        with Vertical(id="box") as box:
            box.border_title = Text(printable(self._title))  # a str is markup
            box.border_subtitle = f"{self._kind_of_keys()}, or enter · esc leaves"
            yield OptionRows(
                *(
                    Option(
                        Text.assemble(
                            (f" {key} ", "reverse"),
                            f"  {set_cell_size(shown, width)}  ",
                            (_detail(label, detail, room), "dim"),
                            no_wrap=True,
                        ),
                        id=key,
                    )
                    for shown, (key, label, detail) in zip(labels, self._choices, strict=True)
                )
            )

    def _kind_of_keys(self) -> str:
        keys = "".join(key for key, _, _ in self._choices)
        return "a number" if is_digits(keys) else "a letter" if keys.isalpha() else "a key"

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take the chosen one."""
        self.dismiss(event.option.id)

    def on_key(self, event: events.Key) -> None:
        """A letter or a digit takes its choice at once."""
        if any(event.character == key for key, _, _ in self._choices):
            event.stop()
            self.dismiss(event.character)


def _detail(label: str, detail: str, room: int) -> str:
    """What is said beside a name; a path that is too long ends where its file is told from others.

    A document in the folder that one is in has its name for a path: that is not said twice.
    """
    if detail == label:
        return ""
    shown = printable(detail)
    is_path = bool(label) and shown.endswith(f"/{label}")
    return "…" + shown[len(shown) - max(room - 1, 1) :] if is_path and len(shown) > room else shown
