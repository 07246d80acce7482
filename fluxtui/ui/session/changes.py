"""What differs between two documents, in rows to look at, to copy and to save."""

from typing import ClassVar, Literal, NamedTuple

from rich.cells import cell_len
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from fluxtui.answers.compare import Row, headline, layout, matched_by
from fluxtui.notation.problem import printable
from fluxtui.ui.kit import wording
from fluxtui.ui.kit.dialog import Dialog
from fluxtui.ui.kit.lines import RowsView
from fluxtui.ui.kit.palette import Palette, palette_of
from fluxtui.workbench import Cluster, Compared

AROUND = 10  # rows that are not for the changes: frame, heads, sum, and a rim
NAME = 40  # columns of the name of a document
WIDTH = 95  # columns of a row in a box of full width, without its frame, rim and scrollbar
RIM = 5
NAMES = 24  # columns that names keep where what became of the nodes is long as well


class Wish(NamedTuple):
    """What is to be done: go to the nodes of a row, or something with all of them."""

    what: Literal["go", "copy", "save", "swap"]
    row: int = 0


class ChangesDialog(Dialog[Wish]):
    """Lists the changes; enter goes to the nodes of one, which are selected then."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,D", "dismiss_dialog", "Leave", show=False),
        Binding("ctrl+y,c", "end('copy')", "Copy", show=False, priority=True),
        Binding("ctrl+s,s", "end('save')", "Save", show=False, priority=True),
        Binding("r", "end('swap')", "The other way round", show=False),
    ]

    def __init__(self, compared: Compared) -> None:
        super().__init__()
        self._compared = compared
        self.view = RowsView(self._go, id="changes-rows")

    def compose(self) -> ComposeResult:
        """Both documents, the rows, and how many nodes did not change."""
        compared, style = self._compared, palette_of(self)
        changes = compared.changes
        with Vertical(id="box") as box:
            box.border_title = Text("Changes")
            keys = "enter selects them", "ctrl+y copies", "ctrl+s saves", "r reverses"
            box.border_subtitle = wording.DOT.join((*keys, "esc"))
            heads = Text(no_wrap=True, overflow="ellipsis")
            heads.append_text(_head("−", compared.before, style.problem, style)).append("\n")
            heads.append_text(_head("+", compared.after, style.count, style))
            yield Static(heads, id="changes-heads")
            yield self.view
            said = f"{headline(changes)} ({matched_by(changes)})"
            yield Static(Text(said, style=style.quiet), id="changes-sum")

    def on_mount(self) -> None:
        """Begin in the rows."""
        self.view.focus()

    def on_resize(self) -> None:
        """Show the rows, and leave room for what stands around them."""
        self.view.styles.max_height = max(self.size.height - AROUND, 1)
        style, rows = palette_of(self), self._compared.rows
        widths, room = layout(rows), min(self.size.width - RIM, WIDTH)
        self.view.show_lines([_line(row, widths, room, style) for row in rows])

    def _go(self, row: int) -> None:
        self.dismiss(Wish("go", row))

    def action_end(self, what: Literal["copy", "save", "swap"]) -> None:
        """Do something with all of it."""
        self.dismiss(Wish(what))


def _head(sign: str, cluster: Cluster, look: object, style: Palette) -> Text:
    resources = cluster.resources
    head = Text()
    head.append(f"{sign} ", style=look)  # type: ignore[arg-type]  # a rich style
    head.append(wording.shorten(printable(cluster.source.name), NAME), style=style.strong)
    totals = wording.totals(resources.whole)
    return head.append(f"  {totals}", style=style.quiet)


def _line(row: Row, widths: tuple[int, int], room: int, style: Palette) -> Text:
    """A row; names are cut where what became of the nodes would not be seen behind them."""
    looks = {"+": style.count, "-": style.problem, "~": style.slot}
    sign = "−" if row.sign == "-" else row.sign
    words = f"  {printable(row.words)}"
    left = room - widths[0] - 4 - cell_len(words)
    names = wording.shorten(printable(row.names), max(left, NAMES))
    line = Text(no_wrap=True, end="")
    line.append(f"{sign} ", style=looks[row.sign])
    line.append(f"{row.size:>{widths[0]}}  ", style=style.plain)
    line.append(names + " " * max(widths[1] - cell_len(names), 0), style=style.strong)
    return line.append(words, style=style.plain)
