"""Drafts: kept while a person works, told of after a crash, restored; and replaced jobs."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import Context
from pathlib import Path

import pytest

from fluxtui import opening, workbench
from fluxtui.bridge.draft_json import Draft
from fluxtui.bridge.drafts import Store
from fluxtui.library import Example
from fluxtui.model.documents.document import dump
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.kit.picker import Picker
from fluxtui.ui.launch import _where_it_was
from fluxtui.ui.session import drafts
from fluxtui.ui.session.saving import SaveDialog
from fluxtui.workbench import TypeJobspec
from tests.ui.documents import demo, job
from tests.ui.helpers import NARROW, Hands, running, workbench_at
from tests.ui.seen import messages, screen_text

JOB = job("node=2/slot/core=4", "a", queue="batch")
OTHER = job("node=3/slot/core", "b")

YAML = "# mine\n" + dump(JOB)

SHAPE = "slot=7/core=7"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the drafts; they are written as soon as may be."""
    monkeypatch.setattr(drafts, "PAUSE", 0.01)
    return tmp_path / "drafts"


@pytest.fixture
def file(here: Path) -> Path:
    """A jobspec, with another one beside it."""
    (here / "other.yaml").write_text(dump(OTHER))
    path = here / "job.yaml"
    path.write_text(YAML)
    return path


@asynccontextmanager
async def keeping(folder: Path, *files: Path) -> AsyncIterator[tuple[FluxTUI, Hands]]:
    """The workbench with a store of drafts, with files open; it is left in the end."""
    app = FluxTUI(workbench.start(demo()))
    app.drafts.store = Store(folder)
    async with running(app, NARROW) as pilot:
        await pilot.done()
        await pilot.open(*files)
        if files:
            app.messages.clear()
        yield app, pilot
        await pilot.done()
    app.close(left=True)


async def restored(pilot: Hands, *, crashed: bool) -> str:
    """Have a draft restored; the shape then."""
    pilot.workbench.drafts.offer(crashed=crashed)
    await pilot.done()
    return pilot.workbench.state.build.text


def crashed(folder: Path, draft: Draft, when: float = 0.0, host: str | None = None) -> None:
    """A draft of a workbench that was not left."""
    store = Store(folder)
    assert store.keep(draft) is None
    store.close(draft, left=False)
    (path,) = folder.glob(f"session-{os.getpid()}-*")
    found = json.loads(path.read_text())
    found["time"] = when or found["time"]
    found["host"] = host or found["host"]
    (folder / f"session-1-{len(list(folder.iterdir()))}.json").write_text(json.dumps(found))
    path.unlink()


def on_disk(folder: Path) -> Draft:
    """What a crash at this moment would leave."""
    (path,) = folder.glob("session-*")
    copy = folder.with_name("copy")
    copy.mkdir(exist_ok=True)
    (copy / "session-1-2.json").write_bytes(path.read_bytes())
    (kept,), problems = Store(copy).found()
    assert problems == ()
    return kept.draft


def sessions(folder: Path) -> list[str]:
    """The shapes of the sessions that can be restored, the newest first."""
    return [kept.draft.shape for kept in Store(folder).found()[0] if not kept.crashed]


def replaced(app: FluxTUI) -> list[str]:
    """What is said of jobs that were replaced."""
    return [message for message in messages(app) if "was replaced" in message]


async def test_what_is_made_is_kept_and_moving_about_writes_nothing(folder: Path) -> None:
    async with keeping(folder) as (app, pilot):
        await pilot.do("tab", "tab", "right", "f2", "f6")
        assert app.drafts.last_draft() is None
        assert not folder.exists()
        await pilot.put("node=2/slot/core", "#shape-input")
        await pilot.put("gpu")
        await pilot.done()
        draft = on_disk(folder)
        assert (draft.shape, draft.requires, draft.document) == ("node=2/slot/core", "gpu", None)
        assert draft.unsaved
        assert "dune" in draft.cluster
        await pilot.do("ctrl+z", "ctrl+z")
        assert app.state.build.blank
        assert list(folder.iterdir()) == []


async def test_typing_does_not_wait_for_the_writing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, keep = asyncio.Event(), Store.keep
    loop = asyncio.get_running_loop()

    def slowly(store: Store, draft: Draft) -> object:
        asyncio.run_coroutine_threadsafe(go_on.wait(), loop).result()  # a file system that hangs
        return keep(store, draft)

    monkeypatch.setattr(Store, "keep", slowly)
    async with keeping(folder) as (app, pilot):
        await pilot.burst(*"node=2")
        await asyncio.sleep(0.05)
        await pilot.burst("/", *"core")
        assert app.state.build.text == "node=2/core"
        assert not folder.exists()
        go_on.set()
        await pilot.done()
        assert on_disk(folder).shape == "node=2/core"


async def test_what_cannot_be_kept_is_said_once(folder: Path, file: Path) -> None:
    folder.write_text("in the way")
    async with keeping(folder) as (app, pilot):
        for text in ("node", "node=2", "node=3"):
            await pilot.put(text, "#shape-input")
            await pilot.done()
        (said,) = messages(app)
        assert "the draft is not kept" in said
        await pilot.open(file)
        assert any("the job that was here is not kept" in message for message in messages(app))
        assert replaced(app) == []
    # Where none are kept, nothing is said of them.
    async with workbench_at(NARROW) as (app, pilot):
        assert list(app.drafts.commands()) == []
        for crashed in (True, False):
            assert await restored(pilot, crashed=crashed) == ""
        await pilot.put("node", "#shape-input")
        await pilot.done()
        assert (messages(app), app.drafts.farewell()) == ([], "")


async def test_everything_comes_back_in_one_step(folder: Path, file: Path) -> None:
    async with keeping(folder, file) as (app, pilot):
        for edit in (
            workbench.TypeField("duration", "1 fortnight"),
            workbench.TypeRequires("gpu&"),
            workbench.ChooseQueue("debug"),
            TypeJobspec(YAML + "x: [\n", "yaml"),
        ):
            app.edit(edit)
        await pilot.done()
        before, draft = app.state, on_disk(folder)
    crashed(folder, draft)
    async with keeping(folder) as (app, pilot):
        await restored(pilot, crashed=True)
        state = app.state
        assert (state.build.text, state.ask.text) == (before.build.text, "gpu&")
        assert state.submission.queue == "debug"
        assert state.job.document == before.job.document
        assert state.job.typed == {"duration": "1 fortnight"}
        assert state.job.raw == before.job.raw is not None
        assert state.jobspec() == before.jobspec()
        assert workbench.job_text(state, "yaml") == workbench.job_text(before, "yaml")
        assert (app.saving.file.path, app.saving.file.text) == (str(file), YAML)
        assert app.saving.unsaved
        # A file that was changed since the crash is noticed.
        app.edit(TypeJobspec(YAML + "# more\n", "yaml"))
        file.write_text(YAML + "# by another hand\n")
        await pilot.do("ctrl+s", "enter")
        assert "was changed on disk" in " ".join(screen_text(app).split())
        await pilot.press("escape", "ctrl+z", "ctrl+z")
        assert app.state.build.blank
        assert app.state.job == workbench.Job()
        assert app.saving.file is None


async def test_a_crash_is_told_of_once_in_one_line(folder: Path) -> None:
    crashed(folder, Draft(shape="node=7"), host="[red]h\x1b")
    async with keeping(folder) as (app, pilot):
        (said,) = messages(app)
        assert said.startswith("Unsaved draft from ")
        assert "on [red]h\\x1b" in said
        assert said.endswith(": ctrl+p 'Restore'")
        titles = {command.title for command in app.get_system_commands(app.screen)}
        assert {"Restore the draft", "Restore the last session"} <= titles
    async with keeping(folder) as (app, pilot):
        assert messages(app) == []
        assert await restored(pilot, crashed=True) == "node=7"
        assert "; ctrl+z to undo" in messages(app)[-1]
        await pilot.press("ctrl+z")
        assert app.state.build.blank


@pytest.mark.parametrize("form", ["yaml", "json"])
async def test_a_text_that_is_wrong_is_restored_before_the_start(form: str, folder: Path) -> None:
    text = f"# {'long ' * 40}\n" * 40 + "tasks: ["
    crashed(folder, Draft(raw=(text, form)))
    app = FluxTUI(workbench.start(demo()))
    (kept,), _ = Store(folder).found()
    Context().run(app.drafts.restore, kept)  # where no app runs yet
    async with running(app, NARROW) as pilot:
        await pilot.done()
        assert app.state.job.raw is not None
        assert (app.state.job.raw.text, app.state.job.raw.form) == (text, form)


def test_a_document_that_was_open_and_cannot_be_now_keeps_no_draft_back(tmp_path: Path) -> None:
    (tmp_path / "directory").mkdir()
    (tmp_path / "R.json").write_text("{}")
    for name, reason in (("gone", "No such file"), ("directory", "a directory"), ("R.json", "")):
        path = str(tmp_path / name)
        resources, _, problems = _where_it_was(Draft(shape="node", resources=path), None, None)
        assert (resources is None) == bool(reason)
        assert [reason in problem.message for problem in problems] == [True] * bool(reason)


async def test_several_are_told_of_together_and_asked_about(folder: Path) -> None:
    for number in (1, 2, 3):
        crashed(folder, Draft(shape=f"node={number}"), 1_700_000_000 + number, host="elsewhere")
    async with keeping(folder) as (app, pilot):
        assert messages(app) == ["3 unsaved drafts: ctrl+p 'Restore'"]
        await restored(pilot, crashed=True)
        assert isinstance(app.screen, Picker)
        assert [item.detail for item in app.screen.found] == ["node=3", "node=2", "node=1"]
        assert app.screen.labels[0] == "2023-11-14 22:13 on elsewhere"
        await pilot.do("b")
        assert app.state.build.text == "node=2"
    shapes = [kept.draft.shape for kept in Store(folder).found()[0]]
    assert shapes == ["node=2", "node=3", "node=1"]  # the restored one as the last session's


async def test_what_was_saved_or_is_no_draft_is_not_told_of_as_one(folder: Path) -> None:
    crashed(folder, Draft(shape="node", unsaved=False))
    (folder / "session-9-9.json").write_text("[b]garbage[/b]")
    async with keeping(folder) as (app, pilot):
        (said,) = messages(app)
        assert "Drafts: no draft can be read from" in said
        assert await restored(pilot, crashed=True) == "node"
    async with keeping(folder) as (app, pilot):
        assert messages(app) == []  # by now the garbage was told of
        await restored(pilot, crashed=True)
        assert "There is no draft to restore" in messages(app)[-1]


async def test_the_last_session_and_those_before(folder: Path) -> None:
    async with keeping(folder) as (app, pilot):
        await restored(pilot, crashed=False)
        assert "There is no last session to restore" in messages(app)[-1]
    Store(folder).close(Draft(shape="node=7"), left=True)
    async with keeping(folder) as (app, pilot):
        assert messages(app) == []
        assert await restored(pilot, crashed=False) == "node=7"
        assert messages(app)[-1].startswith("Session from ")
        assert app.drafts.farewell() == "fluxtui --restore brings back node=7"
        await pilot.press("ctrl+z")
        assert app.state.build.blank
    Store(folder).close(Draft(shape="node=8"), left=True)
    async with keeping(folder) as (app, pilot):
        await restored(pilot, crashed=False)
        assert isinstance(app.screen, Picker)
        assert "Restore a session" in screen_text(app)
        await pilot.do("b")
        assert app.state.build.text == "node=7"


async def test_a_changed_job_is_kept_as_a_session(folder: Path, file: Path) -> None:
    async with keeping(folder, file) as (app, pilot):
        await pilot.put(SHAPE, "#shape-input")
        await pilot.open(file.with_name("other.yaml"))
        assert replaced(app) == [f"{SHAPE} was replaced; ctrl+z to undo"]
        assert app.state.build.text == "node=3/slot/core"
        await pilot.press("ctrl+z")
        assert app.state.build.text == SHAPE
        assert app.saving.unsaved
        await pilot.press("ctrl+r")
        assert await restored(pilot, crashed=False) == SHAPE
        assert app.saving.file_words == "job.yaml \N{BULLET}"
    kept = Store(folder).found()[0][0]
    assert (kept.draft.path, kept.draft.unsaved) == (str(file), True)


async def test_whatever_replaces_it(folder: Path, file: Path) -> None:
    about = ("a", "RFC 14", "Use case", "A job", "Text.")
    async with keeping(folder) as (app, pilot):
        authoring = app.authoring
        for number, replace in enumerate(
            (
                authoring.new_job,
                lambda: app.documents.open_source(str(file)),
                lambda: authoring.begin_with(Example(*about, shape="node", document=OTHER)),
                lambda: authoring.begin_with(Example(*about, shape="node")),
                lambda: app.documents.open_text("srun -n4 app"),
            )
        ):
            await pilot.afresh()
            shape = f"slot={number + 1}/core=7"
            await pilot.put(shape, "#shape-input")
            replace()
            await pilot.done()
            assert len(replaced(app)) == 1, number
            assert app.state.build.text != shape
            assert shape in sessions(folder)
            if replace == authoring.new_job:
                assert app.state.build.blank
                assert app.focused is app.shape_bar.entry


async def test_what_nobody_would_miss_is_replaced_silently(folder: Path, file: Path) -> None:
    other = file.with_name("other.yaml")
    async with keeping(folder) as (app, pilot):
        await pilot.put("gpu")  # a constraint alone is no job
        await pilot.open(file)
        file.write_text(dump(OTHER))  # what another hand changes is no change here
        await pilot.open(file)
        app.edit(opening.edit_of(JOB))  # such as an example: it is in no file, and not changed
        await pilot.open(other)
        for text in ("node", "node=2", "node"):
            app.authoring.begin_with(Example("a", "RFC 46", "Use", "A shape", "Text.", shape=text))
        await pilot.put(SHAPE, "#shape-input")
        await pilot.do("ctrl+s", "enter")
        await pilot.open(file)
        assert replaced(app) == []
    assert len(sessions(folder)) == 1


async def test_a_draft_of_a_crash_is_kept_once_more(folder: Path, file: Path) -> None:
    crashed(folder, Draft(shape=SHAPE))
    async with keeping(folder) as (app, pilot):
        await restored(pilot, crashed=True)
        for _ in range(2):  # the second time it is kept already
            assert app.state.build.text == SHAPE
            await pilot.open(file)
            assert len(replaced(app)) == 1
            await pilot.press("ctrl+z")
        await pilot.press("ctrl+r")
    assert sessions(folder)[1:] == [SHAPE]


async def test_it_is_asked_before_work_is_lost_that_cannot_be_kept(tmp_path: Path) -> None:
    blocked = tmp_path / "drafts"
    blocked.write_text("no folder")
    async with keeping(blocked) as (app, pilot):
        await pilot.put("gpu", "#constraint-input")
        await pilot.put(SHAPE, "#shape-input")
        await pilot.press("ctrl+q")
        assert isinstance(app.screen, Picker)
        shown = " ".join(screen_text(app).split())
        assert "The job has unsaved changes" in shown
        assert "the changes are lost: the draft is not kept" in shown
        await pilot.press("s")
        await pilot.until(lambda: isinstance(app.screen, SaveDialog))
        await pilot.press("escape", "ctrl+q", "q")
        await pilot.until(lambda: app.return_code == 0)
    assert "the draft is not kept" in app.drafts.farewell()
    assert "--restore" not in app.drafts.farewell()
