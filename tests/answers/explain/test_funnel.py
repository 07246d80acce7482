"""What each part of a constraint matches, and what is left after it, against single nodes."""

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import assume, given

from fluxtui.answers.explain.explanation import explain
from fluxtui.answers.matching import match
from fluxtui.model.constraint import requires
from fluxtui.model.constraint.tree import to_json
from tests.answers.explain.cases import (
    Case,
    Machine,
    clusters,
    constraints,
    demo,
    explained,
    holds,
    texts,
)


class Walk:
    """Sends single nodes through a constraint and counts where they come out."""

    def __init__(self) -> None:
        self.alone: Counter[str] = Counter()
        self.left: Counter[str] = Counter()
        self.adds: Counter[str] = Counter()
        self.paths: list[str] = []

    def send(self, obj: dict[str, Any], node: Machine, arrives: bool, path: str) -> bool:
        """Whether the node passes here; counts it where it arrives."""
        passes = holds(obj, node)
        self.paths.append(path)
        self.alone[path] += passes
        self.left[path] += arrives and passes
        for operator, values in obj.items():
            parts = values if operator in ("and", "or", "not") else []
            if operator == "properties" and len(values) > 1:
                parts = [{"properties": [value]} for value in values]
            here, passed = arrives, False
            for number, value in enumerate(parts):
                inner = f"{path}.{operator}[{number}]".removeprefix(".")
                fine = self.send(value, node, here, inner)
                if operator == "or":
                    self.adds[inner] += arrives and fine and not passed
                    passed = passed or fine
                else:
                    here = here and fine
        return passes


@given(clusters(), texts)
def test_the_counts_are_those_of_single_nodes(case: Case, text: str) -> None:
    reading = requires.read(text)
    assume(reading.constraint is not None)
    assert reading.constraint is not None
    explanation = explained(text, case.resources)
    walk = Walk()
    obj = to_json(reading.constraint)
    for node in case.nodes:
        walk.paths.clear()
        walk.send(obj, node, True, "")
    parts = list(explanation.root.walk())
    assert [part.path for part in parts] == walk.paths
    for part in parts:
        assert (part.alone, part.left) == (walk.alone[part.path], walk.left[part.path])
        assert part.adds is None or part.adds == walk.adds[part.path]
        assert part.mask.bit_count() == part.alone
    assert explanation.count == sum(holds(obj, node) for node in case.nodes)


@given(clusters(), texts)
def test_the_funnel_ends_with_what_matches(case: Case, text: str) -> None:
    reading = requires.read(text)
    assume(reading.constraint is not None)
    explanation = explained(text, case.resources)
    left = [explanation.total, *(step.left for step in explanation.funnel)]
    assert left[-1] == explanation.count
    assert left == sorted(left, reverse=True)
    emptying = [step for step in explanation.funnel if step.empties]
    assert len(emptying) == (explanation.count == 0)
    if emptying:
        at = explanation.funnel.index(emptying[0])
        assert left[at] > 0
        assert left[at + 1] == 0
        assert explanation.emptied_by is emptying[0]
    else:
        assert explanation.emptied_by is None


@given(clusters(), constraints)
def test_every_part_of_json_has_its_own_text(case: Case, obj: dict[str, Any]) -> None:
    text = json.dumps(obj)
    for part in explained(text, case.resources).root.walk():
        assert part.span is not None
        piece = json.loads(text[slice(*part.span)])
        whole = to_json(part.constraint)
        assert piece == whole or {"properties": [piece]} == whole


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("gpu & -debug", ["gpu & -debug", "gpu", "-debug", "debug"]),
        ("gpu (ssd batch)", ["gpu (ssd batch", "gpu", "ssd", "batch"]),
        ("gpu|'bigmem,ssd'", ["gpu|'bigmem,ssd'", "gpu", "'bigmem,ssd'", "bigmem", "ssd"]),
        ("not (gpu ssd)", ["not (gpu ssd)", "gpu ssd", "gpu", "ssd"]),
        ("host:dune001", ["host:dune001"]),
    ],
)
def test_every_part_of_a_query_has_its_place(text: str, places: list[str]) -> None:
    parts = explained(text, demo()).root.walk()
    found = [text[slice(*part.span)] for part in parts if part.span is not None]
    assert found == places


def test_the_cursor_finds_the_part_it_stands_in() -> None:
    text = "gpu & (ssd|-debug)"
    explanation = explained(text, demo())
    under = [explanation.part_at(at) for at in range(len(text) + 1)]
    words = [part.words if part is not None else "" for part in under]
    whole, either = "gpu and (ssd or not debug)", "ssd or not debug"
    assert words == [
        *["gpu"] * 4,
        *[whole] * 3,
        *["ssd"] * 4,
        "not debug",
        *["debug"] * 6,
        whole,
    ]
    part = explanation.part("and[1]")
    assert part is not None
    assert (part.words, part.span) == (either, (7, 17))
    assert explanation.part("and[7]") is None


def test_the_funnel_in_numbers() -> None:
    explanation = explained("gpu&batch -debug&(rack6|rack1)&bigmem", demo())
    assert [(step.words, step.alone, step.left) for step in explanation.funnel] == [
        ("gpu", 24, 24),
        ("batch", 176, 24),
        ("not debug", 174, 18),
        ("rack6 or rack1", 68, 18),
        ("bigmem", 8, 0),
    ]
    assert explanation.emptied_by is explanation.funnel[-1]
    either = explanation.funnel[3]
    assert [(part.words, part.alone, part.left, part.adds) for part in either.parts] == [
        ("rack6", 32, 18, 18),
        ("rack1", 36, 0, 0),
    ]


def test_an_and_within_a_not_empties_nothing() -> None:
    explanation = explained("gpu&not (gpu&bigmem)", demo())
    assert explanation.emptied_by is None
    assert not any(part.empties for part in explanation.root.walk())


@pytest.mark.parametrize("text", ["", "  ", "gpu&", "foo:1", "{"])
def test_nothing_is_explained_of_what_asks_nothing_or_is_wrong(text: str) -> None:
    assert explain(requires.read(text), demo()) is None


def test_what_is_known_is_not_worked_out_again() -> None:
    reading, found = requires.read("gpu&-debug"), demo()
    assert reading.constraint is not None
    counted = match.matched(reading.constraint, found)
    explanation = explain(reading, found, counted)
    assert explanation is not None
    assert explanation.root.parts[0].mask is counted.parts[0].mask


def test_a_query_and_its_json_are_read_alike() -> None:
    query = explained("gpu&(ssd|host:dune001)&-debug", demo())
    obj = explained(json.dumps(to_json(query.root.constraint)), demo())
    both = [[(p.path, p.alone, p.left, p.adds) for p in e.root.walk()] for e in (query, obj)]
    assert both[0] == both[1]
