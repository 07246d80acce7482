"""The resource graph an R document may carry: JSON Graph Format with RFC 4 vertices (RFC 20)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fluxtui.model.report import Report
from fluxtui.notation.idset import EMPTY, IdSet
from fluxtui.notation.source import Parsed, at


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """A resource graph as columns, one row for each vertex in document order.

    parents holds the row that contains a vertex, -1 for a root. ranks holds -1 where a
    vertex names none. metadata is the raw object of each vertex.
    """

    ids: tuple[str, ...]
    types: tuple[str, ...]
    names: tuple[str, ...]
    sizes: tuple[int, ...]
    ranks: tuple[int, ...]
    parents: tuple[int, ...]
    children: tuple[tuple[int, ...], ...]
    metadata: tuple[dict[str, Any], ...]

    @property
    def roots(self) -> tuple[int, ...]:
        """The rows that nothing contains."""
        return tuple(row for row, parent in enumerate(self.parents) if parent < 0)

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
        said = _path(self.metadata[row])
        if said:
            return said
        parent = self.parents[row]
        return f"{self.path(parent) if parent >= 0 else ''}/{self.names[row]}"

    def properties(self, row: int) -> tuple[str, ...]:
        """The property names of a vertex."""
        found = self.metadata[row].get("properties")
        if isinstance(found, dict):
            return tuple(found)
        if isinstance(found, list):
            return tuple(name for name in found if isinstance(name, str))
        return ()


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
    """Read a JGF graph: its vertices, and its containment edges.

    Edges of other subsystems are left out; a vertex that no edge places stands below the
    vertex whose containment path is one step shorter. Problems carry paths below ``path``.
    """
    report = Report("RFC 20")
    body = raw if isinstance(raw, dict) else {}
    if not isinstance(raw, dict):
        report.error("a graph is an object", path, "an object with nodes and edges")
    vertices = _vertices(body.get("nodes"), at(path, "nodes"), report)
    rows = {id_: row for row, (id_, _) in enumerate(vertices)}
    metadata = [data for _, data in vertices]
    parents = [-1] * len(vertices)
    _place_by_edges(body.get("edges"), at(path, "edges"), rows, parents, report)
    _place_by_paths(metadata, parents)
    _cut_cycles(parents)
    children: list[list[int]] = [[] for _ in vertices]
    for row, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(row)
    graph = Graph(
        ids=tuple(id_ for id_, _ in vertices),
        types=tuple(_text(data.get("type")) for data in metadata),
        names=tuple(_name(data) for data in metadata),
        sizes=tuple(_number(data.get("size"), 1) for data in metadata),
        ranks=tuple(_number(data.get("rank"), -1) for data in metadata),
        parents=tuple(parents),
        children=tuple(map(tuple, children)),
        metadata=tuple(metadata),
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
    ids = [_number(graph.metadata[row].get("id"), -1) for row in rows]
    total = sum(graph.sizes[row] for row in rows)
    if total == len(rows) and min(ids) >= 0 and len(set(ids)) == len(ids):
        return IdSet.of(ids)
    return IdSet.between(0, total - 1)


def _vertices(raw: object, path: str, report: Report) -> list[tuple[str, dict[str, Any]]]:
    """Id and metadata of each vertex; JGF has an array of them, or an object by id."""
    if isinstance(raw, dict):
        raw = [{"id": id_, **body} for id_, body in raw.items() if isinstance(body, dict)]
    if not isinstance(raw, list):
        report.error("nodes is an array of vertices", path, "an array")
        return []
    out: list[tuple[str, dict[str, Any]]] = []
    seen: set[str] = set()
    for number, vertex in enumerate(raw):
        data = vertex.get("metadata") if isinstance(vertex, dict) else None
        if not isinstance(data, dict):
            report.error("a vertex has an id and metadata", at(path, number), "an object")
            data = {}
        id_ = str(vertex.get("id", number)) if isinstance(vertex, dict) else str(number)
        if id_ in seen:
            report.error(f"two vertices have the id '{id_}'", at(path, number, "id"))
        seen.add(id_)
        out.append((id_, data))
    return out


def _place_by_edges(
    raw: object, path: str, rows: dict[str, int], parents: list[int], report: Report
) -> None:
    if not isinstance(raw, list):
        report.error("edges is an array", path, "an array")
        return
    for number, edge in enumerate(raw):
        if not isinstance(edge, dict):
            report.error("an edge has a source and a target", at(path, number), "an object")
            continue
        if not _contains(edge.get("metadata")):
            continue
        source, target = rows.get(str(edge.get("source"))), rows.get(str(edge.get("target")))
        if source is None or target is None:
            report.error("an edge joins two vertices of the graph", at(path, number))
        elif parents[target] < 0 and source != target:
            parents[target] = source


def _contains(metadata: object) -> bool:
    """The edge is one of containment; an edge that does not say is."""
    if not isinstance(metadata, dict):
        return True
    if "subsystem" in metadata:
        return bool(metadata["subsystem"] == "containment")
    name = metadata.get("name")
    return "containment" in name if isinstance(name, dict) else True


def _place_by_paths(metadata: list[dict[str, Any]], parents: list[int]) -> None:
    """Place the vertices that no edge placed below the vertex their path says."""
    if parents.count(-1) <= 1:
        return
    paths = [_path(data) for data in metadata]
    rows = {path: row for row, path in enumerate(paths) if path}
    for row, path in enumerate(paths):
        if parents[row] < 0 and path:
            parent = rows.get(path.rpartition("/")[0], -1)
            parents[row] = parent if parent != row else -1


def _path(data: dict[str, Any]) -> str:
    paths = data.get("paths")
    path = paths.get("containment") if isinstance(paths, dict) else None
    return path if isinstance(path, str) else ""


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


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object, otherwise: int) -> int:
    """A whole number of at least 0, or the other value."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    return otherwise


def _name(data: dict[str, Any]) -> str:
    """The name of a vertex; its base name or type with its id where it has none."""
    name = data.get("name")
    if isinstance(name, str) and name:
        return name
    last = _path(data).rpartition("/")[2]
    base = _text(data.get("basename")) or _text(data.get("type"))
    id_ = data.get("id")
    return last or (f"{base}{id_}" if isinstance(id_, int) and id_ >= 0 else base)
