"""The panes of the cluster: its nodes as a map or a table, and what contains them as a graph.

They share one cursor, one selection and one set of highlights.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.text import Text

from fluxtui.ui.nodes.cluster_pane import ClusterPane
from fluxtui.ui.nodes.highlights import Highlights
from fluxtui.ui.nodes.map import MapPane
from fluxtui.ui.nodes.nodes_view import Handlers, SelectableNodes
from fluxtui.workbench import Cluster, State

if TYPE_CHECKING:
    from fluxtui.answers.compare import Changes
    from fluxtui.ui.nodes.cluster_table import ClusterTable
    from fluxtui.ui.nodes.graph import ClusterGraph
    from fluxtui.ui.nodes.node_table import NodeTable


class TablePane(ClusterPane):
    """Lists the nodes, sorted, filtered and folded as a person asks."""

    def __init__(
        self,
        handlers: Handlers,
        on_columns: Callable[[tuple[str, ...]], None],
        *,
        id: str,
    ) -> None:
        super().__init__(id=id)
        self._handlers = handlers
        self._on_columns = on_columns
        self._listed: ClusterTable | None = None

    @property
    def ready(self) -> bool:
        """Whether the table has been made, which happens right after the first frame."""
        return self._listed is not None

    @property
    def listed(self) -> "ClusterTable":
        """The table with its foot."""
        return self._listed or self.make()

    @property
    def table(self) -> "NodeTable":
        """The rows of the table."""
        return self.listed.table

    @property
    def view(self) -> SelectableNodes:
        """The rows of the table."""
        return self.listed.table

    def make(self) -> "ClusterTable":
        """Make the table, unless it is there."""
        if self._listed is None:
            from fluxtui.ui.kit.pane import mount_whole
            from fluxtui.ui.nodes.cluster_table import ClusterTable

            self._listed = ClusterTable(self._handlers, id="table")
            self._listed.on_columns = self._on_columns
            mount_whole(self, self._listed)
        return self._listed

    def show(self, state: State) -> None:
        """Show what changed."""
        self.make()
        super().show(state)

    def _show_cluster(self, cluster: Cluster) -> None:
        self.listed.show_cluster(cluster)

    def _show_highlights(self, found: Highlights, state: State) -> None:
        super()._show_highlights(found, state)
        self.listed.show_match(found.good, state.ask)


class GraphPane(ClusterPane):
    """Shows what contains what."""

    def __init__(self, handlers: Handlers, *, id: str) -> None:
        super().__init__(id=id)
        self._handlers = handlers
        self.graph: ClusterGraph | None = None

    @property
    def ready(self) -> bool:
        """Whether the graph has been made, which happens when it is first shown."""
        return self.graph is not None

    @property
    def view(self) -> SelectableNodes:
        """The rows of the graph."""
        return self._made().view

    def _made(self) -> "ClusterGraph":
        if self.graph is None:
            from fluxtui.ui.kit.pane import mount_whole
            from fluxtui.ui.nodes.graph import ClusterGraph

            self.graph = ClusterGraph(self._handlers, self.say_keys, id="graph")
            mount_whole(self, self.graph)
        return self.graph

    def show(self, state: State) -> None:
        """Show what changed, and go to the node with the cursor."""
        graph = self._made()
        super().show(state)
        graph.follow()

    def _show_cluster(self, cluster: Cluster) -> None:
        self._made().show_cluster(cluster)

    def _restyle(self) -> None:
        self._made().restyle()

    def _show_cursor(self, index: int | None) -> None:
        self._made().show_cursor(index)

    def _words(self, room: int) -> Text:
        return self._made().legend(room, keys=self.has_keys(self.view))


class ClusterViews:
    """The three panes together, for what is about the cluster in whichever of them is in sight.

    active gives the name of the pane that the zone shows.
    """

    def __init__(
        self, map: MapPane, table: TablePane, graph: GraphPane, active: Callable[[], str]
    ) -> None:
        self.map, self.table, self.graph = map, table, graph
        self._active = active

    @property
    def panes(self) -> dict[str, ClusterPane]:
        """The panes by their names."""
        return {"map": self.map, "table": self.table, "graph": self.graph}

    @property
    def active(self) -> ClusterPane:
        """The one that the zone shows."""
        return self.panes[self._active()]

    @property
    def view(self) -> SelectableNodes:
        """The nodes in it."""
        return self.active.view

    def show_notice(self, lines: tuple[str, ...] | None = None) -> None:
        """Show a notice in place of missing nodes; without one, say what to do."""
        for pane in self.panes.values():
            pane.show_notice(lines if lines is not None else pane.usual_notice)

    def show_busy(self, words: str) -> None:
        """Show what is being done in place of the legend; blank ends that."""
        for pane in self.panes.values():
            pane.show_busy(words)

    @contextmanager
    def keeping_place(self, before: Cluster, changes: "Changes", count: int) -> Iterator[None]:
        """Show a document, which is read again meanwhile, as it was: the node on top, the zoom.

        count is how many nodes it has then.
        """
        where, drawn = changes.back.where, self.map.view
        views = [pane.view for pane in (self.map, self.table) if pane.shows(before)]
        tops = [view.first_of(view.scroll_offset.y) for view in views]
        zoom = None if drawn.is_fitted or drawn not in views else drawn.zoom
        self.table.listed.keep_filter()
        yield
        if zoom is not None:
            drawn.zoom_to(zoom)
        for view, top in zip(views, tops, strict=True):
            now = None if top is None else where[top]
            if now is not None and now < count:
                view.keep_on_top(now)
