"""The queues: which accept the job, the nodes they cover, what they require and allow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, ClassVar, Literal

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType

from fluxtui.answers import matching
from fluxtui.model.constraint.tree import read
from fluxtui.model.queues import Config, Queue, Setting, effective
from fluxtui.notation import duration
from fluxtui.notation.problem import at, counted, printable
from fluxtui.ui.job.verdicts import BAD, ODD, OK, SIZES, refusal_words, sign
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import LinesView, MadeLines, RowsView
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.text import styled_line
from fluxtui.ui.kit.wording import DOT, fitted, problem_words
from fluxtui.workbench import State

if TYPE_CHECKING:
    from fluxtui.answers.admission import Refusal

What = Literal["enabled", "started"]

NAME_LIMIT = 16
#: The queues whose names say how wide the column of names is; rows of more are made when seen.
MEASURED = 100
PROBLEMS_SHOWN = 20
OVERLAPS_SHOWN = 6
CHOSEN, DEFAULT = "›", "·"
ANONYMOUS = "(no name)"
WHAT_IF = "what if"


# The list


def queues_of(config: Config | None) -> tuple[Queue, ...]:
    """The listed queues; the anonymous one if it has a policy and no other is named."""
    if config is None:
        return ()
    if not config.queues and config.anonymous.policy:
        return (config.anonymous,)
    return config.queues


def queue_lines(state: State, style: Palette) -> Sequence[Text]:
    """The row of each queue, or what there is instead; of many queues only those seen are made."""
    config, queues = state.cluster.config, queues_of(state.cluster.config)
    if config is None:
        hints = ("No queues: open a Flux", "configuration, or start with -c.")
        return [_line(style, (words, style.quiet)) for words in ("", *hints)]
    if not queues:
        hint = "One anonymous queue: the configuration names none."
        words = "No queue can be read." if config.problems else hint
        return [_line(style), _line(style, (words, style.quiet))]
    names = (printable(queue.name) or ANONYMOUS for queue in islice(queues, MEASURED))
    width = min(max(cell_len(name) for name in names), NAME_LIMIT)
    columns = width, len(f"{state.cluster.resources.node_count:,}")
    supposed = what_ifs(state, config)

    def made(row: int) -> Text:
        return _row(state, config, queues[row], columns, supposed, style)

    lines = MadeLines(len(queues), made)
    return lines if len(queues) > MEASURED else list(lines)


def _row(
    state: State,
    config: Config,
    queue: Queue,
    columns: tuple[int, int],
    supposed: Mapping[str, str],
    style: Palette,
) -> Text:
    """One queue: its sign, its name, its nodes, those that match, and why not or what it allows."""
    width, digits = columns
    mask = state.cluster.covered(queue.name)
    matching = (state.ask.mask & mask).bit_count()
    verdict, look, why = _verdict(state, queue, mask, style)
    look = style.faint if state.outlook.old else look
    chosen = queue.name == state.submission.queue
    mark = CHOSEN if chosen else DEFAULT if queue.name == config.default else " "
    name = fitted(printable(queue.name) or ANONYMOUS, width)
    line = _line(
        style,
        (f"{mark} ", style.strong if chosen else style.quiet),
        (f"{verdict} ", look),
        (name, style.strong if chosen else style.plain),
        (f"  {mask.bit_count():>{digits},}", style.quiet),
    )
    if state.ask.constraint is not None:
        line.append(f" {matching:>{digits},}", style=style.match if matching else style.faint)
    otherwise = supposed.get(queue.name)
    if otherwise is not None:
        line.append(f"  {WHAT_IF} {otherwise}", style=style.warning)
        why = why if why not in otherwise.split() else ""
    if why:
        line.append(f"  {why}", style=look)
    elif otherwise is None:
        line.append(f"  {DOT.join(_terms(queue, config))}", style=style.quiet)
    return line


def _verdict(state: State, queue: Queue, mask: int, style: Palette) -> tuple[str, Style, str]:
    """Whether the job will run in a queue: a sign, its look, and in few words why not."""
    outlook = state.outlook
    status, answer = outlook.statuses.get(queue.name), outlook.admission(queue.name)
    stopped = "stopped" if status is not None and not status.started else ""
    if answer is None:
        disabled = status is not None and not status.enabled
        return " ", style.warning, "disabled" if disabled else stopped
    if answer.admitted is False:
        why = refusal_words(answer.refusals[0]) if answer.refusals else "refused"
    elif outlook.rooms.get(queue.name) is False:
        left = (state.ask.mask & mask).bit_count()
        why = f"does not fit on {counted(left, 'node')}" if left else "no node matches"
    else:
        why = stopped
    mark = sign(outlook, queue.name)
    looks = {BAD: style.problem, ODD: style.warning, OK: style.good}
    return mark, looks.get(mark, style.faint), why


def _terms(queue: Queue, config: Config) -> list[str]:
    """What a queue is beside a name, and how long and how large a job may be."""
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


# One of them


def problems_of(config: Config, style: Palette) -> list[Text]:
    """What is wrong with a configuration."""
    return [
        _line(style, ("! ", style.problem), (problem_words(problem), style.plain))
        for problem in config.problems[:PROBLEMS_SHOWN]
    ]


def what_ifs(state: State, config: Config) -> dict[str, str]:
    """The what-if states of queues, by name."""
    if not state.submission.what_if:
        return {}
    found: dict[str, str] = {}
    for name, really in effective(config, state.submission.statuses).items():
        status = state.outlook.statuses.get(name, really)
        words = []
        if status.enabled != really.enabled:
            words.append("enabled" if status.enabled else "disabled")
        if status.started != really.started:
            words.append("started" if status.started else "stopped")
        if words:
            found[name] = " ".join(words)
    return found


def details(state: State, config: Config, queue: Queue, style: Palette) -> list[Text]:
    """The details of a queue, with the place in the configuration of each value."""
    lines = [_line(style, *_status(state, queue, what_ifs(state, config), style))]
    answer = state.outlook.admission(queue.name)
    if answer is not None and not state.build.blank:
        lines += [_line(style, *_refused(refusal, style)) for refusal in answer.refusals]
        lines += [_line(style, (printable(note.message), style.quiet)) for note in answer.notes]
    if queue.requires is not None:
        words = read(queue.requires).value
        added = matching.describe(words) if words is not None else "what is unclear"
        key = "hosts" if queue.hosts is not None else "requires"
        source = at("queues", queue.parent or queue.name, key)
        lines.append(_value(style, f"adds {printable(added)} to every job", source))
    lines += [_value(style, *pair) for pair in _policy(queue)]
    children = [printable(child.name) for child in config.children(queue.name)]
    if children:
        lines.append(_value(style, f"behind {', '.join(children)}", "virtual queues"))
    lines += _overlaps(state, config, queue, style)
    return lines


def _refused(refusal: Refusal, style: Palette) -> Iterator[tuple[str, Style]]:
    yield printable(refusal.problem.message), style.problem
    if refusal.words:
        yield f"  Flux: {printable(refusal.words)}", style.quiet


def _status(
    state: State, queue: Queue, supposed: Mapping[str, str], style: Palette
) -> Iterator[tuple[str, Style]]:
    """The name, and whether the queue takes and schedules jobs, or would by what is supposed."""
    yield printable(queue.name), style.strong
    status = state.outlook.statuses.get(queue.name)
    if status is None:
        return
    look = style.quiet if status.enabled else style.problem
    why = f" ({printable(status.disable_reason)})" if status.disable_reason else ""
    yield f"  {'enabled' if status.enabled else 'disabled'}{why}", look
    look = style.quiet if status.started else style.warning
    why = status.stop_reason or (f"blocked by {status.blocked}" if status.blocked else "")
    yield f"  {'started' if status.started else 'stopped'}", look
    if why:
        yield f" ({printable(why)})", look
    reasons = f"{status.disable_reason or ''} {why}"
    if queue.name in supposed and WHAT_IF not in reasons:  # nothing gives a reason for what is open
        yield f"  {WHAT_IF} {supposed[queue.name]}", style.warning


def _policy(queue: Queue) -> Iterator[tuple[str, str]]:
    """Limits, defaults and access in words, each with the path it comes from."""
    for key, setting in queue.under("limits").items():
        yield f"{_limit(key, setting)}", setting.path
    for key, setting in queue.under("defaults").items():
        value = setting.value
        shown = duration.format(value) if isinstance(value, float | int) else str(value)
        yield f"{key} {printable(shown)} unless the job sets it", setting.path
    for key, whom in (("access.allow-user", "users"), ("access.allow-group", "groups")):
        found = queue.policy.get(key)
        if found is not None:
            names = ", ".join(map(printable, found.value)) or "none"
            yield f"only {whom} {names}", found.path
    if "scheduler" in queue.policy:
        yield "options for the scheduler", queue.policy["scheduler"].path


def _limit(key: str, setting: Setting) -> str:
    """One limit: ``at most 1d``, ``at least 2 nodes``, ``any number of cores``."""
    value = setting.value
    if key == "duration":
        return f"at most {duration.format(value)}" if value else "any duration"
    bound, _, size = key.removeprefix("job-size.").partition(".")
    noun = SIZES.get(size, size)
    if value < 0:
        return f"any number of {noun}s"
    return f"at {'most' if bound == 'max' else 'least'} {counted(value, noun)}"


def _overlaps(state: State, config: Config, queue: Queue, style: Palette) -> list[Text]:
    cluster = state.cluster
    own = cluster.covered(queue.name)
    shared = []
    for other in config.queues:
        mask = own & cluster.covered(other.name)
        if mask and not queue.is_kin(other):
            shared.append(f"{printable(other.name)} {mask.bit_count():,}")
    if not shared:
        return []
    more = f" and {len(shared) - OVERLAPS_SHOWN} more" if len(shared) > OVERLAPS_SHOWN else ""
    words = ", ".join(shared[:OVERLAPS_SHOWN]) + more
    return [_value(style, f"shares nodes with {words}", "")]


def _value(style: Palette, words: str, source: str) -> Text:
    return _line(style, (words, style.plain), (f"  {printable(source)}", style.faint))


def _line(style: Palette, *parts: tuple[str, Style]) -> Text:
    return styled_line(*parts, style=style.plain)


# The widgets


class QueueList(RowsView):
    """The list of queues; a queue can be chosen, and disabled or stopped as a what-if."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("queues.choose", "enter,space", "choose", "Choose",
             "Send the job to the queue; again to leave it to Flux", footer=True),
        bind("queues.enable", "e", "set('enabled')", "What if disabled",
             "Suppose the queue were disabled, or enabled again", footer=True),
        bind("queues.start", "x", "set('started')", "What if stopped",
             "Suppose the queue were stopped, or started again", footer=True),
    ]  # fmt: skip

    def __init__(
        self,
        on_choose: Callable[[int], None],
        on_row: Callable[[int | None], None],
        on_set: Callable[[int, What], None],
        *,
        id: str,
    ) -> None:
        super().__init__(on_choose, id=id)
        self._on_row = on_row
        self._on_set = on_set

    def action_set(self, what: What) -> None:
        """Suppose the selected queue were enabled, disabled, started or stopped."""
        if self.lines:
            self._on_set(self.row, what)

    def action_move(self, by: int) -> None:
        """Move the cursor, and highlight the nodes of its queue."""
        super().action_move(by)
        self._on_row(self.row)

    def on_focus(self) -> None:
        """Highlight the nodes of the selected queue."""
        self._on_row(self.row)

    def on_blur(self) -> None:
        """Stop highlighting a queue."""
        self._on_row(None)


class QueuesPane(Pane):
    """Lists the queues with their answer to the job; below, all that is known of one of them.

    on_choose gets the name of the chosen queue, on_look the name of the queue to highlight (or
    None), on_set the name of a queue to enable, disable, start or stop.
    """

    title = "Queues"

    def __init__(
        self,
        on_choose: Callable[[str], None],
        on_look: Callable[[str | None], None],
        on_set: Callable[[str, What], None],
        *,
        id: str,
    ) -> None:
        super().__init__(id=id)
        self._on_choose, self._on_look, self._on_set = on_choose, on_look, on_set
        self._queues: tuple[Queue, ...] = ()
        self._state: State | None = None
        self.view = QueueList(self._choose, self._look, self._set, id="queues")
        self.details = LinesView(id="queue-details", wrap=True)

    def compose(self) -> ComposeResult:
        """The list, and what is known of the selected queue."""
        yield self.view
        yield self.details

    def _choose(self, row: int) -> None:
        # Not where the rows are a hint, nor for the queue that has no name to choose it by.
        if row < len(self._queues) and self._queues[row].name:
            self._on_choose(self._queues[row].name)

    def _look(self, row: int | None) -> None:
        known = row is not None and row < len(self._queues)
        self._on_look(self._queues[row].name if row is not None and known else None)
        self._show_details()

    def _set(self, row: int, what: What) -> None:
        if row < len(self._queues):
            self._on_set(self._queues[row].name, what)

    def show(self, state: State) -> None:
        """Show the queues of the cluster's configuration."""
        self._state, self._queues = state, queues_of(state.cluster.config)
        if not self.view.has_focus:
            names = [queue.name for queue in self._queues]
            going = state.outlook.queue
            self.view.put_row(names.index(going) if going in names else 0)
        self.say_keys()
        self.view.show_lines(queue_lines(state, self.style))
        self._show_details()

    def say_keys(self) -> None:
        """Show in the frame that the answers are old."""
        old = self._state is not None and self._state.outlook.old
        self.say_in_frame("stale" if old else "")

    def _show_details(self) -> None:
        state = self._state
        config = state.cluster.config if state is not None else None
        self.details.display = bool(self._queues) or bool(config and config.problems)
        if state is None or config is None:
            return
        lines = problems_of(config, self.style)
        if self._queues:
            queue = self._queues[min(self.view.row, len(self._queues) - 1)]
            lines = details(state, config, queue, self.style) + lines
        self.details.show_lines(lines)
