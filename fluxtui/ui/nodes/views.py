"""The map, the table and the graph together, and actions on whichever of them is visible."""

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
    """The panes that show the nodes; active returns the name of the visible one."""

    def __init__(self, panes: Mapping[str, Pane], active: Callable[[], str]) -> None:
        self.map = cast("ClusterPane[ClusterMap]", panes["map"])
        self.table = cast("ClusterPane[ClusterTable]", panes["table"])
        self.graph = cast("ClusterPane[ClusterGraph]", panes["graph"])
        self.panes: dict[str, ClusterPane[Any]]
        self.panes = {"map": self.map, "table": self.table, "graph": self.graph}
        self._active = active

    @property
    def active(self) -> ClusterPane[Any]:
        """The visible pane."""
        return self.panes[self._active()]

    @property
    def view(self) -> SelectableNodes:
        """The widget with the nodes in the visible pane."""
        return self.active.view

    @property
    def listed(self) -> int | None:
        """The nodes that the visible pane lists, as a mask; None if it lists all."""
        return self.view.listed if self.active.ready else None

    def show_notice(self, lines: tuple[str, ...] | None = None) -> None:
        """Show a notice in place of missing nodes; by default what to do about it."""
        for pane in self.panes.values():
            pane.show_notice(lines)

    def show_busy(self, words: str) -> None:
        """Show what is going on in place of the legend; an empty text ends that."""
        for pane in self.panes.values():
            pane.show_busy(words)

    @contextmanager
    def keeping_place(self, before: Cluster, changes: "Changes", count: int) -> Iterator[None]:
        """Keep the zoom, the topmost node and the open rows while a document is read again.

        The with block shows the document again, which then has `count` nodes.
        """
        where, drawn = changes.inverse.where, self.map.part.view
        views = [pane.view for pane in (self.map, self.table) if pane.shows(before)]
        tops = [view.first_of(view.scroll_offset.y) for view in views]
        zoom = drawn.zoomed if drawn in views else None
        listed = self.table.part.view
        if listed in views:
            listed.keep_open(where, count)
        else:
            listed.opened = ()
        yield
        if zoom is not None:
            drawn.zoom_to(zoom)
        for view, top in zip(views, tops, strict=True):
            index = None if top is None else where[top]
            if index is not None and index < count:
                view.keep_on_top(index)
