"""A list beside an input: rows over the panes, of which one can be taken."""

from collections.abc import Callable, Sequence
from functools import reduce
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.text import Text
from textual import events
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from fluxtui.notation.problem import Span
from fluxtui.ui.kit.compositor import SparseCompositor
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.wording import fitted, shorten

#: Rows that are seen at a time.
MOST_ROWS = 8
# Columns of the text and of the note of a row, before they are cut.
MOST_TEXT = 40
MOST_NOTE = 60

GAP = "  "

_EDGE, _CHOSEN, _THUMB = "│", "▌", "▐"


class Row(NamedTuple):
    """One row: its text, what it means, a number before that, and what stands out in the text.

    key is the key that takes the row while none is chosen.
    """

    text: str
    note: str = ""
    number: str = ""
    marks: tuple[Span, ...] = ()
    key: str = ""


def place(rows: int, width: int, column: int, around: Region, screen: Size) -> Region | None:
    """Where so many rows may be: below what is typed if there is room, else above it.

    column is that of the word that the rows are about, on the screen; around is what they must not
    cover. None where there is no room for even one row.
    """
    wanted = min(rows, MOST_ROWS)
    below = screen.height - around.bottom
    under = below >= wanted or below >= around.y
    height = min(wanted, below if under else around.y)
    width = min(width, screen.width)
    if height < 1 or width < 1:
        return None
    x = max(min(column - 1, screen.width - width), 0)
    found = Region(x, around.bottom if under else around.y - height, width, height)
    return found if screen.region.contains_region(found) else None


def union(widgets: Sequence[Widget]) -> Region:
    """The part of the screen that some widgets take."""
    return reduce(Region.union, (widget.region for widget in widgets))


class Popup(Widget):
    """Shows rows over everything else. It never has the focus: who owns it hands it the keys.

    Its place is computed here, so that moving it with each key needs no layout. Closed, it has no
    size.
    """

    ALLOW_SELECT = False
    # Without a constraint an offset of (0, 0) would not be looked at.
    DEFAULT_CSS = "Popup { overlay: screen; constrain: inside; width: auto; height: auto; }"

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[Row] = ()
        self._text = self._number = self._width = 0  # columns of the texts, the numbers, and all
        self._place = Region()
        self._top = 0
        self._take: Callable[[int], object] = lambda row: None
        self._around: Sequence[Widget] = ()
        self._column = 0
        self._seen = (Region(), Size())  # where that and the screen were
        self.chosen: int | None = None
        self.owner: object = None  # whose rows it shows

    def on_mount(self) -> None:
        """Follow what it is beside; close when the screen has another size."""
        self.screen.screen_layout_refresh_signal.subscribe(self, self._follow, immediate=True)

    def _follow(self, screen: object) -> None:
        (before, size), here = self._seen, union(self._around)
        if not self.is_open or (here, self.screen.size) == (before, size):
            return
        self._column += here.x - before.x
        self._seen = (here, size)
        found = place(len(self._rows), self._width, self._column, here, size)
        if found is None or here.area == 0 or self.screen.size != size:
            self.close()
        else:
            self._move_to(found)

    @property
    def is_open(self) -> bool:
        """Whether it is shown."""
        return self._place.area > 0

    @property
    def rows(self) -> Sequence[Row]:
        """All rows, visible or not."""
        return self._rows if self.is_open else ()

    @property
    def page(self) -> int:
        """The number of visible rows."""
        return self._place.height

    def show(
        self,
        rows: Sequence[Row],
        column: int,
        around: Sequence[Widget],
        on_take: Callable[[int], object],
        chosen: int | None = None,
    ) -> None:
        """Show these rows at a column of the screen; on_take gets the number of a clicked one.

        around are the widgets that they are beside and must not cover. While it stays open it does
        not become narrower, as far as there is room at the right of the column.
        """
        self._around, self._column = around, column
        self._seen = (union(around), self.screen.size)
        was = (self._text, self._number, self._width) if self.is_open else (0, 0, 0)
        self._measure(rows)
        if max(was[2], self._width) <= self.screen.size.width - column + 1:
            self._text, self._number = max(was[0], self._text), max(was[1], self._number)
            self._width = max(was[2], self._width)
        found = place(len(rows), self._width, column, *self._seen)
        if found is None or not rows:
            self.close()
            return
        self._rows, self._take = rows, on_take
        self.chosen, self._top = chosen, 0
        self._move_to(found)
        self.refresh()

    def _measure(self, rows: Sequence[Row]) -> None:
        self._number = max((len(row.number) for row in rows), default=0)
        text = max((cell_len(row.text) for row in rows), default=0)
        rest = max((cell_len(shorten(self._rest(row), MOST_NOTE)) for row in rows), default=0)
        room = self.screen.size.width - 2
        self._text = min(text, MOST_TEXT if rest else text, room)
        self._width = min(self._text + rest, room) + 2

    def _rest(self, row: Row) -> str:
        number = row.number.rjust(self._number) if row.number else ""
        parts = [part for part in (number, row.note, row.key) if part]
        return "".join(GAP * bool(self._text or row.text or at) + p for at, p in enumerate(parts))

    def _move_to(self, region: Region) -> None:
        if region == self._place:
            return
        compositor = self.screen._compositor
        # Asked while it still has its old place: where that is not known, it is found out now.
        is_laid_out = self in compositor.full_map
        self._place = region
        self.absolute_offset = region.offset
        if is_laid_out and isinstance(compositor, SparseCompositor):
            compositor.put_over(self, region)
            self.refresh()
        else:
            self.refresh(layout=True)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """The columns of its place."""
        return self._place.width

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The rows of its place."""
        return self._place.height

    def close(self) -> None:
        """Hide it."""
        if self.is_open:
            self._move_to(Region())
        self.chosen = None

    def move(self, by: int) -> None:
        """Choose a row further on; without a choice, the first."""
        self.choose(0 if self.chosen is None else self.chosen + by)

    def choose(self, row: int | None) -> None:
        """Choose a row, or none, and scroll to it."""
        self.chosen = None if row is None else min(max(row, 0), len(self._rows) - 1)
        at = self.chosen or 0
        self._top = min(max(self._top, at - self._place.height + 1), at)
        self.refresh()

    # The mouse

    def on_click(self, event: events.Click) -> None:
        """Take the row that is clicked."""
        event.stop()
        row = self._top + event.y
        if row < len(self._rows):
            self._take(row)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll down."""
        self._scroll(event, 1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll up."""
        self._scroll(event, -1)

    def _scroll(self, event: events.MouseEvent, by: int) -> None:
        event.stop()
        self._top = max(min(self._top + by, len(self._rows) - self._place.height), 0)
        self.refresh()

    # Drawing

    def render_line(self, y: int) -> Strip:
        """One row, in the colours of the cursor where a key would take it."""
        width, number, base = self._place.width, self._top + y, self.rich_style
        if number >= len(self._rows):
            return Strip.blank(width, base)
        row, style = self._rows[number], palette_of(self)
        is_chosen = number == self.chosen
        suggested = bool(row.key) and self.chosen is None
        line = Text(shorten(row.text, self._text), style=style.plain, no_wrap=True, end="")
        for mark in row.marks:
            line.stylize(style.match, mark.start, min(mark.end, self._text))
        line.pad_right(self._text - line.cell_len)
        rest = row if suggested else row._replace(key="")
        room = max(width - 2 - self._text, 0)
        line.append(fitted(self._rest(rest), room), style=style.quiet)
        edge = Segment(_CHOSEN if is_chosen else _EDGE, style.slot if is_chosen else style.faint)
        bar = Segment(_THUMB if self._has_thumb(y) else " ", style.faint)
        strip = Strip([edge, *line.render(self.app.console), bar], width)
        return strip.apply_style(base + style.selected if is_chosen or suggested else base)

    def _has_thumb(self, y: int) -> bool:
        """Whether the part of all rows that is seen is shown by a mark in this row."""
        rows, height = len(self._rows), self._place.height
        if rows <= height:
            return False
        size = max(round(height * height / rows), 1)
        start = round((height - size) * self._top / (rows - height))
        return start <= y < start + size
