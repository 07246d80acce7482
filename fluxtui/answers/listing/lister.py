"""What a listing of nodes is asked for, and how it is found: sorted, filtered, folded."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from fluxtui.answers.listing.listing import FoldedListing, Folds, fold, folded
from fluxtui.answers.listing.order import Order, Section
from fluxtui.answers.listing.rows import Listing, MaskRows, Reversed
from fluxtui.model.cancellation import Stop, going_on, stop_if
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets.bits import less

if TYPE_CHECKING:
    from fluxtui.answers.listing.filtering import Filter, Filtered

_CHUNK = 1 << 15

# Rows are read out of the masks of so many groups within a frame.
_FEW = 48

# Texts of a filter whose nodes are kept: people take back what they typed.
_TEXTS = 16

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
    """What is to be listed.

    key     what the nodes are sorted by
    text    what is typed in the filter; all nodes where it is blank
    only    those nodes alone that match
    folded  nodes that are alike have one row
    """

    key: Key = Key()
    text: str = ""
    only: bool = False
    folded: bool = False


class Sorter:
    """Sorts the nodes of one document; what that takes is kept, so that the next time is quick."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._groups: dict[str, tuple[int, ...]] = {}  # the nodes by a number, the least first
        self._by_host: Order | None = None

    def is_quick(self, key: Key, keep: int) -> bool:
        """Whether it takes no more than a few operations on masks."""
        if key.by == "host":
            known = self._by_host
            return known is not None and (keep == self._resources.everything or known.is_by_rank)
        if key.by in ("cores", "gpus", "count"):
            return 0 < len(self._groups.get(key.by, ())) <= _FEW
        return True

    def sort(self, key: Key, keep: int, good: int, stop: Stop = going_on) -> Listing:
        """The nodes that are kept, sorted; good are those that match.

        Raises Stopped where stop says so.
        """
        match key.by:
            case "property" | "match":
                mask = good if key.by == "match" else self._resources.properties.get(key.name, 0)
                pair = (mask & keep, less(keep, mask))
                return MaskRows(pair if key.down else pair[::-1])
            case "cores" | "gpus" | "count":
                groups = self._by_number(key.by, stop)
                return MaskRows(mask & keep for mask in (reversed(groups) if key.down else groups))
            case "host":
                found = self._by_hosts(keep, stop)
                return Reversed(found) if key.down else found
            case _:
                every = keep == self._resources.everything
                nodes = Order.of_all(self._resources.node_count) if every else MaskRows((keep,))
                return Reversed(nodes) if key.down and key.by == "rank" else nodes

    def _by_hosts(self, keep: int, stop: Stop) -> Listing:
        if self._by_host is None:
            from fluxtui.answers.listing.orders import by_host

            order = by_host(self._resources)
            order.prepare()
            self._by_host = order  # seen by other threads, which take it for ready
        if keep == self._resources.everything:
            return self._by_host
        return MaskRows((keep,)) if self._by_host.is_by_rank else only(self._by_host, keep, stop)

    def _by_number(self, what: Literal["cores", "gpus", "count"], stop: Stop) -> tuple[int, ...]:
        if what not in self._groups:
            stop_if(stop)
            if what == "count":
                self._groups[what] = _by_count(self._resources, stop)
            else:
                from fluxtui.answers.listing.orders import filled, ranges_by_number

                found = ranges_by_number(self._resources, what).values()
                size = self._resources.node_count
                self._groups[what] = tuple(filled(ranges, size) for ranges in found)
        return self._groups[what]


def _by_count(resources: Resources, stop: Stop) -> tuple[int, ...]:
    """The nodes by how many properties they have, the fewest first."""
    from fluxtui.notation.sets.bitplanes import summed

    groups = [resources.everything]
    for digit in reversed(summed(resources.properties.values())):
        stop_if(stop)
        groups = [half for mask in groups for half in (less(mask, digit), mask & digit) if half]
    return tuple(groups)


def only(order: Order, keep: int, stop: Stop = going_on) -> Order:
    """The nodes of an order that are kept, in one section; raises Stopped where stop says so."""
    rows = array("I")
    data = keep.to_bytes(max(keep.bit_length() // 8 + 1, 1), "little")
    bound = len(data) << 3
    for start in range(0, order.count, _CHUNK):
        stop_if(stop)
        part = order.indices(start, start + _CHUNK)
        rows.extend([i for i in part if i < bound and data[i >> 3] >> (i & 7) & 1])
    found = Order(rows, (Section("", 0, len(rows)),) if rows else (), rising=False)
    found.prepare()
    return found


class Lister:
    """Lists the nodes of one document. What was found for one listing is kept for the next."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._sorter = Sorter(resources)
        self._by_text: Filter | None = None
        self._filtered: dict[str, Filtered] = {}  # the last texts
        self._folds: Folds | None = None

    @property
    def _filter(self) -> "Filter":
        """What finds nodes by a text; made for the first one."""
        if self._by_text is None:
            from fluxtui.answers.listing.filtering import Filter

            self._by_text = Filter(self._resources)
        return self._by_text

    def filtered(self, text: str) -> "Filtered | None":
        """What a filter's text was taken for; None where it is blank, or not looked at lately."""
        return self._filtered.get(text)

    def at_once(self, wanted: Wanted, good: int) -> Listing | None:
        """The listing, where it takes a few operations on masks; None where it takes longer.

        good are the nodes that match.
        """
        if wanted.folded:
            return None
        if wanted.text.strip() and wanted.text not in self._filtered and not self._filter.is_quick:
            return None
        keep = self._kept(wanted, good)
        if not self._sorter.is_quick(wanted.key, keep):
            return None
        return self._sorter.sort(wanted.key, keep, good)

    def find(self, wanted: Wanted, good: int, stop: Stop = going_on) -> Listing:
        """The listing, however long it takes; raises Stopped where stop says so."""
        keep = self._kept(wanted, good, stop)
        nodes = self._sorter.sort(wanted.key, keep, good, stop)
        return self._folded(nodes, wanted.key, stop) if wanted.folded else nodes

    def _kept(self, wanted: Wanted, good: int, stop: Stop = going_on) -> int:
        """The nodes that are listed; all where what is typed in the filter means nothing."""
        keep, text = self._resources.everything, wanted.text
        if text.strip():
            found = self._filtered.get(text) or self._filter.nodes(text, stop)
            for old in list(self._filtered)[: 1 - _TEXTS]:  # another thread may do so as well
                self._filtered.pop(old, None)
            self._filtered[text] = found
            keep &= found.mask if found.problem is None else keep
        return keep & good if wanted.only else keep

    def _folded(self, nodes: Listing, key: Key, stop: Stop) -> FoldedListing:
        if self._folds is None:
            self._folds = fold(self._resources, stop)
        return folded(nodes, self._folds, stop, self._each(key, self._folds), down=key.down)

    def _each(self, key: Key, folds: Folds) -> Sequence[int] | None:
        """What a node of each class counts, where rows are sorted by what they have together."""
        match key.by:
            case "size":
                return [1] * folds.count
            case "all-cores":
                return [self._resources.cores_at(index) for index in folds.firsts]
            case "all-gpus":
                return [self._resources.gpus_at(index) for index in folds.firsts]
            case _:
                return None
