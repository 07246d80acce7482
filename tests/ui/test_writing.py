"""Writing a whole job by keys: the use cases, the text, examples and verdicts."""

from pathlib import Path

import pytest
import yaml
from textual.pilot import Pilot
from textual.widgets import Input

from fluxtui import library
from tests.ui.helpers import (
    afresh,
    burst,
    done,
    messages,
    plain,
    press,
    put,
    screen_text,
    settle,
    workbench_at,
)
from tests.ui.writing import fill


async def save(pilot: Pilot[None], path: Path) -> None:
    """Save under a path, by keys."""
    await press(pilot, "ctrl+s")
    entry = pilot.app.screen.query_one("#save-path", Input)
    await press(pilot, "end")
    await burst(pilot, *["backspace"] * len(entry.value))
    await burst(pilot, *str(path))
    await press(pilot, "enter")
    await done(pilot)


# The RFC 25 use cases, one of them by keys alone

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
            if name == "rfc25-2.1":
                await fill(pilot, field, text)
            else:
                await put(pilot, text, f"#field-{field}")
        await save(pilot, tmp_path / "job.yaml")
    written = yaml.safe_load((tmp_path / "job.yaml").read_text())
    assert written == example.document


# The text


async def test_the_yaml_is_edited_and_all_else_follows() -> None:
    async with workbench_at(shape="node=4/slot/core=8") as (app, pilot):
        # The yaml is edited and all else follows.
        await press(pilot, "f4", *["f4"] * 5)
        app.text_pane.view.focus()
        await press(pilot, "enter", "down", "down", "down", "end")
        await burst(pilot, "backspace", *"12 # a dozen")
        assert app.state.build.text == "node=12/slot/core=8"
        assert app.shape_bar.entry.value == "node=12/slot/core=8"
        await press(pilot, "escape")
        assert "count: 12 # a dozen" in plain(app, "#jobspec-text")
        # A yaml that cannot be read says where and is kept.
        await afresh(app, pilot, shape="node=4/slot/core=8")
        app.text_pane.view.focus()
        await press(pilot, "enter", "down", "down", "end")
        await burst(pilot, *": [")
        assert app.state.job.raw is not None
        assert app.state.build.text == "node=4/slot/core=8"
        assert app.text_pane.trouble is not None
        assert app.text_pane.trouble.plain.startswith("line 3: not YAML: ")
        await burst(pilot, "backspace", "backspace", "backspace")
        assert app.state.job.raw is None
        # Comments in the yaml stay when the shape changes.
        await afresh(app, pilot, shape="node=4/slot/core=8")
        app.text_pane.view.focus()
        await press(pilot, "enter", "end")
        await burst(pilot, *" # the only one")
        await press(pilot, "escape", "s", "end")
        await burst(pilot, "backspace", "9")
        assert app.state.build.text == "node=4/slot/core=9"
        text = plain(app, "#jobspec-text")
        assert "version: 1 # the only one" in text
        assert "count: 9" in text
        # The text pane says it in the words of others.
        await afresh(app, pilot, shape="node=4/slot=2/[core=8;gpu]")
        await press(pilot, "f4", "f4", "f4")
        assert "flux submit -N4 -n8 -c8 -g1 app" in plain(app, "#jobspec-text").replace("\\\n", "")
        await press(pilot, "f4")
        assert "srun" in plain(app, "#jobspec-text")
        await press(pilot, "f4")
        assert "qsub" in plain(app, "#jobspec-text")


# Other words


async def test_pasted_and_typed_command_lines_become_the_job() -> None:
    async with workbench_at() as (app, pilot):
        # A pasted command line becomes the job.
        from textual import events

        await afresh(app, pilot)
        app.post_message(events.Paste("srun -n10 -c 2 myapp"))
        await settle(pilot)
        assert "slot=10/core=2" in screen_text(app)
        await press(pilot, "ctrl+s")
        assert app.state.build.text == "slot=10/core=2"
        assert app.state.jobspec()["tasks"][0]["command"] == ["myapp"]
        await press(pilot, "ctrl+z")
        assert app.state.empty
        # A pasted shape is a shape.
        from textual import events

        await afresh(app, pilot)
        app.post_message(events.Paste("node=4/slot/\ncore"))
        await settle(pilot)
        assert app.shape_bar.entry.value == "node=4/slot/ core"
        # A command line that was typed is read on enter.
        await afresh(app, pilot)
        await burst(pilot, *"srun -n10 -c 2 app")
        assert "enter in the shape reads it" in screen_text(app)
        await press(pilot, "enter", "ctrl+s")
        assert app.state.build.text == "slot=10/core=2"


# Verdicts, and what mends them


async def test_verdicts_are_mended_and_examples_opened() -> None:
    async with workbench_at(shape="node=2/slot/core=2-4", notifications=True) as (app, pilot):
        # The verdicts are listed and mended by enter.
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
        # An example opens as a starting point.
        await afresh(app, pilot)
        await press(pilot, "ctrl+g")
        await burst(pilot, *"rfc25-2.4")
        await press(pilot, "enter")
        (example,) = (entry for entry in library.entries() if entry.id == "rfc25-2.4")
        assert app.state.jobspec() == example.document
        assert app.shape_bar.entry.value == "node=4/slot=4/[core;gpu]"
        assert any("use case 2.4" in message for message in messages(app))
        await press(pilot, "ctrl+z")
        assert app.state.empty


async def test_the_verdicts_take_back_only_what_was_mended_there() -> None:
    async with workbench_at(notifications=True) as (app, pilot):
        await put(pilot, "node=2/slot/core=2-4", "#shape-input")
        await press(pilot, "ctrl+l", "ctrl+z")
        assert app.state.build.text == "node=2/slot/core=2-4"
        assert any("Nothing was mended here" in message for message in messages(app))
        await press(pilot, "enter", "ctrl+z", "ctrl+z")
        assert app.state.build.text == "node=2/slot/core=2-4"
        await press(pilot, "escape", "ctrl+z")
        assert app.state.build.text != "node=2/slot/core=2-4"


# Examples
