"""The one dialog for picking: rows that typing narrows, keys that do more, and a preview."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual import events
from textual.containers import Container
from textual.widgets import Static

from fluxtui.notation.problem import printable
from fluxtui.ui.kit.dialog import Dialog, keys_width
from fluxtui.ui.kit.input import PlainInput
from fluxtui.ui.kit.lines import LinesView, MadeLines, RowsView, columns_for
from fluxtui.ui.kit.palette import Palette, palette_of
from fluxtui.ui.kit.text import shorten

T = TypeVar("T")

GAP = 2  # columns between two columns
NEARLY = 6  # columns by which a name may be wider than most of them, and still have its column
LEAST_DETAIL = 8  # columns below which none is shown
LEAST_WIDTH, MOST_WIDTH = 56, 100  # columns of the box where no width is asked for
MOST_ROWS = 24  # of the list on a large screen
WITH_PREVIEW = 150, 46  # columns and rows of the box, at most
PATH_ROWS = 14  # of a list that changes with what is typed
BESIDE, BELOW = 100, 16  # columns, else rows, of a screen that has room for a preview
AIRY = 20  # rows of a screen that has room to spare
CURSOR = "▌"  # before the row that has it
FILTERED = 10  # rows from which the footer names the key of the filter


@dataclass(frozen=True, slots=True)
class Item(Generic[T]):
    """One row of a picker.

    value    what is picked with it
    label    its name
    detail   what it is, in quiet words after the name; of a path that is too long the end is shown
    right    a word at the right edge, such as a key
    key      a letter or a number that picks it at once
    lead     what comes before the name, such as a sign; without it the key does
    role     the role of the colour of that
    group    the heading that it is under
    words    more words that find it
    why_not  why it cannot be picked now, which is shown in place of the detail
    """

    value: T
    label: str
    detail: str = ""
    right: str = ""
    key: str = ""
    lead: str = ""
    role: str = "slot"
    group: str = ""
    words: str = ""
    why_not: str = ""

    def distance(self, words: Sequence[str]) -> int | None:
        """How far it is from what is typed: 0 where that is its name; None where a word lacks."""
        label, whole = self.label.lower(), " ".join(words)
        named = f" {label} {self.words} {self.group}".lower()
        said = f"{named} {self.detail} {self.right}".lower()
        if not all(word in said for word in words):
            return None
        if label.startswith(whole):
            return int(label != whole)
        if all(f" {word}" in f" {label}" for word in words):
            return 2
        if all(word in label for word in words):
            return 3
        return 4 if all(f" {word}" in named for word in words) else 5


@dataclass(frozen=True, slots=True)
class RowKey(Generic[T]):
    """A key that acts on the row under the cursor.

    keys are Textual's names, comma-separated, the first of which the footer shows with the label;
    without a label it shows none. run gets the value of the row, or None where there is no row;
    with closes, what it gives closes the picker.
    """

    keys: str
    label: str
    run: Callable[[T | None], Any]
    closes: bool = False


def search(items: Sequence[Item[T]], typed: str) -> Sequence[Item[T]]:
    """The rows whose names, synonyms or details contain all of the words.

    They come in that order, after those whose names begin with what is typed.
    """
    words = typed.lower().split()
    if not words:
        return items
    found = [(item.distance(words), item) for item in items]
    near = [(distance, item) for distance, item in found if distance is not None]
    return [item for _, item in sorted(near, key=lambda pair: pair[0])]


class _Table(Generic[T]):
    """Rows in columns. A name wider than its column goes on where the detail would begin."""

    def __init__(self, items: Sequence[Item[T]]) -> None:
        self._names = [cell_len(item.label) for item in items]
        parts = [(one.lead or one.key, one.why_not or one.detail, one.right) for one in items]
        columns = zip(*parts, ("",) * 3, strict=True)
        self._lead, self._detail, self._right = (max(map(cell_len, column)) for column in columns)
        self._for = self._label = 0
        wanted = (self._lead, max(self._names, default=0), self._detail, self._right)
        self.width = sum(part + GAP for part in wanted if part)

    def _fit(self, width: int) -> None:
        """Find the columns of leads, names and right edges in rows of a width.

        Where details need room, the column of the names is as wide as most of them, and no more
        than two fifths of it, beside what is left.
        """
        self._for, label = width, max(self._names, default=0)
        lead = min(self._lead, width // 3)
        room = width - (lead + GAP if lead else 0)
        right = self._right if room - self._right >= min(label + GAP, room // 2) else 0
        room -= right + GAP if right else 0
        if self._detail and label + GAP + self._detail > room:
            names = sorted(self._names)
            usual = names[len(names) * 4 // 5] + NEARLY
            most = max(room * 2 // 5, room - GAP - self._detail)
            label = min(max(name for name in names if name <= usual), most)
        self._label, self._shown = min(label, room), (lead, right)

    def line(self, item: Item[T], width: int, words: Sequence[str], style: Palette) -> Text:
        """A row in so many columns, after a blank one; the words stand out in its name."""
        if width != self._for:
            self._fit(width)
        line, (lead, right) = Text(" ", end="", no_wrap=True), self._shown
        if lead:
            sign = set_cell_size(printable(item.lead or item.key), lead + GAP)
            line.append(sign, style=style.role(item.role))
        room = width + 1 - line.cell_len - (right + GAP if right else 0)
        most = max(self._label, room * 3 // 5) if item.detail else room
        look = style.faint if item.why_not else style.plain
        name = Text(shorten(printable(item.label), most), style=look)
        if words:
            name.highlight_words(words, style.match, case_sensitive=False)
        line.append_text(name)
        taken = max(self._label, name.cell_len)
        detail = printable(item.why_not or item.detail)
        left = room - taken - GAP
        if detail and left >= min(cell_len(detail), LEAST_DETAIL):
            # Of a path the end is what tells it from others.
            is_path = "/" in detail and " " not in detail
            line.append(" " * (taken - name.cell_len + GAP))
            line.append(shorten(detail, left, "end" if is_path else "start"), style=style.quiet)
        if right:
            line.pad_right(width + 1 - right - line.cell_len)
            line.append(f"{item.right:>{right}}", style=style.quiet)
        return line


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


class _Rows(RowsView, can_focus=False):
    """The rows and their headings; one click chooses."""

    def clicked(self, row: int, times: int) -> None:
        """Choose the row under the mouse."""
        self._on_choose(row)

    def on_resize(self) -> None:
        """Keep the cursor in sight."""
        self.go_to(self.row)


class Picker(Dialog[T]):
    """Asks for one of many things, and closes with the value of the picked row.

    Typing filters the list. If small letters pick rows or act on them, they do that instead, and
    ``/`` opens the filter; digits and capitals may do so until something is typed.

    title, items   shown at first
    enter, escape  labels of these keys
    keys           more keys for the row under the cursor
    at             the row of the cursor at first, from 0
    hint           the placeholder of the filter
    nothing        shown if no row is found
    find           finds rows for a text
    keeps_order    filtered rows keep their order and headings
    preview        the lines that show a row in full, beside or below the list if they fit
    on_move        called with the value under the cursor
    on_click       called with a clicked value, instead of picking it
    width          columns of the box; by default as many as the rows need
    about          makes what is shown above the rows at first
    """

    is_path: ClassVar[bool] = False  # what is typed narrows nothing: the subclass lists what it may

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
        nothing: str = "Nothing matches all of these words.",
        find: Callable[[str], Sequence[Item[T]]] | None = None,
        keeps_order: bool = False,
        preview: Callable[[T], Sequence[Text]] | None = None,
        on_move: Callable[[T], object] | None = None,
        on_click: Callable[[T], object] | None = None,
        width: int = 0,
        about: Callable[[Palette], Text] | None = None,
    ) -> None:
        super().__init__()
        self.heading, self._enter, self._escape = title, enter, escape
        self._keys = {name: one for one in keys for name in one.keys.split(",")}
        self._named = [(one.keys.split(",")[0], one.label) for one in keys if one.label]
        self._nothing, self._keeps_order, self._width = nothing, keeps_order, width
        self._find = find or (lambda typed: search(self._items, typed))
        self._preview_of, self._tell_move, self._tell_click = preview, on_move, on_click
        self._at, self._about = at, about
        self._digits = ""  # of a number that may go on
        self.filter = _Filter(self.edited, self._take_key, hint)
        self.rows = _Rows(self._clicked, id="picker-rows")
        self.note = Static(id="picker-note")
        self.detail = Static(id="picker-detail")
        self.preview = LinesView(wrap=True, id="picker-preview")
        self.preview.can_focus = False
        self.found: Sequence[Item[T]] = ()  # in their order
        self._row_of: list[int] = []  # the row of each of them
        self._put(items)
        panes = (self.rows, *((self.preview,) if preview is not None else ()))
        self.parts = (self.filter, self.note, Container(*panes, id="picker-panes"), self.detail)

    def _put(self, items: Sequence[Item[T]]) -> None:
        self._items, self._table = items, _Table(items)
        self._by_key = {item.key: item for item in items if item.key}
        letters = (*self._by_key, *self._keys)
        self._has_letters = any(len(key) == 1 and key.islower() for key in letters)

    def on_mount(self) -> None:
        """Show the rows, and take what is typed."""
        self._open_filter(is_open=not self._has_letters)
        self.say(self._about(palette_of(self)) if self._about is not None else "")
        self.show_items(self._items)

    # Display

    @property
    def item(self) -> Item[T] | None:
        """The row that has the cursor."""
        return self.found[self._at] if self.found else None

    @property
    def labels(self) -> list[str]:
        """The names of the rows that are found."""
        return [item.label for item in self.found]

    def show_items(self, items: Sequence[Item[T]], at: int | None = None) -> None:
        """Show other rows, narrowed by what is typed; the cursor goes to one of them, or stays."""
        at = self._at if at is None else at
        self._put(items)
        self._narrow()
        self._go(at)

    def say(self, text: Text | str) -> None:
        """Show something above the rows; a blank text takes no room."""
        self.note.display = bool(text)
        self.note.set_class(isinstance(text, str), "fault")
        self.note.update(text if isinstance(text, Text) else Text(printable(text)))
        self._arrange()

    def edited(self, text: str) -> None:
        """Find the rows that have what is typed, and go to the first."""
        if self.is_mounted:
            self._narrow()
            self._go(0)

    def _narrow(self) -> None:
        """Find the rows for what is typed, and list them under their headings."""
        typed = "" if self.is_path else self.filter.value.strip()
        self.found = self._find(typed)
        if typed and self._keeps_order:
            wanted = {id(item) for item in self.found}
            self.found = [item for item in self._items if id(item) in wanted]
        listed: list[Item[T] | str] = []
        self._row_of, group = [], ""
        for item in self.found:
            if item.group != group and (self._keeps_order or not typed):
                group = item.group
                listed.append(group)
            self._row_of.append(len(listed))
            listed.append(item)
        words = [] if self.is_path else self.filter.value.split()

        def draw(row: int) -> Text:
            item, style = listed[row], palette_of(self)  # of the theme by then
            if isinstance(item, str):
                return Text(f" {printable(item)}", style=style.label, end="")
            width = columns_for(self.rows, len(listed)) - 2
            line = self._table.line(item, width, words, style)
            return line if row != self.rows.row else Text.assemble((CURSOR, style.slot), line[1:])

        nothing = [Text(f" {self._nothing}", style=palette_of(self).quiet)]
        self.say_title(self.heading, f"{len(self.found)} of {len(self._items)}" if typed else "")
        self._arrange()
        self.rows.show_lines(MadeLines(len(listed), draw) if listed else nothing)
        self.rows.put_row(0 if listed else 1)  # no cursor on a message

    def move(self, by: int) -> None:
        """Move the cursor so many rows."""
        self._go(self._at + by)

    def _go(self, at: int) -> None:
        """Put the cursor on one of the rows that are found, as far as there are so many."""
        self._at = min(max(at, 0), max(len(self.found) - 1, 0))
        item, lines = self.item, list[Text]()
        if item is not None:
            row = self._row_of[self._at]
            if row and row - 1 not in self._row_of[self._at - 1 : self._at]:
                self.rows.go_to(row - 1)  # its heading is in sight too
            self.rows.go_to(row)
            if self._tell_move is not None:
                self._tell_move(item.value)
        self._show_whole()
        if self._preview_of is not None:
            lines = list(self._preview_of(item.value)) if item is not None else []
            words = [word for word in self.filter.value.split() if len(word) > 1]
            for line in lines if words else ():
                line.highlight_words(words, palette_of(self).match, case_sensitive=False)
            self.preview.show_lines(lines)
            self.preview.scroll_to(y=0, animate=False)

    def _show_whole(self) -> None:
        """Show the detail of the row with the cursor in full, where the row is too short for it."""
        item = self.item
        is_cut = item is not None and "…" in self.rows.lines[self.rows.row].plain
        whole = item.why_not or item.detail if item is not None and is_cut else ""
        self.detail.update(Text(printable(whole)))

    def _open_filter(self, *, is_open: bool) -> None:
        self.filter.display = is_open
        self.set_focus(self.filter if is_open else None)
        if not is_open:
            self.filter.value = ""
        self._arrange()

    # The layout

    def on_resize(self) -> None:
        """Adapt to another size."""
        self._arrange()
        self.call_after_refresh(self._show_whole)

    def _arrange(self) -> None:
        """Be as large as the rows need, or the screen is; the preview is where there is room."""
        (width, height), wants = self.app.size, self._preview_of is not None
        is_airy = height >= AIRY
        is_beside = wants and width >= BESIDE
        is_below = wants and not is_beside and height >= BELOW
        for name, is_on in (("-beside", is_beside), ("-below", is_below), ("-airy", is_airy)):
            self.set_class(is_on, name)
        keys = [("enter", self._enter)] if self._enter else []
        keys += self._named
        if self._has_letters and len(self._items) >= FILTERED:
            keys.append(("slash", "filters"))
        keys += [("pagedown", "scrolls")] if is_beside or is_below else []
        keys.append(("escape", self._escape))
        wide = self._width or max(self._table.width + 5, keys_width(keys) + 6, LEAST_WIDTH)
        wide = min(WITH_PREVIEW[0] if wants else min(wide, MOST_WIDTH), width)
        rows = PATH_ROWS if self.is_path else len(self._items) + len({i.group for i in self._items})
        rows = min(rows, max(MOST_ROWS, height // 2))
        self.detail.display = is_airy and not wants and self._table.width > wide - 6
        rows += 2 + 2 * self.detail.display + self.filter.display * (1 + is_airy)
        if self.note.display:
            rows += self.note.get_content_height(self.app.size, self.app.size, wide - 6) + is_airy
        box = self.query_one("#box")
        box.styles.width = wide
        box.styles.height = WITH_PREVIEW[1] if is_beside or is_below else rows
        self.say_keys(*keys, room=wide - 6)

    # Actions

    async def on_key(self, event: events.Key) -> None:
        """Handle a key that comes while nothing has the focus, or before the filter is there."""
        event.stop()
        if self.filter.display:
            self.filter.post_message(events.Key(event.key, event.character))
        else:
            self._take_key(event)

    def _take_key(self, event: events.Key) -> bool:
        """Handle a key of the picker; return False if it is for the text."""
        if not self.is_active:
            return True
        key, character = event.key, event.character or ""
        typing = self.filter.display and (self._has_letters or bool(self.filter.value))
        digits, self._digits = self._digits, ""
        last, page = max(len(self.found), 1), max(self.rows.size.height - 1, 1)
        moves = {"up": -1, "down": 1, "pageup": -page, "pagedown": page}
        moves |= {"ctrl+home": -last, "ctrl+end": last}
        if not self.filter.value:
            moves |= {"home": -last, "end": last}
        row_key = self._keys.get(key) or (None if typing else self._keys.get(character))
        is_text = typing and (len(key) == 1 or (key == "delete" and self.filter.value))
        if row_key is not None and not is_text:
            found = row_key.run(self.item.value if self.item is not None else None)
            if row_key.closes:
                self.dismiss(found)
        elif key == "ctrl+c" and self.filter.selection.is_empty:
            self.action_help_leave()
        elif key in ("pageup", "pagedown") and self.preview.display and self.preview.is_attached:
            rows = max(self.preview.size.height - 2, 1)
            self.preview.scroll_relative(y=rows if key == "pagedown" else -rows, animate=False)
        elif key in moves:
            self.move(moves[key])
        elif key == "enter":
            self.pick()
        elif typing or not character or not self._pick_by_key(digits, character):
            if self.filter.display:
                return False
            if character == "/":
                self._open_filter(is_open=True)
        return True

    def _pick_by_key(self, digits: str, character: str) -> bool:
        """Pick the row that a letter or a number is for; whether there is one.

        A number that may go on, as 1 of 12, has the cursor go there until it does.
        """
        for typed in (digits + character, character):
            item = self._by_key.get(typed)
            if item is None:
                continue
            if any(key != typed and key.startswith(typed) for key in self._by_key):
                self._digits = typed
                self._go(list(self.found).index(item))
            else:
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
        """Pick the clicked row; with a preview, the first click only moves there."""
        if row not in self._row_of:
            return  # a heading
        at, before = self._row_of.index(row), self._at
        self._go(at)
        item = self.found[at]
        if self._tell_click is not None:
            self._tell_click(item.value)
        elif at == before or (self._preview_of is None and self._tell_move is None):
            self._pick(item)

    def action_dismiss_dialog(self) -> None:
        """Close the filter that was opened, else the picker."""
        if self._has_letters and self.filter.display:
            self._open_filter(is_open=False)
            self.show_items(self._items)
        else:
            self.dismiss(None)
