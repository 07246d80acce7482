"""Actions on queues and jobs of a running Flux; each is confirmed first, shown as its command."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from textual.app import SystemCommand

from fluxtui import opening
from fluxtui.bridge.live.job import Order, raise_order, urgency_order
from fluxtui.notation.problem import Problem, is_digits, printable
from fluxtui.ui.controller import Controller
from fluxtui.ui.kit.picker import Item, Picker
from fluxtui.ui.kit.workers import start_worker
from fluxtui.ui.live.follow import Live

if TYPE_CHECKING:
    from fluxtui.model.live.jobs import Job

_DAY = 86_400.0  # the longest wait for a queue to drain or to become idle, in seconds
_ONLY_OWNER = "only the owner of the instance may"
_NOT_YOURS = "only its user and the owner of the instance may"
_WAITS = "You are told when it is done, and can go on meanwhile; esc stops waiting."


class _Act(NamedTuple):
    """One command on a job or a queue.

    done    the state afterwards, in words
    order   makes the order for a job or a queue from the text that the user types
    asks    the placeholder of the input for that text; empty if there is none
    status  for a queue: the status field that is set, and its new value; None for a wait
    """

    key: str
    verb: str
    detail: str
    done: str
    order: Callable[[Any, str], Order | Problem]
    asks: str = ""
    status: tuple[str, bool] | None = None


# Queues (RFC 33)


def _set_status(verb: str, field: str, wanted: bool, queue: str, reason: str) -> Order:
    """Return the order that sets the status of a queue, as flux queue does."""
    words = (*((f"--message={reason}",) if reason else ()), *((queue,) if queue else ()))
    reason = reason or ("disabled by administrator" if verb == "disable" else "")
    payload: dict[str, object] = {field: wanted, "all": False}
    payload |= {"nocheckpoint": False} if field == "start" else {}
    payload |= {key: text for key, text in (("name", queue), ("reason", reason)) if text}
    return Order(("flux", "queue", verb, *words), f"job-manager.queue-{field}", payload)


def _sets(
    key: str, verb: str, detail: str, done: str, field: str, wanted: bool, asks: str = ""
) -> _Act:
    order = partial(_set_status, verb, field, wanted)
    return _Act(key, verb, detail, done, order, asks, (field, wanted))


def _waits(key: str, verb: str, detail: str, done: str) -> _Act:
    order = Order(("flux", "queue", verb), f"job-manager.{verb}", {}, _DAY)
    return _Act(key, verb, detail, done, lambda queue, text: order)


_QUEUES = (
    _sets("d", "disable", "it takes no more jobs", "disabled", "enable", False,
          "reason: disabled by administrator"),
    _sets("e", "enable", "it takes jobs", "enabled", "enable", True),
    _sets("x", "stop", "its jobs wait; running jobs go on", "stopped", "start", False,
          "reason, for those whose jobs wait"),
    _sets("s", "start", "its jobs are scheduled", "started", "start", True),
    _waits("w", "drain", "wait until no job of any queue is left", "empty: no job is left"),
    _waits("i", "idle", "wait until no job of any queue runs", "idle: no job runs"),
)  # fmt: skip


# Jobs


def _urgency(job: "Job", text: str) -> Order | Problem:
    invalid = Problem("an urgency is 0 to 31, hold, default or expedite", rule="RFC 30")
    return urgency_order(job.id, job.f58, text) or invalid


def _exception(job: "Job", text: str) -> Order | Problem:
    """Return the order that raises the exception in a text: its type, severity and note."""
    kind, severity, note = (*text.split(maxsplit=2), "", "", "")[:3]
    if severity and not (is_digits(severity) and len(severity) == 1 and severity < "8"):
        return Problem(f"a severity is 0 to 7, not '{severity}'", rule="RFC 21")
    if not severity:
        return Problem("type a type, a severity from 0 to 7, and a note if you like", rule="RFC 21")
    return raise_order(job.id, job.f58, int(severity), kind, note)


_JOBS = (
    _Act("k", "cancel", "it ends, or never starts", "being cancelled",
         lambda job, text: raise_order(job.id, job.f58, 0, note=text), "reason"),
    _Act("h", "hold", "it waits until it is released", "held",
         lambda job, text: _urgency(job, "hold")),
    _Act("r", "release", "its urgency is the default again", "released",
         lambda job, text: _urgency(job, "default")),
    _Act("e", "expedite", "it goes before all others", "expedited",
         lambda job, text: _urgency(job, "expedite")),
    _Act("u", "urgency", "how soon it is scheduled, among the jobs that wait",
         "given another urgency", _urgency, "0 to 31, hold, default or expedite"),
    _Act("x", "raise", "an exception; severity 0 ends the job", "told of the exception",
         _exception, "type, severity, note: such as timeout 2 too slow"),
)  # fmt: skip


@dataclass(eq=False, repr=False)
class Acting(Controller):
    """Changes queues, waits for them, changes jobs, and opens the jobspecs of jobs."""

    live: Live

    def commands(self) -> Iterable[SystemCommand]:
        """Yield a command of the palette for each queue of the running Flux."""
        for name in self.app.state.cluster.statuses if self.live.connection is not None else ():
            label = f"Queue {printable(name)} on Flux" if name else "The queue on Flux"
            help = "Enable, disable, start, stop, or wait for it"
            yield SystemCommand(label, help, partial(self.ask, name))

    def ask(self, queue: str) -> None:
        """Ask what to do to a queue of the running Flux."""

        def order(act: _Act) -> None:
            what, all_of = f"Queue {queue} is" if queue else "The queue is", "The queues are"
            title = (
                f"{act.verb.capitalize()} {queue or 'the queue' if act.status else 'all queues'}"
            )
            self.live.order(
                title,
                partial(act.order, queue),
                f"{what if act.status else all_of} {act.done}",
                () if act.status else (_WAITS,),
                act.asks,
                then=partial(self.live.ask_queue, queue),
            )

        title = f"Queue {printable(queue)} on Flux" if queue else "The queue on Flux"
        self._choose(title, _QUEUES, partial(self._why_not_queue, queue), order)

    def ask_job(self, job: "Job", key: str = "") -> None:
        """Ask what to do to a job of the running Flux; key chooses an action without asking."""

        def order(act: _Act) -> None:
            self.live.order(
                f"{act.verb.capitalize()} {job.f58}",
                partial(act.order, job),
                f"{job.f58} is {act.done}",
                (),
                act.asks,
                str(job.urgency) if act.key == "u" and job.urgency is not None else "",
                then=self.live.ask_jobs,
            )

        title = f"Job {job.f58} {printable(job.name)}".rstrip()
        self._choose(title, _JOBS, partial(self._why_not_job, job), order, key)

    def _choose(
        self,
        title: str,
        acts: Sequence[_Act],
        why_not: Callable[[_Act], str],
        order: Callable[[_Act], None],
        key: str = "",
    ) -> None:
        """Let the user choose an act, unless key names it; order it if it is possible now."""

        def carry_out(act: _Act) -> None:
            if why := why_not(act):
                self.app.warn(f"Not done: {why}.")
            else:
                order(act)

        if not self.live.followed():
            return
        wanted = next((act for act in acts if act.key == key), None)
        if wanted is not None:
            carry_out(wanted)
            return
        items = [
            Item(act, act.verb, act.detail, key=act.key, why_not=why and f"not now: {why}")
            for act, why in zip(acts, map(why_not, acts), strict=True)
        ]
        self.open_dialog(Picker(title, items, enter="goes on"), carry_out)

    def _why_not_queue(self, queue: str, act: _Act) -> str:
        """Return why an act on a queue is not possible now; empty if it is."""
        status = self.app.state.cluster.statuses.get(queue)
        if not self.live.is_owner:
            return _ONLY_OWNER
        if status is None or act.status is None:
            return ""
        field, wanted = act.status
        is_already = status.enabled if field == "enable" else status.started
        return f"it is {act.done}" if is_already is wanted else ""

    def _may_act_on(self, job: "Job") -> bool:
        snapshot = self.app.state.cluster.snapshot
        mine = snapshot is not None and job.userid == snapshot.userid
        return mine or self.live.is_owner

    def _why_not_job(self, job: "Job", act: _Act) -> str:
        """Return why an act on a job is not possible now; empty if it is."""
        if not self._may_act_on(job):
            return _NOT_YOURS
        if act.key in "kx":
            return ""
        if not job.is_pending:
            return "it has its nodes already"
        if act.key == "e" and not self.live.is_owner:
            return _ONLY_OWNER
        if act.key == "r" and job.urgency != 0:
            return "it is not held"
        is_already = {"h": job.urgency == 0, "e": job.urgency == 31}.get(act.key, False)
        return f"it is {act.done}" if is_already else ""

    def reopen(self, job: "Job") -> None:
        """Open the jobspec of a job as a new job."""
        if not self._may_act_on(job) and self.live.connection is not None:
            self.app.warn(f"The jobspec of {job.f58} is not shown: {_NOT_YOURS} see it.")
            return
        start_worker(self.app, "jobspec", self._reopen, job)

    async def _reopen(self, job: "Job") -> None:
        from fluxtui.opening.live import jobspec_of

        found, problems = await self.live.call(lambda flux: jobspec_of(flux, job.id))
        if found is None:
            self.app.report_problems(problems, f"The jobspec of {job.f58} is not shown")
            return
        self.app.edit(opening.edit_of(found))
        self.app.go_to("tree")
        words = f"the jobspec of {job.f58}; undo brings back the job before"
        self.app.notify(words, title="New job")
