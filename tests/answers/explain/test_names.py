"""Names that the cluster does not have, with the closest ones that it has."""

import time
from collections.abc import Callable
from itertools import takewhile
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers import matching
from fluxtui.answers.explain.names import Unknown, close_properties, unknown
from fluxtui.model.constraint import requires, tree
from fluxtui.model.constraint.tree import Constraint
from fluxtui.model.resources.document import Resources
from tests.answers.explain.cases import (
    Case,
    clusters,
    constraints,
    demo,
)
from tests.constraints import expanded_hosts, expanded_ids
from tests.each import for_each
from tests.model.clusters import cluster


def read(obj: dict[str, Any]) -> Constraint:
    found = tree.read(obj).value
    assert found is not None
    return found


def named(obj: dict[str, Any], path: str = "") -> list[tuple[str, str]]:
    """Every name of a constraint, with its path."""
    found: list[tuple[str, str]] = []
    for operator, values in obj.items():
        for number, value in enumerate(values):
            here = f"{path}.{operator}[{number}]".removeprefix(".")
            found += [(value, here)] if isinstance(value, str) else named(value, here)
    return found


def in_a_row(values: list[str], path: str, hosts: set[str]) -> dict[str, str]:
    """Hosts in a row that are meant for properties: told as one list, at the path of the first."""
    found: dict[str, str] = {}
    number = 0
    while number < len(values):
        row = list(takewhile(hosts.__contains__, values[number:]))
        if len(row) > 1:
            whole = path.rpartition(".")[0] if len(row) == len(values) else f"{path}[{number}]"
            found |= {f"{path}[{number + at}]": whole for at in range(len(row))}
        number += len(row) or 1
    return found


def rows(obj: dict[str, Any], hosts: set[str], path: str = "") -> dict[str, str]:
    found: dict[str, str] = {}
    for operator, values in obj.items():
        here = f"{path}.{operator}".removeprefix(".")
        if operator == "properties":
            found |= in_a_row(values, here, hosts)
        for number, value in enumerate(values):
            found |= rows(value, hosts, f"{here}[{number}]") if isinstance(value, dict) else {}
    return found


@given(clusters(), constraints)
def test_every_name_that_is_not_there_is_told(case: Case, obj: dict[str, Any]) -> None:
    there = {"property": set().union(*(node.properties for node in case.nodes))}
    hosts, ranks = {node.host for node in case.nodes}, {node.rank for node in case.nodes}
    missing = []
    for value, path in named(obj):
        operator = path.rpartition("[")[0].rpartition(".")[2]
        if operator == "properties":
            unheard = value.removeprefix("^") not in there["property"] and value not in ("", "^")
        elif operator == "hostlist":
            unheard = not expanded_hosts(value) <= hosts
        else:
            unheard = not expanded_ids(value) <= ranks
        if unheard:
            missing.append(path)
    wholes = rows(obj, hosts)
    missing = list(dict.fromkeys(wholes.get(path, path) for path in missing))
    found = unknown(read(obj), case.resources)
    assert [one.problem.path for one in found] == missing
    for one in found:
        assert one.problem.severity == "warning"
        for name in one.near:
            assert name.nodes > 0
        if one.instead is not None:
            mask = matching.match(one.instead, case.resources)
            assert mask or one.kind == "property"


def only(text: str, cluster: Resources | None = None) -> Unknown:
    found = cluster or demo()
    reading = requires.read(text)
    assert reading.constraint is not None
    (one,) = unknown(reading.constraint, found)
    return one


@for_each(
    "case",
    [
        ("bigmen", "no node has property 'bigmen'; did you mean bigmem (8 nodes)?", ["bigmem"]),
        ("-GPU", "no node has property 'GPU'; did you mean gpu (24 nodes)?", ["gpu"]),
        ("^deubg", "no node has property 'deubg'; did you mean debug (22 nodes)?", ["debug"]),
        ("rack9",
         "no node has property 'rack9'; did you mean rack1 (36 nodes), rack2 (32 nodes) "
         "or rack3 (32 nodes)?", ["rack1", "rack2", "rack3"]),
        ("qqq", "no node has property 'qqq'", []),
        ("dune001", "'dune001' is a host, not a property; write host:dune001", ["host:dune001"]),
        ("host:dune17", "host 'dune17' is not in the cluster; did you mean dune017 (1 node)?",
         ["dune017"]),
        ("host:dnue017", "host 'dnue017' is not in the cluster; did you mean dune017 (1 node)?",
         ["dune017"]),
        ("host:dunegpu25",
         "host 'dunegpu25' is not in the cluster; did you mean dunegpu24 (1 node)?", ["dunegpu24"]),
        ("host:dune999", "host 'dune999' is not in the cluster; did you mean dune160 (1 node)?",
         ["dune160"]),
        ("host:dune[1-9]",
         "9 hosts are not in the cluster: dune[1-9]; did you mean dune[001-009] (9 nodes)?",
         ["dune[001-009]"]),
        ("host:dune[161-170]",
         "10 hosts are not in the cluster: dune[161-170]; did you mean dune[001-160] (160 nodes)?",
         ["dune[001-160]"]),
        ("host:dune[159-161]",
         "host 'dune161' is not in the cluster; did you mean dune160 (1 node)?", ["dune160"]),
        ("host:zebra", "host 'zebra' is not in the cluster", []),
        ("host:dune[001-999999]", "999,839 of 999,999 hosts are not in the cluster", []),
        ("rank:196", "rank 196 is not in the cluster, which has 0-195; did you mean 195 (1 node)?",
         ["195"]),
        ("rank:300-303",
         "ranks 300-303 are not in the cluster, which has 0-195; did you mean 192-195 (4 nodes)?",
         ["192-195"]),
        ("rank:190-200",
         "ranks 196-200 are not in the cluster, which has 0-195; did you mean 190-195 (6 nodes)?",
         ["190-195"]),
        ("rank:0-300", "ranks 196-300 are not in the cluster, which has 0-195", ["0-195"]),
    ],
)  # fmt: skip
def test_what_is_said(case: tuple[str, str, list[str]]) -> None:
    text, message, names = case
    one = only(text)
    assert (one.problem.message, [found.text for found in one.near]) == (message, names)
    assert one.problem.expected == tuple(names)


@for_each(
    "case", [("0", "4"), ("0-1", "4-5"), ("12", "11"), ("14-15", "16-17"), ("40-99", "4-11,16-19")]
)
def test_ranks_of_a_cluster_with_gaps(case: tuple[str, str]) -> None:
    wanted, closest = case
    found = only(f"rank:{wanted}", cluster("4-11,16-19")).near
    assert [one.text for one in found] == [closest]


def test_the_first_few_names_are_looked_for() -> None:
    text = " ".join(f"bigmem{number}" for number in range(8))
    reading = requires.read(text)
    assert reading.constraint is not None
    found = unknown(reading.constraint, demo())
    assert [len(one.near) for one in found] == [1, 1, 1, 1, 1, 0, 0, 0]


@given(st.text(st.sampled_from("abcxyz01-"), min_size=3, max_size=12), st.data())
def test_a_letter_that_is_wrong_is_found_among_ten_thousand(word: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(word) - 1))
    wrong = word[:at] + data.draw(st.sampled_from(["", "q", word[at] + "q"])) + word[at + 1 :]
    names = [f"{word[::-1]}{number}" for number in range(2000)] + [word]
    found = [one.text for one in close_properties(wrong, many(names))]
    assert word in found or wrong == word


def many(names: list[str]) -> Resources:
    return Resources(properties=dict.fromkeys(names, 1))


def quickest(call: Callable[[], object]) -> float:
    best = 1.0
    for _ in range(5):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return best


def test_ten_thousand_properties_and_a_million_hosts_keep_no_key_waiting() -> None:
    count = 1_000_000
    names = {f"property{number}": "0" for number in range(10_000)}
    large = cluster(f"0-{count - 1}", f"node[0-{count - 1}]", **names)
    large.prepare()
    for obj, closest in (
        ({"properties": ["propetry77"]}, "property77"),
        ({"properties": ["prperty-771"]}, "property771"),
        ({"hostlist": ["ndoe77"]}, "node77"),
        ({"hostlist": ["node[1000000-1000009]"]}, "node[0-999999]"),
    ):
        wanted = read(obj)
        (one,) = unknown(wanted, large)
        assert closest in [found.text for found in one.near]
        assert quickest(lambda wanted=wanted: unknown(wanted, large)) < 0.016  # type: ignore[misc]
