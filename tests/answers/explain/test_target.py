"""Nodes by name: which are found, and what is said of names that are not there, and where."""

from fluxtui.answers.explain.target import Target, find
from fluxtui.model.resources.resource_set import Resources
from tests.answers.explain.cases import DEMO
from tests.each import for_each
from tests.model.clusters import cluster

#: What is typed, and the nodes that are found.
FOUND = [
    ("0", "0", False), ("dune001", "4", False), (" 3 ", "3", False), ("0-3,7", "0-3,7", True),
    ("dune[001-002]", "4-5", True), ("dune001,dune003", "4,6", True),
    ("190-300", "190-195", True), (" rank:2-3", "2-3", True), ("host:dune[001-002]", "4-5", True),
]  # fmt: skip


@for_each("text, ranks, is_set", FOUND)
def test_nodes_by_name(text: str, ranks: str, is_set: bool) -> None:
    found = find(text, DEMO)
    assert found.ok
    assert (DEMO.ranks_text(found.value.mask), found.value.is_set) == (ranks, is_set)


def test_a_host_may_be_named_as_a_rank_is_and_several_may_share_a_name() -> None:
    some = cluster("0-1", "1,17")
    for text, mask in (("1", 0b10), ("17", 0b10), ("rank:1", 0b10), ("host:1", 0b01)):
        assert find(text, some).value.mask == mask
    assert find("n1", cluster("0-2", "n1,n1,n2")).value == Target(0b11, False)


WANTED = ("a rank such as 3", "a host such as dune-login1")


@for_each("text, message, place, expected", [
    ("9-3", "range '9-3' runs backwards", "9-3", ("3-9",)),
    ("1,,2", "an id is missing before ','", ",", ("an id",)),
    ("3-", "the last id is missing after '-'", "-", ("N-M",)),
    (" rank:5-3", "range '5-3' runs backwards", "5-3", ("3-5",)),
    ("gpu", "'gpu' is a property, neither a rank nor a host", "gpu", WANTED),
    ("rank:gpu", "'gpu' is a property, neither a rank nor a host", "gpu", WANTED),
    ("host:gpu", "'gpu' is a property, neither a rank nor a host", "gpu", WANTED),
    ("foo", "'foo' is neither a rank nor a host of the cluster", "foo", WANTED),
    ("-gpu", "'-gpu' is neither a rank nor a host of the cluster", "-gpu", WANTED),
    ("rank:dune001", "'dune001' is a host, not a rank; write host:dune001", "dune001", ()),
    ("rank:dune[001-002]",
     "'dune[001-002]' is a list of hosts, not a rank; write host:dune[001-002]", "dune[001-002]",
     ()),
    ("host:164", "'164' is a rank, not a host; write rank:164", None, ("rank:164",)),
    ("host:9-3", "host '9-3' is not in the cluster", None, ()),
    ("dunegpu30", "host 'dunegpu30' is not in the cluster; did you mean dunegpu24 (1 node)?", None,
     ("dunegpu24",)),
    ("200", "rank 200 is not in the cluster, which has 0-195; did you mean 195 (1 node)?", None,
     ("195",)),
    ("x[1-3]", "3 hosts are not in the cluster: x[1-3]", None, ()),
    ("host:500", "host '500' is not in the cluster", None, ()),
    ("a[", "the bracket '[' is not closed", "[", None),
    ("rank:1-x", "'x' does not belong in an idset", "x", None),
    ("  host:a[1-x]", "'x' does not belong between brackets", "x", None),
    ("rank:a", "'a' does not belong in an idset", "a", None),
    ("gpu:a", "'gpu:a' is neither a rank nor a host of the cluster", "gpu:a", WANTED),
    *((text, "no node is named", None, None) for text in ("", " ", "rank:", "host:", ",")),
])  # fmt: skip
def test_what_is_said(
    text: str, message: str, place: str | None, expected: tuple[str, ...] | None
) -> None:
    found = find(text, DEMO)
    assert not found.ok
    (problem,) = found.problems
    assert problem.message == message
    assert expected is None or problem.expected == expected
    assert (text[slice(*problem.span)] if problem.span else None) == place


def test_a_cluster_without_nodes() -> None:
    (problem,) = find("foo", Resources()).problems
    assert problem.expected == ("a rank", "a host")
