"""The state, its edits, and their history."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui import opening, workbench
from fluxtui.answers.matching import match
from fluxtui.model.queues import queues
from fluxtui.model.resources import document as resources
from fluxtui.model.resources.document import Totals
from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import to_resources
from fluxtui.workbench import (
    Cluster,
    History,
    MoveCursor,
    OpenCluster,
    Source,
    State,
    TypeRequires,
    TypeShape,
    start,
    step,
)

DOCUMENT = {
    "version": 1,
    "execution": {
        "R_lite": [
            {"rank": "0-5", "children": {"core": "0-7"}},
            {"rank": "6-7", "children": {"core": "0-3", "gpu": "0-1"}},
        ],
        "nodelist": ["n[0-7]"],
        "properties": {"gpu": "6-7", "debug": "0,7"},
    },
}
GPU = 0b11000000
SHAPE = "node=4/slot/[core=8;gpu]"


def small(**execution: Any) -> Cluster:
    document = {"version": 1, "execution": {**DOCUMENT["execution"], **execution}}  # type: ignore[dict-item]
    return Cluster.of(Source("small"), resources.read(document))


def bigger() -> Cluster:
    document = {
        "version": 1,
        "execution": {
            "R_lite": [{"rank": "0-15", "children": {"core": "0-1"}}],
            "nodelist": ["m[0-15]"],
            "properties": {"gpu": "0-2"},
        },
    }
    return Cluster.of(Source("bigger"), resources.read(document))


def typed(history: History, edit: type[TypeShape] | type[TypeRequires], text: str) -> History:
    """Type a text character by character onto what stands."""
    before = history.state.build.text if edit is TypeShape else history.state.ask.text
    for end in range(1, len(text) + 1):
        history = history.do(edit(before + text[:end]))
    return history


# Start


def test_starts_with_nothing_open() -> None:
    state = start()
    assert state.cluster.source == Source("nothing open")
    assert state.cluster.resources.node_count == 0
    assert state.cursor is None
    assert state.build.blank
    assert state.ask.blank
    assert state.ask.mask == 0
    assert state.ask.totals == Totals(0, 0, 0)
    assert not state.build.stale
    assert not state.ask.stale


def test_starts_with_texts() -> None:
    state = start(small(), SHAPE, "gpu")
    assert state.cursor == 0
    assert state.build.text == SHAPE
    assert state.ask.mask == GPU
    assert state.jobspec()["attributes"]["system"]["constraints"] == {"properties": ["gpu"]}
    assert state.jobspec()["resources"] == to_resources(parse_shape(SHAPE))


def test_starts_with_texts_that_are_wrong() -> None:
    state = start(small(), "node=", "gpu&")
    assert state.build.text == "node="
    assert state.build.syntax
    assert state.ask.text == "gpu&"
    assert state.ask.stale
    assert state.ask.constraint is None


# The build side


def test_a_good_shape() -> None:
    build = start(small(), SHAPE).build
    assert format_shape(build.vertices) == SHAPE
    assert build.resources[0]["type"] == "node"
    assert (build.syntax, build.canonical, build.v1, build.stale) == ((), (), (), False)


@pytest.mark.parametrize(
    ("text", "canonical", "v1"),
    [
        ("slot=4/core=2", True, True),
        ("slot=4/node", True, False),  # V1 takes only cores and gpus in a slot
        ("node=4", False, False),  # no slot
        ("slot=2/core=2-8", True, False),  # a range is no V1 count
        ("rack/slot/node", True, False),  # V1 knows no rack
    ],
)
def test_verdicts(text: str, canonical: bool, v1: bool) -> None:
    build = start(small(), text).build
    assert build.syntax == ()
    assert (not build.canonical, not build.v1) == (canonical, v1)


@pytest.mark.parametrize("text", ["node=4/slot/[", "node=4/slot=", "node=4/slot/[core=", "node=4{"])
def test_an_unfinished_shape_keeps_the_tree_so_far(text: str) -> None:
    build = start(small(), text).build
    assert build.syntax
    assert build.vertices[0].type == "node"
    assert build.resources[0]["count"] == 4
    assert not build.stale


def test_a_shape_without_a_tree_keeps_the_last_one() -> None:
    good = start(small(), SHAPE)
    bad = step(good, TypeShape("/"))
    assert bad.build.text == "/"
    assert bad.build.syntax
    assert bad.build.stale
    assert bad.build.vertices is good.build.vertices
    assert bad.build.resources is good.build.resources
    assert bad.jobspec() == good.jobspec()
    assert not step(bad, TypeShape("core")).build.stale


def test_a_blank_shape_asks_for_nothing() -> None:
    build = step(start(small(), SHAPE), TypeShape("  ")).build
    assert build.blank
    assert (build.vertices, build.resources, build.stale) == ((), (), False)


@given(st.text(alphabet="nodeslt=/[];{},:+-*^0123456789 \"'日\x1b", max_size=40))
def test_no_shape_text_fails_or_clears_the_tree(text: str) -> None:
    state = step(start(None, SHAPE), TypeShape(text))
    assert state.build.text == text
    assert bool(state.build.vertices) == bool(text.strip())
    assert state.jobspec()["version"] == 1


# The ask side


def test_a_good_constraint() -> None:
    ask = start(small(), "", "gpu&-debug").ask
    assert ask.mask == 0b01000000
    assert ask.totals == Totals(1, 4, 2)
    assert (ask.problems, ask.stale) == ((), False)


def test_json_is_told_apart() -> None:
    ask = start(small(), "", '{"not": [{"properties": ["gpu"]}]}').ask
    assert ask.requires.is_json
    assert ask.mask == 0b00111111


def test_an_empty_constraint_matches_all_and_is_not_asked() -> None:
    ask = start(small()).ask
    assert ask.constraint is None
    assert ask.mask == 0xFF
    assert ask.totals == Totals(8, 56, 4)


@pytest.mark.parametrize("text", ["gpu&", "gpu)", "hots:n1", '{"properties"', "host:n["])
def test_a_bad_constraint_keeps_the_last_answer(text: str) -> None:
    good = start(small(), "", "gpu")
    bad = step(good, TypeRequires(text))
    assert bad.ask.text == text
    assert bad.ask.stale
    assert bad.ask.constraint is good.ask.constraint
    assert (bad.ask.mask, bad.ask.totals) == (good.ask.mask, good.ask.totals)
    assert any(p.severity == "error" and p.span for p in bad.ask.problems)
    assert step(bad, TypeRequires("debug")).ask.mask == 0b10000001


def test_a_blank_constraint_after_a_bad_one_forgets_the_old_answer() -> None:
    state = step(step(start(small(), "", "gpu"), TypeRequires("gpu&")), TypeRequires(""))
    assert state.ask.constraint is None
    assert state.ask.mask == 0xFF


def test_a_stale_answer_is_worked_out_again_for_another_cluster() -> None:
    state = step(start(small(), "", "gpu"), TypeRequires("gpu&"))
    state = step(state, OpenCluster(bigger()))
    assert state.ask.stale
    assert state.ask.mask == 0b111
    assert state.ask.totals == Totals(3, 6, 0)


def test_a_hint_for_what_the_cluster_does_not_have() -> None:
    (hint,) = start(small(), "", "debug&gpus").ask.hints
    assert hint.severity == "warning"
    assert hint.span == (6, 10)
    assert "gpu" in hint.message


def test_a_stale_constraint_stays_in_the_jobspec() -> None:
    state = step(start(small(), SHAPE, "gpu"), TypeRequires("gpu|"))
    assert state.jobspec()["attributes"]["system"]["constraints"] == {"properties": ["gpu"]}


# Clusters and the cursor


def test_opening_keeps_the_texts_and_asks_again() -> None:
    before = start(small(), SHAPE, "gpu")
    state = step(step(before, MoveCursor(5)), OpenCluster(bigger()))
    assert (state.build.text, state.ask.text) == (SHAPE, "gpu")
    assert state.cursor == 0
    assert state.ask.mask == 0b111
    assert state.build is before.build


def test_opening_an_empty_cluster() -> None:
    empty = Cluster.of(Source("empty"), resources.read({"version": 1}))
    state = step(start(small(), SHAPE, "gpu"), OpenCluster(empty))
    assert state.cursor is None
    assert state.ask.mask == 0
    assert step(state, MoveCursor(3)) is state
    assert step(state, OpenCluster(small())).ask.mask == GPU


@pytest.mark.parametrize(("index", "cursor"), [(3, 3), (-1, 0), (8, 7), (10**9, 7)])
def test_the_cursor_stays_inside(index: int, cursor: int) -> None:
    assert step(start(small()), MoveCursor(index)).cursor == cursor


def test_queues_are_covered() -> None:
    config = queues.read_config(
        {
            "queues": {
                "gpu": {"requires": ["gpu"]},
                "any": {},
                "both": {"requires": ["gpu", "debug"]},
            }
        }
    )
    cluster = Cluster.of(Source("small"), small().resources, config)
    assert cluster.coverage == {
        "gpu": GPU,
        "any": 0xFF,
        "both": 0b10000000,
    }


# Only what changed is new


def test_the_shape_leaves_the_rest_alone() -> None:
    before = start(small(), SHAPE, "gpu")
    after = step(before, TypeShape("slot=1/node"))
    assert after.build is not before.build
    assert after.ask is before.ask
    assert after.cluster is before.cluster


def test_the_constraint_leaves_the_rest_alone() -> None:
    before = start(small(), SHAPE, "gpu")
    after = step(before, TypeRequires("debug"))
    assert after.ask is not before.ask
    assert after.build is before.build
    assert after.cluster is before.cluster


def test_the_cursor_leaves_the_rest_alone() -> None:
    before = start(small(), SHAPE, "gpu")
    after = step(before, MoveCursor(4))
    assert after.ask is before.ask
    assert after.build is before.build
    assert after.cluster is before.cluster


@pytest.mark.parametrize("edit", [TypeShape(SHAPE), TypeRequires("gpu"), MoveCursor(0)])
def test_an_edit_that_changes_nothing_gives_the_same_state(edit: workbench.Edit) -> None:
    state = start(small(), SHAPE, "gpu")
    assert step(state, edit) is state


def test_a_match_is_not_worked_out_again_while_the_text_is_bad(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state = start(small(), "", "gpu")
    asked: list[object] = []
    real = match.matched
    monkeypatch.setattr(match, "matched", lambda *given: asked.append(given) or real(*given))
    step(state, TypeRequires("gpu&"))
    assert asked == []
    step(state, TypeRequires("gpu&debug"))
    assert len(asked) == 3  # all of it and both of its properties, each once


# History


def test_undo_and_redo() -> None:
    history = History(start(small())).do(TypeShape("slot=1/node")).do(TypeRequires("gpu"))
    back = history.undo()
    assert (back.state.build.text, back.state.ask.text) == ("slot=1/node", "")
    assert back.state.ask.mask == 0xFF
    assert back.undo().state.build.text == ""
    assert back.undo().undo() == back.undo()
    again = back.undo().redo().redo()
    assert (again.state.build.text, again.state.ask.text) == ("slot=1/node", "gpu")
    assert again.redo() is again


def test_nothing_to_undo() -> None:
    history = History(start(small()))
    assert history.undo() is history
    assert history.redo() is history


def test_a_new_edit_ends_what_could_be_redone() -> None:
    history = History(start(small())).do(TypeShape("node")).undo().do(TypeShape("core"))
    assert history.future == ()
    assert history.redo().state.build.text == "core"


def test_typing_a_word_is_one_step() -> None:
    history = typed(History(start(small())), TypeRequires, "debug")
    assert len(history.past) == 1
    assert history.undo().state.ask.text == ""


def test_a_new_word_and_the_other_input_are_new_steps() -> None:
    history = typed(History(start(small())), TypeRequires, "gpu&debug")
    assert history.undo().state.ask.text == "gpu"
    history = typed(history, TypeShape, "node")
    assert history.undo().state.build.text == ""
    assert history.undo().state.ask.text == "gpu&debug"
    assert history.undo().undo().state.ask.text == "gpu"


def test_a_paste_is_a_step() -> None:
    history = typed(History(start(small())), TypeShape, "node").do(TypeShape("node=4/slot"))
    assert history.undo().state.build.text == "node"


def test_typing_after_undo_does_not_join_the_step_before() -> None:
    history = typed(History(start(small())), TypeShape, "no").undo()
    history = history.do(TypeShape("c")).do(TypeShape("co"))
    assert history.undo().state.build.text == ""
    assert history.undo().redo().state.build.text == "co"


def test_cursor_and_documents_are_no_steps() -> None:
    history = History(start(small())).do(TypeRequires("gpu"))
    history = history.do(MoveCursor(3)).do(OpenCluster(bigger())).do(MoveCursor(9))
    assert len(history.past) == 1
    back = history.undo()
    assert back.state.ask.text == ""
    assert back.state.cluster.source.name == "bigger"
    assert back.state.cursor == 9


def test_undo_brings_a_text_back_with_its_faults() -> None:
    history = History(start(small(), SHAPE)).do(TypeShape("/")).do(TypeShape("slot=2/node"))
    assert history.undo().state.build.text == "/"
    assert history.undo().undo().state.build == start(small(), SHAPE).build


def test_an_edit_that_changes_nothing_is_no_step() -> None:
    history = History(start(small(), SHAPE))
    assert history.do(TypeShape(SHAPE)) is history


def test_the_history_is_bounded() -> None:
    history = History(start())
    for number in range(3000):
        history = history.do(TypeRequires(f"rank:{number} "))
    assert 100 <= len(history.past) < 3000
    assert history.undo().state.ask.text == "rank:2998 "


@given(
    st.lists(
        st.one_of(
            st.builds(TypeShape, st.sampled_from(["", "n", "no", "node", "node=", "slot/node"])),
            st.builds(TypeRequires, st.sampled_from(["", "g", "gp", "gpu", "gpu&", "debug"])),
            st.builds(MoveCursor, st.integers(-2, 9)),
        ),
        max_size=20,
    )
)
def test_undo_leads_back_to_the_start_and_redo_to_the_end(edits: list[workbench.Edit]) -> None:
    first = History(start(small()))
    history = first
    for edit in edits:
        history = history.do(edit)
    back = history
    while back.past:
        back = back.undo()
    assert _texts(back.state) == ("", "")
    while back.future:
        back = back.redo()
    assert _texts(back.state) == _texts(history.state)
    assert back.past == history.past


def _texts(state: State) -> tuple[str, str]:
    return state.build.text, state.ask.text


def test_the_demo_holds_what_the_readme_promises() -> None:
    cluster, problems = opening.open_cluster("demo", None)
    assert problems == ()
    assert cluster is not None
    state = start(cluster, SHAPE, "gpu&-debug")
    assert 0 < state.ask.totals.nodes < cluster.resources.properties["gpu"].bit_count()
    assert (state.build.syntax, state.build.canonical, state.build.v1) == ((), (), ())


@pytest.mark.parametrize(
    ("before", "after"),
    [("core{x:true}", "core{x:1}"), ("node{x:1}", "node{x:true}"), ("node{y:1}", "node{y:1.0}")],
)
def test_a_value_of_another_kind_is_another_value(before: str, after: str) -> None:
    typed = step(start(small()), TypeShape(before))
    typed = step(typed, TypeShape(after))
    fresh = step(start(small()), TypeShape(after))
    assert repr(typed.build.resources) == repr(fresh.build.resources)
    assert typed.build.request == fresh.build.request
