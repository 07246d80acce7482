"""Durations against the recorded answers (RFC 23)."""

import math
from typing import Any

import pytest

from fluxtui.notation import duration
from tests.conformance.cases import cases

ROWS = [row for row in cases("fsd") if not row.get("ambiguous")]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_agrees(row: dict[str, Any]) -> None:
    answer = row.get("rfc", row)
    parsed = duration.parse(row["in"])
    assert parsed.ok == answer["ok"], parsed.problems
    if "out" in answer:
        wanted = math.inf if answer["out"] == "inf" else answer["out"]
        assert parsed.value == pytest.approx(wanted, rel=1e-15)
