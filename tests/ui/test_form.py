"""The form of the job, by keys."""

import copy
from dataclasses import replace
from typing import Any

import pytest
from rich.text import Text
from textual import events

from fluxtui.model.form import fields
from fluxtui.model.form.field import Context
from fluxtui.model.form.program import ENVIRONMENT
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.problem import Parsed
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.job.form import ALONE, FieldRow
from fluxtui.ui.job.form import WIDE as WITH_WORDS
from fluxtui.ui.kit.lines_dialog import LinesDialog
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    SHAPE,
    WIDE,
    plain,
    screen_lines,
    screen_text,
    workbench_at,
)
from tests.ui.test_completion import drawn, offered, popup
from tests.ui.writing import fill, system


async def test_the_form_the_text_and_the_shape_stay_in_step() -> None:
    async with workbench_at((200, 50), shape=SHAPE) as (app, pilot):
        # The form and the yaml and the shape stay in step.
        await pilot.press("f12")
        await fill(pilot, "tasks", "total=5")
        assert "total: 5" in plain(app, "#jobspec-text")
        await fill(pilot, "duration", "90m")
        assert "duration: 5400.0" in plain(app, "#jobspec-text")
        assert system(app)["duration"] == 5400.0
        # A field that is wrong says so at once and keeps its text.
        await pilot.afresh(shape=SHAPE)
        await pilot.press("f12")
        await fill(pilot, "duration", "5 parsecs")
        row = app.panes["form"].rows["duration"]
        assert row.message.display
        assert "parsecs" in row.message.plain
        assert "✗" in row.label.plain
        assert system(app)["duration"] == 0.0  # what it was before, and not 5 seconds
        await pilot.press("f12", "f12")
        assert row.entry.value == "5 parsecs"
        # Undo goes through fields and shape alike.
        await pilot.afresh(shape=SHAPE)
        await pilot.press("f12")
        await fill(pilot, "bank", "physics")
        assert system(app)["bank"] == "physics"
        while app.history.past:
            await pilot.press("ctrl+z")
        assert "bank" not in system(app)
        assert app.panes["form"].rows["bank"].entry.value == ""
        # A long field is not read again while another is typed.
        await pilot.afresh(shape=SHAPE)
        await pilot.press("f12")
        await fill(pilot, "environment", "A=1 B=2")
        rows, read = app.panes["form"].rows, list[str]()
        counting(rows["environment"], read)
        await pilot.press(*["up"] * 5)
        await fill(pilot, "bank", "physics")
        assert system(app)["bank"] == "physics"
        assert read == []
        await fill(pilot, "environment", "A=1 C=3")
        assert read[-1] == "A=1 C=3"
        assert "2 variables" in rows["environment"].words.plain
        # A field is read again when what it is read beside changes.
        await pilot.afresh(shape="node=4/slot/core")
        await pilot.press("f12")
        await fill(pilot, "dependencies", "singleton")
        row = app.panes["form"].rows["dependencies"]
        assert row.problems
        await pilot.press(*["up"] * 5)
        await fill(pilot, "job-name", "mine")
        assert not row.problems
        # Fields follow the theme.
        await pilot.afresh(shape=SHAPE)
        await pilot.press("f12")
        lines = app.panes["form"].rows["script"].lines
        before = lines.lines[0]
        app.theme = "textual-light"
        await pilot.settle()
        assert lines.lines[0].plain == before.plain
        assert lines.lines[0].spans != before.spans


async def test_the_keys_of_the_form() -> None:
    async with workbench_at(shape=SHAPE) as (app, pilot):
        # F12 leads to the form and back.
        await pilot.press("f12")
        assert app.focused is app.panes["form"].rows["command"].entry
        assert not app.panes["text"].display
        await pilot.press("f12")
        assert app.focused is app.shape_bar.entry
        assert app.panes["text"].display
        # Letters in a field are text.
        await pilot.afresh(shape=SHAPE)
        await pilot.press("f12", "end")
        await pilot.burst(*" s/? -q")
        assert app.panes["form"].rows["command"].entry.value == "app s/? -q"
        # A script is written in a box of its own.
        await pilot.afresh(shape=SHAPE)
        await pilot.press("f12", "down", "enter")
        await pilot.burst(*"#!/bin/sh", "enter", *"srun app")
        await pilot.press("ctrl+s")
        script = system(app)["files"]["script"]["data"]
        assert script == "#!/bin/sh\nsrun app"
        assert "2 lines" in screen_text(app)
        # What is typed takes the place of what stood there.
        await pilot.afresh(shape=SHAPE)
        await pilot.press("f12")
        await pilot.burst(*"python3 train.py")
        assert app.state.jobspec()["tasks"][0]["command"] == ["python3", "train.py"]
        await pilot.press("down", "down", "down")
        await pilot.burst(*"total=3")
        assert app.state.jobspec()["tasks"][0]["count"] == {"total": 3}
        # A field that was left shows its beginning.
        await pilot.afresh(shape=SHAPE)
        await pilot.press("f12")
        await pilot.burst(*"echo " + "x" * 80)
        await pilot.press("down")
        assert "echo xxx" in screen_text(app)
        # What is typed right after an arrow is for the next field.
        await pilot.afresh(shape=SHAPE)
        await pilot.press("f12")
        await pilot.burst(*"hostname", "down", "down", "down", *"5", "enter", "enter", *"me")
        task = app.state.jobspec()["tasks"][0]
        assert (task["command"], task["count"]) == (["hostname"], {"total": 5})
        assert system(app)["job"] == {"name": "me"}


# What is read again


def counting(row: FieldRow, read: list[str]) -> None:
    """Have the row of the environment note each text that it reads."""

    class Noting(type(ENVIRONMENT)):  # type: ignore[misc]
        def read(self, text: str, context: Context) -> Parsed[Any]:
            read.append(text)
            return super().read(text, context)

    row.field = replace(row.field, notation=Noting())


OTHERS: list[tuple[tuple[str | int, ...], object]] = [
    (("resources",), []),
    (("resources",), 5),
    (("tasks",), []),
    (("tasks", 0, "command"), 5),
    (("tasks", 0, "command"), ["flux", "broker", "{{tmpdir}}/script"]),
    (("attributes", "system", "duration"), "soon"),
    (("attributes", "system", "cwd"), 5),
    (("attributes", "system", "job"), {"name": "mine"}),
    (("attributes", "system", "constraints"), {"properties": 5}),
    (("attributes", "system", "files"), {"script": 5}),
]

HELD = {
    "environment": [{"A": "1"}, {"A": None}, {"A": 5}, 5, None, []],
    "shell-options": [{"verbose": 2}, {"nothing-known": 1}, 5, None, []],
    "user": [{"a": {"b": 1}}, 5, None, []],
}


@pytest.mark.parametrize("name", ALONE)
@pytest.mark.parametrize(("steps", "other"), OTHERS)
def test_what_is_read_alone_hangs_on_no_other_part(
    name: str, steps: tuple[str | int, ...], other: object
) -> None:
    field = fields.by_name(name)

    def said(document: dict[str, Any], text: str) -> object:
        context = Context(document=document)
        return (
            field.describe(field.get(document), context),
            fields.problems(field, text, document, context),
        )

    for held in HELD[name]:
        one = field.put(jobspec.build([{"type": "core", "count": 1}]), held)
        two: Any = copy.deepcopy(one)
        here = two
        for step in steps[:-1]:
            here = here[step]
        here[steps[-1]] = other
        text = fields.text(field, one)
        assert fields.text(field, two) == text
        for typed in (text, "A=1 -B", "x: ["):
            assert said(one, typed) == said(two, typed)


# A field of many lines: its row in the form, and the box that it is written in


def box(app: FluxTUI) -> LinesDialog:
    """The box that is open."""
    assert isinstance(app.screen, LinesDialog)
    return app.screen


def script(app: FluxTUI) -> object:
    """The text of the job's script; None where it has none."""
    return system(app).get("files", {}).get("script", {}).get("data")


# The row


async def test_what_is_typed_on_the_row_is_text_of_the_box() -> None:
    async with workbench_at() as (app, pilot):
        # What is typed on the row is text of the box.
        for fast in [False, True]:
            await pilot.afresh(shape=SHAPE)
            await pilot.press("f12", "down")
            before = app.state
            text = [*"#!/bin/sh", "enter", *"cs[?]"]
            await (pilot.burst if fast else pilot.press)(*text)
            assert box(app).editor.text == "#!/bin/sh\ncs[?]"
            assert app.state.ask.text == ""
            assert app.state is before
            await pilot.press("ctrl+s")
            assert script(app) == "#!/bin/sh\ncs[?]"
            assert app.focused is app.panes["form"].rows["script"].target
        # A burst goes through the box and on.
        await pilot.afresh(shape=SHAPE)
        await pilot.burst("f12", "down", *"#!/bin/sh", "escape")
        assert script(app) == "#!/bin/sh"
        await pilot.burst("enter", "enter", *"date", "ctrl+s")
        assert script(app) == "#!/bin/sh\ndate"
        # What is typed on the row goes on from what stands there.
        await pilot.afresh(shape=SHAPE)
        await pilot.press("f12", "down", *"#!/bin/sh", "escape", "x", "escape")
        assert script(app) == "#!/bin/shx"
        # A paste on the row is text of the box.
        await pilot.afresh(shape=SHAPE)
        await pilot.press("f12", "down")
        app.post_message(events.Paste("#!/bin/sh\r#SBATCH -n 4\rdate\r"))
        await pilot.settle()
        assert box(app).editor.text == "#!/bin/sh\n#SBATCH -n 4\ndate\n"
        # Keys that are no text do what they do on the row.
        await pilot.afresh(shape=SHAPE)
        await pilot.press("f12", "down", "down", "up")
        assert app.focused is app.panes["form"].rows["script"].target
        await pilot.press("tab")
        assert len(app.screen_stack) == 1
        assert app.focused is not app.panes["form"].rows["script"].target
        # A blank stands between a label and the text.
        await pilot.afresh(shape=SHAPE)
        await pilot.press("f12")
        for row in app.panes["form"].rows.values():
            assert row.target.region.x > row.label.region.x + len("✗ Shell options")


# The box


async def test_escape_and_undo_in_the_box() -> None:
    async with workbench_at(shape=SHAPE) as (app, pilot):
        # Escape keeps what was typed and one step takes it back.
        await pilot.press("f12", "down", "enter", *"#!/bin/sh", "enter", *"date")
        assert "esc" in str(box(app).box.border_subtitle)
        await pilot.press("escape")
        assert script(app) == "#!/bin/sh\ndate"
        await pilot.press("ctrl+z")
        assert script(app) is None
        await pilot.press("ctrl+r")
        assert script(app) == "#!/bin/sh\ndate"
        # Escape changes nothing where nothing was typed.
        await pilot.afresh(shape=SHAPE)
        await pilot.press("f12", "down")
        before = app.state.jobspec()
        await pilot.press("enter", "x", "backspace", "escape")
        assert len(app.screen_stack) == 1
        assert app.state.jobspec() == before
        assert not app.history.past
        # Undo and redo in the box.
        for redo in ["ctrl+r", "ctrl+y"]:
            await pilot.afresh(shape=SHAPE)
            await pilot.press("f12", "down", "enter", *"date", "ctrl+z")
            assert box(app).editor.text == ""
            await pilot.press(redo)
            assert box(app).editor.text == "date"
        # Escape leaves a request that nobody typed in.
        await pilot.afresh()
        app.push_screen(LinesDialog("A title", "a note", "srun app", Text))
        await pilot.settle()
        await pilot.press("x", "backspace", "ctrl+z", "ctrl+z", "escape")
        assert len(app.screen_stack) == 1


async def test_escape_asks_before_a_request_goes() -> None:
    ended: list[str | None] = []
    async with workbench_at() as (app, pilot):
        app.push_screen(LinesDialog("A title", "a note", "srun app", Text), ended.append)
        await pilot.settle()
        await pilot.press("x", "escape")
        assert "again" in str(box(app).box.border_subtitle)
        assert "escape again" in str(box(app).told.content)
        await pilot.press("y")
        assert "again" not in str(box(app).box.border_subtitle)
        assert str(box(app).told.content) == box(app).editor.text
        await pilot.press("escape")
        assert ended == []
        await pilot.press("escape")
        assert ended == [None]


async def test_long_lines_and_replaced_commands() -> None:
    async with workbench_at(shape=SHAPE) as (app, pilot):
        # The cursor stays in sight in a long line.
        await pilot.press("f12", "down", "enter")
        app.post_message(events.Paste("x" * 300))
        await pilot.settle()
        editor = box(app).editor
        assert 0 < 300 - editor.scroll_offset.x < editor.size.width
        await pilot.press("home")
        assert editor.scroll_offset.x == 0
        # A command that a script takes the place of is named.
        await pilot.afresh(shape=SHAPE, size=(200, 50))
        await pilot.press("f12", *"train.py -v", "down")
        help_line = app.panes["form"]._help
        assert "train.py" not in help_line.plain
        await pilot.press(*"#!/bin/sh", "escape")
        assert "in place of the command train.py -v" in help_line.plain
        assert "ctrl+z" in help_line.plain
        await pilot.press("enter", "enter", "x", "escape")
        assert "in place of the command train.py -v" in help_line.plain
        while app.history.past:
            await pilot.press("ctrl+z")
        assert "in place of" not in help_line.plain
        # A plain command is not missed.
        await pilot.afresh(shape=SHAPE)
        await pilot.press("f12", "down", *"#!/bin/sh", "escape")
        assert "in place of" not in app.panes["form"]._help.plain


# What of the form is in sight: at another size, where the cursor is, page by page


def current(app: FluxTUI) -> FieldRow:
    """The field with the cursor."""
    row = app.panes["form"]._current
    assert row is not None
    return row


def drawn_form(app: FluxTUI) -> list[str]:
    """The lines of the pane as they are drawn, with its frame."""
    region = app.panes["form"].region
    return [line[region.x : region.right] for line in screen_lines(app)[region.y : region.bottom]]


def is_seen(app: FluxTUI) -> bool:
    """The field with the cursor is drawn where it can be seen."""
    fields, label = app.panes["form"].query_one("#fields").region, current(app).label
    return label.region in fields and label.plain.strip() in "\n".join(drawn_form(app))


# Another size


@pytest.mark.parametrize("size", [NARROW, NORMAL])
async def test_a_form_that_comes_in_sight_on_a_wider_screen_is_filled(
    size: tuple[int, int],
) -> None:
    async with workbench_at(WIDE, shape=SHAPE) as (app, pilot):
        fresh = drawn_form(app)
        assert any("Command" in line for line in fresh)
    async with workbench_at(size, shape=SHAPE) as (app, pilot):
        await pilot.resize_terminal(*WIDE)
        await pilot.settle()
        assert drawn_form(app) == fresh


async def test_a_form_that_comes_in_sight_knows_its_room() -> None:
    async with workbench_at(NORMAL, shape=SHAPE) as (app, pilot):
        # The words of the fields follow the room for them.
        await pilot.press("f12", "down", "down", "down")
        words = current(app).words
        assert words.plain
        assert not words.display
        for size in (NARROW, NORMAL, WIDE):
            await pilot.resize_terminal(*size)
            await pilot.settle()
            assert words.display is (app.panes["form"].size.width >= WITH_WORDS)
            assert is_seen(app)
        # A form that is brought knows its room.
        await pilot.afresh(shape=SHAPE, size=NARROW)
        await pilot.press("f12")
        assert "tasks[0].command" in screen_text(app)
        assert app.panes["form"].rows["tasks"].words.display
        # The field that is typed in is seen when the form comes back.
        await pilot.afresh(shape="slot/core")
        await pilot.press("f12", *["down"] * 14)
        assert is_seen(app)
        await pilot.press("ctrl+t", *"gpu")
        assert app.workspace.front == "cluster"
        await pilot.press("f12")
        assert current(app).field.name == "command"
        assert is_seen(app)


# Where the cursor is


async def test_the_keys_lead_to_fields_that_are_seen() -> None:
    async with workbench_at(shape=SHAPE) as (app, pilot):
        # Keys in one burst lead to a field that is seen.
        await pilot.burst("f12", *["down"] * 14, "up")
        await pilot.until(lambda: is_seen(app))
        await pilot.burst("f12", "f12", "pagedown", "pagedown")
        await pilot.until(lambda: is_seen(app))
        # The page keys go through the fields.
        await pilot.afresh(shape=SHAPE)
        await pilot.press("f12")
        names, height = (
            list(app.panes["form"].rows),
            app.panes["form"].query_one("#fields").size.height,
        )
        first, last = names[0], names[-1]
        seen, before = [first], current(app)
        while before.field.name != last:
            await pilot.press("pagedown")
            await pilot.until(lambda: is_seen(app))
            down = current(app).virtual_region.y - before.virtual_region.y
            assert 0 < down < height
            before = current(app)
            seen.append(before.field.name)
        assert len(seen) < len(names) / 2
        await pilot.press("pagedown")
        assert current(app).field.name == last
        await pilot.press(*["pageup"] * (len(seen) - 1))
        await pilot.until(lambda: is_seen(app))
        assert current(app).field.name == first
        await pilot.press("pageup")
        assert current(app).field.name == first
        # A page is of the list where one chooses from it.
        await pilot.afresh(shape=SHAPE, size=NORMAL)
        await pilot.press("f12")
        await pilot.press(*["down"] * list(app.panes["form"].rows).index("duration"), "ctrl+@")
        row = current(app)
        assert len(offered(app)) > 1
        await pilot.press("pagedown")
        assert current(app) is row
        assert popup(app).chosen == min(len(offered(app)), popup(app).page) - 1
        # What a field offers takes the room beside the pane.
        shape = "slot{label}/[core=8;memory=64{unit:GB};gpu=2]"
        await pilot.afresh(shape=shape)
        await pilot.press("f12", "down", "down", "backspace", "ctrl+@")
        assert "1 slot of core ×8, memory ×64 GB, gpu ×2" in drawn(app)[0]
        assert popup(app).region.right > app.panes["form"].region.right
