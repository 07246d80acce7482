"""The scroll bar beside lines: it changes with nearly every key that changes how many there are."""

from collections.abc import Sequence
from functools import lru_cache
from typing import cast

from rich.color import Color
from textual.geometry import Region
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip


class LineScrollBar(ScrollBar):
    """An upright bar as Textual draws it, without its way through a renderable line by line.

    There is nothing around a bar, neither a border nor padding: its lines are the whole of it.
    """

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of a region."""
        bar = cast("ScrollBarRender", self.render())
        style = self.app.console.get_style(bar.style)
        back, front = style.bgcolor or Color.default(), style.color or Color.default()
        what = bar.virtual_size, bar.window_size, bar.position
        strips: Sequence[Strip] = _drawn(*self.size, *what, back, front)[crop.y : crop.bottom]
        for line_filter in self.get_line_filters():
            background = self.background_colors[1]
            strips = [strip.apply_filter(line_filter, background) for strip in strips]
        if crop.column_span == (0, self.size.width):
            return [*strips]
        return [strip.crop(*crop.column_span) for strip in strips]


@lru_cache(256)
def _drawn(
    width: int, height: int, lines: int, window: int, position: float, back: Color, bar: Color
) -> tuple[Strip, ...]:
    """The rows of a bar for so many lines, of which a window is seen from a position on."""
    segments = ScrollBarRender.render_bar(
        height, lines, window, position, width, vertical=True, back_color=back, bar_color=bar
    )
    return tuple(Strip([segment], width) for segment in segments.segments)
