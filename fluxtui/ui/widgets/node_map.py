"""The node map: one cell a node, drawn by the line API, so a million nodes cost what ten do."""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar

from rich.cells import set_cell_size
from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.strip import Strip

from fluxtui.ui.palette import palette_of
from fluxtui.ui.widgets.nodes_in_hand import NodesInHand
from fluxtui.ui.widgets.nodes_view import HOVER

STEP = 2  # columns a cell takes: the glyph and a gap, which makes cells about square
GUTTER = 2


@dataclass(frozen=True, slots=True)
class Section:
    """Consecutive nodes that are drawn together: the indices from start up to, not with, stop."""

    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start


class NodeMap(NodesInHand):
    """Draws which nodes match, in rows that wrap to the width and begin anew with each section.

    The name of a node is asked for only when a row that begins with it is drawn.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "move(-1)", "Previous node", show=False),
        Binding("right", "move(1)", "Next node", show=False),
    ]

    def __init__(
        self,
        on_move: Callable[[int], None],
        on_hover: Callable[[int | None], None],
        on_select: Callable[[int], None] = lambda mask: None,
        *,
        id: str,
    ) -> None:
        super().__init__(on_move, on_hover, on_select, id=id)
        self._sections: tuple[Section, ...] = ()
        self._rows_found: list[int] = [0]
        self._rows_per_row = 0
        self._label: Callable[[int], str] = str
        self._label_width = 0

    def show_nodes(
        self, count: int, sections: tuple[Section, ...], label: Callable[[int], str], width: int
    ) -> None:
        """Show another cluster: how many nodes, how they are grouped, and what a row is called.

        label gives the text before a row whose first node has the given index; width is the room
        it takes, in columns.
        """
        self._count, self._sections, self._label, self._label_width = count, sections, label, width
        self._cursor = self._hover = None
        self.let_go()
        self._rows_per_row = 0
        self._set_height()
        self.scroll_to(0, 0, animate=False)

    @property
    def lead(self) -> int:
        """The columns that a row's label takes."""
        return self._label_width + GUTTER

    @property
    def per_row(self) -> int:
        """How many nodes a full row holds at the present width; fives where there is room."""
        fit = max(1, (self.size.width - self.lead + 1) // STEP)
        return fit - fit % 5 if fit >= 10 else fit

    def on_resize(self) -> None:
        """Scroll by the rows of the new width."""
        self._set_height()

    def _set_height(self) -> None:
        self.virtual_size = Size(self.size.width, self._rows[-1] if self._sections else 0)
        self.refresh()

    @property
    def _rows(self) -> list[int]:
        """The first row of each section, and the number of rows.

        Worked out when it is looked at, so that the first frame after a resize is already right.
        """
        per_row = self.per_row
        if self._rows_per_row != per_row:
            self._rows_per_row = per_row
            counts = (-(-len(section) // per_row) for section in self._sections)
            self._rows_found = list(accumulate(counts, initial=0))
        return self._rows_found

    def row_of(self, index: int) -> int:
        """The row that shows a node."""
        which = bisect_right(self._sections, index, key=lambda s: s.start) - 1
        return self._rows[which] + (index - self._sections[which].start) // self.per_row

    def first_of(self, row: int) -> int | None:
        """The first node of a row, None where there is no such row."""
        span = self._span_of(row)
        return span.start if span is not None else None

    def last_of(self, row: int) -> int | None:
        """The last node of a row, None where there is no such row."""
        span = self._span_of(row)
        return span.stop - 1 if span is not None else None

    def _span_of(self, row: int) -> Section | None:
        rows = self._rows
        if not 0 <= row < rows[-1]:
            return None
        which = bisect_right(rows, row) - 1
        section = self._sections[which]
        start = section.start + (row - rows[which]) * self.per_row
        return Section(start, min(start + self.per_row, section.stop))

    def index_at(self, x: int, y: int) -> int | None:
        """The node under a position of the visible content, None where there is none."""
        span = self._span_of(y + self.scroll_offset.y)
        column = x - self.lead
        if span is None or column < 0 or column // STEP >= len(span):
            return None
        return span.start + column // STEP

    def render_line(self, y: int) -> Strip:
        """One row: its label, then its cells, runs of equal cells as one segment."""
        width = self.size.width
        span = self._span_of(y + self.scroll_offset.y)
        if span is None:
            return self._notice_line(y)
        label = set_cell_size(self._label(span.start), self._label_width) + " " * GUTTER
        segments = [Segment(label, palette_of(self).quiet), *self._cells(span)]
        return Strip(segments).extend_cell_length(width).crop(0, width).apply_style(self.base)

    def _cells(self, span: Section) -> Iterator[Segment]:
        palette = palette_of(self)
        looks = self.looks_between(span.start, span.stop)
        cuts = {i - span.start for i in (self._cursor, self._hover) if i is not None}
        at = 0
        while at < len(looks):
            look = looks[at]
            style = look.style(palette)
            if at in cuts:
                here = span.start + at == self._cursor
                yield Segment(look.glyph, style + (palette.cursor if here else HOVER))
                yield Segment(" ")
                at += 1
                continue
            end = at + 1
            while end < len(looks) and end not in cuts and looks[end] is look:
                end += 1
            yield Segment(" ".join(look.glyph * (end - at)), style)
            yield Segment(" ")
            at = end
