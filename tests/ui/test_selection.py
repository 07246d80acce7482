"""The nodes that are selected in the workbench, and the constraint that is written for them.

How they are selected by keys and by the mouse is tested with the views themselves.
"""

import threading
from collections.abc import Callable

import pytest
from textual.widget import Widget

from fluxtui import workbench
from fluxtui.model.resources.resource_set import Resources
from fluxtui.workbench import OpenCluster, Select
from tests.ui.helpers import cluster, demo, looks_of, messages, screen_text, workbench_at
from tests.ui.terminal import Terminal
from tests.ui.test_browse import VIEWS, into
from tests.ui.test_node_views import nodes

WORDS = "looking for a constraint …  esc stops"

GPU = demo().resources.properties["gpu"]


async def test_map_and_table_have_one_selection_that_escape_ends() -> None:
    async with workbench_at() as (app, pilot):
        await into(app, pilot)
        await pilot.press("shift+right")
        view = await into(app, pilot, "#node-table")
        await pilot.press("down", "space")
        assert app.state.selected == nodes(0, 1, 2)
        await pilot.press("escape")
        assert app.state.selected == 0
        assert app.focused is view
        # In an input the letters are text.
        app.edit(Select(0b1))
        await pilot.put("")
        await pilot.press("a", "x", " ", "escape")
        assert app.state.ask.text == "ax "
        assert app.state.selected == 0b1


async def test_the_frame_and_the_glyphs_tell_what_is_selected() -> None:
    async with workbench_at(requires="gpu") as (app, pilot):
        # The frame counts the selected and tells those that match.
        await into(app, pilot)
        await pilot.press("space", "right", "space")
        assert "◇ 2 selected, no match" in screen_text(app)
        app.edit(Select(GPU | 0b11))
        await pilot.settle()
        assert "◆ 26 selected  ◇ 2 no match" in screen_text(app)
        app.edit(Select(GPU))
        await pilot.settle()
        assert "◆ 24 selected" in screen_text(app)
        assert "◇" not in screen_text(app)
        # Glyphs on map and table.
        await pilot.afresh(requires="x", on=cluster(8, {"x": "2-3"}))
        view = await into(app, pilot)
        app.edit(Select(0b1100110))
        await pilot.settle()
        assert view.render_line(0).text.split()[1:] == [*"·◇◆", "■■", *"·◇◇·"]
        await pilot.press("f2")
        lines = [app.views.view.render_line(y).text for y in range(1, 9)]
        assert [line[1] for line in lines] == list("·◇◆■·◇◇·")
        # What is not selected stays readable where nothing is asked.
        await pilot.afresh(on=cluster(8))
        await into(app, pilot)
        await pilot.press("space")
        assert "◆ 1 selected" in screen_text(app)
        looks = looks_of(app.views.view, 0, 3)
        assert [(look.glyph, look.role) for look in looks] == [
            ("◆", "slot"),
            ("■", "quiet"),
            ("■", "quiet"),
        ]


@VIEWS
async def test_no_key_leaves_something_old(view: str) -> None:
    async with workbench_at(requires="gpu") as (app, pilot):
        await into(app, pilot, view)
        keys = ["space", "shift+down", "shift+right", "a", "shift+pagedown", "n", "space"]
        for key in [*keys, "shift+end", "ctrl+k", "escape", "a", "ctrl+k", "x"]:
            await pilot.press(key)
            await pilot.done()
            assert view == f"#{app.views.view.id}"
            before = screen_text(app)
            for widget in app.screen.walk_children(Widget):
                widget.refresh()
            await pilot.settle()
            assert screen_text(app) == before, key


# The constraint that only they satisfy

#: Every seventh of 100,000 nodes.
SCATTERED = sum(1 << index for index in range(0, 100_000, 7))


async def test_a_constraint_is_written_for_just_the_selected() -> None:
    async with workbench_at() as (app, pilot):
        await into(app, pilot)
        app.edit(Select(GPU))
        await pilot.press("x")
        await pilot.done()
        assert app.state.ask.text == "gpu"
        assert app.state.ask.mask == app.state.selected == GPU
        assert "24 nodes by properties; ctrl+z to undo" in messages(app)[0]
        assert "◆ 24 selected" in screen_text(app)
        await pilot.press("ctrl+z")
        assert app.state.ask.blank
        assert app.state.selected == GPU
        # From all that matches to the same constraint.
        await pilot.afresh(requires="gpu")
        await into(app, pilot)
        await pilot.press("a", "x")
        await pilot.done()
        assert app.state.ask.text == "gpu"
        assert "24 nodes by properties; unchanged" in messages(app)[0]
        # All nodes need no constraint.
        await pilot.afresh(requires="rank:1", on=cluster(9))
        await into(app, pilot)
        app.edit(Select(0x1FF))
        await pilot.press("x")
        await pilot.done()
        assert app.state.ask.blank
        # Without a selection it says how to make one.
        await pilot.afresh(requires="gpu")
        await into(app, pilot)
        await pilot.press("x")
        assert "Select nodes first" in messages(app)[0]
        assert app.state.ask.text == "gpu"
        # What no input takes is not written.
        await pilot.afresh(requires="rank:1", on=cluster(100_000))
        await into(app, pilot)
        app.edit(Select(SCATTERED))
        await pilot.press("x")
        await pilot.done()
        assert app.state.ask.text == "rank:1"
        assert "is too long" in messages(app)[0]


class Endless:
    """A search that finds nothing until it is told to stop, in place of one that takes long."""

    def __init__(self) -> None:
        self.begun = 0
        self.ended = threading.Event()

    def __call__(self, mask: int, resources: Resources, cancelled: Callable[[], bool]) -> None:
        self.begun += 1
        while not cancelled():
            threading.Event().wait(0.001)
        self.ended.set()


@pytest.mark.parametrize(
    "how", ["escape in the view", "escape elsewhere", "select", "type", "open"]
)
async def test_the_search_stops_when_it_is_not_wanted(
    how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = Endless()
    monkeypatch.setattr(workbench, "constraint_for", search)
    async with workbench_at() as (app, pilot):
        await into(app, pilot)
        app.edit(Select(GPU))
        await pilot.press("x")
        await pilot.until(lambda: WORDS in screen_text(app))
        await pilot.press("f2", "down")  # nothing that the answer rests on
        await pilot.until(lambda: WORDS in screen_text(app))
        if how == "escape in the view":
            await pilot.press("escape")
        elif how == "escape elsewhere":
            await pilot.press("ctrl+t", "escape")
        elif how == "select":
            await pilot.press("space")
        elif how == "type":
            await pilot.put("p3")
        else:
            app.edit(OpenCluster(cluster(5)))
        await pilot.until(search.ended.is_set)
        await pilot.done()
        assert WORDS not in screen_text(app)
        assert app.state.ask.text == ("p3" if how == "type" else "")
        assert messages(app) == []
        if how.startswith("escape"):
            assert app.state.selected == GPU


async def test_a_second_x_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    search = Endless()
    monkeypatch.setattr(workbench, "constraint_for", search)
    async with workbench_at() as (app, pilot):
        await into(app, pilot)
        app.edit(Select(GPU))
        await pilot.press("x", "x")
        await pilot.until(search.ended.is_set)
        assert search.begun == 2
        await pilot.until(lambda: WORDS in screen_text(app))
        await pilot.press("escape")
        assert WORDS not in screen_text(app)


async def test_the_workbench_ends_while_it_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    search = Endless()
    monkeypatch.setattr(workbench, "constraint_for", search)
    async with workbench_at() as (app, pilot):
        await into(app, pilot)
        app.edit(Select(GPU))
        await pilot.press("x")
    assert search.ended.wait(5)


def test_in_a_terminal() -> None:
    def mouse(code: int, column: int, row: int, end: str = "M") -> str:
        return f"\x1b[<{code};{column + 1};{row + 1}{end}"

    with Terminal("-q", "gpu", columns=120, rows=40) as terminal:
        terminal.wait_for("24 of 196 nodes", "dunegpu01    ■", "^q quit")
        rows = list(terminal.screen.display)
        y = next(n for n, row in enumerate(rows) if "dunegpu01  " in row and "■" in row)
        x = rows[y].index("■")
        terminal.send(mouse(0, x, y) + mouse(32, x + 6, y) + mouse(0, x + 6, y, "m"))
        terminal.wait_for("◆ 3 selected")
        terminal.send(mouse(16, x + 9, y) + mouse(16, x + 9, y, "m"))  # ctrl
        terminal.wait_for("◆ 4 selected")
        terminal.send(mouse(8, x + 15, y) + mouse(8, x + 15, y, "m"))  # alt
        terminal.wait_for("◆ 5 selected")
        terminal.send("\x1b[1;2C")  # shift and right
        terminal.wait_for("◆ 6 selected")
        terminal.send("x")
        terminal.wait_for("6 nodes by", "6 of 196 nodes")
