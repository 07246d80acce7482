"""The properties of the document: how many nodes have each, and how many of those match."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.app import ComposeResult

from fluxtui.notation.source import printable
from fluxtui.ui.panes.pane import Pane
from fluxtui.ui.widgets.bar import bar
from fluxtui.ui.widgets.drawing import columns_for
from fluxtui.ui.widgets.lines import MadeLines
from fluxtui.ui.widgets.rows import RowsView
from fluxtui.workbench import State

BAR_LIMIT = 12
NAME_LIMIT = 24


class PropertiesPane(Pane):
    """Lists the properties; choosing one adds it to the constraint."""

    title: ClassVar[str] = "Properties"

    def __init__(self, on_choose: Callable[[str], None], *, id: str) -> None:
        super().__init__(id=id)
        self._on_choose = on_choose
        self._names: tuple[str, ...] = ()
        self._state: State | None = None
        self.view = RowsView(self._choose, id="properties")

    def compose(self) -> ComposeResult:
        """The list alone."""
        yield self.view

    def _choose(self, row: int) -> None:
        if row < len(self._names):  # not where the rows are a hint
            self._on_choose(self._names[row])

    def on_resize(self) -> None:
        """Find the widths of the columns again."""
        if self._state is not None:
            self.show(self._state)

    def show(self, state: State) -> None:
        """Show the properties of the open document, counted within the match."""
        self._state = state
        resources, ask = state.cluster.resources, state.ask
        self._names = tuple(resources.properties)
        view = self.view
        asked = ask.constraint is not None
        self.say_in_frame("all nodes, matching" if asked else "")
        if not self._names:
            view.show_lines(self.hint("No properties here."))
            return
        shown = [printable(name) for name in self._names]
        room = columns_for(view, len(shown)) or 40
        columns = _Columns.fit(shown, resources.node_count, asked, room)
        masks = tuple(resources.properties.values())

        def line(row: int) -> Text:
            mask = masks[row]
            matching = (mask & ask.mask).bit_count()
            return self._line(shown[row], mask.bit_count(), matching, asked, columns)

        view.show_lines(MadeLines(len(masks), line))

    def _line(self, name: str, count: int, matching: int, asked: bool, columns: "_Columns") -> Text:
        style = self.style
        look = style.plain if matching or not asked else style.faint
        line = self.line(
            (set_cell_size(name, columns.name), look),
            (f"  {count:>{columns.digits},} ", style.quiet),
        )
        lit, rest = bar(matching if asked else count, count, columns.nodes, columns.bar)
        line.append(lit, style=style.match if asked else style.quiet)
        line.append(rest, style=style.faint)
        if asked:
            line.append(f" {matching:>{columns.digits},}", style=style.match if matching else look)
        return line


@dataclass(frozen=True, slots=True)
class _Columns:
    """How wide the parts of a line are; the bar takes what is left, up to its limit."""

    name: int
    digits: int
    bar: int
    nodes: int

    @classmethod
    def fit(cls, names: list[str], nodes: int, asked: bool, room: int) -> "_Columns":
        digits = len(f"{nodes:,}")
        numbers = digits + 3 + (digits + 1 if asked else 0)
        widest = min(max(cell_len(name) for name in names), NAME_LIMIT)
        name = max(min(widest, room - numbers), 6)
        return cls(name, digits, max(min(room - numbers - name, BAR_LIMIT), 0), nodes)
