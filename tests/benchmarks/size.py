"""Ten thousand, a hundred thousand and a million nodes, side by side: the table of the README.

Opening is measured in processes of their own, beside one that reads the bytes and parses them by
`json.loads`. Matching is measured beside a plain evaluation of the constraint node by node. From
keys to frames the whole workbench runs in this process, as in `frames`.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from fluxtui import workbench
from fluxtui.answers import matching
from fluxtui.answers.listing import orders
from fluxtui.model.constraint import requires, tree
from fluxtui.model.resources import document
from fluxtui.ui.app import FluxTUI
from tests import big
from tests.benchmarks.frames import cluster, in_app, keys_timed, letters
from tests.benchmarks.measure import FRAME, timed

SIZES = (10_000, 100_000, 1_000_000)
FORMS = ("grouped", "fragmented")
ROUNDS = 3
PAGES = 20

FIVE = "batch&-debug&(gpu|bigmem)&-rank:0-9"
THOUSAND = 1_000  # times faster than node by node
MEGABYTES = 400

# What a process of its own does with the path of a document; it prints seconds and peak memory,
# which getrusage would not tell: there that of the process counts which started it.
_PEAK = """
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(took, int(peak.split()[1]) / 1024)
"""
_PLAIN = """
import json, sys, time
start = time.perf_counter()
with open(sys.argv[1], "rb") as file:
    json.loads(file.read())
took = time.perf_counter() - start
"""
_OPEN = """
import sys, time
from fluxtui.opening import open_cluster
start = time.perf_counter()
cluster, problems = open_cluster(sys.argv[1], None)
took = time.perf_counter() - start
assert cluster is not None and cluster.resources.ok, problems
"""


class Opening(NamedTuple):
    """How long a document took, in seconds, and the most memory the process had, in MB."""

    seconds: float
    megabytes: float


def _in_process(program: str, path: Path) -> Opening:
    command = [sys.executable, "-c", program + _PEAK, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return Opening(*map(float, done.stdout.split()))


def _opened(size: int, form: str) -> tuple[int, Opening, Opening]:
    """The bytes of a document, and how long it takes to parse it and to open it; medians."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "R.json"
        path.write_text(big.text(big.DOCUMENTS[form](size)), encoding="utf-8")
        runs = [(_in_process(_PLAIN, path), _in_process(_OPEN, path)) for _ in range(ROUNDS)]
        plain, opened = (
            Opening(*map(statistics.median, zip(*found, strict=True)))
            for found in zip(*runs, strict=True)
        )
        return path.stat().st_size, plain, opened


def _report_opening() -> bool:
    print("\nOpening an R document: until it can be looked at, beside reading and json.loads")
    kept = True
    for form in FORMS:
        for size in SIZES:
            length, plain, opened = _opened(size, form)
            ratio = opened.seconds / plain.seconds
            # A document of next to no bytes is parsed in no time, to which nothing compares.
            good = opened.seconds <= max(2.0, length / 5e6) and opened.megabytes < MEGABYTES
            kept &= good
            print(
                f"  {form:<10} {size:>9,} nodes {length / 1e6:6.1f} MB  {opened.seconds:6.3f} s"
                f"  {ratio:7.1f} times  {opened.megabytes:5.0f} MB  {'kept' if good else 'MISSED'}"
            )
    return kept


# Matching


def _naive(wanted: Mapping[str, Any], rank: int, properties: set[str]) -> bool:
    """Whether a node satisfies an RFC 31 object, looked at by itself."""
    ((operator, values),) = wanted.items()
    if operator == "and":
        return all(_naive(value, rank, properties) for value in values)
    if operator == "or":
        return any(_naive(value, rank, properties) for value in values)
    if operator == "not":
        return not all(_naive(value, rank, properties) for value in values)
    if operator == "ranks":
        return any(rank in ranks for ranks in values)
    return all(
        value[1:] not in properties if value.startswith("^") else value in properties
        for value in values
    )


def _with_sets(wanted: Mapping[str, Any]) -> dict[str, Any]:
    """The object with its idsets read once, as Flux does."""
    from fluxtui.notation.sets import idset

    ((operator, values),) = wanted.items()
    if operator == "ranks":
        return {operator: [frozenset(idset.parse(text).value) for text in values]}
    if operator == "properties":
        return dict(wanted)
    return {operator: [_with_sets(value) for value in values]}


def _report_matching() -> bool:
    print(f"\nMatching {FIVE}, beside node by node")
    kept = True
    for size in SIZES:
        found = cluster(size).resources
        asked = requires.read(FIVE).constraint
        assert asked is not None
        wanted = _with_sets(tree.to_json(asked))
        nodes = list(zip(found.ranks, map(set, found.properties_between(0, size)), strict=True))
        start = time.perf_counter()
        one_by_one = sum(_naive(wanted, rank, properties) for rank, properties in nodes)
        naive = time.perf_counter() - start
        times = [timed(partial(matching.match, asked, found)) for _ in range(51)]
        assert matching.match(asked, found).bit_count() == one_by_one
        ours = statistics.median(times)
        good = naive / ours >= THOUSAND or size < SIZES[-1]
        kept &= good
        print(
            f"  {size:>9,} nodes  {ours * 1e6:8.1f} µs  node by node {naive * 1e3:8.1f} ms"
            f"  {naive / ours:8,.0f} times faster  {'kept' if good else 'MISSED'}"
        )
    return kept


# Orders


def _report_sorting() -> None:
    print("\nAn order of all nodes, made beside the event loop")
    for size in SIZES:
        found = document.read(big.fragmented(size))
        found.prepare()
        by = {
            "by host": partial(orders.by_host, found),
            "by cores": partial(orders.by_value, found, "cores", most_first=True),
            "by a property": partial(orders.by_property, found, "property3"),
        }
        said = (f"{name} {timed(make) * 1000:7.1f} ms" for name, make in by.items())
        print(f"  {size:>9,} nodes, fragmented  " + "   ".join(said))


# Keys and pages


def _pages(size: int, table: bool) -> list[float]:
    """The seconds from page down to its frame, in the map or in the table."""
    app = FluxTUI(workbench.start(cluster(size)))
    times: list[float] = []

    async def turn() -> None:
        if table:
            app.action_map_or_table()
        app.go_to("map")
        # To and fro: a map that shows all of its nodes at once has no page below. Any frame is
        # the answer.
        pages = ["pagedown", "pageup"] * (PAGES // 2)
        times.extend(first for first, _ in await keys_timed(app, pages, lambda _: {""}))

    in_app(app, turn)
    return times


def _report_frames() -> bool:
    print("\nFrom a key to its frame, the whole workbench at 120x40")
    kept, sizes = True, (1_000, *SIZES)
    typed: dict[int, list[float]] = {size: [] for size in sizes}
    paged: dict[tuple[int, bool], list[float]] = {}
    for _ in range(ROUNDS):  # in turns, so that a busy machine meets all alike
        for size in sizes:
            typed[size] += [first for first, _ in letters(size)]
            for table in (False, True):
                paged.setdefault((size, table), []).extend(_pages(size, table))
    base = statistics.median(typed[sizes[0]])
    for size in sizes:
        key = statistics.median(typed[size])
        pages = [statistics.median(paged[size, table]) for table in (False, True)]
        good = key <= FRAME and (size < SIZES[-1] or key <= 1.3 * base)
        kept &= good
        print(
            f"  {size:>9,} nodes  a letter {key * 1000:5.1f} ms ({key / base:4.2f} times)"
            f"  a page of the map {pages[0] * 1000:5.1f} ms, of the table {pages[1] * 1000:5.1f} ms"
            f"  {'kept' if good else 'MISSED'}"
        )
    return kept


def run() -> bool:
    """Measure and report; whether the limits are kept."""
    kept = _report_opening()
    kept &= _report_matching()
    _report_sorting()
    return _report_frames() and kept
