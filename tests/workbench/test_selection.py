"""The nodes that are selected, and the constraint that others are compared with."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui import workbench
from fluxtui.model.resources import document as resources
from fluxtui.workbench import (
    Cluster,
    Comparison,
    EditRequires,
    History,
    KeepConstraint,
    MoveCursor,
    OpenCluster,
    Select,
    Source,
    State,
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


# Selecting


def test_nothing_is_selected_at_first() -> None:
    assert start(cluster()).selected == 0


@pytest.mark.parametrize(
    ("mask", "selected"),
    [(0b101, 0b101), (1 << 8, 0), ((1 << 9) - 1, 0xFF), (-1, 0xFF), (0, 0)],
)
def test_only_nodes_of_the_cluster_are_selected(mask: int, selected: int) -> None:
    assert step(start(cluster()), Select(mask)).selected == selected


def test_the_same_selection_is_the_same_state() -> None:
    state = step(start(cluster()), Select(0b11))
    assert step(state, Select(0b11)) is state
    assert step(state, Select(0b11 | 1 << 20)) is state


def test_another_cluster_clears_the_selection() -> None:
    state = step(start(cluster()), Select(0b11))
    assert step(state, OpenCluster(cluster(20))).selected == 0


def test_another_configuration_beside_the_same_nodes_does_not() -> None:
    on = cluster()
    state = step(start(on), Select(0b11))
    beside = Cluster.of(Source("small"), on.resources)
    assert step(state, OpenCluster(beside)).selected == 0b11


def test_selecting_changes_nothing_else() -> None:
    state = start(cluster(), "node=2/slot/core=2", "gpu")
    after = step(state, Select(0b11))
    assert after.ask is state.ask
    assert after.outlook is state.outlook
    assert after.verdicts is state.verdicts
    assert after.cursor == state.cursor


def test_selecting_is_no_step_of_undo() -> None:
    history = History(start(cluster())).do(EditRequires("gpu")).do(Select(0b1)).do(MoveCursor(3))
    assert len(history.past) == 1
    back = history.undo()
    assert back.state.ask.text == ""
    assert back.state.selected == 0b1
    assert back.redo().state.selected == 0b1


# Keeping a constraint


def test_nothing_is_kept_at_first() -> None:
    state = start(cluster(), requires_text="gpu")
    assert state.kept is None
    assert state.comparison is None


def test_what_another_constraint_gains_and_loses() -> None:
    state = typed(step(start(cluster(), requires_text="gpu"), KeepConstraint()), "big")
    assert state.kept is not None
    assert (state.kept.text, state.kept.mask) == ("gpu", 0b11000000)
    assert state.comparison == Comparison(0b01000000, 0b00110000, 0b10000000)


def test_a_blank_constraint_has_all_nodes() -> None:
    state = typed(step(start(cluster()), KeepConstraint()), "gpu")
    assert state.comparison == Comparison(0b11000000, 0, 0b00111111)
    state = typed(step(start(cluster(), requires_text="gpu"), KeepConstraint()), "")
    assert state.comparison == Comparison(0b11000000, 0b00111111, 0)


def test_an_unfinished_constraint_is_not_kept() -> None:
    state = typed(start(cluster(), requires_text="gpu"), "gpu&")
    assert step(state, KeepConstraint()) is state
    kept = step(typed(state, "big"), KeepConstraint())
    again = step(typed(kept, "gpu|"), KeepConstraint())
    assert again.kept is kept.kept


def test_an_unfinished_constraint_is_compared_by_its_last_good_text() -> None:
    state = step(start(cluster(), requires_text="gpu"), KeepConstraint())
    for text in ("debug", "debug&"):
        state = typed(state, text)
    assert state.comparison == Comparison(0b10000000, 0b00000001, 0b01000000)


def test_the_comparison_ends() -> None:
    state = step(start(cluster(), requires_text="gpu"), KeepConstraint())
    state = step(state, KeepConstraint(False))
    assert state.kept is None
    assert step(state, KeepConstraint(False)) is state


def test_undo_leaves_what_is_kept() -> None:
    history = History(start(cluster())).do(EditRequires("gpu")).do(KeepConstraint())
    history = history.do(EditRequires("big"))
    back = history.undo().undo()
    assert back.state.ask.blank
    assert back.state.kept is not None
    assert back.state.kept.text == "gpu"
    assert History(back.state).do(KeepConstraint(False)).undo().state.kept is None


def test_on_another_cluster_it_is_matched_anew() -> None:
    state = step(start(cluster(), requires_text="gpu"), KeepConstraint())
    on = cluster(12, {"gpu": "0-2", "big": "2-3"})
    after = typed(step(state, OpenCluster(on)), "big")
    assert after.kept is not None
    assert (after.kept.text, after.kept.mask) == ("gpu", 0b111)
    assert after.kept.asked is on.resources
    assert after.comparison == Comparison(0b100, 0b1000, 0b11)


def test_a_kept_blank_one_has_all_nodes_of_another_cluster() -> None:
    state = step(start(cluster()), KeepConstraint())
    after = step(state, OpenCluster(cluster(12)))
    assert after.kept is not None
    assert after.kept.mask == (1 << 12) - 1


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


def test_no_constraint_is_handed_out_once_it_is_not_wanted() -> None:
    assert workbench.constraint_for(0b101, cluster().resources, lambda: True) is None
