"""Which node of the cluster each node of a resource graph is."""

from fluxtui.model.cancellation import Stop, going_on, stop_if
from fluxtui.model.resources.graph import Graph
from fluxtui.model.resources.resource_set import Resources

NODE = "node"

# Vertices that are looked at between two questions whether to go on.
_BLOCK = 4096


def node_indices(graph: Graph, resources: Resources, stop: Stop = going_on) -> dict[int, int]:
    """The index of the node that each vertex of type ``node`` stands for, by row, in their order.

    The rank tells, unless the host names say otherwise: an R document that was handed down to
    another instance has other ranks, but the graph in it still has those from before (RFC 20).
    Where no vertex has a rank they are counted. Left out are those that stand for no node; of two
    for one node the first counts.

    Takes a look at every vertex: not for the event loop. Raises Stopped where stop says so.
    """
    rows = [row for row, type_ in enumerate(graph.types) if type_ == NODE]
    ranked = any(graph.ranks[row] >= 0 for row in rows)
    found: dict[int, int] = {}
    taken: set[int] = set()
    unnamed: dict[int, int] = {}  # by rank alone: their host names are not those of the cluster
    for number, row in enumerate(rows):
        if not number % _BLOCK:
            stop_if(stop)
        rank = graph.ranks[row] if ranked else number
        index, is_named = _index(resources, rank, graph.names[row])
        if index is None or index in taken:
            continue
        if is_named:
            taken.add(index)
            found[row] = index
        else:
            unnamed[row] = index
    for row, index in unnamed.items():
        if index not in taken:
            taken.add(index)
            found[row] = index
    return dict(sorted(found.items())) if unnamed else found


def _index(resources: Resources, rank: int, host: str) -> tuple[int | None, bool]:
    """The node of the cluster that a vertex may stand for, and whether nothing speaks against it.

    That is by its rank where the node has that host name, or none; else by its host name.
    """
    index = resources.index_of_rank(rank) if rank >= 0 else None
    if index is not None and resources.host(index) in ("", host):
        return index, True
    places = resources.host_index.places(host)
    if len(places) == 1 and places[0][0] == places[0][1] < resources.node_count:
        return places[0][0], True
    return index, False
