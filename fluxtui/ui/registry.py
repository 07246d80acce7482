"""The registry of panes: name, place on the screen, how to build each, and what it shows.

To add a pane, write a file with its class, add a row here, and add its styles. The first pane of
each group of tabs is in the first frame; the files of the others are imported after it.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from fluxtui.ui.core import Row, Workbench
from fluxtui.ui.job.queues import QueuesPane
from fluxtui.ui.job.tree import TreePane
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.layout import Tab
from fluxtui.ui.nodes.cluster import ClusterPane
from fluxtui.ui.nodes.map import ClusterMap
from fluxtui.ui.nodes.node import NodePane
from fluxtui.ui.nodes.nodes_view import Handlers

if TYPE_CHECKING:
    from fluxtui.ui.nodes.cluster_table import ClusterTable
    from fluxtui.ui.nodes.graph import ClusterGraph

# The parts of the state that the views of the nodes depend on.
_NODES = ("cluster", "ask", "outlook", "looked_at", "selected", "kept", "compared", "cursor")


def _form(app: Workbench) -> Pane:
    from fluxtui.ui.job.form import FormPane

    return FormPane(lambda: app.ask_bar.names, id="pane-form")


def _text(app: Workbench) -> Pane:
    from fluxtui.ui.job.text import TextPane

    return TextPane(id="pane-text")


def _commands(app: Workbench) -> Pane:
    from fluxtui.ui.job.text import CommandsPane

    return CommandsPane(id="pane-commands")


def _jobs(app: Workbench) -> Pane:
    from fluxtui.ui.live.jobs import JobsPane

    return JobsPane(id="pane-jobs")


def _explain(app: Workbench) -> Pane:
    from fluxtui.ui.constraint.explain import ExplainPane

    return ExplainPane(app.explanations, app.ask_bar.entry, id="pane-explain")


def _properties(app: Workbench) -> Pane:
    from fluxtui.ui.constraint.properties import PropertiesPane

    return PropertiesPane(id="pane-properties")


def _fit(app: Workbench) -> Pane:
    from fluxtui.ui.job.fit import FitPane

    return FitPane(id="pane-fit")


def _table(handlers: Handlers, say_keys: Callable[[], None]) -> "ClusterTable":
    from fluxtui.ui.nodes.cluster_table import ClusterTable

    return ClusterTable(handlers, say_keys)


def _graph(handlers: Handlers, say_keys: Callable[[], None]) -> "ClusterGraph":
    from fluxtui.ui.nodes.graph import ClusterGraph

    return ClusterGraph(handlers, say_keys)


ROWS = (
    Row(
        Tab("tree", "Tree", "job"),
        lambda app: TreePane(id="pane-tree"),
        ("build", "outlook"),
        ("shape",),
    ),
    Row(
        Tab("form", "Form", "job", "4", least=62, typed=True),
        _form,
        ("build", "outlook", "ask", "job", "cluster"),
        ("shape",),
    ),
    Row(
        Tab("text", "YAML", "job"),
        _text,
        ("build", "outlook", "ask", "job"),
        ("shape",),
    ),
    Row(
        Tab("commands", "flux", "job"),
        _commands,
        ("build", "ask", "job", "submission"),
        ("shape",),
    ),
    Row(
        Tab("jobs", "Jobs", "job"),
        _jobs,
        ("cluster", "selected"),
        (),
    ),
    Row(
        Tab("map", "Map", "cluster"),
        lambda app: ClusterPane(ClusterMap, app.handlers, at_once=True, id="pane-map"),
        _NODES,
        ("requires",),
    ),
    Row(
        Tab("table", "Table", "cluster", "5"),
        lambda app: ClusterPane(_table, app.handlers, id="pane-table"),
        _NODES,
        ("requires",),
    ),
    Row(
        Tab("graph", "Graph", "cluster"),
        lambda app: ClusterPane(_graph, app.handlers, id="pane-graph"),
        _NODES,
        ("requires",),
    ),
    Row(
        Tab("node", "Node", "upper"),
        lambda app: NodePane(app.explanations.explain, app.seen, id="pane-node"),
        ("ask", "cluster", "cursor", "compared", "hover", "outlook"),
        ("requires",),
    ),
    Row(
        Tab("explain", "Explain", "upper", "6"),
        _explain,
        ("ask", "cluster", "outlook", "cursor", "selected", "hover"),
        ("requires",),
    ),
    Row(
        Tab("properties", "Properties", "upper", "7"),
        _properties,
        ("ask", "cluster", "selected"),
        ("requires",),
    ),
    Row(
        Tab("queues", "Queues", "lower", "8"),
        lambda app: QueuesPane(id="pane-queues"),
        ("ask", "cluster", "build", "outlook"),
        ("shape", "requires"),
    ),
    Row(
        Tab("fit", "Fit", "lower", "9"),
        _fit,
        ("build", "outlook", "ask"),
        ("shape", "requires"),
    ),
)
