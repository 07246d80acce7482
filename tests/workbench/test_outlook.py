"""What will become of the job, in the state of the workbench."""

import itertools
from typing import Any

import pytest

from fluxtui import workbench as wb
from fluxtui.model import queues
from fluxtui.model.queues import Status
from fluxtui.notation.shape.completion import ANY, USUAL
from tests.answers.feasibility.graphs import jgf, some
from tests.answers.feasibility.graphs import vertex as vertices
from tests.each import for_each, the
from tests.model.clusters import document, edge, lite, vertex
from tests.model.jobspecs import job
from tests.model.topologies import xeon
from tests.opened import after, done, of_document

CONFIG: dict[str, Any] = {
    "policy": {"jobspec": {"defaults": {"system": {"queue": "a", "duration": "1h"}}}},
    "queues": {
        "a": {"requires": ["a"]},
        "g": {"requires": ["g"], "policy": {"limits": {"job-size": {"max": {"nnodes": 1}}}}},
        "v": {"parent": "a"},
        "shut": {"policy": {"access": {"allow-user": ["alice"]}}},
    },
}


def cluster(config: dict[str, Any] | None = CONFIG) -> wb.Cluster:
    """Four nodes of 8 cores, two of 4 cores and 2 gpus, and some queues."""
    entries = (lite("0-3", "0-7"), lite("4-5", "0-3", "0-1"))
    properties = {"a": "0-3", "g": "4-5", "both": "3-4"}
    read = None if config is None else queues.read_config(config)
    return of_document(document(*entries, nodelist=["n[0-5]"], properties=properties), config=read)


def start(shape: str, requires: str = "", **submission: Any) -> wb.State:
    return wb.start(cluster(), shape, requires, submission=wb.Submission(**submission))


def feasible(of: wb.State | wb.Outlook) -> bool | None:
    outlook = of.outlook if isinstance(of, wb.State) else of
    return the(outlook.fit).feasible


def test_the_job_goes_to_the_default_queue_and_its_nodes() -> None:
    state = start("node=4/slot/core")
    assert (state.outlook.queue, state.outlook.allowed) == ("a", 0b1111)
    assert feasible(state) is True
    assert feasible(after(state, wb.TypeShape("node=5/slot/core"))) is False
    system = state.outlook.jobspec["attributes"]["system"]
    assert system == {"queue": "a", "duration": 3600, "constraints": {"properties": ["a"]}}
    assert "queue" not in state.jobspec()["attributes"]["system"]


REQUIRES = "queue q has no node: it requires"


@for_each("config, says", [
    ({"q": {"requires": ["x"]}}, f"{REQUIRES} 'x', which no node has"),
    ({"q": {"parent": "p"}, "p": {"requires": ["a", "x", "y"]}},
     f"{REQUIRES} 'x', 'y', which no node has"),
    ({"q": {"requires": ["a", "g", "^both"]}},
     "queue q has no node: none has all that it requires"),
    ({"q": {"requires": ["+q"]}}, f"{REQUIRES} '+q', which no node has"),
    ({"q": {"requires": ["a", *"uvwxyz"]}},
     f"{REQUIRES} 'u', 'v', 'w', 'x', 'y' and 1 more, which no node has"),
    ({"q": {"hosts": "m1"}}, "queue q has no node: the cluster has none of its hosts"),
    ({"q": {"parent": "p"}, "p": {"hosts": "m1"}},
     "queue q has no node: the cluster has none of its hosts"),
    ({"q": {"requires": ["g"]}}, "none of the 2 nodes of queue q meets the constraint"),
])  # fmt: skip
def test_a_queue_without_nodes_is_not_the_fault_of_the_constraint(
    config: dict[str, Any], says: str
) -> None:
    policy = {"jobspec": {"defaults": {"system": {"queue": "q"}}}}
    on = cluster({"policy": policy, "queues": config})
    outlook = wb.start(on, "node/slot/core", "a&-both").outlook
    assert the(outlook.fit).own.reasons[0].message == says


def test_every_queue_is_asked_for_room() -> None:
    state = start("node/slot/gpu")
    # Without a core sched-simple reads no slot; Fluxion does.
    assert state.outlook.rooms == {"a": False, "g": True, "v": False, "shut": True}
    assert after(state, wb.TypeShape("")).outlook.rooms == {}
    assert wb.start(cluster({}), "node/slot/core").outlook.rooms == {"": True}
    assert start("node=2/slot/[core;gpu]").outlook.runs_in("g") is False  # room, and refused


def test_a_queue_that_is_not_there() -> None:
    state = after(start("node/slot/core"), wb.ChooseQueue("nope"))
    outlook = state.outlook
    assert (outlook.admitted, outlook.queue, outlook.fit) == (False, "nope", None)
    assert state.known_queue is None
    assert state.left == state.ask.mask  # nothing is known of its nodes
    assert (outlook.runs_in("nope"), outlook.runs_in("a")) == (False, True)
    assert after(state, wb.TypeShape("node=5/slot/core")).outlook.runs_in("a") is False


def test_where_no_queues_are_known_a_job_that_names_one_gets_its_answer() -> None:
    alone = cluster(None)
    state = wb.start(alone, "node=4/slot/core")
    assert state.outlook.admitted is True
    state = after(state, wb.ChooseQueue("g"))
    outlook = state.outlook
    assert (outlook.queue, outlook.admitted, outlook.runs_in("g")) == ("g", None, None)
    assert feasible(outlook) is True
    assert outlook.own is not None
    assert [note.message for note in outlook.own.notes] == [
        "queues unknown: open a configuration with -c"
    ]
    assert state.left == alone.resources.everything
    more = after(state, wb.TypeShape("node=7/slot/core")).outlook
    assert (feasible(more), more.runs_in("g")) == (False, False)


@for_each("user, groups, admitted", [
    (None, None, None),
    ("bob", (), False),
    ("bob", None, False),  # no group may submit, so that of a user is enough
    ("alice", None, True),
])  # fmt: skip
def test_who_submits_counts(
    user: str | None, groups: tuple[str, ...] | None, admitted: bool | None
) -> None:
    state = start("node/slot/core", queue="shut", user=user, groups=groups)
    assert state.outlook.admitted is admitted


def test_what_if_a_queue_stood_otherwise() -> None:
    state = after(start("node/slot/core"), wb.TurnQueue("a", "enabled"))
    assert state.outlook.admitted is False
    assert state.outlook.statuses["a"].disable_reason == "what if"
    state = after(state, wb.TurnQueue("a", "enabled"))
    assert state.outlook.admitted is True
    state = after(state, wb.TurnQueue("a", "started"))
    assert the(state.outlook.own).schedules is False
    assert state.outlook.runs_in("a") is None
    child = state.outlook.statuses["v"]
    assert (child.started, child.blocked) == (False, "parent")
    state = after(state, wb.TurnQueue("a", "started"))
    assert state.outlook.statuses["v"] == Status(parent="a")
    # It begins with what was read, and ends with the cluster.
    state = start("node/slot/core", statuses={"a": Status(False, disable_reason="maintenance")})
    turned = after(state, wb.TurnQueue("a", "enabled"))
    ended = after(turned, wb.OpenCluster(cluster()))
    assert [one.outlook.admitted for one in (state, turned, ended)] == [False, True, False]
    assert ended.outlook.statuses["a"].disable_reason == "maintenance"


@for_each("read", [
    None,
    Status(enabled=False, disable_reason="maintenance"),
    Status(started=False, stop_reason="maintenance"),
    Status(started=False, stop_reason="parent stopped", blocked="parent", parent="a"),
    Status(started=False, blocked="scheduler"),
])  # fmt: skip
def test_what_is_taken_back_is_as_it_was_read(read: Status | None) -> None:
    state = start("node/slot/core", statuses={"v": read} if read is not None else {})
    before = state.outlook.statuses["v"]
    enabled, started = wb.TurnQueue("v", "enabled"), wb.TurnQueue("v", "started")
    one = after(state, enabled, started, enabled)
    assert one.submission.what_if.keys() == {"v"}
    supposed = one.submission.what_if["v"]
    assert (supposed.enabled, supposed.disable_reason) == (before.enabled, before.disable_reason)
    back = after(one, started)
    assert back.submission == state.submission
    assert back.outlook.statuses == state.outlook.statuses


def test_only_what_depends_on_an_edit_is_worked_out_again() -> None:
    state = start("node/slot/core", "a")
    for nothing in (wb.ChooseQueue(None), wb.LookAtQueue(None)):
        assert after(state, nothing) is state
    for edit in (wb.LookAtQueue("g"), wb.MoveCursor(3), wb.TypeRequires("a "),
                 wb.TypeShape("node/slot/core ")):  # fmt: skip
        assert after(state, edit).outlook is state.outlook
    assert after(state, wb.TypeRequires("g")).outlook is not state.outlook


def test_an_unfinished_shape_keeps_the_last_verdict() -> None:
    state = start("node=4/slot/core")
    for text in ("/", "node=5/slot/", "node=5/slot/co", "node=0/slot/core"):
        stale = after(state, wb.TypeShape(text))
        assert stale.outlook.stale, text
        assert stale.outlook.fit is state.outlook.fit
        assert stale.outlook.asked is state.outlook.asked
    again = after(stale, wb.TypeShape("node=3/slot/core"))
    assert not again.outlook.stale
    assert again.outlook.fit is not state.outlook.fit
    assert after(again, wb.TypeShape("")).outlook.fit is None
    for text in ("n", "no", "node=", "node/slot/co"):  # nothing was finished before
        assert start(text).outlook.own is None


@for_each("requires, unfinished", [("a", "a&"), ("", "&")])
def test_an_unfinished_constraint_is_answered_by_the_last_one(
    requires: str, unfinished: str
) -> None:
    state = start("node=4/slot/core", requires)
    stale = after(state, wb.TypeRequires(unfinished))
    assert (stale.outlook.stale, stale.outlook.fit) == (True, state.outlook.fit)
    other = after(stale, wb.TypeShape("node=100000/slot/core"))
    assert (other.outlook.stale, feasible(other)) == (True, False)
    whole = after(other, wb.TypeRequires(requires))
    assert (whole.outlook.stale, feasible(whole)) == (False, False)
    assert feasible(start("node/slot/core", unfinished)) is True


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


def test_the_plugins_of_flux_change_the_verdict() -> None:
    config = {**CONFIG, "ingest": {"validator": {"plugins": ["jobspec", "feasibility"]}}}
    state = wb.start(cluster(config), "node=4/slot/core")
    assert state.outlook.admitted is True
    refused = after(state, wb.TypeShape("node=4/slot/core=9")).outlook  # no room is a refusal
    assert refused.admitted is False
    assert refused.own is not None
    assert refused.own.refusals[-1].kind == "feasibility"
    assert "unsatisfiable request" in refused.own.refusals[-1].words
    config = {**CONFIG, "ingest": {"frobnicator": {"plugins": ["defaults"]}}}
    state = wb.start(cluster(config), "node=6/slot/core")  # no constraint of the queue
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


def test_a_chosen_queue_is_a_step_to_undo() -> None:
    first = wb.History(start("node/slot/core"))
    history = done(first, wb.TypeShape("node=2/slot/core"), wb.ChooseQueue("g"))
    assert history.do(wb.LookAtQueue("a")).past == history.past
    turned = history.do(wb.TurnQueue("g", "started"))
    assert not turned.state.outlook.statuses["g"].started
    assert turned.undo().state.submission == history.state.submission
    back = history.undo()
    assert (back.state.submission.queue, back.state.build.text) == (None, "node=2/slot/core")
    assert back.undo().state.build.text == "node/slot/core"
    assert back.redo().state.submission.queue == "g"


def test_the_queue_of_a_document_gives_way_to_the_chosen_one() -> None:
    attributes = {"system": {"duration": 5, "queue": "g"}, "user": {"x": 1}}
    document = {**job("node/slot/core"), "attributes": attributes}
    submission = wb.Submission(queue="g")
    state = wb.start(cluster(), "node/slot/core", "", wb.Job(document), submission)
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
    assert cluster().types == ANY
