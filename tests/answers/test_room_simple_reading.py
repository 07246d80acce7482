"""How sched-simple reads counts, requests and constraints, where it errs as well."""

from typing import Any

import pytest

from fluxtui.answers.feasibility.simple import check as simple
from tests.answers.room_requests import cluster, job, node, slot

FOUR = cluster([("0-3", "0-7", "0-1")], {"a": "0-1", "b": "1-2"})


def words(jobspec: dict[str, Any]) -> str:
    """What sched-simple says of a job that it does not read, and that read() says so as well."""
    found = simple.check_feasibility(jobspec, FOUR)
    assert found.feasible is False
    assert found.reasons
    assert found.nearest is None
    read = simple.read(jobspec)
    assert read.value is None
    assert not read.ok
    if found.words:
        assert read.problems[0].message.endswith(f"; sched-simple says: {found.words}")
    return found.words


@pytest.mark.parametrize(
    ("count", "least", "most"),
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
def test_counts(count: Any, least: int, most: int | None) -> None:
    request = simple.read(job(node(count, slot(1, 1)))).value
    assert request is not None
    assert request.nodes is not None
    assert (request.nodes.least, request.nodes.most) == (least, most)
    assert request.nodes.path == "resources[0].count"
    assert not request.nodes.listed


@pytest.mark.parametrize(
    ("count", "most"),
    [("1,3", 3), ("1,,3", 3), ("2-8:2:*", 8), ("2-9:3", 9), ("2-8:2:^", 8)],
)
def test_counts_with_single_values(count: Any, most: int) -> None:
    request = simple.read(job(slot(count, 1))).value
    assert request is not None
    assert (request.slots.most, request.slots.listed) == (most, True)


@pytest.mark.parametrize(
    ("count", "said"),
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
        (
            "2+:2",
            "RFC 45 unbounded count with operator='+' operand=2 cannot be expanded to a finite set",
        ),
        (
            {"min": 2, "operator": "*"},
            "RFC 14 unbounded count with operator='*' operand=1 cannot be expanded to a finite set",
        ),
        ("2-4:2:x", "RFC 14 count: operator 'x' is not supported"),
        ("2-4:1:*", "RFC 14 count: operator '*' requires operand > 1, got 1"),
        ("1-4:2:^", "RFC 14 count: operator '^' requires min >= 2, got 1"),
        ("2-4:0", "RFC 14 count: additive operator requires operand > 0, got 0"),
        ("1-131073:2", "RFC 14 count: sequence too large to expand"),
        ({"min": [2]}, None),
    ],
)
def test_counts_it_refuses(count: Any, said: str | None) -> None:
    jobspec = job(node(1, slot(count, 1)))
    found = words(jobspec)
    assert said is None or found == said
    path = simple.check_feasibility(jobspec, FOUR).reasons[0].path
    assert path is not None
    assert path.startswith("resources[0].with[0].count")
    assert simple.check_strictly(jobspec, FOUR).feasible is None


DEEP: Any = slot(1, 1)
for _ in range(101):
    DEEP = {"type": "x", "count": 1, "with": [DEEP]}


@pytest.mark.parametrize(
    ("jobspec", "said", "reason", "path"),
    [
        (job(), "jobspec has no resources", "the jobspec asks for no resources", "resources"),
        (
            job(node(1, {"type": "core", "count": 1})),
            "Unable to determine slot count",
            "the request has no slot, in which a task could run",
            "resources",
        ),
        (
            job(node(1, {"type": "slot", "count": 1, "with": [{"type": "gpu", "count": 1}]})),
            "Unable to determine slot size",
            "the request does not say how many cores a slot has",
            "resources[0].with[0]",
        ),
        (
            job(slot(1, 1), attributes={}),
            "getting duration: Object item not found: system",
            "a jobspec of version 1 needs attributes.system, with a duration",
            "attributes",
        ),
        (
            job(slot(1, 1), attributes={"system": {}}),
            "getting duration: Object item not found: duration",
            "a jobspec of version 1 needs a duration",
            "attributes.system",
        ),
        (
            job(slot(1, 1), attributes={"system": {"duration": "long"}}),
            "could not convert string to float: 'long'",
            "duration is a number of seconds; found a string",
            "attributes.system.duration",
        ),
        (
            job(slot(1, 1), attributes=None),
            "'NoneType' object has no attribute 'get'",
            "a dictionary belongs here; found null",
            "attributes",
        ),
        (
            job(node(1, "slot")),  # type: ignore[arg-type]
            "'str' object has no attribute 'get'",
            "a dictionary belongs here; found a string",
            "resources[0].with[0]",
        ),
        (
            job({"type": "node", "count": 1, "with": 5}),
            "'int' object is not iterable",
            "a list of resources belongs here; found 5",
            "resources[0].with",
        ),
        (
            job(DEEP),
            "jobspec resource nesting exceeds maximum depth 100",
            "more than 100 levels of resources below the first",
            "resources[0]" + ".with[0]" * 100 + ".with",
        ),
    ],
)
def test_requests_it_refuses(jobspec: dict[str, Any], said: str, reason: str, path: str) -> None:
    assert words(jobspec) == said
    (problem,) = simple.check_feasibility(jobspec, FOUR).reasons
    assert (problem.message, problem.path) == (reason, path)


def test_reads_any_request() -> None:
    jobspec = job(
        {
            "type": "rack",
            "count": 2,
            "with": [
                node(
                    {"min": 3, "max": 5},
                    {"type": "socket", "count": 2, "with": [slot(4, 2, 1)]},
                    {"type": "memory", "count": 9, "with": [{"type": "core", "count": "3-5"}]},
                )
            ],
        },
        constraint={"properties": ["a"]},
    )
    request = simple.read(jobspec).value
    assert request is not None
    assert request.nodes is not None
    assert (request.nodes.least, request.nodes.most, request.factor) == (6, 10, 2)
    assert (request.slots.least, request.cores, request.gpus) == (4, 3, 1)
    assert request.cores_path == "resources[0].with[0].with[1].with[0].count"
    assert (request.duration, request.constraint) == (60.0, {"properties": ["a"]})
    assert simple.check_strictly(jobspec, FOUR).feasible is None


def test_reads_other_versions_without_a_duration() -> None:
    jobspec = job(slot(1, 1), version=9999, attributes={})
    request = simple.read(jobspec).value
    assert request is not None
    assert request.duration == 0


def test_exclusive_slots_are_nodes() -> None:
    request = simple.read(job(slot("2-3", 4, exclusive=True))).value
    assert request is not None
    assert request.nodes is not None
    assert (request.nodes.least, request.nodes.most, request.slots.least) == (2, 3, 1)
    assert request.exclusive


@pytest.mark.parametrize(
    "resources",
    [
        [slot(1, 1), slot(1, 1)],
        [node(1, slot(1, 1), slot(1, 1))],
        [node(1, slot(1, 1), {"type": "core", "count": 1})],
        [{"type": "socket", "count": 1, "with": [slot(1, 1)]}],
        [slot(1, "1-2")],
        [slot(1, True)],
        [slot("2,4", 1)],
        [slot("2-4:2", 1)],
        [slot(1, 1, unit="x")],
        [slot(1, 1, exclusive="no")],
        [node(1, slot(1, 1), unit="x")],
        [{"type": "slot", "count": 1, "with": [{"type": "gpu", "count": 1}]}],
        [{"type": "slot", "count": 1, "with": [{"type": "core", "count": 1, "exclusive": True}]}],
        [{"type": "slot", "count": 1, "with": [{"type": "core", "count": 1, "with": [1]}]}],
        [{"type": "slot", "count": 1, "with": [{"type": "core", "count": 1}, 5]}],
        [{"type": "slot", "count": 1, "with": [{"type": "core", "count": 1}] * 2}],
        [{"type": "slot", "count": 1, "with": 5}],
        [{"type": "slot", "count": " 1", "with": [{"type": "core", "count": 1}]}],
        [{"type": "node", "count": 1}],
        ["node"],
        [],
        "node",
        None,
    ],
)
def test_our_own_verdict_is_on_plain_requests_alone(resources: Any) -> None:
    jobspec = job(resources=resources)
    found = simple.check_strictly(jobspec, FOUR)
    assert (found.feasible, found.words, found.reasons) == (None, "", ())


@pytest.mark.parametrize(
    "resources",
    [
        [slot(1, 1)],
        [slot({"min": 1}, 1, 1, exclusive=False)],
        [
            {
                "type": "slot",
                "count": "1-2",
                "with": [{"type": "gpu", "count": 1}, *slot(1, 1)["with"]],
            }
        ],
        [node(1, slot(1, 1), exclusive=True, label="x")],
    ],
)
def test_plain_requests(resources: Any) -> None:
    assert simple.check_strictly(job(resources=resources), FOUR).feasible
    assert simple.check_strictly({"resources": resources}, FOUR).feasible
    assert simple.check_strictly({"resources": resources, "attributes": 5}, FOUR).feasible


@pytest.mark.parametrize(
    ("constraint", "ranks"),
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
def test_constraints(constraint: Any, ranks: str) -> None:
    jobspec = job(node({"min": 1}, slot(1, 1)), constraint=constraint)
    found = simple.check_feasibility(jobspec, FOUR)
    assert found.feasible is bool(ranks)
    if found.placement:
        assert FOUR.ranks_text(found.placement.mask) == ranks


@pytest.mark.parametrize(
    ("constraint", "said"),
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
        ({"and": [{"or": [{"properties": ["^a"]}, {"x": 1}]}, {"y": 1}]}, "unknown constraint "
         "operator(s): ['x']"),
        ({"and": [{"or": [{"properties": ["a"]}, {"x": 1}]}, {"y": 1}]}, "unknown constraint "
         "operator(s): ['y']"),
    ],
)  # fmt: skip
def test_constraints_it_refuses(constraint: Any, said: str) -> None:
    found = simple.check_feasibility(job(slot(1, 1), constraint=constraint), FOUR)
    assert (found.feasible, found.words) == (False, said)
    assert found.reasons
    for problem in found.reasons:
        assert problem.path is not None
        assert problem.path.startswith("attributes.system.constraints")


def test_a_legal_constraint_that_it_refuses_has_its_words() -> None:
    found = simple.check_feasibility(job(slot(1, 1), constraint={"and": [{}]}), FOUR)
    assert [p.message for p in found.reasons] == [
        "sched-simple does not take this constraint: unknown constraint operator(s): []"
    ]


def test_a_constraint_nested_too_deep_is_not_asked_about() -> None:
    constraint: Any = {"ranks": ["0"]}
    for _ in range(200):
        constraint = {"and": [constraint]}
    found = simple.check_feasibility(job(slot(1, 1), constraint=constraint), FOUR)
    assert found.feasible is None
    assert [p.message for p in found.reasons] == ["the constraint is nested deeper than 150 levels"]
    found = simple.check_strictly(job(slot(1, 1), constraint=constraint), FOUR)
    assert (found.feasible, found.words) == (False, "")
    assert simple.check_feasibility(job(slot(1, 1), constraint=constraint), FOUR, 0b1).feasible


def test_single_values_count_before_the_constraint() -> None:
    found = simple.check_feasibility(job(slot("1,3", 1), constraint={"foo": []}), FOUR)
    assert found.words.startswith("slot count specifies discrete valid values")
    assert [p.path for p in found.reasons] == [
        "resources[0].count",
        "attributes.system.constraints.foo",
    ]


def test_numbers_beyond_all_bounds() -> None:
    top: Any = node(2, slot(1, 1))
    for _ in range(98):
        top = {"type": "x", "count": 10**99, "with": [top]}
    found = simple.check_feasibility(job(top), FOUR)
    assert found.words.startswith("Exceeds the limit (4300 digits)")
    assert [p.message for p in found.reasons] == ["needs about 10^9702 nodes; the cluster has 4"]
    for count in (16**99, {"min": 2, "max": 16**99, "operator": "^", "operand": 16**99}):
        found = simple.check_feasibility(job(node(count, slot(1, 1))), FOUR)
        assert found.feasible is False
        assert found.nearest is not None
