"""The state, its edits, and their history."""

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui import workbench
from fluxtui.answers import matching
from fluxtui.model.jobspec.verdicts import verdicts
from fluxtui.model.resources import document as resources
from fluxtui.model.resources.resource_set import Totals
from fluxtui.notation.json_value import identical
from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import from_resources, to_resources
from fluxtui.workbench import (
    Cluster,
    History,
    MoveCursor,
    Source,
    State,
    TypeJobspec,
    TypeRequires,
    TypeShape,
    job_text,
    start,
    step,
)
from tests.opened import demo

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


def small() -> Cluster:
    return Cluster.of(Source("small"), resources.read(DOCUMENT))


def keys(edit: type[TypeShape] | type[TypeRequires], text: str) -> list[Any]:
    """The edits of a text that is typed character by character."""
    return [edit(text[:end]) for end in range(1, len(text) + 1)]


STEPS: dict[str, tuple[list[Any], list[tuple[str, str]]]] = {
    "two inputs": (
        [TypeShape("slot=1/node"), TypeRequires("gpu")],
        [("slot=1/node", "gpu"), ("slot=1/node", ""), ("", "")],
    ),
    "nothing": ([], [("", "")]),
    "a word is one step": (keys(TypeRequires, "debug"), [("", "debug"), ("", "")]),
    "a new word, the other input": (
        [*keys(TypeRequires, "gpu&debug"), *keys(TypeShape, "node")],
        [("node", "gpu&debug"), ("", "gpu&debug"), ("", "gpu"), ("", "")],
    ),
    "a paste": (
        [*keys(TypeShape, "node"), TypeShape("node=4/slot")],
        [("node=4/slot", ""), ("node", ""), ("", "")],
    ),
    "a text with its faults": (
        [TypeShape(SHAPE), TypeShape("/"), TypeShape("slot=2/node")],
        [("slot=2/node", ""), ("/", ""), (SHAPE, ""), ("", "")],
    ),
}


@pytest.mark.parametrize("name", STEPS)
def test_undo_and_redo(name: str) -> None:
    edits, texts = STEPS[name]
    history = History(start(small()))
    for edit in edits:
        history = history.do(edit)
    states = []
    for expected in texts:
        assert _texts(history.state) == expected
        states.append(history.state)
        history = history.undo()
    assert history.undo() is history
    for state in reversed(states[:-1]):
        history = history.redo()
        assert (history.state.build, history.state.ask) == (state.build, state.ask)
    assert history.redo() is history


def test_an_edit_after_undo_ends_what_could_be_redone_and_joins_no_step() -> None:
    history = History(start(small())).do(TypeShape("no")).undo()
    history = history.do(TypeShape("c")).do(TypeShape("co"))
    assert history.future == ()
    assert history.redo() is history
    assert history.undo().state.build.text == ""
    assert history.undo().redo().state.build.text == "co"


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
    assert (state.cursor, state.build.text, state.ask.mask) == (0, SHAPE, GPU)
    assert state.jobspec()["attributes"]["system"]["constraints"] == {"properties": ["gpu"]}
    assert state.jobspec()["resources"] == to_resources(parse_shape(SHAPE))
    wrong = start(small(), "node=", "gpu&")
    assert (wrong.build.text, wrong.ask.text) == ("node=", "gpu&")
    assert wrong.build.syntax
    assert wrong.ask.stale
    assert wrong.ask.constraint is None


# The build side


@pytest.mark.parametrize(
    ("text", "canonical", "v1"),
    [
        (SHAPE, True, True),
        ("slot=4/core=2", True, True),
        ("slot=4/node", True, False),  # V1 takes only cores and gpus in a slot
        ("node=4", False, False),  # no slot
        ("slot=2/core=2-8", True, False),  # a range is no V1 count
        ("rack/slot/node", True, False),  # V1 knows no rack
    ],
)
def test_verdicts(text: str, canonical: bool, v1: bool) -> None:
    state = start(small(), text)
    build = state.build
    assert format_shape(build.vertices) == text
    assert build.resources[0]["type"] == build.vertices[0].type
    assert (build.syntax, build.stale) == ((), False)
    assert (not build.canonical, verdicts(state.jobspec()).v1.ok) == (canonical, v1)
    blank = step(start(small(), text), TypeShape("  ")).build
    assert blank.blank
    assert (blank.vertices, blank.resources, blank.stale) == ((), (), False)


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


@given(st.text(alphabet="nodeslt=/[];{},:+-*^0123456789 \"'日\x1b", max_size=40))
def test_no_shape_text_fails_or_clears_the_tree(text: str) -> None:
    state = step(start(None, SHAPE), TypeShape(text))
    assert state.build.text == text
    assert bool(state.build.vertices) == bool(text.strip())
    assert state.jobspec()["version"] == 1


# The ask side


@pytest.mark.parametrize(
    ("text", "is_json", "mask", "totals"),
    [
        ("gpu&-debug", False, 0b01000000, Totals(1, 4, 2)),
        ('{"not": [{"properties": ["gpu"]}]}', True, 0b00111111, Totals(6, 48, 0)),
        ("", False, 0xFF, Totals(8, 56, 4)),
    ],
)
def test_a_good_constraint(text: str, is_json: bool, mask: int, totals: Totals) -> None:
    ask = start(small(), "", text).ask
    assert (ask.requires.is_json, ask.mask, ask.totals) == (is_json, mask, totals)
    assert (ask.problems, ask.stale) == ((), False)
    assert (ask.constraint is None) == (not text)


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


def test_a_hint_for_what_the_cluster_does_not_have() -> None:
    (hint,) = start(small(), "", "debug&gpus").ask.hints
    assert hint.severity == "warning"
    assert hint.span == (6, 10)
    assert "gpu" in hint.message


@pytest.mark.parametrize(("index", "cursor"), [(3, 3), (-1, 0), (8, 7), (10**9, 7)])
def test_the_cursor_stays_inside(index: int, cursor: int) -> None:
    assert step(start(small()), MoveCursor(index)).cursor == cursor


@pytest.mark.parametrize("edit", [TypeShape(SHAPE), TypeRequires("gpu"), MoveCursor(0)])
def test_an_edit_that_changes_nothing_gives_the_same_state(edit: workbench.Edit) -> None:
    state = start(small(), SHAPE, "gpu")
    assert step(state, edit) is state
    assert History(state).do(edit).past == ()


# Only what changed is new


def test_a_match_is_not_worked_out_again_while_the_text_is_bad(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state = start(small(), "", "gpu")
    asked: list[object] = []
    real = matching.matched
    monkeypatch.setattr(matching, "matched", lambda *given: asked.append(given) or real(*given))
    step(state, TypeRequires("gpu&"))
    assert asked == []
    step(state, TypeRequires("gpu&debug"))
    assert len(asked) == 3  # all of it and both of its properties, each once


# History


def test_the_history_is_bounded() -> None:
    history = History(start())
    for number in range(3000):
        history = history.do(TypeRequires(f"rank:{number} "))
    assert 100 <= len(history.past) < 3000
    assert history.undo().state.ask.text == "rank:2998 "


def _texts(state: State) -> tuple[str, str]:
    return state.build.text, state.ask.text


def test_the_demo_holds_what_the_readme_promises() -> None:
    state = start(demo(), SHAPE, "gpu&-debug")
    assert 0 < state.ask.totals.nodes < demo().resources.properties["gpu"].bit_count()
    assert (state.build.syntax, verdicts(state.jobspec()).problems) == ((), ())


@pytest.mark.parametrize(
    ("before", "after"),
    [("core{x:true}", "core{x:1}"), ("node{x:1}", "node{x:true}"), ("node{y:1}", "node{y:1.0}")],
)
def test_a_value_of_another_kind_is_another_value(before: str, after: str) -> None:
    typed = step(step(start(small()), TypeShape(before)), TypeShape(after))
    fresh = step(start(small()), TypeShape(after))
    assert repr(typed.build.resources) == repr(fresh.build.resources)
    assert typed.build.request == fresh.build.request


# The shape and the document say the same, down to the kind of each value, whatever is typed

KEYS = ("x", "-x", "x:1", "x:0", "k:1", "k:1.0", "k:true", "unit:GB", "label:c", "k:1,x")

VERTICES = ("node", "core=2", "slot{{s{n}}}/core", "gpu{{{key}}}", "node{{{key}}}/core{{{key}}}")

LINES = (
    *("exclusive: 1", "exclusive: true", "exclusive: false", "k: 1", "k: 1.0", "k: true"),
    *("count: 1", "count: 1.0", "count: 2", "label: a", "type: core", "unit: GB"),
)

VALUES = (("1", "true"), ("true", "1"), ("1", "1.0"), ("1.0", "1"), ("0", "false"), ("1", "2"))


def vertex(chance: random.Random, number: int) -> str:
    """A vertex as a text."""
    return chance.choice(VERTICES).format(n=number, key=chance.choice(KEYS))


def begun(chance: random.Random) -> State:
    """A workbench with a job, which may have a document."""
    vertices = [vertex(chance, number) for number in range(chance.choice((1, 3, 9)))]
    state = start(None, f"[{';'.join(vertices)};slot{{task}}/core]")
    if chance.random() < 0.7:
        state = step(state, TypeJobspec(job_text(state, "yaml") + "# c\n", "yaml"))
    return state


def typed_in_shape(chance: random.Random, state: State) -> State:
    """The state with another value, or another vertex, in its shape."""
    text = state.build.text
    old, new = chance.choice(VALUES)
    places = [at for at in range(len(text)) if text.startswith(f":{old}", at)]
    if places and chance.random() < 0.7:
        at = chance.choice(places) + 1
        return step(state, TypeShape(text[:at] + new + text[at + len(old) :]))
    at = chance.choice([0, *(at for at in range(len(text)) if text[at] == ";")])
    return step(state, TypeShape(f"{text[: at + 1]}{vertex(chance, 99)};{text[at + 1 :]}"))


def typed_in_yaml(chance: random.Random, state: State) -> State:
    """The state with another line in its YAML."""
    lines = job_text(state, "yaml").splitlines(keepends=True)
    at = chance.randrange(len(lines))
    margin = lines[at][: len(lines[at]) - len(lines[at].lstrip(" -"))].replace("-", " ")
    lines[at : at + chance.choice((0, 1, 1))] = [f"{margin}{chance.choice(LINES)}\n"]
    return step(state, TypeJobspec("".join(lines), "yaml"))


def part(state: State) -> Any:
    """What the shape and the document say that is not the same, where both can be read."""
    document, build = state.job.document, state.build
    if document is None or state.job.raw is not None or build.stale or not build.shape.ok:
        return None
    listed, made = document["resources"], list(build.resources)
    if not isinstance(listed, list) or identical(listed, made):
        return None
    said = from_resources(listed)
    if not said.ok or not identical(to_resources(said.value), listed):
        return None  # no shape says just that
    return build.text, listed, made


def test_a_value_of_more_levels_than_a_shape_can_say() -> None:
    state = step(start(demo()), TypeShape("node/slot/core"))
    resources = list(state.build.resources)
    for levels, said in ((99, "{k:{a:"), (100, ""), (300, ""), (480, ""), (900, "")):
        for leaf in (1, 2, 3):
            value: Any = leaf
            for _ in range(levels):
                value = {"a": value}
            document = {
                "version": 1,
                "resources": [{**resources[0], "k": value}],
                "tasks": [{"command": ["a"], "slot": "default", "count": {"per_slot": 1}}],
                "attributes": {"system": {"duration": 0}},
            }
            state = step(state, TypeJobspec(json.dumps(document), "json"))
            assert state.job.document is not None
            assert state.build.text.startswith(f"node{said or '/slot/core'}")
            kept = from_resources(state.job.document["resources"])
            wrong = ["a shape holds at most 100 levels resources[0].k"]
            assert [f"{p.message} {p.path}" for p in kept.problems] == ([] if said else wrong)


@pytest.mark.parametrize("seed", range(4))
def test_the_shape_and_the_document_do_not_part(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(16):
        state = begun(chance)
        for _ in range(10):
            before = state
            state = chance.choice((typed_in_shape, typed_in_yaml))(chance, state)
            assert part(state) is None
            if state.job.raw is not None:
                state = before


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("node{exclusive:1}/slot/core", "node{exclusive:true}/slot/core"),
        ("node{k:1}/slot/core", "node{k:true}/slot/core"),
        ("node{k:1}/slot/core", "node{k:1.0}/slot/core"),
        ("node{k:[0]}/slot/core", "node{k:[false]}/slot/core"),
    ],
)
def test_a_value_of_another_kind_goes_both_ways(before: str, after: str) -> None:
    for one, other in ((before, after), (after, before)):
        old, new = (to_resources(parse_shape(text)) for text in (one, other))
        state = start(None, "node/slot/core")
        state = step(state, TypeJobspec(job_text(state, "yaml") + "# c\n", "yaml"))
        state = step(step(state, TypeShape(one)), TypeShape(other))
        assert identical(state.jobspec()["resources"], new)
        as_yaml = job_text(state, "yaml")
        state = step(state, TypeShape(one))
        assert identical(state.jobspec()["resources"], old)
        state = step(state, TypeJobspec(as_yaml, "yaml"))
        assert identical(list(state.build.resources), new)
        assert identical(state.jobspec()["resources"], new)
