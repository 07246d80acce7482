"""What the node table is asked for: what to sort by, and which columns to show."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from fluxtui.answers.listing.lister import Key
from fluxtui.notation.problem import printable
from fluxtui.ui.kit.dialog import Dialog
from fluxtui.ui.kit.entry import PlainInput
from fluxtui.ui.kit.lines import MadeLines, RowsView
from fluxtui.ui.kit.palette import Palette, palette_of
from fluxtui.ui.nodes.table_columns import ONE, TITLES, USUAL
from fluxtui.ui.nodes.table_layout import DOWN, UP
from fluxtui.ui.screen import Result

_ORDERS: Sequence[tuple[Key, str, str]] = (
    (Key.of("rank"), "rank", "the order of the document"),
    (Key.of("host"), "host", "as a person counts: n2 before n10"),
    (Key.of("cores"), "cores", "the most first"),
    (Key.of("gpus"), "gpus", "the most first"),
    (Key.of("count"), "properties", "those with the most of them first"),
    (Key.of("match"), "match", "those that match first, as the constraint is typed"),
)
_OF_FOLDS: Sequence[tuple[Key, str, str]] = (
    (Key.of("size"), "nodes", "the rows with the most nodes first"),
    (Key.of("all-cores"), "all cores", "the rows with the most cores first"),
    (Key.of("all-gpus"), "all gpus", "the rows with the most gpus first"),
)

_BY_DETAIL = 3  # how far an entry is whose title does not have the words


class _Search(PlainInput):
    """An input that narrows a list; the keys that are for the list go there."""

    def __init__(self, on_edit: Callable[[str], None], keys: dict[str, Callable[[], None]]) -> None:
        super().__init__(placeholder="begin to type a name", id="choice-words", compact=True)
        self._on_edit = on_edit
        self._mapped = keys

    def watch_value(self, value: str) -> None:
        """Hand the edit on, before the next frame is drawn."""
        self._on_edit(value)

    async def _on_key(self, event: events.Key) -> None:
        """A mapped key is handled in its turn, after the letters typed before it."""
        if event.key in self._mapped:
            event.stop()
            event.prevent_default()
            self._mapped[event.key]()
            return
        await super()._on_key(event)


class _Entry(NamedTuple):
    """A line of the list: what it stands for, its name as a person reads it, and a word on it."""

    name: str
    title: str
    detail: str


class _Listed(Dialog[Result]):
    """A list that typing narrows, with a cursor that the arrows move."""

    heading = ""
    keys = ""

    def __init__(self) -> None:
        super().__init__()
        self._entries: Sequence[_Entry] = ()
        self.rows = _Rows(self.choose, id="choice-list")
        self.search = _Search(
            lambda words: self.narrow(),
            {
                "up": lambda: self.rows.action_move(-1),
                "down": lambda: self.rows.action_move(1),
                "pageup": lambda: self.rows.action_move_page(-1),
                "pagedown": lambda: self.rows.action_move_page(1),
                **self.more_keys(),
            },
        )

    def compose(self) -> ComposeResult:
        """What is typed, and the list."""
        with Vertical(id="box") as box:
            box.border_title = self.heading
            box.border_subtitle = self.keys
            with Horizontal(id="choice-search"):
                yield Static("Find", id="choice-find")
                yield self.search
            yield self.rows

    def on_mount(self) -> None:
        """Begin with all of it."""
        self.search.focus()
        self.narrow()

    def narrow(self) -> None:
        """List what has all of the words."""
        words = self.search.value.lower().split()
        found = [
            entry
            for entry in self.entries()
            if all(word in f"{entry.title} {entry.detail}".lower() for word in words)
        ]
        if words:  # what begins so is what is meant; what is said of it counts where nothing is
            far = {entry.name: _how_far(entry.title.lower(), words) for entry in found}
            named = [entry for entry in found if far[entry.name] < _BY_DETAIL]
            found = sorted(named or found, key=lambda entry: far[entry.name])
        self._entries = found
        self.rows.put_row(0)
        self.draw()
        self.rows.scroll_to(y=0, animate=False)

    def draw(self) -> None:
        """Draw the list as it is."""
        style = palette_of(self)
        if not self._entries:
            self.rows.show_lines([Text("Nothing has this in its name.", style=style.quiet, end="")])
            return
        made = MadeLines(len(self._entries), lambda row: self.line(self._entries[row], style))
        self.rows.show_lines(made, widest=self.size.width)

    def more_keys(self) -> dict[str, Callable[[], None]]:
        """What other keys do."""
        return {"enter": lambda: self.choose(self.rows.row)}

    def entries(self) -> Sequence[_Entry]:
        """All that there is."""
        raise NotImplementedError

    def line(self, entry: _Entry, style: Palette) -> Text:
        """An entry as it is drawn."""
        raise NotImplementedError

    def choose(self, row: int) -> None:
        """Take the entry of a row."""
        raise NotImplementedError


class _Rows(RowsView, can_focus=False):
    """The list; its cursor always shows, since the keys stay with the search."""

    has_focus = True  # as far as the drawing goes


class SortDialog(_Listed[Key]):
    """Asks what to sort by."""

    heading = "Sort by"
    keys = "↑↓ choose · enter sorts, once more turns round · esc leaves"

    def __init__(self, key: Key, names: Sequence[str], *, folded: bool) -> None:
        """Begin with the key in force; names are the properties."""
        super().__init__()
        self._key = key
        orders = (*_OF_FOLDS, *_ORDERS) if folded else _ORDERS
        self._keys = {title: order for order, title, _ in orders}
        self._all = [_Entry(title, title, detail) for _, title, detail in orders]
        for name in names:
            title = f"{ONE}{name}"
            self._keys[title] = Key.of("property", name)
            self._all.append(_Entry(title, printable(name), "the nodes that have it first"))

    def entries(self) -> Sequence[_Entry]:
        """The columns of every node, then the properties."""
        return self._all

    def line(self, entry: _Entry, style: Palette) -> Text:
        """An entry; that in force has the sign of its direction."""
        in_force = self._key.is_alike(self._keys[entry.name])
        sign = (DOWN if self._key.down else UP) if in_force else " "
        return _line(sign, entry, style, is_on=in_force)

    def choose(self, row: int) -> None:
        """Sort by the entry of a row."""
        if self._entries:
            self.dismiss(self._keys[self._entries[row].name])


class ColumnsDialog(_Listed[tuple[str, ...]]):
    """Asks which columns to show, and in what order: those that are shown come first."""

    heading = "Columns"
    keys = "space on/off · ctrl+↑↓ moves · ctrl+r resets · enter takes · esc"

    def __init__(self, shown: Sequence[str], names: Sequence[str]) -> None:
        """Begin with the columns that are shown; names are the properties."""
        super().__init__()
        self._shown = list(shown)
        self._titles = {name: _Entry(name, *words) for name, words in TITLES.items()}
        for name in names:
            entry = _Entry(f"{ONE}{name}", printable(name), "a column for this property")
            self._titles[entry.name] = entry

    def more_keys(self) -> dict[str, Callable[[], None]]:
        """Space checks, ctrl with the arrows moves, enter takes the columns."""
        return {
            "enter": self.take,
            "space": lambda: self.choose(self.rows.row),
            "ctrl+up": lambda: self.move(-1),
            "ctrl+down": lambda: self.move(1),
            "ctrl+r": self.reset,
        }

    def entries(self) -> Sequence[_Entry]:
        """The columns that are shown, in their order, then the others."""
        shown = [self._titles[name] for name in self._shown if name in self._titles]
        others = [entry for name, entry in self._titles.items() if name not in self._shown]
        return [*shown, *others]

    def line(self, entry: _Entry, style: Palette) -> Text:
        """An entry; those that are shown are checked."""
        is_on = entry.name in self._shown
        return _line("✓" if is_on else " ", entry, style, is_on=is_on)

    def choose(self, row: int) -> None:
        """Show the column of a row, or no longer; the cursor goes to the next one."""
        if not self._entries:
            return
        name = self._entries[row].name
        if name in self._shown:
            self._shown.remove(name)
        else:
            self._shown.append(name)
        self.draw()
        self.rows.action_move(1)

    def move(self, by: int) -> None:
        """Move the column of the row with the cursor, among those that are shown."""
        if not self._entries:
            return
        name = self._entries[self.rows.row].name
        if name not in self._shown:
            return
        at = self._shown.index(name)
        to = min(max(at + by, 0), len(self._shown) - 1)
        self._shown.insert(to, self._shown.pop(at))
        self.search.value = ""
        self.narrow()
        self.rows.action_move([entry.name for entry in self._entries].index(name))

    def reset(self) -> None:
        """Check the columns that the table shows at first."""
        self._shown = list(USUAL)
        self.narrow()

    def take(self) -> None:
        """Take the columns that are checked; at least one."""
        self.dismiss(tuple(self._shown) or USUAL)


def _how_far(title: str, words: Sequence[str]) -> int:
    """How far a title is from the words: it begins with them, it has them, or it has not."""
    if title.startswith(words[0]):
        return 0 if title == words[0] else 1
    return 2 if all(word in title for word in words) else _BY_DETAIL


def _line(sign: str, entry: _Entry, style: Palette, *, is_on: bool) -> Text:
    return Text.assemble(
        (f" {sign} ", style.strong),
        (f"{entry.title:<14}  ", style.strong if is_on else style.plain),
        (entry.detail, style.quiet),
        no_wrap=True,
        end="",
    )
