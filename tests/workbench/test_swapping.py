"""Two constraints change places: one step, taken back as a whole."""

from fluxtui import workbench
from fluxtui.workbench import (
    Cluster,
    EditRequires,
    History,
    KeepConstraint,
    OpenCluster,
    Source,
    SwapConstraints,
    TypeRequires,
)
from tests.ui.helpers import cluster

PROPERTIES = {"x": "1-4", "y": "3-6"}


def both(history: History) -> tuple[str | None, str]:
    """A and B."""
    kept = history.state.kept
    return (None if kept is None else kept.text), history.state.ask.text


def compared() -> History:
    """x is A, y is B."""
    history = History(workbench.start(cluster(8, PROPERTIES), "", "x"))
    return history.do(KeepConstraint()).do(EditRequires("y"))


def test_a_swap_is_taken_back_as_a_whole_and_done_again() -> None:
    history = compared().do(SwapConstraints())
    assert both(history) == ("y", "x")
    for _ in range(2):
        history = history.undo()
        assert both(history) == ("x", "y")
        history = history.redo()
        assert both(history) == ("y", "x")
    history = history.undo().undo()
    assert both(history) == ("x", "x")
    assert both(history.redo().redo()) == ("y", "x")


def test_what_was_typed_after_a_swap_is_taken_back_first() -> None:
    history = compared().do(SwapConstraints()).do(EditRequires("x&y"))
    history = history.undo()
    assert both(history) == ("y", "x")
    assert both(history.undo()) == ("x", "y")


def test_two_swaps_are_two_steps() -> None:
    history = compared().do(SwapConstraints()).do(SwapConstraints())
    assert both(history) == ("x", "y")
    history = history.undo()
    assert both(history) == ("y", "x")
    assert both(history.undo()) == ("x", "y")


def test_another_constraint_that_is_kept_since_stays() -> None:
    history = compared().do(SwapConstraints()).do(EditRequires("x&y")).do(KeepConstraint())
    assert both(history.undo().undo()) == ("x&y", "y")
    ended = compared().do(SwapConstraints()).do(KeepConstraint(False))
    assert both(ended.undo()) == (None, "y")


def test_on_another_cluster_both_are_matched_anew() -> None:
    history = compared().do(SwapConstraints())
    history = history.do(OpenCluster(cluster(12, {"x": "0-8", "y": "9"}))).undo()
    assert both(history) == ("x", "y")
    assert history.state.kept is not None
    assert history.state.kept.mask.bit_count() == 9
    assert history.state.ask.mask.bit_count() == 1


def test_nothing_changes_where_there_is_nothing_to_swap() -> None:
    alone = History(workbench.start(cluster(8, PROPERTIES), "", "x"))
    assert alone.do(SwapConstraints()) is alone
    same = alone.do(KeepConstraint())
    assert same.do(SwapConstraints()) is same
    unfinished = same.do(TypeRequires("x&"))
    assert unfinished.do(SwapConstraints()) is unfinished
    nowhere = Cluster(Source("nothing open"), cluster(0).resources)
    assert both(compared().do(OpenCluster(nowhere)).do(SwapConstraints())) == ("y", "x")
