"""What is held against a resources list, found by looking at as few of its vertices as will do."""

import random
from typing import Any

import pytest

from fluxtui.model.jobspec import resource_checks, submit_check
from fluxtui.model.jobspec.resources import MAX_PROBLEMS, Slots
from fluxtui.notation.problem import how_many

LABELS = ("a", "b", "c", "d", "e", "f", "\0", "\ud800", "é")
COUNTS = (1, 1, 1, 1, 2, 3, 0, True, "2+", 2**63, 2**63 - 1)


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


def changed(seeded: random.Random, resources: list[Any], plain: bool) -> list[Any]:
    """The list with a vertex at its top changed, put in or taken out."""
    new, at = list(resources), seeded.randrange(len(resources) + 1)
    what = seeded.choice(("change", "change", "put in", "take out"))
    if what == "put in" or at == len(resources):
        new.insert(at, vertex(seeded, plain))
    elif what == "take out":
        del new[at]
    else:
        new[at] = vertex(seeded, plain)
    return new


@pytest.mark.parametrize("seed", range(40))
def test_what_changed_is_judged_as_if_all_had_been_looked_at(seed: int) -> None:
    seeded = random.Random(seed)
    resources = [vertex(seeded, plain=True)]
    known = resource_checks.judge_resources(resources)
    for _ in range(60):
        new = changed(seeded, resources, plain=seeded.random() < 0.9)
        found = resource_checks.judge_resources(new, resources, known)
        assert found == resource_checks.judge_resources(new)
        resources, known = new, found


def slot(label: str) -> dict[str, Any]:
    """A slot of a core."""
    inside = [{"type": "core", "count": 1}]
    return {"type": "slot", "count": 1, "label": label, "with": inside}


def test_only_what_changed_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    resources = [slot(label) for label in "abcdefghi"]
    known = resource_checks.judge_resources(resources)
    looked_at: list[object] = []
    judge = resource_checks.judge_canonical
    monkeypatch.setattr(
        resource_checks,
        "judge_canonical",
        lambda found: looked_at.extend(found) or judge(found),  # type: ignore[func-returns-value]
    )
    new = [*resources[:4], slot("z"), *resources[5:]]
    resource_checks.judge_resources(new, resources, known)
    assert looked_at == [new[4]]


def test_a_label_that_another_vertex_has_is_refused() -> None:
    before = [slot("a"), slot("b")]
    after = [before[0], slot("a")]
    found = resource_checks.judge_resources(after, before, resource_checks.judge_resources(before))
    assert [p.path for p in found.canonical] == ["resources[1].label"]


@pytest.mark.parametrize("seed", range(40))
def test_flux_core_has_nothing_against_plain_resources(seed: int) -> None:
    seeded = random.Random(seed)
    for _ in range(40):
        resources = [vertex(seeded, plain=seeded.random() < 0.3)]
        document = {"version": 1, "resources": resources, "tasks": [], "attributes": {}}
        found = resource_checks.judge_resources(resources)
        assert submit_check.check(
            document, has_plain_resources=found.is_plain
        ) == submit_check.check(document)


def test_of_slots_that_share_a_label_the_first_counts() -> None:
    resources = [slot("a"), slot("a") | {"count": 2}]
    found = resource_checks.judge_resources(resources)
    for places in ({}, found.labels):
        there = Slots(resources, places)
        assert there.named("a") is there.labelled["a"] is resources[0]


@pytest.mark.parametrize("further", [0, 1, 2, 500])
def test_problems_that_are_left_out_are_counted(further: int) -> None:
    count = MAX_PROBLEMS + further
    resources = [{"type": "core", "count": 1, "k": n} for n in range(count)]
    found = resource_checks.judge_resources(resources).canonical
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
