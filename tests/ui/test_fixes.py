"""The fixes of a job: one list wherever it is shown, and each of them helps."""

import re

import pytest

from fluxtui.ui.job.fixes import in_order, ways_out
from fluxtui.ui.job.verdicts import Fix
from fluxtui.ui.job.verdicts_dialog import VerdictsDialog
from fluxtui.workbench import EditRequires, EditShape, TypeField, start, step
from tests.ui.helpers import demo, messages, plain, workbench_at

# A shape and a constraint with which something is wrong, and the fixes.
WRONG = [
    # The four nodes without gpu are not in batch.
    ("node=4/slot/core", "gpu&milan", ["leave out 'milan': 24 nodes of batch"]),
    ("node=3/slot/core", "gpu&bigmem", ["leave out 'bigmem': 24 nodes of batch"]),
    ("node=400/slot/core", "gpu", ["ask for 24 nodes, not 400"]),
    ("node=4/slot/core=999", "", ["ask for 96 cores, not 999"]),
    (
        "node=2/slot/core",
        "debug&-batch",
        ["leave out 'not batch': 14 nodes of batch", "use queue debug: fits there"],
    ),
]

# What Explain offers where nothing is asked.
EXAMPLES = [
    "gpu                   24 nodes",
    "gpu&-debug            18 nodes",
    "host:dune-login[1-4]  4 nodes",
]


def numbered(lines: str, first: str = "1") -> list[str]:
    """What lines say that begin with a number, or the first of them with the name of its key."""
    found = (re.match(rf" *(?:{first}|[1-9]) +(.*)", line) for line in lines.splitlines())
    return [one[1] for one in found if one is not None]


async def test_fixes_are_the_same_everywhere_and_each_helps() -> None:
    async with workbench_at() as (app, pilot):
        for shape, requires, fixes in WRONG:
            await pilot.afresh(shape=shape, requires=requires)
            await pilot.done()
            assert [one.words for one in app.fixes.find(app.state)] == fixes
            await pilot.go("fit")
            assert numbered(re.sub(r"\n    +", " ", app.panes["fit"].view.plain)) == fixes
            await pilot.go("explain")
            head = plain(app, "#constraint-tree").partition("\n  match")[0]
            assert numbered(head.replace("\n  ", " ")) == (fixes if requires else EXAMPLES)
            await pilot.press("ctrl+l", "end")
            assert isinstance(app.screen, VerdictsDialog)
            told = re.sub(r"\n     +", " ", app.screen.listed.plain.split("\n\n")[0])
            assert numbered(told) == fixes
            await pilot.press("escape")
            before = app.state
            was = (before.build.text, before.ask.text, before.submission.queue)
            for number, fix in enumerate(app.fixes.find(before), 1):
                for place in ("fit", "verdicts", "best"):
                    if place == "best" and number > 1:
                        continue
                    await pilot.go("fit")
                    keys = {"fit": [str(number)], "best": ["ctrl+f"]}
                    await pilot.do(*keys.get(place, ["ctrl+l", "end", str(number), "escape"]))
                    state = app.state
                    assert (state.build.text, state.ask.text, state.submission.queue) != was
                    if isinstance(fix.edit, EditRequires):
                        assert state.ask.mask, fix.label
                    else:
                        assert state.outlook.runs_in(state.outlook.queue), fix.label
                    app.authoring.undo()
                    await pilot.done()
                    state = app.state
                    assert (state.build.text, state.ask.text, state.submission.queue) == was


async def test_the_best_fix_is_for_the_first_thing_that_is_wrong() -> None:
    async with workbench_at() as (app, pilot):
        # What keeps a job within the limits of its queue.
        await pilot.afresh(shape="node=400/slot/core=8")
        labels = [fix.label for fix in app.fixes.find(app.state)]
        assert labels == ["ask for 128 nodes, not 400"]
        await pilot.press("ctrl+f")
        assert app.state.outlook.runs_in("batch")
        await pilot.afresh(shape="slot/core")
        app.edit(TypeField("duration", "30d"))
        await pilot.done()
        best = next(iter(app.fixes.find(app.state)), None)
        assert best.label.startswith("limit it to ")
        await pilot.press("ctrl+f")
        assert app.state.outlook.runs_in("batch")
        for shape, requires, label, after in [
            ("node=4", "", "put a slot in: node=4/slot/core", ("node=4/slot/core", "")),
            ("slot=4/node", "", "write it as: node=4/slot/core", ("node=4/slot/core", "")),
            ("node=4/slot/core=2-4", "", "use the minimum: 2", ("node=4/slot/core=2", "")),
            ("", "gpu&milan", "leave out 'milan'", ("", "gpu")),
            ("slot/core", "gpus", "write 'gpu' for 'gpus'", ("slot/core", "gpu")),
        ]:
            await pilot.afresh(shape=shape, requires=requires)
            await pilot.done()
            best = next(iter(app.fixes.find(app.state)), None)
            assert best.label == label
            await pilot.press("ctrl+f")
            assert (app.state.build.text, app.state.ask.text) == after
            assert label in messages(app)[-1]
            await pilot.press("ctrl+z")
            assert (app.state.build.text, app.state.ask.text) == (shape, requires)
        # Repairs of a long jobspec are looked for when they are asked for.
        await pilot.afresh(shape="[" + ";".join(f"slot=2{{s{n}}}/node" for n in range(60)) + "]")
        assert next(iter(app.fixes.find(app.state)), None) is None
        before = app.state.build.text
        await pilot.press("ctrl+f")
        assert app.state.build.text != before
        # None throws away what is being typed.
        await pilot.afresh(shape="node=4")
        await pilot.burst("/")
        await pilot.press("ctrl+f")
        assert app.state.build.text == "node=4/"
        assert "cannot be read" in messages(app)[-1]
        await pilot.afresh(shape="slot/core")
        await pilot.press("ctrl+f")
        assert "No automatic fix available." in messages(app)[-1]


def test_an_unfinished_text_has_no_way_out() -> None:
    state = start(demo(), "node=400/slot/core")
    assert [fix.words for fix in ways_out(state)]
    assert list(ways_out(step(state, EditShape("node=400/slot/[")))) == []


@pytest.mark.parametrize(("gain", "words"), [("", "do it"), ("3 nodes", "do it: 3 nodes")])
def test_a_fix_in_words(gain: str, words: str) -> None:
    assert Fix("do it", EditShape(""), gain).words == words


@pytest.mark.parametrize(
    ("requires", "text"),
    [
        ("hots:dune001", "hosts:dune001"),
        ('{"hots":["x"]}', '{"hostlist":["x"]}'),
        ("gpu&rank:900", "gpu&rank:195"),
        ("-gpuu", "-gpu"),
    ],
)
def test_what_a_misspelt_name_may_mean_is_a_fix(requires: str, text: str) -> None:
    state = start(demo(), "node=400/slot/[core=8;gpu]", requires)
    fixes = in_order(state, ())
    assert EditRequires(text) in [fix.edit for fix in fixes]
    if not state.ask.mask or state.ask.stale:  # to ask for less would not help
        assert all(isinstance(fix.edit, EditRequires) for fix in fixes)
        assert fixes[0].edit == EditRequires(text)
