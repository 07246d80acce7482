"""The form of the job, by keys."""

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.text import Text
from textual.widgets import Input, Static

from fluxtui.model.documents.document import read_yaml
from fluxtui.model.form import fields
from fluxtui.model.form.field import Context
from fluxtui.model.form.program import ENVIRONMENT
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.problem import Parsed
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.job.form import ALONE, WIDE, FieldEntry, FieldRow, FormPane
from fluxtui.ui.kit.entry import LinesField
from fluxtui.ui.kit.lines_dialog import LinesDialog
from fluxtui.workbench import TypeField
from tests.each import for_each
from tests.ui.helpers import NARROW, NORMAL, SHAPE, Hands, workbench_at
from tests.ui.seen import plain, row_of, screen_lines, screen_text
from tests.ui.test_completion import offered, popup
from tests.ui.writing import fill, system


def current(app: FluxTUI) -> FieldRow:
    row = app.pane(FormPane).current
    assert row is not None
    return row


def is_seen(app: FluxTUI) -> bool:
    """The field with the cursor is drawn where it can be seen."""
    around, label = app.pane(FormPane).query_one("#fields").region, current(app).label
    drawn = screen_lines(app)[label.region.y] if label.region in around else ""
    return label.plain.strip() in drawn


def typed(app: FluxTUI, name: str) -> str:
    return app.query_one(f"#field-{name}", Input).value


def help_of(app: FluxTUI) -> str:
    """What is said of the field with the cursor, in one line."""
    return " ".join(plain(app, "#field-help").split())


async def begin(pilot: Hands, *keys: str, shape: str = SHAPE, **more: Any) -> None:
    """A fresh job, and keys in its form."""
    await pilot.afresh(shape=shape, **more)
    await pilot.press("f12", *keys)


async def test_the_form_the_text_and_the_shape_stay_in_step() -> None:
    async with workbench_at((200, 50)) as (app, pilot):
        rows = app.pane(FormPane).rows
        await begin(pilot)
        await fill(pilot, "tasks", "total=5")
        assert app.state.jobspec()["tasks"][0]["count"] == {"total": 5}
        # A field that is wrong says so at once, moves no other, and keeps its text.
        await fill(pilot, "duration", "1h")
        before = [row.region.y for row in rows.values()]
        await pilot.press("down", "up")
        await fill(pilot, "duration", "3 parsecs")
        assert [row.region.y for row in rows.values()] == before
        assert "parsecs" in help_of(app)
        assert "parsecs" in rows["duration"].beside.plain
        assert "✗" in rows["duration"].label.plain
        assert "✗ Duration '3 parsecs'" in row_of(app, "#verdicts")
        # A field that was left is what the next change begins with.
        assert system(app)["duration"] == 3600.0
        assert "kept: 1 hour" in rows["duration"].words
        await pilot.press("f12", "f12")
        assert typed(app, "duration") == "3 parsecs"
        await pilot.press("ctrl+z", "ctrl+z")
        assert system(app)["duration"] == 3600.0
        assert "Duration" not in row_of(app, "#verdicts")
        # Undo goes through fields and shape alike.
        await begin(pilot)
        await fill(pilot, "bank", "physics")
        assert system(app)["bank"] == "physics"
        while app.history.past:
            await pilot.press("ctrl+z")
        assert "bank" not in system(app)
        assert typed(app, "bank") == ""
        # A long field is not read again while another is typed.
        await begin(pilot)
        await fill(pilot, "environment", "A=1 B=2")
        read = list[str]()
        counting(rows["environment"], read)
        await pilot.press(*["up"] * 5)
        await fill(pilot, "bank", "physics")
        assert read == []
        await fill(pilot, "environment", "A=1 C=3")
        assert read[-1] == "A=1 C=3"
        assert "2 variables" in rows["environment"].words
        # A field is read again when what it is read beside changes.
        await begin(pilot, shape="node=4/slot/core")
        await fill(pilot, "dependencies", "singleton")
        assert rows["dependencies"].problems
        await pilot.press(*["up"] * 5)
        await fill(pilot, "job-name", "mine")
        assert not rows["dependencies"].problems
        # Fields follow the theme.
        before_theme = app.query_one("#field-script-lines", LinesField).lines[0]
        app.theme = "textual-light"
        await pilot.settle()
        after = app.query_one("#field-script-lines", LinesField).lines[0]
        assert (after.plain, after.spans == before_theme.spans) == (before_theme.plain, False)


async def test_what_is_saved_instead_of_a_wrong_field_is_said(here: Path) -> None:
    async with workbench_at(NARROW, shape=SHAPE) as (app, pilot):
        app.edit(TypeField("job-name", "a"))
        await pilot.press("f12")
        await fill(pilot, "duration", "90m")
        await pilot.press("down", "up")
        await fill(pilot, "duration", "2 hours")
        await pilot.press("ctrl+s")
        note = str(app.screen.query_one(".note", Static).render())
        assert "Duration '2 hours' cannot be read; it is saved with 90m." in note
        await pilot.do("enter")
        saved = read_yaml((here / "jobspec.yaml").read_text()).value
        assert jobspec.system(saved)["duration"] == 5400.0


async def test_the_keys_of_the_form() -> None:
    async with workbench_at() as (app, pilot):
        rows = app.pane(FormPane).rows
        await begin(pilot)
        assert app.focused is rows["command"].target
        await pilot.press("f12")
        assert app.focused is app.shape_bar.entry
        # Letters in a field are text; what is typed takes the place of what stood there.
        await begin(pilot, "end")
        await pilot.burst(*" s/? -q")
        assert typed(app, "command") == "app s/? -q"
        await begin(pilot)
        await pilot.burst(*"hostname -f", "down", "down", "down", *"5", "enter", "enter", *"me")
        task = app.state.jobspec()["tasks"][0]
        assert (task["command"], task["count"]) == (["hostname", "-f"], {"total": 5})
        assert system(app)["job"] == {"name": "me"}
        # A field that was left shows its beginning.
        await begin(pilot)
        await pilot.burst(*"echo " + "x" * 80)
        await pilot.press("down")
        assert "echo xxx" in screen_text(app)
        # Keys in one burst lead to a field that is seen; so do those of pages.
        await pilot.afresh(shape=SHAPE)
        await pilot.burst("f12", *["down"] * 14, "up")
        await pilot.until(lambda: is_seen(app))
        await begin(pilot)
        names, height = list(rows), app.pane(FormPane).query_one("#fields").size.height
        seen, before = [names[0]], current(app)
        while before.field.name != names[-1]:
            await pilot.press("pagedown")
            await pilot.until(lambda: is_seen(app))
            assert 0 < current(app).virtual_region.y - before.virtual_region.y < height
            before = current(app)
            seen.append(before.field.name)
        assert len(seen) < len(names) / 2
        await pilot.press("pagedown")
        assert current(app) is before
        await pilot.press(*["pageup"] * len(seen))
        await pilot.until(lambda: is_seen(app))
        assert current(app).field.name == names[0]


async def test_a_field_suggests_while_one_types_and_lists_what_it_may_hold() -> None:
    async with workbench_at(NARROW) as (app, pilot):
        await begin(pilot)
        await fill(pilot, "queue", "b")
        assert offered(app) == ["batch", "bigmem"]
        # The arrows are still those of the form; tab takes the first.
        await pilot.press("down", "up")
        assert current(app).field.name == "queue"
        await fill(pilot, "queue", "bi")
        await pilot.press("tab")
        assert typed(app, "queue") == system(app)["queue"] == "bigmem"
        assert "space choose" not in screen_text(app)
        # A blank in an empty field lists all; from then on the arrows are those of the list.
        await fill(pilot, "queue", "")
        await pilot.settle()
        assert "space choose" in screen_text(app)
        await pilot.press("space")
        assert set(offered(app)) >= {"batch", "debug", "gpu"}
        await pilot.press("down", "enter")
        assert system(app)["queue"] == "debug"
        await begin(pilot)
        await fill(pilot, "duration", "")
        await pilot.press("ctrl+@", "pagedown")
        assert (popup(app).chosen or 0) > 1
        await pilot.press("escape")
        # In a burst a blank is one of the text.
        await fill(pilot, "environment", "A=1 B=2")
        assert typed(app, "environment") == "A=1 B=2"


@pytest.mark.parametrize("width", [80, 120, 200])
async def test_fields_have_the_room_there_is(width: int) -> None:
    async with workbench_at((width, 40), shape=SHAPE) as (app, pilot):
        await pilot.press("f12", "down", "down", "down")
        await pilot.until(lambda: is_seen(app))
        row, room = current(app), app.pane(FormPane).size.width
        assert row.target.region.width >= min(40, room - 18)
        assert row.beside.display == (room >= WIDE)
        assert row.words in (row.beside.plain if row.beside.display else help_of(app))
        # Hints are cut between words.
        for one in app.pane(FormPane).rows.values():
            if isinstance(one.target, FieldEntry) and not one.target.value:
                line = one.target.render_line(0).text.rstrip()
                assert line == one.field.hint or line.endswith("…")
                words = [word.rstrip(",:") for word in line.removesuffix("…").split()]
                assert [word.rstrip(",:") for word in one.field.hint.split()][: len(words)] == words
        # Another size.
        await pilot.resize_terminal(NARROW[0] + NORMAL[0] - width % 80, 40)
        await pilot.until(lambda: is_seen(app))
        assert current(app) is row
        assert row.beside.display == (app.pane(FormPane).size.width >= WIDE)


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
@for_each("case", OTHERS)
def test_what_is_read_alone_hangs_on_no_other_part(
    name: str, case: tuple[tuple[str | int, ...], object]
) -> None:
    field, (steps, other) = fields.by_name(name), case

    def said(document: dict[str, Any], text: str) -> object:
        context = Context(document=document)
        read = field.describe(field.get(document), context)
        return read, fields.problems(field, text, document, context)

    for held in HELD[name]:
        one = field.put(jobspec.build([{"type": "core", "count": 1}]), held)
        two: Any = copy.deepcopy(one)
        here = two
        for step in steps[:-1]:
            here = here[step]
        here[steps[-1]] = other
        text = fields.text(field, one)
        assert fields.text(field, two) == text
        for written in (text, "A=1 -B", "x: ["):
            assert said(one, written) == said(two, written)


def box(app: FluxTUI) -> LinesDialog:
    assert isinstance(app.screen, LinesDialog)
    return app.screen


def script(app: FluxTUI) -> object:
    """The text of the job's script; None where it has none."""
    return system(app).get("files", {}).get("script", {}).get("data")


async def test_what_is_typed_on_the_row_is_text_of_the_box() -> None:
    async with workbench_at() as (app, pilot):
        target = app.query_one("#pane-form", FormPane)
        for press in (pilot.press, pilot.burst):
            await begin(pilot, "down")
            before = app.state
            await press(*"#!/bin/sh", "enter", *"cs[?]")
            assert box(app).editor.text == "#!/bin/sh\ncs[?]"
            assert app.state is before
            await pilot.press("ctrl+s")
            assert script(app) == "#!/bin/sh\ncs[?]"
            assert app.focused is target.rows["script"].target
            assert "2 lines" in screen_text(app)
        # A burst goes through the box and on; escape keeps what was typed, and a step undoes it.
        await pilot.afresh(shape=SHAPE)
        await pilot.burst("f12", "down", *"#!/bin/sh", "escape")
        await pilot.burst("enter", "enter", *"date", "escape")
        assert script(app) == "#!/bin/sh\ndate"
        await pilot.press("ctrl+z")
        assert script(app) == "#!/bin/sh"
        await pilot.press("ctrl+r")
        assert script(app) == "#!/bin/sh\ndate"
        # A paste on the row is text of the box.
        await begin(pilot, "down")
        await pilot.paste("#!/bin/sh\r#SBATCH -n 4\rdate\r")
        assert box(app).editor.text == "#!/bin/sh\n#SBATCH -n 4\ndate\n"
        # Keys that are no text do what they do on the row.
        await begin(pilot, "down", "down", "up")
        assert app.focused is target.rows["script"].target
        await pilot.press("tab")
        assert len(app.screen_stack) == 1
        assert app.focused is not target.rows["script"].target
        # The command that a script replaces is named, as long as the script is there.
        await begin(pilot, *"train.py -v", "down")
        assert "train.py" not in help_of(app)
        for keys in (("#", "escape"), ("enter", "x", "escape")):
            await pilot.press(*keys)
            assert "the script replaces the command train.py -v; ctrl+z to undo" in help_of(app)
        while app.history.past:
            await pilot.press("ctrl+z")
        assert "replaces" not in help_of(app)
        await begin(pilot, "down", "#", "escape")  # the usual command is not missed
        assert "replaces" not in help_of(app)


async def test_escape_and_undo_in_the_box() -> None:
    async with workbench_at() as (app, pilot):
        # It changes nothing where nothing was typed.
        await begin(pilot, "down")
        before = app.state.jobspec()
        await pilot.press("enter", "x", "backspace", "escape")
        assert len(app.screen_stack) == 1
        assert app.state.jobspec() == before
        assert not app.history.past
        # Undo and redo in the box.
        for redo in ["ctrl+r", "ctrl+y"]:
            await begin(pilot, "down", "enter", *"date", "ctrl+z")
            assert box(app).editor.text == ""
            await pilot.press(redo)
            assert box(app).editor.text == "date"
        # The cursor stays in sight in a long line.
        await begin(pilot, "down", "enter")
        await pilot.paste("x" * 300)
        editor = box(app).editor
        assert 0 < 300 - editor.scroll_offset.x < editor.size.width
        # A request that nobody typed in goes at once; else escape asks.
        ended: list[str | None] = []
        await pilot.afresh()
        app.push_screen(LinesDialog("A title", "a note", "srun app", Text), ended.append)
        await pilot.settle()
        await pilot.press("x", "backspace", "ctrl+z", "ctrl+z", "escape")
        assert ended == [None]
        app.push_screen(LinesDialog("A title", "a note", "srun app", Text), ended.append)
        await pilot.settle()
        await pilot.press("x", "escape")
        assert "discards" in str(box(app).query_one("#box").border_subtitle)
        await pilot.press("y")
        assert "discards" not in str(box(app).query_one("#box").border_subtitle)
        assert str(box(app).meaning.content) == box(app).editor.text
        await pilot.press("escape", "escape")
        assert ended == [None, None]


async def test_the_help_is_that_of_the_field_also_after_a_dialog() -> None:
    async with workbench_at((200, 50)) as (app, pilot):
        await begin(pilot, "down")
        form = app.pane(FormPane)
        said = form.query_one("#field-help")
        before = [line.plain for line in said.lines]
        await pilot.press("ctrl+g")
        form.show(app.state)  # as where the cluster is read again meanwhile
        await pilot.press("escape")
        assert [line.plain for line in said.lines] == before
        assert not any("moves between fields" in line for line in before)
