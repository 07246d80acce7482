"""A job that another one takes the place of: what no file holds of it can be restored."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from fluxtui import opening, workbench
from fluxtui.bridge.drafts import Draft, Store
from fluxtui.library import Example
from fluxtui.model.documents.document import dump
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import to_resources
from fluxtui.ui import keeping
from fluxtui.ui.app import FluxTUI
from tests.ui.helpers import NARROW, demo, done, messages, press, put, settle

JOB = jobspec.build(to_resources(parse_shape("node=2/slot/core=4")), ["a"])
OTHER = jobspec.build(to_resources(parse_shape("node=3/slot/core")), ["b"])
SHAPE = "slot=7/core=7"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the drafts; they are written as soon as may be."""
    monkeypatch.setattr(keeping, "PAUSE", 0.01)
    return tmp_path / "drafts"


@pytest.fixture
def file(here: Path) -> Path:
    """A jobspec, with another one beside it."""
    (here / "other.yaml").write_text(dump(OTHER))
    path = here / "job.yaml"
    path.write_text(dump(JOB))
    return path


@asynccontextmanager
async def working(
    folder: Path, *files: Path, left: bool = True
) -> AsyncIterator[tuple[FluxTUI, Pilot[None]]]:
    """The workbench with files open, one after the other; it is left in the end."""
    app = FluxTUI(workbench.start(demo()))
    app.drafts = Store(folder)
    async with app.run_test(size=NARROW) as pilot:
        await settle(pilot)
        for path in files:
            await opened(app, pilot, path)
        app.clear_notifications()
        yield app, pilot
        await done(pilot)
    app.drafts.close(app.last_draft() or Draft(), left=left)


async def opened(app: FluxTUI, pilot: Pilot[None], path: Path) -> None:
    app.open_source(str(path))
    await done(pilot)


def sessions(folder: Path) -> list[str]:
    """The shapes of the sessions that can be restored, the newest first."""
    return [kept.draft.shape for kept in Store(folder).found()[0] if not kept.crashed]


def told(app: FluxTUI) -> list[str]:
    return [message for message in messages(app) if message.startswith("Kept: ")]


async def test_a_changed_job_is_kept_as_a_session(folder: Path, file: Path) -> None:
    async with working(folder, file) as (app, pilot):
        await put(pilot, SHAPE, "#shape-input")
        await opened(app, pilot, file.with_name("other.yaml"))
        (said,) = told(app)
        assert said.startswith(f"Kept: {SHAPE}: It was not saved.")
        assert "ctrl+z goes back to it" in said
        assert app.state.build.text == "node=3/slot/core"
        await press(pilot, "ctrl+z")
        assert app.state.build.text == SHAPE
        assert app.unsaved
        await press(pilot, "ctrl+r")
    assert sessions(folder) == ["node=3/slot/core", SHAPE]
    kept = Store(folder).found()[0][1]
    assert kept.draft.path == str(file)
    assert kept.draft.unsaved


async def test_a_typed_job_without_a_file_is_kept(folder: Path, file: Path) -> None:
    async with working(folder) as (app, pilot):
        await put(pilot, SHAPE, "#shape-input")
        await opened(app, pilot, file)
        assert len(told(app)) == 1
    assert sessions(folder)[1:] == [SHAPE]


async def test_the_palette_brings_it_back(folder: Path, file: Path) -> None:
    async with working(folder, file) as (app, pilot):
        await put(pilot, SHAPE, "#shape-input")
        await opened(app, pilot, file.with_name("other.yaml"))
        app.action_restore_session()
        await done(pilot)
        assert app.state.build.text == SHAPE
        assert app.file_words == "job.yaml \N{BULLET}"


async def test_what_was_not_changed_is_replaced_silently(folder: Path, file: Path) -> None:
    other = file.with_name("other.yaml")
    async with working(folder, file, other, file) as (app, pilot):
        app.edit(opening.edit_of(JOB))  # such as an example: it is in no file, and not changed
        await opened(app, pilot, other)
        await put(pilot, SHAPE, "#shape-input")
        await press(pilot, "ctrl+s", "enter")
        await done(pilot)
        app.clear_notifications()
        await opened(app, pilot, file)
        assert told(app) == []
    assert len(sessions(folder)) == 1


async def test_what_another_hand_changed_in_the_file_is_no_change_here(
    folder: Path, file: Path
) -> None:
    async with working(folder, file) as (app, pilot):
        file.write_text(dump(OTHER))
        await opened(app, pilot, file)
        assert told(app) == []


async def test_a_constraint_alone_is_no_job(folder: Path, file: Path) -> None:
    async with working(folder) as (app, pilot):
        await put(pilot, "gpu")
        await opened(app, pilot, file)
        assert told(app) == []


@pytest.mark.parametrize(
    "example",
    [
        Example("a", "RFC 14", "Use case", "A job", "It is said.", shape="node", document=OTHER),
        Example("b", "RFC 46", "Use case", "A shape", "It is said.", shape="node"),
    ],
    ids=["job", "shape"],
)
async def test_examples_keep_it_too(folder: Path, file: Path, example: Example) -> None:
    async with working(folder, file) as (app, pilot):
        await put(pilot, SHAPE, "#shape-input")
        app._begin(example)
        await done(pilot)
        assert len(told(app)) == 1
    assert SHAPE in sessions(folder)


async def test_examples_alone_are_no_job_to_keep(folder: Path, file: Path) -> None:
    async with working(folder) as (app, pilot):
        for text in ("node", "node=2", "node"):
            app._begin(Example("a", "RFC 46", "Use case", "A shape", "It is said.", shape=text))
            await done(pilot)
        assert not told(app)


async def test_a_pasted_request_keeps_it_too(folder: Path, file: Path) -> None:
    async with working(folder, file) as (app, pilot):
        await put(pilot, SHAPE, "#shape-input")
        app.open_pasted("srun -n4 app")
        await done(pilot)
        assert len(told(app)) == 1
    assert SHAPE in sessions(folder)


async def test_a_draft_of_a_crash_is_kept_once_more(folder: Path, file: Path) -> None:
    store = Store(folder)
    store.keep(Draft(shape=SHAPE))
    store.close(Draft(shape=SHAPE), left=False)
    (path,) = folder.iterdir()
    path.rename(folder / "draft-1-1.json")
    async with working(folder) as (app, pilot):
        app.action_restore_draft()
        await done(pilot)
        assert app.state.build.text == SHAPE
        await opened(app, pilot, file)
        assert len(told(app)) == 1
        await press(pilot, "ctrl+z")
        await opened(app, pilot, file)  # it is kept by now
        assert len(told(app)) == 1
    assert sessions(folder)[1:] == [SHAPE]


async def test_a_job_that_cannot_be_kept_is_said(folder: Path, file: Path) -> None:
    async with working(folder) as (app, pilot):
        await put(pilot, SHAPE, "#shape-input")
        await done(pilot)
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
        folder.write_text("in the way")
        await opened(app, pilot, file)
        assert any("the job that was here is not kept" in message for message in messages(app))
        assert told(app) == []
