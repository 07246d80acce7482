"""sched-simple: how it reads a request, what no recorded answer holds, and speed."""

import random
import time
from typing import Any

from fluxtui.answers.feasibility.feasibility import all_classes
from fluxtui.answers.feasibility.sched_simple import check_feasibility, check_strictly
from fluxtui.bridge import files
from fluxtui.model.resources import document
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets.idset import IdSet
from tests.answers.feasibility.requests import (
    CLUSTERS,
    MIXED,
    Job,
    cluster,
    job,
    node,
    slot,
    with_resources,
)

FOUR = CLUSTERS["four"]


DEEP: Any = slot(1, 1)
for _ in range(101):
    DEEP = {"type": "x", "count": 1, "with": [DEEP]}


def test_requests_nested_too_deep() -> None:
    found = check_feasibility(with_resources([DEEP]), FOUR)
    assert found.words == "jobspec resource nesting exceeds maximum depth 100"
    (problem,) = found.reasons
    assert problem.message == "more than 100 levels of resources below the first"
    assert problem.path == "resources[0]" + ".with[0]" * 100 + ".with"


def test_a_constraint_nested_too_deep_is_not_asked_about() -> None:
    constraint: Any = {"ranks": ["0"]}
    for _ in range(200):
        constraint = {"and": [constraint]}
    jobspec = with_resources([slot(1, 1)], constraint)
    found = check_feasibility(jobspec, FOUR)
    assert found.feasible is None
    assert [p.message for p in found.reasons] == ["the constraint is nested deeper than 150 levels"]
    assert check_strictly(jobspec, FOUR).feasible is False


def test_numbers_beyond_all_bounds() -> None:
    top: Any = node(2, slot(1, 1))
    for _ in range(98):
        top = {"type": "x", "count": 10**99, "with": [top]}
    found = check_feasibility(with_resources([top]), FOUR)
    assert found.words.startswith("Exceeds the limit (4300 digits)")
    assert [p.message for p in found.reasons] == ["needs about 10^9702 nodes; the cluster has 4"]
    stepped = {"min": 2, "max": 16**99, "operator": "^", "operand": 16**99}
    for count in (16**99, stepped):
        jobspec = with_resources([node(count, slot(1, 1))])
        assert check_feasibility(jobspec, FOUR).feasible is False
    assert check_strictly(with_resources([node(16**99, slot(1, 1))]), FOUR).nearest is not None


def test_a_mask_replaces_the_constraint() -> None:
    jobspec = job("node=3/slot/core", {"foo": ["x"]})
    assert check_strictly(jobspec, MIXED, 0b000111).feasible
    found = check_strictly(jobspec, MIXED, 0b000011)
    assert [p.message for p in found.reasons] == ["needs 3 nodes; 2 of 6 are eligible"]


def test_a_demo_job_fits() -> None:
    source = files.read_source("demo").value
    assert source is not None
    demo = document.read_text(source.text)
    found = check_strictly(job("node=4/slot/[core=8;gpu]"), demo)
    assert (found.feasible, found.fits) == (True, 40)
    assert found.placement is not None
    assert demo.ranks_text(found.placement.mask) == "180-183"


def large(kinds: list[tuple[str, str, str]], properties: dict[str, str]) -> Resources:
    """A cluster that is ready for requests."""
    read = cluster(kinds, properties)
    read.prepare()
    all_classes(read)
    return read


def seconds(nodes: Resources, jobspec: Job) -> float:
    """The shortest CPU time of five that both answers take."""
    taken = []
    for _ in range(5):
        start = time.process_time()
        check_feasibility(jobspec, nodes)
        check_strictly(jobspec, nodes)
        taken.append(time.process_time() - start)
    return min(taken)


def test_a_hundred_thousand_nodes_in_a_frame() -> None:
    even, odd = (",".join(map(str, range(start, 100_000, 2))) for start in (0, 1))
    nodes = large([(even, "0-47", ""), (odd, "0-63", "0-7")], {"even": even})
    for jobspec in (
        job("node/slot/core"),
        job("node=4/slot=2/[core=4;gpu]", {"properties": ["even"]}),
        job("node=1+/slot/core=4"),
        job("slot=50000/core=3"),
        job("node=5/slot=3/core=400"),
        job("node=1000000/slot=100/[core=4;gpu=9]"),
    ):
        assert seconds(nodes, jobspec) < 0.008


def test_thousands_of_kinds() -> None:
    chance = random.Random(4)
    owners: dict[int, list[int]] = {}
    for rank in range(10_000):
        owners.setdefault(chance.randrange(3000), []).append(rank)
    kinds = [
        (str(IdSet.of(ranks)), str(IdSet.of(chance.sample(range(64), 1 + kind % 64))), "")
        for kind, ranks in sorted(owners.items())
    ]
    nodes = large(kinds, {})
    assert len(nodes.kinds) > 2500
    for text, limit in (
        ("node=16/slot/core=8", 0.016),
        ("slot=1000000/core=3", 0.032),
        ("node=1+/slot/core=4", 0.3),
    ):
        assert seconds(nodes, job(text)) < limit
    found = check_strictly(job("node=1+/slot/core=4"), nodes)
    assert found.placement is not None
    assert found.placement.mask.bit_count() == dict(found.largest)["resources[0].count"] > 9000
