"""The table of nodes in the workbench: the keys and the mouse, and what is listed by them."""

from dataclasses import replace
from pathlib import Path

from rich.cells import cell_len
from textual import events

from fluxtui import workbench
from fluxtui.answers.listing.orders import INSIDE
from fluxtui.bridge.chosen import Chosen
from fluxtui.model.cancellation import going_on
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.nodes.cluster_table import ClusterTable
from fluxtui.ui.nodes.table_columns import USUAL
from fluxtui.ui.session.exporting import nodes_to_take
from fluxtui.ui.session.memory import COLUMNS
from fluxtui.workbench import Cluster, MoveCursor, OpenCluster, Select, Source
from tests.ui.documents import cluster, demo, mask_of
from tests.ui.helpers import NARROW, NORMAL, WIDE, Hands, running, workbench_at
from tests.ui.seen import plain, screen_text

MILLION = 1_000_000
MANY = {f"property{number}": f"{number % 50}-{number % 50 + number % 7}" for number in range(200)}


def kinds() -> Cluster:
    """Twelve nodes of three kinds, and one that has no property."""
    return cluster(13, {"a": "0-3,8-9", "b": "4-7", "c": "10-11,0-3,8-9"})


async def table(app: FluxTUI, pilot: Hands) -> ClusterTable:
    """The table in sight, with the focus."""
    await pilot.go("table")
    assert app.focused is app.views.table.table
    return app.views.table.listed


async def listed(app: FluxTUI, pilot: Hands, *keys: str) -> list[int]:
    """The first node of each row, once the keys have had their effect, one after the other."""
    await pilot.done()
    for key in keys:
        await pilot.do(key)
    listing = app.views.table.table.listing
    return list(listing.indices(0, listing.count))


def lines(app: FluxTUI) -> list[str]:
    """The titles and the rows as they are drawn."""
    view = app.views.table.table
    return [view.render_line(y).text.rstrip() for y in range(view.size.height)]


def titles(app: FluxTUI) -> str:
    """The row of the titles that has those of most columns."""
    return lines(app)[app.views.table.table.header_rows - 1]


def drawn(app: FluxTUI) -> list[str]:
    """The rows of the table as they are drawn."""
    return [line for line in lines(app)[app.views.table.table.header_rows :] if line]


async def take_order(app: FluxTUI, pilot: Hands, words: str) -> list[int]:
    """Sort by what the dialog finds by these words."""
    await pilot.press("o", *words)
    return await listed(app, pilot, "enter")


async def click_title(app: FluxTUI, pilot: Hands, title: str) -> list[int]:
    """Click on a title in the last row of them."""
    y = app.views.table.table.header_rows - 1
    await pilot.click("#node-table", offset=(titles(app).index(title), y))
    return await listed(app, pilot)


async def test_rows_are_sorted_by_keys_and_by_clicks() -> None:
    async with workbench_at() as (app, pilot):
        await table(app, pilot)
        cores, gpus = demo().resources.cores_at, demo().resources.gpus_at
        for found, of, sign in (
            (await take_order(app, pilot, "cores"), cores, "cores▾"),
            (await listed(app, pilot, "O"), cores, "cores▴"),
            (await click_title(app, pilot, "gpus"), gpus, "gpus▾"),
            (await click_title(app, pilot, "gpus"), gpus, "gpus▴"),
        ):
            assert found == sorted(found, key=of, reverse=sign.endswith("▾"))
        assert "gpus▴" in titles(app)
        assert app.state.cursor == 0
        # By a property; and what matches comes first as the constraint is typed.
        await pilot.afresh(on=kinds())
        await table(app, pilot)
        assert (await click_title(app, pilot, "b"))[:5] == [4, 5, 6, 7, 0]
        assert "b▾" in titles(app)
        assert (await take_order(app, pilot, "c"))[:9] == [0, 1, 2, 3, 8, 9, 10, 11, 4]
        await take_order(app, pilot, "match")
        for text, first in (("b", [4, 5, 6, 7, 0]), ("c&-a", [10, 11, 0])):
            await pilot.put(text)
            assert (await listed(app, pilot))[: len(first)] == first
        # The cursor goes by the rows.
        await pilot.afresh(on=kinds())
        await table(app, pilot)
        await pilot.steps(lambda: app.state.cursor, ("down down down", 3), ("O", 3), ("up", 4))
        assert drawn(app)[8].startswith("›")
        assert (await take_order(app, pilot, "b"))[3:6] == [7, 0, 1]
        app.edit(MoveCursor(7))
        await pilot.press("shift+down", "shift+down")
        assert app.state.selected == mask_of(7, 0, 1)
        # The next match is the next row with one, and the first after the last.
        await pilot.afresh(requires="c", on=kinds())
        await table(app, pilot)
        await listed(app, pilot, "O")
        app.edit(MoveCursor(9))
        goes = (("n", 8), ("n", 3), ("home", 12), ("p", 0), ("n", 11))
        await pilot.steps(lambda: app.state.cursor, *goes)


async def test_rows_are_filtered() -> None:
    async with workbench_at() as (app, pilot):
        part = await table(app, pilot)
        await pilot.press("/")
        entry = app.query_one("#table-filter-entry")
        assert "part of a name, a property, cores:" in screen_text(app)
        assert await listed(app, pilot, *"gpu1") == list(range(173, 183))
        assert "hosts that contain gpu1   10 of 196 nodes" in screen_text(app)
        # A node is found by /, its name and enter; a selects those that are listed.
        await pilot.press("enter", "a")
        gpu1 = mask_of(*range(173, 183))
        found = (app.focused, app.state.cursor, app.state.selected)
        assert found == (part.table, 173, gpu1)
        assert "10 of 196 nodes   esc clears the filter" in screen_text(app)
        app.edit(Select(1))
        saved = [(one.key, one.which, one.mask) for one in nodes_to_take(app.state, "h", gpu1)]
        everything = app.state.cluster.resources.everything
        assert saved == [("h", "selected", 1), ("H", "listed", gpu1), ("", "all", everything)]
        offered = {one.label: one.text(going_on) for one in app.export.choices()}
        assert offered["listed hosts"] == demo().resources.hosts_of(gpu1)
        app.edit(Select(0))
        assert len(await listed(app, pilot, "escape")) == 196
        # The list begins at its first row; the cursor stays where its node is listed.
        app.edit(MoveCursor(170))
        await listed(app, pilot, "/", *"gpu")
        assert drawn(app)[0].split()[0] == "164"
        assert any(line.startswith("›") and " 170 " in line for line in drawn(app))
        await pilot.press("down")
        assert (app.focused, app.state.cursor) == (part.table, 170)
        # Escape while one types drops it too.
        await pilot.press("escape", "/", *"login", "escape")
        assert len(await listed(app, pilot)) == 196
        assert (app.focused, entry.parent.parent.display) == (part.table, False)
        # From a node that is not listed, one moves on from the nearest row.
        app.edit(MoveCursor(100))
        await listed(app, pilot, "/", *"login")
        assert not any(line.startswith("›") for line in drawn(app))
        app.screen.set_focus(part.table)
        await pilot.press("down")
        assert app.state.cursor == 3
        # What means nothing lists all, and says so.
        assert len(await listed(app, pilot, "/", *"nowhere")) == 196
        assert "no rank, host or property is 'nowhere'" in screen_text(app)
        # Another document begins without a filter.
        for on, count in ((cluster(4), 4), (kinds(), 13)):
            app.edit(OpenCluster(on))
            assert len(await listed(app, pilot)) == count
            assert ("● has it" in screen_text(app)) == bool(on.resources.properties)
        assert app.focused is part.table
        # Those alone that match.
        await pilot.put("b")
        await table(app, pilot)
        assert "all 13 nodes" in screen_text(app)
        assert await listed(app, pilot, "m") == [4, 5, 6, 7]
        assert "4 of 13 nodes · matching nodes only" in screen_text(app)
        for text, found in (("c&-a", [10, 11]), ("nothing", [])):
            await pilot.put(text)
            assert await listed(app, pilot) == found
        assert "m lists all nodes" in screen_text(app)
        app.screen.set_focus(part.table)
        await pilot.press("down", "end", "space", "n", "pageup", "shift+down")
        assert app.state.selected == 0
        await listed(app, pilot, "/", *"0-3", "enter")
        assert "esc clears it" in screen_text(app)
        await listed(app, pilot, "escape")
        assert len(await listed(app, pilot, "m")) == 13


async def test_properties_are_marks_or_words() -> None:
    on = cluster(4, {"aa": "0-1", "bb": "1-2", "cc": "0"})
    async with workbench_at(requires="aa&-bb", on=on) as (app, pilot):
        await table(app, pilot)
        marks = ["".join(line.split()[-3:]) for line in drawn(app)]
        assert marks == ["●·●", "●✗·", "·✗·", "···"]
        assert "✗ excluded" in screen_text(app)
        await pilot.put("")
        assert drawn(app)[2].split()[-3:] == ["·", "●", "·"]
        # Many are words until marks are chosen; those that are asked for are set off.
        await pilot.afresh()
        part = await table(app, pilot)
        assert "login ssd milan rack1" in drawn(app)[0]
        await pilot.press("v")
        assert part.names == USUAL
        assert "│" in titles(app)
        part.put_columns(("rank", "properties"))
        await pilot.put("gpu")
        await pilot.edit(MoveCursor(170))
        strip = part.table.render_line(part.table.size.height - 1)
        looks = {segment.text.strip(): segment.style for segment in strip}
        assert looks["gpu"] != next(look for words, look in looks.items() if words[-5:] == "batch")


async def test_columns_that_do_not_fit() -> None:
    async with workbench_at(on=cluster(60, MANY)) as (app, pilot):
        part = await table(app, pilot)
        view = part.table
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


async def test_columns_are_chosen_and_kept(tmp_path: Path) -> None:
    names = ("rank", "host", "cores", "queues", "gpus", "marks")
    store = Chosen(tmp_path / "deep" / "chosen.json")
    for keys, expected in (
        (("v", "c", *"queues", "space", "ctrl+up", "ctrl+up", "enter"), names),
        (("c", "space", "enter"), names[1:]),
        (("c", "space", "escape"), names[1:]),
        (("c", "ctrl+r", "enter"), USUAL),
    ):
        app = FluxTUI(workbench.start(demo()))
        app.preferences.store = store
        async with running(app, size=NORMAL) as pilot:
            await pilot.done()
            part = await table(app, pilot)
            await pilot.do(*keys)
            assert part.names == expected
            drawn_titles = [word.strip("▴") for word in titles(app).split()]
            own = [name for name in expected[:-1] if name not in INSIDE]  # this has no topologies
            assert drawn_titles[: len(own)] == own
    assert store.load(COLUMNS) == USUAL


async def test_rows_of_equal_nodes_are_one() -> None:
    async with workbench_at(on=kinds()) as (app, pilot):
        await table(app, pilot)
        assert await listed(app, pilot, "f") == [0, 4, 10, 12]
        assert [" ".join(line.lstrip("› ■").split()[:4]) for line in drawn(app)] == [
            "▸ 6 n[0-3,8-9] 0-3,8-9",
            "▸ 4 n[4-7] 4-7",
            "▸ 2 n[10-11] 10-11",
            "1 n12 12 4",
        ]
        assert "13 nodes of 4 kinds" in screen_text(app)
        for text, rows in (
            ("rank:2-4", ["◧ ▸ 2 of 6", "◧ ▸ 1 of 4", "· ▸ 0 of 2"]),
            ("rank:0-3,8-9", ["■ ▸ 6 of 6", "· ▸ 0 of 4", "· ▸ 0 of 2"]),
        ):
            await pilot.put(text)
            assert [" ".join(line.strip("›").split()[:5]) for line in drawn(app)[:3]] == rows
        # A row opens to its nodes and closes, by keys and by a click on its sign.
        await pilot.afresh(on=kinds())
        part = await table(app, pilot)
        await listed(app, pilot, "f", "down")
        assert app.state.cursor == 4
        assert await listed(app, pilot, "right") == [0, 4, 4, 5, 6, 7, 10, 12]
        assert drawn(app)[1].startswith("›")
        await pilot.steps(lambda: app.state.cursor, ("down down", 5), ("left", 4))
        assert drawn(app)[1].startswith("›")
        for key, count in (("left", 4), ("enter", 8), ("enter", 4)):
            assert len(await listed(app, pilot, key)) == count
        for count in (8, 4):
            await pilot.click("#node-table", offset=(3, part.table.header_rows + 1))
            assert len(await listed(app, pilot)) == count
        # Space selects all nodes of a row.
        six = mask_of(0, 1, 2, 3, 8, 9)
        await pilot.steps(
            lambda: app.state.selected,
            ("home space", six),
            ("shift+down", six | mask_of(4, 5, 6, 7)),
            ("space", six),
            ("escape enter down down space", mask_of(5)),
        )
        assert "◈" in drawn(app)[1]
        # Folded rows are sorted and filtered and stay open; another document closes them.
        assert await take_order(app, pilot, "nodes") == [0, 4, 4, 5, 6, 7, 10, 12]
        assert await listed(app, pilot, "O") == [12, 10, 4, 4, 5, 6, 7, 0]
        assert await listed(app, pilot, "/", *"3-6", "enter") == [3, 4, 4, 5, 6]
        app.edit(OpenCluster(replace(kinds(), source=Source("other"))))
        assert await listed(app, pilot) == [12, 10, 4, 0]
        # By what their nodes have together, which single nodes cannot be sorted by.
        await pilot.afresh(size=WIDE)
        await table(app, pilot)
        await listed(app, pilot, "f")
        most = (await take_order(app, pilot, "all cores"))[0]
        assert "196 nodes of 13 kinds, by all cores ▾" in screen_text(app)
        assert (await listed(app, pilot, "O"))[-1] == most
        await listed(app, pilot, "f")
        assert "rank▴" in titles(app)
        await pilot.press("o")
        assert "all cores" not in screen_text(app)


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
        assert app.views.table.table.listing.nodes(0, 1) == found
        assert len(await listed(app, pilot, "f")) == found.bit_count()
        await pilot.afresh(on=cluster(0), size=NORMAL)
        await table(app, pilot)
        for key in ("O", "m", "f", "right", "enter", "down", "n", "space", "v", "m"):
            assert await listed(app, pilot, key) == []
        assert "No nodes were found" in screen_text(app)
        # A million nodes.
        named = {"even": ",".join(map(str, range(0, 1000, 2))), "late": f"900000-{MILLION - 1}"}
        await pilot.afresh(size=NORMAL, on=cluster(MILLION, named))
        view = (await table(app, pilot)).table
        await take_order(app, pilot, "late")
        await pilot.press("home")
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
