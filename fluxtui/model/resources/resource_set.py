"""`Resources`: the nodes of an R document, sized for a million of them (RFC 20).

A *mask* is a Python ``int`` with one bit for each rank index, bit 0 being the smallest
rank; never for each rank number. Nothing is built per node until it is needed.
"""

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Literal, TypeVar

from fluxtui.model.cancellation import Stop, never_stop, unless_stopped
from fluxtui.model.resources.graph import NODE, Graph
from fluxtui.model.resources.topology import WHOLE, WRITER, Domain, Topology
from fluxtui.notation.problem import Problem, WithProblems, counted
from fluxtui.notation.sets import idset
from fluxtui.notation.sets.bits import Planes, planes_of, runs, window
from fluxtui.notation.sets.host_index import HostIndex
from fluxtui.notation.sets.hostlist import HostList
from fluxtui.notation.sets.hostlist import format as format_hosts
from fluxtui.notation.sets.idset import IdSet, from_mask, to_mask

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class NodeKind:
    """The nodes that have the same cores and gpus; indices are rank indices."""

    cores: IdSet
    gpus: IdSet
    indices: IdSet

    @property
    def mask(self) -> int:
        """The nodes as a mask; rebuilt at each access."""
        return to_mask(self.indices)


# The kind of a node for which the document lists neither cores nor gpus.
_BARE = NodeKind(idset.EMPTY, idset.EMPTY, idset.EMPTY)


@dataclass(frozen=True, slots=True)
class Node:
    """The details of one node."""

    index: int
    rank: int
    host: str
    cores: IdSet
    gpus: IdSet
    properties: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Totals:
    """The number of nodes, cores and gpus of a set of nodes."""

    nodes: int
    cores: int
    gpus: int

    def words(self) -> list[str]:
        """``203 nodes``, ``9,216 cores``, ``96 gpus``; gpus are left out if there are none."""
        parts = [counted(self.nodes, "node"), counted(self.cores, "core")]
        return [*parts, counted(self.gpus, "gpu")] if self.gpus else parts


@dataclass(frozen=True, slots=True, eq=False)
class Resources(WithProblems):
    """A resource set. Host i of ``hosts`` belongs to the i-th smallest rank.

    kinds       nodes grouped by equal cores and gpus
    properties  name to mask, in document order; no bit is set beyond the last node
    nslots      slots of an allocation, None if the document is not an allocation
    writer      who wrote the scheduling part
    topologies  what is inside the nodes, if the scheduling part describes it (RFC 49)
    form        which part describes the nodes: ``execution``, ``scheduling`` or a bare ``graph``

    Times are seconds since the epoch, None if unset.
    """

    ranks: IdSet = idset.EMPTY
    hosts: HostList = field(default_factory=HostList)
    kinds: tuple[NodeKind, ...] = ()
    properties: Mapping[str, int] = field(default_factory=dict)
    starttime: float | None = None
    expiration: float | None = None
    nslots: int | None = None
    writer: str | None = None
    graph: Graph | None = None
    topologies: tuple[Topology, ...] = ()
    form: Literal["execution", "scheduling", "graph"] = "execution"
    problems: tuple[Problem, ...] = ()
    _cache: dict[str, Any] = field(default_factory=dict, repr=False)

    def _once(self, name: str, make: Callable[[], T]) -> T:
        """Return the cached value of this name, made at first use."""
        if name not in self._cache:
            self._cache[name] = make()
        value: T = self._cache[name]
        return value

    def with_properties(self, properties: Mapping[str, int]) -> "Resources":
        """Return the same nodes with these properties instead."""
        cache = {name: value for name, value in self._cache.items() if name != "properties"}
        return replace(self, properties=properties, _cache=cache)

    @property
    def node_count(self) -> int:
        """How many nodes (execution targets) there are."""
        return self.ranks.count

    @property
    def whole(self) -> Totals:
        """The totals of all nodes."""

        def summed() -> Totals:
            cores = sum(kind.cores.count * kind.indices.count for kind in self.kinds)
            gpus = sum(kind.gpus.count * kind.indices.count for kind in self.kinds)
            return Totals(self.node_count, cores, gpus)

        return self._once("whole", summed)

    @property
    def everything(self) -> int:
        """The mask of all nodes."""
        return self._once("everything", lambda: (1 << self.node_count) - 1)

    def prepare(self) -> None:
        """Build now what is otherwise built at first use: the host index and per-node values."""
        for quantity in ("cores", "gpus", "memory"):
            self.planes(quantity)
        _ = self.host_index.families, self.kind_numbers, self.topology_numbers, self.property_bytes

    # One node, by rank index from 0.

    def rank(self, index: int) -> int:
        """The rank of a node; IndexError outside."""
        return self.ranks.nth(index)

    def host(self, index: int) -> str:
        """The host name of a node; empty if the document gives none."""
        return self.hosts.host(index) if 0 <= index < self.hosts.count else ""

    def node(self, index: int) -> Node:
        """The details of a node; IndexError outside."""
        rank, kind = self.rank(index), self.kind_at(index)
        properties = self.properties_at(index)
        return Node(index, rank, self.host(index), kind.cores, kind.gpus, properties)

    def properties_at(self, index: int) -> tuple[str, ...]:
        """The properties of a node, in document order."""
        if not 0 <= index < self.node_count:
            return ()
        byte, bit = index >> 3, 1 << (index & 7)
        return tuple(name for name, data in self.property_bytes.items() if data[byte] & bit)

    @property
    def property_bytes(self) -> Mapping[str, bytes]:
        """The property masks as bytes, to test single nodes quickly; built at first use."""
        size = self.node_count // 8 + 1
        return self._once(
            "properties",
            lambda: {name: mask.to_bytes(size, "little") for name, mask in self.properties.items()},
        )

    def properties_between(self, start: int, stop: int) -> list[tuple[str, ...]]:
        """The properties of each node in range(start, stop), each in document order."""
        rows: list[list[str]] = [[] for _ in range(start, min(stop, self.node_count))]
        for name, mask in self.properties.items():
            bits = window(mask, start, start + len(rows))
            at = bits.find("1")
            while at >= 0:
                rows[at].append(name)
                at = bits.find("1", at + 1)
        return [tuple(row) for row in rows]

    @property
    def kind_numbers(self) -> Sequence[int]:
        """The position of each node's kind in ``kinds``, counted from 1; 0 if it has none."""
        return self._once("kinds", lambda: self._numbered([kind.indices for kind in self.kinds]))

    @property
    def for_tree_pool(self) -> bool:
        """Whether this R was written for the TreePool scheduler, by its writer (RFC 49)."""
        return self.writer == WRITER

    @property
    def topology_numbers(self) -> Sequence[int]:
        """The position of each node's topology in ``topologies``, counted from 1; 0 for none."""
        topologies = self.topologies
        return self._once("inside", lambda: self._numbered([one.indices for one in topologies]))

    def _numbered(self, groups: Sequence[IdSet]) -> "array[int]":
        """The position of each node's group, counted from 1; 0 if it is in none."""
        code = "B" if len(groups) < 1 << 8 else "I"  # usually one byte per node is enough
        numbers = array(code, (0,)) * self.node_count
        for number, indices in enumerate(groups, 1):
            for first, last in zip(indices.starts, indices.ends, strict=True):
                if first == last:
                    numbers[first] = number
                else:
                    numbers[first : last + 1] = array(code, (number,)) * (last - first + 1)
        return numbers

    def kind_at(self, index: int) -> NodeKind:
        """The kind of a node."""
        number = self.kind_numbers[index]
        return self.kinds[number - 1] if number else _BARE

    def inside_at(self, index: int) -> Domain:
        """The domain tree inside a node, cut down to the cores and gpus that it has.

        Cores and gpus in no domain belong to the node itself. Equal nodes share one object.
        """
        known: dict[tuple[int, int], Domain] = self._cache.setdefault("insides", {})
        key = self.kind_numbers[index], self.topology_numbers[index] if self.topologies else 0
        if key not in known:
            kind = self.kind_at(index)
            known[key] = self.topology_at(index).cut(kind.cores, kind.gpus)
        return known[key]

    def topology_at(self, index: int) -> Domain:
        """The domain tree of a node's whole topology; R may list only a part of it (RFC 49)."""
        number = self.topology_numbers[index] if self.topologies else 0
        return self.topologies[number - 1].node if number else WHOLE

    def cores_at(self, index: int) -> int:
        """How many cores a node has."""
        return self.kind_at(index).cores.count

    def gpus_at(self, index: int) -> int:
        """How many gpus a node has."""
        return self.kind_at(index).gpus.count

    # From ranks and hosts to nodes.

    def mask_of_ranks(self, ranks: IdSet) -> int:
        """The mask of these ranks; ranks that are not in the set are ignored."""
        return to_mask(self.ranks.locate(ranks))

    def mask_of_hosts(self, hosts: HostList) -> int:
        """The mask of the nodes with one of these host names."""
        return self.host_index.mask(hosts) & self.everything

    @property
    def host_index(self) -> HostIndex:
        """The index from host names to node indices; built at first use."""
        return self._once("hosts", lambda: HostIndex(self.hosts))

    # From a mask to text and totals. With a limit the cost does not grow with the number of nodes.

    def ranks_of(self, mask: int) -> IdSet:
        """The ranks of the nodes of a mask."""
        return self.ranks.pick(from_mask(mask & self.everything))

    def ranks_text(self, mask: int, limit: int | None = None) -> str:
        """The ranks as an idset text; ``…`` after the first ``limit`` ranges."""
        if limit is None:
            return idset.format(self.ranks_of(mask))
        places = IdSet.from_ranges(islice(runs(mask & self.everything), limit + 1))
        return idset.format(self.ranks.pick(places, limit + 1), limit)

    def hosts_of(self, mask: int, limit: int | None = None) -> str:
        """The hosts as a hostlist text; ``…`` after the first ``limit`` ranges."""
        if limit is None:
            return format_hosts(self.hosts.pick(from_mask(mask & self.everything).ranges))
        places = islice(runs(mask & self.everything), limit + 1)
        return format_hosts(self.hosts.pick(places, limit + 1), limit)

    def totals(self, mask: int) -> Totals:
        """The nodes, cores and gpus of a mask."""
        if mask.bit_length() > self.node_count:
            mask &= self.everything
        return Totals(mask.bit_count(), self.total("cores", mask), self.total("gpus", mask))

    def total(self, what: str, mask: int) -> int:
        """The total over the nodes of a mask of a quantity that `planes` knows."""
        return sum(
            weight * (mask if plane == self.everything else mask & plane).bit_count()
            for weight, plane in self.planes(what)
        )

    def planes(self, what: str) -> Planes:
        """Weighted masks whose sum for a node is its amount of a quantity; see `planes_of`.

        what is ``cores``, ``gpus``, ``memory`` in GiB, or the name of a domain, such as ``socket``.
        """

        def made() -> Planes:
            groups = {
                "cores": [(kind.indices, kind.cores.count) for kind in self.kinds],
                "gpus": [(kind.indices, kind.gpus.count) for kind in self.kinds],
                "memory": [(one.indices, one.node.all_memory) for one in self.topologies],
            }
            found = groups.get(what) or [
                (one.indices, one.node.counts.get(what, 0)) for one in self.topologies
            ]
            sets = [(indices.starts, indices.ends) for indices, _ in found]
            return planes_of(sets, [value for _, value in found], self.node_count)

        return self._once(f"planes of {what}", made)

    @property
    def domain_names(self) -> tuple[str, ...]:
        """The names of the domains inside the nodes, outermost first."""

        def named() -> tuple[str, ...]:
            return tuple(dict.fromkeys(name for one in self.topologies for name in one.node.counts))

        return self._once("domain names", named)


def node_indices(graph: Graph, resources: Resources, stop: Stop = never_stop) -> dict[int, int]:
    """Map the row of each vertex of type ``node`` to the index of its node, in row order.

    A vertex belongs to the node with its rank, unless the host names disagree: the graph of an R
    that was passed down to a sub-instance keeps the ranks of the enclosing instance (RFC 20). If no
    vertex has a rank they are numbered in order; if two claim one node, the first gets it.
    """
    rows = [row for row, type_ in enumerate(graph.types) if type_ == NODE]
    ranked = any(graph.ranks[row] >= 0 for row in rows)
    found: dict[int, int] = {}
    unnamed: dict[int, int] = {}  # matched by rank alone: the cluster has no such host name
    taken: set[int] = set()
    for number, row in enumerate(unless_stopped(rows, stop)):
        rank, host = graph.ranks[row] if ranked else number, graph.names[row]
        index = resources.ranks.index(rank) if rank >= 0 else None
        if index is None or resources.host(index) not in ("", host):
            places = resources.host_index.places(host)
            if len(places) == 1 and places[0] < resources.node_count:
                index = places[0]
            elif index is not None and index not in taken:
                unnamed[row] = index
                continue
        if index is not None and index not in taken:
            taken.add(index)
            found[row] = index
    for row, index in unnamed.items():
        if index not in taken:
            taken.add(index)
            found[row] = index
    return dict(sorted(found.items())) if unnamed else found
