"""The list of properties: a row for each, with what the constraint asks of it before its name."""

from collections.abc import Callable
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text
from textual import events
from textual.geometry import Region

from fluxtui.ui.kit.lines import RowsView
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.text import bar

BAR_LIMIT = 12
NAME_LIMIT = 24
MARK = 2  # columns of the sign before a name


class PropertyList(RowsView):
    """The rows; a click on the sign before a name chooses it at once.

    on_row is told the row that a person comes to.
    """

    def __init__(
        self, on_choose: Callable[[int], None], on_row: Callable[[int], None], *, id: str
    ) -> None:
        super().__init__(on_choose, id=id)
        self._on_row = on_row

    def action_move(self, by: int) -> None:
        """Move the cursor, and tell where it is."""
        super().action_move(by)
        self._on_row(self.row)

    def go_to(self, row: int) -> None:
        """Put the cursor in a row that its property has come to, and that row in sight."""
        self.put_row(row)
        self.scroll_to_region(Region(self.scroll_offset.x, row, 1, 1), animate=False)

    def on_click(self, event: events.Click) -> None:
        """On the sign: choose; elsewhere a second click does."""
        offset = event.get_content_offset(self)
        row = offset.y + self.scroll_offset.y if offset is not None else len(self.lines)
        if offset is not None and offset.x < MARK and row < len(self.lines):
            event.prevent_default()
            self.action_move(row - self.row)
            self.action_choose()


class Columns(NamedTuple):
    """How wide the parts of a row are; the bar takes what is left, up to its limit."""

    name: int
    digits: int
    bar: int
    nodes: int

    @classmethod
    def fit(cls, widest: int, nodes: int, asked: bool, room: int) -> "Columns":
        """The columns for names up to so wide, on a cluster of so many nodes, in so much room."""
        digits = len(f"{nodes:,}")
        numbers = MARK + digits + 3 + (digits + 1 if asked else 0)
        name = max(min(widest, NAME_LIMIT, room - numbers), 6)
        return cls(name, digits, max(min(room - numbers - name, BAR_LIMIT), 0), nodes)


def row(
    mark: tuple[str, Style],
    name: str,
    counts: tuple[int, int | None],
    columns: Columns,
    style: Palette,
) -> Text:
    """One row: the sign and its style, the name, how many nodes have it and how many of them match.

    The last is None where nothing is asked.
    """
    count, matching = counts
    asked = matching is not None
    look = style.plain if matching or not asked else style.faint
    if cell_len(name) > columns.name:
        name = set_cell_size(name, columns.name - 1) + "…"
    line = Text(style=style.plain, no_wrap=True, end="")
    line.append(mark[0].ljust(MARK), style=mark[1])
    line.append(set_cell_size(name, columns.name), style=look)
    line.append(f"  {count:>{columns.digits},} ", style=style.quiet)
    part = count if matching is None else matching
    lit, rest = bar(part, count, columns.nodes, columns.bar)
    line.append(lit, style=style.match if asked else style.quiet)
    line.append(rest, style=style.faint)
    if asked:
        line.append(f" {matching:>{columns.digits},}", style=style.match if matching else look)
    return line
