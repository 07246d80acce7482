"""The lines of a containment tree: vertices, folded equal leaves, and edges of other subsystems.

A vertex is identified by a number. In a resource graph (JGF, the scheduling part of RFC 20) that
is its row; the vertices implied by the execution part of an R document are numbered by rule, so
that nothing is built for a million nodes before it is shown.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fluxtui.model.jobspec.request import noun
from fluxtui.model.resources.graph import Link

TYPES_COUNTED = 32  # the vertices of further types are not counted
LOOK_UP = 4096  # vertices or nodes processed between two checks for cancellation
MANY = 4  # equal adjacent leaves that are folded into one line


class Vertex(NamedTuple):
    """What the line of a vertex shows; rank is -1 if the document gives none."""

    type: str
    name: str
    size: int = 1
    unit: str = ""
    rank: int = -1
    is_down: bool = False
    properties: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tally:
    """The number of vertices of a type; total is the sum of their sizes, if that differs."""

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
    """Equal adjacent leaves in one line; start is the index of the first among the children."""

    parent: int
    start: int
    count: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Bond:
    """An edge of another subsystem, shown on its own line below its vertex."""

    vertex: int
    link: Link


Item = int | Fold | Bond


class Items:
    """The lines below an open vertex: its edges, then its children with equal leaves folded."""

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
        """Return the index of a child or of the fold that has it; None if it is not a child."""
        kids, before = self._kids, len(self._bonds)
        if isinstance(kids, range):
            return before + kids.index(vertex) if vertex in kids else None
        at = bisect_right(kids, vertex, key=lambda k: k.first if isinstance(k, Fold) else k) - 1
        last = -1 if at < 0 else kids[at]
        is_within = vertex <= (last.last if isinstance(last, Fold) else last)
        return before + at if is_within else None
