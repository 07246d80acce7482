"""The table of nodes: sorted, filtered, folded, with the keys and the mouse."""

from itertools import product
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.style import Style
from textual import events

from fluxtui import workbench
from fluxtui.bridge.chosen import Chosen
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.nodes.cluster_table import ClusterTable
from fluxtui.ui.nodes.node_table import NodeTable
from fluxtui.ui.nodes.table_columns import USUAL, Column
from fluxtui.ui.nodes.table_marks import HAS, LACKS, Marks
from fluxtui.ui.session.viewing import COLUMNS
from fluxtui.workbench import Cluster, MoveCursor, OpenCluster
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    SIZES,
    WIDE,
    Hands,
    cluster,
    demo,
    plain,
    running,
    screen_text,
    workbench_at,
)

MILLION = 1_000_000


def kinds() -> Cluster:
    """Twelve nodes of three kinds, and one that has no property."""
    return cluster(13, {"a": "0-3,8-9", "b": "4-7", "c": "10-11,0-3,8-9"})


async def table(app: FluxTUI, pilot: Hands) -> ClusterTable:
    """The table in sight, with the focus."""
    app.go_to("table")
    app.go_to("map")
    await pilot.settle()
    assert app.focused is app.views.table.table
    return app.views.table.listed


async def listed(app: FluxTUI, pilot: Hands, *keys: str) -> list[int]:
    """The first node of each row, once the keys have had their effect, one after the other."""
    await pilot.done()
    for key in keys:
        await pilot.press(key)
        await pilot.done()
    listing = app.views.table.table.listing
    return list(listing.indices(0, listing.count))


def nodes(*indices: int) -> int:
    """These nodes as a mask."""
    return sum(1 << index for index in indices)


def drawn(app: FluxTUI) -> list[str]:
    """The rows of the table as they are drawn, without its titles."""
    view = app.views.table.table
    lines = (view.render_line(y).text.rstrip() for y in range(view.header_rows, view.size.height))
    return [line for line in lines if line]


async def take_order(app: FluxTUI, pilot: Hands, words: str) -> list[int]:
    """Sort by what the dialog finds by these words."""
    await pilot.press("s", *words)
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
        await pilot.afresh()
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
        await pilot.afresh(on=cluster(9, {"xyz": "3-4"}))
        part = await table(app, pilot)
        x = part.table.render_line(0).text.index("xyz")
        await pilot.click("#node-table", offset=(x + 1, 0))
        assert (await listed(app, pilot))[:3] == [3, 4, 0]
        assert "xyz▾" in screen_text(app)
        # What matches first as the constraint is typed.
        await pilot.afresh(on=kinds())
        await table(app, pilot)
        await take_order(app, pilot, "match")
        await pilot.put("b")
        assert (await listed(app, pilot))[:5] == [4, 5, 6, 7, 0]
        await pilot.put("c&-a")
        assert (await listed(app, pilot))[:3] == [10, 11, 0]


async def test_the_cursor_goes_by_the_rows_that_are_seen() -> None:
    async with workbench_at() as (app, pilot):
        # The cursor stays on its node and in sight.
        part = await table(app, pilot)
        await pilot.press("down", "down", "down")
        await listed(app, pilot, "S")
        assert app.state.cursor == 3
        assert part.table.render_line(part.table.size.height - 2)
        assert any(line.startswith("›") for line in drawn(app))
        await pilot.press("up")
        assert app.state.cursor == 4
        # Moving and ranges go by the rows that are seen.
        await pilot.afresh(on=kinds())
        await table(app, pilot)
        order = await take_order(app, pilot, "b")
        assert order[3:6] == [7, 0, 1]
        app.edit(MoveCursor(7))
        await pilot.press("shift+down", "shift+down")
        assert app.state.selected == nodes(7, 0, 1)
        await pilot.press("escape", "end", "shift+home")
        assert app.state.selected == (1 << 13) - 1
        await pilot.press("escape", "home")
        assert app.state.cursor == 4
        # Next match goes by the rows and round.
        await pilot.afresh(requires="c", on=kinds())
        await table(app, pilot)
        await listed(app, pilot, "S")
        app.edit(MoveCursor(9))
        await pilot.press("n")
        assert app.state.cursor == 8
        await pilot.press("n")
        assert app.state.cursor == 3
        await pilot.press("home", "p")
        assert app.state.cursor == 0
        await pilot.press("n")
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
        await pilot.press("enter")
        assert app.focused is part.table
        assert "10 of 196 nodes" in screen_text(app)
        assert len(await listed(app, pilot, "escape")) == 196
        assert "10 of 196" not in screen_text(app)
        assert app.focused is part.table
        # Escape in the filter drops it.
        await pilot.afresh()
        part = await table(app, pilot)
        await pilot.press("/", *"login", "escape")
        assert len(await listed(app, pilot)) == 196
        assert app.focused is part.table
        assert not part.foot.is_open
        # A node that is filtered away has no mark.
        await pilot.afresh()
        await table(app, pilot)
        app.edit(MoveCursor(100))
        await listed(app, pilot, "/", *"login", "enter")
        assert not any(line.startswith("›") for line in drawn(app))
        assert app.state.cursor == 100
        await pilot.press("down")
        assert app.state.cursor == 3  # the nearest
        await pilot.press("up")
        assert app.state.cursor == 2
        # Those alone that match.
        await pilot.afresh(requires="b", on=kinds())
        await table(app, pilot)
        assert await listed(app, pilot, "m") == [4, 5, 6, 7]
        assert "4 of 13 nodes" in screen_text(app)
        await pilot.put("c&-a")
        assert await listed(app, pilot) == [10, 11]
        await pilot.put("nothing")
        assert await listed(app, pilot) == []
        await pilot.press("tab")
        app.screen.set_focus(app.views.table.table)
        await pilot.press("down", "end", "space", "n", "pageup", "shift+down")
        assert app.state.selected == 0
        assert len(await listed(app, pilot, "m")) == 13
        # Another document begins without a filter.
        await pilot.afresh()
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
        await pilot.press("f", "S", "f", "m", "f")
        app.go_to("map")
        await pilot.put("gpu")
        await pilot.put("bigmem")
        await table(app, pilot)
        found = demo().resources.properties["bigmem"]
        assert len(await listed(app, pilot)) == 1
        assert app.views.table.table.listing.nodes(0, 1) == found
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
            app.views.table.table.refresh()
            await pilot.settle()
            assert screen_text(app) == before, key
        for text in ("gpu&batch", "bigmem", "gpu|bigmem", ""):
            await listed(app, pilot, "f")
            await pilot.put(text)
            await listed(app, pilot)
            before = screen_text(app)
            app.views.table.table.refresh()
            await pilot.settle()
            assert screen_text(app) == before, text
            app.screen.set_focus(app.views.table.table)


async def test_a_million_nodes() -> None:
    named = {"even": ",".join(map(str, range(0, 1000, 2))), "late": f"900000-{MILLION - 1}"}
    async with workbench_at(NORMAL, on=cluster(MILLION, named)) as (app, pilot):
        part = await table(app, pilot)
        await pilot.press("end")
        assert app.state.cursor == MILLION - 1
        await pilot.press("s", *"late", "enter", "home")
        await pilot.until(lambda: not part.is_finding)
        assert app.state.cursor == 900_000
        await pilot.press("f")
        await pilot.until(lambda: part.table.listing.is_folded)
        assert part.table.row_count == 3
        assert "100,000" in drawn(app)[0]
        await pilot.press("home", "space")
        assert app.state.selected.bit_count() == 100_000
        await pilot.press("enter", "down", "end", "pageup", "f")
        await pilot.until(lambda: not part.is_finding)
        assert part.table.row_count == MILLION
        assert plain(app, "#node-details")


# The columns of the table, the properties as marks, and what a person chooses of them

PLAIN = Palette.of({})

MANY = {f"property{number}": f"{number % 50}-{number % 50 + number % 7}" for number in range(200)}

# Marks


async def test_properties_are_marks_with_titles() -> None:
    async with workbench_at() as (app, pilot):
        # A mark for each property of each node.
        part = await table(app, pilot)
        resources, view = demo().resources, part.table
        shown = view.layout_of_columns.marks.names
        assert list(shown) == list(resources.properties)
        await pilot.press("down")
        for y in range(view.header_rows, view.header_rows + 5):
            line = view.render_line(y).text
            index = view.index_at(5, y)
            assert index is not None
            marks = [character for character in line if character in HAS + LACKS]
            names = resources.properties_at(index)
            expected = [HAS if name in names else LACKS for name in shown]
            assert marks == expected[: len(marks)]
            assert len(marks) > 8
        # The foot names the property whose title is pointed at.
        await pilot.afresh()
        view = (await table(app, pilot)).table
        marks = view.layout_of_columns.placed[-1]
        x = marks.start + view.layout_of_columns.marks._starts[11]
        assert view.layout_of_columns.marks.names[11] == "nvidia-h100@gpu"
        await pilot.hover("#node-table", offset=(x, view.header_rows - 1))
        assert plain(app, "#table-words").startswith("nvidia-h100@gpu ")
        await pilot.hover("#node-table", offset=(x, view.header_rows + 1))
        assert "nvidia" not in plain(app, "#table-words")
        await pilot.hover("#node-table", offset=(x, view.header_rows - 1))
        await pilot.hover("#shape-input")
        assert "nvidia" not in plain(app, "#table-words")
        # A title keeps its end where it is cut.
        await pilot.afresh(on=cluster(60, MANY), size=NORMAL)
        view = (await table(app, pilot)).table
        rows = [view.render_line(y).text for y in range(view.header_rows)]
        x = view.layout_of_columns.placed[-1].start + 2 * 17
        assert "".join(row[x] for row in rows) == "proper…17"
        # A property without a name is quoted in marks and words.
        await pilot.afresh(on=cluster(4, {"": "0-1", "y": "0"}))
        part = await table(app, pilot)
        assert '""  y' in part.table.render_line(0).text
        await listed(app, pilot, "v")
        assert drawn(app)[0].endswith('"" y')
        # What the constraint asks of a property is told by the mark.
        on = cluster(4, {"aa": "0-1", "bb": "1-2", "cc": "0"})
        await pilot.afresh(requires="aa&-bb", on=on, size=NORMAL)
        await table(app, pilot)
        marks = [" ".join(line.split()[-3:]) for line in drawn(app)]
        assert marks == ["● · ●", "● ✗ ·", "○ ✗ ·", "○ · ·"]
        assert "○ required, not there" in screen_text(app)
        assert "✗ excluded, there" in screen_text(app)
        await pilot.put("")
        assert [" ".join(line.split()[-3:]) for line in drawn(app)][2] == "· ● ·"
        assert "required" not in screen_text(app)


def test_titles_lie_where_they_fit_and_stand_where_not() -> None:
    names = ["gpu", "a-longer-name", "rack12"]
    lying = Marks(names, 40, 6)
    assert not lying.upright
    assert lying.height == 1
    upright = Marks(names, 20, 6)
    assert upright.upright
    assert upright.height == 6
    assert upright.width == 5
    assert [upright.at(x) for x in (0, 2, 4)] == names
    assert lying.at(0) == "gpu"
    assert lying.at(5) == "a-longer-name"


def test_upright_titles_take_more_rows_where_more_of_them_are_whole_then() -> None:
    names = ["gpu", "bigmem", "icelake", "nvidia-h100@gpu"]
    assert [Marks(names, 20, 5, most).height for most in (0, 5, 6, 7, 9, 14, 15, 40)] == [
        *(5, 5, 6, 7),
        *(7, 7, 15, 15),
    ]
    assert Marks(["a" * 90, "gpu"], 2, 5, 40).height == 5


@pytest.mark.parametrize(("size", "names"), [(NARROW, ["debug"]), (NORMAL, ["trento"])])
async def test_most_titles_can_be_read_whole(size: tuple[int, int], names: list[str]) -> None:
    async with workbench_at(size) as (app, pilot):
        view = (await table(app, pilot)).table
        rows = [view.render_line(y).text for y in range(view.header_rows)]
        titles = ["".join(column).strip() for column in zip(*rows, strict=True)]
        assert set(names) < set(titles)
        assert view.header_rows <= view.size.height // 2


def upright(names: list[str]) -> list[str]:
    """What stands in each column of upright titles, from the top."""
    marks = Marks(names, 1, 8)
    rows = [[*marks.titles(y, range(len(names)), {}, PLAIN, None)] for y in range(marks.height)]
    starts = sorted({piece.start for row in rows for piece in row})
    return [
        "".join(piece.text for row in rows for piece in row if piece.start == at) for at in starts
    ]


def test_upright_titles_of_any_characters() -> None:
    assert upright(["gpu", "a\x1b[1mb", "e\u0301t\ufe0f", ""]) == [
        "gpu",
        "a▯[1mb",
        "e\u0301t",
        '""',
    ]
    assert upright(["節點1", "gpu"]) == ["節點1", "gpu"]
    wide = Marks(["節點1", "gpu"], 1, 8)
    assert [wide.at(x) for x in range(5)] == ["節點1", "節點1", "節點1", "gpu", "gpu"]
    assert [piece.start for piece in wide.titles(1, range(2), {}, PLAIN, None)] == [0, 3]
    assert [(p.start, p.text) for p in wide.marks("10", range(2), {}, Style(), PLAIN)] == [
        (0, f"{HAS}  {LACKS}")
    ]


async def test_wide_tables_scroll_sideways() -> None:
    async with workbench_at(NARROW, on=cluster(60, MANY)) as (app, pilot):
        # Many properties scroll sideways and the first columns stay.
        view = (await table(app, pilot)).table
        before = drawn(app)[3]
        for _ in range(8):
            await pilot.press("right")
        after = drawn(app)[3]
        assert view.scroll_offset.x > 0
        assert before[:14] == after[:14]
        assert before != after
        for _ in range(80):
            await pilot.press("right")
        last = view.layout_of_columns.marks.names[-1]
        title = "".join(view.render_line(y).text[: view.size.width].rstrip()[-1] for y in range(5))
        assert title.endswith("199")
        assert last == "property199"
        x = view.size.width - 3
        key = view.layout_of_columns.at(x, view.scroll_offset.x)
        assert key is not None
        assert key.name in MANY
        await pilot.press("down")
        assert view.scroll_offset.x > 0  # moving up and down does not scroll sideways
        # The wheel with shift scrolls sideways.
        await pilot.afresh(on=cluster(60, MANY))
        view = (await table(app, pilot)).table
        x, y = view.region.offset.x + 5, view.region.offset.y + 8
        wheel = events.MouseScrollDown(view, x, y, 0, 0, 0, True, False, False, x, y)
        app.screen._forward_event(wheel)
        await pilot.until(lambda: view.scroll_offset.x > 0)
        assert view.scroll_offset.y == 0


async def test_columns_are_chosen() -> None:
    async with workbench_at(WIDE) as (app, pilot):
        # Words in the place of marks.
        part = await table(app, pilot)
        await pilot.press("v")
        assert part.table.header_rows == 1
        names = " ".join(demo().resources.properties_at(0))
        assert names in drawn(app)[0]
        assert "v marks" in screen_text(app)
        await pilot.press("v")
        assert part.names == USUAL
        assert "v words" in screen_text(app)
        assert names not in drawn(app)[0]
        # Columns are checked and moved.
        await pilot.afresh()
        part = await table(app, pilot)
        await pilot.press("c", *"queues", "space", "ctrl+up", "ctrl+up", "enter")
        assert part.names == ("rank", "host", "cores", "queues", "gpus", "marks")
        line = part.table.render_line(part.table.header_rows - 1).text
        assert line.index("cores") < line.index("queues") < line.index("gpus")
        await pilot.press("c", "space", "enter")
        assert part.names == ("host", "cores", "queues", "gpus", "marks")
        await pilot.press("c", "space", "escape")
        assert part.names == ("host", "cores", "queues", "gpus", "marks")
        await pilot.press("c", "ctrl+r", "enter")
        assert part.names == USUAL
        # Every column says what it is called.
        await pilot.afresh(requires="gpu&-debug")
        part = await table(app, pilot)
        names = ("host", "core-ids", "gpu-ids", "count", "queues", "match", "has:gpu")
        part.put_columns(names)
        await pilot.settle()
        for index in (0, 20, 170, 178, 190):
            node = demo().resources.node(index)
            host, cores, gpus, count, queues, match, has = part.table.values_at(index)
            assert host == node.host
            assert (cores, gpus) == (str(node.cores), str(node.gpus))
            assert count == str(len(node.properties))
            covered = demo().coverage.items()
            assert queues.split() == [queue for queue, mask in covered if mask >> index & 1]
            is_good = app.state.ask.mask >> index & 1
            assert match.startswith("✓" if is_good else "✗")
            assert ("debug" in match) == (not is_good and "debug" in node.properties)
            assert has == (HAS if "gpu" in node.properties else LACKS)


# What there is to choose


async def test_lines_are_whole_whatever_the_names() -> None:
    async with workbench_at() as (app, pilot):
        # Lines are as wide as the table whatever the names.
        named = {"漢字漢字": "0-1", "e\u0301\u200b": "1", "b\x1b[31m": "2", "x" * 90: "3"}
        on = cluster(6, named, hosts="漢字漢字漢字漢字漢字漢字漢字漢字[0-5]")
        await pilot.afresh(requires="rank:1-2", on=on)
        part = await table(app, pilot)
        view = part.table
        for keys in ((), ("v",), ("f",), ("v",), ("right",)):
            await listed(app, pilot, *keys)
            lines = [view.render_line(y) for y in range(view.size.height)]
            assert {line.cell_length for line in lines} == {view.size.width}
            assert all(c.isprintable() for line in lines for c in line.text)
            assert {cell_len(line.text) for line in lines} == {view.size.width}
        # What is typed for a filter is seen.
        await pilot.afresh(on=cluster(1_000_000))
        await table(app, pilot)
        await listed(app, pilot, "/", *"n[777770-777790]")
        text = screen_text(app)
        assert "Filter n[777770-777790] " in text
        assert "21 of 1,000,000 nodes" in text
        await listed(app, pilot, *" nowhere-at-all")
        assert "no rank, host or property is 'nowhere-at-all'" in screen_text(app)


async def test_the_columns_are_those_of_the_last_time(tmp_path: Path) -> None:
    for keys, names in (
        (("v",), ("rank", "host", "cores", "gpus", "properties")),
        (("c", "space", "enter"), ("host", "cores", "gpus", "properties")),
    ):
        app = FluxTUI(workbench.start(demo()))
        app.chosen = Chosen(tmp_path / "deep" / "chosen.json")
        async with running(app, size=NORMAL) as pilot:
            await pilot.done()
            await table(app, pilot)
            await pilot.press(*keys)
            await pilot.done()
            assert app.views.table.listed.names == names
    assert Chosen(tmp_path / "deep" / "chosen.json").load(COLUMNS) == names


async def test_the_table_by_name_from_the_palette() -> None:
    async with workbench_at() as (app, pilot):
        commands = {command.title: command for command in app.get_system_commands(app.screen)}
        commands["Table: Fold  (f)"].callback()
        await pilot.until(lambda: app.views.table.table.listing.is_folded)
        assert app.views.view_name == "table"
        commands["Table: Filter  (/)"].callback()
        await pilot.until(lambda: app.focused is app.views.table.listed.foot.entry)


def test_a_long_host_is_cut_in_its_middle() -> None:
    names = [f"a-name-of-a-cluster-that-is-long-rack{rack}-node1234" for rack in (7, 8)]
    column = Column("host", "host", 20, cut="middle")
    assert [column.fit(name, 20) for name in names] == [
        "a-name…ack7-node1234",
        "a-name…ack8-node1234",
    ]
    assert column.fit("節" * 11, 20) == "節" * 9 + " …"
    assert Column("host", "hosts", 20).fit("n[0-5],m[0-77,99,101]", 20) == "n[0-5],m[0-77,99,10…"


# The table of nodes with one row for all that are alike


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
        await pilot.afresh(requires="rank:2-4", on=kinds())
        await table(app, pilot)
        await listed(app, pilot, "f")
        rows = drawn(app)
        assert "2 of 6" in rows[0]
        assert "◧" in rows[0]
        assert "1 of 4" in rows[1]
        assert "0 of 2" in rows[2]
        assert "·" in rows[2]
        await pilot.put("rank:0-3,8-9")
        await pilot.until(lambda: "6 of 6" in drawn(app)[0])
        assert "■" in drawn(app)[0]
        # A row opens to its nodes and closes.
        await pilot.afresh(on=kinds())
        await table(app, pilot)
        await listed(app, pilot, "f", "down")
        assert app.state.cursor == 4
        assert await listed(app, pilot, "right") == [0, 4, 4, 5, 6, 7, 10, 12]
        assert drawn(app)[1].startswith("›")
        await pilot.press("down", "down")
        assert app.state.cursor == 5
        await pilot.press("left")
        assert app.state.cursor == 4
        assert drawn(app)[1].startswith("›")
        assert await listed(app, pilot, "left") == [0, 4, 10, 12]
        assert len(await listed(app, pilot, "enter")) == 8
        assert len(await listed(app, pilot, "enter")) == 4
        # Space selects all nodes of a row.
        await pilot.afresh(on=kinds())
        await table(app, pilot)
        await listed(app, pilot, "f", "space")
        assert app.state.selected == nodes(0, 1, 2, 3, 8, 9)
        await pilot.press("shift+down")
        assert app.state.selected == nodes(*range(10))
        await pilot.press("space")
        assert app.state.selected == nodes(0, 1, 2, 3, 8, 9)
        await pilot.press("escape", "enter", "down", "down", "space")
        assert app.state.selected == nodes(5)
        assert "◈" in drawn(app)[1]
        # Folded rows are sorted and filtered and stay open.
        await pilot.afresh(on=kinds())
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
        app.views.table.listed.put_columns(("host", "core-ids", "cores", "count", "properties"))
        for words in ("cores", "properties"):
            await take_order(app, pilot, words)
            assert titles(view).count("▾") == 1
        assert "props▾" in titles(view)
        # Rows are sorted by what their nodes have together.
        await pilot.afresh()
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
        await pilot.press("s")
        assert "all cores" not in screen_text(app)
        # A click on the title of a total sorts by it.
        await pilot.afresh()
        view = (await table(app, pilot)).table
        await listed(app, pilot, "f", "f8")
        x = titles(view).index("all gpus") + 2
        await pilot.click("#node-table", offset=(x, view.header_rows - 1))
        await listed(app, pilot)
        assert app.views.table.listed.wanted.key.by == "all-gpus"


# What is cut


async def test_no_number_is_cut_and_words_show_that_they_are() -> None:
    async with workbench_at((80, 40)) as (app, pilot):
        view = (await table(app, pilot)).table
        await listed(app, pilot, "f")
        for width, keys in product((80, 112, 131, 200), ((), ("v",))):
            await pilot.resize_terminal(width, 40)
            await listed(app, pilot, *keys)
            view.scroll_to(x=0, animate=False)
            await pilot.settle()
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
                await pilot.settle()
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
