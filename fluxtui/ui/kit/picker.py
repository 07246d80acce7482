"""The dialog for picking an item: a list that typing filters, with keys and a preview."""

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
from fluxtui.ui.kit.lines import LazyLines, LinesView, RowsView, columns_for
from fluxtui.ui.kit.palette import Palette, palette_of
from fluxtui.ui.kit.text import shorten

T = TypeVar("T")

GAP = 2  # character cells between two columns of the list
NEARLY = 6  # how much wider than most names a name may be and still widen their column
LEAST_DETAIL = 8  # the detail column is hidden below this width
LEAST_WIDTH, MOST_WIDTH = 56, 100  # limits for the width of the box, unless one is given
MOST_ROWS = 24  # rows of the list at most; on a large screen, half of it
WITH_PREVIEW = 150, 46  # the largest box with a preview: columns, rows
PATH_ROWS = 14  # rows of a list of paths, whose length changes with each key
BESIDE, BELOW = 100, 16  # screen columns for a preview beside the list, else rows for one below
AIRY = 20  # screen rows from which there are blank lines between the parts
CURSOR = "▌"  # in front of the row with the cursor
FILTERED = 10  # items from which the footer names the key of the filter


@dataclass(frozen=True, slots=True)
class Item(Generic[T]):
    """One item of a picker.

    value    the result if it is picked
    label    its name
    detail   a description after the name, in a quiet colour; a long path keeps its end
    right    a word at the right edge, such as a key
    key      a letter or a number that picks it at once
    lead     shown before the name, such as a sign; by default the key
    role     the colour role of the lead
    group    the heading above it
    words    more words that find it
    why_not  why it cannot be picked now, shown in place of the detail
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
        """Rank this item for typed words: 0 for its exact name, None if a word is missing."""
        label, whole = self.label.lower(), " ".join(words)
        named = f" {label} {self.words} {self.group}".lower()
        searched = f"{named} {self.detail} {self.right}".lower()
        if not all(word in searched for word in words):
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
    """A key that acts on the item under the cursor.

    keys are Textual's key names, comma-separated. The footer shows the first with the label, or
    nothing if the label is empty. run is called with the value of the item, or None if there is no
    item; with closes, its result closes the picker.
    """

    keys: str
    label: str
    run: Callable[[T | None], Any]
    closes: bool = False


def search(items: Sequence[Item[T]], typed: str) -> Sequence[Item[T]]:
    """Return the items that contain all typed words, the best matches first.

    Names that begin with the text come first, then matches in names, in synonyms, in details.
    """
    words = typed.lower().split()
    if not words:
        return items
    found = [(item.distance(words), item) for item in items]
    near = [(distance, item) for distance, item in found if distance is not None]
    return [item for _, item in sorted(near, key=lambda pair: pair[0])]


class _Table(Generic[T]):
    """Lays out items in columns. A name wider than its column pushes its detail to the right."""

    def __init__(self, items: Sequence[Item[T]]) -> None:
        self._names = [cell_len(item.label) for item in items]
        parts = [(item.lead or item.key, item.why_not or item.detail, item.right) for item in items]
        columns = zip(*parts, ("",) * 3, strict=True)
        self._lead, self._detail, self._right = (max(map(cell_len, column)) for column in columns)
        self._for = self._label = 0
        wanted = (self._lead, max(self._names, default=0), self._detail, self._right)
        self.width = sum(part + GAP for part in wanted if part)

    def _fit(self, width: int) -> None:
        """Compute the widths of the lead, name and right columns for rows of a width.

        If the details do not fit beside the longest name, the name column is as wide as most names,
        and at most two fifths of the row or what the details leave.
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
        """Draw a row, one blank and then width columns; the words are highlighted in the name."""
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
            # The end of a path tells it from others.
            is_path = "/" in detail and " " not in detail
            line.append(" " * (taken - name.cell_len + GAP))
            line.append(shorten(detail, left, "end" if is_path else "start"), style=style.quiet)
        if right:
            line.pad_right(width + 1 - right - line.cell_len)
            line.append(f"{item.right:>{right}}", style=style.quiet)
        return line


class _Filter(PlainInput):
    """The input that filters the list; it offers each key to the picker first."""

    def __init__(
        self, on_edit: Callable[[str], None], take: Callable[[events.Key], bool], hint: str
    ) -> None:
        super().__init__(placeholder=hint, id="picker-filter", compact=True)
        self._on_edit = on_edit
        self._take = take

    def watch_value(self, value: str) -> None:
        """Report the edit before the next frame is drawn."""
        self._on_edit(value)

    async def _on_key(self, event: events.Key) -> None:
        """Offer a key to the picker, in the order of typing, and else handle it as text."""
        event.stop()
        if self._take(event):
            event.prevent_default()
        else:
            await super()._on_key(event)


class _Rows(RowsView, can_focus=False):
    """The rows and their headings; a single click chooses a row."""

    def clicked(self, row: int, times: int) -> None:
        """Choose the row under the mouse."""
        self._on_choose(row)

    def on_resize(self) -> None:
        """Keep the cursor in sight."""
        self.go_to(self.row)


class Picker(Dialog[T]):
    """Asks for one of several items, and closes with the value of the one that is picked.

    Typing filters the list. If items or keys use lower-case letters, letters do what they are bound
    to instead, and ``/`` opens the filter. Digits and capitals do what they are bound to until
    something is typed.

    title, items   shown at first
    enter, escape  labels of these keys
    keys           more keys for the item under the cursor
    at             the initial position of the cursor, from 0
    hint           the placeholder of the filter
    nothing        shown if no item is found
    find           returns the items for a typed text
    keeps_order    filtered items keep their order and headings
    preview        returns lines that show an item in full, beside or below the list if they fit
    on_move        called with the value under the cursor
    on_click       called with a clicked value, instead of picking it
    width          columns of the box; by default as many as the items need
    about          returns the initial text above the list
    """

    is_path: ClassVar[bool] = False  # the typed text is a path: the subclass lists its completions

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
        self._keys = {name: row_key for row_key in keys for name in row_key.keys.split(",")}
        self._named = [(key.keys.split(",")[0], key.label) for key in keys if key.label]
        self._nothing, self._keeps_order, self._width = nothing, keeps_order, width
        self._find = find or (lambda typed: search(self._items, typed))
        self._preview_of, self._tell_move, self._tell_click = preview, on_move, on_click
        self._at, self._about = at, about
        self._digits = ""  # the start of a number that further digits may continue
        self.filter = _Filter(self.edited, self._take_key, hint)
        self.rows = _Rows(self._clicked, id="picker-rows")
        self.note = Static(id="picker-note")
        self.detail = Static(id="picker-detail")
        self.preview = LinesView(wrap=True, id="picker-preview")
        self.preview.can_focus = False
        self.found: Sequence[Item[T]] = ()  # the items that match, in the order shown
        self._row_of: list[int] = []  # the row of each of these items
        self._put(items)
        panes = (self.rows, *((self.preview,) if preview is not None else ()))
        self.parts = (self.filter, self.note, Container(*panes, id="picker-panes"), self.detail)

    def _put(self, items: Sequence[Item[T]]) -> None:
        self._items, self._table = items, _Table(items)
        self._by_key = {item.key: item for item in items if item.key}
        letters = (*self._by_key, *self._keys)
        self._has_letters = any(len(key) == 1 and key.islower() for key in letters)

    def on_mount(self) -> None:
        """Show the items and the filter, if there is one at first."""
        self._open_filter(is_open=not self._has_letters)
        self.say(self._about(palette_of(self)) if self._about is not None else "")
        self.show_items(self._items)

    # Display

    @property
    def item(self) -> Item[T] | None:
        """The item under the cursor; None if no item is found."""
        return self.found[self._at] if self.found else None

    @property
    def labels(self) -> list[str]:
        """The names of the items that are found."""
        return [item.label for item in self.found]

    def show_items(self, items: Sequence[Item[T]], at: int | None = None) -> None:
        """Show other items, filtered by the typed text; the cursor goes to item at, or stays."""
        at = self._at if at is None else at
        self._put(items)
        self._narrow()
        self._go(at)

    def say(self, text: Text | str) -> None:
        """Show a text above the list, a plain string as a problem; an empty text takes no room."""
        self.note.display = bool(text)
        self.note.set_class(isinstance(text, str), "fault")
        self.note.update(text if isinstance(text, Text) else Text(printable(text)))
        self._arrange()

    def edited(self, text: str) -> None:
        """Filter the items by a text, and go to the first."""
        if self.is_mounted:
            self._narrow()
            self._go(0)

    def _narrow(self) -> None:
        """Find the items for the typed text, and list them under their headings."""
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
            item, style = listed[row], palette_of(self)  # the theme may have changed since
            if isinstance(item, str):
                return Text(f" {printable(item)}", style=style.label, end="")
            width = columns_for(self.rows, len(listed)) - 2
            line = self._table.line(item, width, words, style)
            return line if row != self.rows.row else Text.assemble((CURSOR, style.slot), line[1:])

        nothing = [Text(f" {self._nothing}", style=palette_of(self).quiet)]
        self.say_title(self.heading, f"{len(self.found)} of {len(self._items)}" if typed else "")
        self._arrange()
        self.rows.show_lines(LazyLines(len(listed), draw) if listed else nothing)
        self.rows.put_row(0 if listed else 1)  # no cursor on a message

    def move(self, by: int) -> None:
        """Move the cursor by a number of items."""
        self._go(self._at + by)

    def _go(self, at: int) -> None:
        """Put the cursor on an item that is found, or on the last if there are fewer."""
        self._at = min(max(at, 0), max(len(self.found) - 1, 0))
        item, lines = self.item, list[Text]()
        if item is not None:
            row = self._row_of[self._at]
            if row and row - 1 not in self._row_of[self._at - 1 : self._at]:
                self.rows.go_to(row - 1)  # scroll its heading into sight too
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
        """Show the detail of the item under the cursor in full if its row cuts it."""
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
        """Adapt to a new size."""
        self._arrange()
        self.call_after_refresh(self._show_whole)

    def _arrange(self) -> None:
        """Size the box for the items and the screen, and place the preview if there is room."""
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
        """Handle a key that comes while nothing has the focus, or before the filter is mounted."""
        event.stop()
        if self.filter.display:
            self.filter.post_message(events.Key(event.key, event.character))
        else:
            self._take_key(event)

    def _take_key(self, event: events.Key) -> bool:
        """Handle a key of the picker; return False if it is text for the filter."""
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
            result = row_key.run(self.item.value if self.item is not None else None)
            if row_key.closes:
                self.dismiss(result)
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
        """Pick the item of a letter or a number; return False if there is none.

        A number that may continue, such as 1 where there is a 12, only moves the cursor.
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
        """Pick the item under the cursor."""
        if self.item is not None:
            self._pick(self.item)

    def _pick(self, item: Item[T]) -> None:
        if not item.why_not:
            self.dismiss(item.value)

    def _clicked(self, row: int) -> None:
        """Pick a clicked item; with a preview or on_move, the first click only moves there."""
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
        """Close the filter if it was opened by a key, or else the picker."""
        if self._has_letters and self.filter.display:
            self._open_filter(is_open=False)
            self.show_items(self._items)
        else:
            self.dismiss(None)
