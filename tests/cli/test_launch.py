"""The workbench from the command line, in a pseudo-terminal."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from fluxtui.bridge.chosen import THEME, Chosen
from fluxtui.bridge.live.connection import FLUX
from fluxtui.ui.terminal.environment import no_terminal, wrong_environment
from tests.each import for_each, the
from tests.model.jobspecs import job
from tests.ui.documents import document, write_document
from tests.ui.terminal import Terminal

JOB = job("node=2/slot/core=4", queue="batch")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home directory, in which the program keeps what it keeps between runs."""
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))


PAPER, DUSK = b"48;2;251;250;247", b"48;2;20;23;31"  # backgrounds


def launched(
    *arguments: str, says: Iterable[str], listed: Iterable[str] = (), leave: str = "\x11"
) -> bytes:
    """The workbench starts, shows these words, lists these messages, and can be left.

    What it wrote.
    """
    with Terminal(*arguments, columns=200, rows=60) as terminal:
        terminal.wait_for(*says)
        if listed:
            terminal.send("\x1b")
            terminal.wait_for("enter change")
            terminal.send("M")
            terminal.wait_for("Messages", *listed)
        terminal.send(leave)
        assert terminal.wait_for_exit() == 0
        return terminal.output


def test_files_of_any_kind_and_the_queue_of_the_command_line(tmp_path: Path) -> None:
    path, config = tmp_path / "job.json", tmp_path / "flux.toml"
    path.write_text(json.dumps(JOB))
    config.write_text("[queues.batch]\n[queues.mine]\n")
    launched(str(config), str(path), says=["node=2/slot/core=4", "mine ", "queue batch"])
    # The file has another queue, so that leaving is asked for twice.
    says = ["node=2/slot/core=4", "queue debug"]
    launched("-j", str(path), "--queue", "debug", says=says, leave="\x11\x11")
    script, notes = tmp_path / "job.sh", tmp_path / "notes.txt"
    script.write_text("#!/bin/sh\n#SBATCH -N 3 --ntasks-per-node=2\nsrun app\n")
    launched("-j", str(script), says=["node=3/"])
    notes.write_text("what to do\n")
    words = ["core=2", "Cannot open", "a document is a dictionary"]
    launched(str(notes), "-s", "core=2", says=words)


def test_what_is_odd_is_said_and_does_not_keep_it_from_starting(tmp_path: Path) -> None:
    path, status = tmp_path / "job.json", tmp_path / "status.json"
    path.write_text(json.dumps({**JOB, "attributes": {"system": {"duration": 1, "queue": 5}}}))
    status.write_text('{"batsh": {"enable": true, "start": true}}')
    odd = ["queue is a string; found 5", "warning: there is no user"]
    launched(
        *("-j", str(path), "--user", "no-such-user", "--status", str(status)),
        says=["node=2/slot/core=4", "problems · esc M lists all"],
        listed=[*odd, "warning: the status is that of queue"],
    )


def test_the_configuration_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_document(tmp_path / "mine.json", document(7))
    other = write_document(tmp_path / "other.json", document(5))
    file = tmp_path / "config.toml"
    file.write_text(
        'theme = "paper"\npreset = "ide"\nthem = 1\nresources = "mine.json"\n'
        '[keymap]\nhelp = "f13"\nhlp = "x"\n'
    )
    monkeypatch.setenv("FLUXTUI_CONFIG", str(file))
    says = ["core=2", "mine.json", "7 nodes", "F13 help", "^_ commands"]
    listed = ["config.toml, line 3", "no binding has the id 'hlp'"]
    assert PAPER in launched("-s", "core=2", says=says, listed=listed)
    # A document that is named is the one shown; the other is open behind it.
    launched(other, says=["other.json", "5 nodes", "1/2"])


def test_what_starts_nothing(tmp_path: Path) -> None:
    for arguments, env, code, says in (
        (("--status", str(tmp_path / "none.json")), {}, 1, b"none.json': there is no such file"),
        ((), {"TEXTUAL_COLOR_SYSTEM": "many"}, 2, b"is 'many', which is not a color system"),
    ):
        with Terminal(*arguments, env=env) as terminal:
            assert terminal.wait_for_exit() == code
            assert says in terminal.output


def test_the_option_of_documents_several_times(tmp_path: Path) -> None:
    first, second = (
        write_document(tmp_path / f"{name}.json", document(count))
        for name, count in (("first", 3), ("second", 5))
    )
    with Terminal("-r", first, "-r", "demo", "-r", second, columns=200, rows=60) as terminal:
        terminal.wait_for("first.json 1/3", "3 nodes")
        terminal.send("\x04")
        terminal.wait_for("1  first.json", "2  demo cluster", "3  second.json")
        terminal.send("3")
        terminal.wait_for("second.json 3/3", "5 nodes")


WRONG_VARIABLES = {
    ("TEXTUAL_DRIVER", "nothing"): "is not a Textual driver",
    ("TEXTUAL_DRIVER", "os:path"): "is not a Textual driver",
    ("TEXTUAL_COLOR_SYSTEM", "many"): "is not a color system",
    ("TEXTUAL_LOG", "/dev/null/log"): "cannot be written: not a directory",
}


@for_each("variable", WRONG_VARIABLES)
def test_a_variable_that_textual_cannot_use_is_told(variable: tuple[str, str]) -> None:
    name, value = variable
    found = the(wrong_environment({name: value}))
    assert found.message == f"{name} is '{value}', which {WRONG_VARIABLES[variable]}"


def test_a_driver_that_is_named_needs_no_terminal() -> None:
    browser = {"TEXTUAL_DRIVER": "textual.drivers.web_driver:WebDriver"}
    assert no_terminal({}, piped=False) is not None  # these tests have none
    assert no_terminal(browser, piped=False) is None
    piped = the(no_terminal(browser, piped=True))
    assert "where the driver reads its keys" in piped.message


def test_a_theme_that_was_chosen_is_there_at_the_next_start() -> None:
    Chosen().save(THEME, ("paper",))
    for arguments, there, absent in (((), PAPER, DUSK), (("--theme", "dusk"), DUSK, PAPER)):
        with Terminal(*arguments) as terminal:
            terminal.wait_for("196 nodes")
            assert there in terminal.output
            assert absent not in terminal.output
    assert Chosen().load(THEME) == ("paper",)
    Chosen().save(THEME, ("gone",))
    with Terminal() as terminal:
        terminal.wait_for("196 nodes", "gone")
        assert DUSK in terminal.output


def test_a_person_may_have_the_flux_that_runs_here_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, play: Callable[[str], None]
) -> None:
    write_document(tmp_path / "mine.json", document(7))
    (tmp_path / "config.toml").write_text('live = true\nresources = "mine.json"\n')
    monkeypatch.setenv("FLUXTUI_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.delenv("FLUX_URI", raising=False)
    play("simple-owner")
    launched(says=["40 nodes", "● live"])
    other = tmp_path / "conf.d"
    other.mkdir()
    (other / "queues.toml").write_text("[queues.night]\n")
    with Terminal("-r", "live", "-c", str(other), columns=120, rows=40) as terminal:
        terminal.wait_for("● live", "queue night")  # rehearsed, as what runs has its own
    with Terminal("--no-live") as terminal:
        terminal.wait_for("7 nodes")
    monkeypatch.setenv(FLUX, "none")
    launched(says=["Cannot open live", "7 nodes"])
