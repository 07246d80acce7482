"""The map of the cluster: how near it is looked at, and what is selected in it."""

from textual import events

from fluxtui.ui.widgets.cells import Zoom
from tests.ui.helpers import (
    NORMAL,
    WIDE,
    afresh,
    burst,
    cluster,
    done,
    press,
    put,
    settle,
    until,
    workbench_at,
)
from tests.ui.maps import legend, onto, ordered, rows
from tests.ui.test_selection import drag


def index_set(*nodes: int) -> int:
    return sum(1 << index for index in nodes)


# Zoom


async def test_the_first_look_shows_all_nodes() -> None:
    async with workbench_at() as (app, pilot):
        # The first look shows all nodes.
        for nodes in [3, 196, 5_000, 100_000, 1_000_000]:
            await afresh(app, pilot, on=cluster(nodes))
            view = await onto(app, pilot)
            assert view.row_count <= view.size.height
            assert view.grid.span(0)[0] == 0
            assert view.grid.span(view.grid.cells - 1)[1] == nodes
            if view.zoom.size > 1:
                assert f"1 cell = {view.zoom.size:,} nodes" in legend(app)


async def test_bars_and_blocks() -> None:
    async with workbench_at(WIDE, requires="gpu") as (app, pilot):
        # Few nodes have their numbers beside them.
        view = await onto(app, pilot)
        assert view.zoom.kind == "names"
        line = next(row for row in rows(view) if row.startswith("dunegpu01"))
        assert line.split()[1:4] == ["■", "01", "■"]
        # Bars tell names and counts.
        await afresh(app, pilot, requires="gpu", size=NORMAL)
        view = await onto(app, pilot)
        await press(pilot, "minus")
        assert view.zoom.kind == "sections"
        found = {row.split()[0]: row for row in rows(view)}
        assert found["dunegpu[01-24]"].endswith("24 of 24")
        assert "·" not in found["dunegpu[01-24]"]
        assert found["dune[001-160]"].endswith("0 of 160")
        assert "■" not in found["dune[001-160]"]
        await press(pilot, "down", "down")
        assert app.state.cursor == 164
        await put(pilot, "")
        assert [row.split()[-1] for row in rows(view)] == ["4", "160", "24", "8"]
        # A huge section falls into round blocks.
        await afresh(
            app, pilot, requires="x", on=cluster(90_000, {"x": "0-9999,20000"}), size=NORMAL
        )
        view = await onto(app, pilot)
        await press(pilot, "minus")
        assert view.zoom.kind == "blocks"
        size = view.zoom.size
        assert str(size).rstrip("0") in ("1", "2", "5")
        assert rows(view)[0].startswith(f"n[0-{size - 1}]")
        assert any(row.endswith(f"1 of {size:,}") for row in rows(view))


async def test_one_zooms_and_stays() -> None:
    async with workbench_at() as (app, pilot):
        # One zooms in and out and back.
        for nodes in [300, 100_000]:
            await afresh(app, pilot, on=cluster(nodes))
            view = await onto(app, pilot)
            first, seen = view.zoom, [view.zoom]
            for _ in range(12):
                await press(pilot, "plus")
                seen.append(view.zoom)
            assert seen[-1] == Zoom("names")
            assert [zoom.size for zoom in seen] == sorted((z.size for z in seen), reverse=True)
            for _ in range(20):
                await press(pilot, "minus")
            assert view.zoom.has_bars
            await press(pilot, "z")
            assert view.zoom == first
        # Enter looks at the nodes of a cell from nearer.
        await afresh(app, pilot, on=cluster(100_000))
        view = await onto(app, pilot)
        size = view.zoom.size
        assert size > 1
        await press(pilot, "right", "right", "down")
        at = app.state.cursor
        assert at == (view.per_row + 2) * size
        await press(pilot, "enter")
        assert view.zoom.size < size
        assert app.state.cursor == at
        top = view.scroll_offset.y
        assert view.row_of(at) == top
        last = view.row_of(at + size - 1)
        assert last is not None
        assert last < top + view.size.height
        for _ in range(5):
            await press(pilot, "enter")
        assert view.zoom == Zoom("names")
        assert app.state.cursor == at
        # A double click looks from nearer.
        await afresh(app, pilot, on=cluster(20_000))
        view = await onto(app, pilot)
        size = view.zoom.size
        place = view.lead + 4, 1
        index = view.index_at(*place)
        await pilot.double_click("#node-map", offset=place)
        await settle(pilot)
        assert view.zoom.size < size
        assert app.state.cursor == index
        # The cursor stays in sight through all zooms.
        await afresh(app, pilot, on=cluster(20_000))
        view = await onto(app, pilot)
        await press(pilot, "end")
        at = app.state.cursor
        for key in ["plus"] * 8 + ["minus"] * 12:
            await press(pilot, key)
            row = view.row_of(at) if at is not None else None
            assert row is not None
            assert 0 <= row - view.scroll_offset.y < view.size.height
            assert app.state.cursor == at
        # Ctrl and the wheel zoom.
        await afresh(app, pilot, on=cluster(20_000))
        view = await onto(app, pilot)
        first = view.zoom
        x, y = view.region.x + 12, view.region.y + 3

        def turn(kind: type[events.MouseEvent], ctrl: bool) -> None:
            event = kind(view, x, y, 0, 0, 0, False, False, ctrl, x, y)
            app.screen._forward_event(event)

        turn(events.MouseScrollUp, True)
        await until(pilot, lambda: view.zoom != first)
        assert view.zoom.size < first.size
        turn(events.MouseScrollDown, True)
        await until(pilot, lambda: view.zoom == first)


async def test_matches_and_selections_go_by_cells() -> None:
    async with workbench_at() as (app, pilot):
        # Matches are gone through by cells.
        for key in ["n", "p"]:
            await afresh(
                app, pilot, requires="x", on=cluster(20_000, {"x": "5,6,900,15000-15001,19999"})
            )
            view = await onto(app, pilot)
            size = view.zoom.size
            assert 2 < size <= 500
            seen = []
            for _ in range(5):
                await press(pilot, key)
                seen.append((app.state.cursor or 0) // size)
            wanted = [index // size for index in (5, 900, 15000, 19999)]
            cells = list(dict.fromkeys(wanted))
            cells = cells if key == "n" else cells[::-1]
            if cells[0] == 0:  # where it begins
                cells = [*cells[1:], cells[0]]
            assert seen == [cells[i % len(cells)] for i in range(5)]
        # Space selects the nodes of a cell and shift those of cells.
        await afresh(app, pilot, on=cluster(20_000))
        view = await onto(app, pilot)
        size = view.zoom.size
        await press(pilot, "right", "space")
        assert app.state.selected == ((1 << size) - 1) << size
        assert rows(view)[0].split()[1:4] == ["■", "◆", "■"]
        await press(pilot, "space")
        assert app.state.selected == 0
        await press(pilot, "shift+right", "shift+right")
        assert app.state.selected == ((1 << 3 * size) - 1) << size
        await press(pilot, "shift+left")
        assert app.state.selected == ((1 << 2 * size) - 1) << size
        await press(pilot, "escape", "end", "shift+home")
        assert app.state.selected == (1 << 20_000) - 1
        # A range is one in the order that is seen.
        on = cluster(12, {"x": "3,7,11"})
        await afresh(app, pilot, on=on)
        view = await onto(app, pilot)
        await ordered(pilot, "o", "p")
        await burst(pilot, "x", "enter")
        await done(pilot)
        order = [3, 7, 11, 0, 1, 2, 4, 5, 6, 8, 9, 10]
        await press(pilot, "home")
        assert app.state.cursor == 3
        seen = [app.state.cursor]
        for _ in range(11):
            await press(pilot, "right")
            seen.append(app.state.cursor)
        assert seen == order
        await press(pilot, "home", "shift+right", "shift+right", "shift+right")
        assert app.state.selected == index_set(3, 7, 11, 0)
        await press(pilot, "escape")
        await drag(pilot, view, 7, 1)
        assert app.state.selected == index_set(7, 11, 0, 1)


# Selection, in what is seen
