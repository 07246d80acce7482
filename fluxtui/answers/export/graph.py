"""A resource graph cut to some nodes of the cluster (JSON Graph Format, as RFC 20 carries it)."""

from collections.abc import Iterator
from typing import Any

from fluxtui.model.cancellation import Stop, going_on, stop_if
from fluxtui.model.resources.graph import Graph
from fluxtui.model.resources.resource_set import NODE, Resources, node_indices

# Vertices that are looked at between two questions whether to go on.
_BLOCK = 4096


def cut(resources: Resources, mask: int, stop: Stop = going_on) -> dict[str, Any] | None:
    """The graph of just these nodes as a JGF object; None where there is none that has any of them.

    Left are the nodes of the mask, what contains them up to the root, all that they contain, and
    what supplies these in other subsystems, with the edges of every subsystem between what is left.
    What stands beside the nodes, such as the storage of a rack, is not theirs and goes. Vertices
    keep their ids and all that is said of them; where no node has a rank, the ones by which the
    nodes are counted are written down, as the others that they were counted with are gone.
    Containment is written as today's Fluxion does, in ``metadata.subsystem``.
    """
    graph = resources.graph
    if graph is None:
        return None
    kept, ranks = _kept(graph, resources, mask, stop)
    rows = [row for row, keep in enumerate(kept) if keep]
    if not rows:
        return None
    vertices = []
    for number, row in enumerate(rows):
        if not number % _BLOCK:
            stop_if(stop)
        data = dict(graph.data(row))
        if row in ranks:
            data["rank"] = ranks[row]
        vertices.append({"id": graph.ids[row], "metadata": data})
    stop_if(stop)
    return {"nodes": vertices, "edges": list(_edges(graph, rows, kept))}


def _kept(
    graph: Graph, resources: Resources, mask: int, stop: Stop
) -> tuple[bytearray, dict[int, int]]:
    """Which rows are left, and the ranks of nodes where the graph names none."""
    kept = bytearray(len(graph.types))
    bits = mask.to_bytes(resources.node_count // 8 + 1, "little")
    indices = node_indices(graph, resources, stop)
    chosen = [row for row, index in indices.items() if bits[index >> 3] >> (index & 7) & 1]
    ranks: dict[int, int] = {}
    if all(graph.ranks[row] < 0 for row in indices):
        ranks = {row: resources.rank(indices[row]) for row in chosen}
    for row in chosen:
        kept[row] = 1
    for number, row in enumerate(chosen):
        if not number % _BLOCK:
            stop_if(stop)
        _keep_below(graph, row, kept)
    # After what is below: what is kept already need not be whole.
    for row in chosen:
        _keep_above(graph, graph.parents[row], kept)
    _keep_suppliers(graph, kept)
    return kept, ranks


def _keep_below(graph: Graph, row: int, kept: bytearray) -> None:
    """Keep all that a vertex contains, but for nodes: each of them is in the mask or is not."""
    waiting = list(graph.children[row])
    while waiting:
        row = waiting.pop()
        if not kept[row] and graph.types[row] != NODE:
            kept[row] = 1
            waiting.extend(graph.children[row])


def _keep_above(graph: Graph, row: int, kept: bytearray) -> None:
    """Keep a vertex and all that contains it."""
    while row >= 0 and not kept[row]:
        kept[row] = 1
        row = graph.parents[row]


def _keep_suppliers(graph: Graph, kept: bytearray) -> None:
    """Keep what edges of other subsystems lead from, such as what supplies a node with power."""
    waiting = [row for row, keep in enumerate(kept) if keep]
    while waiting:
        for link in graph.links(waiting.pop()):
            if not link.outward and not kept[link.row] and not _in_node(graph, link.row):
                _keep_above(graph, link.row, kept)
                waiting.append(link.row)


def _in_node(graph: Graph, row: int) -> bool:
    """A vertex is a node, or stands in one."""
    while row >= 0 and graph.types[row] != NODE:
        row = graph.parents[row]
    return row >= 0


def _edges(graph: Graph, rows: list[int], kept: bytearray) -> Iterator[dict[str, Any]]:
    """The edges between what is left: containment, and after it those of other subsystems."""
    for row in rows:
        parent = graph.parents[row]
        if parent >= 0 and kept[parent]:
            yield _edge(graph, parent, row, {"subsystem": "containment"})
    for row in rows:
        for link in graph.links(row):
            if link.outward and kept[link.row]:
                named = {"name": {link.subsystem: link.name}} if link.name else {}
                yield _edge(graph, row, link.row, {"subsystem": link.subsystem, **named})


def _edge(graph: Graph, source: int, target: int, metadata: dict[str, Any]) -> dict[str, Any]:
    return {"source": graph.ids[source], "target": graph.ids[target], "metadata": metadata}
