"""Which node of the cluster each vertex of a graph is."""

import pytest

from fluxtui.answers.feasibility.fluxion.prepared_graph import PreparedGraph
from fluxtui.answers.listing import orders
from fluxtui.model.cancellation import Stopped
from fluxtui.model.resources import document as resources
from fluxtui.model.resources.resource_set import Resources, node_indices
from tests.answers.feasibility.graphs import Vertex, jgf, nodes, some, vertex
from tests.each import for_each
from tests.model.clusters import document as r_document
from tests.model.clusters import lite


def cluster(ranks: str, hosts: str, vertices: list[tuple[str, int]]) -> Resources:
    """A cluster with a rack of vertices in its graph, each by its name and rank."""
    nodes = [
        vertex("node", name=name, **({"rank": rank} if rank >= 0 else {}))
        for name, rank in vertices
    ]
    return handed_down(ranks, hosts, vertex("rack", nodes))


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
    found = cluster(ranks, hosts, vertices)
    assert found.graph is not None
    indices = node_indices(found.graph, found)
    assert indices == wanted
    assert list(indices) == sorted(indices)
    order = orders.by_container(found, found.graph, "rack")
    assert sorted(order.rows) == list(range(found.node_count))


def test_it_ends_where_it_is_not_wanted() -> None:
    found = cluster("0-1", "n[0-1]", [("n0", 0), ("n1", 1)])
    assert found.graph is not None
    with pytest.raises(Stopped):
        node_indices(found.graph, found, lambda: True)


def test_room_is_found_on_the_nodes_that_were_handed_down() -> None:
    root = vertex("cluster", nodes(2, some(1, "core"), first=2), id=0)
    prepared = PreparedGraph.of(handed_down("0-1", "n[2-3]", root))
    assert sorted(index for index in prepared.nodes if index >= 0) == [0, 0, 1, 1]
