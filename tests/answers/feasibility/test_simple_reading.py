"""How sched-simple reads counts, requests and constraints, where it errs as well."""

from typing import Any

import pytest

from fluxtui.answers.feasibility.sched_simple import check_feasibility, check_strictly
from fluxtui.answers.feasibility.sched_simple_reading import RefusedError, Request, nodes_left, read
from fluxtui.model.jobspec.request import parse
from tests.answers.feasibility.requests import CLUSTERS, Job, node, slot, with_resources
from tests.each import for_each

FOUR = CLUSTERS["four"]
CONSTRAINT = "attributes.system.constraints"


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


@for_each(
    "case",
    [
        (0, "RFC 14 count: integer count must be >= 1, got 0"),
        ("0", "RFC 14 count: min must be >= 1, got 0"),
        ("0+", "RFC 14 count: min must be >= 1, got 0"),
        ("0-4:2", "RFC 14 count: min must be >= 1, got 0"),
        ("0,1", "RFC 14 count: min must be >= 1, got 0"),
        ({"min": 0}, "RFC 14 count: min must be >= 1, got 0"),
        ("4-2", "RFC 14 count: max must be >= min, got max=2 min=4"),
        ("x", "invalid literal for int() with base 10: 'x'"),
        ("1:2", "not enough values to unpack (expected 2, got 1)"),
        ("3,1", "IDset(): Invalid argument: 3,1"),
        ("2+:2", "RFC 45 unbounded count with operator='+' operand=2 cannot be expanded to a "
         "finite set"),
        ({"min": 2, "operator": "*"}, "RFC 14 unbounded count with operator='*' operand=1 cannot "
         "be expanded to a finite set"),
        ("2-4:2:x", "RFC 14 count: operator 'x' is not supported"),
        ("2-4:1:*", "RFC 14 count: operator '*' requires operand > 1, got 1"),
        ("1-4:2:^", "RFC 14 count: operator '^' requires min >= 2, got 1"),
        ("2-4:0", "RFC 14 count: additive operator requires operand > 0, got 0"),
        ("1-131073:2", "RFC 14 count: sequence too large to expand"),
        ({"min": [2]}, None),
    ],
)  # fmt: skip
def test_counts_it_refuses(case: tuple[Any, str | None]) -> None:
    count, said = case
    jobspec = job(node(1, slot(count, 1)))
    found = refused(jobspec)
    assert said is None or found == said
    path = check_feasibility(jobspec, FOUR).reasons[0].path or ""
    assert path.startswith("resources[0].with[0].count")
    assert check_strictly(jobspec, FOUR).feasible is None


DEEP: Any = slot(1, 1)
for _ in range(101):
    DEEP = {"type": "x", "count": 1, "with": [DEEP]}


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


CORE, GPU = {"type": "core", "count": 1}, {"type": "gpu", "count": 1}


@for_each(
    "resources",
    [
        [slot(1, 1), slot(1, 1)],
        [node(1, slot(1, 1), slot(1, 1))],
        [node(1, slot(1, 1), CORE)],
        [{"type": "socket", "count": 1, "with": [slot(1, 1)]}],
        [slot(1, "1-2")],
        [slot(1, True)],
        [slot("2,4", 1)],
        [slot("2-4:2", 1)],
        [slot(1, 1, unit="x")],
        [slot(1, 1, exclusive="no")],
        [node(1, slot(1, 1), unit="x")],
        [{"type": "slot", "count": 1, "with": [GPU]}],
        [{"type": "slot", "count": 1, "with": [{**CORE, "exclusive": True}]}],
        [{"type": "slot", "count": 1, "with": [{**CORE, "with": [1]}]}],
        [{"type": "slot", "count": 1, "with": [CORE, 5]}],
        [{"type": "slot", "count": 1, "with": [CORE] * 2}],
        [{"type": "slot", "count": 1, "with": 5}],
        [{"type": "slot", "count": " 1", "with": [CORE]}],
        [{"type": "node", "count": 1}],
        ["node"],
        [],
        "node",
        None,
    ],
)
def test_our_own_verdict_is_on_plain_requests_alone(resources: Any) -> None:
    found = check_strictly(with_resources(resources), FOUR)
    assert (found.feasible, found.words, found.reasons) == (None, "", ())


@for_each(
    "resources",
    [
        [slot(1, 1)],
        [slot({"min": 1}, 1, 1, exclusive=False)],
        [{"type": "slot", "count": "1-2", "with": [GPU, CORE]}],
        [node(1, slot(1, 1), exclusive=True, label="x")],
    ],
)
def test_plain_requests(resources: Any) -> None:
    assert check_strictly(with_resources(resources), FOUR).feasible
    assert check_strictly({"resources": resources}, FOUR).feasible
    assert check_strictly({"resources": resources, "attributes": 5}, FOUR).feasible


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


@for_each(
    "case",
    [
        ({"foo": ["x"]}, "unknown constraint operator(s): ['foo']"),
        ({"and": [{}]}, "unknown constraint operator(s): []"),
        ({"not": []}, "'not' operand must be a non-empty list, got []"),
        ({"not": {"ranks": ["0"]}}, "'not' operand must be a non-empty list, got {'ranks': ['0']}"),
        ({"and": {}}, "'and' operand must be a list, got dict"),
        ({"or": "x"}, "'or' operand must be a list, got str"),
        ({"properties": ["a", 5]}, "property constraint must be a string, got int"),
        ({"properties": 5}, "'int' object is not iterable"),
        ({"hostlist": 5}, "Hostlist(): expected string or Iterable, got <class 'int'>"),
        ({"hostlist": [5]}, "Hostlist(): expected string or Iterable, got <class 'int'>"),
        ({"hostlist": ["n["]}, "Invalid hostlist: 'n['"),
        ({"ranks": ["1-2", "2"]}, "IDset(): Invalid argument: 1-2,2"),
        ({"ranks": ["2", "10"]}, "IDset(): Invalid argument: 10,2"),
        ({"ranks": [0, "1"]}, ""),
        ({"ranks": None}, ""),
        (5, ""),
        ({"and": [5]}, ""),
        ("{", "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        # The first node decides: rank 0 comes to the second part, rank 2 to the third.
        ({"and": [{"or": [{"properties": ["^a"]}, {"x": 1}]}, {"y": 1}]},
         "unknown constraint operator(s): ['x']"),
        ({"and": [{"or": [{"properties": ["a"]}, {"x": 1}]}, {"y": 1}]},
         "unknown constraint operator(s): ['y']"),
    ],
)  # fmt: skip
def test_constraints_it_refuses(case: tuple[Any, str]) -> None:
    found = check_feasibility(job(slot(1, 1), constraint=case[0]), FOUR)
    assert (found.feasible, found.words) == (False, case[1])
    assert found.reasons
    assert all((problem.path or "").startswith(CONSTRAINT) for problem in found.reasons)


def test_a_constraint_nested_too_deep_is_not_asked_about() -> None:
    constraint: Any = {"ranks": ["0"]}
    for _ in range(200):
        constraint = {"and": [constraint]}
    jobspec = job(slot(1, 1), constraint=constraint)
    found = check_feasibility(jobspec, FOUR)
    assert found.feasible is None
    assert [p.message for p in found.reasons] == ["the constraint is nested deeper than 150 levels"]
    assert check_strictly(jobspec, FOUR).feasible is False


def test_single_values_count_before_the_constraint() -> None:
    found = check_feasibility(job(slot("1,3", 1), constraint={"foo": []}), FOUR)
    assert found.words.startswith("slot count specifies discrete valid values")
    paths = [p.path for p in found.reasons]
    assert paths == ["resources[0].count", f"{CONSTRAINT}.foo"]


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
