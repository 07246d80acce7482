"""The cluster in the workbench: its views, what is selected in them, documents of all sizes.

How nodes are selected by keys and by the mouse is tested with the views themselves.
"""

import threading
from collections.abc import Callable

import pytest

from fluxtui import workbench
from fluxtui.model.resources.resource_set import Resources
from fluxtui.workbench import MoveCursor, OpenCluster, Select
from tests.ui.documents import cluster, demo
from tests.ui.helpers import Hands, workbench_at
from tests.ui.maps import into
from tests.ui.seen import messages, plain, screen_text
from tests.ui.terminal import Terminal
from tests.ui.test_node_views import place_of

WORDS = "looking for a constraint …  esc stops"
GPU = demo().resources.properties["gpu"]


async def test_a_view_that_is_gone_to_by_f2_leaves_what_is_typed_below_another_one() -> None:
    async with workbench_at() as (app, pilot):
        for typed in [("2", "slash"), ("2", "2", "slash"), ("g",)]:
            await pilot.afresh()
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


async def test_every_host_of_its_own_prefix() -> None:
    names = ",".join(f"{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}-{n}" for n in range(400))
    async with workbench_at(on=cluster(400, hosts=names)) as (app, pilot):
        view = await into(app, pilot)
        assert view.row_of(1) == 0
        await pilot.press("end")
        assert place_of(view, 399)


async def test_a_constraint_that_no_input_takes_is_not_written() -> None:
    async with workbench_at(requires="rank:1", on=cluster(100_000)) as (app, pilot):
        await into(app, pilot)
        app.edit(Select(sum(1 << index for index in range(0, 100_000, 7))))
        await pilot.do("x")
        assert app.state.ask.text == "rank:1"
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
