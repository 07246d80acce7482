"""The resource graph an R document may carry: JSON Graph Format with RFC 4 vertices (RFC 20)."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from fluxtui.model.documents.report import Report
from fluxtui.model.resources.graph_columns import (
    CONTAINS,
    NEITHER,
    Edges,
    Ids,
    Link,
    Metadata,
    Vertices,
    below,
    column,
    containment_path,
)
from fluxtui.notation.problem import Parsed, Problem, at, is_digits
from fluxtui.notation.sets.idset import EMPTY, IdSet

__all__ = ["Graph", "GraphNode", "Link", "is_graph", "nodes", "read"]


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """A resource graph as columns, one row for each vertex in document order.

    parents holds the row that contains a vertex, -1 for a root. ranks holds -1 where a vertex
    names none, numbers (the ids among vertices of a kind) and orders (the unique ids) likewise.
    statuses has the rows that say one. What no column has is read again when it is asked for.
    """

    ids: Sequence[str]
    types: Sequence[str]
    names: Sequence[str]
    sizes: Sequence[int]
    ranks: Sequence[int]
    parents: Sequence[int]
    children: Sequence[tuple[int, ...]]
    numbers: Sequence[int]
    orders: Sequence[int]
    units: Sequence[str]
    statuses: Mapping[int, int]
    _properties: Mapping[int, tuple[str, ...]]
    _data: Metadata
    _links: Mapping[int, tuple[Link, ...]]

    def data(self, row: int) -> Mapping[str, Any]:
        """The metadata of a vertex as the document has it; empty where it has none."""
        return self._data[row]

    def links(self, row: int) -> tuple[Link, ...]:
        """The edges of other subsystems than containment at a vertex, in document order."""
        return self._links.get(row, ())

    @property
    def roots(self) -> tuple[int, ...]:
        """The rows that nothing contains, by a search that costs little where they are few."""
        found: list[int] = []
        start = 0
        with suppress(ValueError):
            while True:
                start = self.parents.index(-1, start) + 1
                found.append(start - 1)
        return tuple(found)

    def is_down(self, row: int) -> bool:
        """A vertex says that it is down; Fluxion takes any status but 0 for that."""
        return self.statuses.get(row, 0) != 0

    def below(self, row: int) -> Iterator[int]:
        """The rows below a vertex, parents first, not looking below other nodes."""
        seen = {row}
        waiting = list(reversed(self.children[row]))
        while waiting:
            row = waiting.pop()
            if row in seen:
                continue
            seen.add(row)
            yield row
            if self.types[row] != "node":
                waiting.extend(reversed(self.children[row]))

    def path(self, row: int) -> str:
        """The containment path of a vertex, such as ``/tiny0/rack0/node1``."""
        steps = ""
        while row >= 0:
            said = containment_path(self.data(row))
            if said:
                return said + steps
            steps = f"/{self.names[row]}{steps}"
            row = self.parents[row]
        return steps

    def properties(self, row: int) -> tuple[str, ...]:
        """The property names of a vertex."""
        return self._properties.get(row, ())


@dataclass(frozen=True, slots=True)
class GraphNode:
    """What the graph says of one execution target."""

    rank: int
    host: str
    cores: IdSet
    gpus: IdSet
    properties: tuple[str, ...]


def is_graph(document: object) -> bool:
    """The object looks like a JGF graph: it has ``nodes`` and ``edges``."""
    return isinstance(document, dict) and "nodes" in document and "edges" in document


def read(raw: object, path: str = "graph") -> Parsed[Graph]:
    """Read a JGF graph: its vertices, and its edges of containment and of other subsystems.

    raw is an object with nodes and edges; in their places may stand what has taken them piece by
    piece (`Vertices`, `Edges`). A graph that was read before is what it is, without problems. A
    vertex that no edge places stands below the vertex whose containment path is one step shorter.
    Problems carry paths below ``path``.
    """
    if isinstance(raw, Graph):
        return Parsed(raw)
    report = Report("RFC 20")
    body = raw if isinstance(raw, dict) else {}
    if not isinstance(raw, dict):
        report.error("a graph is an object", path, "an object with nodes and edges")
    vertices = _vertices(body.get("nodes"), at(path, "nodes"), report)
    rows = _rows(vertices, at(path, "nodes"), report)
    edges = _edges(body.get("edges"), at(path, "edges"), report)
    count = len(vertices.types)
    parents = [-1] * count
    links = _place_by_edges(edges, at(path, "edges"), rows, parents, report)
    _place_by_paths(vertices, parents)
    _cut_cycles(parents)
    graph = Graph(
        ids=vertices.ids,
        types=vertices.types,
        names=vertices.names,
        sizes=column(vertices.sizes),
        ranks=column(vertices.ranks),
        parents=column(parents),
        children=below(parents),
        numbers=column(vertices.numbers),
        orders=vertices.orders,
        units=vertices.units,
        statuses=vertices.statuses,
        _properties=vertices.properties,
        _data=vertices.metadata,
        _links={row: tuple(found) for row, found in links.items()},
    )
    return Parsed(graph, report.problems)


def nodes(graph: Graph, path: str = "graph") -> Parsed[tuple[GraphNode, ...]]:
    """The execution targets of a graph, by ascending rank: its vertices of type ``node``.

    Where no node names a rank they are numbered in document order, with a warning.
    """
    report = Report("RFC 20")
    found: dict[int, GraphNode] = {}
    rows = [row for row, type_ in enumerate(graph.types) if type_ == "node"]
    numbered = any(graph.ranks[row] >= 0 for row in rows)
    if rows and not numbered:
        report.warning("no node of the graph has a rank; they are numbered in order", path)
    for number, row in enumerate(rows):
        rank = graph.ranks[row] if numbered else number
        where = at(path, "nodes", row, "metadata", "rank")
        if rank < 0:
            report.warning(f"node '{graph.names[row]}' has no rank and is left out", where)
        elif rank in found:
            report.error(
                f"nodes '{found[rank].host}' and '{graph.names[row]}' both have rank {rank}", where
            )
        else:
            found[rank] = _node(graph, row, rank)
    if not rows:
        report.error("the graph has no vertex of type 'node'", at(path, "nodes"))
    return Parsed(tuple(found[rank] for rank in sorted(found)), report.problems)


def _node(graph: Graph, row: int, rank: int) -> GraphNode:
    cores: list[int] = []
    gpus: list[int] = []
    for part in graph.below(row):
        if graph.types[part] == "core":
            cores.append(part)
        elif graph.types[part] == "gpu":
            gpus.append(part)
    return GraphNode(
        rank, graph.names[row], _ids(graph, cores), _ids(graph, gpus), graph.properties(row)
    )


def _ids(graph: Graph, rows: list[int]) -> IdSet:
    """The logical ids of vertices; counted from 0 where their own ids repeat or are missing."""
    if not rows:
        return EMPTY
    ids = [graph.numbers[row] for row in rows]
    total = sum(graph.sizes[row] for row in rows)
    if total == len(rows) and min(ids) >= 0 and len(set(ids)) == len(ids):
        return IdSet.of(ids)
    return IdSet.between(0, total - 1)


def _vertices(raw: object, path: str, report: Report) -> Vertices:
    """The vertices as columns, from JGF's array of vertices or its object of vertices by id."""
    if isinstance(raw, dict):
        raw = [{"id": id_, **body} for id_, body in raw.items() if isinstance(body, dict)]
    found = raw if isinstance(raw, Vertices) else Vertices()
    if isinstance(raw, list):
        found.take(raw)
    elif found is not raw:
        report.error("nodes is an array of vertices", path, "an array")
    return found


def _edges(raw: object, path: str, report: Report) -> Edges:
    found = raw if isinstance(raw, Edges) else Edges()
    if isinstance(raw, list):
        found.take(raw)
    elif found is not raw:
        report.error("edges is an array", path, "an array")
    return found


def _rows(vertices: Vertices, path: str, report: Report) -> Mapping[Any, int]:
    """The row of each id, as the columns keep ids; the last row if an id repeats."""
    odd = set(vertices.odd)
    rows: dict[Any, int] = {}
    for row, key in enumerate(vertices.ids.keys):
        if row in odd:
            report.error("a vertex has an id and metadata", at(path, row), "an object")
        if key in rows:
            report.error(f"two vertices have the id '{key}'", at(path, row, "id"))
        rows[key] = row
    if vertices.left_out:
        words = f"{vertices.left_out:,} further elements are not vertices"
        report.add(Problem(words, None, path, (), report.rule, many=vertices.left_out))
    return rows


def _place_by_edges(
    edges: Edges, path: str, rows: Mapping[Any, int], parents: list[int], report: Report
) -> dict[int, list[Link]]:
    """Note what contains what; the links of each vertex by its row."""
    links: dict[int, list[Link]] = {}
    sources, targets = _keys(edges.sources, rows), _keys(edges.targets, rows)
    for number, (source, target, kind) in enumerate(
        zip(map(rows.get, sources), map(rows.get, targets), edges.kinds, strict=True)
    ):
        if kind == NEITHER:
            report.error("an edge has a source and a target", at(path, number), "an object")
        elif source is None or target is None:
            if kind == CONTAINS:
                report.error("an edge joins two vertices of the graph", at(path, number))
        elif kind == CONTAINS:
            if parents[target] < 0 and source != target:
                parents[target] = source
        else:
            subsystem, does = edges.others[number]
            links.setdefault(source, []).append(Link(subsystem, does, target, True))
            links.setdefault(target, []).append(Link(subsystem, does, source, False))
    return links


def _keys(ids: Ids, rows: Mapping[Any, int]) -> Sequence[Any]:
    """Ids as they are kept in the rows, which are numbers or texts."""
    wanted = next(iter(rows), None)
    if ids.numeric == isinstance(wanted, int):
        return ids.keys
    return list(ids) if ids.numeric else [_number_of(text) for text in ids]


def _number_of(text: str) -> int | None:
    """The number that an id written so is kept as; None where it is kept as a text."""
    digits = text.removeprefix("-")
    return int(text) if is_digits(digits) and text == str(int(text[:19])) else None


def _place_by_paths(vertices: Vertices, parents: list[int]) -> None:
    """Place the vertices that no edge placed below the vertex their path says."""
    loose = [row for row, parent in enumerate(parents) if parent < 0]
    if len(loose) <= 1:
        return
    paths = {row: containment_path(vertices.metadata[row]) for row in loose}
    if all(path.rpartition("/")[0] == "" for path in paths.values()):
        return
    rows = {}
    for row in range(len(parents)):
        path = containment_path(vertices.metadata[row])
        if path:
            rows[path] = row
    for row, path in paths.items():
        if path:
            parent = rows.get(path.rpartition("/")[0], -1)
            parents[row] = parent if parent != row else -1


def _cut_cycles(parents: list[int]) -> None:
    """Make a root of one vertex of every ring, so that walks end."""
    done = [False] * len(parents)
    for start in range(len(parents)):
        trail: list[int] = []
        on_trail: set[int] = set()
        row = start
        while row >= 0 and not done[row]:
            if row in on_trail:
                parents[row] = -1
                break
            trail.append(row)
            on_trail.add(row)
            row = parents[row]
        for row in trail:
            done[row] = True
