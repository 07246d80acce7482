"""Work on many nodes that ends early where it is not wanted any more."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

#: Asked now and then whether the work is to stop.
Stop = Callable[[], bool]


class Stopped(Exception):  # noqa: N818  # it is no error
    """The work is not wanted any more, and was not finished."""


def going_on() -> bool:
    """What is asked where the work is wanted in any case: it is not to stop."""
    return False


def stop_if(stop: Stop) -> None:
    """Raise `Stopped` where it is said to stop."""
    if stop():
        raise Stopped


def unless_stopped(items: Sequence[T], stop: Stop) -> Iterator[T]:
    """The items; between some thousands of them raises `Stopped` where it is said to stop."""
    for start in range(0, len(items), 4096):
        stop_if(stop)
        yield from items[start : start + 4096]
