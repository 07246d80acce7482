"""What contains what in a resource graph (JGF, as RFC 20's scheduling part carries it)."""

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

LOOKED_INTO = 4096  # equal leaves of which each is looked at closely before they are taken as equal

#: What R counts itself: a pool of these counts as many as it is large.
COUNTED = ("core", "gpu")

# What is shown elsewhere, or means nothing by itself.
_SAID = frozenset({"type", "name", "size", "unit", "rank", "paths", "properties", "status"})

# A name that ends in a number without leading zeros.
_NUMBERED = re.compile(r"(.*[^0-9]|)(0|[1-9][0-9]{0,17})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Kind:
    """The vertices of one type: their places, and their sizes added up where these count."""

    type: str
    places: "array[int]"
    sums: list[int] | None
    unit: str

    def tally(self, start: int, end: int) -> Tally | None:
        """How many there are between two places; None for none."""
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
    """Where each vertex is when the whole tree is open, counted from above.

    order    the rows in that order, and the place of each row in it
    end      the first place after all that is below each row
    kinds    the vertices by type, in the order of their first one
    nodes    the places of the nodes that the cluster has, and their indices
    index    the index of each of these by row, and its row by index
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
        self.origin = "from the graph"
        self.roots: Sequence[int] = graph.roots  # the vertices that nothing contains
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

    def children(self, vertex: int) -> Sequence[int]:
        """What a vertex contains directly."""
        return self._graph.children[vertex]

    def parent(self, vertex: int) -> int:
        """What contains a vertex directly; -1 where nothing does."""
        return self._graph.parents[vertex]

    def vertex(self, vertex: int) -> Vertex:
        """What its line shows; of a node, the properties of the execution part too."""
        graph, names = self._graph, self._graph.properties(vertex)
        index = self._order.index.get(vertex) if self._order is not None else None
        if index is not None:
            names = tuple(dict.fromkeys((*names, *self._resources.properties_at(index))))
        size, unit, rank = graph.sizes[vertex], graph.units[vertex], graph.ranks[vertex]
        kind, name, is_down = graph.types[vertex], graph.names[vertex], graph.is_down(vertex)
        return Vertex(kind, name, size, unit, rank, is_down, names)

    def path(self, vertex: int) -> str:
        """The containment path."""
        return self._graph.path(vertex)

    def facts(self, vertex: int) -> tuple[tuple[str, str], ...]:
        """The metadata that no line says, and the properties with their values."""
        data = self._graph.data(vertex)
        found = [("vertex", self._graph.ids[vertex])]
        found += [(key, _words(value)) for key, value in data.items() if key not in _SAID]
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
        """The edges of other subsystems at a vertex."""
        return self._graph.links(vertex)

    def ids(self, item: Item) -> tuple[IdSet, IdSet]:
        """Nothing: vertices of a graph are not told by ids of cores and gpus."""
        return EMPTY, EMPTY

    def has_inside(self, vertex: int) -> bool:
        """False: what is inside vertices is told by these, and not by ids."""
        return False

    def whole(self, vertex: int) -> tuple[IdSet, IdSet]:
        """Nothing: a graph has what was given, and no more."""
        return EMPTY, EMPTY

    def node(self, vertex: int) -> int | None:
        """The index of the node that a vertex is or is within; None where it is not known."""
        while vertex >= 0 and self._graph.types[vertex] != "node":
            vertex = self._graph.parents[vertex]
        return self._order.index.get(vertex) if self._order is not None else None

    def at(self, index: int) -> int | None:
        """The vertex that is the node of an index."""
        return self._order.rows.get(index) if self._order is not None else None

    def tallies(self, vertex: int) -> tuple[Tally, ...]:
        """How many of each type are below a vertex, in the order of the whole graph's first."""
        if self._order is None:
            return ()
        start, end = self._order.place[vertex] + 1, self._order.end[vertex]
        found = (kind.tally(start, end) for kind in self._order.kinds if end > start)
        return tuple(one for one in found if one is not None)

    def nodes(self, vertex: int) -> int:
        """The nodes at and below a vertex, as a mask."""
        return self.between(vertex, vertex, whole=True)

    def between(self, first: int, last: int, *, whole: bool) -> int:
        """The nodes from one vertex to another in the order from above; whole: and those below."""
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
        """The next vertex with a text in its name, type or path, or the one before."""
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
        """Children with runs of equal leaves put together."""
        found: list[int | Fold] = []
        look, at = self._outward if len(kids) > LOOKED_INTO else self._closely, 0
        for key, group in groupby(kids, look):
            run = list(group)
            if key is None or len(run) < MANY:
                found += run
            else:
                found.append(Fold(parent, at, len(run), run[0], run[-1]))
            at += len(run)
        return found if len(found) < len(kids) else kids

    def _outward(self, vertex: int) -> object:
        """The type, size and rank of a leaf; None for any other vertex, and for nodes."""
        graph = self._graph
        kind = graph.types[vertex]
        if kind == "node" or graph.children[vertex] or graph.links(vertex):
            return None
        return kind, graph.sizes[vertex], graph.ranks[vertex]

    def _closely(self, vertex: int) -> object:
        is_leaf = self._outward(vertex) is not None
        return self.vertex(vertex)._replace(name="") if is_leaf else None

    def fold_name(self, fold: Fold) -> str:
        """The names of folded leaves: ``core0-47``, or the first and the last."""
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
    """An edge in words: ``power → pdu0``, or ``power supplies_to ← pdu0``."""
    arrow = "→" if link.outward else "←"
    words = [word for word in (link.subsystem, link.name) if word] or ["edge"]
    return f"{' '.join(dict.fromkeys(words))} {arrow} {name}"


def _ordered(graph: Graph, resources: Resources, stop: Stop) -> TreeOrder | None:
    """Where each vertex is, and what is below it; None once stop says so."""
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
