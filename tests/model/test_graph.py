"""Resource graphs (JGF)."""

from typing import Any

from fluxtui.model.resources import document as resources
from fluxtui.model.resources import graph
from tests.model.clusters import document, lite


def vertex(id_: str, type_: str, name: str, **more: Any) -> dict[str, Any]:
    return {"id": id_, "metadata": {"type": type_, "name": name, **more}}


def edge(source: str, target: str, subsystem: str | None = "containment") -> dict[str, Any]:
    found: dict[str, Any] = {"source": source, "target": target}
    if subsystem:
        found["metadata"] = {"subsystem": subsystem}
    return found


def small() -> dict[str, Any]:
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
    edges = [edge(a, b) for a, b in pairs]
    edges += [edge("2", "8", None), edge("9", "1", "power")]
    return {"nodes": nodes, "edges": edges}


def test_nodes_by_rank() -> None:
    parsed = graph.read(small())
    assert parsed.problems == ()
    found = graph.nodes(parsed.value)
    assert found.problems == ()
    assert [(n.rank, n.host, str(n.cores), str(n.gpus), n.properties) for n in found.value] == [
        (1, "n8", "0-3", "", ()),
        (3, "n7", "0-1", "0", ("ssd",)),
    ]


def test_tree() -> None:
    read = graph.read(small()).value
    assert [read.names[row] for row in read.roots] == ["tiny0", "pdu0"]
    assert [read.names[row] for row in read.children[0]] == ["n7", "n8"]
    assert [read.types[row] for row in read.below(1)] == ["socket", "core", "socket", "core", "gpu"]


def test_places_by_path_where_no_edge_says() -> None:
    raw = {
        "nodes": [
            {"id": "0", "metadata": {"type": "cluster", "paths": {"containment": "/c0"}}},
            {"id": "1", "metadata": {"type": "node", "rank": 0, "paths": {"containment": "/c0/a"}}},
            {
                "id": "2",
                "metadata": {"type": "core", "id": 4, "paths": {"containment": "/c0/a/core4"}},
            },
        ],
        "edges": [],
    }
    read = graph.read(raw).value
    assert list(read.parents) == [-1, 0, 1]
    (node,) = graph.nodes(read).value
    assert (node.host, str(node.cores)) == ("a", "4")


def test_nodes_without_ranks_are_numbered() -> None:
    raw = {"nodes": [vertex("a", "node", "x"), vertex("b", "node", "y")], "edges": []}
    found = graph.nodes(graph.read(raw).value)
    assert [(n.rank, n.host) for n in found.value] == [(0, "x"), (1, "y")]
    assert [problem.severity for problem in found.problems] == ["warning"]


def test_two_nodes_of_one_rank() -> None:
    raw = {
        "nodes": [vertex("a", "node", "x", rank=0), vertex("b", "node", "y", rank=0)],
        "edges": [],
    }
    found = graph.nodes(graph.read(raw).value)
    assert "both have rank 0" in found.problems[0].message


def test_an_edge_with_a_name_joins_no_vertex_with_a_number() -> None:
    raw = {
        "nodes": [vertex("-1", "node", "x", rank=0), vertex("2", "core", "y", id=0)],
        "edges": [edge("x", "2"), edge("-1", "2")],
    }
    parsed = graph.read(raw)
    assert list(parsed.value.parents) == [-1, 0]
    assert [problem.path for problem in parsed.problems] == ["graph.edges[0]"]


def test_rings_end() -> None:
    raw = {
        "nodes": [vertex("a", "node", "x", rank=0), vertex("b", "core", "y", id=0)],
        "edges": [edge("a", "b"), edge("b", "a")],
    }
    read = graph.read(raw).value
    assert len(graph.nodes(read).value) == 1
    assert len(read.roots) == 1


def test_odd_documents_do_not_raise() -> None:
    odd: list[Any] = [None, 5, [], {}, {"nodes": 5, "edges": 5}]
    odd.append({"nodes": [5, {}], "edges": [5, {}]})
    for raw in odd:
        parsed = graph.read(raw)
        assert not parsed.ok
        graph.nodes(parsed.value)


def test_bare_graph_is_a_resource_set() -> None:
    found = resources.read({"graph": small()})
    assert found.ok
    assert found.form == "graph"
    assert (str(found.ranks), str(found.hosts)) == ("1,3", "n[8,7]")
    assert found.totals(found.everything) == resources.Totals(2, 6, 1)
    assert found.properties == {"ssd": 0b10}


def test_scheduling_alone_is_valid_by_the_older_text() -> None:
    found = resources.read({"version": 1, "scheduling": {"graph": small(), "writer": "fluxion:"}})
    assert found.ok
    assert found.form == "scheduling"
    assert found.writer == "fluxion:"
    assert [problem.severity for problem in found.problems] == ["warning"]
    assert "execution" in found.problems[0].message


def test_hosts_from_the_graph_where_execution_has_none() -> None:
    found = resources.read(document(lite("1,3", "0-1")) | {"scheduling": {"graph": small()}})
    assert not found.ok
    assert str(found.hosts) == "n[8,7]"
    assert found.whole.cores == 4
