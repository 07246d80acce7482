"""What will become of the job: which queues take it, and whether there is room for it.

The rules of queues and schedulers are loaded when they are first asked, which is not before a shape
is typed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from fluxtui.model.jobspec.request import ResourceRequest, parse
from fluxtui.model.queues import Config, Status, effective, lacking, requires_in_vain
from fluxtui.workbench.cluster import Cluster

if TYPE_CHECKING:
    from fluxtui.answers.admission import Admission
    from fluxtui.answers.feasibility.feasibility import Feasibility, Placement
    from fluxtui.answers.feasibility.fit import Fit
    from fluxtui.answers.feasibility.now import Now


@dataclass(frozen=True, slots=True)
class Submission:
    """Who submits the job, and to which queue.

    queue     the queue a person chose; None leaves it to Flux, which takes the default one
    user      the name of the user who submits; None where that is not known
    groups    the names of the user's groups; None where they are not known
    statuses  the status of queues as it was read, by name; others are open
    live      that of a running instance, which counts more
    what_if   the status that queues are taken to have instead, set by hand
    """

    queue: str | None = None
    user: str | None = None
    groups: tuple[str, ...] | None = None
    statuses: Mapping[str, Status] = field(default_factory=dict)
    what_if: Mapping[str, Status] = field(default_factory=dict)
    live: Mapping[str, Status] = field(default_factory=dict)

    @property
    def really(self) -> Mapping[str, Status]:
        """The status of queues as it is, by name; others are open."""
        return {**self.statuses, **self.live} if self.live else self.statuses

    def status(self, queue: str) -> Status:
        """The own status of a queue, set by hand or read."""
        return self.what_if.get(queue) or self.really.get(queue) or Status()

    def turned(self, queue: str, status: Status) -> "Submission":
        """The same with a queue taken to stand so; nothing is supposed of it that was read."""
        read = self.really.get(queue) or Status()
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
    """What will become of the job that is built.

    queue       the queue the job goes to; empty for the anonymous one, and where it goes to none
    asked       the job as it is submitted; empty where none is
    own         the answer of its queue, or of Flux where it goes to none; None where no job is
    admissions  the answer of every queue by its name, in the order of the configuration; of the
                anonymous one where it names none
    statuses    how each queue stands, a virtual one with its parent
    mask        the nodes that the job's own constraint leaves; None where it cannot be read
    allowed     those of them that its queue leaves
    fit         whether there is room for it; None where there is no cluster, queue or job
    rooms       whether there is room in each queue, by name; empty where that is not known
    now         whether it fits the nodes that are up and free now; None but on a running instance
    stale       all this is of an earlier job: the texts in force are unfinished
    due         the room for it is still to be found; fit and rooms are those of an earlier job
    unasked     the queues are still to be asked too; all but stale and due is of an earlier job
    """

    queue: str = ""
    asked: Mapping[str, Any] = field(default_factory=dict)
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
        """The room is that of an earlier job."""
        return self.stale or self.due

    @property
    def jobspec(self) -> Mapping[str, Any]:
        """The job with what its queue adds, or as it is submitted where there is none to add."""
        filled = self.own.filled if self.own is not None else None
        return self.asked if filled is None else filled

    @property
    def placement(self) -> "Placement | None":
        """Where the job would be placed, if that is known.

        On a running Flux that is where there is room now; nowhere where there is none.
        """
        if self.now is not None:
            return self.now.free.placement
        return self.fit.own.placement if self.fit is not None else None

    @property
    def domain(self) -> str:
        """The locality name of a domain that the job asks TreePool for, which no V1 job does."""
        return self.fit.own.domain if self.fit is not None else ""

    @property
    def admitted(self) -> bool | None:
        """The job's queue takes it; None where that depends on who submits."""
        return self.own.admitted if self.own is not None else None

    def admission(self, queue: str) -> "Admission | None":
        """The answer of one queue."""
        if self.own is not None and queue == self.queue:
            return self.own
        return self.admissions.get(queue)

    def runs_in(self, queue: str) -> bool | None:
        """The job will run in a queue: it takes the job, has room for it, and schedules.

        None where that is not known, and where the job would wait as the queue is stopped.
        """
        answer = self.admission(queue)
        if answer is None:
            return None
        if answer.admitted is False or self.rooms.get(queue) is False:
            return False
        return answer.admitted if answer.schedules else None


def idle(config: Config | None, submission: Submission) -> Outlook:
    """The outlook where no job is built: where one would go, and how the queues stand."""
    found = config or Config()
    queue = found.queue(None)
    name = queue.name if queue is not None else ""
    statuses = {**submission.really, **submission.what_if}
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
    """The outlook of a job but for the room: what queues say of it, and how they stand.

    mask holds the nodes that the job's own constraint leaves, where it can be read. request is
    the parsed resources, from whoever has them already.
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
        asked=jobspec,
        own=own,
        admissions={answer.queue: answer for answer in everywhere},
        mask=mask,
        allowed=_left(mask, own.queue, cluster),
    )


def find_room(outlook: Outlook, cluster: Cluster) -> Outlook:
    """The outlook with the room that there is for its job, in its own queue and in the others.

    Where the cluster is large this is not for the event loop.
    """
    from fluxtui.answers.feasibility.fit import feasible, fit

    if not cluster.resources.node_count:
        return replace(outlook, fit=None, rooms={}, now=None, due=False)
    found = None
    known: dict[int | None, bool | None] = {}
    nowhere = outlook.own is not None and any(r.kind == "queue" for r in outlook.own.refusals)
    job, graph = outlook.jobspec, cluster.prepared_graph
    request = parse(job.get("resources"))
    allowed = _schedulable(outlook.allowed, cluster)
    if not nowhere:
        found = _as_it_runs(fit(job, graph, allowed, request), cluster)
        if len(outlook.admissions) > 1:  # for the other queues; a large mask is no cheap key
            known[allowed] = found.feasible
        if outlook.allowed == 0 and outlook.mask and outlook.queue:
            found = _left_by_queue(found, outlook, cluster)
    rooms: dict[str, bool | None] = {}
    for answer in outlook.admissions.values():
        if found is not None and answer.queue == outlook.queue:
            rooms[answer.queue] = found.feasible
            continue
        left = _schedulable(_left(outlook.mask, answer.queue, cluster), cluster)
        if answer.filled is not None and left not in known:
            # What a queue adds are attributes: the resources are nearly always the same object.
            same = answer.filled.get("resources") is request.raw
            asked = request if same else None
            known[left] = feasible(answer.filled, graph, left, asked)
        rooms[answer.queue] = known.get(left)
    own = outlook.own
    asks = cluster.config is not None and cluster.config.ingest.feasibility
    if asks and own is not None and found is not None:
        own = _asked_for_room(own, found, cluster)
    live = _now(outlook, cluster, request, found.own) if found is not None else None
    return replace(outlook, own=own, fit=found, rooms=rooms, now=live, due=False)


def _as_it_runs(found: "Fit", cluster: Cluster) -> "Fit":
    """The fit on a running instance, whose scheduler decides: not Fluxion where it is another."""
    snapshot = cluster.snapshot
    if snapshot is None or snapshot.match_policy or found.simple.feasible is not False:
        return found
    return found if found.own.feasible is not True else replace(found, own=found.simple)


def _now(
    outlook: Outlook, cluster: Cluster, request: ResourceRequest, ever: "Feasibility"
) -> "Now | None":
    """Whether the job fits what is up and free of a running instance, and what is before it."""
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
    """Why the scheduler does not get to see a job, in few words; empty where it does."""
    whose = "its queue" if own is not None and own.queue else "Flux"
    if own is not None and own.admitted is False:
        return f"{whose} refuses it"
    return "" if own is None or own.schedules else f"{whose} is stopped"


def _schedulable(mask: int | None, cluster: Cluster) -> int | None:
    """Without the nodes on which no job of a running instance ever starts."""
    if mask is None or cluster.snapshot is None:
        return mask
    return mask & cluster.snapshot.nodes.schedulable


def _left_by_queue(found: "Fit", outlook: Outlook, cluster: Cluster) -> "Fit":
    """The fit of a job whose constraint some nodes meet, and none of its queue's."""
    nodes = cluster.covered(outlook.queue).bit_count()
    message = f"none of the {nodes:,} nodes of queue {outlook.queue} meets the constraint"
    if not nodes:
        message = _empty_queue(outlook.queue, cluster)
    first = found.own.reasons[:1]
    told = tuple(replace(problem, message=message) for problem in first)
    return replace(found, own=replace(found.own, reasons=told + found.own.reasons[1:]))


def _empty_queue(name: str, cluster: Cluster) -> str:
    """Why a queue has no node, whatever a job asks for."""
    config = cluster.config or Config()
    queue = config.queue(name)
    if queue is not None and queue.parent is not None:
        queue = config.queue(queue.parent)
    if queue is not None and queue.hosts is not None:
        return f"queue {name} has no node: the cluster has none of its hosts"
    lacks = lacking(queue, cluster.resources) if queue is not None else ()
    if not lacks:
        return f"queue {name} has no node: none has all that it requires"
    return f"queue {name} has no node: it {requires_in_vain(lacks)}"


def _left(mask: int | None, queue: str, cluster: Cluster) -> int | None:
    """The nodes of a mask that a queue leaves, where Flux adds what the queue requires."""
    adds = cluster.config is not None and cluster.config.ingest.constraints
    return mask if mask is None or not adds else mask & cluster.covered(queue)


def _asked_for_room(own: "Admission", found: "Fit", cluster: Cluster) -> "Admission":
    """The answer of a queue where Flux looks for room before it takes a job."""
    from fluxtui.answers.admission import refusal

    is_simple = cluster.graph is None or cluster.resources.for_tree_pool
    room = found.simple if is_simple else found.fluxion
    if own.admitted is False or room.feasible is not False:
        return own
    message = "Flux looks for room before it takes a job, and there is none"
    refused = refusal("feasibility", room.words, message, "resources")
    return replace(own, admitted=False, refusals=(*own.refusals, refused), stored=None)
