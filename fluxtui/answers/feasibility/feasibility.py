"""What a scheduler answers when it is asked whether a job can ever run."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from fluxtui.notation.problem import Problem
from fluxtui.notation.sets.idset import EMPTY, IdSet

#: The two schedulers of Flux.
Scheduler = Literal["sched-simple", "fluxion"]

#: The path of a job's constraint.
CONSTRAINT = "attributes.system.constraints"


@dataclass(frozen=True, slots=True)
class Share:
    """What a placement takes of each node of a mask; ids are the logical ids of R (RFC 20)."""

    mask: int
    cores: IdSet = EMPTY
    gpus: IdSet = EMPTY


@dataclass(frozen=True, slots=True)
class Placement:
    """One way to place a request; the scheduler may choose other nodes that serve as well.

    mask    the nodes it takes something of, by rank index
    shares  what it takes of them; the masks are disjoint, as the entries of R_lite are
    rows    the vertices of the resource graph that it takes, by row; empty without a graph
    """

    mask: int
    shares: tuple[Share, ...] = ()
    rows: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Nearest:
    """The request that fits and is nearest to one that does not.

    resources is an RFC 14 list; change says what is different, such as ``8 cores, not 9``.
    """

    resources: tuple[Mapping[str, Any], ...]
    change: str


@dataclass(frozen=True, slots=True)
class Feasibility:
    """Whether a request can ever be satisfied, by one scheduler's rules, on an idle cluster.

    feasible   None where the scheduler cannot be asked, such as for a request it does not read
    words      the scheduler's own error text where it refuses; empty where it does not
    reasons    what is missing, in numbers and by path in the request; empty if nothing is
    placement  one placement of a request that fits
    fits       how many such jobs fit at once, each at its smallest; None where it was not counted
    largest    for each range of the request the largest count that fits, by its path
    nearest    for a request that does not fit the nearest one that does, if there is one
    """

    scheduler: Scheduler
    feasible: bool | None
    words: str = ""
    reasons: tuple[Problem, ...] = ()
    placement: Placement | None = None
    fits: int | None = None
    largest: tuple[tuple[str, int], ...] = ()
    nearest: Nearest | None = None

    @property
    def satisfiable_but_unallocatable(self) -> bool:
        """The scheduler calls the request satisfiable, yet would allocate nothing for it."""
        return bool(self.feasible and self.placement is None and self.reasons)
