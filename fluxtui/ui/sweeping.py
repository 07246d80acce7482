"""Garbage is collected between keys: a full collection takes longer than a frame."""

import gc
from collections.abc import Callable

SECONDS = 1.0  # between two looks at whether something is to be done

# So many new objects are looked through at once, and so many times before those are that stayed.
# An edit of a large job makes thousands, most of which go by themselves.
YOUNG, MIDDLE, NEVER = 10_000, 50, 1_000_000


class Sweeper:
    """Keeps Python from full collections but at moments of its own choosing, from `begin` to `end`.

    stands gives what a person made last, which is told from what they made before by its identity.
    """

    def __init__(self, stands: Callable[[], object]) -> None:
        self._stands = stands
        self._last: object = None
        self._before: tuple[int, int, int] | None = None

    def begin(self) -> None:
        """From now on, leave full collections to `look`; what is there now is taken to stay."""
        if self._before is None:
            self._before = gc.get_threshold()
        gc.set_threshold(YOUNG, MIDDLE, NEVER)
        gc.freeze()

    def look(self) -> None:
        """Collect, if there is much that is new and nothing was done since the last look."""
        stands, last = self._stands(), self._last
        self._last = stands
        _, young, middle = gc.get_count()
        if stands is last and (young or middle):
            gc.collect()

    def end(self) -> None:
        """Leave it to Python again."""
        if self._before is not None:
            gc.set_threshold(*self._before)
            self._before = None
