"""Constraints on R documents against the recorded answers (RFC 31)."""

from functools import cache
from typing import Any

import pytest

from fluxtui.answers import match
from fluxtui.model import constraint, resources
from fluxtui.model.resources import Resources
from tests.conformance.cases import cases, rset

ROWS = [row for row in cases("match") if row.get("rfc", {}).get("follows") != "unspecified"]


@cache
def cluster(name: str) -> Resources:
    return resources.read(rset(name))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_agrees(row: dict[str, Any]) -> None:
    answer = {**row, **row.get("rfc", {})}
    parsed = constraint.read(row["constraint"])
    assert parsed.ok == answer["ok"]
    if answer["ok"]:
        assert parsed.value is not None
        found = cluster(row["R"])
        mask = match.match(parsed.value, found)
        assert found.ranks_text(mask) == answer["out"]
        assert match.counted(parsed.value, found).mask == mask
