"""The stage in a pilot: which list and step it shows, and lists for it."""

from pathlib import Path

from fluxtui.ui.app import FluxTUI
from fluxtui.ui.stage_screen import StageScreen
from tests.ui.helpers import write_document

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


def talk(folder: Path, text: str = TALK) -> str:
    return write_document(folder / "talk.yaml", text)
