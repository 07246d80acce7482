"""Resource graphs (JGF): what they say, and the same when they are read piece by piece."""

import json
import random
from collections.abc import Iterable
from typing import Any

import pytest

from fluxtui.model.documents import json_stream
from fluxtui.model.resources import document as resources
from fluxtui.model.resources import graph
from fluxtui.model.resources.graph import Graph, Link
from fluxtui.model.resources.resource_set import Resources, Totals
from tests import big
from tests.each import for_each, the
from tests.model.clusters import document as r_document
from tests.model.clusters import edge, lite, vertex

Raw = dict[str, Any]


def small() -> Raw:
    """Two nodes; the cores of the first in two sockets, with ids of their own."""
    nodes = [
        vertex("0", "cluster", "tiny0"),
        vertex("1", "node", "n7", rank=3, properties={"ssd": ""}),
        vertex("2", "node", "n8", rank=1),
        vertex("3", "socket", "socket0"),
        vertex("4", "socket", "socket1"),
        vertex("5", "core", "core0", id=0),
        vertex("6", "core", "core1", id=1),
        vertex("7", "gpu", "gpu0", id=0),
        vertex("8", "core", "core", size=4),
        vertex("9", "power", "pdu0"),
    ]
    pairs = [("0", "1"), ("0", "2"), ("1", "3"), ("1", "4"), ("3", "5"), ("4", "6"), ("4", "7")]
    edges = [edge(a, b, subsystem="containment") for a, b in pairs]
    return {"nodes": nodes, "edges": [*edges, edge("2", "8"), edge("9", "1", subsystem="power")]}


def read(
    nodes: Iterable[Raw], edges: Iterable[Raw] = ()
) -> tuple[list[tuple[Any, ...]], Resources]:
    """The nodes of a graph by rank, and the document that it is."""
    found = resources.read({"graph": {"nodes": [*nodes], "edges": [*edges]}})
    looked = map(found.node, range(found.node_count))
    return [(n.rank, n.host, str(n.cores), str(n.gpus), n.properties) for n in looked], found


def test_places_by_path_where_no_edge_says() -> None:
    paths = [("cluster", "/c", {}), ("node", "/c/a", {"rank": 0}), ("core", "/c/a/b", {"id": 4})]
    found, document = read(
        vertex(str(row), type_, paths={"containment": path}, **more)
        for row, (type_, path, more) in enumerate(paths)
    )
    assert found == [(0, "a", "4", "", ())]
    assert list(the(document.graph).parents) == [-1, 0, 1]


def test_ranks_that_are_missing_or_there_twice() -> None:
    for ranks, hosts, severity, words in (
        ([{}, {}], ["x", "y"], "warning", "numbered in order"),
        ([{"rank": 0}, {}], ["x"], "warning", "'y' has no rank"),
        ([{"rank": 0}, {"rank": 0}], ["x"], "error", "'x' and 'y' both have rank 0"),
    ):
        pairs = zip("xy", ranks, strict=True)
        found, document = read(vertex(name, "node", name, **rank) for name, rank in pairs)
        assert [(rank, host) for rank, host, *_ in found] == list(enumerate(hosts))
        assert [problem.severity for problem in document.problems] == [severity]
        assert words in document.problems[0].message


def test_odd_edges() -> None:
    # One with a name joins no vertex with a number.
    two = [vertex("-1", "node", "x", rank=0), vertex("2", "core", "y", id=0)]
    parsed = graph.read({"nodes": two, "edges": [edge("x", "2"), edge("-1", "2")]})
    assert list(parsed.value.parents) == [-1, 0]
    assert [problem.path for problem in parsed.problems] == ["graph.edges[0]"]
    # Rings end.
    found, document = read(two, [edge("-1", "2"), edge("2", "-1")])
    assert len(found) == 1
    assert len(the(document.graph).roots) == 1


def test_links_of_other_subsystems() -> None:
    """Both ends of an edge see it; containment is no link."""
    three = [vertex("9", "cluster", "c"), vertex("4", "node", "n", rank=0), vertex("7", "pdu", "p")]
    edges = [
        edge("9", "4"),
        edge("9", "7", subsystem="containment"),
        edge("7", "4", name={"power": "supplies_to"}),
        edge("4", "7", subsystem="power", relationship="by"),
        edge("4", "nowhere", subsystem="power"),
    ]
    parsed = graph.read({"nodes": three, "edges": edges})
    assert parsed.problems == ()
    found = parsed.value
    assert [found.links(row) for row in range(3)] == [
        (),
        (Link("power", "supplies_to", 2, False), Link("power", "by", 2, True)),
        (Link("power", "supplies_to", 1, True), Link("power", "by", 1, False)),
    ]
    assert list(found.parents) == [-1, 0, 0]


def test_a_graph_in_a_document() -> None:
    found, bare = read(**small())
    assert bare.problems == ()
    assert found == [(1, "n8", "0-3", "", ()), (3, "n7", "0-1", "0", ("ssd",))]
    assert (bare.form, str(bare.ranks), str(bare.hosts)) == ("graph", "1,3", "n[8,7]")
    assert bare.totals(bare.everything) == Totals(2, 6, 1)
    assert bare.properties == {"ssd": 0b10}
    # The scheduling part alone is valid by the older text of RFC 20.
    old = resources.read({"version": 1, "scheduling": {"graph": small(), "writer": "fluxion:"}})
    assert (old.form, old.writer) == ("scheduling", "fluxion:")
    assert [problem.severity for problem in old.problems] == ["warning"]
    assert "execution" in old.problems[0].message
    # The hosts are from the graph where the execution part has none.
    found = resources.read(r_document(lite("1,3", "0-1")) | {"scheduling": {"graph": small()}})
    assert not found.ok
    assert (str(found.hosts), found.whole.cores) == ("n[8,7]", 4)


# Read piece by piece


@pytest.fixture
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "_PIECE", 700)


def in_pieces(text: str) -> Resources:
    return resources.read(the(resources.document_of(text.encode())))


def rows(found: Graph) -> list[tuple[Any, ...]]:
    """All that a graph says of each of its vertices."""
    return [
        (
            found.ids[row], found.types[row], found.names[row], found.sizes[row],
            found.ranks[row], found.parents[row], found.children[row], found.numbers[row],
            found.orders[row], found.units[row], found.statuses.get(row), found.properties(row),
            found.data(row), found.path(row), found.links(row),
        )
        for row in range(len(found.types))
    ]  # fmt: skip


def odd_graph(rng: random.Random) -> Raw:
    """A graph with much that is wrong or out of the ordinary."""
    ids = rng.choice([str, lambda n: f"v{n}", lambda n: n if n % 5 else f"0{n}", lambda n: n % 30])
    vertices: list[Any] = []
    for number in range(60):
        data: Raw = {"type": rng.choice(["node", "core", "gpu", "rack", "n\u00f6de"])}
        for key, values in {
            "name": [f"x{number}", "", 5],
            "basename": ["core"],
            "id": [number, -1, True, "7", 10**20],
            "uniq_id": [number, 10**30, None],
            "rank": [number, -1, number % 7],
            "size": [1, 4, -3, 10**25],
            "unit": ["GB", "", 3],
            "status": [0, 1, "down"],
            "properties": [{"a": "", "b": 1}, ["p", 5], "q", {"},{": '"'}],
            "paths": [{"containment": f"/c0/x{number}"}, {}, "no"],
        }.items():
            if rng.random() < 0.5:
                data[key] = rng.choice(values)
        vertices.append({"id": ids(number), "metadata": data})
    for wrong in ([], 5, {"id": "1"}, {"metadata": {"type": "core"}}):
        if rng.random() < 0.3:
            vertices.insert(rng.randrange(len(vertices)), wrong)
    edges: list[Any] = []
    for number in range(70):
        found: Raw = {"source": ids(rng.randrange(62)), "target": ids(number % 61)}
        kind = rng.random()
        if kind < 0.3:
            found["metadata"] = {"subsystem": rng.choice(["power", "containment", ""])}
        elif kind < 0.5:
            name = {rng.choice(["power", "containment"]): rng.choice(["feeds", 4])}
            found["metadata"] = {"name": name}
        edges.append(found if kind < 0.95 else rng.choice([5, [], {}]))
    return {"nodes": vertices, "edges": edges}


@pytest.mark.usefixtures("_small_pieces")
@for_each("seed", range(40))
def test_odd_graphs(seed: int) -> None:
    rng = random.Random(seed)
    inner = odd_graph(rng)
    if seed % 2:
        inner = dict(reversed(inner.items()))
    for raw in (
        {"graph": inner},
        inner,
        {"version": 1, "scheduling": {"graph": inner, "writer": "x"}},
        {"version": 1, "execution": big.grouped(4)["execution"], "scheduling": {"graph": inner}},
    ):
        text = json.dumps(raw)
        whole, taken = resources.read(json.loads(text)), in_pieces(text)
        assert rows(the(taken.graph)) == rows(the(whole.graph))
        assert the(taken.graph).roots == the(whole.graph).roots
        for name in ("problems", "ranks", "hosts", "form", "properties"):
            assert getattr(taken, name) == getattr(whole, name)


@pytest.mark.usefixtures("_small_pieces")
def test_a_graph_as_fluxion_writes_it() -> None:
    text = "".join(big.with_graph(70, 1.2))
    taken = in_pieces(text)
    assert taken.problems == ()
    found = the(taken.graph)
    raw = json.loads(text)["scheduling"]["graph"]["nodes"]
    order = list(range(len(raw)))
    random.Random(3).shuffle(order)
    for row in order:
        assert (found.ids[row], found.data(row)) == (raw[row]["id"], raw[row]["metadata"])
        assert found.path(row) == raw[row]["metadata"]["paths"]["containment"]
    assert found.types.count("node") == 70
    assert [len(found.children[row]) for row in found.children[0]] == [64, 6]
    with pytest.raises(IndexError):
        found.data(len(raw))
