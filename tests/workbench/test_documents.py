"""Several documents that are open at once, and the open one read again."""

from dataclasses import fields
from typing import Any, ClassVar

from hypothesis import given
from hypothesis import strategies as st

from fluxtui import workbench as wb
from fluxtui.answers.compare import changes
from fluxtui.model import queues
from fluxtui.model.resources.resource_set import Resources
from fluxtui.workbench.documents import nothing
from tests.each import for_each, the
from tests.model.clusters import alike, document, lite
from tests.opened import after, demo, done, of_document


def cluster(name: str, nodes: int = 8, path: str | None = "", **properties: str) -> wb.Cluster:
    path = f"/data/{name}" if path == "" else path
    return of_document(alike(nodes, properties=properties or {"gpu": "0-1"}), name, path=path)


A, B, C = cluster("a", 8), cluster("b", 12), cluster("c", 4)


def opened(*clusters: wb.Cluster) -> wb.State:
    return after(wb.start(clusters[0]), *map(wb.OpenCluster, clusters[1:]))


def names(state: wb.State) -> list[str]:
    return [document.cluster.source.name for document in state.documents]


# Opening


def test_opening_adds_a_document_and_goes_there() -> None:
    assert wb.start().documents == ()
    assert names(after(wb.start(), wb.OpenCluster(A))) == ["a"]
    state = opened(A, B, C)
    assert names(state) == ["a", "b", "c"]
    assert (state.cluster, state.place) == (C, 2)


def test_one_that_is_opened_behind_leaves_the_one_in_force() -> None:
    def behind(state: wb.State, *clusters: wb.Cluster) -> wb.State:
        return after(state, *(wb.OpenCluster(one, behind=True) for one in clusters))

    state = behind(after(opened(A), wb.MoveCursor(3)), B, C)
    assert names(state) == ["a", "b", "c"]
    assert (state.cluster, state.place, state.cursor) == (A, 0, 3)
    state = after(state, wb.GoToDocument(2))
    assert (state.cluster, state.cursor) == (C, 0)
    again, anew = cluster("b", 3), cluster("c", 7)
    state = behind(state, again)
    assert names(state) == ["a", "b", "c"]
    assert (state.cluster, state.documents[1].cluster) == (C, again)
    empty = of_document(document(nodelist=[]), "none", path="/none")
    assert names(behind(state, empty)) == [*"abc", "none"]
    assert behind(state, nothing()) is state
    assert behind(state, anew).cluster is anew  # there is no other one
    alone = behind(after(opened(A), wb.CloseDocument(0)), B)
    assert (names(alone), alone.cluster, alone.cursor) == (["b"], B, 0)


def test_what_is_added_and_what_gives_way() -> None:
    one, other = cluster("pasted", 2, None), cluster("pasted", 3, None)
    assert names(opened(A, one, other)) == ["a", "pasted", "pasted"]  # it comes from no file
    beside = wb.Cluster.of(one.source, one.resources)  # with another configuration
    state = opened(A, one, beside)
    assert names(state) == ["a", "pasted"]
    assert state.cluster is beside
    assert names(opened(demo(), A)) == ["a"]
    assert names(opened(A, demo(), B)) == ["a", "demo cluster dune (built in)", "b"]
    assert len(opened(A, demo(), demo()).documents) == 2


# Going there


def test_each_keeps_its_cursor_and_selection() -> None:
    state = after(opened(A, B), wb.MoveCursor(5), wb.Select(0b110), wb.GoToDocument(0))
    assert (state.cluster, state.cursor, state.selected) == (A, 0, 0)
    state = after(state, wb.MoveCursor(2), wb.Select(0b1), wb.GoToDocument(1))
    assert (state.cluster, state.cursor, state.selected) == (B, 5, 0b110)
    state = after(state, wb.GoToDocument(0))
    assert (state.cluster, state.cursor, state.selected) == (A, 2, 0b1)


def test_a_queue_that_only_one_document_has_stays_in_the_job() -> None:
    state = after(opened(A, demo()), wb.ChooseQueue("batch"), wb.EditRequires("gpu"))
    there = after(state, wb.GoToDocument(0))
    assert (there.submission.queue, there.known_queue) == ("batch", None)
    back = after(there, wb.GoToDocument(1))
    assert (back.submission.queue, back.known_queue) == ("batch", "batch")
    assert after(state, wb.LookAtQueue("batch"), wb.GoToDocument(0)).looked_at is None


# Closing


@for_each("here, number, left, there", [
    (2, 2, "ab", "b"), (1, 1, "ac", "c"), (0, 0, "bc", "b"), (2, 0, "bc", "c"), (0, 2, "ab", "a"),
    (0, 3, "abc", "a"), (0, -1, "abc", "a"),
])  # fmt: skip
def test_closing(here: int, number: int, left: str, there: str) -> None:
    state = after(opened(A, B, C), wb.GoToDocument(here), wb.CloseDocument(number))
    assert names(state) == list(left)
    assert state.cluster.source.name == there


def test_closing_goes_to_where_a_person_was_in_the_next() -> None:
    state = after(
        *(opened(A, B), wb.MoveCursor(7), wb.GoToDocument(0)),
        *(wb.EditRequires("gpu"), wb.CloseDocument(0)),
    )
    assert (state.cluster, state.cursor) == (B, 7)
    state = after(state, wb.CloseDocument(0))
    assert state.documents == ()
    assert (state.cluster.resources.node_count, state.cursor, state.ask.mask) == (0, None, 0)
    assert state.ask.text == "gpu"
    state = after(state, wb.OpenCluster(B))
    assert (names(state), state.ask.mask) == (["b"], 0b11)


def test_what_is_closed_is_let_go() -> None:
    class Seen(Resources):
        gone: ClassVar[list[str]] = []

        def __del__(self) -> None:
            self.gone.append("gone")

    def open_and_close() -> wb.History:
        found = B.resources
        seen = Seen(**{f.name: getattr(found, f.name) for f in fields(found) if f.name[0] != "_"})
        on = wb.OpenCluster(wb.Cluster.of(wb.Source("seen", "/seen"), seen))
        texts = map(wb.EditRequires, ("gpu", "rank:2", "gpu|rank:3"))
        history = done(wb.History(wb.start(A)), on, *texts)
        history = done(history, wb.KeepConstraint(), wb.EditRequires("")).undo()
        history = done(history, wb.SwapConstraints(), wb.EditRequires("rank:1")).undo()
        return history.do(wb.CloseDocument(1))

    history = open_and_close()
    assert Seen.gone == ["gone"]
    history = history.undo().undo()
    assert history.state.cluster is A
    again = after(wb.start(A), wb.EditRequires(history.state.ask.text))
    assert history.state.ask.mask == again.ask.mask


def test_undo_is_about_what_was_typed_on_whatever_is_open() -> None:
    edits = (wb.EditRequires("rank:9"), wb.OpenCluster(B), wb.MoveCursor(3))
    history = done(wb.History(wb.start(A)), *edits)
    assert history.state.ask.mask == 1 << 9
    history = done(history, wb.EditRequires("gpu"), wb.GoToDocument(0)).undo()
    assert (history.state.cluster, history.state.ask.text) == (A, "rank:9")
    assert history.state.ask.mask == 0
    history = history.do(wb.GoToDocument(1))
    assert (history.state.ask.mask, history.state.cursor) == (1 << 9, 3)


# Two compared


def compare(state: wb.State, one: wb.Cluster, other: wb.Cluster) -> wb.State:
    """The state with two of its documents compared."""
    found = the(changes(one.resources, other.resources))
    return after(state, wb.CompareDocuments(wb.Compared(one, other, found, ())))


@for_each("edit, goes_on", [
    (wb.CompareDocuments(None), False), (wb.GoToDocument(1), True), (wb.MoveCursor(3), True),
    (wb.EditRequires("gpu"), True), (wb.GoToDocument(0), False),
    (wb.OpenCluster(cluster("d")), False), (wb.CloseDocument(0), True),
    (wb.CloseDocument(1), False), (wb.CloseDocument(2), False),
])  # fmt: skip
def test_two_are_compared_until_that_is_ended(edit: wb.Edit, goes_on: bool) -> None:
    state = compare(opened(C, A, B), A, B)
    assert after(state, edit).compared is (the(state.compared) if goes_on else None)


def test_constraints_and_documents_are_not_compared_at_once() -> None:
    state = after(opened(A, B), wb.EditRequires("gpu"), wb.KeepConstraint())
    both = compare(state, A, B)
    assert both.compared is not None
    assert both.kept is None
    again = after(both, wb.KeepConstraint())
    assert again.compared is None
    assert again.kept is not None
    assert after(both, wb.KeepConstraint(False)) is both


# The open document read again: what a person had in hand is kept by what the nodes are

CONFIG = queues.read_config({"queues": {"a": {}, "b": {}}})


def listed(
    hosts: str, config: queues.Config | None = CONFIG, ranks: str = "", name: str = "R.json"
) -> wb.Cluster:
    """A cluster of these hosts; those that begin with g have the property gpu."""
    given = hosts.split()
    gpus = ",".join(str(place) for place, host in enumerate(given) if host.startswith("g"))
    every = ranks or ",".join(map(str, range(len(given))))
    properties = {"gpu": gpus} if gpus else {}
    raw = document(lite(every), nodelist=given, properties=properties)
    return of_document(raw, name, config, f"/{name}")


def reloading(before: wb.Cluster, again: wb.Cluster) -> wb.ReloadCluster:
    found = the(changes(before.resources, again.resources))
    return wb.ReloadCluster(before, again, found)


def reloaded(state: wb.State, again: wb.Cluster) -> wb.State:
    return after(state, reloading(state.cluster, again))


def selected(state: wb.State) -> list[str]:
    """The hosts that are selected."""
    found = state.cluster.resources
    return [found.host(i) for i in range(found.node_count) if state.selected >> i & 1]


def under_cursor(state: wb.State) -> str | None:
    return None if state.cursor is None else state.cluster.resources.host(state.cursor)


def begun(hosts: str, *edits: wb.Edit) -> wb.State:
    return after(wb.start(listed(hosts)), *edits)


def test_cursor_selection_constraint_and_place_follow_the_hosts() -> None:
    edits = (
        *(wb.TypeRequires("gpu"), wb.MoveCursor(3), wb.Select(0b0101)),
        *(wb.LookAtQueue("b"), wb.KeepConstraint()),
    )
    first, last = listed("x", name="first"), listed("x", name="last")
    on = (wb.OpenCluster(listed("n0 n1 g0 g1")), *edits, wb.OpenCluster(last, behind=True))
    state = after(wb.start(first), *on)
    again = reloaded(state, listed("new g1 g0 n0 g7"))
    assert (under_cursor(again), selected(again)) == ("g1", ["g0", "n0"])
    assert (again.ask.text, again.ask.mask, again.looked_at) == ("gpu", 0b10110, "b")
    assert the(again.kept).mask == 0b10110
    assert [one.cluster for one in again.documents] == [first, again.cluster, last]
    assert again.place == 1


@for_each("before, cursor, hosts, under", [
    ("n0 n1 n2 n3", 1, "n0 n2 n3", "n2"), ("n0 n1 n2", 2, "n0 n1", "n1"), ("n0 n1", 1, "x y", "x"),
])  # fmt: skip
def test_where_its_node_is_gone_the_cursor_goes_to_the_next(
    before: str, cursor: int, hosts: str, under: str
) -> None:
    state = begun(before, wb.MoveCursor(cursor))
    assert under_cursor(reloaded(state, listed(hosts))) == under


def test_where_hosts_do_not_tell_nodes_apart_their_ranks_do() -> None:
    before = wb.start(listed("n n n n", None, "2-5"))
    state = after(before, wb.Select(0b0011), wb.MoveCursor(1))
    again = reloaded(state, listed("n n n", ranks="3,5,9"))
    assert (again.selected, again.cursor) == (0b001, 0)


def test_queues_that_are_still_there_stay_as_they_were_put() -> None:
    turned = (wb.TurnQueue("a", "enabled"), wb.TurnQueue("b", "started"))
    state = begun("n0 n1", wb.ChooseQueue("a"), *turned, wb.LookAtQueue("b"))
    again = reloaded(state, listed("n0", queues.read_config({"queues": {"a": {}}})))
    assert again.submission.queue == "a"
    assert again.submission.what_if.keys() == {"a"}
    assert again.looked_at is None
    none = reloaded(state, listed("n0", None))
    assert none.submission.queue == "a"  # it is the job's
    assert none.submission.what_if == {}


def test_what_was_typed_can_still_be_taken_back() -> None:
    state, again = begun("n0 n1 g0"), listed("g0 g1 n1")
    edits: list[Any] = [wb.TypeRequires("gpu"), wb.EditRequires("gpu|host:n0")]
    history = done(wb.History(state), *edits, reloading(state.cluster, again))
    assert history.state.ask.mask == 0b011
    history = history.undo()
    assert (history.state.ask.text, history.state.ask.mask) == ("gpu", 0b011)
    history = history.undo().redo().redo()
    assert history.state.ask.text == "gpu|host:n0"
    assert history.state.cluster is again


def test_a_document_that_is_not_the_open_one_any_more_changes_nothing() -> None:
    state = begun("n0 n1")
    assert after(state, reloading(listed("n0 n1"), listed("n0"))) is state


HOSTS = st.lists(st.sampled_from([f"n{i}" for i in range(9)]), min_size=1, unique=True)


@given(HOSTS, HOSTS, st.integers(0, 511), st.integers(0, 8))
def test_it_is_what_names_one_by_one_give(
    before: list[str], hosts: list[str], mask: int, cursor: int
) -> None:
    state = begun(" ".join(before), wb.Select(mask), wb.MoveCursor(cursor))
    chosen, under = set(selected(state)), under_cursor(state)
    then = reloaded(state, listed(" ".join(hosts)))
    assert set(selected(then)) == chosen & set(hosts)
    assert under_cursor(then) == under if under in hosts else under_cursor(then) in hosts
