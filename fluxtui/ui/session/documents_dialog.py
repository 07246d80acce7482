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

from fluxtui.notation.problem import printable
from fluxtui.ui.kit import wording
from fluxtui.ui.kit.dialog import Dialog
from fluxtui.ui.kit.option_rows import OptionRows
from fluxtui.ui.kit.palette import palette_of
from fluxtui.workbench import State

NAME = 30  # columns of a name
CURSOR, IN_FORCE = "›", "now"


class Chosen(NamedTuple):
    """What is to be done, and with which of the documents, by its number from 0."""

    what: Literal["go", "close", "compare", "open"]
    number: int = 0


class DocumentsDialog(Dialog[Chosen]):
    """Lists what is open. Enter or a number goes there; letters do the rest.

    The one in force is told by a word, as its sign would read as another cursor.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+d,q", "dismiss_dialog", "Leave", show=False),
        Binding("d", "end('compare')", "Compare", show=False),
        Binding("x,delete", "end('close')", "Close", show=False),
        Binding("o,ctrl+o", "end('open')", "Open", show=False),
    ]

    def __init__(self, state: State) -> None:
        super().__init__()
        self._documents = state.documents
        self._names = [printable(one.cluster.source.name) for one in state.documents]
        self._columns = min(max(map(cell_len, self._names)), NAME)
        self._place = state.place
        self._at = (state.place + 1) % len(state.documents)  # to go on is the usual wish
        self._typed = ""

    def compose(self) -> ComposeResult:
        """A line for each document."""
        with Vertical(id="box") as box:
            box.border_title = "Open documents"
            several = len(self._documents) > 1
            going = ("enter or a number goes", "d compares") if several else ()
            keys = (*going, "x closes", "o opens", "esc leaves")
            box.border_subtitle = wording.DOT.join(keys)
            lines = map(self._line, range(len(self._documents)))
            yield OptionRows(*(Option(line) for line in lines))

    def on_mount(self) -> None:
        """Begin at the one after that in force."""
        self.query_one(OptionList).highlighted = self._at

    def _line(self, number: int) -> Text:
        style = palette_of(self)
        name, width = self._names[number], self._columns
        cluster = self._documents[number].cluster
        resources = cluster.resources
        digits = len(str(len(self._names)))
        line = Text(no_wrap=True, overflow="ellipsis")
        line.append(f"{CURSOR if number == self._at else ' '} ", style=style.strong)
        word = IN_FORCE if number == self._place else ""
        line.append(f"{word:<{len(IN_FORCE)}} ", style=style.strong)
        line.append(f"{number + 1:>{digits}} ", style=style.quiet)
        line.append(set_cell_size(wording.shorten(name, width), width), style=style.strong)
        line.append(f"  {wording.totals(resources.whole)}", style=style.plain)
        path = cluster.source.path
        if path is not None and path != cluster.source.name:
            line.append(f"  {printable(path)}", style=style.quiet)
        return line

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Have the sign of the cursor where the cursor is."""
        before, self._at = self._at, event.option_index
        for number in {before, self._at}:
            event.option_list.replace_option_prompt_at_index(number, self._line(number))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Go to the chosen one."""
        self.dismiss(Chosen("go", event.option_index))

    def on_key(self, event: events.Key) -> None:
        """A number goes to its document; where it may go on, the cursor does until then."""
        if event.character is None or event.character not in "0123456789":
            self._typed = ""
            return
        event.stop()
        count = len(self._documents)
        for typed in (self._typed + event.character, event.character):
            if 1 <= int(typed) <= count:
                self._typed = typed
                if 10 * int(typed) > count:
                    self.dismiss(Chosen("go", int(typed) - 1))
                else:
                    self.query_one(OptionList).highlighted = int(typed) - 1
                return

    def action_end(self, what: Literal["close", "compare", "open"]) -> None:
        """Do something with the document that has the cursor."""
        number = self.query_one(OptionList).highlighted
        self.dismiss(Chosen(what, number if number is not None else self._place))
