"""The views where they were: when what is open is read again, and at another size."""

from collections.abc import Callable
from pathlib import Path

from textual import events
from textual.scrollbar import ScrollTo

from fluxtui.ui.widgets.nodes_view import NodesView
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    WIDE,
    cluster,
    document,
    done,
    press,
    screen_text,
    settle,
    until,
    workbench_at,
    write_document,
)
from tests.ui.test_table import table
from tests.ui.test_watching import named, open_file


async def test_the_views_stay_where_they_were(here: Path) -> None:
    names = [f"r{row}n[0-9]" for row in range(200)]
    path = write_document(here / "R.json", document(2000, hosts=",".join(names)))
    async with workbench_at(NORMAL) as (app, pilot):
        await open_file(app, pilot, path)
        view = app.cluster_pane.map
        view.focus()
        await press(pilot, *["plus"] * 6)
        zoom = view.zoom
        view.scroll_to(y=30, animate=False)
        await settle(pilot)
        top = view.first_of(view.scroll_offset.y)
        assert top
        first = app.state.cluster.resources.host(top)
        more = ",".join(["x[0-9]", "y[0-9]", *names])
        write_document(here / "R.json", document(2020, hosts=more))
        app.action_read_again()
        await done(pilot)
        top = view.first_of(view.scroll_offset.y)
        assert top is not None
        assert app.state.cluster.resources.node_count == 2020
        assert view.zoom == zoom
        assert top == named(app, first)
        for _ in range(2):  # the size may change frames later: a scroll bar, a line of the pane
            await pilot.resize_terminal(NORMAL[0], NORMAL[1] - 6)
            await pilot.resize_terminal(*NORMAL)
            await settle(pilot)
            assert view.first_of(view.scroll_offset.y) == top
        await press(pilot, "down")
        assert view.scroll_offset.y == view.row_of(app.state.cursor or 0)


def _wheel(view: NodesView) -> None:
    x, y = view.region.offset.x + 5, view.region.offset.y + 8
    wheel = events.MouseScrollDown(view, x, y, 0, 0, 0, False, False, False, x, y)
    view.screen._forward_event(wheel)


SCROLLS: tuple[Callable[[NodesView], object], ...] = (
    _wheel,
    lambda view: view.vertical_scrollbar.post_message(ScrollTo(y=60.0, animate=False)),
    lambda view: view.vertical_scrollbar.action_scroll_up(),
    lambda view: view.vertical_scrollbar.action_scroll_down(),
)


async def test_the_node_on_top_stays_there_until_a_person_scrolls() -> None:
    names = ",".join(f"r{number}n[0-9]" for number in range(200))
    async with workbench_at(NORMAL, on=cluster(2000, hosts=names)) as (app, pilot):
        view = app.cluster_pane.map
        app.bring("cluster")
        await press(pilot, *["plus"] * 6)
        await settle(pilot)
        for row, width in ((30, NARROW[0]), (120, NARROW[0]), (30, WIDE[0]), (120, WIDE[0])):
            top = view.first_of(row)
            assert top
            view.keep_on_top(top)
            await settle(pilot)
            assert view.scroll_offset.y == row
            for size in ((width, NORMAL[1]), NORMAL):
                await pilot.resize_terminal(*size)
                await settle(pilot)
                assert view.scroll_offset.y == min(view.row_of(top) or 0, view.max_scroll_y)
            assert view.scroll_offset.y == row
        for scrolls in SCROLLS:
            view.keep_on_top(view.first_of(90))
            await settle(pilot)
            assert view.scroll_offset.y == 90
            scrolls(view)
            await until(pilot, lambda: view.scroll_offset.y != 90)
            await pilot.resize_terminal(NORMAL[0], NORMAL[1] - 6)
            await until(pilot, lambda: view.scroll_offset.y == 0)  # where the cursor is
            await pilot.resize_terminal(*NORMAL)
            await settle(pilot)


async def test_the_table_stays_filtered(here: Path) -> None:
    path = write_document(here / "R.json", document(200))
    async with workbench_at(NORMAL) as (app, pilot):
        await open_file(app, pilot, path)
        part = await table(app, pilot)
        await press(pilot, "/", *"5-60", "enter")
        await done(pilot)
        assert part.table.row_count == 56
        write_document(here / "R.json", document(300))
        app.action_read_again()
        await done(pilot)
        assert part.table.row_count == 56
        assert "Filter 5-60" in screen_text(app)
        assert "56 of 300 nodes" in screen_text(app)
        await press(pilot, "/")
        assert part.foot.entry.value == "5-60"
        write_document(here / "R.json", document(400))
        app.action_read_again()  # while one types
        await done(pilot)
        assert app.focused is part.foot.entry
        assert "56 of 400 nodes" in screen_text(app)
        write_document(here / "R.json", document(40))
        app.action_read_again()
        await done(pilot)
        assert part.wanted.text == "5-60"
        assert part.table.row_count == 35
        await press(pilot, "escape")
        await done(pilot)
        assert part.table.row_count == 40
        assert "Filter" not in screen_text(app)
