"""The orders that the nodes of a cluster can be in."""

import re

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.listing import orders
from fluxtui.answers.listing.order import Section, host_runs
from fluxtui.model.resources import document, graph
from fluxtui.notation.sets.idset import IdSet
from tests.model.clusters import cluster

NAMES = st.builds(
    lambda prefix, number, suffix: f"{prefix}{number}{suffix}",
    st.sampled_from(("n", "g", "rack2-n", "rack10-n", "Z")),
    st.sampled_from(("", "0", "1", "01", "2", "3", "10", "11", "12", "0010")),
    st.sampled_from(("", "-ib")),
)


@given(st.lists(NAMES, min_size=1, max_size=30))
def test_by_host_repeats_nothing_and_loses_nothing(names: list[str]) -> None:
    found = cluster(str(IdSet.between(0, len(names) - 1)), names)
    order = orders.by_host(found)
    assert sorted(order.rows) == list(range(len(names)))
    shown = [found.host(index) for index in order.rows]
    for prefix in {re.sub(r"[0-9]+(-ib)?$", "", name) for name in names}:
        own = re.compile(re.escape(prefix) + r"([1-9][0-9]*)$")
        numbers = [int(m[1]) for name in shown if (m := own.fullmatch(name))]
        assert numbers == sorted(numbers)


def test_by_host_counts_as_a_person_does() -> None:
    found = cluster("0-6", "n10,rack10-n1,n2,rack2-n1,n[1,3],n2")
    order = orders.by_host(found)
    shown = [found.host(index) for index in order.rows]
    assert shown == ["n1", "n2", "n2", "n3", "n10", "rack2-n1", "rack10-n1"]
    assert [order.row(index) for index in order.rows] == list(range(7))


def test_by_host_is_by_rank_where_that_is_the_same() -> None:
    assert orders.by_host(cluster("0-9", "n[0-9]")).is_by_rank
    assert not orders.by_host(cluster("0-9", "n[5-9,0-4]")).is_by_rank


def test_sections_of_hosts() -> None:
    found = cluster("0-9", "g[0-3],n[0-5]")
    assert orders.by_host(found).sections == (Section("g", 0, 4), Section("n", 4, 10))
    by_rank = orders.by_rank(found, host_runs(found))
    assert [section.name for section in by_rank.sections] == ["g[0-3]", "n[0-5]"]


def test_nodes_without_a_host_come_last() -> None:
    assert list(orders.by_host(cluster("0-3", "n[0-1]")).rows) == [0, 1, 2, 3]


def test_by_property_and_by_value() -> None:
    found = cluster("0-9", "n[0-9]", core="0-3", gpu="3-4,9")
    order = orders.by_property(found, "gpu")
    assert order.sections == (Section("gpu", 0, 3), Section("not gpu", 3, 10))
    assert list(order.rows) == [3, 4, 9, 0, 1, 2, 5, 6, 7, 8]
    assert [s.name for s in orders.by_value(found, "cores", most_first=True).sections] == [
        "4 cores"
    ]
    assert [s.name for s in orders.by_value(found, "gpus", most_first=True).sections] == ["no gpu"]


def test_by_rack() -> None:
    racks = ["rack", "rack", "node", "node", "node", "node"]
    vertices = [{"id": "c", "metadata": {"type": "cluster", "name": "c"}}] + [
        {"id": str(n), "metadata": {"type": type_, "name": f"{type_}{n}", "rank": n - 2}}
        for n, type_ in enumerate(racks)
    ]
    edges = [("c", "0"), ("c", "1"), ("1", "2"), ("0", "3"), ("1", "4"), ("c", "5")]
    raw = {"nodes": vertices, "edges": [{"source": a, "target": b} for a, b in edges]}
    found = document.read({"graph": raw})
    read = graph.read(raw).value
    assert orders.container_types(read) == ("rack", "cluster")
    order = orders.by_container(found, read, "rack")
    assert order.sections == (
        Section("rack0", 0, 1),
        Section("rack1", 1, 3),
        Section("in no rack", 3, 4),
    )
    assert list(order.rows) == [1, 0, 2, 3]
