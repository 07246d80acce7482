"""What contains what in a resource graph (JGF, as RFC 20's scheduling part carries it)."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain

from fluxtui.answers.containment.containment import Containment
from fluxtui.answers.containment.items import (
    NO_NODES,
    NodeFacts,
    Nodes,
    Tally,
    Vertex,
    nodes_of,
)
from fluxtui.answers.containment.places import LOOK_UP, Places, placed, tally
from fluxtui.model.cancellation import Stop
from fluxtui.model.resources.document import Resources
from fluxtui.model.resources.graph import Graph, Link

# What is said elsewhere, or says nothing of its own.
_SAID = frozenset({"type", "name", "size", "unit", "rank", "paths", "properties", "status"})


class GraphContainment(Containment):
    """The vertices of a resource graph; each is known by its row."""

    def __init__(self, graph: Graph, resources: Resources) -> None:
        self._graph = graph
        self._resources = resources
        self._facts = NodeFacts(resources)
        self._places: Places | None = None
        self._roots = graph.roots
        self._nodes = lru_cache(256)(self._look_up_nodes)

    @property
    def ready(self) -> bool:
        """The places are known."""
        return self._places is not None

    def work_out(self, stop: Stop) -> Places | None:
        """The places of all vertices; a second or so for a million of them."""
        return placed(self._graph, self._resources, stop)

    def take(self, found: Places | None) -> None:
        """Take the places."""
        self._places = found
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
        index = self._places.index.get(vertex) if self._places is not None else None
        if index is not None:
            names = tuple(dict.fromkeys((*names, *self._facts.properties(index))))
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
        return self._places.index.get(vertex) if self._places is not None else None

    def at(self, index: int) -> int | None:
        """The vertex that is the node of an index."""
        return self._places.rows.get(index) if self._places is not None else None

    def tallies(self, vertex: int) -> tuple[Tally, ...]:
        """How many of each type are below a vertex, in the order of the whole graph's first."""
        if self._places is None:
            return ()
        start, end = self._places.place[vertex] + 1, self._places.end[vertex]
        found = (tally(kind, start, end) for kind in self._places.kinds if end > start)
        return tuple(one for one in found if one is not None)

    def nodes(self, vertex: int) -> Nodes:
        """The nodes at and below a vertex."""
        if self._places is None:
            return NO_NODES
        return self._nodes(self._places.place[vertex], self._places.end[vertex])

    def between(self, first: int, last: int, *, whole: bool) -> Nodes:
        """The nodes from one vertex to another in the order from above."""
        if self._places is None:
            return NO_NODES
        place = self._places.place
        end = self._places.end[last] if whole else place[last] + 1
        return self._nodes(place[first], end)

    def _look_up_nodes(self, start: int, end: int) -> Nodes:
        """The nodes from one place up to another."""
        assert self._places is not None
        low = bisect_left(self._places.nodes, start)
        high = bisect_left(self._places.nodes, end)
        return nodes_of(self._places.indices[low:high], self._resources.node_count)

    def find(
        self, wanted: str, after: int, by: int, stop: Stop, *, here: bool = False
    ) -> int | None:
        """The next vertex with a text in its name, type or path, or the one before."""
        if self._places is None or not wanted:
            return None
        order, at = self._places.order, self._places.place[after]
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

    def _outward(self, vertex: int) -> object:
        """The type and rank of a leaf; None for what is no leaf, and for nodes."""
        graph = self._graph
        kind = graph.types[vertex]
        if kind == "node" or graph.children[vertex] or graph.links(vertex):
            return None
        return kind, graph.sizes[vertex], graph.ranks[vertex]


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
