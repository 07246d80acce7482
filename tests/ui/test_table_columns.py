"""The columns of the table, the properties as marks, and what a person chooses of them."""

from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.style import Style
from textual import events

from fluxtui import workbench
from fluxtui.bridge.chosen import Chosen
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.palette import Palette
from fluxtui.ui.viewing import COLUMNS
from fluxtui.ui.widgets.table_columns import USUAL, Column
from fluxtui.ui.widgets.table_marks import HAS, LACKS, Marks
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    WIDE,
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
from tests.ui.test_table import drawn, listed, table

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
        await press(pilot, "down")
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
        await afresh(app, pilot)
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
        await afresh(app, pilot, on=cluster(60, MANY), size=NORMAL)
        view = (await table(app, pilot)).table
        rows = [view.render_line(y).text for y in range(view.header_rows)]
        x = view.layout_of_columns.placed[-1].start + 2 * 17
        assert "".join(row[x] for row in rows) == "proper…17"
        # A property without a name is quoted in marks and words.
        await afresh(app, pilot, on=cluster(4, {"": "0-1", "y": "0"}))
        part = await table(app, pilot)
        assert '""  y' in part.table.render_line(0).text
        await listed(app, pilot, "v")
        assert drawn(app)[0].endswith('"" y')
        # What the constraint asks of a property is told by the mark.
        on = cluster(4, {"aa": "0-1", "bb": "1-2", "cc": "0"})
        await afresh(app, pilot, requires="aa&-bb", on=on, size=NORMAL)
        await table(app, pilot)
        marks = [" ".join(line.split()[-3:]) for line in drawn(app)]
        assert marks == ["● · ●", "● ✗ ·", "○ ✗ ·", "○ · ·"]
        assert "○ required, not there" in screen_text(app)
        assert "✗ excluded, there" in screen_text(app)
        await put(pilot, "")
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
            await press(pilot, "right")
        after = drawn(app)[3]
        assert view.scroll_offset.x > 0
        assert before[:14] == after[:14]
        assert before != after
        for _ in range(80):
            await press(pilot, "right")
        last = view.layout_of_columns.marks.names[-1]
        title = "".join(view.render_line(y).text[: view.size.width].rstrip()[-1] for y in range(5))
        assert title.endswith("199")
        assert last == "property199"
        x = view.size.width - 3
        key = view.layout_of_columns.at(x, view.scroll_offset.x)
        assert key is not None
        assert key.name in MANY
        await press(pilot, "down")
        assert view.scroll_offset.x > 0  # moving up and down does not scroll sideways
        # The wheel with shift scrolls sideways.
        await afresh(app, pilot, on=cluster(60, MANY))
        view = (await table(app, pilot)).table
        x, y = view.region.offset.x + 5, view.region.offset.y + 8
        wheel = events.MouseScrollDown(view, x, y, 0, 0, 0, True, False, False, x, y)
        app.screen._forward_event(wheel)
        await until(pilot, lambda: view.scroll_offset.x > 0)
        assert view.scroll_offset.y == 0


async def test_columns_are_chosen() -> None:
    async with workbench_at(WIDE) as (app, pilot):
        # Words in the place of marks.
        part = await table(app, pilot)
        await press(pilot, "v")
        assert part.table.header_rows == 1
        names = " ".join(demo().resources.properties_at(0))
        assert names in drawn(app)[0]
        assert "v marks" in screen_text(app)
        await press(pilot, "v")
        assert part.names == USUAL
        assert "v words" in screen_text(app)
        assert names not in drawn(app)[0]
        # Columns are checked and moved.
        await afresh(app, pilot)
        part = await table(app, pilot)
        await press(pilot, "c", *"queues", "space", "ctrl+up", "ctrl+up", "enter")
        assert part.names == ("rank", "host", "cores", "queues", "gpus", "marks")
        line = part.table.render_line(part.table.header_rows - 1).text
        assert line.index("cores") < line.index("queues") < line.index("gpus")
        await press(pilot, "c", "space", "enter")
        assert part.names == ("host", "cores", "queues", "gpus", "marks")
        await press(pilot, "c", "space", "escape")
        assert part.names == ("host", "cores", "queues", "gpus", "marks")
        await press(pilot, "c", "ctrl+r", "enter")
        assert part.names == USUAL
        # Every column says what it is called.
        await afresh(app, pilot, requires="gpu&-debug")
        part = await table(app, pilot)
        names = ("host", "core-ids", "gpu-ids", "count", "queues", "match", "has:gpu")
        part.put_columns(names)
        await settle(pilot)
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
        await afresh(app, pilot, requires="rank:1-2", on=on)
        part = await table(app, pilot)
        view = part.table
        for keys in ((), ("v",), ("f",), ("v",), ("right",)):
            await listed(app, pilot, *keys)
            lines = [view.render_line(y) for y in range(view.size.height)]
            assert {line.cell_length for line in lines} == {view.size.width}
            assert all(c.isprintable() for line in lines for c in line.text)
            assert {cell_len(line.text) for line in lines} == {view.size.width}
        # What is typed for a filter is seen.
        await afresh(app, pilot, on=cluster(1_000_000))
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
        async with app.run_test(size=NORMAL) as pilot:
            await done(pilot)
            await table(app, pilot)
            await press(pilot, *keys)
            await done(pilot)
            assert app.cluster_pane.listed.names == names
    assert Chosen(tmp_path / "deep" / "chosen.json").load(COLUMNS) == names


async def test_the_table_by_name_from_the_palette() -> None:
    async with workbench_at() as (app, pilot):
        commands = {command.title: command for command in app.get_system_commands(app.screen)}
        commands["Table: Fold  (f)"].callback()
        await until(pilot, lambda: app.cluster_pane.table.listing.is_folded)
        assert app.cluster_pane.view_name == "table"
        commands["Table: Filter  (/)"].callback()
        await until(pilot, lambda: app.focused is app.cluster_pane.listed.foot.entry)


def test_a_long_host_is_cut_in_its_middle() -> None:
    names = [f"a-name-of-a-cluster-that-is-long-rack{rack}-node1234" for rack in (7, 8)]
    column = Column("host", "host", 20, cut="middle")
    assert [column.fit(name, 20) for name in names] == [
        "a-name…ack7-node1234",
        "a-name…ack8-node1234",
    ]
    assert column.fit("節" * 11, 20) == "節" * 9 + " …"
    assert Column("host", "hosts", 20).fit("n[0-5],m[0-77,99,101]", 20) == "n[0-5],m[0-77,99,10…"


# The foot
