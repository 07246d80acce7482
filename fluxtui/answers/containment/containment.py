"""What contains what in a cluster, for looking at it: from the cluster down to its cores.

A vertex is known by a number. Of a graph it is the row; what the execution part of an R document
implies is numbered by rule, so that nothing is made for a million nodes before it is looked at.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from fluxtui.answers.containment.items import Bond, Fold, Item, Items, Nodes, Tally, Vertex
from fluxtui.model.cancellation import Stop
from fluxtui.model.resources.graph import Link
from fluxtui.notation.sets.idset import IdSet

MANY = 4  # equal leaves side by side that are put in one line
LOOKED_INTO = 4096  # equal leaves of which each is looked at closely before they are taken as equal


class Containment:
    """The vertices of a cluster, and how they contain each other.

    Children are numbered upwards in their order. What takes a walk over all of
    them is known once `work_out` has been done in the background and `take` been given its result.
    """

    is_derived = False

    @property
    def ready(self) -> bool:
        """What is worked out in the background is there."""
        raise NotImplementedError

    def work_out(self, stop: Stop) -> Any:
        """What a walk over all vertices finds; None once stop says so. Not for the event loop."""
        raise NotImplementedError

    def take(self, found: Any) -> None:
        """Take what was worked out."""
        raise NotImplementedError

    @property
    def roots(self) -> Sequence[int]:
        """The vertices that nothing contains."""
        raise NotImplementedError

    def children(self, vertex: int) -> Sequence[int]:
        """What a vertex contains directly, in ascending order."""
        raise NotImplementedError

    def parent(self, vertex: int) -> int:
        """What contains a vertex directly; -1 where nothing does."""
        raise NotImplementedError

    def vertex(self, vertex: int) -> Vertex:
        """What the line of a vertex shows."""
        raise NotImplementedError

    def path(self, vertex: int) -> str:
        """The containment path, such as ``/tiny0/rack0/node1``."""
        raise NotImplementedError

    def facts(self, vertex: int) -> tuple[tuple[str, str], ...]:
        """All else that is known of a vertex, as names and values in words."""
        raise NotImplementedError

    def links(self, vertex: int) -> tuple[Link, ...]:
        """The edges of other subsystems at a vertex."""
        return ()

    def node(self, vertex: int) -> int | None:
        """The index of the node that a vertex is or is within; None where there is none."""
        raise NotImplementedError

    def at(self, index: int) -> int | None:
        """The vertex that is the node of an index; None where there is none, or not yet."""
        raise NotImplementedError

    def tallies(self, vertex: int) -> tuple[Tally, ...]:
        """How many of each type are below a vertex; empty where that is not known yet."""
        raise NotImplementedError

    def nodes(self, vertex: int) -> Nodes:
        """The nodes at and below a vertex; none where that is not known yet."""
        raise NotImplementedError

    def between(self, first: int, last: int, *, whole: bool) -> Nodes:
        """The nodes from one vertex to another in the order from above; whole takes those below."""
        raise NotImplementedError

    def find(
        self, wanted: str, after: int, by: int, stop: Stop, *, here: bool = False
    ) -> int | None:
        """The next vertex with a text in its name, type or path, or the one before (by is -1).

        It goes round at the ends; here looks at the vertex it begins with, too. None where there
        is none, or once stop says so. Not for the event loop.
        """
        raise NotImplementedError

    # What follows from these

    def items(self, item: Item | None) -> Items:
        """What is below an item once it is open; None stands for all there is."""
        if item is None:
            return Items((), self.roots)
        if isinstance(item, Bond):
            return Items((), ())
        if isinstance(item, Fold):
            return Items((), self.children(item.parent)[item.start : item.start + item.count])
        bonds = [Bond(item, link) for link in self.links(item)]
        kids = self.children(item)
        return Items(bonds, self._folded(item, kids) if len(kids) >= MANY else kids)

    def can_open(self, item: Item) -> bool:
        """Something is below an item."""
        if isinstance(item, Fold):
            return True
        return not isinstance(item, Bond) and bool(self.children(item) or self.links(item))

    def _folded(self, parent: int, kids: Sequence[int]) -> Sequence[int | Fold]:
        """Children with runs of equal leaves put together."""
        found: list[int | Fold] = []
        at = 0
        for key, group in groupby(kids, self._outward):
            run = list(group)
            if key is not None and len(run) >= MANY:
                for start, count in self._alike(run):
                    first, last = run[start], run[start + count - 1]
                    if count < MANY:
                        found += run[start : start + count]
                    else:
                        found.append(Fold(parent, at + start, count, first, last))
            else:
                found += run
            at += len(run)
        return found if len(found) < len(kids) else kids

    def _outward(self, vertex: int) -> object:
        """What leaves that may be equal have in common at first sight; None for no leaf."""
        if self.children(vertex) or self.links(vertex):
            return None
        found = self.vertex(vertex)
        return found.type if found.type != "node" else None

    def _alike(self, run: list[int]) -> list[tuple[int, int]]:
        """The stretches of a run of leaves that are equal when looked at closely."""
        if len(run) > LOOKED_INTO:
            return [(0, len(run))]
        found: list[tuple[int, int]] = []
        start = 0
        for _, group in groupby(run, lambda kid: self.vertex(kid)._replace(name="")):
            count = sum(1 for _ in group)
            found.append((start, count))
            start += count
        return found

    def fold_name(self, fold: Fold) -> str:
        """The names of folded leaves: ``core0-47``, or the first and the last."""
        ends = self.vertex(fold.first).name, self.vertex(fold.last).name
        if fold.count <= LOOKED_INTO:
            kids = self.children(fold.parent)[fold.start : fold.start + fold.count]
            parted = [_parted(self.vertex(kid).name) for kid in kids]
            bases = {base for base, _ in parted}
            if len(bases) == 1 and all(number is not None for _, number in parted):
                numbers = IdSet.of(number for _, number in parted if number is not None)
                if numbers.count == fold.count:
                    return f"{bases.pop()}{numbers}"
        return ends[0] if ends[0] == ends[1] else f"{ends[0]} … {ends[1]}"


def _parted(name: str) -> tuple[str, int | None]:
    """A name and the number at its end; None where there is none, or one with leading zeros."""
    base = name.rstrip("0123456789")
    digits = name[len(base) :]
    if not digits or not digits.isascii() or (digits[0] == "0" and len(digits) > 1):
        return name, None
    return base, int(digits[:18])
