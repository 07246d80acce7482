"""The list of the verdicts: what it says, how tall it is, and what its keys bring in sight."""

import pytest
from textual.pilot import Pilot

from fluxtui.ui.app import FluxTUI
from fluxtui.ui.widgets.verdict_list import VerdictList
from fluxtui.workbench import TypeJobspec
from tests.ui.helpers import (
    afresh,
    press,
    row_of,
    screen_lines,
    screen_text,
    settle,
    workbench_at,
)

BROKEN = "slot=4/[core=2;gpu=1]/core"
NAMES = ("RFC 46", "RFC 14", "V1", "flux-core", "queue batch", "room")
TINY = (50, 12)


def listed(app: FluxTUI) -> VerdictList:
    return app.screen.query_one(VerdictList)


def seen(app: FluxTUI) -> set[str]:
    """The rule books in sight."""
    region = listed(app).region
    rows = screen_lines(app)[region.y : region.bottom]
    heads = [row[region.x : region.right].strip()[2:] for row in rows]
    return {name for name in NAMES if any(head.startswith(name) for head in heads)}


async def opened(pilot: Pilot[None]) -> None:
    await press(pilot, "ctrl+l")
    await settle(pilot)


async def test_the_list_is_as_tall_as_what_it_holds() -> None:
    async with workbench_at(shape="slot/core") as (app, pilot):
        # The list is as tall as what it holds.
        await opened(pilot)
        assert seen(app) == set(NAMES)
        assert listed(app).max_scroll_y == 0
        detail = app.screen.query_one("#verdict-detail").region
        assert detail.y == listed(app).region.bottom + 1
        assert app.screen.query_one("#box").region.bottom == detail.bottom + 2  # no blank lines
        # What is below the list stays in sight.
        await afresh(app, pilot, shape="node=2/slot/core=2-4")
        await opened(pilot)
        for _ in range(3):
            box = app.screen.query_one("#box").content_region
            assert box.contains_region(app.screen.query_one("#verdict-detail").region)
            await press(pilot, "down")


@pytest.mark.parametrize("shape", ["slot/core", "node=9000/slot/core=2-4"])
async def test_keys_bring_all_of_it_in_sight(shape: str) -> None:
    async with workbench_at(TINY, shape=shape, painted=True) as (app, pilot):
        await opened(pilot)
        assert listed(app).max_scroll_y > 0
        faults = {at for at, option in enumerate(listed(app).options) if not option.disabled}
        for on, back in (("down", "up"), ("pagedown", "pageup"), ("end", "home")):
            together: set[str] = set()
            for key, last in ((on, NAMES[-1]), (back, NAMES[0])):
                cursors = set()
                for _ in range(30):
                    cursors.add(listed(app).highlighted)
                    together |= seen(app)
                    before = listed(app).highlighted, listed(app).scroll_offset
                    await press(pilot, key)
                    if before == (listed(app).highlighted, listed(app).scroll_offset):
                        break
                assert last in seen(app)
                if len(faults) > 1 and key in ("down", "up"):
                    assert cursors == faults
                    edge = max(faults) if key == "down" else min(faults)
                    assert listed(app).highlighted == edge
            assert listed(app).scroll_offset.y == 0
            if on != "end":
                assert together == set(NAMES)
        assert len(faults) > 1 or shape == "slot/core"


async def test_nothing_is_judged_that_cannot_be_read() -> None:
    async with workbench_at(shape=BROKEN) as (app, pilot):
        # Nothing is judged while the shape cannot be read.
        for name in ("RFC 14", "V1"):
            assert f"{name} ?" in row_of(app, "#verdicts")
        await opened(pilot)
        for name in ("RFC 14", "V1", "flux-core"):
            assert f"? {name}  not known while the shape cannot be read" in screen_text(app)
        assert "✗ RFC 46" in screen_text(app)
        assert "enter mends" not in screen_text(app)
        assert "Nothing is wrong" not in screen_text(app)
        await press(pilot, "enter")
        assert app.state.build.text == BROKEN
        # Broken yaml over a broken shape.
        await afresh(app, pilot, shape=BROKEN)
        app.edit(TypeJobspec("foo: [", "yaml"))
        await settle(pilot)
        assert "RFC 14 ?" in row_of(app, "#verdicts")
        await opened(pilot)
        assert "✗ YAML" in screen_text(app)
        assert "? RFC 14" in screen_text(app)
