"""A resource graph cut to some of its nodes (JGF)."""

from dataclasses import replace
from typing import Any

import pytest

from fluxtui.answers.export import notes, subset
from fluxtui.model.cancellation import Stopped
from fluxtui.model.resources import document, graph
from fluxtui.model.resources.resource_set import Resources
from tests.answers.clusters import nodes
from tests.model.clusters import document as r_document
from tests.model.clusters import edge, lite, vertex

Raw = dict[str, Any]


def racks(*, ranked: bool = True) -> Raw:
    """Two racks of two nodes with a core each, storage beside them, and power from two sources."""
    nodes, edges = [vertex("c", "cluster", "tiny0")], []
    for rack in range(2):
        nodes += [vertex(f"{kind}{rack}", kind, f"{kind}{rack}") for kind in ("pdu", "rack", "ssd")]
        edges += [edge("c", f"pdu{rack}"), edge("c", f"rack{rack}")]
        edges.append(edge(f"rack{rack}", f"ssd{rack}", subsystem="containment"))
    for rank in range(4):
        node, core, rack, pdu = f"n{rank}", f"k{rank}", f"rack{rank // 2}", f"pdu{rank // 2}"
        data = {"rank": rank} if ranked else {}
        nodes.append(vertex(node, "node", f"h{rank}", properties={"x": ""}, **data))
        nodes.append(vertex(core, "core", "core0", id=0, size=1))
        edges += [edge(rack, node), edge(node, core)]
        edges.append(edge(pdu, node, subsystem="power", name={"power": "supplies"}))
        edges.append(edge(node, pdu, subsystem="power", name={"power": "drawn"}))
    return {"nodes": nodes, "edges": edges}


def read(raw: Raw) -> Resources:
    """A document with the graph alone; where its nodes have no ranks, only that is odd about it."""
    found = document.read({"graph": raw})
    assert found.ok
    return replace(found, problems=())


def cut(whole: Resources, mask: int) -> Raw:
    assert whole.problems == ()
    scheduling = subset(whole, mask)["scheduling"]
    part: Raw = scheduling["graph"]
    return part


def ids(part: Raw) -> set[str]:
    return {vertex["id"] for vertex in part["nodes"]}


@pytest.mark.parametrize("ranked", [True, False])
def test_nodes_with_what_contains_them_what_they_contain_and_what_supplies_them(
    ranked: bool,
) -> None:
    part = cut(read(racks(ranked=ranked)), 0b0100)
    assert ids(part) == {"c", "rack1", "n2", "k2", "pdu1"}
    assert {(e["source"], e["target"], e["metadata"]["subsystem"]) for e in part["edges"]} == {
        ("c", "rack1", "containment"),
        ("c", "pdu1", "containment"),
        ("rack1", "n2", "containment"),
        ("n2", "k2", "containment"),
        ("pdu1", "n2", "power"),
        ("n2", "pdu1", "power"),
    }
    tree = graph.read(part)
    assert tree.problems == ()
    node = document.read({"graph": part}).node(0)
    assert (node.rank, node.host, str(node.cores), node.properties) == (2, "h2", "0", ("x",))
    row = list(tree.value.ids).index("n2")
    assert {(link.subsystem, link.name, link.outward) for link in tree.value.links(row)} == {
        ("power", "supplies", False),
        ("power", "drawn", True),
    }


def test_all_nodes_are_the_graph_but_for_what_stands_beside_them() -> None:
    raw = racks()
    part = cut(document.read({"graph": raw}), 0b1111)
    wanted = [vertex for vertex in raw["nodes"] if not vertex["id"].startswith("ssd")]
    assert part["nodes"] == wanted
    for mask in range(1, 16):
        whole = document.read({"graph": raw})
        alone = document.read({"graph": cut(whole, mask)})
        assert alone.problems == ()
        assert alone.ranks == whole.ranks_of(mask)
        assert alone.hosts_of(alone.everything) == whole.hosts_of(mask)
        part = document.read(subset(whole, mask))
        assert (part.problems, part.form) == ((), "execution")
        assert [replace(node, index=0) for node in nodes(part)] == [
            replace(node, index=0) for node in nodes(whole, mask)
        ]


def handed_down(ranks: str, hosts: str) -> Resources:
    """An R document whose graph still has the ranks of the instance around this one."""
    scheduling = {"writer": "fluxion:", "graph": racks()}
    whole = r_document(lite(ranks, "0"), nodelist=[hosts]) | {"scheduling": scheduling}
    return document.read(whole)


def test_the_scheduling_part() -> None:
    whole = handed_down("0-3", "h[0-3]")
    part = subset(whole, 0b1)
    assert part["scheduling"]["writer"] == "fluxion:"
    assert notes(whole, 0b1, part) == ()
    again = document.read(part)
    assert (again.problems, again.writer) == ((), "fluxion:")
    assert "scheduling" not in subset(whole, 0b1, graph=False)
    # Without a graph that has one of the nodes it is left out.
    other = handed_down("4-5", "h[4-5]")
    none = document.read(r_document(lite("0"), nodelist=["h0"]) | {"scheduling": {"writer": "x"}})
    for found, words in ((other, "none of these nodes"), (none, "no graph in it")):
        part = subset(found, 0b1)
        assert "scheduling" not in part
        assert words in notes(found, 0b1, part)[0].message
        assert notes(found, 0b1) == ()


def test_it_stops_when_it_is_not_wanted() -> None:
    asked = iter([False] * 4 + [True])
    with pytest.raises(Stopped):
        subset(document.read({"graph": racks()}), 0b1, stop=lambda: next(asked))
