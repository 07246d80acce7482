"""A list of lines with a cursor: up and down move it, enter chooses."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.strip import Strip

from fluxtui.ui.kit.lines import LinesView
from fluxtui.ui.kit.palette import palette_of


class RowsView(LinesView):
    """Lines of which one is selected. on_choose gets the number of the chosen row, from 0."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up", show=False),
        Binding("down", "move(1)", "Down", show=False),
        Binding("pageup", "move_page(-1)", "Page up", show=False),
        Binding("pagedown", "move_page(1)", "Page down", show=False),
        Binding("home", "move(-1000000)", "First", show=False),
        Binding("end", "move(1000000)", "Last", show=False),
        Binding("enter,space", "choose", "Choose"),
    ]

    def __init__(self, on_choose: Callable[[int], None], *, id: str) -> None:
        super().__init__(id=id)
        self._on_choose = on_choose
        self._row = 0

    @property
    def row(self) -> int:
        """The selected row, from 0."""
        return self._row

    def show_lines(self, lines: Sequence[Text], widest: int | None = None) -> None:
        """Show these lines instead; the cursor stays on its row where that row still is."""
        self.put_row(min(self._row, max(len(lines) - 1, 0)))
        super().show_lines(lines, widest)

    def put_row(self, row: int) -> None:
        """Select a row without anybody being told; the next lines may have it."""
        row = max(row, 0)
        if row != self._row:
            before, self._row = self._row, row
            self.refresh_rows((before, row))

    def action_move(self, by: int) -> None:
        """Move the cursor so many rows."""
        self._row = min(max(self._row + by, 0), max(len(self.lines) - 1, 0))
        self.scroll_to_region(Region(self.scroll_offset.x, self._row, 1, 1), animate=False)
        self.refresh()

    def action_move_page(self, by: int) -> None:
        """Move the cursor a screenful."""
        self.action_move(by * max(1, self.size.height - 1))

    def action_choose(self) -> None:
        """Choose the selected row."""
        if self.lines:
            self._on_choose(self._row)

    def on_click(self, event: events.Click) -> None:
        """Select the row under the mouse; a second click chooses it."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        row = offset.y + self.scroll_offset.y
        if row < len(self.lines):
            self.action_move(row - self._row)
            if event.chain > 1:
                self.action_choose()

    def on_focus(self) -> None:
        """The cursor shows only with the focus."""
        self.refresh()

    def on_blur(self) -> None:
        """The cursor shows only with the focus."""
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One row; the selected one in the colours of the cursor."""
        strip = super().render_line(y)
        if self.has_focus and y + self.scroll_offset.y == self._row and self.lines:
            bar = palette_of(self).selected
            strip = Strip([Segment(s.text, (s.style or self.base) + bar) for s in strip])
        return strip
