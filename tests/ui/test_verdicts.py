"""The verdicts on a job, of its queues too; the fixes, one list wherever it is shown."""

import re
from dataclasses import replace

from rich.cells import cell_len

from fluxtui.model import queues as configured
from fluxtui.model.queues import Status
from fluxtui.ui.job.fit import VerdictsDialog
from fluxtui.ui.job.queues import details, queue_lines, what_ifs
from fluxtui.ui.job.verdicts import FIX, PANE, VERDICTS, verdict_line
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.live import submit
from fluxtui.workbench import (
    ChooseQueue,
    Cluster,
    EditRequires,
    EditShape,
    Fix,
    Source,
    TurnQueue,
    start,
    step,
)
from tests.each import for_each
from tests.ui.documents import cluster, demo, xeons
from tests.ui.helpers import SHAPE, Hands, workbench_at
from tests.ui.seen import plain, screen_text, tree_labels

STYLE = Palette.of({"role-problem": "#ff0000", "role-faint": "#444444"})


def test_an_unfinished_text_leaves_the_verdicts_of_the_one_before_faint() -> None:
    old = step(start(demo(), SHAPE), EditShape(f"{SHAPE}/"))
    shown = verdict_line(old, (), 200, STYLE)
    faint = [shown.plain[s.start : s.end] for s in shown.spans if s.style == STYLE.faint]
    assert any(words.startswith("? fits") for words in faint)


async def test_a_job_for_a_whole_domain_has_nothing_wrong() -> None:
    async with workbench_at(on=xeons(), shape="slot/numa{x}") as (app, pilot):
        assert not any("✗" in label for label in tree_labels(app))
        assert submit.why_not(app.state) is None
        # What never starts is marked.
        await pilot.afresh(on=xeons(), shape="node=3/slot=3/core=40")
        assert any("✗" in label for label in tree_labels(app))


@for_each("shape", ["node=400/slot/core", "node=4", SHAPE, "", "slot=4/node"])
def test_the_line_has_the_room_there_is_and_leads_on(shape: str) -> None:
    state = start(demo(), shape, "gpu")
    fixes = (Fix("ask for something else that is long to say", EditShape("")),)
    for width in (20, 40, 60, 80, 120, 200):
        for found in ((), fixes):
            text = verdict_line(state, found, width, STYLE)
            assert text.cell_len == cell_len(text.plain) <= width or not found
            assert not found or "ctrl+f" in text.plain
    text = verdict_line(state, fixes, 200, STYLE)
    actions = {
        text.plain[span.start : span.end].strip(): span.style.meta["@click"]
        for span in text.spans
        if not isinstance(span.style, str) and span.style.meta
    }
    assert actions.pop(next(words for words in actions if words.startswith("ctrl+f"))) == FIX
    for words, action in actions.items():
        wanted = PANE.format("queues")
        if re.match(r". (fits|does not fit)|on ", words):
            wanted = PANE.format("fit")
        elif re.match(r". (not V1|V1|RFC)", words):
            wanted = VERDICTS
        elif words.startswith("✗ no node"):
            wanted = PANE.format("explain")
        assert action == wanted, words


# The list

BROKEN = "slot=4/[core=2;gpu=1]/core"


async def opened(pilot: Hands) -> VerdictsDialog:
    await pilot.press("ctrl+l")
    screen = pilot.app.screen
    assert isinstance(screen, VerdictsDialog)
    return screen


async def test_keys_bring_all_of_the_list_in_sight() -> None:
    async with workbench_at((50, 12), shape="node=9000/slot/core=2-4") as (app, pilot):
        dialog = await opened(pilot)
        box = app.screen.query_one("#box").content_region
        assert box.contains_region(dialog.listed.region)
        together = screen_text(app)
        assert "use the minimum: 2" in together
        for _ in range(40):
            await pilot.press("down")
            together += screen_text(app)
        assert all(name in together for name in ("RFC 46", "flux-core", "queue batch", "fit"))
        await pilot.press("home")
        await pilot.until(lambda: "use the minimum: 2" in screen_text(app))


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

        def now() -> tuple[str, str, str | None]:
            state = app.state
            return state.build.text, state.ask.text, state.submission.queue

        for shape, requires, fixes in WRONG:
            await pilot.afresh(shape=shape, requires=requires)
            assert [one.words for one in app.fixes.find(app.state)] == fixes
            await pilot.go("fit")
            assert numbered(re.sub(r"\n    +", " ", app.panes["fit"].view.plain)) == fixes
            await pilot.go("explain")
            head = plain(app, "#constraint-tree").partition("\n  match")[0]
            assert numbered(head.replace("\n  ", " ")) == (fixes if requires else EXAMPLES)
            dialog = await opened(pilot)
            await pilot.press("end")
            told = re.sub(r"\n     +", " ", dialog.listed.plain.split("\n\n")[0])
            assert numbered(told) == fixes
            await pilot.press("escape")
            was = now()
            for number, fix in enumerate(app.fixes.find(app.state), 1):
                ways = ([str(number)], ["ctrl+l", "end", str(number), "escape"], ["ctrl+f"])
                for keys in ways[: 3 if number == 1 else 2]:
                    await pilot.go("fit")
                    await pilot.do(*keys)
                    state = app.state
                    assert now() != was
                    if isinstance(fix.edit, EditRequires):
                        assert state.ask.mask, fix.label
                    else:
                        assert state.outlook.runs_in(state.outlook.queue), fix.label
                    app.authoring.undo()
                    await pilot.done()
                    assert now() == was


async def test_repairs_of_a_long_jobspec_are_looked_for_when_they_are_asked_for() -> None:
    shape = "[" + ";".join(f"slot=2{{s{n}}}/node" for n in range(60)) + "]"
    async with workbench_at(shape=shape) as (app, pilot):
        assert next(iter(app.fixes.find(app.state)), None) is None
        await pilot.press("ctrl+f")
        assert app.state.build.text != shape


# The queues


def test_the_queue_without_a_name_answers() -> None:
    config = configured.read_config({"policy": {"limits": {"job-size": {"max": {"nnodes": 2}}}}})
    on = Cluster.of(Source("test"), cluster(4).resources, config)
    (line,) = queue_lines(start(on, "node=3/slot/core"), STYLE)
    assert line.plain.startswith("  ✗ (no name)")
    assert "3 nodes, at most 2" in line.plain


def test_a_queue_that_is_closed_may_be_taken_to_be_open() -> None:
    state, config = start(demo(), "node=2/slot/core"), demo().config
    closed = {"debug": Status(enabled=False, disable_reason="maintenance")}
    state = replace(state, submission=replace(state.submission, statuses=closed))
    assert what_ifs(state, config) == {}
    opened = step(state, TurnQueue("debug", "enabled"))
    assert what_ifs(opened, config) == {"debug": "enabled"}
    queue = next(queue for queue in config.queues if queue.name == "debug")
    assert "what if enabled" in details(opened, config, queue, STYLE)[0].plain
    assert what_ifs(step(opened, TurnQueue("debug", "enabled")), config) == {}


async def test_a_queue_that_is_not_there_is_refused_and_can_be_left() -> None:
    async with workbench_at(shape=SHAPE) as (app, pilot):
        await pilot.edit(ChooseQueue("nosuch"))
        assert "✗ refused" in plain(app, "#verdicts")
        assert "queue nosuch (unknown here)" in plain(app, "#title")
        commands = {command.title: command for command in app.get_system_commands(app.screen)}
        commands["Leave the queue to Flux"].callback()
        assert app.state.submission.queue is None
