"""The real program in a pseudo-terminal."""

import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fluxtui.bridge.draft_json import Draft
from fluxtui.bridge.drafts import Store
from fluxtui.model.documents.document import dump
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources
from tests.ui.helpers import REQUIRES, SHAPE, document, write_document
from tests.ui.terminal import PATIENCE, Terminal

CRASH = """
from pathlib import Path
from fluxtui import ui, workbench
from fluxtui.ui.app import FluxTUI

class Faulty(FluxTUI):
    CSS_PATH = Path(ui.__file__).with_name("styles.tcss")

    def action_map_or_table(self):
        raise RuntimeError("a fault [b]of[/b] its own")

app = Faulty(workbench.start(None, "node=4", "gpu&-debug"))
app.run()
raise SystemExit(app.return_code)
"""


def test_build_ask_click_resize_and_quit() -> None:
    with Terminal() as terminal:
        terminal.send(SHAPE)  # before the screen stands
        terminal.wait_for("dune", "196 nodes", "Shape", "Requires")
        terminal.wait_for(SHAPE, "V1 ✓", "- type: node", "32 cores")
        terminal.send("\t" + REQUIRES)
        terminal.wait_for("18 of 196 nodes", "dunegpu[01-12,17-22]")
        lines = terminal.text.splitlines()
        row = next(n for n, line in enumerate(lines) if "dunegpu01" in line)
        at = f"{lines[row].index('■') + 1};{row + 1}"
        terminal.send(f"\x1b[<0;{at}M\x1b[<0;{at}m")
        terminal.wait_for("dunegpu01  rank 164")
        terminal.resize(80, 24)
        terminal.wait_for(SHAPE, REQUIRES, "18 of 196 nodes", "Queues")
        terminal.resize(200, 50)
        terminal.wait_for(SHAPE, "18 of 196 nodes", "- type: node", "dunegpu01", "bigmem")
        terminal.send("\x1b[21~")
        assert terminal.wait_for_exit() == 0
        assert terminal.in_order
        assert b"Traceback" not in terminal.output


@pytest.mark.parametrize(("goes_on", "rest"), [("\t", "\t"), ("\r", "")])
def test_keys_in_one_write_go_to_the_right_inputs(goes_on: str, rest: str) -> None:
    with Terminal(columns=80, rows=24) as terminal:
        terminal.wait_for("196 nodes")
        terminal.send(f"node=4{goes_on}gpu{rest}")
        terminal.wait_for("node=4", "24 of 196")
        assert "node=4gpu" not in terminal.text
        terminal.send("\x11\x1bOQ\x10")  # quit; the table and the palette behind it are nobody's
        assert terminal.wait_for_exit() == 0
        assert terminal.in_order


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_leaves_the_terminal_in_order(number: signal.Signals) -> None:
    with Terminal("-s", SHAPE) as terminal:
        terminal.wait_for("196 nodes", "V1 ✓")
        terminal.process.send_signal(number)
        assert terminal.wait_for_exit() == 128 + number
        assert terminal.in_order
        assert b"Traceback" not in terminal.output


LEAVING = """
from fluxtui import workbench
from fluxtui.ui.app import FluxTUI

class Left(FluxTUI):
    async def _warm_up(self):
        self.exit(return_code=143)  # as a signal does that comes before the table is made
        if {late!r} == "a widget made":
            await super()._warm_up()
        else:
            self.query_one("#nowhere")

app = Left(workbench.start(None, "node=4", "gpu&-debug"))
app.run()
raise SystemExit(app.return_code)
"""


@pytest.mark.parametrize("late", ["a widget made", "a widget looked for"])
def test_what_comes_too_late_when_the_program_is_to_end_is_no_fault(
    late: str, home: Path, tmp_path: Path
) -> None:
    script = tmp_path / "left.py"
    script.write_text(LEAVING.format(late=late))
    with Terminal(program=(str(script),)) as terminal:
        assert terminal.wait_for_exit() == 143
        assert terminal.in_order
        assert "fluxtui stopped" not in terminal.text
        assert not list(home.rglob("fluxtui-crash*.log"))


def test_a_fault_leaves_the_terminal_in_order_and_what_was_typed(
    home: Path, tmp_path: Path
) -> None:
    script = tmp_path / "faulty.py"
    script.write_text(CRASH)
    with Terminal(program=(str(script),)) as terminal:
        terminal.wait_for("Shape", "node=4", "gpu&-debug")
        terminal.send("\x1bOQ")
        assert terminal.wait_for_exit() == 1
        assert terminal.in_order
        said = terminal.text
        assert "fluxtui stopped because of a fault of its own" in said
        assert "node=4" in said
        assert "gpu&-debug" in said
        assert "Traceback" not in said
        assert "RuntimeError" not in said
        (log,) = home.rglob("fluxtui-crash*.log")
        assert "RuntimeError: a fault [b]of[/b] its own" in log.read_text()


# What it opens with


def test_a_file_and_its_texts(tmp_path: Path) -> None:
    path = write_document(tmp_path / "R.json", document(12, {"gpu": "0-2"}))
    with Terminal("-r", path, "-s", "slot=2/core=2", "-q", "-gpu", "--theme", "paper") as terminal:
        terminal.wait_for("R.json", "12 nodes", "slot=2/core=2", "V1 ✓", "9 of 12 nodes")
        terminal.send("\x1b[21~")
        assert terminal.wait_for_exit() == 0


def test_the_demo_is_one_of_several_documents_and_a_theme_is_not_there(tmp_path: Path) -> None:
    path = write_document(tmp_path / "R.json", document(12, {"gpu": "0-2"}))
    with Terminal("-r", "demo", "-r", path, "--theme", "nope", "-s", "core=2") as terminal:
        terminal.wait_for("demo cluster", "1/2", "no theme nope", "core=2", "RFC 14")
        terminal.send("\x1b[21~")
        assert terminal.wait_for_exit() == 0


def test_a_piped_document_leaves_the_keyboard() -> None:
    content = json.dumps(document(9, {"gpu": "0-1"})).encode()
    with Terminal("-r", "-", piped=content) as terminal:
        terminal.wait_for("9 nodes")
        terminal.send("core=2\tgpu")
        terminal.wait_for("core=2", "2 of 9 nodes")
        terminal.send("\x1b[21~")
        assert terminal.wait_for_exit() == 0
        assert terminal.in_order


@pytest.mark.parametrize(("content", "says"), [(b"", "empty"), (b"\xff\xfe", "UTF-8")])
def test_a_piped_text_that_is_no_document_is_said(content: bytes, says: str) -> None:
    with Terminal("-r", "-", "-s", "core=2", piped=content) as terminal:
        terminal.wait_for("core=2", says)
        terminal.send("\x1b[21~")
        assert terminal.wait_for_exit() == 0
        assert terminal.in_order


def test_work_that_is_not_begun_any_more_is_not_told_of(tmp_path: Path) -> None:
    path = write_document(tmp_path / "R.json", document(12))
    with Terminal() as terminal:
        terminal.wait_for("196 nodes")
        terminal.send("\x0f")
        terminal.wait_for("enter opens")
        terminal.send(f"\x15{path}\r")  # with each letter the files are listed anew
        terminal.wait_for("12 nodes")
        terminal.send("\x11")
        assert terminal.wait_for_exit() == 0
        assert b"Warning" not in terminal.output


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("-r", "missing.json"), "missing.json"),
        (("-r", "/"), "irectory"),
        (("-j", "missing.yaml"), "missing.yaml"),
        (("-r", "-"), "nothing is piped in"),
    ],
)
def test_what_cannot_be_opened_starts_nothing(arguments: tuple[str, ...], says: str) -> None:
    with Terminal(*arguments) as terminal:
        assert terminal.wait_for_exit() == 1
        assert says in terminal.text
        assert b"\x1b[?1049h" not in terminal.output
        assert b"Traceback" not in terminal.output
        assert terminal.in_order


def test_256_colours() -> None:
    with Terminal("-s", SHAPE, "-q", "gpu", env={"TEXTUAL_COLOR_SYSTEM": "256"}) as terminal:
        terminal.wait_for("24 of 196", "V1 ✓")
        terminal.send("\x1b[21~")
        assert terminal.wait_for_exit() == 0
        assert b"38;5;" in terminal.output
        assert b"38;2;" not in terminal.output


def test_no_colour() -> None:
    with Terminal("-s", SHAPE, "-q", "gpu", env={"NO_COLOR": "1"}) as terminal:
        terminal.wait_for("24 of 196", "V1 ✓", "■ ■")
        terminal.send("\x1b[21~")
        assert terminal.wait_for_exit() == 0
        colours = re.findall(rb"[34]8;2;(\d+);(\d+);(\d+)", terminal.output)
        assert all(red == green == blue for red, green, blue in colours)


@pytest.mark.parametrize("arguments", [("-r", "demo"), ("-r", "-")])
def test_without_a_terminal(arguments: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fluxtui", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=30,
        start_new_session=True,
        env=dict(os.environ),
    )
    assert done.returncode == 1
    assert done.stdout == b""
    said = done.stderr.decode()
    assert said.startswith("fluxtui: ")
    assert "terminal" in said
    assert "Traceback" not in said


# The terminal goes away, or takes nothing any more, while the real program runs

# The program with an action that holds the loop up, and tells of it first.
HELD = """
import os, sys, threading
from pathlib import Path
from fluxtui import ui, workbench
from fluxtui.bridge.drafts import Store
from fluxtui.ui import launch
from fluxtui.ui.session import keeping
from fluxtui.ui.terminal import signals
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


def test_signals_that_do_not_end_it() -> None:
    with Terminal("-s", "node=4") as terminal:
        terminal.wait_for("196 nodes", "V1", "^p palette")
        # To go on without having stopped takes no second terminal.
        before = len(terminal.output)
        terminal.process.send_signal(signal.SIGCONT)
        terminal.wait_until(lambda _: b"palette" in terminal.output[before:], "all of it anew")
        assert b"\x1b[?1049h" not in terminal.output[before:]
        # It stops and goes on.
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
        # Many sizes in a row.
        for _ in range(300_000):
            terminal.process.send_signal(signal.SIGWINCH)
        terminal.resize(60, 20)
        terminal.wait_for("196 nodes", "^p palette")
        terminal.send("\x11")
        assert terminal.wait_for_exit() == 0
        assert terminal.in_order


FLOODED = """
import asyncio, os, signal, sys
from fluxtui.ui.terminal.signals import leave_on_signals

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
from fluxtui.ui.terminal.signals import EXIT_SIGNALS, leave_on_signals

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


# The real program, killed while a person types, and started again

JOB = jobspec.build(to_resources(parse_shape("node=2/slot/core=4")), ["a"], queue="batch")

YAML = "# mine\n" + dump(JOB)


def kept(terminal: Terminal, sessions: Path, *texts: str) -> None:
    """Wait until the draft of the program in a terminal holds these texts."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        for path in sessions.glob("session-*"):
            found = path.read_text()
            if all(text in found for text in texts):
                return
        terminal._read(time.monotonic() + 0.02)
    raise AssertionError(f"no draft ever held {texts}: {list(sessions.glob('*'))}")


def kill(terminal: Terminal) -> None:
    terminal.process.send_signal(signal.SIGKILL)
    assert terminal.wait_for_exit() == -signal.SIGKILL


def test_what_was_typed_half_a_second_before_a_kill_is_kept(sessions: Path) -> None:
    """Measured on a quiet machine it takes 50 ms; here others may want the processor too."""
    typed = "QWERTYUIOPASDFGHJKL"
    with Terminal() as terminal:
        terminal.wait_for("196 nodes")
        for number, letter in enumerate(typed, 1):
            terminal.send(letter)
            terminal.wait_for(typed[:number])
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            terminal._read(end)
        kill(terminal)
    (found,), _ = Store(sessions).found()
    assert found.draft.shape == typed


def test_killed_while_typing(sessions: Path) -> None:
    with Terminal(columns=160, rows=50) as terminal:
        terminal.wait_for("196 nodes")
        terminal.send("slot=4/[core=2;gpu\tbigmem|deb")
        kept(terminal, sessions, "slot=4/[core=2;gpu", "bigmem|deb")
        kill(terminal)
    with Terminal(columns=160, rows=50) as terminal:
        terminal.wait_for("196 nodes", "was not closed", "'Restore'")
        terminal.send("\x11")
        assert terminal.wait_for_exit() == 0
        assert terminal.in_order
    with Terminal("--restore", columns=160, rows=50) as terminal:
        terminal.wait_for("slot=4/[core=2;gpu", "bigmem|deb")
        assert "was not closed" not in terminal.text
        terminal.send("\x1a")  # the draft came in one step
        terminal.wait_until(
            lambda screen: "slot=4/[core" not in screen and "bigmem|deb" not in screen, "nothing"
        )
        terminal.send("\x12")
        terminal.wait_for("slot=4/[core=2;gpu", "bigmem|deb")
        terminal.send("\x11")
        assert terminal.wait_for_exit() == 0
    (name,) = os.listdir(sessions)
    assert name.startswith("left-")


def test_a_text_that_was_broken_then(sessions: Path, tmp_path: Path) -> None:
    path = tmp_path / "job.yaml"
    path.write_text(YAML)
    with Terminal(str(path), columns=160, rows=50) as terminal:
        terminal.wait_for("node=2/slot/core=4", "# mine")
        # To the text, into it, and a line that is no YAML yet at its beginning.
        pane(terminal, "YAML")
        terminal.send("\r")
        terminal.wait_for("esc leaves")
        terminal.send("broken: [\r")
        kept(terminal, sessions, "broken: [\\n# mine")
        kill(terminal)
    with Terminal("--restore", columns=160, rows=50) as terminal:
        terminal.wait_for("node=2/slot/core=4", "broken: [", "# mine")
        terminal.send("\x13")
        terminal.wait_for("Save the jobspec", "job.yaml", "as it stands")
        terminal.send("\x1b")
        terminal.wait_until(lambda screen: "Save the jobspec" not in screen, "no dialog")
        terminal.send("\x11\x11")
        assert terminal.wait_for_exit() == 0
    assert path.read_text() == YAML


def pane(terminal: Terminal, title: str) -> None:
    """Go to a pane by the palette."""
    terminal.send("\x10")
    terminal.wait_for("Search for commands")
    terminal.send(f"Pane: {title}")
    terminal.wait_for(f"Put the {title} pane in sight")
    terminal.send("\r")
    terminal.wait_until(lambda screen: "Put the" not in screen, "no palette")


def test_the_cluster_and_the_file_come_back(sessions: Path, tmp_path: Path) -> None:
    write_document(tmp_path / "R.json", document(9, {"gpu": "0-1"}))
    write_document(tmp_path / "flux.toml", "[queues.mine]\nrequires = ['gpu']\n")
    (tmp_path / "job.yaml").write_text(YAML)
    names = [str(tmp_path / name) for name in ("R.json", "flux.toml", "job.yaml")]
    with Terminal(*names, columns=160, rows=50) as terminal:
        terminal.wait_for("R.json", "9 nodes", "node=2/slot/core=4", "mine")
        terminal.send("\x0e\x05")  # to the end of the shape
        terminal.send("0")
        terminal.wait_for("node=2/slot/core=40")
        kept(terminal, sessions, "core=40", "R.json", "flux.toml")
        kill(terminal)
    with Terminal("--restore", columns=160, rows=50) as terminal:
        terminal.wait_for("R.json", "9 nodes", "node=2/slot/core=40", "mine")
        terminal.send("\x13")
        terminal.wait_for("Save the jobspec")
        terminal.send("\r")
        terminal.wait_for("Saved the jobspec")
        terminal.send("\x11")
        assert terminal.wait_for_exit() == 0
    assert (tmp_path / "job.yaml").read_text() == YAML.replace("count: 4", "count: 40")


def test_a_lost_connection_is_no_leaving(sessions: Path) -> None:
    with Terminal() as terminal:
        terminal.wait_for("196 nodes")
        terminal.send("node=7")
        terminal.wait_for("node=7")
        terminal.process.send_signal(signal.SIGHUP)
        assert terminal.wait_for_exit() == 128 + signal.SIGHUP
    (found,), problems = Store(sessions).found()
    assert problems == ()
    assert (found.draft.shape, found.crashed) == ("node=7", True)


def leave_after_typing(shape: str) -> None:
    """A session in which a shape is typed, and which is left as it should be."""
    with Terminal() as terminal:
        terminal.wait_for("196 nodes")
        terminal.send(shape)
        terminal.wait_for(shape)
        terminal.send("\x11")
        assert terminal.wait_for_exit() == 0


def test_left_it_is_the_last_session(sessions: Path) -> None:
    leave_after_typing("node=7")
    with Terminal("-s", "core=2") as terminal:  # nothing is typed: the last session stays
        terminal.wait_for("core=2")
        terminal.send("\x11")
        assert terminal.wait_for_exit() == 0
    with Terminal("--restore") as terminal:
        terminal.wait_for("node=7")
        terminal.send("\x11")
        assert terminal.wait_for_exit() == 0


def test_two_that_run_do_not_take_each_others_draft(sessions: Path) -> None:
    with Terminal() as first:
        first.wait_for("196 nodes")
        first.send("node=1")
        kept(first, sessions, "node=1")
        with Terminal("--restore") as second:
            second.wait_for("196 nodes", "no draft and no last session")
            second.send("node=2")
            second.wait_for("node=2")
            second.send("\x11")
            assert second.wait_for_exit() == 0
        kept(first, sessions, "node=1")
        first.send("\x11")
        assert first.wait_for_exit() == 0
    found, _ = Store(sessions).found()
    assert [kept.draft.shape for kept in found] == ["node=1", "node=2"]


def test_a_state_folder_that_cannot_be(home: Path) -> None:
    (home / ".state").write_text("in the way")
    with Terminal("--restore", columns=160) as terminal:
        terminal.wait_for("196 nodes")
        terminal.send("node=7")
        terminal.wait_for("node=7", "the draft is not kept")
        terminal.send("\x11")
        assert terminal.wait_for_exit() == 0
        assert terminal.in_order


def test_a_session_that_was_not_saved_outlives_the_next_ones(
    sessions: Path, tmp_path: Path
) -> None:
    path = tmp_path / "job.yaml"
    path.write_text(YAML)
    Store(sessions).keep(Draft(shape="old=1"))  # of a crash long ago
    (crash,) = sessions.iterdir()
    crash.rename(sessions / "draft-1-1.json")
    with Terminal(str(path)) as terminal:
        terminal.wait_for("node=2/slot/core=4")
        terminal.send("\x0e\x05")  # to the end of the shape
        terminal.send("0")
        terminal.wait_for("node=2/slot/core=40")
        terminal.send("\x11")
        terminal.wait_for("job.yaml has changes that are not saved")
        terminal.send("\x11")
        assert terminal.wait_for_exit() == 0
    assert path.read_text() == YAML
    with Terminal("--restore") as terminal:  # the newest, and not the older crash
        terminal.wait_for("node=2/slot/core=40", "job.yaml \N{BULLET}")
        terminal.send("\x11\x11")
        assert terminal.wait_for_exit() == 0
    leave_after_typing("node=7")
    shapes = [kept.draft.shape for kept in Store(sessions).found()[0]]
    assert shapes == ["node=7", "node=2/slot/core=40", "old=1"]
