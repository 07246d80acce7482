"""The table of nodes: sorted, filtered, folded, with the keys and the mouse."""

from textual.pilot import Pilot

from fluxtui.ui.app import FluxTUI
from fluxtui.ui.widgets.cluster_table import ClusterTable
from fluxtui.workbench import Cluster, MoveCursor, OpenCluster
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    SIZES,
    afresh,
    cluster,
    demo,
    done,
    plain,
    press,
    put,
    screen_text,
    settle,
    until,
    workbench_at,
)

MILLION = 1_000_000


def kinds() -> Cluster:
    """Twelve nodes of three kinds, and one that has no property."""
    return cluster(13, {"a": "0-3,8-9", "b": "4-7", "c": "10-11,0-3,8-9"})


async def table(app: FluxTUI, pilot: Pilot[None]) -> ClusterTable:
    """The table in sight, with the focus."""
    app.cluster_pane.show_view("table")
    app.bring("cluster")
    await settle(pilot)
    assert app.focused is app.cluster_pane.table
    return app.cluster_pane.listed


async def listed(app: FluxTUI, pilot: Pilot[None], *keys: str) -> list[int]:
    """The first node of each row, once the keys have had their effect, one after the other."""
    await done(pilot)
    for key in keys:
        await press(pilot, key)
        await done(pilot)
    listing = app.cluster_pane.table.listing
    return list(listing.indices(0, listing.count))


def nodes(*indices: int) -> int:
    """These nodes as a mask."""
    return sum(1 << index for index in indices)


def drawn(app: FluxTUI) -> list[str]:
    """The rows of the table as they are drawn, without its titles."""
    view = app.cluster_pane.table
    lines = (view.render_line(y).text.rstrip() for y in range(view.header_rows, view.size.height))
    return [line for line in lines if line]


async def take_order(app: FluxTUI, pilot: Pilot[None], words: str) -> list[int]:
    """Sort by what the dialog finds by these words."""
    await press(pilot, "s", *words)
    return await listed(app, pilot, "enter")


# Sorting


async def test_rows_are_sorted() -> None:
    async with workbench_at() as (app, pilot):
        # Sorted by what the dialog lists.
        await table(app, pilot)
        resources = demo().resources
        order = await take_order(app, pilot, "cores")
        cores = [resources.cores_at(index) for index in order]
        assert cores == sorted(cores, reverse=True)
        assert "cores▾" in screen_text(app)
        order = await listed(app, pilot, "S")
        assert [resources.cores_at(i) for i in order] == sorted(cores)
        assert "cores▴" in screen_text(app)
        order = await take_order(app, pilot, "bigmem")
        gpus = [resources.properties["bigmem"] >> i & 1 for i in order]
        assert gpus == sorted(gpus, reverse=True)
        # A click on a title sorts and turns round.
        await afresh(app, pilot)
        part = await table(app, pilot)
        line = part.table.render_line(part.table.header_rows - 1).text
        place = (line.index("gpus") + 1, part.table.header_rows - 1)
        resources = demo().resources
        await pilot.click("#node-table", offset=place)
        order = await listed(app, pilot)
        gpus = [resources.gpus_at(index) for index in order]
        assert gpus == sorted(gpus, reverse=True)
        assert gpus[0] > 0
        await pilot.click("#node-table", offset=place)
        assert [resources.gpus_at(i) for i in await listed(app, pilot)] == sorted(gpus)
        assert app.state.cursor == 0
        # A click on the title of a mark sorts by that property.
        await afresh(app, pilot, on=cluster(9, {"xyz": "3-4"}))
        part = await table(app, pilot)
        x = part.table.render_line(0).text.index("xyz")
        await pilot.click("#node-table", offset=(x + 1, 0))
        assert (await listed(app, pilot))[:3] == [3, 4, 0]
        assert "xyz▾" in screen_text(app)
        # What matches first as the constraint is typed.
        await afresh(app, pilot, on=kinds())
        await table(app, pilot)
        await take_order(app, pilot, "match")
        await put(pilot, "b")
        assert (await listed(app, pilot))[:5] == [4, 5, 6, 7, 0]
        await put(pilot, "c&-a")
        assert (await listed(app, pilot))[:3] == [10, 11, 0]


async def test_the_cursor_goes_by_the_rows_that_are_seen() -> None:
    async with workbench_at() as (app, pilot):
        # The cursor stays on its node and in sight.
        part = await table(app, pilot)
        await press(pilot, "down", "down", "down")
        await listed(app, pilot, "S")
        assert app.state.cursor == 3
        assert part.table.render_line(part.table.size.height - 2)
        assert any(line.startswith("›") for line in drawn(app))
        await press(pilot, "up")
        assert app.state.cursor == 4
        # Moving and ranges go by the rows that are seen.
        await afresh(app, pilot, on=kinds())
        await table(app, pilot)
        order = await take_order(app, pilot, "b")
        assert order[3:6] == [7, 0, 1]
        app.edit(MoveCursor(7))
        await press(pilot, "shift+down", "shift+down")
        assert app.state.selected == nodes(7, 0, 1)
        await press(pilot, "escape", "end", "shift+home")
        assert app.state.selected == (1 << 13) - 1
        await press(pilot, "escape", "home")
        assert app.state.cursor == 4
        # Next match goes by the rows and round.
        await afresh(app, pilot, requires="c", on=kinds())
        await table(app, pilot)
        await listed(app, pilot, "S")
        app.edit(MoveCursor(9))
        await press(pilot, "n")
        assert app.state.cursor == 8
        await press(pilot, "n")
        assert app.state.cursor == 3
        await press(pilot, "home", "p")
        assert app.state.cursor == 0
        await press(pilot, "n")
        assert app.state.cursor == 11


# Filtering


async def test_rows_are_filtered() -> None:
    async with workbench_at() as (app, pilot):
        # Typing narrows the rows and says to what.
        part = await table(app, pilot)
        assert await listed(app, pilot, "/", *"gpu1") == list(range(173, 183))
        text = screen_text(app)
        assert "10 of 196 nodes" in text
        assert app.focused is part.foot.entry
        await press(pilot, "enter")
        assert app.focused is part.table
        assert "10 of 196 nodes" in screen_text(app)
        assert len(await listed(app, pilot, "escape")) == 196
        assert "10 of 196" not in screen_text(app)
        assert app.focused is part.table
        # Escape in the filter drops it.
        await afresh(app, pilot)
        part = await table(app, pilot)
        await press(pilot, "/", *"login", "escape")
        assert len(await listed(app, pilot)) == 196
        assert app.focused is part.table
        assert not part.foot.is_open
        # A node that is filtered away has no mark.
        await afresh(app, pilot)
        await table(app, pilot)
        app.edit(MoveCursor(100))
        await listed(app, pilot, "/", *"login", "enter")
        assert not any(line.startswith("›") for line in drawn(app))
        assert app.state.cursor == 100
        await press(pilot, "down")
        assert app.state.cursor == 3  # the nearest
        await press(pilot, "up")
        assert app.state.cursor == 2
        # Those alone that match.
        await afresh(app, pilot, requires="b", on=kinds())
        await table(app, pilot)
        assert await listed(app, pilot, "m") == [4, 5, 6, 7]
        assert "4 of 13 nodes" in screen_text(app)
        await put(pilot, "c&-a")
        assert await listed(app, pilot) == [10, 11]
        await put(pilot, "nothing")
        assert await listed(app, pilot) == []
        await press(pilot, "tab")
        app.screen.set_focus(app.cluster_pane.table)
        await press(pilot, "down", "end", "space", "n", "pageup", "shift+down")
        assert app.state.selected == 0
        assert len(await listed(app, pilot, "m")) == 13
        # Another document begins without a filter.
        await afresh(app, pilot)
        part = await table(app, pilot)
        await listed(app, pilot, "/", *"login", "enter")
        app.edit(OpenCluster(kinds()))
        assert len(await listed(app, pilot)) == 13
        assert not part.foot.is_open


# Documents of all sizes


async def test_an_empty_cluster() -> None:
    for size in SIZES:
        async with workbench_at(size, on=cluster(0)) as (app, pilot):
            await table(app, pilot)
            for key in ("S", "m", "f", "right", "enter", "down", "n", "space", "v", "m"):
                assert await listed(app, pilot, key) == []
            assert "No nodes were found" in screen_text(app)


async def test_nothing_breaks_on_the_way() -> None:
    """Whatever is listed while it is not seen, or changes while it is found."""
    async with workbench_at(NARROW) as (app, pilot):
        await table(app, pilot)
        await press(pilot, "f", "S", "f", "m", "f")
        app.cluster_pane.show_view("map")
        await put(pilot, "gpu")
        await put(pilot, "bigmem")
        await table(app, pilot)
        found = demo().resources.properties["bigmem"]
        assert len(await listed(app, pilot)) == 1
        assert app.cluster_pane.table.listing.nodes(0, 1) == found
        assert len(await listed(app, pilot, "f")) == found.bit_count()


async def test_no_key_leaves_something_old() -> None:
    """What is painted row by row is what would be painted anew."""
    async with workbench_at(NARROW, requires="gpu") as (app, pilot):
        await table(app, pilot)
        keys = ["down", "right", "left", "f", "down", "enter", "down", "down", "space", "left"]
        keys += ["left", "S", "m", "v", "m", "f", "shift+down", "n", "v", "end", "a", "escape"]
        for key in keys:
            await listed(app, pilot, key)
            before = screen_text(app)
            app.cluster_pane.table.refresh()
            await settle(pilot)
            assert screen_text(app) == before, key
        for text in ("gpu&batch", "bigmem", "gpu|bigmem", ""):
            await listed(app, pilot, "f")
            await put(pilot, text)
            await listed(app, pilot)
            before = screen_text(app)
            app.cluster_pane.table.refresh()
            await settle(pilot)
            assert screen_text(app) == before, text
            app.screen.set_focus(app.cluster_pane.table)


async def test_a_million_nodes() -> None:
    named = {"even": ",".join(map(str, range(0, 1000, 2))), "late": f"900000-{MILLION - 1}"}
    async with workbench_at(NORMAL, on=cluster(MILLION, named)) as (app, pilot):
        part = await table(app, pilot)
        await press(pilot, "end")
        assert app.state.cursor == MILLION - 1
        await press(pilot, "s", *"late", "enter", "home")
        await until(pilot, lambda: not part.is_finding)
        assert app.state.cursor == 900_000
        await press(pilot, "f")
        await until(pilot, lambda: part.table.listing.is_folded)
        assert part.table.row_count == 3
        assert "100,000" in drawn(app)[0]
        await press(pilot, "home", "space")
        assert app.state.selected.bit_count() == 100_000
        await press(pilot, "enter", "down", "end", "pageup", "f")
        await until(pilot, lambda: not part.is_finding)
        assert part.table.row_count == MILLION
        assert plain(app, "#node-details")
