"""Matching constraints (RFC 31)."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.explain import names
from fluxtui.answers.matching import match
from fluxtui.answers.matching.match import Reason
from fluxtui.bridge import files
from fluxtui.model.constraint import tree as constraint
from fluxtui.model.constraint.tree import Constraint
from fluxtui.model.resources import document
from fluxtui.model.resources.document import Node, Resources
from fluxtui.notation.problem import Problem
from fluxtui.notation.sets import hostlist, idset
from fluxtui.notation.sets.idset import IdSet
from tests.constraints import objects
from tests.notation.sets.host_expressions import encode


def read(obj: dict[str, Any]) -> Constraint:
    parsed = constraint.read(obj)
    assert parsed.value is not None, parsed.problems
    return parsed.value


def demo() -> Resources:
    return document.read_text(files.demo().text)


def holds(obj: dict[str, Any], node: Node) -> bool:
    """The constraint on one node, said as plainly as can be."""
    if not obj:
        return True
    ((name, values),) = obj.items()
    if name == "properties":
        return all(
            v[1:] not in node.properties if v.startswith("^") else v in node.properties
            for v in values
        )
    if name == "hostlist":
        return any(node.host in list(hostlist.parse(v).value) for v in values)
    if name == "ranks":
        return any(node.rank in idset.parse(v).value for v in values)
    found = [holds(value, node) for value in values]
    if name == "not":
        return bool(values) and not all(found)
    return all(found) if name == "and" else any(found) or not values


PROPERTIES = ("a", "b", "c", "x@gpu", "+q")

properties = st.sampled_from([*PROPERTIES, "^a", "^b", "^+q", "zz", "^zz", "n1"])
hosts = st.sampled_from(["n[0-3]", "n5,n7", "m0[1-4]", "n1[0-5]", "zz", "n[2,2]", "m0"])
ranks = st.sets(st.integers(0, 60), min_size=1, max_size=6).map(lambda ids: str(IdSet.of(ids)))

constraints = objects(properties, hosts, ranks)


@st.composite
def clusters(draw: st.DrawFn) -> Resources:
    ids = IdSet.of(draw(st.sets(st.integers(0, 60), min_size=1, max_size=24)))
    name = st.sampled_from([f"n{i}" for i in range(16)] + [f"m0{i}" for i in range(6)])
    names = draw(st.lists(name, min_size=len(ids), max_size=len(ids)))
    some = st.sets(st.sampled_from(list(ids)))
    return document.read(
        {
            "version": 1,
            "execution": {
                "R_lite": [{"rank": str(ids), "children": {"core": "0-1"}}],
                "nodelist": [encode(names)],
                "properties": {p: str(IdSet.of(draw(some))) for p in PROPERTIES},
            },
        }
    )


@given(clusters(), constraints)
def test_agrees_with_single_nodes(cluster: Resources, obj: dict[str, Any]) -> None:
    wanted = read(obj)
    mask = match.match(wanted, cluster)
    nodes = [cluster.node(index) for index in range(cluster.node_count)]
    assert [bool(mask >> n.index & 1) for n in nodes] == [holds(obj, n) for n in nodes]
    assert mask >> cluster.node_count == 0
    tree = match.matched(wanted, cluster)
    assert tree.mask == mask
    for node in nodes[:4]:
        met = [match.reason(one, node.index).holds for one in match.conditions(tree)]
        assert all(met) == bool(mask >> node.index & 1)
    names.hints(wanted, cluster)


def test_counts_for_each_part() -> None:
    obj = {"and": [{"properties": ["gpu", "^debug"]}, {"not": [{"ranks": ["180-187"]}]}]}
    tree = match.matched(read(obj), demo())
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
    tree = match.matched(read(obj), cluster)
    index = cluster.index_of_rank(176)
    assert index is not None
    reasons = [match.reason(one, index) for one in match.conditions(tree)]
    assert [(r.text, r.holds) for r in reasons] == [
        ("gpu", True),
        ("not debug", False),
        ("ssd or any node", True),
    ]
    ranks = read({"ranks": ["3"]})
    (condition,) = match.conditions(match.matched(ranks, cluster))
    assert match.reason(condition, 3) == Reason(ranks, "rank 3", True)


@pytest.mark.parametrize(
    ("obj", "text"),
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
def test_in_words(obj: dict[str, Any], text: str) -> None:
    assert match.describe(read(obj)) == text


@pytest.mark.parametrize(
    ("obj", "message", "path", "expected"),
    [
        (
            {"properties": ["gpu", "^bigmen"]},
            "no node has property 'bigmen'; did you mean bigmem (8 nodes)?",
            "properties[1]",
            ("bigmem",),
        ),
        (
            {"and": [{"properties": ["dune001"]}]},
            "'dune001' is a host, not a property; write host:dune001",
            "and[0].properties[0]",
            ("host:dune001",),
        ),
        ({"properties": ["qqq"]}, "no node has property 'qqq'", "properties[0]", ()),
        (
            {"hostlist": ["dune[159-161]"]},
            "host 'dune161' is not in the cluster; did you mean dune160 (1 node)?",
            "hostlist[0]",
            ("dune160",),
        ),
        (
            {"hostlist": ["dune[001-999999]"]},
            "999,839 of 999,999 hosts are not in the cluster",
            "hostlist[0]",
            (),
        ),
        (
            {"ranks": ["0", "190-200"]},
            "ranks 196-200 are not in the cluster, which has 0-195; did you mean "
            "190-195 (6 nodes)?",
            "ranks[1]",
            ("190-195",),
        ),
    ],
)
def test_hints(obj: dict[str, Any], message: str, path: str, expected: tuple[str, ...]) -> None:
    (hint,) = names.hints(read(obj), demo())
    assert hint == Problem(message, None, path, expected, "RFC 31", "warning")


def test_nothing_to_hint_at() -> None:
    obj = {"and": [{"properties": ["gpu", "^debug", ""]}, {"hostlist": ["dune-login1"]}]}
    assert names.hints(read(obj), demo()) == ()


def test_a_suffix_is_part_of_the_property() -> None:
    cluster = demo()
    assert match.match(read({"properties": ["amd-mi250x@gpu"]}), cluster).bit_count() == 16
    assert match.match(read({"properties": ["amd-mi250x"]}), cluster) == 0


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
        mask = match.match(wanted, cluster)
        names.hints(wanted, cluster)
        best = min(best, time.process_time() - start)
    assert mask.bit_count() == 150_000 + 9
    assert best < 0.016
