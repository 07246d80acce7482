"""The recorded R documents and resource graphs all open (RFC 20)."""

from pathlib import Path

import pytest

from fluxtui.model.resources import document
from tests.conformance.cases import FOLDER


@pytest.mark.parametrize("path", sorted(FOLDER.glob("rsets/**/*.json")), ids=lambda path: path.stem)
def test_reads(path: Path) -> None:
    found = document.read_text(path.read_text(encoding="utf-8"))
    assert found.ok, found.problems
    assert found.node_count == found.hosts.count > 0


@pytest.mark.parametrize("path", sorted(FOLDER.glob("graphs/*.json")), ids=lambda path: path.stem)
def test_reads_graphs(path: Path) -> None:
    found = document.read_text(path.read_text(encoding="utf-8"))
    assert found.ok, found.problems
    assert found.node_count == found.hosts.count > 0
    assert found.whole.cores > 0
