"""The tree of a constraint: a line for each of its parts, with a cursor that shows at all times."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.strip import Strip

from fluxtui.ui.kit.lines import LinesView, RowsView
from fluxtui.ui.kit.palette import palette_of


class ExpressionTree(RowsView):
    """Lines of which the first ones are parts, and one of these is selected.

    on_row is called with the number of the row that a person moves to, on_choose with that of the
    row that is chosen.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "choose", "To the text", show=False),
    ]

    def __init__(
        self, on_row: Callable[[int], None], on_choose: Callable[[int], None], *, id: str
    ) -> None:
        super().__init__(on_choose, id=id)
        self._on_row = on_row
        self._parts = 0

    def show_parts(self, lines: Sequence[Text], parts: int, row: int) -> None:
        """Show these lines, of which so many are parts, with the cursor on one of them."""
        self._parts = parts
        self.put_row(min(row, max(parts - 1, 0)))
        LinesView.show_lines(self, lines)
        self._into_sight()

    def go_to(self, row: int) -> None:
        """Select a row without anybody being told."""
        if row != self.row:
            self.put_row(row)
            self._into_sight()

    def _into_sight(self) -> None:
        place = Region(self.scroll_offset.x, self.row, 1, 1)
        self.scroll_to_region(place, animate=False)

    def action_move(self, by: int) -> None:
        """Move the cursor so many parts."""
        if self._parts:
            self.go_to(min(max(self.row + by, 0), self._parts - 1))
            self._on_row(self.row)

    def action_choose(self) -> None:
        """Choose the selected part."""
        if self._parts:
            super().action_choose()

    def render_line(self, y: int) -> Strip:
        """One row; that of the cursor on a ground of its own, and bold with the focus."""
        strip = LinesView.render_line(self, y)
        if self._parts and y + self.scroll_offset.y == self.row:
            ground = palette_of(self).selected
            bar = ground if self.has_focus else Style(bgcolor=ground.bgcolor)
            strip = Strip([Segment(s.text, (s.style or self.base) + bar) for s in strip])
        return strip
