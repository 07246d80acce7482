"""A cluster in a node map: the order of its nodes, and what its cells and rows are called."""

import re
from collections.abc import Callable
from itertools import islice

from rich.cells import cell_len

from fluxtui.answers.listing.rows import Order, Section
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import printable
from fluxtui.ui.nodes.cells_view import Names
from fluxtui.ui.nodes.node_map import NodeMap
from fluxtui.workbench import Cluster

LABEL_LIMIT = 18
TITLE_LIMIT = 30
NUMBER_LIMIT = 8
SAMPLE = 256  # ranges or sections looked at to find how wide the names are

_LAST_NUMBER = re.compile(r"([0-9]+)[^0-9]*\Z")


def show_map(view: NodeMap, cluster: Cluster) -> None:
    """Show the nodes of a cluster in a map, by their ranks."""
    order = order_by_rank(cluster)
    view.show_nodes(order.count, order, names_in(cluster.resources, order, by_name=False))


def order_by_rank(cluster: Cluster) -> Order:
    """The nodes by rank, in stretches of hosts; what these are called is found when it is drawn."""
    stretches = (Section("", start, stop) for start, stop in cluster.stretches)
    return Order(range(cluster.resources.node_count), stretches)


def label_width(resources: Resources) -> int:
    """The columns that the names of the nodes take."""
    ranges = islice(resources.hosts.walk(), SAMPLE)
    return min(max((cell_len(printable(r.name(r.last))) for r in ranges), default=0), LABEL_LIMIT)


def names_in(resources: Resources, order: Order, *, by_name: bool) -> Names:
    """What stands beside the nodes of an order; by_name where its sections have telling names."""
    label = label_width(resources) or len(str(resources.ranks.last if resources.ranks else ""))
    number, number_width = _numbers(resources)
    title = label + number_width + len("[-]")
    if by_name:
        sections = islice(order.sections, SAMPLE)
        title = max((cell_len(printable(section.name)) for section in sections), default=0)
        label = max(label, min(title, LABEL_LIMIT))
        title = max(title, label)
    rows = _Rows(resources, order, by_name=by_name)
    widths = (label, number_width, min(title, TITLE_LIMIT))
    return Names(rows.row, number, rows.block, widths)


def _numbers(resources: Resources) -> tuple[Callable[[int], str], int]:
    """A short name for each node by index, and how wide it is; no columns where none is short.

    It is the number in the host's name where the hosts are numbered, else the rank.
    """
    widest = 0
    for names in islice(resources.hosts.walk(), SAMPLE):
        found = _LAST_NUMBER.search(names.name(names.last))
        if found is None:
            break
        widest = max(widest, len(found[1]))
    else:
        if widest and resources.hosts.count >= resources.node_count:
            return _number_of(resources), widest if widest <= NUMBER_LIMIT else 0
    width = len(str(resources.ranks.last)) if resources.node_count else 0
    return (lambda index: str(resources.rank(index))), width if width <= NUMBER_LIMIT else 0


def _number_of(resources: Resources) -> Callable[[int], str]:
    def number(index: int) -> str:
        host = resources.host(index)
        found = _LAST_NUMBER.search(host)
        return found[1] if found is not None else ""

    return number


class _Rows:
    """The names of rows and of blocks; those of blocks are found once."""

    def __init__(self, resources: Resources, order: Order, *, by_name: bool) -> None:
        self._resources = resources
        self._order = order
        self._by_name = by_name
        self._blocks: dict[tuple[int, int], str] = {}

    def row(self, place: int) -> tuple[str, bool]:
        """The section that begins at a place, where it has a name; else the node there."""
        if self._by_name:
            section = self._order.sections[self._order.section_at(place)]
            if section.start == place:
                return printable(section.name), True
        index = self._order.rows[place]
        return printable(self._resources.host(index)) or str(self._resources.rank(index)), False

    def block(self, start: int, stop: int) -> str:
        """The hosts of the places from start up to stop, or the name of that section."""
        if (start, stop) not in self._blocks:
            self._blocks[start, stop] = self._found(start, stop)
        return self._blocks[start, stop]

    def _found(self, start: int, stop: int) -> str:
        if self._order.is_by_rank:
            nodes = self._order.nodes(start, stop)
            hosts = self._resources.hosts_of(nodes, limit=1)
            return printable(hosts) or f"ranks {self._resources.ranks_text(nodes, limit=1)}"
        section = self._order.sections[self._order.section_at(start)]
        whole = (section.start, section.stop) == (start, stop)
        return printable(section.name) if whole and section.name else self.row(start)[0]
