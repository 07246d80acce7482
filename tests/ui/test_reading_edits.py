"""Keys of the constraint's tree rewrite the text, one step of undo each."""

import pytest

from fluxtui.ui.widgets.prompt import Prompt
from tests.ui.helpers import (
    NARROW,
    WIDE,
    afresh,
    burst,
    plain,
    press,
    put,
    screen_text,
    settle,
    workbench_at,
)

LEGEND_INDENT = 2  # which the text of a line of one row leaves out


def selected(app) -> str:
    """The words of the selected line of the tree."""
    tree = app.reading_pane.view
    column = plain(app, "#reading-legend").index("✓") + LEGEND_INDENT
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
            await afresh(app, pilot, requires=text)
            await press(pilot, "f3", "home", *["down"] * down)
            await burst(pilot, key)
            assert app.state.ask.text == app.ask_bar.entry.value == result
            if where is not None:
                assert selected(app) == where
            assert app.focused is app.reading_pane.view
            await press(pilot, "ctrl+z")
            assert app.state.ask.text == text
            await press(pilot, "ctrl+r")
            assert app.state.ask.text == result
        # A question about another text is closed.
        await afresh(app, pilot, requires="gpu")
        await press(pilot, "f3")
        await burst(pilot, "&")
        prompt = app.query_one("#part-prompt", Prompt)
        await put(pilot, "batch")
        assert not prompt.display
        assert app.focused is app.ask_bar.entry
        app.reading_pane.view.focus()
        await burst(pilot, "&")
        assert prompt.display
        await press(pilot, "escape")
        assert not prompt.display
        assert app.state.ask.text == "batch"
        # What cannot be done is said in the frame.
        await afresh(app, pilot, requires="gpu")
        await press(pilot, "f3")
        assert "! not" in str(app.reading_pane.border_subtitle)
        await burst(pilot, "o")
        assert app.state.ask.text == "gpu"
        assert "'and' or 'or'" in str(app.reading_pane.border_subtitle)
        await put(pilot, "gpu&(")
        app.reading_pane.view.focus()
        await settle(pilot)
        await burst(pilot, "!")
        assert "finish the constraint" in str(app.reading_pane.border_subtitle)
        await press(pilot, "enter")
        assert app.focused is app.ask_bar.entry
        assert app.ask_bar.entry.cursor_position == 5
        # Without a constraint no key does anything.
        await afresh(app, pilot)
        await press(pilot, "f3")
        await burst(pilot, *"!o|da1", "down", "enter", "delete")
        assert app.state.ask.text == ""
        assert "How the constraint is read" in plain(app, "#constraint-tree")


@pytest.mark.parametrize("size", [NARROW, (120, 40)])
async def test_something_is_joined_by_a_question(size: tuple[int, int]) -> None:
    async with workbench_at(size, requires="gpu&-debug") as (app, pilot):
        await press(pilot, "f3", "down")
        await burst(pilot, "|")
        prompt = app.query_one("#part-prompt", Prompt)
        assert prompt.display
        await put(pilot, "bigmem|(", "#part-prompt-entry")
        await press(pilot, "enter")
        assert prompt.display
        assert app.state.ask.text == "gpu&-debug"
        await put(pilot, "bigmem", "#part-prompt-entry")
        assert "enter takes it" in screen_text(app)
        await press(pilot, "enter")
        assert not prompt.display
        assert app.state.ask.text == "(gpu|bigmem)&-debug"
        assert selected(app) == "bigmem"
        assert app.focused is app.reading_pane.view
        await burst(pilot, "a")
        await put(pilot, "ssd", "#part-prompt-entry")
        await press(pilot, "enter")
        assert app.state.ask.text == "(gpu|bigmem&ssd)&-debug"
        await press(pilot, "ctrl+z")
        assert app.state.ask.text == "(gpu|bigmem)&-debug"


async def test_a_question_does_not_write_over_an_unfinished_text() -> None:
    async with workbench_at(WIDE, requires="gpu&batch") as (app, pilot):
        await press(pilot, "f3", "a", *"ssd")
        await put(pilot, "gpu&batch&milan&")
        app.screen.set_focus(app.reading_pane.inside)
        await press(pilot, "enter")
        assert app.state.ask.text == "gpu&batch&milan&"
        await put(pilot, "gpu&batch&milan")
        assert app.state.ask.text == "gpu&batch&milan"
