"""What becomes of a job while it is saved, and what is said of the text that it is saved as."""

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from fluxtui import opening, workbench
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import to_resources
from fluxtui.opening import saving
from fluxtui.ui.background import begin
from fluxtui.ui.dialogs.save import SaveDialog
from fluxtui.ui.saving import SAVING
from fluxtui.workbench import Job, OpenJob, Raw, TypeJobspec
from tests.ui.helpers import (
    WIDE,
    afresh,
    cluster,
    done,
    fill_dialog,
    messages,
    plain,
    press,
    put,
    screen_text,
    settle,
    until,
    workbench_at,
)

OTHER = opening.edit_of(jobspec.build(to_resources(parse_shape("node=7/slot/core"))))

YAML = """\
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
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A jobspec in the folder that the program runs in."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "job.yaml"
    path.write_text(YAML)
    return path


# Another job that arrives meanwhile


async def test_the_file_is_that_of_the_job_that_was_saved(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, save = threading.Event(), saving.save_job

    def slowly(*of: Any) -> Any:
        go_on.wait(10)
        return save(*of)

    monkeypatch.setattr(saving, "save_job", slowly)
    async with workbench_at(shape="node=4/slot/core") as (app, pilot):
        await press(pilot, "ctrl+s")
        await put(pilot, "new.yaml", "Input")
        await press(pilot, "enter")
        await until(pilot, lambda: not isinstance(app.screen, SaveDialog))
        app.edit(OTHER)
        go_on.set()
        await done(pilot)
        assert "node" in (file.parent / "new.yaml").read_text()
        assert app.state.job.path is None
        assert app.file is None
        await press(pilot, "ctrl+z")
        assert app.state.job.path == str(file.parent / "new.yaml")
        assert not app.unsaved


async def test_comments_and_forms_of_the_file(file: Path) -> None:
    async with workbench_at() as (app, pilot):
        # Saved is the job that it was asked about.
        app.open_source(str(file))
        await done(pilot)
        await press(pilot, "ctrl+s")
        app.edit(OTHER)
        await press(pilot, "enter")
        await done(pilot)
        assert file.read_text() == YAML
        assert app.state.job.path is None
        # A comment that is not saved is marked.
        await afresh(app, pilot)
        app.open_source(str(file))
        await done(pilot)
        assert app.file_words == "job.yaml"
        app.edit(TypeJobspec(YAML + "# more\n", "yaml"))
        assert app.file_words == "job.yaml •"
        await press(pilot, "ctrl+s", "enter")
        await done(pilot)
        assert file.read_text() == YAML + "# more\n"
        assert app.file_words == "job.yaml"
        # A text that cannot be read is offered in its own form.
        broken = '{"resources": [\n'
        await afresh(app, pilot)
        app.edit(TypeJobspec(broken, "json"))
        assert app.text_pane.form == "yaml"
        await press(pilot, "ctrl+s")
        assert app.screen.query_one(Input).value == "jobspec.json"
        await press(pilot, "enter")
        await done(pilot)
        assert (file.parent / "jobspec.json").read_text() == broken
        assert any("the text as it stands" in message for message in messages(app))
        # A text without a place where it is wrong.
        await afresh(app, pilot)
        app.edit(OpenJob("", "", None, Job(raw=Raw("[]", "yaml", ()))))
        await press(pilot, "ctrl+s")
        said = " ".join(screen_text(app).replace("│", " ").split())
        assert "The YAML text cannot be read; it is saved as it stands" in said


# A comment is a change


# A layout that is lost


async def test_that_the_layout_was_lost_is_said_once(file: Path) -> None:
    async with workbench_at(notifications=True) as (app, pilot):
        app.open_source(str(file))
        await done(pilot)
        said: list[str] = []
        for count in (3, 4):
            app.clear_notifications()
            await put(pilot, f"slot={count}{{task}}/core=2", "#shape-input")
            await press(pilot, "ctrl+s", "enter")
            await done(pilot)
            said += [message for message in messages(app) if "written anew" in message]
        assert len(said) == 1
        assert "anchor" in said[0]
        assert "a job of mine" not in file.read_text()


async def test_that_the_layout_was_lost_is_said_where_it_is_shown(file: Path) -> None:
    async with workbench_at(notifications=True) as (app, pilot):
        app.open_source(str(file))
        await done(pilot)
        await put(pilot, "slot=3{task}/core=2", "#shape-input")
        await until(pilot, lambda: any("written anew" in message for message in messages(app)))
        assert any(message.startswith("YAML text: ") for message in messages(app))


# A text that cannot be read


# What is taken over at one stroke


async def test_the_nearest_request_is_a_step_of_its_own() -> None:
    async with workbench_at(on=cluster(9)) as (app, pilot):
        app.edit(workbench.TypeShape("node=99/slot/core"))
        await done(pilot)
        app.bring("room")
        await settle(pilot)
        await press(pilot, "enter")
        assert app.state.build.text == "node=9/slot/core"
        await press(pilot, "ctrl+z")
        assert app.state.build.text == "node=99/slot/core"


# What cannot be written


@pytest.mark.parametrize("own", [False, True])
async def test_what_cannot_be_written_is_asked_about_again(
    file: Path, monkeypatch: pytest.MonkeyPatch, own: bool
) -> None:
    def full(*of: Any) -> Any:
        raise OSError(28, "No space left on device")

    async with workbench_at(notifications=True) as (app, pilot):
        app.open_source(str(file))
        await done(pilot)
        app.clear_notifications()
        await put(pilot, "slot=9{task}/core", "#shape-input")
        with monkeypatch.context() as patch:
            patch.setattr("fluxtui.bridge.in_place.put_in_place", full)
            await press(pilot, "ctrl+s")
            if not own:
                await put(pilot, "elsewhere.yaml", "Input")
            await press(pilot, "enter")
            await done(pilot)
        assert isinstance(app.screen, SaveDialog)
        typed = app.screen.query_one(Input)
        assert typed.value == ("job.yaml" if own else "elsewhere.yaml")
        assert app.focused is typed
        assert "cannot write" in screen_text(app)
        assert "no space left" in " ".join(screen_text(app).replace("│", " ").split())
        await press(pilot, "enter")
        await done(pilot)
        assert not isinstance(app.screen, SaveDialog)
        assert "slot" in (file.parent / typed.value).read_text()
        assert not app.unsaved


async def test_nobody_leaves_while_it_is_asked_where_else_to_save(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()

    def full(*of: Any) -> Any:
        go_on.wait(10)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("fluxtui.bridge.in_place.put_in_place", full)
    async with workbench_at(shape="node=4/slot/core") as (app, pilot):
        await press(pilot, "ctrl+s")
        await put(pilot, "new.yaml", "Input")
        await press(pilot, "enter")
        await until(pilot, lambda: not isinstance(app.screen, SaveDialog))
        leaving = asyncio.create_task(app.action_quit())
        await asyncio.sleep(0)
        go_on.set()
        await leaving
        await done(pilot)
        assert isinstance(app.screen, SaveDialog)
        assert app.is_running


async def test_another_text_that_cannot_be_written_is_asked_about_again(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*of: Any) -> Any:
        raise OSError(28, "No space left on device")

    async with workbench_at() as (app, pilot):
        with monkeypatch.context() as patch:
            patch.setattr("fluxtui.bridge.in_place.put_in_place", full)
            begin(app, SAVING, app._write, "a.txt", lambda path: f"words of {path}", "the words")
            await done(pilot)
        assert "Save the words" in screen_text(app)
        assert "no space left" in screen_text(app)
        await fill_dialog(pilot, "b.txt")
        assert (file.parent / "b.txt").read_text() == "words of b.txt"
        assert any("Saved the words" in message for message in messages(app))


# The form of a file


async def test_a_job_is_shown_in_the_form_of_its_file(file: Path) -> None:
    jobspec = {"resources": [{"type": "node", "count": 3}], "version": 1}
    written = json.dumps(jobspec, indent=2)
    (file.parent / "job.json").write_text(written)
    (file.parent / "line.json").write_text(json.dumps(jobspec))
    async with workbench_at() as (app, pilot):
        app.open_source("job.json")
        await done(pilot)
        assert app.text_pane.form == "json"
        assert plain(app, "#jobspec-text") == written
        app.open_source("job.yaml")
        await done(pilot)
        assert app.text_pane.form == "yaml"
        assert plain(app, "#jobspec-text") == YAML.removesuffix("\n")
        app.open_source("job.json")
        await done(pilot)
        app.open_source("line.json")  # which nobody can read as it stands
        await done(pilot)
        assert app.text_pane.form == "yaml"
        await press(pilot, "f4", "f4", "f4")
        app.open_source("job.json")
        await done(pilot)
        assert app.text_pane.form == "flux"  # whose words a person chose to see


async def test_the_form_of_a_file_takes_nobody_from_where_they_type(file: Path) -> None:
    (file.parent / "job.json").write_text(json.dumps({"version": 1, "resources": []}, indent=2))
    async with workbench_at(WIDE, shape="node=2") as (app, pilot):
        app.bring("text")
        await press(pilot, "enter")
        app.action_focus_shape()
        await settle(pilot)
        app.open_source("job.json")
        await done(pilot)
        assert app.text_pane.form == "json"
        assert app.focused is app.shape_bar.entry
