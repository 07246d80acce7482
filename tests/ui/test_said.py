"""What panes say, without an app, recorded whole in ``said.txt``; and what holds of all they say.

A line asks with a kind and its arguments as JSON; what the pane says is indented below it, a blank
line as a bar.
"""

import itertools
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from rich.cells import cell_len

from fluxtui import library, workbench
from fluxtui.answers import matching
from fluxtui.answers.containment.of_graph import GraphContainment
from fluxtui.answers.containment.of_list import ListedContainment
from fluxtui.model.live import nodes
from fluxtui.model.queues import read_config
from fluxtui.notation.problem import Problem
from fluxtui.notation.sets import idset
from fluxtui.ui.constraint.explain_lines import Listing, Parts, Question, listing
from fluxtui.ui.constraint.explanations import Explanations, advise, examples, within
from fluxtui.ui.constraint.view_text import view_text
from fluxtui.ui.job.examples import preview
from fluxtui.ui.job.fit import fit_lines, verdict_lines
from fluxtui.ui.job.fixes import in_order, repairs, ways_out
from fluxtui.ui.job.verdicts import verdict_line
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.nodes.graph_lines import Lines
from fluxtui.ui.nodes.highlights import Lamps, highlights_of
from fluxtui.ui.nodes.inside import Mark, inside_lines
from fluxtui.ui.nodes.node import document_lines, kinds_of_problems, node_lines
from fluxtui.ui.nodes.open_rows import OpenRows
from fluxtui.workbench import (
    ChooseQueue,
    Cluster,
    Select,
    State,
    TypeField,
    TypeJobspec,
    TypeRequires,
    start,
    step,
)
from tests.each import for_each, the
from tests.model.topologies import APU, UNEVEN, XEON, tree, xeon
from tests.recorded import Agree, rerun
from tests.ui.documents import cluster, demo, opened, racks, xeons
from tests.ui.documents import document as r_document

FILE = Path(__file__).with_name("said.txt")
GPU_NODE = 170
ROLES = ("foreground", "role-match", "role-faint", "role-problem", "role-quiet")
STYLE = Palette.of({role: f"#{number:06x}" for number, role in enumerate(ROLES, 100)})

#: The demo cluster or the xeons, also with a configuration in TOML behind the name, or so many
#: nodes with these properties.
On: TypeAlias = str | tuple[int, dict[str, str]]


def cluster_of(on: On) -> Cluster:
    if not isinstance(on, str):
        return cluster(*on)
    name, _, config = on.partition(" ")
    found = xeons() if name == "xeons" else demo()
    if config:
        found = Cluster.of(found.source, found.resources, read_config(tomllib.loads(config)))
    return found


def stated(
    requires: str, on: On = "demo", shape: str = "", queue: str = "", select: str = ""
) -> State:
    """A state after constraints were typed, a line each, with a queue and nodes of a property."""
    first, *more = requires.split("\n")
    state = start(cluster_of(on), shape, first)
    edits: list[workbench.Edit] = [TypeRequires(one) for one in more]
    edits += [ChooseQueue(queue)] if queue else []
    edits += [Select(state.cluster.resources.properties[select])] if select else []
    for edit in edits:
        state = step(state, edit)
    return state


def explained(
    requires: str,
    node: int | None = None,
    width: int = 0,
    part: int | None = None,
    typing: bool = False,
    **more: Any,
) -> Listing:
    """The lines about a constraint, with all changes to it, one operand selected."""
    state = stated(requires, **more)
    explanation = Explanations(None, lambda: None).explain(state)  # type: ignore[arg-type]
    advice, choices = None, list[str]()
    if explanation is not None and not state.ask.stale:
        advice = advise(explanation, within(state))
        choices = [change.sentence for change in advice.changes]
    parts = Parts(explanation, "" if part is None else explanation.root.parts[part].path)
    return listing(Question(state, parts, node, advice, choices, typing), STYLE, width)


def _fit(shape: str, requires: str = "", on: On = "demo") -> Iterator[str]:
    state = start(cluster_of(on), shape, requires)
    for line in fit_lines(state, tuple(ways_out(state)), STYLE):
        yield line.plain


def previewed(id_: str) -> list[str]:
    (example,) = (one for one in library.entries() if one.id == id_)
    return [line.plain for line in preview(example, STYLE)]


#: R of nodes with topologies: a part of each, and what is in use of a cluster of them.
PARTS = tree(
    ("0", XEON, "0-7,60-74", "0,4"), ("1", XEON, "0-119", "0-7"), ("2", XEON, "0-119", "0-3,5")
)
USED = tree(("0", XEON, "0-11,60-74", "0"), ("1", XEON, "0-119", "0-7"), ("2", XEON, "0-119", ""))


def _graph(
    of: str, *paths: str, shape: str = "", requires: str = "", used: bool = False, width: int = 100
) -> Iterator[str]:
    """The lines of a graph that is opened down to some vertices; used is of a running Flux."""
    on = opened({"xeons": xeon("0-3"), "parts": PARTS, "racks": racks()}[of])
    within: GraphContainment | ListedContainment
    if on.graph is not None:
        within = GraphContainment(on.graph, on.resources)
    else:
        within = ListedContainment(on.resources, on.stretches)
    within.take(within.work_out(lambda: False))
    rows, lamps = OpenRows(within), Lamps(highlights_of(start(on, shape, requires)))
    maker = Lines(within, lamps, STYLE)
    if used:
        states, _ = nodes.read({"allocated": {"R": USED}}, None, on.resources)
        kind = on.resources.kind_at
        maker = Lines(within, lamps, STYLE, states, lambda at: states.in_use(at, kind(at)))
    rows.open(rows.at(0))
    for path in paths:
        rows.reveal(the(within.find(path, 0, 1, lambda: False)))
    for row in range(len(rows)):
        line = maker.line(rows.at(row), width, here=not row)
        assert line.cell_length == width
        yield line.text


def _job(
    shape: str, requires: str = "", on: On = "demo", field: str = "", yaml: str = "", **more: Any
) -> State:
    """A job, some field of which is typed as NAME=TEXT, or its YAML."""
    state = stated(requires, on, shape, **more)
    if field:
        state = step(state, TypeField(*field.split("=")))
    for text in yaml.split("\f") if yaml else ():
        state = step(state, TypeJobspec(text, "yaml"))
    return state


def _verdicts(*of: Any, **more: Any) -> Iterator[str]:
    """The verdicts on a job in one line, at two widths; and its fixes, with what they lead to."""
    state = _job(*of, **more)
    fixes = in_order(state, tuple(repairs(state)))
    for width in (200, 78):
        yield verdict_line(state, fixes, width, STYLE).plain
    for fix in fixes:
        after = step(state, fix.edit)
        texts = after.build.text, after.ask.text, after.submission.queue
        yield f"  {fix.words} -> {' | '.join(filter(None, texts))}"


def _list(*of: Any, **more: Any) -> list[str]:
    _, _, *lines = verdict_lines(_job(*of, **more), (), STYLE)  # behind the fixes
    return [line.plain for line in lines]


def _node(index: int, requires: str = "", **more: Any) -> list[str]:
    state = stated(requires, **more)
    explanation = Explanations(None, lambda: None).explain(state)  # type: ignore[arg-type]
    return [line.plain for line in node_lines(state, index, explanation, STYLE)]


TOPOLOGIES = {"xeon": XEON, "apu": APU, "uneven": UNEVEN}


def _inside(topology: str | dict[str, Any], cores: str, gpus: str, shape: str = "") -> list[str]:
    """What is said of the inside of a node, which is below its properties."""
    known = TOPOLOGIES[topology] if isinstance(topology, str) else topology
    state = start(opened(tree(("0", known, cores, gpus))), shape)
    lines = [line.plain for line in node_lines(state, 0, None, STYLE)]
    return lines[lines.index("no properties") + 1 :]


def _document(**more: Any) -> list[str]:
    state = start(opened(r_document(2, **more)))
    return [line.plain for line in document_lines(state, STYLE)]


KINDS: dict[str, Callable[..., Iterable[str]]] = {
    "verdicts": _verdicts,
    "list": _list,
    "node": _node,
    "inside": _inside,
    "document": _document,
    "explain": lambda *of, **more: [line.plain for line in explained(*of, **more).lines],
    "text": lambda title, note, *of, **more: view_text(stated(*of, **more), title, note).split(
        "\n"
    ),
    "fit": _fit,
    "preview": previewed,
    "graph": _graph,
}


def answer(line: str) -> Iterator[str]:
    kind, _, rest = line.partition(" ")
    arguments = json.loads(rest)
    more = arguments.pop() if isinstance(arguments[-1], dict) else {}
    return (one.rstrip() or "|" for one in KINDS[kind](*arguments, **more))


def test_panes_say_what_is_recorded(agree: Agree) -> None:
    agree(FILE, rerun(FILE, answer))


def plain(found: Listing) -> list[str]:
    return [line.plain for line in found.lines]


def test_rows_of_changes_are_known() -> None:
    """However a change is broken into lines; of a constraint that matches there are none."""
    for width in (0, 70, 20):
        found = explained("gpu&login", width=width)
        by_choice = {
            choice: " ".join(found.lines[row].plain.strip() for row in rows)
            for choice, rows in itertools.groupby(found.choices, found.choices.__getitem__)
        }
        assert by_choice == {0: "1 leave out 'login': 24 nodes", 1: "2 leave out 'gpu': 4 nodes"}
    assert not explained("gpu|bigmem").choices


@for_each(
    "on",
    [
        ("demo"),
        (9, {"a": "0-3", "b": "2", "or": "1"}),
        (9, {"all": "0-8", "none": ""}),
        (1, {}),
        (0, {}),
        (1_000_000, {"half": "0-499999", "some": "499990-500009"}),
    ],
)
def test_examples_match_what_they_say(on: On) -> None:
    state = stated("", on)
    found = examples(state.cluster.resources)
    count = state.cluster.resources.node_count
    assert len(found) == min(3, count) or count in (1, 9)
    for text, number in found:
        assert step(state, TypeRequires(text)).ask.totals.nodes == number > 0


def test_no_line_is_wider_than_the_view_and_guides_are_cut_first() -> None:
    deep = "a"
    for number in range(14):
        deep = f"z{number} ({deep}|y)"
    for text in (deep, "gpu&login", "gpu&batch&gpu&(nosuch|gqu)", "host:dune[001-099]&login"):
        for width in (30, 48, 76):
            found = explained(text, GPU_NODE, width)
            head = [*found.lines[: found.top - 1], *found.lines[found.top + found.parts :]]
            assert max(cell_len(line.plain) for line in head) <= width
    found = explained(deep, width=48)
    tree = plain(found)[found.top : found.top + found.parts]
    assert max(map(len, tree)) <= 48
    assert any("…" in row for row in tree)
    assert tree[-1].endswith("y")


def test_what_remains_of_the_whole_and_what_keeps_a_node_out_stand_out() -> None:
    found = explained("(gpu|bigmem)&not (debug|ssd&batch)")
    at = found.lines[found.top - 1].plain.index("remaining") + len("remaining") - 1
    looks = [
        next(span.style for span in line.spans if span.start <= at < span.end)
        for line in found.lines[found.top : found.top + found.parts]
    ]
    match, plain, faint = STYLE.match, STYLE.plain, STYLE.faint
    assert looks == [match, match, plain, plain, match, *[faint] * (len(looks) - 5)]
    out = explained("gpu&-debug", 178)
    assert out.lines[out.top + 2].spans[0].style == STYLE.problem


def test_an_explanation_is_kept_until_the_constraint_or_the_cluster_is_another() -> None:
    explanations = Explanations(None, lambda: None)  # type: ignore[arg-type]
    state = stated("gpu")
    found = explanations.explain(state)
    assert found is explanations.explain(step(state, Select(1)))
    assert found is explanations.explain(step(state, TypeRequires("gpu&(")))
    assert found is not explanations.explain(step(state, TypeRequires("gpu ")))


@pytest.mark.parametrize("text", ["rank:" + ",".join(map(str, range(0, 190, 2))), "x" * 400])
def test_no_line_of_a_text_is_wider_than_80_columns(text: str) -> None:
    on = cluster(200, {"x" * 400: "0-99"}, hosts=",".join(f"{'h' * 90}{n}" for n in range(200)))
    found = view_text(start(on, "", text), "t" * 200, "日本" * 100)
    assert max(map(cell_len, found.splitlines())) <= 80


def test_numbers_say_what_they_count() -> None:
    """In what is said of whether jobs fit."""
    seen = set()
    everything = demo().resources
    for queue in [None, *(one.name for one in demo().config.queues)]:
        for requires in ("", "gpu", "-gpu", "ssd", "gpu&milan", "debug", "login", "rank:0"):
            for shape in ("node=1/slot/core", "slot/gpu", "node=500/slot/core"):
                state = step(start(demo(), shape, requires), ChooseQueue(queue))
                constraint = state.ask.constraint
                own = matching.match(constraint, everything) if constraint else None
                covered = state.cluster.covered(state.outlook.queue)
                left = (covered if own is None else own & covered).bit_count()
                said = " ".join(line.plain for line in fit_lines(state, (), STYLE))
                for pattern, counts in (
                    (r"where ([0-9,]+) of ([0-9,]+) node", (left, covered.bit_count())),
                    (r"([0-9,]+) of ([0-9,]+) (?:is|are) eli", (left, everything.node_count)),
                    (r"none of the cluster's (([0-9,]+)) nodes", (everything.node_count,) * 2),
                    (r"none of the (([0-9,]+)) nodes of queue", (covered.bit_count(),) * 2),
                ):
                    for found in re.findall(pattern, said):
                        assert tuple(map(int, found)) == counts, said
                        assert not pattern.startswith("none") or not left, said
                        seen.add(pattern)
    assert len(seen) == 4


def test_of_domains_it_is_told_what_each_mark_holds_of_them() -> None:
    node = opened(tree(("0", APU, "0-95", "0-3"))).resources.inside_at(0)
    ids = [idset.parse(text).value for text in ("0-29", "0", "40-71", "2")]
    placed = Mark((ids[0], ids[1]), "P", STYLE.placed)
    used = Mark((ids[2], ids[3]), "U", STYLE.slot, "A")
    assert [line.plain for line in inside_lines(node, node, (placed, used), STYLE)] == [
        "socket 0  24 cores 0-23   gpu 0  126 GiB  P all",
        "socket 1  24 cores 24-47  gpu 1  126 GiB  P 24-29  U 40-47",
        "socket 2  24 cores 48-71  gpu 2  126 GiB  A all",
        "socket 3  24 cores 72-95  gpu 3  126 GiB",
    ]


def test_problems_that_are_alike_are_one_line_and_errors_come_first() -> None:
    alike = [Problem(f"host 'n{n}' twice", severity="warning") for n in range(5)]
    kinds = [Problem(f"of kind {'abcde'[n]}", severity="error") for n in range(4)]
    problems = (*alike, *kinds)
    lines = [line.plain for line in kinds_of_problems(problems, STYLE)]
    assert lines == ["! of kind a", "! of kind b", "! of kind c", "and 2 other kinds, below", ""]
    assert next(line.plain for line in kinds_of_problems(tuple(alike), STYLE)) == (
        "! host 'n0' twice  and 4 more like it"
    )
    on = cluster(2)
    wrong = start(replace(on, resources=replace(on.resources, problems=problems)))
    said = [line.plain for line in document_lines(wrong, STYLE)]
    assert (said[3], len(said)) == ("all problems of the document", 4 + len(problems))


def test_of_more_than_a_person_reads_some_is_told() -> None:
    many = _inside({"l3": [{"cores": str(n), "memory": n} for n in range(4096)]}, "0-4095", "")
    assert (len(many), many[-1]) == (51, "and 4,046 more domains")
    folded = _inside({"l3": [{"cores": str(n)} for n in range(4096)]}, "0-4095", "")
    assert folded == ["l3 0-4095  1 core each, 0-4095"]
    conditions = _node(0, " ".join(f"-rank:{rank}" for rank in range(60)))
    assert conditions[51:53] == ["  ✓ not rank 49", "    and 10 more"]
