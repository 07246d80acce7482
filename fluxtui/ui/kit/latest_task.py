"""What takes its time to find: in the background, the latest of its kind, and shown when wanted."""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from textual.widget import Widget

from fluxtui.model.cancellation import Stop, Stopped
from fluxtui.ui.kit.workers import begin_alone, in_background

T = TypeVar("T")

# Work that asks often whether it is to stop lets a key go first each time it has asked so often:
# of two threads with much to do, each would have to wait for the other to be taken its turn.
STEPS, PAUSE = 32, 0.0002


class Finding:
    """Finds things for a widget, one of each kind at a time."""

    def __init__(self, owner: Widget) -> None:
        self._owner = owner
        self._stops: dict[str, threading.Event] = {}

    def begin(
        self,
        kind: str,
        work: Callable[[Stop], T | None],
        show: Callable[[T], object],
    ) -> None:
        """Find something of a kind; what was being found of it is not wanted any more.

        work is done in a thread. It asks the function that it is given, often, whether to stop, and
        may then give None or raise `Stopped`. show gets what it finds, unless that is not wanted
        any more by then.
        """
        self.end(kind)
        stop = self._stops[kind] = threading.Event()

        def find_unless_stopped() -> T | None:
            try:
                return work(_giving_way(stop.is_set))
            except Stopped:
                return None
            except Exception:
                if stop.is_set():
                    return None  # nobody wants to know what became of it
                raise

        async def find() -> None:
            found = await in_background(find_unless_stopped)
            if not stop.is_set():
                del self._stops[kind]
                if found is not None:
                    show(found)

        begin_alone(self._owner, kind, find)

    def is_finding(self, kind: str) -> bool:
        """Something of a kind is being found."""
        return kind in self._stops

    def end(self, kind: str) -> None:
        """What is being found of a kind is not wanted any more."""
        if kind in self._stops:
            self._stops.pop(kind).set()

    def end_all(self) -> None:
        """Nothing is wanted any more."""
        for kind in tuple(self._stops):
            self.end(kind)


def _giving_way(stop: Stop) -> Stop:
    """The same question, which pauses now and then."""
    asked = 0

    def asks() -> bool:
        nonlocal asked
        asked += 1
        if asked % STEPS == 0:
            time.sleep(PAUSE)
        return stop()

    return asks
