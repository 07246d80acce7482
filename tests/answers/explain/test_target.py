"""Nodes that are named where they cannot be: what is said, and where."""

from fluxtui.answers.explain.target import find
from fluxtui.model.resources.document import Resources
from tests.answers.explain.cases import demo
from tests.each import for_each

WANTED = ("a rank such as 3", "a host such as dune-login1")


@for_each(
    "case",
    [
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
         "'dune[001-002]' is a list of hosts, not a rank; write host:dune[001-002]",
         "dune[001-002]", ()),
        ("host:164", "'164' is a rank, not a host; write rank:164", None, ("rank:164",)),
        ("host:9-3", "host '9-3' is not in the cluster", None, ()),
        ("dunegpu30", "host 'dunegpu30' is not in the cluster; did you mean dunegpu24 (1 node)?",
         None, ("dunegpu24",)),
        ("200", "rank 200 is not in the cluster, which has 0-195; did you mean 195 (1 node)?", None,
         ("195",)),
        ("x[1-3]", "3 hosts are not in the cluster: x[1-3]", None, ()),
    ],
)  # fmt: skip
def test_what_is_said(case: tuple[str, str, str | None, tuple[str, ...]]) -> None:
    text, message, place, expected = case
    found = find(text, demo())
    assert not found.ok
    (problem,) = found.problems
    assert (problem.message, problem.expected) == (message, expected)
    assert (text[slice(*problem.span)] if problem.span else None) == place


@for_each("text", ["", " ", "rank:", "host:", ","])
def test_nothing_is_named(text: str) -> None:
    found = find(text, demo())
    assert not found.ok
    assert len(found.problems) == 1


def test_a_cluster_without_nodes() -> None:
    (problem,) = find("foo", Resources()).problems
    assert problem.expected == ("a rank", "a host")
