"""Leaving: what is asked before a job goes that its file does not hold."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.widgets import Input

from fluxtui import workbench
from fluxtui.opening import drafts
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.session.dialogs import QuitDialog, SaveDialog
from fluxtui.workbench import TypeJobspec
from tests.ui.helpers import (
    NARROW,
    Hands,
    screen_text,
    workbench_at,
)

YAML = """\
version: 1
resources: [{type: slot, count: 2, label: task, with: [{type: core, count: 4}]}]
tasks:
  - {command: [app], slot: task, count: {per_slot: 1}}
attributes:
  system: {duration: 60}
"""
SHAPE, OTHER = "slot=2{task}/core=4", "slot=3{task}/core=4"


@pytest.fixture
def file(here: Path) -> Path:
    """A jobspec in the folder that the program runs in."""
    path = here / "mine.yaml"
    path.write_text(YAML)
    return path


@asynccontextmanager
async def editing(
    file: Path, shape: str = OTHER, size: tuple[int, int] = NARROW
) -> AsyncIterator[tuple[FluxTUI, Hands]]:
    """The workbench with a file open and another shape typed."""
    async with workbench_at(size, notifications=True) as (app, pilot):
        app.documents.open_source(str(file))
        await pilot.done()
        await pilot.put(shape, "#shape-input")
        await pilot.done()
        yield app, pilot


def has_ended(app: FluxTUI) -> bool:
    """The program is about to end."""
    return app._exit


@pytest.mark.parametrize("key", ["f10", "ctrl+q"])
async def test_it_is_asked_about_what_is_not_saved(file: Path, key: str) -> None:
    async with editing(file) as (app, pilot):
        await pilot.press(key)
        assert isinstance(app.screen, QuitDialog)
        said = screen_text(app)
        assert "mine.yaml has unsaved changes" in said
        assert "esc stays" in said
        await pilot.press("escape")
        assert not isinstance(app.screen, QuitDialog)
        assert not has_ended(app)
        await pilot.burst(key, key)
        assert has_ended(app)
    assert file.read_text() == YAML


async def test_save_and_quit(file: Path) -> None:
    async with editing(file) as (app, pilot):
        await pilot.burst("f10", "s")
        await pilot.until(lambda: has_ended(app))
    assert "count: 3" in file.read_text()


async def test_quit_without_saving(file: Path) -> None:
    async with editing(file) as (app, pilot):
        await pilot.burst("f10", "q")
        assert has_ended(app)
    assert file.read_text() == YAML


async def test_nothing_is_asked_where_nothing_is_lost(file: Path) -> None:
    async with editing(file) as (app, pilot):
        await pilot.press("ctrl+z", "f10")
        assert has_ended(app)


async def test_nothing_is_asked_of_a_job_without_a_file() -> None:
    async with workbench_at(shape=SHAPE) as (app, pilot):
        await pilot.press("f10")
        assert has_ended(app)


async def test_the_palette_asks_too(file: Path) -> None:
    async with editing(file) as (app, pilot):
        await pilot.press("ctrl+p")
        await pilot.burst(*"quit")
        await pilot.until(lambda: "Leave the workbench" in screen_text(app))
        await pilot.press("enter")
        await pilot.until(lambda: isinstance(app.screen, QuitDialog))
        assert not has_ended(app)


async def test_a_text_that_is_unfinished_is_asked_about_and_told_of(file: Path) -> None:
    async with editing(file, SHAPE + "/[") as (app, pilot):
        app.edit(TypeJobspec(YAML + "x: [\n", "yaml"))
        await pilot.press("f10")
        assert isinstance(app.screen, QuitDialog)
        await pilot.press("s")
        await pilot.until(lambda: isinstance(app.screen, SaveDialog))
        assert "saved as it is" in " ".join(screen_text(app).replace("│", " ").split())
        await pilot.press("enter")
        await pilot.until(lambda: has_ended(app))
    assert file.read_text() == YAML + "x: [\n"


async def test_a_constraint_that_is_unfinished_is_in_no_file(file: Path) -> None:
    async with editing(file, SHAPE) as (app, pilot):
        assert not app.saving.unsaved
        app.edit(workbench.TypeRequires("gpu&"))
        assert drafts.draft_of(app.state, app.saving.file, unsaved=app.saving.unsaved).unsaved
        await pilot.press("f10")
        assert isinstance(app.screen, QuitDialog)


async def test_a_file_that_was_changed_is_not_overwritten_unasked(file: Path) -> None:
    async with editing(file) as (app, pilot):
        file.write_text(YAML + "# by another hand\n")
        await pilot.press("f10", "s")
        await pilot.until(lambda: isinstance(app.screen, SaveDialog))
        await pilot.press("enter")
        await pilot.done()
        assert "was changed on disk" in " ".join(screen_text(app).split())
        await pilot.press("escape")
        assert not has_ended(app)
    assert file.read_text().endswith("hand\n")


async def test_what_cannot_be_saved_is_not_left(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*of: object) -> object:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("fluxtui.bridge.in_place.put_in_place", full)
    async with editing(file) as (app, pilot):
        await pilot.press("f10", "s")
        await pilot.done()
        assert not has_ended(app)
        assert isinstance(app.screen, SaveDialog)
        assert "no space left" in " ".join(screen_text(app).replace("│", " ").split())
        assert app.screen.query_one(Input).value
        await pilot.press("escape", "f10")
        assert isinstance(app.screen, QuitDialog)
    assert file.read_text() == YAML
