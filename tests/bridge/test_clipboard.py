"""The desktop's clipboard."""

import threading
import time
from collections.abc import Iterator

import pyperclip
import pytest

from fluxtui.bridge import clipboard

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
    assert not clipboard.over_ssh()
    monkeypatch.setenv(name, "10.0.0.1 1 10.0.0.2 22")
    assert clipboard.over_ssh()
    assert not clipboard.copy_to_desktop("x")
    assert copied == []


def test_copies(monkeypatch: pytest.MonkeyPatch, copied: list[str]) -> None:
    monkeypatch.setenv("SSH_TTY", "")
    assert not clipboard.over_ssh()
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
