"""Background work: Textual workers, daemon threads, and tasks that replace earlier ones."""

import asyncio
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from itertools import count
from typing import Any, ParamSpec, TypeVar

from textual.dom import DOMNode

from fluxtui.model.cancellation import Stop, Stopped

P = ParamSpec("P")
T = TypeVar("T")

# Seconds after which a thread releases the interpreter lock if the event loop waits for it. The
# default of 5 ms is noticeable, because a key needs the lock several times before it is handled.
SWITCH_INTERVAL = 0.0005

# After this many checks for cancellation, background work sleeps for this many seconds. Otherwise
# two busy threads would wait a full switch interval each time for the interpreter lock.
STEPS, PAUSE = 32, 0.0002


def start_worker(
    owner: DOMNode,
    group: str,
    work: Callable[P, Coroutine[Any, Any, object]],
    *args: P.args,
    **named: P.kwargs,
) -> None:
    """Start a worker of a widget, a screen or the app; others of its group continue."""
    _start(owner, group, partial(work, *args, **named), exclusive=False)


def start_exclusive_worker(
    owner: DOMNode,
    group: str,
    work: Callable[P, Coroutine[Any, Any, object]],
    *args: P.args,
    **named: P.kwargs,
) -> None:
    """Start a worker, and cancel others of its group."""
    _start(owner, group, partial(work, *args, **named), exclusive=True)


def _start(
    owner: DOMNode, group: str, work: "partial[Coroutine[Any, Any, object]]", *, exclusive: bool
) -> None:
    # A partial, not a coroutine: if the program ends before the worker starts, Python would warn on
    # the terminal that it was never awaited. Without a description, Textual would format the
    # arguments.
    owner.run_worker(
        work,  # type: ignore[arg-type]  # Textual takes a partial, though its hints do not say so
        group=group,
        description=group,
        exclusive=exclusive,
    )


async def run_in_thread(work: Callable[[], T]) -> T:
    """Run work in a daemon thread and return its result.

    Awaited in a Textual worker, it can be cancelled at once; the thread's result is then dropped.
    Unlike the threads of an executor, a thread that hangs, on a pipe or a dead file system, does
    not keep the program from ending.
    """
    return await start_thread(work)


def start_thread(work: Callable[[], T]) -> "asyncio.Future[T]":
    """Start work in a daemon thread, and return a future; call and await it on the event loop."""
    sys.setswitchinterval(min(SWITCH_INTERVAL, sys.getswitchinterval()))
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def run() -> None:
        settle: Callable[[], object]
        try:
            settle = partial(future.set_result, work())
        except BaseException as error:  # raised where the future is awaited
            settle = partial(future.set_exception, error)
        with suppress(RuntimeError):  # the loop has ended, so nothing waits for the result
            loop.call_soon_threadsafe(lambda: None if future.done() else settle())

    threading.Thread(target=run, daemon=True).start()
    return future


class LatestTasks:
    """Tasks of a widget or the app in threads; a new task of a kind replaces the running one."""

    def __init__(self, owner: DOMNode) -> None:
        self._owner = owner
        self.running: dict[str, threading.Event] = {}  # the event that stops each task, by kind

    def start(
        self, kind: str, work: Callable[[Stop], T | None], show: Callable[[T], object]
    ) -> None:
        """Start a task of a kind, and cancel the previous one of this kind.

        work runs in a thread. It should often call its argument, which returns whether to stop, and
        may then return None or raise `Stopped`. show is called with a result other than None,
        unless the task was cancelled.
        """
        self.cancel(kind)
        cancelled = self.running[kind] = threading.Event()

        def work_unless_cancelled() -> T | None:
            try:
                return work(_pausing(cancelled.is_set))
            except Stopped:
                return None
            except Exception:
                if cancelled.is_set():
                    return None  # cancelled: the outcome does not matter
                raise

        async def run() -> None:
            try:
                result = await run_in_thread(work_unless_cancelled)
            except asyncio.CancelledError:  # the owner was removed
                cancelled.set()
                raise
            if not cancelled.is_set():
                del self.running[kind]
                if result is not None:
                    show(result)

        start_exclusive_worker(self._owner, kind, run)

    def cancel(self, kind: str) -> None:
        """Cancel the task of a kind."""
        if kind in self.running:
            self.running.pop(kind).set()

    def cancel_all(self) -> None:
        """Cancel all tasks."""
        for kind in tuple(self.running):
            self.cancel(kind)


def _pausing(stop: Stop) -> Stop:
    """Return the same check for cancellation, but sleeping at every STEPS-th call."""
    calls = count(1)

    def pausing_stop() -> bool:
        if next(calls) % STEPS == 0:
            time.sleep(PAUSE)
        return stop()

    return pausing_stop
