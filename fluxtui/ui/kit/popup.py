"""A list beside an input: rows that stand over the panes, of which one can be taken."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.text import Text
from textual import events
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from fluxtui.notation.problem import Span
from fluxtui.ui.kit.compositor import SparseCompositor
from fluxtui.ui.kit.lines import Drawn
from fluxtui.ui.kit.palette import Palette, palette_of

#: Rows that are seen at a time.
MOST_ROWS = 8
# Columns of the text and of the note of a row, before they are cut.
MOST_TEXT = 40
MOST_NOTE = 60

_EDGE, _CHOSEN, _THUMB = "│", "▌", "▐"


class Row(NamedTuple):
    """One row: its text, what it means, a number before that, and what stands out in the text."""

    text: str
    note: str = ""
    number: str = ""
    marks: tuple[Span, ...] = ()


class _Columns(NamedTuple):
    """The columns of the texts, of the numbers, and of all that follows the texts."""

    text: int
    number: int
    rest: int

    @property
    def whole(self) -> int:
        """The columns of the popup: the edge, the parts two apart, and the column at the right."""
        gap = 2 if self.text and self.rest else 0
        return 1 + self.text + gap + self.rest + 1


def place(rows: int, width: int, column: int, around: Region, screen: Size) -> Region | None:
    """Where so many rows may stand: below what is typed if there is room, else above it.

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


class Popup(Drawn, Widget):
    """Shows rows over everything else. It never has the focus: who owns it hands it the keys.

    Its place is worked out here, and the layout finds it as it is. Where only that changes, as with
    each key while one types, nothing is laid out. Closed, it has no size.
    """

    ALLOW_SELECT = False
    # Without a constraint an offset of (0, 0) would not be looked at.
    DEFAULT_CSS = "Popup { overlay: screen; constrain: inside; width: auto; height: auto; }"

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[Row] = ()
        self._columns = _Columns(0, 0, 0)
        self._place = Region()
        self._top = 0
        self._take: Callable[[int], object] = lambda row: None
        self._around: Widget = self
        self._column = 0
        self._seen = (Region(), Size())  # where that and the screen were
        self.chosen: int | None = None
        self.owner: object = None  # whose rows it shows

    def on_mount(self) -> None:
        """Follow what it stands beside; close when the screen has another size."""
        self.screen.screen_layout_refresh_signal.subscribe(self, self._follow, immediate=True)

    def _follow(self, screen: object) -> None:
        (before, size), here = self._seen, self._around.region
        if not self.is_open or (here, self.screen.size) == (before, size):
            return
        self._column += here.x - before.x
        self._seen = (here, size)
        found = place(len(self._rows), self._columns.whole, self._column, here, size)
        if found is None or here.area == 0 or self.screen.size != size:
            self.close()
        else:
            self._stand(found)

    @property
    def is_open(self) -> bool:
        """It is shown."""
        return self._place.area > 0

    @property
    def rows(self) -> Sequence[Row]:
        """The rows there are, whether they are in sight or not."""
        return self._rows if self.is_open else ()

    def show(
        self,
        rows: Sequence[Row],
        column: int,
        around: Widget,
        on_take: Callable[[int], object],
        chosen: int | None = None,
    ) -> None:
        """Show these rows at a column of the screen; on_take gets the number of a clicked one.

        around is the widget that they stand beside and must not cover. While it stays open it does
        not become narrower, as far as there is room at the right of the column.
        """
        self._around, self._column = around, column
        self._seen = (around.region, self.screen.size)
        width = self.screen.size.width
        columns = _columns(rows, width)
        if self.is_open:
            before = _Columns(*map(max, columns, self._columns))
            columns = before if before.whole <= width - column + 1 else columns
        found = place(len(rows), columns.whole, column, *self._seen)
        if found is None or not rows:
            self.close()
            return
        self._rows, self._columns, self._take = rows, columns, on_take
        self.chosen, self._top = chosen, 0
        self._stand(found)
        self.refresh()

    def _stand(self, region: Region) -> None:
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
            self._stand(Region())
        self.chosen = None

    def move(self, by: int) -> None:
        """Choose another row, so many further; from none to the first."""
        if self.chosen is None:
            self.chosen = 0
        else:
            self.chosen = min(max(self.chosen + by, 0), len(self._rows) - 1)
        self._bring_in_sight(self.chosen)

    def choose(self, row: int | None) -> None:
        """Choose this row, or none."""
        self.chosen = row
        self._bring_in_sight(row or 0)

    def _bring_in_sight(self, row: int) -> None:
        self._top = min(max(self._top, row - self._place.height + 1), row)
        self.refresh()

    @property
    def page(self) -> int:
        """Rows that are seen at a time."""
        return self._place.height

    # The mouse

    def on_click(self, event: events.Click) -> None:
        """Take the row that is clicked."""
        event.stop()
        row = self._top + event.y
        if row < len(self._rows):
            self._take(row)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """See further rows."""
        event.stop()
        self._top = min(self._top + 1, max(len(self._rows) - self._place.height, 0))
        self.refresh()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """See the rows before."""
        event.stop()
        self._top = max(self._top - 1, 0)
        self.refresh()

    # Drawing

    def render_line(self, y: int) -> Strip:
        """One row, in the colours of the cursor where it is the chosen one."""
        width, number = self._place.width, self._top + y
        if number >= len(self._rows):
            return Strip.blank(width, self.base)
        style = palette_of(self)
        chosen = number == self.chosen
        line = self._line(self._rows[number], style, width - 2)
        edge = Segment(_CHOSEN if chosen else _EDGE, style.slot if chosen else style.faint)
        bar = Segment(_THUMB if self._thumbed(y) else " ", style.faint)
        segments = [edge, *line.render(self.app.console), bar]
        look = self.base + style.selected if chosen else self.base
        return Strip(segments, width).apply_style(look)

    def _line(self, row: Row, style: Palette, width: int) -> Text:
        """The parts of a row in their columns, cut where there is too little room."""
        line = Text(_cut(row.text, self._columns.text), style=style.plain, no_wrap=True, end="")
        for mark in row.marks:
            line.stylize(style.match, mark.start, min(mark.end, self._columns.text))
        said = row.number.rjust(self._columns.number) if row.number else ""
        said += "  " * bool(said and row.note) + row.note
        gap = "  " if self._columns.text else ""
        room = max(width - line.cell_len, 0)
        line.append(_cut(gap + said, room), style=style.quiet)
        return line

    def _thumbed(self, y: int) -> bool:
        """Whether the part of all rows that is seen is shown by a mark in this row."""
        rows, height = len(self._rows), self._place.height
        if rows <= height:
            return False
        size = max(round(height * height / rows), 1)
        start = round((height - size) * self._top / (rows - height))
        return start <= y < start + size


def _columns(rows: Sequence[Row], room: int) -> _Columns:
    """How wide the parts of the rows are, in so much room."""
    text = max((cell_len(row.text) for row in rows), default=0)
    number = max((len(row.number) for row in rows), default=0)
    rest = number
    for row in rows:
        before = number + 2 if row.number else 0
        rest = max(rest, before + min(cell_len(row.note), MOST_NOTE) if row.note else 0)
    found = _Columns(min(text, MOST_TEXT) if rest else text, number, rest)
    if (over := found.whole - room) > 0 and found.rest:
        found = found._replace(rest=max(found.rest - over, 0))
    if (over := found.whole - room) > 0:
        found = found._replace(text=max(found.text - over, 0))
    return found


def _cut(text: str, width: int) -> str:
    """A text in exactly so many columns."""
    if cell_len(text) > width:
        text = set_cell_size(text, max(width - 1, 0)) + "…"
    return set_cell_size(text, width)
