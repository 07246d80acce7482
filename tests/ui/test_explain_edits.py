"""Keys of the constraint's tree rewrite the text, one step of undo each."""

import json

import pytest

from fluxtui.ui.kit.prompt import Prompt
from fluxtui.ui.kit.text_editor import TextEditor
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    WIDE,
    plain,
    screen_text,
    workbench_at,
)

LEGEND_INDENT = 2  # which the text of a line of one row leaves out


def selected(app) -> str:
    """The words of the selected line of the tree."""
    tree = app.panes["explain"].view
    column = plain(app, "#explain-legend").index("✓") + LEGEND_INDENT
    return str(tree.lines[tree.row].plain[column:]).lstrip("├└│ ")


async def test_parts_are_edited_by_keys() -> None:
    async with workbench_at() as (app, pilot):
        # A key edits the part.
        for text, down, key, result, where in [
            ("gpu & -debug", 1, "!", "-gpu & -debug", "not gpu"),
            ("gpu & -debug", 2, "-", "gpu & debug", "debug"),
            ("gpu & -debug", 0, "o", "gpu | -debug", "or"),
            ("gpu & -debug", 2, "o", "gpu | -debug", "not debug"),
            ("gpu & (batch | -debug)", 4, "d", "gpu & batch", "batch"),
            ("gpu|bigmem", 2, "delete", "gpu", "gpu"),
            ("gpu", 0, "d", "", None),
            ('{"not": [{"properties": ["gpu"]}]}', 0, "!", '{"properties": ["gpu"]}', "gpu"),
        ]:
            await pilot.afresh(requires=text)
            await pilot.press("f3", "home", *["down"] * down)
            await pilot.burst(key)
            assert app.state.ask.text == app.ask_bar.entry.value == result
            if where is not None:
                assert selected(app) == where
            assert app.focused is app.panes["explain"].view
            await pilot.press("ctrl+z")
            assert app.state.ask.text == text
            await pilot.press("ctrl+r")
            assert app.state.ask.text == result
        # A question about another text is closed.
        await pilot.afresh(requires="gpu")
        await pilot.press("f3")
        await pilot.burst("&")
        prompt = app.query_one("#part-prompt", Prompt)
        await pilot.put("batch")
        assert not prompt.display
        assert app.focused is app.ask_bar.entry
        app.panes["explain"].view.focus()
        await pilot.burst("&")
        assert prompt.display
        await pilot.press("escape")
        assert not prompt.display
        assert app.state.ask.text == "batch"
        # What cannot be done is said in the frame.
        await pilot.afresh(requires="gpu")
        await pilot.press("f3")
        assert "! not" in str(app.panes["explain"].border_subtitle)
        await pilot.burst("o")
        assert app.state.ask.text == "gpu"
        assert "'and' or 'or'" in str(app.panes["explain"].border_subtitle)
        await pilot.put("gpu&(")
        app.panes["explain"].view.focus()
        await pilot.settle()
        await pilot.burst("!")
        assert "finish the constraint" in str(app.panes["explain"].border_subtitle)
        await pilot.press("enter")
        assert app.focused is app.ask_bar.entry
        assert app.ask_bar.entry.cursor_position == 5
        # Without a constraint no key does anything.
        await pilot.afresh()
        await pilot.press("f3")
        await pilot.burst(*"!o|da1", "down", "enter", "delete")
        assert app.state.ask.text == ""
        assert "How the constraint is read" in plain(app, "#constraint-tree")


@pytest.mark.parametrize("size", [NARROW, (120, 40)])
async def test_something_is_joined_by_a_question(size: tuple[int, int]) -> None:
    async with workbench_at(size, requires="gpu&-debug") as (app, pilot):
        await pilot.press("f3", "down")
        await pilot.burst("|")
        prompt = app.query_one("#part-prompt", Prompt)
        assert prompt.display
        await pilot.put("bigmem|(", "#part-prompt-entry")
        await pilot.press("enter")
        assert prompt.display
        assert app.state.ask.text == "gpu&-debug"
        await pilot.put("bigmem", "#part-prompt-entry")
        assert "enter takes it" in screen_text(app)
        await pilot.press("enter")
        assert not prompt.display
        assert app.state.ask.text == "(gpu|bigmem)&-debug"
        assert selected(app) == "bigmem"
        assert app.focused is app.panes["explain"].view
        await pilot.burst("a")
        await pilot.put("ssd", "#part-prompt-entry")
        await pilot.press("enter")
        assert app.state.ask.text == "(gpu|bigmem&ssd)&-debug"
        await pilot.press("ctrl+z")
        assert app.state.ask.text == "(gpu|bigmem)&-debug"


async def test_a_question_does_not_write_over_an_unfinished_text() -> None:
    async with workbench_at(WIDE, requires="gpu&batch") as (app, pilot):
        await pilot.press("f3", "a", *"ssd")
        await pilot.put("gpu&batch&milan&")
        app.screen.set_focus(app.panes["explain"].inside)
        await pilot.press("enter")
        assert app.state.ask.text == "gpu&batch&milan&"
        await pilot.put("gpu&batch&milan")
        assert app.state.ask.text == "gpu&batch&milan"


# The RFC 31 object in the reading: shown, edited live, and the bar keeps its form


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
        await pilot.press("f3", "j")
        assert app.focused is app.panes["explain"].json.view
        obj = {"and": [{"properties": ["gpu"]}, {"not": [{"properties": ["debug"]}]}]}
        assert json.loads(plain(app, "#constraint-json")) == obj
        assert "enter edits" in str(app.panes["explain"].border_subtitle)
        await pilot.press("enter")
        editor = editor_of(app)
        assert app.focused is editor
        await pilot.press("down", *["right"] * 19, *"bigmem", *["delete"] * 3)
        assert json.loads(editor.text)["and"][0] == {"properties": ["bigmem"]}
        assert app.ask_bar.entry.value == app.state.ask.text == "bigmem&-debug"
        assert "Tree │ JSON" in screen_text(app)
        await pilot.press("backspace")
        assert app.state.ask.text == "bigme&-debug"
        await pilot.press("escape")
        assert app.focused is app.panes["explain"].json.view
        await pilot.press("j")
        assert app.focused is app.panes["explain"].view


async def test_the_object_is_edited() -> None:
    async with workbench_at(requires="gpu") as (app, pilot):
        # What cannot be read stays with its problem.
        await pilot.press("f3", "j", "e")
        for text, said in (
            ('{"properties": ["gpu"', "line 1"),
            ('{\n"propertie": ["gpu"]}', "line 2"),
            ("gpu", "begins wi"),
        ):
            retype(app, text)
            await pilot.settle()
            assert editor_of(app).text == text
            assert said in plain(app, "#constraint-trouble")
            assert app.state.ask.text == "gpu"
        retype(app, '{"properties":\n["batch"]}')
        await pilot.settle()
        assert app.state.ask.text == "batch"
        assert editor_of(app).text == '{"properties":\n["batch"]}'
        assert app.panes["explain"].border_subtitle == "esc leaves"
        assert not app.screen.query_one("#constraint-trouble").display
        retype(app, '{"properties":')
        await pilot.press("escape")
        assert json.loads(plain(app, "#constraint-json")) == {"properties": ["batch"]}
        assert str(app.panes["explain"].border_subtitle).startswith("not taken")
        assert plain(app, "#constraint-trouble").startswith("not taken: line 1")
        await pilot.press("enter")
        assert plain(app, "#constraint-trouble").startswith("line 1")
        # A change from elsewhere comes into the editor.
        await pilot.afresh(requires="gpu")
        await pilot.press("f3", "j", "enter")
        retype(app, '{"properties": ["batch"]}')
        await pilot.settle()
        await pilot.press("ctrl+z")
        assert app.state.ask.text == "gpu"
        assert json.loads(editor_of(app).text) == {"properties": ["gpu"]}
        # The title is a button.
        await pilot.afresh(requires="gpu", size=NORMAL)
        await pilot.press("f3")
        pane = app.panes["explain"]
        title = screen_text(app).splitlines()[pane.region.y]
        column = title.index("JSON", pane.region.x)
        await pilot.click(offset=(column, pane.region.y))
        await pilot.settle()
        assert pane.form == "json"
        await pilot.press("j")
        assert pane.form == "tree"
        # Of a text that cannot be read yet it says so.
        await pilot.afresh(requires='{"and": [', size=NORMAL)
        await pilot.press("f3", "j")
        assert plain(app, "#constraint-json").startswith("The constraint cannot be read as it")
        await pilot.put("")
        assert plain(app, "#constraint-json").startswith("Without a constraint every node")


async def test_the_bar_keeps_its_form() -> None:
    async with workbench_at(requires='{"properties": ["gpu"]}') as (app, pilot):
        await pilot.press("f3", "j", "enter")
        retype(app, '{"or": [{"properties": ["gpu"]},\n {"ranks": ["0-3"]}]}')
        await pilot.settle()
        assert app.state.ask.requires.is_json
        assert json.loads(app.state.ask.text) == {
            "or": [{"properties": ["gpu"]}, {"ranks": ["0-3"]}]
        }
        await pilot.put("gpu")
        assert json.loads(editor_of(app).text) == {"properties": ["gpu"]}
        await pilot.press("ctrl+z", "ctrl+z")
        assert "ranks" not in editor_of(app).text or app.state.ask.requires.is_json
    async with workbench_at() as (app, pilot):
        await pilot.press("f3", "j")
        assert "enter begins one" in plain(app, "#constraint-json")
        await pilot.press("enter")
        retype(app, '{"and": [{"properties": ["gpu"]}, {"ranks": ["3-9"]}]}')
        await pilot.settle()
        assert app.state.ask.text == "gpu&rank:3-9"
        retype(app, '{"not": []}')  # what no query says
        await pilot.settle()
        assert app.state.ask.text == '{"not": []}'
        retype(app, "")
        await pilot.settle()
        assert app.state.ask.text == ""
