"""Matching constraints (RFC 31), and finding nodes by the beginning of a name."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers import matching
from fluxtui.answers.explain import names
from fluxtui.answers.matching import find
from fluxtui.model.constraint import tree
from fluxtui.model.constraint.tree import Constraint
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets.bits import has
from fluxtui.notation.sets.idset import IdSet
from tests import pace
from tests.answers.explain.cases import Case, clusters, constraints
from tests.constraints import holds
from tests.each import for_each, the
from tests.model.clusters import cluster


def read(obj: dict[str, Any]) -> Constraint:
    return the(tree.read(obj).value)


@given(clusters(), constraints)
def test_agrees_with_single_nodes(case: Case, obj: dict[str, Any]) -> None:
    wanted, cluster = read(obj), case.resources
    mask = matching.match(wanted, cluster)
    expected = [holds(obj, node) for node in case.nodes]
    assert [bool(mask >> at & 1) for at in range(len(case.nodes))] == expected
    assert mask >> cluster.node_count == 0
    whole = matching.matched(wanted, cluster)
    assert whole.mask == mask
    conditions = matching.conditions(whole)
    for index, matches in enumerate(expected):
        assert all(has(one.mask, index) for one in conditions) == matches
    names.hints(wanted, cluster)


def test_a_million_nodes_in_a_frame() -> None:
    count = 1_000_000
    even = ",".join(map(str, range(0, count, 2)))
    large = cluster(f"0-{count - 1}", f"n[0-{count - 1}]", even=even, low=f"0-{count // 2}")
    large.prepare()
    both = {"and": [{"properties": ["even", "^low"]}, {"hostlist": ["n[5-800000]"]}]}
    wanted = read({"or": [both, {"not": [{"ranks": ["0-999990"]}]}]})
    mask, _ = pace.within(
        0.016, lambda: (matching.match(wanted, large), names.hints(wanted, large))
    )
    assert mask.bit_count() == 150_000 + 9


# Nodes by the beginning of a name, against a look at every name

NAMES = st.builds(
    "{}{}{}".format,
    st.sampled_from(("n", "no", "rack1-n", "login", "x-")),
    st.sampled_from(("", "0", "1", "01", "2", "10", "11", "012", "120", "1201")),
    st.sampled_from(("", "-ib")),
)
TEXTS = st.builds(
    lambda name, length, more: name[:length] + more,
    NAMES,
    st.integers(0, 12),
    st.sampled_from(("", "", "", "1", "z")),
)


def in_a_row(hosts: list[str], first: int = 0) -> Resources:
    """The hosts in the order of their ranks, from the first one on."""
    return cluster(str(IdSet.between(first, first + len(hosts) - 1)), hosts)


@given(st.lists(NAMES, min_size=1, max_size=30), TEXTS, st.integers(1, 4))
def test_names_that_begin_so_are_found(hosts: list[str], text: str, few: int) -> None:
    some = in_a_row(hosts, 100_000)
    wanted = {i for i, host in enumerate(hosts) if host.startswith(text)} if text else set()
    for most in (few, 40):
        found = find(some, text, most)
        assert len(found) == len(set(found)) == min(most, len(wanted))
        assert set(found) <= wanted
        assert text not in hosts or not found or hosts[found[0]] == text


NUMBERED = in_a_row([f"n{i}" for i in range(13)])
RACKS = cluster("0-399", [f"rack[0-3]-n{number}" for number in range(100)])
OVERLAPPING = cluster("0-111", ["n[0-100]", "n5", "n[50-59]"])


@for_each("some, text, wanted", [
    (NUMBERED, "n1", [1, 10, 11, 12]),
    (NUMBERED, "12", [12]),  # a rank
    *((NUMBERED, text, []) for text in ("n13", "99", "x", "²", "9" * 500)),
    (RACKS, "rack2-n99", [398]),
    (RACKS, "rack1-n9", [37, *range(361, 400, 4)]),
    (in_a_row(["3", "7", "30", "0"]), "3", [3, 0, 2]),  # a rank before a host of that name
    (OVERLAPPING, "n5", [5, 101, *range(50, 60), *range(102, 112)]),
])  # fmt: skip
def test_ranks_and_ranges(some: Resources, text: str, wanted: list[int]) -> None:
    assert find(some, text, 99) == wanted
