"""The screen as plain lines: all that the panes show, with a word for every sign."""

import re
from pathlib import Path

import pytest

from fluxtui import cli, workbench
from fluxtui.model.resources import document
from fluxtui.opening.clusters import open_cluster
from fluxtui.ui import plain
from fluxtui.ui.kit.linear import in_words
from fluxtui.ui.registry import ROWS
from fluxtui.workbench import Cluster, Source, State, start, step
from tests.each import for_each, the
from tests.model.topologies import APU, XEON, tree
from tests.ui.documents import document as made
from tests.ui.documents import write_document
from tests.ui.helpers import WIDE, workbench_at
from tests.ui.seen import messages
from tests.ui.seen import plain as drawn
from tests.ui.terminal import Terminal

TABS = [row.tab for row in ROWS]
SHAPE, ASK = "node=4/slot/[core=8;gpu]", "gpu&-debug"
RUNNING = Path(__file__).parents[2] / "screenshots" / "running.json"

# Beside letters and ASCII; f58 ids of jobs begin with a letter that is not ASCII.
_ALLOWED = re.compile(r"[\x20-\x7e\w]*")


def on(where: str, shape: str = "", requires: str = "", *edits: workbench.Edit) -> State:
    cluster, _ = open_cluster(where, None)
    state = start(the(cluster), shape, requires)
    for edit in edits:
        state = step(state, edit)
    return state


STATES = {
    "a job": on("demo", SHAPE, ASK),
    "nothing": on("demo"),
    "it does not fit": on("demo", "node=200/slot/core=200", "gpu"),
    "no match": on("demo", "slot/core", "gpu -gpu"),
    "a misspelt name": on("demo", "slot/core", "gup|bigmem"),
    "unreadable": on("demo", "node=4{", "gpu&(debug|"),
    "no longer readable": on("demo", SHAPE, ASK, workbench.TypeRequires("gpu&")),
    "JSON": on("demo", "slot/core", '{"and": [{"or": [{"ranks": ["0-9"]}]}, {"not": []}]}'),
    "YAML that cannot be read": on("demo", SHAPE, "", workbench.TypeJobspec("version: [", "yaml")),
    "a queue": on("demo", SHAPE, ASK, workbench.ChooseQueue("debug")),
    "a queue that is looked at": on("demo", "", "", workbench.LookAtQueue("gpu")),
    "a queue that is off": on("demo", SHAPE, "", workbench.TurnQueue("batch", "enabled")),
    "two constraints": on(
        "demo", "", "gpu", workbench.KeepConstraint(), workbench.EditRequires("bigmem|debug")
    ),
    "a selection": on("demo", "", ASK, workbench.Select(0b1111 << 162)),
    "a running Flux": on(str(RUNNING), "node=1/slot/core", ""),
}


@for_each("name, state", STATES.items(), lambda case: case[0])
def test_there_is_a_word_for_every_sign(name: str, state: State) -> None:
    for tab in TABS:
        lines = list(plain.pane(state, tab))
        assert len(lines) > 1, tab.name
        for line in (*lines, *plain.head(state)):
            assert _ALLOWED.fullmatch(line), (tab.name, line)
            assert line.strip(), tab.name


@for_each(
    "line, words",
    [
        ("✓ V1  ✗ debug: at most 2 nodes", "yes: V1, no: debug: at most 2 nodes"),
        ("sched-simple ✓  Fluxion ✗", "sched-simple: yes, Fluxion: no"),
        ("  · the default · ≤ 8 nodes", "the default, at most 8 nodes"),
        ("  free now  ✓ 3 such jobs", "free now, yes: 3 such jobs"),
        ("  free now ✓ 3 such jobs", "free now: yes, 3 such jobs"),
        ("slot of core ×8", "slot of core times 8"),
        ("n[1-3],…", "n[1-3], and more"),
        ("queue batch → debug", "queue batch to debug"),
        ("✓ a→b", "yes: a→b"),  # the sign is part of a name
        ("  ✗", "no"),
        ("·", ""),
    ],
)
def test_signs_become_words(line: str, words: str) -> None:
    assert in_words(line) == words


def test_a_problem_has_its_place_in_words() -> None:
    head = list(plain.head(STATES["unreadable"]))
    assert "Shape: node=4{" in head
    assert any(line.startswith("error at character 7, '{': the brace") for line in head)
    assert any(line.startswith("error at character 11, '|': nothing follows") for line in head)
    tree = list(plain.tree_lines(on("demo", "node=2/slot=2/slot/core")))
    assert any("wrong: " in line for line in tree)


def test_the_map_is_ranges() -> None:
    lines = list(plain.map_lines(on("demo", "", ASK)))
    assert lines[0] == "18 of 196 nodes match: dunegpu[01-12,17-22]"
    assert lines[1].startswith("178 of 196 nodes do not match: dune-login[1-4],")
    assert next(plain.map_lines(STATES["no match"])) == "0 of 196 nodes match"
    (one,) = [line for line in plain.map_lines(on("demo", "", "rank:0")) if "1 of" in line]
    assert one == "1 of 196 nodes matches: dune-login1"
    assert list(plain.map_lines(STATES["a queue that is looked at"]))[:2] == [
        "The map shows queue gpu.",
        "24 of 196 nodes are in another queue too: dunegpu[01-24]",
    ]


def test_kinds_of_nodes_have_what_is_inside() -> None:
    parts = ("0-1", XEON, "0-119", "0-7"), ("2", APU, "0-95", "0-3")
    resources = document.read(tree(*parts))
    assert list(plain.table_lines(start(Cluster.of(Source("R"), resources)))) == [
        "2 nodes alike, n[0-1]: 120 cores, 8 gpus, 2 sockets, 8 numa domains, no properties",
        "1 node, n2: 96 cores, 4 gpus, 4 sockets, 504 GiB of memory, no properties",
    ]


def numbers(text: str) -> set[str]:
    return set(re.findall(r"[0-9](?:[0-9,]*[0-9])?", text))


async def test_the_lines_have_what_the_panes_show() -> None:
    async with workbench_at(WIDE, shape=SHAPE, requires=ASK) as (app, pilot):
        for name, part in (
            ("properties", "#properties"),
            ("queues", "#queues"),
            ("fit", "#fit"),
            ("node", "#node-details"),
            ("explain", "#constraint-tree"),
        ):
            await pilot.go(name)
            said = "\n".join(plain.PANES[name](app.state))
            shown = drawn(app, part)
            assert numbers(shown) - numbers(said) == set(), name
            words = set(re.findall(r"[a-z]{4,}", shown)) - {"remaining", "matches", "part"}
            assert words - set(re.findall(r"[a-z]{4,}", said)) == set(), name
        verdicts = set(re.findall(r"\w+", drawn(app, "#verdicts")))
        assert verdicts <= set(re.findall(r"\w+", "\n".join(plain.head(app.state))))


async def test_a_key_shows_the_pane_and_the_whole_screen_and_copies() -> None:
    async with workbench_at(WIDE, shape=SHAPE, requires=ASK) as (app, pilot):
        await pilot.go("queues")
        await pilot.do("R")  # the lines are made beside the event loop
        await pilot.do("c")
        assert app.clipboard.startswith("Details, Queues:\nbatch: takes the job;")
        assert drawn(app, "#lines-to-read").startswith(app.clipboard[:40])
        await pilot.do("a")
        assert drawn(app, "#lines-to-read").startswith("demo cluster dune (built in): 196 nodes")
        await pilot.do("p")  # a terminal that cannot be given away
        assert "no terminal to print in" in messages(app)[-1]
        await pilot.do("R")
        assert len(app.screen_stack) == 1


def test_the_lines_are_printed_in_the_terminal_and_enter_leads_back() -> None:
    with Terminal("-s", SHAPE, "-q", ASK, columns=100, rows=30) as terminal:
        terminal.wait_for("fits 30 times")
        terminal.press("\x1b", "enter change")
        terminal.press("9", "fits in batch")
        terminal.press("R", "Plain text", "yes: fits in batch")
        terminal.press("p", "-- enter goes back --", "Details, Fit:")
        terminal.press("\r", "Plain text")
        terminal.press("\x1b", "Requires")
        terminal.quit()


@pytest.mark.usefixtures("here")
def test_the_command_line_prints_documents_of_any_kind(capsys: pytest.CaptureFixture[str]) -> None:
    write_document(Path("R.json"), made(4))
    Path("job.sh").write_text("#!/bin/sh\n#SBATCH -N2 -n4 --mem=4G\nsrun app\n")
    Path("q.toml").write_text("[queues.night]\n")
    Path("talk.yaml").write_text("steps:\n- {title: All, constraint: ''}\n")
    for files, first in (
        (["job.sh", "R.json", "q.toml"], "R.json: 4 nodes"),
        (["q.toml", "R.json", "job.sh"], "R.json: 4 nodes"),
        (["-r", "demo", "R.json", "job.sh"], "demo cluster dune"),
    ):
        assert cli.run(["--plain", *files]) == 0
        out, err = capsys.readouterr()
        assert out.startswith(first)
        assert "Shape: node=2/slot=2/core\n" in out
        assert ("night" in out) == (files[-1] == "q.toml")
        assert out.index("flux batch -N2") < out.index("flux submit -N2")
        assert "memory is left out" in err
    for file in ("talk.yaml", "missing.sh"):
        assert cli.run(["--plain", file]) != 0
        assert file in capsys.readouterr().err


def test_the_command_line_prints_the_whole_screen(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["--plain", "-s", SHAPE, "-q", ASK]) == 0
    out, err = capsys.readouterr()
    assert not err
    said = out.splitlines()
    assert said[:5] == list(plain.head(STATES["a job"]))[:5]
    assert [line for line in said if line.endswith(":") and ", " in line] == [
        line for tab in TABS for line in list(plain.pane(STATES["nothing"], tab))[:1]
    ]
    assert cli.run(["--plain", "-r", "missing.json"]) == 1
    assert "missing.json" in capsys.readouterr().err
    assert cli.run(["--plain", "--stage", "x"]) == 2
    for theme, problems in (("nosuch", 1), ("paper", 0), ("nord", 0)):
        capsys.readouterr()
        assert cli.run(["--plain", "--theme", theme]) == 0
        assert capsys.readouterr().err.count("there is no theme nosuch") == problems
