"""Queue configurations against the recorded answers (RFC 33)."""

import tomllib
from typing import Any

import pytest

from fluxtui.model import queues
from tests.conformance.cases import cases

ROWS = list({row["toml"]: row for row in cases("queue")}.values())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_config(row: dict[str, Any]) -> None:
    config = queues.read_config(tomllib.loads(row["toml"]))
    expected = (row.get("rfc") or {}).get("config_ok", row["config_ok"])
    assert config.ok == expected, config.problems
