"""Selecting nodes by keys and by the mouse, and the constraint that is written for them."""

import threading
from collections.abc import Callable

import pytest
from textual import events
from textual.geometry import Offset
from textual.widget import Widget

from fluxtui import workbench
from fluxtui.model.resources.resource_set import Resources
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.nodes.nodes_view import SelectableNodes
from fluxtui.ui.session.selection import SEARCHING as NAMING
from fluxtui.workbench import OpenCluster, Select
from tests.ui.helpers import (
    Hands,
    cluster,
    demo,
    looks_of,
    messages,
    screen_text,
    workbench_at,
)
from tests.ui.terminal import Terminal
from tests.ui.test_browse import VIEWS, into, place_of

GPU = demo().resources.properties["gpu"]


def nodes(*indices: int) -> int:
    """The mask of some nodes."""
    return sum(1 << index for index in indices)


async def hand(app: FluxTUI, pilot: Hands, view: str = "#node-map") -> SelectableNodes:
    widget = await into(app, pilot, view)
    assert isinstance(widget, SelectableNodes)
    return widget


async def drag(pilot: Hands, view: SelectableNodes, *through: int, up: bool = True) -> None:
    """Press the button of the mouse on a node, move to others, and let go on the last one."""
    await pilot.mouse_down(view, offset=place_of(view, through[0]))
    for index in through[1:]:
        await move(pilot, view, *place_of(view, index))
    if up:
        await pilot.mouse_up(view, offset=place_of(view, through[-1]))


async def move(pilot: Hands, view: SelectableNodes, x: int, y: int) -> None:
    """Move the mouse with its button down; the place counts from the view's corner."""
    x, y = view.content_region.offset + Offset(x, y)
    event = events.MouseMove(view, x, y, 0, 0, 1, False, False, False, x, y)
    pilot.app.screen._forward_event(event)
    await pilot.settle()


# By keys


async def test_nodes_are_selected_by_keys() -> None:
    async with workbench_at() as (app, pilot):
        # Space takes a node in and out.
        for view in ("#node-map", "#node-table"):
            await pilot.afresh(on=cluster(50))
            await hand(app, pilot, view)
            await pilot.press("space")
            assert app.state.selected == nodes(0)
            await pilot.press("down", "space")
            assert app.state.selected == nodes(0, app.state.cursor or -1)
            await pilot.press("space", "up", "space")
            assert app.state.selected == 0
        # Shift selects from where it was first held.
        await pilot.afresh(on=cluster(200))
        view = await hand(app, pilot)
        await pilot.press("right", "right", "shift+right", "shift+right")
        assert app.state.selected == nodes(2, 3, 4)
        assert app.state.cursor == 4
        await pilot.press("shift+left", "shift+left", "shift+left")
        assert app.state.selected == nodes(1, 2)
        per_row = view.grid.per_row  # type: ignore[attr-defined]
        await pilot.press("shift+down")
        assert app.state.selected == nodes(*range(2, per_row + 2))
        # A range adds to what is selected.
        await pilot.afresh(on=cluster(100))
        await hand(app, pilot)
        await pilot.press("space", "right", "right", "right", "shift+right", "shift+right")
        assert app.state.selected == nodes(0, 3, 4, 5)
        await pilot.press("right", "right", "right", "shift+left", "shift+left")
        assert app.state.selected == nodes(0, 3, 4, 5, 6, 7, 8)
        await pilot.press("shift+right", "shift+right")
        assert app.state.selected == nodes(0, 3, 4, 5, 8)
        # Shift with the other keys that move.
        for view in ("#node-map", "#node-table"):
            await pilot.afresh(on=cluster(3000))
            await hand(app, pilot, view)
            await pilot.press("shift+end")
            assert app.state.selected == (1 << 3000) - 1
            await pilot.press("escape", "shift+home")
            assert app.state.selected == (1 << 3000) - 1
            await pilot.press("escape", "shift+pagedown")
            at = app.state.cursor
            assert at
            assert app.state.selected == (1 << (at + 1)) - 1
            await pilot.press("shift+pageup")
            assert app.state.selected == nodes(0)
        # A selects what matches too.
        await pilot.afresh(requires="x", on=cluster(50, {"x": "3,17,40"}))
        await hand(app, pilot)
        await pilot.press("space", "a")
        assert app.state.selected == nodes(0, 3, 17, 40)
        # Without nodes nothing is selected.
        await pilot.afresh(on=cluster(0))
        await hand(app, pilot)
        await pilot.press("space", "shift+right", "shift+end", "a", "x", "escape")
        assert app.state.selected == 0
        # Letters are text in an input.
        await pilot.afresh()
        app.edit(Select(0b1))
        await pilot.put("")
        await pilot.press("a", "x", " ", "escape")
        assert app.state.ask.text == "ax "
        assert app.state.selected == 0b1


async def test_the_selection_is_one_and_escape_ends_it_first() -> None:
    async with workbench_at() as (app, pilot):
        # Escape clears the selection before it leaves.
        view = await hand(app, pilot)
        await pilot.press("f8", "space", "escape")
        assert app.state.selected == 0
        assert app.focused is view
        assert app.screen.has_class("-zoomed")
        await pilot.press("escape")
        assert not app.screen.has_class("-zoomed")
        await pilot.press("escape")
        assert app.focused is app.query_one("#shape-input")
        # Map and table have one selection.
        await pilot.afresh()
        await hand(app, pilot)
        await pilot.press("shift+right", "f2", "down", "space")
        assert app.state.selected == nodes(0, 1, 2)


# By the mouse


async def test_nodes_are_selected_by_the_mouse() -> None:
    async with workbench_at() as (app, pilot):
        # Dragging selects from press to release.
        for view in ("#node-map", "#node-table"):
            await pilot.afresh()
            widget = await hand(app, pilot, view)
            await drag(pilot, widget, 3, 7, 5)
            assert app.state.selected == nodes(3, 4, 5)
            assert app.state.cursor == 5
            await drag(pilot, widget, 7, 6)
            assert app.state.selected == nodes(3, 4, 5, 6, 7)
            assert app.mouse_captured is None
        # A drag back to where it began selects that node.
        await pilot.afresh()
        view = await hand(app, pilot)
        await drag(pilot, view, 5, 6, 5)
        assert app.state.selected == nodes(5)
        # A drag beyond the view takes the nearest nodes.
        await pilot.afresh(on=cluster(2000))
        view = await hand(app, pilot)
        per_row = view.grid.per_row  # type: ignore[attr-defined]
        await drag(pilot, view, 2, 3, up=False)
        await move(pilot, view, view.size.width - 1, 0)
        assert app.state.selected == nodes(*range(2, per_row))
        await move(pilot, view, -5, 1)
        assert app.state.selected == nodes(*range(2, per_row + 1))
        await move(pilot, view, 0, view.size.height + 4)
        below = view.size.height * per_row
        assert app.state.selected == nodes(*range(2, below + 1))
        await pilot.until(lambda: view.scroll_offset.y > 0)
        await move(pilot, view, 0, -9)
        await pilot.mouse_up("#title")
        assert app.mouse_captured is None
        # A drag whose end nobody saw is over.
        await pilot.afresh()
        view = await hand(app, pilot)
        await drag(pilot, view, 5, 6, up=False)
        await pilot.hover(view, offset=place_of(view, 20))
        assert app.state.selected == nodes(5, 6)
        assert app.mouse_captured is None
        # A drag ends with the cluster and with the focus.
        await pilot.afresh()
        view = await hand(app, pilot)
        await drag(pilot, view, 5, 6, up=False)
        app.edit(OpenCluster(cluster(3)))
        await move(pilot, view, 30, 0)
        assert app.state.selected == 0
        await drag(pilot, view, 0, 1, up=False)
        await pilot.press("ctrl+n")
        await move(pilot, view, *place_of(view, 2))
        assert app.state.selected == nodes(0, 1)
        # A click with ctrl or alt takes one in and out.
        for key in ["control", "meta"]:
            for view in ("#node-map", "#node-table"):
                await pilot.afresh()
                widget = await hand(app, pilot, view)
                for index in (4, 9, 4):
                    await pilot.click(widget, offset=place_of(widget, index), **{key: True})
                assert app.state.selected == nodes(9)
                assert app.state.cursor == 4
        # A plain click moves the cursor alone.
        await pilot.afresh()
        view = await hand(app, pilot)
        await pilot.press("space")
        await pilot.click(view, offset=place_of(view, 7))
        assert app.state.selected == nodes(0)
        assert app.state.cursor == 7


# How it looks


async def test_the_frame_and_the_glyphs_tell_what_is_selected() -> None:
    async with workbench_at(requires="gpu") as (app, pilot):
        # The frame counts the selected and tells those that match.
        await hand(app, pilot)
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
        view = await hand(app, pilot)
        app.edit(Select(0b1100110))
        await pilot.settle()
        assert view.render_line(0).text.split()[1:] == [*"·◇◆", "■■", *"·◇◇·"]
        await pilot.press("f2")
        lines = [app.views.view.render_line(y).text for y in range(1, 9)]
        assert [line[1] for line in lines] == list("·◇◆■·◇◇·")
        # What is not selected stays readable where nothing is asked.
        await pilot.afresh(on=cluster(8))
        await hand(app, pilot)
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
        await hand(app, pilot, view)
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


async def test_a_million_nodes() -> None:
    async with workbench_at(on=cluster(1_000_000)) as (app, pilot):
        await hand(app, pilot)
        await pilot.press("shift+end", "space", "left", "space")
        assert app.state.selected == (1 << 999_998) - 1
        assert "◆ 999,998 selected" in screen_text(app)


# From the nodes that are selected to the constraint for just these, beside the event loop


#: Every seventh of 100,000 nodes.
SCATTERED = sum(1 << index for index in range(0, 100_000, 7))


async def test_a_constraint_is_written_for_just_the_selected() -> None:
    async with workbench_at() as (app, pilot):
        # X writes the constraint for just the selected.
        await into(app, pilot)
        app.edit(Select(GPU))
        await pilot.press("x")
        await pilot.done()
        assert app.state.ask.text == "gpu"
        assert app.state.ask.mask == app.state.selected == GPU
        assert "Constraint: 24 nodes by their properties\nctrl+z takes it back" in messages(app)
        assert "◆ 24 selected" in screen_text(app)
        await pilot.press("ctrl+z")
        assert app.state.ask.blank
        assert app.state.selected == GPU
        # X from all that matches to the same constraint.
        await pilot.afresh(requires="gpu")
        await into(app, pilot)
        await pilot.press("a", "x")
        await pilot.done()
        assert app.state.ask.text == "gpu"
        assert "Constraint: 24 nodes by their properties\nas it stands there" in messages(app)
        # All nodes need no constraint.
        await pilot.afresh(requires="rank:1", on=cluster(9))
        await into(app, pilot)
        app.edit(Select(0x1FF))
        await pilot.press("x")
        await pilot.done()
        assert app.state.ask.blank
        # Without a selection it is said how to make one.
        await pilot.afresh(requires="gpu")
        await into(app, pilot)
        await pilot.press("x")
        assert "Select nodes in the cluster first" in messages(app)[0]
        assert app.state.ask.text == "gpu"
        # What no input takes is not written.
        await pilot.afresh(requires="rank:1", on=cluster(100_000))
        await into(app, pilot)
        app.edit(Select(SCATTERED))
        await pilot.press("x")
        await pilot.done()
        assert app.state.ask.text == "rank:1"
        assert messages(app)[0].endswith("characters, which is too long a text.")


LOOKING = "looking for an expression …  esc stops"


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
        await pilot.until(lambda: LOOKING in screen_text(app))
        await pilot.press("f2", "down")  # nothing that the answer rests on
        await pilot.until(lambda: LOOKING in screen_text(app))
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
        await pilot.settle()
        assert "looking for" not in screen_text(app)
        assert not [worker for worker in app.workers if worker.group == NAMING]
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
        await pilot.until(lambda: LOOKING in screen_text(app))
        await pilot.press("escape")
        assert "looking for" not in screen_text(app)


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
        terminal.wait_for("24 of 196 nodes")
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
        terminal.send("\x0b\x1b")  # ctrl+k, escape
        terminal.wait_for("6 is kept", "▲ 0 gained")
