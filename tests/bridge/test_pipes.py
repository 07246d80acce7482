"""Named pipes: read while a writer comes and goes on, refused where a regular file belongs."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fluxtui import cli
from fluxtui.bridge import config_files, files, themes


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    """A named pipe that nobody writes to."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


class _StoppedError(Exception):
    pass


def test_waiting_for_a_pipe_can_be_stopped(pipe: Path) -> None:
    calls = []

    def told(done: int, size: int) -> None:
        calls.append(done)
        if len(calls) == 2:
            raise _StoppedError

    with pytest.raises(_StoppedError):
        files.read_file(str(pipe), told)
    assert calls == [0, 0]


@contextmanager
def written(pipe: Path, *pieces: bytes) -> Iterator[Callable[[int, int], None]]:
    """Pieces written to a pipe once a reader waits for it; yields what the reader calls."""
    waited = threading.Event()

    def write() -> None:
        waited.wait()
        with pipe.open("wb", buffering=0) as file:
            for piece in pieces:
                file.write(piece)

    writer = threading.Thread(target=write)
    writer.start()
    yield lambda done, size: waited.set()
    writer.join()


@pytest.mark.parametrize("pieces", [(b'{"a"', b": 1}"), (b"x" * 700_000,), (b" " * 300_000, b"{}")])
def test_a_pipe_is_read_as_its_writer_comes_and_goes_on(
    pipe: Path, pieces: tuple[bytes, ...]
) -> None:
    with written(pipe, *pieces) as told:
        parsed = files.read_file(str(pipe), told)
    assert parsed.value is not None
    assert parsed.value.text.encode() == b"".join(pieces)


def test_a_pipe_that_is_closed_again_is_empty(pipe: Path) -> None:
    with written(pipe) as told:
        parsed = files.read_file(str(pipe), told)
    assert parsed.problems[0].message == f"'{pipe}' is empty"


R = {
    "version": 1,
    "execution": {
        "R_lite": [{"rank": "0-3", "children": {"core": "0-7"}}],
        "nodelist": ["n[0-3]"],
    },
}


@pytest.mark.parametrize(
    ("arguments", "text", "answer"),
    [
        (["check", "/dev/stdin"], json.dumps(R), "4 nodes"),
        (["check", "/dev/fd/0"], json.dumps(R), "4 nodes"),
        (
            ["match", "-r", "/dev/stdin", "rank:0-1"],  # a configuration is read once
            '[[resource.config]]\nhosts = "n[0-3]"\ncores = "0-3"\n',
            "0-1\n",
        ),
    ],
)
def test_what_another_command_writes(arguments: list[str], text: str, answer: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fluxtui", *arguments],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert answer in done.stdout


def test_an_interrupt_says_what_was_waited_for(
    pipe: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_PATIENCE", 60)
    main = threading.main_thread().ident
    assert main is not None
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored
    try:
        threading.Timer(0.2, signal.pthread_kill, (main, signal.SIGINT)).start()
        assert cli.run(["check", str(pipe)]) == 130
    finally:
        signal.signal(signal.SIGINT, before)
    assert capsys.readouterr().err == f"fluxtui: interrupted: nobody has written to '{pipe}'\n"


def test_a_pipe_among_the_files_of_a_configuration_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.toml").write_text("[queues.a]\n")
    os.mkfifo(tmp_path / "b.toml")
    parsed = config_files.read(str(tmp_path))
    assert parsed.value is not None
    assert list(parsed.value.table) == ["queues"]
    (problem,) = parsed.problems
    assert problem.message == f"cannot read '{tmp_path / 'b.toml'}': it is a pipe"
    assert cli.run(["check", str(tmp_path)]) == 1
    assert "it is a pipe" in capsys.readouterr().out


def test_a_theme_is_a_regular_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "mine.yaml")
    (problem,) = themes.read_theme(tmp_path / "mine.yaml").problems
    assert problem.message.endswith("it is not a regular file")
