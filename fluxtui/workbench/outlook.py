"""What will happen to the job: which queues accept it, and whether it fits.

The rules of queues and schedulers are imported on first use, so not before a shape is typed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from fluxtui.model.jobspec.request import ResourceRequest, parse
from fluxtui.model.queues import Config, Status, effective, lacking, unmet_requirement
from fluxtui.workbench.cluster import Cluster

if TYPE_CHECKING:
    from fluxtui.answers.admission import Admission
    from fluxtui.answers.feasibility.feasibility import Feasibility, Placement
    from fluxtui.answers.feasibility.fit import Fit
    from fluxtui.answers.feasibility.now import Now


@dataclass(frozen=True, slots=True)
class Submission:
    """Who submits the job, and to which queue.

    queue     the queue that the user chose; None leaves it to Flux, which takes the default one
    user      the name of the submitting user; None if unknown
    groups    the names of the user's groups; None if unknown
    statuses  the queue statuses that were read, by name; queues without one are open
    live      the queue statuses of a running instance, which override statuses
    what_if   the queue statuses assumed instead, set by the user
    """

    queue: str | None = None
    user: str | None = None
    groups: tuple[str, ...] | None = None
    statuses: Mapping[str, Status] = field(default_factory=dict)
    what_if: Mapping[str, Status] = field(default_factory=dict)
    live: Mapping[str, Status] = field(default_factory=dict)

    @property
    def actual(self) -> Mapping[str, Status]:
        """The actual queue statuses by name, without what_if; queues without one are open."""
        return {**self.statuses, **self.live} if self.live else self.statuses

    def status(self, queue: str) -> Status:
        """Return a queue's own status (without its parent's): assumed or actual."""
        return self.what_if.get(queue) or self.actual.get(queue) or Status()

    def with_status(self, queue: str, status: Status) -> "Submission":
        """Return a copy with this status assumed for a queue, unless it equals the actual one."""
        read = self.actual.get(queue) or Status()
        if status.enabled == read.enabled:
            status = replace(status, disable_reason=read.disable_reason)
        if status.started_itself == read.started_itself:
            status = replace(
                status, started=read.started, stop_reason=read.stop_reason, blocked=read.blocked
            )
        others = {name: one for name, one in self.what_if.items() if name != queue}
        return replace(self, what_if=others if status == read else {**others, queue: status})


@dataclass(frozen=True, slots=True)
class Outlook:
    """What will happen to the job being built.

    queue       the queue that the job goes to; empty for the anonymous one or without a job
    submitted   the jobspec as it is submitted; empty without a job
    own         the admission of its queue, or of Flux if it names none; None without a job
    admissions  the admission of every queue by name, in the order of the configuration; that of
                the anonymous queue if none is configured
    statuses    the effective status of each queue, that of a virtual one including its parent's
    mask        the nodes that the job's own constraint allows; None if it cannot be read
    allowed     the nodes of mask that its queue allows too
    fit         whether the job fits; None without a cluster, queue or job
    rooms       whether the job fits in each queue, by name; empty if unknown
    now         whether it fits the nodes that are up and free now; None without a running instance
    stale       all of this is for an earlier job, as the current texts are unfinished
    due         the fit is still to be computed; fit and rooms are those of an earlier job
    unasked     the admissions are still to be computed too; only stale and due are current
    """

    queue: str = ""
    submitted: Mapping[str, Any] = field(default_factory=dict)
    own: "Admission | None" = None
    admissions: "Mapping[str, Admission]" = field(default_factory=dict)
    statuses: Mapping[str, Status] = field(default_factory=dict)
    mask: int | None = None
    allowed: int | None = None
    fit: "Fit | None" = None
    rooms: Mapping[str, bool | None] = field(default_factory=dict)
    now: "Now | None" = None
    stale: bool = False
    due: bool = False
    unasked: bool = False

    @property
    def old(self) -> bool:
        """Whether the fit is that of an earlier job."""
        return self.stale or self.due

    @property
    def jobspec(self) -> Mapping[str, Any]:
        """The job with what its queue adds, or as it is submitted if nothing is added."""
        filled = self.own.filled if self.own is not None else None
        return self.submitted if filled is None else filled

    @property
    def placement(self) -> "Placement | None":
        """Where the job would be placed; None if unknown.

        On a running Flux, where it fits now; None if it does not.
        """
        if self.now is not None:
            return self.now.free.placement
        return self.fit.own.placement if self.fit is not None else None

    @property
    def domain(self) -> str:
        """The locality name of a domain that the job requests of TreePool; not in V1."""
        return self.fit.own.domain if self.fit is not None else ""

    @property
    def admitted(self) -> bool | None:
        """Whether the job's queue accepts it; None without a job, or if it depends on the user."""
        return self.own.admitted if self.own is not None else None

    def admission(self, queue: str) -> "Admission | None":
        """Return the admission of one queue; None if there is none."""
        if self.own is not None and queue == self.queue:
            return self.own
        return self.admissions.get(queue)

    def runs_in(self, queue: str) -> bool | None:
        """Whether a job can run in a queue: it accepts the job, the job fits, and it is started.

        None if unknown, or if the job would wait because the queue is stopped.
        """
        answer = self.admission(queue)
        if answer is None:
            return None
        if answer.admitted is False or self.rooms.get(queue) is False:
            return False
        return answer.admitted if answer.schedules else None


def idle(config: Config | None, submission: Submission) -> Outlook:
    """Return the outlook without a job: the queue that one would go to, and the queue statuses."""
    found = config or Config()
    queue = found.queue(None)
    name = queue.name if queue is not None else ""
    statuses = {**submission.actual, **submission.what_if}
    return Outlook(
        submission.queue if submission.queue is not None else name,
        statuses=effective(found, statuses),
    )


def look(
    jobspec: Mapping[str, Any],
    mask: int | None,
    cluster: Cluster,
    submission: Submission,
    request: ResourceRequest | None = None,
) -> Outlook:
    """Return the outlook of a job without its fit: the admissions and statuses of the queues.

    mask holds the nodes that the job's own constraint allows; None if it cannot be read. request
    is the parsed resources, if the caller has them already.
    """
    from fluxtui.answers.admission import Person, admit_everywhere

    person = None
    if submission.user is not None:
        person = Person(submission.user, submission.groups)
    outlook = idle(cluster.config, submission)
    own, everywhere = admit_everywhere(jobspec, cluster.config, person, outlook.statuses, request)
    return replace(
        outlook,
        queue=own.queue,
        submitted=jobspec,
        own=own,
        admissions={answer.queue: answer for answer in everywhere},
        mask=mask,
        allowed=_in_queue(mask, own.queue, cluster),
    )


def find_room(outlook: Outlook, cluster: Cluster) -> Outlook:
    """Return the outlook with the fit of its job, in its own queue and in the others.

    Not for the event loop if the cluster is large.
    """
    from fluxtui.answers.feasibility.fit import feasible, fit

    if not cluster.resources.node_count:
        return replace(outlook, fit=None, rooms={}, now=None, due=False)
    own_fit = None
    known: dict[int | None, bool | None] = {}
    no_queue = outlook.own is not None and any(r.kind == "queue" for r in outlook.own.refusals)
    job, graph = outlook.jobspec, cluster.prepared_graph
    request = parse(job.get("resources"))
    allowed = _schedulable(outlook.allowed, cluster)
    if not no_queue:
        own_fit = _by_running_scheduler(fit(job, graph, allowed, request), cluster)
        if len(outlook.admissions) > 1:  # cached for the other queues; hashing a large mask costs
            known[allowed] = own_fit.feasible
        if outlook.allowed == 0 and outlook.mask and outlook.queue:
            own_fit = _left_by_queue(own_fit, outlook, cluster)
    rooms: dict[str, bool | None] = {}
    for answer in outlook.admissions.values():
        if own_fit is not None and answer.queue == outlook.queue:
            rooms[answer.queue] = own_fit.feasible
            continue
        usable = _schedulable(_in_queue(outlook.mask, answer.queue, cluster), cluster)
        if answer.filled is not None and usable not in known:
            # A queue adds attributes only: the resources are nearly always the same object.
            same = answer.filled.get("resources") is request.raw
            same_request = request if same else None
            known[usable] = feasible(answer.filled, graph, usable, same_request)
        rooms[answer.queue] = known.get(usable)
    own = outlook.own
    checks_feasibility = cluster.config is not None and cluster.config.ingest.feasibility
    if checks_feasibility and own is not None and own_fit is not None:
        own = _refused_without_room(own, own_fit, cluster)
    now = _now(outlook, cluster, request, own_fit.own) if own_fit is not None else None
    return replace(outlook, own=own, fit=own_fit, rooms=rooms, now=now, due=False)


def _by_running_scheduler(found: "Fit", cluster: Cluster) -> "Fit":
    """Return the fit by the scheduler of a running instance: sched-simple unless it is Fluxion."""
    snapshot = cluster.snapshot
    if snapshot is None or snapshot.match_policy or found.simple.feasible is not False:
        return found
    return found if found.own.feasible is not True else replace(found, own=found.simple)


def _now(
    outlook: Outlook, cluster: Cluster, request: ResourceRequest, ever: "Feasibility"
) -> "Now | None":
    """Return whether the job fits what is free on an instance, and what is ahead; else None."""
    if cluster.snapshot is None:
        return None
    from fluxtui.answers.feasibility.now import now
    from fluxtui.answers.feasibility.pending import ahead_of_new

    nodes, graph = cluster.snapshot.nodes, cluster.prepared_graph
    policy = cluster.snapshot.match_policy
    found = now(outlook.jobspec, graph, nodes, outlook.allowed, request, ever, policy)
    ahead = ahead_of_new(outlook.queue, cluster.snapshot)
    return replace(found, ahead=ahead, blocked=_blocked(outlook.own))


def _blocked(own: "Admission | None") -> str:
    """Return in a few words why a job does not reach the scheduler; empty if it does."""
    whose = "its queue" if own is not None and own.queue else "Flux"
    if own is not None and own.admitted is False:
        return f"{whose} {own.refused}"
    return "" if own is None or own.schedules else f"{whose} is stopped"


def _schedulable(mask: int | None, cluster: Cluster) -> int | None:
    """Return a mask without the nodes on which no job of a running instance can ever start."""
    if mask is None or cluster.snapshot is None:
        return mask
    return mask & cluster.snapshot.nodes.schedulable


def _left_by_queue(found: "Fit", outlook: Outlook, cluster: Cluster) -> "Fit":
    """Return the fit of a job whose constraint matches some nodes, but none of its queue's."""
    nodes = cluster.covered(outlook.queue).bit_count()
    message = f"none of the {nodes:,} nodes of queue {outlook.queue} meets the constraint"
    if not nodes:
        message = _empty_queue(outlook.queue, cluster)
    first = found.own.reasons[:1]
    reasons = tuple(replace(problem, message=message) for problem in first)
    return replace(found, own=replace(found.own, reasons=reasons + found.own.reasons[1:]))


def _empty_queue(name: str, cluster: Cluster) -> str:
    """Return why a queue has no node for any job."""
    config = cluster.config or Config()
    queue = config.queue(name)
    if queue is not None and queue.parent is not None:
        queue = config.queue(queue.parent)
    if queue is not None and queue.hosts is not None:
        return f"queue {name} has no node: the cluster has none of its hosts"
    missing = lacking(queue, cluster.resources) if queue is not None else ()
    if not missing:
        return f"queue {name} has no node: none has all that it requires"
    return f"queue {name} has no node: it {unmet_requirement(missing)}"


def _in_queue(mask: int | None, queue: str, cluster: Cluster) -> int | None:
    """Return the nodes of a mask that a queue allows, if Flux adds the queue's requirements."""
    adds = cluster.config is not None and cluster.config.ingest.constraints
    return mask if mask is None or not adds else mask & cluster.covered(queue)


def _refused_without_room(own: "Admission", found: "Fit", cluster: Cluster) -> "Admission":
    """Return the admission of a queue on a Flux that checks feasibility before accepting a job."""
    from fluxtui.answers.admission import refusal

    is_simple = cluster.graph is None or cluster.resources.for_tree_pool
    room = found.simple if is_simple else found.fluxion
    if own.admitted is False or room.feasible is not False:
        return own
    message = "Flux checks that a job fits before accepting it, and this one does not"
    refused = refusal("feasibility", room.words, message, "resources")
    return replace(own, admitted=False, refusals=(*own.refusals, refused), stored=None)
