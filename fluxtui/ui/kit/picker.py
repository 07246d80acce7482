"""The one dialog for picking: rows that typing narrows, keys that do more, and a preview."""

from collections.abc import Callable, Sequence
from typing import ClassVar

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
from fluxtui.ui.kit.dialog import Dialog, keys_width
from fluxtui.ui.kit.input import PlainInput
from fluxtui.ui.kit.items import GAP, Columns, Item, RowKey, T, search, widest
from fluxtui.ui.kit.lines import LinesView
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.text import in_row

__all__ = ["Item", "Picker", "RowKey"]

LEAST_WIDTH, MOST_WIDTH = 56, 100  # columns of the box where no width is asked for
MOST_ROWS = 24  # of the list on a large screen
WITH_PREVIEW = 150, 46  # columns and rows of the box, at most
LIST_WIDTH = 58  # columns of a list that has the preview beside it
LIST_ROWS = 7  # of a list that has the preview below it
PATH_ROWS = 14  # of a list that changes with what is typed
BESIDE, BELOW = 100, 16  # columns, else rows, of a screen that has room for a preview
AIRY = 20  # rows of a screen that has room to spare
CURSOR = "▌"  # before the row that has it
FILTERED = 10  # rows from which the footer names the key of the filter


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

    def __init__(self, draw: Callable[[int], Text], click: Callable[[int], None]) -> None:
        super().__init__(id="picker-rows")
        self._draw = draw
        self._click = click
        self._count = 0
        self._row = -1  # the one with the cursor
        self._above = 0  # rows that are shown with it

    def show(self, count: int) -> None:
        """Show so many rows from the first on, without a cursor."""
        self._count, self._row = count, -1
        self.virtual_size = Size(self.size.width, count)
        self.scroll_to(y=0, animate=False)
        self.refresh()

    def put_cursor(self, row: int, above: int) -> None:
        """Put the cursor on a row, and bring it in sight with so many rows above it."""
        self._row, self._above = row, above
        self.scroll_to_region(Region(0, row - above, 1, 1 + above), animate=False, force=True)
        self.refresh()

    def on_resize(self) -> None:
        """Show as many rows before the cursor as there are, or as there is room for."""
        if self._row >= 0:
            self.scroll_to(y=0, animate=False)
            self.put_cursor(self._row, self._above)

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
        line, style = self._draw(row), palette_of(self)
        if row == self._row:
            line = Text.assemble((CURSOR, style.slot), line[1:], end="")
        strip = in_row(line, self.rich_style, 0, width, self.app.console)
        if row != self._row:
            return strip
        ground = style.selected
        return Strip([Segment(s.text, (s.style or self.rich_style) + ground) for s in strip], width)


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
    ) -> None:
        super().__init__()
        self._title = title
        self._enter, self._escape = enter, escape
        self._keys = {name: one for one in keys for name in one.keys.split(",")}
        self._named = [(one.keys.split(",")[0], one.label) for one in keys if one.label]
        self._nothing = nothing
        self._find = find or (lambda typed: search(self._items, typed))
        self._keeps_order = keeps_order
        self._preview_of, self._tell_move, self._tell_click = preview, on_move, on_click
        self._width = width
        self._at = at
        self._digits = ""  # of a number that may go on
        self.filter = _Filter(self.edited, self._take_key, hint)
        self.rows = _Rows(self._draw, self._clicked)
        self.note = Static(id="picker-note")
        self.detail = Static(id="picker-detail")
        self.preview = LinesView(wrap=True, id="picker-preview")
        self.preview.can_focus = False
        self._found: Sequence[Item[T]] = ()
        self._shown: list[Item[T] | str] = []  # a str is a heading
        self._row_of: list[int] = []  # the row of each item found
        self._put(items)

    def _put(self, items: Sequence[Item[T]]) -> None:
        self._items = items
        self._widest = widest(items)
        self._columns = Columns(0, 0, 0, 0, cuts=False)
        self._by_key = {item.key: item for item in items if item.key}
        letters = (*self._by_key, *self._keys)
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
            yield self.detail

    def on_mount(self) -> None:
        """Show the rows, and take what is typed."""
        self._open_filter(is_open=not self._has_letters)
        self.say(self.about)
        self.show_items(self._items)

    # Display

    @property
    def about(self) -> Text | str:
        """What is shown above the rows at first."""
        return ""

    @property
    def item(self) -> Item[T] | None:
        """The row that has the cursor."""
        return self._found[self._at] if self._found else None

    @property
    def found(self) -> Sequence[Item[T]]:
        """The rows that are found, in their order."""
        return self._found

    @property
    def labels(self) -> list[str]:
        """Their names."""
        return [item.label for item in self._found]

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
        typed = "" if self.is_path else self.filter.value.strip()
        self._found = self._find(typed)
        if typed and self._keeps_order:
            wanted = {id(item) for item in self._found}
            self._found = [item for item in self._items if id(item) in wanted]
        self._shown, self._row_of, group = [], [], ""
        for item in self._found:
            if item.group != group and (self._keeps_order or not typed):
                group = item.group
                self._shown.append(group)
            self._row_of.append(len(self._shown))
            self._shown.append(item)
        self.say_title(self._title, f"{len(self._found)} of {len(self._items)}" if typed else "")
        self._arrange()
        self.rows.show(max(len(self._shown), 1))

    def move(self, by: int) -> None:
        """Move the cursor so many rows."""
        self._go(self._at + by)

    def _go(self, at: int) -> None:
        """Put the cursor on one of the rows that are found, as far as there are so many."""
        self._at = min(max(at, 0), max(len(self._found) - 1, 0))
        item = self.item
        if item is not None:
            row = self._row_of[self._at]
            self.rows.put_cursor(row, int(row > 0 and isinstance(self._shown[row - 1], str)))
            if self._tell_move is not None:
                self._tell_move(item.value)
        whole = ""
        if item is not None and "…" in self._columns.line(item, (), palette_of(self)).plain:
            whole = item.why_not or item.detail
        self.detail.update(Text(printable(whole)))
        if self._preview_of is not None:
            lines = list(self._preview_of(item.value)) if item is not None else []
            words = [word for word in self.filter.value.split() if len(word) > 1]
            for line in lines if words else ():
                line.highlight_words(words, palette_of(self).match, case_sensitive=False)
            self.preview.show_lines(lines)
            self.preview.scroll_to(y=0, animate=False)

    def _open_filter(self, *, is_open: bool) -> None:
        self.filter.display = is_open
        self.set_focus(self.filter if is_open else None)
        if not is_open:
            self.filter.value = ""

    def _draw(self, row: int) -> Text:
        style = palette_of(self)
        if not self._shown:
            return Text(f" {self._nothing}", style=style.quiet, end="")
        item = self._shown[row]
        if isinstance(item, str):
            return Text(f" {printable(item)}", style=style.label, end="")
        words = () if self.is_path else self.filter.value.split()
        return self._columns.line(item, words, style)

    # The layout

    def on_resize(self) -> None:
        """Adapt to another size."""
        self._arrange()
        self._go(self._at)

    def _arrange(self) -> None:
        """Be as large as the rows need, or the screen is; the preview is where there is room."""
        width, height = self.app.size
        is_airy, wants = height >= AIRY, self._preview_of is not None
        is_beside = wants and width >= BESIDE
        is_below = wants and not is_beside and height >= BELOW
        for name, is_on in (("-beside", is_beside), ("-below", is_below), ("-airy", is_airy)):
            self.set_class(is_on, name)
        keys = self._footer(scrolls=is_beside or is_below)
        needs = max(sum(part + GAP for part in self._widest if part) + 5, keys_width(keys) + 6)
        wide = WITH_PREVIEW[0] if wants else self._width or max(needs, LEAST_WIDTH)
        wide = min(wide, width, WITH_PREVIEW[0] if wants else MOST_WIDTH)
        list_width = min(LIST_WIDTH, wide // 2) if is_beside else wide - 4
        around = 2 + self.filter.display * (1 + is_airy)
        if self.note.display:
            size = self.app.size
            around += self.note.get_content_height(size, size, wide - 6) + is_airy
        wanted = len(self._items) + len({item.group for item in self._items if item.group})
        most = height - around
        if is_beside or is_below:
            rows = min(most, WITH_PREVIEW[1] - around)
        else:
            wanted = PATH_ROWS if self.is_path else wanted
            rows = min(wanted, most, max(MOST_ROWS, height // 2))
        has_bar = len(self._shown) > (LIST_ROWS if is_below else rows)
        self._columns = Columns.of(self._items, self._widest, list_width - 2 - has_bar)
        has_detail = is_airy and not wants and self._columns.cuts
        rows = max(min(rows, most - 2 * has_detail), 1)
        self.detail.display = has_detail
        self.query_one("#box").styles.width = wide
        self.query_one("#picker-panes").styles.height = rows
        self.rows.styles.height = min(LIST_ROWS, rows) if is_below else rows
        self.rows.styles.width = list_width if is_beside else "1fr"
        self.say_keys(*keys, room=wide - 6)

    def _footer(self, *, scrolls: bool) -> list[tuple[str, str]]:
        keys = [("enter", self._enter)] if self._enter else []
        keys += self._named
        if self._has_letters and len(self._items) >= FILTERED:
            keys.append(("slash", "filters"))
        if scrolls:
            keys.append(("pagedown", "scrolls"))
        return [*keys, ("escape", self._escape)]

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
        last = max(len(self._found), 1)
        page = max(self.rows.size.height - 1, 1)
        moves = {"up": -1, "down": 1, "pageup": -page, "pagedown": page}
        moves |= {"ctrl+home": -last, "ctrl+end": last}
        if not self.filter.value:
            moves |= {"home": -last, "end": last}
        row_key = self._keys.get(key) or (None if typing else self._keys.get(character))
        is_text = typing and (len(key) == 1 or (key == "delete" and self.filter.value))
        if row_key is not None and not is_text:
            row_key.run(self.item.value if self.item is not None else None)
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
                self._arrange()
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
                self._go(list(self._found).index(item))
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
            self.show_items(self._items)
        else:
            self.dismiss(None)
