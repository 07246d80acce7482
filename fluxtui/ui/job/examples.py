"""Choose an example to start from: search the library, and see each one before it is opened."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Container, Horizontal, Vertical
from textual.strip import Strip
from textual.widgets import Static

from fluxtui import library
from fluxtui.library import Example
from fluxtui.model.constraint import requires
from fluxtui.model.documents.document import dump
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.problem import counted, printable
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.ui.kit.dialog import Dialog
from fluxtui.ui.kit.entry import PlainInput
from fluxtui.ui.kit.lines import LinesView, RowsView
from fluxtui.ui.kit.palette import Palette, palette_of
from fluxtui.ui.kit.text import colour, in_colours
from fluxtui.ui.kit.wording import DOT

KEYS = "↑↓ choose · pgup pgdn scroll · enter opens · esc leaves"
HINT = "words, such as gpu, memory gb, srun, dependencies, 2.1"
NOTHING = ("No example has all of these words.", "Try fewer of them, or only the start of one.")


class SearchInput(PlainInput):
    """An input whose every edit is handed on at once; some keys do what they are mapped to."""

    def __init__(
        self, on_edit: Callable[[str], None], keys: Mapping[str, Callable[[], None]], *, id: str
    ) -> None:
        super().__init__(placeholder=HINT, id=id, compact=True)
        self._on_edit = on_edit
        self._mapped = keys

    def watch_value(self, value: str) -> None:
        """Hand the edit on, before the next frame is drawn."""
        self._on_edit(value)

    def _on_key(self, event: events.Key) -> None:  # type: ignore[override]
        """A mapped key is handled in its turn, after the letters typed before it."""
        if event.key in self._mapped:
            event.stop()
            event.prevent_default()
            self._mapped[event.key]()


class FoundView(RowsView, can_focus=False):
    """The examples found. The cursor always shows, since the keys stay with the search."""

    def __init__(
        self, on_choose: Callable[[int], None], on_move: Callable[[], None], *, id: str
    ) -> None:
        super().__init__(on_choose, id=id)
        self._on_move = on_move
        self._any = False

    def show_found(self, lines: Sequence[Text], nothing: Sequence[Text]) -> None:
        """Show these lines from the first one on; where there are none, what is said instead."""
        self._any = bool(lines)
        self.put_row(0)
        self.show_lines(lines or nothing)
        self.scroll_to(y=0, animate=False)

    def action_move(self, by: int) -> None:
        """Move the cursor, and tell of it."""
        super().action_move(by)
        self._on_move()

    def render_line(self, y: int) -> Strip:
        """One row; the selected one in the colours of the cursor."""
        strip = super().render_line(y)
        if not self._any or y + self.scroll_offset.y != self.row:
            return strip
        style = palette_of(self)
        # What is faint would be lost on the colour of the cursor.
        looks = ((s.text, s.style or self.base) for s in strip)
        plain = ((t, style.plain if look.color == style.faint.color else look) for t, look in looks)
        return Strip([Segment(text, look + style.selected) for text, look in plain])


class ExamplesDialog(Dialog[Example]):
    """Asks for an example. Typing narrows the list, and the highlighted one is shown whole."""

    def __init__(self) -> None:
        super().__init__()
        self._found: Sequence[Example] = ()
        self._words: Sequence[str] = ()
        self.rows = FoundView(self._take, self._show, id="example-list")
        self.preview = LinesView(wrap=True, id="example-preview")
        self.preview.can_focus = False
        keys = {
            "up": lambda: self.rows.action_move(-1),
            "down": lambda: self.rows.action_move(1),
            "pageup": lambda: self._page(-1),
            "pagedown": lambda: self._page(1),
            "enter": lambda: self._take(self.rows.row),
        }
        self.search = SearchInput(self._narrow, keys, id="example-words")

    def compose(self) -> ComposeResult:
        """The search, the list, and beside or below it the preview."""
        with Vertical(id="box") as box:
            box.border_title = "Examples"
            with Horizontal(id="example-search"):
                yield Static("Find", id="example-find")
                yield self.search
            with Container(id="example-panes"):
                yield self.rows
                yield self.preview

    def on_mount(self) -> None:
        """Begin with all of them."""
        self.search.focus()
        self._narrow("")

    def _narrow(self, words: str) -> None:
        """List the examples that have the words, and show the first."""
        self._found = library.find(words)
        self._words = [word for word in words.split() if len(word) > 1]
        style = palette_of(self)
        nothing = [_line((line, style.quiet)) for line in NOTHING]
        self.rows.show_found(_rows(self._found, self._words, style), nothing)
        many, whole = len(self._found), len(library.entries())
        count = counted(many, "example") if many == whole else f"{many} of {whole}"
        self.query_one("#box").border_subtitle = f"{count} · {KEYS}"
        self._show()

    def _show(self) -> None:
        """Show the highlighted example from its top."""
        lines: list[Text] = []
        if self._found:
            style = palette_of(self)
            lines = _preview(self._found[self.rows.row], style)
            _mark(lines, self._words, style)
        self.preview.show_lines(lines)
        self.preview.scroll_to(y=0, animate=False)

    def _page(self, by: int) -> None:
        """Scroll the preview by a screenful, but for two rows that stay in sight."""
        rows = max(self.preview.size.height - 2, 1)
        self.preview.scroll_relative(y=by * rows, animate=False)

    def _take(self, row: int) -> None:
        if self._found:
            self.dismiss(self._found[row])


def _line(*parts: tuple[str, Style]) -> Text:
    """A line of texts with their styles."""
    return Text.assemble(*parts, end="")


def _mark(lines: Iterable[Text], words: Sequence[str], style: Palette) -> None:
    """Let the words that were searched for stand out."""
    if words:
        for line in lines:
            line.highlight_words(words, style.match, case_sensitive=False)


def _rows(found: Sequence[Example], words: Sequence[str], style: Palette) -> list[Text]:
    """The lines of the list: RFC, section and title. The RFC is fainter where it comes again."""
    lines = []
    before = ""
    for example in found:
        section = example.section.removeprefix("Use case ")
        line = _line(
            (f"{example.rfc:<9}", style.faint if example.rfc == before else style.quiet),
            (f"{section:<11}", style.quiet),
            (example.title, style.plain),
        )
        lines.append(line)
        before = example.rfc
    _mark(lines, words, style)
    return lines


def _preview(example: Example, style: Palette) -> list[Text]:
    """An example as lines: what it teaches, and all that it opens."""
    lines = [
        _line((example.title, style.strong)),
        _line((DOT.join((example.rfc, example.section, _kind(example))), style.quiet)),
        Text(),
        _line((example.text, style.plain)),
    ]
    if example.shape:
        tokens = parse_shape(example.shape).tokens
        lines += _part(("Shape",), [in_colours(example.shape, tokens, style)], style)
    if example.requires:
        read = requires.read(example.requires)
        asked = [] if read.is_json else [in_colours(example.requires, read.tokens, style)]
        written = _line((json.dumps(example.constraint), style.string))
        lines += _part(("Requires",), [*asked, written], style)
    if example.equivalents:
        width = max(len(one.system) for one in example.equivalents)
        said = [
            _line((f"{one.system:<{width}}  ", style.quiet), (one.command, style.plain))
            for one in example.equivalents
        ]
        lines += _part(("Elsewhere",), said, style)
    if example.document is not None:
        lines += _document(example.document, style)
    return lines


def _kind(example: Example) -> str:
    """What it is that opens."""
    if example.document is not None:
        return "a whole jobspec"
    return "a shape" if example.shape else "a constraint"


def _document(document: Mapping[str, Any], style: Palette) -> list[Text]:
    """The jobspec as YAML; before it, whether it is V1 as well, or the first reason why not."""
    yaml = [colour(line, style) for line in dump(document).splitlines()]
    problems = jobspec.check(document).v1_problems
    if not problems:
        return _part(("Jobspec", "V1 ✓"), yaml, style)
    why = _line((printable(problems[0].message), style.quiet))
    return _part(("Jobspec", "beyond V1"), [why, *yaml], style)


def _part(title: Sequence[str], lines: Sequence[Text], style: Palette) -> list[Text]:
    """A part of the preview: a gap, its title, its lines further in."""
    head = _line((DOT.join(title), style.label))
    return [Text(), head, *(Text.assemble("  ", line, end="") for line in lines)]
