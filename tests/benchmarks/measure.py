"""Run things side by side and compare them by their medians; the clusters that are measured."""

import statistics
import time
from collections.abc import Callable, Mapping

from fluxtui import workbench
from fluxtui.model.resources import document
from tests.model.clusters import document as r_document
from tests.model.clusters import lite

Seconds = float

FRAME = 1 / 60
SIZES = (10_000, 100_000, 1_000_000)


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


def verdict(kept: bool) -> str:
    """How a limit is said to be kept."""
    return "kept" if kept else "MISSED"


def report(
    title: str, medians: Mapping[str, Seconds], base: str, limits: Mapping[str, float]
) -> bool:
    """Print the medians and their ratios to the base; whether every limit is kept."""
    print(f"\n{title}")
    kept = True
    for name, median in medians.items():
        ratio, limit = median / medians[base], limits.get(name)
        shown = f"{median * 1000:8.1f} ms" if median >= 0.001 else f"{median * 1e6:8.1f} µs"
        line = f"  {name:<44} {shown}  {ratio:6.2f} times"
        if limit is not None:
            kept &= ratio <= limit
            line += f"  at most {limit:g}: {verdict(ratio <= limit)}"
        print(line)
    return kept


def cluster(size: int) -> workbench.Cluster:
    """A cluster of so many nodes with overlapping properties, in a few groups."""
    tenth = size // 10
    plain, large = (0, size - tenth - 1), (size - tenth, size - 1)
    found = document.read(
        r_document(
            lite(f"{plain[0]}-{plain[1]}", "0-47"),
            lite(f"{large[0]}-{large[1]}", "0-63", "0-3"),
            nodelist=[f"n[1-{size - tenth}]", f"g[1-{tenth}]"],
            properties={
                "gpu": f"{large[0]}-{large[1]}",
                "debug": f"{tenth}-{2 * tenth},{large[0]}-{size - tenth // 2}",
                "bigmem": f"0-{tenth}",
                "batch": f"{tenth}-{size - 1}",
            },
        )
    )
    return workbench.Cluster(workbench.Source(f"{size} nodes"), found)
