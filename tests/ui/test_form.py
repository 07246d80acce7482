"""The form of the job, by keys."""

import copy
from dataclasses import replace
from typing import Any

import pytest

from fluxtui.model.form import fields
from fluxtui.model.form.field import Context
from fluxtui.model.form.program import ENVIRONMENT
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.problem import Parsed
from fluxtui.ui.form_rows import ALONE, FieldRow
from tests.ui.helpers import SHAPE, afresh, burst, plain, press, screen_text, settle, workbench_at
from tests.ui.writing import fill, system


async def test_the_form_the_text_and_the_shape_stay_in_step() -> None:
    async with workbench_at((200, 50), shape=SHAPE) as (app, pilot):
        # The form and the yaml and the shape stay in step.
        await press(pilot, "f12")
        await fill(pilot, "tasks", "total=5")
        assert "total: 5" in plain(app, "#jobspec-text")
        await fill(pilot, "duration", "90m")
        assert "duration: 5400.0" in plain(app, "#jobspec-text")
        assert system(app)["duration"] == 5400.0
        # A field that is wrong says so at once and keeps its text.
        await afresh(app, pilot, shape=SHAPE)
        await press(pilot, "f12")
        await fill(pilot, "duration", "5 parsecs")
        row = app.form_pane.rows["duration"]
        assert row.message.display
        assert "parsecs" in row.message.plain
        assert "✗" in row.label.plain
        assert system(app)["duration"] == 0.0  # what it was before, and not 5 seconds
        await press(pilot, "f12", "f12")
        assert row.entry.value == "5 parsecs"
        # Undo goes through fields and shape alike.
        await afresh(app, pilot, shape=SHAPE)
        await press(pilot, "f12")
        await fill(pilot, "bank", "physics")
        assert system(app)["bank"] == "physics"
        while app.history.past:
            await press(pilot, "ctrl+z")
        assert "bank" not in system(app)
        assert app.form_pane.rows["bank"].entry.value == ""
        # A long field is not read again while another is typed.
        await afresh(app, pilot, shape=SHAPE)
        await press(pilot, "f12")
        await fill(pilot, "environment", "A=1 B=2")
        rows, read = app.form_pane.rows, list[str]()
        counting(rows["environment"], read)
        await press(pilot, *["up"] * 5)
        await fill(pilot, "bank", "physics")
        assert system(app)["bank"] == "physics"
        assert read == []
        await fill(pilot, "environment", "A=1 C=3")
        assert read[-1] == "A=1 C=3"
        assert "2 variables" in rows["environment"].words.plain
        # A field is read again when what it is read beside changes.
        await afresh(app, pilot, shape="node=4/slot/core")
        await press(pilot, "f12")
        await fill(pilot, "dependencies", "singleton")
        row = app.form_pane.rows["dependencies"]
        assert row.problems
        await press(pilot, *["up"] * 5)
        await fill(pilot, "job-name", "mine")
        assert not row.problems
        # Fields follow the theme.
        await afresh(app, pilot, shape=SHAPE)
        await press(pilot, "f12")
        lines = app.form_pane.rows["script"].lines
        before = lines.lines[0]
        app.theme = "textual-light"
        await settle(pilot)
        assert lines.lines[0].plain == before.plain
        assert lines.lines[0].spans != before.spans


async def test_the_keys_of_the_form() -> None:
    async with workbench_at(shape=SHAPE) as (app, pilot):
        # F12 leads to the form and back.
        await press(pilot, "f12")
        assert app.focused is app.form_pane.rows["command"].entry
        assert not app.text_pane.display
        await press(pilot, "f12")
        assert app.focused is app.shape_bar.entry
        assert app.text_pane.display
        # Letters in a field are text.
        await afresh(app, pilot, shape=SHAPE)
        await press(pilot, "f12", "end")
        await burst(pilot, *" s/? -q")
        assert app.form_pane.rows["command"].entry.value == "app s/? -q"
        # A script is written in a box of its own.
        await afresh(app, pilot, shape=SHAPE)
        await press(pilot, "f12", "down", "enter")
        await burst(pilot, *"#!/bin/sh", "enter", *"srun app")
        await press(pilot, "ctrl+s")
        script = system(app)["files"]["script"]["data"]
        assert script == "#!/bin/sh\nsrun app"
        assert "2 lines" in screen_text(app)
        # What is typed takes the place of what stood there.
        await afresh(app, pilot, shape=SHAPE)
        await press(pilot, "f12")
        await burst(pilot, *"python3 train.py")
        assert app.state.jobspec()["tasks"][0]["command"] == ["python3", "train.py"]
        await press(pilot, "down", "down", "down")
        await burst(pilot, *"total=3")
        assert app.state.jobspec()["tasks"][0]["count"] == {"total": 3}
        # A field that was left shows its beginning.
        await afresh(app, pilot, shape=SHAPE)
        await press(pilot, "f12")
        await burst(pilot, *"echo " + "x" * 80)
        await press(pilot, "down")
        assert "echo xxx" in screen_text(app)
        # What is typed right after an arrow is for the next field.
        await afresh(app, pilot, shape=SHAPE)
        await press(pilot, "f12")
        await burst(pilot, *"hostname", "down", "down", "down", *"5", "enter", "enter", *"me")
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
