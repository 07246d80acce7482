"""What a listing of nodes is asked for, and how it is found: sorted, filtered, folded."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from fluxtui.answers.listing.filtering import FEW, Filter, Filtered
from fluxtui.answers.listing.folding import Folds, chunks, fold, folded
from fluxtui.answers.listing.orders import by_host, masks_by_number
from fluxtui.answers.listing.rows import Listing, MaskRows, Order, Reversed
from fluxtui.model.cancellation import Stop, going_on, stop_if
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets.bits import Planes, less, summed

# Rows are read out of the masks of so many groups within a frame.
_FEW = 48

By: TypeAlias = Literal[
    "rank", "host", "cores", "gpus", "count", "property", "match", "size", "all-cores", "all-gpus"
]

#: What only rows that stand for many nodes are sorted by: what these have together.
OF_FOLDS: tuple[By, ...] = ("size", "all-cores", "all-gpus")

# What has the most, or what holds, comes first until the order is reversed.
_MOST_FIRST = ("cores", "gpus", "count", "property", "match", *OF_FOLDS)


@dataclass(frozen=True, slots=True)
class Key:
    """What nodes are sorted by; equal ones stay in the order of their ranks.

    by    ``count`` is the number of properties; ``size``, ``all-cores`` and ``all-gpus`` sort rows
          that are folded, by what all their nodes are and have, and leave the nodes as they are
    name  the property, where it is by one
    down  from the last to the first; the most of a number, or what holds, comes first
    """

    by: By = "rank"
    name: str = ""
    down: bool = False

    @classmethod
    def of(cls, by: By, name: str = "") -> "Key":
        """The key in the direction that is wanted first."""
        return cls(by, name, by in _MOST_FIRST)

    def is_alike(self, other: "Key | None") -> bool:
        """Both sort by the same thing, in whatever direction."""
        return other is not None and (self.by, self.name) == (other.by, other.name)

    def turned(self) -> "Key":
        """The same the other way round."""
        return replace(self, down=not self.down)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be listed: nodes sorted by a key, all that a text leaves or those of them only
    that match; folded, nodes that are alike have one row.
    """

    key: Key = Key()
    text: str = ""
    only: bool = False
    folded: bool = False


class Lister:
    """Lists the nodes of one document. What was found for one listing is kept for the next."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._filter = Filter(resources)
        self._filtered: tuple[str, Filtered] | None = None  # the last text
        self._groups: dict[str, tuple[int, ...]] = {}  # the nodes by a number, the least first
        self._by_host: Order | None = None
        self._folds: Folds | None = None

    def filtered(self, text: str) -> Filtered | None:
        """What a filter's text was taken for; None where it was not looked at last."""
        last = self._filtered
        return last[1] if last is not None and last[0] == text else None

    def at_once(self, wanted: Wanted, good: int) -> Listing | None:
        """The listing, where it takes a few operations on masks; None where it takes longer.

        good are the nodes that match.
        """
        by, text = wanted.key.by, wanted.text
        is_known = (
            not text.strip() or self.filtered(text) is not None or self._resources.node_count <= FEW
        )
        if wanted.folded or not is_known:
            return None
        if by in ("cores", "gpus", "count") and not 0 < len(self._groups.get(by, ())) <= _FEW:
            return None
        keep, host = self._kept(wanted, good, going_on), self._by_host
        if by == "host" and (
            host is None or (keep != self._resources.everything and not host.is_by_rank)
        ):
            return None
        return self._sorted(wanted.key, keep, good, going_on)

    def find(self, wanted: Wanted, good: int, stop: Stop = going_on) -> Listing:
        """The listing, however long it takes; raises Stopped where stop says so."""
        nodes = self._sorted(wanted.key, self._kept(wanted, good, stop), good, stop)
        if not wanted.folded:
            return nodes
        if self._folds is None:
            self._folds = fold(self._resources, stop)
        each: Sequence[int] | None = None  # what a node counts, where that sorts the rows
        match wanted.key.by:
            case "size":
                each = [1] * len(self._folds.firsts)
            case "all-cores":
                each = [*map(self._resources.cores_at, self._folds.firsts)]
            case "all-gpus":
                each = [*map(self._resources.gpus_at, self._folds.firsts)]
        return folded(nodes, self._folds, stop, each, down=wanted.key.down)

    def _kept(self, wanted: Wanted, good: int, stop: Stop) -> int:
        """The nodes that are listed; all where what is typed in the filter means nothing."""
        keep, text = self._resources.everything, wanted.text
        if text.strip():
            found = self.filtered(text) or self._filter.nodes(text, stop)
            self._filtered = text, found
            keep &= found.mask if found.problem is None else keep
        return keep & good if wanted.only else keep

    def _sorted(self, key: Key, keep: int, good: int, stop: Stop) -> Listing:
        """The nodes that are kept, sorted; good are those that match."""
        resources = self._resources
        is_all = keep == resources.everything
        match key.by:
            case "property" | "match":
                mask = good if key.by == "match" else resources.properties.get(key.name, 0)
                pair = (mask & keep, less(keep, mask))
                return MaskRows(pair if key.down else pair[::-1])
            case "cores" | "gpus" | "count":
                if key.by not in self._groups:
                    stop_if(stop)
                    if key.by == "count":
                        digits = summed(resources.properties.values())
                        planes: Planes = tuple((1 << at, digit) for at, digit in enumerate(digits))
                    else:
                        planes = resources.planes(key.by)
                    found = masks_by_number(planes, resources.everything)
                    self._groups[key.by] = tuple(found.values())
                groups = self._groups[key.by]
                return MaskRows(mask & keep for mask in (reversed(groups) if key.down else groups))
            case "host":
                if self._by_host is None:
                    order = by_host(resources)
                    order.prepare()
                    self._by_host = order  # seen by other threads, which take it for ready
                rows: Listing = self._by_host
                if not is_all:
                    is_by_rank = self._by_host.is_by_rank
                    rows = MaskRows((keep,)) if is_by_rank else only(self._by_host, keep, stop)
                return Reversed(rows) if key.down else rows
            case _:
                nodes = Order(range(resources.node_count)) if is_all else MaskRows((keep,))
                return Reversed(nodes) if key.down and key.by == "rank" else nodes


def only(order: Order, keep: int, stop: Stop = going_on) -> Order:
    """The nodes of an order that are kept, in one section; raises Stopped where stop says so."""
    rows = array("I")
    data = keep.to_bytes(max(keep.bit_length() // 8 + 1, 1), "little")
    bound = len(data) << 3
    for part in chunks(order, stop):
        rows.extend([i for i in part if i < bound and data[i >> 3] >> (i & 7) & 1])
    found = Order(rows)
    found.prepare()
    return found
