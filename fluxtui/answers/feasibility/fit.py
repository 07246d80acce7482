"""Is there room for a job, where, and what is missing: by each scheduler's rules, and by ours.

Flux has two schedulers, and they decide differently. sched-simple knows nodes, slots, cores and
gpus; Fluxion knows the resource graph. Where the document carries a graph, Fluxion's verdict is
the one that counts; without one it is that of sched-simple, read strictly, and Fluxion's again for
a request that sched-simple does not read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fluxtui.answers.feasibility.feasibility import Feasibility
from fluxtui.model.jobspec.jobspec import system
from fluxtui.model.resources.resource_set import Resources

# The rules of the schedulers take a while to load, and a blank shape asks nothing.
if TYPE_CHECKING:
    from fluxtui.answers.feasibility.fluxion.check import FluxionIndex


@dataclass(frozen=True, slots=True)
class Fit:
    """Whether there is room for a job on an idle cluster.

    own      the verdict that counts, with its reasons, placement and counts
    simple   what sched-simple answers, its oddities included
    fluxion  what Fluxion answers, its oddities included
    """

    own: Feasibility
    simple: Feasibility
    fluxion: Feasibility

    @property
    def feasible(self) -> bool | None:
        """There is room; None where that cannot be said."""
        return self.own.feasible

    @property
    def differs(self) -> bool:
        """One scheduler takes the job and the other one does not."""
        said = {self.simple.feasible, self.fluxion.feasible}
        return True in said and False in said

    @property
    def why_differs(self) -> str:
        """Why one scheduler refuses what the other takes, in one sentence; empty if none does."""
        if not self.differs:
            return ""
        refusing, name, other = (
            (self.fluxion, "Fluxion", "sched-simple")
            if self.simple.feasible
            else (self.simple, "sched-simple", "Fluxion")
        )
        why = refusing.reasons[0].message if refusing.reasons else refusing.words
        return f"{other} takes it and {name} does not: {why}"


def fit(
    jobspec: Mapping[str, Any],
    resources: Resources,
    index: "FluxionIndex",
    allowed: int | None = None,
) -> Fit:
    """Whether there is room for a jobspec.

    allowed is the mask of the nodes that its constraints leave (RFC 31), where it is known.
    """
    from fluxtui.answers.feasibility.fluxion import check as fluxion_check
    from fluxtui.answers.feasibility.simple import check as sched_simple

    simple = sched_simple.check_feasibility(jobspec, resources, with_placement=False)
    own = None
    if resources.graph is None:
        strict = sched_simple.check_strictly(jobspec, resources, allowed)
        own = None if strict.feasible is None else strict
    asked, constraint = _resources(jobspec), _constraint(jobspec, resources, allowed)
    fluxion = fluxion_check.check_feasibility(
        asked, constraint, index, allowed, with_placement=own is None
    )
    return Fit(fluxion if own is None else own, simple, fluxion)


def feasible(
    jobspec: Mapping[str, Any],
    resources: Resources,
    index: "FluxionIndex",
    allowed: int | None = None,
) -> bool | None:
    """Whether there is room for a jobspec, as `fit` says, without anything else."""
    from fluxtui.answers.feasibility.fluxion import check as fluxion_check
    from fluxtui.answers.feasibility.simple import check as sched_simple

    if resources.graph is None:
        strict = sched_simple.check_strictly(jobspec, resources, allowed, with_placement=False)
        if strict.feasible is not None:
            return strict.feasible
    asked, constraint = _resources(jobspec), _constraint(jobspec, resources, allowed)
    return fluxion_check.check_feasibility(
        asked, constraint, index, allowed, with_placement=False
    ).feasible


def _resources(jobspec: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    found = jobspec.get("resources")
    return found if isinstance(found, list | tuple) else ()


def _constraint(jobspec: Mapping[str, Any], resources: Resources, allowed: int | None) -> object:
    """The constraint as it is written, whatever it is; None where there is none.

    Where every vertex it is about is a node of R, the nodes it leaves say all of it.
    """
    if resources.graph is None and allowed is not None:
        return None
    return system(jobspec).get("constraints")
