"""The workbench from the command line, in a pseudo-terminal."""

import json
from pathlib import Path

from fluxtui.model import jobspec
from fluxtui.notation import shape
from tests.ui.terminal import Terminal

JOB = jobspec.build(shape.to_resources(shape.parse("node=2/slot/core=4")), queue="batch")


def test_the_queue_of_the_command_line_wins(tmp_path: Path) -> None:
    path = tmp_path / "job.json"
    path.write_text(json.dumps(JOB))
    with Terminal("-j", str(path), columns=200, rows=60) as terminal:
        terminal.wait_for("node=2/slot/core=4", "queue: batch")
        terminal.send("\x11")
        assert terminal.wait_for_exit() == 0
    with Terminal("-j", str(path), "--queue", "debug", columns=200, rows=60) as terminal:
        terminal.wait_for("node=2/slot/core=4", "queue: debug")
        terminal.send("\x11")
        assert terminal.wait_for_exit() == 0


def test_what_is_odd_is_said_and_does_not_keep_it_from_starting(tmp_path: Path) -> None:
    path, status = tmp_path / "job.json", tmp_path / "status.json"
    path.write_text(json.dumps({**JOB, "attributes": {"system": {"duration": 1, "queue": 5}}}))
    status.write_text('{"batsh": {"enable": true, "start": true}}')
    arguments = ("-j", str(path), "--user", "no-such-user", "--status", str(status))
    with Terminal(*arguments, columns=200, rows=60) as terminal:
        terminal.wait_for("node=2/slot/core=4", "queue: 5", "queue is a string")
        terminal.wait_for("warning: there is no user", "warning: the status is that of queue")
        terminal.send("\x11")
        assert terminal.wait_for_exit() == 0


def test_a_status_that_cannot_be_read_starts_nothing(tmp_path: Path) -> None:
    with Terminal("--status", str(tmp_path / "none.json")) as terminal:
        assert terminal.wait_for_exit() == 1
        assert b"fluxtui: cannot read " in terminal.output
        assert b"none.json': there is no such file" in terminal.output
