"""Queries against recorded answers: what flux-core makes of them is what we make of them."""

import pytest

from fluxtui.notation import query
from tests.conformance.cases import cases

CASES = [case for case in cases("query") if not case.get("ambiguous")]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_agrees(case):
    parsed = query.parse(case["in"])
    assert parsed.ok == case["ok"], parsed.problems
    if case["ok"]:
        assert parsed.tree is not None
        assert query.to_constraint(parsed.tree) == case["out"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_every_error_has_its_place(case):
    parsed = query.parse(case["in"])
    for problem in parsed.problems:
        assert problem.span is not None
        assert 0 <= problem.span.start <= problem.span.end <= len(case["in"])
