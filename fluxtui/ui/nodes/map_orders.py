"""What the map may be ordered and coloured by, and its nodes in such an order."""

from typing import Literal, NamedTuple

from fluxtui.answers.listing.rows import Order, Section
from fluxtui.notation.problem import printable
from fluxtui.workbench import Cluster

Kind = Literal[
    "rank", "host", "cores", "gpus", "memory", "inside", "property", "container", "match", "state"
]


class By(NamedTuple):
    """What the nodes are ordered or coloured by; name is that of the property or the type."""

    kind: Kind
    name: str = ""

    @property
    def words(self) -> str:
        """Its name in a word."""
        return printable(self.name) or self.kind

    def is_in(self, cluster: Cluster) -> bool:
        """Whether a document has it."""
        if self.kind == "property":
            return self.name in cluster.resources.properties
        if self.kind == "inside":
            return bool(cluster.resources.topologies)
        if self.kind == "memory":
            return bool(cluster.resources.planes("memory"))
        if self.kind == "state" and cluster.snapshot is not None:
            return True
        return self.kind not in ("container", "state") or cluster.graph is not None


RANK, MATCHING = By("rank"), By("match")


def order_by_rank(cluster: Cluster) -> Order:
    """The nodes by rank, in stretches of hosts; what these are called is found when it is drawn."""
    stretches = (Section("", start, stop) for start, stop in cluster.stretches)
    return Order(range(cluster.resources.node_count), stretches)


def ordered(cluster: Cluster, by: By) -> Order:
    """The nodes of a cluster in an order, ready for use. Takes its time: in the background."""
    from fluxtui.answers.listing import orders

    resources, graph = cluster.resources, cluster.graph
    if by.kind == "host":
        order = orders.by_host(resources)
    elif by.kind == "cores" or by.kind == "gpus" or by.kind == "memory":
        order = orders.by_value(resources, by.kind, most_first=True)
    elif by.kind == "inside":
        order = orders.by_inside(resources)
    elif by.kind == "property":
        order = orders.by_property(resources, by.name)
    elif by.kind == "container" and graph is not None:
        order = orders.by_container(resources, graph, by.name)
    else:
        order = order_by_rank(cluster)
    order.prepare()
    return order
