"""Tests that go on in an app that runs begin there as they would in one of their own."""

import pytest

from fluxtui.workbench import State
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    REQUIRES,
    SHAPE,
    afresh,
    burst,
    cluster,
    done,
    screen_text,
    workbench_at,
)

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
            await done(pilot)
            new.append((made(app.state), screen_text(app), app.focused.id))
    async with workbench_at(size) as (app, pilot):
        for keys, (shape, requires, on), (state, seen, focused) in zip(
            ABOUT, starts, new, strict=True
        ):
            for key in keys:
                await burst(pilot, key)
            await afresh(app, pilot, shape, requires, on)
            assert made(app.state) == state
            assert screen_text(app) == seen
            assert app.focused.id == focused
