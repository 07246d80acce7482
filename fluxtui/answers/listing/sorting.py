"""Nodes sorted by a column of a listing, of those alone that are kept."""

from array import array
from collections.abc import Iterator
from typing import Literal, NamedTuple

from fluxtui.answers.listing.mask_rows import MaskRows
from fluxtui.answers.listing.node_rows import Nodes, Turned
from fluxtui.answers.listing.order import Order, Section
from fluxtui.model.cancellation import Stop, going_on, stop_if
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets.bits import less

# A row is read out of the masks of so many groups; with more, each node's row is written out.
_MANY = 48

_CHUNK = 1 << 15

By = Literal[
    "rank", "host", "cores", "gpus", "count", "property", "match", "size", "all-cores", "all-gpus"
]

#: What rows alone are sorted by that stand for many nodes: by what these have together.
OF_FOLDS: tuple[By, ...] = ("size", "all-cores", "all-gpus")

# What has the most, or what holds, comes first until it is turned round.
_MOST_FIRST = ("cores", "gpus", "count", "property", "match", *OF_FOLDS)


class Key(NamedTuple):
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

    def turned(self) -> "Key":
        """The same the other way round."""
        return self._replace(down=not self.down)


class Sorter:
    """Sorts the nodes of one document; what that takes is kept, so that the next time is quick."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._groups: dict[str, tuple[int, ...] | Order] = {}  # by what; the least first
        self._by_host: Order | None = None

    def is_quick(self, key: Key, keep: int) -> bool:
        """Whether it takes no more than a few operations on masks."""
        if key.by == "host":
            known = self._by_host
            return known is not None and (keep == self._resources.everything or known.is_by_rank)
        if key.by in ("cores", "gpus", "count"):
            return isinstance(self._groups.get(key.by), tuple)
        return True

    def sort(self, key: Key, keep: int, good: int, stop: Stop = going_on) -> Nodes:
        """The nodes that are kept, sorted; good are those that match.

        Raises Stopped where stop says so.
        """
        match key.by:
            case "property" | "match":
                mask = good if key.by == "match" else self._resources.properties.get(key.name, 0)
                groups = (mask & keep, less(keep, mask))
                return MaskRows(groups if key.down else groups[::-1])
            case "cores" | "gpus" | "count":
                return self._by_number(key.by, keep, stop, down=key.down)
            case "host":
                return self._by_hosts(keep, stop, down=key.down)
            case _:
                nodes = self._by_rank(keep)
                return Turned(nodes) if key.down and key.by == "rank" else nodes

    def _by_rank(self, keep: int) -> Nodes:
        resources = self._resources
        if keep == resources.everything:
            return Order.of_all(resources.node_count)
        return MaskRows((keep,))

    def _by_hosts(self, keep: int, stop: Stop, *, down: bool) -> Nodes:
        if self._by_host is None:
            from fluxtui.answers.listing import orders

            order = orders.by_host(self._resources)
            order.prepare()
            self._by_host = order  # seen by other threads, which take it for ready
        found: Nodes = self._by_host
        if keep != self._resources.everything:
            is_ranked = self._by_host.is_by_rank
            found = MaskRows((keep,)) if is_ranked else only(self._by_host, keep, stop)
        return Turned(found) if down else found

    def _by_number(
        self,
        what: Literal["cores", "gpus", "count"],
        keep: int,
        stop: Stop,
        *,
        down: bool,
    ) -> Nodes:
        if what not in self._groups:
            self._groups[what] = _grouped(_numbers(self._resources, what, stop), stop)
        groups = self._groups[what]
        if isinstance(groups, tuple):
            return MaskRows(mask & keep for mask in (reversed(groups) if down else groups))
        # Many different numbers: equal ones stay by rank, from the most to the least as well.
        order = _groups_turned(groups) if down else groups
        return only(order, keep, stop)


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


def _groups_turned(order: Order) -> Order:
    """The sections from the last to the first, the nodes of each as they are."""
    rows = array("I")
    sections: list[Section] = []
    for name, start, end in reversed(order.sections):
        sections.append(Section(name, len(rows), len(rows) + end - start))
        rows.extend(order.indices(start, end))
    return Order(rows, sections, rising=True)


def _numbers(
    resources: Resources, what: Literal["cores", "gpus", "count"], stop: Stop
) -> Iterator[list[int]]:
    """A number of each node, some thousand at a time."""
    if what == "count":
        from fluxtui.notation.sets.bitplanes import packed, summed

        digits = summed(resources.properties.values())
        if len(digits) <= 8:
            counts = packed(digits, resources.node_count)
            for start in range(0, len(counts), _CHUNK):
                stop_if(stop)
                yield list(counts[start : start + _CHUNK])
            return
    for start in range(0, resources.node_count, _CHUNK):
        stop_if(stop)
        end = min(start + _CHUNK, resources.node_count)
        if what == "count":
            yield [len(names) for names in resources.properties_between(start, end)]
        elif what == "cores":
            yield resources.cores_between(start, end)
        else:
            yield resources.gpus_between(start, end)


def _grouped(numbers: Iterator[list[int]], stop: Stop) -> tuple[int, ...] | Order:
    """The nodes by their numbers, the least first: masks, or where there are many, an order."""
    found: dict[int, array[int]] = {}
    index = 0
    for part in numbers:
        for number in part:
            if number not in found:
                found[number] = array("I")
            found[number].append(index)
            index += 1
    rising = [found[number] for number in sorted(found)]
    if len(rising) <= _MANY:
        from fluxtui.notation.sets.bitplanes import gathered

        codes = bytearray(index)
        for code, members in enumerate(rising):
            stop_if(stop)
            for member in members if code else ():
                codes[member] = code
        return tuple(gathered(bytes(codes), code) for code in range(len(rising)))
    rows = array("I")
    sections: list[Section] = []
    for number, members in zip(sorted(found), rising, strict=True):
        sections.append(Section(str(number), len(rows), len(rows) + len(members)))
        rows.extend(members)
    return Order(rows, sections, rising=True)
