"""Host names by how they begin, against a walk through all of them."""

import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation.query.completion import completions as query_completions
from fluxtui.notation.sets import hostlist
from fluxtui.notation.sets.host_index import HostIndex
from fluxtui.notation.sets.hosts import HostList
from fluxtui.notation.sets.idset import IdSet


def hosts(text: str) -> HostList:
    parsed = hostlist.parse(text)
    assert parsed.ok, parsed
    return parsed.value


def beginning(text: str, typed: str, most: int = 50) -> list[tuple[str, int]]:
    return [
        (found.text, found.nodes) for found in HostIndex(hosts(text)).beginning_with(typed, most)
    ]


@pytest.mark.parametrize(
    ("text", "typed", "found"),
    [
        ("n[0-2]", "", [("n[0-2]", 3), ("n0", 1), ("n1", 1), ("n2", 1)]),
        ("n[0-2]", "n", [("n[0-2]", 3), ("n0", 1), ("n1", 1), ("n2", 1)]),
        ("n[0-2]", "n1", []),
        ("n[8-11]", "n1", [("n[10-11]", 2), ("n10", 1), ("n11", 1)]),
        ("n[008-011]", "n0", [("n[008-011]", 4), *((f"n0{i:02}", 1) for i in range(8, 12))]),
        ("n[008-011]", "n00", [("n[008-009]", 2), ("n008", 1), ("n009", 1)]),
        ("n[008-011]", "n01", [("n[010-011]", 2), ("n010", 1), ("n011", 1)]),
        ("n[08-101]", "n10", [("n[10,100-101]", 3), ("n100", 1), ("n101", 1)]),
        ("n[0-1]-eth", "n1-", [("n1-eth", 1)]),
        ("n[0-1]-eth", "n1-eth", []),
        ("login,n1,n1,n1", "", [("n1", 3), ("login", 1)]),
        ("login,login", "l", [("login", 2)]),
        ("n[1-2],n[2-3]", "n", [("n[1-3]", 4), ("n1", 1), ("n2", 2), ("n3", 1)]),
        ("n[0,2,4,6]", "n", [("n0", 1), ("n2", 1), ("n4", 1), ("n6", 1)]),
        ("a[1],b[1-2]", "", [("b[1-2]", 2), ("a1", 1), ("b1", 1), ("b2", 1)]),
        ("n[1-3]", "x", []),
        ("n[1-3]", "n1x", []),
        ("n[1-3]", "n01", []),
    ],
)
def test_beginning_with(text: str, typed: str, found: list[tuple[str, int]]) -> None:
    assert beginning(text, typed) == found


def test_every_group_is_seen_before_single_hosts() -> None:
    found = beginning("a[1-900],b[1-900],c[1-9]", "", 10)
    assert found[:3] == [("a[1-900]", 900), ("b[1-900]", 900), ("c[1-9]", 9)]
    assert len(found) == 10


_NAME = st.from_regex(r"\A[ab]{1,2}[0-9]{0,3}(-[ab])?\Z")


@given(st.lists(_NAME, max_size=12), st.from_regex(r"\A[ab]{0,2}[0-9]{0,2}-?\Z"))
def test_the_hosts_are_those_of_a_walk(names: list[str], typed: str) -> None:
    listed = hosts(",".join(names)) if names else HostList()
    found = [(one.text, one.nodes) for one in HostIndex(listed).beginning_with(typed, 500)]
    single = {name: nodes for name, nodes in found if "[" not in name}
    wanted = {n: c for n, c in Counter(listed).items() if n.startswith(typed) and n != typed}
    assert single == wanted
    for text, nodes in found:
        if "[" in text:
            members = set(hosts(text))
            assert sum(Counter(listed)[name] for name in members) == nodes
            assert members <= {*wanted, typed}
            assert len(members) > 1


def test_a_million_hosts_are_looked_up_at_once() -> None:
    names = HostIndex(hosts("n[1-900000],g[1-100000]"))
    started = time.process_time()
    for typed in ("", "n", "n1", "n12345", "g99"):
        assert names.beginning_with(typed, 50)
    assert time.process_time() - started < 0.1


def named(names: HostIndex, typed: str) -> list[tuple[str, int]]:
    return [(one.text, one.nodes) for one in names.beginning_with(typed, 3)]


def test_a_list_of_gaps_is_looked_up_at_once() -> None:
    names = HostIndex(hosts(f"n[{','.join(map(str, range(0, 400_000, 2)))}]"))
    started = time.process_time()
    assert named(names, "n") == [("n0", 1), ("n2", 1), ("n4", 1)]
    assert named(names, "n39999") == [("n399990", 1), ("n399992", 1), ("n399994", 1)]
    assert time.process_time() - started < 0.1


def test_a_query_offers_groups_with_their_nodes() -> None:
    names = HostIndex(hosts("n[0-11],login"))
    found = query_completions("gpu&host:login,n1", 17, {}, names)
    assert [(o.text, o.nodes) for o in found[:2]] == [("n[1,10-11]", 3), ("n10", 1)]
    assert found[0].span == (15, 17)
    assert found[0].description == "3 nodes"
    assert found[1].description == "1 node"


def test_a_query_says_which_host_a_rank_is() -> None:
    names = HostIndex(hosts("n[0-2]"))
    found = query_completions("rank:1", 6, {}, names, IdSet.of([1, 10, 12]))
    assert [(o.text, o.description) for o in found[:2]] == [("10", "n1"), ("12", "n2")]


def test_a_property_that_is_absent_has_all_other_nodes() -> None:
    ranks = IdSet.between(0, 9)
    (found,) = query_completions("^g", 2, {"gpu": 3}, (), ranks)
    assert (found.text, found.nodes, found.description) == ("^gpu", 7, "7 nodes")
    (unknown,) = query_completions("^g", 2, {"gpu": 3})
    assert (unknown.text, unknown.nodes) == ("^gpu", None)
