"""The nodes that are selected, and the constraint that others are compared with or swapped for."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui import workbench
from fluxtui.model.resources import document as resources
from fluxtui.workbench import (
    Cluster,
    Comparison,
    Edit,
    EditRequires,
    History,
    KeepConstraint,
    OpenCluster,
    Select,
    Source,
    State,
    SwapConstraints,
    TypeRequires,
    start,
    step,
)

PROPERTIES = {"gpu": "6-7", "debug": "0,7", "big": "4-6"}


def cluster(nodes: int = 8, properties: dict[str, str] | None = None, **more: Any) -> Cluster:
    document = {
        "version": 1,
        "execution": {
            "R_lite": [{"rank": f"0-{nodes - 1}", "children": {"core": "0-3"}}],
            "nodelist": [f"n[0-{nodes - 1}]"],
            "properties": PROPERTIES if properties is None else properties,
            **more,
        },
    }
    return Cluster.of(Source("small"), resources.read(document))


def typed(state: State, text: str) -> State:
    return step(state, TypeRequires(text))


def test_another_cluster_clears_the_selection_another_configuration_does_not() -> None:
    on = cluster()
    state = step(start(on), Select(0b11))
    assert step(state, OpenCluster(cluster(20))).selected == 0
    beside = Cluster.of(Source("small"), on.resources)
    assert step(state, OpenCluster(beside)).selected == 0b11


# Selecting


def test_selecting_changes_nothing_else() -> None:
    state = start(cluster(), "node=2/slot/core=2", "gpu")
    after = step(state, Select(0b11))
    assert after.ask is state.ask
    assert after.outlook is state.outlook
    assert after.verdicts is state.verdicts
    assert after.cursor == state.cursor


# Keeping a constraint


@pytest.mark.parametrize(
    ("kept", "then", "comparison"),
    [
        ("gpu", ["big"], Comparison(0b01000000, 0b00110000, 0b10000000)),
        ("", ["gpu"], Comparison(0b11000000, 0, 0b00111111)),
        ("gpu", [""], Comparison(0b11000000, 0b00111111, 0)),
        # An unfinished one is compared by its last good text.
        ("gpu", ["debug", "debug&"], Comparison(0b10000000, 0b00000001, 0b01000000)),
    ],
)
def test_what_another_constraint_gains_and_loses(
    kept: str, then: list[str], comparison: Comparison
) -> None:
    state = start(cluster(), requires_text=kept)
    assert (state.kept, state.comparison) == (None, None)
    state = step(state, KeepConstraint())
    for text in then:
        state = typed(state, text)
    assert state.kept is not None
    assert state.kept.text == kept
    assert state.comparison == comparison
    ended = step(state, KeepConstraint(False))
    assert (ended.kept, ended.comparison) == (None, None)
    assert step(ended, KeepConstraint(False)) is ended


def test_an_unfinished_constraint_is_not_kept() -> None:
    state = typed(start(cluster(), requires_text="gpu"), "gpu&")
    assert step(state, KeepConstraint()) is state
    kept = step(typed(state, "big"), KeepConstraint())
    again = step(typed(kept, "gpu|"), KeepConstraint())
    assert again.kept is kept.kept


def test_on_another_cluster_it_is_matched_anew() -> None:
    state = step(start(cluster(), requires_text="gpu"), KeepConstraint())
    on = cluster(12, {"gpu": "0-2", "big": "2-3"})
    after = typed(step(state, OpenCluster(on)), "big")
    assert after.kept is not None
    assert (after.kept.text, after.kept.mask) == ("gpu", 0b111)
    assert after.kept.asked is on.resources
    assert after.comparison == Comparison(0b100, 0b1000, 0b11)
    blank = step(step(start(cluster()), KeepConstraint()), OpenCluster(cluster(12))).kept
    assert blank is not None
    assert blank.mask == (1 << 12) - 1


# From nodes to a constraint


@given(st.integers(min_value=1, max_value=0xFF))
def test_the_constraint_for_nodes_has_just_these(mask: int) -> None:
    on = cluster()
    found = workbench.constraint_for(mask, on.resources, lambda: False)
    assert found is not None
    state = step(start(on), EditRequires(found.text))
    assert state.ask.mask == mask
    assert not state.ask.stale


def test_properties_tell_nodes_apart_where_they_can() -> None:
    found = workbench.constraint_for(0b11000000, cluster().resources, lambda: False)
    assert found is not None
    assert (found.by, found.text) == ("properties", "gpu")
    assert workbench.constraint_for(0b101, cluster().resources, lambda: True) is None  # not wanted


# Two constraints change places


def both(history: History) -> tuple[str | None, str]:
    """The kept constraint and the one in the bar."""
    kept = history.state.kept
    return (None if kept is None else kept.text), history.state.ask.text


SWAP = SwapConstraints()


def compared(*edits: Edit) -> History:
    """gpu is kept and big is in the bar; then these edits."""
    history = History(start(cluster(), requires_text="gpu")).do(KeepConstraint())
    for edit in (EditRequires("big"), *edits):
        history = history.do(edit)
    return history


@pytest.mark.parametrize(
    ("edits", "steps"),
    [
        ([SWAP], [("big", "gpu"), ("gpu", "big"), ("gpu", "gpu")]),
        ([SWAP, EditRequires("gpu&big")], [("big", "gpu&big"), ("big", "gpu"), ("gpu", "big")]),
        ([SWAP, SWAP], [("gpu", "big"), ("big", "gpu"), ("gpu", "big")]),
        # What is kept since stays.
        ([SWAP, EditRequires("big&gpu"), KeepConstraint()], [("big&gpu",) * 2, ("big&gpu", "gpu"),
                                                             ("big&gpu", "big")]),
        ([SWAP, KeepConstraint(False)], [(None, "gpu"), (None, "big")]),
    ],
    ids=["once", "typed after it", "twice", "kept since", "ended since"],
)  # fmt: skip
def test_a_swap_is_a_step(edits: list[Edit], steps: list[tuple[str | None, str]]) -> None:
    history = compared(*edits)
    for expected in steps:
        assert both(history) == expected
        history = history.undo()
    again = compared(SWAP).undo()
    for _ in range(2):
        assert both(again.redo()) == ("big", "gpu")
        again = again.redo().undo()
        assert both(again) == ("gpu", "big")
    assert both(again.undo().redo().redo()) == ("big", "gpu")


def test_on_another_cluster_swapped_constraints_are_matched_anew() -> None:
    other = OpenCluster(cluster(12, {"gpu": "0-8", "big": "9"}))
    history = compared(SWAP, other).undo()
    assert both(history) == ("gpu", "big")
    assert history.state.kept is not None
    assert history.state.kept.mask.bit_count() == 9
    assert history.state.ask.mask.bit_count() == 1


def test_nothing_changes_where_there_is_nothing_to_swap() -> None:
    alone = History(start(cluster(), requires_text="gpu"))
    same = alone.do(KeepConstraint())
    for history in (alone, same, same.do(TypeRequires("gpu&"))):
        assert history.do(SWAP) is history
    nowhere = Cluster(Source("nothing open"), resources.read({"version": 1}))
    assert both(compared(OpenCluster(nowhere), SWAP)) == ("big", "gpu")
