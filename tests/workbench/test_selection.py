"""The nodes that are selected, and the constraint that others are compared with or swapped for."""

from hypothesis import given
from hypothesis import strategies as st

from fluxtui import workbench as wb
from tests.each import for_each, the
from tests.model.clusters import alike
from tests.opened import after, done, of_document

PROPERTIES = {"gpu": "6-7", "debug": "0,7", "big": "4-6"}
KEEP, SWAP = wb.KeepConstraint(), wb.SwapConstraints()


def cluster(nodes: int = 8, properties: dict[str, str] | None = None) -> wb.Cluster:
    return of_document(alike(nodes, properties=PROPERTIES if properties is None else properties))


def start(text: str = "", *edits: wb.Edit) -> wb.State:
    """A workbench with a constraint, after some edits."""
    return after(wb.start(cluster(), requires_text=text), *edits)


def test_selecting_changes_nothing_else_and_ends_with_the_cluster() -> None:
    state = wb.start(cluster(), "node=2/slot/core=2", "gpu")
    chosen = after(state, wb.Select(0b11))
    assert chosen.ask is state.ask
    assert chosen.outlook is state.outlook
    assert chosen.verdicts is state.verdicts
    assert chosen.cursor == state.cursor
    assert after(chosen, wb.OpenCluster(cluster(20))).selected == 0
    beside = wb.Cluster.of(wb.Source("test"), state.cluster.resources)  # another configuration
    assert after(chosen, wb.OpenCluster(beside)).selected == 0b11


# Keeping a constraint


@for_each("kept, texts, comparison", [
    ("gpu", ["big"], wb.Comparison(0b01000000, 0b00110000, 0b10000000)),
    ("", ["gpu"], wb.Comparison(0b11000000, 0, 0b00111111)),
    ("gpu", [""], wb.Comparison(0b11000000, 0b00111111, 0)),
    # An unfinished one is compared by its last good text.
    ("gpu", ["debug", "debug&"], wb.Comparison(0b10000000, 0b00000001, 0b01000000)),
])  # fmt: skip
def test_what_another_constraint_gains_and_loses(
    kept: str, texts: list[str], comparison: wb.Comparison
) -> None:
    assert (start(kept).kept, start(kept).comparison) == (None, None)
    state = start(kept, KEEP, *map(wb.TypeRequires, texts))
    assert the(state.kept).text == kept
    assert state.comparison == comparison
    ended = after(state, wb.KeepConstraint(False))
    assert (ended.kept, ended.comparison) == (None, None)
    assert after(ended, wb.KeepConstraint(False)) is ended


def test_an_unfinished_constraint_is_not_kept() -> None:
    state = start("gpu", wb.TypeRequires("gpu&"))
    assert after(state, KEEP) is state
    kept = after(state, wb.TypeRequires("big"), KEEP)
    assert after(kept, wb.TypeRequires("gpu|"), KEEP).kept is kept.kept


def test_on_another_cluster_it_is_matched_anew() -> None:
    other = cluster(12, {"gpu": "0-2", "big": "2-3"})
    state = start("gpu", KEEP, wb.OpenCluster(other), wb.TypeRequires("big"))
    assert state.kept is not None
    assert (state.kept.text, state.kept.mask) == ("gpu", 0b111)
    assert state.kept.asked is other.resources
    assert state.comparison == wb.Comparison(0b100, 0b1000, 0b11)
    blank = the(start("", KEEP, wb.OpenCluster(cluster(12))).kept)
    assert blank.mask == (1 << 12) - 1


# From nodes to a constraint


@given(st.integers(min_value=1, max_value=0xFF))
def test_the_constraint_for_nodes_has_just_these(mask: int) -> None:
    found = the(wb.constraint_for(mask, cluster().resources, lambda: False))
    state = start("", wb.EditRequires(found.text))
    assert state.ask.mask == mask
    assert not state.ask.stale


def test_properties_tell_nodes_apart_where_they_can() -> None:
    found = the(wb.constraint_for(0b11000000, cluster().resources, lambda: False))
    assert (found.by, found.text) == ("properties", "gpu")
    assert wb.constraint_for(0b101, cluster().resources, lambda: True) is None  # not wanted


# Two constraints change places


def both(history: wb.History) -> tuple[str | None, str]:
    """The kept constraint and the one in the bar."""
    kept = history.state.kept
    return (None if kept is None else kept.text), history.state.ask.text


def compared(*edits: wb.Edit) -> wb.History:
    """gpu is kept and big is in the bar; then these edits."""
    return done(wb.History(start("gpu")), KEEP, wb.EditRequires("big"), *edits)


@for_each("edits, steps", [
    ([SWAP], [("big", "gpu"), ("gpu", "big"), ("gpu", "gpu")]),
    ([SWAP, wb.EditRequires("gpu&big")], [("big", "gpu&big"), ("big", "gpu"), ("gpu", "big")]),
    ([SWAP, SWAP], [("gpu", "big"), ("big", "gpu"), ("gpu", "big")]),
    # What is kept since stays, and what is ended since.
    ([SWAP, wb.EditRequires("big&gpu"), KEEP],
     [("big&gpu", "big&gpu"), ("big&gpu", "gpu"), ("big&gpu", "big")]),
    ([SWAP, wb.KeepConstraint(False)], [(None, "gpu"), (None, "big")]),
])  # fmt: skip
def test_a_swap_is_a_step(edits: list[wb.Edit], steps: list[tuple[str | None, str]]) -> None:
    history = compared(*edits)
    for expected in steps:
        assert both(history) == expected
        history = history.undo()


def test_a_swap_is_done_again_and_taken_back_again() -> None:
    history = compared(SWAP).undo()
    for _ in range(2):
        assert both(history.redo()) == ("big", "gpu")
        history = history.redo().undo()
        assert both(history) == ("gpu", "big")
    assert both(history.undo().redo().redo()) == ("big", "gpu")


def test_on_another_cluster_swapped_constraints_are_matched_anew() -> None:
    other = wb.OpenCluster(cluster(12, {"gpu": "0-8", "big": "9"}))
    history = compared(SWAP, other).undo()
    assert both(history) == ("gpu", "big")
    assert the(history.state.kept).mask.bit_count() == 9
    assert history.state.ask.mask.bit_count() == 1


def test_nothing_changes_where_there_is_nothing_to_swap() -> None:
    alone = wb.History(start("gpu"))
    same = alone.do(KEEP)
    for history in (alone, same, same.do(wb.TypeRequires("gpu&"))):
        assert history.do(SWAP) is history
    nowhere = of_document({"version": 1})
    assert both(compared(wb.OpenCluster(nowhere), SWAP)) == ("big", "gpu")
