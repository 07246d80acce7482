"""What comes in one read, at odd sizes or late: the program goes on, and begins afresh.

Random keys, clicks, pastes and sizes come from ``python -m tests.campaign hands``.
"""

import threading

import pytest
from textual import events
from textual.geometry import Size

from fluxtui.bridge import paths
from fluxtui.workbench import State
from tests.ui.documents import cluster
from tests.ui.helpers import NARROW, NORMAL, REQUIRES, SHAPE, workbench_at
from tests.ui.seen import screen_text


async def test_what_comes_in_one_read() -> None:
    async with workbench_at(NORMAL) as (app, pilot):

        async def read(*keys: str) -> None:
            for key in keys:
                app.post_message(events.Key(key, key if len(key) == 1 else None))
            await pilot.settle()

        # Two clicks beside the palette.
        await pilot.press("ctrl+p")
        for kind in (events.MouseDown, events.MouseUp) * 2:
            place = {"screen_x": 0, "screen_y": 39}
            app.post_message(kind(None, 0, 39, 0, 0, 1, False, False, False, **place))
        await pilot.settle()
        assert len(app.screen_stack) == 1
        await pilot.press("n")
        assert app.state.build.text == "n"
        # The palette again; two keys that end the stage.
        await read("ctrl+p", "escape", "ctrl+p", "q", "escape", "ctrl+p")
        await pilot.press("escape")
        assert len(app.screen_stack) == 1
        await pilot.press("f11")
        await read("enter", "enter", "escape")
        assert len(app.screen_stack) == 1
    # What is first wanted takes the keys.
    for keys in ("22/x", "2/x"):
        async with workbench_at() as (app, pilot):
            await pilot.go("map")
            named = {"2": ("f2", None), "/": ("slash", "/")}
            for key in keys:
                app.post_message(events.Key(*named.get(key, (key, key))))
            await pilot.settle()
            assert app.focused.value.endswith(keys[-1])


async def test_a_folder_that_is_listed_when_the_dialog_has_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    goes_on, real = threading.Event(), paths.complete_path
    monkeypatch.setattr(paths, "complete_path", lambda *of: goes_on.wait(20) and real(*of))
    async with workbench_at() as (app, pilot):
        await pilot.press("ctrl+o", "a")
        dialog = app.screen
        listing = [worker for worker in app.workers if worker.node is dialog]
        assert listing
        dialog.dismiss()
        assert all(worker.is_cancelled for worker in listing)  # before its list has gone
        goes_on.set()
        await pilot.done()
        assert app.is_running
        assert len(app.screen_stack) == 1


@pytest.mark.parametrize("key", ["escape", "f1", "f11", "ctrl+p"])
async def test_a_size_that_the_terminal_had_before_is_not_taken_on_again(key: str) -> None:
    async with workbench_at(NARROW) as (app, pilot):
        await pilot.press(key)
        screen, taken = app.screen, []
        screen.screen_layout_refresh_signal.subscribe(
            screen, lambda _: taken.append(screen.outer_size)
        )
        # As when the second arrives before the screen heard of the first.
        for size in (Size(100, 30), app.size):
            screen.post_message(events.Resize(size, size))
            screen.call_later(lambda: None)
        await pilot.settle()
        assert set(taken) <= {app.size}
        await pilot.resize_terminal(100, 30)
        assert screen.outer_size == (100, 30)


LISTS = ["ctrl+l", "ctrl+g", "ctrl+o", "ctrl+y", "ctrl+d"]


@pytest.mark.parametrize("key", ["escape", "ctrl+p", "f1", "f11", *LISTS])
async def test_every_width_down_to_none(key: str) -> None:
    async with workbench_at((40, 12), shape="node=4/slot{a}/core;slot") as (app, pilot):
        await pilot.press(key)
        for size in ((1, 1), *((width, 24) for width in range(12, 0, -1))):
            await pilot.resize_terminal(*size)
            assert app.is_running, size
            if size == (1, 1):  # lists have no room for a line
                await pilot.press("pagedown", "down", "pageup", "up", "end", "home")


# Tests that go on in an app that runs begin there as they would in one of their own.
ABOUT = (
    (*"node=4", "tab", *"gpu&(", "ctrl+k", "escape", "f8"),
    ("escape", "space", "c", "g", "plus", "f2", *"fS/login", "enter", "v", "m", "f2", "f1"),
    ("f12", "down", *"1h", "f4", "f3", "j", "f5", "down", "enter", "ctrl+y"),
)


def made(state: State) -> tuple[object, ...]:
    """What a person made, and where they are."""
    ask, at = state.ask, (state.cursor, state.selected, state.place)
    return (state.build, ask.text, ask.mask, state.job, state.submission, state.kept, at)


@pytest.mark.parametrize("size", [NARROW, NORMAL])
async def test_a_workbench_begun_afresh_is_as_a_new_one(size: tuple[int, int]) -> None:
    starts = (("", "", cluster(9, {"a": "1"})), (SHAPE, "", None), (SHAPE, REQUIRES, None))
    new = []
    for shape, requires, on in starts:
        async with workbench_at(size, on, shape, requires) as (app, pilot):
            await pilot.done()
            new.append((made(app.state), screen_text(app), app.focused.id))
    async with workbench_at(size) as (app, pilot):
        for keys, (shape, requires, on), (state, seen, focused) in zip(
            ABOUT, starts, new, strict=True
        ):
            for key in keys:
                await pilot.burst(key)
            await pilot.afresh(shape, requires, on)
            assert made(app.state) == state
            assert screen_text(app) == seen
            assert app.focused.id == focused
