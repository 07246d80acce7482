"""Ways out of no room, one list wherever they are told; numbers that say what they count."""

import re

from textual.widgets import Static

from fluxtui.answers import matching
from fluxtui.ui.job.fixes import ways_out
from fluxtui.ui.job.verdicts_dialog import VerdictsDialog
from fluxtui.workbench import ChooseQueue, EditRequires, EditShape
from tests.ui.helpers import plain, workbench_at

# A shape and a constraint that leave no room, and the ways out.
NO_ROOM = [
    # The four nodes without gpu are not in batch.
    ("node=4/slot/core", "gpu&milan", ["leave out 'milan': 24 nodes of batch"]),
    ("node=3/slot/core", "gpu&bigmem", ["leave out 'bigmem': 24 nodes of batch"]),
    ("node=400/slot/core", "gpu", ["ask for 24 nodes, not 400"]),
    ("node=4/slot/core=999", "", ["ask for 96 cores, not 999"]),
    (
        "node=2/slot/core",
        "debug&-batch",
        ["leave out 'not batch': 14 nodes of batch", "take queue debug: fits there"],
    ),
]


def numbered(lines: str, first: str = "1") -> list[str]:
    """What lines say that begin with a number, or the first of them with the name of its key."""
    found = (re.match(rf" *(?:{first}|[1-9]) +(.*)", line) for line in lines.splitlines())
    return [one[1] for one in found if one is not None]


async def test_ways_out_are_the_same_everywhere_and_lead_out() -> None:
    async with workbench_at() as (app, pilot):
        # The same ways out are offered everywhere.
        for shape, requires, ways in NO_ROOM:
            await pilot.afresh(shape=shape, requires=requires)
            await pilot.done()
            assert [one.words for one in app.fixes.find(app.state)] == ways
            app.bring("fit")
            await pilot.settle()
            assert numbered("\n".join(line.plain for line in app.fit_pane.view._given)) == ways
            app.bring("explain")
            await pilot.settle()
            below = "\n".join(line.plain for line in app.explain_pane.below._given)
            assert numbered(below) == (ways if requires else [])
            await pilot.press("ctrl+l", "end")
            assert isinstance(app.screen, VerdictsDialog)
            told = app.screen.query_one("#verdict-detail", Static).visual.plain
            assert numbered(told, "enter") == ways
        # Each way out leads out.
        for shape, requires, _ in NO_ROOM:
            await pilot.afresh(shape=shape, requires=requires)
            before = app.state
            for number, fix in enumerate(app.fixes.find(before), 1):
                for place in ("fit", "verdicts"):
                    if place == "fit":
                        app.bring("fit")
                        await pilot.settle()
                        await pilot.press(str(number))
                    else:
                        await pilot.press("ctrl+l", "end", str(number), "escape")
                    await pilot.done()
                    changed = (app.state.build.text, app.state.ask.text, app.state.submission.queue)
                    was = (before.build.text, before.ask.text, before.submission.queue)
                    assert changed != was, fix.label
                    if not isinstance(fix.edit, EditRequires):
                        assert app.state.outlook.runs_in(app.state.outlook.queue), fix.label
                    else:
                        assert app.state.ask.mask, fix.label
                    app.action_undo()
                    await pilot.done()
                    assert (
                        app.state.build.text,
                        app.state.ask.text,
                        app.state.submission.queue,
                    ) == was


async def test_while_the_room_is_looked_for_there_is_no_way_out() -> None:
    async with workbench_at(shape="node=400/slot/core") as (app, pilot):
        await pilot.done()
        assert list(ways_out(app.state))
        app.edit(EditShape("node=400/slot/["))
        assert not list(ways_out(app.state))


async def test_numbers_say_what_they_count() -> None:
    seen = set()
    async with workbench_at() as (app, pilot):
        cluster = app.state.cluster
        total = cluster.resources.node_count
        for queue in [None, *(one.name for one in cluster.config.queues)]:
            app.edit(ChooseQueue(queue))
            app.bring("fit")
            for requires in ("", "gpu", "-gpu", "ssd", "gpu&milan", "debug", "login", "rank:0"):
                app.edit(EditRequires(requires))
                for shape in ("node=1/slot/core", "slot/gpu", "node=500/slot/core"):
                    app.edit(EditShape(shape))
                    await pilot.done()
                    constraint = app.state.ask.constraint
                    own = matching.match(constraint, cluster.resources) if constraint else None
                    covered = cluster.covered(app.state.outlook.queue)
                    left = covered if own is None else own & covered
                    said = " ".join(plain(app, "#fit").split())
                    for first, second in re.findall(r"where ([0-9,]+) of ([0-9,]+) node", said):
                        assert (int(first), int(second)) == (left.bit_count(), covered.bit_count())
                        seen.add("where")
                    for number in re.findall(r"([0-9,]+) match(?:es)? the constraint", said):
                        assert int(number) == left.bit_count(), said
                        seen.add("match")
                    for number in re.findall(r"none of the cluster's ([0-9,]+) nodes", said):
                        assert (int(number), own) == (total, 0), said
                        seen.add("cluster")
                    for number in re.findall(r"none of the ([0-9,]+) nodes of queue", said):
                        assert int(number) == covered.bit_count(), said
                        assert own, said
                        assert not left, said
                        seen.add("queue")
    assert seen == {"where", "match", "cluster", "queue"}
