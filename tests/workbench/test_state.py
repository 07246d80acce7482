"""The state of the workbench: the whole jobspec, its texts in step, its history, its outlook."""

import itertools
import json
from dataclasses import replace
from typing import Any

import pytest

from fluxtui import workbench as wb
from fluxtui.answers import matching
from fluxtui.model.documents.document import dump, read_yaml
from fluxtui.model.jobspec import jobspec
from fluxtui.model.jobspec.verdicts import verdicts
from fluxtui.notation.json_value import identical
from fluxtui.notation.shape.completion import ANY, USUAL
from fluxtui.notation.shape.tree import from_resources
from tests.answers.feasibility.graphs import jgf, some
from tests.answers.feasibility.graphs import vertex as vertices
from tests.each import for_each, the
from tests.model.clusters import document, edge, lite, vertex
from tests.model.jobspecs import job, resources_of
from tests.model.topologies import xeon
from tests.opened import after, demo, done, of_document
from tests.workbench.test_sessions import QUEUES, queued
from tests.workbench.written import JOB

SMALL = of_document(
    document(
        *(lite("0-5", "0-7"), lite("6-7", "0-3", "0-1")),
        nodelist=["n[0-7]"],
        properties={"gpu": "6-7", "debug": "0,7"},
    )
)
SHAPE = "node=4/slot/[core=8;gpu]"


def begun(shape: str = SHAPE, requires: str = "") -> wb.State:
    """A workbench without a cluster, in a known environment."""
    around = wb.Surroundings({"HOME": "/home/me", "OMP_A": "1", "OMP_B": "2"}, "/home/me/work")
    return wb.start(None, shape, requires, around=around)


def system(state: wb.State) -> dict[str, Any]:
    """The system attributes of the job."""
    return dict(jobspec.system(state.jobspec()))


def test_a_field_changes_the_document_and_nothing_else() -> None:
    before = begun()
    typed = after(before, wb.TypeField("duration", "1h"))
    assert system(typed) == {"duration": 3600.0}
    assert typed.jobspec()["resources"] == before.jobspec()["resources"]
    assert typed.build is before.build
    assert typed.ask is before.ask
    assert typed.outlook.submitted == typed.jobspec()
    same = after(before, wb.TypeField("duration", "60m"))  # it keeps what was typed
    assert (system(same), same.job.typed["duration"]) == ({"duration": 3600.0}, "60m")
    other = jobspec.with_system(same.jobspec(), "duration", 5.0)  # and follows its part
    assert wb.field_text(after(same, wb.ReplaceJob(other)), "duration") == "5"


def test_a_constraint_of_its_own_ends_with_its_text() -> None:
    own = after(begun(requires="gpu"), wb.TypeField("constraints", "bigmem"))
    bare = dump({**own.jobspec(), "attributes": {"system": {"duration": 1}}})
    ended = after(own, wb.TypeJobspec(bare, "yaml"))
    assert not ended.job.own
    assert system(after(ended, wb.TypeRequires("a")))["constraints"] == {"properties": ["a"]}


# The raw text


def test_the_yaml_that_is_typed_becomes_the_job_and_keeps_what_does_not_change() -> None:
    state = after(begun("", "debug"), wb.TypeJobspec(JOB, "yaml"))
    assert state.jobspec() == read_yaml(JOB).value
    assert (state.build.text, state.ask.text) == ("node=2/slot{task}/core=4", "gpu")
    assert wb.job_text(state, "yaml") == JOB
    state = after(state, wb.TypeShape("node=5/slot{task}/core=4"), wb.TypeField("duration", "2h"))
    expected = JOB.replace("count: 2", "count: 5").replace("3600.", "7200.")
    assert wb.job_text(state, "yaml") == expected
    assert read_yaml(expected).value == state.jobspec()
    # The shape follows with its own spaces kept.
    spaced = begun("node=4 / slot / [core=8; gpu]")
    text = wb.job_text(spaced, "yaml").replace("count: 8", "count: 16")
    found = after(spaced, wb.TypeJobspec(text, "yaml")).build.text
    assert found == "node=4 / slot / [core=16; gpu]"


#: What no shape says just so: ranges without a step, a slot without a label, what is no vertex.
ODD = (
    JOB.replace("count: 2", "count: {max: 4, min: 2}  # or so")
    .replace("label: task, ", "")
    .replace("count: 4}", "count: {min: 4, max: 9}}, 5, {type: gpu, count: '1-2', k: [ ]}")
)


@for_each(
    "case",
    [
        ("node=2-4/slot/[core=4-9;gpu=3{k:[]}]", "'1-2'", "3"),
        (
            "node=2-5/slot/[core=4-9;gpu=1-2{k:[]}]",
            "{max: 4, min: 2}",
            "{max: 5, operator: +, operand: 1, min: 2}",
        ),
        ("node=2-4/slot/[core=4-8;gpu=1-2{k:[]}]", "max: 9", "max: 8, operator: +, operand: 1"),
        ("node=2-4/slot/gpu=1-2{k:[]}", "{type: core, count: {min: 4, max: 9}}, ", ""),
        ("node=2-4/slot=3/[core=4-9;gpu=1-2{k:[]}]", "slot, count: 1", "slot, count: 3"),
        (
            "node=2-4/slot/[gpu=1-2{k:[]};core=4-9]",
            "{type: core, count: {min: 4, max: 9}}, 5, {type: gpu, count: '1-2', k: [ ]}",
            "{type: gpu, count: '1-2', k: [ ]}, {type: core, count: {min: 4, max: 9}}, 5",
        ),
        ("node=2-4{x}/slot/[core=4-9;gpu=1-2{k:[]}]", "or so\n", "or so\n    exclusive: true\n"),
        (
            "node=2-4/slot/[rack/core=4-9;gpu=1-2{k:[]}]",
            "{type: core, count: {min: 4, max: 9}}",
            "{type: rack, count: 1, with: [{type: core, count: {min: 4, max: 9}}]}",
        ),
    ],
)
def test_an_edit_of_a_vertex_leaves_what_no_shape_says_in_the_others(
    case: tuple[str, str, str],
) -> None:
    shape, old, new = case
    state = after(begun(), wb.TypeJobspec(ODD, "yaml"))
    assert state.build.text == "node=2-4/slot/[core=4-9;gpu=1-2{k:[]}]"
    state = after(state, wb.EditShape(shape))
    assert wb.job_text(state, "yaml") == ODD.replace(old, new)


def test_json_is_typed_as_well() -> None:
    text = json.dumps({**begun().jobspec(), "version": 999})
    state = after(begun(), wb.TypeJobspec(text, "json"))
    assert (wb.job_text(state, "json"), state.jobspec()) == (text, json.loads(text))
    state = after(state, wb.TypeJobspec("[1, 2]", "json"))
    assert "dictionary" in the(state.job.raw).problems[0].message


@for_each("resources", [None, {}, "x", [5], [{"count": 2}], [{"type": "node"}]])
def test_resources_that_no_shape_can_say_stay_in_the_document(resources: Any) -> None:
    document = {**begun().jobspec(), "resources": resources}
    text = dump(document, "json")
    state = after(wb.start(), wb.TypeJobspec(text, "json"))  # no vertices stand there so far
    assert state.job.raw is None
    assert state.jobspec() == document
    assert wb.job_text(state, "json") == text


def test_a_field_that_cannot_be_read_is_told_of_a_draft_too() -> None:
    state = after(begun(), wb.TypeField("duration", "2 hours"))
    for one in (state, after(begun(), wb.OpenJob(SHAPE, "", None, state.job))):
        (wrong,) = wb.unread(one)
        assert (wrong.label, wrong.text, wrong.held) == ("Duration", "2 hours", "")
        assert wrong.problem.message


# The tasks follow their slots


def test_tasks_follow_their_slots() -> None:
    state = begun("[slot{a}/core;slot{b}/gpu]")
    (task,) = state.jobspec()["tasks"]
    both = [{**task, "slot": "a"}, {**task, "slot": "b"}]
    two = after(state, wb.ReplaceJob({**state.jobspec(), "tasks": both}))
    text = two.build.text
    backwards = [text[:end] for end in range(len(text) - 1, len(text) - 13, -1)]
    one = after(begun("slot=2/core"), wb.TypeField("command", "a"))
    for before, texts, slots in (
        (two, [*backwards, *backwards[-2::-1], text], ["a", "b"]),  # deleted and typed again
        (two, ["[slot{a}/core;slot{bb}/gpu]"], ["a", "bb"]),
        (two, ["[slot{x}/core;slot{y}/gpu;slot{z}/gpu]"], ["a", "b"]),  # nobody can tell whose
        (one, ["slot=2{big}/core"], ["big"]),
    ):
        state = after(before, *map(wb.TypeShape, texts))
        assert [task["slot"] for task in state.jobspec()["tasks"]] == slots
        assert the(state.verdicts).canonical.ok == ("{z}" not in texts[-1])


# Undo, and the file of a job


def test_a_file_opened_where_nothing_was_made_is_where_the_history_begins() -> None:
    opened = wb.OpenJob(SHAPE, "gpu", None, wb.Job(path="/job.yaml"), from_file=True)
    first = wb.History(wb.start())
    begun = first.do(opened)
    assert begun.undo() is begun
    assert done(first, wb.TypeShape("node"), opened).undo().state.build.text == "node"
    assert first.do(replace(opened, from_file=False)).undo().state.build.blank


@for_each("late", [False, True])
def test_another_job_does_not_get_the_file(late: bool) -> None:
    """The file belongs to the job that was saved, also where another was opened meanwhile."""
    history = wb.History(begun()).do(wb.TypeField("bank", "a"))
    first = history.state.job
    history = history.do(wb.OpenJob("slot/core", "", None, wb.Job(begun("slot/core").jobspec())))
    history = history.do(wb.SaveJob("/x.yaml", first if late else history.state.job))
    assert history.state.job.path == (None if late else "/x.yaml")
    assert history.undo().state.job.path == ("/x.yaml" if late else None)


def test_long_texts_do_not_fill_the_memory_with_steps() -> None:
    filler = "# " + "x" * 200_000 + "\n"
    texts = [f"{JOB}{filler}# {number} {number}\n" for number in range(12)]
    history = done(wb.History(wb.start()), *(wb.TypeJobspec(text, "yaml") for text in texts))
    assert 2 <= len(history.past) <= 7
    assert "# 10 10" in wb.job_text(history.undo().state, "yaml")
    texts = ["p" * 50_000 + str(number) for number in range(40)]
    history = done(wb.History(wb.start()), *map(wb.EditRequires, texts))
    assert len(history.past) == 19  # 50,002 characters each
    assert history.undo().state.ask.text.endswith("p38")


def test_a_job_is_given_the_folder_and_the_environment_that_it_does_not_say() -> None:
    def given(around: wb.Surroundings, **own: Any) -> dict[str, Any]:
        document = {"version": 1, "attributes": {"system": own}}
        found = jobspec.system(around.given_to(document))
        assert document["attributes"] == {"system": own}
        return dict(found)

    around = wb.Surroundings({"PATH": "/bin"}, "/here")
    assert given(around, cwd="/there") == {"cwd": "/there", "environment": {"PATH": "/bin"}}
    assert given(around, environment={}) == {"cwd": "/here", "environment": {}}
    assert around.given_to({})["attributes"]["system"]["cwd"] == "/here"
    around = wb.Surroundings(limits={"core": 0, "nofile": 1024})
    options = {"mpi": "none", "rlimit": {"core": 0, "nofile": 1024}}
    assert given(around, shell={"options": {"mpi": "none"}})["shell"] == {"options": options}
    shell = {"options": {"rlimit": {"core": -1}}}
    assert given(around, shell=shell) == {"shell": shell}


# The state, its history, and what it works out


def test_the_history_is_bounded() -> None:
    edits = (wb.TypeRequires(f"rank:{number} ") for number in range(3000))
    history = done(wb.History(wb.start()), *edits)
    assert 100 <= len(history.past) < 3000
    assert history.undo().state.ask.text == "rank:2998 "


# Start


def test_starts_with_nothing_open_and_with_texts() -> None:
    assert wb.start().cluster.source == wb.Source("nothing open")
    state = wb.start(SMALL, SHAPE, "gpu")
    assert state.jobspec() == job(SHAPE, constraints={"properties": ["gpu"]})
    promised = wb.start(demo(), SHAPE, "gpu&-debug")  # by the README
    assert 0 < promised.ask.totals.nodes < demo().resources.properties["gpu"].bit_count()
    assert (promised.build.syntax, verdicts(promised.jobspec()).problems) == ((), ())


def test_a_match_is_not_worked_out_again_while_the_text_is_bad(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state = wb.start(SMALL, "", "gpu")
    asked: list[object] = []
    real = matching.matched
    monkeypatch.setattr(matching, "matched", lambda *given: asked.append(given) or real(*given))
    after(state, wb.TypeRequires("gpu&"))
    assert asked == []
    after(state, wb.TypeRequires("gpu&debug"))
    assert len(asked) == 3  # all of it and both of its properties, each once


# The shape and the document say the same, down to the kind of each value, whatever is typed


@for_each("before, new", [
    ("node{exclusive:1}/slot/core", "node{exclusive:true}/slot/core"),
    ("node{k:1}/slot/core", "node{k:true}/slot/core"),
    ("node{k:1}/slot/core", "node{k:1.0}/slot/core"),
    ("node{k:[0]}/slot/core", "node{k:[false]}/slot/core"),
    ("core{x:true}", "core{x:1}"),
])  # fmt: skip
def test_a_value_of_another_kind_is_another_one_both_ways(before: str, new: str) -> None:
    for one, other in ((before, new), (new, before)):
        state = wb.start(None, "node/slot/core")
        state = after(state, wb.TypeJobspec(wb.job_text(state, "yaml") + "# c\n", "yaml"))
        state = after(state, wb.TypeShape(one), wb.TypeShape(other))
        fresh = after(wb.start(SMALL), wb.TypeShape(other)).build
        assert repr(state.build.resources) == repr(fresh.resources)
        assert state.build.request == fresh.request
        assert identical(state.jobspec()["resources"], resources_of(other))
        as_yaml = wb.job_text(state, "yaml")
        state = after(state, wb.TypeShape(one))
        assert identical(state.jobspec()["resources"], resources_of(one))
        state = after(state, wb.TypeJobspec(as_yaml, "yaml"))
        assert identical(list(state.build.resources), resources_of(other))
        assert identical(state.jobspec()["resources"], resources_of(other))


def test_a_value_of_more_levels_than_a_shape_can_say() -> None:
    state = wb.start(demo(), "node/slot/core")
    for levels, said in ((47, "{k:{a:"), (48, ""), (190, "")):
        for leaf in (1, 2, 3):
            value: Any = leaf
            for _ in range(levels):
                value = {"a": value}
            document = job("node/slot/core")
            document["resources"][0]["k"] = value
            state = after(state, wb.TypeJobspec(json.dumps(document), "json"))
            assert state.job.document is not None
            assert state.build.text.startswith(f"node{said or '/slot/core'}")
            kept = from_resources(state.job.document["resources"])
            wrong = ["a shape has at most 48 levels resources[0].k"]
            assert [f"{p.message} {p.path}" for p in kept.problems] == ([] if said else wrong)


def test_a_json_text_of_more_levels_than_are_written_is_not_read() -> None:
    state, head = wb.start(demo(), "node/slot/core"), json.dumps(job("node/slot/core"))[:-1]
    for levels in (210, 400, 900):
        text = f'{head}, "x": {"[" * levels}{"]" * levels}}}'
        state = after(state, wb.TypeJobspec(text, "json"))
        (problem,) = the(state.job.raw).problems
        assert problem.message == "more than 200 nested levels are not read"
        assert wb.job_text(state, "yaml")


# What will become of the job


def start(shape: str, requires: str = "", **submission: Any) -> wb.State:
    return wb.start(queued(), shape, requires, submission=wb.Submission(**submission))


def feasible(of: wb.State | wb.Outlook) -> bool | None:
    outlook = of.outlook if isinstance(of, wb.State) else of
    return the(outlook.fit).feasible


def test_only_what_depends_on_an_edit_is_worked_out_again() -> None:
    state = start("node/slot/core", "a")
    for nothing in (wb.ChooseQueue(None), wb.LookAtQueue(None)):
        assert after(state, nothing) is state
    for edit in (wb.LookAtQueue("g"), wb.MoveCursor(3), wb.TypeRequires("a "),
                 wb.TypeShape("node/slot/core ")):  # fmt: skip
        assert after(state, edit).outlook is state.outlook
    assert after(state, wb.TypeRequires("g")).outlook is not state.outlook


def graph_cluster() -> wb.Cluster:
    """One node of one core, as a resource graph."""
    kinds = {"cluster": -1, "node": 0, "core": -1}
    nodes = [vertex(kind, kind, id=0, rank=rank) for kind, rank in kinds.items()]
    edges = [edge("cluster", "node"), edge("node", "core")]
    return of_document({"graph": {"nodes": nodes, "edges": edges}})


def test_room_that_was_found_late_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wb.cluster, "MAX_VERTICES", 0)
    state = wb.start(graph_cluster(), "node/slot/core")
    assert (state.outlook.due, state.outlook.fit) == (True, None)
    found = wb.find_outlook(state)
    assert feasible(found) is True
    later = after(state, wb.TypeShape("node=2/slot/core"))
    assert after(later, wb.FindRoom(state.outlook, found)) is later
    put = after(state, wb.FindRoom(state.outlook, found))
    assert (put.outlook.fit, put.outlook.due, put.outlook.old) == (found.fit, False, False)
    again = after(put, wb.TypeShape("node=2/slot/core")).outlook
    assert (again.due, again.old, again.fit) == (True, True, found.fit)
    elsewhere = after(put, wb.OpenCluster(graph_cluster())).outlook
    assert (elsewhere.due, elsewhere.fit) == (True, None)


def test_the_plugins_of_flux_that_are_not_loaded_change_nothing() -> None:
    config = {**QUEUES, "ingest": {"frobnicator": {"plugins": ["defaults"]}}}
    state = wb.start(queued(config), "node=6/slot/core")  # no constraint of the queue
    assert feasible(state) is True
    assert feasible(wb.prospect(state.jobspec(), state.cluster)) is True


@for_each(
    "shape, requires, queue",
    itertools.product(
        ["node=4/slot/core=2", "slot=3/[core;gpu]", "node=9/slot/core"],
        ["", "a", "both&g", "-both", "rank:0-4"],
        [None, "a", "g", "v", "shut"],
    ),
)
def test_the_workbench_and_the_verb_say_the_same(
    shape: str, requires: str, queue: str | None
) -> None:
    state = start(shape, requires, queue=queue, user="bob", groups=())
    told = wb.prospect(state.jobspec(), state.cluster, wb.Submission(user="bob", groups=()))
    for what in ("queue", "own", "admissions", "mask", "allowed", "fit", "rooms"):
        assert getattr(told, what) == getattr(state.outlook, what), what


def test_the_queue_of_a_document_gives_way_to_the_chosen_one() -> None:
    attributes = {"system": {"duration": 5, "queue": "g"}, "user": {"x": 1}}
    document = {**job("node/slot/core"), "attributes": attributes}
    submission = wb.Submission(queue="g")
    state = wb.start(queued(), "node/slot/core", "", wb.Job(document), submission)
    assert state.jobspec()["attributes"] == attributes
    state = after(state, wb.ChooseQueue(None))
    assert state.jobspec()["attributes"]["system"] == {"duration": 5}


def test_what_is_suggested_is_what_the_scheduler_that_decides_takes() -> None:
    """TreePool knows domains (RFC 49), and Fluxion what is in the resource graph."""
    tree = of_document(xeon())
    assert set(tree.types.types) == {"node", "slot", "core", "gpu"}
    assert list(tree.types.domains) == ["socket", "numa"]
    graph = of_document(jgf(vertices("cluster", vertices("rack", vertices(
        "node", some(4, "core"), some(1, "memory", size=64, unit="GB"), some(1, "ssd"),
        some(2, "rabbit"), rank=0)))))  # fmt: skip
    assert list(graph.types.types) == [
        *("node", "slot", "core", "memory", "ssd", "rack", "cluster", "rabbit"),
    ]
    assert not graph.types.domains
    for on in (tree, graph):
        offered = [f"slot/{name}" for name in on.types.types if name not in USUAL[:2]]
        offered += [f"node/slot/{name}{{x}}" for name in on.types.domains]
        refused = [text for text in offered if not feasible(wb.start(on, text))]
        # A gpu alone is a slot for Fluxion, and a cluster is what the slot itself is in.
        assert refused == (["slot/cluster"] if on is graph else ["slot/gpu"])
    # Of other documents it is not known what nodes have inside.
    assert queued().types == ANY


def test_deselecting_is_one_step_of_undo_and_leaves_what_was_undone() -> None:
    history = wb.History(wb.start(demo()))
    for text in ("node=1", "node=2", "node=3"):
        history = history.do(wb.EditShape(text))
    history = history.undo()
    for mask in (3, 12, 48):  # other nodes are selected, and all are deselected, again and again
        history = history.do(wb.Select(mask)).do(wb.Select(mask << 1)).do(wb.Select(0))
    assert history.state.build.text == "node=2"
    again = history.undo()
    assert (again.state.build.text, again.state.selected) == ("node=2", 96)
    assert again.undo().state.build.text == "node=1"
    assert history.redo().state.build.text == "node=3"
