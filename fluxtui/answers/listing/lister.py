"""Lists nodes: filtered, sorted and folded.

In a folded listing, nodes that are alike share a row; when it is opened, their own rows follow it.
"""

import struct
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from typing import Literal, TypeAlias

from fluxtui.answers.listing.filtering import FEW, Filter, Filtered
from fluxtui.answers.listing.orders import by_host, insides, masks_by_number
from fluxtui.answers.listing.rows import Head, Listing, MaskRows, Order, Reversed
from fluxtui.model.cancellation import Stop, never_stop, stop_if
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets.bits import Planes, less, packed, summed

# Up to this many groups, rows can be read from their masks within a frame.
_FEW = 48

# How many folded rows have their masks computed in advance: those that a user sees first.
_FIRST = 60

# How many nodes stand for an open class, by which it is found again in another listing.
_SOME = 60

# How many nodes to process between two checks for cancellation.
_CHUNK = 1 << 15

By: TypeAlias = Literal[
    "rank",
    "host",
    "cores",
    "gpus",
    "memory",
    "inside",
    "count",
    "property",
    "match",
    "state",
    "size",
    "all-cores",
    "all-gpus",
]

#: Keys that apply to folded rows only: totals over the nodes of a row.
OF_FOLDS: tuple[By, ...] = ("size", "all-cores", "all-gpus")

# Keys that put the largest numbers, or the nodes that match, first by default.
_MOST_FIRST = ("cores", "gpus", "memory", "inside", "count", "property", "match", *OF_FOLDS)

# Keys for which the groups of nodes are cached.
_GROUPED = ("cores", "gpus", "memory", "inside", "count")


@dataclass(frozen=True, slots=True)
class Key:
    """A sort key; nodes with equal keys stay in the order of their ranks.

    by    ``count`` is the number of properties; ``size``, ``all-cores`` and ``all-gpus`` sort
          folded rows by the number of their nodes, and by all cores or gpus of these
    name  the property, for the key ``property``
    """

    by: By = "rank"
    name: str = ""
    down: bool = False

    @classmethod
    def of(cls, by: By, name: str = "") -> "Key":
        """The key in its default direction."""
        return cls(by, name, by in _MOST_FIRST)

    def is_alike(self, other: "Key | None") -> bool:
        """Whether both sort by the same thing, in any direction."""
        return other is not None and (self.by, self.name) == (other.by, other.name)

    def reversed(self) -> "Key":
        """The key in the other direction."""
        return replace(self, down=not self.down)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which nodes to list, and how: sorted by a key, filtered by a text; only those that match the
    constraint; folded, so that nodes that are alike share a row.
    """

    key: Key = Key()
    text: str = ""
    only: bool = False
    folded: bool = False


class Lister:
    """Lists the nodes of one document; intermediate results are cached for the next listing.

    For a running Flux, states has the nodes in each state, in sort order; a node in several states
    is sorted by the first of them.
    """

    def __init__(self, resources: Resources, states: Mapping[str, int] | None = None) -> None:
        self._resources, self._states = resources, states or {}
        self._filter = Filter(resources, self._states)
        self._filtered: tuple[str, Filtered] | None = None  # for the last text
        self._groups: dict[str, tuple[int, ...]] = {}  # masks by key, lowest number first
        self._by_host: Order | None = None
        self._folds: Folds | None = None

    def at(self, states: Mapping[str, int]) -> "Lister":
        """A lister for the same nodes in other states; caches without states are shared."""
        other = copy(self)
        other._states, other._filter = states, self._filter.at(states)
        other._filtered = other._folds = None
        return other

    def filtered(self, text: str) -> Filtered | None:
        """The cached result of a filter's text; None if another text was used last."""
        last = self._filtered
        return last[1] if last is not None and last[0] == text else None

    def at_once(self, wanted: Wanted, matching: int) -> Listing | None:
        """Return the listing, or None if it would take longer than operations on a few masks.

        matching is the mask of the nodes that match the constraint.
        """
        by, text = wanted.key.by, wanted.text
        is_known = (
            not text.strip() or self.filtered(text) is not None or self._resources.node_count <= FEW
        )
        if wanted.folded or not is_known:
            return None
        if by in _GROUPED and not 0 < len(self._groups.get(by, ())) <= _FEW:
            return None
        keep, host = self._kept(wanted, matching, never_stop), self._by_host
        if by == "host" and (
            host is None or (keep != self._resources.everything and not host.is_by_rank)
        ):
            return None
        return self._sorted(wanted.key, keep, matching, never_stop)

    def find(self, wanted: Wanted, matching: int, stop: Stop = never_stop) -> Listing:
        """Return the listing, however long it takes; raises Stopped if stop says so."""
        nodes = self._sorted(wanted.key, self._kept(wanted, matching, stop), matching, stop)
        if not wanted.folded:
            return nodes
        if self._folds is None:
            self._folds = fold(self._resources, stop, self._states.values())
        each: Sequence[int] | None = None  # the amount per node of each class that sorts the rows
        match wanted.key.by:
            case "size":
                each = [1] * len(self._folds.firsts)
            case "all-cores":
                each = [*map(self._resources.cores_at, self._folds.firsts)]
            case "all-gpus":
                each = [*map(self._resources.gpus_at, self._folds.firsts)]
        return folded(nodes, self._folds, stop, each, down=wanted.key.down)

    def _kept(self, wanted: Wanted, matching: int, stop: Stop) -> int:
        """The nodes to list, as a mask; a filter text with a problem is ignored."""
        keep, text = self._resources.everything, wanted.text
        if text.strip():
            found = self.filtered(text) or self._filter.nodes(text, stop)
            self._filtered = text, found
            keep &= found.mask if found.problem is None else keep
        return keep & matching if wanted.only else keep

    def _by_number(self, by: By) -> Iterable[int]:
        """The masks of the nodes with each number of something, lowest number first."""
        resources = self._resources
        if by == "inside":
            return insides(resources).values()
        planes: Planes
        if by == "count":
            digits = summed(resources.properties.values())
            planes = tuple((1 << at, digit) for at, digit in enumerate(digits))
        else:
            planes = resources.planes(by)
        return masks_by_number(planes, resources.everything).values()

    def _sorted(self, key: Key, keep: int, matching: int, stop: Stop) -> Listing:
        resources = self._resources
        is_all = keep == resources.everything
        match key.by:
            case "property" | "match":
                mask = matching if key.by == "match" else resources.properties.get(key.name, 0)
                pair = (mask & keep, less(keep, mask))
                return MaskRows(pair if key.down else pair[::-1])
            case "state":
                groups, rest = [], keep
                for mask in self._states.values():
                    groups.append(mask & rest)
                    rest = less(rest, mask)
                groups.append(rest)
                return MaskRows(groups[::-1] if key.down else groups)
            case "cores" | "gpus" | "memory" | "inside" | "count":
                if key.by not in self._groups:
                    stop_if(stop)
                    self._groups[key.by] = tuple(self._by_number(key.by))
                known = self._groups[key.by]
                return MaskRows(mask & keep for mask in (reversed(known) if key.down else known))
            case "host":
                if self._by_host is None:
                    order = by_host(resources)
                    order.prepare()
                    self._by_host = order  # only now: other threads use it as soon as it is set
                rows: Listing = self._by_host
                if not is_all:
                    is_by_rank = self._by_host.is_by_rank
                    rows = MaskRows((keep,)) if is_by_rank else only(self._by_host, keep, stop)
                return Reversed(rows) if key.down else rows
            case _:
                nodes = Order(range(resources.node_count)) if is_all else MaskRows((keep,))
                return Reversed(nodes) if key.down and key.by == "rank" else nodes


def only(order: Order, keep: int, stop: Stop = never_stop) -> Order:
    """The nodes of an order that are in the mask keep, in one section."""
    rows = array("I")
    data = keep.to_bytes(max(keep.bit_length() // 8 + 1, 1), "little")
    bound = len(data) << 3
    for part in _chunks(order, stop):
        rows.extend([i for i in part if i < bound and data[i >> 3] >> (i & 7) & 1])
    found = Order(rows)
    found.prepare()
    return found


# Folding


@dataclass(frozen=True, slots=True)
class Folds:
    """The class number of each node, and the first node of each class; classes are numbered in
    the order of these.
    """

    classes: "array[int]"
    firsts: "array[int]"


def fold(resources: Resources, stop: Stop = never_stop, states: Iterable[int] = ()) -> Folds:
    """Classify nodes by their properties, states, numbers of cores and gpus, memory, and domains
    inside.
    """
    stop_if(stop)
    count = resources.node_count
    numbers = (plane for what in ("cores", "gpus", "memory") for _, plane in resources.planes(what))
    masks = (*numbers, *insides(resources).values(), *resources.properties.values(), *states)
    several = [mask for mask in dict.fromkeys(masks) if mask and mask != resources.everything]
    planes: list[bytes] = []  # a byte per node, with the bits of eight masks
    for at in range(0, len(several), 8):
        stop_if(stop)
        planes.append(packed(several[at : at + 8], count))
    if not planes:
        return Folds(array("I", bytes(4 * count)), array("I", [0][:count]))
    classes, firsts = array("I"), array("I")
    known: dict[bytes, int] = {}
    width = len(planes)
    nodes = struct.Struct(f"{width}s")
    for start in range(0, count, _CHUNK):
        stop_if(stop)
        part = bytearray(width * min(_CHUNK, count - start))
        for place, plane in enumerate(planes):
            part[place::width] = plane[start : start + _CHUNK]
        for index, (node,) in enumerate(nodes.iter_unpack(part), start):
            number = known.setdefault(node, len(known))
            classes.append(number)
            if number == len(firsts):
                firsts.append(index)
    return Folds(classes, firsts)


class FoldedListing(Listing):
    """A listing with a row for each class of nodes, followed by the rows of its nodes if open.

    The place of a class is its position in the order of the rows; its number is that in `Folds`.
    """

    is_folded = True

    def __init__(self, nodes: Order, sizes: dict[int, int], classes: Sequence[int]) -> None:
        """Take the nodes, sorted by class, the size of each class by its number, and the number
        of the class of each node.
        """
        self._order, self._class_of = nodes, classes
        self._numbers = list(sizes)
        self.count = self.class_count = len(sizes)  # rows; rows of classes
        self._places = {number: place for place, number in enumerate(sizes)}
        self._cuts = [*accumulate(sizes.values(), initial=0)]  # where each class begins; the end
        self.largest = max(sizes.values(), default=0)  # the size of the largest class
        # Needed at every key press for each visible row of a class, of which there are under 200.
        self._mask = lru_cache(200)(lambda p: nodes.nodes(self._cuts[p], self._cuts[p + 1]))
        for place in range(min(self.count, _FIRST)):  # now, since this runs in the background
            self._mask(place)
        self.opened: tuple[Sequence[int], ...] = ()  # as `open_again` takes them
        self._open: list[int] = []  # places of the listed open classes, ascending
        self._heads: list[int] = []  # the row of each of these classes
        self._before = [0]  # how many rows the open classes before each of them add, and the total

    @property
    def node_count(self) -> int:
        """The number of nodes."""
        return self._order.count

    def put_open(self, row: int, is_open: bool) -> None:
        """Open or close the class that a row belongs to; a single node has nothing to open."""
        place = self._class(row)[0]
        others = [nodes for nodes in self.opened if self._number(nodes) != self._numbers[place]]
        some = self._order.rows[self._cuts[place] : self._cuts[place + 1]]
        some = some[:: len(some) // _SOME + 1]
        self.open_again((*others, some) if is_open else others)

    def open_again(self, opened: Iterable[Sequence[int]]) -> None:
        """Open exactly the classes of these nodes, each of which were some of a class in another
        listing: the class that most of them are in now.
        """
        self.opened = tuple(opened)
        numbers = {self._number(nodes) for nodes in self.opened}
        places = (self._places[n] for n in numbers if n in self._places)
        self._open = sorted(place for place in places if self._size(place) > 1)
        self._before = [*accumulate(map(self._size, self._open), initial=0)]
        self.count = self.class_count + self._before[-1]
        pairs = zip(self._open, self._before, strict=False)
        self._heads = [place + before for place, before in pairs]

    def _number(self, nodes: Sequence[int]) -> int:
        return Counter(map(self._class_of.__getitem__, nodes)).most_common(1)[0][0]

    def _size(self, place: int) -> int:
        return self._cuts[place + 1] - self._cuts[place]

    def _head_row(self, place: int) -> int:
        return place + self._before[bisect_left(self._open, place)]

    def _class(self, row: int) -> tuple[int, int | None]:
        """The place of a row's class, and the position in the order if it is a row of a node."""
        at = bisect_right(self._heads, row) - 1
        if at < 0:
            return row, None
        place, inside = self._open[at], row - self._heads[at]
        if inside > self._size(place):
            return row - self._before[at + 1], None
        return place, self._cuts[place] + inside - 1 if inside else None

    def indices(self, start: int, stop: int) -> Sequence[int]:
        """The node of each row; for the row of a class, its first node."""
        rows = range(max(start, 0), min(stop, self.count))
        found = (self._class(row) for row in rows)
        return [self._order.rows[self._cuts[p] if at is None else at] for p, at in found]

    def head(self, row: int) -> Head | None:
        """The size and state of the class that a row represents; None for the row of a node."""
        place, at = self._class(row)
        return Head(self._size(place), place in self._open) if at is None else None

    def head_at(self, row: int) -> int | None:
        """The row of the class that a row belongs to."""
        return self._head_row(self._class(row)[0])

    def row(self, index: int) -> int | None:
        """The row of a node: its own, or that of its closed class; None if it is not listed."""
        at = self._order.row(index)
        if at is None:
            return None
        place = bisect_right(self._cuts, at) - 1
        below = 1 + at - self._cuts[place] if place in self._open else 0
        return self._head_row(place) + below

    def nodes(self, start: int, stop: int) -> int:
        """All nodes of the rows from start to before stop, as a mask."""
        if start >= stop:
            return 0
        (first, begin), (last, end) = self._class(start), self._class(stop - 1)
        if first == last and begin is None and end is None:
            return self._mask(first)
        low = self._cuts[first] if begin is None else begin
        is_whole = end is None or self._head_row(last) >= start  # the row of its class is included
        high = self._cuts[last + 1] if is_whole or end is None else end + 1
        return self._order.nodes(low, high)

    def following(self, mask: int, row: int, by: Literal[-1, 1]) -> int | None:
        """The nearest row with a node of a mask, which for a closed class is any of its nodes."""
        if not 0 <= row < self.count:
            at: int | None = -1 if row < 0 else self.node_count
        else:
            place, at = self._class(row)
            if at is None:
                is_open = place in self._open
                at = self._cuts[place] if by < 0 or is_open else self._cuts[place + 1] - 1
                at -= by > 0 and is_open
        assert at is not None
        found = self._order.following(mask, at, by)
        return None if found is None else self.row(self._order.rows[found])


def folded(
    nodes: Listing,
    folds: Folds,
    stop: Stop = never_stop,
    each: Sequence[int] | None = None,
    *,
    down: bool = True,
) -> FoldedListing:
    """Fold a listing; classes are in the order of their first nodes.

    If each is given, the amount per node of each class, classes are sorted by the totals over
    their nodes, descending if down.
    """
    classes = folds.classes
    counter: Counter[int] = Counter()  # keeps the order in which classes first occur
    for part in _chunks(nodes, stop):
        counter.update(map(classes.__getitem__, part))
    sizes = dict(counter)
    if each is not None:
        ranked = sorted(sizes, key=lambda number: sizes[number] * each[number], reverse=down)
        sizes = {number: sizes[number] for number in ranked}
    following = dict(zip(sizes, accumulate(sizes.values(), initial=0), strict=False))
    rows = array("I", bytes(4 * nodes.count))
    for part in _chunks(nodes, stop):
        for index in part:
            number = classes[index]
            rows[following[number]] = index
            following[number] += 1
    order = Order(rows)
    order.prepare()
    return FoldedListing(order, sizes, classes)


def _chunks(nodes: Listing, stop: Stop) -> Iterator[Sequence[int]]:
    for start in range(0, nodes.count, _CHUNK):
        stop_if(stop)
        yield nodes.indices(start, start + _CHUNK)
