"""The containment hierarchy of an R document without a graph (RFC 20's R_lite, RFC 49)."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple, overload

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
from fluxtui.model.resources.graph import Link
from fluxtui.model.resources.resource_set import Resources
from fluxtui.model.resources.topology import Domain
from fluxtui.notation.sets.hostlist import format as format_hosts
from fluxtui.notation.sets.idset import EMPTY, IdSet

CLUSTER = "cluster"
HOSTS = "hosts"  # the type of a run
RUN_RANGES = 3  # how many ranges of host names the name of a run has
PARTS = 65_536  # how many cores or gpus of a node are searched for a text


class _Address(NamedTuple):
    """The position of a vertex: the cluster, a run, a node, or a part of a node.

    node is its index, or that of its first node; part is OF_CLUSTER, OF_RUN, OF_NODE, or the
    number, from 0, of a domain, core or gpu.
    """

    node: int
    part: int


OF_CLUSTER, OF_RUN, OF_NODE = -3, -2, -1
PART: Callable[["Level"], int] = attrgetter("part")


class Level(NamedTuple):
    """A domain of a node: its number among those of its name, its part and that of its container;
    inside are the parts of the domains directly in it. Of whole the node may have only a part.
    """

    domain: Domain
    whole: Domain
    number: int
    part: int
    above: int
    inside: tuple[int, ...]

    @property
    def name(self) -> str:
        """Its name with its number, such as ``socket0``; not the name of a node."""
        return f"{self.domain.name}{self.number}"

    @property
    def leaves(self) -> int:
        """The number of its cores and gpus that are not in an inner domain."""
        return self.domain.cores.count + self.domain.gpus.count


class Inside:
    """The parts of equal nodes, numbered top down: a domain, its cores and gpus, its inner domains.

    The node is the outermost domain, with the number OF_NODE. whole is the complete node, of which
    this one may have been allocated only a part.
    """

    def __init__(self, node: Domain, whole: Domain) -> None:
        self.levels: list[Level] = []
        self._counts: Counter[str] = Counter()
        self.size = OF_NODE  # the number of parts, once all are added
        self._add(node, whole, OF_RUN)
        self.levels.sort(key=PART)

    def _add(self, domain: Domain, whole: Domain, above: int) -> int:
        """Number a domain with everything in it; return its part number."""
        part, number = self.size, self._counts[domain.name]
        self._counts[domain.name] += 1
        self.size += 1 + domain.cores.count + domain.gpus.count
        both = zip(domain.domains, whole.domains, strict=True)
        inside = tuple(self._add(inner, its_whole, part) for inner, its_whole in both)
        self.levels.append(Level(domain, whole, number, part, above, inside))
        return part

    def level(self, part: int) -> Level:
        """Return the domain that a part is, or is directly in."""
        return self.levels[bisect_right(self.levels, part, key=PART) - 1]

    def path(self, part: int) -> str:
        """Return the names from the node down to the domain of a part, each after a slash."""
        level = self.level(part)
        return f"{self.path(level.above)}/{level.name}" if level.part > OF_NODE else ""

    def leaf(self, part: int) -> tuple[str, int]:
        """Return ``core`` or ``gpu``, and the id, for a part that is not a domain."""
        level = self.level(part)
        place, cores = part - level.part - 1, level.domain.cores
        if place < cores.count:
            return "core", cores.nth(place)
        return "gpu", level.domain.gpus.nth(place - cores.count)

    def name(self, part: int) -> str:
        """Return the name of a part."""
        level = self.level(part)
        return level.name if level.part == part else "{}{}".format(*self.leaf(part))


class Joined(Sequence[int]):
    """A range followed by other numbers; the range may have millions and is never expanded."""

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
    """The containment hierarchy of an R document without a graph (RFC 20's R_lite, RFC 49).

    It has the cluster, runs of similar host names, nodes, their domains if the document has
    topologies, cores and gpus. Number 0 is the cluster; the runs follow, then the nodes, then for
    each node as many numbers as the largest node has parts. A single run is left out.
    """

    is_derived = True

    def __init__(self, resources: Resources, runs: Sequence[tuple[int, int]]) -> None:
        self._resources = resources
        self._runs = tuple(runs) if len(runs) > 1 else ()
        self._starts = {start: number for number, (start, _) in enumerate(self._runs, 1)}
        self._first_node = 1 + len(self._runs)
        self._first_part = self._first_node + resources.node_count
        self._insides: dict[int, Inside] = {}  # by id of the domain, which equal nodes share
        plain = max((k.cores.count + k.gpus.count for k in resources.kinds), default=0)
        wide = max((Inside(one.node, one.node).size for one in resources.topologies), default=0)
        self._width = plain + wide or 1
        self._totals: tuple[tuple[Tally, ...], ...] = ()
        self._name = lru_cache(256)(self._run_name)
        #: The parts of the document that it is derived from.
        self.origin = "derived from R_lite"
        if resources.topologies:
            self.origin = "from R_lite and topologies"
        self.roots: Sequence[int] = range(1 if resources.node_count else 0)

    @property
    def ready(self) -> bool:
        """Whether the totals are known."""
        return bool(self._totals)

    def work_out(self, stop: Stop) -> tuple[tuple[Tally, ...], ...] | None:
        """Count what the cluster and each run hold; a few milliseconds each at a million nodes."""
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
        """Use the totals that `work_out` returned."""
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
        """Return the parts of a node."""
        node = self._resources.inside_at(index)
        if id(node) not in self._insides:
            self._insides[id(node)] = Inside(node, self._resources.topology_at(index))
        return self._insides[id(node)]

    def _level(self, vertex: int) -> tuple[Level | None, bool]:
        """Return the domain that a vertex is or is in (None above nodes), and whether it is one."""
        index, part = self._where(vertex)
        if part < OF_NODE:
            return None, False
        level = self._inside(index).level(part)
        return level, level.part == part

    def children(self, vertex: int) -> Sequence[int]:
        """Return the children of a vertex."""
        index, part = self._where(vertex)
        if part == OF_CLUSTER and self._runs:
            return range(1, self._first_node)
        level, is_domain = self._level(vertex)
        if level is None:
            start, stop = self._span(vertex)
            return range(self._first_node + start, self._first_node + stop)
        first = self._number(_Address(index, part + 1))
        leaves = range(first, first + (level.leaves if is_domain else 0))
        inside = level.inside if is_domain else ()
        return Joined(leaves, [first + inner - part - 1 for inner in inside]) if inside else leaves

    def links(self, vertex: int) -> tuple[Link, ...]:
        """Return no links: an execution part has no edges."""
        return ()

    def parent(self, vertex: int) -> int:
        """Return the parent of a vertex; -1 for the cluster."""
        index, part = self._where(vertex)
        level, is_domain = self._level(vertex)
        if level is not None and part >= 0:
            return self._number(_Address(index, level.above if is_domain else level.part))
        if part == OF_NODE:  # in a run, or in the cluster if there are no runs
            return bisect_right(self._runs, index, key=lambda run: run[0])
        return 0 if part == OF_RUN else -1

    def folded(self, parent: int, kids: Sequence[int]) -> Sequence[int | Fold]:
        """Fold the cores of a node or domain into one line, and its gpus into another."""
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
        """Return the name of a fold of cores or gpus, such as ``core0-47``."""
        cores, gpus = self.ids(fold)
        return f"core{cores}" if cores else f"gpu{gpus}"

    def ids(self, item: Item) -> tuple[IdSet, IdSet]:
        """Return the ids of the cores and gpus at and below an item within a node; none above."""
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
        """Whether a vertex is a node or domain that contains domains."""
        level, is_domain = self._level(vertex)
        return level is not None and is_domain and bool(level.inside)

    def whole(self, vertex: int) -> tuple[IdSet, IdSet]:
        """Return the cores and gpus of the complete domain if its node is only partly allocated.

        Empty for any other vertex, and for complete nodes.
        """
        level, is_domain = self._level(vertex)
        if level is None or not is_domain:
            return EMPTY, EMPTY
        node = self._inside(self._where(vertex).node).levels[0]
        complete, given = node.whole, node.domain
        if not (complete.all_cores - given.all_cores or complete.all_gpus - given.all_gpus):
            return EMPTY, EMPTY
        return level.whole.all_cores, level.whole.all_gpus

    def node(self, vertex: int) -> int | None:
        """Return the index of the node that a vertex is or is in; None above nodes."""
        index, part = self._where(vertex)
        return index if part >= OF_NODE else None

    def at(self, index: int) -> int | None:
        """Return the vertex of the node with an index; None if there is none."""
        return self._first_node + index if 0 <= index < self._resources.node_count else None

    def nodes(self, vertex: int) -> int:
        """Return the nodes at and below a vertex, as a mask."""
        return self.between(vertex, vertex, whole=True)

    def between(self, first: int, last: int, *, whole: bool) -> int:
        """Return the nodes from first to last, top down; if whole, with those below last."""
        (start, _), (low, high) = self._span(first), self._span(last)
        stop = high if whole or last >= self._first_node else low
        return _run(start, stop)

    def _span(self, vertex: int) -> tuple[int, int]:
        """Return the nodes at and below a vertex: the first index, and that after the last."""
        index, part = self._where(vertex)
        if part == OF_CLUSTER:
            return 0, self._resources.node_count
        if part == OF_RUN:
            return self._runs[vertex - 1]
        return index + (part >= 0), index + 1  # empty inside a node, which comes after it

    def vertex(self, vertex: int) -> Vertex:
        """Return what the line of a vertex shows."""
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
        """Return the path of a vertex as in the graph that Fluxion makes of such a document."""
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
        """Return the cores, gpus, memory and storage of a node or domain, as labelled texts."""
        level, is_domain = self._level(vertex)
        if level is None or not is_domain:
            return ()
        domain = level.domain
        found = [("cores", str(domain.all_cores)), ("gpus", str(domain.all_gpus))]
        found.append(("memory", f"{domain.all_memory:,} GiB" if domain.all_memory else ""))
        found += [("storage", str(one)) for one in domain.storage]
        return tuple((name, words) for name, words in found if words)

    def tallies(self, vertex: int) -> tuple[Tally, ...]:
        """Return how many vertices of each type are below a vertex."""
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
        """Find the next (by 1) or previous (-1) vertex with a text in its name, type or path."""
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
        """Return a function that finds the matches in a node, and the run and cluster it begins."""
        lead, slash, last = wanted.rpartition("/")
        found_in: dict[int, dict[str, list[int]]] = {}  # equal nodes are searched once

        def has(name: str, kind: str, path: str = "") -> bool:
            if slash:
                return name.startswith(last) and wanted in path
            return wanted in name or wanted in kind

        def parts(index: int) -> dict[str, list[int]]:
            """Return the parts whose names match, by the path of their container within the node;
            if the text is a path, the name has to start with its last step.
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
    """Return the mask of consecutive nodes."""
    return ((1 << max(stop - start, 0)) - 1) << start


def _tallies(counts: Mapping[str, int]) -> tuple[Tally, ...]:
    return tuple(Tally(kind, count) for kind, count in counts.items() if count)
