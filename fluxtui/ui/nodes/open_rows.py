"""The rows of a tree of which some items are open: from row to item and back, without a walk.

Each open item knows the rows of the items that are open directly below it, added up. Finding a row
takes a step for each level; opening and closing one, as much as is open beside it.
"""

from bisect import bisect_left, bisect_right, insort
from typing import NamedTuple

from fluxtui.answers.containment import Containment, Fold, Item, Items, can_open, items_below


class Branch:
    """An open item, or all there is: what is below it, and which of that is open in turn."""

    __slots__ = ("_below", "_opened", "_starts", "items", "parent", "place", "rows")

    def __init__(self, items: Items, place: int = 0) -> None:
        self.items = items
        self.parent: Branch | None = None
        self.place = place  # of the item among those of its parent
        self.rows = len(items)
        self._opened: list[int] = []  # the places of what is open, in order
        self._below: dict[int, Branch] = {}
        self._starts: list[int] | None = None  # the first row of each of them, once asked for

    @property
    def level(self) -> int:
        """How many open items this one is within."""
        found, branch = 0, self.parent
        while branch is not None:
            found, branch = found + 1, branch.parent
        return found

    def opened(self, place: int) -> "Branch | None":
        """What is open at a place; None where nothing is."""
        return self._below.get(place)

    def open(self, branch: "Branch") -> None:
        """Take an item that was opened here."""
        branch.parent = self
        insort(self._opened, branch.place)
        self._below[branch.place] = branch
        self._grow(branch.rows)

    def close(self, place: int) -> None:
        """Close an item, and all that is open below it."""
        branch = self._below.pop(place, None)
        if branch is not None:
            self._opened.remove(place)
            self._grow(-branch.rows)

    def _grow(self, by: int) -> None:
        branch: Branch | None = self
        while branch is not None:
            branch.rows += by
            branch._starts = None
            branch = branch.parent

    def _first_rows(self) -> list[int]:
        if self._starts is None:
            self._starts, before = [], 0
            for place in self._opened:
                self._starts.append(place + 1 + before)
                before += self._below[place].rows
        return self._starts

    def at(self, row: int) -> "Spot":
        """What is in a row, counted from the first row of this branch."""
        branch = self
        while True:
            starts = branch._first_rows()
            which = bisect_right(starts, row) - 1
            if which < 0:
                return Spot(branch, row)
            place, start = branch._opened[which], starts[which]
            inner = branch._below[place]
            if row >= start + inner.rows:
                return Spot(branch, row - (start - place - 1) - inner.rows)
            branch, row = inner, row - start

    def row_of(self, place: int) -> int:
        """The row of a place, counted from the first row of this branch."""
        which = bisect_left(self._opened, place)
        if not which:
            return place
        before = self._opened[which - 1]
        return place + self._first_rows()[which - 1] - before - 1 + self._below[before].rows


class Spot(NamedTuple):
    """Where an item is: the branch, and the place in it. It stays while others open."""

    branch: Branch
    place: int

    @property
    def item(self) -> Item:
        """The item."""
        return self.branch.items[self.place]

    @property
    def is_open(self) -> bool:
        """What is below it is shown."""
        return self.branch.opened(self.place) is not None

    @property
    def above(self) -> "Spot | None":
        """The item that this one is in; None at the top."""
        branch = self.branch
        return Spot(branch.parent, branch.place) if branch.parent is not None else None

    def close(self) -> None:
        """Close it."""
        self.branch.close(self.place)

    def put(self, branch: Branch) -> None:
        """Open it as it was grown."""
        self.close()
        self.branch.open(branch)


class OpenRows:
    """The rows of a containment tree; at first the roots are there, all closed."""

    def __init__(self, tree: Containment) -> None:
        self._tree = tree
        self.root = Branch(items_below(tree, None))

    def __len__(self) -> int:
        return self.root.rows

    def at(self, row: int) -> Spot:
        """What is in a row."""
        return self.root.at(row)

    def row_of(self, spot: Spot) -> int:
        """The row of an item."""
        branch, row = spot.branch, spot.branch.row_of(spot.place)
        while branch.parent is not None:
            row += 1 + branch.parent.row_of(branch.place)
            branch = branch.parent
        return row

    def has(self, spot: Spot) -> bool:
        """An item still is where it was: nothing it is in was closed."""
        branch = spot.branch
        while branch.parent is not None:
            if branch.parent.opened(branch.place) is not branch:
                return False
            branch = branch.parent
        return branch is self.root

    def open(self, spot: Spot) -> bool:
        """Open an item; whether there was something to open."""
        if spot.is_open or not can_open(self._tree, spot.item):
            return False
        spot.branch.open(Branch(items_below(self._tree, spot.item), spot.place))
        return True

    def grown(self, spot: Spot, limit: int) -> tuple[Branch | None, bool]:
        """An item with all below it open, and whether that is all: about so many rows at most.

        Nothing is opened by it; see `Spot.put`. Folded leaves stay folded.
        """
        if not can_open(self._tree, spot.item):
            return None, True
        top = Branch(items_below(self._tree, spot.item), spot.place)
        level = [top]
        while level:
            below: list[Branch] = []
            for branch in level:
                for place in range(len(branch.items)):
                    item = branch.items[place]
                    if isinstance(item, Fold) or not can_open(self._tree, item):
                        continue
                    if top.rows > limit:
                        return top, False
                    inner = Branch(items_below(self._tree, item), place)
                    branch.open(inner)
                    below.append(inner)
            level = below
        return top, True

    def reveal(self, vertex: int) -> Spot | None:
        """Open what a vertex is in, and say where it is; None where it is not in the tree."""
        way = [vertex]
        while (parent := self._tree.parent(way[-1])) >= 0:
            way.append(parent)
        branch: Branch | None = self.root
        spot: Spot | None = None
        for step in reversed(way):
            if spot is not None:
                branch = self._opened(spot)
            spot = _spot_of(branch, step)
            if spot is not None and isinstance(spot.item, Fold):
                spot = _spot_of(self._opened(spot), step)
            if spot is None:
                return None
        return spot

    def _opened(self, spot: Spot) -> Branch | None:
        self.open(spot)
        return spot.branch.opened(spot.place)


def _spot_of(branch: Branch | None, vertex: int) -> Spot | None:
    place = branch.items.place_of(vertex) if branch is not None else None
    return Spot(branch, place) if branch is not None and place is not None else None
