"""Long tasks: run in a thread, announced over the nodes, and stopped with escape."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from fluxtui.model.cancellation import Stop, Stopped, stop_if
from fluxtui.ui.controller import Controller
from fluxtui.ui.kit.workers import run_in_thread, start_worker

T = TypeVar("T")

MOMENT = 0.3  # seconds; a shorter task is not announced


@dataclass(eq=False, repr=False)
class Tasks(Controller):
    """Runs tasks in threads, several at a time; each has an event that stops it."""

    _announced: list[threading.Event] = field(default_factory=list)
    _latest: dict[str, threading.Event] = field(default_factory=dict)

    def start(
        self,
        group: str,
        words: str,
        work: Callable[[Stop], T],
        take: Callable[[T], object],
        stopped: Callable[[], object] = lambda: None,
    ) -> None:
        """Start a task in a group of workers.

        work is called with a function that returns whether to stop, and may then raise `Stopped`.
        take is called with its result, or stopped without one. After a moment the task is announced
        with words, and escape stops it.
        """
        stop = self._latest[group] = threading.Event()

        def announce() -> None:
            if not stop.is_set():  # a stopped timer may still fire once
                self._announced.append(stop)
                self.app.views.show_busy(f"{words} …  esc stops")

        async def run() -> None:
            timer = self.app.set_timer(MOMENT, announce)
            try:
                stop_if(stop.is_set)
                result = await run_in_thread(partial(work, stop.is_set))
                stop_if(stop.is_set)
            except Stopped:
                stopped()
                return
            finally:
                timer.stop()
                self._end(stop)
            take(result)

        start_worker(self.app, group, run)

    def runs(self, group: str) -> bool:
        """Whether the latest task of a group is neither done nor stopped."""
        return group in self._latest and not self._latest[group].is_set()

    def cancel(self, group: str) -> None:
        """Stop the latest task of a group."""
        if group in self._latest:
            self._end(self._latest[group])

    def _end(self, task: threading.Event) -> None:
        task.set()
        if task in self._announced:
            self._announced.remove(task)
            if not self._announced:
                self.app.views.show_busy("")

    def stop(self) -> bool:
        """Stop the announced tasks; return whether there were any."""
        announced = [*self._announced]
        for task in announced:
            self._end(task)
        return bool(announced)
