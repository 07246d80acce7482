"""The table and the graph of the cluster as panes, and what is done with them and the map alike."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from rich.text import Text

from fluxtui.ui.kit.pane import mount_whole
from fluxtui.ui.nodes.highlights import Highlights
from fluxtui.ui.nodes.map import MapPane
from fluxtui.ui.nodes.nodes_view import ClusterPane, Handlers, SelectableNodes
from fluxtui.workbench import Cluster, State

if TYPE_CHECKING:
    from fluxtui.answers.compare import Changes
    from fluxtui.ui.nodes.cluster_table import ClusterTable
    from fluxtui.ui.nodes.graph import ClusterGraph
    from fluxtui.ui.nodes.node_table import NodeTable


class TablePane(ClusterPane):
    """Lists the nodes, sorted, filtered and folded as a person asks."""

    def __init__(
        self, handlers: Handlers, on_columns: Callable[[tuple[str, ...]], None], *, id: str
    ) -> None:
        super().__init__(id=id)
        self._handlers, self._on_columns = handlers, on_columns

    @cached_property
    def listed(self) -> "ClusterTable":
        """The table with its foot, which is made right after the first frame."""
        from fluxtui.ui.nodes.cluster_table import ClusterTable

        listed = ClusterTable(self._handlers, id="table")
        listed.on_columns = self._on_columns
        mount_whole(self, listed)
        return listed

    @property
    def ready(self) -> bool:
        """Whether the table has been made."""
        return "listed" in self.__dict__

    @property
    def table(self) -> "NodeTable":
        """The rows of the table."""
        return self.listed.table

    @property
    def view(self) -> SelectableNodes:
        """The rows of the table."""
        return self.listed.table

    def _show_cluster(self, cluster: Cluster) -> None:
        self.listed.show_cluster(cluster)

    def _refresh_cluster(self, cluster: Cluster) -> None:
        self.listed.refresh_cluster(cluster)

    def _show_highlights(self, found: Highlights, state: State) -> None:
        super()._show_highlights(found, state)
        self.listed.show_match(found.good, state.ask)


class GraphPane(ClusterPane):
    """Shows what contains what."""

    def __init__(self, handlers: Handlers, *, id: str) -> None:
        super().__init__(id=id)
        self._handlers = handlers

    @cached_property
    def graph(self) -> "ClusterGraph":
        """The graph, which is made when it is first shown."""
        from fluxtui.ui.nodes.graph import ClusterGraph

        graph = ClusterGraph(self._handlers, self.say_keys, id="graph")
        mount_whole(self, graph)
        return graph

    @property
    def ready(self) -> bool:
        """Whether the graph has been made."""
        return "graph" in self.__dict__

    @property
    def view(self) -> SelectableNodes:
        """The rows of the graph."""
        return self.graph.view

    def _show_cluster(self, cluster: Cluster) -> None:
        self.graph.show_cluster(cluster)

    def _refresh_cluster(self, cluster: Cluster) -> None:
        self.graph.refresh_cluster(cluster)

    def _restyle(self) -> None:
        self.graph.restyle()

    def _words(self, room: int) -> Text:
        return self.graph.legend(room, keys=self.has_keys(self.view))


class ClusterViews:
    """The three panes together, for what is about the cluster in whichever of them is in sight.

    active gives the name of the pane that the zone shows.
    """

    def __init__(
        self, map: MapPane, table: TablePane, graph: GraphPane, active: Callable[[], str]
    ) -> None:
        self.map, self.table, self.graph = map, table, graph
        self.panes: dict[str, ClusterPane] = {"map": map, "table": table, "graph": graph}
        self._active = active

    @property
    def active(self) -> ClusterPane:
        """The one that the zone shows."""
        return self.panes[self._active()]

    @property
    def view(self) -> SelectableNodes:
        """The nodes in it."""
        return self.active.view

    @property
    def listed(self) -> int | None:
        """The nodes that it lists, as a mask; None where it lists all."""
        return self.view.listed if self.active.ready else None

    def show_notice(self, lines: tuple[str, ...] | None = None) -> None:
        """Show a notice in place of missing nodes; without one, say what to do."""
        for pane in self.panes.values():
            pane.show_notice(lines)

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
        yield
        if zoom is not None:
            drawn.zoom_to(zoom)
        for view, top in zip(views, tops, strict=True):
            now = None if top is None else where[top]
            if now is not None and now < count:
                view.keep_on_top(now)
