"""Few pictures at fixed sizes; ``pytest --snapshot-update`` takes them anew.

The demo's dates are shown in local time, which is UTC here.
"""

from collections.abc import Callable
from typing import Any

import pytest

from fluxtui import workbench
from fluxtui.ui.app import FluxTUI
from tests.ui.documents import demo
from tests.ui.helpers import NARROW, NORMAL, REQUIRES, SHAPE, WIDE, Hands

SIZES = {"80x24": NARROW, "120x40": NORMAL, "200x50": WIDE}

STATES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "main": (SHAPE, REQUIRES, ("tab", "escape", "2")),
    "problem": ("node=4/slot/[core=x;gpu]", "hots:dune001", ("tab",)),
    "no-fit": ("node=400/slot/core=8", "gpu", ("escape", "9")),
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", STATES)
def test_picture(name: str, size: str, snap_compare: Callable[..., bool]) -> None:
    shape, requires, keys = STATES[name]
    app = FluxTUI(workbench.start(demo(), shape, requires))

    async def prepare(pilot: Any) -> None:
        await Hands(pilot.app).press(*keys)

    assert snap_compare(app, terminal_size=SIZES[size], run_before=prepare)
