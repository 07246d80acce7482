"""What will become of the job, in the state of the workbench."""

import itertools
from typing import Any

import pytest

from fluxtui import workbench
from fluxtui.model import queues
from fluxtui.model.queues import Status
from fluxtui.model.resources import document as resources
from fluxtui.workbench import (
    ChooseQueue,
    Cluster,
    FindRoom,
    History,
    LookAtQueue,
    OpenCluster,
    Source,
    State,
    Submission,
    TurnQueue,
    TypeRequires,
    TypeShape,
    find_outlook,
    prospect,
    step,
)
from tests.each import for_each

R = {
    "version": 1,
    "execution": {
        "R_lite": [
            {"rank": "0-3", "children": {"core": "0-7"}},
            {"rank": "4-5", "children": {"core": "0-3", "gpu": "0-1"}},
        ],
        "nodelist": ["n[0-5]"],
        "properties": {"a": "0-3", "g": "4-5", "both": "3-4"},
    },
}
CONFIG: dict[str, Any] = {
    "policy": {"jobspec": {"defaults": {"system": {"queue": "a", "duration": "1h"}}}},
    "queues": {
        "a": {"requires": ["a"]},
        "g": {"requires": ["g"], "policy": {"limits": {"job-size": {"max": {"nnodes": 1}}}}},
        "v": {"parent": "a"},
        "shut": {"policy": {"access": {"allow-user": ["alice"]}}},
    },
}


def cluster(config: dict[str, Any] | None = None) -> Cluster:
    """Four nodes of 8 cores, two of 4 cores and 2 gpus, and some queues."""
    found = queues.read_config(CONFIG if config is None else config)
    return Cluster.of(Source("test"), resources.read(R), found)


def start(shape: str, requires: str = "", **submission: Any) -> State:
    return workbench.start(cluster(), shape, requires, submission=Submission(**submission))


def feasible(state: State) -> bool | None:
    assert state.outlook.fit is not None
    return state.outlook.fit.feasible


def test_the_job_goes_to_the_default_queue_and_its_nodes() -> None:
    state = start("node=4/slot/core")
    assert state.outlook.queue == "a"
    assert state.outlook.allowed == 0b1111
    assert feasible(state) is True
    assert feasible(step(state, TypeShape("node=5/slot/core"))) is False
    system = state.outlook.jobspec["attributes"]["system"]
    assert system["queue"] == "a"
    assert system["duration"] == 3600
    assert system["constraints"] == {"properties": ["a"]}
    assert "queue" not in state.jobspec()["attributes"]["system"]


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ({"q": {"requires": ["x"]}}, "queue q has no node: it requires 'x', which no node has"),
        (
            {"q": {"parent": "p"}, "p": {"requires": ["a", "x", "y"]}},
            "queue q has no node: it requires 'x', 'y', which no node has",
        ),
        (
            {"q": {"requires": ["a", "g", "^both"]}},
            "queue q has no node: none has all that it requires",
        ),
        ({"q": {"requires": ["+q"]}}, "queue q has no node: it requires '+q', which no node has"),
        (
            {"q": {"requires": ["a", *"uvwxyz"]}},
            "queue q has no node: it requires 'u', 'v', 'w', 'x', 'y' and 1 more, "
            "which no node has",
        ),
        ({"q": {"hosts": "m1"}}, "queue q has no node: the cluster has none of its hosts"),
        (
            {"q": {"parent": "p"}, "p": {"hosts": "m1"}},
            "queue q has no node: the cluster has none of its hosts",
        ),
        ({"q": {"requires": ["g"]}}, "none of the 2 nodes of queue q meets the constraint"),
    ],
)
def test_a_queue_without_nodes_is_not_the_fault_of_the_constraint(
    config: dict[str, Any], says: str
) -> None:
    policy = {"jobspec": {"defaults": {"system": {"queue": "q"}}}}
    state = workbench.start(
        cluster({"policy": policy, "queues": config}), "node/slot/core", "a&-both"
    )
    assert state.outlook.fit is not None
    assert state.outlook.fit.own.reasons[0].message == says


def test_every_queue_is_asked_for_room() -> None:
    state = start("node/slot/gpu")
    # Without a core sched-simple reads no slot; Fluxion does.
    assert state.outlook.rooms == {"a": False, "g": True, "v": False, "shut": True}
    assert step(state, TypeShape("")).outlook.rooms == {}
    assert workbench.start(cluster({}), "node/slot/core").outlook.rooms == {"": True}
    assert start("node=2/slot/[core;gpu]").outlook.runs_in("g") is False  # room, and refused


def test_a_queue_that_is_not_there() -> None:
    state = step(start("node/slot/core"), ChooseQueue("nope"))
    assert state.outlook.admitted is False
    assert state.outlook.queue == "nope"
    assert state.outlook.fit is None
    assert state.known_queue is None
    assert state.left == state.ask.mask  # nothing is known of its nodes
    assert state.outlook.runs_in("nope") is False
    assert state.outlook.runs_in("a") is True
    assert step(state, TypeShape("node=5/slot/core")).outlook.runs_in("a") is False


def test_where_no_queues_are_known_a_job_that_names_one_gets_its_answer() -> None:
    alone = Cluster.of(Source("R.json"), cluster({}).resources)
    state = workbench.start(alone, "node=4/slot/core")
    assert state.outlook.admitted is True
    state = step(state, ChooseQueue("g"))
    outlook = state.outlook
    assert (outlook.queue, outlook.admitted, outlook.runs_in("g")) == ("g", None, None)
    assert outlook.fit is not None
    assert outlook.fit.feasible is True
    assert outlook.own is not None
    assert [note.message for note in outlook.own.notes] == [
        "queues unknown: open a configuration with -c"
    ]
    assert state.left == alone.resources.everything
    more = step(state, TypeShape("node=7/slot/core"))
    assert more.outlook.fit is not None
    assert more.outlook.fit.feasible is False
    assert more.outlook.runs_in("g") is False


@pytest.mark.parametrize(
    ("user", "groups", "admitted"),
    [
        (None, None, None),
        ("bob", (), False),
        ("bob", None, False),  # no group may submit, so that of a user is enough
        ("alice", None, True),
    ],
)
def test_who_submits_counts(
    user: str | None, groups: tuple[str, ...] | None, admitted: bool | None
) -> None:
    state = start("node/slot/core", queue="shut", user=user, groups=groups)
    assert state.outlook.admitted is admitted


def test_what_if_a_queue_stood_otherwise() -> None:
    state = start("node/slot/core")
    state = step(state, TurnQueue("a", "enabled"))
    assert state.outlook.admitted is False
    assert state.outlook.statuses["a"].disable_reason == "what if"
    state = step(state, TurnQueue("a", "enabled"))
    assert state.outlook.admitted is True
    state = step(state, TurnQueue("a", "started"))
    assert state.outlook.own is not None
    assert state.outlook.own.schedules is False
    assert state.outlook.runs_in("a") is None
    child = state.outlook.statuses["v"]
    assert (child.started, child.blocked) == (False, "parent")
    state = step(state, TurnQueue("a", "started"))
    assert state.outlook.statuses["v"] == Status(parent="a")
    # It begins with what was read, and ends with the cluster.
    closed = {"a": Status(enabled=False, disable_reason="maintenance")}
    state = start("node/slot/core", statuses=closed)
    turned = step(state, TurnQueue("a", "enabled"))
    after = step(turned, OpenCluster(cluster()))
    for one, admitted in ((state, False), (turned, True), (after, False)):
        assert one.outlook.admitted is admitted
    assert after.outlook.statuses["a"].disable_reason == "maintenance"


@pytest.mark.parametrize(
    "read",
    [
        None,
        Status(enabled=False, disable_reason="maintenance"),
        Status(started=False, stop_reason="maintenance"),
        Status(started=False, stop_reason="parent stopped", blocked="parent", parent="a"),
        Status(started=False, blocked="scheduler"),
    ],
)
def test_what_is_taken_back_is_as_it_was_read(read: Status | None) -> None:
    state = start("node/slot/core", statuses={"v": read} if read is not None else {})
    before = state.outlook.statuses["v"]
    both = step(step(state, TurnQueue("v", "enabled")), TurnQueue("v", "started"))
    one = step(both, TurnQueue("v", "enabled"))
    assert one.submission.what_if.keys() == {"v"}
    supposed = one.submission.what_if["v"]
    assert (supposed.enabled, supposed.disable_reason) == (before.enabled, before.disable_reason)
    after = step(one, TurnQueue("v", "started"))
    assert after.submission == state.submission
    assert after.outlook.statuses == state.outlook.statuses


def test_only_what_depends_on_an_edit_is_worked_out_again() -> None:
    state = start("node/slot/core", "a")
    for nothing in (ChooseQueue(None), LookAtQueue(None)):
        assert step(state, nothing) is state
    for edit in (LookAtQueue("g"), workbench.MoveCursor(3), TypeRequires("a "),
                 TypeShape("node/slot/core ")):  # fmt: skip
        assert step(state, edit).outlook is state.outlook
    assert step(state, TypeRequires("g")).outlook is not state.outlook


def test_an_unfinished_text_keeps_the_last_verdict() -> None:
    state = start("node=4/slot/core")
    for text in ("/", "node=5/slot/", "node=5/slot/co", "node=0/slot/core"):
        stale = step(state, TypeShape(text))
        assert stale.outlook.stale, text
        assert stale.outlook.fit is state.outlook.fit
        assert stale.outlook.asked is state.outlook.asked
    again = step(stale, TypeShape("node=3/slot/core"))
    assert not again.outlook.stale
    assert again.outlook.fit is not state.outlook.fit
    assert step(again, TypeShape("")).outlook.fit is None
    for text in ("n", "no", "node=", "node/slot/co"):  # nothing was finished before
        assert start(text).outlook.own is None


@pytest.mark.parametrize(("requires", "unfinished"), [("a", "a&"), ("", "&")])
def test_an_unfinished_constraint_is_answered_by_the_last_one(
    requires: str, unfinished: str
) -> None:
    state = start("node=4/slot/core", requires)
    stale = step(state, TypeRequires(unfinished))
    assert (stale.outlook.stale, stale.outlook.fit) == (True, state.outlook.fit)
    other = step(stale, TypeShape("node=100000/slot/core"))
    assert (other.outlook.stale, feasible(other)) == (True, False)
    whole = step(other, TypeRequires(requires))
    assert (whole.outlook.stale, feasible(whole)) == (False, False)
    assert feasible(start("node/slot/core", unfinished)) is True


def graph_cluster() -> Cluster:
    """One node of one core, as a resource graph."""
    document = {
        "graph": {
            "nodes": [
                {"id": str(n), "metadata": {"type": kind, "id": 0, "rank": 0 if n == 1 else -1}}
                for n, kind in enumerate(("cluster", "node", "core"))
            ],
            "edges": [{"source": str(n), "target": str(n + 1)} for n in range(2)],
        }
    }
    found = Cluster.of(Source("graph"), resources.read(document))
    assert found.graph is not None
    return found


def test_room_that_was_found_late_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbench.cluster, "MAX_VERTICES", 0)
    on = graph_cluster()
    state = workbench.start(on, "node/slot/core")
    assert state.outlook.due
    assert state.outlook.fit is None
    found = find_outlook(state)
    assert found.fit is not None
    assert found.fit.feasible is True
    later = step(state, TypeShape("node=2/slot/core"))
    assert step(later, FindRoom(state.outlook, found)) is later
    done = step(state, FindRoom(state.outlook, found))
    assert (done.outlook.fit, done.outlook.due, done.outlook.old) == (found.fit, False, False)
    again = step(done, TypeShape("node=2/slot/core"))
    assert (again.outlook.due, again.outlook.old) == (True, True)
    assert again.outlook.fit is found.fit
    elsewhere = step(done, OpenCluster(graph_cluster()))
    assert (elsewhere.outlook.due, elsewhere.outlook.fit) == (True, None)


def test_the_plugins_of_flux_change_the_verdict() -> None:
    config = {**CONFIG, "ingest": {"validator": {"plugins": ["jobspec", "feasibility"]}}}
    state = workbench.start(cluster(config), "node=4/slot/core")
    assert state.outlook.admitted is True
    refused = step(state, TypeShape("node=4/slot/core=9")).outlook  # no room is a refusal
    assert refused.admitted is False
    assert refused.own is not None
    assert refused.own.refusals[-1].kind == "feasibility"
    assert "unsatisfiable request" in refused.own.refusals[-1].words
    config = {**CONFIG, "ingest": {"frobnicator": {"plugins": ["defaults"]}}}
    state = workbench.start(cluster(config), "node=6/slot/core")  # no constraint of the queue
    assert feasible(state) is True
    told = prospect(state.jobspec(), state.cluster)
    assert told.fit is not None
    assert told.fit.feasible is True


@for_each(
    "asked",
    itertools.product(
        ["node=4/slot/core=2", "slot=3/[core;gpu]", "node=9/slot/core"],
        ["", "a", "both&g", "-both", "rank:0-4"],
        [None, "a", "g", "v", "shut"],
    ),
)
def test_the_workbench_and_the_verb_say_the_same(asked: tuple[str, str, str | None]) -> None:
    shape, requires, queue = asked
    state = start(shape, requires, queue=queue, user="bob", groups=())
    told = prospect(state.jobspec(), state.cluster, Submission(user="bob", groups=()))
    for what in ("queue", "own", "admissions", "mask", "allowed", "fit", "rooms"):
        assert getattr(told, what) == getattr(state.outlook, what), what


def test_a_chosen_queue_is_a_step_to_undo() -> None:
    history = History(start("node/slot/core"))
    history = history.do(TypeShape("node=2/slot/core")).do(ChooseQueue("g"))
    assert history.do(LookAtQueue("a")).past == history.past
    turned = history.do(TurnQueue("g", "started"))
    assert not turned.state.outlook.statuses["g"].started
    assert turned.undo().state.submission == history.state.submission
    back = history.undo()
    assert (back.state.submission.queue, back.state.build.text) == (None, "node=2/slot/core")
    assert back.undo().state.build.text == "node/slot/core"
    assert back.redo().state.submission.queue == "g"


def test_the_queue_of_a_document_gives_way_to_the_chosen_one() -> None:
    document = {
        **start("node/slot/core").jobspec(),
        "attributes": {"system": {"duration": 5, "queue": "g"}, "user": {"x": 1}},
    }
    state = workbench.start(
        cluster(), "node/slot/core", "", workbench.Job(document), Submission(queue="g")
    )
    assert state.jobspec()["attributes"] == {
        "system": {"duration": 5, "queue": "g"},
        "user": {"x": 1},
    }
    state = step(state, ChooseQueue(None))
    assert state.jobspec()["attributes"]["system"] == {"duration": 5}
