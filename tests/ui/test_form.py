"""The form of the job, by keys."""

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.text import Text
from textual.widgets import Static

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
from tests.ui.seen import plain, screen_lines, screen_text
from tests.ui.writing import fill


def current(app: FluxTUI) -> FieldRow:
    row = app.pane(FormPane).current
    assert row is not None
    return row


def is_seen(app: FluxTUI) -> bool:
    """The field with the cursor is drawn where it can be seen."""
    around, label = app.pane(FormPane).query_one("#fields").region, current(app).label
    drawn = screen_lines(app)[label.region.y] if label.region in around else ""
    return label.plain.strip() in drawn


def help_of(app: FluxTUI) -> str:
    """What is said of the field with the cursor, in one line."""
    return " ".join(plain(app, "#field-help").split())


async def begin(pilot: Hands, *keys: str, shape: str = SHAPE, **more: Any) -> None:
    """A fresh job, and keys in its form."""
    await pilot.afresh(shape=shape, **more)
    await pilot.press("f12", *keys)


async def test_a_field_that_is_wrong_moves_no_other_and_is_read_when_it_has_to_be() -> None:
    async with workbench_at((200, 50)) as (app, pilot):
        rows = app.pane(FormPane).rows
        await begin(pilot)
        await fill(pilot, "duration", "1h")
        before = [row.region.y for row in rows.values()]
        await fill(pilot, "duration", "3 parsecs")
        assert [row.region.y for row in rows.values()] == before
        assert "parsecs" in rows["duration"].beside.plain
        assert "✗" in rows["duration"].label.plain
        # A long field is not read again while another is typed, but when it hangs on that.
        await begin(pilot, shape="node=4/slot/core")
        read = list[str]()
        counting(rows["environment"], read)
        for name, text in (("dependencies", "singleton"), ("environment", "A=1 B=2")):
            app.edit(TypeField(name, text))
        await pilot.settle()
        assert (read.pop(), bool(rows["dependencies"].problems)) == ("A=1 B=2", True)
        read.clear()
        await fill(pilot, "job-name", "mine")
        assert (read, bool(rows["dependencies"].problems)) == ([], False)
        assert "2 variables" in rows["environment"].words
        # Fields follow the theme.
        before_theme = app.query_one("#field-script-lines", LinesField).lines[0]
        app.theme = "textual-light"
        await pilot.settle()
        after = app.query_one("#field-script-lines", LinesField).lines[0]
        assert (after.plain, after.spans == before_theme.spans) == (before_theme.plain, False)


async def test_what_is_saved_instead_of_a_wrong_field_is_said(here: Path) -> None:
    async with workbench_at(NARROW, shape=SHAPE) as (app, pilot):
        app.edit(TypeField("duration", "90m"))
        app.edit(TypeField("job-name", "a"))
        app.edit(TypeField("duration", "2 hours"))
        await pilot.press("ctrl+s")
        note = str(app.screen.query_one(".note", Static).render())
        assert "Duration '2 hours' cannot be read; it is saved with 90m." in note
        await pilot.do("enter")
        saved = read_yaml((here / "jobspec.yaml").read_text()).value
        assert jobspec.system(saved)["duration"] == 5400.0


async def test_the_keys_of_the_form() -> None:
    async with workbench_at() as (app, pilot):
        rows = app.pane(FormPane).rows
        # A field that was left shows its beginning.
        await begin(pilot)
        await pilot.burst(*"echo " + "x" * 80, "down")
        assert "echo xxx" in screen_text(app)
        # Keys in one burst lead to a field that is seen; so do those of pages.
        await pilot.afresh(shape=SHAPE)
        await pilot.burst("f12", *["down"] * 14, "up")
        await pilot.until(lambda: is_seen(app))
        await begin(pilot)
        height = app.pane(FormPane).query_one("#fields").size.height
        seen = [current(app)]
        while seen[-1].field.name != list(rows)[-1]:
            await pilot.press("pagedown")
            await pilot.until(lambda: is_seen(app))
            assert 0 < current(app).virtual_region.y - seen[-1].virtual_region.y < height
            seen.append(current(app))
        assert len(seen) < len(rows) / 2
        await pilot.press("pagedown")
        assert current(app) is seen[-1]
        await pilot.press(*["pageup"] * len(seen))
        await pilot.until(lambda: is_seen(app))
        assert current(app) is seen[0]


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
                assert line == one.field.placeholder or line.endswith("…")
                words = [word.rstrip(",:") for word in line.removesuffix("…").split()]
                assert [word.rstrip(",:") for word in one.field.placeholder.split()][
                    : len(words)
                ] == words
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


async def test_a_long_line_and_escape_in_the_box() -> None:
    async with workbench_at() as (app, pilot):
        await begin(pilot, "down", "enter")
        # The cursor stays in sight in a long line.
        await pilot.paste("x" * 300)
        editor = box(app).editor
        assert 0 < 300 - editor.scroll_offset.x < editor.size.width
        # A request that nobody typed in goes at once; else escape asks.
        ended: list[str | None] = []
        await pilot.afresh()

        def asks() -> tuple[int, bool]:
            is_asked = (
                len(app.screen_stack) > 1
                and "discards" in box(app).query_one("#box").border_subtitle
            )
            return len(ended), is_asked

        for steps in (
            [("x backspace ctrl+z ctrl+z escape", (1, False))],
            [("x escape", (1, True)), ("y", (1, False)), ("escape escape", (2, False))],
        ):
            app.push_screen(LinesDialog("A title", "a note", "srun app", Text), ended.append)
            await pilot.settle()
            await pilot.steps(asks, *steps)
        assert ended == [None, None]


async def test_the_help_is_that_of_the_field_also_after_a_dialog() -> None:
    async with workbench_at((200, 50)) as (app, pilot):
        await begin(pilot, "down")
        before = help_of(app)
        await pilot.press("ctrl+g")
        app.pane(FormPane).show(app.state)  # as where the cluster is read again meanwhile
        await pilot.press("escape")
        assert help_of(app) == before
        assert "moves between fields" not in before
