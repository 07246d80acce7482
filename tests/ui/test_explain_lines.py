"""What is said of a constraint, without an app: the answer, the tree, the view as text."""

import itertools

import pytest
from rich.cells import cell_len

from fluxtui import workbench
from fluxtui.answers.explain.explanation import explain
from fluxtui.answers.matching import match
from fluxtui.model.constraint import requires as notation
from fluxtui.ui.constraint.explain_lines import Listing, Parts, Question, listing
from fluxtui.ui.constraint.explanations import Explanations, advise, examples, within
from fluxtui.ui.constraint.view_text import view_text
from fluxtui.ui.kit.palette import Palette
from fluxtui.workbench import ChooseQueue, Cluster, Select, State, TypeRequires, step
from tests.ui.documents import cluster, demo
from tests.ui.seen import lacking

MASKS = demo().resources.properties
GPU_NODE, DEBUG_NODE = 170, 178  # both in gpu, the second in debug
ROLES = ("foreground", "role-match", "role-faint", "role-problem", "role-quiet")
STYLE = Palette.of({role: f"#{number:06x}" for number, role in enumerate(ROLES, 100)})


def stated(text: str, on: Cluster | None = None, shape: str = "") -> State:
    """A state after a constraint was typed, or one after the other where line feeds part them."""
    first, *more = text.split("\n")
    state = workbench.start(on or demo(), shape, first)
    for one in more:
        state = step(state, TypeRequires(one))
    return state


def explained(
    state: State,
    node: int | None = None,
    width: int = 0,
    part: int | None = None,
    typing: bool = False,
) -> Listing:
    """The lines about a constraint, with all changes to it, one operand selected."""
    explanation = Explanations(None, lambda: None).explain(state)  # type: ignore[arg-type]
    advice = choices = None
    if explanation is not None and not state.ask.stale:
        advice = advise(explanation, within(state))
        choices = [change.sentence for change in advice.changes]
    parts = Parts(explanation, "" if part is None else explanation.root.parts[part].path)
    question = Question(state, parts, node, advice, choices or (), typing)
    return listing(question, STYLE, width)


def lines(state: State, *args: object, **named: object) -> list[str]:
    return [line.plain for line in explained(state, *args, **named).lines]  # type: ignore[arg-type]


def tree_of(found: Listing) -> list[str]:
    return [line.plain for line in found.lines[found.top : found.top + found.parts]]


def test_each_part_has_the_nodes_that_it_matches_and_those_that_remain() -> None:
    found = explained(stated("(gpu|bigmem)&batch&login"))
    gpu, bigmem, batch, login = (MASKS[name] for name in ("gpu", "bigmem", "batch", "login"))
    either = gpu | bigmem
    rows = [row[1:].split() for row in tree_of(found)]
    assert [row[:2] for row in rows] == [
        ["0", "0"],
        [str(either.bit_count())] * 2,
        [str(gpu.bit_count()), f"+{gpu.bit_count()}"],
        [str(bigmem.bit_count()), f"+{(bigmem & ~gpu).bit_count()}"],
        [str(batch.bit_count()), str((either & batch).bit_count())],
        [str(login.bit_count()), "0"],
    ]
    assert ["∅" in row for row in rows] == [False] * 5 + [True]
    titles = found.lines[found.top - 1].plain
    assert titles.split() == ["matches", "remaining"]
    for row in tree_of(found):  # the numbers are right-aligned below their titles
        first = titles.index("matches") + len("matches")
        second = titles.index("remaining") + len("remaining")
        assert row[first - 1].isdigit()
        assert row[first] == " "
        assert row[second - 1].isdigit()
        assert row[second] == " "


@pytest.mark.parametrize(
    ("text", "shape", "answer"),
    [
        ("gpu&login", "", "✗ No node matches: 'login' rules out the last 24 nodes"),
        ("rank:7&login", "", "✗ No node matches: 'login' rules out the last node"),
        ("gpu&(debug|login)&login", "", "✗ No node matches: 'login' rules out the last 6 nodes"),
        ("nosuch", "", "✗ No node matches 'nosuch'"),
        ("login", "node=1/slot/core", "✗ 4 nodes match, but none in queue batch"),
        ("rank:0", "node=1/slot/core", "✗ 1 node matches, but none in queue batch"),
    ],
)
def test_the_first_line_says_why_nothing_matches(text: str, shape: str, answer: str) -> None:
    assert lines(stated(text, shape=shape))[0] == answer


def test_changes_are_numbered_and_their_rows_are_known() -> None:
    for width in (0, 70, 20):
        found = explained(stated("gpu&login"), width=width)
        by_choice = {
            choice: " ".join(found.lines[row].plain.strip() for row in rows)
            for choice, rows in itertools.groupby(found.choices, found.choices.__getitem__)
        }
        assert by_choice == {0: "1 leave out 'login': 24 nodes", 1: "2 leave out 'gpu': 4 nodes"}
    # Of a constraint that matches, only wrong names.
    assert "1 write 'bigmem' for 'bigmen': 32 nodes" in lines(stated("gpu|bigmen"))
    assert not explained(stated("gpu|bigmem")).choices
    # Nothing helps.
    on = cluster(6, {"a": "0,1", "b": "2,3", "c": "4,5"})
    assert any("no change of one or two" in s for s in lines(stated("a&b&c&-a&-b&-c", on)))


def test_a_node_is_in_or_out_and_why() -> None:
    state = stated("gpu&-debug")
    out, let_in = explained(state, DEBUG_NODE), explained(state, GPU_NODE)
    host = state.cluster.resources.host(DEBUG_NODE)
    assert out.lines[0].plain == f"✗ {host} does not match: it is in debug"
    assert host in out.lines[out.top - 1].plain
    assert [row[0] for row in tree_of(out)] == ["✗", "✓", "✗"]
    assert [row[0] for row in tree_of(let_in)] == ["✓", "✓", "✓"]
    decides = [line.spans[0].style for line in out.lines[out.top :][:3]]
    assert decides[2] == STYLE.problem  # what keeps it out stands out


def test_what_keeps_sets_of_nodes_out() -> None:
    state = stated("gpu&batch")
    gpu, batch, bigmem = MASKS["gpu"], MASKS["batch"], MASKS["bigmem"]
    assert f"· all {gpu.bit_count()} gpu nodes match" in lines(state, part=0)
    count = (batch & ~gpu).bit_count()
    sentence = f"{count} of {batch.bit_count()} batch nodes are out because they are not in gpu"
    assert f"· {sentence}" in lines(state, part=1)
    selected = step(state, Select(bigmem))
    sentence = f"all {bigmem.bit_count()} bigmem nodes are out because they are not in gpu"
    assert f"· {sentence}" in lines(selected)


def test_what_is_odd_is_marked_and_said() -> None:
    found = explained(stated("gpu&batch&gpu"))
    assert [row.count("!") for row in tree_of(found)] == [0, 0, 1, 1]
    assert "! 'gpu' appears twice; once is enough" in [line.plain for line in found.lines]
    assert any(line.startswith("! ") for line in lines(stated("gpu|batch bigmem")))


def test_the_queue_of_the_job_has_lines_below_the_tree() -> None:
    state = step(stated("gpu|debug"), ChooseQueue("debug"))
    found = explained(state, GPU_NODE)
    queue, both = [line.plain.split() for line in found.lines[found.top + found.parts :]][:2]
    covered = state.cluster.covered("debug")
    assert queue == ["✗", str(covered.bit_count()), "in", "queue", "debug"]
    matching = covered & (MASKS["gpu"] | MASKS["debug"])
    assert both == ["✗", str(matching.bit_count()), "both"]
    assert explained(step(stated(""), ChooseQueue("debug"))).parts == 0


def test_problems_come_before_the_tree_of_the_text_before() -> None:
    alone = lines(stated("!gpu&host:n[1-"))
    assert "✗ write '-gpu' for nodes without it; '!gpu' is a property name here" in alone
    assert any(line.startswith("✗ the bracket '[' is not closed") for line in alone)
    assert any("expected ']'" in line for line in alone)
    both = explained(stated("gpu\ngpu&!debug"))
    assert "write '-debug' for nodes without it" in both.lines[0].plain
    assert [row.split()[-1] for row in tree_of(both)] == ["gpu"]
    assert not both.choices
    # What is merely unfinished moves no tree while one types.
    unfinished = stated("gpu\ngpu&")
    assert any("nothing follows '&'" in line for line in lines(unfinished))
    assert not any("nothing follows" in line for line in lines(unfinished, typing=True))
    assert any("nothing follows" in line for line in lines(stated("gpu&"), typing=True))


def test_without_a_constraint_there_is_something_to_try() -> None:
    state = stated("")
    question = Question(state, Parts(), choices=("gpu  24 nodes", "gpu&-debug  14 nodes"))
    found = listing(question, STYLE, 0)
    assert [line.plain for line in found.lines] == [
        "· Empty matches all 196 nodes. Try one of these:",
        "1 gpu  24 nodes",
        "2 gpu&-debug  14 nodes",
    ]
    assert found.choices == {1: 0, 2: 1}
    assert lines(state) == ["· Empty matches all 196 nodes."]


@pytest.mark.parametrize(
    "on",
    [
        demo(),
        cluster(9, {"a": "0-3", "b": "2", "or": "1"}),
        cluster(9, {"all": "0-8", "none": ""}),
        cluster(1),
        cluster(0),
        cluster(1_000_000, {"half": "0-499999", "some": "499990-500009"}),
    ],
)
def test_examples_match_what_they_say(on: Cluster) -> None:
    found = examples(on.resources)
    assert len(found) == min(3, max(on.resources.node_count, 0)) or on.resources.node_count in (
        1,
        9,
    )
    for text, count in found:
        reading = notation.read(text)
        assert reading.ok
        assert reading.constraint is not None
        assert match(reading.constraint, on.resources).bit_count() == count > 0


def test_no_line_is_wider_than_the_view_and_guides_are_cut_first() -> None:
    deep = "a"
    for number in range(14):
        deep = f"z{number} ({deep}|y)"
    for text in (deep, "gpu&login", "gpu&batch&gpu&(nosuch|gqu)", "host:dune[001-099]&login"):
        for width in (30, 48, 76):
            found = explained(stated(text), GPU_NODE, width)
            head = [*found.lines[: found.top - 1], *found.lines[found.top + found.parts :]]
            assert max(cell_len(line.plain) for line in head) <= width
    found = explained(stated(deep), width=48)
    assert max(map(len, tree_of(found))) <= 48
    assert any("…" in row for row in tree_of(found))
    assert tree_of(found)[-1].endswith("y")
    assert found.lines[found.top - 1].plain.split() == ["matches", "remaining"]
    assert explained(stated(deep), width=40).lines[0].plain.split() != []


def test_what_remains_of_the_whole_stands_out() -> None:
    found = explained(stated("(gpu|bigmem)&not (debug|ssd&batch)"))
    at = found.lines[found.top - 1].plain.index("remaining") + len("remaining") - 1

    def look(row: int) -> object:
        spans = found.lines[found.top + row].spans
        return next(s.style for s in spans if s.start <= at < s.end)

    looks = [look(row) for row in range(found.parts)]
    assert looks[:2] == [STYLE.match] * 2
    assert looks[2:4] == [STYLE.plain] * 2
    assert looks[4] == STYLE.match
    assert set(looks[5:]) == {STYLE.faint}


def test_an_explanation_is_kept_until_the_constraint_or_the_cluster_is_another() -> None:
    explanations = Explanations(None, lambda: None)  # type: ignore[arg-type]
    state = stated("gpu")
    found = explanations.explain(state)
    assert found is explanations.explain(step(state, Select(1)))
    assert found is explanations.explain(step(state, TypeRequires("gpu&(")))
    assert found is not explanations.explain(step(state, TypeRequires("gpu ")))
    assert explanations.explain(step(state, TypeRequires(""))) is None
    assert explain(state.ask.requires, state.cluster.resources) is not None


GPU = """\
GPUs, not for debugging

Two lines
of a note.

query       gpu&-debug
JSON        {"and": [{"properties": ["gpu"]}, {"not": [{"properties":
            ["debug"]}]}]}

matches     18 of 196 nodes (demo cluster dune (built in))
with        1,344 cores, 120 gpus
hosts       dunegpu[01-12,17-22]
ranks       164-175,180-185

  matches  remaining
       18         18  and
       24         24  ├ gpu
      174         18  └ not debug
"""


def test_the_view_as_text() -> None:
    state = stated("gpu&-debug")
    assert view_text(state, "GPUs, not for debugging", "Two lines\nof a note.\n") == GPU
    assert "of them are in debug" in view_text(step(stated("gpu"), ChooseQueue("debug")))
    assert "matches" not in view_text(stated("gpu\ngpu &&"))  # what is wrong has no answer
    # What a terminal would obey is shown.
    found = view_text(stated("gpu"), "a\x1b[31mb", "c\x07\n\x9bd")
    assert found.startswith("a\\x1b[31mb\n\nc\\x07\n\\x9bd\n")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('{"or": [{"properties": ["gpu"]}]}', ["query       gpu", 'JSON        {"or": [']),
        ('{"not": []}', ["query       (no query can express this)", "matches     0 of 196 nodes"]),
        ("{}", ["query       (none: all nodes)", "JSON        {}"]),
        ("", ["constraint  (none: all nodes)", "matches     196 of 196 nodes"]),
        ("gpu &&& (", ["constraint  gpu &&& (", "problem     expected a term before '&'"]),
        ("ssd|huge", ["note        no node has property 'huge'", "  └ huge   adds 0"]),
        ("gpu&-gpu", ["  └ not gpu   nothing is left"]),
    ],
)
def test_what_the_text_says(text: str, lines: list[str]) -> None:
    assert not lacking(view_text(stated(text)), *lines)


@pytest.mark.parametrize("text", ["rank:" + ",".join(map(str, range(0, 190, 2))), "x" * 400])
def test_no_line_is_wider_than_80_columns(text: str) -> None:
    on = cluster(200, {"x" * 400: "0-99"}, hosts=",".join(f"{'h' * 90}{n}" for n in range(200)))
    found = view_text(workbench.start(on, "", text), "t" * 200, "日本" * 100)
    assert max(map(cell_len, found.splitlines())) <= 80
