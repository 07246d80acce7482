"""Keys from the terminal while a document comes in on standard input."""

import os
import pty
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pyperclip
import pytest

from fluxtui.bridge import clipboard

SCRIPT = """
import os, sys
from fluxtui.bridge.terminal import keep_keys_apart
reason = keep_keys_apart()
print(repr(reason), repr(sys.stdin.read()), os.isatty(0))
"""


def _with_terminal(slave: int) -> None:
    import fcntl
    import termios

    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)


def test_the_document_on_stdin_and_the_keys_on_descriptor_0() -> None:
    master, slave = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            input=b'{"version": 1}',
            capture_output=True,
            check=True,
            preexec_fn=lambda: _with_terminal(slave),
        )
    finally:
        os.close(master)
        os.close(slave)
    assert done.stdout.decode().split(maxsplit=1)[0] == "None"
    assert "'{\"version\": 1}' True" in done.stdout.decode()


def test_no_terminal_gives_the_reason() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=b"x",
        capture_output=True,
        check=True,
        start_new_session=True,
    )
    assert done.stdout.decode().startswith("'")
    assert done.stdout.decode().rstrip().endswith("'x' False")


# The desktop's clipboard

SSH = ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY")


@pytest.fixture(autouse=True)
def at_the_desk(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in SSH:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The texts that would go to the desktop; machines that test have none."""
    texts: list[str] = []
    monkeypatch.setattr(pyperclip, "copy", texts.append)
    return texts


@pytest.mark.parametrize("name", SSH)
def test_over_ssh_the_desktop_is_left_alone(
    name: str, monkeypatch: pytest.MonkeyPatch, copied: list[str]
) -> None:
    assert not clipboard.is_elsewhere()
    monkeypatch.setenv(name, "10.0.0.1 1 10.0.0.2 22")
    assert clipboard.is_elsewhere()
    assert not clipboard.copy_to_desktop("x")
    assert copied == []


def test_in_a_browser_the_desktop_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXTUAL_DRIVER", "textual.drivers.web_driver:WebDriver")
    assert clipboard.is_elsewhere()


def test_copies(monkeypatch: pytest.MonkeyPatch, copied: list[str]) -> None:
    monkeypatch.setenv("SSH_TTY", "")
    assert not clipboard.is_elsewhere()
    assert clipboard.copy_to_desktop("dune[001-004]\n")
    assert copied == ["dune[001-004]\n"]


def _broken(*_: str) -> str:
    raise pyperclip.PyperclipException("no helper program")


def test_no_clipboard_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyperclip, "copy", _broken)
    assert not clipboard.copy_to_desktop("x")
    monkeypatch.setattr(pyperclip, "paste", _broken)
    assert clipboard.paste_from_desktop() == ""


def test_a_helper_that_hangs_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()
    monkeypatch.setattr(pyperclip, "copy", lambda text: release.wait(30))
    monkeypatch.setattr(pyperclip, "paste", lambda: release.wait(30))
    start = time.monotonic()
    assert not clipboard.copy_to_desktop("x", timeout=0.05)
    assert clipboard.paste_from_desktop(0.01) == ""
    assert time.monotonic() - start < 5
    release.set()


def test_what_the_desktop_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyperclip, "paste", lambda: "copied")
    assert clipboard.paste_from_desktop() == "copied"
    monkeypatch.setenv(SSH[0], "10.0.0.1 1 10.0.0.2 22")
    assert clipboard.paste_from_desktop() == ""
