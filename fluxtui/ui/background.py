"""Slow work beside the event loop."""

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def in_background(work: Callable[[], T]) -> T:
    """The result of work, done in a daemon thread.

    Awaited in a Textual worker it can be cancelled at once (the thread's result is then dropped),
    and a thread that hangs, on a pipe or a dead file system, never keeps the program from ending,
    which the threads of an executor would.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(set_it: Callable[[], None]) -> None:
        if not future.done():
            set_it()

    def run() -> None:
        try:
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
    return await future


def _success(future: "asyncio.Future[T]", result: T) -> Callable[[], None]:
    return lambda: future.set_result(result)


def _failure(future: "asyncio.Future[T]", error: BaseException) -> Callable[[], None]:
    return lambda: future.set_exception(error)
