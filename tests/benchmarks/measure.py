"""Run things side by side and compare them by their medians."""

import os
import statistics
from collections.abc import Callable, Mapping

Seconds = float


def plain_environment() -> dict[str, str]:
    """The environment without what would keep Python from caching bytecode, as nobody runs it."""
    return {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


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


def _shown(seconds: Seconds) -> str:
    """Milliseconds, or microseconds where they are few."""
    return f"{seconds * 1000:8.1f} ms" if seconds >= 0.001 else f"{seconds * 1e6:8.1f} µs"


def report(
    title: str, medians: Mapping[str, Seconds], base: str, limits: Mapping[str, float]
) -> bool:
    """Print the medians and their ratios to the base; whether every limit is kept."""
    print(f"\n{title}")
    kept = True
    for name, median in medians.items():
        ratio = median / medians[base]
        limit = limits.get(name)
        verdict = ""
        if limit is not None:
            good = ratio <= limit
            kept &= good
            verdict = f"at most {limit:g}: {'kept' if good else 'MISSED'}"
        print(f"  {name:<44} {_shown(median)}  {ratio:6.2f} times  {verdict}".rstrip())
    return kept
