"""Writing a whole job by keys: the form, the tree, the text, examples and verdicts."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from textual.pilot import Pilot
from textual.widgets import Input, Tree

from fluxtui import library
from fluxtui.model import jobspec
from fluxtui.ui.app import FluxTUI
from fluxtui.workbench import State
from tests.ui.helpers import (
    burst,
    done,
    messages,
    plain,
    press,
    screen_text,
    settle,
    tree_labels,
    workbench_at,
)

SHAPE = "node=4/slot/[core=8;gpu]"


def state_of(app: FluxTUI) -> State:
    return app.state


def system(app: FluxTUI) -> dict[str, Any]:
    """The system attributes of the job."""
    return dict(jobspec.system(app.state.jobspec()))


async def fill(pilot: Pilot[None], name: str, text: str) -> None:
    """Go down to a field of the form by keys, and put a text in place of its own."""
    wanted = f"field-{name.replace('_', '-')}"
    for _ in range(30):
        focused = pilot.app.focused
        if focused is not None and focused.id == wanted:
            break
        await press(pilot, "down")
    else:
        raise AssertionError(f"{wanted} was not reached")
    await press(pilot, "end")
    await burst(pilot, *["backspace"] * len(pilot.app.focused.value))  # type: ignore[union-attr]
    await burst(pilot, *text)


async def save(pilot: Pilot[None], path: Path) -> None:
    """Save under a path, by keys."""
    await press(pilot, "ctrl+s")
    entry = pilot.app.screen.query_one("#save-path", Input)
    await press(pilot, "end")
    await burst(pilot, *["backspace"] * len(entry.value))
    await burst(pilot, *str(path))
    await press(pilot, "enter")
    await done(pilot)


# By keys alone, the RFC 25 use cases

WRITTEN = {
    "rfc25-example": ("node=4/slot/core=2", {"command": "app"}),
    "rfc25-1.1": ("node=4/slot/core", {"command": "flux start"}),
    "rfc25-2.1": ("node=4/slot{myslot}/core", {"command": "hostname", "tasks": "total=5"}),
    "rfc25-2.2": ("slot=10/core=2", {"command": "myapp"}),
    "rfc25-2.3": ("slot=10/[core=2;gpu]", {"command": "myapp"}),
    "rfc25-2.4": ("node=4/slot=4/[core;gpu]", {"command": "myapp"}),
}
COMMON = {"duration": "1h", "cwd": "/home/flux", "environment": "HOME=/home/flux"}


@pytest.mark.parametrize("name", WRITTEN)
async def test_a_use_case_of_rfc_25_is_written_from_blank(name: str, tmp_path: Path) -> None:
    shape, own = WRITTEN[name]
    (example,) = (entry for entry in library.entries() if entry.id == name)
    async with workbench_at() as (_, pilot):
        await burst(pilot, *shape)
        await press(pilot, "escape", "f12")
        for field, text in {**own, **COMMON}.items():
            await fill(pilot, field, text)
        await save(pilot, tmp_path / "job.yaml")
    written = yaml.safe_load((tmp_path / "job.yaml").read_text())
    assert written == example.document


# The form


async def test_the_form_and_the_yaml_and_the_shape_stay_in_step() -> None:
    async with workbench_at((200, 50), shape=SHAPE) as (app, pilot):
        await press(pilot, "f12")
        await fill(pilot, "tasks", "total=5")
        assert "total: 5" in plain(app, "#jobspec-text")
        await fill(pilot, "duration", "90m")
        assert "duration: 5400.0" in plain(app, "#jobspec-text")
        assert system(app)["duration"] == 5400.0


async def test_a_field_that_is_wrong_says_so_at_once_and_keeps_its_text() -> None:
    async with workbench_at((200, 50), shape=SHAPE) as (app, pilot):
        await press(pilot, "f12")
        await fill(pilot, "duration", "5 parsecs")
        row = app.form_pane.rows["duration"]
        assert row.message.display
        assert "parsecs" in row.message.plain
        assert "✗" in row.label.plain
        assert system(app)["duration"] == 5.0  # the last that could be read
        await press(pilot, "f12", "f12")
        assert row.entry.value == "5 parsecs"


async def test_f12_leads_to_the_form_and_back() -> None:
    async with workbench_at(shape=SHAPE) as (app, pilot):
        await press(pilot, "f12")
        assert app.focused is app.form_pane.rows["command"].entry
        assert not app.text_pane.display
        await press(pilot, "f12")
        assert app.focused is app.shape_bar.entry
        assert app.text_pane.display


async def test_letters_in_a_field_are_text() -> None:
    async with workbench_at(shape=SHAPE) as (app, pilot):
        await press(pilot, "f12", "end")
        await burst(pilot, *" s/? -q")
        assert app.form_pane.rows["command"].entry.value == "app s/? -q"


async def test_undo_goes_through_fields_and_shape_alike() -> None:
    async with workbench_at((200, 50), shape=SHAPE) as (app, pilot):
        await press(pilot, "f12")
        await fill(pilot, "bank", "physics")
        assert system(app)["bank"] == "physics"
        while app.history.past:
            await press(pilot, "ctrl+z")
        assert "bank" not in system(app)
        assert app.form_pane.rows["bank"].entry.value == ""


async def test_a_script_is_written_in_a_box_of_its_own() -> None:
    async with workbench_at(shape=SHAPE) as (app, pilot):
        await press(pilot, "f12", "down", "enter")
        await burst(pilot, *"#!/bin/sh", "enter", *"srun app")
        await press(pilot, "ctrl+s")
        script = system(app)["files"]["script"]["data"]
        assert script == "#!/bin/sh\nsrun app"
        assert "2 lines" in screen_text(app)


# The tree


async def tree(pilot: Pilot[None], *keys: str) -> None:
    """Keys pressed in the jobspec tree."""
    app = pilot.app
    app.screen.query_one("#jobspec-tree", Tree).focus()
    await settle(pilot)
    for key in keys:
        await press(pilot, key)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (["plus"], "node=5 / slot / [core=8; gpu]"),
        (["minus"], "node=3 / slot / [core=8; gpu]"),
        (["x"], "node=4{x} / slot / [core=8; gpu]"),
        (["down", "down", "plus"], "node=4 / slot / [core=9; gpu]"),
        (["down", "down", "d"], "node=4 / slot / [gpu]"),
        (["down", "down", "down", "K"], "node=4 / slot / [gpu; core=8]"),
        (["down", "b"], "node=4 / [core=8; gpu]"),
    ],
)
async def test_a_key_in_the_tree_edits_the_shape_in_place(keys: list[str], expected: str) -> None:
    async with workbench_at(shape="node=4 / slot / [core=8; gpu]") as (app, pilot):
        await tree(pilot, *keys)
        assert app.shape_bar.entry.value == expected
        await press(pilot, "ctrl+z")
        assert app.shape_bar.entry.value == "node=4 / slot / [core=8; gpu]"


async def test_a_vertex_is_added_by_a_line_that_is_typed() -> None:
    async with workbench_at(shape="node=4/slot/core=8") as (app, pilot):
        await tree(pilot, "down", "a")
        await burst(pilot, *"memory=4{unit:GB}")
        await press(pilot, "enter")
        assert app.state.build.text == "node=4/slot/[core=8;memory=4{unit:GB}]"
        assert tree_labels(app)[-1].strip().startswith("memory 4")
        assert isinstance(app.focused, Tree)


async def test_a_vertex_is_changed_by_its_own_line() -> None:
    async with workbench_at(shape="node=4/slot/core=8") as (app, pilot):
        await tree(pilot, "down", "down", "enter")
        entry = app.screen.query_one("#vertex-prompt-entry", Input)
        assert entry.value == "core=8"
        await burst(pilot, "backspace", *"2-4")
        await press(pilot, "enter")
        assert app.state.build.text == "node=4/slot/core=2-4"


async def test_a_line_that_is_no_vertex_is_not_taken_and_stays() -> None:
    async with workbench_at(shape="node=4/slot/core=8") as (app, pilot):
        await tree(pilot, "enter")
        await burst(pilot, *"=")
        await press(pilot, "enter")
        assert app.state.build.text == "node=4/slot/core=8"
        assert app.screen.query_one("#vertex-prompt-entry", Input).value == "node=4="
        await press(pilot, "escape")
        assert isinstance(app.focused, Tree)


# The text


async def test_the_yaml_is_edited_and_all_else_follows() -> None:
    async with workbench_at(shape="node=4/slot/core=8") as (app, pilot):
        await press(pilot, "f4", *["f4"] * 5)
        app.text_pane.view.focus()
        await press(pilot, "enter", "down", "down", "down", "end")
        await burst(pilot, "backspace", *"12 # a dozen")
        assert app.state.build.text == "node=12/slot/core=8"
        assert app.shape_bar.entry.value == "node=12/slot/core=8"
        await press(pilot, "escape")
        assert "count: 12 # a dozen" in plain(app, "#jobspec-text")


async def test_a_yaml_that_cannot_be_read_says_where_and_is_kept(tmp_path: Path) -> None:
    async with workbench_at(shape="node=4/slot/core=8") as (app, pilot):
        app.text_pane.view.focus()
        await press(pilot, "enter", "down", "down", "end")
        await burst(pilot, *": [")
        assert app.state.job.raw is not None
        assert app.state.build.text == "node=4/slot/core=8"
        assert "line" in str(app.text_pane.border_subtitle)
        await burst(pilot, "backspace", "backspace", "backspace")
        assert app.state.job.raw is None


async def test_comments_in_the_yaml_stay_when_the_shape_changes() -> None:
    async with workbench_at(shape="node=4/slot/core=8") as (app, pilot):
        app.text_pane.view.focus()
        await press(pilot, "enter", "end")
        await burst(pilot, *" # the only one")
        await press(pilot, "escape", "s", "end")
        await burst(pilot, "backspace", "9")
        assert app.state.build.text == "node=4/slot/core=9"
        text = plain(app, "#jobspec-text")
        assert "version: 1 # the only one" in text
        assert "count: 9" in text


# Other words


async def test_the_text_pane_says_it_in_the_words_of_others() -> None:
    async with workbench_at(shape="node=4/slot=2/[core=8;gpu]") as (app, pilot):
        await press(pilot, "f4", "f4", "f4")
        assert "flux submit -N4 -n8 -c8 -g1 app" in plain(app, "#jobspec-text").replace("\\\n", "")
        await press(pilot, "f4")
        assert "srun" in plain(app, "#jobspec-text")
        await press(pilot, "f4")
        assert "qsub" in plain(app, "#jobspec-text")


async def test_a_pasted_command_line_becomes_the_job() -> None:
    from textual import events

    async with workbench_at() as (app, pilot):
        app.post_message(events.Paste("srun -n10 -c 2 myapp"))
        await settle(pilot)
        assert "slot=10/core=2" in screen_text(app)
        await press(pilot, "ctrl+s")
        assert app.state.build.text == "slot=10/core=2"
        assert app.state.jobspec()["tasks"][0]["command"] == ["myapp"]
        await press(pilot, "ctrl+z")
        assert app.state.empty


async def test_a_pasted_shape_is_a_shape() -> None:
    from textual import events

    async with workbench_at() as (app, pilot):
        app.post_message(events.Paste("node=4/slot/\ncore"))
        await settle(pilot)
        assert app.shape_bar.entry.value == "node=4/slot/ core"


# Verdicts, and what mends them


async def test_one_key_mends_what_is_marked_in_the_tree() -> None:
    async with workbench_at(shape="node=4") as (app, pilot):
        assert app.state.verdicts is not None
        assert not app.state.verdicts.v1.ok
        for _ in range(5):
            if not app.state.verdicts.problems:
                break
            await tree(pilot, "f")
        assert app.state.build.text == "node=4/slot/core"
        assert app.state.verdicts.v1.ok
        assert app.state.verdicts.flux.ok
        await press(pilot, "ctrl+z")
        assert app.state.build.text == "node=4"


async def test_the_verdicts_are_listed_and_mended_by_enter() -> None:
    async with workbench_at(shape="node=2/slot/core=2-4") as (app, pilot):
        await press(pilot, "ctrl+l")
        text = screen_text(app)
        assert "✓ RFC 14" in text
        assert "✗ flux-core" in text
        await press(pilot, "enter")
        assert app.state.verdicts is not None
        assert app.state.verdicts.flux.ok
        assert "Nothing is wrong" in screen_text(app)
        await press(pilot, "ctrl+z")
        assert "✗ flux-core" in screen_text(app)
        await press(pilot, "escape")
        assert app.state.build.text == "node=2/slot/core=2-4"


# Examples


async def test_an_example_opens_as_a_starting_point() -> None:
    async with workbench_at(notifications=True) as (app, pilot):
        await press(pilot, "ctrl+g")
        await burst(pilot, *"rfc25-2.4")
        await press(pilot, "enter")
        (example,) = (entry for entry in library.entries() if entry.id == "rfc25-2.4")
        assert app.state.jobspec() == example.document
        assert app.shape_bar.entry.value == "node=4/slot=4/[core;gpu]"
        assert any("use case 2.4" in message for message in messages(app))
        await press(pilot, "ctrl+z")
        assert app.state.empty
