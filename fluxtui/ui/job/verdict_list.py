"""Options of which some are only read: as tall as they are, and keys bring all of them in sight."""

from textual.geometry import Size
from textual.widget import Widget

from fluxtui.ui.kit.option_rows import OptionRows

LEAST_ROWS = 3


class VerdictList(OptionRows):
    """Rule books and faults, in as many rows as the screen has beside the widget below them.

    around is the number of rows that the box has around the two. Only a fault can have the cursor.
    A key that finds none within reach scrolls, so that what is only read comes in sight too.
    """

    def __init__(self, below: Widget, around: int, *, id: str) -> None:
        super().__init__(id=id)
        self._below, self._around = below, around

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The rows of all that is listed, or those that there is room for."""
        wanted = super().get_content_height(container, viewport, width)
        below = self._below.get_content_height(container, viewport, width)
        return min(wanted, max(viewport.height - self._around - below, LEAST_ROWS))

    def action_cursor_down(self) -> None:
        """Go on to the next fault, or see a row further."""
        self._go(1)

    def action_cursor_up(self) -> None:
        """Go back to the fault before, or see a row before."""
        self._go(-1)

    def action_page_down(self) -> None:
        """See what comes next; the cursor goes along where there is a fault."""
        self._turn(1)

    def action_page_up(self) -> None:
        """See what came before; the cursor goes along where there is a fault."""
        self._turn(-1)

    def action_first(self) -> None:
        """Go to the first fault, and see the first row."""
        super().action_first()
        self._see(0)

    def action_last(self) -> None:
        """Go to the last fault, and see the last row."""
        super().action_last()
        self._see(self.max_scroll_y)

    def _go(self, by: int) -> None:
        """Move the cursor to the next fault that way, else scroll a row.

        That is where there is none, where it is more than a row out of sight, and where the one
        with the cursor goes on that way out of sight itself.
        """
        here, (top, end) = self.highlighted, self._seen
        if not self._lines:
            return  # no room for a line of it
        ahead = [at for at in self._faults[::by] if here is not None and (at - here) * by > 0]
        if here is not None and ahead:
            (first, stop), (start, last) = self._rows_of(here), self._rows_of(ahead[0])
            if (stop <= end and start <= end) if by > 0 else (first >= top and last >= top):
                self.highlighted = ahead[0]
                return
        self._see(top + by)

    def _turn(self, by: int) -> None:
        if not self._lines:
            return
        top, end = self._seen
        self._see(top + by * max(end - top - 1, 1))
        top, end = self._seen
        here = self.highlighted
        for fault in self._faults[::-by]:
            first, stop = self._rows_of(fault)
            if here is not None and (fault - here) * by > 0 and top <= first and stop <= end:
                self.highlighted = fault
                return

    def _see(self, row: int) -> None:
        """Scroll so that this row is the first in sight."""
        self.scroll_to(y=row, animate=False, immediate=True)

    @property
    def _faults(self) -> list[int]:
        """The options that can have the cursor."""
        return [at for at, option in enumerate(self.options) if not option.disabled]

    @property
    def _seen(self) -> tuple[int, int]:
        """The first row in sight, and the one after the last."""
        top = self.scroll_offset.y
        return top, top + self.scrollable_content_region.height

    def _rows_of(self, option: int) -> tuple[int, int]:
        """The first row of an option, and the one after its last."""
        self._update_lines()
        first = self._index_to_line[option]
        return first, first + self._heights[option]
