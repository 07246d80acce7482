"""Submitting the job to the running Flux, following it, and the list of submitted jobs."""

import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from rich.text import Text

from fluxtui import workbench
from fluxtui.bridge.live.connection import DENIED, LATE, LOST, REFUSED
from fluxtui.bridge.live.job import EVENTS, Order, look_up, submit_script
from fluxtui.model.jobspec.jobspec import part_at, system
from fluxtui.model.live.jobs import f58, is_id
from fluxtui.model.resources import document
from fluxtui.notation.problem import Parsed, Problem, Severity, counted, listed, printable
from fluxtui.opening import saving
from fluxtui.ui.controller import Controller
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.picker import Item, Picker
from fluxtui.ui.kit.text import moment
from fluxtui.ui.kit.workers import start_worker
from fluxtui.ui.live.follow import Confirm, Live
from fluxtui.ui.live.log import JobLog, event_words

if TYPE_CHECKING:
    from fluxtui.bridge.live.connection import Connection
    from fluxtui.bridge.live.job import Event

SUBMITTED = "submitted jobs"  # the name that the list is saved under


@dataclass(eq=False, repr=False)
class Submitting(Controller):
    """Submits the job after the user confirms, and follows it.

    show_verdicts lists the problems of the job with their fixes; stored gives the lines of the
    document that Flux will store. kept reads the list of submitted jobs, and keep adds to it.
    """

    live: Live
    show_verdicts: Callable[[], None]
    stored: Callable[[workbench.State, Palette], Sequence[Text]]
    kept: Callable[[str], Awaitable[tuple[str, ...]]]
    keep: Callable[[str, str], None]

    follows = ("cluster",)
    _refused: Problem | None = None  # Flux's reason, as long as the data read do not show it

    def submit(self) -> None:
        """Show the job as Flux will store it, and submit it on enter; or say why it cannot be."""
        state = self._state_to_submit()
        if state is None:
            return
        document, notes = _outlook(state).submitted, notes_on(state)
        connection = self.live.connection
        if connection is None or not connection.hello.uri.startswith("ssh:"):  # it runs here
            completed = state.around.given_to(document)
            notes += _added_words(document, completed)
            document = completed
        elif not system(document).get("environment"):
            notes.append("It has no environment, so no PATH: the form can add yours.")
        jobspec, shown = json.dumps(document), self.stored(state, self.app.palette)
        command = ("job", "submit", "jobspec.json")
        self._confirm(command, notes, shown, lambda flux: flux.submit(jobspec))

    def submit_script(self) -> None:
        """Show the job as a batch script, and submit it on enter; or say why it cannot be."""
        state = self._state_to_submit()
        if state is None:
            return
        script, notes = saving.batch_script(state)
        if script is None:
            self._refuse(Problem("; ".join(notes)))
            return
        shown = [Text(printable(line)) for line in script.splitlines()]
        notes = (*notes, "It runs in an instance of its own.")
        send = partial(submit_script, script=script)
        self._confirm(("batch", "script.sh"), notes, shown, send)

    def _state_to_submit(self) -> workbench.State | None:
        """Return the state if its job can be submitted; otherwise say why not."""
        state, self._refused = self.app.state, None
        if not self.live.followed("Not submitted"):
            return None
        problem = None if state.empty else why_not(state)
        if state.empty or problem is not None:
            self.show_verdicts()
            if problem is not None:
                self._refuse(problem)
            return None
        if state.job.document is None:  # the placeholder for a command is not to be submitted
            self.app.go_to("form")
            self.app.warn("no command yet; it goes into this form.", title="Not submitted")
            return None
        return state

    def _confirm(
        self,
        words: tuple[str, ...],
        notes: Sequence[str],
        shown: Sequence[Text],
        send: "Callable[[Connection], Parsed[Any]]",
    ) -> None:
        """Show the document to submit with its command, and send it on enter."""
        order, name = Order(("flux", *words), ""), _name(self.app.state.jobspec())
        dialog = Confirm("Submit to Flux", lambda text: order, notes, shown=shown)
        given = partial(self._follow_submitted, name)
        run = partial(self.live.carry_out, order, lambda flux, stop: send(flux), given)
        self.open_dialog(dialog, lambda order: run())

    def _follow_submitted(self, name: str, answer: "Parsed[Any]") -> None:
        """Follow the job that was submitted, or say why it was not submitted."""
        if answer.value is None:
            self._refuse(answer.problems[0])
            if answer.problems[0].code == REFUSED:
                self._refused = answer.problems[0]
                self.live.ask_queue(self.app.state.outlook.queue)
            return
        connection = self.live.connection
        uri = connection.hello.uri if connection is not None else ""
        entry = {"id": answer.value, "name": name, "at": int(time.time()), "uri": uri}
        self.keep(SUBMITTED, json.dumps(entry))
        self.live.follow_log(answer.value, EVENTS, partial(self._report, answer.value))
        self.app.push_screen(JobLog(self.live, answer.value, name))

    def _refuse(self, problem: Problem) -> None:
        """Say why the job was not submitted, with the rule that it violates."""
        rule = f" ({problem.rule})" if problem.rule else ""
        words, title = f"{printable(problem.message)}{rule}", "Not submitted"
        if problem.code in (LATE, LOST):
            words += ": look in Jobs before you submit it again"
            title = "Perhaps not submitted"
        severity: Severity = "warning" if problem.code == DENIED else "error"
        self.app.notify(words, title=title, severity=severity, timeout=12)

    def changed(self, before: workbench.State, after: workbench.State) -> None:
        """Show fixes for a job that Flux refused, once its queues and limits are read again."""
        refused = self._refused
        if refused is not None and why_not(after) is not None:
            self._refused = None
            if len(self.app.screen_stack) == 1:
                self.show_verdicts()
                self._refuse(refused)

    def _report(self, id_: int, events: "list[Event] | None") -> None:
        """Select the nodes of a job when it starts, and say how it ends, on any screen."""
        for event in events or ():
            if event.name == "start":
                start_worker(self.app, "selecting", self._select_nodes, id_)
            words, bad = event_words(event)
            screen = self.app.screen
            if isinstance(screen, JobLog) and screen.job == id_:
                continue  # which shows it
            if event.status is not None or (event.name == "exception" and bad):
                severity = "warning" if bad else "information"
                self.app.notify(f"{f58(id_)}: {words}", severity=severity)

    async def _select_nodes(self, id_: int) -> None:
        """Select the nodes that a job has."""
        answer = await self.live.call(lambda flux: look_up(flux, id_, "R"))
        ranks = document.read(answer.value or {}).ranks
        mask = self.app.state.cluster.resources.mask_of_ranks(ranks)
        if mask:
            self.app.edit(workbench.Select(mask))

    # Submitted jobs

    def show_list(self) -> None:
        """List the submitted jobs, the newest first; the chosen one is followed again."""
        start_worker(self.app, "submitting", self._show_list)

    async def _show_list(self) -> None:
        items = [
            Item(entry, f58(entry["id"]), f"{entry['name']}  {moment(entry['at'])}", entry["uri"])
            for entry in entries(await self.kept(SUBMITTED))
        ]
        if not items:
            self.app.notify("Nothing was submitted from here yet.")
            return
        self.open_dialog(Picker("Submitted", items, enter="follows"), self._follow)

    def _follow(self, entry: dict[str, Any]) -> None:
        connection = self.live.connection
        if connection is None or connection.hello.uri != entry["uri"]:
            words = f"This job was submitted to {entry['uri'] or 'another Flux'}: open that first."
            self.app.warn(words)
            return
        self.follow(entry["id"], entry["name"])

    def follow(self, id_: int, name: str) -> None:
        """Select the nodes of a job, and show its events and output."""
        if not self.live.followed():
            return
        start_worker(self.app, "selecting", self._select_nodes, id_)
        self.app.push_screen(JobLog(self.live, id_, name))


def why_not(state: workbench.State) -> Problem | None:
    """Return why a job cannot be submitted: a text, a rule, or its queue; None if it can."""
    if state.stale:
        return Problem("a text of this job cannot be read yet")
    errors = [problem for problem in state.faults if problem.severity == "error"]
    own = _outlook(state).own
    errors += [refusal.problem for refusal in own.refusals] if own is not None else []
    return errors[0] if errors else None


def notes_on(state: workbench.State) -> list[str]:
    """Return notes on a job that will wait or fail once it is submitted."""
    outlook, notes = _outlook(state), list[str]()
    if outlook.own is not None and not outlook.own.schedules:
        why = f": {outlook.own.held}" if outlook.own.held else ""
        notes.append(f"It will wait, as its queue is stopped{why}.")
    if outlook.fit is not None and outlook.fit.feasible is False and not outlook.old:
        less = outlook.now is not None and outlook.now.gives_less
        then = "it is given less" if less else "it will fail"
        notes.append(f"The cluster never has what it asks for: {then}.")
    elif outlook.fit is not None and outlook.fit.hopeless and not outlook.old:
        notes.append("It will wait for ever: it is reported to fit, and never starts.")
    return notes


def _added_words(document: Mapping[str, Any], completed: Mapping[str, Any]) -> list[str]:
    """Return a sentence on what is added to a job as flux submit does; no sentence for nothing."""
    before, after = system(document), system(completed)
    words = []
    if "cwd" in after and "cwd" not in before:
        words.append(f"the folder {printable(after['cwd'])}")
    if "environment" in after and "environment" not in before:
        words.append(f"your environment ({counted(len(after['environment']), 'variable')})")
    if after.get("shell") != before.get("shell"):
        words.append("your limits (ulimit)")
    return [f"Sent as flux submit sends it, with {listed(words)}."] if words else []


def _outlook(state: workbench.State) -> workbench.Outlook:
    return workbench.looked(state) if state.outlook.unasked else state.outlook


def _name(jobspec: dict[str, Any]) -> str:
    """Return what Flux calls a job: its name, or else its command."""
    name = part_at(system(jobspec), ("job", "name"))
    if isinstance(name, str) and name:
        return name
    command = part_at(jobspec, ("tasks", 0, "command"))
    first = command if isinstance(command, str) else part_at(command, (0,))
    return first.rpartition("/")[2] if isinstance(first, str) else ""


def entries(kept: Sequence[str]) -> list[dict[str, Any]]:
    """Return the saved list of submitted jobs; entries that cannot be read are left out."""
    jobs = []
    for text in kept:
        try:
            entry = json.loads(text)
            if is_id(entry["id"]):
                jobs.append({
                    "id": entry["id"], "name": str(entry["name"]),
                    "at": float(entry["at"]), "uri": str(entry["uri"]),
                })  # fmt: skip
        except (ValueError, KeyError, TypeError, OverflowError):
            continue
    return jobs
