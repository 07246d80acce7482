"""The nodes in an order: rows and nodes, there and back, against plain lists."""

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.listing import orders
from fluxtui.answers.listing.host_runs import stretches
from fluxtui.answers.listing.order import Order, Section
from fluxtui.answers.listing.sorting import only
from fluxtui.model.resources import document, graph
from fluxtui.model.resources.document import Resources

MOST = 80


def cluster(hosts: str, count: int, **properties: str) -> Resources:
    execution = {
        "R_lite": [{"rank": f"0-{count - 1}" if count > 1 else "0", "children": {"core": "0-3"}}],
        "nodelist": [hosts],
        "properties": properties,
    }
    found = document.read({"version": 1, "execution": execution})
    assert found.ok, found.problems
    return found


@st.composite
def an_order(draw: st.DrawFn) -> tuple[Order, list[int]]:
    """An order of one of its makes, and its rows as a list."""
    count = draw(st.integers(1, MOST))
    nodes = list(range(count))
    kind = draw(st.sampled_from(("rank", "groups", "any", "some")))
    if kind == "rank":
        cuts = sorted({0, count, *draw(st.sets(st.integers(1, count)))})
        order = Order.of_all(count, [Section(str(a), a, b) for a, b in pairwise(cuts)])
        return order, nodes
    if kind in ("groups", "some"):
        groups = [draw(st.integers(0, 3)) for _ in nodes]
        masks = [(str(g), sum(1 << i for i in nodes if groups[i] == g)) for g in range(4)]
        order = Order.of_groups(masks)
        rows = sorted(nodes, key=lambda i: (groups[i], i))
        if kind == "groups":
            return order, rows
        mask = draw(st.integers(0, (1 << count) - 1))
        return only(order, mask), [i for i in rows if mask >> i & 1]
    rows = draw(st.permutations(nodes))
    return Order(rows, [Section("", 0, count)], rising=False), list(rows)


@given(an_order())
def test_each_node_is_found_in_its_row(made: tuple[Order, list[int]]) -> None:
    order, rows = made
    assert [order.index(row) for row in range(order.count)] == rows
    assert [order.row(index) for index in rows] == list(range(len(rows)))
    absent = next(index for index in range(MOST + 1) if index not in rows)
    assert order.row(absent) is None


@given(an_order(), st.data())
def test_rows_of_a_mask_and_masks_of_rows(
    made: tuple[Order, list[int]], data: st.DataObject
) -> None:
    order, rows = made
    start = data.draw(st.integers(0, len(rows)))
    stop = data.draw(st.integers(start, len(rows)))
    mask = data.draw(st.integers(0, (1 << MOST) - 1))
    part = rows[start:stop]
    assert order.nodes(start, stop) == sum(1 << index for index in part)
    assert order.bits(mask, start, stop) == "".join(str(mask >> i & 1) for i in part)
    assert list(order.indices(start, stop)) == part


@given(an_order(), st.data())
def test_counts_between_cuts(made: tuple[Order, list[int]], data: st.DataObject) -> None:
    order, rows = made
    mask = data.draw(st.integers(0, (1 << MOST) - 1))
    ends = {section.stop for section in order.sections}
    cuts = sorted({0, *ends, *data.draw(st.sets(st.integers(0, len(rows))))})
    wanted = [sum(mask >> i & 1 for i in rows[a:b]) for a, b in pairwise(cuts)]
    assert order.counts(mask, cuts) == wanted


@given(an_order())
def test_sections_cover_the_rows(made: tuple[Order, list[int]]) -> None:
    order, rows = made
    at = 0
    for number, section in enumerate(order.sections):
        assert section.start == at < section.stop
        assert order.section_at(section.start) == order.section_at(section.stop - 1) == number
        at = section.stop
    assert at == len(rows)


NAMES = st.builds(
    lambda prefix, number, suffix: f"{prefix}{number}{suffix}",
    st.sampled_from(("n", "g", "rack2-n", "rack10-n", "Z")),
    st.sampled_from(("", "0", "1", "01", "2", "3", "10", "11", "12", "0010")),
    st.sampled_from(("", "-ib")),
)


@given(st.lists(NAMES, min_size=1, max_size=30))
def test_by_host_repeats_nothing_and_loses_nothing(names: list[str]) -> None:
    found = cluster(",".join(names), len(names))
    order = orders.by_host(found)
    assert sorted(order.rows) == list(range(len(names)))
    shown = [found.host(index) for index in order.rows]
    for prefix in {re.sub(r"[0-9]+(-ib)?$", "", name) for name in names}:
        own = re.compile(re.escape(prefix) + r"([1-9][0-9]*)$")
        numbers = [int(m[1]) for name in shown if (m := own.fullmatch(name))]
        assert numbers == sorted(numbers)


def test_by_host_counts_as_a_person_does() -> None:
    found = cluster("n10,rack10-n1,n2,rack2-n1,n[1,3],n2", 7)
    order = orders.by_host(found)
    shown = [found.host(index) for index in order.rows]
    assert shown == ["n1", "n2", "n2", "n3", "n10", "rack2-n1", "rack10-n1"]
    assert [order.row(index) for index in order.rows] == list(range(7))


def test_by_host_is_by_rank_where_that_is_the_same() -> None:
    assert orders.by_host(cluster("n[0-9]", 10)).is_by_rank
    assert not orders.by_host(cluster("n[5-9,0-4]", 10)).is_by_rank


def test_sections_of_hosts() -> None:
    found = cluster("g[0-3],n[0-5]", 10)
    assert orders.by_host(found).sections == (Section("g", 0, 4), Section("n", 4, 10))
    by_rank = orders.by_rank(found, stretches(found))
    assert [section.name for section in by_rank.sections] == ["g[0-3]", "n[0-5]"]


def test_nodes_without_a_host_come_last() -> None:
    execution = {"R_lite": [{"rank": "0-3", "children": {"core": "0"}}], "nodelist": ["n[0-1]"]}
    found = document.read({"version": 1, "execution": execution})
    assert list(orders.by_host(found).rows) == [0, 1, 2, 3]


def test_by_property_and_by_value() -> None:
    found = cluster("n[0-9]", 10, gpu="3-4,9")
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
