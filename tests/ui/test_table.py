"""The table of nodes: what is listed in the workbench, and its columns, titles and values alone."""

import random
from collections.abc import Sequence
from pathlib import Path

from rich.cells import cell_len
from textual import events

from fluxtui import workbench
from fluxtui.answers.listing.lister import Key
from fluxtui.answers.listing.rows import Order
from fluxtui.bridge.chosen import Chosen
from fluxtui.model.cancellation import never_stop
from fluxtui.model.resources import document
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.nodes.cluster_table import ClusterTable
from fluxtui.ui.nodes.node_table import Cells
from fluxtui.ui.nodes.table_columns import (
    KINDS,
    ONE,
    USUAL,
    Column,
    Layout,
    columns_of,
    kinds_of,
    segments_of,
)
from fluxtui.ui.session.exporting import nodes_to_take
from fluxtui.ui.session.memory import COLUMNS
from fluxtui.workbench import Cluster, MoveCursor, Select, Source
from tests.each import for_each
from tests.model.topologies import APU, XEON, tree
from tests.ui.documents import cluster, demo, mask_of
from tests.ui.helpers import NARROW, NORMAL, Hands, running, workbench_at
from tests.ui.seen import plain, screen_text

MILLION = 1_000_000
MANY = {f"property{number}": f"{number % 50}-{number % 50 + number % 7}" for number in range(200)}


async def table(app: FluxTUI, pilot: Hands) -> ClusterTable:
    """The table in sight, with the focus."""
    await pilot.go("table")
    assert app.focused is app.views.table.view
    return app.views.table.part


async def listed(app: FluxTUI, pilot: Hands, *keys: str) -> list[int]:
    """The first node of each row, once the keys have had their effect, one after the other."""
    await pilot.done()
    for key in keys:
        await pilot.do(key)
    listing = app.views.table.view.listing
    return list(listing.indices(0, listing.count))


def lines(app: FluxTUI) -> list[str]:
    """The titles and the rows as they are drawn."""
    view = app.views.table.view
    return [view.render_line(y).text.rstrip() for y in range(view.size.height)]


def titles(app: FluxTUI) -> str:
    """The row of the titles that has those of most columns."""
    return lines(app)[app.views.table.view.header_rows - 1]


def drawn(app: FluxTUI) -> list[str]:
    """The rows of the table as they are drawn."""
    return [line for line in lines(app)[app.views.table.view.header_rows :] if line]


async def test_what_is_asked_for_is_set_off_and_what_is_listed_can_be_exported() -> None:
    async with workbench_at() as (app, pilot):
        part = await table(app, pilot)
        part.put_columns(("rank", "properties"))
        await pilot.put("gpu")
        await pilot.edit(MoveCursor(170))
        looks = {one.text: one.style for one in part.view.render_line(part.view.size.height - 1)}
        assert looks["gpu"] != next(look for words, look in looks.items() if "batch" in words)
        await table(app, pilot)
        await pilot.do("/", *"gpu1", "enter")
        app.edit(Select(1))
        gpu1 = mask_of(*range(173, 183))
        saved = [(one.key, one.which, one.mask) for one in nodes_to_take(app.state, "h", gpu1)]
        assert saved[:2] == [("h", "selected", 1), ("H", "listed", gpu1)]
        offered = {one.label: one.text(never_stop) for one in app.export.choices()}
        assert offered["listed hosts"] == demo().resources.hosts_of(gpu1)


async def test_columns_that_do_not_fit() -> None:
    async with workbench_at(on=cluster(60, MANY)) as (app, pilot):
        part = await table(app, pilot)
        view = part.view
        part.put_columns(USUAL)
        # The property whose title is pointed at is named.
        x, y = titles(app).index("property2"), view.header_rows - 1
        await pilot.hover("#node-table", offset=(x + 1, y))
        assert str(view.tooltip) == "property2"
        await pilot.hover("#node-table", offset=(x, y + 1))
        assert view.tooltip is None
        # Keys and the wheel scroll sideways; the first columns stay.
        assert "more columns" in plain(app, "#table-words")
        await pilot.press(*["right"] * 80)
        assert titles(app).startswith("   rank▴ host")
        assert "property199" in "".join(lines(app)[: view.header_rows])
        await pilot.press("down")
        assert view.scroll_offset.x > 0
        await pilot.press(*["left"] * 80)
        assert view.scroll_offset.x == 0
        place = view.region.offset.x + 5, view.region.offset.y + 8
        wheel = events.MouseScrollDown(view, *place, 0, 0, 0, True, False, False, *place)
        app.screen._forward_event(wheel)
        await pilot.until(lambda: view.scroll_offset.x > 0)
        assert view.scroll_offset.y == 0
        # A small terminal has rows rather than words.
        await pilot.afresh(size=(40, 12))
        await table(app, pilot)
        assert [line.split()[-2] for line in drawn(app)] == ["dune-login1", "dune-login2"]
        assert "all 196 nodes" not in screen_text(app)


async def test_columns_are_kept(tmp_path: Path) -> None:
    store = Chosen(tmp_path / "deep" / "chosen.json")
    for keys, expected in (
        (("v", "c", "space", "enter"), ("host", "cores", "gpus", "marks")),
        ((), ("host", "cores", "gpus", "marks")),
        (("c", "ctrl+r", "enter"), USUAL),
    ):
        app = FluxTUI(workbench.start(demo()))
        app.preferences.store = store
        async with running(app, size=NORMAL) as pilot:
            await pilot.done()
            part = await table(app, pilot)
            await pilot.do(*keys)
            assert part.names == expected
    assert store.load(COLUMNS) == USUAL


async def test_nothing_breaks_on_the_way() -> None:
    """Whatever is listed while it is not seen, or changes while it is found."""
    async with workbench_at(NARROW) as (app, pilot):
        await table(app, pilot)
        await pilot.press("f", "O", "f", "m", "f")
        app.go_to("map")
        await pilot.put("gpu")
        await pilot.put("bigmem")
        await table(app, pilot)
        found = demo().resources.properties["bigmem"]
        assert len(await listed(app, pilot)) == 1
        assert app.views.table.view.listing.nodes(0, 1) == found
        assert len(await listed(app, pilot, "f")) == found.bit_count()
        await pilot.afresh(on=cluster(0), size=NORMAL)
        await table(app, pilot)
        for key in ("O", "m", "f", "right", "enter", "down", "n", "space", "v", "m"):
            assert await listed(app, pilot, key) == []
        assert "No nodes were found" in screen_text(app)
        # A million nodes.
        named = {"even": ",".join(map(str, range(0, 1000, 2))), "late": f"900000-{MILLION - 1}"}
        await pilot.afresh(size=NORMAL, on=cluster(MILLION, named))
        view = (await table(app, pilot)).view
        await pilot.do("o", *"late", "enter", "home")
        assert app.state.cursor == 900_000
        await pilot.do("f")
        assert view.row_count == 3
        assert "100,000" in drawn(app)[0]
        await pilot.press("home", "space")
        assert app.state.selected.bit_count() == 100_000
        await pilot.do("f")
        assert view.row_count == MILLION
        await pilot.do("/", *"n[777770-777790]")
        assert "21 of 1,000,000 nodes" in screen_text(app)
        # Lines are whole whatever the names.
        named = {"漢字漢字": "0-1", "e\u0301\u200b": "1", "b\x1b[31m": "2", "x" * 90: "3"}
        on = cluster(6, named, hosts="漢字漢字漢字漢字漢字漢字漢字漢字[0-5]")
        await pilot.afresh(size=NARROW, requires="rank:1-2", on=on)
        await table(app, pilot)
        for key in ("home", "v", "f", "v", "right"):
            await listed(app, pilot, key)
            strips = [view.render_line(y) for y in range(view.size.height)]
            widths = {(strip.cell_length, cell_len(strip.text)) for strip in strips}
            assert widths == {(view.size.width, view.size.width)}
            assert all(character.isprintable() for strip in strips for character in strip.text)


# Columns and titles, without an app

PALETTE = Palette.of({})
RANK = Column("rank", "rank", 4, "right")
CORES = Column("cores", "cores", 5, "right")
IDS = Column("core-ids", "core ids", 8)
HOSTS = Column("host", "hosts", 10, cut="list", most=1000)
WORDS = Column("properties", "properties", 14, most=40)
BY_RANK = Key()
STEPS = "login batch debug gpu ssd"


def marks(names: str) -> list[Column]:
    """A column for each property of these names."""
    return [Column(f"{ONE}{name}", name, 1) for name in names.split()]


def laid_out(columns: Sequence[Column], room: int = 60, rows: int = 3, **needs: int) -> Layout:
    return Layout(columns, 0, room, rows, needs)


def header(layout: Layout, key: Key = BY_RANK, scrolled: int = 0) -> list[str]:
    rows = (layout.titles(y, scrolled, key, {}, PALETTE) for y in range(layout.height))
    return ["".join(segment.text for segment in segments_of(row)) for row in rows]


def test_titles_are_side_by_side_where_they_fit_else_steps_above_their_marks() -> None:
    steps = [RANK, *marks(STEPS)]
    assert header(laid_out([RANK, *marks("gpu debug ssd")])) == ["rank▴ gpu  debug  ssd"]
    two = ["      login    debug  ssd", "rank▴ │ batch  │ gpu  │"]
    three = ["      login      gpu", "      │ batch    │ ssd", "rank▴ │ │ debug  │ │"]
    assert header(laid_out(steps, 30)) == two
    assert header(laid_out(steps, 24)) == three
    assert header(laid_out(steps, 24, rows=1)) == ["rank▴ login  batch  debug"]
    # The sign of the order is at one of them.
    by_cores = Key.of("cores")
    gpu = laid_out([*marks("a gpu"), CORES])
    assert header(gpu, Key.of("property", "gpu")) == ["a  gpu▾ cores"]
    assert header(laid_out([IDS, CORES]), by_cores) == ["core ids  cores▾"]
    assert header(laid_out([IDS]), by_cores.reversed()) == ["core ids▴"]
    # Of a column in sight in part, words are cut, and numbers left out.
    assert header(laid_out([RANK, IDS], 10)) == ["rank▴ cor…"]
    assert header(laid_out([IDS, CORES], 14)) == ["core ids"]
    # Pieces in one style are one segment.
    row = segments_of(laid_out(marks("a b c d")).titles(0, 0, Key(), {}, PALETTE))
    assert [segment.text for segment in row] == ["a  b  c  d"]


@for_each("seed", range(40))
def test_every_title_is_whole_and_its_marks_are_below_its_first_letter(seed: int) -> None:
    dice = random.Random(seed)
    names = [
        "".join(dice.choices("abcdefg-漢", k=dice.randint(1, 12))) + str(number)
        for number in range(dice.randint(1, 30))
    ]
    room, scrolled = dice.randint(20, 160), dice.randint(0, 40)
    layout = laid_out([Column("rank", "rank", 5, "right"), *marks(" ".join(names))], room)
    drawn = [_cells(line) for line in header(layout, Key.of("gpus"), scrolled)]
    seen = list(layout.in_sight(scrolled))
    assert len({start for _, start in seen}) == len(seen)
    for place, start in seen:
        if place.column.marked is None:
            continue
        title = _cells(place.title)
        inside = min(len(title), room - start)
        assert drawn[place.row][start : start + inside] == title[:inside]
        assert all(row[start] == "│" for row in drawn[place.row + 1 :])
        assert layout.at(start, layout.height - 1, scrolled) is place.column
        assert layout.at(start + len(title) - 1, place.row, scrolled) is place.column


def _cells(text: str) -> list[str]:
    """The characters of a text by terminal column; a wide one is followed by a blank one."""
    return [cell for char in text for cell in (char, "")[: cell_len(char)]]


@for_each("room", [40, 57, 80, 112])
def test_no_number_is_cut_however_far_one_scrolls(room: int) -> None:
    columns = columns_of(KINDS, demo(), folded=3)
    layout = Layout(columns, 5, room, 3, {"host": 30, "rank": 12})
    for scrolled in range(layout.width):
        for place, start in layout.in_sight(scrolled):
            width = min(place.width, room - start)
            value = "1234"[: place.width]
            if place.column.align == "right":
                assert place.column.fit(value, width).strip() in ("", value)
            assert start >= 0
            assert cell_len(place.column.fit("x" * 99, width)) == width


def test_a_key_scrolls_to_another_column_until_the_last() -> None:
    layout = laid_out(
        [Column("host", "host", 8), *marks(" ".join(f"rack{n}" for n in range(60)))], 40
    )
    seen, at = [], 0
    for _ in range(60):
        seen.append([place.column.name for place, _ in layout.in_sight(at)][1])
        at = layout.scroll(at, 1)
    assert (seen[0], seen[-1]) == (f"{ONE}rack0", f"{ONE}rack59")
    while at > 0:
        before, at = at, layout.scroll(at, -1)
        assert at < before
    assert laid_out(marks("a")).scroll(0, 1) == 0


def test_columns_grow_while_there_is_room_and_are_cut_where_they_tell_most() -> None:
    for columns, room, needs, widths in (
        ([HOSTS, CORES], 40, {"host": 20}, [20, 5]),
        ([HOSTS, CORES], 22, {"host": 20}, [15, 5]),
        ([HOSTS, CORES], 12, {"host": 20}, [10, 5]),
        ([CORES, WORDS], 60, {}, [5, 53]),
        ([WORDS, CORES], 60, {"properties": 99}, [40, 5]),
    ):
        assert [place.width for place in laid_out(columns, room, **needs).placed] == widths
    for width, cut, text, expected in (
        (20, "middle", "a-name-of-a-cluster-that-is-long-rack7-node1234", "a-name…ack7-node1234"),
        (20, "middle", "節" * 11, "節" * 3 + "…" + "節" * 6 + " "),
        (9, "list", "100-109,120", "100-109,…"),
        (9, "list", "1-2,30-45,6", "1-2,…    "),
        (9, "list", "500000-999999", "500000-9…"),
    ):
        assert Column("host", "host", width, cut=cut).fit(text, width) == expected
    assert CORES.fit("123456", 5) == "     "  # a part of a number would be another one


FOLDED = ["nodes", "host", "rank", "cores", "gpus", "has:a", "has:", "all-cores", "all-gpus"]


def test_columns_are_those_of_the_document() -> None:
    on = cluster(5, {"a": "0-1", "": "2"})
    for names, folded, expected in (
        (USUAL, 0, ["rank", "host", "cores", "gpus", "has:a", "has:"]),
        (("has:a", "has:gone", "marks", "what"), 0, ["has:a", "has:"]),
        ((*USUAL, "match"), 1, FOLDED),
    ):
        assert [column.name for column in columns_of(names, on, folded=folded)] == expected
    assert [column.title for column in columns_of(("marks",), on)] == ["a", '""']
    assert not columns_of(("marks", "properties"), cluster(5))


def test_what_nodes_have_inside_is_in_columns_where_the_document_says_it() -> None:
    parts = ("0-1", XEON, "0-119", "0-7"), ("2-3", APU, "0-95", "0-3")
    on = Cluster.of(Source("R"), document.read(tree(*parts)))
    shown = {column.name: column for column in columns_of(USUAL, on)}
    assert [*shown] == ["rank", "host", "cores", "gpus", "inside", "memory"]
    cells = Cells(on, Order(range(4)))
    found = [tuple(cells.text(name, row) for name in ("inside", "memory")) for row in (1, 2)]
    assert found == [("2 socket, 8 numa", ""), ("4 socket", "504 GiB")]
    assert shown["inside"].width == len("2 socket, 8 numa")
    assert shown["memory"].fit("504 GiB", shown["memory"].width) == "504 GiB"


def test_every_column_holds_what_it_is_called() -> None:
    on = demo()
    cells, answer = Cells(on, Order(range(196))), workbench.start(on, "", "gpu&-debug").ask
    cells.show_match(answer.mask, answer.counted)
    for index in (0, 20, 170, 178, 190):
        node, good = on.resources.node(index), bool(answer.mask >> index & 1)
        assert {
            name: cells.text(name, index) for name in kinds_of(on) if name not in ("marks", "match")
        } == {
            "rank": str(node.rank),
            "host": node.host,
            "cores": str(len(node.cores)),
            "gpus": str(len(node.gpus) or ""),
            "core-ids": str(node.cores),
            "gpu-ids": str(node.gpus),
            "count": str(len(node.properties)),
            "queues": " ".join(name for name, mask in on.coverage.items() if mask >> index & 1),
            "properties": " ".join(node.properties),
        }
        assert cells.text("match", index).startswith("✓" if good else "✗")
        assert ("debug" in cells.text("match", index)) == (not good and "debug" in node.properties)
        assert cells.has("gpu", index) == ("gpu" in node.properties)
