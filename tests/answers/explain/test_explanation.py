"""What each part of a constraint matches, and what is left after it, against single nodes."""

import json
from collections import Counter
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from fluxtui.answers import matching
from fluxtui.answers.explain import names
from fluxtui.answers.explain.explanation import explain
from fluxtui.answers.explain.findings import findings
from fluxtui.answers.explain.relaxations import best_pairs, relaxations
from fluxtui.answers.explain.target import find
from fluxtui.answers.explain.why import why, why_set
from fluxtui.model.constraint import requires
from fluxtui.model.constraint.tree import to_json
from tests.answers.explain.cases import DEMO, Case, clusters, constraints, explained, texts
from tests.constraints import Machine, holds
from tests.each import the


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
    assume(requires.read(text).constraint is not None)
    explanation = explained(text, case.resources)
    walk = Walk()
    obj = to_json(explanation.root.constraint)
    for node in case.nodes:
        walk.paths.clear()
        walk.send(obj, node, True, "")
    parts = list(explanation.root.walk())
    assert [part.path for part in parts] == walk.paths
    for part in parts:
        assert (part.alone, part.left) == (walk.alone[part.path], walk.left[part.path])
        assert part.adds is None or part.adds == walk.adds[part.path]
        assert part.mask.bit_count() == part.alone
    # The funnel ends with what matches.
    funnel = explanation.funnel
    left = [explanation.total, *(step.left for step in funnel)]
    assert left[-1] == explanation.count == sum(holds(obj, node) for node in case.nodes)
    assert left == sorted(left, reverse=True)
    emptying = [number for number, step in enumerate(funnel) if step.empties]
    assert len(emptying) == (explanation.count == 0)
    assert explanation.emptied_by is (funnel[emptying[0]] if emptying else None)
    assert all(left[number] > 0 == left[number + 1] for number in emptying)


@given(clusters(), constraints)
def test_every_part_of_json_has_its_own_text(case: Case, obj: dict[str, Any]) -> None:
    text = json.dumps(obj)
    for part in explained(text, case.resources).root.walk():
        piece = json.loads(text[slice(*the(part.span))])
        assert to_json(part.constraint) in (piece, {"properties": [piece]})


def test_the_cursor_finds_the_part_it_stands_in() -> None:
    text = "gpu & (ssd|-debug)"
    explanation = explained(text, DEMO)
    under = [explanation.part_at(at) for at in range(len(text) + 1)]
    words = [part.words if part is not None else "" for part in under]
    whole, not_debug = "gpu and (ssd or not debug)", ["not debug", *["debug"] * 6]
    assert words == [*["gpu"] * 4, *[whole] * 3, *["ssd"] * 4, *not_debug, whole]
    part = the(explanation.part("and[1]"))
    assert (part.words, part.span) == ("ssd or not debug", (7, 17))
    assert explanation.part("and[7]") is None


def test_what_is_known_is_not_worked_out_again() -> None:
    known = matching.matched(explained("gpu&-debug", DEMO).root.constraint, DEMO)
    explanation = the(explain(requires.read("gpu & -debug"), DEMO, known))
    assert explanation.root.parts[0].mask is known.parts[0].mask
    assert explanation.root.parts[1].span == (6, 12)  # its place in the text that was read


# Any text

pieces = st.sampled_from(
    [
        *("gpu", "bigmem", "bigmen", "dune001", "ssd", "properties:", "host:", "rank:", "3-9"),
        *("hosts:dune[001-003]", "rank:0-999999999999", "host:n[0-99999999]-eth0"),
        *("-", "not ", "(", ")", "&", "|", " ", " and ", " or ", ",", "'", '"', "''", "^", "!"),
        *(":", "é", "\x1b", "{", "}", '{"not":[', "]}", "[", "]"),
    ]
)
scrambled = st.lists(pieces, max_size=12).map("".join)


@given(st.one_of(st.text(max_size=20), scrambled, st.sampled_from(["", "gpu&", "foo:1", "{"])))
def test_any_text_is_explained_or_not_and_promises_are_kept(text: str) -> None:
    found = find(text, DEMO)
    assert found.ok == bool(found.value.mask)
    assert found.value.mask | DEMO.everything == DEMO.everything
    reading = requires.read(text)
    explanation = explain(reading, DEMO)
    assert (explanation is None) == (reading.constraint is None)
    if explanation is None or reading.constraint is None:
        return
    assert all(one.message for one in findings(explanation))
    unknown = names.unknown(reading.constraint, DEMO)
    for one in (*relaxations(explanation, unknown), *best_pairs(explanation, unknown)):
        assert explained(one.text, DEMO).count == one.count > explanation.count
    assert why(explanation, 7).matches == bool(explanation.mask >> 7 & 1)
    assert why_set(explanation, DEMO.everything).total == DEMO.node_count
    parts = [explanation.part_at(cursor) for cursor in range(len(text) + 1)]
    assert all(part is None or part.span is not None for part in parts)
