"""Why nodes are in or out: what is said is true of them, and enough to decide."""

import json
import random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fluxtui.answers.explain.target import Target, find
from fluxtui.answers.explain.why import why, why_set
from fluxtui.model.constraint import requires
from fluxtui.model.constraint.tree import to_json
from fluxtui.model.resources.resource_set import Resources
from tests.answers.explain import large
from tests.answers.explain.cases import DEMO, Case, at_path, clusters, explained, texts
from tests.constraints import holds
from tests.model.clusters import cluster


def decides(obj: dict[str, Any], known: dict[str, bool], path: str = "") -> bool | None:
    """Whether a constraint holds, where only some of its terms are known; None where it is open."""
    if path in known:
        return known[path]
    if not obj:
        return True
    ((operator, values),) = obj.items()
    if operator == "properties" and len(values) > 1:
        parts = [{"properties": [value]} for value in values]
    elif operator in ("and", "or", "not"):
        parts = values
    else:
        empty = {"properties": True, "hostlist": False, "ranks": False}
        return None if values else empty[operator]
    if not parts:
        return operator != "not"
    paths = (f"{path}.{operator}[{n}]".removeprefix(".") for n in range(len(parts)))
    found = [decides(part, known, here) for part, here in zip(parts, paths, strict=True)]
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


def test_a_long_sentence_is_cut() -> None:
    long = json.dumps({"hostlist": [",".join(f"h{n}x" for n in range(200))]})
    assert len(why(explained(long, DEMO), 20).sentence) < 150
    text = "|".join(f"(rack{n}&icelake&-rank:{n}-{n + 90})" for n in range(1, 99))
    sentence = why_set(explained(text, DEMO), DEMO.everything).sentence
    assert len(sentence) < 500
    assert sentence.endswith(" more such things")


@settings(max_examples=25)
@given(clusters(), st.integers(1, 120), st.integers(0, 2**32), st.integers(0))
def test_the_step_that_keeps_most_out_is_first(
    case: Case, parts: int, seed: int, mask: int
) -> None:
    explanation = explained(large.query(random.Random(seed), parts), case.resources)
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
