"""Getting about: focus, panes, zoom, sizes."""

import pytest

from fluxtui import workbench
from fluxtui.ui.actions import ACTIONS
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.kit.picker import Picker
from fluxtui.workbench import MoveCursor
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    REQUIRES,
    SHAPE,
    SIZES,
    WIDE,
    demo,
    plain,
    running,
    screen_lines,
    screen_text,
    shown,
    tree_labels,
    workbench_at,
)

FOCUSABLE = {
    NARROW: ["jobspec-tree"],
    NORMAL: ["jobspec-tree", "fit", "jobspec-text", "node-map", "node-details", "properties"],
    WIDE: [
        "jobspec-tree",
        "fit",
        "jobspec-text",
        "field-command",
        "node-map",
        "node-details",
        "constraint-tree",
        "constraint-why",
        "properties",
        "queues",
        "queue-details",
    ],
}

ORDER = ["tree", "form", "fit", "text", "cluster", "node", "explain", "properties", "queues"]


def focus_id(app) -> str:
    return app.focused.id if app.focused is not None else ""


# Focus


async def test_the_focus_goes_about() -> None:
    async with workbench_at() as (app, pilot):
        # Tab goes through inputs and panes and comes back.
        for size in SIZES:
            await pilot.afresh(shape=SHAPE, size=size)
            assert focus_id(app) == "shape-input"
            seen = []
            for _ in range(2 + len(FOCUSABLE[size])):
                await pilot.burst("tab")
                seen.append(focus_id(app))
            assert seen == ["constraint-input", *FOCUSABLE[size], "shape-input"]
            await pilot.burst("shift+tab")
            assert focus_id(app) == FOCUSABLE[size][-1]
        # Escape goes between inputs and cluster.
        await pilot.afresh(size=NORMAL)
        await pilot.press("tab", "escape")
        assert focus_id(app) == "node-map"
        assert shown(app.query_one("#node-map"))
        await pilot.press("escape")
        assert focus_id(app) == "constraint-input"
        await pilot.press("shift+tab", "escape", "escape")
        assert focus_id(app) == "shape-input"
        # Escape leaves every pane.
        await pilot.afresh(shape=SHAPE)
        for name in ORDER:
            app.go_to(name)
            await pilot.settle()
            assert app.focused_pane is app.panes[name]
            await pilot.press("escape")
            assert focus_id(app) == "shape-input"
        # Enter goes on.
        await pilot.afresh()
        await pilot.burst(*"node=4", "enter", *"gpu", "enter")
        assert (app.state.build.text, app.state.ask.text) == ("node=4", "gpu")
        assert focus_id(app) == "node-map"
        assert app.state.cursor == 164
        # Letters outside inputs.
        await pilot.afresh()
        await pilot.press("escape", "f6", "slash")
        assert focus_id(app) == "constraint-input"
        await pilot.press("escape", "s")
        assert focus_id(app) == "shape-input"
        assert app.state.build.text == app.state.ask.text == ""
        await pilot.press("escape", "question_mark")
        assert isinstance(app.screen, Picker)
        # Letters inside inputs are letters.
        await pilot.afresh()
        await pilot.burst(*"s/?np", "tab", *"s/?np")
        assert (app.state.build.text, app.state.ask.text) == ("s/?np", "s/?np")
        # The footer shows keys.
        await pilot.afresh()
        last = screen_text(app).splitlines()[-1]
        for key in ("F1", "F2", "F10"):
            assert key in last
        # Ctrl c says how to quit.
        await pilot.afresh(shape=SHAPE)
        await pilot.press("ctrl+c")
        assert app.is_running
        assert app.state.build.text == SHAPE
        assert demo().source.name in plain(app, "#title")


# Panes


async def test_f6_and_f7_go_round_the_panes_and_f3_and_f5_bring_them() -> None:
    async with workbench_at() as (app, pilot):
        # F6 and f7 go round the panes.
        for size in [NARROW, NORMAL]:
            await pilot.afresh(shape=SHAPE, size=size)
            wanted = [n for n in ORDER if size != NORMAL or n not in ("explain", "queues", "form")]
            app.go_to("tree")
            await pilot.settle()
            forth, back = [], []
            for _ in wanted:
                await pilot.burst("f6")
                forth.append(app.workspace.front)
                assert app.focused_pane is app.panes[forth[-1]]
                assert shown(app.panes[forth[-1]])
            assert forth == [*wanted[1:], wanted[0]]
            for _ in wanted:
                await pilot.burst("f7")
                back.append(app.workspace.front)
            assert back == [*reversed(wanted)]
        # F3 and f5 bring a pane and put it back.
        for key, second, first in [
            ("f3", "explain", "node"),
            ("f5", "queues", "properties"),
        ]:
            await pilot.afresh(requires="gpu", size=NORMAL)
            panes = app.workspace.panes
            assert not shown(panes[second])
            await pilot.press(key)
            assert shown(panes[second])
            assert not shown(panes[first])
            assert focus_id(app) == ("queues" if key == "f5" else "constraint-tree")
            await pilot.press(key)
            assert focus_id(app) == "shape-input"
            assert shown(panes[first])
            assert not shown(panes[second])


async def test_f3_and_f5_where_all_panes_have_room() -> None:
    async with workbench_at(WIDE) as (app, pilot):
        await pilot.press("f3", "f5", "f3", "f5")
        assert all(shown(pane) for pane in app.workspace.panes.values())


async def test_the_tabs_of_a_narrow_screen_are_buttons() -> None:
    async with workbench_at(NARROW, shape=SHAPE) as (app, pilot):
        tabs = app.query_one("#tabs")
        line = screen_text(app).splitlines()[tabs.region.y]
        for name in reversed(ORDER):
            await pilot.click(offset=(line.index(app.panes[name].title), tabs.region.y))
            assert app.workspace.front == name
            assert shown(app.panes[name])
        assert [n for n, p in app.workspace.panes.items() if shown(p)] == ["tree"]


async def test_a_pane_is_given_the_screen() -> None:
    async with workbench_at() as (app, pilot):
        # F8 gives the screen to a pane and takes it back.
        for size in [NARROW, NORMAL]:
            await pilot.afresh(shape=SHAPE, size=size)
            app.go_to("map")
            await pilot.settle()
            before = [n for n, p in app.workspace.panes.items() if shown(p)]
            await pilot.press("f8")
            assert [n for n, p in app.workspace.panes.items() if shown(p)] == ["cluster"]
            assert app.views.active.region.width == size[0]
            assert shown(app.query_one("#shape-input"))
            await pilot.burst("f6")
            assert app.focused_pane is app.panes["node"]
            assert shown(app.panes["node"])
            await pilot.press("f7", "f8")
            assert [n for n, p in app.workspace.panes.items() if shown(p)] == before
            await pilot.press("f8", "escape")
            assert [n for n, p in app.workspace.panes.items() if shown(p)] == before
        # F8 from an input leaves no empty screen.
        await pilot.afresh(shape=SHAPE, size=NORMAL)
        await pilot.press("f8")
        assert sum(shown(p) for p in app.workspace.panes.values()) == 1
        await pilot.press("f8")
        assert sum(shown(p) for p in app.workspace.panes.values()) == 6
        # Clicks on titles change views.
        await pilot.afresh(shape=SHAPE)
        row = app.views.active.region.y
        line = screen_text(app).splitlines()[row]
        await pilot.click(offset=(line.index("Table") + 1, row))
        assert shown(app.query_one("#node-table"))
        row = app.panes["text"].region.y
        line = screen_text(app).splitlines()[row]
        await pilot.click(offset=(line.index("JSON") + 1, row))
        assert plain(app, "#jobspec-text").startswith("{")


# Sizes


async def test_sizes_change_and_nothing_is_lost() -> None:
    async with workbench_at(WIDE) as (app, pilot):
        # Resizing keeps everything.
        await pilot.burst(*SHAPE, "tab", *REQUIRES, "enter", "f2", "down", "down")
        state, focused, labels = app.state, app.focused, tree_labels(app)
        assert focused is app.query_one("#node-table")
        await pilot.resize_terminal(*NARROW)
        await pilot.settle()
        assert app.state is state
        assert app.focused is focused
        assert shown(focused)
        for width, height in ((30, 8), (200, 10), (20, 50), (1, 1), WIDE):
            await pilot.resize_terminal(width, height)
            await pilot.settle()
        assert app.state is state
        assert app.focused is focused
        assert tree_labels(app) == labels
        assert all(shown(pane) for pane in app.workspace.panes.values())
        screen = screen_text(app)
        for text in (SHAPE, REQUIRES, "18 of 196 nodes", "resources:", "dunegpu03"):
            assert text in screen
        # The selected node stays in sight when the map rewraps.
        await pilot.afresh()
        app.go_to("map")
        app.edit(MoveCursor(195))
        await pilot.settle()
        for size in (NARROW, (60, 14), NORMAL):
            await pilot.resize_terminal(*size)
            await pilot.settle()
            view = app.query_one("#node-map")
            row = view.row_of(195) - view.scroll_offset.y  # type: ignore[attr-defined]
            assert 0 <= row < view.size.height
        # Panes out of sight are up to date when they come.
        await pilot.afresh(size=NARROW)
        await pilot.put(SHAPE, "#shape-input")
        await pilot.put("gpu")
        await pilot.put(REQUIRES)
        wanted = {
            "#jobspec-text": ("text", "constraints:"),
            "#node-details": ("node", "does not match"),
            "#constraint-tree": ("explain", "18   and"),
            "#properties": ("properties", "18"),
            "#queues": ("queues", "18"),
        }
        for selector, (name, text) in wanted.items():
            app.go_to(name)
            await pilot.settle()
            assert text in plain(app, selector)
        await pilot.put("bigmem")
        await pilot.resize_terminal(*WIDE)
        await pilot.settle()
        screen = screen_text(app)
        assert "- bigmem" in plain(app, "#jobspec-text")
        for text in ("does not match", "8   bigmem", "■ match"):
            assert text in screen


# Dialogs


async def test_keys_of_the_workbench_do_nothing_behind_a_dialog() -> None:
    async with workbench_at(shape=SHAPE) as (app, pilot):
        await pilot.press("f1")
        await pilot.burst("f2", "f5", "ctrl+o", "ctrl+z", "f8", "ctrl+s", "f9")
        assert isinstance(app.screen, Picker)
        assert len(app.screen_stack) == 2
        assert app.state.build.text == SHAPE
        assert not app.query_one("#node-table").display
        await pilot.press("f10")
        assert not app.is_running


async def test_every_action_runs_on_an_empty_workbench() -> None:
    app = FluxTUI(workbench.start())
    async with running(app, size=NORMAL) as pilot:
        for name in [action.name for action in ACTIONS if action.name not in ("quit", "suspend")]:
            await app.run_action(name)
            await pilot.settle()
            await pilot.press("escape")
            assert app.is_running


async def test_quit() -> None:
    for key in ("f10", "ctrl+q"):
        async with workbench_at() as (app, pilot):
            await pilot.press(key)
        assert app.return_code in (0, None)
        assert not app.is_running


# The keys in the last line: whole ones alone, and the most important ones stay longest

ALL = "F1 Help F2 View F3 Why F5 Queues F12 Form ^o Open ^s Save F10 Quit"


@pytest.mark.parametrize(
    ("width", "keys"),
    [
        (120, f"enter Choose {ALL}"),
        (80, ALL),
        (76, "F1 Help F2 View F3 Why F5 Queues F12 Form ^o Open F10 Quit"),
        (50, "F1 Help F2 View F3 Why F10 Quit"),
        (30, "F1 Help F10 Quit"),
    ],
)
async def test_where_there_is_less_room_the_less_important_go(width: int, keys: str) -> None:
    async with workbench_at((width, 24)) as (app, pilot):
        app.go_to("properties")
        await pilot.settle()
        shown, _, palette = screen_lines(app)[-1].partition("▏")
        assert (shown.rstrip(), palette.strip()) == (keys, "^p palette")


async def test_the_keys_follow_the_width_and_the_focus() -> None:
    async with workbench_at((120, 24)) as (app, pilot):
        await pilot.press("escape")
        assert screen_lines(app)[-1].startswith(f"{ALL}  ")
        await pilot.resize_terminal(60, 24)
        await pilot.settle()
        assert screen_lines(app)[-1].startswith("F1 Help F2 View F3 Why F5 Queues F10 Quit ")
        await pilot.resize_terminal(120, 24)
        app.go_to("properties")
        await pilot.settle()
        assert screen_lines(app)[-1].startswith(f"enter Choose {ALL}  ")


@pytest.mark.parametrize(
    ("size", "rows", "room"), [((160, 28), 3, 2), ((160, 40), 5, 5), (WIDE, 7, 8)]
)
async def test_on_a_wide_screen_the_form_leaves_room_for_the_jobspec(
    size: tuple[int, int], rows: int, room: int
) -> None:
    async with workbench_at(size, shape=SHAPE) as (app, _):
        panes = app.workspace.panes
        assert panes["tree"].size.height == rows
        assert panes["fit"].size.height == room
        assert panes["form"].size.height > panes["text"].size.height


async def test_what_is_typed_is_answered_in_sight_where_there_are_tabs() -> None:
    async with workbench_at(NARROW) as (app, pilot):
        # Where there are tabs one sees what becomes of what one types.
        steps = [
            (app.shape_bar, "", "node", "tree"),
            (app.ask_bar, "", "gpu", "cluster"),
            (app.ask_bar, "explain", "&-debug", "explain"),
            (app.shape_bar, "", "=2", "tree"),
            (app.shape_bar, "text", "/slot/core", "text"),
            (app.ask_bar, "fit", "|login", "fit"),
        ]
        for bar, brought, typed, front in steps:
            if brought:
                app.go_to(brought)
                await pilot.settle()
            bar.entry.focus()
            await pilot.press("end", *typed)
            assert (app.workspace.front, app.focused) == (front, bar.entry)
        assert (app.state.build.text, app.state.ask.text) == (
            "node=2/slot/core",
            "gpu&-debug|login",
        )
        # A constraint and a shape change with the YAML; the pane that it is typed in stays.
        await pilot.afresh(shape="node=2/slot/core=4", requires="gpu")
        app.go_to("text")
        await pilot.settle()
        await pilot.press("enter")
        editor = app.panes["text"].editor
        assert editor is not None
        for word, letter in (("- gpu", "x"), ("count: 4", "0")):
            lines = editor.text.splitlines()
            row = next(n for n, line in enumerate(lines) if line.strip() == word)
            editor.move_cursor((row, len(lines[row])))
            await pilot.press(letter)
            assert (app.workspace.front, app.focused) == ("text", editor)
        assert app.ask_bar.entry.value == "gpux"
        assert app.shape_bar.entry.value == "node=2/slot/core=40"
