"""Home, end and the pages move the cursor in each tree, and what its keys edit is there."""

import pytest
from textual.widgets import Tree

from fluxtui.ui.widgets.prompt import MOST, Prompt
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    SHAPE,
    WIDE,
    afresh,
    burst,
    press,
    screen_text,
    settle,
    until,
    workbench_at,
)
from tests.ui.writing import tree

LONG = "node=2/slot/[" + ";".join(f"r{n}=2" for n in range(60)) + "]"


async def test_cursors_of_the_trees() -> None:
    async with workbench_at() as (app, pilot):
        # The cursor of the jobspec tree.
        for keys, expected in [
            (["down", "down", "home", "x"], "node=4{x}/slot/[core=8;gpu]"),
            (["end", "d"], "node=4/slot/[core=8]"),
            (["pagedown", "plus"], "node=4/slot/[core=8;gpu=2]"),
            (["end", "pageup", "plus"], "node=5/slot/[core=8;gpu]"),
        ]:
            for fast in [False, True]:
                await afresh(app, pilot, shape=SHAPE)
                await tree(pilot)
                await (burst if fast else press)(pilot, *keys)
                assert app.shape_bar.entry.value == expected
        # Pages of a long jobspec tree.
        await afresh(app, pilot, shape=LONG)
        await tree(pilot, "pagedown")
        view = app.screen.query_one("#jobspec-tree", Tree)
        height = view.scrollable_content_region.height
        assert view.cursor_line == height - 1
        await press(pilot, "end")
        assert view.cursor_line == view.last_line == 61
        await until(pilot, lambda: "r59" in screen_text(app))
        await press(pilot, "home")
        assert view.cursor_line == 0
        # The cursor of the constraint tree.
        await afresh(app, pilot, requires="gpu & -debug & rank:0-3")
        await press(pilot, "f3")
        await settle(pilot)
        view = app.reading_pane.view
        assert app.focused is view
        await press(pilot, "end")
        last = view.row
        assert last == view._parts - 1 > 0
        await press(pilot, "home")
        assert view.row == 0
        await press(pilot, "pagedown")
        assert view.row > 0


# What a question says of an answer


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_all_of_what_is_wrong_with_an_answer_is_seen(size: tuple[int, int]) -> None:
    async with workbench_at(size, shape=SHAPE) as (app, pilot):
        await tree(pilot, "enter")
        prompt = app.screen.query_one("#vertex-prompt", Prompt)
        await burst(pilot, "ctrl+u", *"node=0")
        words = prompt.message.plain
        assert "expected" in words
        seen = " ".join(
            "".join(s.text for s in prompt.message.render_line(y)).strip()
            for y in range(prompt.message.size.height)
        )
        assert seen == words
        await burst(pilot, "ctrl+u", *"node=3")
        assert prompt.message.size.height == 1


async def test_a_message_without_end_is_cut() -> None:
    async with workbench_at(NORMAL, shape=SHAPE) as (app, pilot):
        await tree(pilot, "enter")
        prompt = app.screen.query_one("#vertex-prompt", Prompt)
        await burst(pilot, "ctrl+u", *("xy " * 40))
        prompt.message.show(prompt.message._text + "no end " * 80)
        await settle(pilot)
        assert prompt.message.size.height == MOST
        last = "".join(s.text for s in prompt.message.render_line(MOST - 1))
        assert last.rstrip().endswith("…")
        assert app.shape_bar.entry.value == SHAPE
