"""From the nodes that are selected to the constraint for just these, beside the event loop."""

import threading
from collections.abc import Callable

import pytest

from fluxtui import workbench
from fluxtui.model.resources.document import Resources
from fluxtui.ui.selecting import NAMING
from fluxtui.workbench import OpenCluster, Select
from tests.ui.helpers import (
    afresh,
    cluster,
    demo,
    done,
    messages,
    press,
    put,
    screen_text,
    settle,
    until,
    workbench_at,
)
from tests.ui.terminal import Terminal
from tests.ui.test_browse import into

GPU = demo().resources.properties["gpu"]

#: Every seventh of 100,000 nodes.
SCATTERED = sum(1 << index for index in range(0, 100_000, 7))


async def test_a_constraint_is_written_for_just_the_selected() -> None:
    async with workbench_at() as (app, pilot):
        # X writes the constraint for just the selected.
        await into(app, pilot)
        app.edit(Select(GPU))
        await press(pilot, "x")
        await done(pilot)
        assert app.state.ask.text == "gpu"
        assert app.state.ask.mask == app.state.selected == GPU
        assert "Constraint: 24 nodes by their properties\nctrl+z takes it back" in messages(app)
        assert "◆ 24 selected" in screen_text(app)
        await press(pilot, "ctrl+z")
        assert app.state.ask.blank
        assert app.state.selected == GPU
        # X from all that matches to the same constraint.
        await afresh(app, pilot, requires="gpu")
        await into(app, pilot)
        await press(pilot, "a", "x")
        await done(pilot)
        assert app.state.ask.text == "gpu"
        assert "Constraint: 24 nodes by their properties\nas it stands there" in messages(app)
        # All nodes need no constraint.
        await afresh(app, pilot, requires="rank:1", on=cluster(9))
        await into(app, pilot)
        app.edit(Select(0x1FF))
        await press(pilot, "x")
        await done(pilot)
        assert app.state.ask.blank
        # Without a selection it is said how to make one.
        await afresh(app, pilot, requires="gpu")
        await into(app, pilot)
        await press(pilot, "x")
        assert "Select nodes in the cluster first" in messages(app)[0]
        assert app.state.ask.text == "gpu"
        # What no input takes is not written.
        await afresh(app, pilot, requires="rank:1", on=cluster(100_000))
        await into(app, pilot)
        app.edit(Select(SCATTERED))
        await press(pilot, "x")
        await done(pilot)
        assert app.state.ask.text == "rank:1"
        assert messages(app)[0].endswith("characters, which is too long a text.")
        # The palette has it.
        await afresh(app, pilot)
        titles = [str(command.title) for command in app.get_system_commands(app.screen)]
        assert "Constraint for the selected nodes" in titles
        assert "Select what matches  (a)" in titles
        assert "Swap A and B" in titles
        assert "Compare  (ctrl+k)" in titles


LOOKING = "looking for an expression …  esc stops"


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


@pytest.mark.parametrize(
    "how", ["escape in the view", "escape elsewhere", "select", "type", "open"]
)
async def test_the_search_stops_when_it_is_not_wanted(
    how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = Endless()
    monkeypatch.setattr(workbench, "constraint_for", search)
    async with workbench_at() as (app, pilot):
        await into(app, pilot)
        app.edit(Select(GPU))
        await press(pilot, "x")
        await until(pilot, lambda: LOOKING in screen_text(app))
        await press(pilot, "f2", "down")  # nothing that the answer rests on
        await until(pilot, lambda: LOOKING in screen_text(app))
        if how == "escape in the view":
            await press(pilot, "escape")
        elif how == "escape elsewhere":
            await press(pilot, "ctrl+t", "escape")
        elif how == "select":
            await press(pilot, "space")
        elif how == "type":
            await put(pilot, "p3")
        else:
            app.edit(OpenCluster(cluster(5)))
        await until(pilot, search.ended.is_set)
        await settle(pilot)
        assert "looking for" not in screen_text(app)
        assert not [worker for worker in app.workers if worker.group == NAMING]
        assert app.state.ask.text == ("p3" if how == "type" else "")
        assert messages(app) == []
        if how.startswith("escape"):
            assert app.state.selected == GPU


async def test_a_second_x_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    search = Endless()
    monkeypatch.setattr(workbench, "constraint_for", search)
    async with workbench_at() as (app, pilot):
        await into(app, pilot)
        app.edit(Select(GPU))
        await press(pilot, "x", "x")
        await until(pilot, search.ended.is_set)
        assert search.begun == 2
        await until(pilot, lambda: LOOKING in screen_text(app))
        await press(pilot, "escape")
        assert "looking for" not in screen_text(app)


async def test_the_workbench_ends_while_it_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    search = Endless()
    monkeypatch.setattr(workbench, "constraint_for", search)
    async with workbench_at() as (app, pilot):
        await into(app, pilot)
        app.edit(Select(GPU))
        await press(pilot, "x")
    assert search.ended.wait(5)


def test_in_a_terminal() -> None:
    def mouse(code: int, column: int, row: int, end: str = "M") -> str:
        return f"\x1b[<{code};{column + 1};{row + 1}{end}"

    with Terminal("-q", "gpu", columns=120, rows=40) as terminal:
        terminal.wait_for("24 of 196 nodes")
        rows = list(terminal.screen.display)
        y = next(n for n, row in enumerate(rows) if "dunegpu01  " in row and "■" in row)
        x = rows[y].index("■")
        terminal.send(mouse(0, x, y) + mouse(32, x + 4, y) + mouse(0, x + 4, y, "m"))
        terminal.wait_for("◆ 3 selected")
        terminal.send(mouse(16, x + 8, y) + mouse(16, x + 8, y, "m"))  # ctrl
        terminal.wait_for("◆ 4 selected")
        terminal.send(mouse(8, x + 12, y) + mouse(8, x + 12, y, "m"))  # alt
        terminal.wait_for("◆ 5 selected")
        terminal.send("\x1b[1;2C")  # shift and right
        terminal.wait_for("◆ 6 selected")
        terminal.send("x")
        terminal.wait_for("6 nodes by", "6 of 196 nodes")
        terminal.send("\x0b\x1b")  # ctrl+k, escape
        terminal.wait_for("6 is kept", "▲ 0 gained")
