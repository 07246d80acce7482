"""How sched-simple reads counts, requests and constraints, where it errs as well."""

from typing import Any

import pytest

from fluxtui.answers.feasibility.sched_simple import check_feasibility, check_strictly
from fluxtui.answers.feasibility.sched_simple_reading import RefusedError, Request, nodes_left, read
from fluxtui.model.jobspec.request import parse
from tests.answers.feasibility.requests import CLUSTERS, Job, node, slot, with_resources
from tests.each import for_each

FOUR = CLUSTERS["four"]


def job(*vertices: Any, constraint: Any = None, **keys: Any) -> Job:
    return with_resources(list(vertices), constraint, **keys)


def asked(*vertices: Any, **keys: Any) -> Request:
    """What is read of these resources."""
    jobspec = job(*vertices, **keys)
    return read(jobspec, parse(jobspec["resources"]))[0]


def refused(jobspec: Job) -> str:
    """What sched-simple says of a job that it does not read."""
    found = check_feasibility(jobspec, FOUR)
    assert found.feasible is False
    assert found.reasons
    with pytest.raises(RefusedError):
        read(jobspec, parse(jobspec.get("resources")))
    return found.words


@for_each(
    "case",
    [
        (3, 3, 3),
        (2.5, 1, 1),
        (None, 1, 1),
        ([4], 1, 1),
        ("3", 3, 3),
        (" [2-4] ", 2, 4),
        ("2+", 2, None),
        ("2+:1:+", 2, None),
        ("2-6:1", 2, 6),
        ({"min": 2, "max": 4}, 2, 4),
        ({"min": 2}, 2, None),
        ({"max": 3}, 1, 3),
        ({"min": "2", "max": 4.9, "operand": "1"}, 2, 4),
        ({}, 1, None),
    ],
)
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


def test_a_count_that_python_refuses_in_its_words() -> None:
    assert refused(job(node(1, slot({"min": [2]}, 1))))


def test_requests_nested_too_deep() -> None:
    assert refused(job(DEEP)) == "jobspec resource nesting exceeds maximum depth 100"
    (problem,) = check_feasibility(job(DEEP), FOUR).reasons
    assert problem.message == "more than 100 levels of resources below the first"
    assert problem.path == "resources[0]" + ".with[0]" * 100 + ".with"


def test_reads_any_request() -> None:
    sockets = {"type": "socket", "count": 2, "with": [slot(4, 2, 1)]}
    memory = {"type": "memory", "count": 9, "with": [{"type": "core", "count": "3-5"}]}
    rack = {"type": "rack", "count": 2, "with": [node({"min": 3, "max": 5}, sockets, memory)]}
    jobspec = job(rack, constraint={"properties": ["a"]})
    request, constraint = read(jobspec, parse(jobspec["resources"]))
    assert request.nodes is not None
    assert (request.nodes.least, request.nodes.most) == (6, 10)
    assert (request.slots.least, request.cores.least, request.gpus.least) == (4, 3, 1)
    assert request.cores.path == "resources[0].with[0].with[1].with[0].count"
    assert constraint == {"properties": ["a"]}
    assert check_strictly(jobspec, FOUR).feasible is None


def test_exclusive_slots_are_nodes() -> None:
    request = asked(slot("2-3", 4, exclusive=True))
    assert request.nodes is not None
    assert (request.nodes.least, request.nodes.most, request.slots.least) == (2, 3, 1)
    assert request.exclusive


@for_each(
    "case",
    [
        ({}, "0-3"),
        ([], "0-3"),
        ({"properties": []}, "0-3"),
        ({"properties": ["a", "^b"]}, "0"),
        ({"properties": "ab"}, "1"),
        ({"properties": {"b": 1}}, "1-2"),
        ({"properties": ["zz", 5]}, ""),
        ({"hostlist": []}, ""),
        ({"hostlist": "n[1-2]"}, "1-2"),
        ({"hostlist": ["n1", "n[2-9]"]}, "1-3"),
        ({"ranks": []}, ""),
        ({"ranks": "1-2"}, "1-2"),
        ({"ranks": 3}, "3"),
        ({"ranks": [2, 0]}, "0,2"),
        ({"ranks": ["1,,2", "3"]}, "1-3"),
        ({"and": []}, "0-3"),
        ({"or": []}, ""),
        ({"not": [{"properties": ["a"]}, {"foo": 1}]}, "2-3"),
        ({"properties": ["a"], "ranks": ["3"]}, "0-1"),
        ({"and": 5, "ranks": ["3"], "x": 1}, "3"),
        ({"or": [{"properties": ["a"]}, {"properties": ["b"]}]}, "0-2"),
        # Nobody comes to what would be refused.
        ({"and": [{"or": []}, {"foo": 1}]}, ""),
        ({"or": [{"and": []}, {"foo": 1}]}, "0-3"),
        ('{"ranks": ["1"]}', "1"),
    ],
)
def test_constraints(case: tuple[Any, str]) -> None:
    constraint, ranks = case
    assert FOUR.ranks_text(nodes_left(constraint, FOUR)) == ranks
    found = check_feasibility(job(slot(1, 1), constraint=constraint), FOUR)
    assert found.feasible is bool(ranks)


def test_a_constraint_nested_too_deep_is_not_asked_about() -> None:
    constraint: Any = {"ranks": ["0"]}
    for _ in range(200):
        constraint = {"and": [constraint]}
    jobspec = job(slot(1, 1), constraint=constraint)
    found = check_feasibility(jobspec, FOUR)
    assert found.feasible is None
    assert [p.message for p in found.reasons] == ["the constraint is nested deeper than 150 levels"]
    assert check_strictly(jobspec, FOUR).feasible is False


def test_numbers_beyond_all_bounds() -> None:
    top: Any = node(2, slot(1, 1))
    for _ in range(98):
        top = {"type": "x", "count": 10**99, "with": [top]}
    found = check_feasibility(job(top), FOUR)
    assert found.words.startswith("Exceeds the limit (4300 digits)")
    assert [p.message for p in found.reasons] == ["needs about 10^9702 nodes; the cluster has 4"]
    stepped = {"min": 2, "max": 16**99, "operator": "^", "operand": 16**99}
    for count in (16**99, stepped):
        jobspec = job(node(count, slot(1, 1)))
        assert check_feasibility(jobspec, FOUR).feasible is False
    assert check_strictly(job(node(16**99, slot(1, 1))), FOUR).nearest is not None
