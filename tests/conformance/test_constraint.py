"""Constraint objects against recorded answers: which are errors (the matching is elsewhere)."""

import json

import pytest

from fluxtui.model import constraint, requires
from tests.conformance.cases import cases

CASES = [case for case in cases("match") if not case.get("ambiguous")]


def accepted(case):
    rfc = case.get("rfc")
    return rfc["ok"] if rfc and rfc["follows"] != "unspecified" else case["ok"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_agrees(case):
    parsed = constraint.read(case["constraint"])
    assert parsed.ok == accepted(case), parsed.problems
    assert (parsed.value is not None) == parsed.ok
    if parsed.value is not None:
        assert constraint.read(constraint.to_json(parsed.value)).value == parsed.value


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_agrees_as_text(case):
    if not isinstance(case["constraint"], dict):
        return
    asked = requires.read(json.dumps(case["constraint"]))
    assert asked.ok == accepted(case)
    assert asked.constraint == constraint.read(case["constraint"]).value
    assert all(problem.span is not None for problem in asked.problems)
