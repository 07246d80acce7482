"""The documents that are open: go to one of them, close it, compare it with the one in force."""

from typing import ClassVar, Literal, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from fluxtui.notation.source import printable
from fluxtui.ui import wording
from fluxtui.ui.dialogs.dialog import Dialog
from fluxtui.ui.palette import palette_of
from fluxtui.workbench import Document, State

NAME = 30  # columns of a name


class Chosen(NamedTuple):
    """What is to be done, and with which of the documents, by its number from 0."""

    what: Literal["go", "close", "compare", "open"]
    number: int = 0


class DocumentsDialog(Dialog[Chosen]):
    """Lists what is open. Enter or a number goes there; letters do the rest."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+d,q", "dismiss_dialog", "Leave", show=False),
        Binding("d", "end('compare')", "Compare", show=False),
        Binding("x,delete", "end('close')", "Close", show=False),
        Binding("o,ctrl+o", "end('open')", "Open", show=False),
    ]

    def __init__(self, state: State) -> None:
        super().__init__()
        self._documents = state.documents
        self._place = state.place
        self._cwd = state.around.cwd

    def compose(self) -> ComposeResult:
        """A line for each document."""
        with Vertical(id="box") as box:
            box.border_title = "Open documents"
            keys = ("enter goes there", "d compares" if len(self._documents) > 1 else "")
            more = (*keys, "x closes", "o opens another", "esc leaves")
            box.border_subtitle = wording.DOT.join(key for key in more if key)
            yield OptionList(*(Option(line) for line in self._lines()))

    def on_mount(self) -> None:
        """Begin at the one after that in force: to go on is the usual wish."""
        self.query_one(OptionList).highlighted = (self._place + 1) % len(self._documents)

    def _lines(self) -> list[Text]:
        names = [printable(one.cluster.source.name) for one in self._documents]
        width = min(max(cell_len(name) for name in names), NAME)
        return [
            self._line(number, document, name, width)
            for number, (document, name) in enumerate(zip(self._documents, names, strict=True))
        ]

    def _line(self, number: int, document: Document, name: str, width: int) -> Text:
        style = palette_of(self)
        here = number == self._place
        cluster = document.cluster
        resources = cluster.resources
        line = Text(no_wrap=True, overflow="ellipsis")
        line.append("› " if here else "  ", style=style.strong)
        line.append(f"{number + 1} ", style=style.quiet)
        line.append(set_cell_size(wording.shorten(name, width), width), style=style.strong)
        line.append(f"  {wording.totals(resources.whole)}", style=style.plain)
        path = cluster.source.path
        if path is not None and path != cluster.source.name:
            line.append(f"  {printable(path)}", style=style.quiet)
        return line

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Go to the chosen one."""
        self.dismiss(Chosen("go", event.option_index))

    def on_key(self, event: events.Key) -> None:
        """A number goes to its document."""
        typed = event.character or ""
        if len(typed) == 1 and typed in "123456789" and int(typed) <= len(self._documents):
            event.stop()
            self.dismiss(Chosen("go", int(typed) - 1))

    def action_end(self, what: Literal["close", "compare", "open"]) -> None:
        """Do something with the document that has the cursor."""
        number = self.query_one(OptionList).highlighted
        self.dismiss(Chosen(what, number if number is not None else self._place))
