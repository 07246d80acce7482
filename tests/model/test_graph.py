"""Resource graphs (JGF): what they say, and the same when they are read piece by piece."""

import json
import random
from typing import Any

import pytest

from fluxtui.model.documents import json_stream
from fluxtui.model.resources import document as resources
from fluxtui.model.resources.graph import Graph
from fluxtui.model.resources.resource_set import Resources
from tests import big
from tests.each import for_each, the

Raw = dict[str, Any]


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
