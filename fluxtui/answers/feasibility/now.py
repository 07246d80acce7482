"""Whether a job can ever run on a live instance, on what is up now, and on what is free now."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fluxtui.answers.feasibility.feasibility import Feasibility
from fluxtui.answers.feasibility.fit import own_verdict
from fluxtui.answers.feasibility.fluxion.prepared_graph import PreparedGraph
from fluxtui.model.jobspec.request import ResourceRequest, parse
from fluxtui.model.live.nodes import NodeStates
from fluxtui.notation.problem import counted


@dataclass(frozen=True, slots=True)
class Now:
    """The verdicts that count for a job: with all nodes, those up, and what is free of them.

    Where one of them is no, those after it are no too. Each has its ``fits``, the number of such
    jobs at once, its ``reasons`` and the ``nearest`` request that fits.

    ahead    how many jobs wait that would be scheduled before it
    blocked  what keeps it from the scheduler, such as ``its queue is stopped``; empty for nothing
    """

    ever: Feasibility
    up: Feasibility
    free: Feasibility
    ahead: int = 0
    blocked: str = ""

    @property
    def starts(self) -> bool:
        """The job starts as soon as it is submitted."""
        return bool(self.free.feasible) and not self.blocked and not self.ahead

    @property
    def words(self) -> str:
        """What becomes of the job, in a few words."""
        if self.starts:
            return "starts now"
        if self.free.feasible:
            return f"room now, but {self.blocked or counted(self.ahead, 'job') + ' ahead'}"
        if None in (self.ever.feasible, self.up.feasible, self.free.feasible):
            return "not known"
        if self.up.feasible:
            return "waits until nodes are free"
        return "waits until nodes are up" if self.ever.feasible else "can never start"


def now(
    jobspec: Mapping[str, Any],
    graph: PreparedGraph,
    nodes: NodeStates,
    allowed: int | None,
    request: ResourceRequest | None = None,
    ever: Feasibility | None = None,
) -> Now:
    """The three verdicts on a jobspec, by the scheduler's rules that count.

    allowed holds the nodes that its constraint and its queue leave; nodes is how those of the
    graph's resources are. A job that asks for whole nodes gets none of which something is in use.
    ever is the first verdict, from whoever has it already.
    """
    request = request or parse(jobspec.get("resources"))
    left = nodes.everything if allowed is None else allowed
    whole = any(vertex.type == "node" and vertex.exclusive for vertex in request.walk())
    unused = graph if not nodes.allocated else PreparedGraph.of(nodes.unused)

    def verdict(of: PreparedGraph, mask: int) -> Feasibility:
        return own_verdict(jobspec, request, of, left & mask)

    ever = ever or verdict(graph, nodes.schedulable)
    up = verdict(graph, nodes.up) if ever.feasible and nodes.down else ever
    free = verdict(unused, nodes.free if whole else nodes.up) if up.feasible else up
    return Now(ever, up, free)
