"""The rows of a tree with some items open: maps rows to items and back without walking the tree.

Finding a row takes one step per level; opening or closing takes one per open item next to it.
"""

from bisect import bisect_left, bisect_right
from operator import itemgetter
from typing import NamedTuple

from fluxtui.answers.containment.items import Fold, Item, Items
from fluxtui.answers.containment.tree import Containment, can_open, items_below

_START, _PLACE = itemgetter(0), itemgetter(1)


class Branch:
    """The items below an open item, or at the top of the tree, and which of them are open."""

    __slots__ = ("_starts", "above", "items", "opened", "rows")

    def __init__(self, items: Items, above: "Spot | None" = None) -> None:
        self.items = items
        self.above = above  # the open item; None at the top
        self.opened: dict[int, Branch] = {}  # by place
        self.rows = len(items)
        self._starts: list[tuple[int, int]] | None = None  # first row and place of each open item

    @property
    def level(self) -> int:
        """How many open items this branch is nested in."""
        return 0 if self.above is None else self.above.branch.level + 1

    def put(self, place: int, branch: "Branch | None") -> None:
        """Show a branch below the item at a place; with None, close the item."""
        before = self.opened.pop(place, None)
        more = -before.rows if before is not None else 0
        if branch is not None:
            self.opened[place] = branch
            more += branch.rows
        around: Branch | None = self
        while around is not None:
            around.rows += more
            around._starts = None
            above = around.above
            around = above.branch if above is not None and above.opened is around else None

    def _open_items(self) -> list[tuple[int, int]]:
        if self._starts is None:
            self._starts, before = [], 0
            for place in sorted(self.opened):
                self._starts.append((place + 1 + before, place))
                before += self.opened[place].rows
        return self._starts

    def at(self, row: int) -> "Spot":
        """Return what is in a row, counted from the first row of this branch."""
        open_items = self._open_items()
        which = bisect_right(open_items, row, key=_START) - 1
        if which < 0:
            return Spot(self, row)
        start, place = open_items[which]
        inner = self.opened[place]
        if row < start + inner.rows:
            return inner.at(row - start)
        return Spot(self, row - inner.rows - (start - place - 1))

    def row_of(self, place: int) -> int:
        """Return the row of a place, counted from the first row of this branch."""
        open_items = self._open_items()
        which = bisect_left(open_items, place, key=_PLACE) - 1
        if which < 0:
            return place
        start, before = open_items[which]
        return place + start - before - 1 + self.opened[before].rows


class Spot(NamedTuple):
    """The position of an item, a branch and a place in it; unchanged while others open or close."""

    branch: Branch
    place: int

    @property
    def item(self) -> Item:
        """The item."""
        return self.branch.items[self.place]

    @property
    def opened(self) -> Branch | None:
        """The branch below it; None if it is closed."""
        return self.branch.opened.get(self.place)

    @property
    def is_open(self) -> bool:
        """Whether it is open."""
        return self.opened is not None

    @property
    def above(self) -> "Spot | None":
        """The item that contains this one; None at the top."""
        return self.branch.above

    def put(self, branch: Branch | None) -> None:
        """Show a branch below it; with None, close it."""
        self.branch.put(self.place, branch)


class OpenRows:
    """The rows of a containment tree; initially its roots, all closed."""

    def __init__(self, tree: Containment) -> None:
        self._tree = tree
        self.root = Branch(items_below(tree, None))

    def __len__(self) -> int:
        return self.root.rows

    def at(self, row: int) -> Spot:
        """Return what is in a row."""
        return self.root.at(row)

    def row_of(self, spot: Spot) -> int:
        """Return the row of an item."""
        row = spot.branch.row_of(spot.place)
        return row if spot.above is None else row + 1 + self.row_of(spot.above)

    def has(self, spot: Spot) -> bool:
        """Return whether an item still has a row: nothing that contains it was closed."""
        if spot.above is None:
            return spot.branch is self.root
        return spot.above.opened is spot.branch and self.has(spot.above)

    def open(self, spot: Spot) -> bool:
        """Open an item; return whether it was closed and has something below it."""
        if spot.is_open or not can_open(self._tree, spot.item):
            return False
        spot.put(Branch(items_below(self._tree, spot.item), spot))
        return True

    def grown(self, spot: Spot, limit: int) -> tuple[Branch | None, bool]:
        """Return a branch for `Spot.put` with all below an item open, and whether it is complete.

        It has about `limit` rows at most; None if nothing is below. Folded leaves stay folded.
        """
        if not can_open(self._tree, spot.item):
            return None, True
        top = Branch(items_below(self._tree, spot.item), spot)
        waiting = [top]  # level by level
        for branch in waiting:
            for place in range(len(branch.items)):
                inner = Spot(branch, place)
                if isinstance(inner.item, Fold) or not can_open(self._tree, inner.item):
                    continue
                if top.rows > limit:
                    return top, False
                self.open(inner)
                waiting += [inner.opened] if inner.opened is not None else []
        return top, True

    def reveal(self, vertex: int) -> Spot | None:
        """Open all that contains a vertex, and return its position; None if not in the tree."""
        path = [vertex]
        while (parent := self._tree.parent(path[-1])) >= 0:
            path.append(parent)
        spot: Spot | None = None
        for step in reversed(path):
            spot = self._below(spot, step)
            if spot is not None and isinstance(spot.item, Fold):
                spot = self._below(spot, step)
            if spot is None:
                return None
        return spot

    def _below(self, spot: Spot | None, vertex: int) -> Spot | None:
        """Open an item and return the position of a vertex directly below it, or at the top."""
        branch: Branch | None = self.root
        if spot is not None:
            self.open(spot)
            branch = spot.opened
        place = branch.items.place_of(vertex) if branch is not None else None
        return Spot(branch, place) if branch is not None and place is not None else None
