"""What the first frame loads, and what is there soon after it."""

import subprocess
import sys
from importlib.util import find_spec

from fluxtui.ui.app import FluxTUI
from tests.ui.helpers import NORMAL, REQUIRES, looks_of, running

MOST = 190  # modules of the program, before there is anything to see

# What is loaded right after the first frame, or with the first key that needs it.
LATER = (
    "answers.compare",
    "answers.explain",
    "answers.listing.filtering",
    "answers.listing.orders",
    "answers.explain.properties",
    "answers.listing.lister",
    "answers.export",
    "bridge.clipboard",
    "bridge.watching",
    "opening.again",
    "opening.anything",
    "ui.kit.text_editor",
    "ui.nodes.cluster_table",
    "ui.nodes.graph",
    "workbench.reloading",
)


def test_the_first_frame_loads_little() -> None:
    code = (
        "import sys, fluxtui.ui.launch, fluxtui.ui.app;"
        "print(*(name for name in sys.modules if name.startswith('fluxtui')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert not {f"fluxtui.{name}" for name in LATER} & set(loaded)
    for name in LATER:
        assert find_spec(f"fluxtui.{name}") is not None  # it is another name now
    assert len(loaded) < MOST


async def test_the_table_is_there_soon_after() -> None:
    app = FluxTUI()
    async with running(app, size=NORMAL) as pilot:
        await pilot.until(lambda: bool(app.query("#node-table")))
        assert app.workspace.active("cluster") == "map"
        assert not app.panes["table"].display or not app.views.table.view.region


async def test_a_table_that_is_made_late_shows_what_the_map_does() -> None:
    app = FluxTUI()
    async with running(app, size=NORMAL) as pilot:
        app.ask_bar.entry.value = REQUIRES
        app.views.map.view.action_move(3)
        await pilot.go("table")  # whether it has been made by now or not
        count = app.state.cluster.resources.node_count
        table, shown = app.views.table.view, app.views.map.view
        assert looks_of(table, 0, count) == looks_of(shown, 0, count)
        assert (table.cursor, table.found.mask) == (3, app.state.ask.mask)


async def test_an_early_key_makes_it_and_keeps_the_focus() -> None:
    app = FluxTUI()
    async with running(app, size=NORMAL) as pilot:
        app.screen.set_focus(app.views.map.view)
        await pilot.press("f2", "down")
        assert app.focused is app.views.table.table
        assert app.state.cursor == 1
        assert len(app.query("#node-table")) == 1
