"""Will it run: the verdicts beside the shape, the room pane, the placement on map and tree."""

import pytest
from textual.widgets import Tree

from fluxtui import workbench
from fluxtui.workbench import ChooseQueue, Cluster, Outlook, State
from tests.ui.helpers import (
    SHAPE,
    WIDE,
    cluster,
    looks_of,
    plain,
    screen_text,
    tree_labels,
    workbench_at,
)

TOO_LARGE = "node=4/slot/core=200"


def placed(state: State) -> int:
    """The nodes of the placement."""
    fit = state.outlook.fit
    assert fit is not None
    assert fit.own.placement is not None
    return fit.own.placement.mask


async def test_verdicts_say_what_is_so_far() -> None:
    async with workbench_at() as (app, pilot):
        # The verdicts say how often it fits and what the queue says.
        await pilot.burst(*SHAPE)
        fit = app.state.outlook.fit
        assert fit is not None
        assert fit.feasible
        chips = plain(app, "#verdicts")
        assert f"fits {fit.own.fits:,}×" in chips
        assert "V1 ✓" in chips
        assert "batch" in chips
        assert chips in screen_text(app)
        # A placement is lit on the map and in the table.
        await pilot.afresh(shape=SHAPE, requires="gpu")
        mask = placed(app.state)
        assert mask.bit_count() == 4
        app.bring("cluster")
        await pilot.settle()
        assert screen_text(app).count("▣") == 4 + 1  # the legend has one
        index = (mask & -mask).bit_length() - 1
        assert looks_of(app.cluster_pane.map, index, index + 1)[0].glyph == "▣"
        assert "placed" in str(app.cluster_pane.border_subtitle)
        await pilot.press("f2")
        assert looks_of(app.cluster_pane.table, index, index + 1)[0].glyph == "▣"
        # An unfinished shape keeps the verdict as stale.
        await pilot.afresh(shape=SHAPE)
        before = placed(app.state)
        for text in ("/", "node=4/slot/", "node=4/slot/co", "node=0/slot/core"):
            await pilot.put(text, "#shape-input")
            assert app.state.outlook.stale
            assert placed(app.state) == before
            assert "…" in plain(app, "#verdicts")
            assert app.fit_pane.border_subtitle == "stale"
            assert "last placed" in str(app.cluster_pane.border_subtitle)
        await pilot.put("", "#shape-input")
        assert app.state.outlook.fit is None
        assert "▣" not in screen_text(app)
        # An unfinished constraint marks the verdict too.
        await pilot.afresh(shape=SHAPE, requires="gpu")
        await pilot.put("gpu&")
        assert app.fit_pane.border_subtitle == "stale"
        assert app.text_pane.border_subtitle == "stale"
        assert "…" in plain(app, "#verdicts")
        await pilot.put("gpu")
        assert app.fit_pane.border_subtitle == ""
        assert app.text_pane.border_subtitle == ""
        # While the job is not legal only that is loud.
        await pilot.afresh(shape="node=4")
        line = app.shape_bar.verdict._right
        loud = {
            line.plain[span.start : span.end]
            for span in line.spans
            if span.style == app.palette.problem
        }
        assert loud == {"RFC 14 ✗"}
        assert "No legal job yet" in plain(app, "#fit")
        # A first word that is begun is no refusal.
        await pilot.afresh()
        await pilot.burst(*"nod")
        assert app.state.outlook.own is None
        assert "refuses" not in screen_text(app)
        assert "does not fit" not in screen_text(app)
        # Choosing a queue is undone like a text.
        await pilot.afresh(shape=SHAPE)
        app.edit(ChooseQueue("gpu"))
        assert app.state.jobspec()["attributes"]["system"]["queue"] == "gpu"
        await pilot.press("ctrl+z")
        assert "queue" not in app.state.jobspec()["attributes"]["system"]
        assert app.state.build.text == SHAPE
        await pilot.press("ctrl+r")
        assert app.state.submission.queue == "gpu"
        # What is wrong with a document is said with its place.
        await pilot.afresh(shape="[core;core;core;node/[slot/core;gpu]]")
        text = workbench.job_text(app.state, "yaml")
        front, _, behind = text.rpartition("type: gpu\n    count: 1\n")
        app.edit(workbench.TypeJobspec(f"{front}type: gpu\n    count: 1Z\n{behind}", "yaml"))
        await pilot.settle()
        said = plain(app, "#shape-message").strip()
        assert said.startswith("RFC 14: resources[3].with[1].count  'Z' does not belong")
        # What is wrong with the whole list needs no place.
        await pilot.afresh(shape="node=4")
        said = plain(app, "#shape-message").strip()
        assert said == "RFC 14: the resources hold no slot, so no task can run"


async def test_what_is_missing_is_said() -> None:
    async with workbench_at(shape=SHAPE) as (app, pilot):
        # The tree says where.
        hosts = app.state.cluster.resources.hosts_of(placed(app.state), limit=3)
        labels = tree_labels(app)
        assert hosts in labels[0]
        assert "[0-7]" in labels[2]
        # What is missing is said and marked.
        await pilot.afresh(shape=TOO_LARGE)
        fit = app.state.outlook.fit
        assert fit is not None
        assert fit.feasible is False
        reason = fit.own.reasons[0].message
        assert "no room ✗" in plain(app, "#verdicts")
        assert reason in plain(app, "#shape-message")
        room = " ".join(plain(app, "#fit").split())
        assert reason in room
        assert "no rule of queue batch (the default) is against it" in room
        assert "(the default) takes it" not in room
        assert ["✗" in label for label in tree_labels(app)] == [False, False, True]
        assert "▣" not in screen_text(app)
        app.screen.query_one("#jobspec-tree", Tree).focus()
        await pilot.press("down", "down")
        assert "needs 200 cores" in str(app.tree_pane.border_subtitle)
        # Enter takes the nearest request that fits.
        await pilot.afresh(shape=TOO_LARGE)
        fit = app.state.outlook.fit
        assert fit is not None
        nearest = fit.own.nearest
        assert nearest is not None
        app.bring("fit")
        await pilot.settle()
        assert nearest.change in screen_text(app)
        await pilot.press("enter")
        assert list(app.state.build.resources) == list(nearest.resources)
        assert app.state.outlook.fit is not None
        assert app.state.outlook.fit.feasible
        await pilot.press("ctrl+z")
        assert app.state.build.text == TOO_LARGE


async def test_both_schedulers_are_shown_where_they_differ() -> None:
    on = cluster(4)
    async with workbench_at(on=on, shape="node=2/socket/slot/core") as (app, _):
        fit = app.state.outlook.fit
        assert fit is not None
        assert fit.why_differs
        text = plain(app, "#fit")
        assert "sched-simple ✓" in text
        assert "Fluxion ✗" in text


async def test_room_in_a_large_graph_is_found_beside_the_event_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with workbench_at(shape=SHAPE) as (app, pilot):
        monkeypatch.setattr(Cluster, "is_large", True)
        before = app.state.outlook.fit
        await pilot.put("node=2/slot/core", "#shape-input")
        await pilot.until(lambda: not app.state.outlook.due)
        fit = app.state.outlook.fit
        assert fit is not None
        assert fit is not before
        assert placed(app.state).bit_count() == 2
        assert not app.state.outlook.stale
        for text in ("node=3/slot/core", "node=5/slot/core", "node=6/slot/core"):
            app.shape_bar.entry.value = text
        await pilot.done()
        assert placed(app.state).bit_count() == 6


async def test_moving_about_does_not_look_for_room_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    find = workbench.find_outlook

    def counting(state: workbench.State) -> Outlook:
        asked.append(state)
        return find(state)

    async with workbench_at(shape=SHAPE) as (app, pilot):
        monkeypatch.setattr(workbench, "find_outlook", counting)
        monkeypatch.setattr(Cluster, "is_large", True)
        app.shape_bar.entry.value = "node=2/slot/core"
        for index in range(20):
            app.edit(workbench.MoveCursor(index))
        await pilot.done()
        assert len(asked) == 1
        assert not app.state.outlook.due
        assert placed(app.state).bit_count() == 2


async def test_without_a_cluster_that_is_said() -> None:
    async with workbench_at(on=cluster(0), shape="node=1/slot/core", requires="gpu&") as (app, _):
        assert "No cluster is open" in plain(app, "#fit")
    async with workbench_at(shape="node=1/slot/core", requires="gpu&") as (app, _):
        assert "No cluster is open" not in plain(app, "#fit")


async def test_reasons_are_counted_as_one_number_in_the_bar_and_the_pane() -> None:
    unknown = ";".join(f"foo{number}" for number in range(330))
    async with workbench_at(WIDE, shape=f"slot/[{unknown}]") as (app, pilot):
        await pilot.until(lambda: not app.state.outlook.due)
        assert "and 329 more" in plain(app, "#shape-message")
        app.bring("fit")
        await pilot.settle()
        lines = plain(app, "#fit").splitlines()
        told = [line for line in lines if "foo" in line]
        assert any(line.strip() == f"and {330 - len(told)} more" for line in lines)
