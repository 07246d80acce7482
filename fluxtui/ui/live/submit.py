"""Submitting the job to the running Flux, following it, and the list of what was submitted."""

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

SUBMITTED = "submitted jobs"  # what the list is kept as


@dataclass(eq=False, repr=False)
class Submitting(Controller):
    """Submits the job, once asked, and follows it.

    show_verdicts lists what is wrong with the job, and its fixes; stored are the lines of what Flux
    will store. kept has the list of what was submitted, and keep adds to it.
    """

    live: Live
    show_verdicts: Callable[[], None]
    stored: Callable[[workbench.State, Palette], Sequence[Text]]
    kept: Callable[[str], Awaitable[tuple[str, ...]]]
    keep: Callable[[str, str], None]

    follows = ("cluster",)
    _refused: Problem | None = None  # by Flux, for what its picture does not show yet

    def submit(self) -> None:
        """Show the job as Flux will store it, and submit it on enter; or what speaks against it."""
        state = self._ready()
        if state is None:
            return
        asked, notes = _looked(state).submitted, notes_on(state)
        connection = self.live.connection
        if connection is None or not connection.hello.uri.startswith("ssh:"):  # it runs here
            given = state.around.given_to(asked)
            notes += _given_words(asked, given)
            asked = given
        elif not system(asked).get("environment"):
            notes.append("It has no environment, so no PATH: the form can add yours.")
        jobspec, shown = json.dumps(asked), self.stored(state, self.app.palette)
        command = ("job", "submit", "jobspec.json")
        self._ask(command, notes, shown, lambda flux: flux.submit(jobspec))

    def submit_script(self) -> None:
        """Show the job as a batch script, and submit that on enter; or what speaks against it."""
        from fluxtui.answers.commands.translation import to_command

        state = self._ready()
        if state is None:
            return
        (found,) = to_command(state.jobspec(), ("flux batch",))
        script = found.script
        if script is None:
            self._refuse(Problem("; ".join(found.notes) or "no batch script says this job"))
            return
        shown = [Text(printable(line)) for line in script.splitlines()]
        notes = (*found.notes, "It runs in an instance of its own.")
        send = partial(submit_script, script=script)
        self._ask(("batch", "script.sh"), notes, shown, send)

    def _ready(self) -> workbench.State | None:
        """The state, where its job can be submitted; else it is said why not."""
        state, self._refused = self.app.state, None
        if not self.live.followed("Not submitted"):
            return None
        wrong = None if state.empty else why_not(state)
        if state.empty or wrong is not None:
            self.show_verdicts()
            if wrong is not None:
                self._refuse(wrong)
            return None
        if state.job.document is None:  # a command that stands in for one is not what is meant
            self.app.go_to("form")
            self.app.warn("no command yet; it goes into this form.", title="Not submitted")
            return None
        return state

    def _ask(
        self,
        words: tuple[str, ...],
        notes: Sequence[str],
        shown: Sequence[Text],
        send: "Callable[[Connection], Parsed[Any]]",
    ) -> None:
        """Show what is submitted with its command, and send it on enter."""
        order, name = Order(("flux", *words), ""), _name(self.app.state.jobspec())
        dialog = Confirm("Submit to Flux", lambda text: order, notes, shown=shown)
        taken = partial(self._take, name)
        run = partial(self.live.carry_out, order, lambda flux, stop: send(flux), taken)
        self.open_dialog(dialog, lambda order: run())

    def _take(self, name: str, found: "Parsed[Any]") -> None:
        """Follow the job that was submitted, or say why there is none."""
        if found.value is None:
            self._refuse(found.problems[0])
            if found.problems[0].code == REFUSED:
                self._refused = found.problems[0]
                self.live.ask_queue(self.app.state.outlook.queue)
            return
        connection = self.live.connection
        uri = connection.hello.uri if connection is not None else ""
        entry = {"id": found.value, "name": name, "at": int(time.time()), "uri": uri}
        self.keep(SUBMITTED, json.dumps(entry))
        self.live.follow_log(found.value, EVENTS, partial(self._hear, found.value))
        self.app.push_screen(JobLog(self.live, found.value, name))

    def _refuse(self, problem: Problem) -> None:
        """Say why the job was not submitted, with the rule that it breaks."""
        rule = f" ({problem.rule})" if problem.rule else ""
        words, title = f"{printable(problem.message)}{rule}", "Not submitted"
        if problem.code in (LATE, LOST):
            words += ": look in Jobs before you submit it again"
            title = "Perhaps not submitted"
        severity: Severity = "warning" if problem.code == DENIED else "error"
        self.app.notify(words, title=title, severity=severity, timeout=12)

    def changed(self, before: workbench.State, after: workbench.State) -> None:
        """Show what would fix a refused job, once queues and limits are seen as Flux has them."""
        refused = self._refused
        if refused is not None and why_not(after) is not None:
            self._refused = None
            if len(self.app.screen_stack) == 1:
                self.show_verdicts()
                self._refuse(refused)

    def _hear(self, id_: int, events: "list[Event] | None") -> None:
        """Light the nodes of a job that starts, and say how it ends, whatever is on the screen."""
        for event in events or ():
            if event.name == "start":
                start_worker(self.app, "lighting", self._light, id_)
            words, bad = event_words(event)
            screen = self.app.screen
            if isinstance(screen, JobLog) and screen.job == id_:
                continue  # which shows it
            if event.status is not None or (event.name == "exception" and bad):
                severity = "warning" if bad else "information"
                told = f"{f58(id_)}: {words}"
                self.app.notify(told, severity=severity)

    async def _light(self, id_: int) -> None:
        """Select the nodes that a job has."""
        found = await self.live.call(lambda flux: look_up(flux, id_, "R"))
        ranks = document.read(found.value or {}).ranks
        mask = self.app.state.cluster.resources.mask_of_ranks(ranks)
        if mask:
            self.app.edit(workbench.Select(mask))

    # What was submitted

    def show_list(self) -> None:
        """List what was submitted, the newest first, to follow one of them again."""
        start_worker(self.app, "submitting", self._show_list)

    async def _show_list(self) -> None:
        items = [
            Item(one, f58(one["id"]), f"{one['name']}  {moment(one['at'])}", one["uri"])
            for one in entries(await self.kept(SUBMITTED))
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
        """Select the nodes of a job, and show how it goes on."""
        if not self.live.followed():
            return
        start_worker(self.app, "lighting", self._light, id_)
        self.app.push_screen(JobLog(self.live, id_, name))


def why_not(state: workbench.State) -> Problem | None:
    """Why a job cannot be submitted: a text, a rule, or its queue; None where it can be."""
    if state.stale:
        return Problem("a text of this job cannot be read yet")
    errors = [one for one in state.faults if one.severity == "error"]
    own = _looked(state).own
    errors += [refusal.problem for refusal in own.refusals] if own is not None else []
    return errors[0] if errors else None


def notes_on(state: workbench.State) -> list[str]:
    """What a job will wait for once it is submitted."""
    outlook, notes = _looked(state), list[str]()
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


def _given_words(asked: Mapping[str, Any], given: Mapping[str, Any]) -> list[str]:
    """What a job is given that it does not say itself, in a sentence; none for nothing."""
    before, after = system(asked), system(given)
    words = []
    if "cwd" in after and "cwd" not in before:
        words.append(f"the folder {printable(after['cwd'])}")
    if "environment" in after and "environment" not in before:
        words.append(f"your environment ({counted(len(after['environment']), 'variable')})")
    if after.get("shell") != before.get("shell"):
        words.append("your limits (ulimit)")
    return [f"Sent as flux submit sends it, with {listed(words)}."] if words else []


def _looked(state: workbench.State) -> workbench.Outlook:
    return workbench.looked(state) if state.outlook.unasked else state.outlook


def _name(jobspec: dict[str, Any]) -> str:
    """What Flux calls a job: its name, or else its command."""
    name = part_at(system(jobspec), ("job", "name"))
    if isinstance(name, str) and name:
        return name
    command = part_at(jobspec, ("tasks", 0, "command"))
    first = command if isinstance(command, str) else part_at(command, (0,))
    return first.rpartition("/")[2] if isinstance(first, str) else ""


def entries(kept: Sequence[str]) -> list[dict[str, Any]]:
    """The list of what was submitted, as it was kept; what cannot be read is left out."""
    found = []
    for text in kept:
        try:
            one = json.loads(text)
            if is_id(one["id"]):
                found.append({
                    "id": one["id"], "name": str(one["name"]),
                    "at": float(one["at"]), "uri": str(one["uri"]),
                })  # fmt: skip
        except (ValueError, KeyError, TypeError, OverflowError):
            continue
    return found
