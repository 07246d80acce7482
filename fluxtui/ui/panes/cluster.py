"""The cluster: its nodes as a map or as a table, with one cursor."""

from collections.abc import Callable
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult

from fluxtui.notation.source import printable
from fluxtui.ui.lights import Lit
from fluxtui.ui.panes.pane import Pane
from fluxtui.ui.widgets.cluster_map import show_map
from fluxtui.ui.widgets.cluster_table import show_table
from fluxtui.ui.widgets.node_map import NodeMap
from fluxtui.ui.widgets.node_table import NodeTable
from fluxtui.ui.widgets.nodes_in_hand import NodesInHand
from fluxtui.ui.wording import problem_words
from fluxtui.workbench import Cluster

FRAME = 2  # columns at the lower edge that its ends take


class ClusterPane(Pane):
    """Shows which nodes match, as a map or as a table; the keys and the mouse move one cursor."""

    title: ClassVar[str] = "Cluster"

    def __init__(
        self,
        on_move: Callable[[int], None],
        on_hover: Callable[[int | None], None],
        on_select: Callable[[int], None],
        *,
        id: str,
    ) -> None:
        super().__init__(id=id)
        self.map = NodeMap(on_move, on_hover, on_select, id="node-map")
        self.table = NodeTable(on_move, on_hover, on_select, id="node-table")
        self.table.display = False
        self._lit: Lit | None = None
        self._busy = ""

    def compose(self) -> ComposeResult:
        """Both views; one is shown."""
        yield self.map
        yield self.table

    def on_mount(self) -> None:
        """Show which view it is, and that there is another."""
        self._title()

    @property
    def view(self) -> NodesInHand:
        """The view that is shown."""
        return self.table if self.table.display else self.map

    def toggle(self) -> None:
        """Change between map and table, keeping the focus and the cursor."""
        focused = self.view.has_focus
        self.map.display = not self.map.display
        self.table.display = not self.map.display
        self._title()
        self.call_after_refresh(self.view.scroll_to_cursor)
        if focused:
            self.view.focus()

    def show_cluster(self, cluster: Cluster) -> None:
        """Show the nodes of another document."""
        self._lit = None
        self.show_notice(cluster)
        show_map(self.map, cluster)
        show_table(self.table, cluster)
        self.say_in_frame("")

    def show_notice(self, cluster: Cluster) -> None:
        """Say what to do where there is no node."""
        for view in (self.map, self.table):
            view.notice = _notice(cluster)
            view.refresh()

    def show_reading(self, name: str) -> None:
        """Say, where there is no node yet, that a document is on its way."""
        for view in (self.map, self.table):
            view.notice = (f"Reading {printable(name)} …", "", "esc stops.")
            view.refresh()

    def show_lit(self, lit: Lit) -> None:
        """Light up nodes, and say what the glyphs mean."""
        for view in (self.map, self.table):
            view.show_lights(lit.lights, lit.dark, lit.mask, lit.selected)
        self._lit = lit
        self._say_legend()

    def show_busy(self, words: str) -> None:
        """Say in place of the legend what is being done; blank for nothing any more."""
        self._busy = words
        self._say_legend()

    def on_resize(self) -> None:
        """Say as much of the legend as there is room for."""
        self._say_legend()

    def _say_legend(self) -> None:
        if self._busy:
            self.say_in_frame(self._busy)
        elif self._lit is not None:
            self.say_in_frame(_legend(self._lit, self.size.width - FRAME))

    def show_cursor(self, index: int | None) -> None:
        """Mark the selected node."""
        self.map.show_cursor(index)
        self.table.show_cursor(index)

    def _title(self) -> None:
        names = (
            f"[b]{name}[/b]" if on else f"[dim]{name}[/dim]"
            for name, on in (("Map", self.map.display), ("Table", self.table.display))
        )
        self.border_title = "Cluster  [@click=app.map_or_table]" + " │ ".join(names) + "[/]"


def _legend(lit: Lit, room: int) -> str:
    """What the glyphs mean, and after it as much of the rest as there is room for."""
    text = "  ".join(f"{glyph} {words}" for glyph, words in lit.legend)
    if not text:
        return ""
    gap = "   "
    for words in lit.more:
        if cell_len(text + gap + words) > room:
            break
        text += gap + words
        gap = "  "
    return text


def _notice(cluster: Cluster) -> tuple[str, ...]:
    """What a cluster without nodes says in their place."""
    problems = cluster.resources.problems
    if not problems:
        return (
            "No document is open: ctrl+o opens an R document,",
            "ctrl+p and demo the built-in one.",
        )
    shown = [f"  {problem_words(problem)}" for problem in problems[:8]]
    return ("No nodes were found in this document:", "", *shown, "", "ctrl+o opens another one.")
