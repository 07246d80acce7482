"""Run things side by side and compare them by their medians."""

import os
import statistics
import time
from collections.abc import Callable, Mapping

Seconds = float

FRAME = 1 / 60


def plain_environment() -> dict[str, str]:
    """The environment without what would keep Python from caching bytecode, as nobody runs it."""
    return {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def timed(work: Callable[[], object], times: int = 1) -> Seconds:
    """The time of one run, over so many in a row."""
    start = time.perf_counter()
    for _ in range(times):
        work()
    return (time.perf_counter() - start) / times


def side_by_side(
    candidates: Mapping[str, Callable[[], Seconds]], rounds: int
) -> dict[str, Seconds]:
    """The median time of each; they take turns, so that a busy machine meets all alike."""
    times: dict[str, list[Seconds]] = {name: [] for name in candidates}
    for candidate in candidates.values():
        candidate()  # once for the caches of files and bytecode
    for _ in range(rounds):
        for name, candidate in candidates.items():
            times[name].append(candidate())
    return {name: statistics.median(found) for name, found in times.items()}


def bounded(what: str, work: Callable[[], object], limit: Seconds, rounds: int = 15) -> bool:
    """Print the median time of some work after the first time; whether it keeps a limit."""
    work()
    taken = statistics.median(timed(work) for _ in range(rounds))
    said = "kept" if taken <= limit else "MISSED"
    print(f"  {what:<44} {taken * 1000:8.2f} ms  at most {limit * 1000:.1f} ms: {said}")
    return taken <= limit


def report(
    title: str, medians: Mapping[str, Seconds], base: str, limits: Mapping[str, float]
) -> bool:
    """Print the medians and their ratios to the base; whether every limit is kept."""
    print(f"\n{title}")
    kept = True
    for name, median in medians.items():
        ratio, limit = median / medians[base], limits.get(name)
        shown = f"{median * 1000:8.1f} ms" if median >= 0.001 else f"{median * 1e6:8.1f} µs"
        verdict = ""
        if limit is not None:
            kept &= ratio <= limit
            verdict = f"at most {limit:g}: {'kept' if ratio <= limit else 'MISSED'}"
        print(f"  {name:<44} {shown}  {ratio:6.2f} times  {verdict}".rstrip())
    return kept
