"""Map and table: one cursor, keys, mouse; documents of all sizes."""

from itertools import pairwise

import pytest
from textual.geometry import Offset

from fluxtui.ui.nodes.map_layout import Zoom
from fluxtui.ui.nodes.node_map import NodeMap
from fluxtui.ui.nodes.nodes_view import SelectableNodes
from fluxtui.workbench import MoveCursor
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    WIDE,
    cluster,
    demo,
    plain,
    screen_text,
    shown,
    workbench_at,
)

GPU = demo().resources.properties["gpu"]
VIEWS = pytest.mark.parametrize("view", ["#node-map", "#node-table"])


async def into(app, pilot, view: str = "#node-map") -> SelectableNodes:
    """Give the focus to the map or to the table."""
    app.go_to("map")
    await pilot.settle()
    if view == "#node-table":
        await pilot.press("f2")
    widget = app.query_one(view, SelectableNodes)
    assert app.focused is widget
    if isinstance(widget, NodeMap):
        widget.zoom_to(Zoom("cells"))  # a node a cell, however many there are
        await pilot.settle()
    return widget


def place_of(view: SelectableNodes, index: int) -> Offset:
    """Where a node is drawn, as an offset in its widget; it must be in sight."""
    for y in range(view.size.height):
        for x in range(view.size.width):
            if view.index_at(x, y) == index:
                return Offset(x, y)
    raise AssertionError(f"node {index} is out of sight")


async def test_f2_goes_through_the_views() -> None:
    async with workbench_at(requires="gpu") as (app, pilot):
        # F2 changes the view and keeps cursor and focus.
        map_ = await into(app, pilot)
        table = app.query_one("#node-table", SelectableNodes)
        await pilot.press("n", "n", "n")
        at = app.state.cursor
        assert map_.cursor == table.cursor == at
        assert shown(map_)
        assert not shown(table)
        await pilot.press("f2")
        assert shown(table)
        assert not shown(map_)
        assert app.focused is table
        assert table.index_at(0, place_of(table, at).y) == at
        await pilot.press("down")
        assert map_.cursor == table.cursor == at + 1
        await pilot.press("f2")
        assert app.focused is app.query_one("#node-graph")
        await pilot.press("f2")
        assert app.focused is map_
        assert place_of(map_, at + 1)
        # F2 while typing keeps the focus in the input.
        await pilot.afresh()
        await pilot.press("f2")
        assert app.focused is app.query_one("#shape-input")
        assert shown(app.query_one("#node-table"))
        # F2 brings the cluster in sight where it is narrow.
        await pilot.afresh(size=NARROW)
        assert not shown(app.query_one("#node-map"))
        await pilot.press("f2")
        assert shown(app.query_one("#node-map"))
        await pilot.press("f2")
        assert shown(app.query_one("#node-table"))
        # F2 leaves what is typed below a view.
        for typed in [("f2", "slash"), ("f2", "f2", "slash"), ("g",)]:
            await pilot.afresh(size=NORMAL)
            await pilot.press("escape", *typed, "g", "p", "u")
            before = app.state
            for _ in range(3):
                await pilot.press("f2")
                assert app.focused is app.views.view
                await pilot.press("down")
            assert (app.state.build.text, app.state.ask.text) == (
                before.build.text,
                before.ask.text,
            )
            assert not app.query("#map-prompt") or not shown(app.query_one("#map-prompt"))


async def test_keys_go_through_map_and_table() -> None:
    async with workbench_at() as (app, pilot):
        # Home end and arrows.
        for view in ("#node-map", "#node-table"):
            await pilot.afresh()
            await into(app, pilot, view)
            last = demo().resources.node_count - 1
            await pilot.press("end")
            assert app.state.cursor == last
            await pilot.press("down")
            assert app.state.cursor == last
            await pilot.press("home")
            assert app.state.cursor == 0
            await pilot.press("up")
            assert app.state.cursor == 0
        # Arrows on the map go along rows and across.
        await pilot.afresh(on=cluster(100))
        view = await into(app, pilot)
        per_row = view.grid.per_row  # type: ignore[attr-defined]
        await pilot.press("right", "right", "down")
        assert app.state.cursor == per_row + 2
        await pilot.press("left", "up")
        assert app.state.cursor == 1
        await pilot.press("left", "left")
        assert app.state.cursor == 0
        # Rows begin anew with another host prefix.
        await pilot.afresh()
        view = await into(app, pilot)
        assert view.row_of(4) == view.row_of(3) + 1  # dune-login4, then dune001
        await pilot.press("right", "right", "right", "down")
        assert app.state.cursor == 7
        await pilot.press("up")
        assert app.state.cursor == 3
        # N and p go from match to match and round.
        for view in ("#node-map", "#node-table"):
            await pilot.afresh(requires="x", on=cluster(50, {"x": "3,17,40"}))
            await into(app, pilot, view)
            found = []
            for key in ("n", "n", "n", "n", "p", "p", "p"):
                await pilot.press(key)
                found.append(app.state.cursor)
            assert found == [3, 17, 40, 3, 40, 17, 3]
        # N without a match stays.
        await pilot.afresh(requires="gpu&bigmem")
        await into(app, pilot)
        await pilot.press("right", "n", "p")
        assert app.state.cursor == 1


@pytest.mark.parametrize("size", [NARROW, WIDE])
@VIEWS
async def test_pages_cover_everything(size: tuple[int, int], view: str) -> None:
    async with workbench_at(size, on=cluster(3000)) as (app, pilot):
        widget = await into(app, pilot, view)
        seen = [app.state.cursor]
        while seen[-1] != 2999:
            await pilot.press("pagedown")
            assert app.state.cursor is not None
            assert app.state.cursor > seen[-1]
            assert place_of(widget, app.state.cursor)
            seen.append(app.state.cursor)
            assert len(seen) < 400
            if len(seen) == 4:
                break
        rows = [widget.row_of(index) for index in seen]
        steps = {b - a for a, b in pairwise(rows)}
        assert max(steps) <= widget.size.height
        for _ in seen:
            await pilot.press("pageup")
        assert app.state.cursor == 0


async def test_the_mouse_points_and_goes() -> None:
    async with workbench_at() as (app, pilot):
        # Hover shows and click selects.
        for size in [NARROW, NORMAL]:
            for view in ("#node-map", "#node-table"):
                await pilot.afresh(size=size)
                widget = await into(app, pilot, view)
                app.edit(MoveCursor(2))
                await pilot.settle()
                place = place_of(widget, 5)
                await pilot.hover(view, offset=place)
                assert app.state.cursor == 2
                assert app._hover == 5
                host = demo().resources.host(5)
                if size != NARROW:
                    assert plain(app, "#node-details").startswith(host)
                await pilot.click(view, offset=place)
                assert app.state.cursor == 5
                await pilot.hover("#title")
                assert app._hover is None
                assert app.state.cursor == 5
        # Leaving the map shows the selected node again.
        await pilot.afresh(size=NORMAL)
        widget = await into(app, pilot)
        await pilot.hover("#node-map", offset=place_of(widget, 9))
        assert plain(app, "#node-details").startswith(demo().resources.host(9))
        await pilot.hover("#shape-input")
        assert plain(app, "#node-details").startswith(demo().resources.host(0))
        # A click beside the nodes selects nothing.
        await pilot.afresh(on=cluster(3))
        widget = await into(app, pilot)
        await pilot.press("right")
        await pilot.click("#node-map", offset=(widget.size.width - 1, 0))
        await pilot.click("#node-map", offset=(widget.size.width // 2, widget.size.height - 1))
        await pilot.click("#node-map", offset=(0, 0))
        assert app.state.cursor == 1
        await pilot.press("f2")
        await pilot.click("#node-table", offset=(2, 0))  # the titles
        await pilot.click("#node-table", offset=(2, 8))
        assert app.state.cursor == 1
        # Clicks after scrolling.
        for view in ("#node-map", "#node-table"):
            await pilot.afresh(on=cluster(5000))
            widget = await into(app, pilot, view)
            await pilot.press("end")
            assert widget.scroll_offset.y > 0
            index = 4999 - 7
            await pilot.click(view, offset=place_of(widget, index))
            assert app.state.cursor == index
        # The wheel scrolls.
        for view in ("#node-map", "#node-table"):
            await pilot.afresh(on=cluster(5000))
            widget = await into(app, pilot, view)
            from textual import events

            x, y = widget.region.offset.x + 5, widget.region.offset.y + 5
            app.screen._forward_event(
                events.MouseScrollDown(widget, x, y, 0, 0, 0, False, False, False, x, y)
            )
            await pilot.until(lambda widget=widget: widget.scroll_offset.y > 0)
            assert app.state.cursor == 0


async def test_the_details_of_a_node_and_of_the_document() -> None:
    async with workbench_at(WIDE) as (app, pilot):
        # The table row has all of a node.
        table = await into(app, pilot, "#node-table")
        app.views.table.listed.put_columns(("rank", "host", "cores", "gpus", "properties"))
        node = demo().resources.node(185)
        app.edit(MoveCursor(185))
        await pilot.settle()
        line = table.render_line(place_of(table, 185).y).text
        assert line.split() == ["›", "185", node.host, "96", "4", *node.properties]
        # Of many conditions the first are listed.
        ranks = [f"-rank:{rank}" for rank in range(60)]
        await pilot.afresh(requires=" ".join(ranks), size=NORMAL)
        details = plain(app, "#node-details").splitlines()
        listed = [line for line in details if line.startswith(("  ✓ ", "  ✗ "))]
        assert listed[:2] == ["  ✗ not rank 0", "  ✓ not rank 1"]
        assert len(listed) == 50
        assert "    and 10 more" in details
        # Details of a node and facts of the document.
        await pilot.afresh()
        app.edit(MoveCursor(185))
        await pilot.settle()
        details = plain(app, "#node-details")
        node = demo().resources.node(185)
        assert node.host in details
        assert "rank 185" in details
        assert "96 cores" in details
        assert "0-95" in details
        assert "4 gpus" in details
        for name in node.properties:
            assert name in details
        assert "196 nodes" in details
        assert "2026-01-01 00:00" in details
        assert "2031-01-01 00:00" in details
        assert "no problems" in details
        # Problems of a document are said.
        on = cluster(4, {"bad|name": "0"}, hosts="n[0-2]")
        assert on.resources.problems
        await pilot.afresh(on=on, size=NORMAL)
        details = plain(app, "#node-details").replace("\n", " ")
        for problem in on.resources.problems:
            assert problem.message in " ".join(details.split())
        assert "problem" in plain(app, "#title")


# Documents of all sizes


async def test_small_documents() -> None:
    async with workbench_at(on=cluster(0), requires="gpu") as (app, pilot):
        # An empty cluster.
        await into(app, pilot)
        await pilot.press("down", "end", "pagedown", "n", "f2", "down", "pageup", "n", "f3", "f5")
        assert app.state.cursor is None
        await pilot.put("gpu&-debug")
        assert plain(app, "#answer").startswith("0 of 0")
        await pilot.press("enter", "escape")
        # One node.
        await pilot.afresh(requires="rank:0", on=cluster(1))
        view = await into(app, pilot)
        assert "1 of 1 node" in plain(app, "#answer")
        assert "1 of 1 nodes" not in plain(app, "#answer")
        await pilot.click("#node-map", offset=place_of(view, 0))
        await pilot.press("n", "pagedown", "down", "f2", "up")
        assert app.state.cursor == 0
        assert "1 node" in plain(app, "#title")
        # No properties.
        await pilot.afresh(on=cluster(5))
        assert "no properties" in plain(app, "#properties").lower()
        app.go_to("properties")
        await pilot.settle()
        await pilot.press("down", "down", "enter", "space", "home", "end")
        assert app.state.ask.blank
        # A click on the hint of an empty list does nothing.
        await pilot.afresh(on=cluster(5))
        await pilot.double_click("#properties", offset=(3, 1))
        assert app.state.ask.blank
        # No hosts.
        on = cluster(5, nodelist=[])
        await pilot.afresh(on=on)
        await pilot.put("rank:1-3")
        assert app.state.ask.totals.nodes == 3
        await pilot.press("f2")
        assert "1-3" in screen_text(app)


async def test_large_documents_and_odd_names() -> None:
    async with workbench_at() as (app, pilot):
        # A hundred thousand nodes.
        on = cluster(100_000, {"gpu": "90000-99999", "odd": ",".join(map(str, range(1, 9999, 2)))})
        await pilot.afresh(on=on)
        await pilot.put("gpu|odd")
        assert plain(app, "#answer") == "14,999 of 100,000 nodes"
        view = await into(app, pilot)
        await pilot.press("end", "p")
        assert app.state.cursor == 99_998
        assert plain(app, "#node-details").startswith("n99998")
        assert place_of(view, 99_998)
        await pilot.press("f2")
        assert "n99998" in screen_text(app)
        await pilot.press("home")
        assert app.state.cursor == 0
        await pilot.put('{"not": [{"properties": ["gpu"]}]}')
        assert app.state.ask.totals.nodes == 90_000
        # Every host of its own prefix.
        names = ",".join(f"{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}-{n}" for n in range(400))
        await pilot.afresh(on=cluster(400, hosts=names))
        view = await into(app, pilot)
        assert view.row_of(1) == 0
        await pilot.press("end")
        assert place_of(view, 399)
