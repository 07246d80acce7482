"""What is odd about the constraint and what to change, worked out without a key waiting for it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.widget import Widget

from fluxtui.ui.background import begin, in_background
from fluxtui.ui.explaining import Advice, advise
from fluxtui.ui.reading_lines import MOST

if TYPE_CHECKING:
    from fluxtui.answers.explain.explanation import Explanation
    from fluxtui.answers.explain.relax import Relaxation

# Beyond these, all of it is worked out beside the event loop: lines of a tree, and nodes.
MANY_LINES, MANY_NODES = 30, 200_000

# Seconds after the last key before a worker thinks: who types on needs nothing of it.
PAUSE = 0.15

# Seconds after which the best of the pairs that were found will do.
LONGEST = 3.0

THINKING = "thinking"  # the group of the workers


class Adviser:
    """Knows what is odd about one constraint at a time, and what to change.

    owner is the widget whose workers look for what takes longer; on_found is called when they have
    found something.
    """

    def __init__(self, owner: Widget, on_found: Callable[[], None]) -> None:
        self._owner = owner
        self._on_found = on_found
        self._explanation: Explanation | None = None
        self._pairs: tuple[Relaxation, ...] = ()
        #: What was found; None where nothing is asked, and until it is.
        self.advice: Advice | None = None
        #: Pairs of changes are being looked for.
        self.looking = False

    @property
    def changes(self) -> tuple[Relaxation, ...]:
        """The changes that are offered, single ones first."""
        return ((*self.advice.changes, *self._pairs) if self.advice is not None else ())[:MOST]

    def think(self, explanation: Explanation | None, lines: int) -> None:
        """Begin with a constraint, whose tree has so many lines; the one before is dropped."""
        self._explanation = explanation
        self._pairs, self.advice, self.looking = (), None, False
        mounted = self._owner.is_mounted
        if mounted:
            self._owner.workers.cancel_group(self._owner, THINKING)
        if explanation is None:
            return
        if lines <= MANY_LINES and explanation.total <= MANY_NODES:
            self.advice = advise(explanation)
        if (self.advice is None or not explanation.count) and mounted:
            self.looking = not explanation.count
            begin(self._owner, THINKING, self._think_on, explanation)

    async def _think_on(self, explanation: Explanation) -> None:
        await asyncio.sleep(PAUSE)
        if self.advice is None:
            advice = await in_background(lambda: advise(explanation))
            if explanation is not self._explanation:
                return
            self.advice = advice
            self._on_found()
        if not explanation.count:
            await self._find_pairs(explanation, self.advice)

    async def _find_pairs(self, explanation: Explanation, advice: Advice) -> None:
        from fluxtui.answers.explain.relax import best_pairs

        ended = threading.Event()
        unknown, limit = advice.unknown, time.monotonic() + LONGEST

        def is_over() -> bool:
            return ended.is_set() or time.monotonic() > limit

        try:
            found = await in_background(lambda: best_pairs(explanation, unknown, is_over))
        finally:
            ended.set()
        if explanation is self._explanation:
            self._pairs, self.looking = found, False
            self._on_found()
