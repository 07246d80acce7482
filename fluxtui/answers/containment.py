"""What contains what in a cluster, for looking at it: from the cluster down to its cores.

A vertex is known by a number. Of a resource graph (JGF, as RFC 20's scheduling part carries it) it
is the row; what the execution part of an R document implies is numbered by rule, so that nothing is
made for a million nodes before it is looked at.
"""

import json
import re
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain, groupby
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias, overload

from fluxtui.model.cancellation import Stop
from fluxtui.model.jobspec.request import noun
from fluxtui.model.resources.graph import Graph, Link
from fluxtui.model.resources.resource_set import Resources, node_indices
from fluxtui.model.resources.topology import Domain
from fluxtui.notation.sets.bits import fill
from fluxtui.notation.sets.hostlist import format as format_hosts
from fluxtui.notation.sets.idset import EMPTY, IdSet

TYPES_COUNTED = 32  # of a graph with more types, the others are not counted
LOOKED_INTO = 4096  # equal leaves of which each is looked at closely before they are taken as equal
LOOK_UP = 4096  # vertices or nodes between two looks at whether to stop

CLUSTER = "cluster"
HOSTS = "hosts"  # the type of a run
RUN_RANGES = 3  # of its host names, that its own name has
PARTS = 65_536  # cores or gpus of a node that are looked through for a text

# What is shown elsewhere, or means nothing by itself.
_SAID = frozenset({"type", "name", "size", "unit", "rank", "paths", "properties", "status"})

# A name that ends in a number without leading zeros.
_NUMBERED = re.compile(r"(.*[^0-9]|)(0|[1-9][0-9]{0,17})", re.DOTALL)

MANY = 4  # equal leaves side by side that are put in one line

#: What R counts itself: a pool of these counts as many as it is large.
COUNTED = ("core", "gpu")


class Vertex(NamedTuple):
    """What the line of a vertex shows; rank is -1 where the document gives none."""

    type: str
    name: str
    size: int = 1
    unit: str = ""
    rank: int = -1
    is_down: bool = False
    properties: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tally:
    """How many vertices of a type there are; total is of their sizes, where that says more."""

    type: str
    count: int
    total: int | None = None
    unit: str = ""

    @property
    def words(self) -> str:
        """``1,728 cores``, ``16 memory 32 GB``."""
        text = f"{self.count:,} {noun(self.type, self.count) or '(no type)'}"
        return text if self.total is None else f"{text} {self.total:,} {self.unit or 'units'}"


@dataclass(frozen=True, slots=True)
class Fold:
    """Equal leaves side by side below a vertex, in one line; start is among its children."""

    parent: int
    start: int
    count: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Bond:
    """An edge of another subsystem at a vertex, in a line of its own below it."""

    vertex: int
    link: Link


Item = int | Fold | Bond


class Items:
    """What is below an open vertex: its edges, then its children, equal leaves folded."""

    __slots__ = ("_bonds", "_kids")

    def __init__(self, bonds: Sequence[Bond], kids: Sequence[int | Fold]) -> None:
        self._bonds = bonds
        self._kids = kids

    def __len__(self) -> int:
        return len(self._bonds) + len(self._kids)

    def __getitem__(self, place: int) -> Item:
        before = len(self._bonds)
        return self._bonds[place] if place < before else self._kids[place - before]

    def place_of(self, vertex: int) -> int | None:
        """Where a child is, or the fold that it is in; None where it is not a child."""
        kids, before = self._kids, len(self._bonds)
        if isinstance(kids, range):
            return before + kids.index(vertex) if vertex in kids else None
        at = bisect_right(kids, vertex, key=lambda k: k.first if isinstance(k, Fold) else k) - 1
        last = -1 if at < 0 else kids[at]
        is_within = vertex <= (last.last if isinstance(last, Fold) else last)
        return before + at if is_within else None


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
            return _run(min(indices), max(indices) + 1)
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


class _Address(NamedTuple):
    """Where a vertex is: the cluster, a run of it, a node of that, or one of its parts.

    node is its index, or that of the first one; part is OF_CLUSTER, OF_RUN, OF_NODE, or from 0
    the number of a domain, core or gpu.
    """

    node: int
    part: int


OF_CLUSTER, OF_RUN, OF_NODE = -3, -2, -1
PART: Callable[["Level"], int] = attrgetter("part")


class Level(NamedTuple):
    """A domain of a node: how many of its name come before it, its part and that of what it is in;
    inside are the parts of the domains directly in it. The node may have a part of what is whole.
    """

    domain: Domain
    whole: Domain
    number: int
    part: int
    above: int
    inside: tuple[int, ...]

    @property
    def name(self) -> str:
        """Its name with its number: ``socket0``; the node's is not known here."""
        return f"{self.domain.name}{self.number}"

    @property
    def leaves(self) -> int:
        """How many cores and gpus it has in no domain inside."""
        return self.domain.cores.count + self.domain.gpus.count


class Inside:
    """The parts of equal nodes, by number from above: a domain, its cores and gpus, those inside.

    The node is the outermost domain, and has the number OF_NODE. whole is what such a node has, of
    which this one may have been given a part.
    """

    def __init__(self, node: Domain, whole: Domain) -> None:
        self.levels: list[Level] = []
        self._counts: Counter[str] = Counter()
        self.size = OF_NODE  # of parts, once all are added
        self._add(node, whole, OF_RUN)
        self.levels.sort(key=PART)

    def _add(self, domain: Domain, whole: Domain, above: int) -> int:
        """Number a domain with all that is in it; its part."""
        part, number = self.size, self._counts[domain.name]
        self._counts[domain.name] += 1
        self.size += 1 + domain.cores.count + domain.gpus.count
        both = zip(domain.domains, whole.domains, strict=True)
        inside = tuple(self._add(inner, its_whole, part) for inner, its_whole in both)
        self.levels.append(Level(domain, whole, number, part, above, inside))
        return part

    def level(self, part: int) -> Level:
        """The domain that a part is, or is directly in."""
        return self.levels[bisect_right(self.levels, part, key=PART) - 1]

    def path(self, part: int) -> str:
        """The names from the node down to a domain, each with a slash before it."""
        level = self.level(part)
        return f"{self.path(level.above)}/{level.name}" if level.part > OF_NODE else ""

    def leaf(self, part: int) -> tuple[str, int]:
        """What a part is that is no domain: ``core`` or ``gpu``, and its id."""
        level = self.level(part)
        place, cores = part - level.part - 1, level.domain.cores
        if place < cores.count:
            return "core", cores.nth(place)
        return "gpu", level.domain.gpus.nth(place - cores.count)

    def name(self, part: int) -> str:
        """The name of a part."""
        level = self.level(part)
        return level.name if level.part == part else "{}{}".format(*self.leaf(part))


class Joined(Sequence[int]):
    """Numbers in a row and then others; the first, of which there may be millions, stay a range."""

    def __init__(self, first: range, then: Sequence[int]) -> None:
        self._first, self._then = first, then

    def __len__(self) -> int:
        return len(self._first) + len(self._then)

    @overload
    def __getitem__(self, place: int) -> int: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[int]: ...
    def __getitem__(self, place: int | slice) -> int | Sequence[int]:
        count = len(self._first)
        if isinstance(place, slice):
            start, stop, _ = place.indices(len(self))
            head, tail = self._first[start:stop], self._then[max(start - count, 0) : stop - count]
            return Joined(head, tail) if stop > count else head
        return self._first[place] if 0 <= place < count else self._then[place - count]


class ListedContainment:
    """The containment that an R document without a graph implies (RFC 20's R_lite, RFC 49).

    A cluster, runs of like host names, nodes, the domains inside these where the document has
    topologies, cores and gpus, which are numbered by rule in this order. Number 0 is the cluster;
    the runs follow, then the nodes, then for each node as many numbers as the largest node has
    parts. One run alone is left out.
    """

    is_derived = True

    def __init__(self, resources: Resources, runs: Sequence[tuple[int, int]]) -> None:
        self._resources = resources
        self._runs = tuple(runs) if len(runs) > 1 else ()
        self._starts = {start: number for number, (start, _) in enumerate(self._runs, 1)}
        self._first_node = 1 + len(self._runs)
        self._first_part = self._first_node + resources.node_count
        self._insides: dict[int, Inside] = {}  # by the domain, which is the same of equal nodes
        plain = max((k.cores.count + k.gpus.count for k in resources.kinds), default=0)
        wide = max((Inside(one.node, one.node).size for one in resources.topologies), default=0)
        self._width = plain + wide or 1
        self._totals: tuple[tuple[Tally, ...], ...] = ()
        self._name = lru_cache(256)(self._run_name)
        #: What of the document it is made of.
        self.origin = "derived from R_lite"
        if resources.topologies:
            self.origin = "from R_lite and topologies"
        self.roots: Sequence[int] = range(1 if resources.node_count else 0)

    @property
    def ready(self) -> bool:
        """The totals are known."""
        return bool(self._totals)

    def work_out(self, stop: Stop) -> tuple[tuple[Tally, ...], ...] | None:
        """What the cluster and each run hold; some milliseconds each at a million nodes."""
        found: list[tuple[Tally, ...]] = []
        for start, end in ((0, self._resources.node_count), *self._runs):
            if stop():
                return None
            mask = _run(start, end)
            totals, total = self._resources.totals(mask), self._resources.total
            names = self._resources.domain_names[:TYPES_COUNTED]
            domains = {name: total(name, mask) for name in names}
            counts = {"node": totals.nodes, **domains, "core": totals.cores, "gpu": totals.gpus}
            found.append(_tallies(counts))
        return tuple(found)

    def take(self, found: Any) -> None:
        """Take the totals."""
        self._totals = found or ()

    def _where(self, vertex: int) -> _Address:
        if vertex >= self._first_part:
            return _Address(*divmod(vertex - self._first_part, self._width))
        if vertex >= self._first_node:
            return _Address(vertex - self._first_node, OF_NODE)
        return _Address(self._runs[vertex - 1][0], OF_RUN) if vertex else _Address(0, OF_CLUSTER)

    def _number(self, place: _Address) -> int:
        if place.part >= 0:
            return self._first_part + place.node * self._width + place.part
        if place.part == OF_NODE:
            return self._first_node + place.node
        return self._starts[place.node] if place.part == OF_RUN else 0

    def _inside(self, index: int) -> Inside:
        """The parts of a node."""
        node = self._resources.inside_at(index)
        if id(node) not in self._insides:
            self._insides[id(node)] = Inside(node, self._resources.topology_at(index))
        return self._insides[id(node)]

    def _level(self, vertex: int) -> tuple[Level | None, bool]:
        """The domain that a vertex is, or is directly in, and whether it is one; None above."""
        index, part = self._where(vertex)
        if part < OF_NODE:
            return None, False
        level = self._inside(index).level(part)
        return level, level.part == part

    def children(self, vertex: int) -> Sequence[int]:
        """What a vertex contains directly."""
        index, part = self._where(vertex)
        if part == OF_CLUSTER and self._runs:
            return range(1, self._first_node)
        level, is_domain = self._level(vertex)
        if level is None:
            start, stop = self._span(vertex)
            return range(self._first_node + start, self._first_node + stop)
        first = self._number(_Address(index, part + 1))
        own = range(first, first + (level.leaves if is_domain else 0))
        inside = level.inside if is_domain else ()
        return Joined(own, [first + inner - part - 1 for inner in inside]) if inside else own

    def links(self, vertex: int) -> tuple[Link, ...]:
        """None: an execution part has no edges."""
        return ()

    def parent(self, vertex: int) -> int:
        """What contains a vertex directly; -1 for the cluster."""
        index, part = self._where(vertex)
        level, is_domain = self._level(vertex)
        if level is not None and part >= 0:
            return self._number(_Address(index, level.above if is_domain else level.part))
        if part == OF_NODE:  # in a run, or in the cluster where there are none
            return bisect_right(self._runs, index, key=lambda run: run[0])
        return 0 if part == OF_RUN else -1

    def folded(self, parent: int, kids: Sequence[int]) -> Sequence[int | Fold]:
        """The cores of a node or domain in one line, and its gpus in another."""
        level, _ = self._level(parent)
        if level is None:
            return kids
        cores = level.domain.cores.count
        found: list[int | Fold] = []
        for start, count in ((0, cores), (cores, level.leaves - cores)):
            if count < MANY:
                found += kids[start : start + count]
            else:
                found.append(Fold(parent, start, count, kids[start], kids[start + count - 1]))
        return [*found, *kids[level.leaves :]]

    def fold_name(self, fold: Fold) -> str:
        """The cores of a node or domain, or its gpus: ``core0-47``."""
        cores, gpus = self.ids(fold)
        return f"core{cores}" if cores else f"gpu{gpus}"

    def ids(self, item: Item) -> tuple[IdSet, IdSet]:
        """The cores and gpus at and below a node, or what is in one; nothing above."""
        vertex = item.parent if isinstance(item, Fold) else item
        level, is_domain = self._level(vertex) if isinstance(vertex, int) else (None, False)
        if level is None or not isinstance(vertex, int):
            return EMPTY, EMPTY
        if isinstance(item, Fold):
            is_first = item.start < level.domain.cores.count
            return (level.domain.cores, EMPTY) if is_first else (EMPTY, level.domain.gpus)
        if is_domain:
            return level.domain.all_cores, level.domain.all_gpus
        kind, id_ = self._inside(self._where(vertex).node).leaf(self._where(vertex).part)
        return (IdSet.of([id_]), EMPTY) if kind == "core" else (EMPTY, IdSet.of([id_]))

    def has_inside(self, vertex: int) -> bool:
        """There are domains in a node or domain."""
        level, is_domain = self._level(vertex)
        return level is not None and is_domain and bool(level.inside)

    def whole(self, vertex: int) -> tuple[IdSet, IdSet]:
        """What a domain has of a node that was not given in part, as an allocation has it.

        Nothing of any other vertex, and of nodes that are whole.
        """
        level, is_domain = self._level(vertex)
        if level is None or not is_domain:
            return EMPTY, EMPTY
        node = self._inside(self._where(vertex).node).levels[0]
        whole, own = node.whole, node.domain
        if not (whole.all_cores - own.all_cores or whole.all_gpus - own.all_gpus):
            return EMPTY, EMPTY
        return level.whole.all_cores, level.whole.all_gpus

    def node(self, vertex: int) -> int | None:
        """The index of the node that a vertex is or is within."""
        index, part = self._where(vertex)
        return index if part >= OF_NODE else None

    def at(self, index: int) -> int | None:
        """The vertex that is the node of an index."""
        return self._first_node + index if 0 <= index < self._resources.node_count else None

    def nodes(self, vertex: int) -> int:
        """The nodes at and below a vertex, as a mask."""
        return self.between(vertex, vertex, whole=True)

    def between(self, first: int, last: int, *, whole: bool) -> int:
        """The nodes from one vertex to another in the order from above; whole: and those below."""
        (start, _), (low, high) = self._span(first), self._span(last)
        stop = high if whole or last >= self._first_node else low
        return _run(start, stop)

    def _span(self, vertex: int) -> tuple[int, int]:
        """The nodes at and below a vertex: the first one, and the next after the last."""
        index, part = self._where(vertex)
        if part == OF_CLUSTER:
            return 0, self._resources.node_count
        if part == OF_RUN:
            return self._runs[vertex - 1]
        return index + (part >= 0), index + 1  # what is within a node comes after it

    def vertex(self, vertex: int) -> Vertex:
        """What its line shows."""
        index, part = self._where(vertex)
        if part == OF_CLUSTER:
            return Vertex(CLUSTER, CLUSTER)
        if part == OF_RUN:
            return Vertex(HOSTS, self._name(vertex))
        if part == OF_NODE:
            rank, properties = self._resources.rank(index), self._resources.properties_at(index)
            return Vertex("node", self._node_name(index), rank=rank, properties=properties)
        inside = self._inside(index)
        level = inside.level(part)
        if level.part < part:
            return Vertex(inside.leaf(part)[0], inside.name(part))
        memory = level.domain.memory
        size, unit = (1, "") if memory is None else (memory, "GiB")
        return Vertex(level.domain.name, level.name, size, unit)

    def _node_name(self, index: int) -> str:
        return self._resources.host(index) or f"rank {self._resources.rank(index)}"

    def _run_name(self, vertex: int) -> str:
        start, stop = self._span(vertex)
        hosts = self._resources.hosts.pick([(start, stop - 1)], RUN_RANGES + 1)
        return format_hosts(hosts, RUN_RANGES) or f"nodes {start}-{stop - 1}"

    def path(self, vertex: int) -> str:
        """The path, as Fluxion has it where it makes a graph of such a document."""
        index, part = self._where(vertex)
        if part == OF_CLUSTER:
            return "/cluster0"
        if part == OF_RUN:
            return f"/cluster0 {self._name(vertex)}"
        inside, path = self._inside(index), f"/cluster0/{self._node_name(index)}"
        level, is_domain = inside.level(part), self._level(vertex)[1]
        path += inside.path(level.part)
        return path if is_domain else f"{path}/{inside.name(part)}"

    def facts(self, vertex: int) -> tuple[tuple[str, str], ...]:
        """The cores, gpus, memory and storage of a node or domain."""
        level, is_domain = self._level(vertex)
        if level is None or not is_domain:
            return ()
        domain = level.domain
        found = [("cores", str(domain.all_cores)), ("gpus", str(domain.all_gpus))]
        found.append(("memory", f"{domain.all_memory:,} GiB" if domain.all_memory else ""))
        found += [("storage", str(one)) for one in domain.storage]
        return tuple((name, words) for name, words in found if words)

    def tallies(self, vertex: int) -> tuple[Tally, ...]:
        """How many of each type are below a vertex."""
        level, is_domain = self._level(vertex)
        if level is None:
            return self._totals[vertex] if self._totals else ()
        if not is_domain:
            return ()
        cores, gpus = level.domain.all_cores.count, level.domain.all_gpus.count
        return _tallies({**level.domain.counts, "core": cores, "gpu": gpus})

    def find(
        self, wanted: str, after: int, by: int, stop: Stop, *, here: bool = False
    ) -> int | None:
        """The next vertex with a text in its name, type or path, or the one before."""
        count = self._resources.node_count
        if not wanted or not count:
            return None
        hits, place = self._hits(wanted.casefold()), self._where(after)
        for number in range(count + 1):
            if not number % LOOK_UP and stop():
                return None
            found = hits((place.node + by * number) % count)
            if number == 0 and by > 0:
                found = [hit for hit in found if hit > place or (here and hit == place)]
            elif number == 0:
                found = [hit for hit in found if hit < place]
            if found:
                return self._number(found[0] if by > 0 else found[-1])
        return None

    def _hits(self, wanted: str) -> Callable[[int], list[_Address]]:
        """What gives the vertices with a text of a node, and the run and cluster it begins."""
        lead, slash, last = wanted.rpartition("/")
        found_in: dict[int, dict[str, list[int]]] = {}  # equal nodes are looked at once

        def has(name: str, kind: str, path: str = "") -> bool:
            if slash:
                return name.startswith(last) and wanted in path
            return wanted in name or wanted in kind

        def parts(index: int) -> dict[str, list[int]]:
            """The parts with the text in their names, by the path below the node that they are in;
            of a path, its last step begins the name.
            """
            inside = self._inside(index)
            if id(inside) not in found_in:
                here = found_in[id(inside)] = {}
                for part in range(min(inside.size, PARTS)):
                    name = inside.name(part).casefold()
                    if name.startswith(last) if slash else wanted in name:
                        level = inside.level(part)
                        at = level.above if level.part == part else part
                        here.setdefault(inside.path(at).casefold(), []).append(part)
            return found_in[id(inside)]

        def hits(index: int) -> list[_Address]:
            found = []
            if index == 0 and has("cluster0", CLUSTER, "/cluster0"):
                found.append(_Address(0, OF_CLUSTER))
            run = self._starts.get(index)
            if run and has(self._name(run).casefold(), HOSTS):
                found.append(_Address(index, OF_RUN))
            name = self._node_name(index).casefold()
            path = f"/cluster0/{name}"
            if has(name, "node", path):
                found.append(_Address(index, OF_NODE))
            for below, own in parts(index).items():
                if not slash or f"{path}{below}".endswith(lead):
                    found += [_Address(index, part) for part in own]
            return sorted(found) if len(found) > 1 else found

        return hits


def _run(start: int, stop: int) -> int:
    """The mask of consecutive nodes."""
    return ((1 << max(stop - start, 0)) - 1) << start


def _tallies(counts: Mapping[str, int]) -> tuple[Tally, ...]:
    return tuple(Tally(kind, count) for kind, count in counts.items() if count)


#: Both answer the same questions. What takes a walk over all vertices is known once `work_out` has
#: run in the background and `take` has been given its result.
Containment: TypeAlias = GraphContainment | ListedContainment


def containment_of(
    graph: Graph | None, resources: Resources, runs: Sequence[tuple[int, int]]
) -> Containment:
    """What contains what in a document: by its graph, or by what R says without one.

    runs are those of like host names, as of `ListedContainment`.
    """
    if graph is not None and graph.types:
        return GraphContainment(graph, resources)
    return ListedContainment(resources, runs)


def items_below(tree: Containment, item: Item | None) -> Items:
    """What is below an item once it is open; None is the whole tree."""
    if item is None:
        return Items((), tree.roots)
    if isinstance(item, Bond):
        return Items((), ())
    if isinstance(item, Fold):
        return Items((), tree.children(item.parent)[item.start : item.start + item.count])
    bonds = [Bond(item, link) for link in tree.links(item)]
    kids = tree.children(item)
    return Items(bonds, tree.folded(item, kids) if len(kids) >= MANY else kids)


def can_open(tree: Containment, item: Item) -> bool:
    """Whether something is below an item."""
    if isinstance(item, Fold):
        return True
    return not isinstance(item, Bond) and bool(tree.children(item) or tree.links(item))
