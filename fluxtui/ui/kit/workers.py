"""Slow work beside the event loop."""

import asyncio
import sys
import threading
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, ParamSpec, TypeVar

from textual.dom import DOMNode

P = ParamSpec("P")
T = TypeVar("T")

# Seconds after which a thread lets go of the interpreter where a key waits for it. Python's own
# five thousandths are felt: a key is not done before it has had its turn several times.
TURN = 0.0005


def begin(
    owner: DOMNode,
    group: str,
    work: Callable[P, Coroutine[Any, Any, object]],
    *args: P.args,
    **named: P.kwargs,
) -> None:
    """Do work in a worker of a widget, a screen or the app, beside others of its group.

    Textual is given no coroutine: of one that never began, since the program ended first, Python
    tells on the terminal. Its own description of the work would write out what it is given.
    """
    _run(owner, group, partial(work, *args, **named), alone=False)


def begin_alone(
    owner: DOMNode,
    group: str,
    work: Callable[P, Coroutine[Any, Any, object]],
    *args: P.args,
    **named: P.kwargs,
) -> None:
    """The same in place of what is being done in that group."""
    _run(owner, group, partial(work, *args, **named), alone=True)


def _run(
    owner: DOMNode, group: str, work: "partial[Coroutine[Any, Any, object]]", *, alone: bool
) -> None:
    owner.run_worker(
        work,  # type: ignore[arg-type]  # Textual takes a partial, and does not say so
        group=group,
        description=group,
        exclusive=alone,
    )


async def in_background(work: Callable[[], T]) -> T:
    """The result of work, done in a daemon thread.

    Awaited in a Textual worker it can be cancelled at once (the thread's result is then dropped),
    and a thread that hangs, on a pipe or a dead file system, never keeps the program from ending,
    which the threads of an executor would.
    """
    return await begun(work)


def begun(work: Callable[[], T]) -> "asyncio.Future[T]":
    """The same, begun at once; to be called on the event loop, and awaited there later."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(set_it: Callable[[], None]) -> None:
        if not future.done():
            set_it()

    def run() -> None:
        try:
            with _Turns():
                result = work()
        except BaseException as error:  # it is raised again where it is awaited
            outcome = _failure(future, error)
        else:
            outcome = _success(future, result)
        try:
            loop.call_soon_threadsafe(settle, outcome)
        except RuntimeError:
            return  # the loop has ended meanwhile: nobody waits any more

    threading.Thread(target=run, daemon=True).start()
    return future


def _success(future: "asyncio.Future[T]", result: T) -> Callable[[], None]:
    return lambda: future.set_result(result)


def _failure(future: "asyncio.Future[T]", error: BaseException) -> Callable[[], None]:
    return lambda: future.set_exception(error)


class _Turns:
    """Shorter turns for the threads of the program, for as long as there is work for one."""

    _lock = threading.Lock()
    _working = 0
    _before = 0.0

    def __enter__(self) -> None:
        with _Turns._lock:
            if not _Turns._working:
                _Turns._before = sys.getswitchinterval()
                sys.setswitchinterval(min(TURN, _Turns._before))
            _Turns._working += 1

    def __exit__(self, *error: object) -> None:
        with _Turns._lock:
            _Turns._working -= 1
            if not _Turns._working:
                sys.setswitchinterval(_Turns._before)
