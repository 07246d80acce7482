"""The kinds of what a person sees: the verbs of the command line, and the lines of the panes."""

import io
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any
from unittest import mock

from rich.text import Text

from fluxtui import cli, opening, workbench
from fluxtui.answers.commands.translation import to_command
from fluxtui.answers.containment.of_graph import GraphContainment
from fluxtui.answers.containment.of_list import ListedContainment
from fluxtui.answers.explain.explanation import explain
from fluxtui.answers.explain.properties import relations, standings
from fluxtui.answers.feasibility import pending
from fluxtui.answers.listing.lister import Key, Lister, Wanted
from fluxtui.cli import completing
from fluxtui.cli.verbs import NAMES as VERBS
from fluxtui.model.live.jobs import in_order
from fluxtui.model.live.snapshot import Snapshot
from fluxtui.model.queues import Config
from fluxtui.notation.problem import printable
from fluxtui.ui.constraint import properties as property_lines
from fluxtui.ui.constraint.explain_lines import Parts, Question, listing
from fluxtui.ui.constraint.explanations import advise, examples, within
from fluxtui.ui.constraint.view_text import view_text
from fluxtui.ui.job import fixes as fix_lines
from fluxtui.ui.job import queues as queue_lines
from fluxtui.ui.job.fit import fit_lines, verdict_lines
from fluxtui.ui.job.text import command_lines, stored_view, text_lines
from fluxtui.ui.job.tree import Row, faults_of, places_of, vertex_rows
from fluxtui.ui.job.verdicts import verdict_line
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.text import fold, visible, wrap
from fluxtui.ui.live import jobs as jobs_rows
from fluxtui.ui.nodes.graph_lines import Lines
from fluxtui.ui.nodes.highlights import Lamps, highlights_of, legend_line
from fluxtui.ui.nodes.node import document_lines, kinds_of_problems, node_lines
from fluxtui.ui.nodes.node_table import Cells
from fluxtui.ui.nodes.open_rows import OpenRows
from fluxtui.ui.nodes.table_columns import KINDS as COLUMNS
from fluxtui.ui.nodes.table_columns import columns_of
from fluxtui.ui.stage.stage_screen import explanation_lines
from fluxtui.workbench import Cluster, State
from fluxtui.workbench.job import Form
from tests.campaign import documents, notations, seeds
from tests.campaign.documents import JOBS, TABLES, _file
from tests.campaign.laws import Kind, lines, one_json
from tests.campaign.mutation import Source as Inputs
from tests.campaign.notations import QUERIES, SHAPES
from tests.opened import demo

STYLE = Palette.of({})
ROWS = 60  # lines of a long list that are looked at
LINES = 12  # that are given to a verb at once


# Verbs


class _Stream(io.TextIOWrapper):
    def __init__(self, given: str = "") -> None:
        data = io.BytesIO(given.encode("utf-8", "surrogatepass"))
        super().__init__(data, "utf-8", "backslashreplace", newline="")

    def written(self) -> str:
        self.flush()
        self.seek(0)
        return self.read()


def run_verb(arguments: Sequence[str], given: str = "") -> tuple[int, str]:
    """What a verb answers; its exit code and what it prints."""
    out, err = _Stream(), _Stream()
    with mock.patch.multiple(sys, stdin=_Stream(given), stdout=out, stderr=err):
        try:
            code = cli._dispatch([*arguments])
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 2
    said = [out.written(), err.written()]
    assert code in (0, 1, 2), "an exit code that is not documented"
    assert code != 1 or any(said), "it fails without a word"
    # A script that is copied may hold tabs.
    lines(line.removesuffix("\r").replace("\t", " ") for text in said for line in text.split("\n"))
    return code, said[0]


def _lines_of(verb: str, *options: str) -> Callable[[str], object]:
    """A verb on lines of standard input: one answer each, of JSON."""

    def run(text: str) -> object:
        text = "\n".join(text.split("\n")[:LINES])
        _, said = run_verb([verb, *options, "-"], text)
        given, answers = text.split("\n"), said.splitlines()
        assert len(answers) == len(given) - (not given[-1]), "not one answer for each line"
        for answer in answers[:ROWS]:
            assert isinstance(one_json(answer), dict), "an answer is not an object"
        return said

    return run


def _verb(*words: str) -> Callable[[str], object]:
    """A verb with a text as its argument TEXT, or in a file, its argument FILE."""

    def run(text: str) -> object:
        given = {"TEXT": text, "FILE": str(_file("given", text)) if "FILE" in words else ""}
        code, said = run_verb([given.get(word, word) for word in words])
        if "json" in words and said:
            one_json(said.replace("\n", " ").rstrip())
        return code, said

    return run


def _compared(one: str, other: str) -> object:
    paths = [str(_file(name, text)) for name, text in (("one.json", one), ("other.json", other))]
    found = [run_verb(["compare", *paths, "-o", form])[1] for form in ("text", "json")]
    if found[1]:
        one_json(found[1].replace("\n", " ").rstrip())
    return found


#: What a word of a command line begins with that would ask a running Flux, or write a file.
_ELSEWHERE = ("live", "ssh:", "local:", "-o", "--output", "--uri", "--record")


def _words(text: str) -> object:
    """Any verb with any arguments, but for those that look or write elsewhere."""
    words = text.split("\n")[:8]
    asks = words[0] == "snapshot" or (words[0] in ("jobs", "compare") and "-r" not in words)
    if asks or words[0] not in VERBS or any(word.startswith(_ELSEWHERE) for word in words):
        return None
    return run_verb(words)


_WORDS = """\
shape slot=4/node --counts string
query -a -- -b
match -r demo gpu --why dunegpu13
match -r demo gpu --shortest --explain
match -r demo gpu --state up
fit -r demo -s node=4/slot/core=8 -q gpu --queue batch --user a
check --v1 -r demo x.json
config --theme nord --keys
compare --by rank -r demo demo demo
jobs -r demo --filter run --sort time
completion bash
convert --to pbs -- flux submit -N4 -n16 -g1 app
docs shape
"""


def _completed(text: str) -> object:
    """What a shell is told at the end of any command line; none of them asks a running Flux."""
    if any(word in text for word in ("live", "ssh", "local", "uri")):
        return None
    with mock.patch.multiple(sys, stdout=_Stream(), stderr=_Stream()):
        found = [list(completing.answer(text, shell, "=:")) for shell in ("bash", "zsh")]
    lines(word for rows in found for row in rows for word in row)
    return found


def _lines_to_complete() -> list[str]:
    whole = [f"fluxtui {line}" for line in _WORDS.splitlines()]
    return [*whole, *(line[:end] for line in whole for end in (9, 15, 22, 30))]


def _json_lines(key: str, make: Callable[[], Sequence[str]]) -> Inputs:
    def texts() -> list[str]:
        some = list(make())
        found = ["\n".join(some[n : n + 3]) + "\n" for n in range(0, min(len(some), 300), 3)]
        return [*found, *(json.dumps({key: text}) + "\n" for text in some[:50])]

    return Inputs(texts)


def _fit_lines() -> list[str]:
    jobs = ({"jobspec": json.loads(text), "queue": "batch"} for text in seeds.jobs()[:80])
    shape = {"resources": [{"type": "slot", "count": 1, "with": [{"type": "core"}]}]}
    return [json.dumps(one) + "\n" for one in (*jobs, shape)]


# Panes


def _cluster(text: str) -> Cluster:
    """The cluster of a text; the one that ships inside where it is none."""
    found = opening.open_text(text, "pasted", None, demo())[0] if text.strip() else None
    is_one = isinstance(found, opening.OpenedCluster | opening.OpenedConfig)
    return found.cluster if is_one else demo()


def _shown(*panes: Iterable[Text | str]) -> list[tuple[str, ...]]:
    """The first rows of each pane."""
    plain = ((r if isinstance(r, str) else r.plain for r in islice(rows, ROWS)) for rows in panes)
    return [lines(rows) for rows in plain]


def _with_inside(rows: Iterable[Row]) -> Iterator[Row]:
    for row in rows:
        yield row
        yield from _with_inside(row.inside)


def _job_panes(shape: str, asked: str, job: str) -> object:
    """All about the job: verdicts, fit, queues, texts, command lines, the tree."""
    state = workbench.start(demo(), shape, asked)
    if job.strip():
        form: Form = "json" if job[:1] == "{" else "yaml"
        state = workbench.step(state, workbench.TypeJobspec(job, form))
    fixes = fix_lines.in_order(state, tuple(islice(fix_lines.repairs(state), 4)))
    config = state.cluster.config or Config()
    problems = state.job.raw.problems if state.job.raw is not None else ()
    vertices = vertex_rows(state.build.resources, faults_of(state), places_of(state))
    widths, forms = (1, 20, 80, 200), ("yaml", "json")
    for fix in fixes[:3]:
        workbench.step(state, fix.edit)
    return _shown(
        *([verdict_line(state, fixes, width, STYLE)] for width in widths),
        *(command_lines(to_command(state.jobspec()), width, STYLE) for width in widths),
        verdict_lines(state, fixes, STYLE),
        fit_lines(state, fixes, STYLE, in_full=True),
        queue_lines.queue_lines(state, STYLE),
        *(queue_lines.details(state, config, q, STYLE) for q in queue_lines.queues_of(config)[:3]),
        *(text_lines(workbench.job_text(state, form), problems, STYLE) for form in forms),
        stored_view(state, STYLE),
        ("".join(words for words, _ in row.parts) for row in _with_inside(vertices)),
    )


def _constraint_panes(asked: str, kept: str, width: str) -> object:
    """All about the constraint: its parts, why a node is out, properties, a picture in words."""
    state = workbench.start(demo(), "", kept)
    for edit in (workbench.KeepConstraint(), workbench.TypeRequires(asked)):
        state = workbench.step(state, edit)
    room = int(width) if width.isdecimal() and len(width) < 4 else 80
    found = explain(state.ask.requires, state.cluster.resources)
    advice = advise(found, within(state)) if found is not None and not state.ask.stale else None
    choices = [change.sentence for change in advice.changes] if advice is not None else []
    standings(state.ask.constraint)
    parts: list[Iterable[Text | str]] = [
        listing(Question(state, Parts(found), node, advice, choices), STYLE, room).lines
        for node in (None, 5)
    ]
    if found is not None:
        parts += [explanation_lines(found, room, 20, STYLE), node_lines(state, 5, found, STYLE)]
    legend = legend_line(highlights_of(state).legend, (), room, STYLE, keys=True)
    return _shown(*parts, view_text(state, asked, kept).split("\n"), [legend])


def _cluster_panes(text: str, asked: str, wanted: str) -> object:
    """All about the cluster: table, graph, nodes, properties, the document, jobs."""
    on = _cluster(text)
    state = workbench.start(on, "node/slot/core", asked)
    count, lit = on.resources.node_count, highlights_of(state)
    said = _shown(
        [*document_lines(state, STYLE), *kinds_of_problems(on.resources.problems, STYLE)],
        *(node_lines(state, index, None, STYLE) for index in range(min(count, 3))),
        (f"{words} {number}" for words, number in examples(on.resources)),
        _properties(state),
    )
    for by in ("rank", "host", "count"):
        by_key = Wanted(Key.of(by), wanted, folded=by == "count")
        listed = Lister(on.resources).find(by_key, state.ask.mask)
        cells = Cells(on, listed)
        cells.show_match(state.ask.mask, state.ask.counted)
        columns = columns_of([*COLUMNS, "marks"], on)[:40]
        for row in range(min(listed.count, 5)):
            cells.look(row, Lamps(lit))
            said += _shown(column.fit(cells.text(column.name, row), 12) for column in columns)
    if count:
        tree: Any = GraphContainment(on.graph, on.resources) if on.graph is not None else None
        tree = tree or ListedContainment(on.resources, on.stretches)
        tree.take(tree.work_out(lambda: False))
        if tree.ready:
            rows, maker = OpenRows(tree), Lines(tree, Lamps(lit), STYLE)
            if len(rows):
                rows.at(0).put(rows.grown(rows.at(0), 200)[0])
            first = range(min(len(rows), ROWS))
            said += _shown(maker.line(rows.at(row), 60, here=not row).text for row in first)
    return said + (_job_rows(on.snapshot) if on.snapshot is not None else [])


def _properties(state: State) -> Iterator[Text]:
    on = state.cluster.resources
    known = relations(on.properties) if len(on.properties) < 50 else None
    asked = standings(state.ask.constraint)
    counts = {name: mask.bit_count() for name, mask in on.properties.items()}
    for name in property_lines.ordered(on.properties, "name", state.ask.mask)[:10]:
        how_many = counts[name], None
        yield property_lines.row(
            name, asked.get(name), how_many, STYLE, widest=20, nodes=on.node_count, room=40
        )
        related = known.of(name) if known is not None else None
        about = property_lines.PropertySummary(name, on, asked.get(name), 0, related, counts)
        yield from property_lines.summary_lines(about, STYLE, 40, 6)


def _job_rows(snapshot: Snapshot) -> list[tuple[str, ...]]:
    jobs = snapshot.jobs or {}
    now = jobs_rows.Now(snapshot.taken, snapshot.resources)
    every = [jobs[number] for number in [*in_order(jobs.values())][:10]]
    layout = jobs_rows.Layout.of(jobs_rows.needs(every, now), 80, users=True)
    return _shown(
        (layout.row(job, now, STYLE) for job in every),
        *(jobs_rows.job_lines(job, snapshot, pending.why(job, snapshot), STYLE) for job in every),
    )


def _text_kit(text: str, width: str) -> object:
    """What every line goes through: folding, cutting, showing what cannot be seen."""
    room = 1 + (int(width) if width.isdecimal() and len(width) < 3 else 20)
    shown = visible(text)
    rows = fold(printable(text), room)
    kept = ("".join(rows).replace(" ", ""), printable(text).replace(" ", "").replace("\n", ""))
    assert kept[0] == kept[1], "a fold loses signs"
    wrap(Text(shown), room, hang=1)
    return lines(shown.split("\n")), rows


SCRIPTS = Inputs(lambda: seeds.scripts("flux", "srun", "SBATCH", "PBS", "BSUB", "bsub"))
QUERY_LINES = _json_lines("query", seeds.queries)
FILTERS = Inputs(lambda: [*seeds.messages("filter"), "n1", "-gpu", "cores:4", "a b", "up"])
WORDS = Inputs(lambda: [line.replace(" ", "\n") for line in _WORDS.splitlines()])
WIDTHS = Inputs(lambda: ["0", "1", "7", "20", "44", "80", "200"])
CLUSTERS = Inputs(
    lambda: (
        seeds.resources()[:80] + seeds.graph_texts() + seeds.topology_texts() + seeds.snapshots()
    ),
    "json",
)

_KINDS = (
    Kind("shape -", _lines_of("shape"), (_json_lines("shape", seeds.shapes),)),
    Kind("query -", _lines_of("query"), (QUERY_LINES,)),
    Kind("match -", _lines_of("match", "-r", "demo", "--explain"), (QUERY_LINES,)),
    Kind("check -", _lines_of("check"), (_json_lines("x", seeds.jobs),)),
    Kind("fit -", _lines_of("fit", "-r", "demo"), (Inputs(_fit_lines, "json"),)),
    Kind("shape TEXT", _verb("shape", "-o", "yaml", "TEXT"), SHAPES),
    Kind("match TEXT", _verb("match", "-r", "demo", "-o", "explain", "TEXT"), QUERIES),
    Kind("check FILE", _verb("check", "FILE", "-r", "demo"), (JOBS,)),
    Kind("check R", _verb("check", "FILE", "-o", "json"), (CLUSTERS,)),
    Kind("match R", _verb("match", "-r", "FILE", "{}", "-o", "csv"), (CLUSTERS,)),
    Kind("fit FILE", _verb("fit", "-r", "demo", "FILE", "-o", "json"), (JOBS,)),
    Kind("fit R", _verb("fit", "-r", "FILE", "-s", "node/slot/core"), (CLUSTERS,)),
    Kind("fit queues", _verb("fit", "-r", "demo", "-c", "FILE", "-s", "slot/core"), (TABLES,)),
    Kind("jobs", _verb("jobs", "-r", "FILE", "--all"), (Inputs(seeds.snapshots, "json"),)),
    Kind("compare", _compared, (CLUSTERS, CLUSTERS)),
    Kind("convert flux", _verb("convert", "--to", "flux", "FILE"), (SCRIPTS,)),
    Kind("convert slurm", _verb("convert", "--to", "slurm", "FILE"), (SCRIPTS,)),
    Kind("arguments", _words, (WORDS,)),
    Kind("command line completion", _completed, (Inputs(_lines_to_complete),)),
    Kind("job panes", _job_panes, (*SHAPES, *QUERIES, JOBS)),
    Kind("constraint panes", _constraint_panes, (*QUERIES, *QUERIES, WIDTHS)),
    Kind("cluster panes", _cluster_panes, (CLUSTERS, *QUERIES, FILTERS)),
    Kind("text kit", _text_kit, (Inputs(lambda: [*seeds.shapes()[:50], "漢字 x" * 9]), WIDTHS)),
)  # fmt: skip

#: Every kind of input, by name: the notations, the documents, what a person sees.
KINDS = {kind.name: kind for kind in (*notations.KINDS, *documents.KINDS, *_KINDS)}
