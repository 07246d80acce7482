"""The state, its edits, and their history."""

import json
from typing import Any

import pytest

from fluxtui import workbench as wb
from fluxtui.answers import matching
from fluxtui.model.jobspec.verdicts import verdicts
from fluxtui.model.resources.resource_set import Totals
from fluxtui.notation.json_value import identical
from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.tree import from_resources
from tests.each import for_each, the
from tests.model.clusters import document, lite
from tests.model.jobspecs import job, resources_of
from tests.opened import after, demo, done, of_document

SMALL = of_document(
    document(
        *(lite("0-5", "0-7"), lite("6-7", "0-3", "0-1")),
        nodelist=["n[0-7]"],
        properties={"gpu": "6-7", "debug": "0,7"},
    )
)
GPU = 0b11000000
SHAPE = "node=4/slot/[core=8;gpu]"


def keys(edit: type[wb.TypeShape] | type[wb.TypeRequires], text: str) -> list[Any]:
    """The edits of a text that is typed character by character."""
    return [edit(text[:end]) for end in range(1, len(text) + 1)]


@for_each("edits, texts", [
    ([], [("", "")]),
    ([wb.TypeShape("slot=1/node"), wb.TypeRequires("gpu")],
     [("slot=1/node", "gpu"), ("slot=1/node", ""), ("", "")]),
    # A word is one step, a new one another.
    ([*keys(wb.TypeRequires, "gpu&debug"), *keys(wb.TypeShape, "node")],
     [("node", "gpu&debug"), ("", "gpu&debug"), ("", "gpu"), ("", "")]),
    # A paste is a step, and so is a text with faults.
    ([*keys(wb.TypeShape, "node"), wb.TypeShape("node=4/slot")],
     [("node=4/slot", ""), ("node", ""), ("", "")]),
    ([wb.TypeShape(SHAPE), wb.TypeShape("/"), wb.TypeShape("slot=2/node")],
     [("slot=2/node", ""), ("/", ""), (SHAPE, ""), ("", "")]),
])  # fmt: skip
def test_undo_and_redo(edits: list[Any], texts: list[tuple[str, str]]) -> None:
    """The texts are those of both inputs, as the edits are taken back one by one."""
    history = done(wb.History(wb.start(SMALL)), *edits)
    states = []
    for expected in texts:
        assert (history.state.build.text, history.state.ask.text) == expected
        states.append(history.state)
        history = history.undo()
    assert history.undo() is history
    for state in reversed(states[:-1]):
        history = history.redo()
        assert (history.state.build, history.state.ask) == (state.build, state.ask)
    assert history.redo() is history


def test_an_edit_after_undo_ends_what_could_be_redone_and_joins_no_step() -> None:
    history = wb.History(wb.start(SMALL)).do(wb.TypeShape("no")).undo()
    history = done(history, wb.TypeShape("c"), wb.TypeShape("co"))
    assert history.future == ()
    assert history.redo() is history
    assert history.undo().state.build.text == ""
    assert history.undo().redo().state.build.text == "co"


def test_the_history_is_bounded() -> None:
    edits = (wb.TypeRequires(f"rank:{number} ") for number in range(3000))
    history = done(wb.History(wb.start()), *edits)
    assert 100 <= len(history.past) < 3000
    assert history.undo().state.ask.text == "rank:2998 "


# Start


def test_starts_with_nothing_open_and_with_texts() -> None:
    state = wb.start()
    assert state.cluster.source == wb.Source("nothing open")
    assert (state.cluster.resources.node_count, state.cursor) == (0, None)
    assert (state.build.blank, state.build.stale) == (True, False)
    assert (state.ask.blank, state.ask.stale, state.ask.mask) == (True, False, 0)
    state = wb.start(SMALL, SHAPE, "gpu")
    assert (state.cursor, state.build.text, state.ask.mask) == (0, SHAPE, GPU)
    assert state.jobspec() == job(SHAPE, constraints={"properties": ["gpu"]})
    wrong = wb.start(SMALL, "node=", "gpu&")
    assert (wrong.build.text, wrong.ask.text) == ("node=", "gpu&")
    assert wrong.build.syntax
    assert (wrong.ask.stale, wrong.ask.constraint) == (True, None)
    promised = wb.start(demo(), SHAPE, "gpu&-debug")  # by the README
    assert 0 < promised.ask.totals.nodes < demo().resources.properties["gpu"].bit_count()
    assert (promised.build.syntax, verdicts(promised.jobspec()).problems) == ((), ())


# The build side


@for_each("text, canonical, v1", [
    (SHAPE, True, True),
    ("slot=4/core=2", True, True),
    ("slot=4/node", True, False),  # V1 takes only cores and gpus in a slot
    ("node=4", False, False),  # no slot
    ("slot=2/core=2-8", True, False),  # a range is no V1 count
    ("rack/slot/node", True, False),  # V1 knows no rack
])  # fmt: skip
def test_verdicts(text: str, canonical: bool, v1: bool) -> None:
    state = wb.start(SMALL, text)
    build = state.build
    assert format_shape(build.vertices) == text
    assert build.resources[0]["type"] == build.vertices[0].type
    assert (build.syntax, build.stale) == ((), False)
    assert (not build.canonical, verdicts(state.jobspec()).v1.ok) == (canonical, v1)
    blank = after(state, wb.TypeShape("  ")).build
    assert (blank.blank, blank.vertices, blank.resources, blank.stale) == (True, (), (), False)


def test_a_shape_without_a_tree_keeps_the_last_one() -> None:
    good = wb.start(SMALL, SHAPE)
    bad = after(good, wb.TypeShape("/"))
    assert bad.build.text == "/"
    assert bad.build.syntax
    assert bad.build.stale
    assert bad.build.vertices is good.build.vertices
    assert bad.build.resources is good.build.resources
    assert bad.jobspec() == good.jobspec()
    assert not after(bad, wb.TypeShape("core")).build.stale


# The ask side


@for_each("text, is_json, mask, totals", [
    ("gpu&-debug", False, 0b01000000, Totals(1, 4, 2)),
    ('{"not": [{"properties": ["gpu"]}]}', True, 0b00111111, Totals(6, 48, 0)),
    ("", False, 0xFF, Totals(8, 56, 4)),
])  # fmt: skip
def test_a_good_constraint(text: str, is_json: bool, mask: int, totals: Totals) -> None:
    ask = wb.start(SMALL, "", text).ask
    assert (ask.requires.is_json, ask.mask, ask.totals) == (is_json, mask, totals)
    assert (ask.problems, ask.stale) == ((), False)
    assert (ask.constraint is None) == (not text)


@for_each("text", ["gpu&", "gpu)", "hots:n1", '{"properties"', "host:n["])
def test_a_bad_constraint_keeps_the_last_answer(text: str) -> None:
    good = wb.start(SMALL, "", "gpu")
    bad = after(good, wb.TypeRequires(text))
    assert bad.ask.text == text
    assert bad.ask.stale
    assert bad.ask.constraint is good.ask.constraint
    assert (bad.ask.mask, bad.ask.totals) == (good.ask.mask, good.ask.totals)
    assert any(p.severity == "error" and p.span for p in bad.ask.problems)
    assert after(bad, wb.TypeRequires("debug")).ask.mask == 0b10000001


@for_each("edit", [wb.TypeShape(SHAPE), wb.TypeRequires("gpu"), wb.MoveCursor(0)])
def test_an_edit_that_changes_nothing_gives_the_same_state(edit: wb.Edit) -> None:
    state = wb.start(SMALL, SHAPE, "gpu")
    assert after(state, edit) is state
    assert wb.History(state).do(edit).past == ()


def test_a_match_is_not_worked_out_again_while_the_text_is_bad(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state = wb.start(SMALL, "", "gpu")
    asked: list[object] = []
    real = matching.matched
    monkeypatch.setattr(matching, "matched", lambda *given: asked.append(given) or real(*given))
    after(state, wb.TypeRequires("gpu&"))
    assert asked == []
    after(state, wb.TypeRequires("gpu&debug"))
    assert len(asked) == 3  # all of it and both of its properties, each once


# The shape and the document say the same, down to the kind of each value, whatever is typed


@for_each("before, new", [
    ("node{exclusive:1}/slot/core", "node{exclusive:true}/slot/core"),
    ("node{k:1}/slot/core", "node{k:true}/slot/core"),
    ("node{k:1}/slot/core", "node{k:1.0}/slot/core"),
    ("node{k:[0]}/slot/core", "node{k:[false]}/slot/core"),
    ("core{x:true}", "core{x:1}"),
])  # fmt: skip
def test_a_value_of_another_kind_is_another_one_both_ways(before: str, new: str) -> None:
    for one, other in ((before, new), (new, before)):
        state = wb.start(None, "node/slot/core")
        state = after(state, wb.TypeJobspec(wb.job_text(state, "yaml") + "# c\n", "yaml"))
        state = after(state, wb.TypeShape(one), wb.TypeShape(other))
        fresh = after(wb.start(SMALL), wb.TypeShape(other)).build
        assert repr(state.build.resources) == repr(fresh.resources)
        assert state.build.request == fresh.request
        assert identical(state.jobspec()["resources"], resources_of(other))
        as_yaml = wb.job_text(state, "yaml")
        state = after(state, wb.TypeShape(one))
        assert identical(state.jobspec()["resources"], resources_of(one))
        state = after(state, wb.TypeJobspec(as_yaml, "yaml"))
        assert identical(list(state.build.resources), resources_of(other))
        assert identical(state.jobspec()["resources"], resources_of(other))


def test_a_value_of_more_levels_than_a_shape_can_say() -> None:
    state = wb.start(demo(), "node/slot/core")
    for levels, said in ((47, "{k:{a:"), (48, ""), (190, "")):
        for leaf in (1, 2, 3):
            value: Any = leaf
            for _ in range(levels):
                value = {"a": value}
            document = job("node/slot/core")
            document["resources"][0]["k"] = value
            state = after(state, wb.TypeJobspec(json.dumps(document), "json"))
            assert state.job.document is not None
            assert state.build.text.startswith(f"node{said or '/slot/core'}")
            kept = from_resources(state.job.document["resources"])
            wrong = ["a shape holds at most 48 levels resources[0].k"]
            assert [f"{p.message} {p.path}" for p in kept.problems] == ([] if said else wrong)


def test_a_json_text_of_more_levels_than_are_written_is_not_read() -> None:
    state, head = wb.start(demo(), "node/slot/core"), json.dumps(job("node/slot/core"))[:-1]
    for levels in (210, 400, 900):
        text = f'{head}, "x": {"[" * levels}{"]" * levels}}}'
        state = after(state, wb.TypeJobspec(text, "json"))
        (problem,) = the(state.job.raw).problems
        assert problem.message == "more than 200 levels within each other are not read"
        assert wb.job_text(state, "yaml")
