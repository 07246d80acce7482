"""What is odd about the constraint and what to change, worked out without a key waiting for it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from textual.widget import Widget

from fluxtui.ui.constraint.explaining import Advice, advise, matches
from fluxtui.ui.constraint.reading_lines import MOST
from fluxtui.ui.kit.workers import run_in_thread, start_worker

if TYPE_CHECKING:
    from fluxtui.answers.explain.explanation import Explanation
    from fluxtui.answers.explain.relaxations import Relaxation, Within

T = TypeVar("T")

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
