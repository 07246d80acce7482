"""The keys of the stage."""

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from fluxtui.ui.kit.dialog import Dialog

KEYS = (
    ("→  space  enter  page down", "the next step"),
    ("←  backspace  page up", "the step before"),
    ("home  end", "the first step, the last one"),
    ("l  g", "the list, your constraint too"),
    ("r", "the reading or the map, where there is no room for both"),
    ("e", "leave, and edit this constraint"),
    ("c", "copy what is seen as text, for a chat"),
    ("s", "save what is seen as a picture"),
    ("F9", "another theme"),
    ("esc  F11", "leave; the workbench is as it was"),
    ("F10  ctrl+q", "quit"),
)


class StageKeysDialog(Dialog[None]):
    """Shows the keys of the stage; any of its own leaves it."""

    BINDINGS = [("f1,q,enter,space", "dismiss_dialog", "Leave")]  # noqa: RUF012  # Textual reads it so

    def compose(self) -> ComposeResult:
        """One table."""
        table = Table.grid(padding=(0, 2))
        table.add_column(no_wrap=True)
        table.add_column()
        for keys, words in KEYS:
            table.add_row(Text(keys, style="bold dim"), Text(words))
        with VerticalScroll(id="box") as box:
            box.border_title = "The stage"
            box.border_subtitle = "esc goes on"
            yield Static(table)
