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


def test_a_cluster_without_nodes() -> None:
    (problem,) = find("foo", Resources()).problems
    assert problem.expected == ("a rank", "a host")
