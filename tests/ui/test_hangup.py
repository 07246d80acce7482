"""The terminal goes away, or takes nothing any more, while the real program runs."""

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fluxtui.bridge.drafts import Store
from tests.ui.terminal import PATIENCE, Terminal

# The program with an action that holds the loop up, and tells of it first.
HELD = """
import os, sys, threading
from pathlib import Path
from fluxtui import ui, workbench
from fluxtui.bridge.drafts import Store
from fluxtui.ui import keeping, launch, signals
from fluxtui.ui.app import FluxTUI

signals.PATIENCE = 0.1
keeping.PAUSE = 3600  # no draft is written but at the end

class Held(FluxTUI):
    CSS_PATH = Path(ui.__file__).with_name("styles.tcss")

    def action_map_or_table(self):
        with open(sys.argv[1], "w") as wire:
            wire.write("held")
        {hold}

app = Held(workbench.start(None))
app.drafts = Store()
raise SystemExit(launch._run(app))
"""

UNTIL_IT_IS_GONE = """
        while os.isatty(0):
            pass
        for _ in range(100):
            self._driver.write("a frame")
"""
BY_DRAWING = 'for _ in range(100): self._driver.write("a frame" * 10_000)'
BY_A_THREAD = "threading.Event().wait()"

# A parent that takes no notice of a hangup, and whose child is not told of it.
DEAF = """
import signal, subprocess, sys
signal.signal(signal.SIGHUP, signal.SIG_IGN)
status = subprocess.call([sys.executable, "-m", "fluxtui"])
with open(sys.argv[1], "w") as wire:
    wire.write(str(status))
"""


class Wire:
    """A pipe with a name, through which a program in a terminal tells of itself."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self.name = str(path)
        self._end = os.open(path, os.O_RDWR)

    def read(self) -> str:
        ready, _, _ = select.select([self._end], [], [], PATIENCE)
        assert ready, "the program never told"
        return os.read(self._end, 100).decode()


@pytest.fixture
def wire(tmp_path: Path) -> Wire:
    return Wire(tmp_path / "wire")


@pytest.fixture
def sessions(home: Path) -> Path:
    """The folder where the program keeps its drafts."""
    return home / ".state" / "fluxtui" / "sessions"


def held(tmp_path: Path, wire: Wire, hold: str) -> tuple[str, str]:
    """The program whose loop is held up by F2."""
    path = tmp_path / "held.py"
    path.write_text(HELD.replace("{hold}", hold))
    return str(path), wire.name


def hold_up(terminal: Terminal, wire: Wire) -> None:
    """Type what no draft holds yet, and hold the program up."""
    terminal.wait_for("Shape", "Requires")
    terminal.send("node=7")
    terminal.wait_for("node=7")
    terminal.send("\x1bOQ")
    assert wire.read() == "held"


def the_draft_is_kept(sessions: Path) -> None:
    (found,), problems = Store(sessions).found()
    assert problems == ()
    assert (found.draft.shape, found.crashed) == ("node=7", True)


def test_the_terminal_goes_away_while_it_is_drawn_on(
    tmp_path: Path, wire: Wire, sessions: Path
) -> None:
    with Terminal(program=held(tmp_path, wire, UNTIL_IT_IS_GONE)) as terminal:
        hold_up(terminal, wire)
        terminal.hang_up()
        assert terminal.process.wait(PATIENCE) == 128 + signal.SIGHUP
    the_draft_is_kept(sessions)


def test_the_terminal_goes_away_and_nobody_tells_of_it(wire: Wire) -> None:
    with Terminal(program=("-c", DEAF, wire.name)) as terminal:
        terminal.wait_for("196 nodes")
        terminal.hang_up()
        assert wire.read() == str(128 + signal.SIGHUP)


@pytest.mark.parametrize("hold", [BY_DRAWING, BY_A_THREAD], ids=["drawing", "a thread"])
def test_a_signal_ends_a_program_that_is_held_up(
    tmp_path: Path, wire: Wire, sessions: Path, hold: str
) -> None:
    with Terminal(program=held(tmp_path, wire, hold)) as terminal:
        hold_up(terminal, wire)
        terminal.process.send_signal(signal.SIGTERM)
        if hold == BY_DRAWING:  # and nobody reads what is drawn
            assert terminal.process.wait(PATIENCE) == 128 + signal.SIGTERM
        else:
            assert terminal.wait_for_exit() == 128 + signal.SIGTERM
            assert terminal.in_order
    the_draft_is_kept(sessions)


def test_to_go_on_without_having_stopped_takes_no_second_terminal() -> None:
    with Terminal("-s", "node=4") as terminal:
        terminal.wait_for("196 nodes", "V1", "^p palette")
        before = len(terminal.output)
        terminal.process.send_signal(signal.SIGCONT)
        terminal.wait_until(lambda _: b"palette" in terminal.output[before:], "all of it anew")
        assert b"\x1b[?1049h" not in terminal.output[before:]
        terminal.send("\x11")
        assert terminal.wait_for_exit() == 0
        assert terminal.in_order


def test_it_stops_and_goes_on() -> None:
    with Terminal("-s", "node=4") as terminal:
        terminal.wait_for("196 nodes", "V1", "^p palette")
        terminal.process.send_signal(signal.SIGTSTP)
        deadline = time.monotonic() + PATIENCE
        while not (status := os.waitpid(terminal.process.pid, os.WUNTRACED | os.WNOHANG)[1]):
            terminal._read(time.monotonic() + 0.02)
            assert time.monotonic() < deadline, "the program never stopped"
        assert os.WIFSTOPPED(status)
        terminal.screen.reset()
        terminal.process.send_signal(signal.SIGCONT)
        terminal.wait_for("node=4", "196 nodes", "V1", "^p palette")
        terminal.send("\tgpu")
        terminal.wait_for("24 of 196")
        terminal.send("\x11")
        assert terminal.wait_for_exit() == 0
        assert terminal.in_order


FLOODED = """
import asyncio, os, signal, sys
from fluxtui.ui.signals import leave_on_signals

class App:
    def exit(self, return_code):
        left.set_result(return_code)

async def main():
    global left
    left = asyncio.get_running_loop().create_future()
    leave_on_signals(App(), lambda: None)
    signal.signal(signal.SIGWINCH, lambda *_: None)
    for _ in range(5000):  # the loop comes to none of them
        os.kill(os.getpid(), signal.SIGWINCH)
    os.kill(os.getpid(), signal.SIGTERM)
    print(await left)

asyncio.run(main())
"""


def test_more_signals_than_the_loop_can_hold_are_no_trouble() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", FLOODED], capture_output=True, text=True, timeout=30, check=False
    )
    assert (ended.stderr, ended.stdout) == ("", f"{128 + signal.SIGTERM}\n")


EVERY = """
import asyncio, os, signal, threading
from fluxtui.ui.signals import EXIT_SIGNALS, leave_on_signals

class App:
    def exit(self, return_code):
        left.set_result(return_code)

async def main():
    global left
    for number in EXIT_SIGNALS:
        left = asyncio.get_running_loop().create_future()
        leave_on_signals(App(), lambda: None)
        with threading._active_limbo_lock:  # as while a thread is being started
            os.kill(os.getpid(), number)
        assert await left == 128 + number

asyncio.run(main())
"""


def test_each_signal_that_would_end_it_is_caught_whatever_it_comes_amid() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", EVERY], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")


def test_many_sizes_in_a_row() -> None:
    with Terminal("-s", "node=4", "-q", "gpu") as terminal:
        terminal.wait_for("196 nodes", "^p palette")
        for _ in range(300_000):
            terminal.process.send_signal(signal.SIGWINCH)
        terminal.resize(60, 20)
        terminal.wait_for("196 nodes", "^p palette")
        terminal.send("\x11")
        assert terminal.wait_for_exit() == 0
        assert terminal.in_order
