"""The Node pane: one node, whether it matches and why; then the document."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult

from fluxtui.answers import matching
from fluxtui.model.cancellation import Stop, stop_if
from fluxtui.model.resources.resource_set import NodeKind, Resources
from fluxtui.notation.problem import Problem, counted, how_many, printable
from fluxtui.notation.sets import idset
from fluxtui.notation.sets.bits import has
from fluxtui.ui.kit.lines import LinesView
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.text import (
    DOT,
    alike,
    moment,
    problem_words,
    property_name,
    styled_line,
    totals,
)
from fluxtui.ui.kit.workers import LatestTasks
from fluxtui.ui.nodes.highlights import IN_USE, PLACED, STATES, state_style
from fluxtui.ui.nodes.inside import NO_IDS, NOT_BOLD, Mark, inside_lines
from fluxtui.workbench import Cluster, Compared, State
from fluxtui.workbench.documents import is_nothing

if TYPE_CHECKING:
    from fluxtui.answers.explain.explanation import Explanation
    from fluxtui.answers.explain.properties import Standing
    from fluxtui.model.live.jobs import Job
    from fluxtui.model.live.nodes import NodeStates

PROBLEMS_SHOWN = CONDITIONS_SHOWN = 50
KINDS_SHOWN = 3  # of problems, before the node itself
JOBS_SHOWN = 8  # of the jobs on a node
REST = 0.3  # seconds that a node is shown before Flux is asked which parts its jobs have


NOUNS = "core", "gpu"
ALL_IN_USE = STATES["allocated"][0]
NOTHING = NodeKind(idset.EMPTY, idset.EMPTY, idset.EMPTY)

#: The cores and gpus of one node that jobs have, by the ids of the jobs.
Parts = Mapping[int, NodeKind]


class NodePane(Pane):
    """Shows one node; node returns its index, and explain explains the constraint of a state.

    ask_parts asks a running Flux which parts of the node with a rank some jobs have; jobs that Flux
    does not tell about are missing from the result. It is called in a thread.
    """

    synonyms = "drain drained undrain offline reason"

    def __init__(
        self,
        explain: "Callable[[State], Explanation | None]",
        node: Callable[[], int | None],
        *,
        id: str,
    ) -> None:
        super().__init__(id=id)
        self._explain, self._node = explain, node
        self.ask_parts: Callable[[Iterable[Job], int], Parts] = lambda jobs, rank: {}
        self._state: State | None = None
        self._parts: tuple[Resources, int, Parts] | None = None  # the parts of one node
        self._asked: tuple[Resources, int] | None = None  # the node that Flux is asked about
        self._tasks = LatestTasks(self)
        self.view = LinesView(id="node-details", wrap=True, hang=2)

    def compose(self) -> ComposeResult:
        """Compose the details."""
        yield self.view

    def show(self, state: State) -> None:
        """Show the problems of the document, the node, then the rest about the document."""
        self._state, index, style = state, self._node(), self.style
        lines = list(kinds_of_problems(state.cluster.resources.problems, style))
        if index is not None:
            parts: Parts = {}
            resources = state.cluster.resources
            if self._parts is not None and self._parts[0] is resources and self._parts[1] == index:
                parts = self._parts[2]
            lines += node_lines(state, index, self._explain(state), style, parts)
            lines.append(Text())
            self._find_parts(state.cluster, index, parts)
        self.view.show_lines([*lines, *document_lines(state, style)])

    def _find_parts(self, cluster: Cluster, index: int, known: Parts) -> None:
        """Ask which part of a node each job has, if several share it."""
        snapshot, resources = cluster.snapshot, cluster.resources
        jobs = snapshot.jobs_at(index)[:JOBS_SHOWN] if snapshot is not None else ()
        missing = [job for job in jobs if job.id not in known]
        asked = (resources, index) if len(jobs) > 1 and missing else None
        if self._tasks.running:
            if asked == self._asked:
                return  # the answer is still to come, and will be shown with the newest state
            self._tasks.cancel_all()
        self._asked = asked
        if asked is None:
            return
        rank = resources.rank(index)

        def ask(stop: Stop) -> Parts:
            time.sleep(REST)
            stop_if(stop)
            nothing = dict.fromkeys((job.id for job in missing), NOTHING)
            return {**known, **nothing, **self.ask_parts(missing, rank)}

        def show(parts: Parts) -> None:
            self._parts = resources, index, parts
            if self._state is not None:
                self.show(self._state)

        self._tasks.start("parts", ask, show)


def node_lines(
    state: State,
    index: int,
    explanation: "Explanation | None",
    style: Palette,
    parts: Parts = MappingProxyType({}),
) -> Iterator[Text]:
    """Yield a node: its host and rank, whether it matches, what it has, its properties.

    On a running Flux also its state, and the jobs on it with the parts of it that they have.
    """
    node, snapshot = state.cluster.resources.node(index), state.cluster.snapshot
    used = NO_IDS
    yield _line(
        style,
        (printable(node.host) or "no host name", style.strong),
        (f"{DOT}rank {node.rank}", style.quiet),
    )
    if snapshot is not None:
        used = snapshot.nodes.in_use(index, NodeKind(node.cores, node.gpus, idset.EMPTY))
        yield _state_line(snapshot.nodes, index, style)
    if state.ask.counted is not None and state.ask.constraint is not None:
        yield from _match_lines(state, index, explanation, style)
    if state.compared is not None:
        yield _changes_line(state, state.compared, index, style)
    placed, look = _placed(state, index, style), style.slot + NOT_BOLD
    own = node.cores, node.gpus
    for noun, ids, taken, busy in zip(NOUNS, own, placed.ids, used, strict=True):
        if ids or noun == "core":
            words = f"{counted(len(ids), noun):<9}"
            in_use = f"   {IN_USE} {busy.count:,} in use: {busy}"
            in_use = f"   {ALL_IN_USE} all in use" if busy == ids else in_use
            more = (in_use, look) if busy else ""
            lit = f"   {PLACED} {taken if taken != ids else 'all'}" if taken else ""
            yield _line(
                style, (words, style.plain), (f" {ids}", style.quiet), (lit, placed.style), more
            )
    resources = state.cluster.resources
    inside, whole = resources.inside_at(index), resources.topology_at(index)
    if memory := whole.all_memory:
        yield _line(style, "memory    ", (f"{memory:,} GiB", style.quiet))
    if whole.storage:
        words = printable(", ".join(map(str, whole.storage)))
        yield _line(style, "storage   ", (words, style.quiet))
    yield _properties_line(state, node.properties, style)
    if inside.domains:
        marks = placed, Mark(used, IN_USE, look, ALL_IN_USE)
        yield from inside_lines(inside, whole, marks, style)
    if snapshot is not None:
        yield from _job_lines(snapshot.jobs_at(index), parts, style)


def _placed(state: State, index: int, style: Palette) -> Mark:
    """Return the cores and gpus of a node that the placement takes."""
    placement = state.outlook.placement
    shares = placement.shares if placement is not None else ()
    ids = next(((share.cores, share.gpus) for share in shares if has(share.mask, index)), NO_IDS)
    return Mark(ids, PLACED, style.quiet if state.outlook.old else style.placed, lights=True)


def _state_line(nodes: "NodeStates", index: int, style: Palette) -> Text:
    """Return the state of a node: if drained, since when and why; if cleaned, after which job."""
    node_state, drain, cleaned = nodes.state(index), nodes.drain_of(index), nodes.cleaned_at(index)
    glyph, role = STATES[node_state]
    since = drain.since if drain is not None else cleaned.since if cleaned is not None else None
    words = f" since {moment(since)}" if since is not None else ""
    if drain is not None and drain.reason:
        words += f": {printable(drain.reason)}"
    elif drain is None and cleaned is not None:
        words += f" after {printable(cleaned.job)}"
    sign = (f"{glyph} ", style.role(role))
    return _line(style, sign, (node_state, state_style(node_state, style)), (words, style.plain))


def _job_lines(jobs: "Sequence[Job]", parts: Parts, style: Palette) -> Iterator[Text]:
    """Yield the jobs on a node, each with its part of the node if that is known."""
    if jobs:
        yield _line(style, (f"{counted(len(jobs), 'job')} on it", style.quiet))
    for job in jobs[:JOBS_SHOWN]:
        part = parts.get(job.id, NOTHING)
        both = (("cores", part.cores), ("gpus", part.gpus))
        facts = DOT.join([printable(job.name), *(f"{noun} {ids}" for noun, ids in both if ids)])
        yield _line(style, (f"  {job.f58}  ", style.plain), (facts, style.quiet))
    if len(jobs) > JOBS_SHOWN:
        yield _line(style, (f"  and {len(jobs) - JOBS_SHOWN:,} more", style.quiet))


def _properties_line(state: State, names: Sequence[str], style: Palette) -> Text:
    """Return the properties of a node, with a sign before each that the constraint names."""
    if not names:
        return _line(style, ("no properties", style.quiet))
    standing_of: Mapping[str, Standing] = {}
    if state.ask.constraint is not None:
        from fluxtui.answers.explain.properties import standings

        standing_of = standings(state.ask.constraint)
    parts: list[str | tuple[str, Style]] = []
    for name in names:
        parts.append("  " if parts else "")
        if name in standing_of:
            is_excluded = standing_of[name] == "excluded"
            parts.append(("✗ ", style.problem) if is_excluded else ("✓ ", style.good))
        parts.append((property_name(name), style.plain if name in standing_of else style.quiet))
    return _line(style, *parts)


def _match_lines(
    state: State, index: int, explanation: "Explanation | None", style: Palette
) -> Iterator[Text]:
    """Yield whether the node matches and why, and which of several conditions it meets."""
    assert state.ask.counted is not None
    matches = has(state.ask.mask, index)
    if explanation is None:
        sentence = "matches" if matches else "does not match"
    else:
        from fluxtui.answers.explain.why import why

        reason = why(explanation, index)
        sentence = printable(reason.sentence.removeprefix(reason.name).strip())
    sign = ("✓ ", style.good) if matches else ("✗ ", style.problem)
    yield _line(style, sign, (sentence, style.plain))
    conditions = matching.conditions(state.ask.counted)
    for condition in conditions[:CONDITIONS_SHOWN] if len(conditions) > 1 else ():
        holds = has(condition.mask, index)
        mark = ("  ✓ ", style.good) if holds else ("  ✗ ", style.problem)
        words = printable(matching.describe(condition.constraint))
        yield _line(style, mark, (words, style.quiet))
    more = len(conditions) - CONDITIONS_SHOWN
    if more > 0:
        yield _line(style, (f"    and {more:,} more", style.quiet))


def _changes_line(state: State, compared: Compared, index: int, style: Palette) -> Text:
    """Return how the node differs from the other document, or that it is missing there."""
    from fluxtui.answers.compare import node_changes

    changes, is_after = compared.changes, state.cluster is compared.after
    other = compared.before if is_after else compared.after
    name = printable(other.source.name)
    pairs = changes.pairing if is_after else changes.inverse
    there = pairs.node_before(index)
    if there is None:
        sign = ("▲ ", style.count) if is_after else ("▽ ", style.problem)
        return _line(style, sign, (f"not in {name}", style.plain))
    was, now = (there, index) if is_after else (index, there)
    differences = node_changes(changes, now)
    if has(compared.requeued[0], now):
        queues = (_queues_of(compared.before, was), _queues_of(compared.after, now))
        differences.append("queue {} → {}".format(*queues))
    if not differences:
        return _line(style, ("· ", style.quiet), (f"the same in {name}", style.quiet))
    way = "since" if is_after else "in"
    words = printable(DOT.join(differences))
    return _line(style, ("◪ ", style.slot), (f"{way} {name}: ", style.quiet), (words, style.plain))


def _queues_of(cluster: Cluster, index: int) -> str:
    """Return the queues that a node is in."""
    names = [name for name, mask in cluster.coverage.items() if has(mask, index)]
    return ", ".join(names) or "none"


def document_lines(state: State, style: Palette) -> Iterator[Text]:
    """Yield what is known about the document: its name, contents, validity and problems."""
    source, resources = state.cluster.source, state.cluster.resources
    if is_nothing(state.cluster):
        yield _line(style, (source.name, style.quiet))
        return
    yield _line(style, (printable(source.name), style.strong))
    yield _line(style, (totals(resources.whole), style.quiet))
    if snapshot := state.cluster.snapshot:
        states = ((name, snapshot.nodes.by_state[name]) for name in STATES)
        words = [f"{mask.bit_count():,}\N{NO-BREAK SPACE}{name}" for name, mask in states if mask]
        yield _line(style, ("\N{NO-BREAK SPACE}· ".join(words), style.plain))
    yield _line(style, (_validity(resources), style.quiet))
    problems = resources.problems
    if not problems:
        yield _line(style, ("no problems in the document", style.quiet))
    kinds = alike(problems)
    if len(kinds) > KINDS_SHOWN or len(kinds) < len(problems):
        yield _line(style, ("all problems of the document", style.quiet))
        for problem in problems[:PROBLEMS_SHOWN]:
            yield _problem_line(problem, 1, style)
        if more := how_many(problems[PROBLEMS_SHOWN:]):
            yield _line(style, (f"and {more:,} more", style.quiet))


def _validity(resources: Resources) -> str:
    start, end = resources.starttime, resources.expiration
    if start is None and end is None:
        return "no start time, no expiration"
    words = ["valid"]
    if start is not None:
        words.append(f"from {moment(start)}")
    if end is not None:
        words.append(f"until {moment(end)}")
        words += ["(expired)"] if end < time.time() else []
    return " ".join(words)


def kinds_of_problems(problems: tuple[Problem, ...], style: Palette) -> Iterator[Text]:
    """Yield the problems of a document, similar ones in one line, errors first.

    They come first, as the title counts them: who comes here for them finds them at once.
    """
    kinds = sorted(alike(problems), key=lambda kind: kind[0].severity)
    for problem, count in kinds[:KINDS_SHOWN]:
        yield _problem_line(problem, count, style)
    more = len(kinds) - KINDS_SHOWN
    if more > 0:
        yield _line(style, (f"and {more:,} other kinds, below", style.quiet))
    if kinds:
        yield Text()


def _problem_line(problem: Problem, count: int, style: Palette) -> Text:
    look = style.problem if problem.severity == "error" else style.warning
    more = f"  and {count - 1:,} more like it" if count > 1 else ""
    return _line(style, ("! ", look), problem_words(problem), (more, style.quiet))


def _line(style: Palette, *parts: str | tuple[str, Style]) -> Text:
    return styled_line(*parts, style=style.plain)
