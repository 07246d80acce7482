"""What widgets that draw line by line share."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from rich.color import Color as RichColor
from rich.style import Style
from textual.color import Color
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip
from textual.widget import Widget

from fluxtui.ui.kit.palette import palette_of

if TYPE_CHECKING:
    Base = Widget
else:
    Base = object  # a widget among the bases would hide the stylesheet of the next one


class LineScrollBar(ScrollBar):
    """An upright bar as Textual draws it, without its way through a renderable line by line.

    There is nothing around a bar, neither a border nor padding: its lines are the whole of it.
    """

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of a region."""
        bar = cast("ScrollBarRender", self.render())
        style = self.app.console.get_style(bar.style)
        back, front = style.bgcolor or RichColor.default(), style.color or RichColor.default()
        what = bar.virtual_size, bar.window_size, bar.position
        strips = _drawn(*self.size, *what, back, front)[crop.y : crop.bottom]
        return _as_seen(self, strips, crop)


@lru_cache(256)
def _drawn(
    width: int,
    height: int,
    lines: int,
    window: int,
    position: float,
    back: RichColor,
    bar: RichColor,
) -> tuple[Strip, ...]:
    """The rows of a bar for so many lines, of which a window is seen from a position on."""
    segments = ScrollBarRender.render_bar(
        height, lines, window, position, width, vertical=True, back_color=back, bar_color=bar
    )
    return tuple(Strip([segment], width) for segment in segments.segments)


class Steady(Base):
    """A widget that works its colours out when a style of what it stands in is another one.

    Textual mixes them from all those styles anew, each time that it is asked.
    """

    _mixed_of: tuple[int, ...] = ()
    _mixed_style: Style | None = None
    _mixed_background: tuple[Color, Color] | None = None
    _mixed_bare: bool | None = None

    def _forget_others(self) -> None:
        of = tuple([node.styles._cache_key for node in self.ancestors_with_self])
        if of != self._mixed_of:
            self._mixed_of = of
            self._mixed_style = self._mixed_background = self._mixed_bare = None

    @property
    def rich_style(self) -> Style:
        """The style that the content stands on."""
        self._forget_others()
        if self._mixed_style is None:
            self._mixed_style = super().rich_style
        return self._mixed_style

    @property
    def background_colors(self) -> tuple[Color, Color]:
        """The background around the widget, and its own."""
        self._forget_others()
        if self._mixed_background is None:
            self._mixed_background = super().background_colors
        return self._mixed_background

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        """The scroll bar at the right, made when it is first asked for."""
        if self._vertical_scrollbar is None:
            thickness = self.scrollbar_size_vertical
            bar = LineScrollBar(vertical=True, name="vertical", thickness=thickness)
            bar.display = False
            self._vertical_scrollbar = bar
            self.app._start_widget(self, bar)
        return self._vertical_scrollbar


class Drawn(Steady):
    """A widget that draws its lines itself, all of them on one background.

    The style of that is asked for once a frame, not once a line.
    """

    _base: Style | None = None

    @property
    def base(self) -> Style:
        """The style that the lines of this frame stand on."""
        if self._base is None:
            self._base = self.rich_style
        return self._base

    @property
    def _is_bare(self) -> bool:
        """Nothing stands around its lines but blanks beside them, nor is done to their colours."""
        self._forget_others()
        if self._mixed_bare is None:
            styles = self.styles
            effects = self.opacity != 1 or styles.text_opacity != 1 or bool(styles.tint.a)
            top, _, bottom, _ = styles.padding
            frame = styles.border.spacing or styles.outline or styles.has_rule("hatch")
            self._mixed_bare = not (effects or frame or top or bottom)
        return self._mixed_bare

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of a region.

        Those of a bare widget are its own; Textual keeps what it drew of any other, and works out
        for each frame how it stands.
        """
        self._base = None
        if not self._is_bare:
            return super().render_lines(crop)
        _, right, _, left = self.styles.padding
        lines = [self.render_line(y) for y in crop.line_range]
        if left or right:
            ground = Style(bgcolor=self.base.bgcolor)
            before, after = Strip.blank(left, ground), Strip.blank(right, ground)
            lines = [Strip.join((before, line, after)) for line in lines]
        return _as_seen(self, lines, crop)

    def refresh_rows(self, rows: Iterable[int]) -> None:
        """Paint rows anew in the next frame; they are counted from the top of the whole view."""
        top, width, those = self.scroll_offset.y, self.size.width, sorted(set(rows))
        if those:
            self.refresh(*[Region(0, at - top, width, end - at) for at, end in runs(those)])


class Styled(Steady):
    """A widget of Textual's that works out the styles of its parts once, not in each frame."""

    _made_of: tuple[object, ...] = ()
    _looks: "dict[tuple[tuple[str, ...], bool], Style] | None" = None

    def notify_style_update(self) -> None:
        """Look them up again for the next frame."""
        self._looks = None
        super().notify_style_update()

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of a region; other styles of the sheet or the palette are looked up again."""
        made_of = (self.rich_style, palette_of(self), *self._component_styles.values())
        if made_of != self._made_of or self._looks is None:
            self._made_of, self._looks = made_of, {}
            self.restyled()
        return super().render_lines(crop)

    def restyled(self) -> None:
        """Forget what was drawn in other styles; for those who keep it."""

    def get_component_rich_style(
        self, *names: str, partial: bool = False, default: Style | None = None
    ) -> Style:
        """The style of a part."""
        if self._looks is None or default is not None:
            return super().get_component_rich_style(*names, partial=partial, default=default)
        look = self._looks.get((names, partial))
        if look is None:
            look = super().get_component_rich_style(*names, partial=partial)
            self._looks[names, partial] = look
        return look


def _as_seen(widget: Widget, lines: Sequence[Strip], crop: Region) -> list[Strip]:
    """Some lines of a widget, cut to the columns of a region, in the colours the terminal has."""
    start, stop = crop.column_span
    strips = [line.crop(start, stop) for line in lines]
    for line_filter in widget.get_line_filters():
        background = widget.background_colors[1]
        strips = [strip.apply_filter(line_filter, background) for strip in strips]
    return strips


def runs(rows: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Rows that follow each other, each run of them as its first row and the one after its last."""
    start = before = rows[0]
    for row in rows[1:]:
        if row != before + 1:
            yield start, before + 1
            start = row
        before = row
    yield start, before + 1


def columns_for(view: ScrollView, rows: int, size: Size | None = None) -> int:
    """The columns a view has when it shows so many rows: the scroll bar takes one if they overflow.

    Textual knows of the scroll bar only after the next layout; this tells beforehand. size is that
    of the view, where it is known: Textual looks it up in the layout each time it is asked.
    """
    size = size if size is not None else view.size
    has_bar = rows > size.height or view.styles.overflow_y == "scroll"
    bar = view.styles.scrollbar_size_vertical if has_bar else 0
    return max(size.width - bar, 0)
