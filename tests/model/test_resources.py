"""R documents (RFC 20)."""

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.model.resources import document as resources
from fluxtui.model.resources.document import Resources, Totals
from fluxtui.notation.problem import Span
from fluxtui.notation.sets import hostlist, idset
from fluxtui.notation.sets.idset import IdSet
from tests.each import for_each
from tests.model.clusters import cluster, document, lite
from tests.notation.sets.host_expressions import encode


def example() -> Resources:
    """Ranks with holes, three kinds of node, hosts out of order, overlapping properties."""
    found = resources.read(
        document(
            lite("10-12", "0-7", "0-3"),
            lite("2-4"),
            lite("7,9", "0-1,4-5", "0"),
            nodelist=["b[3,1]", "a[08-11]", "c", "c"],
            properties={"gpu": "7,9-12", "odd": "3,7,9,11", "none": "", "+q@x": "2-4,7,9-12"},
            starttime=0,
            expiration=1676562342.5,
            nslots=3,
        )
    )
    assert [p.path for p in found.problems] == ["execution.properties.none"]
    return found


#: The example of the RFC, and the first of its nodes in a graph.
RFC20 = document(
    lite("19-22", "0-47", "0-7"),
    nodelist=["node[186-189]"],
    starttime=1676560542,
    expiration=1676562342,
)
GRAPH = {
    "nodes": [
        {"id": ident, "metadata": {"type": kind, "rank": rank, "paths": {"containment": path}}}
        for ident, kind, rank, path in (
            ("0", "cluster", -1, "/c0"),
            ("1", "node", 19, "/c0/node186"),
            ("2", "core", 19, "/c0/node186/core0"),
            ("3", "core", 19, "/c0/node186/core1"),
            ("4", "gpu", 19, "/c0/node186/gpu0"),
        )
    ],
    "edges": [
        {"source": a, "target": b, "metadata": {"subsystem": "containment"}}
        for a, b in ("01", "12", "13", "14")
    ],
}


def test_the_example_of_the_rfc() -> None:
    found = resources.read_text(json.dumps(RFC20))
    assert found.ok
    assert found.problems == ()
    assert found.totals(found.everything) == Totals(4, 192, 32)
    assert (found.rank(1), found.host(1)) == (20, "node187")
    assert (str(found.ranks), str(found.hosts)) == ("19-22", "node[186-189]")
    assert (found.starttime, found.expiration) == (1676560542.0, 1676562342.0)


@for_each(
    "case",
    [
        (RFC20, "execution", 4, 192),
        ({"version": 1, "scheduling": {"graph": GRAPH}}, "scheduling", 1, 2),
        (RFC20 | {"scheduling": {"graph": GRAPH}}, "execution", 4, 192),
    ],
)
def test_each_form(case: tuple[dict[str, Any], str, int, int]) -> None:
    raw, form, nodes, cores = case
    found = resources.read(raw)
    assert found.ok
    assert (found.form, found.node_count, found.whole.cores) == (form, nodes, cores)
    assert found.host(0) == "node186"
    assert (found.graph is not None) == ("scheduling" in raw)


def test_hosts_map_to_sorted_ranks() -> None:
    found = example()
    hosts = [(found.rank(i), found.host(i)) for i in range(found.node_count)]
    assert hosts == [
        (2, "b3"),
        (3, "b1"),
        (4, "a08"),
        (7, "a09"),
        (9, "a10"),
        (10, "a11"),
        (11, "c"),
        (12, "c"),
    ]
    assert found.indices_of_host("c") == 0b11000000
    assert found.indices_of_host("a9") == 0
    assert found.starttime is None
    assert found.nslots == 3


def test_nodes_one_by_one() -> None:
    found = example()
    node = found.node(3)
    assert (node.rank, node.host, str(node.cores), str(node.gpus)) == (7, "a09", "0-1,4-5", "0")
    assert node.properties == ("gpu", "odd", "+q@x")
    cores = [found.cores_at(i) for i in range(8)]
    assert cores == [4, 4, 4, 4, 4, 8, 8, 8]
    assert [found.gpus_at(i) for i in range(2, 6)] == [0, 1, 1, 4]
    with pytest.raises(IndexError):
        found.node(8)


def test_masks_are_over_indices() -> None:
    found = example()
    assert found.ranks.index(9) == 4
    assert found.ranks.index(8) is None
    assert found.mask_of_ranks(idset.parse("0-3,9,99").value) == 0b10011
    assert found.mask_of_hosts(hostlist.parse("a[09-10],c,zz").value) == 0b11011000
    mask = found.properties["gpu"]
    assert str(found.ranks_of(mask)) == "7,9-12"
    assert found.hosts_of(mask) == "a[09-11],c,c"
    assert found.hosts_of(mask, 1) == "a[09-11],..."
    assert found.ranks_text(mask, 1) == "7,..."
    assert found.totals(mask) == Totals(5, 32, 14)
    assert found.totals(0) == Totals(0, 0, 0)


@st.composite
def clusters(draw: st.DrawFn) -> tuple[dict[str, Any], dict[int, tuple[str, int]]]:
    ranks = sorted(draw(st.sets(st.integers(0, 400), min_size=1, max_size=40)))
    counts = {rank: draw(st.integers(1, 5)) for rank in ranks}
    entries = [
        lite(str(IdSet.of(r for r in ranks if counts[r] == n)), str(IdSet.between(0, n - 1)))
        for n in sorted(set(counts.values()), reverse=True)
    ]
    names = [f"n{draw(st.integers(0, 9))}" for _ in ranks]
    nodes = {rank: (name, counts[rank]) for rank, name in zip(ranks, names, strict=True)}
    return document(*entries, nodelist=[encode(names)]), nodes


@given(clusters(), st.data())
def test_agrees_with_single_nodes(
    pair: tuple[dict[str, Any], dict[int, tuple[str, int]]], data: st.DataObject
) -> None:
    raw, nodes = pair
    found = resources.read(raw)
    assert found.ok
    assert list(found.ranks) == sorted(nodes)
    for index, (rank, (name, cores)) in enumerate(sorted(nodes.items())):
        node = found.node(index)
        assert (node.rank, node.host, node.cores.count) == (rank, name, cores)
        assert found.cores_at(index) == cores
    mask = data.draw(st.integers(0, found.everything))
    chosen = [r for i, r in enumerate(sorted(nodes)) if mask >> i & 1]
    assert found.totals(mask).cores == sum(nodes[r][1] for r in chosen)
    assert list(found.ranks_of(mask)) == chosen
    assert found.hosts_of(mask) == encode(nodes[r][0] for r in chosen)


@for_each(
    "case",
    [
        ({"R_lite": None}, "execution.R_lite", "filled array"),
        ({"R_lite": [5]}, "execution.R_lite[0]", "dictionary"),
        ({"R_lite": [lite("3-1")]}, "execution.R_lite[0].rank", "backwards"),
        ({"R_lite": [{"rank": "0"}]}, "execution.R_lite[0].children", "dictionary"),
        ({"R_lite": [lite("0", "")]}, "execution.R_lite[0].children.core", "holds no id"),
        ({"R_lite": [lite("0", gpu="x")]}, "execution.R_lite[0].children.gpu", "does not belong"),
        ({"nodelist": ["n[0-4]"]}, "execution.nodelist", "5 hosts for 4 ranks"),
        ({"nodelist": ["n[0-3"]}, "execution.nodelist[0]", "is not closed"),
        ({"nodelist": ["n[0-2]", 3]}, "execution.nodelist[1]", "string"),
        ({"nodelist": 5}, "execution.nodelist", "not an array"),
        ({"properties": {"a&b": "0"}}, "execution.properties['a&b']", "holds '&'"),
        ({"properties": {"a": "1,0"}}, "execution.properties.a", "out of order"),
        ({"starttime": 5, "expiration": 5}, "execution.expiration", "not after"),
        ({"starttime": "x"}, "execution.starttime", "number"),
        ({"expiration": 10**400}, "execution.expiration", "not a time"),
        ({"nslots": 0}, "execution.nslots", "1 or more"),
        ({"nslots": True}, "execution.nslots", "1 or more"),
        ({"R_lite": [lite("0-3"), lite("3")]}, "execution.R_lite", "twice"),
        ({"R_lite": [lite("0-3"), lite("3", gpu="0")]}, "execution.R_lite", "twice"),
    ],
)
def test_problems(case: tuple[dict[str, Any], str, str]) -> None:
    change, path, message = case
    raw = document(lite("0-3"), nodelist=["n[0-3]"])
    raw["execution"].update(change)
    found = resources.read(raw)
    assert not found.ok
    errors = [p for p in found.problems if p.severity == "error"]
    assert any(p.path == path and message in p.message for p in errors), errors
    assert all(p.rule for p in errors)


def test_a_rank_may_be_spread_over_entries() -> None:
    found = resources.read(
        document(lite("0-3", "0-1"), lite("2-5", "2-3", "0"), nodelist=["n[0-5]"])
    )
    assert found.ok
    assert [p.severity for p in found.problems] == ["warning"]
    assert [found.cores_at(i) for i in range(6)] == [2, 2, 4, 4, 2, 2]
    assert [found.gpus_at(i) for i in range(6)] == [0, 0, 1, 1, 1, 1]


@given(st.lists(st.integers(0, 2**40 - 1), max_size=6), st.booleans())
def test_the_properties_of_a_node(masks: list[int], prepared: bool) -> None:
    count = 37
    found = Resources(IdSet.from_ranges([(5, 5 + count - 1)]), properties=dict(named(masks)))
    if prepared:
        found.prepare()
    for index in range(count):
        has = tuple(name for name, mask in named(masks) if mask >> index & 1)
        assert found.properties_at(index) == has
        assert found.properties_between(index, index + 1) == [has]


def named(masks: list[int]) -> list[tuple[str, int]]:
    return [(f"p{number}", mask & (1 << 37) - 1) for number, mask in enumerate(masks)]


def test_property_outside_is_a_warning() -> None:
    found = resources.read(document(lite("0-1"), nodelist=["n[0-1]"], properties={"x": "1-9"}))
    assert found.ok
    assert "8 ranks" in found.problems[0].message
    assert found.properties["x"] == 0b10


def test_a_property_that_is_not_unicode() -> None:
    text = json.dumps(document(lite("0"), nodelist=["n"], properties={"\ud800": "0"}))
    found = resources.read_text(text)
    assert not found.ok
    "".join(found.properties).encode()


def test_hosts_that_fluxion_wrote_into_entries() -> None:
    entries = [{"rank": str(n), "node": f"c{n}", "children": {"core": "0"}} for n in (1, 0)]
    found = resources.read(document(*entries))
    assert [p.path for p in found.problems] == ["execution.nodelist"]
    assert str(found.hosts) == "c[0-1]"


def test_hostile_sizes_are_refused() -> None:
    found = resources.read(document(lite("0-99999999999"), nodelist=["n[0-99999999999]"]))
    assert not found.ok
    assert found.node_count == 0
    assert any("16,777,216" in problem.message for problem in found.problems)
    many = resources.read(document(lite("0-1"), nodelist=["n[0-99999999999]"]))
    assert many.mask_of_hosts(many.hosts) == 0b11
    far = resources.read(document(lite("99999999999"), nodelist=["n"]))
    assert far.ok
    assert far.everything == 1
    wide = resources.read(document(lite("0", "0-99999999999"), nodelist=["n"]))
    assert wide.whole.cores == 10**11


@for_each("text", ["", "{", "[]", "null", '{"version": 01}', "9" * 5000, "[" * 10**5])
def test_texts_that_are_no_document(text: str) -> None:
    found = resources.read_text(text)
    assert not found.ok
    assert found.node_count == 0


def test_syntax_errors_have_a_place() -> None:
    problem = resources.read_text('{"version": 1,\n "execution": x}').problems[0]
    assert problem.span == Span(29, 30)
    assert "line 2, column 15" in problem.message
    assert not resources.read_text('{"version": NaN, "execution": {}}').ok


@pytest.mark.parametrize(
    ("entries", "says"),
    [
        ([lite("0-3"), lite("2-3")],
         ["ranks 2-3 are in more than one R_lite entry", "ranks 2-3 have the same core"]),
        ([lite("0-3"), lite("3,5")],
         ["rank 3 is in more than one R_lite entry", "rank 3 has the same core"]),
    ],
)  # fmt: skip
def test_ranks_that_stand_twice(entries: list[Any], says: list[str]) -> None:
    problems = resources.read(document(*entries)).problems
    found = [p.message for p in problems if p.path == "execution.R_lite"]
    assert [message.partition(" or gpu")[0] for message in found] == says


def test_a_million_nodes() -> None:
    count = 1_000_000
    even, odd = (",".join(map(str, range(start, count, 2))) for start in (0, 1))
    raw = document(lite(even, "0-47"), lite(odd, "0-95", "0-7"), nodelist=[f"n[0-{count - 1}]"])
    text = json.dumps(raw)
    start = time.process_time()
    found = resources.read_text(text)
    assert time.process_time() - start < 4
    assert found.ok
    found.prepare()
    start = time.process_time()
    assert found.totals(found.everything) == Totals(count, 72_000_000, 4_000_000)
    assert found.hosts_of(found.kinds[0].mask, 3).startswith("n[0,2,4")
    assert time.process_time() - start < 0.5


def test_other_properties_are_those_of_each_node() -> None:
    before = cluster("0-3", core="0-3", a="0-1")
    before.prepare()
    assert before.properties_at(0) == ("a",)
    assert before.totals(0b0111) == Totals(3, 12, 0)
    after = before.with_properties({"b": 0b1100})
    assert after.totals(0b0111) == Totals(3, 12, 0)
    assert after.properties["b"] == 0b1100
    assert [after.properties_at(index) for index in range(4)] == [(), (), ("b",), ("b",)]
    assert before.properties_at(0) == ("a",)
