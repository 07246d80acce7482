"""Whether a job can run on a live instance: ever, on what is up now, and on what is free now."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

from fluxtui.answers.feasibility.feasibility import Feasibility, Placement
from fluxtui.answers.feasibility.fit import own_verdict, pool_of
from fluxtui.answers.feasibility.fluxion import check as fluxion
from fluxtui.answers.feasibility.fluxion.prepared_graph import PreparedGraph
from fluxtui.model.jobspec.request import ResourceRequest, parse
from fluxtui.model.live.nodes import NodeStates
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import counted


class _Order(NamedTuple):
    """The order in which Fluxion selects nodes, by the numbers at the ends of their names."""

    downwards: bool
    fills: bool  # a job without nodes in its request gets the cores of one node after the other


#: The match policies of Fluxion that always select the same nodes. The others, among them the
#: default ``first``, prefer nodes on which nothing ran before, which cannot be queried.
_ORDERS = {
    "low": _Order(False, False),
    "high": _Order(True, False),
    "lonode": _Order(False, True),
    "hinode": _Order(True, True),
    "lonodex": _Order(False, True),
    "hinodex": _Order(True, True),
}


@dataclass(frozen=True, slots=True)
class Now:
    """The verdicts that count for a job: on all nodes, on those up, and on what is free of these.

    If one of them is negative, so are the later ones. Each has its ``fits``, the number of such
    jobs at once, its ``reasons`` and the ``nearest`` request that fits.

    ahead       how many pending jobs would be scheduled before it
    blocked     what keeps it from the scheduler, such as ``its queue is stopped``; empty if nothing
    unplaced    why it is unknown which of the free nodes it gets; empty if they are known
    gives_less  whether it does not fit, but sched-simple would start it with less on free nodes
    """

    ever: Feasibility
    up: Feasibility
    free: Feasibility
    ahead: int = 0
    blocked: str = ""
    unplaced: str = ""
    gives_less: bool = False

    @property
    def starts(self) -> bool:
        """Whether the job starts as soon as it is submitted."""
        return self._has_room and not self.blocked and not self.ahead

    @property
    def _has_room(self) -> bool:
        return self.gives_less or bool(self.free.feasible)

    @property
    def words(self) -> str:
        """What happens to the job, in a few words."""
        less = " with less than it asks for" if self.gives_less else ""
        if self.starts:
            return f"starts now{less}"
        if self._has_room:
            return (
                f"there is room{less}, but {self.blocked or counted(self.ahead, 'job') + ' ahead'}"
            )
        if None in (self.ever.feasible, self.up.feasible, self.free.feasible):
            return "not known"
        if self.ever.satisfiable_but_unallocatable:
            return "never starts"
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
    policy: str = "",
) -> Now:
    """Return the three verdicts on a jobspec, by the rules of the scheduler that counts.

    allowed holds the nodes that its constraint and its queue allow; nodes is the state of the
    graph's nodes. A job that requests whole nodes gets none that is partly in use. ever is the
    first verdict, if the caller has it already; policy is the match policy of Fluxion, empty for
    another scheduler. The job is placed if the placement is certain.
    """
    request = request or parse(jobspec.get("resources"))
    allowed_nodes = nodes.everything if allowed is None else allowed
    wholes = ("node",) if policy else ("node", "slot")  # an exclusive slot gets a node, too
    whole = any(vertex.type in wholes and vertex.exclusive for vertex in request.walk())
    unused = graph if not nodes.allocated else PreparedGraph.of(nodes.unused)

    def verdict(of: PreparedGraph, mask: int) -> Feasibility:
        found = own_verdict(jobspec, request, of, allowed_nodes & mask)
        # A job that is not placed does not start now, even if the scheduler calls it satisfiable.
        waits = found.satisfiable_but_unallocatable
        return replace(found, feasible=False) if waits else found

    ever = ever or own_verdict(jobspec, request, graph, allowed_nodes & nodes.schedulable)
    up = verdict(graph, nodes.up) if ever.feasible and nodes.down else ever
    usable = allowed_nodes & (nodes.free if whole else nodes.up)
    free = verdict(unused, usable) if ever.feasible else ever
    unplaced = ""
    if policy and free.placement is not None:
        place = _certain_placement(request, unused, usable, policy)
        if place is not None and not whole:
            place = replace(place, shares=())  # which cores of a node it gets is not known
        free = replace(free, placement=place)
        if place is None:
            unplaced = f"which nodes is not known beforehand (Fluxion's match policy: {policy})"
    gives_less = ever.feasible is False and not policy
    gives_less = gives_less and pool_of(nodes.unused).gives_less(request, nodes.unused, usable)
    return Now(ever, up, free, unplaced=unplaced, gives_less=gives_less)


def _certain_placement(
    request: ResourceRequest, graph: PreparedGraph, usable: int, policy: str
) -> Placement | None:
    """Return where Fluxion places a request that fits; None if that is not certain."""
    names_nodes = any(vertex.type == "node" for vertex in request.walk())
    order = _ORDERS.get(policy)

    def place(downwards: bool) -> Placement | None:
        found = fluxion.check_feasibility(request, None, graph, usable, downwards=downwards)
        return found.placement

    if order is not None and (names_nodes or order.fills) and _names_ascend(graph.resources):
        return place(order.downwards)
    low, high = place(False), place(True)
    is_all = names_nodes and low is not None and high is not None and low.mask == high.mask
    return low if is_all else None


def _names_ascend(resources: Resources) -> bool:
    """Whether the numbers at the ends of the node names ascend with the ranks."""
    groups = list(resources.hosts.walk())
    numbered = all(group.width and not group.suffix for group in groups)
    return numbered and all(one.last < other.first for one, other in pairwise(groups))
