"""Reading and writing files."""

import json
import os
import signal
import subprocess
import sys
import threading
import tracemalloc
from pathlib import Path

import pytest

from fluxtui import cli
from fluxtui.bridge import config_files, files, themes
from fluxtui.model.cancellation import Stopped
from fluxtui.notation.problem import Problem, Span
from tests.each import for_each, the
from tests.model.clusters import alike


def source(where: object) -> files.Source:
    """What is read, of a path that leads to something."""
    return the(files.read_source(str(where)).value)


def config(where: object) -> config_files.Table:
    """The configuration of a path."""
    return the(config_files.read(str(where)).value)


def write(folder: Path, **texts: str) -> Path:
    """The folder with these files of TOML."""
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.toml").write_text(text)
    return folder


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_reads_a_file_and_standard_input(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "R.json"
    path.write_text('\ufeff{"é": 1}\r\n', encoding="utf-8")
    assert source(path) == files.Source('{"é": 1}\r\n', "R.json", path)
    (tmp_path / "piped").write_text('{"é": 1}', encoding="utf-8")
    monkeypatch.setattr("sys.stdin", (tmp_path / "piped").open(encoding="utf-8"))
    assert source("-") == files.Source('{"é": 1}', "standard input")


@for_each("content, message", [
    (b"", "is empty"),
    (b" \n", "is empty"),
    (b"ab\n\xff\xfe", "is not UTF-8 text: byte 3 (0xff), in line 2"),
    (b"\x7fELF\x02\0\xff", "is a binary file"),
    ("gpu".encode("utf-16"), "or text in UTF-16"),
    (None, "there is no such file"),
])  # fmt: skip
def test_problems(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / f"x{message}.json"
    if content is not None:
        path.write_bytes(content)
    parsed = files.read_source(str(path))
    assert parsed.value is None
    assert message in parsed.problems[0].message
    assert path.name in parsed.problems[0].message
    assert "it is a directory" in files.read_source(str(tmp_path)).problems[0].message
    for name in ("a\0b", "x" * 5000, "~nosuchuser/x", str(tmp_path / "no" / "file")):
        assert files.read_source(name).value is None
        assert config_files.read(name).value is None
        assert files.write_atomic(name, "x")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads and writes everything")
def test_permission(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("old")
    path.chmod(0o444)
    assert "it is read-only" in files.write_atomic(path, "new")[0].message
    assert path.read_text() == "old"
    path.chmod(0)
    assert "permission denied" in files.read_source(str(path)).problems[0].message


KEY = "is not JSON: a key in double quotes is missing here, in line"


@for_each("start, unit, end, why", [
    ("", "x", "", "does not begin as JSON does"),
    ("{", "a", "", f"{KEY} 1, column 2"),
    ('{\n"a": 1,\n', "?", "}", f"{KEY} 3"),
    ("", "[", "", "is not a JSON object"),
    ('{"', "a", "", "does not end as JSON does"),
    ('{"a": [', "1,", "", "does not end as JSON does"),
    ("", "[1],", "", "is not a JSON object"),
    ("[a]\n", "x=1\n", "", "is not a JSON object"),
    ("[", "\0", "]", "is not a JSON object"),
])  # fmt: skip
def test_megabytes_of_no_document_are_refused_by_their_beginning(
    tmp_path: Path, start: str, unit: str, end: str, why: str
) -> None:
    path = tmp_path / "x"
    path.write_text(start + unit * (10_000_000 // len(unit)) + end)
    for read, most in ((files.read_source, 40_000_000), (files.read_file, 20_000_000)):
        tracemalloc.start()
        try:
            parsed = read(str(path))
            assert tracemalloc.get_traced_memory()[1] < most
        finally:
            tracemalloc.stop()
        assert parsed.value is None
        assert f"is larger than 4 MiB, and {why}" in parsed.problems[0].message


@for_each("filler", ['"aé\\u00e9 "', "12345", "true", "-1.5e9", "[{}]"])
def test_a_large_document_is_read_wherever_its_first_part_ends(tmp_path: Path, filler: str) -> None:
    path = tmp_path / "x"
    for shift in range(len(filler.encode()) + 2):
        size = files.MAX_OTHER_BYTES // len(filler.encode()) + 1
        text = " " * shift + '{"a": [' + ",".join([filler] * size) + "]}\n"
        path.write_text(text, encoding="utf-8")
        assert source(path).text == text


# Configurations


def test_an_empty_configuration_is_one_but_for_an_empty_stream(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "is empty"
    assert "no such file" in config_files.read(str(path)).problems[0].message
    path.write_text(" \n")
    assert (config(path).table, config(path).files) == ({}, (path,))
    monkeypatch.setattr("sys.stdin", path.open(encoding="utf-8"))
    assert config_files.read("-").value is None


def test_config_of_a_file_and_of_a_directory(tmp_path: Path) -> None:
    """In a directory the files that Flux reads, merged in their order."""
    limits = '[policy.limits]\nduration = "1h"\njob-size.max.nnodes = 3\n'
    write(tmp_path, b='policy.limits.duration = "2h"\n', a=limits, d="")
    for name in ("c.conf", ".b.toml", "c.toml~", "d.json"):
        (tmp_path / name).write_text("x = 2\n")
    assert config_files.read(str(tmp_path)).problems == ()
    whole, one = config(tmp_path), config(tmp_path / "b.toml")
    merged = {"duration": "2h", "job-size": {"max": {"nnodes": 3}}}
    assert whole.table == {"policy": {"limits": merged}}
    assert [file.name for file in whole.files] == ["a.toml", "b.toml", "d.toml"]
    assert one.table == {"policy": {"limits": {"duration": "2h"}}}
    assert one.files == (tmp_path / "b.toml",)


def test_config_syntax(tmp_path: Path) -> None:
    parsed = config_files.read(str(write(tmp_path, a="ok = 1\n\nbad = = 2\n", b="[open")))
    assert parsed.value is not None
    first, second = parsed.problems
    assert "a.toml, line 3, column 7: invalid value" in first.message
    assert first.span == Span(14, 15)
    assert "b.toml, line 1" in second.message
    assert config_files.read(str(write(tmp_path / "empty"))).value is None


def test_config_as_flux_prints_it(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text('{\n  "queues": {"a": {"hosts": ""}}\n}')
    assert (config_files.read(str(path)).problems, config(path).table) == (
        (),
        {"queues": {"a": {"hosts": ""}}},
    )
    (located,) = config_files.locate([Problem("no", None, "queues.a.hosts")], config(path))
    assert located.message == "config.json, line 2, column 20: no"
    path.write_text('{"queues": }')
    broken = config_files.read(str(path))
    assert broken.value is None
    assert broken.problems[0].message.startswith("config.json, line 1, column 12: ")


def test_config_later_tables_do_not_reach_into_earlier_files(tmp_path: Path) -> None:
    texts = {
        "a": ("[queues.a]\nx = 1\n", {"a": {"x": 1}}),
        "b": ("[queues.a]\ny = 2\n[queues.b]\n", {"a": {"y": 2}, "b": {}}),
        "c": ("queues.b = 5\n", {"b": 5}),
        "d": ("[queues.b]\nz = 1\n", {"b": {"z": 1}}),
    }
    found = config(write(tmp_path, **{name: text for name, (text, _) in texts.items()}))
    assert found.table == {"queues": {"a": {"x": 1, "y": 2}, "b": {"z": 1}}}
    assert [part.table for part in found.parts] == [{"queues": own} for _, own in texts.values()]


@for_each("path, place", [
    ("policy.limits.duration", "b.toml, line 2, column 1"),
    ("policy.limits.job-size.max.nnodes", "a.toml, line 3, column 1"),
    ("policy.limits.job-size.max.ncores", "a.toml, line 3, column 1"),
    ("queues.a.requires[1]", "b.toml, line 4, column 1"),
    ("queues.a", "b.toml, line 3, column 2"),
    ("queues['my queue'].hosts", "a.toml, line 5, column 1"),
    ("policy.jobspec.defaults.system.queue", "b.toml, line 1, column 2"),
    ("resource.config", "conf.d"),
    (None, "conf.d"),
])  # fmt: skip
def test_config_problems_have_a_place(tmp_path: Path, path: str | None, place: str) -> None:
    table = config(write(
        tmp_path / "conf.d",
        a='[policy.limits]\nduration = "1h"\njob-size.max.nnodes = 3\n'
        '[queues."my queue"]\nhosts = "n1"\n[queues.a]\nrequires = ["a", "b"]\n',
        b='[policy]\nlimits = {duration = "2h"}\n[queues.a]\nrequires = [\n  "a",\n  "b",\n]\n',
    ))  # fmt: skip
    (found,) = config_files.locate([Problem("it is wrong", None, path, ("x",), "RFC 33")], table)
    assert found.message == f"{place}: it is wrong"
    assert (found.path, found.expected, found.rule) == (path, ("x",), "RFC 33")
    assert (found.span is None) == (place == "conf.d")
    placed = Problem("it is wrong", Span(0, 1), "queues.a")  # one that has its place keeps it
    assert config_files.locate([placed], table) == (placed,)


# Named pipes: read while a writer comes and goes on, refused where a regular file belongs


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    """A named pipe that nobody writes to."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


def test_waiting_for_a_pipe_can_be_stopped(pipe: Path) -> None:
    calls = []

    def told(done: int, size: int) -> None:
        calls.append(done)
        if len(calls) == 2:
            raise Stopped

    with pytest.raises(Stopped):
        files.read_file(str(pipe), told)
    assert calls == [0, 0]


@for_each("pieces", [(b'{"a"', b": 1}"), (b"x" * 700_000,), (b" " * 300_000, b"{}"), ()])
def test_a_pipe_is_read_as_its_writer_comes_and_goes_on(
    pipe: Path, pieces: tuple[bytes, ...]
) -> None:
    waited = threading.Event()

    def write() -> None:
        waited.wait()
        with pipe.open("wb", buffering=0) as file:
            for piece in pieces:
                file.write(piece)

    writer = threading.Thread(target=write)
    writer.start()
    parsed = files.read_file(str(pipe), lambda done, size: waited.set())
    writer.join()
    if not pieces:
        assert parsed.problems[0].message == f"'{pipe}' is empty"
        return
    assert the(parsed.value).text.encode() == b"".join(pieces)


R = json.dumps(alike(4))


@for_each("arguments, text, answer", [
    (["check", "/dev/stdin"], R, "4 nodes"),
    (["check", "/dev/fd/0"], R, "4 nodes"),
    (["match", "-r", "/dev/stdin", "rank:0-1"],  # a configuration is read once
     '[[resource.config]]\nhosts = "n[0-3]"\ncores = "0-3"\n', "0-1\n"),
])  # fmt: skip
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
    class Interrupted:
        def register(self, *_: object) -> None: ...

        def poll(self, *_: object) -> list[object]:
            signal.raise_signal(signal.SIGINT)
            return []

    monkeypatch.setattr("select.poll", Interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored
    try:
        assert cli.run(["check", str(pipe)]) == 130
    finally:
        signal.signal(signal.SIGINT, before)
    assert capsys.readouterr().err == f"fluxtui: interrupted: nobody has written to '{pipe}'\n"


def test_a_pipe_among_the_files_of_a_configuration_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, a="[queues.a]\n")
    os.mkfifo(tmp_path / "b.toml")
    parsed = config_files.read(str(tmp_path))
    assert list(the(parsed.value).table) == ["queues"]
    (problem,) = parsed.problems
    assert problem.message == f"cannot read '{tmp_path / 'b.toml'}': it is a pipe"
    assert cli.run(["check", str(tmp_path)]) == 1
    assert "it is a pipe" in capsys.readouterr().out
    os.mkfifo(tmp_path / "mine.yaml")  # as a theme
    (problem,) = themes.read_theme(tmp_path / "mine.yaml").problems
    assert problem.message.endswith("it is not a regular file")
