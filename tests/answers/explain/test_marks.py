"""What is odd about a constraint: each mark is true of every single node, and nothing is missed."""

import random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fluxtui.answers.explain.explanation import Explanation
from fluxtui.answers.explain.findings import Finding, findings
from fluxtui.model.constraint import requires
from fluxtui.model.constraint.tree import to_json
from tests.answers.explain import large
from tests.answers.explain.cases import Case, clusters, count, demo, explained, holds, texts


def at_path(obj: Any, path: str) -> dict[str, Any]:
    """The part of an RFC 31 object at a path; one of several properties as an object."""
    here = obj
    for step in path.replace("[", ".").replace("]", "").split(".") if path else []:
        here = here[int(step)] if step.isdigit() else here[step]
    return {"properties": [here]} if isinstance(here, str) else here


def without(obj: dict[str, Any], paths: set[str], path: str = "") -> dict[str, Any] | None:
    """An RFC 31 object with parts left out; what loses all its parts goes with them."""
    if path in paths:
        return None
    if not obj:
        return obj
    ((operator, values),) = obj.items()
    if operator not in ("and", "or", "not", "properties") or not values:
        return obj
    kept = []
    for number, value in enumerate(values):
        inner = f"{path}.{operator}[{number}]".removeprefix(".")
        if operator == "properties":
            new = value if inner not in paths else None
        else:
            new = without(value, paths, inner)
        if new is not None:
            kept.append(new)
    return {operator: kept} if kept else None


def read(case: Case, text: str) -> tuple[Explanation, dict[str, Any], tuple[Finding, ...]]:
    reading = requires.read(text)
    assume(reading.constraint is not None)
    assert reading.constraint is not None
    explanation = explained(text, case.resources)
    return explanation, to_json(reading.constraint), findings(explanation)


@given(clusters(), texts)
def test_what_changes_nothing_can_go_all_of_it_at_once(case: Case, text: str) -> None:
    _, obj, found = read(case, text)
    idle = [m for m in found if m.kind in ("redundant", "duplicate")]
    for mark in idle:
        assert len(mark.paths) == 1
    rest = without(obj, {mark.paths[0] for mark in idle})
    rest = {} if rest is None else rest
    for node in case.nodes:
        assert holds(rest, node) == holds(obj, node)


@given(clusters(), texts)
def test_a_duplicate_says_what_stands_elsewhere(case: Case, text: str) -> None:
    _, obj, found = read(case, text)
    for mark in found:
        if mark.kind == "duplicate":
            rest = without(obj, set(mark.paths)) or {}
            for node in case.nodes:
                assert holds(rest, node) == holds(obj, node)


@given(clusters(), texts)
def test_a_contradiction_matches_nothing_and_its_parts_something(case: Case, text: str) -> None:
    _, obj, found = read(case, text)
    for mark in found:
        if mark.kind != "contradiction":
            continue
        parts = [at_path(obj, path) for path in mark.paths]
        assert not any(all(holds(part, node) for part in parts) for node in case.nodes)
        if len(parts) > 1:
            for leaving_out in range(len(parts)):
                others = [part for at, part in enumerate(parts) if at != leaving_out]
                assert any(all(holds(part, node) for part in others) for node in case.nodes)


@given(clusters(), texts)
def test_a_tautology_holds_for_every_node(case: Case, text: str) -> None:
    _, obj, found = read(case, text)
    for mark in found:
        if mark.kind == "tautology":
            parts = [at_path(obj, path) for path in mark.paths]
            assert all(any(holds(part, node) for part in parts) for node in case.nodes)


@given(clusters(), texts)
def test_an_empty_and_of_terms_that_match_is_marked(case: Case, text: str) -> None:
    """Wherever every step of a funnel matches something and all of them nothing."""
    explanation, obj, found = read(case, text)
    steps = explanation.funnel
    each = all(count(at_path(obj, step.path), case) for step in steps)
    if len(steps) > 1 and each and not explanation.count:
        assert any(mark.kind == "contradiction" for mark in found)


@given(clusters(), texts)
def test_marks_have_places(case: Case, text: str) -> None:
    explanation, _, found = read(case, text)
    for mark in found:
        assert mark.problem.severity == "warning"
        assert mark.problem.span is not None
        assert not mark.message.endswith(".")
        for path in mark.paths:
            assert explanation.part(path) is not None


def said(text: str) -> list[tuple[str, str, str]]:
    found = findings(explained(text, demo()))
    return [(m.kind, m.message, text[slice(*m.problem.span or (0, 0))]) for m in found]


@pytest.mark.parametrize(
    ("text", "kind", "message", "place"),
    [
        (
            "gpu&-gpu",
            "contradiction",
            "'gpu' and 'not gpu' contradict each other, so that no node can match",
            "gpu&-gpu",
        ),
        (
            "ssd&(gpu&bigmem)",
            "contradiction",
            "'gpu' and 'bigmem' have no node in common",
            "ssd&(gpu&bigmem",
        ),
        (
            "rank:0-9 host:dune[010-020]",
            "contradiction",
            "'rank 0-9' and 'host dune[010-020]' have no node in common",
            "rank:0-9 host:dune[010-020]",
        ),
        (
            "debug & (ssd & (trento & -batch|genoa))",
            "contradiction",
            "'trento' and 'not batch' have no node in common",
            "trento & -batch",
        ),
        (
            "gpu gpu",
            "duplicate",
            "'gpu' is said twice; once is enough",
            "gpu",
        ),
        (
            "gpu gpu gpu",
            "duplicate",
            "'gpu' is said 3 times; once is enough",
            "gpu",
        ),
        (
            "host:dunegpu01&gpu",
            "redundant",
            "'gpu' changes nothing: host dunegpu01 is also in gpu",
            "gpu",
        ),
        (
            "(gpu|bigmem)&-login",
            "redundant",
            "'not login' changes nothing: every node that is in gpu or in bigmem "
            "is also not in login",
            "-login",
        ),
        (
            "-debug & gpu & ^debug",
            "duplicate",
            "'not debug' is said twice; once is enough",
            "^debug",
        ),
        (
            "host:dune001,dune002|hosts:dune[001-002]",
            "duplicate",
            "'host dune[001-002]' is said twice; once is enough",
            "hosts:dune[001-002]",
        ),
        (
            "gpu&batch",
            "redundant",
            "'batch' changes nothing: every node in gpu is also in batch",
            "batch",
        ),
        (
            "batch|gpu",
            "redundant",
            "'gpu' can be left out: every node in gpu is also in batch",
            "gpu",
        ),
        (
            "gpu&rank:0-500",
            "redundant",
            "'rank 0-500' changes nothing: every node is among ranks 0-500",
            "rank:0-500",
        ),
        (
            "debug&(gpu|bigmem)",
            "redundant",
            "'bigmem' can be left out: the same nodes match without it",
            "bigmem",
        ),
        (
            "gpu|bigmem|-gpu",
            "tautology",
            "every node is in gpu or not in gpu, so that this leaves none out",
            "gpu|bigmem|-gpu",
        ),
        (
            "rank:0-195",
            "tautology",
            "every node is among ranks 0-195, so that this leaves none out",
            "rank:0-195",
        ),
        (
            "-rank:0-195",
            "contradiction",
            "every node is among ranks 0-195, so that 'not rank 0-195' matches none",
            "-rank:0-195",
        ),
        (
            "gpu|ssd bigmem",
            "reading",
            "'gpu|ssd bigmem' reads as '(gpu|ssd) bigmem'; "
            "write 'gpu|(ssd bigmem)' if you mean that",
            "gpu|ssd bigmem",
        ),
        (
            "-host:dune001,-host:dune002",
            "reading",
            "write a space, not a comma, before '-host:'; "
            "all of 'dune001,-host:dune002' is one hostlist",
            ",-host:",
        ),
    ],
)
def test_what_is_said(text: str, kind: str, message: str, place: str) -> None:
    assert (kind, message, place) in said(text)


@pytest.mark.parametrize(
    "text",
    ["gpu", "gpu&-debug", "gpu|bigmem", "host:dune[030-040]&ssd", "{}", "not (gpu&debug)", "-gpu"],
)
def test_nothing_is_said_of_what_is_fine(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize("text", ["bigmen", "gpu&-bigmen", "gpu|bigmen", "rank:900|gpu"])
def test_unknown_names_are_told_elsewhere(text: str) -> None:
    assert said(text) == []


def test_of_three_that_exclude_each_other_all_are_named() -> None:
    text = "debug & ssd & icelake"
    (mark,) = findings(explained(f"{text} & rank:0-99999", demo()))[:1]
    assert mark.kind == "contradiction"
    assert mark.paths == ("and[0].properties[0]", "and[0].properties[2]")
    text = "(rack5|rack6)&(rack5|rack1)&(rack6|rack1)"
    (mark,) = (m for m in findings(explained(text, demo())) if m.kind == "contradiction")
    assert mark.paths == ("and[0]", "and[1]", "and[2]")
    assert mark.message == (
        "'rack5 or rack6', 'rack5 or rack1' and 'rack6 or rack1' have no node in common, "
        "though each matches some"
    )


@settings(max_examples=20)
@given(clusters(), st.integers(400, 900), st.integers(0, 2**32))
def test_marks_on_very_many_parts(case: Case, parts: int, seed: int) -> None:
    text = large.query(random.Random(seed), parts)
    explanation, obj, found = read(case, text)
    assert sum(1 for _ in explanation.logic.walk()) > 400
    idle = {m.paths[0] for m in found if m.kind in ("redundant", "duplicate")}
    assert len(idle) > 50
    rest = without(obj, idle) or {}
    assert [holds(rest, node) for node in case.nodes] == [holds(obj, node) for node in case.nodes]
    for mark in found:
        parts_of = [at_path(obj, path) for path in mark.paths]
        if mark.kind == "contradiction":
            assert not any(all(holds(one, node) for one in parts_of) for node in case.nodes)
        if mark.kind == "tautology":
            assert all(any(holds(one, node) for one in parts_of) for node in case.nodes)
        assert len(mark.message) < 1000


def test_what_is_odd_among_hundreds_of_parts() -> None:
    text = "&".join(f"-rank:{rank}" for rank in range(196))
    (mark,) = findings(explained(text, demo()))
    assert (mark.kind, len(mark.paths)) == ("contradiction", 196)
    assert mark.message == (
        "'not rank 0', 'not rank 1', 'not rank 2', 'not rank 3', 'not rank 4', 'not rank 5' "
        "and 190 more have no node in common, though each matches some"
    )
    text = "&".join(f"(gpu|rank:{rank})" for rank in range(150)) + "&batch"
    assert ("redundant", "'gpu' can be left out: the same nodes match without it") not in said(text)
    kind, message, place = said("&".join(["gpu"] * 500) + "&batch")[-1]
    assert (kind, place) == ("redundant", "batch")
    assert message == "'batch' changes nothing: every node in gpu is also in batch"


@given(clusters(), texts)
def test_both_of_two_that_negate_can_go(case: Case, text: str) -> None:
    _, obj, found = read(case, text)
    for mark in found:
        if mark.kind == "double":
            (inner,) = at_path(obj, mark.paths[0])["not"]
            meant = inner.get("not") or [{"properties": [inner["properties"][0][1:]]}]
            for node in case.nodes:
                held = [holds(one, node) for one in meant]
                assert holds(at_path(obj, mark.paths[0]), node) == all(held)


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("not not gpu", "'not not gpu' is the same as 'gpu'", "not not gpu"),
        ("ssd & not -gpu", "'not not gpu' is the same as 'gpu'", "not -gpu"),
        ("not not not gpu", "'not not not gpu' is the same as 'not gpu'", "not not not gpu"),
        ("not not (gpu|bigmem)", "'not not (gpu or bigmem)' is the same as 'gpu or bigmem'",
         "not not (gpu|bigmem"),
        ("-debug & not not rank:9", "'not not rank 9' is the same as 'rank 9'", "not not rank:9"),
    ],
)  # fmt: skip
def test_a_not_of_a_not(text: str, message: str, place: str) -> None:
    (found,) = (one for one in said(text) if one[0] == "double")
    assert found[1] == f"a 'not' of a 'not' changes nothing: {message}"
    assert found[2] == place or found[2] == f"{place})"
