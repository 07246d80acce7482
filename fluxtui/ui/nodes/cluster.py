"""The cluster: its nodes as a map or a table, and what contains them, with one cursor."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult

from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.wording import problem_words
from fluxtui.ui.nodes.highlights import KeyHint, Lit
from fluxtui.ui.nodes.map import MapView
from fluxtui.ui.nodes.map_colours import words_of
from fluxtui.ui.nodes.nodes_view import Handlers, SelectableNodes
from fluxtui.workbench import Ask, Cluster

if TYPE_CHECKING:
    from fluxtui.ui.nodes.cluster_table import ClusterTable
    from fluxtui.ui.nodes.graph import ClusterGraph
    from fluxtui.ui.nodes.node_table import NodeTable

VIEWS = {"map": "Map", "table": "Table", "graph": "Graph"}
FRAME = 2  # columns at the lower edge that its ends take


class ClusterPane(Pane):
    """Shows which nodes match, as a map or as a table; the keys and the mouse move one cursor."""

    title: ClassVar[str] = "Cluster"

    def __init__(self, handlers: Handlers, *, id: str) -> None:
        super().__init__(id=id)
        self.mapped = MapView(handlers, self._say_legend, id="map")
        self.map = self.mapped.map
        self._listed: ClusterTable | None = None  # made right after the first frame
        self.graph: ClusterGraph | None = None  # made when one first looks at it
        self.on_columns: Callable[[tuple[str, ...]], None] = lambda names: None
        self._handlers = handlers
        self._cluster: Cluster | None = None
        self._lit: Lit | None = None
        self._ask: Ask | None = None
        self._busy = ""

    def compose(self) -> ComposeResult:
        """The map; the other views come when they are made."""
        yield self.mapped

    def on_mount(self) -> None:
        """Show which view it is, and that there is another."""
        self._title()

    @property
    def view(self) -> SelectableNodes:
        """The view that is shown."""
        if self.graph is not None and self.graph.display:
            return self.graph.view
        return self.table if self._lists else self.map

    @property
    def view_name(self) -> str:
        """The name of the view that is shown."""
        if self.graph is not None and self.graph.display:
            return "graph"
        return "table" if self._lists else "map"

    @property
    def _lists(self) -> bool:
        return self._listed is not None and self._listed.display

    async def do(self, what: str, *by: str | int) -> None:
        """Do what a key of the view that is shown does, by the name of its action."""
        if self._cluster is None or not self._cluster.resources.node_count:
            return
        whole = {"map": self.mapped, "table": self._listed, "graph": self.graph}[self.view_name]
        name = f"action_{what}"
        done = getattr(whole if hasattr(whole, name) else self.view, name)(*by)
        if done is not None:
            await done

    def toggle(self) -> None:
        """Go on from map to table to graph, keeping the focus and the cursor."""
        names = list(VIEWS)
        self.show_view(names[(names.index(self.view_name) + 1) % len(names)])

    def show_view(self, name: str) -> None:
        """Show a view by its name, keeping the focus and the cursor."""
        # Not has_focus, which is told a little after the focus has come. A filter, what is looked
        # for and where to go are typed below the view, and go out of sight with it.
        focus = self.screen.focused
        focused = focus is not None and self in focus.ancestors
        if name == "graph":
            self._make_graph()
        if name != "map":
            self.mapped.end_questions()
        self.map.display = self.mapped.display = name == "map"
        if name == "table" or self._listed is not None:
            self.table.display = self.listed.display = name == "table"
        if self._lists:
            self.listed.come_into_sight()
        if self.graph is not None:
            self.graph.display = name == "graph"
            self.graph.follow()
        self._title()
        self._say_legend()
        self.call_after_refresh(self.view.keep_in_view)
        if focused:
            self.screen.set_focus(self.view)
            # One that was made just now had the focus before the frame could follow it.
            self.call_after_refresh(self.update_node_styles)

    @property
    def listed(self) -> "ClusterTable":
        """The table with its foot."""
        return self._listed or self.make_table()

    @property
    def table(self) -> "NodeTable":
        """The rows of the table."""
        return self.listed.table

    def make_table(self) -> "ClusterTable":
        """Make the table, out of sight, unless it is there."""
        if self._listed is None:
            from fluxtui.ui.kit.whole import mount_whole
            from fluxtui.ui.nodes.cluster_table import ClusterTable

            self._listed = listed = ClusterTable(self._handlers, id="table")
            listed.on_columns = self.on_columns
            listed.table.display = listed.display = False
            listed.table.notice = self.map.notice
            mount_whole(self, listed, after=self.mapped)
            if self._cluster is not None:
                listed.show_cluster(self._cluster)
            if self._lit is not None and self._ask is not None:
                _light(listed.table, self._lit)
                listed.show_match(self._lit.good, self._ask)
            listed.table.show_cursor(self.map.cursor)
        return self._listed

    def _make_graph(self) -> None:
        if self.graph is None:
            from fluxtui.ui.kit.whole import mount_whole
            from fluxtui.ui.nodes.graph import ClusterGraph

            self.graph = ClusterGraph(self._handlers, self._say_legend, id="graph")
            mount_whole(self, self.graph)
            if self._cluster is not None:
                self.graph.show_cluster(self._cluster)
            if self._lit is not None:
                _light(self.graph.view, self._lit)
            self.graph.view.notice = self.map.notice
            self.graph.show_cursor(self.map.cursor)

    @property
    def _views(self) -> list[SelectableNodes]:
        views: list[SelectableNodes] = [self.map]
        if self._listed is not None:
            views.append(self._listed.table)
        return views if self.graph is None else [*views, self.graph.view]

    def show_cluster(self, cluster: Cluster) -> None:
        """Show the nodes of another document."""
        self._lit, self._cluster = None, cluster
        self.show_notice(cluster)
        self.mapped.show_cluster(cluster)
        if self._listed is not None:
            self._listed.show_cluster(cluster)
        if self.graph is not None:
            self.graph.show_cluster(cluster)
        self.say_in_frame("")

    def show_notice(self, cluster: Cluster) -> None:
        """Say what to do where there is no node."""
        for view in self._views:
            view.notice = _notice(cluster)
            view.refresh()

    def show_reading(self, lines: tuple[str, ...]) -> None:
        """Say, where there is no node yet, that a document is on its way and how far it is."""
        for view in self._views:
            if view.notice != lines:
                view.notice = lines
                view.refresh()

    def show_lit(self, lit: Lit, ask: Ask) -> None:
        """Highlight the nodes of a constraint, and say what the glyphs mean."""
        self._lit, self._ask = lit, ask
        self.mapped.show_lit(lit)
        for view in self._views[1:]:
            _light(view, lit)
        if self._listed is not None:
            self._listed.show_match(lit.good, ask)
        self._say_legend()

    def show_busy(self, words: str) -> None:
        """Say in place of the legend what is being done; blank for nothing any more."""
        self._busy = words
        self._say_legend()

    def on_resize(self) -> None:
        """Say as much of the legend as there is room for."""
        self._say_legend()

    def say_keys(self) -> None:
        """Name the keys of the view beside the legend, while it has the focus."""
        self._say_legend()

    def _say_legend(self) -> None:
        if self._busy or self._cluster is None or not self._cluster.resources.node_count:
            self.say_in_frame(self._busy)  # without nodes no key does anything
        elif self.view_name == "graph" and self.graph is not None:
            self.say_in_frame(
                self.graph.words(self.size.width - FRAME, keys=self.has_keys(self.view))
            )
        elif self._lit is not None:
            marks, more = words_of(self._lit, self.mapped.shown)
            if self.view_name != "map":
                marks, more = self._lit.legend, self._lit.more
            if not self.has_keys(self.view):
                more = [words for words in more if not isinstance(words, KeyHint)]
            self.say_in_frame(_legend(marks, more, self.size.width - FRAME))

    def show_cursor(self, index: int | None) -> None:
        """Mark the selected node."""
        self.map.show_cursor(index)
        if self._listed is not None:
            self._listed.table.show_cursor(index)
        if self.graph is not None:
            self.graph.show_cursor(index)

    def _title(self) -> None:
        here = self.view_name
        names = (
            f"[@click=app.cluster_view('{name}')]"
            + (f"[b]{title}[/b]" if name == here else f"[dim]{title}[/dim]")
            + "[/]"
            for name, title in VIEWS.items()
        )
        self.border_title = "Cluster  " + " │ ".join(names)


def _light(view: SelectableNodes, lit: Lit) -> None:
    view.show_lights(lit.lights, lit.dark, lit.mask, lit.selected)


def _legend(marks: Sequence[tuple[str, str]], more: Sequence[str], room: int) -> str:
    """What the glyphs mean, and after it as much of the rest as there is room for."""
    text = "  ".join(f"{glyph} {words}" for glyph, words in marks)
    gap = "   " if text else ""
    for words in more:
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
