"""Drafts: kept while a person works, told of after a crash, and restored."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from fluxtui import opening, workbench
from fluxtui.bridge.draft_json import Draft
from fluxtui.bridge.drafts import Store
from fluxtui.library import Example, stages
from fluxtui.model.documents.document import dump
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.kit.picker import Picker
from fluxtui.ui.session import drafts as keeping
from fluxtui.ui.stage.stage_screen import StageScreen
from fluxtui.workbench import TypeJobspec
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    Hands,
    demo,
    messages,
    running,
    screen_text,
    workbench_at,
)

JOB = jobspec.build(to_resources(parse_shape("node=2/slot/core=4")), ["a"], queue="batch")

YAML = "# mine\n" + dump(JOB)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the drafts; they are written as soon as may be."""
    monkeypatch.setattr(keeping, "PAUSE", 0.01)
    return tmp_path / "drafts"


@asynccontextmanager
async def keeping_at(
    folder: Path, size: tuple[int, int] = NORMAL
) -> AsyncIterator[tuple[FluxTUI, Hands]]:
    """The workbench with a store of drafts; it is left in the end."""
    app = FluxTUI(workbench.start(demo()))
    app.drafts.store = Store(folder)
    async with running(app, size=size) as pilot:
        await pilot.settle()
        yield app, pilot
        await pilot.done()
    app.drafts.store.close(app.drafts.last_draft() or Draft(), left=True)


def crashed(folder: Path, draft: Draft, when: float = 0.0, host: str | None = None) -> Path:
    """A draft of a workbench that was not left."""
    store = Store(folder)
    assert store.keep(draft) is None
    store.close(draft, left=False)
    (path,) = folder.glob(f"session-{os.getpid()}-*")
    found = json.loads(path.read_text())
    if when:
        found["time"] = when
    if host is not None:
        found["host"] = host
    other = folder / f"session-1-{len(list(folder.iterdir()))}.json"
    other.write_text(json.dumps(found))
    path.unlink()
    return other


def on_disk(folder: Path) -> Draft:
    """What a crash at this moment would leave."""
    (path,) = folder.glob("session-*")
    copy = folder.with_name("copy")
    copy.mkdir(exist_ok=True)
    (copy / "session-1-2.json").write_bytes(path.read_bytes())
    (kept,), problems = Store(copy).found()
    assert problems == ()
    return kept.draft


async def test_what_is_typed_is_kept(folder: Path) -> None:
    async with keeping_at(folder) as (app, pilot):
        assert not folder.exists()
        await pilot.burst(*"node=2/slot/core", "tab", *"gpu")
        await pilot.done()
        draft = on_disk(folder)
        assert (draft.shape, draft.requires, draft.document) == ("node=2/slot/core", "gpu", None)
        assert draft.unsaved
        assert "dune" in draft.cluster
        await pilot.press("ctrl+z", "ctrl+z", "ctrl+z", "ctrl+z", "ctrl+z", "ctrl+z")
        await pilot.done()
        assert app.state.build.blank
        assert list(folder.iterdir()) == []


async def test_moving_about_writes_nothing(folder: Path) -> None:
    async with keeping_at(folder) as (app, pilot):
        await pilot.press("tab", "tab", "right", "f2", "f6")
        await pilot.done()
        assert app.drafts.last_draft() is None
        assert not folder.exists()


async def test_everything_comes_back_in_one_step(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "job.yaml"
    path.write_text(YAML)
    async with keeping_at(folder) as (app, pilot):
        app.documents.open_source(str(path))
        await pilot.done()
        app.edit(workbench.TypeField("duration", "1 fortnight"))
        app.edit(workbench.TypeRequires("gpu&"))
        app.edit(workbench.ChooseQueue("debug"))
        app.edit(TypeJobspec(YAML + "x: [\n", "yaml"))
        await pilot.done()
        before = app.state
        assert before.job.raw is not None
        draft = on_disk(folder)
    crashed(folder, draft)
    async with keeping_at(folder) as (app, pilot):
        app.drafts.restore_draft()
        await pilot.done()
        state = app.state
        assert state.build.text == before.build.text
        assert state.ask.text == "gpu&"
        assert state.submission.queue == "debug"
        assert state.job.document == before.job.document
        assert state.job.typed == {"duration": "1 fortnight"}
        assert state.job.raw == before.job.raw
        assert state.job.path == str(path)
        assert state.jobspec() == before.jobspec()
        assert workbench.job_text(state, "yaml") == workbench.job_text(before, "yaml")
        assert app.saving.file is not None
        assert app.saving.file.text == YAML
        assert app.saving.unsaved
        app.edit(TypeJobspec(YAML, "yaml"))
        assert workbench.job_text(app.state, "yaml") == YAML
        await pilot.press("ctrl+z", "ctrl+z")
        assert app.state.build.blank
        assert app.state.job == workbench.Job()
        assert app.saving.file is None


async def test_a_file_changed_since_the_crash_is_noticed(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "job.yaml"
    path.write_text(YAML)
    async with keeping_at(folder) as (app, pilot):
        app.documents.open_source(str(path))
        await pilot.put("node=3/slot/core", "#shape-input")
        await pilot.done()
        draft = on_disk(folder)
    crashed(folder, draft)
    path.write_text(YAML + "# by another hand\n")
    async with keeping_at(folder) as (app, pilot):
        app.drafts.restore_draft()
        await pilot.done()
        await pilot.press("ctrl+s", "enter")
        await pilot.done()
        assert "was changed on disk" in " ".join(screen_text(app).split())
        assert path.read_text().endswith("hand\n")


# What is said of them


async def test_a_crash_is_told_once(folder: Path) -> None:
    crashed(folder, Draft(shape="slot=4/[core=2;gpu]"))
    for told in (True, False):
        async with keeping_at(folder, NARROW) as (app, pilot):
            await pilot.done()
            said = [message for message in messages(app) if "Unsaved draft" in message]
            assert bool(said) == told
            if told:
                assert "Unsaved draft from " in said[0]
                assert "ctrl+p 'Restore'" in said[0]
                assert len(said[0]) < 56  # one line of a message
            app.drafts.restore_draft()
            await pilot.done()
            if not told:
                assert app.state.build.text == "slot=4/[core=2;gpu]"
            await pilot.press("ctrl+z")
            assert app.state.build.blank
        if told:
            crashed(folder, Draft(shape="slot=4/[core=2;gpu]"))
            for path in folder.glob("session-*"):
                path.rename(path.with_name("draft-1-1.json"))


async def test_several_are_told_together_and_asked_about(folder: Path) -> None:
    for number in (1, 2, 3):
        crashed(folder, Draft(shape=f"node={number}"), 1_700_000_000 + number, host="elsewhere")
    async with keeping_at(folder) as (app, pilot):
        await pilot.done()
        (said,) = messages(app)
        assert "3 unsaved drafts" in said
        app.drafts.restore_draft()
        await pilot.done()
        assert isinstance(app.screen, Picker)
        shapes = [item.detail.split()[-1] for item in app.screen.found]
        assert shapes == ["node=3", "node=2", "node=1"]
        await pilot.press("b")
        await pilot.done()
        assert app.state.build.text == "node=2"
        app.drafts.restore_draft()
        await pilot.done()
        await pilot.press("escape")
        await pilot.done()
        assert app.state.build.text == "node=2"
    shapes = [kept.draft.shape for kept in Store(folder).found()[0]]
    assert shapes == ["node=2", "node=3", "node=1"]  # the restored one as the last session's


async def test_what_was_saved_is_not_told_of(folder: Path) -> None:
    crashed(folder, Draft(shape="node", unsaved=False))
    async with keeping_at(folder) as (app, pilot):
        await pilot.done()
        assert messages(app) == []
        app.drafts.restore_draft()
        await pilot.done()
        assert app.state.build.text == "node"


async def test_garbage_is_told_of_quietly_and_once(folder: Path) -> None:
    folder.mkdir()
    (folder / "session-1-1.json").write_text("[b]garbage[/b]")
    async with keeping_at(folder) as (app, pilot):
        await pilot.done()
        (said,) = messages(app)
        assert "warning: no draft can be read from" in said
    async with keeping_at(folder) as (app, pilot):
        await pilot.done()
        assert messages(app) == []
        app.drafts.restore_draft()
        await pilot.done()
        assert "There is no draft to restore" in messages(app)[-1]


async def test_names_are_shown_as_they_are(folder: Path) -> None:
    crashed(folder, Draft(shape="[b]x[/b]\x1b[31m"), host="[red]h\x1b")
    async with keeping_at(folder) as (app, pilot):
        await pilot.done()
        (said,) = messages(app)
        assert "[red]h\\x1b" in said


async def test_the_last_session(folder: Path) -> None:
    store = Store(folder)
    store.close(Draft(shape="node=7"), left=True)
    async with keeping_at(folder) as (app, pilot):
        assert messages(app) == []
        app.drafts.restore_session()
        await pilot.done()
        assert app.state.build.text == "node=7"
        assert "restored" in messages(app)[-1]
        await pilot.press("ctrl+z")
        assert app.state.build.blank


async def test_sessions_before_the_last_are_offered(folder: Path) -> None:
    for number in (7, 8):
        Store(folder).close(Draft(shape=f"node={number}"), left=True)
    async with keeping_at(folder) as (app, pilot):
        app.drafts.restore_session()
        await pilot.done()
        assert isinstance(app.screen, Picker)
        assert "Restore a session" in screen_text(app)
        await pilot.press("b")
        await pilot.done()
        assert app.state.build.text == "node=7"


async def test_without_any(folder: Path) -> None:
    async with keeping_at(folder) as (app, pilot):
        app.drafts.restore_session()
        await pilot.done()
        assert "There is no last session to restore" in messages(app)[-1]


async def test_where_none_are_kept() -> None:
    async with workbench_at() as (app, pilot):
        assert list(app.drafts.commands()) == []
        app.drafts.restore_draft()
        app.drafts.restore_session()
        await pilot.put("node", "#shape-input")
        await pilot.done()
        assert messages(app) == []


async def test_a_draft_that_cannot_be_kept_is_said_once(folder: Path) -> None:
    folder.write_text("in the way")
    async with keeping_at(folder) as (app, pilot):
        for text in ("node", "node=2", "node=3"):
            await pilot.put(text, "#shape-input")
            await pilot.done()
        (said,) = messages(app)
        assert "the draft is not kept" in said


async def test_typing_does_not_wait_for_the_writing(folder: Path) -> None:
    async with keeping_at(folder) as (app, pilot):
        assert app.drafts.store is not None
        with app.drafts.store._busy:  # as a file system that hangs
            await pilot.burst(*"node=2")
            await asyncio.sleep(0.05)
            await pilot.burst("/", *"core")
            assert app.state.build.text == "node=2/core"
            assert not list(folder.glob("*")) if folder.exists() else True
        await pilot.done()
        assert on_disk(folder).shape == "node=2/core"


async def test_the_palette_has_them(folder: Path) -> None:
    crashed(folder, Draft(shape="node=7"))
    async with keeping_at(folder) as (app, pilot):
        await pilot.done()
        await pilot.press("ctrl+p")
        assert isinstance(app.screen, Picker)
        await pilot.burst(*"restore the draft")
        await pilot.until(lambda: "Go on with what a workbench held" in screen_text(app))
        await pilot.press("enter")
        await pilot.until(lambda: app.state.build.text == "node=7")


async def test_a_draft_is_told_of_once_the_stage_is_left(folder: Path) -> None:
    crashed(folder, Draft(shape="node=7"))
    app = FluxTUI(workbench.start(demo()))
    app.drafts.store = Store(folder)
    app.stage.first = stages.rfc31(demo().resources)
    async with running(app, size=NARROW) as pilot:
        await pilot.done()
        assert isinstance(app.screen, StageScreen)
        assert messages(app) == []
        await pilot.press("escape")
        await pilot.settle()
        assert any("Unsaved draft" in message for message in messages(app))
    app.drafts.store.close(Draft(), left=True)


# A job that another one takes the place of: what no file holds of it can be restored

FIRST = jobspec.build(to_resources(parse_shape("node=2/slot/core=4")), ["a"])

OTHER = jobspec.build(to_resources(parse_shape("node=3/slot/core")), ["b"])

SHAPE = "slot=7/core=7"


@pytest.fixture
def file(here: Path) -> Path:
    """A jobspec, with another one beside it."""
    (here / "other.yaml").write_text(dump(OTHER))
    path = here / "job.yaml"
    path.write_text(dump(FIRST))
    return path


@asynccontextmanager
async def working(
    folder: Path, *files: Path, left: bool = True
) -> AsyncIterator[tuple[FluxTUI, Hands]]:
    """The workbench with files open, one after the other; it is left in the end."""
    app = FluxTUI(workbench.start(demo()))
    app.drafts.store = Store(folder)
    async with running(app, size=NARROW) as pilot:
        await pilot.settle()
        for path in files:
            await opened(app, pilot, path)
        app.clear_notifications()
        yield app, pilot
        await pilot.done()
    app.drafts.store.close(app.drafts.last_draft() or Draft(), left=left)


async def opened(app: FluxTUI, pilot: Hands, path: Path) -> None:
    app.documents.open_source(str(path))
    await pilot.done()


def sessions(folder: Path) -> list[str]:
    """The shapes of the sessions that can be restored, the newest first."""
    return [kept.draft.shape for kept in Store(folder).found()[0] if not kept.crashed]


def told(app: FluxTUI) -> list[str]:
    return [message for message in messages(app) if "was replaced" in message]


async def test_a_changed_job_is_kept_as_a_session(folder: Path, file: Path) -> None:
    async with working(folder, file) as (app, pilot):
        await pilot.put(SHAPE, "#shape-input")
        await opened(app, pilot, file.with_name("other.yaml"))
        (said,) = told(app)
        assert said.endswith(f"{SHAPE} was replaced; ctrl+z to undo")
        assert app.state.build.text == "node=3/slot/core"
        await pilot.press("ctrl+z")
        assert app.state.build.text == SHAPE
        assert app.saving.unsaved
        await pilot.press("ctrl+r")
    assert sessions(folder) == ["node=3/slot/core", SHAPE]
    kept = Store(folder).found()[0][1]
    assert kept.draft.path == str(file)
    assert kept.draft.unsaved


async def test_a_typed_job_without_a_file_is_kept(folder: Path, file: Path) -> None:
    async with working(folder) as (app, pilot):
        await pilot.put(SHAPE, "#shape-input")
        await opened(app, pilot, file)
        assert len(told(app)) == 1
    assert sessions(folder)[1:] == [SHAPE]


async def test_the_palette_brings_it_back(folder: Path, file: Path) -> None:
    async with working(folder, file) as (app, pilot):
        await pilot.put(SHAPE, "#shape-input")
        await opened(app, pilot, file.with_name("other.yaml"))
        app.drafts.restore_session()
        await pilot.done()
        assert app.state.build.text == SHAPE
        assert app.saving.file_words == "job.yaml \N{BULLET}"


async def test_what_was_not_changed_is_replaced_silently(folder: Path, file: Path) -> None:
    other = file.with_name("other.yaml")
    async with working(folder, file, other, file) as (app, pilot):
        app.edit(opening.edit_of(FIRST))  # such as an example: it is in no file, and not changed
        await opened(app, pilot, other)
        await pilot.put(SHAPE, "#shape-input")
        await pilot.press("ctrl+s", "enter")
        await pilot.done()
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
        await pilot.put("gpu")
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
        await pilot.put(SHAPE, "#shape-input")
        app.authoring.begin_with(example)
        await pilot.done()
        assert len(told(app)) == 1
    assert SHAPE in sessions(folder)


async def test_examples_alone_are_no_job_to_keep(folder: Path, file: Path) -> None:
    async with working(folder) as (app, pilot):
        for text in ("node", "node=2", "node"):
            app.authoring.begin_with(
                Example("a", "RFC 46", "Use case", "A shape", "It is said.", shape=text)
            )
            await pilot.done()
        assert not told(app)


async def test_a_pasted_request_keeps_it_too(folder: Path, file: Path) -> None:
    async with working(folder, file) as (app, pilot):
        await pilot.put(SHAPE, "#shape-input")
        app.pasting.open_text("srun -n4 app")
        await pilot.done()
        assert len(told(app)) == 1
    assert SHAPE in sessions(folder)


async def test_a_draft_of_a_crash_is_kept_once_more(folder: Path, file: Path) -> None:
    store = Store(folder)
    store.keep(Draft(shape=SHAPE))
    store.close(Draft(shape=SHAPE), left=False)
    (path,) = folder.iterdir()
    path.rename(folder / "draft-1-1.json")
    async with working(folder) as (app, pilot):
        app.drafts.restore_draft()
        await pilot.done()
        assert app.state.build.text == SHAPE
        await opened(app, pilot, file)
        assert len(told(app)) == 1
        await pilot.press("ctrl+z")
        await opened(app, pilot, file)  # it is kept by now
        assert len(told(app)) == 1
    assert sessions(folder)[1:] == [SHAPE]


async def test_a_job_that_cannot_be_kept_is_said(folder: Path, file: Path) -> None:
    async with working(folder) as (app, pilot):
        await pilot.put(SHAPE, "#shape-input")
        await pilot.done()
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
        folder.write_text("in the way")
        await opened(app, pilot, file)
        assert any("the job that was here is not kept" in message for message in messages(app))
        assert told(app) == []
