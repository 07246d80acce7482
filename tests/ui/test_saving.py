"""Saving a job in its file, and quitting: what is asked before something would be lost."""

import asyncio
import json
import os
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import yaml
from textual.widgets import Input

from fluxtui import opening, workbench
from fluxtui.opening import drafts, saving
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.job.text import TextPane
from fluxtui.ui.kit.picker import Picker
from fluxtui.ui.session.saving import SaveDialog, writes
from fluxtui.workbench import EditShape, Job, OpenJob, Raw, TypeJobspec
from tests.ui.documents import job
from tests.ui.helpers import NARROW, SHAPE, WIDE, Hands, workbench_at
from tests.ui.seen import lacking, messages, plain, screen_text

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
CHANGED = YAML.replace("count: 2", "count: 3")
TWO, THREE = "slot=2{task}/core", "slot=3{task}/core"


def fault(app: FluxTUI) -> str:
    """What is in the way of saving."""
    return " ".join(str(app.screen.query_one("#save-fault").render()).split())


def words(app: FluxTUI) -> str:
    """The screen in one line, without frames."""
    return " ".join(screen_text(app).replace("│", " ").split())


def path_typed(app: FluxTUI) -> str:
    assert isinstance(app.screen, SaveDialog)
    return app.screen.query_one(Input).value


async def opened(pilot: Hands, path: Path, text: str = YAML) -> None:
    path.write_text(text)
    await pilot.open(path)


async def test_a_new_job_is_saved_in_the_form_of_the_ending(here: Path) -> None:
    async with workbench_at(NARROW) as (app, pilot):
        await pilot.press("ctrl+s")
        assert not isinstance(app.screen, SaveDialog)
        assert "there is no jobspec to save yet" in messages(app)[-1]
        app.edit(EditShape(SHAPE))
        # Enter does nothing in a dialog that a later key has closed.
        await pilot.press("ctrl+s")
        dialog = app.screen
        assert isinstance(dialog, SaveDialog)
        dialog.dismiss(None)
        dialog.on_input_submitted(Input.Submitted(dialog.query_one(Input), "x.yaml"))
        assert not any(worker.node is dialog for worker in app.workers)
        await pilot.settle()
        # Names that cannot be saved.
        (here / "folder").mkdir()
        odd = ("x" * 300 + ".yaml", "a\x00b.yaml", "~nobody9/x.yaml")
        await pilot.press("ctrl+s")
        for path in ("", "   ", "folder", "folder/", "no/such/place.yaml", ".", *odd):
            app.screen.query_one(Input).value = path
            await pilot.do("enter")
            assert (path_typed(app), bool(fault(app))) == (path, True)
        await pilot.press("escape")
        assert os.listdir(here) == ["folder"]
        # A jobspec is not written into another kind of file, but a batch script of it may be.
        await pilot.press("ctrl+s")
        await pilot.put("job.txt", "Input")
        await pilot.do("enter")
        assert ".txt is not a format" in fault(app)
        await pilot.fill_dialog("job.sh")
        made = (here / "job.sh").read_text()
        assert made.startswith("#!/bin/sh\n# flux: ")
        assert (messages(app)[-2:-1], app.saving.file) == (["Saved the batch script: job.sh"], None)
        assert "flux batch starts a Flux instance first" in messages(app)[-1]
        (here / "job.sh").unlink()
        assert app.focused is app.shape_bar.entry
        # The ending says in which form.
        await pilot.do("ctrl+s", "enter")
        assert yaml.safe_load((here / "jobspec.yaml").read_text()) == app.state.jobspec()
        assert "Saved the jobspec" in messages(app)[-1]
        await pilot.press("ctrl+s")
        await pilot.fill_dialog("job.json")
        assert json.loads((here / "job.json").read_text()) == app.state.jobspec()
        await pilot.press("ctrl+s")
        assert path_typed(app) == "job.json"
        # Another file that is there is overwritten after enter a second time; typed anew, it is
        # asked about anew.
        path = here / "job.yaml"
        path.write_text("old")
        path.chmod(0o640)
        for name in ("job.yaml", "job.yam", "job.yaml"):
            await pilot.put(name, "Input")
            if name == "job.yaml":
                await pilot.do("enter")
                assert path.read_text() == "old"
        await pilot.do("enter")
        assert yaml.safe_load(path.read_text()) == app.state.jobspec()
        assert path.stat().st_mode & 0o777 == 0o640
        # What a text with an error leaves out is said, and still to be saved afterwards.
        await pilot.put("gpu|", "#constraint-input")
        for text, said in (
            ("[", f"the job asks for {SHAPE}."),
            ("slot=4/[core=8;]", "the job asks for slot=4/core=8."),
        ):
            await pilot.put(text, "#shape-input")
            await pilot.press("ctrl+s")
            assert f"The shape has an error: {said}" in words(app)
            assert "The constraint has an error: the job has none." in words(app)
            await pilot.do("enter")
            assert app.saving.file_words.endswith("yaml \N{BULLET}")
            assert app.saving.unsaved
        assert "gpu" not in path.read_text()


# The file that the job belongs to


async def test_the_file_that_was_opened_is_written_by_one_enter(here: Path) -> None:
    path = here / "job.yaml"
    async with workbench_at(NARROW) as (app, pilot):
        await opened(pilot, path)
        for edit, text in (
            (EditShape(THREE), CHANGED),
            (EditShape(TWO), YAML),
            (TypeJobspec(YAML + "# more\n", "yaml"), YAML + "# more\n"),  # a comment is a change
        ):
            assert (app.saving.unsaved, app.saving.file_words) == (False, "job.yaml")
            app.edit(edit)
            assert (app.saving.unsaved, app.saving.file_words) == (True, "job.yaml •")
            await pilot.do("ctrl+s", "enter")
            assert path.read_text() == text
        # A file without an ending keeps its form; a link stays one, and is the same file.
        await opened(pilot, here / "job", json.dumps(yaml.safe_load(YAML)))
        await pilot.put(THREE, "#shape-input")
        await pilot.do("ctrl+s", "enter")
        assert json.loads((here / "job").read_text()) == app.state.jobspec()
        (here / "link.yaml").symlink_to("job.yaml")
        await opened(pilot, path)
        app.edit(EditShape(THREE))
        await pilot.press("ctrl+s")
        await pilot.fill_dialog("link.yaml")
        assert (here / "link.yaml").is_symlink()
        assert path.read_text() == CHANGED


async def test_what_became_of_the_file_on_disk_is_asked_about(here: Path) -> None:
    path, site = here / "job.yaml", here / "site"
    async with workbench_at(NARROW) as (app, pilot):
        await opened(pilot, path)
        await pilot.put(THREE, "#shape-input")
        path.write_text(YAML.replace("duration: 60", "duration: 90") + "# more\n")
        before = path.stat().st_mtime - 200
        os.utime(path, (before, before))
        await pilot.do("ctrl+s", "enter")
        changed = "job.yaml was changed on disk 3 minutes ago: 2 new lines, 1 line gone."
        assert not lacking(fault(app), changed, "ctrl+r to open it instead")
        path.write_text(f"{YAML}# 1\n")  # it is changed again while it is asked
        await pilot.do("enter")
        assert path.read_text().endswith("# 1\n")
        await pilot.do("enter")
        assert (path.read_text(), app.saving.unsaved) == (CHANGED, False)
        # It is read again.
        await pilot.press("ctrl+s", "ctrl+r")  # nothing to read again yet
        assert isinstance(app.screen, SaveDialog)
        path.write_text(YAML.replace("count: 2", "count: 7"))
        await pilot.do("enter")
        await pilot.do("ctrl+r")
        assert (app.state.build.text, app.saving.unsaved) == ("slot=7{task}/core", False)
        await pilot.press("ctrl+z")
        assert app.state.build.text == THREE
        # Touched is not changed.
        await opened(pilot, path)
        os.utime(path, (1, 1))
        await pilot.do("ctrl+s", "enter")
        assert not isinstance(app.screen, SaveDialog)
        # It is gone, or its folder is, or it is read-only.
        path.unlink()
        await pilot.do("ctrl+s", "enter")
        assert "job.yaml is gone" in fault(app)
        await pilot.do("ctrl+r", "enter")
        assert path.read_text() == YAML
        site.mkdir()
        await opened(pilot, site / "job.yaml")
        (site / "job.yaml").unlink()
        site.rmdir()
        await pilot.do("ctrl+s", "enter")
        assert path_typed(app) == "site/job.yaml"
        assert f"There is no folder {site}" in fault(app)
        await pilot.press("escape")
        if os.geteuid() != 0:  # root writes everywhere
            await opened(pilot, path)
            path.chmod(0o444)
            await pilot.do("ctrl+s", "enter")
            assert "job.yaml is read-only" in fault(app)


async def test_a_text_that_cannot_be_read_is_saved_as_it_is(here: Path) -> None:
    broken = YAML.replace("[app]", "[app")
    async with workbench_at(NARROW) as (app, pilot):
        await opened(pilot, here / "job.yaml", broken)
        assert not app.saving.unsaved
        app.edit(TypeJobspec(broken + "# mine\n", "yaml"))
        assert app.saving.unsaved
        await pilot.press("ctrl+s")
        assert "it is saved as it is" in words(app)
        await pilot.fill_dialog("job.json")
        assert "cannot be saved in another format" in fault(app)
        await pilot.fill_dialog("job.yaml")
        assert (here / "job.yaml").read_text() == broken + "# mine\n"
        assert not app.saving.unsaved
        # A new one is offered in its own form, also where nothing says in which line it is wrong.
        app.edit(OpenJob("", "", None, Job(raw=Raw('{"a": [\n', "json", ()))))
        await pilot.press("ctrl+s")
        assert path_typed(app) == "jobspec.json"
        assert "The JSON text cannot be read; it is saved as it is" in words(app)
        await pilot.do("enter")
        assert (here / "jobspec.json").read_text() == '{"a": [\n'
        assert any("the text as it is" in message for message in messages(app))
        # What is given up for a change is said.
        await pilot.put("node", "#shape-input")
        assert "The unreadable JSON was replaced; ctrl+z to undo" in messages(app)[-1]


OTHERS = [opening.edit_of(job(f"node={count}/slot/core")) for count in (7, 9)]


async def test_what_changes_while_a_job_is_saved(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, really, path = threading.Event(), saving.save_job, here / "job.yaml"
    monkeypatch.setattr(saving, "save_job", lambda *of: go_on.wait(10) and really(*of))
    async with workbench_at(NARROW) as (app, pilot):

        async def save(name: str, change: Callable[[], object]) -> None:
            """Save under a name, where something changes before it is written."""
            go_on.clear()
            await pilot.press("ctrl+s")
            await pilot.put(name, "Input")
            await pilot.press("enter")
            await pilot.until(lambda: not isinstance(app.screen, SaveDialog))
            change()
            go_on.set()
            await pilot.done()

        # Saved is the job that it was asked about.
        await opened(pilot, path)
        await pilot.press("ctrl+s")
        app.edit(OTHERS[0])
        go_on.set()
        await pilot.do("enter")
        assert (path.read_text(), app.saving.file) == (YAML, None)
        app.edit(EditShape("node=4/slot/core"))
        await save("other.yaml", lambda: app.edit(OTHERS[1]))
        assert "count: 4" in (here / "other.yaml").read_text()
        assert app.saving.file is None
        await pilot.press("ctrl+z")
        assert (app.state.job.path, app.saving.unsaved) == (str(here / "other.yaml"), False)
        # What came in its place since it was asked is asked about.
        await opened(pilot, path)
        app.edit(EditShape(THREE))
        for name, theirs in (("job.yaml", YAML + "# by another hand\n"), ("new.yaml", "theirs")):
            await save(name, partial((here / name).write_text, theirs))
            assert "it was changed meanwhile" in fault(app)
            await pilot.do("enter")
            assert (here / name).read_text() == theirs
            await pilot.do("enter")
            assert (here / name).read_text() == CHANGED


# The layout and the form of a text

ANCHORED = YAML.replace("count: 2", "count: &two 2").replace("count: 1}]", "count: *two}]")


async def test_that_the_layout_was_lost_is_said_once(here: Path) -> None:
    path = here / "job.yaml"
    async with workbench_at(NARROW) as (app, pilot):
        await opened(pilot, path, ANCHORED)
        app.go_to("text")
        said: list[str] = []
        for count in (3, 4):
            app.messages.clear()
            app.edit(EditShape(f"slot={count}{{task}}/core=2"))
            if count == 3:  # where it is shown, once nothing is typed
                await pilot.until(lambda: bool(messages(app)))
            said += messages(app)
            app.messages.clear()
            await pilot.do("ctrl+s", "enter")
            said += [message for message in messages(app) if "rewritten" in message]
        (told,) = said
        assert told.startswith("YAML text: ")
        assert "anchor" in told
        assert "a job of mine" not in path.read_text()


async def test_a_job_is_shown_in_the_form_of_its_file(here: Path) -> None:
    jobspec = {"resources": [{"type": "node", "count": 3}], "version": 1}
    written = json.dumps(jobspec, indent=2)
    async with workbench_at(WIDE) as (app, pilot):
        await pilot.go("text")
        for name, text, form, shown in (
            ("job.json", written, "json", written),
            ("job.yaml", YAML, "yaml", YAML.removesuffix("\n")),
            ("line.json", json.dumps(jobspec), "yaml", None),  # which nobody can read
        ):
            await opened(pilot, here / name, text)
            assert app.pane(TextPane).form == form
            assert shown is None or plain(app, "#jobspec-text") == shown
        await pilot.press("enter")  # to edit it
        app.focus_shape()
        await opened(pilot, here / "job.json", written)
        assert (app.pane(TextPane).form, app.focused) == ("json", app.shape_bar.entry)
        await pilot.press("f4")
        await opened(pilot, here / "job.yaml")
        assert app.pane(TextPane).form == "stored"  # which a person chose to see


# What cannot be written


class Disk:
    """A disk that takes nothing while it is full."""

    def __init__(self) -> None:
        self.waits = threading.Event()
        self.waits.set()

    def fill(self, patch: pytest.MonkeyPatch) -> None:
        def full(*of: object, **options: object) -> object:
            self.waits.wait(10)
            raise OSError(28, "No space left on device")

        patch.setattr("fluxtui.bridge.in_place.put_in_place", full)


async def test_what_cannot_be_written_is_asked_about_again(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk()
    async with workbench_at(NARROW) as (app, pilot):
        await opened(pilot, here / "job.yaml")
        await pilot.put(THREE, "#shape-input")
        for name in ("job.yaml", "elsewhere.yaml"):
            with monkeypatch.context() as patch:
                disk.fill(patch)
                await pilot.press("ctrl+s")
                await pilot.put(name, "Input")
                await pilot.do("enter")
            assert path_typed(app) == name
            assert not lacking(words(app), "cannot write", "no space left")
            await pilot.do("enter")
            assert ((here / name).read_text(), app.saving.unsaved) == (CHANGED, False)
        # So is any other text.
        with monkeypatch.context() as patch:
            disk.fill(patch)
            app.saving.write("the words", writes(lambda path: f"words of {path}"), "a.txt")
            await pilot.done()
        assert not lacking(words(app), "Save the words", "no space left")
        await pilot.fill_dialog("b.txt")
        assert (here / "b.txt").read_text() == "words of b.txt"
        assert any("Saved the words" in message for message in messages(app))
        # Nobody leaves while it is asked where else to save.
        disk.fill(monkeypatch)
        disk.waits.clear()
        app.edit(EditShape(SHAPE))
        await pilot.press("ctrl+s")
        await pilot.put("new.yaml", "Input")
        await pilot.press("enter")
        await pilot.until(lambda: not isinstance(app.screen, SaveDialog))
        quitting = asyncio.create_task(app.saving.quit())
        await asyncio.sleep(0)
        disk.waits.set()
        await quitting
        await pilot.done()
        assert isinstance(app.screen, SaveDialog)
        assert app.is_running


# Quitting


def has_ended(app: FluxTUI) -> bool:
    return app.return_code is not None


@pytest.mark.parametrize(
    ("name", "shape", "keys", "text"),
    [
        ("job.yaml", THREE, ["f10", "f10"], YAML),
        ("job.yaml", THREE, ["ctrl+q", "ctrl+q"], YAML),
        ("job.yaml", THREE, ["f10", "q"], YAML),
        ("job.yaml", THREE, ["f10", "s"], CHANGED),
        # Nothing is asked where nothing is lost, such as in a job without a file.
        ("job.yaml", TWO, ["f10"], YAML),
        (None, SHAPE, ["f10"], None),
        (None, SHAPE, ["ctrl+q"], None),
    ],
)
async def test_the_program_ends(
    here: Path, name: str | None, shape: str, keys: list[str], text: str | None
) -> None:
    async with workbench_at(NARROW, notifications=True) as (app, pilot):
        if name is not None:
            await opened(pilot, here / name)
        await pilot.put(shape, "#shape-input")
        assert not has_ended(app)
        await pilot.burst(*keys)
        await pilot.until(lambda: has_ended(app))
    assert not app.is_running
    assert name is None or (here / name).read_text() == text


async def test_it_is_asked_about_what_is_not_saved(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk, path = Disk(), here / "mine.yaml"
    async with workbench_at(NARROW, notifications=True) as (app, pilot):
        await opened(pilot, path)
        await pilot.put(THREE, "#shape-input")
        for key in ("f10", "ctrl+q"):
            await pilot.press(key)
            assert isinstance(app.screen, Picker)
            lost = "the changes are lost"  # as no draft is kept here
            said = ("mine.yaml has unsaved changes", lost, "esc cancels")
            assert not lacking(screen_text(app), *said)
            await pilot.press("escape")
            assert not isinstance(app.screen, Picker)
        # A file that was changed, or a full disk, keeps from quitting.
        path.write_text(YAML + "# by another hand\n")
        await pilot.press("f10", "s")
        await pilot.until(lambda: isinstance(app.screen, SaveDialog))
        await pilot.do("enter")
        assert "was changed on disk" in words(app)
        await pilot.press("escape")
        path.write_text(YAML)
        with monkeypatch.context() as patch:
            disk.fill(patch)
            await pilot.do("f10", "s")
            assert isinstance(app.screen, SaveDialog)
            assert "no space left" in words(app)
        await pilot.press("escape", "f10")
        assert isinstance(app.screen, Picker)
        await pilot.press("escape")
        assert (path.read_text(), has_ended(app)) == (YAML, False)
        # So do texts that are unfinished, be they in no file.
        await pilot.put(TWO, "#shape-input")
        assert not app.saving.unsaved
        app.edit(workbench.TypeRequires("gpu&"))
        assert drafts.draft_of(app.state, app.saving.file, unsaved=app.saving.unsaved).unsaved
        await pilot.press("f10")
        assert isinstance(app.screen, Picker)
        await pilot.press("escape")
        app.edit(TypeJobspec(YAML + "x: [\n", "yaml"))
        await pilot.press("f10", "s")
        await pilot.until(lambda: "saved as it is" in words(app))
        assert isinstance(app.screen, SaveDialog)
        await pilot.press("enter")
        await pilot.until(lambda: has_ended(app))
    assert path.read_text() == YAML + "x: [\n"


async def test_a_file_that_is_only_opened_lacks_nothing_however_wrong_it_is(here: Path) -> None:
    path = here / "odd.yaml"
    for odd in ("constraints: {foo: [a]}", "queue: batch"):
        count = "{min: 5, max: 2}" if "queue" in odd else "2"
        text = (
            f"version: 1\nresources:\n- {{type: slot, label: default, count: {count},"
            f" with: [{{type: core, count: 1}}]}}\ntasks: []\nattributes: {{system: {{{odd}}}}}\n"
        )
        async with workbench_at(NARROW) as (app, pilot):
            await opened(pilot, path, text)
            assert not app.saving.unsaved
            assert app.saving.file_words == "odd.yaml"
