"""Matching constraints (RFC 31)."""

import time
from typing import Any

from hypothesis import given

from fluxtui.answers import matching
from fluxtui.answers.explain import names
from fluxtui.model.constraint import tree as constraint
from fluxtui.model.constraint.tree import Constraint
from fluxtui.model.resources import document
from fluxtui.notation.problem import Problem
from fluxtui.notation.sets.bits import has
from tests.answers.explain.cases import Case, clusters, constraints, demo
from tests.constraints import holds
from tests.each import for_each
from tests.model.clusters import cluster


def read(obj: dict[str, Any]) -> Constraint:
    parsed = constraint.read(obj)
    assert parsed.value is not None, parsed.problems
    return parsed.value


@given(clusters(), constraints)
def test_agrees_with_single_nodes(case: Case, obj: dict[str, Any]) -> None:
    wanted, cluster = read(obj), case.resources
    mask = matching.match(wanted, cluster)
    assert [bool(mask >> at & 1) for at in range(len(case.nodes))] == [
        holds(obj, node) for node in case.nodes
    ]
    assert mask >> cluster.node_count == 0
    tree = matching.matched(wanted, cluster)
    assert tree.mask == mask
    for index in range(min(cluster.node_count, 4)):
        met = [has(one.mask, index) for one in matching.conditions(tree)]
        assert all(met) == bool(mask >> index & 1)
    names.hints(wanted, cluster)


def test_counts_for_each_part() -> None:
    obj = {"and": [{"properties": ["gpu", "^debug"]}, {"not": [{"ranks": ["180-187"]}]}]}
    tree = matching.matched(read(obj), demo())
    assert tree.mask.bit_count() == 12
    (both, no) = tree.parts
    assert (both.path, both.mask.bit_count()) == ("and[0]", 18)
    assert [(p.path, p.mask.bit_count()) for p in both.parts] == [
        ("and[0].properties[0]", 24),
        ("and[0].properties[1]", 196 - 22),
    ]
    assert (no.path, no.mask.bit_count()) == ("and[1]", 188)
    assert no.parts[0].path == "and[1].not[0]"


def test_why_a_node_does_not_match() -> None:
    obj = {"and": [{"properties": ["gpu", "^debug"]}, {"or": [{"properties": ["ssd"]}, {}]}]}
    cluster = demo()
    tree = matching.matched(read(obj), cluster)
    index = cluster.ranks.index(176)
    assert index is not None
    met = matching.conditions(tree)
    assert [(matching.describe(one.constraint), has(one.mask, index)) for one in met] == [
        ("gpu", True),
        ("not debug", False),
        ("ssd or any node", True),
    ]


@for_each(
    "row",
    [
        ({}, "any node"),
        ({"properties": ["a", "^b"]}, "a and not b"),
        ({"not": [{"properties": ["a", "b"]}]}, "not (a and b)"),
        ({"not": [{"hostlist": ["n[0-3]", "m"]}]}, "not host n[0-3],m"),
        ({"or": [{"properties": ["a"]}, {"properties": ["b", "c"]}]}, "a or (b and c)"),
        ({"not": []}, "no node"),
        ({"or": []}, "any node"),
        ({"properties": ["a", "", "b"]}, "a and '' and b"),
        ({"properties": ["^"]}, "not ''"),
        ({"not": [{"properties": [""]}]}, "not ''"),
        ({"hostlist": [""]}, "host ''"),
        ({"ranks": [""]}, "rank ''"),
    ],
)
def test_in_words(row: tuple[dict[str, Any], str]) -> None:
    assert matching.describe(read(row[0])) == row[1]


def test_hints() -> None:
    obj = {"and": [{"properties": ["gpu", "^debug", ""]}, {"hostlist": ["dune-login1"]}]}
    assert names.hints(read(obj), demo()) == ()
    (hint,) = names.hints(read({"properties": ["gpu", "^bigmen"]}), demo())
    message = "no node has property 'bigmen'; did you mean bigmem (8 nodes)?"
    assert hint == Problem(message, None, "properties[1]", ("bigmem",), "RFC 31", "warning")


# host0 ssd; host1 ssd, slowgpu; host2 huge; host3 nothing; host4 slowgpu
CLUSTER = cluster("0-4", "host[0-4]", ssd="0-1", slowgpu="1,4", huge="2")


@for_each(
    "row",
    [
        ({"properties": ["ssd"]}, "0-1"),
        ({"properties": ["^slowgpu"]}, "0,2-3"),
        ({"not": [{"properties": ["slowgpu"]}]}, "0,2-3"),
        ({"or": [{"properties": ["ssd"]}, {"properties": ["huge"]}]}, "0-2"),
        ({"hostlist": ["host[0-1]"]}, "0-1"),
        ({"not": [{"hostlist": ["host[0-1]"]}]}, "2-4"),
        ({"and": [{"hostlist": ["host[0-1]"]}, {"properties": ["ssd"]}]}, "0-1"),
        ({"and": [{"hostlist": ["host[1-2]"]}, {"properties": ["ssd"]}]}, "1"),
        ({"ranks": ["0"]}, "0"),
        ({"not": [{"properties": ["ssd", "slowgpu"]}]}, "0,2-4"),
        # The empty operators: always, always, never; and the empty object: always.
        ({"or": []}, "0-4"),
        ({"and": []}, "0-4"),
        ({"not": []}, ""),
        ({}, "0-4"),
    ],
)
def test_the_examples_of_rfc_31(row: tuple[dict[str, Any], str]) -> None:
    assert str(CLUSTER.ranks_of(matching.match(read(row[0]), CLUSTER))) == row[1]


def test_a_suffix_is_part_of_the_property() -> None:
    cluster = demo()
    assert matching.match(read({"properties": ["amd-mi250x@gpu"]}), cluster).bit_count() == 16
    assert matching.match(read({"properties": ["amd-mi250x"]}), cluster) == 0


def test_a_million_nodes_in_a_frame() -> None:
    count = 1_000_000
    cluster = document.read(
        {
            "version": 1,
            "execution": {
                "R_lite": [{"rank": f"0-{count - 1}", "children": {"core": "0-47"}}],
                "nodelist": [f"n[0-{count - 1}]"],
                "properties": {
                    "even": ",".join(map(str, range(0, count, 2))),
                    "low": f"0-{count // 2}",
                },
            },
        }
    )
    cluster.prepare()
    obj = {
        "or": [
            {"and": [{"properties": ["even", "^low"]}, {"hostlist": ["n[5-800000]"]}]},
            {"not": [{"ranks": ["0-999990"]}]},
        ]
    }
    wanted = read(obj)
    best = 1.0
    for _ in range(5):
        start = time.process_time()
        mask = matching.match(wanted, cluster)
        names.hints(wanted, cluster)
        best = min(best, time.process_time() - start)
    assert mask.bit_count() == 150_000 + 9
    assert best < 0.016
