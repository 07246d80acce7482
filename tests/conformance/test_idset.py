"""Idset texts against the recorded answers (RFC 22)."""

from typing import Any

import pytest

from fluxtui.notation import idset
from tests.conformance.cases import cases

ROWS = [row for row in cases("idset") if not row.get("ambiguous")]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_agrees(row: dict[str, Any]) -> None:
    answer = {**row, **row.get("rfc", {})}
    parsed = idset.parse(row["in"])
    assert parsed.ok == answer["ok"]
    if not answer["ok"]:
        return
    if "out" in answer and ("rfc" not in row or "out" in row["rfc"]):
        assert list(parsed.value) == answer["out"]
    if "rfc" not in row:
        assert parsed.value.count == row["count"]
        assert str(parsed.value) == row["encoded"]
