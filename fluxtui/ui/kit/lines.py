"""A scrolling view of ready-made lines: cheap for a text that changes with each key."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, TypeAlias, cast, overload

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.color import Color
from textual.geometry import Region, Size
from textual.reactive import Reactive
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip
from textual.widget import Widget

from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.text import columns, in_row

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


class OneLine(Drawn, Widget):
    """One row: a text at the left, another at the right; the left one gives way."""

    DEFAULT_CSS = "OneLine { height: 1; width: 1fr; }"

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._left = Text()
        self._right = Text()

    @property
    def plain(self) -> str:
        """What stands in the line, without its styles."""
        return f"{self._left.plain} {self._right.plain}".strip()

    def show(self, left: Text, right: Text | None = None) -> None:
        """Show these texts instead."""
        right = right if right is not None else Text()
        shown = (left, left.style, right, right.style)
        if shown != (self._left, self._left.style, self._right, self._right.style):
            self._left, self._right = left, right
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """The row itself."""
        width = self.size.width
        if y:
            return Strip.blank(width, self.base)
        console = self.app.console
        taken = min(self._right.cell_len, width)
        room = max(width - taken - 1, 0) if taken else width
        text = self._left if self._left.cell_len <= room else self.cut(self._left, room)
        left = in_row(text, self.base, 0, width - taken, console)
        return Strip.join([left, in_row(self._right, self.base, 0, taken, console)])

    def cut(self, text: Text, room: int) -> Text:
        """The text at the left for fewer columns than it takes."""
        text = text.copy()
        text.truncate(room, overflow="ellipsis")
        return text


class CaretLine(OneLine):
    """The line below an input: carets under the faulty characters, and the message beside them."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._carets: tuple[int, int, int] | None = None
        self._message = Text()

    def point(self, start: int, width: int, message: Text, least: int) -> None:
        """Put carets from a column on, so many columns wide, and the message where it fits.

        least is how many columns of the message matter most: its end may be cut to keep the
        carets, but no more than that while there is room.
        """
        self._carets = (start, max(1, width), least)
        self._message = message
        self.show(self._with_carets())

    def say(self, text: Text) -> None:
        """Say something that is not about one place."""
        self._carets = None
        self.show(text)

    def on_resize(self) -> None:
        """Find the room for the message again."""
        if self._carets is not None:
            self.show(self._with_carets())

    def _with_carets(self) -> Text:
        """Carets with the message after them, or before them; alone where they are out of sight.

        The message is cut before the carets are given up.
        """
        assert self._carets is not None
        start, width, least = self._carets
        room = self.size.width or 80
        message = self._message
        if start < 0 or start >= room:
            return message
        carets = Text("^" * min(width, room - start), style=message.style)
        after, before = room - start - carets.cell_len - 1, start - 1
        whole = message.cell_len
        if after >= whole or (before < whole and after >= min(least, before)):
            return Text(" " * start).append_text(carets).append(" ").append_text(message)
        message = message.copy()
        message.truncate(before, overflow="ellipsis")
        gap = " " * (before - message.cell_len)
        return Text(gap).append_text(message).append(" ").append_text(carets)


# A line, and what it was broken into.
_Broken: TypeAlias = tuple[Text, list[Text]]

MADE_LIMIT = 1000  # lines that are kept as they were made

# Printed in one column each: Latin letters, and the signs that fluxtui writes of.
NARROW = re.compile(
    r"[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2190-\u2193\u2500-\u25fc\u25ff\u2713\u2717]*"
)
WORD = re.compile(r"(\S+)\s*")

# Times as wide as the view is a line of ASCII of which only what is in sight is drawn.
LONG = 4


class MadeLines(Sequence[Text]):
    """So many lines, each made when it is asked for."""

    def __init__(self, count: int, make: Callable[[int], Text]) -> None:
        self._count = count
        self._make = make

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Text: ...

    @overload
    def __getitem__(self, index: slice) -> list[Text]: ...

    def __getitem__(self, index: int | slice) -> Text | list[Text]:
        if isinstance(index, slice):
            return [self._make(row) for row in range(*index.indices(self._count))]
        if not -self._count <= index < self._count:
            raise IndexError(index)
        return self._make(index % self._count)


class LinesView(Drawn, ScrollView, can_focus=True):
    """Shows lines of styled text, one a row, and scrolls both ways.

    Only the visible lines are rendered, and of these only those that differ from what stands there.
    Where the stylesheet hides what is too wide, only they are looked at, too: the lines may then be
    a sequence that makes each one when it is asked for. The background comes from the stylesheet;
    every colour of the text is in the lines.
    """

    # Of another size, the text takes no other place on the screen: its scroll bars alone change.
    virtual_size: Reactive[Size] = Reactive(Size(0, 0), layout=False, repaint=False)

    DEFAULT_CSS = """
    LinesView { background: transparent; scrollbar-size-horizontal: 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "enter", "Take", show=False),
    ]

    def __init__(
        self,
        *,
        id: str | None = None,
        wrap: bool = False,
        hang: int = 0,
        on_enter: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(id=id)
        self._wrap = wrap
        self._hang = hang  # columns that what goes on stands further in than its line
        self._take = on_enter
        self._given: Sequence[Text] = ()
        self._lines: Sequence[Text] = ()
        self._widest: int | None = None
        self._made: dict[int, Text] = {}  # the lines that are in sight, or were lately
        # By the text of a line and the width, what it was broken into.
        self._broken: dict[tuple[str, int], _Broken] = {}
        self._laid_out: tuple[object, ...] = ()  # for what they are laid out, beside the lines

    @property
    def lines(self) -> Sequence[Text]:
        """The lines that are shown."""
        return self._lines

    @property
    def plain(self) -> str:
        """The text that is shown, without its styles."""
        return "\n".join(line.plain for line in self._lines)

    def action_enter(self) -> None:
        """Do what the lines offer."""
        if self._take is not None:
            self._take()

    def show_lines(self, lines: Sequence[Text], widest: int | None = None) -> None:
        """Show these lines instead; the scroll position stays where it can.

        widest is the width of the widest of them, where that is known: they are not looked at then.
        """
        if self._laid_out == self._room(widest) and _are_alike(self._given, lines):
            return
        self._given = lines
        self._widest = widest
        self._lay_out()

    def on_resize(self) -> None:
        """Wrap to the new width."""
        if self._wrap:
            self._lay_out()

    def _room(self, widest: int | None) -> tuple[Size, object, object, int | None]:
        """What the layout of the lines follows from, beside them: the size is the first of it."""
        return self.size, self.styles.overflow_x, self.styles.overflow_y, widest

    def _lay_out(self) -> None:
        self._laid_out = size, *_ = self._room(self._widest)
        room = columns_for(self, len(self._given), size) if self._wrap else 0
        if room > 1:
            before, self._broken = self._broken, {}
            self._lines = self._wrapped(room, before)
            if len(self._given) <= size.height < len(self._lines):
                self._lines = self._wrapped(columns_for(self, len(self._lines), size), before)
        else:
            self._lines = self._given
        if self.styles.overflow_x == "hidden":
            widest = size.width  # nothing to scroll to, so no line need be looked at
        elif self._widest is not None and self._lines is self._given:
            widest = self._widest
        else:
            widest = max((columns(line.plain) for line in self._lines), default=0)
        self._take_size(Size(widest, len(self._lines)), size)
        self._paint_others(size.height)

    def _take_size(self, size: Size, room: Size) -> None:
        """Be so wide and high; whoever takes their own size from that is laid out anew.

        Where all has room, nothing is scrolled away and there is no bar, there is none to come.
        """
        if size == self.virtual_size:
            return
        self.virtual_size = size
        fits = size.width <= room.width and size.height <= room.height
        if not fits or self.scroll_offset or any(self.scrollbars_enabled):
            self._scroll_update(size)
        if self.styles.auto_dimensions:
            self.refresh(layout=True)

    def _paint_others(self, height: int) -> None:
        """Paint those of so many rows in sight that hold another line than before."""
        before, self._made = self._made, {}
        top = self.scroll_offset.y
        end = max(len(self._lines), 1 + max(before, default=-1))  # below that was and is nothing
        in_sight = range(top, min(top + height, end))
        self.refresh_rows(
            row for row in in_sight if not _look_alike(before.get(row), self._line(row))
        )

    def _line(self, row: int) -> Text | None:
        """The line in a row; None below the last one."""
        if row >= len(self._lines):
            return None
        if row not in self._made:
            if len(self._made) > MADE_LIMIT:
                self._made.clear()
            self._made[row] = self._lines[row]
        return self._made[row]

    def _wrapped(self, width: int, before: Mapping[tuple[str, int], _Broken]) -> list[Text]:
        """The lines broken between words to fit a width; those of before where they are alike."""
        out: list[Text] = []
        for line in self._given:
            if line.cell_len <= width:
                out.append(line)
                continue
            key = line.plain, width
            known = before.get(key)
            if known is None or not _look_alike(known[0], line):
                known = line, self._break(line, width)
            self._broken[key] = known
            out += known[1]
        return out

    def _break(self, line: Text, width: int) -> list[Text]:
        """One line that is too long, broken between words.

        What goes on stands as far in as the line began, where there is room for that.
        """
        plain = line.plain
        indent = len(plain) - len(plain.lstrip(" ")) + self._hang
        indent = indent if indent * 3 < width else 0
        rest, lead = line[indent:], line[:indent]
        parts = []
        room = max(width - indent, 1)  # a pane may have no columns at all
        places = breaks(rest.plain, room)
        if places is None:
            broken = rest.wrap(self.app.console, room, no_wrap=False, overflow="fold")
        else:
            broken = rest.divide(places)
        for part in broken:
            part.rstrip()
            whole = Text(style=line.style, no_wrap=True, end="").append_text(lead)
            parts.append(whole.append_text(part))
            lead = Text(" " * indent, end="")
        return parts

    def render_line(self, y: int) -> Strip:
        """One row of the view."""
        scroll_x, scroll_y = self.scroll_offset
        width = self.size.width
        line = self._line(scroll_y + y)
        if line is None:
            return Strip.blank(width, self.base)
        styles = self.styles
        if styles.overflow_x == "hidden" and line.cell_len + styles.scrollbar_size_vertical > width:
            line = line.copy()
            line.truncate(columns_for(self, len(self._lines)) or width, overflow="ellipsis")
        if len(line) > LONG * width and line.plain.isascii():
            line, scroll_x = _part(line, scroll_x, scroll_x + width), 0
        return in_row(line, self.base, scroll_x, width, self.app.console)


def breaks(plain: str, width: int) -> list[int] | None:
    """Where a text is broken between words; None where that is not as easily said.

    It is so for words that have no room in a row, and for characters that do not take one column.
    """
    if not NARROW.fullmatch(plain):
        return None
    places, begin = [], 0
    for word in WORD.finditer(plain):
        start, end = word.span(1)
        if end - start > width or (end > width and start == len(plain) - len(plain.lstrip())):
            return None
        if end - begin > width:
            places.append(start)
            begin = start
    return places


def _part(line: Text, start: int, stop: int) -> Text:
    """Some columns of a line of ASCII, drawn as they are in it."""
    part = line[start:stop]
    part.end = ""
    return part


def _are_alike(before: Sequence[Text], lines: Sequence[Text]) -> bool:
    """These are others that are drawn the same, as far as that is seen at once."""
    return (
        before is not lines
        and isinstance(before, list)
        and isinstance(lines, list)
        and len(before) == len(lines)
        and all(map(_look_alike, before, lines))
    )


def _look_alike(one: Text | None, other: Text | None) -> bool:
    """Two lines are drawn the same."""
    if one is None or other is None:
        return one is other
    return one == other and one.style == other.style


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
