"""What is seen of what contains what: a vertex, equal leaves in one line, what is in a row below.

A vertex is known by a number. Of a resource graph (JGF, as RFC 20's scheduling part carries it) it
is the row; what the execution part of an R document implies is numbered by rule, so that nothing is
made for a million nodes before it is looked at.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fluxtui.model.jobspec.request import noun
from fluxtui.model.resources.graph import Link

TYPES_COUNTED = 32  # of a cluster with more types, the others are not counted
LOOK_UP = 4096  # vertices or nodes between two looks at whether to stop
MANY = 4  # equal leaves side by side that are put in one line


class Vertex(NamedTuple):
    """What the line of a vertex shows; rank is -1 where the document gives none."""

    type: str
    name: str
    size: int = 1
    unit: str = ""
    rank: int = -1
    is_down: bool = False
    properties: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tally:
    """How many vertices of a type there are; total is of their sizes, where that says more."""

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
    """Equal leaves side by side below a vertex, in one line; start is among its children."""

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
