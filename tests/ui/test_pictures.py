"""Few pictures at fixed sizes; ``pytest --snapshot-update`` takes them anew.

The demo's dates are shown in local time, which is UTC here; the cursor does not blink.
"""

from collections.abc import Callable
from typing import Any

import pytest

from fluxtui import workbench
from fluxtui.ui.app import FluxTUI
from tests.ui.helpers import NARROW, NORMAL, REQUIRES, SHAPE, WIDE, Hands, demo

PICTURES = {
    "main": (NORMAL, SHAPE, REQUIRES, ()),
    "narrow": (NARROW, SHAPE, REQUIRES, ("f2",)),
    "wide": (WIDE, "node=2/slot=4{task}/[core=2;gpu]", "gpu -debug", ()),
    "problem": (NORMAL, "node=4/slot/[core=x;gpu]", "hots:dune001", ("f2", "f3")),
}


@pytest.mark.parametrize("name", PICTURES)
def test_picture(name: str, snap_compare: Callable[..., bool]) -> None:
    size, shape, requires, keys = PICTURES[name]
    app = FluxTUI(workbench.start(demo(), shape, requires))

    async def prepare(pilot: Any) -> None:
        app.shape_bar.entry.cursor_blink = app.ask_bar.entry.cursor_blink = False
        hands = Hands(pilot.app)
        await hands.burst("tab", *keys)
        await hands.settle()

    assert snap_compare(app, terminal_size=size, run_before=prepare)
