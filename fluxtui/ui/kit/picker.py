"""The one dialog for picking: rows that typing narrows, keys that do more, and a preview."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, NamedTuple, TypeVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Static

from fluxtui.notation.problem import printable
from fluxtui.ui.kit.dialog import Dialog
from fluxtui.ui.kit.entry import PlainInput
from fluxtui.ui.kit.lines import LinesView
from fluxtui.ui.kit.palette import Palette, palette_of
from fluxtui.ui.kit.text import in_row

T = TypeVar("T")

LEAST_WIDTH, MOST_WIDTH = 56, 100  # columns of the box where no width is asked for
MOST_ROWS = 24  # that the list has on a screen with room for more
LIST_WIDTH = 58  # columns of a list that has the preview beside it
BESIDE, BELOW = 100, 16  # columns, else rows, of a screen that has room for a preview
LIST_ROWS = 7  # of a list that has the preview below it
AIRY = 20  # rows of a screen that has room for a blank row below the filter
GAP = 2  # columns between the columns


@dataclass(frozen=True, slots=True)
class Item(Generic[T]):
    """One row of a picker.

    value   what is picked with it
    label   its name
    detail  what it is, in quiet words after the name; of a path that is too long the end is shown
    right   a word at the right edge, such as a key
    key     a letter or a number that picks it at once
    lead    what stands before the name, such as a sign; without it the key does
    group   the heading that it stands under
    words   more words that find it
    why_not why it cannot be picked now, which is shown in place of the detail
    """

    value: T
    label: str
    detail: str = ""
    right: str = ""
    key: str = ""
    lead: str = ""
    group: str = ""
    words: str = ""
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class RowKey(Generic[T]):
    """A key that does something with the row that has the cursor.

    keys are Textual's names, comma-separated, the first of which is shown, with the label; without
    a label none is. run gets the value of the row, or None where there is no row.
    """

    keys: str
    label: str
    run: Callable[[T | None], object]


class _Columns(NamedTuple):
    """The widths of what stands in a row; 0 for what no row has."""

    lead: int
    label: int
    detail: int
    right: int


class _Filter(PlainInput):
    """What is typed to narrow the list; the keys of the picker are handled in their turn."""

    def __init__(
        self, on_edit: Callable[[str], None], take: Callable[[events.Key], bool], hint: str
    ) -> None:
        super().__init__(placeholder=hint, id="picker-filter", compact=True)
        self._on_edit = on_edit
        self._take = take

    def watch_value(self, value: str) -> None:
        """Hand the edit on, before the next frame is drawn."""
        self._on_edit(value)

    async def _on_key(self, event: events.Key) -> None:
        """Offer each key to the picker first, after the letters typed before it."""
        event.stop()
        if self._take(event):
            event.prevent_default()
        else:
            await super()._on_key(event)


class _Rows(ScrollView, can_focus=False):
    """Draws rows when they come in sight, one of them with the cursor."""

    DEFAULT_CSS = "_Rows { overflow-x: hidden; background: transparent; }"

    def __init__(self, draw: Callable[[int], Text], click: Callable[[int], None]) -> None:
        super().__init__(id="picker-rows")
        self._draw = draw
        self._click = click
        self._count = 0
        self.row = -1  # the one with the cursor

    def show(self, count: int, row: int) -> None:
        """Show so many rows, the cursor on one of them, -1 for none."""
        self._count = count
        self.virtual_size = Size(self.size.width, count)
        self.put_cursor(row)

    def put_cursor(self, row: int, above: int = 0) -> None:
        """Put the cursor on a row, and bring it in sight with so many rows above it."""
        self.row = row
        region = Region(0, max(row - above, 0), 1, 1 + min(above, max(row, 0)))
        self.scroll_to_region(region, animate=False, force=True)
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Hand on which row was clicked."""
        row = event.y + self.scroll_offset.y
        if row < self._count:
            self._click(row)

    def render_line(self, y: int) -> Strip:
        """One row; the one with the cursor on a ground of its own."""
        width, row = self.scrollable_content_region.width, y + self.scroll_offset.y
        if row >= self._count:
            return Strip.blank(width, self.rich_style)
        strip = in_row(self._draw(row), self.rich_style, 0, width, self.app.console)
        if row != self.row:
            return strip
        ground = palette_of(self).selected
        return Strip([Segment(s.text, (s.style or self.rich_style) + ground) for s in strip], width)


class Picker(Dialog[T]):
    """Asks for one of many things. It ends with the value of the picked row.

    Where a small letter picks a row or does something with one, letters do that, and ``/`` opens
    the filter; else what is typed narrows the list at once, but for a number or a capital that
    comes first and is for something. Every row has to hold
    all of the words; those that have them in their names come first, unless the order is to be
    kept.

    title, items    what it shows at first
    enter, escape   what these keys do, for the footer
    keys            more keys for the row with the cursor
    at              the row that the cursor begins at, from 0
    hint            what stands in the empty filter
    nothing         what stands there where nothing is found
    preview         the lines that show a row whole: beside the list, below it, or nowhere
    on_move         is called with the value that the cursor has come to
    on_click        is called with the value that is clicked, instead of picking it
    find            finds rows by the words in place of the picker
    keeps_order     rows stay in their order and under their headings while they are narrowed
    width           columns of the box; without it as many as the rows need
    """

    TAKES_TEXT: ClassVar[bool] = False  # the filter is a text of its own, such as a path

    def __init__(
        self,
        title: str,
        items: Sequence[Item[T]] = (),
        *,
        enter: str = "picks",
        escape: str = "closes",
        keys: Sequence[RowKey[T]] = (),
        at: int = 0,
        hint: str = "type to filter",
        nothing: str = "Nothing has all of these words.",
        preview: Callable[[T], Sequence[Text]] | None = None,
        on_move: Callable[[T], object] | None = None,
        on_click: Callable[[T], object] | None = None,
        find: Callable[[str], Sequence[Item[T]]] | None = None,
        keeps_order: bool = False,
        width: int = 0,
    ) -> None:
        super().__init__()
        self._title = title
        self._enter, self._escape = enter, escape
        self._row_keys = tuple(keys)
        self._nothing = nothing
        self._preview_of = preview
        self._tell_move, self._tell_click = on_move, on_click
        self._find = find
        self._keeps_order = keeps_order
        self._width = width
        self._at = at
        self._stands = False  # its parts are there
        self._digits = ""  # of a number that may go on
        self._columns: tuple[int, _Columns] | None = None  # for a width
        self.filter = _Filter(self.edited, self._take_key, hint)
        self.rows = _Rows(self._draw, self._clicked)
        self.note = Static(id="picker-note")
        self.preview = LinesView(wrap=True, id="picker-preview")
        self.preview.can_focus = False
        self._items: Sequence[Item[T]] = ()
        self._found: Sequence[Item[T]] = ()
        self._shown: list[Item[T] | str] = []  # a str is a heading
        self._row_of: list[int] = []  # the row of each item found
        self._put(items)

    def _put(self, items: Sequence[Item[T]]) -> None:
        self._items = items
        self._columns = None
        self._needs = [_text_of(item) for item in items]
        by_key = {item.key: item for item in items if item.key}
        self._by_key = by_key
        letters = [*by_key, *(key for one in self._row_keys for key in one.keys.split(","))]
        self._has_letters = any(len(key) == 1 and key.islower() for key in letters)

    def compose(self) -> ComposeResult:
        """The filter, the list, and the preview."""
        with Vertical(id="box"):
            yield self.filter
            yield self.note
            with Container(id="picker-panes"):
                yield self.rows
                if self._preview_of is not None:
                    yield self.preview

    def on_mount(self) -> None:
        """Show the rows, and take what is typed."""
        self._stands = True
        self.note.display = False
        self._open_filter(is_open=not self._has_letters)
        self._name_keys()
        at = self._at
        self._narrow()
        if self._found:
            self._go(min(max(at, 0), len(self._found) - 1))

    # What is shown

    @property
    def item(self) -> Item[T] | None:
        """The row that has the cursor."""
        return self._found[self._at] if self._found else None

    @property
    def found(self) -> Sequence[Item[T]]:
        """The rows that have what is typed, in their order."""
        return self._found

    @property
    def labels(self) -> list[str]:
        """Their names."""
        return [item.label for item in self._found]

    def move(self, by: int) -> None:
        """Move the cursor so many rows."""
        if self._found:
            self._go(min(max(self._at + by, 0), len(self._found) - 1))

    def show_items(self, items: Sequence[Item[T]], at: int | None = None) -> None:
        """Show other rows, narrowed by what is typed; the cursor goes to one of them, or stays."""
        at = self._at if at is None else at
        self._put(items)
        self._name_keys()
        self._narrow()
        if self._found:
            self._go(min(max(at, 0), len(self._found) - 1))

    def edited(self, text: str) -> None:
        """Another text is typed in the filter."""
        self._narrow()

    def say(self, text: Text | str) -> None:
        """Say something above the rows; a blank text takes no room."""
        self.note.display = bool(text)
        self.note.update(text if isinstance(text, Text) else Text(printable(text)))
        self._arrange()

    def _narrow(self) -> None:
        """Find the rows that have what is typed, and go to the first."""
        words = [] if self.TAKES_TEXT else self.filter.value.lower().split()
        self._found = self._items
        if words and self._find is not None:
            self._found = self._find(self.filter.value)
        elif words:
            texts = zip(self._items, self._needs, strict=True)
            found = [item for item, text in texts if all(word in text for word in words)]
            self._found = found if self._keeps_order else sorted(found, key=_ranked(words))
        self._shown, self._row_of, group = [], [], ""
        for item in self._found:
            if item.group != group and (self._keeps_order or not words):
                group = item.group
                self._shown.append(group)
            self._row_of.append(len(self._shown))
            self._shown.append(item)
        self._at = 0
        if self._stands:
            count = f"{len(self._found)} of {len(self._items)}" if words else ""
            self.say_title(self._title, count)
            self._arrange()
            self.rows.show(max(len(self._shown), 1), -1)
            self.rows.scroll_to(y=0, animate=False)
            self._go(0)

    def _go(self, at: int) -> None:
        """Put the cursor on a row that is found."""
        if not self._found:
            self._show_preview()
            return
        self._at = at
        row = self._row_of[at]
        self.rows.put_cursor(row, above=int(row > 0 and isinstance(self._shown[row - 1], str)))
        self._show_preview()
        if self._tell_move is not None:
            self._tell_move(self._found[at].value)

    def _show_preview(self) -> None:
        if self._preview_of is None:
            return
        lines = list(self._preview_of(self._found[self._at].value)) if self._found else []
        words = [word for word in self.filter.value.split() if len(word) > 1]
        for line in lines if words else ():
            line.highlight_words(words, palette_of(self).match, case_sensitive=False)
        self.preview.show_lines(lines)
        self.preview.scroll_to(y=0, animate=False)

    def _open_filter(self, *, is_open: bool) -> None:
        self.filter.display = is_open
        if is_open:
            self.set_focus(self.filter)
        else:
            self.set_focus(None)
            self.filter.value = ""

    def _name_keys(self) -> None:
        keys = [("enter", self._enter)] if self._enter else []
        keys += [(one.keys.split(",")[0], one.label) for one in self._row_keys if one.label]
        if self._has_letters and len(self._items) > MOST_ROWS // 2:
            keys.append(("slash", "filters"))
        if self._preview_of is not None:
            keys.append(("pagedown", "scrolls"))
        self.say_keys(*keys, ("escape", self._escape))

    # The layout

    def on_resize(self) -> None:
        """Have the room of another size."""
        self._arrange()
        self._name_keys()
        if self._found:
            self._go(self._at)

    def _arrange(self) -> None:
        """Be as large as the rows need, or the screen is; the preview is where there is room."""
        width, height = self.app.size
        around = 2 + int(self.filter.display) * (1 + int(height >= AIRY))
        around += self.note.size.height * self.note.display
        box = self.query_one("#box")
        beside = self._preview_of is not None and width >= BESIDE
        below = self._preview_of is not None and not beside and height >= BELOW
        for name, is_on in (("-beside", beside), ("-below", below), ("-airy", height >= AIRY)):
            self.set_class(is_on, name)
        wanted = len(self._items) + len({item.group for item in self._items if item.group})
        if beside or below:
            box.styles.width = min(width, 150)
            rows = min(height, 46) - around
        else:
            box.styles.width = min(self._width or self._natural_width(), width)
            rows = max(min(wanted, max(MOST_ROWS, height // 2), height - around), 1)
        self.query_one("#picker-panes").styles.height = max(rows, 1)
        self.rows.styles.height = min(LIST_ROWS, rows) if below else rows
        self.rows.styles.width = min(LIST_WIDTH, width // 2) if beside else "1fr"

    def _natural_width(self) -> int:
        lead, label, detail, right = self._widest()
        parts = [part + GAP for part in (lead, label, detail, right) if part]
        return min(max(sum(parts) + 5, LEAST_WIDTH, len(self._title) + 6), MOST_WIDTH)

    def _widest(self) -> _Columns:
        return _Columns(
            max((cell_len(item.lead or item.key) for item in self._items), default=0),
            max((cell_len(item.label) for item in self._items), default=0),
            max((cell_len(item.why_not or item.detail) for item in self._items), default=0),
            max((cell_len(item.right) for item in self._items), default=0),
        )

    def _columns_for(self, width: int) -> _Columns:
        """The widths of the parts in so many columns: the name comes first, then the right edge."""
        if self._columns is None or self._columns[0] != width:
            lead, label, detail, right = self._widest()
            room = width - (lead + GAP if lead else 0)
            right = right if right and room - right > max(label, room // 3) else 0
            room -= right + GAP if right else 0
            label = min(label, max(room * 3 // 5, room - detail - GAP) if detail else room)
            detail = min(detail, room - label - GAP)
            detail = room - label - GAP if detail >= min(8, detail or 8) and detail > 0 else 0
            label = label if detail else room
            self._columns = width, _Columns(lead, label, max(detail, 0), right)
        return self._columns[1]

    def _draw(self, row: int) -> Text:
        """A row as it is drawn."""
        style = palette_of(self)
        if not self._shown:
            return Text(f" {self._nothing}", style=style.quiet, end="")
        item = self._shown[row]
        if isinstance(item, str):
            return Text(f" {printable(item)}", style=style.label, end="")
        width = self.rows.scrollable_content_region.width - 2
        return self._line(item, self._columns_for(width), style)

    def _line(self, item: Item[T], columns: _Columns, style: Palette) -> Text:
        """The parts of a row in their columns."""
        line = Text(" ", end="", no_wrap=True)
        if columns.lead:
            line.append(_fit(item.lead or item.key, columns.lead) + " " * GAP, style=style.slot)
        name = Text(
            _fit(item.label, columns.label), style=style.faint if item.why_not else style.plain
        )
        words = self.filter.value.split()
        if words and not self.TAKES_TEXT:
            name.highlight_words(words, style.match, case_sensitive=False)
        line.append_text(name)
        if columns.detail:
            detail = _fit(item.why_not or item.detail, columns.detail)
            line.append(" " * GAP + detail, style=style.quiet)
        if columns.right:
            line.append(f"{' ' * GAP}{item.right:>{columns.right}}", style=style.quiet)
        return line

    # What a person does

    async def on_key(self, event: events.Key) -> None:
        """Handle a key that comes while nothing has the focus, or before the filter is there."""
        if self.filter.display:
            self.filter.post_message(events.Key(event.key, event.character))
            event.stop()
        elif self._take_key(event):
            event.stop()

    def _take_key(self, event: events.Key) -> bool:
        """Do what a key is for in the picker; whether it is for anything but the text."""
        if not self.is_active:
            return True
        key, character = event.key, event.character or ""
        is_text = self.filter.display and event.is_printable and len(character) == 1
        typing = is_text and (self._has_letters or bool(self.filter.value))
        digits, self._digits = self._digits, ""
        moves = {
            "up": -1,
            "down": 1,
            "pageup": -self._page,
            "pagedown": self._page,
            "ctrl+home": -len(self._found),
            "ctrl+end": len(self._found),
        }
        if not self.filter.value:
            moves |= {"home": -len(self._found), "end": len(self._found)}
        for one in self._row_keys:
            for name in one.keys.split(","):
                if name in (key, character) and (len(name) > 1 or not typing):
                    one.run(self.item.value if self.item is not None else None)
                    return True
        has_preview = self.has_class("-beside") or self.has_class("-below")
        if has_preview and key in ("pageup", "pagedown"):
            rows = max(self.preview.size.height - 2, 1)
            self.preview.scroll_relative(y=rows if key == "pagedown" else -rows, animate=False)
        elif key in moves:
            self.move(moves[key])
        elif key == "enter":
            self.pick()
        elif not typing and character and self._pick_by_key(digits, character):
            return True
        elif not self.filter.display and character == "/":
            self._open_filter(is_open=True)
            self._arrange()
        else:
            return not self.filter.display
        return True

    @property
    def _page(self) -> int:
        return max(self.rows.size.height - 1, 1)

    def _pick_by_key(self, digits: str, character: str) -> bool:
        """Pick the row that a letter or a number is for.

        A number that may go on, as 1 of 12, has the cursor go there until it does.
        """
        for typed in (digits + character, character):
            item = self._by_key.get(typed)
            longer = any(key != typed and key.startswith(typed) for key in self._by_key)
            if item is not None and longer:
                self._digits = typed
                self._go(list(self._found).index(item))
                return True
            if item is not None:
                self._pick(item)
                return True
        return False

    def pick(self) -> None:
        """Pick the row that has the cursor."""
        if self.item is not None:
            self._pick(self.item)

    def _pick(self, item: Item[T]) -> None:
        if not item.why_not:
            self.dismiss(item.value)

    def _clicked(self, row: int) -> None:
        """A click picks a row; where moving shows something, the first one goes there."""
        if row >= len(self._shown) or isinstance(self._shown[row], str):
            return
        at = self._row_of.index(row)
        stays = at == self._at
        self._go(at)
        item = self._found[at]
        if self._tell_click is not None:
            self._tell_click(item.value)
        elif stays or (self._preview_of is None and self._tell_move is None):
            self._pick(item)

    def action_dismiss_dialog(self) -> None:
        """Close the filter that was opened, else the picker."""
        if self._has_letters and self.filter.display:
            self._open_filter(is_open=False)
            self._narrow()
        else:
            self.dismiss(None)


def _text_of(item: Item[T]) -> str:
    """What the words are looked for in."""
    return " ".join((item.label, item.detail, item.group, item.words, item.right)).lower()


def _ranked(words: Sequence[str]) -> Callable[[Item[T]], int]:
    """How far a row is from the words: 0 for that very name, more for what is only said of it."""
    whole = " ".join(words)

    def rank(item: Item[T]) -> int:
        label = item.label.lower()
        if label.startswith(whole):
            return int(label != whole)
        begins = f" {label}"
        if all(f" {word}" in begins for word in words):
            return 2
        if all(word in label for word in words):
            return 3
        named = f" {label} {item.words.lower()}"
        return 4 if all(f" {word}" in named for word in words) else 5

    return rank


def _fit(text: str, width: int) -> str:
    """A text in just so many columns; where it is cut stands an ellipsis, at the left of a path."""
    text = printable(text)
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    if "/" in text and " " not in text:
        while cell_len(text) > width - 1:
            text = text[1:]
        return set_cell_size("…" + text, width)
    return set_cell_size(set_cell_size(text, max(width - 1, 0)).rstrip() + "…", width)
