"""The table of nodes in the workbench: the keys and the mouse, and what is listed by them."""

from pathlib import Path

from rich.cells import cell_len
from textual import events

from fluxtui import workbench
from fluxtui.bridge.chosen import Chosen
from fluxtui.model.cancellation import going_on
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.nodes.cluster_table import ClusterTable
from fluxtui.ui.nodes.table_columns import USUAL
from fluxtui.ui.session.exporting import nodes_to_take
from fluxtui.ui.session.memory import COLUMNS
from fluxtui.workbench import Cluster, MoveCursor, Select
from tests.ui.documents import cluster, demo, mask_of
from tests.ui.helpers import NARROW, NORMAL, Hands, running, workbench_at
from tests.ui.seen import plain, screen_text

MILLION = 1_000_000
MANY = {f"property{number}": f"{number % 50}-{number % 50 + number % 7}" for number in range(200)}


def kinds() -> Cluster:
    """Twelve nodes of three kinds, and one that has no property."""
    return cluster(13, {"a": "0-3,8-9", "b": "4-7", "c": "10-11,0-3,8-9"})


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
        offered = {one.label: one.text(going_on) for one in app.export.choices()}
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
