"""The resource graph an R document may carry: JSON Graph Format with RFC 4 vertices (RFC 20).

Vertices and edges are stored as columns, filled in batches as they are read. Metadata that has no
column is kept as compressed text and parsed again on demand.
"""

import json
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from fluxtui.model.documents.report import Report
from fluxtui.notation.problem import Parsed, at

#: The vertex type of an execution target.
NODE = "node"


class Ids:
    """A list of vertex ids, stored as integers as long as every id is one."""

    def __init__(self) -> None:
        self.keys: array[int] | list[str] = array("q")

    def extend(self, ids: list[str]) -> None:
        """Append ids."""
        if not isinstance(self.keys, list):
            try:
                numbers = array("q", map(int, ids))
            except (ValueError, OverflowError):
                numbers = array("q")
            # 07 and 7 are different ids.
            if list(map(str, numbers)) == ids:
                self.keys += numbers
                return
            self.keys = list(self)
        self.keys += ids

    def __len__(self) -> int:
        return len(self.keys)

    def __getitem__(self, row: int) -> str:
        return str(self.keys[row])

    def __iter__(self) -> Iterator[str]:
        return map(str, self.keys)


@dataclass(frozen=True, slots=True)
class Link:
    """An edge of a subsystem other than containment, seen from one of its two vertices.

    subsystem is such as ``power`` and name such as ``supplies_to``; either is empty if not given.
    row is the vertex at the other end; outward is whether this vertex is the source.
    """

    subsystem: str
    name: str
    row: int
    outward: bool


class Graph:
    """A resource graph as columns, one row for each vertex in document order; see `read`.

    ranks, numbers (``id``, the logical id) and orders (``uniq_id``) hold -1 where a vertex
    has none. statuses maps the rows that have a status to it; odd lists the rows of elements that
    are not vertices. parents holds the row of the vertex that contains each, -1 for a root.
    """

    def __init__(self) -> None:
        self.ids = Ids()
        self.types: list[str] = []
        self.names: list[str] = []
        self.units: list[str] = []
        self.sizes: list[int] = []
        self.ranks: list[int] = []
        self.numbers: list[int] = []
        self.orders = array("q")
        self.statuses: dict[int, int] = {}
        self.odd: list[int] = []
        self._properties: dict[int, tuple[str, ...]] = {}
        self._shared: dict[Any, Any] = {}
        # The raw vertices in groups, as compressed text or as objects, and each group's first row.
        self._firsts: list[int] = []
        self._groups: list[bytes | list[Any]] = []
        # Filled in from the edges.
        self.parents: Sequence[int] = ()
        self.children: Sequence[Sequence[int]] = ()
        self.roots: tuple[int, ...] = ()
        self._links: dict[int, list[Link]] = {}

    def take(self, elements: list[Any], text: bytes | None = None) -> None:
        """Append the next vertices; text is their JSON text, if available."""
        self._firsts.append(len(self.types))
        # The lowest level is fastest, and shrinks such text to a twentieth.
        self._groups.append(elements if text is None else zlib.compress(text, 1))
        share = self._shared.setdefault
        ids = []
        for row, vertex in enumerate(elements, len(self.types)):
            data = _metadata(vertex)
            if data is None:
                self.odd.append(row)
                data = {}
            get = data.get
            id_ = vertex.get("id", row) if isinstance(vertex, dict) else row
            ids.append(id_ if type(id_) is str else str(id_))
            name = _name(data)
            self.types.append(_shared(share, get("type")))
            self.names.append(share(name, name))
            self.units.append(_shared(share, get("unit")))
            number = _whole(get("size"), 1)
            self.sizes.append(share(number, number))
            number = _whole(get("rank"), -1)
            self.ranks.append(share(number, number))
            number = _whole(get("id"), -1)
            self.numbers.append(share(number, number))
            self.orders.append(_whole(get("uniq_id"), -1))
            if "status" in data and isinstance(data["status"], int):
                self.statuses[row] = data["status"]
            if "properties" in data and (named := _properties(data["properties"])):
                self._properties[row] = share(named, named)
        self.ids.extend(ids)

    def place(self, parents: Sequence[int], links: dict[int, list[Link]]) -> None:
        """Set the parent row of each vertex, and the links by row."""
        children: list[Any] = [()] * len(parents)
        for row, parent in enumerate(parents):
            if parent >= 0:
                children[parent] = children[parent] or array("i")
                children[parent].append(row)
        self.parents, self.children, self._links = parents, children, links
        self.roots = tuple(row for row, parent in enumerate(parents) if parent < 0)

    def data(self, row: int) -> Mapping[str, Any]:
        """The metadata of a vertex as in the document; empty if it has none. IndexError outside."""
        if not 0 <= row < len(self.types):
            raise IndexError(row)
        number = bisect_right(self._firsts, row) - 1
        group = self._groups[number]
        vertices = _unpacked(group) if isinstance(group, bytes) else group
        return _metadata(vertices[row - self._firsts[number]]) or {}

    def properties(self, row: int) -> tuple[str, ...]:
        """The property names of a vertex."""
        return self._properties.get(row, ())

    def links(self, row: int) -> tuple[Link, ...]:
        """The edges at a vertex that are not containment, in document order."""
        return tuple(self._links.get(row, ()))

    def is_down(self, row: int) -> bool:
        """Whether a vertex is marked down; Fluxion takes any status but 0 as down."""
        return self.statuses.get(row, 0) != 0

    def upward(self, row: int) -> Iterator[int]:
        """Yield the row of a vertex and those of its ancestors, innermost first; none for -1."""
        while row >= 0:
            yield row
            row = self.parents[row]

    def below(self, row: int) -> Iterator[int]:
        """Yield the rows below a vertex, parents first, without descending into other nodes."""
        seen = {row}
        waiting = list(reversed(self.children[row]))
        while waiting:
            row = waiting.pop()
            if row in seen:
                continue
            seen.add(row)
            yield row
            if self.types[row] != NODE:
                waiting.extend(reversed(self.children[row]))

    def path(self, row: int) -> str:
        """The containment path of a vertex, such as ``/tiny0/rack0/node1``."""
        steps = ""
        while row >= 0:
            given = _path(self.data(row))
            if given:
                return given + steps
            steps = f"/{self.names[row]}{steps}"
            row = self.parents[row]
        return steps


@lru_cache(maxsize=16)
def _unpacked(packed: bytes) -> list[Any]:
    vertices: list[Any] = json.loads(b"[%s]" % zlib.decompress(packed))
    return vertices


def _metadata(vertex: object) -> dict[str, Any] | None:
    data = vertex.get("metadata") if isinstance(vertex, dict) else None
    return data if isinstance(data, dict) else None


def _shared(share: Any, value: object) -> str:
    """Return the interned string; empty if the value is not a string."""
    found: str = share(value, value) if isinstance(value, str) else ""
    return found


def _whole(value: object, otherwise: int) -> int:
    """A number that Flux can read, which has 64 bits with its sign; otherwise another one."""
    return value if type(value) is int and 0 <= value < 1 << 63 else otherwise


def _path(data: Mapping[str, Any]) -> str:
    paths = data.get("paths")
    path = paths.get("containment") if isinstance(paths, dict) else None
    return path if isinstance(path, str) else ""


def _name(data: dict[str, Any]) -> str:
    """The name of a vertex; otherwise the end of its path, or its base name or type and its id."""
    name = data.get("name")
    if isinstance(name, str) and name:
        return name
    last = _path(data).rpartition("/")[2]
    base, id_ = data.get("basename"), data.get("id")
    base = base if base and isinstance(base, str) else data.get("type")
    base = base if isinstance(base, str) else ""
    return last or (f"{base}{id_}" if isinstance(id_, int) and id_ >= 0 else base)


def _properties(raw: object) -> tuple[str, ...]:
    """The property names of a vertex, given as the keys of an object or as a list."""
    if isinstance(raw, dict):
        return tuple(raw)
    if isinstance(raw, list):
        return tuple(name for name in raw if isinstance(name, str))
    return ()


class Edges:
    """The edges of a graph, in order; odd has the numbers of elements that are not edges.

    others maps the edges that are not containment to their subsystem and name.
    """

    def __init__(self) -> None:
        self.sources = Ids()
        self.targets = Ids()
        self.others: dict[int, tuple[str, str]] = {}
        self.odd: set[int] = set()

    def take(self, elements: list[Any], text: bytes | None = None) -> None:
        """Append the next edges."""
        sources, targets = [], []
        for number, element in enumerate(elements, len(self.sources)):
            edge = element if isinstance(element, dict) else {"source": "0", "target": "0"}
            source, target = edge.get("source"), edge.get("target")
            sources.append(source if type(source) is str else str(source))
            targets.append(target if type(target) is str else str(target))
            other = _other(edge.get("metadata"))
            if other is not None:
                self.others[number] = other
            if edge is not element:
                self.odd.add(number)
        self.sources.extend(sources)
        self.targets.extend(targets)


def _other(metadata: object) -> tuple[str, str] | None:
    """The subsystem and name of an edge; None for containment, whether stated or by default."""
    if not isinstance(metadata, dict):
        return None
    name, subsystem = metadata.get("name"), metadata.get("subsystem")
    names = name if isinstance(name, dict) else {}
    is_silent = "subsystem" not in metadata and ("containment" in names or names is not name)
    if subsystem == "containment" or is_silent:
        return None
    if not subsystem or not isinstance(subsystem, str):
        subsystem = next(iter(names), "")
    does = names.get(subsystem) or metadata.get("relationship")
    return subsystem, does if isinstance(does, str) else ""


# Reading


def is_graph(document: object) -> bool:
    """Whether an object looks like a JGF graph: it has ``nodes`` and ``edges``."""
    return isinstance(document, dict) and "nodes" in document and "edges" in document


def read(raw: object, path: str = "graph") -> Parsed[Graph]:
    """Read a JGF graph; nodes and edges may already be a `Graph` and `Edges` filled in batches.

    A vertex without a containment edge is placed by its containment path, one step shorter.
    """
    report = Report("RFC 20")
    body = raw if isinstance(raw, dict) else {}
    if not isinstance(raw, dict):
        report.error("a graph is an object", path, "an object with nodes and edges")
    nodes, edges = body.get("nodes"), body.get("edges")
    if isinstance(nodes, dict):  # by their ids
        nodes = [{"id": id_, **vertex} for id_, vertex in nodes.items() if isinstance(vertex, dict)]
    graph = nodes if isinstance(nodes, Graph) else Graph()
    if isinstance(nodes, list):
        graph.take(nodes)
    elif graph is not nodes:
        report.error("nodes is an array of vertices", at(path, "nodes"), "an array")
    joins = edges if isinstance(edges, Edges) else Edges()
    if isinstance(edges, list):
        joins.take(edges)
    elif joins is not edges:
        report.error("edges is an array", at(path, "edges"), "an array")
    _place(graph, joins, path, report)
    return Parsed(graph, report.problems)


def _place(graph: Graph, edges: Edges, path: str, report: Report) -> None:
    columns = [graph.ids, edges.sources, edges.targets]
    is_numeric = not any(isinstance(ids.keys, list) for ids in columns)
    keys, sources, targets = ((ids.keys if is_numeric else list(ids)) for ids in columns)
    odd = set(graph.odd)
    rows: dict[Any, int] = {}  # by id; the last row if an id repeats
    for row, key in enumerate(keys):
        if row in odd:
            report.error("a vertex has an id and metadata", at(path, "nodes", row), "an object")
        if key in rows:
            report.error(f"two vertices have the id '{key}'", at(path, "nodes", row, "id"))
        rows[key] = row
    parents = array("i", [-1]) * len(keys)
    links: dict[int, list[Link]] = {}
    ends = zip(map(rows.get, sources), map(rows.get, targets), strict=True)
    for number, (source, target) in enumerate(ends):
        if number in edges.odd:
            where = at(path, "edges", number)
            report.error("an edge has a source and a target", where, "an object")
        elif number in edges.others:
            other = edges.others[number]
            if source is not None and target is not None:
                links.setdefault(source, []).append(Link(*other, target, True))
                links.setdefault(target, []).append(Link(*other, source, False))
        elif source is None or target is None:
            report.error("an edge joins two vertices of the graph", at(path, "edges", number))
        elif parents[target] < 0 and source != target:
            parents[target] = source
    _place_by_paths(graph, parents)
    # Make one vertex of every cycle a root, so that walks end.
    walk = array("i", bytes(4 * len(parents)))  # the walk that first visited each vertex
    for start in range(len(parents)):
        row = start
        while row >= 0 and not walk[row]:
            walk[row] = start + 1
            row = parents[row]
        if row >= 0 and walk[row] == start + 1:
            parents[row] = -1
    graph.place(parents, links)


def _place_by_paths(graph: Graph, parents: "array[int]") -> None:
    loose = [row for row, parent in enumerate(parents) if parent < 0]
    if len(loose) <= 1:
        return
    paths = {row: _path(graph.data(row)) for row in loose}
    if all(path.rpartition("/")[0] == "" for path in paths.values()):
        return
    rows = {_path(graph.data(row)): row for row in range(len(parents))}
    rows.pop("", None)
    for row, path in paths.items():
        if path:
            parent = rows.get(path.rpartition("/")[0], -1)
            parents[row] = parent if parent != row else -1
