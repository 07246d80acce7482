"""What each part of a constraint matches, what is left after it, and why nodes are in or out.

All of it is held against single nodes: what is said is true of them, and enough to decide.
"""

import json
import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fluxtui.answers import matching
from fluxtui.answers.explain.explanation import explain
from fluxtui.answers.explain.target import Target, find
from fluxtui.answers.explain.why import why, why_set
from fluxtui.model.constraint import requires
from fluxtui.model.constraint.tree import to_json
from fluxtui.model.resources.resource_set import Resources
from tests.answers.explain.cases import (
    DEMO,
    Case,
    at_path,
    clusters,
    constraints,
    explained,
    long_query,
    parts_of,
    texts,
)
from tests.constraints import Machine, holds
from tests.each import the
from tests.model.clusters import cluster


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
        operator, parts = parts_of(obj, path)
        here, passed = arrives, False
        for part, inner in parts:
            fine = self.send(part, node, here, inner)
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


# Why


def decides(obj: dict[str, Any], known: dict[str, bool], path: str = "") -> bool | None:
    """Whether a constraint holds, where only some of its terms are known; None where it is open."""
    if path in known:
        return known[path]
    operator, parts = parts_of(obj, path)
    if not parts and operator in ("and", "or", "not"):
        return operator != "not"
    if not parts:
        return None if obj[operator] else operator == "properties"
    found = [decides(part, known, here) for part, here in parts]
    if operator == "or":
        return True if True in found else None if None in found else False
    every = False if False in found else None if None in found else True
    return every if operator != "not" or every is None else not every


@given(clusters(), texts, st.integers(0))
def test_what_is_said_of_a_node_and_of_a_set_is_true(case: Case, text: str, mask: int) -> None:
    assume(requires.read(text).constraint is not None)
    explanation = explained(text, case.resources)
    obj = to_json(explanation.root.constraint)
    for index, node in enumerate(case.nodes):
        one = why(explanation, index)
        assert (one.rank, one.host, one.matches) == (node.rank, node.host, holds(obj, node))
        for part, held in one.holds:
            assert held == holds(at_path(obj, part.path), node)
        known = {path: holds(at_path(obj, path), node) for path in one.paths}
        assert decides(obj, known) is one.matches  # what is told is enough, whatever the rest
        assert one.sentence.startswith(
            f"{one.name} {'matches' if one.matches else 'does not match'}: "
        )
        assert not one.sentence.endswith((".", " "))
    for index in (-1, len(case.nodes)):
        with pytest.raises(IndexError):
            why(explanation, index)
    found = why_set(explanation, mask)
    chosen = [index for index in range(len(case.nodes)) if mask >> index & 1]
    out = {index for index in chosen if not holds(obj, case.nodes[index])}
    assert found.total == len(chosen)
    assert {index for index in chosen if found.out >> index & 1} == out
    grouped: list[int] = []
    for group in found.groups:
        members = [index for index in chosen if group.mask >> index & 1]
        assert group.count == len(members) > 0
        grouped += members
        part = at_path(obj, group.path)
        assert not any(holds(part, case.nodes[index]) for index in members)
    assert sorted(grouped) == sorted(out)


@settings(max_examples=25)
@given(clusters(), st.integers(1, 120), st.integers(0, 2**32), st.integers(0))
def test_the_step_that_keeps_most_out_is_first(
    case: Case, parts: int, seed: int, mask: int
) -> None:
    explanation = explained(long_query(random.Random(seed), parts), case.resources)
    logic = explanation.logic
    steps = [inner.mask for inner in logic.parts] if logic.kind == "and" else [logic.mask]
    out = mask & explanation.everything & ~explanation.mask
    expected = []
    while out:
        counts = [(out & ~step).bit_count() for step in steps]
        most = steps[counts.index(max(counts))]
        expected.append((out & ~most, max(counts)))
        out &= most
    found = why_set(explanation, mask)
    assert [(group.mask, group.count) for group in found.groups] == expected


def test_many_reasons_are_counted() -> None:
    text = "&".join(f"-rank:{number}" for number in range(196))
    found = why_set(explained(text, DEMO), DEMO.everything)
    assert (len(found.groups), sum(group.count for group in found.groups)) == (51, 196)
    assert found.groups[-1].path == ""
    assert found.groups[-1].sentence == "146 of 196 nodes are out for other reasons"
    assert found.sentence == (
        "1 of 196 nodes is out because it is rank 0; 1 more because it is rank 1; "
        "1 more because it is rank 2; 1 more because it is rank 3; 192 more for other reasons"
    )


def test_nodes_go_by_their_host_and_where_that_is_not_enough_by_their_rank() -> None:
    shared = explained("a", cluster("0-2", "n1,n1,n2", a="1"))
    assert [why(shared, index).sentence for index in range(3)] == [
        "n1 (rank 0) does not match: it is not in a",
        "n1 (rank 1) matches: it is in a",
        "n2 does not match: it is not in a",
    ]
    assert why(explained("a", cluster("4")), 0).sentence == "rank 4 does not match: it is not in a"
    some = cluster("0-3", a="1-2", b="3")
    assert why_set(explained("a", some), 0b110).sentence == "both a nodes match"


# Nodes by name: which are found, and what is said of names that are not there, and where


def test_a_host_may_be_named_as_a_rank_is_and_several_may_share_a_name() -> None:
    some = cluster("0-1", "1,17")
    for text, mask in (("1", 0b10), ("17", 0b10), ("rank:1", 0b10), ("host:1", 0b01)):
        assert find(text, some).value.mask == mask
    assert find("n1", cluster("0-2", "n1,n1,n2")).value == Target(0b11, False)


def test_a_cluster_without_nodes() -> None:
    (problem,) = find("foo", Resources()).problems
    assert problem.expected == ("a rank", "a host")
