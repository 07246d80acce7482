"""What will become of the job, in the state of the workbench."""

import itertools
from typing import Any

import pytest

from fluxtui import workbench as wb
from fluxtui.notation.shape.completion import ANY, USUAL
from tests.answers.feasibility.graphs import jgf, some
from tests.answers.feasibility.graphs import vertex as vertices
from tests.each import for_each, the
from tests.model.clusters import edge, vertex
from tests.model.jobspecs import job
from tests.model.topologies import xeon
from tests.opened import after, of_document
from tests.workbench.test_sessions import QUEUES, queued


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
