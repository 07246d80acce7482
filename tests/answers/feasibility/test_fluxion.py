"""Fluxion: what no recorded answer holds, which node each vertex is, and speed."""

from typing import Any

import pytest

from fluxtui.answers.feasibility.fluxion.prepared_graph import PreparedGraph
from fluxtui.answers.listing import orders
from fluxtui.model.cancellation import Stopped
from fluxtui.model.resources import document as resources
from fluxtui.model.resources.resource_set import Resources, node_indices
from tests import pace
from tests.answers.feasibility.graphs import (
    GRAPHS,
    Vertex,
    cluster,
    jgf,
    judged,
    nodes,
    prepared,
    sockets,
    some,
    vertex,
)
from tests.each import for_each, the
from tests.model.clusters import document as r_document
from tests.model.clusters import lite
from tests.model.jobspecs import resources_of


def test_allowed_nodes_go_by_rank_index() -> None:
    places = prepared(vertex("cluster", nodes(4, some(2, "core"), first=10)))
    for text, constraint, mask in (
        ("slot=2/core", None, 0b0100),
        ("node", {"ranks": ["10-12"]}, 0b0100),
        ("node=3", None, None),
        ("node", {"ranks": ["10-11"]}, None),
    ):
        found = judged(resources_of(text), constraint, places, 0b1100)
        assert (found.placement and found.placement.mask) == mask
        assert found.feasible is (mask is not None)


def test_a_request_without_end() -> None:
    deep: dict[str, Any] = {"type": "node", "count": 1}
    for _ in range(300):
        deep = {"type": "node", "count": 1, "with": [deep]}
    found = judged([deep], None, GRAPHS["tiny"])
    assert found.feasible is None
    assert "more than 200 levels" in found.reasons[0].message


def test_a_graph_without_end_is_cut() -> None:
    chain = vertex("node", rank=0)
    for _ in range(200):
        chain = vertex("rack", chain)
    deep = prepared(vertex("cluster", chain))
    assert judged(resources_of("rack/rack/rack"), None, deep).feasible
    assert not judged(resources_of("node"), None, deep).feasible


@for_each("wanted", [
    [{"type": "node", "count": {"min": 2}} for _ in range(2000)],
    [{"type": "slot", "count": 2, "label": str(n), "with": []} for n in range(2000)],
    [{"type": "node", "count": 1, "with": [
        {"type": "socket", "count": {"min": n + 1}} for n in range(2000)]}],
], lambda wanted: wanted[0]["type"])  # fmt: skip
def test_odd_requests_end(wanted: list[dict[str, Any]]) -> None:
    found = judged(wanted, None, GRAPHS["tiny"])
    assert found.feasible is False
    assert found.reasons


# Which node of the cluster each vertex of a graph is


def handed_down(ranks: str, hosts: str, root: Vertex) -> Resources:
    """Nodes of a core, and a graph that may be that of the instance around them."""
    document = r_document(lite(ranks, "0"), nodelist=[hosts] if hosts else [])
    document["scheduling"] = {**jgf(root), "writer": "fluxion"}
    return resources.read(document)


@for_each("ranks, hosts, vertices, wanted", [
    ("4-6", "n[4-6]", [("n4", 4), ("n5", 5), ("n6", 6)], {1: 0, 2: 1, 3: 2}),
    ("4-5", "", [("n5", 5), ("n4", 4)], {1: 1, 2: 0}),
    ("0-2", "n[0-2]", [("n0", -1), ("n1", -1), ("n2", -1)], {1: 0, 2: 1, 3: 2}),
    # Handed down: what was rank 2 is rank 0 now.
    ("0-1", "n[2-3]", [("n0", 0), ("n1", 1), ("n2", 2), ("n3", 3)], {3: 0, 4: 1}),
    ("0-1", "n[2-3]", [("n2", 2), ("n3", 3)], {1: 0, 2: 1}),
    # Names of another kind, a rank that is there twice, one that the cluster does not have.
    ("0-1", "n[0-1]", [("x", 0), ("y", 1)], {1: 0, 2: 1}),
    ("0-1", "n[0-1]", [("x", 1), ("n1", 1), ("z", 1), ("n7", 7)], {2: 1}),
    # A host name that several nodes share tells nothing.
    ("0-1", "n0,n0", [("n0", 0), ("n0", 1)], {1: 0, 2: 1}),
])  # fmt: skip
def test_the_node_of_a_vertex(
    ranks: str, hosts: str, vertices: list[tuple[str, int]], wanted: dict[int, int]
) -> None:
    nodes = [
        vertex("node", name=name, **({"rank": rank} if rank >= 0 else {}))
        for name, rank in vertices
    ]
    found = handed_down(ranks, hosts, vertex("rack", nodes))
    graph = the(found.graph)
    indices = node_indices(graph, found)
    assert indices == wanted
    assert list(indices) == sorted(indices)
    with pytest.raises(Stopped):  # where it is not wanted
        node_indices(graph, found, lambda: True)
    order = orders.by_container(found, graph, "rack")
    assert sorted(order.rows) == list(range(found.node_count))


def test_room_is_found_on_the_nodes_that_were_handed_down() -> None:
    root = vertex("cluster", nodes(2, some(1, "core"), first=2), id=0)
    prepared = PreparedGraph.of(handed_down("0-1", "n[2-3]", root))
    assert sorted(index for index in prepared.nodes if index >= 0) == [0, 0, 1, 1]


# Speed


def seconds(text: str, places: PreparedGraph, allowed: int | None = None) -> float:
    """The time of an answer, which is yes or no."""
    wanted = resources_of(text)
    assert judged(wanted, None, places, allowed).feasible is not None
    return pace.seconds(lambda: judged(wanted, None, places, allowed))


def test_answers_at_once_on_thirty_thousand_vertices() -> None:
    racks = [vertex("rack", nodes(50, sockets(2, 30, gpu=1), first=50 * n)) for n in range(10)]
    places = prepared(vertex("cluster", racks))
    for text in ("slot=100/core=4", "node=501", "node=500/socket=2/core=30", "node=4/core=9"):
        assert seconds(text, places) < 0.1, text


def test_says_what_was_asked_where_all_vertices_differ() -> None:
    some_nodes = [
        nodes(1, some(2, "core"), vertex("memory", size=1000 + rank), first=rank)
        for rank in range(1000)
    ]
    places = prepared(vertex("cluster", *some_nodes))
    assert seconds("node=1001/[core=2;memory=900]", places) < 0.3
    found = judged(resources_of("node=1001/core=2"), None, places)
    assert the(found.nearest).change == "1,000 nodes, not 1,001"
    found = judged(resources_of("node=700/[core=4;memory=1500]"), None, places)
    assert "the largest of the 1,000 nodes has 2" in found.reasons[0].message
    found = judged(resources_of("node=10+/slot/[core=1+;memory=1+]"), None, places)
    assert found.feasible
    assert found.placement is not None


def test_answers_within_a_frame_on_a_plain_r_of_a_hundred_thousand_nodes() -> None:
    kinds = [("0-59999", "0-63", ""), ("60000-99999", "0-31", "0-3")]
    nodes = cluster(kinds, {"b": ",".join(map(str, range(0, 100_000, 3)))})
    nodes.prepare()
    places = PreparedGraph.of(nodes)
    for text in ("node=4/slot/core=8", "slot=300000/core=7", "node=99999/slot/core=33", "node=3+"):
        assert seconds(text, places, nodes.properties["b"]) < 0.016, text
