"""The node table: a row a node, drawn by the line API; a row is made only when it is drawn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip

from fluxtui.ui.palette import Palette, palette_of
from fluxtui.ui.widgets.drawing import columns_for
from fluxtui.ui.widgets.nodes_in_hand import NodesInHand
from fluxtui.ui.widgets.nodes_view import HOVER

GAP = 2
MARKS = 3  # the cursor, the match, a gap
CURSOR = "›"


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its title, its width in terminal cells, and the side its values stand on.

    A width of 0 takes what the others leave.
    """

    title: str
    width: int
    align: Literal["left", "right"] = "left"

    def fit(self, text: str, width: int) -> str:
        """The text cut or padded to a width."""
        cells = cell_len(text)
        if cells > width:
            return set_cell_size(text, max(width - 1, 0)) + "…"
        pad = " " * (width - cells)
        return pad + text if self.align == "right" else text + pad


class NodeTable(NodesInHand):
    """Draws one row a node: whether it matches, then its columns. The title row stays in place."""

    header_rows = 1

    def __init__(
        self,
        on_move: Callable[[int], None],
        on_hover: Callable[[int | None], None],
        on_select: Callable[[int], None] = lambda mask: None,
        *,
        id: str,
    ) -> None:
        super().__init__(on_move, on_hover, on_select, id=id)
        self._columns: tuple[Column, ...] = ()
        self._row: Callable[[int], Sequence[str]] = lambda index: ()

    def show_nodes(
        self, count: int, columns: tuple[Column, ...], row: Callable[[int], Sequence[str]]
    ) -> None:
        """Show another cluster: how many nodes, the columns, and the values of a node by index."""
        self._count, self._columns, self._row = count, columns, row
        self._cursor = self._hover = None
        self.let_go()
        self.virtual_size = Size(self.size.width, count + self.header_rows)
        self.scroll_to(0, 0, animate=False)
        self.refresh()

    def values_at(self, index: int) -> Sequence[str]:
        """The values of a node's row."""
        return self._row(index)

    def row_of(self, index: int) -> int:
        """The row that shows a node, not counting the titles."""
        return index

    def first_of(self, row: int) -> int | None:
        """The node of a row, None where there is no such row."""
        return row if 0 <= row < self._count else None

    last_of = first_of

    def index_at(self, x: int, y: int) -> int | None:
        """The node under a position of the visible content, None where there is none."""
        return None if y < self.header_rows else self.first_of(y - 1 + self.scroll_offset.y)

    def render_line(self, y: int) -> Strip:
        """The titles, or the row of one node."""
        width = self.size.width
        style = palette_of(self)
        if y < self.header_rows and self._count:
            titles = [column.title for column in self._columns]
            line = Strip([self._line(" " * MARKS, titles, style.quiet)])
            return line.crop_extend(0, width, None).apply_style(self.base)
        index = self.first_of(self.scroll_offset.y + y - self.header_rows)
        if index is None:
            return self._notice_line(y)
        row = Strip(self._node_line(index, style)).crop_extend(0, width, None)
        if index == self._cursor:
            row = row.apply_style(style.selected)
        elif index == self._hover:
            row = row.apply_style(HOVER)
        return row.apply_style(self.base)

    def _node_line(self, index: int, style: Palette) -> list[Segment]:
        look = self.looks_between(index, index + 1)[0]
        glyph = look.glyph if self._lights else " "
        plain = not self._lights or look.role != "faint"
        mark = CURSOR if index == self._cursor else " "
        return [
            Segment(mark, style.strong),
            Segment(glyph, look.style(style)),
            Segment(" "),
            self._line("", self._row(index), style.plain if plain else style.faint),
        ]

    def _line(self, lead: str, values: Sequence[str], style: Style) -> Segment:
        room = columns_for(self, self._count + self.header_rows)
        rest = room - MARKS - sum(column.width + GAP for column in self._columns) + GAP
        cells = (
            column.fit(value, column.width or max(rest, len(column.title)))
            for column, value in zip(self._columns, values, strict=True)
        )
        return Segment(lead + (" " * GAP).join(cells), style)
