"""Saving: where to, in which form, and what stands in the way."""

import json
import os
from pathlib import Path

import pytest
import yaml
from textual.pilot import Pilot
from textual.widgets import Input

from fluxtui.ui.app import FluxTUI
from fluxtui.ui.dialogs.save import SaveDialog
from fluxtui.workbench import TypeJobspec
from tests.ui.helpers import (
    NARROW,
    SHAPE,
    WIDE,
    afresh,
    done,
    fill_dialog,
    messages,
    press,
    put,
    screen_text,
    workbench_at,
)


def fault(app) -> str:
    """What stands in the way."""
    return " ".join(str(app.screen.query_one("#save-fault").render()).split())


async def test_saves_in_the_form_of_the_ending(here: Path) -> None:
    async with workbench_at(NARROW) as (app, pilot):
        await press(pilot, "ctrl+s")
        assert not isinstance(app.screen, SaveDialog)  # there is nothing yet
        assert messages(app)
        for size in (NARROW, WIDE):
            await afresh(app, pilot, shape=SHAPE, requires="gpu", size=size)
            await press(pilot, "ctrl+s")
            assert isinstance(app.screen, SaveDialog)
            await press(pilot, "enter")
            await done(pilot)
            assert os.listdir(here) == ["jobspec.yaml"]
            assert yaml.safe_load((here / "jobspec.yaml").read_text()) == app.state.jobspec()
            assert "jobspec.yaml" in messages(app)[-1]
            (here / "jobspec.yaml").unlink()
        await afresh(app, pilot, shape=SHAPE)
        await press(pilot, "ctrl+s")
        await fill_dialog(pilot, "job.json")
        await done(pilot)
        assert json.loads((here / "job.json").read_text()) == app.state.jobspec()
        await afresh(app, pilot, shape=SHAPE)
        await press(pilot, "f4", "ctrl+s")
        assert app.screen.query_one(Input).value == "jobspec.json"
        # It asks before it overwrites.
        (here / "job.json").unlink()
        path = here / "job.yaml"
        path.write_text("old")
        path.chmod(0o640)
        await afresh(app, pilot, shape=SHAPE, size=NARROW)
        await press(pilot, "ctrl+s")
        await fill_dialog(pilot, "job.yaml")
        assert isinstance(app.screen, SaveDialog)
        assert path.read_text() == "old"
        assert "job.yaml" in screen_text(app).split("Save the jobspec")[1]
        await put(pilot, "job.yam", "Input")
        await put(pilot, "job.yaml", "Input")
        await press(pilot, "enter")
        await done(pilot)
        assert path.read_text() == "old"  # typed anew, asked anew
        await press(pilot, "enter")
        await done(pilot)
        assert yaml.safe_load(path.read_text()) == app.state.jobspec()
        assert path.stat().st_mode & 0o777 == 0o640
        assert os.listdir(here) == ["job.yaml"]
        # Of an unfinished shape it is said.
        await afresh(app, pilot, shape=SHAPE)
        await put(pilot, "[", "#shape-input")
        await press(pilot, "ctrl+s")
        assert "from before" in screen_text(app)


async def test_names_and_folders(here: Path) -> None:
    async with workbench_at() as (app, pilot):
        # Leaving at the question keeps the file.
        (here / "jobspec.yaml").write_text("old")
        await afresh(app, pilot, shape=SHAPE)
        await press(pilot, "ctrl+s", "enter")
        await done(pilot)
        assert isinstance(app.screen, SaveDialog)
        await press(pilot, "escape")
        await done(pilot)
        assert (here / "jobspec.yaml").read_text() == "old"
        assert app.focused is app.query_one("#shape-input")
        # Where nothing can be saved.
        (here / "jobspec.yaml").unlink()
        (here / "folder").mkdir()
        await afresh(app, pilot, shape=SHAPE)
        for path in ["", "   ", "folder", "folder/", "no/such/place.yaml", "."]:
            await press(pilot, "ctrl+s")
            await fill_dialog(pilot, path)
            await press(pilot, "enter")
            await done(pilot)
            assert isinstance(app.screen, SaveDialog)
            assert str(app.screen.query_one("#save-fault").render())
            assert os.listdir(here) == ["folder"]
            assert app.screen.query_one(Input).value == path
            await press(pilot, "escape")
        # Names that cannot be saved.
        (here / "folder").rmdir()
        await afresh(app, pilot, shape=SHAPE)
        for name in ["x" * 300 + ".yaml", "a\x00b.yaml", "~nobody9/x.yaml"]:
            await press(pilot, "ctrl+s")
            app.screen.query_one(Input).value = name
            await press(pilot, "enter")
            await done(pilot)
            assert app.is_running
            assert os.listdir(here) == []
            if isinstance(app.screen, SaveDialog):
                assert str(app.screen.query_one("#save-fault").render())
            else:
                assert "Not saved" in messages(app)[-1]
            await press(pilot, "escape")


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
async def test_a_folder_that_is_not_writable(here: Path) -> None:
    here.chmod(0o500)
    async with workbench_at(shape=SHAPE) as (app, pilot):
        await press(pilot, "ctrl+s", "enter")
        await done(pilot)
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


async def opened(app: FluxTUI, pilot: Pilot[None], path: Path, text: str = YAML) -> None:
    """Begin anew with a jobspec that is opened from a file."""
    path.write_text(text)
    await afresh(app, pilot)
    app.open_source(str(path))
    await done(pilot)


async def save(pilot: Pilot[None], *keys: str) -> None:
    await press(pilot, *keys)
    await done(pilot)


async def test_the_file_that_was_opened_is_written_by_one_enter(here: Path) -> None:
    async with workbench_at(NARROW) as (app, pilot):
        path = here / "job.yaml"
        await opened(app, pilot, path)
        assert app.file is not None
        assert (app.file.path, app.unsaved) == (str(path), False)
        assert app.file_words == "job.yaml"
        await put(pilot, "slot=3{task}/core", "#shape-input")
        assert app.unsaved
        assert app.file_words == "job.yaml •"
        await press(pilot, "ctrl+s")
        assert app.screen.query_one(Input).value == "job.yaml"
        await save(pilot, "enter")
        assert path.read_text() == THREE
        assert not app.unsaved
        assert not isinstance(app.screen, SaveDialog)
        await press(pilot, "ctrl+z")
        assert app.unsaved
        await save(pilot, "ctrl+s", "enter")
        assert path.read_text() == YAML
        # Saved elsewhere, that is the file.
        await opened(app, pilot, path)
        await press(pilot, "ctrl+s")
        await fill_dialog(pilot, "other.json")
        await done(pilot)
        assert json.loads((here / "other.json").read_text()) == app.state.jobspec()
        assert app.file is not None
        assert (app.file.path, app.file.form) == (str(here / "other.json"), "json")
        await press(pilot, "ctrl+s")
        assert app.screen.query_one(Input).value == "other.json"
        await fill_dialog(pilot, "job.yaml")
        assert isinstance(app.screen, SaveDialog)  # it is not the job's file any more
        # A file without an ending keeps its form.
        await opened(app, pilot, here / "job", json.dumps(yaml.safe_load(YAML)))
        await put(pilot, "slot=3{task}/core", "#shape-input")
        await save(pilot, "ctrl+s", "enter")
        assert json.loads((here / "job").read_text()) == app.state.jobspec()
        # A link stays one and is the same file.
        (here / "link.yaml").symlink_to("job.yaml")
        await opened(app, pilot, path)
        await put(pilot, "slot=3{task}/core", "#shape-input")
        await press(pilot, "ctrl+s")
        await fill_dialog(pilot, "link.yaml")
        await done(pilot)
        assert not isinstance(app.screen, SaveDialog)
        assert (here / "link.yaml").is_symlink()
        assert path.read_text() == THREE


async def test_what_became_of_the_file_on_disk_is_asked_about(here: Path) -> None:
    path = here / "job.yaml"
    async with workbench_at(NARROW) as (app, pilot):
        await opened(app, pilot, path)
        await put(pilot, "slot=3{task}/core", "#shape-input")
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
        assert not app.unsaved
        # It is changed again while it is asked.
        await opened(app, pilot, path)
        await press(pilot, "ctrl+s")
        for number in range(3):
            path.write_text(f"{YAML}# {number}\n")
            await save(pilot, "enter")
            assert isinstance(app.screen, SaveDialog)
            assert path.read_text().endswith(f"# {number}\n")
        await save(pilot, "enter")
        assert path.read_text() == YAML
        # It is read again.
        await opened(app, pilot, path)
        await press(pilot, "ctrl+s", "ctrl+r")  # nothing to read again yet
        assert isinstance(app.screen, SaveDialog)
        path.write_text(YAML.replace("count: 2", "count: 7"))
        await save(pilot, "enter")
        await save(pilot, "ctrl+r")
        assert app.state.build.text == "slot=7{task}/core"
        assert not app.unsaved
        assert path.read_text() == YAML.replace("count: 2", "count: 7")
        await press(pilot, "ctrl+z")
        assert app.state.build.text == "slot=2{task}/core"
        assert app.unsaved
        # Touched is not changed.
        await opened(app, pilot, path)
        os.utime(path, (1, 1))
        await save(pilot, "ctrl+s", "enter")
        assert not isinstance(app.screen, SaveDialog)
        # It is gone.
        await opened(app, pilot, path)
        path.unlink()
        await save(pilot, "ctrl+s", "enter")
        assert "job.yaml is not there any more" in fault(app)
        await save(pilot, "ctrl+r", "enter")
        assert path.read_text() == YAML
        # Its folder is gone.
        (here / "site").mkdir()
        await opened(app, pilot, here / "site" / "job.yaml")
        (here / "site" / "job.yaml").unlink()
        (here / "site").rmdir()
        await press(pilot, "ctrl+s")
        assert app.screen.query_one(Input).value == "site/job.yaml"
        await save(pilot, "enter")
        assert f"There is no folder {here / 'site'}" in fault(app)
        assert not (here / "site").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
async def test_a_read_only_file_is_said(here: Path) -> None:
    async with workbench_at(NARROW) as (app, pilot):
        await opened(app, pilot, here / "job.yaml")
        (here / "job.yaml").chmod(0o444)
        await press(pilot, "ctrl+s", "enter")
        await done(pilot)
        assert "job.yaml is read-only" in fault(app)


# Texts that cannot be read


async def test_a_text_that_cannot_be_read_is_saved_as_it_stands(here: Path) -> None:
    broken = YAML.replace("[app]", "[app")
    async with workbench_at(NARROW) as (app, pilot):
        await opened(app, pilot, here / "job.yaml", broken)
        assert app.state.job.raw is not None
        assert not app.unsaved
        app.edit(TypeJobspec(broken + "# mine\n", "yaml"))
        assert app.unsaved
        await press(pilot, "ctrl+s")
        assert "saved as it stands" in screen_text(app).replace("│", "")
        await put(pilot, "job.json", "Input")
        await press(pilot, "enter")
        await done(pilot)
        assert "cannot be written in another form" in fault(app)
        await put(pilot, "job.yaml", "Input")
        await press(pilot, "enter")
        await done(pilot)
        assert (here / "job.yaml").read_text() == broken + "# mine\n"
        assert not app.unsaved
        app.edit(TypeJobspec(YAML, "yaml"))
        assert app.unsaved
        await press(pilot, "ctrl+s", "enter")
        await done(pilot)
        assert (here / "job.yaml").read_text() == YAML
        assert not app.unsaved
