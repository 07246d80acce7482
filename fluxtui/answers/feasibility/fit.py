"""Does a job fit the cluster, where, and what is missing: by each scheduler's rules, and by ours.

Flux has two schedulers, and they decide differently. sched-simple knows nodes, slots, cores and
gpus; Fluxion knows the resource graph. If the document has a graph, Fluxion's verdict is the one
that counts; without one it is that of sched-simple, read strictly, and Fluxion's again for a
request that sched-simple does not read as it is meant.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fluxtui.answers.feasibility.feasibility import Feasibility
from fluxtui.model.jobspec.jobspec import system
from fluxtui.model.jobspec.request import ResourceRequest, parse
from fluxtui.model.resources.resource_set import Resources

# The rules of the schedulers take a while to load, and a blank shape asks nothing.
if TYPE_CHECKING:
    from fluxtui.answers.feasibility.fluxion.prepared_graph import PreparedGraph


@dataclass(frozen=True, slots=True)
class Fit:
    """Whether a job fits an idle cluster.

    own      the verdict that counts, with its reasons, placement and counts
    simple   what sched-simple answers, its oddities included
    fluxion  what Fluxion answers, its oddities included
    """

    own: Feasibility
    simple: Feasibility
    fluxion: Feasibility

    @property
    def feasible(self) -> bool | None:
        """Whether the job fits; None where that is not known."""
        return self.own.feasible

    @property
    def differs(self) -> bool:
        """One scheduler takes the job and the other one does not."""
        return {True, False} <= {self.simple.feasible, self.fluxion.feasible}

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
    graph: "PreparedGraph",
    allowed: int | None = None,
    request: ResourceRequest | None = None,
) -> Fit:
    """Whether a jobspec fits, by each scheduler; graph is made of the resources.

    allowed is the mask of the nodes that its constraints leave (RFC 31), where it is known, and
    request its own resources, from whoever has parsed them already.
    """
    from fluxtui.answers.feasibility.simple.check import check_feasibility

    request = parse(jobspec.get("resources")) if request is None else request
    job = _Job(jobspec, request, resources, graph, allowed)
    own = job.by_sched_simple(with_placement=True)
    fluxion = job.by_fluxion(with_placement=own is None)
    simple = check_feasibility(jobspec, resources, request=job.request)
    return Fit(fluxion if own is None else own, simple, fluxion)


def feasible(
    jobspec: Mapping[str, Any],
    resources: Resources,
    graph: "PreparedGraph",
    allowed: int | None = None,
    request: ResourceRequest | None = None,
) -> bool | None:
    """Whether a jobspec fits, as `fit` says, without anything else."""
    request = parse(jobspec.get("resources")) if request is None else request
    job = _Job(jobspec, request, resources, graph, allowed)
    own = job.by_sched_simple(with_placement=False) or job.by_fluxion(with_placement=False)
    return own.feasible


@dataclass(frozen=True, slots=True)
class _Job:
    """A jobspec with its parsed request, beside a cluster."""

    jobspec: Mapping[str, Any]
    request: ResourceRequest
    resources: Resources
    graph: "PreparedGraph"
    allowed: int | None

    def by_sched_simple(self, *, with_placement: bool) -> Feasibility | None:
        """The strict reading of sched-simple if it is the one that counts, else None."""
        from fluxtui.answers.feasibility.simple.check import check_strictly

        if self.resources.graph is not None:
            return None
        found = check_strictly(
            self.jobspec,
            self.resources,
            self.allowed,
            request=self.request,
            with_placement=with_placement,
        )
        return None if found.feasible is None else found

    def by_fluxion(self, *, with_placement: bool) -> Feasibility:
        from fluxtui.answers.feasibility.fluxion.check import check_feasibility

        constraint = system(self.jobspec).get("constraints")
        if self.resources.graph is None and self.allowed is not None:
            # Constraints are about nodes of R alone: the nodes that are left say it all.
            constraint = None
        request = self.request if self.request.is_list else parse(())
        return check_feasibility(
            request, constraint, self.graph, self.allowed, with_placement=with_placement
        )
