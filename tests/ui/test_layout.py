"""Getting about: the zones, their tabs and splits, sizes, and where the focus goes."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from textual.content import Content
from textual.style import Style
from textual.widgets._toast import Toast

from fluxtui import workbench
from fluxtui.bridge.settings import Settings
from fluxtui.notation.problem import Problem
from fluxtui.ui.actions import ACTIONS
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.kit.keys import BOUND
from fluxtui.ui.kit.pane import mount_whole
from fluxtui.ui.layout import LEAST, MOST, ZONES, Splits, tab_titles
from fluxtui.ui.nodes.cluster import ClusterPane
from fluxtui.ui.nodes.map import ClusterMap
from fluxtui.ui.registry import ROWS
from fluxtui.workbench import MoveCursor
from tests.each import for_each
from tests.ui.documents import demo
from tests.ui.helpers import NARROW, NORMAL, REQUIRES, SHAPE, WIDE, Hands, running, workbench_at
from tests.ui.seen import messages, screen_lines, screen_text, shown, tree_labels

# What a digit leads to as well, or a key of the pane that it is about.
BY_DIGIT = {"view", "explain", "queues", "form", "text_form"}

TABS = [row.tab for row in ROWS]
DETAILS = [tab for tab in TABS if tab.group in ("upper", "lower")]


def test_a_frame_names_as_many_tabs_as_there_is_room_for_each_leads_to_its_pane() -> None:
    def titles(room: int, *, alone: bool = False) -> Content:
        return tab_titles(DETAILS, "explain", room, alone=alone)

    whole = "3 Details  Node │ 6 Explain │ 7 Properties │ 8 Queues │ 9 Fit"
    assert titles(100).plain == titles(len(whole)).plain == whole
    assert titles(len(whole) - 1).plain == "3 Details  Node │ Explain │ Properties │ Queues │ Fit"
    # Where one pane is seen its frame names the other zones.
    alone = titles(90, alone=True)
    assert alone.plain.startswith("1 Job  2 Cluster  3 Details  Node │ 6 Explain")
    assert titles(20, alone=True).plain == titles(20).plain == "3 Details  Explain"
    styles = [span.style for span in alone.spans if isinstance(span.style, Style)]
    assert {style.meta["@click"] for style in styles if "@click" in style.meta} == {
        *(f"app.go_to_zone('{zone}')" for zone in ZONES),
        *(f"app.go_to('{tab.name}')" for tab in DETAILS),
    }
    # No two share a digit.
    digits = [tab.digit for tab in TABS if tab.digit] + [digit for _, digit, _ in ZONES.values()]
    assert len(digits) == len(set(digits)) <= 9


SHARES = {"job": 25, "details": 20, "cluster": 70}  # of a configuration


@for_each(
    "kept, shares, splits",
    [
        ((), {}, Splits()),
        (("50", "50", "30"), {}, Splits()),
        (("x", "50", "30", "40", "50"), {}, Splits()),
        (("50", "60", "30", "40", "50"), {}, Splits(50, 60, 30, 70, 50)),
        (("0", "999", "80", "80", "50"), {}, Splits(LEAST, MOST, 80, MOST, 50)),
        ((), SHARES, Splits(25, 70, 25, 80, 55)),
        (("50", "60", "30", "40", "50"), SHARES, Splits(50, 60, 30, 70, 50)),
    ],
)
def test_splits_are_kept_as_texts_and_odd_ones_are_mended(
    kept: tuple[str, ...], shares: dict[str, int], splits: Splits
) -> None:
    assert Splits.of(kept, shares) == splits
    assert Splits.of(splits.dumped()) == splits


async def test_what_is_in_sight_at_three_sizes() -> None:
    async with workbench_at(NORMAL) as (app, pilot):
        seen, panes = app.workspace.in_sight, app.panes
        for size, names in (
            (NORMAL, ["tree", "map", "node"]),
            (WIDE, ["tree", "map", "node", "queues"]),
            (NARROW, ["tree"]),
        ):
            await pilot.afresh(shape=SHAPE, requires=REQUIRES, size=size)
            assert seen() == names
            assert panes["tree"].region.right == (NARROW[0] if size == NARROW else map_x(app))
            if size == NORMAL:
                assert panes["map"].region.bottom == panes["node"].region.y
            if size == WIDE:
                assert panes["map"].region.right == panes["node"].region.x
                assert panes["node"].region.bottom == panes["queues"].region.y
        assert app.workspace.region.height >= NARROW[1] - 7
        # Typing brings its answer where one pane is seen.
        await pilot.press("escape", "r", "g")
        assert seen() == ["map"]
        await pilot.go("fit", "s", "n")
        assert seen() == ["fit"]  # it answers a shape too
        # A pane is maximized and restored.
        await pilot.afresh(shape=SHAPE, size=NORMAL)
        await pilot.go("queues", "z")
        assert seen() == ["queues"]
        assert panes["queues"].region.width == NORMAL[0]
        await pilot.press("escape")
        assert seen() == ["tree", "map", "queues"]
        assert app.focused_pane is panes["queues"]


def map_x(app: FluxTUI) -> int:
    return app.panes["map"].region.x


async def test_edges_are_moved_by_keys_and_by_the_mouse() -> None:
    async with workbench_at(NORMAL) as (app, pilot):
        kept: list[Splits] = []
        app.workspace.on_split = kept.append
        await pilot.go("map")
        before = app.panes["map"].region
        await pilot.press("ctrl+right", "ctrl+down")
        after = app.panes["map"].region
        assert after.x > before.x
        assert after.bottom > before.bottom
        assert kept[-1] == app.workspace.splits
        await pilot.press("left_curly_bracket")
        assert map_x(app) == before.x
        # The mouse takes hold of the edge between the columns, below the tabs.
        y = app.panes["map"].region.y + 3
        assert await pilot.mouse_down(offset=(before.x, y))
        await pilot.hover(offset=(70, y))
        await pilot.mouse_up(offset=(70, y))
        assert abs(map_x(app) - 70) <= 1
        assert kept[-1] == app.workspace.splits


async def test_the_jump_and_the_last_line_lead_on(monkeypatch: pytest.MonkeyPatch) -> None:
    async with workbench_at(NORMAL) as (app, pilot):
        await pilot.press("ctrl+g")
        letters = {label.content: label.region for label in app.screen.query("Label")}
        y = app.panes["node"].region.y
        await pilot.press(next(str(letter) for letter, place in letters.items() if place.y == y))
        assert app.focused_pane is app.panes["node"]
        await pilot.press("g", "escape")
        assert len(app.screen_stack) == 1
        # What is typed right after is for where it leads: a is the shape.
        await pilot.burst(*"ganode=1")
        assert app.state.build.text == "node=1"
        await pilot.press("escape", "g")
        await pilot.click(offset=(60, 20))
        assert len(app.screen_stack) == 1
        # The last line names the keys of what has the focus.
        await pilot.afresh(size=NORMAL, shape=SHAPE)
        await pilot.go("tree")
        tree = screen_lines(app)[-1]
        await pilot.go("map")
        shown = screen_lines(app)[-1]
        assert tree != shown
        assert "? help  : commands" in shown
        assert shown.rstrip().endswith("^q quit")
        # A sign is text where one types.
        app.focus_shape()
        await pilot.settle()
        assert "F1 help  ^p commands" in screen_lines(app)[-1]
        await pilot.go("map")
        # A click does what the key does.
        await pilot.click(offset=(shown.index("commands"), NORMAL[1] - 1))
        assert len(app.screen_stack) == 2
        # In a list of numbered lines the keys in force count.
        await pilot.press("escape")
        await pilot.go("explain")
        assert not app.check_action("digit", ("1",))
        monkeypatch.setitem(BOUND, "pane.1", "0")  # type: ignore[arg-type]
        assert app.check_action("digit", ("1",))


async def test_what_opens_first_is_that_of_the_configuration() -> None:
    app = FluxTUI(workbench.start(demo()))
    app.settings = Settings(pane="fit", maximized=True)
    async with running(app, NORMAL) as pilot:
        await pilot.settle()
        assert app.workspace.in_sight() == ["fit"]
        # What is made after the first frame may come while the workbench is left.
        pane = app.panes["graph"]
        pane.remove()
        mount_whole(pane, ClusterPane(ClusterMap, app.handlers, at_once=True, id="late"))


async def test_the_last_message_takes_one_line_over_the_title_and_m_lists_all_of_them() -> None:
    async with workbench_at(NARROW, notifications=True) as (app, pilot):
        await pilot.go("map")
        wrong = [Problem(f"no [b]{'word ' * 30}", severity="warning"), Problem("worse")]
        for report, words in (
            (lambda: app.notify("A message"), "▌ A message"),
            (lambda: app.report_problems(wrong, "job.sh"), "job.sh: 2 problems · M lists all"),
            (lambda: app.report_problems(wrong[:1], "job.sh"), "no [b]word word …"),
        ):
            app.messages.clear()
            report()
            await pilot.settle()
            (toast,) = app.screen.query(Toast)
            assert (toast.region.y, toast.region.height, toast.region.right) == (0, 1, NARROW[0])
            assert words.split("…")[0] in screen_lines(app)[0]
        await pilot.press("M")
        listed = " ".join(screen_text(app).split())
        assert "job.sh: no [b]" + " word" * 30 in listed.replace("]word", "] word")
        first, second, *_ = (row for row in screen_lines(app) if "word" in row)
        assert second.index("word") == first.index("job.sh")  # it goes on below itself
        await pilot.press("escape")
        app.focus_shape()  # where M is a letter
        app.report_problems(wrong, "job.sh")
        await pilot.settle()
        assert "esc M lists all" in screen_lines(app)[0]
        # What a terminal would act on is shown literally, here and in the list.
        await pilot.press("escape")
        app.notify("\x1b[31mred", title="\x07")
        await pilot.press("M")
        assert "\\x07: \\x1b[31mred" in screen_text(app)
        # In a dialog the key that lists them is a letter.
        app.report_problems(wrong, "job.sh")
        await pilot.settle()
        assert screen_lines(app)[0].rstrip().endswith("job.sh: 2 problems")
        # One that is shown in a dialog is in the first line too once that is closed.
        app.warn("Another one")
        await pilot.press("escape")
        assert "Another one" in screen_lines(app)[0]
        # What only informs does not hide at once what is wrong.
        app.notify("The job was replaced")
        await pilot.settle()
        assert "Another one" in screen_lines(app)[0]
        assert messages(app)[-1] == "The job was replaced"
    # One that comes before there is a screen, or after it is gone, raises nothing.
    FluxTUI().notify("word " * 30)


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


async def test_every_action_has_a_key_that_terminals_leave_and_runs_on_an_empty_workbench() -> None:
    async with running(FluxTUI(workbench.start()), size=NORMAL) as pilot:
        app = pilot.workbench
        for action in ACTIONS:
            keys = [key for key in action.keys.split(",") if key]
            has_another = any(not re.fullmatch(r"f\d+", key) for key in keys)
            assert has_another or not keys or action.name in BY_DIGIT, action
            if action.name not in ("quit", "suspend"):
                await app.run_action(f"do({action.name!r})")
                await pilot.settle()
                await pilot.press("escape")
                assert app.is_running
        # Behind a dialog the keys of the workbench do nothing, but the one that ends it.
        await pilot.press("f1")
        dialog, state = app.screen, app.state
        await pilot.burst("f2", "f5", "ctrl+o", "ctrl+z", "f8", "ctrl+s", "f9")
        assert (app.screen, len(app.screen_stack), app.state) == (dialog, 2, state)
        await pilot.press("f10")
        assert not app.is_running


# Pictures at three sizes; ``pytest --snapshot-update`` takes them anew.

SIZES = {"80x24": NARROW, "120x40": NORMAL, "200x50": WIDE}

PICTURES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "main": (SHAPE, REQUIRES, ("tab", "escape", "2")),
    "problem": ("node=4/slot/[core=x;gpu]", "hots:dune001", ("tab",)),
    "no-fit": ("node=400/slot/core=8", "gpu", ("escape", "9")),
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", PICTURES)
def test_picture(name: str, size: str, snap_compare: Callable[..., bool]) -> None:
    shape, requires, keys = PICTURES[name]
    app = FluxTUI(workbench.start(demo(), shape, requires))

    async def prepare(pilot: Any) -> None:
        await Hands(pilot.app).press(*keys)

    assert snap_compare(app, terminal_size=SIZES[size], run_before=prepare)
