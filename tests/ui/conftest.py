"""Every test of the user interface runs in a home of its own, in UTC, as if over SSH.

The terminal has all colours: Rich keeps with a style how it was once written, and the tests share
their styles.
"""

import gc
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import textual.screen

# Nobody watches these screens: what changed is laid out at once, and not 60 times a second.
textual.screen.UPDATE_PERIOD = 0.001  # type: ignore[misc]


@pytest.fixture(autouse=True)
def thawed() -> Iterator[None]:
    """An app keeps the collector away from what stands when it is ready; its end lets go of it."""
    yield
    gc.unfreeze()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home directory, in which the program runs; no desktop has its clipboard changed."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / ".config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / ".state"))
    monkeypatch.setenv("SSH_CONNECTION", "192.0.2.1 1 192.0.2.2 22")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("TEXTUAL_COLOR_SYSTEM", raising=False)
    before = os.environ.get("TZ")
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield folder
    if before is None:
        monkeypatch.delenv("TZ")
    else:
        monkeypatch.setenv("TZ", before)
    time.tzset()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to open from and save to, and the one that the program runs in."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder
