"""Processor time as a machine of a known speed takes it: where all is slow, nothing is wrong."""

import gc
import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

#: Seconds that a lap takes on the machine that limits are written for.
LAP = 0.0025
#: Runs of which the quickest counts, where the first one took too long.
RUNS = 3


def _lap() -> float:
    start = time.process_time()
    table: dict[str, int] = {}
    for number in range(30_000):
        table[str(number)] = number
    return time.process_time() - start


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """What it gives, and the seconds that it takes beside laps before and after it."""
    was_on = gc.isenabled()
    gc.disable()  # which looks at all that other tests have made
    try:
        before = _lap()
        start = time.process_time()
        found = work()
        took = time.process_time() - start
        return found, took * LAP / max(before, _lap(), LAP)
    finally:
        if was_on:
            gc.enable()


def seconds(work: Callable[[], object], runs: int = RUNS) -> float:
    """The least of some runs, in seconds."""
    return min(timed(work)[1] for _ in range(runs))


def seconds_here(work: Callable[[], object]) -> float:
    """What it takes on this machine, to be set beside others on it."""
    gc.disable()
    try:
        start = time.process_time()
        work()
        return time.process_time() - start
    finally:
        gc.enable()


def within(limit: float, work: Callable[[], Result]) -> Result:
    """What it gives; one of a few runs takes less than so many seconds."""
    for _ in range(RUNS):
        found, took = timed(work)
        if took < limit:
            return found
    raise AssertionError(f"it takes {took:.3f} s, and may take {limit:g}")
