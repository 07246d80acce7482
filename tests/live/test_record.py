"""A record of a running Flux: kept picture by picture, and opened at any of them."""

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from fluxtui.bridge.live.connection import connect
from fluxtui.bridge.live.record import Record, Recorder
from fluxtui.cli.snapshot import span
from fluxtui.model.live.snapshot import Snapshot
from fluxtui.opening import live, recording
from tests.cli.transcripts import run
from tests.each import the
from tests.ui.helpers import workbench_at
from tests.ui.seen import messages, plain

#: Some noon, in seconds since the epoch.
NOON = 1_795_608_000.0


@pytest.fixture(autouse=True)
def _played(play: Callable[[str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    play("simple-owner")
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


@pytest.fixture
def first() -> dict[str, Any]:
    """What the instance is at noon."""
    return later(the(live.take().value).document, 0)


def later(document: Mapping[str, Any], seconds: float, **status: Any) -> dict[str, Any]:
    """The same at another moment, with nodes that are otherwise."""
    asked = dict.fromkeys(document["asked"], NOON + seconds)
    return {**document, "asked": asked, "status": {**document["status"], **status}}


def day(folder: Path, first: Mapping[str, Any]) -> Path:
    """A record of three pictures: something is drained, and more."""
    recorder = Recorder(folder)
    for seconds, drain in (
        (0, {}),
        (60, {}),
        (120, {"7": {"reason": "smoke"}}),
        (180, {"7-8": {}}),
    ):
        recorder.keep(later(first, seconds, drain=drain))
    recorder.close()
    return folder


def test_what_changes_is_kept_once_and_for_its_owner(tmp_path: Path, first: dict[str, Any]) -> None:
    folder = day(tmp_path / "day", first)
    names = sorted(path.name[:5] for path in folder.iterdir())
    assert names == [*["20261"] * 3, "site-"]
    modes = {path.stat().st_mode & 0o777 for path in folder.iterdir()}
    assert (folder.stat().st_mode & 0o777, modes) == (0o700, {0o600})
    kept = Record(folder)
    assert [at - NOON for at in kept.times] == [0, 120, 180]
    assert kept.read(0).value == later(first, 0, drain={})
    # Another session goes on with it.
    again = Recorder(folder)
    again.keep(later(first, 240))
    kept.look()
    assert len(kept.times) == 4


def test_verbs_answer_for_the_last_picture_or_that_of_a_moment(
    tmp_path: Path, first: dict[str, Any]
) -> None:
    folder = str(day(tmp_path / "day", first))
    for name, hosts in (
        ("", "node[7-8]"),
        ("@12:02", "node7"),
        ("@2026-11-25T12:02:59", "node7"),
        ("@23:59", "node[7-8]"),
    ):
        asked = ["match", "-r", folder + name, "host:node[0-11]", "--state", "draining"]
        assert run([*asked, "-o", "hosts"])[1].strip() == hosts
    assert len(run(["jobs", "-r", folder, "--all"])[1].splitlines()) == 11
    code, out, _ = run(["compare", f"{folder}@12:00", folder])
    assert (code, out.splitlines()[3:5]) == (1, [
        "States of nodes", "~ 2 nodes  node[7-8]  allocated → draining",
    ])  # fmt: skip
    assert "the same 40 nodes, 2 of them in another state" in out
    code, out, _ = run(["compare", f"{folder}@12:00", f"{folder}@12:01"])
    assert (code, out) == (0, "no change: 40 nodes in both\n")
    assert run(["fit", "-r", f"{folder}@12:00", "-s", "node=1/slot/core=1"])[0] == 0
    assert "begins at 2026-11-25 12:00:00" in run(["match", "-r", f"{folder}@11:59", "ssd"])[2]
    assert "'noon' is not a time" in run(["match", "-r", f"{folder}@noon", "ssd"])[2]


def test_a_record_goes_on_when_the_instance_is_there_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "SHARE", 0)
    connection, said, taken = the(connect().value), [], []

    def document_of(found: Snapshot) -> Mapping[str, Any]:
        taken.append(found)
        if len(taken) == 1:
            connection._process.kill()
        if len(taken) == 3:
            raise KeyboardInterrupt
        return later(found.document, len(taken), torpid=str(len(taken)))

    recorder = Recorder(tmp_path / "day")
    with pytest.raises(KeyboardInterrupt):
        recording.record(recorder, connection, "live", 0.01, said.append, document_of)
    assert said == [
        "the Flux instance has ended or cannot be reached; it is tried again every 0.01 s",
        "the pictures go on",
    ]
    assert len(Record(recorder.folder).times) == 2


def test_a_full_disk_is_one_line_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "SHARE", 0)
    said: list[str] = []
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    count = iter(range(4))

    def document_of(found: Snapshot) -> Mapping[str, Any]:
        if next(count) == 2:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
            raise KeyboardInterrupt
        return found.document

    recorder = Recorder(tmp_path / "day")
    connection = connect().value
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        with suppress(KeyboardInterrupt):
            recording.record(recorder, connection, "live", 0.01, said.append, document_of)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert [line.partition(": ")[2] for line in said] == [
        "file too large; it is tried again every 0.01 s"
    ]
    assert not any((tmp_path / "day").iterdir())


def test_a_signal_ends_a_record_well(tmp_path: Path) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        process = subprocess.Popen(
            [sys.executable, "-m", "fluxtui", "snapshot", "--record", "day", "--redact"],
            cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert "40 nodes" in the(process.stderr).readline()
        while not list((tmp_path / "day").glob("2*")):
            assert process.poll() is None
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
        assert (process.returncode, out, err) == (0, "day: 1 picture\n", "")
        for path in (tmp_path / "day").glob("2*"):
            path.unlink()


def test_a_folder_that_is_none_of_its_own_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    (tmp_path / "file").touch()
    taken = Recorder(tmp_path / "taken")
    for name, why in (
        ("link", "it is a link"),
        ("file", "file exists"),
        ("", "it holds other files; name a new folder"),
        ("taken", "another fluxtui records into it"),
        ("no/where", "there is no such directory"),
    ):
        code, out, err = run(["snapshot", "--record", str(tmp_path / name)])
        assert (code, out) == (1, "")
        assert err.strip() == f"cannot record into '{tmp_path / name}': {why}"
    taken.close()


def test_times_and_spans_of_them() -> None:
    for times, words in (
        ([0], ""),
        ([0, 60, 90], " from 12:00:00 to 12:01:30"),
        ([0, 86400], " from 2026-11-25 12:00:00 to 2026-11-26 12:00:00"),
    ):
        assert span([NOON + one for one in times]) == words
    for every in ("1", "0", "-5", "soon", "inf"):
        assert run(["snapshot", "--record", "day", "--every", every])[0] == 2


def test_what_is_damaged_is_one_line(tmp_path: Path, first: dict[str, Any]) -> None:
    folder = day(tmp_path / "day", first)
    one, two, three, site = sorted(folder.iterdir())
    one.write_bytes(one.read_bytes()[:-20])
    two.write_text("{}")
    kept = Record(folder)
    damaged = [f"cannot read '{path}': it is damaged" for path in (one, two)]
    assert [kept.read(n).problems[0].message for n in (0, 1)] == damaged
    three.unlink()
    three.symlink_to(one)
    assert kept.read(2).value is None
    three.unlink()
    assert "no such file" in kept.read(2).problems[0].message
    os.mkfifo(three)
    assert kept.read(2).value is None
    (folder / "20269999T000000Z.json.gz").touch()  # named so by chance
    assert len(Record(folder).times) == 3
    one.unlink()
    kept.look()  # which may be while a picture is wanted
    assert "is gone from" in kept.read(2).problems[0].message
    assert run(["match", "-r", str(folder), "ssd"])[0] == 1
    site.unlink()
    assert run(["match", "-r", str(folder), "ssd"])[0] == 1


def test_a_configuration_beside_a_record_stays(tmp_path: Path, first: dict[str, Any]) -> None:
    folder = str(day(tmp_path / "day", first))
    (tmp_path / "flux.toml").write_text("[queues.mine]\n")
    before, _ = recording.open_instance(folder)
    for _ in range(2):
        config = str(tmp_path / "flux.toml")
        before, _ = recording.read(recording.Record(folder), 1, folder, before, config)
        assert list(the(before).coverage) == ["mine"]


async def test_the_workbench_steps_through_a_record(tmp_path: Path, first: dict[str, Any]) -> None:
    folder = str(day(tmp_path / "day", first))
    cluster, _ = recording.open_instance(folder)
    async with workbench_at(on=cluster) as (app, pilot):

        def is_shown(number: int, drained: str) -> bool:
            nodes, resources = app.state.cluster.snapshot.nodes, app.state.cluster.resources
            bar = plain(app, "#time-bar") if app.query("#time-bar") else ""
            is_there = f"{number} of 3 · record" in bar
            return is_there and resources.hosts_of(nodes.drain) == drained

        async def shows(number: int, drained: str) -> None:
            await pilot.until(lambda: is_shown(number, drained))

        await shows(3, "node[7-8]")
        assert plain(app, "#time-bar").startswith("12:00 ━")
        assert "Wed 25 Nov 12:03:00" in plain(app, "#time-bar")
        app.go_to("map")
        await pilot.settle()
        await pilot.press("(")
        await shows(2, "node7")
        assert "12:02" in plain(app, "#title").partition("as of ")[2]
        assert app.state.cluster.resources is cluster.resources
        await pilot.press("(", "(", "(")
        await shows(1, "")
        await pilot.press(")")
        await shows(2, "node7")
        # The mouse goes to a time, and the bar has keys of its own then.
        await pilot.click("#time-bar", offset=(8, 0))
        await shows(1, "")
        await pilot.press("end")
        await shows(3, "node[7-8]")
        await pilot.press("home", "right")
        await shows(2, "node7")
        await pilot.press("space")  # plays to the end
        await shows(3, "node[7-8]")
        await pilot.until(lambda: "▶" not in plain(app, "#time-bar"))
        # Read again it is at its end.
        app.watcher.read_again()
        await shows(3, "node[7-8]")
        # What is damaged is told, and passed by.
        sorted(Path(folder).iterdir())[1].write_text("")
        await pilot.press("left")
        await shows(1, "")
        assert any("it is damaged" in one for one in messages(app))
        # Where all pictures are gone, the one in sight stays.
        for path in Path(folder).iterdir():
            path.unlink()
        told = len(messages(app))
        await pilot.press("right")
        await pilot.until(lambda: len(messages(app)) > told)
        await shows(1, "")
        assert len(messages(app)) <= told + 2
        # Another document has no bar.
        app.documents.open_source("demo")
        await pilot.until(lambda: not app.query_one("#time-bar").display)
        await pilot.press("(")
        assert any("No record is open" in one for one in messages(app))
