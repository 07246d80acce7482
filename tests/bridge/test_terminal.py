"""The person's terminal: their own editor, keys beside standard input, the clipboard."""

import fcntl
import os
import pty
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path

import pyperclip
import pytest

from fluxtui.bridge import clipboard, editor
from tests.each import for_each


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


@for_each("body, says, stays", [
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


# Keys from the terminal while a document comes in on standard input


SCRIPT = """
import os, sys
from fluxtui.bridge.terminal import keep_keys_apart
reason = keep_keys_apart()
print(repr(reason), repr(sys.stdin.read()), os.isatty(0))
"""


def keys_kept_apart(**how: object) -> str:
    """What a process says that has a document on standard input."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], input=b'{"a": 1}', capture_output=True, check=True, **how
    )  # type: ignore[call-overload]
    return done.stdout.decode().rstrip()


def test_the_document_on_stdin_and_the_keys_on_descriptor_0() -> None:
    master, slave = pty.openpty()

    def with_terminal() -> None:
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

    try:
        assert keys_kept_apart(preexec_fn=with_terminal) == "None '{\"a\": 1}' True"
    finally:
        os.close(master)
        os.close(slave)
    said = keys_kept_apart(start_new_session=True)  # without a terminal: the reason
    assert said.startswith("'")
    assert said.endswith("'{\"a\": 1}' False")


# The desktop's clipboard

SSH = ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY")


@pytest.fixture(autouse=True)
def at_the_desk(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in SSH:
        monkeypatch.delenv(name, raising=False)


def test_the_desktop_is_left_alone_where_it_is_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[str] = []
    monkeypatch.setattr(pyperclip, "copy", copied.append)
    monkeypatch.setattr(pyperclip, "paste", lambda: "there")
    monkeypatch.setenv("SSH_TTY", "")
    assert not clipboard.is_elsewhere()
    assert clipboard.copy_to_desktop("dune[001-004]\n")
    assert copied == ["dune[001-004]\n"]
    assert clipboard.paste_from_desktop() == "there"
    browser = ("TEXTUAL_DRIVER", "textual.drivers.web_driver:WebDriver")
    for name, value in (*((name, "10.0.0.1 1 10.0.0.2 22") for name in SSH), browser):
        monkeypatch.setenv(name, value)
        assert clipboard.is_elsewhere()
        assert not clipboard.copy_to_desktop("x")
        assert clipboard.paste_from_desktop() == ""
        monkeypatch.delenv(name)
    assert len(copied) == 1


def test_no_clipboard_and_a_helper_that_hangs_are_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()

    def broken(*_: str) -> str:
        raise pyperclip.PyperclipException("no helper program")

    for does in (broken, lambda *_: release.wait(30)):
        monkeypatch.setattr(pyperclip, "copy", does)
        monkeypatch.setattr(pyperclip, "paste", does)
        start = time.monotonic()
        assert not clipboard.copy_to_desktop("x", timeout=0.05)
        assert clipboard.paste_from_desktop(0.01) == ""
        assert time.monotonic() - start < 5
    release.set()
