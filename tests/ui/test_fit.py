"""Whether the job fits: in the pane, in the verdicts, on the map and in the tree."""

import re

import pytest

from fluxtui import workbench
from fluxtui.answers import matching
from fluxtui.ui.job.fit import FitPane, fit_lines
from fluxtui.ui.job.fixes import ways_out
from fluxtui.ui.kit.palette import Palette
from fluxtui.workbench import ChooseQueue, Cluster, Outlook, State, start, step
from tests.ui.documents import cluster, demo, xeons
from tests.ui.helpers import SHAPE, Hands, workbench_at
from tests.ui.seen import looks_of, screen_text, tree_labels

TOO_LARGE = "node=4/slot/core=200"


def words(state: State) -> str:
    """What the pane says of a state, in one line."""
    lines = fit_lines(state, tuple(ways_out(state)), Palette.of({}))
    return " ".join(" ".join(line.plain for line in lines).split())


def placed(state: State) -> int:
    return state.outlook.placement.mask


@pytest.mark.parametrize(
    ("shape", "requires", "says"),
    [
        ("", "", ["Whether the job fits"]),
        ("node=4", "", ["Not a valid job yet"]),
        (SHAPE, "gpu", ["✓ fits in batch, where 24 of 176 nodes match, at most", "accepts it"]),
        (SHAPE, "gpu", ["cores 0-7 and gpu 0 of each", "sched-simple ✓ Fluxion ✓"]),
        ("slot/[core=8;gpu]", "gpu", ["cores 0-7 and gpu 0 sched-simple"]),
        ("node=1+/slot/core", "", ["✓ fits in batch", "node 1 or more: up to"]),
        (TOO_LARGE, "", ["✗ does not fit in batch", "needs 200 cores", "1 ask for 96 cores"]),
        (TOO_LARGE, "", ["allowed by queue batch (the default)"]),
        ("node=2/slot/core", "debug&-batch", ["1 use queue debug: fits there"]),
    ],
)
def test_what_is_said(shape: str, requires: str, says: list[str]) -> None:
    said = words(start(demo(), shape, requires))
    assert [one for one in says if one not in said] == [], said
    assert ("accepts it" in said) <= ("✓ fits" in said)


def test_what_is_said_of_other_clusters() -> None:
    assert "No cluster is open" in words(start(cluster(0), "node=1/slot/core", "gpu&"))
    assert "No cluster is open" not in words(start(demo(), "node=1/slot/core", "gpu&"))
    apart = words(start(xeons(), "slot/[core=16;gpu]"))
    assert "! the gpus of a slot may be apart from its cores TreePool" in apart
    both = words(start(cluster(4), "node=2/socket/slot/core"))
    assert "sched-simple ✓ Fluxion ✗" in both
    unknown = ";".join(f"foo{number}" for number in range(40))
    said = words(start(cluster(4), f"slot/[{unknown}]"))
    told = said.count("'foo")
    assert f"and {40 - told} more" in said


def test_numbers_say_what_they_count() -> None:
    seen = set()
    state = start(demo())
    everything = state.cluster.resources
    for queue in [None, *(one.name for one in state.cluster.config.queues)]:
        for requires in ("", "gpu", "-gpu", "ssd", "gpu&milan", "debug", "login", "rank:0"):
            for shape in ("node=1/slot/core", "slot/gpu", "node=500/slot/core"):
                state = step(start(demo(), shape, requires), ChooseQueue(queue))
                constraint = state.ask.constraint
                own = matching.match(constraint, everything) if constraint else None
                covered = state.cluster.covered(state.outlook.queue)
                left = covered if own is None else own & covered
                said = words(state)
                for first, second in re.findall(r"where ([0-9,]+) of ([0-9,]+) node", said):
                    assert (int(first), int(second)) == (left.bit_count(), covered.bit_count())
                    seen.add("where")
                for first, second in re.findall(r"([0-9,]+) of ([0-9,]+) (?:is|are) eli", said):
                    assert (int(first), int(second)) == (left.bit_count(), everything.node_count)
                    seen.add("eligible")
                for number in re.findall(r"none of the cluster's ([0-9,]+) nodes", said):
                    assert (int(number), own) == (everything.node_count, 0), said
                    seen.add("cluster")
                for number in re.findall(r"none of the ([0-9,]+) nodes of queue", said):
                    assert int(number) == covered.bit_count(), said
                    assert own, said
                    assert not left, said
                    seen.add("queue")
    assert seen == {"where", "eligible", "cluster", "queue"}


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
        assert looks_of(app.views.table.table, index, index + 1)[0].glyph == "▣"
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
