"""The containment that the execution part of an R document implies (RFC 20's R_lite).

It has no racks and no sockets: nodes in runs of like host names, and their cores and gpus.
"""

from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import Any, NamedTuple

from fluxtui.answers.containment.items import MANY, NO_NODES, Fold, Nodes, Tally, Vertex
from fluxtui.model.cancellation import Stop
from fluxtui.model.resources.document import Resources
from fluxtui.model.resources.graph import Link
from fluxtui.model.resources.resource_set import NodeKind
from fluxtui.notation.sets.hostlist import format as format_hosts

CLUSTER = "cluster"
HOSTS = "hosts"  # the type of a run
RUN_RANGES = 3  # of its host names, that its own name has
LOOK_UP = 4096  # nodes between two looks at whether to stop
PARTS = 65_536  # cores or gpus of a node that are looked through for a text


class _Address(NamedTuple):
    """Where a vertex is: the cluster, a run of it, a node of that, or one of its parts.

    node is its index, or that of the first one; part is OF_CLUSTER, OF_RUN, OF_NODE, or from 0
    the number of a core or gpu.
    """

    node: int
    part: int


OF_CLUSTER, OF_RUN, OF_NODE = -3, -2, -1


class ListedContainment:
    """Cluster, runs of hosts, nodes, cores and gpus, numbered by rule in this order.

    Number 0 is the cluster; the runs follow, then the nodes, then for each node as many
    numbers as the largest node has cores and gpus. One run alone is left out.
    """

    is_derived = True

    def __init__(self, resources: Resources, runs: Sequence[tuple[int, int]]) -> None:
        self._resources = resources
        self._runs = tuple(runs) if len(runs) > 1 else ()
        self._starts = {start: number for number, (start, _) in enumerate(self._runs, 1)}
        self._first_node = 1 + len(self._runs)
        self._first_part = self._first_node + resources.node_count
        kinds = resources.kinds
        self._width = max((kind.cores.count + kind.gpus.count for kind in kinds), default=0) or 1
        self._totals: tuple[tuple[Tally, ...], ...] = ()
        self._name = lru_cache(256)(self._run_name)

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
            totals = self._resources.totals(Nodes(end - start, start).as_mask())
            counts = (totals.nodes, totals.cores, totals.gpus)
            tallies = map(Tally, ("node", "core", "gpu"), counts)
            found.append(tuple(tally for tally in tallies if tally.count))
        return tuple(found)

    def take(self, found: Any) -> None:
        """Take the totals."""
        self._totals = found or ()

    # The numbers

    def _where(self, vertex: int) -> _Address:
        if vertex >= self._first_part:
            index, part = divmod(vertex - self._first_part, self._width)
            return _Address(index, part)
        if vertex >= self._first_node:
            return _Address(vertex - self._first_node, OF_NODE)
        if vertex:
            return _Address(self._runs[vertex - 1][0], OF_RUN)
        return _Address(0, OF_CLUSTER)

    def _number(self, place: _Address) -> int:
        if place.part >= 0:
            return self._first_part + place.node * self._width + place.part
        if place.part == OF_NODE:
            return self._first_node + place.node
        return self._starts[place.node] if place.part == OF_RUN else 0

    def _kind(self, index: int) -> NodeKind | None:
        return self._resources.kind_at(index)

    # What contains what

    @property
    def roots(self) -> Sequence[int]:
        """The cluster."""
        return range(1 if self._resources.node_count else 0)

    def children(self, vertex: int) -> Sequence[int]:
        """What a vertex contains directly."""
        index, part = self._where(vertex)
        if part >= 0:
            return range(0)
        if part == OF_NODE:
            first = self._number(_Address(index, 0))
            return range(
                first, first + self._resources.cores_at(index) + self._resources.gpus_at(index)
            )
        if part == OF_CLUSTER and self._runs:
            return range(1, self._first_node)
        nodes = self.nodes(vertex)
        first = self._first_node + nodes.first
        return range(first, first + nodes.count)

    def links(self, vertex: int) -> tuple[Link, ...]:
        """None: an execution part has no edges."""
        return ()

    def parent(self, vertex: int) -> int:
        """What contains a vertex directly; -1 for the cluster."""
        index, part = self._where(vertex)
        if part >= 0:
            return self._number(_Address(index, OF_NODE))
        if part == OF_NODE:
            return self._run_of(index) if self._runs else 0
        return 0 if part == OF_RUN else -1

    def _run_of(self, index: int) -> int:
        return bisect_right(self._runs, index, key=lambda run: run[0])

    def folded(self, parent: int, kids: Sequence[int]) -> Sequence[int | Fold]:
        """The cores of a node in one line, and its gpus in another."""
        index, part = self._where(parent)
        if part != OF_NODE:
            return kids
        cores = self._resources.cores_at(index)
        found: list[int | Fold] = []
        for start, count in ((0, cores), (cores, len(kids) - cores)):
            if count < MANY:
                found += kids[start : start + count]
            else:
                found.append(Fold(parent, start, count, kids[start], kids[start + count - 1]))
        return found

    def fold_name(self, fold: Fold) -> str:
        """The cores of a node, or its gpus: ``core0-47``."""
        kind = self._kind(self._where(fold.parent).node)
        assert kind is not None
        return f"gpu{kind.gpus}" if fold.start or not kind.cores else f"core{kind.cores}"

    def node(self, vertex: int) -> int | None:
        """The index of the node that a vertex is or is within."""
        index, part = self._where(vertex)
        return index if part >= OF_NODE else None

    def at(self, index: int) -> int | None:
        """The vertex that is the node of an index."""
        return self._first_node + index if 0 <= index < self._resources.node_count else None

    def nodes(self, vertex: int) -> Nodes:
        """The nodes at and below a vertex."""
        index, part = self._where(vertex)
        if part >= 0:
            return NO_NODES
        if part == OF_NODE:
            return Nodes(1, index)
        if part == OF_CLUSTER:
            return Nodes(self._resources.node_count)
        start, stop = self._runs[vertex - 1]
        return Nodes(stop - start, start)

    def between(self, first: int, last: int, *, whole: bool) -> Nodes:
        """The nodes from one vertex to another in the order from above."""
        start, part = self._where(first)
        start += part >= 0  # what is within a node comes after it
        index, part = self._where(last)
        if part >= OF_NODE:
            stop = index + 1
        else:
            nodes = self.nodes(last)
            stop = nodes.first + nodes.count if whole else index
        return Nodes(stop - start, start) if stop > start else NO_NODES

    # What is said of them

    def vertex(self, vertex: int) -> Vertex:
        """What is said of a vertex."""
        index, part = self._where(vertex)
        if part == OF_CLUSTER:
            return Vertex(CLUSTER, CLUSTER)
        if part == OF_RUN:
            return Vertex(HOSTS, self._name(vertex))
        if part == OF_NODE:
            name, rank = self._node_name(index), self._resources.rank(index)
            return Vertex("node", name, rank=rank, properties=self._resources.properties_at(index))
        kind, id_ = self._part(index, part)
        return Vertex(kind, f"{kind}{id_}")

    def _node_name(self, index: int) -> str:
        return self._resources.host(index) or f"rank {self._resources.rank(index)}"

    def _run_name(self, vertex: int) -> str:
        start, stop = self._runs[vertex - 1]
        hosts = self._resources.hosts.pick([(start, stop - 1)], RUN_RANGES + 1)
        return format_hosts(hosts, RUN_RANGES) or f"nodes {start}-{stop - 1}"

    def _part(self, index: int, part: int) -> tuple[str, int]:
        """The type and the logical id of a core or gpu."""
        kind = self._kind(index)
        assert kind is not None
        cores = kind.cores.count
        if part < cores:
            return "core", kind.cores.nth(part)
        return "gpu", kind.gpus.nth(part - cores)

    def path(self, vertex: int) -> str:
        """The path, as Fluxion has it where it makes a graph of such a document."""
        index, part = self._where(vertex)
        if part == OF_CLUSTER:
            return "/cluster0"
        if part == OF_RUN:
            return f"/cluster0 {self._name(vertex)}"
        path = f"/cluster0/{self._node_name(index)}"
        if part == OF_NODE:
            return path
        kind, id_ = self._part(index, part)
        return f"{path}/{kind}{id_}"

    def facts(self, vertex: int) -> tuple[tuple[str, str], ...]:
        """The cores and gpus of a node."""
        index, part = self._where(vertex)
        kind = self._kind(index) if part == OF_NODE else None
        if kind is None:
            return ()
        found = (("cores", kind.cores), ("gpus", kind.gpus))
        return tuple((name, str(ids)) for name, ids in found if ids)

    def tallies(self, vertex: int) -> tuple[Tally, ...]:
        """How many of each type are below a vertex."""
        index, part = self._where(vertex)
        if part >= 0:
            return ()
        if part == OF_NODE:
            counts = (self._resources.cores_at(index), self._resources.gpus_at(index))
            return tuple(t for t in map(Tally, ("core", "gpu"), counts) if t.count)
        return self._totals[vertex] if self._totals else ()

    # Looking for one

    def find(
        self, wanted: str, after: int, by: int, stop: Stop, *, here: bool = False
    ) -> int | None:
        """The next vertex with a text in its name, type or path, or the one before."""
        count = self._resources.node_count
        if not wanted or not count:
            return None
        hits = _Hits(self, wanted.casefold())
        place = self._where(after)
        for number in range(count + 1):
            if not number % LOOK_UP and stop():
                return None
            index = (place.node + by * number) % count
            found = hits.at(index)
            if number == 0 and by > 0:
                found = [hit for hit in found if hit > place or (here and hit == place)]
            elif number == 0:
                found = [hit for hit in found if hit < place]
            if found:
                return self._number(found[0] if by > 0 else found[-1])
        return None


class _Hits:
    """The vertices with a text in them, node by node; parts of equal nodes are looked at once."""

    def __init__(self, tree: ListedContainment, wanted: str) -> None:
        self._tree = tree
        self._wanted = wanted
        path, slash, self._last = wanted.rpartition("/")
        self._path = path + slash
        self._parts: dict[int, list[int]] = {}

    def at(self, index: int) -> list[_Address]:
        """Those of one node, and before them the run and the cluster that begin with it."""
        tree, found = self._tree, []
        if index == 0 and self._has("cluster0", CLUSTER, "/cluster0"):
            found.append(_Address(0, OF_CLUSTER))
        run = tree._starts.get(index)
        if run and self._has(tree._name(run).casefold(), HOSTS):
            found.append(_Address(index, OF_RUN))
        name = tree._node_name(index).casefold()
        lead = f"/cluster0/{name}"
        if self._has(name, "node", lead):
            found.append(_Address(index, OF_NODE))
        if not self._path or lead.endswith(self._path[:-1]):
            found += [_Address(index, part) for part in self._of_kind(index)]
        return found

    def _has(self, name: str, kind: str, path: str = "") -> bool:
        if self._path:
            return name.startswith(self._last) and self._wanted in path
        return self._wanted in name or self._wanted in kind

    def _of_kind(self, index: int) -> list[int]:
        """The parts of a node with the text in their names; of a path, its last step begins one."""
        kind = self._tree._kind(index)
        if kind is None:
            return []
        if id(kind) not in self._parts:
            cores = (f"core{id_}" for id_ in islice(kind.cores, PARTS))
            gpus = (f"gpu{id_}" for id_ in islice(kind.gpus, PARTS))
            first = kind.cores.count
            self._parts[id(kind)] = [
                part
                for part, name in chain(enumerate(cores), enumerate(gpus, first))
                if (name.startswith(self._last) if self._path else self._wanted in name)
            ]
        return self._parts[id(kind)]
