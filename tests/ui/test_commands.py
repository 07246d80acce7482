"""The command palette and the help, both made from what is bound."""

import asyncio
from pathlib import Path

import pytest
from textual.app import App

from fluxtui.bridge.chosen import Chosen
from fluxtui.model.constraint import requires
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.ui.actions import ACTIONS, BY_NAME, run
from fluxtui.ui.dialogs.commands import EXAMPLES, RECENT
from fluxtui.ui.kit.picker import Picker, search
from tests.ui.helpers import NARROW, SHAPE, workbench_at
from tests.ui.seen import messages


def shown(app: App[None]) -> Picker[object]:
    assert isinstance(app.screen, Picker)
    return app.screen


WANTED = {
    "submit": "Form",
    "sbatch": "Copy",
    "slurm": "Command line",
    "screenshot": "Screenshot",
    "search": "Find node",
    "find node": "Find node",
    "new job": "New job",
    "exit": "Quit",
    "import": "Open",
    "diff": "Compare documents",
    "problems": "Verdicts",
    "fix": "Verdicts",
    "validate": "Verdicts",
    "keys": "Help",
    "settings": "Theme",
}


async def test_the_palette_has_every_action_and_finds_it_by_other_words(tmp_path: Path) -> None:
    async with workbench_at(NARROW, shape=SHAPE) as (app, pilot):
        await pilot.press("ctrl+p")
        found = {item.label: item for item in shown(app).found}
        assert {action.label for action in ACTIONS} - set(found) <= {"Commands", "Back"}
        assert (found["Save"].right, found["Save"].detail) == ("^s", BY_NAME["save"].help)
        labels = [item.label for item in shown(app).found]
        assert [labels.count(pane.title) for pane in app.panes.values()] == [1] * len(app.panes)
        for words, label in WANTED.items():
            assert label in [item.label for item in search(shown(app).found, words)], words
        # The help has the key of each.
        await pilot.press("escape", "f1")
        keys = {item.label: item.lead for item in shown(app).found}
        assert keys["Quit"] == "^q  F10"
        for action in ACTIONS:
            assert not action.keys or action.label in ("Commands", "Back") or keys[action.label]
        # Recent commands come first and are kept.
        await pilot.press("escape")
        app.preferences.store = Chosen(tmp_path / "chosen.json")
        for name in ("examples", "open"):
            await pilot.burst("ctrl+p", *name, "enter")
            await pilot.done()
            await pilot.press("escape")
        await pilot.press("ctrl+p")
        assert shown(app).labels[:2] == ["Open", "Examples"]
        assert [item.group for item in shown(app).found if item.label == "Examples"] == ["Recent"]
        assert app.preferences.store.load(RECENT) == ("open", "examples")


async def test_a_list_that_is_read_slowly_keeps_no_key_waiting() -> None:
    async with workbench_at() as (app, pilot):
        is_read = asyncio.Event()

        async def kept(what: str) -> tuple[str, ...]:
            await is_read.wait()
            return ()

        app.submitting.kept = kept
        await pilot.go("map")
        app.call_later(run, app, BY_NAME["submitted"])
        await asyncio.wait_for(pilot.press("right"), 20)
        assert app.state.cursor == 1
        is_read.set()
        await pilot.done()
        assert messages(app) == ["Nothing was submitted from here yet."]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.text)
def test_every_example_of_a_notation_is_right(example) -> None:
    if example.kind == "shape":
        assert parse_shape(example.text).problems == ()
    else:
        assert requires.read(example.text).ok
