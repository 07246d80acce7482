"""A scrolling view of ready-made lines: cheap for a text that changes with each key."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, TypeAlias, overload

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.reactive import Reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from fluxtui.ui.kit.colouring import columns, in_row
from fluxtui.ui.kit.drawing import Drawn, columns_for

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
