"""Saving: where to, in which form, and what stands in the way."""

import asyncio
import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
import yaml
from textual.widgets import Input

from fluxtui import opening, workbench
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources
from fluxtui.opening import saving
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.session.dialogs import SaveDialog
from fluxtui.workbench import Job, OpenJob, Raw, TypeJobspec
from tests.ui.helpers import (
    NARROW,
    SHAPE,
    WIDE,
    Hands,
    cluster,
    messages,
    plain,
    screen_text,
    workbench_at,
)


def fault(app) -> str:
    """What stands in the way."""
    return " ".join(str(app.screen.query_one("#save-fault").render()).split())


async def test_saves_in_the_form_of_the_ending(here: Path) -> None:
    async with workbench_at(NARROW) as (app, pilot):
        await pilot.press("ctrl+s")
        assert not isinstance(app.screen, SaveDialog)  # there is nothing yet
        assert messages(app)
        for size in (NARROW, WIDE):
            await pilot.afresh(shape=SHAPE, requires="gpu", size=size)
            await pilot.press("ctrl+s")
            assert isinstance(app.screen, SaveDialog)
            await pilot.press("enter")
            await pilot.done()
            assert os.listdir(here) == ["jobspec.yaml"]
            assert yaml.safe_load((here / "jobspec.yaml").read_text()) == app.state.jobspec()
            assert "jobspec.yaml" in messages(app)[-1]
            (here / "jobspec.yaml").unlink()
        await pilot.afresh(shape=SHAPE)
        await pilot.press("ctrl+s")
        await pilot.fill_dialog("job.json")
        await pilot.done()
        assert json.loads((here / "job.json").read_text()) == app.state.jobspec()
        await pilot.afresh(shape=SHAPE)
        await pilot.press("f4", "f4", "ctrl+s")
        assert app.screen.query_one(Input).value == "jobspec.json"
        # It asks before it overwrites.
        (here / "job.json").unlink()
        path = here / "job.yaml"
        path.write_text("old")
        path.chmod(0o640)
        await pilot.afresh(shape=SHAPE, size=NARROW)
        await pilot.press("ctrl+s")
        await pilot.fill_dialog("job.yaml")
        assert isinstance(app.screen, SaveDialog)
        assert path.read_text() == "old"
        assert "job.yaml" in screen_text(app).split("Save the jobspec")[1]
        await pilot.put("job.yam", "Input")
        await pilot.put("job.yaml", "Input")
        await pilot.press("enter")
        await pilot.done()
        assert path.read_text() == "old"  # typed anew, asked anew
        await pilot.press("enter")
        await pilot.done()
        assert yaml.safe_load(path.read_text()) == app.state.jobspec()
        assert path.stat().st_mode & 0o777 == 0o640
        assert os.listdir(here) == ["job.yaml"]
        # Of an unfinished shape it is said.
        await pilot.afresh(shape=SHAPE)
        await pilot.put("[", "#shape-input")
        await pilot.press("ctrl+s")
        assert "from before" in screen_text(app)


async def test_names_and_folders(here: Path) -> None:
    async with workbench_at() as (app, pilot):
        # Leaving at the question keeps the file.
        (here / "jobspec.yaml").write_text("old")
        await pilot.afresh(shape=SHAPE)
        await pilot.press("ctrl+s", "enter")
        await pilot.done()
        assert isinstance(app.screen, SaveDialog)
        await pilot.press("escape")
        await pilot.done()
        assert (here / "jobspec.yaml").read_text() == "old"
        assert app.focused is app.query_one("#shape-input")
        # Where nothing can be saved.
        (here / "jobspec.yaml").unlink()
        (here / "folder").mkdir()
        await pilot.afresh(shape=SHAPE)
        for path in ["", "   ", "folder", "folder/", "no/such/place.yaml", "."]:
            await pilot.press("ctrl+s")
            await pilot.fill_dialog(path)
            await pilot.press("enter")
            await pilot.done()
            assert isinstance(app.screen, SaveDialog)
            assert str(app.screen.query_one("#save-fault").render())
            assert os.listdir(here) == ["folder"]
            assert app.screen.query_one(Input).value == path
            await pilot.press("escape")
        # Names that cannot be saved.
        (here / "folder").rmdir()
        await pilot.afresh(shape=SHAPE)
        for name in ["x" * 300 + ".yaml", "a\x00b.yaml", "~nobody9/x.yaml"]:
            await pilot.press("ctrl+s")
            app.screen.query_one(Input).value = name
            await pilot.press("enter")
            await pilot.done()
            assert app.is_running
            assert os.listdir(here) == []
            if isinstance(app.screen, SaveDialog):
                assert str(app.screen.query_one("#save-fault").render())
            else:
                assert "Not saved" in messages(app)[-1]
            await pilot.press("escape")


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
async def test_a_folder_that_is_not_writable(here: Path) -> None:
    here.chmod(0o500)
    async with workbench_at(shape=SHAPE) as (app, pilot):
        await pilot.press("ctrl+s", "enter")
        await pilot.done()
        assert "Not saved" in messages(app)[-1]


# The file that the job belongs to
YAML = """\
# a job of mine
version: 1
resources:
  - type: slot
    count: 2
    label: task
    with: [{type: core, count: 1}]   # small
tasks:
  - {command: [app], slot: task, count: {per_slot: 1}}
attributes:
  system: {duration: 60}
"""

THREE = YAML.replace("count: 2", "count: 3")


async def opened(app: FluxTUI, pilot: Hands, path: Path, text: str = YAML) -> None:
    """Begin anew with a jobspec that is opened from a file."""
    path.write_text(text)
    await pilot.afresh()
    app.documents.open_source(str(path))
    await pilot.done()


async def save(pilot: Hands, *keys: str) -> None:
    await pilot.press(*keys)
    await pilot.done()


async def test_the_file_that_was_opened_is_written_by_one_enter(here: Path) -> None:
    async with workbench_at(NARROW) as (app, pilot):
        path = here / "job.yaml"
        await opened(app, pilot, path)
        assert app.saving.file is not None
        assert (app.saving.file.path, app.saving.unsaved) == (str(path), False)
        assert app.saving.file_words == "job.yaml"
        await pilot.put("slot=3{task}/core", "#shape-input")
        assert app.saving.unsaved
        assert app.saving.file_words == "job.yaml •"
        await pilot.press("ctrl+s")
        assert app.screen.query_one(Input).value == "job.yaml"
        await save(pilot, "enter")
        assert path.read_text() == THREE
        assert not app.saving.unsaved
        assert not isinstance(app.screen, SaveDialog)
        await pilot.press("ctrl+z")
        assert app.saving.unsaved
        await save(pilot, "ctrl+s", "enter")
        assert path.read_text() == YAML
        # Saved elsewhere, that is the file.
        await opened(app, pilot, path)
        await pilot.press("ctrl+s")
        await pilot.fill_dialog("other.json")
        await pilot.done()
        assert json.loads((here / "other.json").read_text()) == app.state.jobspec()
        assert app.saving.file is not None
        assert (app.saving.file.path, app.saving.file.form) == (str(here / "other.json"), "json")
        await pilot.press("ctrl+s")
        assert app.screen.query_one(Input).value == "other.json"
        await pilot.fill_dialog("job.yaml")
        assert isinstance(app.screen, SaveDialog)  # it is not the job's file any more
        # A file without an ending keeps its form.
        await opened(app, pilot, here / "job", json.dumps(yaml.safe_load(YAML)))
        await pilot.put("slot=3{task}/core", "#shape-input")
        await save(pilot, "ctrl+s", "enter")
        assert json.loads((here / "job").read_text()) == app.state.jobspec()
        # A link stays one and is the same file.
        (here / "link.yaml").symlink_to("job.yaml")
        await opened(app, pilot, path)
        await pilot.put("slot=3{task}/core", "#shape-input")
        await pilot.press("ctrl+s")
        await pilot.fill_dialog("link.yaml")
        await pilot.done()
        assert not isinstance(app.screen, SaveDialog)
        assert (here / "link.yaml").is_symlink()
        assert path.read_text() == THREE


async def test_what_became_of_the_file_on_disk_is_asked_about(here: Path) -> None:
    path = here / "job.yaml"
    async with workbench_at(NARROW) as (app, pilot):
        await opened(app, pilot, path)
        await pilot.put("slot=3{task}/core", "#shape-input")
        path.write_text(YAML.replace("duration: 60", "duration: 90") + "# more\n")
        before = path.stat().st_mtime - 200
        os.utime(path, (before, before))
        await save(pilot, "ctrl+s", "enter")
        said = fault(app)
        assert "job.yaml was changed on disk 3 minutes ago: 2 new lines, 1 line gone." in said
        assert "ctrl+r" in said
        assert "duration: 90" in path.read_text()
        await save(pilot, "enter")
        assert path.read_text() == THREE
        assert not app.saving.unsaved
        # It is changed again while it is asked.
        await opened(app, pilot, path)
        await pilot.press("ctrl+s")
        for number in range(3):
            path.write_text(f"{YAML}# {number}\n")
            await save(pilot, "enter")
            assert isinstance(app.screen, SaveDialog)
            assert path.read_text().endswith(f"# {number}\n")
        await save(pilot, "enter")
        assert path.read_text() == YAML
        # It is read again.
        await opened(app, pilot, path)
        await pilot.press("ctrl+s", "ctrl+r")  # nothing to read again yet
        assert isinstance(app.screen, SaveDialog)
        path.write_text(YAML.replace("count: 2", "count: 7"))
        await save(pilot, "enter")
        await save(pilot, "ctrl+r")
        assert app.state.build.text == "slot=7{task}/core"
        assert not app.saving.unsaved
        assert path.read_text() == YAML.replace("count: 2", "count: 7")
        await pilot.press("ctrl+z")
        assert app.state.build.text == "slot=2{task}/core"
        assert app.saving.unsaved
        # Touched is not changed.
        await opened(app, pilot, path)
        os.utime(path, (1, 1))
        await save(pilot, "ctrl+s", "enter")
        assert not isinstance(app.screen, SaveDialog)
        # It is gone.
        await opened(app, pilot, path)
        path.unlink()
        await save(pilot, "ctrl+s", "enter")
        assert "job.yaml is gone" in fault(app)
        await save(pilot, "ctrl+r", "enter")
        assert path.read_text() == YAML
        # Its folder is gone.
        (here / "site").mkdir()
        await opened(app, pilot, here / "site" / "job.yaml")
        (here / "site" / "job.yaml").unlink()
        (here / "site").rmdir()
        await pilot.press("ctrl+s")
        assert app.screen.query_one(Input).value == "site/job.yaml"
        await save(pilot, "enter")
        assert f"There is no folder {here / 'site'}" in fault(app)
        assert not (here / "site").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
async def test_a_read_only_file_is_said(here: Path) -> None:
    async with workbench_at(NARROW) as (app, pilot):
        await opened(app, pilot, here / "job.yaml")
        (here / "job.yaml").chmod(0o444)
        await pilot.press("ctrl+s", "enter")
        await pilot.done()
        assert "job.yaml is read-only" in fault(app)


# Texts that cannot be read


async def test_a_text_that_cannot_be_read_is_saved_as_it_stands(here: Path) -> None:
    broken = YAML.replace("[app]", "[app")
    async with workbench_at(NARROW) as (app, pilot):
        await opened(app, pilot, here / "job.yaml", broken)
        assert app.state.job.raw is not None
        assert not app.saving.unsaved
        app.edit(TypeJobspec(broken + "# mine\n", "yaml"))
        assert app.saving.unsaved
        await pilot.press("ctrl+s")
        assert "saved as it is" in screen_text(app).replace("│", "")
        await pilot.put("job.json", "Input")
        await pilot.press("enter")
        await pilot.done()
        assert "cannot be written in another form" in fault(app)
        await pilot.put("job.yaml", "Input")
        await pilot.press("enter")
        await pilot.done()
        assert (here / "job.yaml").read_text() == broken + "# mine\n"
        assert not app.saving.unsaved
        app.edit(TypeJobspec(YAML, "yaml"))
        assert app.saving.unsaved
        await pilot.press("ctrl+s", "enter")
        await pilot.done()
        assert (here / "job.yaml").read_text() == YAML
        assert not app.saving.unsaved


# What becomes of a job while it is saved, and what is said of the text that it is saved as

OTHER_JOB = opening.edit_of(jobspec.build(to_resources(parse_shape("node=7/slot/core"))))

ANCHORED = """\
# a job of mine
version: 1
resources:
  - type: slot
    count: &two 2
    label: task
    with: [{type: core, count: *two}]
tasks:
  - {command: [app], slot: task, count: {per_slot: 1}}
attributes:
  system: {duration: 60}
"""


@pytest.fixture
def anchored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A jobspec in the folder that the program runs in."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "job.yaml"
    path.write_text(ANCHORED)
    return path


# Another job that arrives meanwhile


async def test_the_file_is_that_of_the_job_that_was_saved(
    anchored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, save = threading.Event(), saving.save_job

    def slowly(*of: Any) -> Any:
        go_on.wait(10)
        return save(*of)

    monkeypatch.setattr(saving, "save_job", slowly)
    async with workbench_at(shape="node=4/slot/core") as (app, pilot):
        await pilot.press("ctrl+s")
        await pilot.put("new.yaml", "Input")
        await pilot.press("enter")
        await pilot.until(lambda: not isinstance(app.screen, SaveDialog))
        app.edit(OTHER_JOB)
        go_on.set()
        await pilot.done()
        assert "node" in (anchored.parent / "new.yaml").read_text()
        assert app.state.job.path is None
        assert app.saving.file is None
        await pilot.press("ctrl+z")
        assert app.state.job.path == str(anchored.parent / "new.yaml")
        assert not app.saving.unsaved


async def test_comments_and_forms_of_the_file(anchored: Path) -> None:
    async with workbench_at() as (app, pilot):
        # Saved is the job that it was asked about.
        app.documents.open_source(str(anchored))
        await pilot.done()
        await pilot.press("ctrl+s")
        app.edit(OTHER_JOB)
        await pilot.press("enter")
        await pilot.done()
        assert anchored.read_text() == ANCHORED
        assert app.state.job.path is None
        # A comment that is not saved is marked.
        await pilot.afresh()
        app.documents.open_source(str(anchored))
        await pilot.done()
        assert app.saving.file_words == "job.yaml"
        app.edit(TypeJobspec(ANCHORED + "# more\n", "yaml"))
        assert app.saving.file_words == "job.yaml •"
        await pilot.press("ctrl+s", "enter")
        await pilot.done()
        assert anchored.read_text() == ANCHORED + "# more\n"
        assert app.saving.file_words == "job.yaml"
        # A text that cannot be read is offered in its own form.
        broken = '{"resources": [\n'
        await pilot.afresh()
        app.edit(TypeJobspec(broken, "json"))
        assert app.panes["text"].form == "yaml"
        await pilot.press("ctrl+s")
        assert app.screen.query_one(Input).value == "jobspec.json"
        await pilot.press("enter")
        await pilot.done()
        assert (anchored.parent / "jobspec.json").read_text() == broken
        assert any("the text as it is" in message for message in messages(app))
        # A text without a place where it is wrong.
        await pilot.afresh()
        app.edit(OpenJob("", "", None, Job(raw=Raw("[]", "yaml", ()))))
        await pilot.press("ctrl+s")
        said = " ".join(screen_text(app).replace("│", " ").split())
        assert "The YAML text cannot be read; it is saved as it is" in said


# A comment is a change


# A layout that is lost


async def test_that_the_layout_was_lost_is_said_once(anchored: Path) -> None:
    async with workbench_at(notifications=True) as (app, pilot):
        app.documents.open_source(str(anchored))
        await pilot.done()
        said: list[str] = []
        for count in (3, 4):
            app.clear_notifications()
            await pilot.put(f"slot={count}{{task}}/core=2", "#shape-input")
            await pilot.press("ctrl+s", "enter")
            await pilot.done()
            said += [message for message in messages(app) if "written anew" in message]
        assert len(said) == 1
        assert "anchor" in said[0]
        assert "a job of mine" not in anchored.read_text()


async def test_that_the_layout_was_lost_is_said_where_it_is_shown(anchored: Path) -> None:
    async with workbench_at(notifications=True) as (app, pilot):
        app.documents.open_source(str(anchored))
        await pilot.done()
        app.go_to("text")
        await pilot.put("slot=3{task}/core=2", "#shape-input")
        await pilot.until(lambda: any("written anew" in message for message in messages(app)))
        assert any(message.startswith("YAML text: ") for message in messages(app))


# A text that cannot be read


# What is taken over at one stroke


async def test_the_nearest_request_is_a_step_of_its_own() -> None:
    async with workbench_at(on=cluster(9)) as (app, pilot):
        app.edit(workbench.TypeShape("node=99/slot/core"))
        await pilot.done()
        app.go_to("fit")
        await pilot.settle()
        await pilot.press("enter")
        assert app.state.build.text == "node=9/slot/core"
        await pilot.press("ctrl+z")
        assert app.state.build.text == "node=99/slot/core"


# What cannot be written


@pytest.mark.parametrize("own", [False, True])
async def test_what_cannot_be_written_is_asked_about_again(
    anchored: Path, monkeypatch: pytest.MonkeyPatch, own: bool
) -> None:
    def full(*of: Any) -> Any:
        raise OSError(28, "No space left on device")

    async with workbench_at(notifications=True) as (app, pilot):
        app.documents.open_source(str(anchored))
        await pilot.done()
        app.clear_notifications()
        await pilot.put("slot=9{task}/core", "#shape-input")
        with monkeypatch.context() as patch:
            patch.setattr("fluxtui.bridge.in_place.put_in_place", full)
            await pilot.press("ctrl+s")
            if not own:
                await pilot.put("elsewhere.yaml", "Input")
            await pilot.press("enter")
            await pilot.done()
        assert isinstance(app.screen, SaveDialog)
        typed = app.screen.query_one(Input)
        assert typed.value == ("job.yaml" if own else "elsewhere.yaml")
        assert app.focused is typed
        assert "cannot write" in screen_text(app)
        assert "no space left" in " ".join(screen_text(app).replace("│", " ").split())
        await pilot.press("enter")
        await pilot.done()
        assert not isinstance(app.screen, SaveDialog)
        assert "slot" in (anchored.parent / typed.value).read_text()
        assert not app.saving.unsaved


async def test_nobody_leaves_while_it_is_asked_where_else_to_save(
    anchored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()

    def full(*of: Any) -> Any:
        go_on.wait(10)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("fluxtui.bridge.in_place.put_in_place", full)
    async with workbench_at(shape="node=4/slot/core") as (app, pilot):
        await pilot.press("ctrl+s")
        await pilot.put("new.yaml", "Input")
        await pilot.press("enter")
        await pilot.until(lambda: not isinstance(app.screen, SaveDialog))
        leaving = asyncio.create_task(app.saving.quit())
        await asyncio.sleep(0)
        go_on.set()
        await leaving
        await pilot.done()
        assert isinstance(app.screen, SaveDialog)
        assert app.is_running


async def test_another_text_that_cannot_be_written_is_asked_about_again(
    anchored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*of: Any) -> Any:
        raise OSError(28, "No space left on device")

    async with workbench_at() as (app, pilot):
        with monkeypatch.context() as patch:
            patch.setattr("fluxtui.bridge.in_place.put_in_place", full)
            app.saving.write("a.txt", lambda path: f"words of {path}", "the words")
            await pilot.done()
        assert "Save the words" in screen_text(app)
        assert "no space left" in screen_text(app)
        await pilot.fill_dialog("b.txt")
        assert (anchored.parent / "b.txt").read_text() == "words of b.txt"
        assert any("Saved the words" in message for message in messages(app))


# The form of a file


async def test_a_job_is_shown_in_the_form_of_its_file(anchored: Path) -> None:
    jobspec = {"resources": [{"type": "node", "count": 3}], "version": 1}
    written = json.dumps(jobspec, indent=2)
    (anchored.parent / "job.json").write_text(written)
    (anchored.parent / "line.json").write_text(json.dumps(jobspec))
    async with workbench_at() as (app, pilot):
        app.documents.open_source("job.json")
        await pilot.done()
        assert app.panes["text"].form == "json"
        assert plain(app, "#jobspec-text") == written
        app.documents.open_source("job.yaml")
        await pilot.done()
        assert app.panes["text"].form == "yaml"
        assert plain(app, "#jobspec-text") == ANCHORED.removesuffix("\n")
        app.documents.open_source("job.json")
        await pilot.done()
        app.documents.open_source("line.json")  # which nobody can read as it stands
        await pilot.done()
        assert app.panes["text"].form == "yaml"
        app.go_to("text")
        await pilot.settle()
        await pilot.press("j", "j")
        app.documents.open_source("job.json")
        await pilot.done()
        assert app.panes["text"].form == "stored"  # which a person chose to see


async def test_the_form_of_a_file_takes_nobody_from_where_they_type(anchored: Path) -> None:
    (anchored.parent / "job.json").write_text(json.dumps({"version": 1, "resources": []}, indent=2))
    async with workbench_at(WIDE, shape="node=2") as (app, pilot):
        app.go_to("text")
        await pilot.press("enter")
        app.focus_shape()
        await pilot.settle()
        app.documents.open_source("job.json")
        await pilot.done()
        assert app.panes["text"].form == "json"
        assert app.focused is app.shape_bar.entry
