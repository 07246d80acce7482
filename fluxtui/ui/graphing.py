"""The workbench with the views of the cluster by name, and the graph's keys in the palette."""

from collections.abc import Iterable
from functools import partial

from textual.app import SystemCommand

from fluxtui.ui.core import Workbench

VIEWS = ("map", "table", "graph")


def warm_up() -> None:
    """Load what the graph is drawn with, so that the first look at it need not wait for that."""
    import fluxtui.ui.widgets.cluster_graph  # noqa: F401


class Graphing(Workbench):
    """Goes to a view of the cluster, and does by name what the keys do in the graph."""

    def action_cluster_view(self, name: str) -> None:
        """Put the cluster in sight, as a map, a table or a graph."""
        self.cluster_pane.show_view(name)
        self.bring("cluster")

    def graph_commands(self) -> Iterable[SystemCommand]:
        """The views of the cluster, and what can be done in the graph, for the palette."""
        from fluxtui.ui.graph_keys import GRAPH_KEYS

        for name in VIEWS:
            show = partial(self.action_cluster_view, name)
            yield SystemCommand(f"Cluster: {name.title()}", f"Show the cluster as a {name}", show)
        for key in GRAPH_KEYS:
            if key.action:
                run = partial(self._in_graph, key.action)
                help_text = f"In the graph of the cluster: {key.help}"
                yield SystemCommand(f"Graph: {key.label}  ({key.shown})", help_text, run)

    def _in_graph(self, action: str) -> None:
        """Show the graph, and do something in it."""
        self.action_cluster_view("graph")
        tree = self.cluster_pane.view
        self.call_after_refresh(getattr(tree, f"action_{action}"))
