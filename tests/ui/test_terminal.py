"""The real program in a pseudo-terminal."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ui.helpers import REQUIRES, SHAPE, document, write_document
from tests.ui.terminal import Terminal

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


def test_a_jobspec(tmp_path: Path) -> None:
    spec = {
        "version": 1,
        "resources": [
            {"type": "slot", "count": 3, "label": "x", "with": [{"type": "core", "count": 2}]}
        ],
        "tasks": [{"command": ["a"], "slot": "x", "count": {"per_slot": 1}}],
        "attributes": {"system": {"duration": 0, "constraints": {"properties": ["gpu"]}}},
    }
    path = write_document(tmp_path / "job.json", spec)
    with Terminal("-j", path) as terminal:
        terminal.wait_for("slot=3{x}/core=2", "24 of 196")
        terminal.send("\x11")
        assert terminal.wait_for_exit() == 0


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
