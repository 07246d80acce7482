"""The map, the table and the graph together: what is done with whichever of them is in sight."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.nodes.cluster import ClusterPane
from fluxtui.ui.nodes.map import ClusterMap
from fluxtui.ui.nodes.nodes_view import SelectableNodes
from fluxtui.workbench import Cluster

if TYPE_CHECKING:
    from fluxtui.answers.compare import Changes
    from fluxtui.ui.nodes.cluster_table import ClusterTable
    from fluxtui.ui.nodes.graph import ClusterGraph


class ClusterViews:
    """Those of the panes that show the nodes; active gives the name of the one that is in sight."""

    def __init__(self, panes: Mapping[str, Pane], active: Callable[[], str]) -> None:
        self.map = cast("ClusterPane[ClusterMap]", panes["map"])
        self.table = cast("ClusterPane[ClusterTable]", panes["table"])
        self.graph = cast("ClusterPane[ClusterGraph]", panes["graph"])
        self.panes: dict[str, ClusterPane[Any]]
        self.panes = {"map": self.map, "table": self.table, "graph": self.graph}
        self._active = active

    @property
    def active(self) -> ClusterPane[Any]:
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
        where, drawn = changes.inverse.where, self.map.part.view
        views = [pane.view for pane in (self.map, self.table) if pane.shows(before)]
        tops = [view.first_of(view.scroll_offset.y) for view in views]
        zoom = drawn.zoomed if drawn in views else None
        yield
        if zoom is not None:
            drawn.zoom_to(zoom)
        for view, top in zip(views, tops, strict=True):
            now = None if top is None else where[top]
            if now is not None and now < count:
                view.keep_on_top(now)
