"""What is typed in the reading of the constraint stays: undo there, leaving it, coming back."""

import json

from fluxtui.ui.widgets.prompt import Prompt
from fluxtui.ui.widgets.text_editor import TextEditor
from fluxtui.workbench import EditRequires
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    WIDE,
    afresh,
    burst,
    messages,
    plain,
    press,
    put,
    settle,
    shown,
    workbench_at,
)

GPU = {"properties": ["gpu"]}


def editor_of(app) -> TextEditor:
    return app.query_one("#constraint-editor", TextEditor)


def frame(app) -> str:
    """What the lower edge of the frame says."""
    return str(app.reading_pane.border_subtitle)


# The JSON that cannot be read


async def test_undo_takes_back_what_cannot_be_read_before_all_else() -> None:
    async with workbench_at(NARROW) as (app, pilot):
        app.edit(EditRequires("gpu & -debug"))
        await press(pilot, "f3", "j", "enter", "end")
        editor = editor_of(app)
        before = editor.text
        await burst(pilot, *'x"')
        await burst(pilot, "enter", *"[[")
        while editor.text != before:
            assert plain(app, "#constraint-trouble").startswith("line ")
            text = editor.text
            await press(pilot, "ctrl+z")
            assert editor.text != text
            assert app.state.ask.text == "gpu & -debug"  # as it was written
        await press(pilot, "ctrl+r")
        assert editor.text != before
        await press(pilot, "ctrl+z")
        assert editor.text == before
        await press(pilot, "ctrl+z")
        assert app.state.ask.text == ""
        # It stops at each text that was taken.
        await afresh(app, pilot, requires="gpu")
        await press(pilot, "f3", "j", "enter", *["right"] * 17)
        await burst(pilot, *"ab")
        assert app.state.ask.text == "abgpu"
        await burst(pilot, *'"[')
        await press(pilot, "ctrl+z")
        assert "abgpu" in editor_of(app).text
        assert app.state.ask.text == "abgpu"
        await press(pilot, "ctrl+z")
        assert app.state.ask.text == "gpu"
        assert json.loads(editor_of(app).text) == GPU


async def test_what_cannot_be_read_is_there_again() -> None:
    async with workbench_at(NARROW, requires="batch", notifications=True) as (app, pilot):
        await press(pilot, "f3")
        assert not app.query("#constraint-editor")  # it is made when it is asked for
        await press(pilot, "j", "enter", "z")
        assert editor_of(app).text.startswith("z{")
        assert app.state.ask.text == "batch"
        await press(pilot, "ctrl+z")
        for size in (NARROW, NORMAL):
            await afresh(app, pilot, requires="gpu", size=size)
            await press(pilot, "f3", "j", "enter")
            editor_of(app).move_cursor((0, 0))
            await burst(pilot, *"zz")
            await press(pilot, "escape")
            assert json.loads(plain(app, "#constraint-json")) == GPU
            assert frame(app) == "not taken · enter goes on"
            await press(pilot, "j", "f3", "f3", "j", "enter")
            assert editor_of(app).text.startswith("zz{")
            assert plain(app, "#constraint-trouble").startswith("line 1")
            assert app.state.ask.text == "gpu"
            await press(pilot, "ctrl+z")
            assert json.loads(editor_of(app).text) == GPU
        # A change from elsewhere takes its place and says so.
        await afresh(app, pilot, requires="gpu", size=NORMAL)
        await press(pilot, "f3", "j", "enter")
        editor_of(app).move_cursor((0, 0))
        await burst(pilot, *"zz")
        await press(pilot, "escape")
        await put(pilot, "batch")
        assert ["could not be read" in told for told in messages(app)] == [True]
        await press(pilot, "f3")
        assert not frame(app).startswith("not taken")
        await press(pilot, "ctrl+z")
        assert app.state.ask.text == "gpu"
        assert frame(app) == "not taken · enter goes on"
        await press(pilot, "enter")
        assert editor_of(app).text.startswith("zz{")
        await press(pilot, "ctrl+z")  # it was typed some time ago: back to the object at once
        assert json.loads(editor_of(app).text) == GPU
        assert app.state.ask.text == "gpu"


# The question


async def test_a_question_waits_for_who_left_it() -> None:
    async with workbench_at(NARROW) as (app, pilot):
        for size in (NARROW, NORMAL):
            await afresh(app, pilot, requires="gpu", size=size)
            await press(pilot, "f3", "a")
            await burst(pilot, *"ss")
            prompt = app.query_one("#part-prompt", Prompt)
            await press(pilot, "f6")
            assert app.focused is not prompt.entry
            assert prompt.display
            await press(pilot, "f3")
            assert app.focused is prompt.entry
            await press(pilot, "f6")
            app.bring("reading")
            await settle(pilot)
            await press(pilot, "a", "d", "enter")
            assert app.state.ask.text == "gpu&ssd"
        # Undo stays in it.
        await afresh(app, pilot)
        app.edit(EditRequires("gpu"))
        await press(pilot, "f3", "a")
        await burst(pilot, *"ss")
        await press(pilot, "ctrl+z")
        assert prompt.entry.value == "s"
        await press(pilot, "ctrl+z", "ctrl+z", "ctrl+z")
        assert prompt.entry.value == ""
        assert prompt.display
        assert app.focused is prompt.entry
        assert app.state.ask.text == "gpu"
        await press(pilot, "ctrl+r", "ctrl+r", "ctrl+r", "d", "enter")
        assert app.state.ask.text == "gpu&ssd"


# The way there and back


async def test_f3_goes_in_and_out() -> None:
    async with workbench_at(NARROW) as (app, pilot):
        pane = app.reading_pane
        for size in (NARROW, WIDE):
            await afresh(app, pilot, requires="gpu&-debug", size=size)
            await press(pilot, "ctrl+t")
            await burst(pilot, "f3", "home", "down", "d")
            assert app.state.ask.text == "-debug"
            assert app.focused is pane.view
            assert shown(pane.view)
            await burst(pilot, "f3", *"|gpu")
            assert app.state.ask.text == "-debug|gpu"
            assert shown(pane) is (size is WIDE)
            app.bring("cluster")
            await press(pilot, "f3")
            assert app.focused is pane.view
            await press(pilot, "f3")
            assert app.focused is app.ask_bar.entry
        # Undo selects what was edited.
        await afresh(app, pilot, requires="gpu&-debug|bigmem", size=NORMAL)
        await press(pilot, "f3", "end")
        row = pane.view.row
        assert pane.view.lines[row].plain.endswith("bigmem")
        await press(pilot, "d")
        assert app.state.ask.text == "gpu&-debug"
        left = pane.view.row
        await press(pilot, "ctrl+z")
        assert pane.view.row == row
        await press(pilot, "ctrl+r")
        assert pane.view.row == left


# How it looks


async def test_how_it_looks() -> None:
    async with workbench_at(WIDE, requires="(gpu|bigmem)&not (debug|ssd&batch)") as (app, pilot):
        await press(pilot, "f3")
        tree, style = app.reading_pane.view, app.palette

        def look(row: int) -> object:
            line = tree.lines[row]
            at = len("  alone  left") - 1  # the last digit
            return next(s.style for s in line.spans if s.start <= at < s.end)

        looks = [look(row) for row in range(len(tree.lines))]
        assert looks[:2] == [style.match] * 2
        assert looks[2:4] == [style.plain] * 2
        assert looks[4] == style.match
        assert set(looks[5:]) == {style.faint}
        # Guides are cut before words.
        text = "a"
        for number in range(14):
            text = f"z{number} ({text}|y)"
        await afresh(app, pilot, requires=text, size=NORMAL)
        await press(pilot, "f3")
        lines = [line.plain for line in app.reading_pane.view.lines]
        assert max(map(len, lines)) <= app.reading_pane.view.size.width
        assert any("…" in line for line in lines)
        assert lines[-1].endswith("y")
