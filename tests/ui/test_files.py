"""Opening and copying, and what is said when that goes wrong."""

import json
import os
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest
import yaml
from textual.widgets import Input

from fluxtui.answers.export import csv_lines
from fluxtui.model.constraint.tree import to_json
from fluxtui.model.jobspec import jobspec
from fluxtui.model.resources.document import read_text as resources_of
from fluxtui.ui.kit.picker import Picker
from fluxtui.ui.session import copying
from fluxtui.ui.session.dialogs import OpenDialog
from fluxtui.ui.session.documents import Progress, StoppedError
from fluxtui.workbench import ReplaceJob, TypeField
from tests import big
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    REQUIRES,
    SHAPE,
    WIDE,
    cluster,
    demo,
    document,
    messages,
    plain,
    screen_text,
    workbench_at,
    write_document,
)

# Copy


async def test_every_choice_copies_what_it_says() -> None:
    async with workbench_at(shape=SHAPE, requires=REQUIRES) as (app, pilot):
        state = app.state
        resources = demo().resources
        expected = {
            "s": SHAPE,
            "h": resources.hosts_of(state.ask.mask, limit=None),
            "r": str(resources.ranks_of(state.ask.mask)),
            "n": resources.host(0),
        }
        keys = [choice.key for choice in copying.choices(state)]
        assert set(keys) == {*expected, "y", "j", "c", "p", "f", "d", "t"}
        outlook = state.outlook
        assert outlook.fit is not None
        assert outlook.own is not None
        assert outlook.fit.own.placement is not None
        expected["p"] = resources.hosts_of(outlook.fit.own.placement.mask, limit=None)
        for key in keys:
            await pilot.burst("ctrl+y")
            assert isinstance(app.screen, Picker)
            await pilot.burst(key)
            await pilot.done()
            assert not isinstance(app.screen, Picker)
            copied = app.clipboard
            (told,) = messages(app)  # what was told before is gone with the dialog
            assert told.startswith("Copied")
            assert "OSC 52" in told
            if key == "y":
                assert yaml.safe_load(copied) == state.jobspec()
            elif key == "j":
                assert json.loads(copied) == state.jobspec()
            elif key == "f":
                assert json.loads(copied) == outlook.own.stored
            elif key == "d":
                assert resources_of(copied).ranks == resources.ranks_of(state.ask.mask)
            elif key == "t":
                assert copied == "".join(csv_lines(resources, state.ask.mask))
            elif key == "c":
                assert state.ask.constraint is not None
                assert json.loads(copied) == to_json(state.ask.constraint)
            else:
                assert copied == expected[key]


async def test_copying() -> None:
    async with workbench_at(shape=SHAPE) as (app, pilot):
        # Copying by arrows and by mouse.
        await pilot.burst("ctrl+y")
        await pilot.burst("down", "enter")
        await pilot.done()
        assert yaml.safe_load(app.clipboard) == app.state.jobspec()
        await pilot.burst("ctrl+y")
        await pilot.click("#picker-rows", offset=(4, 0))
        await pilot.done()
        assert app.clipboard == SHAPE
        # Copying offers what is in sight first.
        for form, first in [(0, "jobspec as YAML"), (1, "jobspec as JSON")]:
            await pilot.afresh(shape="node=4/slot/core=8", requires="gpu", size=NARROW)
            app.go_to("text")
            await pilot.settle()
            await pilot.press(*["f4"] * form)
            assert app.export.choices()[0].label == first
            app.go_to("map")
            await pilot.settle()
            assert app.export.choices()[0].label == "matching hosts"
            app.go_to("node")
            await pilot.settle()
            assert app.export.choices()[0].label == "node at the cursor"
        # Leaving the copy dialog copies nothing.
        await pilot.afresh(shape=SHAPE, size=NORMAL)
        await pilot.burst("ctrl+y")
        await pilot.press("x", "escape")
        await pilot.done()
        assert app.clipboard == ""
        assert app.focused is app.query_one("#shape-input")
        # Copying from the palette.
        await pilot.afresh(shape=SHAPE)
        (shape,) = (
            c.callback
            for c in app.get_system_commands(app.screen)
            if c.title.startswith("Copy") and c.title.endswith("shape")
        )
        shape()
        await pilot.done()
        assert app.clipboard == SHAPE


async def test_what_there_is_to_copy_follows_the_state() -> None:
    async with workbench_at(on=cluster(0)) as (app, pilot):
        assert copying.choices(app.state) == []
        await pilot.burst("ctrl+y")
        await pilot.press("escape")
        assert app.is_running
    async with workbench_at(on=cluster(3)) as (app, _):
        labels = [choice.label for choice in copying.choices(app.state)]
        assert not any("matching" in label for label in labels)
        hosts = next(c for c in copying.choices(app.state) if c.key == "h")
        assert hosts.text() == "n[0-2]"


async def test_command_lines_and_scripts_are_copied() -> None:
    async with workbench_at(NARROW, shape="node=4/slot/core=8") as (app, pilot):
        app.edit(TypeField("command", r"printf '%s' $'a\x1b[201~b'"))
        app.go_to("commands")
        await pilot.settle()
        lines = [choice.label for choice in app.export.choices() if choice.pane == "commands"]
        assert lines[:3] == [
            "flux submit command line",
            "flux run command line",
            "flux batch command line",
        ]
        script = next(
            choice for choice in app.export.choices() if choice.label == "flux batch script"
        )
        assert script.text() is not None
        assert (script.text() or "").startswith("#!/bin/bash\n")
        await pilot.press("ctrl+y", "2")
        await pilot.done()
        assert app.clipboard.startswith("flux run ")
        assert app.clipboard.endswith(r"printf %s $'a\x1b[201~b'")
        named = jobspec.with_system(app.state.jobspec(), "job", {"name": "a\x1bb"})
        app.edit(ReplaceJob(named))  # a directive has no escapes
        await pilot.settle()
        assert "flux batch script" not in [choice.label for choice in app.export.choices()]


# Open


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_opens_what_is_typed(size: tuple[int, int], here: Path) -> None:
    write_document(here / "R.json", document(12, {"gpu": "0-2"}))
    async with workbench_at(size, shape=SHAPE, requires="gpu") as (app, pilot):
        await pilot.press("ctrl+o")
        assert isinstance(app.screen, OpenDialog)
        await pilot.fill_dialog("R.json")
        await pilot.done()
        assert app.state.cluster.source.name == "R.json"
        assert app.state.ask.mask == 0b111
        assert plain(app, "#answer") == "3 of 12 nodes"
        assert "R.json" in plain(app, "#title")
        assert app.query_one("#node-map").mask == 0b111  # type: ignore[attr-defined]
        assert (app.state.build.text, app.state.ask.text) == (SHAPE, "gpu")


async def test_opening_by_the_dialog(here: Path) -> None:
    async with workbench_at() as (app, pilot):
        # Lists what is there and goes into folders.
        (here / "site").mkdir()
        write_document(here / "site" / "big.json", document(4))
        write_document(here / "small.json", document(2))
        await pilot.afresh()
        await pilot.press("ctrl+o")
        await pilot.done()
        assert isinstance(app.screen, OpenDialog)
        assert app.screen.labels[:2] == ["site/", "small.json"]
        await pilot.fill_dialog("site")
        await pilot.done()
        assert app.screen.query_one(Input).value == "site/"
        assert app.screen.labels == ["big.json"]
        await pilot.click("#picker-rows", offset=(3, 0))
        await pilot.done()
        assert app.state.cluster.source.name == "big.json"
        # The arrows choose from the list.
        write_document(here / "big.json", document(4))
        await pilot.afresh()
        await pilot.press("ctrl+o")
        await pilot.done()
        await pilot.press("down", "enter")
        await pilot.done()
        assert app.state.cluster.source.name == "big.json"
        # Typing narrows the list.
        for name in ("alpha.json", "beta.json", "[b]bold.json"):
            write_document(here / name, document(2))
        await pilot.afresh()
        await pilot.press("ctrl+o")
        await pilot.put("be", "Input")
        await pilot.done()
        assert isinstance(app.screen, OpenDialog)
        assert app.screen.labels == ["beta.json"]
        await pilot.put("[b", "Input")
        await pilot.done()
        assert app.screen.labels == ["[b]bold.json"]
        await pilot.press("escape")
        assert app.state.cluster.source == demo().source
        # Demo by name.
        await pilot.afresh(on=cluster(3))
        await pilot.press("ctrl+o")
        await pilot.fill_dialog("demo")
        await pilot.done()
        assert app.state.cluster.source.builtin


NO_DOCUMENTS = (None, b"", b"{", b"not json", b"[]", b'{"version": 1}', b"\xff", b"NaN")


async def test_what_cannot_be_opened_becomes_a_message(here: Path) -> None:
    async with workbench_at(NARROW, shape=SHAPE, requires="gpu&") as (app, pilot):
        for number, content in enumerate((*NO_DOCUMENTS, b'{"a": ' * 3000)):
            if content is not None:
                (here / f"R{number}.json").write_bytes(content)
            await pilot.press("ctrl+o")
            await pilot.fill_dialog(f"R{number}.json")
            await pilot.done()
            assert app.state.cluster.source == demo().source
            assert (app.state.build.text, app.state.ask.text) == (SHAPE, "gpu&")
            if isinstance(app.screen, OpenDialog):
                assert "cannot be opened" in str(app.screen.note.render())
                assert app.screen.query_one(Input).value == f"R{number}.json"
                await pilot.press("escape")
            else:
                assert f"Cannot open R{number}.json" in messages(app)[-1]


async def test_a_document_with_faults_opens_and_says_them(here: Path) -> None:
    faulty = document(4, {"a|b": "0", "gpu": "9"})
    write_document(here / "R.json", faulty)
    async with workbench_at(requires="gpu") as (app, pilot):
        await pilot.press("ctrl+o")
        await pilot.fill_dialog("R.json")
        await pilot.done()
        assert app.state.cluster.resources.node_count == 4
        assert app.state.cluster.resources.problems
        assert "problem" in plain(app, "#title")
        for problem in app.state.cluster.resources.problems:
            words = " ".join(plain(app, "#node-details").split())
            assert " ".join(problem.message.split()) in words


async def test_opening_at_the_start(here: Path) -> None:
    path = write_document(here / "R.json", document(7))
    async with workbench_at(on=cluster(0), shape=SHAPE, source=path) as (app, pilot):
        await pilot.done()
        assert app.state.cluster.resources.node_count == 7
        assert app.state.build.text == SHAPE
        assert app.state.cursor == 0


async def test_reading_can_be_stopped(here: Path) -> None:
    fifo = here / "slow"
    os.mkfifo(fifo)
    async with workbench_at(source=str(fifo)) as (app, pilot):
        assert "reading" in plain(app, "#title")
        await pilot.put("gpu")  # the workbench goes on meanwhile
        assert app.state.ask.totals.nodes == 24
        await pilot.press("escape")
        await pilot.settle()
        assert "reading" not in plain(app, "#title")
        assert app.state.cluster.source == demo().source
        assert app.focused is app.query_one("#constraint-input")


async def test_opening_keeps_what_is_typed_meanwhile(here: Path) -> None:
    fifo = here / "slow"
    os.mkfifo(fifo)
    async with workbench_at(on=cluster(2), source=str(fifo)) as (app, pilot):
        await pilot.burst(*"node=2", "tab", *"gpu")
        with open(fifo, "w") as end:
            json.dump(document(9, {"gpu": "1-2"}), end)
        await pilot.done()
        assert app.state.cluster.resources.node_count == 9
        assert (app.state.build.text, app.state.ask.text) == ("node=2", "gpu")
        assert app.state.ask.mask == 0b110


async def test_the_last_document_asked_for_is_the_one_that_opens(here: Path) -> None:
    fifo = here / "slow"
    os.mkfifo(fifo)
    path = write_document(here / "R.json", document(5))
    async with workbench_at(source=str(fifo)) as (app, pilot):
        app.documents.open_source(path)
        await pilot.settle()
        with suppress(OSError):  # nobody reads the first one any more
            os.write(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK), json.dumps(document(9)).encode())
        await pilot.done()
        assert app.state.cluster.source.name == "R.json"


# Documents that take a while to read: how far they are is said, and escape stops them


def large(path: Path, megabytes: float = 3) -> bytes:
    """Write an R document of 60 nodes with a large graph; its bytes."""
    data = "".join(big.with_graph(60, megabytes, cores=250)).encode()
    path.write_bytes(data)
    return data


async def test_a_large_document_opens(here: Path) -> None:
    large(here / "R.json")
    async with workbench_at(source=str(here / "R.json")) as (app, pilot):
        await pilot.done()
        found = app.state.cluster
        assert found.resources.node_count == 60
        assert found.resources.problems == ()
        assert found.graph is not None
        assert found.graph.types.count("core") > 5000
        await pilot.until(lambda: sys.getswitchinterval() > 0.004)  # as before


async def test_how_far_it_is_and_escape(here: Path) -> None:
    data = large(here / "R.json")
    fifo = here / "slow"
    os.mkfifo(fifo)
    goes_on, went_on = threading.Event(), threading.Event()

    def write() -> None:
        with open(fifo, "wb") as end:
            end.write(data[:1_200_000])
            end.flush()
            goes_on.wait(20)
            try:
                end.write(data[1_200_000:])
            except BrokenPipeError:
                went_on.set()  # nobody reads it any more

    threading.Thread(target=write, daemon=True).start()
    async with workbench_at(source=str(fifo)) as (app, pilot):
        await pilot.until(lambda: "slow … 1 MB · esc stops" in plain(app, "#title"))
        await pilot.put("gpu")
        assert app.state.ask.totals.nodes == 24
        assert "slow … 1 MB · esc stops" in plain(app, "#title")  # what is typed does not hide it
        await pilot.press("escape")
        await pilot.settle()
        assert "reading" not in plain(app, "#title")
        assert app.state.cluster.source == demo().source
        goes_on.set()
        await pilot.until(went_on.is_set)  # the thread has ended, and let go of the file


async def test_where_there_is_no_node_yet_it_is_said_in_the_map(here: Path) -> None:
    data = large(here / "R.json")
    fifo = here / "slow"
    os.mkfifo(fifo)
    goes_on = threading.Event()

    def write() -> None:
        with open(fifo, "wb") as end:
            end.write(data[:1_200_000])
            end.flush()
            goes_on.wait(20)
            end.write(data[1_200_000:])

    threading.Thread(target=write, daemon=True).start()
    async with workbench_at((120, 40), on=cluster(0), source=str(fifo)) as (app, pilot):
        await pilot.until(lambda: "1 MB" in screen_text(app))
        assert "Reading slow …" in screen_text(app)
        goes_on.set()
        await pilot.done()
        assert app.state.cluster.resources.node_count == 60


def test_words() -> None:
    progress = Progress("~/clusters/R\x1b.json")
    assert progress.title == "R\\x1b.json …"
    progress.update(50_000, 100_000)
    assert progress.words == ""
    progress.update(90_300_000, 210_000_000)
    assert progress.title == "R\\x1b.json … 43 % of 210 MB ·"
    progress.update(210_000_000, 210_000_000)
    assert progress.words == "210 MB, now its nodes"
    progress.update(12_000_000, 0)
    assert progress.lines == ("Reading R\\x1b.json …", "12 MB", "", "esc stops.")
    progress.stop()
    try:
        progress.update(1, 2)
    except StoppedError:
        return
    raise AssertionError


def test_a_long_name_leaves_room_for_how_to_stop() -> None:
    progress = Progress("/tmp/" + "f" * 90)
    progress.update(2_345_000_000, 2_345_000_000)
    assert progress.title.startswith("ffff")
    assert len(f" reading {progress.title} esc stops") < 80
    assert "f" * 90 in progress.lines[0]


async def test_it_is_said_how_to_stop_where_the_name_is_long(here: Path) -> None:
    path = here / ("f" * 90)
    os.mkfifo(path)
    async with workbench_at(NARROW) as (app, pilot):
        app.documents.open_source(str(path))
        await pilot.until(lambda: "esc stops" in screen_text(app).splitlines()[0])
        await pilot.press("escape")
