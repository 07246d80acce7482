"""Hostlist texts against the recorded answers (RFC 29)."""

from typing import Any

import pytest

from fluxtui.notation import hostlist
from tests.conformance.cases import cases

ROWS = [row for row in cases("hostlist") if not row.get("ambiguous")]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_agrees(row: dict[str, Any]) -> None:
    answer = {**row, **row.get("rfc", {})}
    parsed = hostlist.parse(row["in"])
    assert parsed.ok == answer["ok"]
    if not answer["ok"]:
        return
    if "out" in answer and ("rfc" not in row or "out" in row["rfc"]):
        assert list(parsed.value) == answer["out"]
        assert hostlist.parse(hostlist.encode(answer["out"])).value == parsed.value
    if "rfc" not in row:
        assert parsed.value.count == row["count"]
        assert str(parsed.value) == row["encoded"]
