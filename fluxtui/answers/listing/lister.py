"""What a listing of nodes is asked for, and how it is found: sorted, filtered, folded.

Folded, nodes that are alike are in one row, until it is opened: below it are the rows of its nodes.
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
from fluxtui.model.cancellation import Stop, going_on, stop_if
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets.bits import Planes, less, packed, summed

# Rows are read out of the masks of so many groups within a frame.
_FEW = 48

# Rows for many nodes whose masks are found beforehand: those that a person sees first.
_FIRST = 60

# Nodes that are looked at between two questions whether to go on.
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

#: What only rows that stand for many nodes are sorted by: what these have together.
OF_FOLDS: tuple[By, ...] = ("size", "all-cores", "all-gpus")

# What has the most, or what holds, comes first until the order is reversed.
_MOST_FIRST = ("cores", "gpus", "memory", "inside", "count", "property", "match", *OF_FOLDS)

# By what nodes are in groups that are kept.
_GROUPED = ("cores", "gpus", "memory", "inside", "count")


@dataclass(frozen=True, slots=True)
class Key:
    """What nodes are sorted by; equal ones stay in the order of their ranks.

    by is ``count`` for the number of properties; ``size``, ``all-cores`` and ``all-gpus`` sort
    folded rows by what all their nodes are and have. name is the property, where it is by one.
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
    """Lists the nodes of one document. What was found for one listing is kept for the next.

    Of a running Flux, states has the nodes in each state, in the order in which they are sorted; a
    node that is in several is sorted by the first of them.
    """

    def __init__(self, resources: Resources, states: Mapping[str, int] | None = None) -> None:
        self._resources, self._states = resources, states or {}
        self._filter = Filter(resources, self._states)
        self._filtered: tuple[str, Filtered] | None = None  # the last text
        self._groups: dict[str, tuple[int, ...]] = {}  # the nodes by a number, the least first
        self._by_host: Order | None = None
        self._folds: Folds | None = None

    def at(self, states: Mapping[str, int]) -> "Lister":
        """The same nodes at another moment; what does not depend on their states is kept."""
        found = copy(self)
        found._states, found._filter = states, self._filter.at(states)
        found._filtered = found._folds = None
        return found

    def filtered(self, text: str) -> Filtered | None:
        """What a filter's text was taken for; None where it was not looked at last."""
        last = self._filtered
        return last[1] if last is not None and last[0] == text else None

    def at_once(self, wanted: Wanted, good: int) -> Listing | None:
        """The listing, None where it takes longer than a few masks; good are those that match."""
        by, text = wanted.key.by, wanted.text
        is_known = (
            not text.strip() or self.filtered(text) is not None or self._resources.node_count <= FEW
        )
        if wanted.folded or not is_known:
            return None
        if by in _GROUPED and not 0 < len(self._groups.get(by, ())) <= _FEW:
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
            self._folds = fold(self._resources, stop, self._states.values())
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

    def _by_number(self, by: By) -> Iterable[int]:
        """The nodes by how many they have of something, the least first."""
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

    def _sorted(self, key: Key, keep: int, good: int, stop: Stop) -> Listing:
        resources = self._resources
        is_all = keep == resources.everything
        match key.by:
            case "property" | "match":
                mask = good if key.by == "match" else resources.properties.get(key.name, 0)
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
    """The nodes of an order that are kept, in one section."""
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
    """The class of each node, numbered as they come by rank, and the first node of each class."""

    classes: "array[int]"
    firsts: "array[int]"


def fold(resources: Resources, stop: Stop = going_on, states: Iterable[int] = ()) -> Folds:
    """The classes of nodes with the same properties and states, as many cores and gpus, as much
    memory, and as many domains inside.
    """
    stop_if(stop)
    count = resources.node_count
    numbers = (plane for what in ("cores", "gpus", "memory") for _, plane in resources.planes(what))
    masks = (*numbers, *insides(resources).values(), *resources.properties.values(), *states)
    several = [mask for mask in dict.fromkeys(masks) if mask and mask != resources.everything]
    planes: list[bytes] = []  # a byte of each node, with the bits of eight masks
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
    """A row for all nodes of a class, and below it their own rows where it is open.

    Classes have a place here, in the order of the rows, and a number, that of the folds.
    """

    is_folded = True

    def __init__(self, nodes: Order, sizes: dict[int, int]) -> None:
        """Take over the nodes class by class; sizes are those of the classes by their numbers."""
        self._order = nodes
        self._numbers = list(sizes)
        self.count = self.class_count = len(sizes)  # rows that stand for classes
        self._places = {number: place for place, number in enumerate(sizes)}
        self._cuts = [*accumulate(sizes.values(), initial=0)]  # the first node of each, and the end
        self.largest = max(sizes.values(), default=0)  # nodes of one row
        # Asked for with each key while the row of a class is in sight; 200 rows never are.
        self._mask = lru_cache(200)(lambda p: nodes.nodes(self._cuts[p], self._cuts[p + 1]))
        for place in range(min(self.count, _FIRST)):  # in the background, unlike what is drawn
            self._mask(place)
        self.opened: tuple[int, ...] = ()  # the numbers of those open; also of some not listed here
        self._open: list[int] = []  # the places of those open that are listed, rising
        self._heads: list[int] = []  # the row of each of them
        self._before = [0]  # the rows that those before each of them have opened, and all of them

    @property
    def node_count(self) -> int:
        """How many nodes."""
        return self._order.count

    def put_open(self, row: int, is_open: bool) -> None:
        """Open the row of a class to its nodes, or close it."""
        number = self._numbers[self._class(row)[0]]
        others = [other for other in self.opened if other != number]
        self.open_again((*others, number) if is_open else others)

    def open_again(self, opened: Iterable[int]) -> None:
        """Have these classes open, as they were in another listing, and no others."""
        self.opened = tuple(opened)
        self._open = sorted(self._places[n] for n in self.opened if n in self._places)
        self._before = [*accumulate(map(self._size, self._open), initial=0)]
        self.count = self.class_count + self._before[-1]
        pairs = zip(self._open, self._before, strict=False)
        self._heads = [place + before for place, before in pairs]

    def _size(self, place: int) -> int:
        return self._cuts[place + 1] - self._cuts[place]

    def _head_row(self, place: int) -> int:
        return place + self._before[bisect_left(self._open, place)]

    def _class(self, row: int) -> tuple[int, int | None]:
        """The place of a row's class, and that in the order where the row is a single node."""
        at = bisect_right(self._heads, row) - 1
        if at < 0:
            return row, None
        place, inside = self._open[at], row - self._heads[at]
        if inside > self._size(place):
            return row - self._before[at + 1], None
        return place, self._cuts[place] + inside - 1 if inside else None

    def indices(self, start: int, stop: int) -> Sequence[int]:
        """The node of each row; of a row for many the first of them."""
        rows = range(max(start, 0), min(stop, self.count))
        found = (self._class(row) for row in rows)
        return [self._order.rows[self._cuts[p] if at is None else at] for p, at in found]

    def head(self, row: int) -> Head | None:
        """What a row stands for; None where it is one node."""
        place, at = self._class(row)
        return Head(self._size(place), place in self._open) if at is None else None

    def head_at(self, row: int) -> int | None:
        """The row of the class that a row belongs to."""
        return self._head_row(self._class(row)[0])

    def row(self, index: int) -> int | None:
        """The row in which a node is found: its own, or that of its class; None where in none."""
        at = self._order.row(index)
        if at is None:
            return None
        place = bisect_right(self._cuts, at) - 1
        below = 1 + at - self._cuts[place] if place in self._open else 0
        return self._head_row(place) + below

    def nodes(self, start: int, stop: int) -> int:
        """All the nodes of the rows from start up to stop, as a mask."""
        if start >= stop:
            return 0
        (first, begin), (last, end) = self._class(start), self._class(stop - 1)
        if first == last and begin is None and end is None:
            return self._mask(first)
        low = self._cuts[first] if begin is None else begin
        is_whole = end is None or self._head_row(last) >= start  # its own row is among them
        high = self._cuts[last + 1] if is_whole or end is None else end + 1
        return self._order.nodes(low, high)

    def following(self, mask: int, row: int, by: Literal[-1, 1]) -> int | None:
        """The nearest row with a node of a mask; of a closed class all nodes count at once."""
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
    stop: Stop = going_on,
    each: Sequence[int] | None = None,
    *,
    down: bool = True,
) -> FoldedListing:
    """The nodes folded, classes in the order of their first nodes.

    With what one node of each counts, those whose nodes count the most together come first, or
    without down the least.
    """
    classes = folds.classes
    counter: Counter[int] = Counter()  # in the order in which classes come first
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
    return FoldedListing(order, sizes)


def _chunks(nodes: Listing, stop: Stop) -> Iterator[Sequence[int]]:
    for start in range(0, nodes.count, _CHUNK):
        stop_if(stop)
        yield nodes.indices(start, start + _CHUNK)
