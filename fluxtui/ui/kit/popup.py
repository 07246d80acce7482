"""A popup list below or above an input, whose rows can be accepted."""

from collections.abc import Callable, Sequence
from functools import reduce

from rich.cells import cell_len
from rich.segment import Segment
from rich.text import Text
from textual import events, on
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from fluxtui.notation.problem import Completion, counted, printable
from fluxtui.ui.kit.compositor import SparseCompositor
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.text import fitted, shorten

#: The most rows that are visible at a time.
MOST_ROWS = 8
# The most columns of a row's text and note before they are cut.
MOST_TEXT = 40
MOST_NOTE = 60

GAP = "  "

_EDGE, _CHOSEN, _THUMB = "│", "▌", "▐"


def place(rows: int, width: int, column: int, around: Region, screen: Size) -> Region | None:
    """Return the region for a list: below the input if there is room, else above it.

    rows and width are the size that it wants; column is the screen column of the completed word.
    around is the region not to cover. Returns None if there is no room for even one row.
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


class Popup(Widget):
    """Shows completions over everything else; its owner keeps the focus and passes it the keys.

    It computes its place itself, so that moving it at each key needs no layout. Closed, it has no
    size.
    """

    ALLOW_SELECT = False
    # Without "constrain", Textual ignores an offset of (0, 0).
    DEFAULT_CSS = "Popup { overlay: screen; constrain: inside; width: auto; height: auto; }"

    def __init__(self) -> None:
        super().__init__()
        self.owner: object = None  # the widget whose rows it shows
        self.rows: Sequence[Completion] = ()  # all rows, visible or not; empty while closed
        self.chosen: int | None = None
        self.key = ""  # the key that accepts the first row while none is chosen
        self._notes: Sequence[str] = ()
        self._text = self._width = 0  # columns of the texts, and of the whole list
        self._place = Region()
        self._top = 0

    def on_mount(self) -> None:
        """Move along with the input after each layout."""
        self.screen.screen_layout_refresh_signal.subscribe(self, self._follow, immediate=True)

    def _follow(self, screen: object) -> None:
        if self.rows:
            self._put()

    def show(
        self,
        rows: Sequence[Completion],
        column: Callable[[], int],
        around: Sequence[Widget],
        on_take: Callable[[int], object],
        chosen: int | None = None,
        key: str = "",
        words: Sequence[str] = (),
    ) -> None:
        """Show rows at a column of the screen; on_take is called with the index of a clicked row.

        around are the widgets not to cover. key names the key that accepts the first row while none
        is chosen. words are highlighted in the texts.
        """
        self.rows, self._column, self._around, self._take = rows, column, around, on_take
        self.key, self._words = key, words
        self.chosen, self._top = chosen, 0
        counts = ["" if row.nodes is None else counted(row.nodes, "node") for row in rows]
        aligned = max(map(len, counts), default=0)
        self._notes = [
            count.rjust(aligned) if count else printable(row.description)
            for row, count in zip(rows, counts, strict=True)
        ]
        width = self.screen.size.width - 2
        text = max((cell_len(printable(row.text)) for row in rows), default=0)
        rest = max((cell_len(self._rest(at)) for at in range(len(rows))), default=0)
        self._text = min(text, MOST_TEXT if rest else text, width)
        self._width = min(self._text + min(rest, MOST_NOTE), width) + 2
        self._put()
        self.refresh()

    def _rest(self, row: int) -> str:
        """Return what follows the text of a row: its note and its key."""
        key = self.key if row == 0 and self.chosen is None else ""
        parts = [part for part in (self.rows[row].text, self._notes[row], key) if part]
        return "".join(GAP + part for part in parts[1:]) if self.rows[row].text else parts[0]

    def _put(self) -> None:
        """Move to where there is room; close if there is none."""
        around = reduce(Region.union, (widget.region for widget in self._around))
        found = place(len(self.rows), self._width, self._column(), around, self.screen.size)
        if found is None or not around.area:
            self.close()
        else:
            self._move_to(found)

    def _move_to(self, region: Region) -> None:
        if region == self._place:
            return
        compositor = self.screen._compositor
        # Before the place changes: reading full_map lays out the screen if that is pending.
        is_laid_out = self in compositor.full_map
        self._place = region
        self.absolute_offset = region.offset
        if is_laid_out and isinstance(compositor, SparseCompositor):
            compositor.put_over(self, region)
            self.refresh()
        else:
            self.refresh(layout=True)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """Return the width of the list."""
        return self._place.width

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the number of visible rows."""
        return self._place.height

    def close(self) -> None:
        """Hide the list."""
        self.rows, self.chosen = (), None
        self._move_to(Region())

    def choose(self, row: int | None) -> None:
        """Choose a row and scroll to it, or choose none."""
        self.chosen = None if row is None else min(max(row, 0), len(self.rows) - 1)
        at = self.chosen or 0
        self._top = min(max(self._top, at - self._place.height + 1), at)
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Accept the clicked row."""
        event.stop()
        row = self._top + event.y
        if row < len(self.rows):
            self._take(row)

    @on(events.MouseScrollDown)
    @on(events.MouseScrollUp)
    def _scroll(self, event: events.MouseEvent) -> None:
        event.stop()
        by = 1 if isinstance(event, events.MouseScrollDown) else -1
        self._top = max(min(self._top + by, len(self.rows) - self._place.height), 0)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw a row, in the colours of the cursor if a key would accept it."""
        width, number, base = self._place.width, self._top + y, self.rich_style
        if number >= len(self.rows):
            return Strip.blank(width, base)
        style, is_chosen = palette_of(self), number == self.chosen
        is_suggested = number == 0 and bool(self.key) and self.chosen is None
        text = shorten(printable(self.rows[number].text), self._text)
        line = Text(text, style=style.plain, no_wrap=True, end="")
        if self._words:
            line.highlight_words(self._words, style.match, case_sensitive=False)
        line.pad_right(self._text - line.cell_len)
        line.append(fitted(self._rest(number), max(width - 2 - self._text, 0)), style=style.quiet)
        edge = Segment(_CHOSEN if is_chosen else _EDGE, style.slot if is_chosen else style.faint)
        rows, height = len(self.rows), self._place.height
        seen = range(self._top * height // rows, -(-(self._top + height) * height // rows))
        bar = Segment(_THUMB if rows > height and y in seen else " ", style.faint)
        strip = Strip([edge, *line.render(self.app.console), bar], width)
        return strip.apply_style(base + style.selected if is_chosen or is_suggested else base)
