"""Selecting nodes by keys and by the mouse, and the constraint that is written for them."""

import threading
from collections.abc import Callable

import pytest
from textual import events
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.widget import Widget

from fluxtui import workbench
from fluxtui.model.resources.document import Resources
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.selecting import NAMING
from fluxtui.ui.widgets.nodes_in_hand import NodesInHand
from fluxtui.workbench import OpenCluster, Select
from tests.ui.helpers import (
    afresh,
    cluster,
    demo,
    done,
    looks_of,
    messages,
    press,
    put,
    screen_text,
    settle,
    until,
    workbench_at,
)
from tests.ui.terminal import Terminal
from tests.ui.test_browse import VIEWS, into, place_of

GPU = demo().resources.properties["gpu"]


def nodes(*indices: int) -> int:
    """The mask of some nodes."""
    return sum(1 << index for index in indices)


async def hand(app: FluxTUI, pilot: Pilot[None], view: str = "#node-map") -> NodesInHand:
    widget = await into(app, pilot, view)
    assert isinstance(widget, NodesInHand)
    return widget


async def drag(pilot: Pilot[None], view: NodesInHand, *through: int, up: bool = True) -> None:
    """Press the button of the mouse on a node, move to others, and let go on the last one."""
    await pilot.mouse_down(view, offset=place_of(view, through[0]))
    for index in through[1:]:
        await move(pilot, view, *place_of(view, index))
    if up:
        await pilot.mouse_up(view, offset=place_of(view, through[-1]))


async def move(pilot: Pilot[None], view: NodesInHand, x: int, y: int) -> None:
    """Move the mouse with its button down; the place counts from the view's corner."""
    x, y = view.content_region.offset + Offset(x, y)
    event = events.MouseMove(view, x, y, 0, 0, 1, False, False, False, x, y)
    pilot.app.screen._forward_event(event)
    await settle(pilot)


# By keys


async def test_nodes_are_selected_by_keys() -> None:
    async with workbench_at() as (app, pilot):
        # Space takes a node in and out.
        for view in ("#node-map", "#node-table"):
            await afresh(app, pilot, on=cluster(50))
            await hand(app, pilot, view)
            await press(pilot, "space")
            assert app.state.selected == nodes(0)
            await press(pilot, "down", "space")
            assert app.state.selected == nodes(0, app.state.cursor or -1)
            await press(pilot, "space", "up", "space")
            assert app.state.selected == 0
        # Shift selects from where it was first held.
        await afresh(app, pilot, on=cluster(200))
        view = await hand(app, pilot)
        await press(pilot, "right", "right", "shift+right", "shift+right")
        assert app.state.selected == nodes(2, 3, 4)
        assert app.state.cursor == 4
        await press(pilot, "shift+left", "shift+left", "shift+left")
        assert app.state.selected == nodes(1, 2)
        per_row = view.per_row  # type: ignore[attr-defined]
        await press(pilot, "shift+down")
        assert app.state.selected == nodes(*range(2, per_row + 2))
        # A range adds to what is selected.
        await afresh(app, pilot, on=cluster(100))
        await hand(app, pilot)
        await press(pilot, "space", "right", "right", "right", "shift+right", "shift+right")
        assert app.state.selected == nodes(0, 3, 4, 5)
        await press(pilot, "right", "right", "right", "shift+left", "shift+left")
        assert app.state.selected == nodes(0, 3, 4, 5, 6, 7, 8)
        await press(pilot, "shift+right", "shift+right")
        assert app.state.selected == nodes(0, 3, 4, 5, 8)
        # Shift with the other keys that move.
        for view in ("#node-map", "#node-table"):
            await afresh(app, pilot, on=cluster(3000))
            await hand(app, pilot, view)
            await press(pilot, "shift+end")
            assert app.state.selected == (1 << 3000) - 1
            await press(pilot, "escape", "shift+home")
            assert app.state.selected == (1 << 3000) - 1
            await press(pilot, "escape", "shift+pagedown")
            at = app.state.cursor
            assert at
            assert app.state.selected == (1 << (at + 1)) - 1
            await press(pilot, "shift+pageup")
            assert app.state.selected == nodes(0)
        # A selects what matches too.
        await afresh(app, pilot, requires="x", on=cluster(50, {"x": "3,17,40"}))
        await hand(app, pilot)
        await press(pilot, "space", "a")
        assert app.state.selected == nodes(0, 3, 17, 40)
        # Without nodes nothing is selected.
        await afresh(app, pilot, on=cluster(0))
        await hand(app, pilot)
        await press(pilot, "space", "shift+right", "shift+end", "a", "x", "escape")
        assert app.state.selected == 0
        # Letters are text in an input.
        await afresh(app, pilot)
        app.edit(Select(0b1))
        await put(pilot, "")
        await press(pilot, "a", "x", " ", "escape")
        assert app.state.ask.text == "ax "
        assert app.state.selected == 0b1


async def test_the_selection_is_one_and_escape_ends_it_first() -> None:
    async with workbench_at() as (app, pilot):
        # Escape clears the selection before it leaves.
        view = await hand(app, pilot)
        await press(pilot, "f8", "space", "escape")
        assert app.state.selected == 0
        assert app.focused is view
        assert app.screen.has_class("-zoomed")
        await press(pilot, "escape")
        assert not app.screen.has_class("-zoomed")
        await press(pilot, "escape")
        assert app.focused is app.query_one("#shape-input")
        # Map and table have one selection.
        await afresh(app, pilot)
        await hand(app, pilot)
        await press(pilot, "shift+right", "f2", "down", "space")
        assert app.state.selected == nodes(0, 1, 2)


# By the mouse


async def test_nodes_are_selected_by_the_mouse() -> None:
    async with workbench_at() as (app, pilot):
        # Dragging selects from press to release.
        for view in ("#node-map", "#node-table"):
            await afresh(app, pilot)
            widget = await hand(app, pilot, view)
            await drag(pilot, widget, 3, 7, 5)
            assert app.state.selected == nodes(3, 4, 5)
            assert app.state.cursor == 5
            await drag(pilot, widget, 7, 6)
            assert app.state.selected == nodes(3, 4, 5, 6, 7)
            assert app.mouse_captured is None
        # A drag back to where it began selects that node.
        await afresh(app, pilot)
        view = await hand(app, pilot)
        await drag(pilot, view, 5, 6, 5)
        assert app.state.selected == nodes(5)
        # A drag beyond the view takes the nearest nodes.
        await afresh(app, pilot, on=cluster(2000))
        view = await hand(app, pilot)
        per_row = view.per_row  # type: ignore[attr-defined]
        await drag(pilot, view, 2, 3, up=False)
        await move(pilot, view, view.size.width - 1, 0)
        assert app.state.selected == nodes(*range(2, per_row))
        await move(pilot, view, -5, 1)
        assert app.state.selected == nodes(*range(2, per_row + 1))
        await move(pilot, view, 0, view.size.height + 4)
        below = view.size.height * per_row
        assert app.state.selected == nodes(*range(2, below + 1))
        await until(pilot, lambda: view.scroll_offset.y > 0)
        await move(pilot, view, 0, -9)
        await pilot.mouse_up("#title")
        assert app.mouse_captured is None
        # A drag whose end nobody saw is over.
        await afresh(app, pilot)
        view = await hand(app, pilot)
        await drag(pilot, view, 5, 6, up=False)
        await pilot.hover(view, offset=place_of(view, 20))
        assert app.state.selected == nodes(5, 6)
        assert app.mouse_captured is None
        # A drag ends with the cluster and with the focus.
        await afresh(app, pilot)
        view = await hand(app, pilot)
        await drag(pilot, view, 5, 6, up=False)
        app.edit(OpenCluster(cluster(3)))
        await move(pilot, view, 30, 0)
        assert app.state.selected == 0
        await drag(pilot, view, 0, 1, up=False)
        await press(pilot, "ctrl+n")
        await move(pilot, view, *place_of(view, 2))
        assert app.state.selected == nodes(0, 1)
        # A click with ctrl or alt takes one in and out.
        for key in ["control", "meta"]:
            for view in ("#node-map", "#node-table"):
                await afresh(app, pilot)
                widget = await hand(app, pilot, view)
                for index in (4, 9, 4):
                    await pilot.click(widget, offset=place_of(widget, index), **{key: True})
                assert app.state.selected == nodes(9)
                assert app.state.cursor == 4
        # A plain click moves the cursor alone.
        await afresh(app, pilot)
        view = await hand(app, pilot)
        await press(pilot, "space")
        await pilot.click(view, offset=place_of(view, 7))
        assert app.state.selected == nodes(0)
        assert app.state.cursor == 7


# How it looks


async def test_the_frame_and_the_glyphs_tell_what_is_selected() -> None:
    async with workbench_at(requires="gpu") as (app, pilot):
        # The frame counts the selected and tells those that match.
        await hand(app, pilot)
        await press(pilot, "space", "right", "space")
        assert "◇ 2 selected, no match" in screen_text(app)
        app.edit(Select(GPU | 0b11))
        await settle(pilot)
        assert "◆ 26 selected  ◇ 2 no match" in screen_text(app)
        app.edit(Select(GPU))
        await settle(pilot)
        assert "◆ 24 selected" in screen_text(app)
        assert "◇" not in screen_text(app)
        # Glyphs on map and table.
        await afresh(app, pilot, requires="x", on=cluster(8, {"x": "2-3"}))
        view = await hand(app, pilot)
        app.edit(Select(0b1100110))
        await settle(pilot)
        assert view.render_line(0).text.split()[1:] == list("·◇◆■·◇◇·")
        await press(pilot, "f2")
        lines = [app.cluster_pane.view.render_line(y).text for y in range(1, 9)]
        assert [line[1] for line in lines] == list("·◇◆■·◇◇·")
        # What is not selected stays readable where nothing is asked.
        await afresh(app, pilot, on=cluster(8))
        await hand(app, pilot)
        await press(pilot, "space")
        assert "◆ 1 selected" in screen_text(app)
        looks = looks_of(app.cluster_pane.view, 0, 3)
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
            await press(pilot, key)
            await done(pilot)
            assert view == f"#{app.cluster_pane.view.id}"
            before = screen_text(app)
            for widget in app.screen.walk_children(Widget):
                widget.refresh()
            await settle(pilot)
            assert screen_text(app) == before, key


async def test_a_million_nodes() -> None:
    async with workbench_at(on=cluster(1_000_000)) as (app, pilot):
        await hand(app, pilot)
        await press(pilot, "shift+end", "space", "left", "space")
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
        await press(pilot, "x")
        await done(pilot)
        assert app.state.ask.text == "gpu"
        assert app.state.ask.mask == app.state.selected == GPU
        assert "Constraint: 24 nodes by their properties\nctrl+z takes it back" in messages(app)
        assert "◆ 24 selected" in screen_text(app)
        await press(pilot, "ctrl+z")
        assert app.state.ask.blank
        assert app.state.selected == GPU
        # X from all that matches to the same constraint.
        await afresh(app, pilot, requires="gpu")
        await into(app, pilot)
        await press(pilot, "a", "x")
        await done(pilot)
        assert app.state.ask.text == "gpu"
        assert "Constraint: 24 nodes by their properties\nas it stands there" in messages(app)
        # All nodes need no constraint.
        await afresh(app, pilot, requires="rank:1", on=cluster(9))
        await into(app, pilot)
        app.edit(Select(0x1FF))
        await press(pilot, "x")
        await done(pilot)
        assert app.state.ask.blank
        # Without a selection it is said how to make one.
        await afresh(app, pilot, requires="gpu")
        await into(app, pilot)
        await press(pilot, "x")
        assert "Select nodes in the cluster first" in messages(app)[0]
        assert app.state.ask.text == "gpu"
        # What no input takes is not written.
        await afresh(app, pilot, requires="rank:1", on=cluster(100_000))
        await into(app, pilot)
        app.edit(Select(SCATTERED))
        await press(pilot, "x")
        await done(pilot)
        assert app.state.ask.text == "rank:1"
        assert messages(app)[0].endswith("characters, which is too long a text.")
        # The palette has it.
        await afresh(app, pilot)
        titles = [str(command.title) for command in app.get_system_commands(app.screen)]
        assert "Constraint for the selected nodes" in titles
        assert "Select what matches  (a)" in titles
        assert "Swap A and B" in titles
        assert "Compare  (ctrl+k)" in titles


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
        await press(pilot, "x")
        await until(pilot, lambda: LOOKING in screen_text(app))
        await press(pilot, "f2", "down")  # nothing that the answer rests on
        await until(pilot, lambda: LOOKING in screen_text(app))
        if how == "escape in the view":
            await press(pilot, "escape")
        elif how == "escape elsewhere":
            await press(pilot, "ctrl+t", "escape")
        elif how == "select":
            await press(pilot, "space")
        elif how == "type":
            await put(pilot, "p3")
        else:
            app.edit(OpenCluster(cluster(5)))
        await until(pilot, search.ended.is_set)
        await settle(pilot)
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
        await press(pilot, "x", "x")
        await until(pilot, search.ended.is_set)
        assert search.begun == 2
        await until(pilot, lambda: LOOKING in screen_text(app))
        await press(pilot, "escape")
        assert "looking for" not in screen_text(app)


async def test_the_workbench_ends_while_it_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    search = Endless()
    monkeypatch.setattr(workbench, "constraint_for", search)
    async with workbench_at() as (app, pilot):
        await into(app, pilot)
        app.edit(Select(GPU))
        await press(pilot, "x")
    assert search.ended.wait(5)


def test_in_a_terminal() -> None:
    def mouse(code: int, column: int, row: int, end: str = "M") -> str:
        return f"\x1b[<{code};{column + 1};{row + 1}{end}"

    with Terminal("-q", "gpu", columns=120, rows=40) as terminal:
        terminal.wait_for("24 of 196 nodes")
        rows = list(terminal.screen.display)
        y = next(n for n, row in enumerate(rows) if "dunegpu01  " in row and "■" in row)
        x = rows[y].index("■")
        terminal.send(mouse(0, x, y) + mouse(32, x + 4, y) + mouse(0, x + 4, y, "m"))
        terminal.wait_for("◆ 3 selected")
        terminal.send(mouse(16, x + 8, y) + mouse(16, x + 8, y, "m"))  # ctrl
        terminal.wait_for("◆ 4 selected")
        terminal.send(mouse(8, x + 12, y) + mouse(8, x + 12, y, "m"))  # alt
        terminal.wait_for("◆ 5 selected")
        terminal.send("\x1b[1;2C")  # shift and right
        terminal.wait_for("◆ 6 selected")
        terminal.send("x")
        terminal.wait_for("6 nodes by", "6 of 196 nodes")
        terminal.send("\x0b\x1b")  # ctrl+k, escape
        terminal.wait_for("6 is kept", "▲ 0 gained")
