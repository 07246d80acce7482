"""Work that takes long: in a thread, announced where the nodes are, and stopped by escape."""

import threading
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from fluxtui.model.cancellation import Stop, Stopped, stop_if
from fluxtui.ui.controller import Controller, WorkbenchApp
from fluxtui.ui.kit.workers import run_in_thread, start_worker

T = TypeVar("T")

MOMENT = 0.3  # seconds; what takes no longer is not announced


class Tasks(Controller):
    """Runs tasks beside the event loop, several at a time; each has an event that stops it."""

    def __init__(self, app: WorkbenchApp) -> None:
        super().__init__(app)
        self._announced: list[threading.Event] = []

    def start(
        self,
        group: str,
        words: str,
        work: Callable[[Stop], T],
        take: Callable[[T], object],
        stopped: Callable[[], object] = lambda: None,
    ) -> threading.Event:
        """Start a task of a group of workers; the event is set once it is done, or stops it.

        work gets what says whether to stop, and may raise `Stopped` then. take gets its result, or
        stopped is called. After a moment it is announced with the words, and escape stops it.
        """
        stop = threading.Event()

        def announce() -> None:
            if not stop.is_set():  # a stopped timer may still fire once
                self._announced.append(stop)
                self.app.views.show_busy(f"{words} …  esc stops")

        async def run() -> None:
            timer = self.app.set_timer(MOMENT, announce)
            try:
                stop_if(stop.is_set)
                found = await run_in_thread(partial(work, stop.is_set))
                stop_if(stop.is_set)
            except Stopped:
                stopped()
                return
            finally:
                timer.stop()
                self.cancel(stop)
            take(found)

        start_worker(self.app, group, run)
        return stop

    def cancel(self, stop: threading.Event) -> None:
        """Stop a task, or forget one that is done."""
        stop.set()
        if stop in self._announced:
            self._announced.remove(stop)
            if not self._announced:
                self.app.views.show_busy("")

    def stop(self) -> bool:
        """Stop what is announced; return whether anything was."""
        announced = [*self._announced]
        for stop in announced:
            self.cancel(stop)
        return bool(announced)
