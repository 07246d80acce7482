"""The cluster in the workbench: its views, the node at the cursor, documents of all sizes."""

import pytest

from fluxtui.ui.nodes.map_layout import Zoom
from fluxtui.ui.nodes.node_map import NodeMap
from fluxtui.ui.nodes.nodes_view import SelectableNodes
from fluxtui.workbench import MoveCursor
from tests.ui.helpers import (
    NORMAL,
    WIDE,
    cluster,
    demo,
    plain,
    screen_text,
    shown,
    workbench_at,
)
from tests.ui.test_node_views import place_of

VIEWS = pytest.mark.parametrize("view", ["#node-map", "#node-table"])


async def into(app, pilot, view: str = "#node-map") -> SelectableNodes:
    """Give the focus to the map or to the table."""
    app.go_to(view.removeprefix("#node-"))
    await pilot.settle()
    widget = app.query_one(view, SelectableNodes)
    assert app.focused is widget
    if isinstance(widget, NodeMap):
        widget.zoom_to(Zoom("cells"))  # a node a cell, however many there are
        await pilot.settle()
    return widget


async def test_the_views_have_one_cursor() -> None:
    async with workbench_at(requires="gpu") as (app, pilot):
        map_ = await into(app, pilot)
        table = app.query_one("#node-table", SelectableNodes)
        await pilot.press("n", "n", "n", "p")
        at = app.state.cursor
        assert at is not None
        assert demo().resources.properties["gpu"] >> at & 1
        assert shown(map_)
        assert not shown(table)
        await pilot.press("2")
        assert shown(table)
        assert not shown(map_)
        assert app.focused is table
        assert table.index_at(0, place_of(table, at).y) == at
        await pilot.press("down", "2")
        assert app.focused is app.query_one("#node-graph")
        await pilot.press("2")
        assert app.focused is map_
        assert map_.cursor == app.state.cursor == at + 1
        assert place_of(map_, at + 1)
        # A view that is gone to by F2 leaves what is typed below another one.
        for typed in [("2", "slash"), ("2", "2", "slash"), ("g",)]:
            await pilot.afresh(size=NORMAL)
            await into(app, pilot)
            await pilot.press(*typed, "g", "p", "u")
            before = app.state
            for _ in range(3):
                await pilot.press("f2")
                assert app.focused is app.views.view
                await pilot.press("down")
            assert (app.state.build.text, app.state.ask.text) == (
                before.build.text,
                before.ask.text,
            )


async def test_the_mouse_over_a_node_shows_its_details() -> None:
    async with workbench_at() as (app, pilot):
        for view in ("#node-map", "#node-table"):
            widget = await into(app, pilot, view)
            app.edit(MoveCursor(2))
            await pilot.settle()
            await pilot.hover(view, offset=place_of(widget, 5))
            assert app.state.cursor == 2
            assert plain(app, "#node-details").startswith(demo().resources.host(5))
            await pilot.hover("#title")
            assert plain(app, "#node-details").startswith(demo().resources.host(2))
            await pilot.click(view, offset=place_of(widget, 5))
            assert app.state.cursor == 5


async def test_a_row_has_all_of_a_node_and_the_title_says_that_something_is_wrong() -> None:
    async with workbench_at(WIDE) as (app, pilot):
        table = await into(app, pilot, "#node-table")
        app.views.table.listed.put_columns(("rank", "host", "cores", "gpus", "properties"))
        node = demo().resources.node(185)
        app.edit(MoveCursor(185))
        await pilot.settle()
        line = table.render_line(place_of(table, 185).y).text
        assert line.split() == ["›", "185", node.host, "96", "4", *node.properties]
        on = cluster(4, {"bad|name": "0"}, hosts="n[0-2]")
        assert on.resources.problems
        await pilot.afresh(on=on, size=NORMAL)
        details = " ".join(plain(app, "#node-details").split())
        assert all(problem.message in details for problem in on.resources.problems)
        assert "problem" in plain(app, "#title")


# Documents of all sizes


async def test_small_documents() -> None:
    async with workbench_at(on=cluster(0), requires="gpu") as (app, pilot):
        # An empty cluster.
        await into(app, pilot)
        await pilot.press("down", "end", "pagedown", "n", "2", "down", "pageup", "n", "f3", "f5")
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
