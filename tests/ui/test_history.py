"""What was typed before: offered by the inputs, kept from one run to the next."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from fluxtui import workbench
from fluxtui.bridge.typed import REQUIRES, SHAPE, Typed
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.kit.popup import Popup
from tests.ui.documents import demo
from tests.ui.helpers import NARROW, Hands, running
from tests.ui.seen import messages, screen_text
from tests.ui.terminal import Terminal
from tests.ui.test_completion import chosen, offered

SHAPES = ("slot=10/core=2", "node=4/slot/[core=8;gpu]", "node=2/slot=4/core=12", "slot=3-30/node")
CONSTRAINTS = ("batch", "host:dunegpu[01-12]", "gpu&-debug")
NEWEST_FIRST = list(reversed(SHAPES))


@pytest.fixture
def history(tmp_path: Path) -> Path:
    folder = tmp_path / "history"
    folder.mkdir()
    (folder / SHAPE).write_text("".join(f"{text}\n" for text in SHAPES))
    (folder / REQUIRES).write_text("".join(f"{text}\n" for text in CONSTRAINTS))
    return folder


@asynccontextmanager
async def run(
    folder: Path, size: tuple[int, int] = NARROW, notifications: bool = False
) -> AsyncIterator[tuple[FluxTUI, Hands, Typed]]:
    """One run of the workbench with its history in a folder."""
    app, store = FluxTUI(workbench.start(demo())), Typed(folder)
    app.recall.use(store)
    async with running(app, size, notifications) as pilot:
        await pilot.done()
        yield app, pilot, store


async def test_what_is_found_in_the_history_stands_out(history: Path) -> None:
    async with run(history) as (app, pilot, _):
        await pilot.put("gpu", "#shape-input")
        await pilot.press("up")
        popup = app.screen.query_one(Popup)
        match = app.palette.match.color
        drawn = popup.render_line(0)
        assert [text for text, look, _ in drawn if look and look.color == match] == ["gpu"]
        await pilot.click(offset=(popup.region.x + 4, popup.region.y))
        assert app.state.build.text == "node=4/slot/[core=8;gpu]"
        # Where nothing is like it, that is said.
        await pilot.put("rack", "#shape-input")
        await pilot.press("up")
        assert "nothing similar in the history" in screen_text(app)


async def test_without_history_or_without_a_store(tmp_path: Path) -> None:
    async with run(tmp_path / "none") as (app, pilot, _):
        await pilot.press("up")
        assert "no history yet" in screen_text(app)
        await pilot.press("escape")
        assert offered(app) == []
    app = FluxTUI(workbench.start(demo()))
    async with running(app, NARROW) as pilot:
        await pilot.settle()
        await pilot.press("n", "enter", "shift+tab", "end", "up")
        assert not app.screen.query_one(Popup).rows


async def test_a_long_history_is_searched_within_a_key(tmp_path: Path) -> None:
    store = Typed(tmp_path)
    for number in range(1_000):
        store.add(SHAPE, f"node={number}/slot/[core=8;gpu=2]")
    store.save()
    async with run(tmp_path) as (app, pilot, _):
        await pilot.press("up")
        assert len(offered(app)) == 1_000
        await pilot.burst(*"=77/")
        assert chosen(app) == "node=77/slot/[core=8;gpu=2]"


async def test_what_is_used_is_remembered_and_not_every_key(tmp_path: Path) -> None:
    async with run(tmp_path) as (app, pilot, store):
        await pilot.burst(*"node=4/slot/core")
        await pilot.done()
        assert store.entries(SHAPE) == ()
        await pilot.burst("enter", *"gpu", "tab")
        await pilot.done()
        assert (tmp_path / SHAPE).read_text() == "node=4/slot/core\n"
        assert (tmp_path / REQUIRES).read_text() == "gpu\n"
        app.edit(workbench.EditShape("slot=2/core"))
        app.recall.remember()  # as where it is copied or saved
        await pilot.done()
        assert store.entries(SHAPE)[-1] == "slot=2/core"
        # What another workbench typed comes with the next text.
        other = Typed(tmp_path)
        other.add(SHAPE, "socket=2/core")
        other.save()
        app.edit(workbench.EditShape("node"))
        app.recall.remember()
        await pilot.done()
        assert set(store.entries(SHAPE)) >= {"node", "socket=2/core"}
        # What has a fault is not remembered.
        app.edit(workbench.EditShape("node=/"))
        app.edit(workbench.EditRequires("gpu&"))
        app.recall.remember()
        app.recall.close(left=True)
        assert not {"node=/", "gpu&"} & {*store.entries(SHAPE), *store.entries(REQUIRES)}
        app.edit(workbench.EditShape("slot=9/core"))
    app.recall.close(left=True)  # what is in the inputs in the end is
    assert (tmp_path / SHAPE).read_text().splitlines()[-1] == "slot=9/core"


async def test_a_disk_that_takes_nothing_is_told_of_once(tmp_path: Path) -> None:
    place = tmp_path / "history"
    async with run(place, notifications=True) as (app, pilot, store):
        os.rmdir(place)
        place.write_text("in the way")
        await pilot.burst(*"node", "enter", *"gpu", "enter")
        await pilot.done()
        (told,) = [message for message in messages(app) if message.startswith("History")]
        assert "cannot be written" in told
        assert store.entries(SHAPE) == ("node",)
        place.unlink()
        await pilot.press("r")
        await pilot.burst(*"&batch", "enter")
        await pilot.done()
    assert (place / SHAPE).read_text() == "node\n"
    assert (place / REQUIRES).read_text() == "gpu\ngpu&batch\n"


def test_the_next_run_knows_what_was_typed() -> None:
    with Terminal(columns=80, rows=24) as terminal:
        terminal.wait_for("196 nodes")
        terminal.send("node=4/slot/core=2\tgpu\x11")
        assert terminal.wait_for_exit() == 0
    with Terminal(columns=80, rows=24) as terminal:
        terminal.wait_for("196 nodes")
        terminal.press("\x1b[A", "▌node=4/slot/core=2")
        terminal.press("\r", "8 cores")
        terminal.press("\t\x1b[A\r", "24 of 196")
        terminal.quit()
