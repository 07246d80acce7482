"""What will become of the job, in the state of the workbench."""

from dataclasses import replace
from typing import Any

import pytest

from fluxtui import workbench
from fluxtui.answers.admission import Person
from fluxtui.model import graph, queues, resources
from fluxtui.model.queue_status import Status
from fluxtui.workbench import (
    ChooseQueue,
    Cluster,
    FindRoom,
    History,
    LookAtQueue,
    OpenCluster,
    SetStatus,
    Source,
    State,
    Submission,
    TypeRequires,
    TypeShape,
    find_room,
    rooms,
    step,
    steps,
)

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


def test_another_queue_has_other_nodes_and_other_limits() -> None:
    state = step(start("node/slot/[core;gpu]"), ChooseQueue("g"))
    assert feasible(state) is True
    assert state.outlook.admitted is True
    state = step(state, TypeShape("node=2/slot/[core;gpu]"))
    assert feasible(state) is True
    assert state.outlook.admitted is False
    assert state.outlook.own is not None
    assert [refusal.kind for refusal in state.outlook.own.refusals] == ["max nnodes"]
    # Refused as it is, the room is still looked for on the queue's own nodes.
    assert state.outlook.allowed == 0b110000
    assert feasible(step(state, TypeShape("node=3/slot/core"))) is False


def test_the_constraint_and_the_queue_leave_what_both_leave() -> None:
    state = step(start("node=2/slot/core", "both"), ChooseQueue("g"))
    assert state.outlook.allowed == 0b010000
    assert state.ask.mask == 0b011000
    assert feasible(state) is False


def test_every_queue_is_asked_for_room() -> None:
    state = start("node/slot/gpu")
    # Without a core sched-simple reads no slot; Fluxion does.
    assert rooms(state) == {"a": False, "g": True, "v": False, "shut": True}
    assert rooms(step(state, TypeShape(""))) == {}
    assert rooms(workbench.start(cluster({}), "node/slot/core")) == {}


def test_a_queue_that_is_not_there() -> None:
    state = step(start("node/slot/core"), ChooseQueue("nope"))
    assert state.outlook.admitted is False
    assert state.outlook.queue == "nope"
    assert feasible(state) is True


def test_who_submits_counts() -> None:
    for person, admitted in (
        (None, None),
        (Person("bob", ()), False),
        (Person("alice", ()), True),
    ):
        state = start("node/slot/core", queue="shut", person=person)
        assert state.outlook.admitted is admitted


def test_what_if_a_queue_stood_otherwise() -> None:
    state = start("node/slot/core")
    state = step(state, SetStatus("a", state.turned("a", "enabled")))
    assert state.outlook.admitted is False
    assert state.outlook.statuses["a"].disable_reason == "disabled by hand"
    state = step(state, SetStatus("a", state.turned("a", "enabled")))
    assert state.outlook.admitted is True
    state = step(state, SetStatus("a", state.turned("a", "started")))
    assert state.outlook.own is not None
    assert state.outlook.own.schedules is False
    child = state.outlook.statuses["v"]
    assert (child.started, child.blocked) == (False, "parent")
    state = step(state, SetStatus("a", state.turned("a", "started")))
    assert state.outlook.statuses["v"] == Status(parent="a")


def test_a_status_set_to_what_it_is_changes_nothing() -> None:
    state = start("node/slot/core")
    state = step(state, SetStatus("a", Status(enabled=False)))
    assert step(state, SetStatus("a", Status(enabled=False))) is state
    assert step(state, ChooseQueue(None)) is state
    assert step(state, LookAtQueue(None)) is state


def test_only_what_depends_on_an_edit_is_worked_out_again() -> None:
    state = start("node/slot/core", "a")
    assert step(state, LookAtQueue("g")).outlook is state.outlook
    assert step(state, workbench.MoveCursor(3)).outlook is state.outlook
    assert step(state, TypeRequires("g")).outlook is not state.outlook


def test_an_unfinished_text_keeps_the_last_verdict() -> None:
    state = start("node=4/slot/core")
    stale = step(state, TypeShape("/"))
    assert stale.outlook.stale
    assert stale.outlook.fit is state.outlook.fit
    again = step(stale, TypeShape("node=3/slot/core"))
    assert not again.outlook.stale
    assert again.outlook.fit is not state.outlook.fit
    assert step(again, TypeShape("")).outlook.fit is None


def test_room_that_was_found_late_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "MAX_QUICK", 0)
    vertices = [("cluster", -1), ("node", 0), ("core", 1)]
    document = {
        "graph": {
            "nodes": [
                {"id": str(n), "metadata": {"type": kind, "id": 0, "rank": 0 if n == 1 else -1}}
                for n, (kind, _) in enumerate(vertices)
            ],
            "edges": [
                {"source": str(parent), "target": str(n)}
                for n, (_, parent) in enumerate(vertices)
                if parent >= 0
            ],
        }
    }
    on = Cluster.of(Source("graph"), resources.read(document))
    assert on.graph is not None
    assert graph.read(document["graph"]).ok
    state = workbench.start(on, "node/slot/core")
    assert state.outlook.due
    assert state.outlook.fit is None
    found = find_room(on, state.outlook)
    assert found.feasible is True
    later = step(state, TypeShape("node=2/slot/core"))
    assert step(later, FindRoom(state.outlook, found)) is later
    done = step(state, FindRoom(state.outlook, found))
    assert (done.outlook.fit, done.outlook.due, done.outlook.stale) == (found, False, False)
    again = step(done, TypeShape("node=2/slot/core"))
    assert (again.outlook.due, again.outlook.stale, again.outlook.fit) == (True, True, found)


def test_opening_another_cluster_asks_again() -> None:
    state = start("node=4/slot/core", queue="g")
    after = step(step(state, LookAtQueue("g")), OpenCluster(cluster({})))
    assert after.looked_at is None
    assert after.submission.queue == "g"
    assert after.outlook.admitted is False  # no such queue there
    bare = step(state, OpenCluster(Cluster.of(Source("none"), resources.Resources())))
    assert bare.outlook.fit is None


def test_where_flux_looks_for_room_first_no_room_is_a_refusal() -> None:
    config = {**CONFIG, "ingest": {"validator": {"plugins": ["jobspec", "feasibility"]}}}
    state = workbench.start(cluster(config), "node=4/slot/core")
    assert state.outlook.admitted is True
    assert step(state, TypeShape("node=4/slot/core=9")).outlook.admitted is False


def test_a_chosen_queue_is_a_step_to_undo() -> None:
    history = History(start("node/slot/core"))
    history = history.do(TypeShape("node=2/slot/core")).do(ChooseQueue("g"))
    assert history.do(LookAtQueue("a")).past == history.past
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
        cluster(), "node/slot/core", "", document, submission=Submission(queue="g")
    )
    assert state.jobspec()["attributes"] == {
        "system": {"duration": 5, "queue": "g"},
        "user": {"x": 1},
    }
    state = replace(step(state, ChooseQueue(None)))
    assert state.jobspec()["attributes"]["system"] == {"duration": 5}
