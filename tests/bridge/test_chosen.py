"""What a person chose, kept in a file."""

import json
import os
from pathlib import Path

import pytest

from fluxtui.bridge.chosen import Chosen


def test_what_is_saved_is_there_again(tmp_path: Path) -> None:
    path = tmp_path / "a" / "chosen.json"
    store = Chosen(path)
    assert store.load("columns") == ()
    assert store.save("columns", ("rank", "has:\udcff", "host"))
    assert store.save("other", ("x",))
    assert Chosen(path).load("columns") == ("rank", "has:\udcff", "host")
    assert Chosen(path).load("other") == ("x",)
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "text", ["", "[", "[]", '{"columns": 3}', '{"columns": [1]}', "[" * 100_000, "\udcff"]
)
def test_what_cannot_be_read_counts_as_nothing(tmp_path: Path, text: str) -> None:
    path = tmp_path / "chosen.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    store = Chosen(path)
    assert store.load("columns") == ()
    assert store.save("columns", ("host",))
    assert json.loads(path.read_text())["columns"] == ["host"]


def test_a_link_stays_one_and_what_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    real = tmp_path / "real.json"
    real.write_text("{}")
    os.symlink(real, tmp_path / "link.json")
    Chosen(tmp_path / "link.json").save("columns", ("host",))
    assert (tmp_path / "link.json").is_symlink()
    assert Chosen(real).load("columns") == ("host",)
    assert not Chosen(real / "chosen.json").save("columns", ("host",))
