"""The foot of the node table: the filter while there is one, and what the marks mean."""

from collections.abc import Callable, Sequence

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.containers import Horizontal, Vertical

from fluxtui.ui.kit.entry import PlainInput
from fluxtui.ui.kit.lines import OneLine
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.whole import Whole

GAP = "   "


class FilterInput(PlainInput):
    """An input whose every edit is handed on at once; enter, down and escape leave it."""

    def __init__(
        self, on_edit: Callable[[str], None], on_leave: Callable[[bool], None], *, id: str
    ) -> None:
        super().__init__(placeholder="hosts, ranks, properties; 99*, *12", id=id, compact=True)
        self._on_edit = on_edit
        self._leave = on_leave

    def watch_value(self, value: str) -> None:
        """Hand the edit on, before the next frame is drawn."""
        self._on_edit(value)

    async def _on_key(self, event: events.Key) -> None:
        """Enter and down go to the rows, escape drops the filter."""
        if event.key in ("enter", "down", "escape"):
            event.stop()
            event.prevent_default()
            self._leave(event.key != "escape")
            return
        await super()._on_key(event)


class _Bar(Whole, Horizontal):
    """The line with the filter."""


class TableFoot(Whole, Vertical):
    """A line with the filter while there is one, and a line of words."""

    DEFAULT_CSS = """
    TableFoot { height: auto; }
    TableFoot > Horizontal { height: 1; }
    TableFoot FilterInput { width: 1fr; }
    TableFoot #filter-label { width: 8; }
    """

    def __init__(
        self, on_edit: Callable[[str], None], on_leave: Callable[[bool], None], *, id: str
    ) -> None:
        super().__init__(id=id)
        self._bar = _Bar()
        self._label = OneLine(id="filter-label")
        self.entry = FilterInput(on_edit, on_leave, id="table-filter")
        self.found = OneLine(id="filter-words")
        self.words = OneLine(id="table-words")
        self._bar.parts = self._label, self.entry, self.found
        self._bar.display = False
        self.parts = self._bar, self.words
        self._said: Sequence[tuple[str, str]] = ()

    def open(self) -> None:
        """Let a person type."""
        self._label.show(Text(" Filter ", style=palette_of(self).quiet))
        self._bar.display = True
        self.screen.set_focus(self.entry)  # at once: the next key may be typed already

    def close(self) -> None:
        """Take the filter away."""
        self.entry.value = ""
        self._bar.display = False

    @property
    def is_open(self) -> bool:
        """There is a filter, or a person types one."""
        return self._bar.display

    def show_found(self, words: str, count: int) -> None:
        """Say what the filter leaves of so many nodes; what is typed has all the other room."""
        self.found.styles.width = len(f" {count:,} of {count:,} nodes")
        self.found.show(Text(f" {words}", style=palette_of(self).quiet))

    def say(self, parts: Sequence[tuple[str, str]]) -> None:
        """Say these parts, each with the role of its colour; the last ones where there is room."""
        self._said = parts
        style = palette_of(self)
        text, room = Text(" "), self.size.width or 80
        for words, role in parts:
            gap = GAP if len(text) > 1 else ""
            if text.cell_len + len(gap) + cell_len(words) > room and len(text) > 1:
                break
            text.append(gap + words, style.role(role))
        self.words.show(text)

    def on_resize(self) -> None:
        """Say as much as there is room for."""
        self.say(self._said)
