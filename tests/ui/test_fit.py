"""Whether the job fits: in the pane, in the verdicts, on the map and in the tree."""

import re

import pytest

from fluxtui import workbench
from fluxtui.ui.job.fit import FitPane
from fluxtui.workbench import Cluster, Outlook, State
from tests.ui.helpers import SHAPE, Hands, workbench_at
from tests.ui.seen import looks_of, screen_text, tree_labels

TOO_LARGE = "node=4/slot/core=200"


def placed(state: State) -> int:
    return state.outlook.placement.mask


async def test_the_answer_is_everywhere_and_old_ones_are_marked() -> None:
    async with workbench_at() as (app, pilot):
        # A placement is on the map, in the table and in the tree.
        await pilot.afresh(shape=SHAPE, requires="gpu")
        mask = placed(app.state)
        await pilot.go("map")
        assert len(re.findall("▣+", screen_text(app))) == 4 + 1  # the legend has one
        index = (mask & -mask).bit_length() - 1
        assert looks_of(app.views.map.view, index, index + 1)[0].glyph == "▣"
        await pilot.go("table")
        assert looks_of(app.views.table.view, index, index + 1)[0].glyph == "▣"
        await pilot.go("tree")
        assert app.state.cluster.resources.hosts_of(mask, limit=3) in tree_labels(app)[0]
        assert "[0-7]" in tree_labels(app)[2]
        # An unfinished text keeps the answer as an old one.
        for pane in ("map", "text", "fit"):
            app.go_to(pane)
        await pilot.settle()
        for text in ("/", "node=4/slot/", "node=4/slot/co", "node=0/slot/core"):
            await pilot.put(text, "#shape-input")
            assert placed(app.state) == mask
            assert app.panes["fit"].border_subtitle == "stale"
            assert "last placed" in str(app.views.active.border_subtitle)
        await pilot.put("", "#shape-input")
        assert app.state.outlook.fit is None
        assert "▣" not in screen_text(app)
        await pilot.afresh(shape=SHAPE, requires="gpu")
        for pane in ("text", "fit"):
            app.go_to(pane)
        await pilot.settle()
        for requires, said in (("gpu&", "stale"), ("gpu", "")):
            await pilot.put(requires)
            assert app.panes["fit"].border_subtitle == app.panes["text"].border_subtitle == said
        # A first word that is begun is no refusal.
        await pilot.afresh()
        await pilot.burst(*"nod")
        assert app.state.outlook.own is None
        assert "refuses" not in screen_text(app)
        # What is missing is marked in the tree.
        await pilot.afresh(shape=TOO_LARGE)
        assert ["✗" in label for label in tree_labels(app)] == [False, False, True]


async def test_fixes_are_applied_by_keys_and_clicks() -> None:
    async with workbench_at(shape=TOO_LARGE) as (app, pilot):
        fit = app.state.outlook.fit
        assert fit.own.nearest is not None

        async def take(how: str) -> None:
            if how == "click":
                row = next(
                    y for y, line in enumerate(app.panes["fit"].view.lines) if "1 ask" in line.plain
                )
                assert await pilot.click("#fit", offset=(6, row))
            else:
                await pilot.press(how)

        for how in ("enter", "1", "click", "ctrl+f"):
            await pilot.go("fit")
            await take(how)
            assert list(app.state.build.resources) == list(fit.own.nearest.resources)
            assert app.state.outlook.fit.feasible
            await pilot.press("ctrl+z")
            assert app.state.build.text == TOO_LARGE


async def typed(pilot: Hands, app: object, *shapes: str) -> None:
    for shape in shapes:
        app.shape_bar.entry.value = shape  # type: ignore[attr-defined]
    await pilot.done()


async def test_a_large_graph_is_searched_beside_the_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    find = workbench.find_outlook

    def counting(state: workbench.State) -> Outlook:
        asked.append(state)
        return find(state)

    async with workbench_at(shape=SHAPE) as (app, pilot):
        monkeypatch.setattr(workbench, "find_outlook", counting)
        monkeypatch.setattr(Cluster, "is_large", True)
        before = app.state.outlook.fit
        await typed(pilot, app, "node=2/slot/core")
        assert app.state.outlook.fit is not before
        assert placed(app.state).bit_count() == 2
        assert not app.state.outlook.old
        # Until it is there, the numbers of the answer before apply nothing.
        app.go_to("fit")
        app.edit(workbench.EditShape("slot=4/node"))
        assert app.state.outlook.due
        assert app.fixes.find(app.state)
        app.pane(FitPane).action_take(1)
        assert app.state.build.text == "slot=4/node"
        # The list of verdicts follows.
        await pilot.do("ctrl+l")
        assert "of an earlier job" not in screen_text(app)
        await pilot.do("escape", "ctrl+z")
        asked.clear()
        # Moving about does not look for it again.
        for index in range(20):
            app.edit(workbench.MoveCursor(index))
        await pilot.done()
        assert asked == []
        await typed(pilot, app, "node=3/slot/core", "node=5/slot/core", "node=6/slot/core")
        assert placed(app.state).bit_count() == 6
