"""`Resources`: the nodes of an R document, sized for a million of them (RFC 20).

A *mask* is a Python ``int`` with one bit for each rank index, bit 0 being the smallest
rank; never for each rank number. Nothing is built for single nodes before it is looked at.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from fluxtui.model.cancellation import Stop, going_on, stop_if
from fluxtui.model.resources.graph import Graph
from fluxtui.notation.problem import Problem
from fluxtui.notation.sets import idset
from fluxtui.notation.sets.bitplanes import Planes, planes_of
from fluxtui.notation.sets.bits import first_ranges, window
from fluxtui.notation.sets.host_index import HostIndex
from fluxtui.notation.sets.hosts import HostList
from fluxtui.notation.sets.hosts import format as format_hosts
from fluxtui.notation.sets.idset import IdSet, from_mask, to_mask

# The numbers that a node has by its kind: how many cores and gpus, and the number of the kind.
Value = Literal["cores", "gpus", "kind"]


@dataclass(frozen=True, slots=True)
class NodeKind:
    """The nodes that have the same cores and gpus; indices are rank indices."""

    cores: IdSet
    gpus: IdSet
    indices: IdSet

    @property
    def mask(self) -> int:
        """The nodes as a mask; built anew at each call."""
        return to_mask(self.indices)


@dataclass(frozen=True, slots=True)
class Node:
    """One node, looked at closely."""

    index: int
    rank: int
    host: str
    cores: IdSet
    gpus: IdSet
    properties: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Totals:
    """How much a set of nodes holds."""

    nodes: int
    cores: int
    gpus: int


@dataclass(frozen=True, slots=True, eq=False)
class Resources:
    """A resource set. Host i of ``hosts`` is that of the i-th smallest rank.

    kinds       nodes grouped by equal cores and gpus
    properties  name to mask, in document order; of nodes that there are, no other bit is set
    starttime, expiration  seconds since the epoch, None where unset
    nslots      slots of an allocation, None where the document is none
    writer      who wrote the scheduling part, None where it does not say
    graph       the resource graph (JGF), None where there is none
    form        where the nodes come from: ``execution``, ``scheduling`` or a bare ``graph``
    problems    all that is wrong with the document
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
    form: Literal["execution", "scheduling", "graph"] = "execution"
    problems: tuple[Problem, ...] = ()
    _cache: dict[str, Any] = field(default_factory=dict, repr=False)

    def with_properties(self, properties: Mapping[str, int]) -> "Resources":
        """The same nodes with these properties instead."""
        known = {name: found for name, found in self._cache.items() if name != "properties"}
        return replace(self, properties=properties, _cache=known)

    @property
    def ok(self) -> bool:
        """No problem is an error (warnings may stand)."""
        return not any(p.severity == "error" for p in self.problems)

    @property
    def node_count(self) -> int:
        """How many nodes (execution targets) there are."""
        return self.ranks.count

    @property
    def whole(self) -> Totals:
        """How much all nodes hold together."""
        if "whole" not in self._cache:
            cores = sum(kind.cores.count * kind.indices.count for kind in self.kinds)
            gpus = sum(kind.gpus.count * kind.indices.count for kind in self.kinds)
            self._cache["whole"] = Totals(self.node_count, cores, gpus)
        found: Totals = self._cache["whole"]
        return found

    @property
    def everything(self) -> int:
        """The mask of all nodes."""
        if "everything" not in self._cache:
            self._cache["everything"] = (1 << self.node_count) - 1
        mask: int = self._cache["everything"]
        return mask

    def prepare(self) -> None:
        """Build now what is otherwise built at first use: host index, values of each node."""
        for what in ("cores", "gpus"):
            self._bytes(what)
        _ = self.host_index
        self._bytes("kind")
        _ = self.property_bytes

    # One node, by rank index from 0.

    def rank(self, index: int) -> int:
        """The rank of a node; IndexError outside."""
        return self.ranks.nth(index)

    def host(self, index: int) -> str:
        """The host name of a node; empty where the document gives none."""
        return self.hosts.host(index) if 0 <= index < self.hosts.count else ""

    def node(self, index: int) -> Node:
        """All that is known of a node; IndexError outside."""
        kind = self.kind_at(index)
        return Node(
            index,
            self.rank(index),
            self.host(index),
            kind.cores if kind else idset.EMPTY,
            kind.gpus if kind else idset.EMPTY,
            self.properties_at(index),
        )

    def properties_at(self, index: int) -> tuple[str, ...]:
        """The properties of a node, in document order."""
        if not 0 <= index < self.node_count:
            return ()
        byte, bit = index >> 3, 1 << (index & 7)
        return tuple(name for name, data in self.property_bytes.items() if data[byte] & bit)

    @property
    def property_bytes(self) -> Mapping[str, bytes]:
        """The properties, each mask as bytes, the smallest indices first; built at first use.

        One node is looked at in them without a walk through the others, as a mask would need it.
        """
        if "properties" not in self._cache:
            size = self.node_count // 8 + 1
            self._cache["properties"] = {
                name: mask.to_bytes(size, "little") for name, mask in self.properties.items()
            }
        found: dict[str, bytes] = self._cache["properties"]
        return found

    def properties_between(self, start: int, stop: int) -> list[tuple[str, ...]]:
        """The properties of each node from index start up to stop, in document order."""
        rows: list[list[str]] = [[] for _ in range(start, min(stop, self.node_count))]
        for name, mask in self.properties.items():
            bits = window(mask, start, start + len(rows))
            at = bits.find("1")
            while at >= 0:
                rows[at].append(name)
                at = bits.find("1", at + 1)
        return [tuple(row) for row in rows]

    def kind_at(self, index: int) -> NodeKind | None:
        """The kind of a node, None where it has none; its number is kept in planes as its cores."""
        number = _level(self._bytes("kind"), index)
        return self.kinds[number - 1] if number else None

    def cores_at(self, index: int) -> int:
        """How many cores a node has."""
        return _level(self._bytes("cores"), index)

    def gpus_at(self, index: int) -> int:
        """How many gpus a node has."""
        return _level(self._bytes("gpus"), index)

    # A stretch of nodes, for drawing: one shift of a mask, then only what is visible.

    def cores_between(self, start: int, stop: int) -> list[int]:
        """How many cores each node from index start up to stop has."""
        return _levels(self.planes("cores"), start, min(stop, self.node_count))

    def gpus_between(self, start: int, stop: int) -> list[int]:
        """How many gpus each node from index start up to stop has."""
        return _levels(self.planes("gpus"), start, min(stop, self.node_count))

    # From ranks and hosts to nodes.

    def index_of_rank(self, rank: int) -> int | None:
        """The index of a rank; None if it is not in the set."""
        return self.ranks.index(rank)

    def indices_of_host(self, name: str) -> int:
        """The mask of the nodes with this host name; several may share one."""
        return to_mask(IdSet.from_ranges(self.host_index.places(name))) & self.everything

    def mask_of_ranks(self, ranks: IdSet) -> int:
        """The mask of those of the ranks that are in the set."""
        return to_mask(self.ranks.locate(ranks))

    def mask_of_hosts(self, hosts: HostList) -> int:
        """The mask of the nodes with one of these host names."""
        return self.host_index.mask(hosts) & self.everything

    @property
    def host_index(self) -> HostIndex:
        """The index from host names to node indices; built at first use."""
        if "hosts" not in self._cache:
            self._cache["hosts"] = HostIndex(self.hosts)
        index: HostIndex = self._cache["hosts"]
        return index

    # From a mask to what is shown.

    def ranks_of(self, mask: int) -> IdSet:
        """The ranks of the nodes of a mask."""
        return self.ranks.pick(from_mask(mask & self.everything))

    def ranks_text(self, mask: int, limit: int | None = None) -> str:
        """The ranks as an idset text; ``...`` after the first ``limit`` ranges.

        With a limit the cost does not grow with the number of nodes.
        """
        if limit is None:
            return idset.format(self.ranks_of(mask))
        places = IdSet.from_ranges(first_ranges(mask & self.everything, limit + 1))
        return idset.format(self.ranks.pick(places, limit + 1), limit)

    def hosts_of(self, mask: int, limit: int | None = None) -> str:
        """The hosts as a hostlist text; ``...`` after the first ``limit`` ranges.

        With a limit the cost does not grow with the number of nodes.
        """
        if limit is None:
            return format_hosts(self.hosts.pick(from_mask(mask & self.everything).ranges))
        places = first_ranges(mask & self.everything, limit + 1)
        return format_hosts(self.hosts.pick(places, limit + 1), limit)

    def totals(self, mask: int) -> Totals:
        """The nodes, cores and gpus of a mask."""
        if mask.bit_length() > self.node_count:
            mask &= self.everything
        nodes = mask.bit_count()
        cores, gpus = (self._sum(what, mask, nodes) for what in ("cores", "gpus"))
        return Totals(nodes, cores, gpus)

    def _sum(self, what: Value, mask: int, nodes: int) -> int:
        """The cores or gpus of a mask, which holds so many nodes."""
        return sum(
            weight * (nodes if plane == self.everything else (mask & plane).bit_count())
            for weight, plane in self.planes(what)
        )

    def _sets(self) -> list[IdSet]:
        return [kind.indices for kind in self.kinds]

    def _values(self, what: Value) -> list[int]:
        """A number of each kind."""
        if what == "kind":
            return list(range(1, len(self.kinds) + 1))
        return [kind.cores.count if what == "cores" else kind.gpus.count for kind in self.kinds]

    def planes(self, what: Value) -> Planes:
        """Masks with weights, whose sum for a node is its number; see `planes_of`."""
        if what not in self._cache:
            self._cache[what] = planes_of(self._sets(), self._values(what), self.node_count)
        kept: Planes = self._cache[what]
        return kept

    def _bytes(self, what: Value) -> list[tuple[int, bytes]]:
        key = f"{what} bytes"
        if key not in self._cache:
            size = self.node_count // 8 + 1
            self._cache[key] = [(w, m.to_bytes(size, "little")) for w, m in self.planes(what)]
        found: list[tuple[int, bytes]] = self._cache[key]
        return found


def _level(planes: list[tuple[int, bytes]], index: int) -> int:
    return sum(weight for weight, data in planes if data[index >> 3] >> (index & 7) & 1)


def _levels(planes: Planes, start: int, stop: int) -> list[int]:
    out = [0] * max(stop - start, 0)
    for weight, mask in planes:
        bits = window(mask, start, stop)
        if "0" not in bits:
            out = [count + weight for count in out]
        elif "1" in bits:
            out = [c + weight if b == "1" else c for c, b in zip(out, bits, strict=True)]
    return out


NODE = "node"

# Vertices that are looked at between two questions whether to go on.
_BLOCK = 4096


def node_indices(graph: Graph, resources: Resources, stop: Stop = going_on) -> dict[int, int]:
    """The index of the node that each vertex of type ``node`` stands for, by row, in their order.

    The rank tells, unless the host names say otherwise: an R document that was handed down to
    another instance has other ranks, but the graph in it still has those from before (RFC 20).
    Where no vertex has a rank they are counted. Left out are those that stand for no node; of two
    for one node the first counts.

    Takes a look at every vertex: not for the event loop. Raises Stopped where stop says so.
    """
    rows = [row for row, type_ in enumerate(graph.types) if type_ == NODE]
    ranked = any(graph.ranks[row] >= 0 for row in rows)
    found: dict[int, int] = {}
    taken: set[int] = set()
    unnamed: dict[int, int] = {}  # by rank alone: their host names are not those of the cluster
    for number, row in enumerate(rows):
        if not number % _BLOCK:
            stop_if(stop)
        rank = graph.ranks[row] if ranked else number
        index, is_named = _index(resources, rank, graph.names[row])
        if index is None or index in taken:
            continue
        if is_named:
            taken.add(index)
            found[row] = index
        else:
            unnamed[row] = index
    for row, index in unnamed.items():
        if index not in taken:
            taken.add(index)
            found[row] = index
    return dict(sorted(found.items())) if unnamed else found


def _index(resources: Resources, rank: int, host: str) -> tuple[int | None, bool]:
    """The node of the cluster that a vertex may stand for, and whether nothing speaks against it.

    That is by its rank where the node has that host name, or none; else by its host name.
    """
    index = resources.index_of_rank(rank) if rank >= 0 else None
    if index is not None and resources.host(index) in ("", host):
        return index, True
    places = resources.host_index.places(host)
    if len(places) == 1 and places[0][0] == places[0][1] < resources.node_count:
        return places[0][0], True
    return index, False
