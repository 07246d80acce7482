"""Cancellation of work on many nodes."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

#: A function that is called now and then and returns whether the work should stop.
Stop = Callable[[], bool]


class Stopped(Exception):  # noqa: N818  # not an error
    """Raised when work was cancelled before it was finished."""


def never_stop() -> bool:
    """The `Stop` of work that is never cancelled: always False."""
    return False


def stop_if(stop: Stop) -> None:
    """Raise `Stopped` if the work should stop."""
    if stop():
        raise Stopped


def unless_stopped(items: Sequence[T], stop: Stop) -> Iterator[T]:
    """Yield the items; every 4096 items raise `Stopped` if the work should stop."""
    for start in range(0, len(items), 4096):
        stop_if(stop)
        yield from items[start : start + 4096]
