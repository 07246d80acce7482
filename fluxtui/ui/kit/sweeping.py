"""Garbage is collected between keys: a collection may take longer than a frame."""

import gc
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

SECONDS = 1.0  # between two looks at whether something is to be done

# New objects that are worth a collection while nobody types, and those that are worth one anyway.
# Few of them are garbage that a collection finds: what is not used any more goes by itself, but
# for rings of objects, such as a dialog with all that stood in it.
ENOUGH, TOO_MANY = 10_000, 2_000_000


@contextmanager
def uncollected() -> Iterator[None]:
    """Python collects nothing by itself meanwhile; afterwards it does so if it did before."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class Sweeper:
    """Keeps Python from collecting but at moments of its own choosing, from `begin` to `end`.

    What a collection leaves while the workbench is bare is taken to stay, and not looked at again:
    each takes as long as there is something new, and not longer the longer one works.

    stands gives what a person made last, which is told from what they made before by its identity;
    is_bare says that nothing is there that goes again, such as a dialog.
    """

    def __init__(
        self, stands: Callable[[], object], is_bare: Callable[[], bool] = lambda: True
    ) -> None:
        self._stands = stands
        self._is_bare = is_bare
        self._last: object = None
        self._held: ExitStack | None = None  # while it has begun

    def begin(self) -> None:
        """From now on, leave collections to `look`; what is there now is taken to stay."""
        if self._held is None:
            self._held = ExitStack()
            self._held.enter_context(uncollected())
        gc.freeze()

    def look(self) -> None:
        """Collect, if there is much that is new and nothing was done since the last look."""
        stands, last = self._stands(), self._last
        self._last = stands
        if gc.get_count()[0] >= (ENOUGH if stands is last else TOO_MANY):
            gc.collect()
            if self._is_bare():
                gc.freeze()

    def end(self) -> None:
        """Leave it to whoever saw to it before: Python, but where that was told not to."""
        if self._held is not None:
            self._held.close()
            self._held = None
        gc.unfreeze()
