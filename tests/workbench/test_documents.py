"""Several documents that are open at once, in the state of the workbench."""

from dataclasses import fields
from typing import Any, ClassVar

import pytest

from fluxtui import workbench
from fluxtui.answers.compare import changes
from fluxtui.model.resources.document import read
from fluxtui.model.resources.resource_set import Resources
from fluxtui.workbench import (
    ChooseQueue,
    CloseDocument,
    Cluster,
    Compared,
    CompareDocuments,
    EditRequires,
    GoToDocument,
    History,
    KeepConstraint,
    LookAtQueue,
    MoveCursor,
    OpenCluster,
    Select,
    Source,
    State,
    start,
    step,
)
from fluxtui.workbench.documents import nothing
from tests.opened import demo


def resources(nodes: int, **properties: str) -> Resources:
    execution: dict[str, Any] = {
        "R_lite": [{"rank": f"0-{nodes - 1}", "children": {"core": "0-3"}}],
        "nodelist": [f"n[0-{nodes - 1}]"],
        "properties": properties or {"gpu": "0-1"},
    }
    return read({"version": 1, "execution": execution})


def cluster(name: str, nodes: int = 8, path: str | None = "", **properties: str) -> Cluster:
    path = f"/data/{name}" if path == "" else path
    return Cluster.of(Source(name, path), resources(nodes, **properties))


A, B, C = cluster("a", 8), cluster("b", 12), cluster("c", 4)


def opened(*clusters: Cluster, **more: Any) -> State:
    state = start(clusters[0], **more)
    for one in clusters[1:]:
        state = step(state, OpenCluster(one))
    return state


def names(state: State) -> list[str]:
    return [document.cluster.source.name for document in state.documents]


def compared(one: Cluster, other: Cluster) -> Compared:
    found = changes(one.resources, other.resources)
    assert found is not None
    return Compared(one, other, found, ())


# Opening


def test_opening_adds_a_document_and_goes_there() -> None:
    assert start().documents == ()
    assert names(step(start(), OpenCluster(A))) == ["a"]
    state = opened(A, B, C)
    assert names(state) == ["a", "b", "c"]
    assert (state.cluster, state.place) == (C, 2)


def test_one_that_is_opened_behind_leaves_the_one_in_force() -> None:
    on = step(opened(A), MoveCursor(3))
    state = step(step(on, OpenCluster(B, behind=True)), OpenCluster(C, behind=True))
    assert names(state) == ["a", "b", "c"]
    assert (state.cluster, state.place, state.cursor) == (A, 0, 3)
    state = step(state, GoToDocument(2))
    assert (state.cluster, state.cursor) == (C, 0)
    again, anew = cluster("b", 3), cluster("c", 7)
    state = step(state, OpenCluster(again, behind=True))
    assert names(state) == ["a", "b", "c"]
    assert (state.cluster, state.documents[1].cluster) == (C, again)
    assert names(step(state, OpenCluster(cluster("none", 0), behind=True))) == [*"abc", "none"]
    assert step(state, OpenCluster(nothing(), behind=True)) is state
    assert step(state, OpenCluster(anew, behind=True)).cluster is anew  # there is no other one
    alone = step(step(opened(A), CloseDocument(0)), OpenCluster(B, behind=True))
    assert (names(alone), alone.cluster, alone.cursor) == (["b"], B, 0)


def test_what_is_added_and_what_gives_way() -> None:
    one, other = cluster("pasted", 2, None), cluster("pasted", 3, None)
    assert names(opened(A, one, other)) == ["a", "pasted", "pasted"]  # it comes from no file
    beside = Cluster.of(one.source, one.resources)  # with another configuration
    state = step(opened(A, one), OpenCluster(beside))
    assert names(state) == ["a", "pasted"]
    assert state.cluster is beside
    assert names(opened(demo(), A)) == ["a"]
    assert names(opened(A, demo(), B)) == ["a", "demo cluster dune (built in)", "b"]
    assert len(opened(A, demo(), demo()).documents) == 2


# Going there


def test_each_keeps_its_cursor_and_selection() -> None:
    state = opened(A, B)
    for edit in (MoveCursor(5), Select(0b110), GoToDocument(0)):
        state = step(state, edit)
    assert (state.cluster, state.cursor, state.selected) == (A, 0, 0)
    for edit in (MoveCursor(2), Select(0b1), GoToDocument(1)):
        state = step(state, edit)
    assert (state.cluster, state.cursor, state.selected) == (B, 5, 0b110)
    state = step(state, GoToDocument(0))
    assert (state.cluster, state.cursor, state.selected) == (A, 2, 0b1)


def test_a_queue_that_only_one_document_has_stays_in_the_job() -> None:
    state = opened(A, demo())
    state = step(step(state, ChooseQueue("batch")), EditRequires("gpu"))
    there = step(state, GoToDocument(0))
    assert (there.submission.queue, there.known_queue) == ("batch", None)
    back = step(there, GoToDocument(1))
    assert (back.submission.queue, back.known_queue) == ("batch", "batch")
    looked = step(step(state, LookAtQueue("batch")), GoToDocument(0))
    assert looked.looked_at is None


# Closing


@pytest.mark.parametrize(
    ("here", "number", "left", "there"),
    [
        (2, 2, ["a", "b"], "b"),
        (1, 1, ["a", "c"], "c"),
        (0, 0, ["b", "c"], "b"),
        (2, 0, ["b", "c"], "c"),
        (0, 2, ["a", "b"], "a"),
        (0, 3, ["a", "b", "c"], "a"),
        (0, -1, ["a", "b", "c"], "a"),
    ],
)
def test_closing(here: int, number: int, left: list[str], there: str) -> None:
    state = step(step(opened(A, B, C), GoToDocument(here)), CloseDocument(number))
    assert names(state) == left
    assert state.cluster.source.name == there


def test_closing_goes_to_where_a_person_was_in_the_next() -> None:
    state = step(step(opened(A, B), MoveCursor(7)), GoToDocument(0))
    state = step(step(state, EditRequires("gpu")), CloseDocument(0))
    assert (state.cluster, state.cursor) == (B, 7)
    state = step(state, CloseDocument(0))
    assert state.documents == ()
    assert (state.cluster.resources.node_count, state.cursor, state.ask.mask) == (0, None, 0)
    assert state.ask.text == "gpu"
    state = step(state, OpenCluster(B))
    assert (names(state), state.ask.mask) == (["b"], 0b11)


def test_what_is_closed_is_let_go() -> None:
    class Seen(Resources):
        gone: ClassVar[list[str]] = []

        def __del__(self) -> None:
            self.gone.append("gone")

    def open_and_close() -> History:
        found = resources(8)
        seen = Seen(**{f.name: getattr(found, f.name) for f in fields(found) if f.name[0] != "_"})
        history = History(start(A))
        history = history.do(OpenCluster(Cluster.of(Source("seen", "/seen"), seen)))
        for text in ("gpu", "rank:2", "gpu|rank:3"):
            history = history.do(EditRequires(text))
        history = history.do(KeepConstraint()).do(EditRequires("")).undo()
        history = history.do(workbench.SwapConstraints()).do(EditRequires("rank:1")).undo()
        return history.do(CloseDocument(1))

    history = open_and_close()
    assert Seen.gone == ["gone"]
    history = history.undo().undo()
    assert history.state.cluster is A
    assert history.state.ask.mask == read_mask(history.state.ask.text)


def read_mask(text: str) -> int:
    return step(start(A), EditRequires(text)).ask.mask


def test_undo_is_about_what_was_typed_on_whatever_is_open() -> None:
    history = History(start(A)).do(EditRequires("rank:9")).do(OpenCluster(B)).do(MoveCursor(3))
    assert history.state.ask.mask == 1 << 9
    history = history.do(EditRequires("gpu")).do(GoToDocument(0))
    history = history.undo()
    assert (history.state.cluster, history.state.ask.text) == (A, "rank:9")
    assert history.state.ask.mask == 0
    history = history.do(GoToDocument(1))
    assert (history.state.ask.mask, history.state.cursor) == (1 << 9, 3)


# Two compared


@pytest.mark.parametrize(
    ("edit", "goes_on"),
    [
        (CompareDocuments(None), False),
        (GoToDocument(1), True),
        (MoveCursor(3), True),
        (EditRequires("gpu"), True),
        (GoToDocument(0), False),
        (OpenCluster(cluster("d")), False),
        (CloseDocument(0), True),
        (CloseDocument(1), False),
        (CloseDocument(2), False),
    ],
)
def test_two_are_compared_until_that_is_ended(edit: workbench.Edit, goes_on: bool) -> None:
    state = step(opened(C, A, B), CompareDocuments(compared(A, B)))
    assert state.compared is not None
    assert step(state, edit).compared is (state.compared if goes_on else None)


def test_constraints_and_documents_are_not_compared_at_once() -> None:
    state = step(step(opened(A, B), EditRequires("gpu")), KeepConstraint())
    both = step(state, CompareDocuments(compared(A, B)))
    assert both.compared is not None
    assert both.kept is None
    again = step(both, KeepConstraint())
    assert again.compared is None
    assert again.kept is not None
    assert step(both, KeepConstraint(False)) is both


def test_a_document_that_is_read_again_keeps_its_place() -> None:
    again = cluster("b", 10)
    state = step(opened(A, B, C), GoToDocument(1))
    found = changes(B.resources, again.resources)
    assert found is not None
    state = step(step(state, MoveCursor(11)), Select(0b11))
    state = step(state, workbench.ReloadCluster(B, again, found))
    assert [document.cluster for document in state.documents] == [A, again, C]
    assert (state.place, state.selected) == (1, 0b11)
