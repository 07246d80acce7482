"""The real program, killed while a person types, and started again."""

import os
import signal
import time
from pathlib import Path

import pytest

from fluxtui.bridge.drafts import Draft, Store
from fluxtui.model.documents.document import dump
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import to_resources
from tests.ui.helpers import document, write_document
from tests.ui.terminal import PATIENCE, Terminal

JOB = jobspec.build(to_resources(parse_shape("node=2/slot/core=4")), ["a"], queue="batch")
YAML = "# mine\n" + dump(JOB)


@pytest.fixture
def sessions(home: Path) -> Path:
    """The folder where the program keeps its drafts."""
    return home / ".state" / "fluxtui" / "sessions"


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


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (("--restore", "-s", "node"), 2, "brings back a job of its own"),
        (("no-such-file",), 2, "there is no file and no verb 'no-such-file'"),
    ],
)
def test_what_cannot_be_asked(arguments: tuple[str, ...], status: int, says: str) -> None:
    with Terminal(*arguments) as terminal:
        assert terminal.wait_for_exit() == status
        assert says in " ".join(terminal.text.split())


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
