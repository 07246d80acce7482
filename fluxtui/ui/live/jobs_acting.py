"""What may be done to a job of a running Flux: each asked for first, as its command."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from fluxtui import opening
from fluxtui.bridge.live.job import Order, raise_order, urgency_order
from fluxtui.notation.problem import Problem, is_digits, printable
from fluxtui.ui.controller import Controller, WorkbenchApp
from fluxtui.ui.kit.workers import start_worker
from fluxtui.ui.live.follow import ONLY_OWNER, Live, not_now

if TYPE_CHECKING:
    from fluxtui.model.live.jobs import Job

_NOT_YOURS = "only its user and the owner of the instance may"


class _Act(NamedTuple):
    """One command on a job.

    order  makes it, of what is typed
    done   what is so afterwards
    asks   what may be typed
    """

    key: str
    verb: str
    detail: str
    order: "Callable[[Job, str], Order | Problem]"
    done: str
    asks: str = ""


def _urgency(job: "Job", text: str) -> Order | Problem:
    wrong = Problem("an urgency is 0 to 31, hold, default or expedite", rule="RFC 30")
    return urgency_order(job.id, job.f58, text) or wrong


def _exception(job: "Job", text: str) -> Order | Problem:
    """The exception of a text: its type, its severity, and a note."""
    kind, severity, note = (*text.split(maxsplit=2), "", "", "")[:3]
    if severity and not (is_digits(severity) and len(severity) == 1 and severity < "8"):
        return Problem(f"a severity is 0 to 7, not '{severity}'", rule="RFC 21")
    if not severity:
        return Problem("type a type, a severity from 0 to 7, and a note if you like", rule="RFC 21")
    return raise_order(job.id, job.f58, int(severity), kind, note)


ACTS = (
    _Act("k", "cancel", "it ends, or never starts",
         lambda job, text: raise_order(job.id, job.f58, 0, note=text), "being cancelled", "reason"),
    _Act("h", "hold", "it waits until it is released", lambda job, _: _urgency(job, "hold"),
         "held"),
    _Act("r", "release", "its urgency is the default again",
         lambda job, _: _urgency(job, "default"), "released"),
    _Act("e", "expedite", "it goes before all others", lambda job, _: _urgency(job, "expedite"),
         "expedited"),
    _Act("u", "urgency", "how soon it is scheduled, among the jobs that wait", _urgency,
         "given another urgency", "0 to 31, hold, default or expedite"),
    _Act("x", "raise", "an exception; severity 0 ends the job", _exception,
         "told of the exception", "type, severity, note: such as timeout 2 too slow"),
)  # fmt: skip


class JobActing(Controller):
    """Cancels jobs, changes their urgency, raises exceptions, and opens their jobspecs."""

    def __init__(self, app: WorkbenchApp, live: Live) -> None:
        super().__init__(app)
        self._live = live

    def ask(self, job: "Job", key: str = "") -> None:
        """Ask what to do to a job of the running Flux; key is that of what is wanted."""
        from fluxtui.ui.kit.picker import Item, Picker

        if not self._live.followed():
            return
        for act in ACTS:
            if act.key == key:
                self._order(job, act)
                return
        items = [
            Item(act, act.verb, act.detail, key=act.key, why_not=not_now(self._why_not(job, act)))
            for act in ACTS
        ]
        title = f"Job {job.f58} {printable(job.name)}".rstrip()
        self.open_dialog(Picker(title, items, enter="goes on"), partial(self._order, job))

    def _may(self, job: "Job") -> bool:
        snapshot = self.app.state.cluster.snapshot
        mine = snapshot is not None and job.userid == snapshot.userid
        return mine or self._live.is_owner

    def _why_not(self, job: "Job", act: _Act) -> str:
        """Why something cannot be done now."""
        if not self._may(job):
            return _NOT_YOURS
        if act.key in "kx":
            return ""
        if not job.is_pending:
            return "it has its nodes already"
        if act.key == "e" and not self._live.is_owner:
            return ONLY_OWNER
        if act.key == "r" and job.urgency != 0:
            return "it is not held"
        is_so = {"h": job.urgency == 0, "e": job.urgency == 31}.get(act.key, False)
        return f"it is {act.done}" if is_so else ""

    def _order(self, job: "Job", act: _Act) -> None:
        if why := self._why_not(job, act):
            self.app.notify(f"Not done: {why}.", severity="warning")
            return
        title = f"{act.verb.capitalize()} {job.f58}"
        text = str(job.urgency) if act.key == "u" and job.urgency is not None else ""
        done = f"{job.f58} is {act.done}"
        order, then = partial(act.order, job), self._live.ask_jobs
        self._live.order(title, order, done, field=act.asks, text=text, then=then)

    def reopen(self, job: "Job") -> None:
        """Open the jobspec of a job as a new one."""
        if not self._may(job) and self._live.connection is not None:
            words = f"The jobspec of {job.f58} is not shown: {_NOT_YOURS} see it."
            self.app.notify(words, severity="warning")
            return
        start_worker(self.app, "jobspec", self._reopen, job)

    async def _reopen(self, job: "Job") -> None:
        from fluxtui.opening.live import jobspec_of

        found, problems = await self._live.call(lambda flux: jobspec_of(flux, job.id))
        if found is None:
            self.app.report_problems(problems, f"The jobspec of {job.f58} is not shown")
            return
        self.app.edit(opening.edit_of(found))
        self.app.go_to("tree")
        words = f"the jobspec of {job.f58}; undo brings back the job before"
        self.app.notify(words, title="New job")
