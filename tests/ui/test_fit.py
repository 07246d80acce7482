"""Whether the job fits: in the pane, in the verdicts, on the map and in the tree."""

import pytest

from fluxtui import workbench
from fluxtui.ui.job.fit import FitPane
from fluxtui.workbench import Cluster, Outlook, State
from tests.ui.helpers import SHAPE, Hands, workbench_at
from tests.ui.seen import screen_text

TOO_LARGE = "node=4/slot/core=200"


def placed(state: State) -> int:
    return state.outlook.placement.mask


async def test_an_old_answer_is_marked_as_old() -> None:
    async with workbench_at(shape=SHAPE, requires="gpu") as (app, pilot):
        mask = placed(app.state)
        for pane in ("text", "fit"):
            app.go_to(pane)
        await pilot.settle()
        for text in ("/", "node=4/slot/", "node=0/slot/core"):
            await pilot.put(text, "#shape-input")
            assert placed(app.state) == mask
            assert app.panes["fit"].border_subtitle == "stale"
        await pilot.put(SHAPE, "#shape-input")
        for requires, said in (("gpu&", "stale"), ("gpu", "")):
            await pilot.put(requires)
            assert app.panes["fit"].border_subtitle == app.panes["text"].border_subtitle == said


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
