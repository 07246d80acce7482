"""The open document read again: what a person had in hand is kept by what the nodes are."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui import workbench
from fluxtui.answers.compare import changes
from fluxtui.model import queues
from fluxtui.model.queues import Config
from fluxtui.model.resources import document as resources
from fluxtui.workbench import Cluster, History, Source, State

SOURCE = Source("R.json", "/R.json")
CONFIG = queues.read_config({"queues": {"a": {}, "b": {}}})


def cluster(hosts: list[str], config: Config | None = CONFIG, ranks: str = "") -> Cluster:
    """A cluster of these hosts; those that begin with g have the property gpu."""
    gpus = [str(place) for place, host in enumerate(hosts) if host.startswith("g")]
    every = ",".join(map(str, range(len(hosts))))
    document: dict[str, Any] = {
        "version": 1,
        "execution": {
            "R_lite": [{"rank": ranks or every, "children": {"core": "0-3"}}],
            "nodelist": hosts,
            "properties": {"gpu": ",".join(gpus)} if gpus and not ranks else {},
        },
    }
    return Cluster.of(SOURCE, resources.read(document), config)


def reloaded(state: State, after: Cluster) -> State:
    before = state.cluster
    found = changes(before.resources, after.resources)
    assert found is not None
    return workbench.step(state, workbench.ReloadCluster(before, after, found))


def selected(state: State) -> list[str]:
    """The hosts that are selected."""
    found = state.cluster.resources
    return [found.host(i) for i in range(found.node_count) if state.selected >> i & 1]


def under_cursor(state: State) -> str | None:
    return None if state.cursor is None else state.cluster.resources.host(state.cursor)


def begun(hosts: list[str], *edits: workbench.Edit) -> State:
    state = workbench.start(cluster(hosts))
    for edit in edits:
        state = workbench.step(state, edit)
    return state


def test_cursor_selection_and_constraint_follow_the_hosts() -> None:
    state = begun(
        ["n0", "n1", "g0", "g1"],
        workbench.TypeRequires("gpu"),
        workbench.MoveCursor(3),
        workbench.Select(0b0101),
        workbench.LookAtQueue("b"),
        workbench.KeepConstraint(),
    )
    after = reloaded(state, cluster(["new", "g1", "g0", "n0", "g7"]))
    assert (under_cursor(after), selected(after)) == ("g1", ["g0", "n0"])
    assert (after.ask.text, after.ask.mask, after.looked_at) == ("gpu", 0b10110, "b")
    assert after.kept is not None
    assert after.kept.mask == 0b10110


@pytest.mark.parametrize(
    ("before", "cursor", "after", "under"),
    [
        ("n0 n1 n2 n3", 1, "n0 n2 n3", "n2"),
        ("n0 n1 n2", 2, "n0 n1", "n1"),
        ("n0 n1", 1, "x y", "x"),
    ],
)
def test_where_its_node_is_gone_the_cursor_goes_to_the_next(
    before: str, cursor: int, after: str, under: str
) -> None:
    state = begun(before.split(), workbench.MoveCursor(cursor))
    assert under_cursor(reloaded(state, cluster(after.split()))) == under


def test_where_hosts_do_not_tell_nodes_apart_their_ranks_do() -> None:
    before = Cluster.of(SOURCE, cluster(["n"] * 4, ranks="2-5").resources)
    state = workbench.step(workbench.start(before), workbench.Select(0b0011))
    state = workbench.step(state, workbench.MoveCursor(1))
    after = reloaded(state, cluster(["n"] * 3, ranks="3,5,9"))
    assert after.selected == 0b001
    assert after.cursor == 0


def test_queues_that_are_still_there_stay_as_they_were_put() -> None:
    state = begun(
        ["n0", "n1"],
        workbench.ChooseQueue("a"),
        workbench.TurnQueue("a", "enabled"),
        workbench.TurnQueue("b", "started"),
        workbench.LookAtQueue("b"),
    )
    after = reloaded(state, cluster(["n0"], queues.read_config({"queues": {"a": {}}})))
    assert after.submission.queue == "a"
    assert after.submission.what_if.keys() == {"a"}
    assert after.looked_at is None
    none = reloaded(state, cluster(["n0"], None))
    assert none.submission.queue == "a"  # it is the job's
    assert none.submission.what_if == {}


def test_what_was_typed_can_still_be_taken_back() -> None:
    history = History(begun(["n0", "n1", "g0"]))
    for edit in (workbench.TypeRequires("gpu"), workbench.EditRequires("gpu|host:n0")):
        history = history.do(edit)
    after = cluster(["g0", "g1", "n1"])
    found = changes(history.state.cluster.resources, after.resources)
    assert found is not None
    history = history.do(workbench.ReloadCluster(history.state.cluster, after, found))
    assert history.state.ask.mask == 0b011
    history = history.undo()
    assert (history.state.ask.text, history.state.ask.mask) == ("gpu", 0b011)
    history = history.undo().redo().redo()
    assert history.state.ask.text == "gpu|host:n0"
    assert history.state.cluster is after


def test_a_document_that_is_not_the_open_one_any_more_changes_nothing() -> None:
    state = begun(["n0", "n1"])
    found = changes(state.cluster.resources, state.cluster.resources)
    assert found is not None
    edit = workbench.ReloadCluster(cluster(["n0", "n1"]), cluster(["n0"]), found)
    assert workbench.step(state, edit) is state


HOSTS = st.lists(st.sampled_from([f"n{i}" for i in range(9)]), min_size=1, unique=True)


@given(HOSTS, HOSTS, st.integers(0, 511), st.integers(0, 8))
def test_it_is_what_names_one_by_one_give(
    before: list[str], after: list[str], mask: int, cursor: int
) -> None:
    state = begun(before, workbench.Select(mask), workbench.MoveCursor(cursor))
    chosen, under = set(selected(state)), under_cursor(state)
    then = reloaded(state, cluster(after))
    assert set(selected(then)) == chosen & set(after)
    if under in after:
        assert under_cursor(then) == under
    else:
        assert under_cursor(then) in after
