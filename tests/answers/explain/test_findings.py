"""What is odd about a constraint: each is true of every single node, and nothing is missed."""

import random
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fluxtui.answers.explain.explanation import Explanation
from fluxtui.answers.explain.findings import Finding, findings
from fluxtui.model.constraint import requires
from fluxtui.model.constraint.tree import to_json
from tests.answers.explain import large
from tests.answers.explain.cases import (
    DEMO,
    Case,
    at_path,
    clusters,
    count,
    explained,
    texts,
    without,
)
from tests.constraints import holds


def proved(case: Case, text: str) -> tuple[Explanation, dict[str, Any], tuple[Finding, ...]]:
    """What is found holds for single nodes, and all that is idle can go at once."""
    assume(requires.read(text).constraint is not None)
    explanation = explained(text, case.resources)
    obj, found = to_json(explanation.root.constraint), findings(explanation)
    idle = [one for one in found if one.kind in ("redundant", "duplicate")]
    assert all(len(one.paths) == 1 for one in idle)
    alike(case, without(obj, {one.paths[0] for one in idle}), obj)
    for one in found:
        parts = [at_path(obj, path) for path in one.paths]
        if one.kind == "contradiction":
            assert not any(all(holds(part, node) for part in parts) for node in case.nodes)
        elif one.kind == "tautology":
            assert all(any(holds(part, node) for part in parts) for node in case.nodes)
    return explanation, obj, found


def alike(case: Case, one: dict[str, Any] | None, other: dict[str, Any]) -> None:
    """Both hold for the same nodes; None asks nothing."""
    assert all(holds(one or {}, node) == holds(other, node) for node in case.nodes)


@given(clusters(), texts)
def test_each_finding_is_true_and_has_its_place(case: Case, text: str) -> None:
    explanation, obj, found = proved(case, text)
    for one in found:
        assert (one.problem.severity, one.problem.span is None) == ("warning", False)
        assert not one.message.endswith(".")
        assert all(explanation.part(path) is not None for path in one.paths)
        parts = [at_path(obj, path) for path in one.paths]
        if one.kind == "duplicate":
            alike(case, without(obj, set(one.paths)), obj)
        elif one.kind == "contradiction" and len(parts) > 1:
            for left_out in range(len(parts)):  # none of them could be left out
                others = parts[:left_out] + parts[left_out + 1 :]
                assert any(all(holds(part, node) for part in others) for node in case.nodes)
        elif one.kind == "double":
            (inner,) = parts[0]["not"]
            meant = inner.get("not") or [{"properties": [inner["properties"][0][1:]]}]
            alike(case, {"and": meant}, parts[0])
    steps = explanation.funnel
    each = all(count(at_path(obj, step.path), case) for step in steps)
    if len(steps) > 1 and each and not explanation.count:
        assert any(one.kind == "contradiction" for one in found)


@settings(max_examples=10)
@given(clusters(), st.integers(400, 900), st.integers(0, 2**32))
def test_findings_in_very_many_parts(case: Case, parts: int, seed: int) -> None:
    _, _, found = proved(case, large.query(random.Random(seed), parts))
    assert sum(one.kind in ("redundant", "duplicate") for one in found) > 50
    assert all(len(one.message) < 1000 for one in found)


def test_of_those_that_exclude_each_other_as_few_as_can_be_are_named() -> None:
    (first, *_) = findings(explained("debug & ssd & icelake & rank:0-99999", DEMO))
    assert first.paths == ("and[0].properties[0]", "and[0].properties[2]")
    found = findings(explained("&".join(["gpu"] * 500) + "&batch", DEMO))
    told = "'batch' changes nothing: every node in gpu is also in batch"
    assert ("redundant", told) in [(one.kind, one.message) for one in found]
    (one,) = findings(explained("&".join(f"-rank:{rank}" for rank in range(196)), DEMO))
    assert (one.kind, len(one.paths)) == ("contradiction", 196)
    assert one.message == (
        "'not rank 0', 'not rank 1', 'not rank 2', 'not rank 3', 'not rank 4', 'not rank 5' "
        "and 190 more have no node in common, though each matches some"
    )
