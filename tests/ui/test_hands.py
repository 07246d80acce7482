"""Getting about by keys: where the focus goes, sizes, and keys behind a dialog."""

from fluxtui import workbench
from fluxtui.ui.actions import ACTIONS
from fluxtui.ui.app import FluxTUI
from fluxtui.workbench import MoveCursor
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    REQUIRES,
    SHAPE,
    WIDE,
    Hands,
    plain,
    running,
    screen_text,
    shown,
    tree_labels,
    workbench_at,
)


def focus_id(app: FluxTUI) -> str:
    return (app.focused.id or "") if app.focused is not None else ""


async def by_tab(app: FluxTUI, pilot: Hands, key: str) -> list[str]:
    """Where a key leads from the shape, until it is back there."""
    seen = []
    for _ in range(30):
        await pilot.burst(key)
        seen.append(focus_id(app))
        if seen[-1] == "shape-input":
            return seen
    raise AssertionError(seen)


async def test_the_focus_goes_about() -> None:
    async with workbench_at() as (app, pilot):
        # Tab goes through inputs and panes and comes back, shift+tab the other way.
        for size in (NARROW, NORMAL, WIDE):
            await pilot.afresh(shape=SHAPE, size=size)
            forth = await by_tab(app, pilot, "tab")
            back = await by_tab(app, pilot, "shift+tab")
            assert forth[0] == "constraint-input"
            assert [*reversed(back[:-1])] == forth[:-1]
            assert len({*forth}) == len(forth)
            panes = {app.panes[name].id for name in app.panes if shown(app.panes[name])}
            left = {
                node.id for name in forth[1:-1] for node in app.query(f"#{name}").first().ancestors
            }
            assert panes <= left
        # Enter goes on.
        await pilot.afresh()
        await pilot.burst(*"node=4", "enter", *"gpu", "enter")
        assert (app.state.build.text, app.state.ask.text) == ("node=4", "gpu")
        assert focus_id(app) == "node-map"
        assert app.state.cursor == 164
        # Letters inside inputs are letters, whatever they are elsewhere.
        await pilot.afresh()
        letters = "s/?np-+@_\\:z1"
        await pilot.burst(*letters, "tab", *letters)
        assert (app.state.build.text, app.state.ask.text) == (letters, letters)


async def test_sizes_change_and_nothing_is_lost() -> None:
    async with workbench_at(WIDE) as (app, pilot):
        await pilot.burst(*SHAPE, "tab", *REQUIRES, "enter")
        app.go_to("table")
        await pilot.burst("down", "down")
        state, focused, labels = app.state, app.focused, tree_labels(app)
        assert focused is app.query_one("#node-table")
        for width, height in (NARROW, (30, 8), (200, 10), (20, 50), (1, 1), WIDE):
            await pilot.resize_terminal(width, height)
            assert app.state is state
            assert app.focused is focused
        assert shown(focused)
        assert tree_labels(app) == labels
        screen = screen_text(app)
        for text in (SHAPE, REQUIRES, "18 of 196 nodes", "dunegpu03"):
            assert text in screen
        # The selected node stays in sight when the map rewraps.
        await pilot.afresh()
        app.go_to("map")
        await pilot.edit(MoveCursor(195))
        for size in (NARROW, (60, 14), NORMAL):
            await pilot.resize_terminal(*size)
            view = app.query_one("#node-map")
            row = view.row_of(195) - view.scroll_offset.y  # type: ignore[attr-defined]
            assert 0 <= row < view.size.height
        # Panes out of sight are up to date when they come.
        await pilot.afresh(size=NARROW, shape=SHAPE)
        for text in ("gpu", REQUIRES):
            await pilot.put(text)
        for name, selector, words in (
            ("text", "#jobspec-text", "constraints:"),
            ("node", "#node-details", "✗ gpu"),
            ("properties", "#properties", "18"),
            ("queues", "#queues", "18"),
        ):
            await pilot.go(name)
            assert words in plain(app, selector)


async def test_keys_of_the_workbench_do_nothing_behind_a_dialog() -> None:
    async with workbench_at(shape=SHAPE) as (app, pilot):
        await pilot.press("f1")
        dialog = app.screen
        await pilot.burst("f2", "f5", "ctrl+o", "ctrl+z", "f8", "ctrl+s", "f9")
        assert app.screen is dialog
        assert len(app.screen_stack) == 2
        assert app.state.build.text == SHAPE
        await pilot.press("f10")
        assert not app.is_running


async def test_every_action_runs_on_an_empty_workbench() -> None:
    app = FluxTUI(workbench.start())
    async with running(app, size=NORMAL) as pilot:
        for name in [action.name for action in ACTIONS if action.name not in ("quit", "suspend")]:
            await app.run_action(f"do({name!r})")
            await pilot.settle()
            await pilot.press("escape")
            assert app.is_running
