"""A scrolling view of ready-made lines: cheap for a text that changes with each key."""

from collections.abc import Sequence

from rich.text import Text
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from fluxtui.ui.widgets.room import columns_for


class LinesView(ScrollView, can_focus=True):
    """Shows lines of styled text, one a row, and scrolls both ways.

    Only the visible lines are ever rendered, and setting new lines asks for no layout, so a key
    press costs the same for ten lines as for a hundred thousand.
    """

    DEFAULT_CSS = """
    LinesView { background: transparent; scrollbar-size-horizontal: 1; }
    """

    def __init__(self, *, id: str | None = None, wrap: bool = False) -> None:
        super().__init__(id=id)
        self._wrap = wrap
        self._given: Sequence[Text] = ()
        self._lines: Sequence[Text] = ()

    @property
    def lines(self) -> Sequence[Text]:
        """The lines that are shown."""
        return self._lines

    @property
    def plain(self) -> str:
        """The text that is shown, without its styles."""
        return "\n".join(line.plain for line in self._lines)

    def show_lines(self, lines: Sequence[Text]) -> None:
        """Show these lines instead; the scroll position stays where it can."""
        self._given = lines
        self._lay_out()

    def on_resize(self) -> None:
        """Wrap to the new width."""
        if self._wrap:
            self._lay_out()

    def _lay_out(self) -> None:
        if self._wrap and self.size.width:
            self._lines = self._wrapped(columns_for(self, len(self._given)))
            if len(self._given) <= self.size.height < len(self._lines):
                self._lines = self._wrapped(columns_for(self, len(self._lines)))
        else:
            self._lines = self._given
        widest = max((line.cell_len for line in self._lines), default=0)
        self.virtual_size = Size(widest, len(self._lines))
        self.refresh()

    def _wrapped(self, width: int) -> list[Text]:
        """The lines broken between words to fit a width."""
        out: list[Text] = []
        for line in self._given:
            if line.cell_len <= width:
                out.append(line)
                continue
            for part in line.wrap(self.app.console, width, no_wrap=False, overflow="fold"):
                part.end = ""
                part.rstrip()
                out.append(part)
        return out

    def render_line(self, y: int) -> Strip:
        """One row of the view."""
        scroll_x, scroll_y = self.scroll_offset
        width = self.size.width
        row = scroll_y + y
        if row >= len(self._lines):
            return Strip.blank(width, self.rich_style)
        segments = self._lines[row].render(self.app.console)
        strip = Strip(segments).crop_extend(scroll_x, scroll_x + width, self.rich_style)
        return strip.apply_style(self.rich_style)
