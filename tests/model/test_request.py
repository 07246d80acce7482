"""The resources of a jobspec as a tree, and what is held against them."""

import random
from typing import Any

from hypothesis import given

from fluxtui.model.jobspec import submit_check
from fluxtui.model.jobspec.request import MAX_LEVELS, MAX_PROBLEMS, RequestVertex, parse
from fluxtui.notation.problem import how_many
from tests.each import for_each
from tests.model.jobspecs import JSON

LABELS = ("a", "b", "c", "d", "e", "f", "\0", "\ud800", "é")
COUNTS = (1, 1, 1, 1, 2, 3, 0, True, "2+", 2**63, 2**63 - 1)


def slot(label: str) -> dict[str, Any]:
    """A slot of a core."""
    inside = [{"type": "core", "count": 1}]
    return {"type": "slot", "count": 1, "label": label, "with": inside}


def test_a_vertex_has_what_every_reader_of_it_wants() -> None:
    core = {"type": "core", "count": "2-4", "unit": "x", "id": "c", "label": 5}
    resources = [{"type": "node", "count": 3, "exclusive": True, "with": [slot("a"), 7, core]}]
    request = parse(resources)
    node, first, inner, number, last = request.walk()
    assert [vertex.path for vertex in request.walk()] == [
        "resources[0]",
        "resources[0].with[0]",
        "resources[0].with[0].with[0]",
        "resources[0].with[1]",
        "resources[0].with[2]",
    ]
    assert (node.type, node.number, node.exclusive, node.depth) == ("node", 3, True, 0)
    assert (inner.above, inner.total, inner.depth) == ((node, first), 3, 2)
    assert (number.raw, number.type, number.is_readable, number.fields) == (7, None, False, {})
    assert (last.unit, last.id, last.label, last.number, last.total) == ("x", "c", None, None, None)
    assert last.path_of("count") == "resources[0].with[2].count"
    assert list(node.below()) == [first, inner, number, last]
    assert list(request.slots()) == [first]
    assert (request.labels, request.slot("a"), request.slot([])) == (["a"], first, None)


def raws(vertex: RequestVertex) -> Any:
    """What a vertex was parsed from, put together again from the vertices."""
    if not vertex.is_readable:
        return vertex.raw
    inner = [raws(child) for child in vertex.children]
    return {**vertex.fields, "with": inner} if inner else dict(vertex.fields)


@given(JSON)
def test_anything_is_parsed_and_kept(value: Any) -> None:
    for resources in (value, [value], [{"type": "a", "with": value}, {"with": [value, value]}]):
        request = parse(resources)
        assert [raws(root) for root in request.roots] == (
            list(resources) if isinstance(resources, list) else []
        )
        for vertex in request.walk():
            siblings = request.roots if vertex.parent is None else vertex.parent.children
            assert siblings[vertex.index] is vertex


def test_what_is_nested_without_end_is_parsed_as_far_as_flux_core_goes() -> None:
    vertex: dict[str, Any] = {"type": "core", "count": 1}
    for _ in range(5000):
        vertex = {"type": "a", "count": 1, "with": [vertex]}
    request = parse([vertex])
    assert sum(1 for _ in request.walk()) == MAX_LEVELS
    assert [problem.code for problem in request.problems] == ["resources-too-deep"]


def vertex(seeded: random.Random, plain: bool, depth: int = 0) -> dict[str, Any]:
    """A vertex with what it holds; one that is not plain may have anything wrong with it."""
    kind = seeded.choice(("node", "slot", "core", "gpu")) if depth else "node"
    made: dict[str, Any] = {"type": kind, "count": seeded.choice(COUNTS[: 6 if plain else None])}
    if kind == "slot":
        made["label"] = seeded.choice(LABELS[: 6 if plain else None])
    if kind in ("node", "slot"):
        children = seeded.choice((1, 1, 2))
        made["with"] = [
            {"type": "core", "count": 1} if depth == 3 else vertex(seeded, plain, depth + 1)
            for _ in range(children)
        ]
    if not plain and seeded.random() < 0.3:
        made[seeded.choice(("exclusive", "unit", "label", "id", "colour"))] = seeded.choice(
            (True, "x", "a", 1)
        )
    return made


@for_each("seed", range(4))
def test_flux_core_has_nothing_against_plain_resources(seed: int) -> None:
    seeded = random.Random(seed)
    for _ in range(400):
        resources = [vertex(seeded, plain=seeded.random() < 0.3)]
        found = parse(resources)
        # A further key, which flux-core takes, has it look at each vertex.
        looked_at = parse([{**resources[0], "colour": "red"}])
        assert not looked_at.is_plain
        document = {"version": 1, "resources": resources, "tasks": [], "attributes": {}}
        further = {**document, "resources": looked_at.raw}
        assert submit_check.check(document, found) == submit_check.check(further, looked_at)


def test_of_slots_that_share_a_label_the_first_counts() -> None:
    request = parse([slot("a"), slot("a") | {"count": 2}])
    assert request.slot("a") is request.roots[0]
    assert [problem.path for problem in request.errors] == ["resources[1].label"]


@for_each("further", [0, 1, 2, 500])
def test_problems_that_are_left_out_are_counted(further: int) -> None:
    count = MAX_PROBLEMS + further
    found = parse([{"type": "core", "count": 1, "k": n} for n in range(count)]).problems
    assert len(found) == min(count, MAX_PROBLEMS + 1)
    assert how_many(found) == count
    if further > 1:
        assert found[-1].message == f"{further} more problems"


def test_flux_core_counts_what_is_left_out() -> None:
    tasks = [{"command": ["a"], "slot": "\0", "count": {"per_slot": 1}}] * (MAX_PROBLEMS + 300)
    document = {"version": 1, "resources": [slot("a")], "tasks": tasks, "attributes": {}}
    found = submit_check.check(document)
    assert len(found) < how_many(found)
    assert how_many(found) >= len(tasks)
