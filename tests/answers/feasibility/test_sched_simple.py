"""sched-simple: how it reads a request, what no recorded answer holds, and speed."""

import random
import time
from typing import Any

import pytest

from fluxtui.answers.feasibility.feasibility import all_classes
from fluxtui.answers.feasibility.sched_simple import check_feasibility, check_strictly
from fluxtui.answers.feasibility.sched_simple_reading import RefusedError, Request, nodes_left, read
from fluxtui.bridge import files
from fluxtui.model.jobspec.request import parse
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
from tests.each import for_each

FOUR = CLUSTERS["four"]


def asked(*vertices: Any, **keys: Any) -> Request:
    """What is read of these resources."""
    jobspec = with_resources(list(vertices), **keys)
    return read(jobspec, parse(jobspec["resources"]))[0]


def refused(jobspec: Job) -> str:
    """What sched-simple says of a job that it does not read."""
    found = check_feasibility(jobspec, FOUR)
    assert found.feasible is False
    assert found.reasons
    with pytest.raises(RefusedError):
        read(jobspec, parse(jobspec.get("resources")))
    return found.words


@for_each("case", [
    (None, 1, 1),
    ([4], 1, 1),
    ("3", 3, 3),
    (" [2-4] ", 2, 4),
    ("2+", 2, None),
    ("2+:1:+", 2, None),
    ("2-6:1", 2, 6),
    ({"min": 2, "max": 4}, 2, 4),
    ({"min": "2", "max": 4.9, "operand": "1"}, 2, 4),
    ({}, 1, None),
])  # fmt: skip
def test_counts(case: tuple[Any, int, int | None]) -> None:
    nodes = asked(node(case[0], slot(1, 1))).nodes
    assert nodes is not None
    assert (nodes.least, nodes.most, nodes.listed) == (*case[1:], False)
    assert nodes.path == "resources[0].count"


@for_each("case", [("1,3", 3), ("1,,3", 3), ("2-8:2:*", 8), ("2-9:3", 9), ("2-8:2:^", 8)])
def test_counts_with_single_values(case: tuple[str, int]) -> None:
    slots = asked(slot(case[0], 1)).slots
    assert (slots.most, slots.listed) == (case[1], True)


DEEP: Any = slot(1, 1)
for _ in range(101):
    DEEP = {"type": "x", "count": 1, "with": [DEEP]}


def test_requests_nested_too_deep() -> None:
    assert refused(with_resources([DEEP])) == "jobspec resource nesting exceeds maximum depth 100"
    (problem,) = check_feasibility(with_resources([DEEP]), FOUR).reasons
    assert problem.message == "more than 100 levels of resources below the first"
    assert problem.path == "resources[0]" + ".with[0]" * 100 + ".with"


def test_reads_any_request() -> None:
    sockets = {"type": "socket", "count": 2, "with": [slot(4, 2, 1)]}
    memory = {"type": "memory", "count": 9, "with": [{"type": "core", "count": "3-5"}]}
    rack = {"type": "rack", "count": 2, "with": [node({"min": 3, "max": 5}, sockets, memory)]}
    jobspec = with_resources([rack], {"properties": ["a"]})
    request, constraint = read(jobspec, parse(jobspec["resources"]))
    assert request.nodes is not None
    assert (request.nodes.least, request.nodes.most) == (6, 10)
    assert (request.slots.least, request.cores.least, request.gpus.least) == (4, 3, 1)
    assert request.cores.path == "resources[0].with[0].with[1].with[0].count"
    assert constraint == {"properties": ["a"]}
    assert check_strictly(jobspec, FOUR).feasible is None


@for_each("constraint, ranks", [
    ({}, "0-3"),
    ({"properties": ["a", "^b"]}, "0"),
    ({"properties": ["zz", 5]}, ""),
    ({"hostlist": []}, ""),
    ({"hostlist": ["n1", "n[2-9]"]}, "1-3"),
    ({"ranks": []}, ""),
    ({"ranks": "1-2"}, "1-2"),
    ({"ranks": ["1,,2", "3"]}, "1-3"),
    ({"or": []}, ""),
    ({"not": [{"properties": ["a"]}, {"foo": 1}]}, "2-3"),
    # Nobody comes to what would be refused.
    ({"and": [{"or": []}, {"foo": 1}]}, ""),
    ({"or": [{"and": []}, {"foo": 1}]}, "0-3"),
    ('{"ranks": ["1"]}', "1"),
])  # fmt: skip
def test_constraints(constraint: Any, ranks: str) -> None:
    assert FOUR.ranks_text(nodes_left(constraint, FOUR)) == ranks
    found = check_feasibility(with_resources([slot(1, 1)], constraint), FOUR)
    assert found.feasible is bool(ranks)


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
