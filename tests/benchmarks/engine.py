"""What is measured of the engine: notations, room, matching, orders, and the page of a cluster."""

import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

from fluxtui.answers.feasibility.fit import fit
from fluxtui.answers.feasibility.fluxion.prepared_graph import PreparedGraph
from fluxtui.answers.listing import orders
from fluxtui.answers.matching import match
from fluxtui.model.constraint import requires, tree
from fluxtui.model.jobspec import jobspec
from fluxtui.model.resources import document
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources
from tests import big
from tests.benchmarks.measure import FRAME, SIZES, cluster, report, side_by_side, timed, verdict
from tests.constraints import Machine, holds
from tests.page import pages
from tests.page.test_in_browser import PROGRAM, browsing
from tests.reference import flux

#: Use case 2.4 of RFC 46.
SHAPE = "node/[slot=10{read-db}/[core;memory=4{unit:GB}];slot{db}/[core=6;memory=24{unit:GB}]]"
#: 60 characters with every kind of operator.
QUERY = "gpu&-debug|host:n[1-3,7]&not (bigmem|rank:0-63)&ssd,amd-mi50"
FIVE = "batch&-debug&(gpu|bigmem)&-rank:0-9"
THOUSAND = 1_000  # times faster than node by node


def notations() -> bool:
    """Reading a shape and a query beside Flux's own parsers.

    Flux's command line builds a parser for each text that it reads; one that was built before and
    has kept its tables is measured for comparison.
    """
    if why := flux.missing():
        print(f"\nNothing to compare with: {why}")
        return True
    theirs, mine = "Flux, a new parser for each text", "fluxtui"
    kept = True
    for text, ours, new in (
        (SHAPE, parse_shape, flux.new_shape_parser),
        (QUERY, parse_query, flux.new_query_parser),
    ):
        known = new()
        work: dict[str, Callable[[], object]] = {
            theirs: lambda new=new, text=text: new().parse(text),
            "Flux, a parser built before": partial(known.parse, text),
            mine: partial(ours, text),
        }
        times = {name: 5 if name == theirs else 200 for name in work}
        medians = side_by_side({n: partial(timed, work[n], times[n]) for n in work}, 41)
        kept &= report(f"{len(text)} characters: {text}", medians, theirs, {mine: 0.5})
    return kept


def fits() -> bool:
    """Room on 100,000 nodes for a job that fits and others: both schedulers, nearest, placement."""
    resources = cluster(100_000).resources
    resources.prepare()
    index = PreparedGraph.of(resources)
    print("\nRoom on 100,000 nodes, after the first time")
    all_kept = True
    for text in (
        "node=64/slot=4/[core=8;gpu]",
        "node=64/slot=4/[core=17;gpu]",
        "slot=100000/core=3",
    ):
        job = jobspec.build(to_resources(parse_shape(text)))
        work = partial(fit, job, index, resources.properties["batch"])
        work()
        taken = statistics.median(timed(work) for _ in range(15))
        all_kept &= taken <= FRAME
        print(f"  {text:<44} {taken * 1000:8.2f} ms  {verdict(taken <= FRAME)}")
    return all_kept


def matching() -> bool:
    """A constraint of five terms, beside a plain evaluation node by node."""
    print(f"\nMatching {FIVE}, beside node by node")
    asked = requires.read(FIVE).constraint
    assert asked is not None
    wanted = tree.to_json(asked)
    all_kept = True
    for size in SIZES:
        found = cluster(size).resources
        parts = zip(found.ranks, found.hosts, found.properties_between(0, size), strict=True)
        one = cache(frozenset)  # for all nodes with the same properties
        nodes = [Machine(rank, host, one(tuple(names))) for rank, host, names in parts]
        start = time.perf_counter()
        count = sum(holds(wanted, node) for node in nodes)
        naive = time.perf_counter() - start
        assert match(asked, found).bit_count() == count
        ours = statistics.median(timed(partial(match, asked, found)) for _ in range(51))
        kept = naive / ours >= THOUSAND or size < SIZES[-1]
        all_kept &= kept
        print(
            f"  {size:>9,} nodes  {ours * 1e6:8.1f} µs  node by node {naive * 1e3:8.1f} ms"
            f"  {naive / ours:8,.0f} times faster  {verdict(kept)}"
        )
    return all_kept


def sorting() -> bool:
    """An order of all nodes, which is made beside the event loop."""
    print("\nAn order of all nodes, fragmented")
    for size in SIZES:
        found = document.read(big.fragmented(size))
        found.prepare()
        by = {
            "by host": partial(orders.by_host, found),
            "by cores": partial(orders.by_value, found, "cores", most_first=True),
            "by a property": partial(orders.by_property, found, "property3"),
        }
        said = (f"{name} {timed(make) * 1000:7.1f} ms" for name, make in by.items())
        print(f"  {size:>9,} nodes  " + "   ".join(said))
    return True


# Milliseconds that an answer takes, without and with the first look at names: medians of five.
_ANSWERS = """
((...texts) => texts.map((text) => {
    const times = [1, 2, 3, 4, 5].map(() => {
        thePage.box.value = text;
        const start = performance.now();
        thePage.ask();
        return performance.now() - start;
    });
    return times.sort((a, b) => a - b)[2];
}))
"""
SMALL, LARGE = 1_000, 1_000_000
MORE = 1_000  # characters that a million grouped nodes may take more than a thousand


def page() -> bool:
    """The page of a thousand and of a million nodes, grouped and as fragmented as can be."""
    missing = "" if PROGRAM else "; there is no Chromium for the answers"
    print(f"\nA page of one constraint{missing}")
    sizes: dict[tuple[str, int], int] = {}
    for form in (big.grouped, big.fragmented):
        for count in (SMALL, LARGE):
            made = form(count)
            resources = document.read(made)
            resources.prepare()
            one, other, *_ = resources.properties
            began = time.perf_counter()
            html = pages.written(resources, f"{one}|{other}")
            took = time.perf_counter() - began
            sizes[form.__name__, count] = len(html)
            said = f"  {count:>9,} nodes, {form.__name__:<10}  {len(html) / 1e6:6.2f} MB of an R of"
            said += f" {len(json.dumps(made)) / 1e6:5.2f} MB, made in {took:5.2f} s"
            if PROGRAM:
                opened, times = asyncio.run(_measured(html, f"{one}&-{other}", "rank:5-700"))
                answers = ", ".join(f"{each:.0f}" for each in times)
                said += f"; opens in {opened / 1000:.1f} s, answers in {answers} ms"
            print(said)
    return sizes["grouped", LARGE] - sizes["grouped", SMALL] < MORE


async def _measured(html: str, *texts: str) -> tuple[float, Any]:
    """Milliseconds until the page is there, and those of the answers to some texts."""
    with tempfile.TemporaryDirectory() as folder:
        async with browsing(Path(folder), html) as browser:
            ends = "performance.getEntriesByType('navigation')[0].loadEventEnd"
            opened: float = await browser.evaluate(ends)
            listed = ", ".join(map(json.dumps, texts))
            return opened, await browser.evaluate(f"{_ANSWERS}({listed})")
