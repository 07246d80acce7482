"""What the map can be ordered and coloured by, and its nodes in such an order or colours."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from fluxtui.answers.listing.rows import Order, Section
from fluxtui.notation.problem import printable
from fluxtui.ui.nodes.highlights import (
    DOWN,
    MATCH,
    STATES,
    Highlight,
)
from fluxtui.workbench import Cluster

if TYPE_CHECKING:
    from fluxtui.answers.listing.orders import Shade

NONE = "·"
RAMP = "▂▃▄▅▆▇"  # the glyphs of values, from few to many

Kind = Literal[
    "rank", "host", "cores", "gpus", "memory", "inside", "property", "container", "match", "state"
]

#: The kinds that need no name, with the details shown when an order or colours are chosen.
ORDERS: Mapping[Kind, str] = {
    "rank": "",
    "host": "n2 before n10",
    "cores": "most first",
    "gpus": "most first",
    "memory": "most first",
    "inside": "most domains first",
}
COLOURS: Mapping[Kind, str] = {
    "match": "which nodes match",
    "cores": "how many a node has",
    "gpus": "how many a node has",
    "memory": "how much a node has",
    "inside": "the domains in a node, such as sockets",
    "state": "up or down; on a running Flux free, allocated, drained and so on",
}

_IS_IN: Mapping[Kind, Callable[[Cluster, str], bool]] = {
    "property": lambda cluster, name: name in cluster.resources.properties,
    "inside": lambda cluster, name: bool(cluster.resources.topologies),
    "memory": lambda cluster, name: bool(cluster.resources.planes("memory")),
    "state": lambda cluster, name: cluster.snapshot is not None or cluster.graph is not None,
    "container": lambda cluster, name: cluster.graph is not None,
}


class By(NamedTuple):
    """What nodes are ordered or coloured by; name is that of a property or a container's type."""

    kind: Kind
    name: str = ""

    @property
    def words(self) -> str:
        """Its name as shown to a user."""
        return printable(self.name) or self.kind

    def is_in(self, cluster: Cluster) -> bool:
        """Return whether a cluster has what this orders or colours by."""
        return self.kind not in _IS_IN or _IS_IN[self.kind](cluster, self.name)


RANK, MATCHING = By("rank"), By("match")


def order_by_rank(cluster: Cluster) -> Order:
    """Return the nodes by rank, in sections of like-named hosts; names are left to the drawing."""
    stretches = (Section("", start, stop) for start, stop in cluster.stretches)
    return Order(range(cluster.resources.node_count), stretches)


def ordered(cluster: Cluster, by: By) -> Order:
    """Return the nodes of a cluster in an order, prepared for use. Slow: not for the event loop."""
    from fluxtui.answers.listing import orders

    resources, graph = cluster.resources, cluster.graph
    match by.kind:
        case "host":
            order = orders.by_host(resources)
        case "cores" | "gpus" | "memory" as what:
            order = orders.by_value(resources, what, most_first=True)
        case "inside":
            order = orders.by_inside(resources)
        case "property":
            order = orders.by_property(resources, by.name)
        case "container" if graph is not None:
            order = orders.by_container(resources, graph, by.name)
        case _:
            order = order_by_rank(cluster)
    order.prepare()
    return order


def coloured(cluster: Cluster, by: By) -> tuple[Highlight, ...]:
    """Return the nodes of a cluster by their values: how each value looks and what it means.

    Empty when colouring by match, or if the document has no such values. Fast for the states of a
    running Flux; all others are not for the event loop.
    """
    from fluxtui.answers.listing import orders

    resources, snapshot = cluster.resources, cluster.snapshot
    shades: tuple[Shade, ...] = ()
    match by.kind:
        case "state" if snapshot is not None:
            by_state = snapshot.nodes.by_state
            return tuple(
                Highlight(by_state[state], glyph, role, f"{by_state[state].bit_count():,} {state}")
                for state, (glyph, role) in STATES.items()
                if by_state[state]
            )
        case "state":
            shades = orders.shades_by_state(resources, cluster.graph)
        case "cores" | "gpus" | "memory" as what:
            shades = orders.shades_by_value(resources, what)
        case "inside":
            shades = orders.shades_by_inside(resources)
        case "property":
            shades = orders.shades_by_property(resources, by.name)
    top = max((shade.level for shade in shades), default=0)
    alone = sum(shade.level > 0 for shade in shades) == 1
    return tuple(_look(shade, top, alone=alone) for shade in shades)


def _look(shade: "Shade", top: int, *, alone: bool) -> Highlight:
    """Return how a value looks: the higher its level, the taller its glyph and later its colour."""
    words = printable(shade.words)
    if shade.level <= 0:
        glyph, role = (DOWN, "problem") if shade.level else (NONE, "quiet")
        return Highlight(shade.mask, glyph, role, words)
    last = len(RAMP) - 1
    step = last if alone else (shade.level - 1) * last // (top - 1)
    return Highlight(shade.mask, MATCH if alone else RAMP[step], f"step{step}", words)
