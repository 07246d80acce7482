"""Some nodes of a cluster as a document of their own: an R document (RFC 20), or a table."""

from typing import Any

from fluxtui.answers.export import graph as taking_graph
from fluxtui.answers.export.csv import csv_lines
from fluxtui.model.cancellation import Stop, Stopped, going_on, stop_if
from fluxtui.model.resources.resource_set import NodeKind, Resources
from fluxtui.notation.problem import Problem
from fluxtui.notation.sets import idset
from fluxtui.notation.sets.hosts import format as format_hosts
from fluxtui.notation.sets.idset import IdSet, from_mask

__all__ = ["Stopped", "csv_lines", "notes", "subset"]

RULE = "RFC 20"


def subset(
    resources: Resources,
    mask: int,
    *,
    graph: bool = True,
    stop: Stop = going_on,
) -> dict[str, Any]:
    """The R document of just these nodes, in the form of RFC 20 in force today.

    Ranks stay as they are. Read again it says of each node what the document it is taken from says:
    rank, host, cores, gpus, properties. Starttime and expiration are kept; a property that none of
    the nodes has goes, an instance-local one stays, as RFC 20 leaves that to who takes a subset.
    ``nslots`` counts the slots of a whole allocation and is kept only where that is taken whole.
    What cannot be had right is told by `notes`.

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
    found = taking_graph.cut(resources, mask, stop) if graph else None
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
