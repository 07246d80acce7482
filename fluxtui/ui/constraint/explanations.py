"""How the constraint in force is read, worked out once for all panes that tell of it.

The explanations are loaded with the first constraint, as the first frame does without.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from textual.widget import Widget

from fluxtui.model.constraint.completion import Names, are_many
from fluxtui.model.constraint.requires import Requires
from fluxtui.ui.kit.workers import run_in_thread, start_exclusive_worker, start_worker
from fluxtui.workbench import State

if TYPE_CHECKING:
    from fluxtui.answers.explain.explanation import Explanation
    from fluxtui.answers.explain.relaxations import Relaxation, Within

T = TypeVar("T")

MOST = 9  # changes that are offered, and lines of each kind

# Beyond these, all of it is worked out beside the event loop: lines of a tree, and nodes. Each of
# some ten changes takes as long to write as the constraint takes to read.
MANY_LINES, MANY_NODES = 12, 200_000

# Seconds after the last key before a worker thinks: who types on needs nothing of it.
PAUSE = 0.15

# Seconds after which the best of the changes that were found will do, single ones and pairs.
LONGEST = 3.0

#: What is said where that was too short to try all pairs; see `Advice.untried`.
TOO_LONG = f"not all pairs of changes could be tried in {LONGEST:.0f} seconds"
CUT = f"not all changes could be tried in {LONGEST:.0f} seconds"

THINKING = "thinking"  # the group of the workers


class _Question(NamedTuple):
    """A constraint, how many lines its tree has, and the nodes that a change is to gain."""

    explanation: Explanation
    lines: int
    within: Within | None

    def is_same(self, other: _Question | None) -> bool:
        """The answer to the other one is the answer to this one."""
        return (
            other is not None
            and self.explanation is other.explanation
            and self.within == other.within
        )


class Adviser:
    """Knows what is odd about one constraint at a time, and what to change.

    owner is the widget whose workers look for what takes longer; on_found is called when they have
    found something.
    """

    def __init__(self, owner: Widget, on_found: Callable[[], None]) -> None:
        self._owner = owner
        self._on_found = on_found
        self._question: _Question | None = None
        self._pairs: tuple[Relaxation, ...] = ()
        #: What was found; None where nothing is asked, and until it is.
        self.advice: Advice | None = None
        #: Pairs of changes are being looked for.
        self.looking = False

    @property
    def changes(self) -> tuple[Relaxation, ...]:
        """The changes that are offered, single ones first, each text once."""
        found = (*self.advice.changes, *self._pairs) if self.advice is not None else ()
        first: dict[str, Relaxation] = {}
        for one in found:
            first.setdefault(one.text, one)
        return tuple(first.values())[:MOST]

    def think(self, explanation: Explanation | None, lines: int, within: Within | None) -> None:
        """Think of a constraint, whose tree has so many lines; None where nothing is asked.

        Changes are to gain nodes of within, where it is given. What it thought of before is
        dropped, unless that was the same.
        """
        question = None if explanation is None else _Question(explanation, lines, within)
        if question is None or not question.is_same(self._question):
            self._question = question
            self.think_again()

    def think_again(self) -> None:
        """Begin anew, as when its owner has come to have workers."""
        self._pairs, self.advice, self.looking = (), None, False
        question, mounted = self._question, self._owner.is_mounted
        if mounted:
            self._owner.workers.cancel_group(self._owner, THINKING)
        if question is None:
            return
        explanation, lines, within = question
        if lines <= MANY_LINES and explanation.total <= MANY_NODES:
            self.advice = advise(explanation, within)
        if (self.advice is None or _wants_pairs(self.advice)) and mounted:
            self.looking = not matches(explanation, within)
            start_worker(self._owner, THINKING, self._think_on, question)

    async def _think_on(self, question: _Question) -> None:
        await asyncio.sleep(PAUSE)
        explanation, _, within = question
        if self.advice is None:
            advice, cut = await _in_time(lambda is_over: advise(explanation, within, is_over))
            if question is not self._question:
                return
            self.advice = advice._replace(untried=CUT) if cut else advice
            self.looking = _wants_pairs(advice)
            self._on_found()
        if _wants_pairs(self.advice):
            await self._find_pairs(question, self.advice)

    async def _find_pairs(self, question: _Question, advice: Advice) -> None:
        from fluxtui.answers.explain.relaxations import best_pairs

        explanation, _, within = question
        found, cut = await _in_time(
            lambda is_over: best_pairs(explanation, advice.unknown, is_over, within=within)
        )
        if question is self._question:
            self._pairs, self.looking = found, False
            if cut:
                self.advice = advice._replace(untried=TOO_LONG)
            self._on_found()


def _wants_pairs(advice: Advice) -> bool:
    """Pairs of changes may help, and there is room to show them."""
    return not advice.matches and len(advice.changes) < MOST


async def _in_time(work: Callable[[Callable[[], bool]], T]) -> tuple[T, bool]:
    """The result of work, done in the background, and whether time was too short for all of it.

    It is given what says that it has to end: it takes too long, or nobody waits for it any more.
    """
    ended, cut = threading.Event(), threading.Event()
    limit = time.monotonic() + LONGEST

    def is_over() -> bool:
        if time.monotonic() > limit:
            cut.set()
        return ended.is_set() or cut.is_set()

    try:
        return await run_in_thread(lambda: work(is_over)), cut.is_set()
    finally:
        ended.set()


if TYPE_CHECKING:
    from fluxtui.model.resources.resource_set import Resources


class KnownNames:
    """The names of one cluster at a time. Those of a large one come a moment after it is opened.

    owner is the widget whose worker makes them.
    """

    def __init__(self, owner: Widget) -> None:
        self._owner = owner
        self._of: Resources | None = None
        self._learning: Resources | None = None
        self._found: Names | None = None

    def know(self, resources: Resources) -> None:
        """This cluster is open."""
        if resources is not self._of:
            self._of, self._found = resources, None
            if self._owner.is_mounted:
                self._begin()

    @property
    def names(self) -> Names:
        """What is known by now."""
        if self._found is None and self._of is not None:
            if are_many(self._of):
                self._begin()
            else:
                self._found = Names.of(self._of)
        return self._found if self._found is not None else Names()

    def _begin(self) -> None:
        """Have the names of a large cluster worked out, unless that is being done."""
        resources = self._of
        if resources is not None and resources is not self._learning and are_many(resources):
            self._learning = resources
            start_exclusive_worker(self._owner, "names", self._learn, resources)

    async def _learn(self, resources: Resources) -> None:
        found = await run_in_thread(lambda: Names.of(resources))
        if resources is self._of:
            self._found = found


if TYPE_CHECKING:
    from fluxtui.answers.explain.explanation import Explanation
    from fluxtui.answers.explain.findings import Finding
    from fluxtui.answers.explain.names import Unknown
    from fluxtui.answers.explain.relaxations import Relaxation, Within


class Advice(NamedTuple):
    """What is odd about a constraint, and what to change.

    unknown  what it names and the cluster does not have
    marks    what contradicts itself, changes nothing or reads otherwise than it seems
    changes  single changes after which more nodes match, the best first
    untried  what was not tried to find changes, a part of a sentence; empty where all was
    matches  some node matches, of the queue that the job goes to
    within   the nodes of that queue, where they are not all
    """

    unknown: tuple[Unknown, ...] = ()
    marks: tuple[Finding, ...] = ()
    changes: tuple[Relaxation, ...] = ()
    untried: str = ""
    matches: bool = True
    within: Within | None = None


class Explaining:
    """The explanation of the last constraint that could be read, and what follows from it."""

    def __init__(self) -> None:
        self._of: tuple[object, ...] = ()
        self._found: Explanation | None = None

    def explain(self, state: State) -> Explanation | None:
        """How the constraint of a state is read; that of an earlier text while this one is bad.

        None where nothing is asked. An explanation stands until the constraint is another, or the
        cluster; of a bad text it has the places of the earlier one.
        """
        ask, resources = state.ask, state.cluster.resources
        if ask.constraint is None or ask.counted is None:
            return None
        about = (ask.counted, resources)
        reading = ask.requires
        if self._of and _same(self._of[1:], about) and (ask.stale or self._of[0] is reading):
            return self._found
        from fluxtui.answers.explain.explanation import explain

        if ask.stale:
            reading = Requires("", ask.constraint)
        self._of = (reading, *about)
        self._found = explain(reading, resources, ask.counted)
        return self._found


def _same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return all(a is b for a, b in zip(one, other, strict=True))


def warm_up() -> None:
    """Load what explains a constraint, so that the first key of one need not wait for it."""
    from fluxtui.answers.explain import edit, findings, relaxations, why

    _ = (edit, findings, relaxations, why)


def within(state: State) -> Within | None:
    """The nodes of the queue that the job goes to; None where there is no job, or all are its."""
    queue, cluster = state.outlook.queue, state.cluster
    if state.outlook.own is None or not cluster.has_queue(queue):
        return None
    nodes = cluster.covered(queue)
    if nodes == cluster.resources.everything:
        return None
    from fluxtui.answers.explain.relaxations import Within

    return Within(nodes, queue)


def matches(explanation: Explanation, within: Within | None) -> bool:
    """Some node matches, of those that count."""
    return bool(explanation.mask if within is None else explanation.mask & within.mask)


def advise(
    explanation: Explanation,
    within: Within | None = None,
    enough: Callable[[], bool] = lambda: False,
) -> Advice:
    """What is odd about a constraint, and what to change so that more nodes match.

    Where within is given, only its nodes count. Of one that matches some nodes, only names that the
    cluster does not have are to be changed. Once enough says so, the changes that were written by
    then will do.
    """
    from fluxtui.answers.explain import findings, names, relaxations

    constraint = explanation.reading.constraint
    assert constraint is not None
    unknown = names.unknown(constraint, explanation.resources)
    is_met = matches(explanation, within)
    changes: tuple[Relaxation, ...] = ()
    if not is_met or unknown:
        changes = relaxations.relaxations(
            explanation, unknown, relaxations.MOST, enough, names_only=is_met, within=within
        )
    untried = "" if is_met else relaxations.untried(explanation)
    return Advice(unknown, findings.findings(explanation), changes, untried, is_met, within)
