"""Why a job of a live instance is pending: what holds it, what is missing, what is ahead of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from fluxtui.answers import matching
from fluxtui.answers.feasibility.feasibility import Feasibility
from fluxtui.answers.feasibility.fluxion.prepared_graph import PreparedGraph
from fluxtui.answers.feasibility.now import now
from fluxtui.model.constraint.tree import read as read_constraint
from fluxtui.model.jobspec.jobspec import system
from fluxtui.model.live.jobs import Job, begin_time, parse_id
from fluxtui.model.live.snapshot import Snapshot
from fluxtui.model.queues import effective
from fluxtui.notation.duration import describe
from fluxtui.notation.problem import counted
from fluxtui.notation.sets.bits import less

Kind = Literal[
    "dependency",
    "begin",
    "limit",
    "priority",
    "held",
    "queue",
    "scheduler",
    "never",
    "down",
    "busy",
    "ahead",
    "turn",
    "done",
]

#: How many ranges of hosts a message names.
_NAMED = 5

#: Schedulers that consider the jobs of all queues in one order, up to the first that waits.
_ONE_QUEUE = ("sched-simple", "sched-fifo")
_MOST_AHEAD = 5


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that a job waits for; the first of several counts.

    kind     ``dependency`` on another job, ``begin`` time, ``limit`` of an account, ``priority``
             unknown or 0, ``held`` by urgency 0, ``queue`` stopped, no ``scheduler``, ``never``
             enough nodes, nodes ``down`` or ``busy``, jobs ``ahead``, its ``turn`` to come, or
             ``done`` waiting
    message  a sentence, without a full stop
    mask     the nodes concerned
    change   the cheapest change that helps, if known
    """

    kind: Kind
    message: str
    mask: int = 0
    change: str = ""


def why(
    job: Job, snapshot: Snapshot, jobspec: Mapping[str, Any] | None = None, at: float = 0.0
) -> tuple[Reason, ...]:
    """Return why a job waits, the most important reason first; never empty.

    jobspec is the job's own; None if it may not be read: then the nodes and tasks of the job list
    are used instead. at is the current time in seconds since the epoch; 0 for that of the snapshot.
    """
    if not job.is_pending:
        word = "runs" if job.state in ("RUN", "CLEANUP") else "is no longer in the queue"
        return (Reason("done", f"{job.f58} {word}", job.mask(snapshot.resources)),)
    at = at or snapshot.taken
    if job.state == "DEPEND":
        found = tuple(_dependency(text, snapshot, at) for text in job.dependencies)
        return found or (Reason("dependency", "it waits for a dependency"),)
    if job.state == "PRIORITY":
        return (Reason("priority", "its priority has not been computed yet"),)
    held = _held(job, snapshot)
    if held is not None:
        return (held,)
    return (*_room(job, snapshot, jobspec), *_ahead(job, snapshot, at))


def _dependency(text: str, snapshot: Snapshot, at: float) -> Reason:
    """Return the reason for one dependency of the job list (RFC 26)."""
    scheme, _, value = text.partition("=")
    if scheme == "begin-time":
        begins = begin_time(text)
        if begins is None:
            return Reason("begin", f"it waits for its begin time {value}")
        left = begins - at
        when = f"in {describe(float(round(left)))}" if left >= 1 else "now"
        return Reason("begin", f"it waits for its begin time, {when}")
    number = parse_id(value)
    if scheme.startswith("after") and number is not None:
        other = (snapshot.jobs or {}).get(number)
        state = f"; its state is {other.status}" if other is not None else ""
        how = {
            "after": "to start",
            "after-success": "to succeed",
            "after-failure": "to fail",
            "after-finish": "to end",
        }.get(scheme, "")
        return Reason("dependency", f"it waits for {value} {how}".rstrip() + state)
    if "limit" in scheme:
        return Reason("limit", f"a limit of its account is reached: {text}")
    return Reason("dependency", f"it waits for {text}")


def _held(job: Job, snapshot: Snapshot) -> Reason | None:
    """Return what keeps a job from the scheduler; None if nothing does."""
    if job.urgency == 0:
        change = f"flux job urgency {job.f58} default"
        return Reason("held", "it is held: its urgency is 0", change=change)
    if job.priority == 0:
        return Reason("priority", "its priority is 0")
    statuses = effective(snapshot.config, snapshot.statuses)
    status = statuses.get(job.queue)
    if status is not None and not status.started:
        name = f"queue {job.queue}" if job.queue else "the queue"
        if status.blocked == "scheduler" or status.why_stopped == "Scheduler is offline":
            return Reason("scheduler", "no scheduler is loaded")
        why_ = f": {status.why_stopped}" if status.why_stopped != "stopped" else ""
        change = f"flux queue start {job.queue}".rstrip()
        return Reason("queue", f"{name} is stopped{why_}", change=change)
    return None


def _room(job: Job, snapshot: Snapshot, jobspec: Mapping[str, Any] | None) -> Iterator[Reason]:
    """Yield which nodes are missing for a job; nothing if it fits now."""
    nodes = snapshot.nodes
    spec = jobspec if jobspec is not None else stand_in(job)
    allowed = _allowed(job, spec, snapshot)
    if spec is None or allowed is None:
        return
    graph, policy = PreparedGraph.of(snapshot.resources), snapshot.match_policy
    found = now(spec, graph, nodes, allowed, policy=policy)
    usable = allowed & nodes.schedulable
    down, busy = less(usable, nodes.up), usable & nodes.up & nodes.allocated
    count = f"of the {counted(usable.bit_count(), 'node')} it may use"
    if found.gives_less:
        return
    if found.ever.feasible is False:
        first = found.ever.reasons[:1]
        why_never = f": {first[0].message}" if first else ""
        yield Reason("never", f"it can never start{why_never}", allowed, _near(found.ever))
    elif found.up.feasible is False:
        message = f"{count}, {_are(down)} out of service{_by_state(snapshot, down)}"
        yield Reason("down", message, down, _near(found.free))
    elif found.free.feasible is False:
        message = f"{count}, {_are(busy)} in use{_hosts(snapshot, busy)}"
        also_down = f", and {_are(down)} out of service" if down else ""
        yield Reason("busy", message + also_down, busy, _near(found.free))


def _are(mask: int) -> str:
    count = mask.bit_count()
    return f"{count:,} {'is' if count == 1 else 'are'}"


def _near(found: Feasibility) -> str:
    return found.nearest.change if found.nearest is not None else ""


def _by_state(snapshot: Snapshot, mask: int) -> str:
    """List nodes by state and host: ``: n[3-4] drained, n7 offline``."""
    states = snapshot.nodes.by_state
    found = ((state, mask & nodes) for state, nodes in states.items())
    words = [f"{_hosts(snapshot, some)[2:]} {state}".strip() for state, some in found if some]
    return f": {', '.join(words)}"


def _hosts(snapshot: Snapshot, mask: int) -> str:
    named = snapshot.resources.hosts_of(mask, limit=_NAMED)
    return f": {named}" if named else ""


def stand_in(job: Job) -> Mapping[str, Any] | None:
    """Return a jobspec made from the job list; None if that does not say what the job requests.

    For a job that waits for whole nodes, the list does not say how many cores these have.
    """
    slots = job.nodes or job.tasks
    if not slots:
        return None
    cores = {"type": "core", "count": max((job.cores or 0) // slots, 1)}
    slot = {"type": "slot", "count": slots, "label": "task", "with": [cores]}
    if job.nodes:
        whole = {} if job.cores else {"exclusive": True}
        slot = {"type": "node", "count": job.nodes, **whole, "with": [{**slot, "count": 1}]}
    return {"resources": [slot]}


def _allowed(job: Job, jobspec: Mapping[str, Any] | None, snapshot: Snapshot) -> int | None:
    """Return the nodes that a job's queue and constraint allow; None if that is unreadable."""
    mask, wanted = _of_queue(job.queue, snapshot), system(jobspec or {}).get("constraints")
    if wanted is None:
        return mask
    constraint = read_constraint(wanted).value
    return None if constraint is None else mask & matching.match(constraint, snapshot.resources)


def _of_queue(name: str, snapshot: Snapshot) -> int:
    """Return the nodes of a queue; all if it has no name or is not configured."""
    queue = snapshot.config.queue(name)
    return matching.covered(queue.requires if queue is not None else None, snapshot.resources)


def ahead_of_new(queue: str, snapshot: Snapshot) -> int:
    """Return how many pending jobs would be scheduled before one submitted to a queue now.

    See `InQueue.ahead`.
    """
    return sum(snapshot.in_queue[name].ahead for name in _competing_queues(queue, snapshot))


def _ahead(job: Job, snapshot: Snapshot, at: float) -> Iterator[Reason]:
    """Yield the jobs that are scheduled before this one, or its turn, with the expected start."""
    rivals = _competing_queues(job.queue, snapshot)

    def is_ahead(other: Job) -> bool:
        return (
            other.state == "SCHED"
            and bool(other.urgency and other.priority)
            and other.order < job.order
            and other.queue in rivals
        )

    found = sorted(filter(is_ahead, (snapshot.jobs or {}).values()), key=lambda one: one.order)
    estimate = ""
    if job.estimate is not None:
        left = max(job.estimate - at, 0.0)
        estimate = f"; the scheduler expects it to start in {describe(float(round(left)))}"
        if left < 1:
            estimate = "; the scheduler expects it to start now"
    if found:
        names = ", ".join(one.f58 for one in found[:_MOST_AHEAD])
        more = f" and {len(found) - _MOST_AHEAD:,} more" if len(found) > _MOST_AHEAD else ""
        verb = "is" if len(found) == 1 else "are"
        count = counted(len(found), "job")
        yield Reason("ahead", f"{count} {verb} ahead of it: {names}{more}{estimate}")
    else:
        note = f": the scheduler says {job.reason_pending}" if job.reason_pending else ""
        yield Reason("turn", f"no job is ahead of it{note}{estimate}")


def _competing_queues(queue: str, snapshot: Snapshot) -> set[str]:
    """Return the queues whose jobs may delay a job of this queue.

    They are started, and they share nodes with it or the scheduler has one order for all queues.
    """
    statuses = effective(snapshot.config, snapshot.statuses)
    names = snapshot.in_queue
    started = {name for name in names if name not in statuses or statuses[name].started}
    if snapshot.scheduler in _ONE_QUEUE:
        return started
    nodes = _of_queue(queue, snapshot)
    return {name for name in started if name == queue or nodes & _of_queue(name, snapshot)}
