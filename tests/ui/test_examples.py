"""The library of examples: finding one by keys, seeing it, taking it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import astuple
from pathlib import Path
from textwrap import dedent

import yaml
from textual.widgets import Input

from fluxtui import library
from fluxtui.library import Example
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.job.examples import examples_picker
from fluxtui.ui.kit.picker import Picker
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    SHAPE,
    SIZES,
    WIDE,
    Hands,
    messages,
    plain,
    screen_lines,
    screen_text,
    workbench_at,
)
from tests.ui.writing import fill


@asynccontextmanager
async def examples_at(
    size: tuple[int, int] = NORMAL,
) -> AsyncIterator[tuple[FluxTUI, Hands, "Dialog"]]:
    """The dialog over the workbench."""
    async with workbench_at(size, shape=SHAPE) as (app, pilot):
        dialog = Dialog(app, pilot)
        await dialog.open()
        yield app, pilot, dialog


class Dialog:
    """The dialog over a workbench that runs, and what it ends with."""

    def __init__(self, app: FluxTUI, pilot: Hands) -> None:
        self.app, self.pilot = app, pilot
        self.taken: list[Example | None] = []

    async def open(self, *keys: str, size: tuple[int, int] | None = None) -> None:
        """Begin anew: open the dialog, and press keys there."""
        if len(self.app.screen_stack) > 1:
            await self.pilot.press("escape")
        if size is not None:
            await self.pilot.resize_terminal(*size)
        self.taken.clear()
        self.app.push_screen(examples_picker(self.app.palette), self.taken.append)
        await self.pilot.settle()
        await self.pilot.burst(*keys)

    @property
    def titles(self) -> list[str]:
        """The titles in the list."""
        assert isinstance(self.app.screen, Picker)
        return self.app.screen.labels

    @property
    def chosen(self) -> str:
        """The title in the preview."""
        return plain(self.app, "#picker-preview").partition("\n")[0]


def found(words: str) -> list[str]:
    return [example.title for example in library.find(words)]


async def test_the_list_and_the_preview_at_every_size() -> None:
    async with examples_at() as (app, pilot, dialog):
        for size in SIZES:
            await dialog.open(size=size)
            assert dialog.titles == found("")
            assert dialog.chosen == found("")[0]
            text, first = screen_text(app), library.entries()[0]
            assert text.count(first.title) == 2
            assert first.shape in text
            rows, preview = (
                app.screen.query_one(part).region for part in ("#picker-rows", "#picker-preview")
            )
            assert rows.bottom <= preview.y if size == NARROW else rows.right <= preview.x
            assert preview.height > 10
            await pilot.burst(*["down"] * 60)
            assert any(found("")[60] in line for line in screen_lines(app))
            assert dialog.chosen == found("")[60]
            await dialog.open(*"nonesuch")
            assert "No example has all of these words." in screen_text(app)
            await pilot.burst("down", "pagedown", "enter")
            assert dialog.taken == []
            await pilot.burst(*["backspace"] * 8)
            assert dialog.chosen == found("")[0]
        # Page keys scroll the preview; another example is shown from its top.
        await dialog.open(*"14 1.5", "pagedown", size=NARROW)
        view = app.screen.query_one("#picker-preview")
        assert view.scroll_offset.y > 5
        await pilot.burst(*["pagedown"] * 9)
        assert "HOME: /home/flux" in screen_text(app)
        await pilot.burst("backspace", *"6")
        assert view.scroll_offset.y == 0
        # On a small screen the list has all the room.
        await pilot.resize_terminal(40, 12)
        await pilot.settle()
        assert "preview" not in screen_text(app)
        assert found("14 1.6")[0][:20] in screen_text(app)


async def test_an_example_is_found_and_taken() -> None:
    async with examples_at() as (app, pilot, dialog):
        await pilot.burst(*"gpu")
        assert dialog.titles == found("gpu")
        assert f"{len(found('gpu'))} of {len(found(''))}" in screen_text(app)
        await pilot.burst("down", "down", "up")
        assert dialog.chosen == found("gpu")[1]
        # Enter takes what was typed right before.
        await dialog.open(*"mpi", "down", "enter")
        assert dialog.taken == [library.find("mpi")[1]]
        assert app.state.build.text == SHAPE  # what to do with it is for who asked
        await dialog.open(*"gpu", "escape")
        assert dialog.taken == [None]
        assert app.focused is app.query_one("#shape-input")
        # A click shows one, another takes it.
        await dialog.open(*"rfc31")
        await pilot.click("#picker-rows", offset=(4, 2))
        await pilot.settle()
        assert dialog.chosen == found("rfc31")[2]
        assert dialog.taken == []
        await pilot.click("#picker-rows", offset=(4, 2))
        await pilot.settle()
        assert dialog.taken == [library.find("rfc31")[2]]


async def test_the_preview_shows_all_of_an_example() -> None:
    async with examples_at(WIDE) as (app, pilot, dialog):
        for id_ in ("fluxtui-batch", "rfc25-2.1", "rfc14-1.3", "rfc14-2.7"):
            await dialog.open(*id_)
            (example,) = (e for e in library.entries() if e.id == id_)
            head, _, text = plain(app, "#picker-preview").partition("Jobspec · ")
            verdict, _, text = text.partition("\n")
            if verdict != "V1 ✓":
                assert verdict == "beyond V1"
                _, _, text = text.partition("\n")
            assert yaml.safe_load(dedent(text)) == example.document
            assert " ".join(example.text.split()) in " ".join(head.split())
            assert f"Shape\n  {example.shape}\n" in head
            for system, command in map(astuple, example.equivalents):
                line = next(line for line in head.splitlines() if line.endswith(command))
                assert line.split()[0] == system
        await dialog.open(*"rfc31-6")
        text = plain(app, "#picker-preview")
        assert "Requires\n  host:host[0-1] ssd\n" in text
        assert '"hostlist": ["host[0-1]"]' in text
        assert "Shape" not in text
        await pilot.burst("backspace", *"empty-not")
        assert plain(app, "#picker-preview").count('{"not": []}') == 1


# Writing a whole job by keys: the use cases, the text, examples and verdicts


async def save(pilot: Hands, path: Path) -> None:
    """Save under a path, by keys."""
    await pilot.press("ctrl+s")
    entry = pilot.app.screen.query_one("#save-path", Input)
    await pilot.press("end")
    await pilot.burst(*["backspace"] * len(entry.value))
    await pilot.burst(*str(path))
    await pilot.press("enter")
    await pilot.done()


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


async def test_the_use_cases_of_rfc_25_are_written_from_blank(tmp_path: Path) -> None:
    async with workbench_at() as (_, pilot):
        for name, (shape, own) in WRITTEN.items():
            (example,) = (entry for entry in library.entries() if entry.id == name)
            await pilot.afresh()
            await pilot.burst(*shape)
            await pilot.press("escape", "f12")
            for field, text in {**own, **COMMON}.items():
                if name == "rfc25-2.1":
                    await fill(pilot, field, text)
                else:
                    await pilot.put(text, f"#field-{field}")
            await save(pilot, tmp_path / f"{name}.yaml")
            written = yaml.safe_load((tmp_path / f"{name}.yaml").read_text())
            assert written == example.document


# The text


async def test_the_yaml_is_edited_and_all_else_follows() -> None:
    async with workbench_at(shape="node=4/slot/core=8") as (app, pilot):
        # The yaml is edited and all else follows.
        app.go_to("text")
        await pilot.settle()
        await pilot.press("enter", "down", "down", "down", "end")
        await pilot.burst("backspace", *"12 # a dozen")
        assert app.state.build.text == "node=12/slot/core=8"
        assert app.shape_bar.entry.value == "node=12/slot/core=8"
        await pilot.press("escape")
        assert "count: 12 # a dozen" in plain(app, "#jobspec-text")
        # A yaml that cannot be read says where and is kept.
        await pilot.afresh(shape="node=4/slot/core=8")
        app.go_to("text")
        await pilot.settle()
        await pilot.press("enter", "down", "down", "end")
        await pilot.burst(*": [")
        assert app.state.job.raw is not None
        assert app.state.build.text == "node=4/slot/core=8"
        assert app.panes["text"].trouble is not None
        assert app.panes["text"].trouble.plain.startswith("line 3: not YAML: ")
        await pilot.burst("backspace", "backspace", "backspace")
        assert app.state.job.raw is None
        # Comments in the yaml stay when the shape changes.
        await pilot.afresh(shape="node=4/slot/core=8")
        app.go_to("text")
        await pilot.settle()
        await pilot.press("enter", "end")
        await pilot.burst(*" # the only one")
        await pilot.press("escape", "s", "end")
        await pilot.burst("backspace", "9")
        assert app.state.build.text == "node=4/slot/core=9"
        text = plain(app, "#jobspec-text")
        assert "version: 1 # the only one" in text
        assert "count: 9" in text
        # The text pane says it in the words of others.
        await pilot.afresh(shape="node=4/slot=2/[core=8;gpu]")
        app.go_to("commands")
        await pilot.settle()
        said = plain(app, "#commands-text").replace("\\\n", "")
        assert "flux submit -N4 -n8 -c8 -g1 app" in said
        await pilot.press("f4")
        assert "srun" in plain(app, "#commands-text")
        await pilot.press("f4")
        assert "qsub" in plain(app, "#commands-text")


# Other words


async def test_pasted_and_typed_command_lines_become_the_job() -> None:
    async with workbench_at() as (app, pilot):
        # A pasted command line becomes the job.
        from textual import events

        await pilot.afresh()
        app.post_message(events.Paste("srun -n10 -c 2 myapp"))
        await pilot.settle()
        assert "slot=10/core=2" in screen_text(app)
        await pilot.press("ctrl+s")
        assert app.state.build.text == "slot=10/core=2"
        assert app.state.jobspec()["tasks"][0]["command"] == ["myapp"]
        await pilot.press("ctrl+z")
        assert app.state.empty
        # A pasted shape is a shape.
        from textual import events

        await pilot.afresh()
        app.post_message(events.Paste("node=4/slot/\ncore"))
        await pilot.settle()
        assert app.shape_bar.entry.value == "node=4/slot/ core"
        # A command line that was typed is read on enter.
        await pilot.afresh()
        await pilot.burst(*"srun -n10 -c 2 app")
        assert "a command line? press enter" in screen_text(app)
        await pilot.press("enter", "ctrl+s")
        assert app.state.build.text == "slot=10/core=2"


# Verdicts, and what mends them


async def test_verdicts_are_mended_and_examples_opened() -> None:
    async with workbench_at(shape="node=2/slot/core=2-4", notifications=True) as (app, pilot):
        # The verdicts are listed and mended by enter.
        await pilot.press("ctrl+l")
        text = screen_text(app)
        assert "✓ RFC 14" in text
        assert "✗ flux-core" in text
        await pilot.press("enter")
        assert app.state.verdicts is not None
        assert app.state.verdicts.flux.ok
        assert "Nothing is wrong" in screen_text(app)
        await pilot.press("ctrl+z")
        assert "✗ flux-core" in screen_text(app)
        await pilot.press("escape")
        assert app.state.build.text == "node=2/slot/core=2-4"
        # An example opens as a starting point.
        await pilot.afresh()
        await pilot.press("escape", "E")
        await pilot.burst(*"rfc25-2.4")
        await pilot.press("enter")
        (example,) = (entry for entry in library.entries() if entry.id == "rfc25-2.4")
        assert app.state.jobspec() == example.document
        assert app.shape_bar.entry.value == "node=4/slot=4/[core;gpu]"
        assert any("use case 2.4" in message for message in messages(app))
        await pilot.press("ctrl+z")
        assert app.state.empty
