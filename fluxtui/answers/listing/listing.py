"""The rows of a listing of nodes: a row a node, or one for all that are alike until it is opened.

What is asked while a person moves about costs no more where there are more nodes, but for a copy
of a mask. What is built here is linear in the nodes: in the background.
"""

import struct
from array import array
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Literal

from fluxtui.answers.listing.order import Order, Section
from fluxtui.answers.listing.rows import Head, Listing
from fluxtui.model.cancellation import Stop, going_on, stop_if
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets.bitplanes import packed

_CHUNK = 1 << 15

# Classes whose masks are kept: more than there are rows in sight.
_MASKS = 200


@dataclass(frozen=True, slots=True)
class Folds:
    """The class of each node, numbered in the order in which they come by rank.

    classes  the number of each node's class, by index
    firsts   the first node of each class
    """

    classes: "array[int]"
    firsts: "array[int]"

    @property
    def count(self) -> int:
        """How many classes."""
        return len(self.firsts)


def fold(resources: Resources, stop: Stop = going_on) -> Folds:
    """The classes of nodes with the same properties and as many cores and gpus.

    It is linear in the nodes times the properties, in the background: 200 properties of a million
    nodes take about as long as reading them. Raises Stopped where stop says so.
    """
    stop_if(stop)
    planes_of_all = (*resources.planes("cores"), *resources.planes("gpus"))
    masks = (*(mask for _, mask in planes_of_all), *resources.properties.values())
    several = [mask for mask in dict.fromkeys(masks) if mask and mask != resources.everything]
    planes: list[bytes] = []
    for at in range(0, len(several), 8):
        stop_if(stop)
        planes.append(packed(several[at : at + 8], resources.node_count))
    return _numbered(planes, resources.node_count, stop)


def _numbered(planes: Sequence[bytes], count: int, stop: Stop) -> Folds:
    """A class for each different row of bytes, a byte from each plane."""
    classes, firsts = array("I"), array("I")
    width = len(planes)
    if not width:
        return Folds(array("I", bytes(4 * count)), array("I", [0][:count]))
    known: dict[bytes, int] = {}
    rows = struct.Struct(f"{width}s")
    for start in range(0, count, _CHUNK):
        stop_if(stop)
        part = bytearray(width * min(_CHUNK, count - start))
        for place, plane in enumerate(planes):
            part[place::width] = plane[start : start + _CHUNK]
        for index, (row,) in enumerate(rows.iter_unpack(part), start):
            number = known.setdefault(row, len(known))
            classes.append(number)
            if number == len(firsts):
                firsts.append(index)
    return Folds(classes, firsts)


class FoldedListing(Listing):
    """Nodes that are alike in one row, and below it their own rows where it is open.

    The classes come in the order of their first nodes, the nodes of a class in theirs.
    """

    def __init__(
        self, nodes: Order, cuts: Sequence[int], folds: Folds, places: "array[int]"
    ) -> None:
        """Take over the nodes class by class; `folded` makes them.

        cuts    the first node of each class in that order, and how many nodes there are
        places  which class in that order each class of the folds is; their number for none
        """
        self._order = nodes
        self.largest = max((b - a for a, b in pairwise(cuts)), default=0)  # nodes of one row
        self._cuts = cuts
        self._folds = folds
        self._places = places
        self._absent: tuple[int, ...] = ()  # classes that are open, but not listed here
        self._masks: dict[int, int] = {}
        self._open: list[int] = []  # the classes that are open, rising
        self._heads: list[int] = []  # the row of each of them
        self._before = [0]  # the rows that those before each of them have opened, and all of them

    @property
    def count(self) -> int:
        """How many rows."""
        return len(self._cuts) - 1 + self._before[-1]

    @property
    def node_count(self) -> int:
        """How many nodes."""
        return self._order.count

    @property
    def is_folded(self) -> bool:
        """Nodes that are alike have one row."""
        return True

    @property
    def class_count(self) -> int:
        """How many rows stand for classes."""
        return len(self._cuts) - 1

    def put_open(self, row: int, is_open: bool) -> None:
        """Open the row of a class to its nodes, or close it."""
        number = self._class(row)[0]
        if is_open and number not in self._open:
            insort(self._open, number)
        elif not is_open and number in self._open:
            self._open.remove(number)
        self._find_heads()

    @property
    def opened(self) -> tuple[int, ...]:
        """The classes that are open, by their numbers in the folds; also those not listed here."""
        firsts = (self._order.indices(self._cuts[n], self._cuts[n] + 1)[0] for n in self._open)
        return (*(self._folds.classes[index] for index in firsts), *self._absent)

    def open_again(self, opened: Iterable[int]) -> None:
        """Open those classes that are listed here, as they were in another listing."""
        places = {number: self._places[number] for number in opened}
        self._open = sorted(place for place in places.values() if place < self.class_count)
        self._absent = tuple(n for n, place in places.items() if place >= self.class_count)
        self._find_heads()

    def _find_heads(self) -> None:
        sizes = [self._size(opened) for opened in self._open]
        self._before = list(accumulate(sizes, initial=0))
        pairs = zip(self._open, self._before, strict=False)
        self._heads = [opened + before for opened, before in pairs]

    def _size(self, number: int) -> int:
        return self._cuts[number + 1] - self._cuts[number]

    def _mask(self, number: int) -> int:
        """The nodes of a class; kept, as they are asked for with each key while it is in sight."""
        if number not in self._masks:
            if len(self._masks) >= _MASKS:
                self._masks.clear()
            self._masks[number] = self._order.nodes(self._cuts[number], self._cuts[number + 1])
        return self._masks[number]

    def _class(self, row: int) -> tuple[int, int | None]:
        """The class of a row, and its place in the order where the row is a single node."""
        at = bisect_right(self._heads, row) - 1
        if at < 0:
            return row, None
        number, inside = self._open[at], row - self._heads[at]
        if inside == 0:
            return number, None
        if inside <= self._size(number):
            return number, self._cuts[number] + inside - 1
        return row - self._before[at + 1], None

    def indices(self, start: int, stop: int) -> Sequence[int]:
        """The node of each row from start up to stop; of a row for many the first of them."""
        found: list[int] = []
        for row in range(max(start, 0), min(stop, self.count)):
            number, place = self._class(row)
            at = self._cuts[number] if place is None else place
            found.extend(self._order.indices(at, at + 1))
        return found

    def head(self, row: int) -> Head | None:
        """What a row stands for; None where it is one node."""
        number, place = self._class(row)
        if place is not None:
            return None
        at = bisect_left(self._open, number)
        return Head(number, self._size(number), self._open[at : at + 1] == [number])

    def head_row(self, number: int) -> int:
        """The row of a class."""
        return number + self._before[bisect_left(self._open, number)]

    def head_at(self, row: int) -> int | None:
        """The row of the class that a row belongs to."""
        return self.head_row(self._class(row)[0])

    def row(self, index: int) -> int | None:
        """The row in which a node is found: its own, or that of its class; None where in none."""
        place = self._order.row(index)
        if place is None:
            return None
        number = bisect_right(self._cuts, place) - 1
        row = self.head_row(number)
        at = bisect_left(self._open, number)
        if self._open[at : at + 1] == [number]:
            row += 1 + place - self._cuts[number]
        return row

    def nodes(self, start: int, stop: int) -> int:
        """All the nodes of the rows from start up to stop, as a mask."""
        if start >= stop:
            return 0
        (first, begin), (last, end) = self._class(start), self._class(stop - 1)
        if first == last and begin is None and end is None:
            return self._mask(first)
        low = self._cuts[first] if begin is None else begin
        is_whole = end is None or self.head_row(last) >= start  # its own row is among them
        high = self._cuts[last + 1] if is_whole or end is None else end + 1
        return self._order.nodes(low, high)

    def following(self, mask: int, row: int, by: Literal[-1, 1]) -> int | None:
        """The nearest row after a row, or before it, with a node of a mask; None for none.

        Of an open class its nodes count, of a closed one all of them at once.
        """
        if not 0 <= row < self.count:
            place: int | None = -1 if row < 0 else self.node_count
        else:
            number, place = self._class(row)
            if place is None:
                is_open = number in self._open
                place = self._cuts[number] if by < 0 or is_open else self._cuts[number + 1] - 1
                place -= by > 0 and is_open
        assert place is not None
        found = self._order.following(mask, place, by)
        index = None if found is None else self._order.indices(found, found + 1)[0]
        return None if index is None else self.row(index)


def folded(
    nodes: Listing,
    folds: Folds,
    stop: Stop = going_on,
    each: Sequence[int] | None = None,
    *,
    down: bool = True,
) -> FoldedListing:
    """Fold nodes that stand in an order; raises Stopped where stop says so.

    each is what one node of each class of the folds counts. With it the classes whose nodes count
    the most together come first, or without down the least, and only equal ones in order.
    """
    classes = folds.classes
    places, sizes = _sizes(nodes, folds, stop)
    if each is not None:
        listed = {place: number for number, place in enumerate(places) if place < len(sizes)}
        totals = [size * each[listed[place]] for place, size in enumerate(sizes)]
        ranked = sorted(range(len(sizes)), key=totals.__getitem__, reverse=down)
        moved = array("I", bytes(4 * len(sizes)))
        for place, old in enumerate(ranked):
            moved[old] = place
        places = array("I", (moved[old] if old < len(moved) else old for old in places))
        sizes = array("I", (sizes[old] for old in ranked))
    cuts = array("I", accumulate(sizes, initial=0))
    following, rows = cuts[:-1], array("I", bytes(4 * nodes.count))
    for start in range(0, nodes.count, _CHUNK):
        stop_if(stop)
        for index in nodes.indices(start, start + _CHUNK):
            place = places[classes[index]]
            rows[following[place]] = index
            following[place] += 1
    whole = (Section("", 0, len(rows)),) if rows else ()
    order = Order(rows, whole, rising=False)
    order.prepare()
    return FoldedListing(order, cuts, folds, places)


def _sizes(nodes: Listing, folds: Folds, stop: Stop) -> "tuple[array[int], array[int]]":
    """The place of each class in the order of its first node, and the size of each place."""
    classes = folds.classes
    nowhere = folds.count  # the place of a class of which no node is listed
    places, sizes = array("I", [nowhere]) * folds.count, array("I")
    for start in range(0, nodes.count, _CHUNK):
        stop_if(stop)
        for index in nodes.indices(start, start + _CHUNK):
            place = places[classes[index]]
            if place == nowhere:
                places[classes[index]] = len(sizes)
                sizes.append(1)
            else:
                sizes[place] += 1
    return places, sizes
