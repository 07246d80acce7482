"""The command palette and the help, both made from what is bound."""

from pathlib import Path

import pytest
from textual.app import App

from fluxtui.bridge.chosen import Chosen
from fluxtui.model.constraint import requires
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.ui.actions import ACTIONS, BY_NAME
from fluxtui.ui.dialogs.commands import EXAMPLES, RECENT
from fluxtui.ui.kit.picker import Picker, search
from tests.ui.helpers import NARROW, NORMAL, SHAPE, workbench_at
from tests.ui.seen import screen_text


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


async def test_the_palette_finds_and_runs_what_is_typed_at_once(tmp_path: Path) -> None:
    async with workbench_at(NARROW, shape=SHAPE) as (app, pilot):
        await pilot.put("core=2", "#shape-input")
        await pilot.burst("ctrl+p", *"undo", "enter")
        assert app.state.build.text == SHAPE
        await pilot.burst("ctrl+p", "pageup", "pagedown", "home", "end", "down", "escape")
        assert len(app.screen_stack) == 1
        # It has every action, with its key, under its name and what is said of it.
        await pilot.press("ctrl+p")
        found = {item.label: item for item in shown(app).found}
        assert {action.label for action in ACTIONS} - set(found) <= {"Commands", "Back"}
        assert found["Save"].right == "^s"
        assert found["Save"].detail == BY_NAME["save"].help
        assert {pane.title for pane in app.workspace.panes.values()} <= set(found)
        labels = [item.label for item in shown(app).found]
        assert [labels.count(pane.title) for pane in app.panes.values()] == [1] * len(app.panes)
        # It finds them by other words.
        for words, label in WANTED.items():
            assert label in [item.label for item in search(shown(app).found, words)], words
        # What cannot be printed, or is markup, stands there as it is.
        await pilot.press("escape")
        for shape in ("slot{[b]x[/b]}", "a[=b]"):
            await pilot.put(shape, "#shape-input")
            await pilot.burst("ctrl+p", *"copy: shape")
            assert shape in screen_text(app).split("Copy: shape", 1)[1]
            await pilot.press("escape")
        # Recent commands come first and are kept.
        await pilot.afresh(size=NARROW)
        app.preferences.store = Chosen(tmp_path / "chosen.json")
        for name in ("examples", "open"):
            await pilot.burst("ctrl+p", *name, "enter")
            await pilot.done()
            await pilot.press("escape")
        await pilot.press("ctrl+p")
        assert shown(app).labels[:2] == ["Open", "Examples"]
        assert "Recent" in screen_text(app)
        assert [item.group for item in shown(app).found if item.label == "Examples"] == ["Recent"]
        assert app.preferences.store.load(RECENT) == ("open", "examples", "undo")


async def test_commands_and_the_help_begin_with_what_has_the_focus() -> None:
    async with workbench_at(NORMAL, shape=SHAPE) as (app, pilot):
        tree = app.query_one("#jobspec-tree")
        for key in ("ctrl+p", "colon"):
            tree.focus()
            await pilot.press(key)
            assert shown(app).found[0].group == "Tree"
            await pilot.press("escape")
        tree.focus()
        await pilot.press("ctrl+p")
        await pilot.press("escape", "ctrl+n")
        await pilot.burst("ctrl+p", *"tree fold", "enter")
        await pilot.done()
        assert app.focused is tree
        # The help.
        await pilot.afresh(size=NORMAL, shape=SHAPE)
        app.query_one("#jobspec-tree").focus()
        await pilot.press("f1")
        groups = list(dict.fromkeys(item.group for item in shown(app).found))
        assert groups[:2] == ["Tree", "Everywhere"]
        keys = {item.label: item.lead for item in shown(app).found}
        for action in ACTIONS:
            assert not action.keys or action.label in ("Commands", "Back") or keys[action.label]
        assert keys["Quit"] == "^q  F10"
        # It narrows as one types, under the same headings; enter does it.
        await pilot.burst(*"redo")
        assert shown(app).labels == ["Redo"]
        assert "Everywhere" in screen_text(app)
        await pilot.press("escape", "f1")
        await pilot.burst(*"examples", "enter")
        assert "Examples" in screen_text(app)
        # The notations are on its other side; enter puts one in its input.
        await pilot.press("escape", "f1", "tab")
        assert "RFC 46" in screen_text(app)
        assert len(app.screen_stack) == 2
        await pilot.burst(*"bigmem", "enter")
        assert app.state.ask.text == "gpu|bigmem"
        await pilot.press("f1", "tab", "tab", "tab")
        assert "Quit" in shown(app).labels
        await pilot.press("escape")
        assert len(app.screen_stack) == 1
        assert app.state.build.text == SHAPE


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.text)
def test_every_example_of_a_notation_is_right(example) -> None:
    if example.kind == "shape":
        assert parse_shape(example.text).problems == ()
    else:
        assert requires.read(example.text).ok
