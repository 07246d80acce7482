"""Nodes by name: which are found, and what is said of names that are not there, and where."""

from fluxtui.answers.explain.target import Target, find
from fluxtui.model.resources.resource_set import Resources
from tests.model.clusters import cluster


def test_a_host_may_be_named_as_a_rank_is_and_several_may_share_a_name() -> None:
    some = cluster("0-1", "1,17")
    for text, mask in (("1", 0b10), ("17", 0b10), ("rank:1", 0b10), ("host:1", 0b01)):
        assert find(text, some).value.mask == mask
    assert find("n1", cluster("0-2", "n1,n1,n2")).value == Target(0b11, False)


def test_a_cluster_without_nodes() -> None:
    (problem,) = find("foo", Resources()).problems
    assert problem.expected == ("a rank", "a host")
