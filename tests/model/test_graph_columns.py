"""A graph that is read piece by piece: the same as one that is read in one step."""

import json
import random
from typing import Any

import pytest

from fluxtui.model.documents import json_stream
from fluxtui.model.resources import document as resources
from fluxtui.model.resources import graph
from fluxtui.model.resources.document import Resources
from fluxtui.model.resources.graph import Graph, Link
from tests import big
from tests.each import for_each


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "_PIECE", 700)


def both(document: Any) -> tuple[Resources, Resources]:
    """What a document says, read in one step and in pieces."""
    text = json.dumps(document)
    taken = resources.document_of(text.encode())
    assert taken is not None
    return resources.read(json.loads(text)), resources.read(taken)


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


def odd_graph(rng: random.Random) -> dict[str, Any]:
    """A graph with much that is wrong or out of the ordinary."""
    ids = rng.choice([str, lambda n: f"v{n}", lambda n: n if n % 5 else f"0{n}", lambda n: n % 30])
    vertices: list[Any] = []
    for number in range(60):
        data: dict[str, Any] = {"type": rng.choice(["node", "core", "gpu", "rack", "n\u00f6de"])}
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
        edge: dict[str, Any] = {"source": ids(rng.randrange(62)), "target": ids(number % 61)}
        kind = rng.random()
        if kind < 0.3:
            edge["metadata"] = {"subsystem": rng.choice(["power", "containment", ""])}
        elif kind < 0.5:
            name = {rng.choice(["power", "containment"]): rng.choice(["feeds", 4])}
            edge["metadata"] = {"name": name}
        edges.append(edge if kind < 0.95 else rng.choice([5, [], {}]))
    return {"nodes": vertices, "edges": edges}


@for_each("seed", range(40))
def test_odd_graphs(seed: int) -> None:
    rng = random.Random(seed)
    inner = odd_graph(rng)
    if seed % 2:
        inner = dict(reversed(inner.items()))
    shapes: list[Any] = [
        {"graph": inner},
        inner,
        {"version": 1, "scheduling": {"graph": inner, "writer": "x"}},
        {"version": 1, "execution": big.grouped(4)["execution"], "scheduling": {"graph": inner}},
    ]
    for document in shapes:
        whole, taken = both(document)
        assert taken.problems == whole.problems
        assert taken.graph is not None
        assert whole.graph is not None
        assert rows(taken.graph) == rows(whole.graph)
        assert list(taken.graph.roots) == list(whole.graph.roots)
        assert (taken.ranks, taken.hosts, taken.form) == (whole.ranks, whole.hosts, whole.form)
        assert dict(taken.properties) == dict(whole.properties)


def test_a_graph_as_fluxion_writes_it() -> None:
    text = "".join(big.with_graph(70, 1.2))
    taken = resources.read(resources.document_of(text.encode()))
    assert taken.problems == ()
    found = taken.graph
    assert found is not None
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


def test_links_of_other_subsystems() -> None:
    """Both ends of an edge see it; containment is no link."""
    raw = {
        "nodes": [
            {"id": "9", "metadata": {"type": "cluster", "name": "c"}},
            {"id": "4", "metadata": {"type": "node", "name": "n", "rank": 0}},
            {"id": "7", "metadata": {"type": "pdu", "name": "p"}},
        ],
        "edges": [
            {"source": "9", "target": "4"},
            {"source": "9", "target": "7", "metadata": {"subsystem": "containment"}},
            {"source": "7", "target": "4", "metadata": {"name": {"power": "supplies_to"}}},
            {
                "source": "4",
                "target": "7",
                "metadata": {"subsystem": "power", "relationship": "by"},
            },
            {"source": "4", "target": "nowhere", "metadata": {"subsystem": "power"}},
        ],
    }
    parsed = graph.read(raw)
    assert parsed.problems == ()
    found = parsed.value
    assert found.links(0) == ()
    assert found.links(1) == (
        Link("power", "supplies_to", 2, False),
        Link("power", "by", 2, True),
    )
    assert found.links(2) == (Link("power", "supplies_to", 1, True), Link("power", "by", 1, False))
    assert list(found.parents) == [-1, 0, 0]
