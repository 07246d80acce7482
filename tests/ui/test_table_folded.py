"""The table of nodes with one row for all that are alike."""

from itertools import product

from fluxtui.ui.widgets.node_table import NodeTable
from fluxtui.ui.widgets.table_columns import Column
from fluxtui.workbench import OpenCluster
from tests.ui.helpers import (
    SIZES,
    WIDE,
    afresh,
    cluster,
    press,
    put,
    screen_text,
    settle,
    until,
    workbench_at,
)
from tests.ui.test_table import drawn, kinds, listed, nodes, table, take_order


async def test_rows_of_equal_nodes_are_one() -> None:
    async with workbench_at(on=kinds()) as (app, pilot):
        # Rows of equal nodes in one.
        await table(app, pilot)
        assert await listed(app, pilot, "f") == [0, 4, 10, 12]
        rows = [line.lstrip("› ■") for line in drawn(app)]
        assert [row.split()[:4] for row in rows] == [
            ["▸", "6", "n[0-3,8-9]", "0-3,8-9"],
            ["▸", "4", "n[4-7]", "4-7"],
            ["▸", "2", "n[10-11]", "10-11"],
            ["1", "n12", "12", "4"],
        ]
        assert "13 nodes of 4 kinds" in screen_text(app)
        assert await listed(app, pilot, "f") == list(range(13))
        # How many of a row match.
        await afresh(app, pilot, requires="rank:2-4", on=kinds())
        await table(app, pilot)
        await listed(app, pilot, "f")
        rows = drawn(app)
        assert "2 of 6" in rows[0]
        assert "◧" in rows[0]
        assert "1 of 4" in rows[1]
        assert "0 of 2" in rows[2]
        assert "·" in rows[2]
        await put(pilot, "rank:0-3,8-9")
        await until(pilot, lambda: "6 of 6" in drawn(app)[0])
        assert "■" in drawn(app)[0]
        # A row opens to its nodes and closes.
        await afresh(app, pilot, on=kinds())
        await table(app, pilot)
        await listed(app, pilot, "f", "down")
        assert app.state.cursor == 4
        assert await listed(app, pilot, "right") == [0, 4, 4, 5, 6, 7, 10, 12]
        assert drawn(app)[1].startswith("›")
        await press(pilot, "down", "down")
        assert app.state.cursor == 5
        await press(pilot, "left")
        assert app.state.cursor == 4
        assert drawn(app)[1].startswith("›")
        assert await listed(app, pilot, "left") == [0, 4, 10, 12]
        assert len(await listed(app, pilot, "enter")) == 8
        assert len(await listed(app, pilot, "enter")) == 4
        # Space selects all nodes of a row.
        await afresh(app, pilot, on=kinds())
        await table(app, pilot)
        await listed(app, pilot, "f", "space")
        assert app.state.selected == nodes(0, 1, 2, 3, 8, 9)
        await press(pilot, "shift+down")
        assert app.state.selected == nodes(*range(10))
        await press(pilot, "space")
        assert app.state.selected == nodes(0, 1, 2, 3, 8, 9)
        await press(pilot, "escape", "enter", "down", "down", "space")
        assert app.state.selected == nodes(5)
        assert "◈" in drawn(app)[1]
        # Folded rows are sorted and filtered and stay open.
        await afresh(app, pilot, on=kinds())
        await table(app, pilot)
        await listed(app, pilot, "f", "down", "enter")
        assert await take_order(app, pilot, "nodes") == [0, 4, 4, 5, 6, 7, 10, 12]
        assert await listed(app, pilot, "S") == [12, 10, 4, 4, 5, 6, 7, 0]
        assert await listed(app, pilot, "/", *"3-6", "enter") == [3, 4, 4, 5, 6]


async def test_another_document_begins_with_closed_rows() -> None:
    async with workbench_at(on=kinds()) as (app, pilot):
        await table(app, pilot)
        assert len(await listed(app, pilot, "f", "enter")) == 10
        app.edit(OpenCluster(kinds()))
        assert await listed(app, pilot) == [0, 4, 10, 12]


async def test_a_click_on_the_sign_opens() -> None:
    async with workbench_at(on=kinds()) as (app, pilot):
        part = await table(app, pilot)
        await listed(app, pilot, "f")
        y = part.table.header_rows + 1
        await pilot.click("#node-table", offset=(3, y))
        assert len(await listed(app, pilot)) == 8
        await pilot.click("#node-table", offset=(3, y))
        assert len(await listed(app, pilot)) == 4


def titles(view: NodeTable) -> str:
    """The line of the titles that has the sign of the order."""
    return view.render_line(view.header_rows - 1).text


async def test_folded_rows_are_sorted_by_their_totals() -> None:
    async with workbench_at(WIDE) as (app, pilot):
        # One column has the sign of the order.
        view = (await table(app, pilot)).table
        await listed(app, pilot, "f", "f8")
        for words in ("cores", "gpus", "all cores", "all gpus", "nodes"):
            await take_order(app, pilot, words)
            assert titles(view).count("▾") == 1
            assert f" {words}▾" in titles(view)
        app.cluster_pane.listed.put_columns(("host", "core-ids", "cores", "count", "properties"))
        for words in ("cores", "properties"):
            await take_order(app, pilot, words)
            assert titles(view).count("▾") == 1
        assert "props▾" in titles(view)
        # Rows are sorted by what their nodes have together.
        await afresh(app, pilot)
        view = (await table(app, pilot)).table
        await listed(app, pilot, "f", "f8")
        await take_order(app, pilot, "all cores")
        at = columns(view).index("all-cores")
        firsts = [view.listing.indices(row, row + 1)[0] for row in range(view.row_count)]
        whole = [int(view.values_at(first)[at].replace(",", "")) for first in firsts]
        assert whole == sorted(whole, reverse=True)
        await listed(app, pilot, "S")
        assert "all cores▴" in titles(view)
        assert "196 nodes of 13 kinds, by all cores ▴" in screen_text(app)
        assert [view.listing.indices(row, row + 1)[0] for row in range(2)] == firsts[:-3:-1]
        await listed(app, pilot, "f")
        assert "rank▴" in titles(view)  # there are no such rows any more
        await press(pilot, "s")
        assert "all cores" not in screen_text(app)
        # A click on the title of a total sorts by it.
        await afresh(app, pilot)
        view = (await table(app, pilot)).table
        await listed(app, pilot, "f", "f8")
        x = titles(view).index("all gpus") + 2
        await pilot.click("#node-table", offset=(x, view.header_rows - 1))
        await listed(app, pilot)
        assert app.cluster_pane.listed.wanted.key.by == "all-gpus"


# What is cut


async def test_no_number_is_cut_and_words_show_that_they_are() -> None:
    async with workbench_at((80, 40)) as (app, pilot):
        view = (await table(app, pilot)).table
        await listed(app, pilot, "f")
        for width, keys in product((80, 112, 131, 200), ((), ("v",))):
            await pilot.resize_terminal(width, 40)
            await listed(app, pilot, *keys)
            view.scroll_to(x=0, animate=False)
            await settle(pilot)
            for _ in range(14):
                title, line = (view.render_line(view.header_rows + y).text for y in (-1, 4))
                layout, scrolled = view.layout_of_columns, view.scroll_offset.x
                values = dict(zip(columns(view), view.values_at(100), strict=True))
                for column, start, wide in layout.placed:
                    if column.is_marks:
                        continue
                    left = start - (scrolled if start >= layout.edge else 0)
                    first = max(left, layout.edge if start >= layout.edge else 0)
                    for row, whole in ((title, column.title), (line, values[column.name])):
                        seen = row[first : max(left + wide, first)].strip(" ▴")
                        cut = "…" in seen and column.align == "left"
                        assert seen in ("", whole) or cut, (column.name, seen)
                view.scroll_relative(x=3, animate=False)
                await settle(pilot)
            await listed(app, pilot, *keys)  # words are marks again


def columns(view: NodeTable) -> list[str]:
    """The columns that hold values, in the order of the values."""
    return [column.name for column in view._columns if not column.is_marks]


async def test_hosts_take_the_room_that_there_is() -> None:
    names = "n[500000-999999]"
    on = cluster(500_000, {"a": "0-249999"}, hosts=names)
    for size in SIZES:
        async with workbench_at(size, on=on) as (app, pilot):
            await table(app, pilot)
            await listed(app, pilot, "f")
            assert "n[750000-999999]" in drawn(app)[1]
            assert "250000-499999" in drawn(app)[1]
    hosts = ",".join(f"n[{10 * n}-{10 * n + 4}]" for n in range(4))
    async with workbench_at(WIDE, on=cluster(20, hosts=hosts)) as (app, pilot):
        await table(app, pilot)
        await listed(app, pilot, "f")
        assert "n[0-4,10-14,20-24,30-34]" in drawn(app)[0]


def test_a_list_is_cut_between_its_parts() -> None:
    column = Column("rank", "ranks", 9, cut="list")
    assert column.fit("100-109,120", 9) == "100-109,…"
    assert column.fit("1-2,30-45,6", 9) == "1-2,…    "
    assert column.fit("500000-999999", 9) == "500000-9…"
