"""The pane of queues: which accept the job, the nodes they cover, what they require and allow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.binding import BindingType

from fluxtui.answers import matching
from fluxtui.model.constraint.tree import read
from fluxtui.model.queues import Config, Queue, Setting, effective
from fluxtui.notation import duration
from fluxtui.notation.problem import at, counted, printable
from fluxtui.ui.controller import WorkbenchPane
from fluxtui.ui.job.verdicts import BAD, ODD, OK, SIZES, sign, why_not
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import LazyLines, LinesView, RowsView
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.text import DOT, fitted, problem_words, styled_line
from fluxtui.workbench import ChooseQueue, LookAtQueue, State, TurnQueue

if TYPE_CHECKING:
    from fluxtui.answers.admission import Refusal

NAME_LIMIT = 16  # the widest column of names
MEASURED = 100  # how many queues are measured to set the width of the column of names
PROBLEMS_SHOWN = 20
OVERLAPS_SHOWN = 6
CHOSEN, DEFAULT = "›", "·"
ANONYMOUS = "(no name)"
WHAT_IF = "what if"


# The list


def queues_of(config: Config | None) -> tuple[Queue, ...]:
    """Return the queues to list: the named ones, or the anonymous one if it has a policy."""
    if config is None:
        return ()
    if not config.queues and config.anonymous.policy:
        return (config.anonymous,)
    return config.queues


def queue_lines(state: State, style: Palette) -> Sequence[Text]:
    """Return the rows of the queues, each made when it comes into sight; without queues, a hint."""
    config, queues = state.cluster.config, queues_of(state.cluster.config)
    if config is None or not queues:
        hints = ["No queues: open a Flux", "configuration, or start with -c."]
        if config is not None:
            unnamed = "One anonymous queue: the configuration names none."
            hints = ["No queue can be read." if config.problems else unnamed]
        return [styled_line((words, style.quiet)) for words in ("", *hints)]
    names = (printable(queue.name) or ANONYMOUS for queue in queues[:MEASURED])
    width = min(max(map(cell_len, names)), NAME_LIMIT)
    supposed = what_ifs(state, config)
    return LazyLines(len(queues), lambda n: _row(state, config, queues[n], width, supposed, style))


def _row(
    state: State,
    config: Config,
    queue: Queue,
    width: int,
    supposed: Mapping[str, str],
    style: Palette,
) -> Text:
    """Return the row of a queue: sign, name, nodes, matching nodes, and why not or its limits."""
    outlook, mask = state.outlook, state.cluster.covered(queue.name)
    digits = len(f"{state.cluster.resources.node_count:,}")
    chosen, why = queue.name == state.submission.queue, why_not(state, queue.name)
    verdict = sign(outlook, queue.name) if outlook.admission(queue.name) is not None else " "
    looks = {BAD: style.problem, ODD: style.warning, OK: style.good, " ": style.warning}
    look = style.faint if outlook.old else looks.get(verdict, style.faint)
    mark = CHOSEN if chosen else DEFAULT if queue.name == config.default else " "
    line = styled_line(
        (f"{mark} ", style.strong if chosen else style.quiet),
        (f"{verdict} ", look),
        (
            fitted(printable(queue.name) or ANONYMOUS, width),
            style.strong if chosen else style.plain,
        ),
        (f"  {mask.bit_count():>{digits},}", style.quiet),
        style=style.plain,
    )
    if state.ask.constraint is not None:
        matches = (state.ask.mask & mask).bit_count()
        line.append(f" {matches:>{digits},}", style=style.match if matches else style.faint)
    what_if = supposed.get(queue.name, "")
    if what_if:
        line.append(f"  {WHAT_IF} {what_if}", style=style.warning)
    if why and why not in what_if.split():
        line.append(f"  {why}", style=look)
    terms = () if why or what_if else _terms(queue, config)
    more = DOT.join((*_jobs(state, queue), *terms))
    return line.append(f"  {more}" if more else "", style=style.quiet)


def queue_words(state: State, config: Config, queue: Queue) -> str:
    """Return the row of a queue as a sentence, such as ``batch: takes the job; 176 nodes``."""
    mask, why = state.cluster.covered(queue.name), why_not(state, queue.name)
    signs = {OK: "takes the job", BAD: "does not take the job", ODD: "takes the job later"}
    is_known = state.outlook.admission(queue.name) is not None
    verdict = signs.get(sign(state.outlook, queue.name), "") if is_known else ""
    parts = [": ".join(filter(None, (verdict, why)))]
    parts += ["chosen"] if queue.name == state.submission.queue else []
    nodes = counted(mask.bit_count(), "node")
    if state.ask.constraint is not None:
        count = (state.ask.mask & mask).bit_count()
        nodes += f", {count:,} {'matches' if count == 1 else 'match'}"
    what_if = what_ifs(state, config).get(queue.name)
    parts += [nodes, *([f"{WHAT_IF} {what_if}"] if what_if else []), *_jobs(state, queue)]
    parts += [words.replace("≤", "at most") for words in _terms(queue, config)]
    return f"{printable(queue.name) or ANONYMOUS}: {'; '.join(filter(None, parts))}"


def _jobs(state: State, queue: Queue) -> Iterator[str]:
    """Yield how many jobs of a running Flux run in a queue, and how many wait."""
    snapshot = state.cluster.snapshot
    if snapshot is not None and (jobs := snapshot.in_queue.get(queue.name)) is not None:
        counts = ((jobs.run, "run"), (jobs.wait, "wait"))
        yield ", ".join(f"{count:,} {word}" for count, word in counts if count)


def _terms(queue: Queue, config: Config) -> list[str]:
    """Return if a queue is the default, virtual or restricted, and its limits on a job."""
    words = ["default"] if queue.name == config.default else []
    if queue.parent is not None:
        words.append(f"on {printable(queue.parent)}")
    if queue.under("access"):
        words.append("restricted")
    time = queue.policy.get("limits.duration")
    nodes = queue.policy.get("limits.job-size.max.nnodes")
    if time is not None and time.value:
        words.append(f"≤ {duration.format(time.value)}")
    if nodes is not None and nodes.value >= 0:
        words.append(f"≤ {counted(nodes.value, 'node')}")
    return words


def what_ifs(state: State, config: Config) -> dict[str, str]:
    """Return the assumed status of queues in words, by name."""
    assumed: dict[str, str] = {}
    actual = effective(config, state.submission.actual) if state.submission.what_if else {}
    for name, before in actual.items():
        status = state.outlook.statuses.get(name, before)
        words = []
        if status.enabled != before.enabled:
            words.append("enabled" if status.enabled else "disabled")
        if status.started != before.started:
            words.append("started" if status.started else "stopped")
        if words:
            assumed[name] = " ".join(words)
    return assumed


# The details of one queue


def details(state: State, config: Config, queue: Queue, style: Palette) -> list[Text]:
    """Return the details of a queue; each value has its path in the configuration."""
    lines = [styled_line(*_status(state, config, queue, style))]
    lines += [styled_line((f"jobs: {words}", style.plain)) for words in _jobs(state, queue)]
    answer = state.outlook.admission(queue.name)
    if answer is not None and not state.build.blank:
        lines += [_refused(refusal, style) for refusal in answer.refusals]
        lines += [styled_line((printable(note.message), style.quiet)) for note in answer.notes]
    for words, source in (*_own_facts(queue), *_other_queues(state, config, queue)):
        parts = (printable(words), style.plain), (f"  {printable(source)}", style.faint)
        lines.append(styled_line(*parts))
    return lines


def _status(
    state: State, config: Config, queue: Queue, style: Palette
) -> Iterator[tuple[str, Style]]:
    """Yield the name of a queue, and whether it is enabled and started, really and what-if."""
    yield printable(queue.name), style.strong
    status = state.outlook.statuses.get(queue.name)
    if status is None:
        return
    blocked = f"blocked by {status.blocked}" if status.blocked else ""
    closed = "" if status.enabled else printable(status.disable_reason or "")
    held = "" if status.started else printable(status.stop_reason or blocked)
    look = style.quiet if status.enabled else style.problem
    yield f"  {'enabled' if status.enabled else 'disabled'}", look
    yield f" ({closed})" if closed else "", look
    look = style.quiet if status.started else style.warning
    yield f"  {'started' if status.started else 'stopped'}", look
    yield f" ({held})" if held else "", look
    what_if = what_ifs(state, config).get(queue.name)
    if what_if and WHAT_IF not in (closed, held):  # enabled or started has no reason to show it in
        yield f"  {WHAT_IF} {what_if}", style.warning


def _refused(refusal: Refusal, style: Palette) -> Text:
    line = styled_line((printable(refusal.problem.message), style.problem))
    return line.append(f"  Flux: {printable(refusal.words)}" if refusal.words else "", style.quiet)


def _own_facts(queue: Queue) -> Iterator[tuple[str, str]]:
    """Yield what a queue requires, limits, sets and allows, each with its path."""
    if queue.requires is not None:
        tree = read(queue.requires).value
        added = matching.describe(tree) if tree is not None else "what is unclear"
        key = "hosts" if queue.hosts is not None else "requires"
        yield f"adds {added} to every job", at("queues", queue.parent or queue.name, key)
    for key, setting in queue.under("limits").items():
        yield _limit(key, setting), setting.path
    for key, setting in queue.under("defaults").items():
        value = setting.value
        shown = duration.format(value) if isinstance(value, float | int) else value
        yield f"{key} {shown} unless the job sets it", setting.path
    for key, whom in (("access.allow-user", "users"), ("access.allow-group", "groups")):
        access = queue.policy.get(key)
        if access is not None:
            yield f"only {whom} {', '.join(access.value) or 'none'}", access.path
    if "scheduler" in queue.policy:
        yield "options for the scheduler", queue.policy["scheduler"].path


def _limit(key: str, setting: Setting) -> str:
    """Return a limit in words: ``at most 1d``, ``at least 2 nodes``, ``any number of cores``."""
    value = setting.value
    if key == "duration":
        return f"at most {duration.format(value)}" if value else "any duration"
    bound, _, size = key.removeprefix("job-size.").partition(".")
    noun = SIZES.get(size, size)
    if value < 0:
        return f"any number of {noun}s"
    return f"at {'most' if bound == 'max' else 'least'} {counted(value, noun)}"


def _other_queues(state: State, config: Config, queue: Queue) -> Iterator[tuple[str, str]]:
    """Yield the virtual queues of a queue, and the queues that share nodes with it."""
    children = [child.name for child in config.children(queue.name)]
    if children:
        kind = "a virtual queue" if len(children) == 1 else "virtual queues"
        yield f"parent of {', '.join(children)}", kind
    own, shared = state.cluster.covered(queue.name), []
    for other in config.queues:
        both = own & state.cluster.covered(other.name)
        if both and not queue.is_kin(other):
            shared.append(f"{other.name} {both.bit_count():,}")
    if shared:
        more = f" and {len(shared) - OVERLAPS_SHOWN} more" if len(shared) > OVERLAPS_SHOWN else ""
        yield f"shares nodes with {', '.join(shared[:OVERLAPS_SHOWN])}{more}", ""


# The widgets


class QueueList(RowsView):
    """The list of queues."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("queues.choose", "enter,space", "choose", "Choose",
             "Send the job to the queue; again to leave it to Flux", footer=True),
    ]  # fmt: skip


class QueuesPane(WorkbenchPane):
    """Lists the queues and whether they take the job; below, the details of the selected queue."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("queues.act", "a", "act", "Manage",
             "Enable, disable, start or stop the queue on the running Flux, or wait for it",
             footer=True),
        bind("queues.enable", "e", "turn('enabled')", "What if disabled",
             "Suppose the queue were disabled, or enabled again", footer=True),
        bind("queues.start", "x", "turn('started')", "What if stopped",
             "Suppose the queue were stopped, or started again", footer=True),
        bind("queues.jobs", "j", "jobs", "Jobs of the queue", "List the jobs of the queue"),
    ]  # fmt: skip

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.view = QueueList(self._choose, lambda row: self.say_keys(), id="queues")
        self.details = LinesView(id="queue-details", wrap=True)
        self.parts = (self.view, self.details)

    @property
    def selected(self) -> Queue | None:
        """The selected queue."""
        queues = queues_of(self.state.cluster.config)
        return queues[min(self.view.row, len(queues) - 1)] if queues else None

    def _choose(self, row: int) -> None:
        """Send the job to the selected queue; if it goes there already, choose no queue."""
        queue = self.selected
        if queue is not None and queue.name:
            chosen = queue.name == self.state.submission.queue
            self.app.edit(ChooseQueue(None if chosen else queue.name))

    def action_turn(self, what: Literal["enabled", "started"]) -> None:
        """Suppose the selected queue were enabled, disabled, started or stopped."""
        if self.selected is not None:
            self.app.edit(TurnQueue(self.selected.name, what))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the actions on a running Flux without one."""
        return self.state.cluster.snapshot is not None or action not in ("act", "jobs")

    def action_act(self) -> None:
        """Ask what to do to the selected queue on the running Flux."""
        if self.selected is not None:
            self.app.act_on_queue(self.selected.name)

    def action_jobs(self) -> None:
        """List the jobs of the selected queue."""
        if self.selected is not None:
            self.app.list_jobs(f"queue:{self.selected.name}" if self.selected.name else "")

    def say_keys(self) -> None:
        """Highlight the nodes of the selected queue while the pane has the focus."""
        self._follow_job()
        queue = self.selected if self._is_in_use else None
        self.app.edit(LookAtQueue(queue.name if queue is not None else None))
        self._show_details()

    @property
    def _is_in_use(self) -> bool:
        """Whether the list or the details have the focus."""
        return self.is_attached and self.has_focus_within

    def _follow_job(self) -> None:
        """Select the queue of the job, unless another one is being looked at."""
        if not self._is_in_use:
            names = [queue.name for queue in queues_of(self.state.cluster.config)]
            current = self.state.outlook.queue
            self.view.put_row(names.index(current) if current in names else 0)

    def show(self, state: State) -> None:
        """Show the queues of the cluster's configuration."""
        super().show(state)
        self._follow_job()
        self.say_in_frame("stale" if state.outlook.old else "")
        self.view.show_lines(queue_lines(state, self.style))
        self._show_details()

    def _show_details(self) -> None:
        """Show the details of the selected queue, and the problems of the configuration."""
        state, style, queue, lines = self.state, self.style, self.selected, list[Text]()
        config = state.cluster.config
        if config is not None:
            lines = details(state, config, queue, style) if queue is not None else []
            for problem in config.problems[:PROBLEMS_SHOWN]:
                parts = ("! ", style.problem), (problem_words(problem), style.plain)
                lines.append(styled_line(*parts))
        self.details.display = bool(lines)
        self.details.show_lines(lines)
