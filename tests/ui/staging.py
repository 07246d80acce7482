"""The stage in a pilot: which list and step it shows, and lists for it."""

from pathlib import Path
from typing import Any

from fluxtui.ui.app import FluxTUI
from fluxtui.ui.stage.stage_screen import StageScreen
from fluxtui.workbench import EditRequires
from tests.ui.documents import write_document
from tests.ui.helpers import Hands

TALK = """\
title: Which nodes will do?
steps:
- title: GPUs, not for debugging
  constraint: gpu&-debug
  note: |
    Two conditions, one after
    the other. [b]Not markup[/b]
- title: As an object
  constraint: {properties: [bigmem]}
- title: Nothing is left
  constraint: gpu&-gpu
- title: It cannot be read
  constraint: gpu &&& (
"""


def stage(app: FluxTUI) -> StageScreen:
    assert isinstance(app.screen, StageScreen)
    return app.screen


def place(app: FluxTUI) -> str:
    """The list and the number of the step, as they are shown."""
    return stage(app).head.plain


def step(app: FluxTUI) -> tuple[str, str]:
    """The title of the step and its constraint, as they are shown."""
    return stage(app).heading.plain, stage(app).constraint.plain


async def unstaged(app: FluxTUI, pilot: Hands, **more: Any) -> None:
    """Begin anew where the stage was not shown yet."""
    while len(app.screen_stack) > 1:
        await pilot.press("escape")
    app.edit(EditRequires(""))
    app.stage.open_examples()
    await pilot.settle()
    await pilot.press("escape")
    await pilot.afresh(**more)


def talk(folder: Path, text: str = TALK) -> str:
    return write_document(folder / "talk.yaml", text)
