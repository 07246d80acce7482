"""What stays of a fault of the program itself."""

import tempfile
from pathlib import Path

import pytest

from fluxtui.bridge import crash


@pytest.fixture
def state_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def _fail() -> str:
    try:
        raise RuntimeError("the cause")
    except RuntimeError:
        return crash.report("node=4", "gpu&-debug")


def test_the_texts_come_back_and_the_details_go_to_a_file(state_home: Path) -> None:
    said = _fail()
    assert "node=4" in said
    assert "gpu&-debug" in said
    assert "Traceback" not in said
    (log,) = state_home.rglob("*.log")
    assert str(log) in said
    said = crash.headless()  # without anything typed
    assert "Traceback" not in said
    assert str(log.parent) in said
    _fail()
    logs = "".join(log.read_text() for log in state_home.rglob("*.log"))
    assert logs.count("RuntimeError: the cause") == 2
    said = crash.report("a\x1b[31m", "\x07")
    assert not {"\x1b", "\x07"} & set(said)


def test_elsewhere_where_the_folder_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "other").mkdir()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "other"))
    said = _fail()
    assert str(tmp_path / "other") in said
    assert "the cause" in next((tmp_path / "other").iterdir()).read_text()


def test_nowhere_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "file"))
    said = _fail()
    assert "could not be written" in said
    assert "node=4" in said
