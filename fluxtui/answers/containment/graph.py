"""What contains what in a resource graph (JGF, as RFC 20's scheduling part carries it)."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain, groupby
from typing import Any

from fluxtui.answers.containment.items import (
    COUNTED,
    MANY,
    NO_NODES,
    Fold,
    Nodes,
    Tally,
    Vertex,
    nodes_of,
)
from fluxtui.model.cancellation import Stop
from fluxtui.model.resources.document import Resources
from fluxtui.model.resources.graph import Graph, Link
from fluxtui.model.resources.resource_set import node_indices
from fluxtui.notation.sets.idset import IdSet

TYPES_COUNTED = 32  # of a graph with more types, the others are not counted
LOOKED_INTO = 4096  # equal leaves of which each is looked at closely before they are taken as equal
LOOK_UP = 4096  # vertices between two looks at whether to stop

# What is shown elsewhere, or means nothing by itself.
_SAID = frozenset({"type", "name", "size", "unit", "rank", "paths", "properties", "status"})


@dataclass(frozen=True, slots=True)
class Kind:
    """The vertices of one type: their places, and their sizes added up where these count."""

    type: str
    places: "array[int]"
    sums: list[int] | None
    unit: str


@dataclass(frozen=True, slots=True)
class TreeOrder:
    """Where each vertex is when the whole tree is open, counted from above.

    order    the rows in that order
    place    the place of each row
    end      the first place after all that is below each row
    kinds    the vertices by type, in the order of their first one
    nodes    the places of the nodes that the cluster has
    indices  their indices
    index    the index of each of these by row
    rows     the row of each of these by index
    """

    order: "array[int]"
    place: "array[int]"
    end: "array[int]"
    kinds: tuple[Kind, ...]
    nodes: "array[int]"
    indices: "array[int]"
    index: Mapping[int, int]
    rows: Mapping[int, int]


class GraphContainment:
    """The vertices of a resource graph; each is known by its row."""

    is_derived = False

    def __init__(self, graph: Graph, resources: Resources) -> None:
        self._graph = graph
        self._resources = resources
        self._order: TreeOrder | None = None
        self._roots = graph.roots
        self._nodes = lru_cache(256)(self._look_up_nodes)

    @property
    def ready(self) -> bool:
        """The places are known."""
        return self._order is not None

    def work_out(self, stop: Stop) -> TreeOrder | None:
        """The places of all vertices; a second or so for a million of them."""
        return _ordered(self._graph, self._resources, stop)

    def take(self, found: Any) -> None:
        """Take the places."""
        self._order = found
        self._nodes.cache_clear()

    @property
    def roots(self) -> Sequence[int]:
        """The vertices that nothing contains."""
        return self._roots

    def children(self, vertex: int) -> Sequence[int]:
        """What a vertex contains directly."""
        return self._graph.children[vertex]

    def parent(self, vertex: int) -> int:
        """What contains a vertex directly; -1 where nothing does."""
        return self._graph.parents[vertex]

    def vertex(self, vertex: int) -> Vertex:
        """What is said of a vertex; of a node, the properties of the execution part too."""
        graph = self._graph
        names = graph.properties(vertex)
        index = self._order.index.get(vertex) if self._order is not None else None
        if index is not None:
            names = tuple(dict.fromkeys((*names, *self._resources.properties_at(index))))
        return Vertex(
            graph.types[vertex],
            graph.names[vertex],
            graph.sizes[vertex],
            graph.units[vertex],
            graph.ranks[vertex],
            graph.is_down(vertex),
            names,
        )

    def path(self, vertex: int) -> str:
        """The containment path."""
        return self._graph.path(vertex)

    def facts(self, vertex: int) -> tuple[tuple[str, str], ...]:
        """The metadata that no line says, and the properties with their values."""
        data = self._graph.data(vertex)
        found = [("vertex", self._graph.ids[vertex])]
        found += [(key, _words(value)) for key, value in data.items() if key not in _SAID]
        paths = data.get("paths")
        for name, path in paths.items() if isinstance(paths, dict) else ():
            if name != "containment":
                found.append((f"{name} path", _words(path)))
        if "status" in data:
            is_down = self.vertex(vertex).is_down
            found.append(("status", f"{_words(data['status'])} ({'down' if is_down else 'up'})"))
        properties = data.get("properties")
        for name, value in properties.items() if isinstance(properties, dict) else ():
            if value not in ("", None):
                found.append((name, _words(value)))
        return tuple(found)

    def links(self, vertex: int) -> tuple[Link, ...]:
        """The edges of other subsystems at a vertex."""
        return self._graph.links(vertex)

    def node(self, vertex: int) -> int | None:
        """The index of the node that a vertex is or is within; None where it is not known."""
        graph = self._graph
        while vertex >= 0 and graph.types[vertex] != "node":
            vertex = graph.parents[vertex]
        return self._order.index.get(vertex) if self._order is not None else None

    def at(self, index: int) -> int | None:
        """The vertex that is the node of an index."""
        return self._order.rows.get(index) if self._order is not None else None

    def tallies(self, vertex: int) -> tuple[Tally, ...]:
        """How many of each type are below a vertex, in the order of the whole graph's first."""
        if self._order is None:
            return ()
        start, end = self._order.place[vertex] + 1, self._order.end[vertex]
        found = (_tally(kind, start, end) for kind in self._order.kinds if end > start)
        return tuple(one for one in found if one is not None)

    def nodes(self, vertex: int) -> Nodes:
        """The nodes at and below a vertex."""
        if self._order is None:
            return NO_NODES
        return self._nodes(self._order.place[vertex], self._order.end[vertex])

    def between(self, first: int, last: int, *, whole: bool) -> Nodes:
        """The nodes from one vertex to another in the order from above."""
        if self._order is None:
            return NO_NODES
        place = self._order.place
        end = self._order.end[last] if whole else place[last] + 1
        return self._nodes(place[first], end)

    def _look_up_nodes(self, start: int, end: int) -> Nodes:
        """The nodes from one place up to another."""
        assert self._order is not None
        low = bisect_left(self._order.nodes, start)
        high = bisect_left(self._order.nodes, end)
        return nodes_of(self._order.indices[low:high], self._resources.node_count)

    def find(
        self, wanted: str, after: int, by: int, stop: Stop, *, here: bool = False
    ) -> int | None:
        """The next vertex with a text in its name, type or path, or the one before."""
        if self._order is None or not wanted:
            return None
        order, at = self._order.order, self._order.place[after]
        if by > 0:
            begin = at if here else at + 1
            around = chain(range(begin, len(order)), range(begin))
        else:
            around = chain(range(at - 1, -1, -1), range(len(order) - 1, at - 1, -1))
        holds = self._test(wanted)
        for number, place in enumerate(around):
            if not number % LOOK_UP and stop():
                return None
            if holds(order[place]):
                return order[place]
        return None

    def _test(self, wanted: str) -> Callable[[int], bool]:
        """What tells whether a row is one that is looked for, in any case of letters."""
        graph, wanted = self._graph, wanted.casefold()
        names, types = graph.names, graph.types
        if "/" in wanted:
            last = wanted.rpartition("/")[2]
            return lambda row: (
                names[row].casefold().startswith(last) and wanted in graph.path(row).casefold()
            )
        of_type = {type_ for type_ in set(types) if wanted in type_.casefold()}
        return lambda row: types[row] in of_type or wanted in names[row].casefold()

    def folded(self, parent: int, kids: Sequence[int]) -> Sequence[int | Fold]:
        """Children with runs of equal leaves put together."""
        found: list[int | Fold] = []
        at = 0
        for key, group in groupby(kids, self._outward):
            run = list(group)
            if key is not None and len(run) >= MANY:
                for start, count in self._alike(run):
                    first, last = run[start], run[start + count - 1]
                    if count < MANY:
                        found += run[start : start + count]
                    else:
                        found.append(Fold(parent, at + start, count, first, last))
            else:
                found += run
            at += len(run)
        return found if len(found) < len(kids) else kids

    def _outward(self, vertex: int) -> object:
        """The type and rank of a leaf; None for what is no leaf, and for nodes."""
        graph = self._graph
        kind = graph.types[vertex]
        if kind == "node" or graph.children[vertex] or graph.links(vertex):
            return None
        return kind, graph.sizes[vertex], graph.ranks[vertex]

    def _alike(self, run: list[int]) -> list[tuple[int, int]]:
        """The stretches of a run of leaves that are equal when looked at closely."""
        if len(run) > LOOKED_INTO:
            return [(0, len(run))]
        found: list[tuple[int, int]] = []
        start = 0
        for _, group in groupby(run, lambda kid: self.vertex(kid)._replace(name="")):
            count = sum(1 for _ in group)
            found.append((start, count))
            start += count
        return found

    def fold_name(self, fold: Fold) -> str:
        """The names of folded leaves: ``core0-47``, or the first and the last."""
        ends = self.vertex(fold.first).name, self.vertex(fold.last).name
        if fold.count <= LOOKED_INTO:
            kids = self.children(fold.parent)[fold.start : fold.start + fold.count]
            parted = [_parted(self.vertex(kid).name) for kid in kids]
            bases = {base for base, _ in parted}
            if len(bases) == 1 and all(number is not None for _, number in parted):
                numbers = IdSet.of(number for _, number in parted if number is not None)
                if numbers.count == fold.count:
                    return f"{bases.pop()}{numbers}"
        return ends[0] if ends[0] == ends[1] else f"{ends[0]} … {ends[1]}"


def _parted(name: str) -> tuple[str, int | None]:
    """A name and the number at its end; None where there is none, or one with leading zeros."""
    base = name.rstrip("0123456789")
    digits = name[len(base) :]
    if not digits or not digits.isascii() or (digits[0] == "0" and len(digits) > 1):
        return name, None
    return base, int(digits[:18])


def _words(value: object) -> str:
    import json

    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def link_words(link: Link, name: str, *, arrow: str = "") -> str:
    """An edge in words: ``power → pdu0``, or ``power supplies_to ← pdu0``."""
    arrow = arrow or ("→" if link.outward else "←")
    said = [word for word in (link.subsystem, link.name) if word] or ["edge"]
    return f"{' '.join(dict.fromkeys(said))} {arrow} {name}"


# Where each vertex is once the whole tree is open


def _ordered(graph: Graph, resources: Resources, stop: Stop) -> TreeOrder | None:
    """Where each vertex is, and what is below it; None once stop says so."""
    order = _order(graph, stop)
    if order is None:
        return None
    place = array("i", bytes(len(graph.parents) * array("i").itemsize))
    for at, row in enumerate(order):
        place[row] = at
    end = _ends(graph, order, place)
    if stop():
        return None
    kinds = _kinds(graph, order)
    index = node_indices(graph, resources)
    rows: dict[int, int] = {}
    for row, number in index.items():
        rows.setdefault(number, row)
    nodes = array("i", sorted(place[row] for row in rows.values()))
    indices = array("i", (index[order[at]] for at in nodes))
    return TreeOrder(order, place, end, kinds, nodes, indices, index, rows)


def _order(graph: Graph, stop: Stop) -> "array[int] | None":
    children = graph.children
    order = array("i")
    waiting = list(reversed(graph.roots))
    while waiting:
        row = waiting.pop()
        order.append(row)
        if not len(order) % LOOK_UP and stop():
            return None
        below = children[row]
        if below:
            waiting.extend(reversed(below))
    return order


def _ends(graph: Graph, order: "array[int]", place: "array[int]") -> "array[int]":
    parents = graph.parents
    end = array("i", (at + 1 for at in place))
    for row in reversed(order):
        parent = parents[row]
        if parent >= 0 and end[row] > end[parent]:
            end[parent] = end[row]
    return end


def _kinds(graph: Graph, order: "array[int]") -> tuple[Kind, ...]:
    types, sizes = graph.types, graph.sizes
    found: dict[str, array[int]] = {}
    for at, row in enumerate(order):
        kind = types[row]
        if kind in found:
            found[kind].append(at)
        elif len(found) < TYPES_COUNTED:
            found[kind] = array("i", (at,))
    kinds = []
    for kind, places in found.items():
        own = [sizes[order[place]] for place in places]
        if own.count(1) == len(own):
            kinds.append(Kind(kind, places, None, ""))
            continue
        units = {graph.units[order[place]] for place in places}
        sums = list(accumulate(own, initial=0)) if len(units) == 1 else None
        kinds.append(Kind(kind, places, sums, units.pop() if sums else ""))
    return tuple(kinds)


def _tally(kind: Kind, start: int, end: int) -> Tally | None:
    """How many of a kind there are between two places; None for none."""
    low, high = bisect_left(kind.places, start), bisect_right(kind.places, end - 1)
    if low == high:
        return None
    total = kind.sums[high] - kind.sums[low] if kind.sums is not None else None
    if total is None or (total == high - low and not kind.unit):
        return Tally(kind.type, high - low)
    if kind.type in COUNTED and not kind.unit:
        return Tally(kind.type, total)
    return Tally(kind.type, high - low, total, kind.unit)
