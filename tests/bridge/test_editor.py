"""A text in the person's own editor."""

import sys
from pathlib import Path

import pytest

from fluxtui.bridge import editor


@pytest.fixture
def as_editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Makes an editor of a program in Python, which gets the path of the file as ``path``."""
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def make(body: str) -> None:
        script = tmp_path / "an editor.py"
        script.write_text(f"import sys, pathlib\npath = pathlib.Path(sys.argv[1])\n{body}\n")
        monkeypatch.setenv("EDITOR", f"{sys.executable} '{script}'")

    return make


def left(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir() if file.name.startswith("fluxtui-")]


def test_the_text_comes_back_as_it_was_written(as_editor, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    as_editor("path.write_bytes(path.read_bytes() + b'b: \\xc3\\xa9\\r\\n')")
    assert editor.edit("a: 1\r\n", ".yaml") == ("a: 1\r\nb: é\r\n", ())
    as_editor("assert path.suffix == '.sh' and path.stat().st_mode & 0o77 == 0")
    assert editor.edit("#!/bin/sh", ".sh") == ("#!/bin/sh", ())
    assert left(tmp_path) == []


@pytest.mark.parametrize(("body", "says", "stays"), [
    ("path.write_text('lost'); sys.exit(3)", "status 3", 0),
    ("path.write_bytes(b'\\xff')", "not UTF-8", 1),
])  # fmt: skip
def test_what_goes_wrong_leaves_the_text(  # type: ignore[no-untyped-def]
    as_editor, tmp_path: Path, body: str, says: str, stays: int
) -> None:
    as_editor(body)
    found = editor.edit("text", ".yaml")
    assert found.value == "text"
    assert says in found.problems[0].message
    assert len(left(tmp_path)) == stays


def test_an_editor_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", "/no/such/editor -x")
    found = editor.edit("text", ".yaml")
    assert found.value == "text"
    assert "/no/such/editor cannot be started" in found.problems[0].message
    monkeypatch.setenv("VISUAL", "'")
    assert editor.command() == ["'"]
    monkeypatch.delenv("VISUAL")
    monkeypatch.delenv("EDITOR", raising=False)
    assert editor.command() == ["vi"]
