"""The whole legend of the map: its glyphs, its zoom, its order, and its keys."""

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from fluxtui.ui.kit.dialog import Dialog
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.nodes.highlights import Lit
from fluxtui.ui.nodes.map_colours import Shown, marks
from fluxtui.ui.nodes.map_looks import FULL, PARTS
from fluxtui.ui.nodes.view_keys import MAP_KEYS


class LegendDialog(Dialog[None]):
    """Says what the map shows now; any of its keys leaves it."""

    BINDINGS = [("l,f1,q,enter,space", "dismiss_dialog", "Leave")]  # noqa: RUF012  # Textual reads it so

    def __init__(self, lit: Lit, shown: Shown) -> None:
        super().__init__()
        self._lit = lit
        self._shown = shown

    def compose(self) -> ComposeResult:
        """The glyphs, what a cell is, and the keys."""
        with VerticalScroll(id="box") as box:
            box.border_title = "The map"
            box.border_subtitle = "esc leaves · ↑↓ scroll"
            yield Static(self._table("What is seen", self._seen()))
            yield Static(self._table("Keys", [(key.shown, key.help) for key in MAP_KEYS]))

    def _seen(self) -> Iterator[tuple[str, str]]:
        shown = self._shown
        yield from marks(self._lit, shown)
        zoom = shown.zoom
        if zoom.size > 1 and self._lit.selected:
            yield "◈", "some nodes of the cell are selected"
        full = any(mark[0] in FULL for mark in self._lit.legend)
        if shown.coloured is None and zoom.size > 1 and not zoom.has_bars and full:
            yield PARTS, "a part of the nodes of a cell matches, from few to most"
        if zoom.kind == "sections":
            yield "a line", "all nodes of a section: how many match, of how many"
        elif zoom.kind == "blocks":
            yield "a line", f"{zoom.size:,} nodes: how many match, of how many"
        else:
            yield "a cell", "one node" if zoom.size == 1 else f"{zoom.size:,} nodes"
        yield "order", f"by {shown.order.words}"
        yield "colours", f"by {shown.colour.words}"

    def _table(
        self, title: str, rows: "Iterator[tuple[str, str]] | list[tuple[str, str]]"
    ) -> Table:
        table = Table.grid(padding=(0, 2))
        table.title = Text(title, style="bold")
        table.title_justify = "left"
        table.add_column(width=24, no_wrap=True)
        table.add_column()
        style = palette_of(self)
        for left, right in rows:
            table.add_row(Text(left, style=style.strong), Text(right))
        table.add_row()
        return table
