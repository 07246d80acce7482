"""What is measured of the engine: reading notations, room, matching and orders."""

import statistics
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from fluxtui.answers.feasibility.fit import fit
from fluxtui.answers.feasibility.fluxion.prepared_graph import PreparedGraph
from fluxtui.answers.listing import orders
from fluxtui.answers.matching import match
from fluxtui.model.constraint import requires, tree
from fluxtui.model.jobspec import jobspec
from fluxtui.model.resources import document
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.sets import idset
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources
from tests import big
from tests.benchmarks.measure import FRAME, SIZES, cluster, report, side_by_side, timed, verdict
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
    readers: dict[str, tuple[Callable[[str], Any], Callable[[], Any]]] = {
        SHAPE: (parse_shape, flux.new_shape_parser),
        QUERY: (parse_query, flux.new_query_parser),
    }
    kept = True
    for text, (ours, new) in readers.items():
        parser, theirs, mine = new(), "Flux, a new parser for each text", "fluxtui"
        medians = side_by_side(
            {
                theirs: lambda t=text, n=new: timed(lambda: n().parse(t), 5),  # type: ignore[misc]
                "Flux, a parser built before": lambda t=text, p=parser: timed(  # type: ignore[misc]
                    lambda: p.parse(t), 200
                ),
                mine: lambda t=text, o=ours: timed(lambda: o(t), 200),  # type: ignore[misc]
            },
            41,
        )
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


def _holds(wanted: Mapping[str, Any], rank: int, properties: set[str]) -> bool:
    """Whether a node satisfies an RFC 31 object whose idsets are sets, looked at by itself."""
    ((operator, values),) = wanted.items()
    if operator in ("and", "or", "not"):
        found = (_holds(value, rank, properties) for value in values)
        return any(found) if operator == "or" else all(found) is (operator == "and")
    if operator == "ranks":
        return any(rank in ranks for ranks in values)
    return all((value.removeprefix("^") in properties) != (value[0] == "^") for value in values)


def _with_sets(wanted: Mapping[str, Any]) -> dict[str, Any]:
    """The object with its idsets read once, as Flux does."""
    ((operator, values),) = wanted.items()
    if operator == "ranks":
        return {operator: [frozenset(idset.parse(text).value) for text in values]}
    return {operator: values if operator == "properties" else [_with_sets(one) for one in values]}


def matching() -> bool:
    """A constraint of five terms, beside a plain evaluation node by node."""
    print(f"\nMatching {FIVE}, beside node by node")
    asked = requires.read(FIVE).constraint
    assert asked is not None
    wanted = _with_sets(tree.to_json(asked))
    all_kept = True
    for size in SIZES:
        found = cluster(size).resources
        nodes = list(zip(found.ranks, map(set, found.properties_between(0, size)), strict=True))
        count = 0

        def one_by_one(nodes: list[tuple[int, set[str]]] = nodes) -> None:
            nonlocal count
            count = sum(_holds(wanted, *node) for node in nodes)

        naive = timed(one_by_one)
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
