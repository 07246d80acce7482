"""Whether a job fits the cluster, where, and what is missing, by the rules of each scheduler.

Flux has two schedulers, which decide differently. sched-simple knows nodes, slots, cores and
gpus, and with its pool TreePool the domains inside nodes (RFC 49); Fluxion knows the resource
graph. An R written for TreePool is read by no other scheduler, and anything in a request that
TreePool ignores is missing. Otherwise, Fluxion's verdict counts if the document has a graph;
without one the verdict of sched-simple counts, read strictly, or Fluxion's for a request that
sched-simple does not read as it is meant.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from fluxtui.answers.feasibility import sched_simple, tree_pool
from fluxtui.answers.feasibility.feasibility import Feasibility
from fluxtui.answers.feasibility.fluxion import check as fluxion
from fluxtui.answers.feasibility.fluxion.prepared_graph import PreparedGraph
from fluxtui.model.jobspec.jobspec import system
from fluxtui.model.jobspec.request import ResourceRequest, parse
from fluxtui.model.resources.resource_set import Resources


@dataclass(frozen=True, slots=True)
class Fit:
    """The verdict that counts (own), and that of each scheduler including its quirks; simple is
    that of the pool which sched-simple uses for the document.
    """

    own: Feasibility
    simple: Feasibility
    fluxion: Feasibility

    @property
    def feasible(self) -> bool | None:
        """Whether the job fits; None if unknown."""
        return self.own.feasible

    @property
    def hopeless(self) -> bool:
        """Whether the job never starts: it does not fit, or nothing would be allocated for it."""
        return self.own.feasible is False or self.own.satisfiable_but_unallocatable

    @property
    def why_differs(self) -> str:
        """Why one scheduler refuses what the other accepts, in a sentence; empty if they agree."""
        if not {True, False} <= {self.simple.feasible, self.fluxion.feasible}:
            return ""
        refusing, name, other = self.simple, str(self.simple.scheduler), "Fluxion"
        if self.simple.feasible:
            refusing, name, other = self.fluxion, other, name
        why = refusing.reasons[0].message if refusing.reasons else refusing.words
        return f"{other} accepts it and {name} does not: {why}"


def fit(
    jobspec: Mapping[str, Any],
    graph: PreparedGraph,
    allowed: int | None = None,
    request: ResourceRequest | None = None,
) -> Fit:
    """Return whether a jobspec fits, by each scheduler; allowed are the nodes it may use."""
    request = request or parse(jobspec.get("resources"))
    own = own_verdict(jobspec, request, graph, allowed)
    simple = pool_of(graph.resources).check_feasibility(jobspec, graph.resources, request=request)
    if own.scheduler == "fluxion":
        return Fit(own, simple, own)
    wanted = system(jobspec).get("constraints")
    other = fluxion.check_feasibility(request, wanted, graph, allowed, with_placement=False)
    return Fit(own, simple, other)


def feasible(
    jobspec: Mapping[str, Any],
    graph: PreparedGraph,
    allowed: int | None = None,
    request: ResourceRequest | None = None,
) -> bool | None:
    """Return just whether a jobspec fits; see `fit`."""
    request = request or parse(jobspec.get("resources"))
    return own_verdict(jobspec, request, graph, allowed, with_placement=False).feasible


def pool_of(resources: Resources) -> ModuleType:
    """Return the pool that sched-simple uses for an R: TreePool if its writer says so (RFC 49)."""
    return tree_pool if resources.for_tree_pool else sched_simple


def own_verdict(
    jobspec: Mapping[str, Any],
    request: ResourceRequest,
    graph: PreparedGraph,
    allowed: int | None,
    *,
    with_placement: bool = True,
) -> Feasibility:
    """Return the verdict that counts; without with_placement only whether the job fits."""
    resources = graph.resources
    if resources.graph is None or resources.for_tree_pool:
        found: Feasibility = pool_of(resources).check_strictly(
            jobspec, resources, allowed, request=request, with_placement=with_placement
        )
        if found.feasible is not None or resources.for_tree_pool:
            return found
    wanted = system(jobspec).get("constraints")
    return fluxion.check_feasibility(request, wanted, graph, allowed, with_placement=with_placement)
