"""The RFC 31 object in the reading: shown, edited live, and the bar keeps its form."""

import json

import pytest

from fluxtui.ui.widgets.text_editor import TextEditor
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    afresh,
    plain,
    press,
    put,
    screen_text,
    settle,
    workbench_at,
)


def editor_of(app) -> TextEditor:
    return app.query_one("#constraint-editor", TextEditor)


def retype(app, text: str) -> None:
    """Put another text into the editor, as a paste over all of it does."""
    editor = editor_of(app)
    editor.select_all()
    editor.replace(text, *editor.selection)


@pytest.mark.parametrize("size", [NARROW, NORMAL])
async def test_the_object_is_shown_and_edited(size: tuple[int, int]) -> None:
    async with workbench_at(size, requires="gpu&-debug") as (app, pilot):
        await press(pilot, "f3", "j")
        assert app.focused is app.reading_pane.json.view
        obj = {"and": [{"properties": ["gpu"]}, {"not": [{"properties": ["debug"]}]}]}
        assert json.loads(plain(app, "#constraint-json")) == obj
        assert "enter edits" in str(app.reading_pane.border_subtitle)
        await press(pilot, "enter")
        editor = editor_of(app)
        assert app.focused is editor
        await press(pilot, "down", *["right"] * 19, *"bigmem", *["delete"] * 3)
        assert json.loads(editor.text)["and"][0] == {"properties": ["bigmem"]}
        assert app.ask_bar.entry.value == app.state.ask.text == "bigmem&-debug"
        assert "Tree │ JSON" in screen_text(app)
        await press(pilot, "backspace")
        assert app.state.ask.text == "bigme&-debug"
        await press(pilot, "escape")
        assert app.focused is app.reading_pane.json.view
        await press(pilot, "j")
        assert app.focused is app.reading_pane.view


async def test_the_object_is_edited() -> None:
    async with workbench_at(requires="gpu") as (app, pilot):
        # What cannot be read stays with its problem.
        await press(pilot, "f3", "j", "e")
        for text, said in (
            ('{"properties": ["gpu"', "line 1"),
            ('{\n"propertie": ["gpu"]}', "line 2"),
            ("gpu", "begins wi"),
        ):
            retype(app, text)
            await settle(pilot)
            assert editor_of(app).text == text
            assert said in plain(app, "#constraint-trouble")
            assert app.state.ask.text == "gpu"
        retype(app, '{"properties":\n["batch"]}')
        await settle(pilot)
        assert app.state.ask.text == "batch"
        assert editor_of(app).text == '{"properties":\n["batch"]}'
        assert app.reading_pane.border_subtitle == "esc leaves"
        assert not app.screen.query_one("#constraint-trouble").display
        retype(app, '{"properties":')
        await press(pilot, "escape")
        assert json.loads(plain(app, "#constraint-json")) == {"properties": ["batch"]}
        assert str(app.reading_pane.border_subtitle).startswith("not taken")
        assert plain(app, "#constraint-trouble").startswith("not taken: line 1")
        await press(pilot, "enter")
        assert plain(app, "#constraint-trouble").startswith("line 1")
        # A change from elsewhere comes into the editor.
        await afresh(app, pilot, requires="gpu")
        await press(pilot, "f3", "j", "enter")
        retype(app, '{"properties": ["batch"]}')
        await settle(pilot)
        await press(pilot, "ctrl+z")
        assert app.state.ask.text == "gpu"
        assert json.loads(editor_of(app).text) == {"properties": ["gpu"]}
        # The title is a button.
        await afresh(app, pilot, requires="gpu", size=NORMAL)
        await press(pilot, "f3")
        pane = app.reading_pane
        title = screen_text(app).splitlines()[pane.region.y]
        column = title.index("JSON", pane.region.x)
        await pilot.click(offset=(column, pane.region.y))
        await settle(pilot)
        assert pane.form == "json"
        await press(pilot, "j")
        assert pane.form == "tree"
        # Of a text that cannot be read yet it says so.
        await afresh(app, pilot, requires='{"and": [', size=NORMAL)
        await press(pilot, "f3", "j")
        assert plain(app, "#constraint-json").startswith("The constraint cannot be read as it")
        await put(pilot, "")
        assert plain(app, "#constraint-json").startswith("Without a constraint every node")


async def test_the_bar_keeps_its_form() -> None:
    async with workbench_at(requires='{"properties": ["gpu"]}') as (app, pilot):
        await press(pilot, "f3", "j", "enter")
        retype(app, '{"or": [{"properties": ["gpu"]},\n {"ranks": ["0-3"]}]}')
        await settle(pilot)
        assert app.state.ask.requires.is_json
        assert json.loads(app.state.ask.text) == {
            "or": [{"properties": ["gpu"]}, {"ranks": ["0-3"]}]
        }
        await put(pilot, "gpu")
        assert json.loads(editor_of(app).text) == {"properties": ["gpu"]}
        await press(pilot, "ctrl+z", "ctrl+z")
        assert "ranks" not in editor_of(app).text or app.state.ask.requires.is_json
    async with workbench_at() as (app, pilot):
        await press(pilot, "f3", "j")
        assert "enter begins one" in plain(app, "#constraint-json")
        await press(pilot, "enter")
        retype(app, '{"and": [{"properties": ["gpu"]}, {"ranks": ["3-9"]}]}')
        await settle(pilot)
        assert app.state.ask.text == "gpu&rank:3-9"
        retype(app, '{"not": []}')  # what no query says
        await settle(pilot)
        assert app.state.ask.text == '{"not": []}'
        retype(app, "")
        await settle(pilot)
        assert app.state.ask.text == ""
