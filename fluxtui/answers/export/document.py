"""Some nodes of a cluster as an R document of their own (RFC 20), with their part of the graph."""

from collections.abc import Iterator
from typing import Any

from fluxtui.model.cancellation import Stop, going_on, stop_if
from fluxtui.model.resources.graph import Graph
from fluxtui.model.resources.resource_set import NODE, NodeKind, Resources, node_indices
from fluxtui.notation.problem import Problem
from fluxtui.notation.sets import idset
from fluxtui.notation.sets.hosts import format as format_hosts
from fluxtui.notation.sets.idset import IdSet, from_mask

RULE = "RFC 20"

# Vertices that are looked at between two questions whether to go on.
_BLOCK = 4096


def subset(
    resources: Resources,
    mask: int,
    *,
    graph: bool = True,
    stop: Stop = going_on,
) -> dict[str, Any]:
    """The R document of just these nodes, in the form of RFC 20 in force today.

    Ranks stay as they are. Read again it gives each node what the whole document gives it: rank,
    host, cores, gpus, properties. Starttime and expiration are kept; a property that none of the
    nodes has is left out, an instance-local one is kept, which RFC 20 leaves open. ``nslots``
    counts the slots of a whole allocation and is kept only with all nodes. `notes` says what the
    document cannot have right.

    A resource graph is cut to these nodes, what contains and supplies them and what they contain,
    its writer kept with it; without graph it is left out, and ``scheduling`` with it.

    The work is linear in the ranges of ranks and hosts, and in the vertices of the graph: not for
    the event loop. stop is asked now and then whether the document is not wanted any more; then it
    raises `Stopped`.
    """
    mask &= resources.everything
    chosen = from_mask(mask)
    execution: dict[str, Any] = {
        "R_lite": _lite(resources, chosen, stop),
        "starttime": resources.starttime or 0.0,
        "expiration": resources.expiration or 0.0,
    }
    if resources.hosts:
        stop_if(stop)
        whole = mask == resources.everything
        hosts = format_hosts(resources.hosts if whole else resources.hosts.pick(chosen.ranges))
        execution["nodelist"] = [hosts] if hosts else []
    properties = _properties(resources, mask, stop)
    if properties:
        execution["properties"] = properties
    if resources.nslots is not None and mask == resources.everything:
        execution["nslots"] = resources.nslots
    document: dict[str, Any] = {"version": 1, "execution": execution}
    found = _cut_graph(resources, mask, stop) if graph else None
    if found is not None:
        writer = {} if resources.writer is None else {"writer": resources.writer}
        document["scheduling"] = {**writer, "graph": found}
    return document


def notes(
    resources: Resources, mask: int, document: dict[str, Any] | None = None
) -> tuple[Problem, ...]:
    """What the R document of these nodes does not have, as warnings.

    document is what `subset` made of the nodes, where the graph was wanted; without it nothing is
    said of the ``scheduling`` part.
    """
    found: list[str] = []
    mask &= resources.everything
    if resources.nslots is not None and mask != resources.everything:
        found.append("nslots is left out: it counts the slots of the whole allocation")
    named = (mask & ((1 << resources.hosts.count) - 1)).bit_count()
    if named < mask.bit_count():
        which = "names of these nodes are" if named else "host names are"
        found.append(f"{'some ' if named else ''}{which} not known, and RFC 20 asks for a nodelist")
    chosen = from_mask(mask)
    cored = (kind.indices for kind in resources.kinds if kind.cores)
    if sum(_common(indices, chosen).count for indices in cored) < chosen.count:
        found.append("some of these nodes have no core, which RFC 20 asks for")
    if document is not None and "scheduling" not in document:
        if resources.graph is not None:
            found.append("scheduling is left out: its graph has none of these nodes")
        elif resources.writer is not None:
            found.append("scheduling is left out: there is no graph in it that could be cut")
    return tuple(Problem(message, rule=RULE, severity="warning") for message in found)


def _lite(resources: Resources, chosen: IdSet, stop: Stop) -> list[dict[str, Any]]:
    """The entries of R_lite, one for each kind of node in the order of the document."""
    entries = []
    left = chosen.count
    for kind in resources.kinds:
        stop_if(stop)
        indices = _common(kind.indices, chosen)
        if indices:
            left -= indices.count
            entries.append(_entry(resources.ranks.pick(indices), kind))
    if left:  # nodes that the document gives neither cores nor gpus
        rest = chosen
        for kind in resources.kinds:
            rest = rest - kind.indices
        entries.append(_entry(resources.ranks.pick(rest), NodeKind(idset.EMPTY, idset.EMPTY, rest)))
    return entries


def _common(one: IdSet, other: IdSet) -> IdSet:
    """The ids in both; the set of fewer ranges is looked up in the other."""
    return one & other if len(one.starts) <= len(other.starts) else other & one


def _entry(ranks: IdSet, kind: NodeKind) -> dict[str, Any]:
    children = {"core": str(kind.cores)}
    if kind.gpus:
        children["gpu"] = str(kind.gpus)
    return {"rank": str(ranks), "children": children}


def _properties(resources: Resources, mask: int, stop: Stop) -> dict[str, str]:
    """The ranks of each property that some of the nodes have, in the order of the document."""
    found = {}
    for name, having in resources.properties.items():
        stop_if(stop)
        if having & mask:
            found[name] = str(resources.ranks_of(having & mask))
    return found


# The graph


def _cut_graph(resources: Resources, mask: int, stop: Stop) -> dict[str, Any] | None:
    """The graph of just these nodes as a JGF object; None where there is none that has any of them.

    Left are the nodes of the mask, what contains them up to the root, all that they contain, and
    what supplies these in other subsystems, with the edges of every subsystem between what is left.
    What is beside the nodes, such as the storage of a rack, is not theirs and is left out. Vertices
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
    """A vertex is a node, or is within one."""
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
