"""What was typed before: offered by the inputs, kept from one run to the next."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from fluxtui import workbench
from fluxtui.bridge.typed import REQUIRES, SHAPE, Typed
from fluxtui.notation.problem import Span
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.kit.offers import found
from fluxtui.ui.kit.popup import Popup
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    WIDE,
    demo,
    messages,
    running,
    screen_lines,
    screen_text,
)
from tests.ui.terminal import Terminal

A_SHAPE = "node=1/slot/core=16"
SHAPES = ("slot=10/core=2", "node=4/slot/[core=8;gpu]", "node=2/slot=4/core=12", "slot=3-30/node")
CONSTRAINTS = ("batch", "host:dunegpu[01-12]", "gpu&-debug")


class Run:
    """One run of the workbench with its history in a folder."""

    def __init__(
        self,
        folder: Path,
        size: tuple[int, int] = NORMAL,
        shape: str = "",
        notifications: bool = False,
    ) -> None:
        self.store = Typed(folder)
        self.app = FluxTUI(workbench.start(demo(), shape))
        self.app.recall.use(self.store)
        self._context = running(self.app, size=size, notifications=notifications)

    async def __aenter__(self):  # type: ignore[no-untyped-def]
        self.pilot = await self._context.__aenter__()
        await self.pilot.settle()
        await self.pilot.done()
        return self, self.pilot

    async def __aexit__(self, *error: object) -> None:
        await self._context.__aexit__(*error)  # type: ignore[arg-type]

    @property
    def offered(self) -> list[str]:
        return [row.text for row in self.app.screen.query_one(Popup).rows]

    @property
    def chosen(self) -> str | None:
        popup = self.app.screen.query_one(Popup)
        return None if popup.chosen is None else popup.rows[popup.chosen].text


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """A folder with a history."""
    folder = tmp_path / "history"
    folder.mkdir()
    (folder / SHAPE).write_text("".join(f"{text}\n" for text in SHAPES))
    (folder / REQUIRES).write_text("".join(f"{text}\n" for text in CONSTRAINTS))
    return folder


def newest_first(texts: Sequence[str]) -> list[str]:
    return list(reversed(texts))


# Looking back


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_up_opens_what_was_typed_before(history: Path, size: tuple[int, int]) -> None:
    async with Run(history, size) as (run, pilot):
        await pilot.press("up")
        assert run.offered == newest_first(SHAPES)
        assert run.chosen == SHAPES[-1]
        assert all(text in screen_text(run.app) for text in SHAPES)
        await pilot.press("down", "down", "up", "enter")
        assert run.app.state.build.text == SHAPES[-2]
        assert run.offered == []
        assert run.app.focused is run.app.shape_bar.entry
        await pilot.press("tab", "up")
        assert run.offered == newest_first(CONSTRAINTS)
        await pilot.press("enter")
        assert run.app.state.ask.text == CONSTRAINTS[-1]


async def test_what_is_typed_narrows_it(history: Path) -> None:
    async with Run(history) as (run, pilot):
        await pilot.put("node", "#shape-input")
        await pilot.press("up")
        assert run.offered == [
            "slot=3-30/node",
            "node=2/slot=4/core=12",
            "node=4/slot/[core=8;gpu]",
        ]
        await pilot.burst(*" CORE ")
        assert run.offered == ["node=2/slot=4/core=12", "node=4/slot/[core=8;gpu]"]
        await pilot.burst(*"gpu")
        assert run.offered == ["node=4/slot/[core=8;gpu]"]
        await pilot.burst(*["backspace"] * 3, "down")
        assert run.chosen == "node=4/slot/[core=8;gpu]"
        await pilot.press("tab")
        assert run.app.state.build.text == "node=4/slot/[core=8;gpu]"
        assert run.app.focused is run.app.shape_bar.entry


async def test_escape_comes_back_to_what_was_typed(history: Path) -> None:
    async with Run(history) as (run, pilot):
        await pilot.put("node=7", "#shape-input")
        await pilot.press("left", "up")
        assert run.chosen is None
        await pilot.press("escape")
        assert run.offered == []
        assert run.app.state.build.text == "node=7"
        await pilot.put("node", "#shape-input")
        await pilot.press("left", "up", "down", *" x", "escape")
        entry = run.app.shape_bar.entry
        assert (entry.value, entry.cursor_position) == ("node", 3)
        assert run.app.state.build.text == "node"
        assert run.app.focused is entry


async def test_where_nothing_is_like_it_enter_goes_on(history: Path) -> None:
    async with Run(history) as (run, pilot):
        await pilot.put("socket", "#shape-input")
        await pilot.press("up")
        assert "nothing like it was typed before" in screen_text(run.app)
        assert run.chosen is None
        await pilot.press("down", "enter")
        assert run.app.state.build.text == "socket"
        assert run.app.focused is run.app.ask_bar.entry


async def test_without_history_that_is_said(tmp_path: Path) -> None:
    async with Run(tmp_path / "none") as (run, pilot):
        await pilot.press("up")
        assert "no history yet" in screen_text(run.app)
        await pilot.press("escape")
        assert run.offered == []
        assert run.app.focused is run.app.shape_bar.entry


async def test_up_in_the_completions_goes_back_before_it_opens_it(history: Path) -> None:
    async with Run(history) as (run, pilot):
        await pilot.burst(*"slot/c", "down", "up")
        assert run.offered[0] == "core"
        assert run.chosen is None
        await pilot.press("backspace", "backspace", "up")
        assert run.offered == newest_first([text for text in SHAPES if "slot" in text])


async def test_taking_one_is_one_step_of_undo(history: Path) -> None:
    async with Run(history) as (run, pilot):
        await pilot.put("slot", "#shape-input")
        await pilot.press("up", "enter")
        assert run.app.state.build.text == SHAPES[-1]
        await pilot.press("ctrl+z")
        assert run.app.state.build.text == "slot"


async def test_a_click_takes_one(history: Path) -> None:
    async with Run(history) as (run, pilot):
        await pilot.press("up")
        region = run.app.screen.query_one(Popup).region
        await pilot.click(offset=(region.x + 4, region.y + 2))
        await pilot.settle()
        assert run.app.state.build.text == newest_first(SHAPES)[2]


async def test_what_was_found_stands_out(history: Path) -> None:
    async with Run(history) as (run, pilot):
        await pilot.put("gpu", "#constraint-input")
        await pilot.press("up")
        rows = run.app.screen.query_one(Popup).rows
        assert [[row.text[slice(*mark)] for mark in row.marks] for row in rows] == [["gpu"]] * 2
        y = run.app.screen.query_one(Popup).region.y
        assert "gpu&-debug" in screen_lines(run.app)[y]


async def test_without_a_store_up_does_nothing() -> None:
    app = FluxTUI(workbench.start(demo()))
    async with running(app, size=NORMAL) as pilot:
        await pilot.settle()
        await pilot.press("n", "enter", "shift+tab", "end", "up")
        popup = app.screen.query_one(Popup)
        assert not popup.is_open


# Remembering


async def test_what_is_used_is_remembered_and_not_every_key(tmp_path: Path) -> None:
    async with Run(tmp_path) as (run, pilot):
        await pilot.burst(*"node=4/slot/core")
        await pilot.done()
        assert run.store.entries(SHAPE) == ()
        await pilot.burst("enter", *"gpu", "tab")
        await pilot.done()
        assert run.store.entries(SHAPE) == ("node=4/slot/core",)
        assert run.store.entries(REQUIRES) == ("gpu",)
        assert (tmp_path / SHAPE).read_text() == "node=4/slot/core\n"
        assert (tmp_path / REQUIRES).read_text() == "gpu\n"
    async with Run(tmp_path) as (run, pilot):
        await pilot.press("up", "enter")
        assert run.app.state.build.text == "node=4/slot/core"


async def test_what_has_a_fault_is_not_remembered(tmp_path: Path) -> None:
    async with Run(tmp_path) as (run, pilot):
        await pilot.burst(*"node=/", "enter", *"gpu&", "enter")
        await pilot.done()
        assert run.store.entries(SHAPE) == run.store.entries(REQUIRES) == ()


async def test_what_another_workbench_typed_comes_with_the_next_text(tmp_path: Path) -> None:
    async with Run(tmp_path) as (run, pilot):
        other = Typed(tmp_path)
        other.add(SHAPE, "socket=2/core")
        other.save()
        await pilot.burst(*"node", "enter", "shift+tab")
        await pilot.done()
        await pilot.burst(*["backspace"] * 4)
        await pilot.press("up")
        assert run.offered == ["node", "socket=2/core"]


async def test_what_is_taken_away_is_remembered(tmp_path: Path) -> None:
    async with Run(tmp_path, shape=A_SHAPE) as (run, pilot):
        run.app.recall.remember()
        await pilot.done()
        assert run.store.entries(SHAPE) == (A_SHAPE,)


async def test_what_stands_in_the_inputs_in_the_end_is_remembered(tmp_path: Path) -> None:
    async with Run(tmp_path, shape=A_SHAPE) as (run, pilot):
        await pilot.put("gpu&-debug")
        assert run.store.entries(REQUIRES) == ()
    run.app.recall.close(left=True)
    assert (tmp_path / SHAPE).read_text() == f"{A_SHAPE}\n"
    assert (tmp_path / REQUIRES).read_text() == "gpu&-debug\n"


async def test_a_disk_that_takes_nothing_is_told_once_and_nothing_is_lost(tmp_path: Path) -> None:
    place = tmp_path / "history"
    async with Run(place, notifications=True) as (run, pilot):
        os.rmdir(place)
        place.write_text("in the way")
        await pilot.burst(*"node", "enter", *"gpu", "enter")
        await pilot.done()
        told = [message for message in messages(run.app) if message.startswith("History")]
        assert len(told) == 1
        assert "cannot be written" in told[0]
        assert run.store.entries(SHAPE) == ("node",)
        place.unlink()
        await pilot.press("escape")
        await pilot.burst(*"&batch", "enter")
        await pilot.done()
    assert (place / SHAPE).read_text() == "node\n"
    assert (place / REQUIRES).read_text() == "gpu\ngpu&batch\n"


async def test_a_long_history_is_searched_within_a_key(tmp_path: Path) -> None:
    store = Typed(tmp_path)
    for number in range(1_000):
        store.add(SHAPE, f"node={number}/slot/[core=8;gpu=2]")
    store.save()
    async with Run(tmp_path) as (run, pilot):
        await pilot.press("up")
        assert len(run.offered) == 1_000
        await pilot.burst(*"=77/")
        assert run.chosen == "node=77/slot/[core=8;gpu=2]"


# The order and the words


def test_found() -> None:
    entries = ("core gpu", "GPU", "gpu&core", "core")
    assert [text for text, _ in found("", entries)] == ["core", "gpu&core", "GPU", "core gpu"]
    assert found("gpu core", entries) == [
        ("gpu&core", (Span(0, 3), Span(4, 8))),
        ("core gpu", (Span(5, 8), Span(0, 4))),
    ]
    assert [text for text, _ in found("GPU", entries)] == ["gpu&core", "core gpu"]


# The real program


def test_the_next_run_knows_what_was_typed() -> None:
    with Terminal() as terminal:
        terminal.wait_for("196 nodes")
        terminal.send("node=4/slot/core=2\tgpu\x11")
        assert terminal.wait_for_exit() == 0
    with Terminal(columns=80, rows=24) as terminal:
        terminal.wait_for("196 nodes")
        terminal.send("\x1b[A")
        terminal.wait_for("▌node=4/slot/core=2")
        terminal.send("\r")
        terminal.wait_for("8 cores")
        terminal.send("\t\x1b[A\r")
        terminal.wait_for("24 of 196")
        terminal.send("&b")
        terminal.wait_for("│batch", "176 nodes", "│bigmem")
        terminal.send("\x1b[B\t")
        terminal.wait_for("gpu&batch")
        terminal.send("\x11")
        assert terminal.wait_for_exit() == 0
        assert terminal.in_order
        assert b"Traceback" not in terminal.output
