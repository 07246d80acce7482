"""Background work: Textual workers, daemon threads, the latest of several tasks."""

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

# Seconds after which a thread lets go of the interpreter where a key waits for it. Python's own
# five thousandths are felt: a key is not done before it has had its turn several times.
SWITCH_INTERVAL = 0.0005

# Work that asks often whether it should stop pauses each time it has asked so often: of two threads
# with much to do, each would have to wait for the other to be taken its turn.
STEPS, PAUSE = 32, 0.0002


def start_worker(
    owner: DOMNode,
    group: str,
    work: Callable[P, Coroutine[Any, Any, object]],
    *args: P.args,
    **named: P.kwargs,
) -> None:
    """Start a worker of a widget, a screen or the app, alongside others of its group."""
    _start(owner, group, partial(work, *args, **named), exclusive=False)


def start_exclusive_worker(
    owner: DOMNode,
    group: str,
    work: Callable[P, Coroutine[Any, Any, object]],
    *args: P.args,
    **named: P.kwargs,
) -> None:
    """Start a worker and cancel others of its group."""
    _start(owner, group, partial(work, *args, **named), exclusive=True)


def _start(
    owner: DOMNode, group: str, work: "partial[Coroutine[Any, Any, object]]", *, exclusive: bool
) -> None:
    # Not a coroutine: Python warns on the terminal about one that never began, since the program
    # ended first. With no description, Textual would write out the arguments of the work.
    owner.run_worker(
        work,  # type: ignore[arg-type]  # Textual takes a partial, though its hints do not say so
        group=group,
        description=group,
        exclusive=exclusive,
    )


async def run_in_thread(work: Callable[[], T]) -> T:
    """Run work in a daemon thread and return its result.

    Awaited in a Textual worker it can be cancelled at once (the thread's result is then dropped),
    and a thread that hangs, on a pipe or a dead file system, never keeps the program from ending,
    which the threads of an executor would.
    """
    return await start_thread(work)


def start_thread(work: Callable[[], T]) -> "asyncio.Future[T]":
    """The same, started at once; to be called on the event loop, and awaited there later."""
    sys.setswitchinterval(min(SWITCH_INTERVAL, sys.getswitchinterval()))
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def run() -> None:
        settle: Callable[[], object]
        try:
            settle = partial(future.set_result, work())
        except BaseException as error:  # raised again where it is awaited
            settle = partial(future.set_exception, error)
        with suppress(RuntimeError):  # the loop has ended: nothing waits any more
            loop.call_soon_threadsafe(lambda: None if future.done() else settle())

    threading.Thread(target=run, daemon=True).start()
    return future


class LatestTasks:
    """Tasks of a widget or the app in threads, one of each kind at a time, the latest."""

    def __init__(self, owner: DOMNode) -> None:
        self._owner = owner
        self.running: dict[str, threading.Event] = {}  # what stops each, by its kind

    def start(
        self, kind: str, work: Callable[[Stop], T | None], show: Callable[[T], object]
    ) -> None:
        """Start a task of a kind; the one before it is cancelled.

        work runs in a thread. It should often call the function that it is given, which says
        whether to stop, and may then return None or raise `Stopped`. show gets the result, unless
        the task was cancelled by then.
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
            except asyncio.CancelledError:  # as the owner is gone
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
    """The same question, which pauses now and then."""
    asked = count(1)

    def asks() -> bool:
        if next(asked) % STEPS == 0:
            time.sleep(PAUSE)
        return stop()

    return asks
