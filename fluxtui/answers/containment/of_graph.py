"""The containment hierarchy of a resource graph (JGF, in the scheduling part of RFC 20)."""

import json
import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain, groupby
from typing import Any

from fluxtui.answers.containment.items import (
    LOOK_UP,
    MANY,
    TYPES_COUNTED,
    Fold,
    Item,
    Tally,
    Vertex,
)
from fluxtui.model.cancellation import Stop
from fluxtui.model.resources.graph import Graph, Link
from fluxtui.model.resources.resource_set import Resources, node_indices
from fluxtui.notation.sets.bits import fill
from fluxtui.notation.sets.idset import EMPTY, IdSet

LOOKED_INTO = 4096  # with more children, leaves are compared by type, size and rank only

#: The types that R counts itself: a pool of these is counted by its size.
COUNTED = ("core", "gpu")

# Keys that are shown elsewhere, or that mean nothing on their own.
_HIDDEN = frozenset({"type", "name", "size", "unit", "rank", "paths", "properties", "status"})

# A name that ends in a number without leading zeros.
_NUMBERED = re.compile(r"(.*[^0-9]|)(0|[1-9][0-9]{0,17})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Kind:
    """The vertices of one type: their places, and cumulative sizes if the sizes matter."""

    type: str
    places: "array[int]"
    sums: list[int] | None
    unit: str

    def tally(self, start: int, end: int) -> Tally | None:
        """Return how many there are from start up to end; None if there are none."""
        low, high = bisect_left(self.places, start), bisect_right(self.places, end - 1)
        if low == high:
            return None
        total = self.sums[high] - self.sums[low] if self.sums is not None else None
        if total is None or (total == high - low and not self.unit):
            return Tally(self.type, high - low)
        if self.type in COUNTED and not self.unit:
            return Tally(self.type, total)
        return Tally(self.type, high - low, total, self.unit)


@dataclass(frozen=True, slots=True)
class TreeOrder:
    """The place of each vertex: its line number when the whole tree is open.

    order    the rows in that order, and the place of each row in it
    end      the first place after everything below each row
    kinds    the vertices by type, in the order of their first one
    nodes    the places of the nodes that the cluster has, and their indices
    index    the index of each of these nodes by row, and its row by index
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
    """The vertices of a resource graph, each identified by its row."""

    is_derived = False

    def __init__(self, graph: Graph, resources: Resources) -> None:
        self._graph = graph
        self._resources = resources
        self._order: TreeOrder | None = None
        self.origin = "from the graph"
        self.roots: Sequence[int] = graph.roots  # the vertices that nothing contains
        self._nodes = lru_cache(256)(self._look_up_nodes)

    @property
    def ready(self) -> bool:
        """Whether the places are known."""
        return self._order is not None

    def work_out(self, stop: Stop) -> TreeOrder | None:
        """Compute the places of all vertices; about a second for a million. None if stopped."""
        return _ordered(self._graph, self._resources, stop)

    def take(self, found: Any) -> None:
        """Use the places that `work_out` returned."""
        self._order = found
        self._nodes.cache_clear()

    def children(self, vertex: int) -> Sequence[int]:
        """Return the children of a vertex."""
        return self._graph.children[vertex]

    def parent(self, vertex: int) -> int:
        """Return the parent of a vertex; -1 if it has none."""
        return self._graph.parents[vertex]

    def vertex(self, vertex: int) -> Vertex:
        """Return what the line of a vertex shows; for a node, with its properties in R_lite too."""
        graph, names = self._graph, self._graph.properties(vertex)
        index = self._order.index.get(vertex) if self._order is not None else None
        if index is not None:
            names = tuple(dict.fromkeys((*names, *self._resources.properties_at(index))))
        size, unit, rank = graph.sizes[vertex], graph.units[vertex], graph.ranks[vertex]
        kind, name, is_down = graph.types[vertex], graph.names[vertex], graph.is_down(vertex)
        return Vertex(kind, name, size, unit, rank, is_down, names)

    def path(self, vertex: int) -> str:
        """Return the containment path."""
        return self._graph.path(vertex)

    def facts(self, vertex: int) -> tuple[tuple[str, str], ...]:
        """Return the metadata that lines do not show, and the properties with their values."""
        data = self._graph.data(vertex)
        found = [("vertex", self._graph.ids[vertex])]
        found += [(key, _words(value)) for key, value in data.items() if key not in _HIDDEN]
        paths, properties = data.get("paths"), data.get("properties")
        for name, path in paths.items() if isinstance(paths, dict) else ():
            if name != "containment":
                found.append((f"{name} path", _words(path)))
        if "status" in data:
            state = "down" if self._graph.is_down(vertex) else "up"
            found.append(("status", f"{_words(data['status'])} ({state})"))
        for name, value in properties.items() if isinstance(properties, dict) else ():
            if value not in ("", None):
                found.append((name, _words(value)))
        return tuple(found)

    def links(self, vertex: int) -> tuple[Link, ...]:
        """Return the edges of other subsystems at a vertex."""
        return self._graph.links(vertex)

    def ids(self, item: Item) -> tuple[IdSet, IdSet]:
        """Return no ids: a graph has vertices for cores and gpus instead."""
        return EMPTY, EMPTY

    def has_inside(self, vertex: int) -> bool:
        """Return False: a graph has vertices, not domains."""
        return False

    def whole(self, vertex: int) -> tuple[IdSet, IdSet]:
        """Return no ids: a graph has only what was allocated."""
        return EMPTY, EMPTY

    def node(self, vertex: int) -> int | None:
        """Return the index of the node that a vertex is or is in; None if unknown."""
        while vertex >= 0 and self._graph.types[vertex] != "node":
            vertex = self._graph.parents[vertex]
        return self._order.index.get(vertex) if self._order is not None else None

    def at(self, index: int) -> int | None:
        """Return the vertex of the node with an index; None if unknown."""
        return self._order.rows.get(index) if self._order is not None else None

    def tallies(self, vertex: int) -> tuple[Tally, ...]:
        """Return how many of each type are below a vertex, in the order of the whole graph."""
        if self._order is None:
            return ()
        start, end = self._order.place[vertex] + 1, self._order.end[vertex]
        found = (kind.tally(start, end) for kind in self._order.kinds if end > start)
        return tuple(one for one in found if one is not None)

    def nodes(self, vertex: int) -> int:
        """Return the nodes at and below a vertex, as a mask."""
        return self.between(vertex, vertex, whole=True)

    def between(self, first: int, last: int, *, whole: bool) -> int:
        """Return the nodes from first to last, top down; if whole, with those below last."""
        if self._order is None:
            return 0
        place = self._order.place
        return self._nodes(place[first], self._order.end[last] if whole else place[last] + 1)

    def _look_up_nodes(self, start: int, end: int) -> int:
        assert self._order is not None
        low, high = (bisect_left(self._order.nodes, place) for place in (start, end))
        indices = self._order.indices[low:high]
        if indices and max(indices) - min(indices) + 1 == len(indices):
            return fill((min(indices),), (max(indices),), self._resources.node_count)
        return fill(indices, indices, self._resources.node_count) if indices else 0

    def find(
        self, wanted: str, after: int, by: int, stop: Stop, *, here: bool = False
    ) -> int | None:
        """Find the next (by 1) or previous (-1) vertex with a text in its name, type or path."""
        if self._order is None or not wanted:
            return None
        order, at = self._order.order, self._order.place[after]
        if by > 0:
            begin = at if here else at + 1
            around = chain(range(begin, len(order)), range(begin))
        else:
            around = chain(range(at - 1, -1, -1), range(len(order) - 1, at - 1, -1))
        path, names, types = self._graph.path, self._graph.names, self._graph.types
        text = wanted.casefold()
        of_type = {type_ for type_ in set(types) if text in type_.casefold()}
        _, is_path, last = text.rpartition("/")
        for number, place in enumerate(around):
            if not number % LOOK_UP and stop():
                return None
            row = order[place]
            name = names[row].casefold()
            if is_path:
                is_it = name.startswith(last) and text in path(row).casefold()
            else:
                is_it = text in name or types[row] in of_type
            if is_it:
                return row
        return None

    def folded(self, parent: int, kids: Sequence[int]) -> Sequence[int | Fold]:
        """Return the children with runs of equal leaves folded."""
        found: list[int | Fold] = []
        key_of, at = self._coarse_key if len(kids) > LOOKED_INTO else self._exact_key, 0
        for key, group in groupby(kids, key_of):
            run = list(group)
            if key is None or len(run) < MANY:
                found += run
            else:
                found.append(Fold(parent, at, len(run), run[0], run[-1]))
            at += len(run)
        return found if len(found) < len(kids) else kids

    def _coarse_key(self, vertex: int) -> object:
        """Return the type, size and rank of a leaf; None for any other vertex, and for nodes."""
        graph = self._graph
        kind = graph.types[vertex]
        if kind == "node" or graph.children[vertex] or graph.links(vertex):
            return None
        return kind, graph.sizes[vertex], graph.ranks[vertex]

    def _exact_key(self, vertex: int) -> object:
        is_leaf = self._coarse_key(vertex) is not None
        return self.vertex(vertex)._replace(name="") if is_leaf else None

    def fold_name(self, fold: Fold) -> str:
        """Return the name of folded leaves: ``core0-47``, or the first and the last name."""
        first, last = self._graph.names[fold.first], self._graph.names[fold.last]
        if fold.count <= LOOKED_INTO:
            kids = self.children(fold.parent)[fold.start : fold.start + fold.count]
            read = [found for kid in kids if (found := _NUMBERED.fullmatch(self._graph.names[kid]))]
            numbers = IdSet.of(int(found[2]) for found in read)
            if numbers.count == fold.count and len({found[1] for found in read}) == 1:
                return f"{read[0][1]}{numbers}"
        return first if first == last else f"{first} … {last}"


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def link_words(link: Link, name: str) -> str:
    """Describe an edge: ``power → pdu0``, or ``power supplies_to ← pdu0``."""
    arrow = "→" if link.outward else "←"
    words = [word for word in (link.subsystem, link.name) if word] or ["edge"]
    return f"{' '.join(dict.fromkeys(words))} {arrow} {name}"


def _ordered(graph: Graph, resources: Resources, stop: Stop) -> TreeOrder | None:
    """Return the order of the vertices; None if stopped."""
    children, parents = graph.children, graph.parents
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
    place = array("i", bytes(len(parents) * array("i").itemsize))
    for at, row in enumerate(order):
        place[row] = at
    end = array("i", (at + 1 for at in place))
    for row in reversed(order):
        parent = parents[row]
        if parent >= 0 and end[row] > end[parent]:
            end[parent] = end[row]
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


def _kinds(graph: Graph, order: "array[int]") -> tuple[Kind, ...]:
    types, sizes, units = graph.types, graph.sizes, graph.units
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
        used = {units[order[place]] for place in places} if own.count(1) < len(own) else set()
        sums = list(accumulate(own, initial=0)) if len(used) == 1 else None
        kinds.append(Kind(kind, places, sums, used.pop() if sums else ""))
    return tuple(kinds)
