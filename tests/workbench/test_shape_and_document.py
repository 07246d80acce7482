"""The shape and the document say the same, down to the kind of each value, whatever is typed."""

import random
from typing import Any

import pytest

from fluxtui.notation.json_compare import identical
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import from_resources, to_resources
from fluxtui.workbench import State, TypeJobspec, TypeShape, job_text, start, step

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
