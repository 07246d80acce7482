"""What is in the rows of the node table and how they look, made for those in sight alone."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from rich.cells import cell_len

from fluxtui.answers.explain.explanation import say
from fluxtui.answers.listing.orders import INSIDE
from fluxtui.answers.listing.rows import Listing
from fluxtui.answers.matching import Matched
from fluxtui.model.constraint.tree import And, Properties
from fluxtui.model.live.snapshot import Snapshot
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import printable
from fluxtui.notation.sets.bits import has
from fluxtui.notation.sets.idset import IdSet
from fluxtui.ui.kit.text import moment, property_name
from fluxtui.ui.nodes.highlights import NOTHING, Highlight, Highlights, Lamps, as_bytes, is_in
from fluxtui.workbench import Cluster

MIXED, MIXED_SELECTED = "◧", "◈"  # a row for many nodes that do not all look the same

RANGES = 5  # of hosts and ranks, after which those of a row for many nodes are cut
SAMPLE = 16  # rows that say how wide a column has to be
_BLOCK = 16  # rows whose nodes are looked up together, as a mask costs one copy for all of them
_KEPT = 4096  # texts of rows
_MOST = 1000  # columns: as many as the column takes at most

# What a row has in a column, by the index of its node.
_OF_NODE: Mapping[str, Callable[[Resources, int], str]] = {
    "rank": lambda resources, index: str(resources.rank(index)),
    "host": lambda resources, index: printable(resources.host(index)),
    "cores": lambda resources, index: str(resources.cores_at(index)),
    "gpus": lambda resources, index: _number(resources.gpus_at(index)),
    "core-ids": lambda resources, index: str(resources.kind_at(index).cores),
    "gpu-ids": lambda resources, index: str(resources.kind_at(index).gpus),
    "count": lambda resources, index: str(len(resources.properties_at(index))),
    "properties": lambda resources, index: " ".join(
        map(property_name, resources.properties_at(index))
    ),
}

# What a row of a running Flux has beside that.
_OF_STATES: Mapping[str, Callable[[Snapshot, int], str]] = {
    "state": lambda snapshot, index: snapshot.nodes.state(index),
    "reason": lambda snapshot, index: (
        printable(drain.reason) if (drain := snapshot.nodes.drain_of(index)) else ""
    ),
    "since": lambda snapshot, index: (
        moment(drain.since)
        if (drain := snapshot.nodes.drain_of(index)) and drain.since is not None
        else ""
    ),
    "used-cores": lambda snapshot, index: _number(_used(snapshot, index)[0].count),
    "used-gpus": lambda snapshot, index: _number(_used(snapshot, index)[1].count),
    "jobs": lambda snapshot, index: " ".join(job.f58 for job in snapshot.jobs_at(index)),
}

# What a row for many nodes has instead, by the mask of these.
_OF_MANY: Mapping[str, Callable[[Resources, int], str]] = {
    "rank": lambda resources, nodes: resources.ranks_text(nodes, RANGES),
    "host": lambda resources, nodes: printable(resources.hosts_of(nodes, RANGES)),
    "all-cores": lambda resources, nodes: _number(resources.totals(nodes).cores),
    "all-gpus": lambda resources, nodes: _number(resources.totals(nodes).gpus),
}


class Cells:
    """The values of the rows of a listing by column, and how the rows look.

    Those that do not depend on the match are kept.
    """

    def __init__(self, cluster: Cluster, listing: Listing) -> None:
        self._cluster, self._resources, self._listing = cluster, cluster.resources, listing
        self.show_lights(NOTHING)
        self._nodes = lru_cache(256)(self._look_up)
        self._text = lru_cache(_KEPT)(self._make)
        self.show_match(cluster.resources.everything, None)

    def show(self, listing: Listing) -> None:
        """Be the values of these rows."""
        self._listing = listing
        self._nodes.cache_clear()
        self._text.cache_clear()

    def show_cluster(self, cluster: Cluster) -> None:
        """Be the values of the same nodes at another moment."""
        self._cluster = cluster
        self._text.cache_clear()

    def show_lights(self, found: Highlights) -> None:
        """Highlight nodes."""
        self._lamps = Lamps(found)

    def show_match(self, good: int, counted: Matched | None) -> None:
        """Say of these nodes that they match; counted are the parts of the constraint."""
        self._good, self._counted = good, counted
        self._parts: list[tuple[bytes, str]] | None = None

    def _look_up(self, block: int) -> Sequence[int]:
        start = block * _BLOCK
        return self._listing.indices(start, min(start + _BLOCK, self._listing.count))

    def index(self, row: int) -> int:
        """The node of a row, of a row for many the first of them."""
        return self._nodes(row // _BLOCK)[row % _BLOCK]

    def has(self, name: str, row: int) -> bool:
        """Whether the nodes of a row have a property."""
        return is_in(self._resources.property_bytes[name], self.index(row))

    def text(self, name: str, row: int) -> str:
        """The value of a row in a column."""
        if name == "match":
            return self._reason(self.index(row))
        head = self._listing.head(row)
        if name != "nodes" or head is None:
            return self._text(name, row)
        if self._counted is None:
            return f"{head.size:,}"
        return f"{(self._listing.nodes(row, row + 1) & self._good).bit_count():,} of {head.size:,}"

    def needs(self, name: str) -> int:
        """The most terminal columns that the first values of a column need; of reasons all do."""
        if name == "reason":
            return _MOST
        rows = range(min(SAMPLE, self._listing.count))
        return max((cell_len(self.text(name, row)) for row in rows), default=0)

    def _make(self, name: str, row: int) -> str:
        if name in _OF_MANY and self._listing.head(row) is not None:
            return _OF_MANY[name](self._resources, self._listing.nodes(row, row + 1))
        index = self.index(row)
        if name == "queues":
            coverage = self._cluster.coverage.items()
            return printable(" ".join(queue for queue, mask in coverage if has(mask, index)))
        snapshot = self._cluster.snapshot
        if name in _OF_STATES and snapshot is not None:
            return _OF_STATES[name](snapshot, index)
        if name in INSIDE:
            return printable(INSIDE[name](self._resources.inside_at(index)))
        return _OF_NODE[name](self._resources, index) if name in _OF_NODE else ""

    def _reason(self, index: int) -> str:
        """Whether a node matches, and the parts of the constraint that it does not satisfy."""
        if self._parts is None:
            self._parts = [(as_bytes(self._good), "✓"), *self._said()]
        (good, sign), *parts = self._parts
        if is_in(good, index):
            return sign
        return printable(" ".join(("✗", *(said for data, said in parts if not is_in(data, index)))))

    def _said(self) -> list[tuple[bytes, str]]:
        """The nodes of each part of the constraint, and the part in words."""
        counted = self._counted
        if counted is None:
            return []
        is_joined = isinstance(counted.constraint, And | Properties) and counted.parts
        parts = counted.parts if is_joined else (counted,)
        return [(as_bytes(part.mask), say(part.constraint)) for part in parts]

    def look(self, row: int) -> Highlight:
        """How the nodes of a row look together; the mask says nothing."""
        look, head = self._lamps.of(self.index(row)), self._listing.head(row)
        if head is None or head.size == 1:
            return look
        lit = self._lamps.counts(self._listing.nodes(row, row + 1))
        if not lit or lit[0][1] == head.size:
            return look
        is_selected = any(light.role == "slot" for light, _ in lit)
        return lit[0][0]._replace(glyph=MIXED_SELECTED if is_selected else MIXED)


def _used(snapshot: Snapshot, index: int) -> tuple[IdSet, IdSet]:
    return snapshot.nodes.in_use(index, snapshot.resources.kind_at(index))


def _number(value: int) -> str:
    """A number; nothing at all where it is 0."""
    return f"{value:,}" if value else ""
