"""R documents against the recorded answers (RFC 20)."""

import json
from typing import Any

import pytest

from fluxtui.model import resources
from tests.conformance.cases import FOLDER, cases

ROWS = [row for row in cases("badr") if row["rfc"]["ok"] is not None]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_verdict(row: dict[str, Any]) -> None:
    text = row["text"] if "text" in row else json.dumps(row["R"])
    found = resources.read_text(text)
    assert found.ok == row["rfc"]["ok"], found.problems


@pytest.mark.parametrize("path", sorted(FOLDER.glob("rsets/**/*.json")), ids=lambda path: path.stem)
def test_reads(path: Any) -> None:
    found = resources.read_text(path.read_text())
    assert found.ok, found.problems
    assert found.node_count == found.hosts.count > 0


@pytest.mark.parametrize("path", sorted(FOLDER.glob("graphs/*.json")), ids=lambda path: path.stem)
def test_reads_graphs(path: Any) -> None:
    found = resources.read_text(path.read_text())
    assert found.ok, found.problems
    assert found.node_count == found.hosts.count > 0
    assert found.core_count > 0
