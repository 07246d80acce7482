"""Where the offers of an input stand, how they are drawn, and what the mouse does to them."""

import pytest
from rich.cells import cell_len
from textual import events
from textual.geometry import Region, Size
from textual.pilot import Pilot

from fluxtui.ui.app import FluxTUI
from fluxtui.ui.widgets.offers import Past
from fluxtui.ui.widgets.popup import MOST_ROWS, Popup, place
from fluxtui.workbench import OpenCluster
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    SHAPE,
    WIDE,
    afresh,
    burst,
    cluster,
    column_of,
    press,
    put,
    screen_lines,
    settle,
    workbench_at,
)
from tests.ui.offers import at_ask, drawn, offered, popup

# Where it stands


async def test_it_stands_at_its_word() -> None:
    async with workbench_at() as (app, pilot):
        # It stands below the shape at its word.
        await burst(pilot, *"node/s")
        bar = app.shape_bar.region
        region = popup(app).region
        assert region.y == bar.bottom
        lines = screen_lines(app)
        assert column_of(lines[bar.y], "node/s") + 5 == column_of(lines[region.y], "slot")
        assert "node/s" in lines[bar.y]
        # It stands above the constraint at its word.
        await afresh(app, pilot)
        await at_ask(pilot, *"gpu&b")
        region = popup(app).region
        assert region.bottom == app.ask_bar.region.y
        lines = screen_lines(app)
        entry = lines[app.ask_bar.region.y]
        assert column_of(entry, "gpu&b") + 4 == column_of(lines[region.y], "batch")


async def test_it_stays_on_the_screen() -> None:
    async with workbench_at(NARROW) as (app, pilot):
        # At the right edge it moves to the left.
        await put(pilot, "node=4/slot=2/[core=8;gpu=2;storage=1;", "#shape-input")
        await press(pilot, "s")
        region = popup(app).region
        assert region.right == 80
        assert all(cell_len(row) == region.width for row in drawn(app))
        assert "where tasks run; holds what each of them gets" in drawn(app)[0]
        # A text that is scrolled keeps it on the input.
        await afresh(app, pilot)
        await put(pilot, "&".join(["gpu"] * 30) + "&", "#constraint-input")
        await press(pilot, "b")
        region = popup(app).region
        assert app.ask_bar.entry.region.x - 1 <= region.x < 80
        assert "batch" in offered(app)
        # Another size of the screen closes it.
        await afresh(app, pilot, size=NORMAL)
        await burst(pilot, *"node/")
        assert offered(app)
        await pilot.resize_terminal(*NARROW)
        await settle(pilot)
        assert offered(app) == []
        # It goes with a field that is scrolled.
        await afresh(app, pilot, shape=SHAPE, size=NORMAL)
        await press(pilot, "f12", *["down"] * 6, "ctrl+@")
        entry = app.focused
        assert entry is not None
        before, field = popup(app).region, entry.region
        assert before.y == field.bottom
        assert offered(app)
        fields = entry.query_ancestor("#fields")
        fields.scroll_relative(y=1, animate=False)
        await settle(pilot)
        moved = entry.region.y - field.y
        assert moved
        assert popup(app).region == before.translate((0, moved))


@pytest.mark.parametrize("size", [(20, 4), (12, 6), (40, 8), (9, 3)])
async def test_on_a_tiny_screen_it_takes_what_room_there_is(size: tuple[int, int]) -> None:
    async with workbench_at(size) as (app, pilot):
        for key in (*"node/s", "tab", *"gpu&b"):
            await press(pilot, key)
            for _ in range(2 if offered(app) else 0):
                region = popup(app).region
                assert app.screen.region.contains_region(region)
                around = app.focused.around.region  # type: ignore[union-attr]
                assert not region.overlaps(around)
                await press(pilot, "down")


def test_place() -> None:
    screen = Size(80, 24)
    assert place(3, 20, 10, Region(0, 1, 80, 2), screen) == Region(9, 3, 20, 3)
    assert place(30, 20, 10, Region(0, 1, 80, 2), screen) == Region(9, 3, 20, MOST_ROWS)
    assert place(3, 20, 70, Region(0, 21, 80, 2), screen) == Region(60, 18, 20, 3)
    assert place(9, 20, 0, Region(0, 3, 80, 1), Size(80, 5)) == Region(0, 0, 20, 3)
    assert place(3, 90, 0, Region(0, 1, 80, 2), screen) == Region(0, 3, 80, 3)
    assert place(3, 20, 0, Region(0, 0, 80, 4), Size(80, 4)) is None


@pytest.mark.parametrize("theme", ["dusk", "paper", "ansi-dark", "contrast"])
async def test_what_is_chosen_is_told_by_a_sign_in_every_theme(theme: str) -> None:
    async with workbench_at(theme=theme) as (app, pilot):
        await burst(pilot, *"node/s", "down")
        assert drawn(app)[0].startswith("▌slot")
        assert all(row.startswith("│") for row in drawn(app)[1:])


async def test_what_it_shows() -> None:
    async with workbench_at() as (app, pilot):
        # More rows than are seen are told.
        await burst(pilot, *"node/")
        assert len(drawn(app)) == MOST_ROWS
        assert drawn(app)[0].endswith("▐")
        assert not drawn(app)[-1].endswith("▐")
        # A click takes a row.
        await afresh(app, pilot)
        await burst(pilot, *"node/s")
        wanted = offered(app)[1]
        await click(app, pilot, 1)
        assert app.state.build.text == f"node/{wanted}"
        assert app.focused is app.shape_bar.entry
        assert offered(app) == []
        # The wheel shows further rows.
        await afresh(app, pilot)
        await burst(pilot, *"node/")
        names, region = offered(app), popup(app).region
        event = events.MouseScrollDown(
            popup(app), 3, 1, 0, 1, 0, False, False, False, region.x + 3, region.y + 1
        )
        popup(app).post_message(event)
        await settle(pilot)
        assert names[1] in drawn(app)[0]
        await click(app, pilot, 0)
        assert app.state.build.text == f"node/{names[1]}"
        # A key that changes no place lays nothing out.
        await afresh(app, pilot)
        await burst(pilot, *"node/s")
        where, laid_out = popup(app).region, []
        app.screen.screen_layout_refresh_signal.subscribe(app, laid_out.append, immediate=True)
        await press(pilot, "down", "down", "up")
        assert popup(app).region == where
        assert laid_out == []
        # Another cluster closes what the one before has.
        await afresh(app, pilot)
        await at_ask(pilot, *"b")
        assert "bigmem" in offered(app)
        app.edit(OpenCluster(cluster(8, {"blue": "1-4"})))
        await settle(pilot)
        assert offered(app) == []
        await press(pilot, "l")
        assert offered(app) == ["blue"]
        # What was typed before outlives another cluster.
        await afresh(app, pilot)
        app.ask_bar.entry.past = Past(lambda: ["gpu"], lambda text: None)
        await at_ask(pilot, "up")
        assert app.ask_bar.entry.offers.popup is not None
        app.edit(OpenCluster(cluster(8)))
        await settle(pilot)
        assert app.ask_bar.entry.offers.popup is not None


# The mouse


async def click(app: FluxTUI, pilot: Pilot[None], row: int) -> None:
    region = popup(app).region
    await pilot.click(offset=(region.x + 3, region.y + row))
    await settle(pilot)


# One frame, and no more work than that


async def test_it_is_there_in_the_frame_of_the_key() -> None:
    async with workbench_at(WIDE, shape=SHAPE, painted=True) as (app, pilot):
        await press(pilot, "tab")
        frames: list[tuple[str, list[str]]] = []
        display = app._display

        def watched(screen: object, update: object) -> None:
            display(screen, update)  # type: ignore[arg-type]
            frames.append((app.state.ask.text, offered(app)))

        app._display = watched  # type: ignore[method-assign,assignment]
        await burst(pilot, "b")
        first = next(names for text, names in frames if text == "b")
        assert first[:2] == ["batch", "bigmem"]
        assert any("batch" in line for line in screen_lines(app))


async def test_nothing_of_it_is_there_in_the_first_frame() -> None:
    app = FluxTUI()
    async with app.run_test(size=NORMAL) as pilot:
        await pilot._wait_for_screen()
        assert not popup(app).is_open if app.screen.query(Popup) else True
        await settle(pilot)
        assert len(app.screen.query(Popup)) == 1


# Another cluster
