"""The parts of containment trees: vertices, nodes, counts, and the items of an open vertex."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fluxtui.model.jobspec.request import noun
from fluxtui.model.resources.graph import Link

MANY = 4  # equal leaves side by side that are put in one line

#: What R counts itself: a pool of these counts as many as it is large.
COUNTED = ("core", "gpu")


class Vertex(NamedTuple):
    """What the line of a vertex shows.

    rank is -1 and unit empty where the document gives none; is_down is its status.
    """

    type: str
    name: str
    size: int = 1
    unit: str = ""
    rank: int = -1
    is_down: bool = False
    properties: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tally:
    """How many vertices of a type there are; total is of their sizes, in a unit, where that counts.

    total is None where it says nothing more than count.
    """

    type: str
    count: int
    total: int | None = None
    unit: str = ""

    @property
    def words(self) -> str:
        """``1,728 cores``, ``16 memory 32 GB``."""
        text = f"{self.count:,} {noun(self.type, self.count) or '(no type)'}"
        return text if self.total is None else f"{text} {self.total:,} {self.unit or 'units'}"


@dataclass(frozen=True, slots=True)
class Fold:
    """Equal leaves side by side below a vertex, in one line.

    parent is the vertex that contains them, start the place of the first among its children.
    """

    parent: int
    start: int
    count: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Bond:
    """An edge of another subsystem at a vertex, in a line of its own below it."""

    vertex: int
    link: Link


Item = int | Fold | Bond


class Items:
    """What is below an open vertex: its edges, then its children, equal leaves folded."""

    __slots__ = ("_bonds", "_kids")

    def __init__(self, bonds: Sequence[Bond], kids: Sequence[int | Fold]) -> None:
        self._bonds = bonds
        self._kids = kids

    def __len__(self) -> int:
        return len(self._bonds) + len(self._kids)

    def __getitem__(self, place: int) -> Item:
        before = len(self._bonds)
        return self._bonds[place] if place < before else self._kids[place - before]

    def place_of(self, vertex: int) -> int | None:
        """Where a child is, or the fold that it is in; None where it is not a child."""
        kids, before = self._kids, len(self._bonds)
        if isinstance(kids, range):
            return before + kids.index(vertex) if vertex in kids else None
        at = bisect_right(kids, vertex, key=lambda k: k.first if isinstance(k, Fold) else k) - 1
        last = -1 if at < 0 else kids[at]
        is_within = vertex <= (last.last if isinstance(last, Fold) else last)
        return before + at if is_within else None
