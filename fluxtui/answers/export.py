"""Exports some nodes of a cluster as an R document (RFC 20), or as a CSV table (RFC 4180)."""

import csv
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import compress
from types import SimpleNamespace
from typing import Any

from fluxtui.model.cancellation import Stop, never_stop, stop_if, unless_stopped
from fluxtui.model.resources import topology
from fluxtui.model.resources.graph import NODE, Graph
from fluxtui.model.resources.resource_set import Resources, node_indices
from fluxtui.notation.problem import Problem, printable
from fluxtui.notation.sets.bits import window
from fluxtui.notation.sets.hostlist import format as format_hosts
from fluxtui.notation.sets.idset import IdSet, from_mask

RULE = "RFC 20"

#: The columns of each node, without its properties.
COLUMNS = ("rank", "host", "cores", "gpus", "core_ids", "gpu_ids")

# Separates the properties of a node; RFC 20 does not allow it in names.
BETWEEN = "|"

# How many nodes to process between two checks for cancellation.
_BLOCK = 8192


def subset(
    resources: Resources, mask: int, *, graph: bool = True, stop: Stop = never_stop
) -> dict[str, Any]:
    """Return the R document of only these nodes, in the current form of RFC 20.

    Read again, each node has the same rank and resources as in the whole document. A property that
    none of the nodes has is left out; ``nslots`` counts the slots of a whole allocation and is kept
    only with all nodes. `notes` reports what the document cannot represent. A resource graph and
    topologies (RFC 49) are cut to these nodes; without graph, ``scheduling`` is left out. Raises
    `Stopped` if stop says so.
    """
    mask &= resources.everything
    is_whole = mask == resources.everything
    chosen = from_mask(mask)
    execution: dict[str, Any] = {
        "R_lite": _lite(resources, chosen, stop),
        "starttime": resources.starttime or 0.0,
        "expiration": resources.expiration or 0.0,
    }
    if resources.hosts:
        stop_if(stop)
        hosts = format_hosts(resources.hosts if is_whole else resources.hosts.pick(chosen.ranges))
        execution["nodelist"] = [hosts] if hosts else []
    properties = {}
    for name, having in resources.properties.items():
        stop_if(stop)
        if having & mask:
            properties[name] = str(resources.ranks_of(having & mask))
    if properties:
        execution["properties"] = properties
    if resources.nslots is not None and is_whole:
        execution["nslots"] = resources.nslots
    document: dict[str, Any] = {"version": 1, "execution": execution}
    found = _cut_graph(resources, mask, stop) if graph else None
    inside = topology.to_json(resources.topologies, resources.ranks, chosen) if graph else []
    if found is not None or inside:
        writer = {} if resources.writer is None else {"writer": resources.writer}
        parts = {"graph": found, "children": inside}
        document["scheduling"] = {**writer, **{key: part for key, part in parts.items() if part}}
    return document


def notes(
    resources: Resources, mask: int, document: dict[str, Any] | None = None
) -> tuple[Problem, ...]:
    """Warnings about what the R document of these nodes does not have.

    document is the result of `subset` with the graph; None skips warnings on ``scheduling``.
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
    if sum((indices & chosen).count for indices in cored) < chosen.count:
        found.append("some of these nodes have no core, which RFC 20 asks for")
    if document is not None and "scheduling" not in document:
        if resources.graph is not None:
            found.append("scheduling is left out: its graph has none of these nodes")
        elif resources.writer is not None:
            found.append("scheduling is left out: nothing in it can be cut to these nodes")
    return tuple(Problem(message, rule=RULE, severity="warning") for message in found)


def _lite(resources: Resources, chosen: IdSet, stop: Stop) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = []
    left = chosen.count
    for kind in resources.kinds:
        stop_if(stop)
        indices = kind.indices & chosen
        if indices:
            left -= indices.count
            children = {"core": str(kind.cores)} | ({"gpu": str(kind.gpus)} if kind.gpus else {})
            entries.append({"rank": str(resources.ranks.pick(indices)), "children": children})
    if left:  # nodes with neither cores nor gpus in the document
        rest = IdSet.of(index for index in chosen if not resources.kind_numbers[index])
        entries.append({"rank": str(resources.ranks.pick(rest)), "children": {"core": ""}})
    return entries


# The graph


def _cut_graph(resources: Resources, mask: int, stop: Stop) -> dict[str, Any] | None:
    """Return the graph of only these nodes as a JGF object; None if no graph has any of them.

    It keeps the nodes of the mask, the vertices that contain them, all that they contain, and the
    vertices that supply these in other subsystems, with all edges between them. If no node vertex
    has a rank, ranks are added: they were implied by a count of all nodes, some of which are gone.
    """
    graph = resources.graph
    if graph is None:
        return None
    indices = node_indices(graph, resources, stop)
    bits = mask.to_bytes(resources.node_count // 8 + 1, "little")
    chosen = [row for row, index in indices.items() if bits[index >> 3] >> (index & 7) & 1]
    is_ranked = any(graph.ranks[row] >= 0 for row in indices)
    ranks = {} if is_ranked else {row: resources.rank(indices[row]) for row in chosen}
    kept = _kept(graph, chosen, stop)
    rows = [row for row, keep in enumerate(kept) if keep]
    if not rows:
        return None
    vertices = []
    for row in unless_stopped(rows, stop):
        data = dict(graph.data(row))
        if row in ranks:
            data["rank"] = ranks[row]
        vertices.append({"id": graph.ids[row], "metadata": data})
    stop_if(stop)
    ends: list[tuple[int, int, dict[str, Any]]] = []
    for row in rows:
        parent = graph.parents[row]
        if parent >= 0 and kept[parent]:
            ends.append((parent, row, {"subsystem": "containment"}))
    for row in rows:
        for link in graph.links(row):
            if link.outward and kept[link.row]:
                named = {"name": {link.subsystem: link.name}} if link.name else {}
                ends.append((row, link.row, {"subsystem": link.subsystem, **named}))
    ids = graph.ids
    edges = [{"source": ids[a], "target": ids[b], "metadata": data} for a, b, data in ends]
    return {"nodes": vertices, "edges": edges}


def _kept(graph: Graph, chosen: list[int], stop: Stop) -> bytearray:
    kept = bytearray(len(graph.types))
    for row in chosen:
        kept[row] = 1
    for row in unless_stopped(chosen, stop):
        waiting = list(graph.children[row])
        while waiting:
            below = waiting.pop()
            # Nodes inside nodes are kept only if they are in the mask.
            if not kept[below] and graph.types[below] != NODE:
                kept[below] = 1
                waiting.extend(graph.children[below])
    # Last, since the loop above does not descend into vertices that are kept already.
    for row in chosen:
        _keep_above(graph, graph.parents[row], kept)
    # The sources of edges of other subsystems, such as the power supply of a node.
    waiting = [row for row, keep in enumerate(kept) if keep]
    while waiting:
        for link in graph.links(waiting.pop()):
            if link.outward or kept[link.row]:
                continue
            if not any(graph.types[row] == NODE for row in graph.upward(link.row)):
                _keep_above(graph, link.row, kept)
                waiting.append(link.row)
    return kept


def _keep_above(graph: Graph, row: int, kept: bytearray) -> None:
    while row >= 0 and not kept[row]:
        kept[row] = 1
        row = graph.parents[row]


# The table


def csv_lines(
    resources: Resources, mask: int, *, matrix: bool = False, stop: Stop = never_stop
) -> Iterator[str]:
    """Yield the nodes of a mask as CSV (RFC 4180), one record at a time, after a header record.

    The columns are `COLUMNS`, those of `_inside`, and ``properties``, whose names are separated by
    ``|``. With matrix there is a column of ``1`` and ``0`` for each property of the document
    instead, called ``properties.NAME`` if another column already has its name.

    Names are written unchanged, except that invisible characters are escaped, and names that a
    spreadsheet would take for a formula, such as ``+batch``, begin with ``'``. Raises `Stopped` if
    stop says so.
    """
    # The writer's file returns each record.
    record: Callable[[Iterable[Any]], Any] = csv.writer(SimpleNamespace(write=str)).writerow

    def write(fields: Iterable[object]) -> Any:
        return record([_cell(field) if type(field) is str else field for field in fields])

    columns, inside = _inside(resources)
    columns = (*COLUMNS, *columns)
    names = [f"properties.{name}" if name in columns else name for name in resources.properties]
    yield write((*columns, *(names if matrix else ["properties"])))
    # The cells for the cores and gpus of each kind; first those of nodes without a kind.
    kinds = [
        (0, 0, "", ""),
        *((k.cores.count, k.gpus.count, str(k.cores), str(k.gpus)) for k in resources.kinds),
    ]
    mask &= resources.everything
    for start in range(max((mask & -mask).bit_length() - 1, 0), mask.bit_length(), _BLOCK):
        stop_if(stop)
        end = min(start + _BLOCK, mask.bit_length())
        bits = window(mask, start, end)
        if "1" not in bits:
            continue
        ranks = resources.ranks.pick(IdSet.between(start, end - 1))
        hosts = [
            group.name(number)
            for group in resources.hosts.walk(start, end)
            for number in range(group.first, group.last + 1)
        ]
        hosts += [""] * (end - start - len(hosts))  # the document does not name these
        properties: Iterable[tuple[str, ...]] = resources.properties_between(start, end)
        if not matrix:
            properties = ((BETWEEN.join(names),) for names in properties)
        elif resources.properties:
            having = (window(mask, start, end) for mask in resources.properties.values())
            properties = zip(*having, strict=True)
        numbers = resources.kind_numbers[start:end]
        rows = zip(range(start, end), ranks, hosts, numbers, properties, strict=True)
        for index, rank, host, number, own in compress(rows, map("1".__eq__, bits)):
            yield write((rank, host, *kinds[number], *inside(index), *own))


# Most cells, such as host names and ids.
_PLAIN = re.compile(r"[A-Za-z0-9][ -~]*|")
# The beginning of a formula, also in full-width characters; a number is not one.
_FORMULA = re.compile(r"(?![-+]?[0-9]+(?:\.[0-9]*)?\Z)[=+\-@\uff1d\uff0b\uff0d\uff20]")


def _cell(text: str) -> str:
    """Make a text safe, so that a spreadsheet only displays it."""
    if _PLAIN.fullmatch(text):
        return text
    text = printable(text)  # it also escapes tabs and line breaks at the beginning
    return f"'{text}" if _FORMULA.match(text) else text


def _inside(resources: Resources) -> tuple[tuple[str, ...], Callable[[int], tuple[object, ...]]]:
    """The columns for the inside of nodes (RFC 49), if known, and a function for their values.

    There is a column for the number of domains of each name, called ``inside.NAME`` if the name is
    one of `COLUMNS`. ``memory_gib`` is the memory of nodes, if it is known.
    """
    names, known = resources.domain_names, dict[int, tuple[object, ...]]()
    has_memory = bool(resources.planes("memory"))
    columns = tuple(f"inside.{name}" if name in COLUMNS else name for name in names)

    def values(index: int) -> tuple[object, ...]:
        node = resources.inside_at(index)  # the same object for nodes that are alike
        if id(node) not in known:
            memory = (node.all_memory or "",) if has_memory else ()
            known[id(node)] = (*(node.counts.get(name, 0) for name in names), *memory)
        return known[id(node)]

    if not names and not has_memory:
        return (), lambda index: ()
    return (*columns, *(("memory_gib",) if has_memory else ())), values
