"""The verdicts on a job in one line and as a list; the fixes, one list wherever it is shown."""

import re
import tomllib

from rich.cells import cell_len

from fluxtui.model.documents.document import dump
from fluxtui.model.jobspec import jobspec
from fluxtui.model.queues import read_config
from fluxtui.ui.job.fixes import in_order, repairs, ways_out
from fluxtui.ui.job.verdicts import FIX, PANE, VERDICTS, Fix, verdict_line
from fluxtui.ui.job.verdicts_dialog import VerdictsDialog, verdict_lines
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.live import submit
from fluxtui.workbench import (
    ChooseQueue,
    Cluster,
    Edit,
    EditRequires,
    EditShape,
    OpenJob,
    Source,
    State,
    TypeField,
    TypeJobspec,
    TypeShape,
    start,
    step,
)
from tests.each import for_each
from tests.ui.documents import cluster, demo, xeons
from tests.ui.helpers import SHAPE, Hands, workbench_at
from tests.ui.seen import lacking, messages, plain, row_of, screen_text, tree_labels

STYLE = Palette.of({"role-problem": "#ff0000", "role-faint": "#444444"})


def line(state: State, width: int = 200, fixes: tuple[Fix, ...] | None = None) -> str:
    found = tuple(ways_out(state)) if fixes is None else fixes
    return verdict_line(state, found, width, STYLE).plain


@for_each(
    "shape, requires, edit, says",
    [
        ("", "", None, ""),
        ("", "gpu", None, ""),
        ("", "gpu&nosuch", None, "✗ no node matches"),
        (SHAPE, "gpu&-debug", None, "✓ V1  ✓ fits 30 times  ✓ batch  ✗ debug: no match  ✓ gpu  "),
        (SHAPE, "gpu&-debug", None, "✓ long   on dunegpu[17-20]"),
        ("node=10/slot/core", "", None, "✗ debug: 10 nodes, at most 8"),
        ("node=4", "", None, "✗ RFC 14: the resources hold no slot, so no task can run"),
        ("slot=4/node", "", None, "✗ not V1: "),
        ("node=4/slot/core=2-4", "", None, "✗ not V1: core: V1 counts are single integers"),
        ("node=400/slot/core", "gpu", None, "✗ does not fit in batch: needs 400 nodes; 24 of 196"),
        ("node=400/slot/core", "gpu", None, "   ctrl+f ask for 24 nodes, not 400"),
        ("node=x", "", None, "✗ shape  ? V1"),
        ("node=4/[", "gpu&", None, "✗ shape  ✗ constraint  ? V1"),
        (SHAPE, "gpu&", None, "✗ constraint"),
        ("", "hots:dune001", None, "✗ constraint"),
        ("node=10/slot/core", "", ChooseQueue("debug"), "✗ queue debug: "),
        ("node=10/slot/core", "", ChooseQueue("nosuch"), "✗ refused: "),
        ("slot/core", "", TypeField("duration", "2 parsecs"), "✗ Duration '2 parsecs'"),
        ("slot/core", "", TypeJobspec("foo: [", "yaml"), "✗ YAML: "),
    ],
)
def test_the_line(shape: str, requires: str, edit: Edit | None, says: str) -> None:
    state = start(demo(), shape, requires)
    said = line(state if edit is None else step(state, edit))
    assert says in said
    assert bool(said) == bool(says)
    assert said.count("✗") <= 1 or said.startswith("✓") or "constraint" in said
    assert said.startswith(says) or edit is None
    assert edit is None or "fits" not in said.split("ctrl+f")[0]


def test_the_line_of_other_states() -> None:
    # Where there is little room the numbers stay.
    little = line(start(demo(), "node=400/slot/core", "gpu"), 78)
    assert little.startswith("✗ needs 400 nodes; 24 of 196")
    assert "ctrl+f ask for 24 nodes" in little
    state = start(xeons(), "slot=8/[core=16;gpu]")
    said = line(state, 78, in_order(state, ()))
    assert said == "✓ V1  ✓ fits 14 times  ! gpus apart   ctrl+f ask for 15 cores, not 16"
    for shape in ("slot/socket=2{x}", "slot/nma{x}", "slot/socket/core=4"):
        state = start(xeons(), shape)
        assert "…" not in line(state, 78, in_order(state, ()))
    # An unfinished text leaves the verdicts of the one before, faint.
    old = step(start(demo(), SHAPE), EditShape(f"{SHAPE}/"))
    shown = verdict_line(old, (), 200, STYLE)
    faint = [shown.plain[s.start : s.end] for s in shown.spans if s.style == STYLE.faint]
    assert any(words.startswith("✓ fits") for words in faint)
    # Of many reasons one is said, and how many more there are.
    unknown = ";".join(f"foo{number}" for number in range(40))
    assert "and 39 more" in line(start(cluster(4), f"slot/[{unknown}]"), 300)


@for_each(
    "shape, says, fixes",
    [
        ("slot/numa{x}", "! not V1: TreePool gives a whole numa, Fluxion does not  ✓ fits 128", {}),
        ("slot/nma{x}", "✗ does not fit: no nma inside nodes, but numa, socket",
         {"ask for a whole numa, not nma": "slot/numa{x}"}),
        ("slot=129/numa{x}", "✗ does not fit: needs 129 slots of a whole numa",
         {"ask for 128 slots, not 129": "slot=128/numa{x}"}),
        ("slot/numa", "✗ does not fit: a slot gets cores and gpus, or one numa{x}",
         {"ask for a whole numa": "slot/numa{x}"}),
        ("slot/socket/core=4", "✗ does not fit: a slot gets cores and gpus, or one socket{x}",
         {"ask for 4 cores": "slot/core=4"}),
        ("node=3/slot=3/core=40", "✗ never starts: needs 3 slots on one node, each of 40 cores",
         {"ask for 30 cores, not 40": "node=3/slot=3/core=30"}),
        ("slot=8/[core=16;gpu]", "✓ V1  ✓ fits 14 times  ! gpus apart from their cores",
         {"ask for 15 cores, not 16: each slot in one numa; 8 slots on each node, not 7; "
          "needs 1 node, not 2": "slot=8/[core=15;gpu]",
          "ask for a whole numa, of 15 cores and 1 gpu: each slot in one numa; 8 slots on each "
          "node, not 7; needs 1 node, not 2": "slot=8/numa{x}"}),
        ("slot/[core=61;gpu=5]", "✓ V1  ✓ fits 16 times  ! gpus apart from their cores", {}),
        ("slot=8/[core=15;gpu]", "✓ V1  ✓ fits 16 times   on n0", {}),
        ("slot/socket=2{x}", "✗ does not fit: a slot gets one whole socket",
         {"ask for 2 slots of a whole socket": "slot=2/socket{x}"}),
        ("numa{x}", "✗ RFC 14: the resources hold no slot",
         {"put a slot around all of it": "slot/numa{x}"}),
    ],
)  # fmt: skip
def test_where_it_is_known_what_nodes_have_inside(
    shape: str, says: str, fixes: dict[str, str]
) -> None:
    state = start(xeons(), shape)
    found = in_order(state, tuple(repairs(state)))
    assert line(state, fixes=found).startswith(says)
    texts = {fix.words: step(state, fix.edit).build.text for fix in found}
    # There are no others but those of a job that RFC 14 refuses.
    assert dict(list(texts.items())[: len(fixes)]) == fixes
    assert len(texts) == len(fixes) or "RFC 14" in says


def test_where_flux_counts_a_whole_domain_is_asked_for_by_its_cores() -> None:
    queues = "[queues.debug]\n[queues.batch]\n[policy.jobspec.defaults.system]\nqueue = 'batch'"
    config = read_config(tomllib.loads(queues))
    state = start(xeons(config), "slot=2/numa{x}")
    assert line(state).startswith("✗ queue batch: Flux counts slots by their cores")
    (fix,) = ways_out(state)
    assert fix.words == "ask for 15 cores and 1 gpu"
    state = step(state, fix.edit)
    assert state.build.text == "slot=2/[core=15;gpu]"
    assert line(state).startswith("✓ V1  ✓ fits 64 times  ✓ batch")
    # What would be refused is not offered, and no other queue where it would never start.
    (fix,) = ways_out(start(xeons(config), "node=3/slot=3/core=40"))
    assert fix.words == "ask for 30 cores, not 40"
    apart = start(xeons(config), "slot/[core=16;gpu]")
    texts = [step(apart, fix.edit).build.text for fix in in_order(apart, ())]
    assert texts == ["slot/[core=15;gpu]"]


async def test_a_job_for_a_whole_domain_has_nothing_wrong() -> None:
    async with workbench_at(on=xeons(), shape="slot/numa{x}") as (app, pilot):
        assert not any("✗" in label for label in tree_labels(app))
        said = listed(app.state)
        assert "! V1  not kept: TreePool gives a whole numa, Fluxion does not" in said
        assert said.count("✗") == said.count("Fluxion ✗") == 1
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


def listed(state: State) -> str:
    _, _, *lines = verdict_lines(state, (), STYLE)  # behind the fixes
    return "\n".join(one.plain for one in lines)


def test_the_list() -> None:
    well = listed(start(demo(), "node=2/slot/core=4"))
    for name in ("RFC 46  ", "RFC 14  ", "V1  ", "flux-core  ", "queue batch", "fits in batch"):
        assert f"✓ {name}" in well
    assert "✗" not in well
    # What a queue says, with the words of Flux.
    refused = listed(step(start(demo(), "node=100/slot/core=4"), ChooseQueue("bigmem")))
    assert "✗ queue bigmem" in refused
    assert "Flux says: " in refused
    # Nothing is judged while the shape cannot be read.
    for state in (start(demo(), BROKEN), step(start(demo(), BROKEN), TypeJobspec("a: [", "yaml"))):
        said = listed(state)
        assert "RFC 46" in said
        for name in ("RFC 14", "V1", "flux-core"):
            assert f"? {name}  unknown while the shape cannot be read" in said
    assert said.startswith("✗ YAML")
    # A field that cannot be read is named.
    said = listed(step(start(demo(), "slot/core"), TypeField("duration", "2 hours")))
    assert not lacking(said, "Duration '2 hours' cannot be read", "expected 2h")
    # A text that cannot be read comes first, and all else is about the one before.
    document = {**jobspec.build([{"type": "core", "count": 2}]), "odd": 1}
    text = dump(document)
    state = start(demo())
    state = step(state, OpenJob("core=2", "", None, state.job))
    state = step(step(state, TypeJobspec(text, "yaml")), TypeJobspec("foo: [\n" + text, "yaml"))
    said = listed(state)
    assert said.index("not YAML") < said.index("RFC 46") < said.index("of the last text")
    assert re.search(r"line \d+  not YAML", said)


async def opened(pilot: Hands) -> VerdictsDialog:
    await pilot.press("ctrl+l")
    screen = pilot.app.screen
    assert isinstance(screen, VerdictsDialog)
    return screen


def numbers(dialog: VerdictsDialog) -> list[str]:
    return re.findall(r"^  (\d) ", dialog.listed.plain, re.MULTILINE)


async def test_the_list_and_the_line_lead_to_fixes() -> None:
    async with workbench_at(shape="node=4/slot/core=2-4") as (app, pilot):

        def text() -> str:
            return app.state.build.text

        dialog = await opened(pilot)
        assert numbers(dialog) == ["1", "2"]
        await pilot.press("2")
        assert text() == "node=4/slot/core=4"
        assert "Nothing is wrong with this job." in dialog.listed.plain
        minimum, undone = "node=4/slot/core=2", "node=4/slot/core=2-4"
        goes = (("ctrl+z", undone), ("enter", minimum), ("ctrl+z", undone), ("ctrl+f", minimum))
        await pilot.steps(text, *goes, ("ctrl+z", undone))
        assert await pilot.click("#verdict-list", offset=(6, 1))
        assert text() == "node=4/slot/core=4"
        await pilot.press("escape")
        assert len(app.screen_stack) == 1
        # Nothing is fixed that would throw away what is typed.
        await pilot.afresh(shape=BROKEN)
        dialog = await opened(pilot)
        assert numbers(dialog) == []
        assert "No automatic fix available." in dialog.listed.plain
        await pilot.press("enter")
        assert text() == BROKEN
        # The list is asked for amid typing.
        await pilot.afresh(shape="node=4")
        for _ in range(3):
            await pilot.burst("/", "ctrl+l", "t", "escape")
        await pilot.burst("/", "ctrl+l", "t")
        assert isinstance(app.screen, VerdictsDialog)
        await pilot.edit(EditShape("node=4/slot/core"))
        assert "Nothing is wrong with this job." in plain(app, "#verdict-list")
        # The line is clicked.
        await pilot.afresh(shape="node=400/slot/core", requires="gpu")
        row = row_of(app, "#verdicts")
        assert await pilot.click("#verdicts", offset=(row.index("does not"), 0))
        assert app.focused_pane is app.panes["fit"]
        assert await pilot.click("#verdicts", offset=(row.index("ask for"), 0))
        assert text() == "node=24/slot/core"
        assert plain(app, "#verdicts").startswith("✓ V1  ✓ fits 64 times")


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


@for_each(
    "limit, fixes",
    [
        ("max.nnodes = 1", ["ask for 1 node, not 2"]),
        ("min.nnodes = 3", ["ask for 3 nodes, not 2"]),
        ("min.nnodes = 999", []),  # which nobody has
    ],
)
def test_the_nearest_count_within_a_limit_is_a_fix(limit: str, fixes: list[str]) -> None:
    table = tomllib.loads(f"[policy.limits]\njob-size.{limit}\n")
    limited = Cluster.of(Source("n"), demo().resources, read_config(table))
    found = ways_out(step(start(cluster=limited), TypeShape("node=2/slot/core")))
    assert [fix.words for fix in found] == fixes


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


@for_each(
    "requires, text",
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
