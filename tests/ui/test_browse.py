"""The cluster in the workbench: its views, what is selected in them, documents of all sizes.

How nodes are selected by keys and by the mouse is tested with the views themselves.
"""

import threading
from collections.abc import Callable

import pytest

from fluxtui import workbench
from fluxtui.model.resources.resource_set import Resources
from fluxtui.ui.nodes.nodes_view import SelectableNodes
from fluxtui.workbench import MoveCursor, OpenCluster, Select
from tests.ui.documents import cluster, demo, mask_of
from tests.ui.helpers import NORMAL, Hands, workbench_at
from tests.ui.maps import into
from tests.ui.seen import looks_of, messages, plain, screen_text, shown
from tests.ui.terminal import Terminal
from tests.ui.test_node_views import place_of

WORDS = "looking for a constraint …  esc stops"
GPU = demo().resources.properties["gpu"]


async def test_the_views_have_one_cursor_and_one_selection() -> None:
    async with workbench_at(requires="gpu") as (app, pilot):
        map_ = await into(app, pilot)
        table = app.query_one("#node-table", SelectableNodes)
        await pilot.press("n", "n", "n", "p")
        at = app.state.cursor
        assert GPU >> at & 1
        assert (shown(map_), shown(table)) == (True, False)
        await pilot.press("2")
        assert (shown(map_), shown(table), app.focused) == (False, True, table)
        assert table.index_at(0, place_of(table, at).y) == at
        await pilot.press("down", "2")
        assert app.focused is app.query_one("#node-graph")
        await pilot.press("2")
        assert app.focused is map_
        assert map_.cursor == app.state.cursor == at + 1
        assert place_of(map_, at + 1)
        # Escape ends a selection, in whatever view it began.
        await pilot.press("home", "shift+right")
        view = await into(app, pilot, "#node-table")
        await pilot.steps(
            lambda: app.state.selected, ("down space", mask_of(0, 1, 2)), ("escape", 0)
        )
        assert app.focused is view
        # In an input the letters are text.
        app.edit(Select(0b1))
        await pilot.put("")
        await pilot.press("a", "x", " ", "escape")
        assert (app.state.ask.text, app.state.selected) == ("ax ", 0b1)
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
            assert (app.state.build, app.state.ask) == (before.build, before.ask)


async def test_the_mouse_over_a_node_shows_its_details() -> None:
    async with workbench_at() as (app, pilot):
        for view in ("#node-map", "#node-table"):
            widget = await into(app, pilot, view)
            await pilot.edit(MoveCursor(2))
            await pilot.hover(view, offset=place_of(widget, 5))
            assert app.state.cursor == 2
            assert plain(app, "#node-details").startswith(demo().resources.host(5))
            await pilot.hover("#title")
            assert plain(app, "#node-details").startswith(demo().resources.host(2))
            await pilot.click(view, offset=place_of(widget, 5))
            assert app.state.cursor == 5


async def test_the_frame_and_the_glyphs_tell_what_is_selected() -> None:
    async with workbench_at(requires="gpu") as (app, pilot):
        # The frame counts the selected and tells those that match.
        await into(app, pilot)
        await pilot.press("space", "right", "space")
        assert "◇ 2 selected, no match" in screen_text(app)
        await pilot.edit(Select(GPU | 0b11))
        assert "◆ 26 selected  ◇ 2 no match" in screen_text(app)
        await pilot.edit(Select(GPU))
        assert "◆ 24 selected" in screen_text(app)
        assert "◇" not in screen_text(app)
        # Glyphs on map and table.
        await pilot.afresh(requires="x", on=cluster(8, {"x": "2-3"}))
        view = await into(app, pilot)
        await pilot.edit(Select(0b1100110))
        assert view.render_line(0).text.split()[1:] == [*"·◇◆", "■■", *"·◇◇·"]
        await pilot.press("f2")
        lines = [app.views.view.render_line(y).text for y in range(1, 9)]
        assert [line[1] for line in lines] == list("·◇◆■·◇◇·")
        # What is not selected stays readable where nothing is asked.
        await pilot.afresh(on=cluster(8))
        await into(app, pilot)
        await pilot.press("space")
        assert "◆ 1 selected" in screen_text(app)
        looks = [(look.glyph, look.role) for look in looks_of(app.views.view, 0, 3)]
        assert looks == [("◆", "slot"), ("■", "quiet"), ("■", "quiet")]


async def test_documents_of_all_sizes() -> None:
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
        await pilot.afresh(on=cluster(5, nodelist=[]))
        await pilot.put("rank:1-3")
        assert app.state.ask.totals.nodes == 3
        await pilot.press("f2")
        assert "1-3" in screen_text(app)
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


# The constraint that only the selected satisfy

#: Every seventh of 100,000 nodes.
SCATTERED = sum(1 << index for index in range(0, 100_000, 7))


async def test_a_constraint_is_written_for_just_the_selected() -> None:
    async with workbench_at() as (app, pilot):

        async def written(*keys: str, selected: int = 0) -> str:
            """The constraint after x in the map, with so many nodes selected."""
            await into(app, pilot)
            app.edit(Select(selected))
            await pilot.do(*keys, "x")
            return app.state.ask.text

        assert await written(selected=GPU) == "gpu"
        assert app.state.ask.mask == app.state.selected == GPU
        assert "24 nodes by properties; ctrl+z to undo" in messages(app)[0]
        assert "◆ 24 selected" in screen_text(app)
        await pilot.press("ctrl+z")
        assert app.state.ask.blank
        assert app.state.selected == GPU
        # From all that matches to the same constraint.
        await pilot.afresh(requires="gpu")
        assert await written("a") == "gpu"
        assert "24 nodes by properties; unchanged" in messages(app)[0]
        # All nodes need no constraint.
        await pilot.afresh(requires="rank:1", on=cluster(9))
        assert await written(selected=0x1FF) == ""
        # Without a selection it says how to make one.
        await pilot.afresh(requires="gpu")
        assert await written() == "gpu"
        assert "Select nodes first" in messages(app)[0]
        # What no input takes is not written.
        await pilot.afresh(requires="rank:1", on=cluster(100_000))
        assert await written(selected=SCATTERED) == "rank:1"
        assert "is too long" in messages(app)[0]


class Endless:
    """A search that finds nothing until it is told to stop, in place of one that takes long."""

    def __init__(self) -> None:
        self.begun = 0
        self.ended = threading.Event()

    def __call__(self, mask: int, resources: Resources, cancelled: Callable[[], bool]) -> None:
        self.begun += 1
        while not cancelled():
            threading.Event().wait(0.001)
        self.ended.set()


@pytest.fixture
def search(monkeypatch: pytest.MonkeyPatch) -> Endless:
    found = Endless()
    monkeypatch.setattr(workbench, "constraint_for", found)
    return found


async def look_for_one(pilot: Hands, *keys: str) -> None:
    """Begin a search for the constraint of the nodes with gpus."""
    await into(pilot.workbench, pilot)
    pilot.workbench.edit(Select(GPU))
    await pilot.press("x", *keys)


@pytest.mark.parametrize(
    "how", ["escape in the view", "escape elsewhere", "select", "type", "open"]
)
async def test_the_search_stops_when_it_is_not_wanted(how: str, search: Endless) -> None:
    async with workbench_at() as (app, pilot):
        await look_for_one(pilot)
        await pilot.until(lambda: WORDS in screen_text(app))
        await pilot.press("f2", "down")  # nothing that the answer rests on
        await pilot.until(lambda: WORDS in screen_text(app))
        match how:
            case "escape in the view":
                await pilot.press("escape")
            case "escape elsewhere":
                await pilot.press("ctrl+t", "escape")
            case "select":
                await pilot.press("space")
            case "type":
                await pilot.put("p3")
            case _:
                app.edit(OpenCluster(cluster(5)))
        await pilot.until(search.ended.is_set)
        await pilot.done()
        assert WORDS not in screen_text(app)
        assert app.state.ask.text == ("p3" if how == "type" else "")
        assert messages(app) == []
        assert not how.startswith("escape") or app.state.selected == GPU


async def test_a_second_x_begins_anew_and_the_end_of_the_workbench_ends_it(search: Endless) -> None:
    async with workbench_at() as (app, pilot):
        await look_for_one(pilot, "x")
        await pilot.until(search.ended.is_set)
        assert search.begun == 2
        await pilot.until(lambda: WORDS in screen_text(app))
        await pilot.press("escape")
        assert WORDS not in screen_text(app)
        await pilot.done()
        search.ended.clear()
        await look_for_one(pilot)
    assert search.ended.wait(5)


def test_in_a_terminal() -> None:
    def mouse(code: int, column: int, row: int, end: str = "M") -> str:
        return f"\x1b[<{code};{column + 1};{row + 1}{end}"

    with Terminal("-q", "gpu", columns=120, rows=40) as terminal:
        terminal.wait_for("24 of 196 nodes", "dunegpu01    ■", "^q quit")
        rows = list(terminal.screen.display)
        y = next(n for n, row in enumerate(rows) if "dunegpu01  " in row and "■" in row)
        x = rows[y].index("■")
        terminal.press(
            mouse(0, x, y) + mouse(32, x + 6, y) + mouse(0, x + 6, y, "m"), "◆ 3 selected"
        )
        terminal.send(mouse(16, x + 9, y) + mouse(16, x + 9, y, "m"))  # ctrl
        terminal.wait_for("◆ 4 selected")
        terminal.send(mouse(8, x + 15, y) + mouse(8, x + 15, y, "m"))  # alt
        terminal.wait_for("◆ 5 selected")
        terminal.send("\x1b[1;2C")  # shift and right
        terminal.wait_for("◆ 6 selected")
        terminal.press("x", "6 nodes by", "6 of 196 nodes")
