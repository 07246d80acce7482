"""A cluster in a node map: its sections, and what its rows are called."""

from itertools import islice

from rich.cells import cell_len

from fluxtui.model.resources import Resources
from fluxtui.notation.source import printable
from fluxtui.ui.widgets.node_map import NodeMap, Section
from fluxtui.workbench import Cluster

LABEL_LIMIT = 18
SAMPLE = 256  # ranges looked at to find how wide the names are


def show_map(view: NodeMap, cluster: Cluster) -> None:
    """Show the nodes of a cluster in a map."""
    resources = cluster.resources
    count = resources.node_count
    stretches = cluster.stretches or ((0, count),) * bool(count)
    sections = tuple(Section(start, stop) for start, stop in stretches)
    width = label_width(resources)
    view.show_nodes(count, sections, lambda index: printable(resources.host(index)), width)


def label_width(resources: Resources) -> int:
    """The columns that the names of the nodes take."""
    ranges = islice(resources.hosts.walk(), SAMPLE)
    return min(max((cell_len(printable(r.name(r.last))) for r in ranges), default=0), LABEL_LIMIT)
