"""Some nodes of a cluster as an R document (RFC 20), with its graph cut, and as a table."""

import csv
import io
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers import export
from fluxtui.answers.export import csv_lines
from fluxtui.model.cancellation import Stopped
from fluxtui.model.resources import document as resources
from fluxtui.model.resources import graph
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import printable
from tests import hostile
from tests.each import for_each
from tests.model import topologies
from tests.model.clusters import document as r_document
from tests.model.clusters import edge, lite, nodes, taken, vertex
from tests.model.topologies import APU, XEON


def document(**execution: Any) -> dict[str, Any]:
    return r_document(lite("2-4,9"), lite("5", "0-1", "0"), **{"nodelist": ["n[2-6]"], **execution})


def subset(read: Resources, mask: int) -> dict[str, Any]:
    """The document as it comes back from its text."""
    found: dict[str, Any] = json.loads(json.dumps(export.subset(read, mask)))
    return found


def facts(read: Resources, mask: int | None = None) -> list[tuple[Any, ...]]:
    """What is told of some nodes, wherever they stand."""
    return [(n.rank, n.host, n.cores, n.gpus, n.properties) for n in nodes(read, mask)]


@given(taken)
def test_the_part_tells_of_each_node_what_the_whole_tells(of: tuple[Resources, int]) -> None:
    whole, mask = of
    part = resources.read(subset(whole, mask))
    if mask:
        assert part.ok
        assert facts(part) == facts(whole, mask)
        assert (part.starttime, part.expiration) == (whole.starttime, whole.expiration)
        assert all(part.properties.values())
    again = resources.read(subset(whole, whole.everything))
    assert (again.nslots, again.kinds) == (whole.nslots, whole.kinds)
    assert export.notes(whole, whole.everything) == ()


#: Documents that lack something, some of their nodes, and what a note says of these, or not.
LACKING = [
    ({"nodelist": None}, 0b1, "host names are not known"),
    ({"nodelist": ["n[2-3]"]}, 0b10110, "some names of these nodes"),
    ({"nodelist": ["n[2-3]"]}, 0b11, ""),
    ({"nslots": 7}, 0b1 | 1 << 60, "nslots is left out"),  # it is of the whole allocation
    ({"nslots": 7}, 0b11111, ""),
    ({"R_lite": [lite("2-4,9"), {"rank": "5", "children": {"gpu": "0"}}]}, 0b11000, "no core"),
    ({"R_lite": [lite("2-4,9"), {"rank": "5", "children": {"gpu": "0"}}]}, 0b1, ""),
]


@for_each("change, mask, words", LACKING)
def test_nodes_keep_what_they_have_and_a_note_tells_what_is_missing(
    change: dict[str, Any], mask: int, words: str
) -> None:
    raw = document(**change)
    raw["execution"] = {key: value for key, value in raw["execution"].items() if value is not None}
    whole = resources.read(raw)
    part = resources.read(subset(whole, mask))
    assert facts(part) == facts(whole, mask)
    said = [note.message for note in export.notes(whole, mask)]
    assert len(said) == bool(words)
    assert words in "".join(said)
    assert part.nslots == (None if words else whole.nslots)
    if "nodelist" not in raw["execution"]:
        assert [problem.message for problem in part.problems] == ["nodelist is missing"]


# The table


def table(read: Resources, mask: int, *, matrix: bool = False) -> list[list[str]]:
    """The table as a reader of CSV finds it."""
    text = "".join(csv_lines(read, mask, matrix=matrix))
    return list(csv.reader(io.StringIO(text, newline="")))


def rows(read: Resources, mask: int, *, matrix: bool = False) -> list[list[str]]:
    """The rows of the table, each looked up for its node alone."""
    found = []
    for node in nodes(read, mask):
        own = ["|".join(node.properties)]
        if matrix:
            own = [str(int(name in node.properties)) for name in read.properties]
        counts = [str(node.cores.count), str(node.gpus.count), str(node.cores), str(node.gpus)]
        found.append([str(node.rank), node.host, *counts, *map(harmless, own)])
    return found


def harmless(name: str) -> str:
    """A name as the table has it: a ``'`` before what a spreadsheet would evaluate."""
    name = name.replace("\n", "\\n")
    return f"'{name}" if name[:1] in ("+", "=") else name


@given(taken, st.sampled_from((3, 8192)))
def test_a_row_for_each_node(of: tuple[Resources, int], block: int) -> None:
    read, mask = of
    columns = ["rank", "host", "cores", "gpus", "core_ids", "gpu_ids"]
    names = map(harmless, read.properties)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(export, "_BLOCK", block)
        assert table(read, mask) == [[*columns, "properties"], *rows(read, mask)]
        assert table(read, mask, matrix=True) == [
            [*columns, *names],
            *rows(read, mask, matrix=True),
        ]


def small(**execution: Any) -> Resources:
    return resources.read(r_document(lite("0-2", "0-1"), **execution))


def test_columns_and_rows_that_are_odd() -> None:
    # A property that is named as a column.
    read = small(nodelist=["n[0-2]"], properties={"gpus": "1", "gpu": "0"})
    head, *found = table(read, 0b11, matrix=True)
    assert head[6:] == ["properties.gpus", "gpu"]
    assert [cells[6:] for cells in found] == [["0", "1"], ["1", "0"]]
    # Hosts that are not known, no properties, no nodes.
    read = small(nodelist=["n0"])
    assert [cells[1] for cells in table(read, 0b111)[1:]] == ["n0", "", ""]
    assert [len(cells) for cells in table(read, 0b111, matrix=True)] == [6] * 4
    assert len(table(small(), 0)) == len(table(Resources(), 5)) == 1


@for_each("text", hostile.TEXTS)
def test_no_cell_is_a_formula_or_hides(text: str) -> None:
    read = replace(small(), properties={text: 1, f"{text}b": 1, "12": 1, "-3": 2, "+4.5": 4})
    for matrix in (False, True):
        cells = [cell for row in table(read, 0b111, matrix=matrix) for cell in row]
        assert not hostile.raw("\n".join(cells))
        formulas = [cell for cell in cells if cell[:1] and cell[0] in "=+-@\t\r\n\uff1d\uff0b"]
        assert set(formulas) <= {"-3", "+4.5"}
        assert any(printable(text) in cell for cell in cells)
        assert {"-3", "+4.5"} <= set(cells)


def test_what_nodes_have_inside_is_in_columns() -> None:
    parts = ("0-1", XEON, "0-119", "0-7"), ("2", APU, "0-95", "0-3")
    read = resources.read(topologies.tree(*parts, properties={"numa": "2"}))
    head, *found = table(read, 0b101, matrix=True)
    assert head[6:] == ["socket", "numa", "memory_gib", "properties.numa"]
    assert [cells[6:] for cells in found] == [["2", "8", "", "0"], ["4", "0", "504", "1"]]
    assert table(read, 0b100)[1][6:] == ["4", "0", "504", "numa"]


# A resource graph cut to some of its nodes (JGF)


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


@for_each("ranked", [True, False])
def test_nodes_with_what_contains_them_what_they_contain_and_what_supplies_them(
    ranked: bool,
) -> None:
    whole = resources.read({"graph": racks(ranked=ranked)})
    assert whole.ok  # where its nodes have no ranks, only that is odd about it
    part = export.subset(whole, 0b0100)["scheduling"]["graph"]
    assert {vertex["id"] for vertex in part["nodes"]} == {"c", "rack1", "n2", "k2", "pdu1"}
    edges = {f"{e['source']} {e['metadata']['subsystem']} {e['target']}" for e in part["edges"]}
    inside = [("c", "rack1"), ("c", "pdu1"), ("rack1", "n2"), ("n2", "k2")]
    assert edges == {f"{one} containment {other}" for one, other in inside} | {
        "pdu1 power n2", "n2 power pdu1"
    }  # fmt: skip
    tree = graph.read(part)
    assert tree.problems == ()
    node = resources.read({"graph": part}).node(0)
    assert (node.rank, node.host, str(node.cores), node.properties) == (2, "h2", "0", ("x",))
    row = list(tree.value.ids).index("n2")
    assert {(link.subsystem, link.name, link.outward) for link in tree.value.links(row)} == {
        ("power", "supplies", False),
        ("power", "drawn", True),
    }


def test_all_nodes_are_the_graph_but_for_what_stands_beside_them() -> None:
    raw = racks()
    whole = resources.read({"graph": raw})
    for mask in range(1, 16):
        part = export.subset(whole, mask)
        alone = resources.read({"graph": part["scheduling"]["graph"]})
        assert (alone.problems, alone.ranks) == ((), whole.ranks_of(mask))
        assert alone.hosts_of(alone.everything) == whole.hosts_of(mask)
        read = resources.read(part)
        assert (read.problems, read.form) == ((), "execution")
        assert facts(read) == facts(whole, mask)
    wanted = [vertex for vertex in raw["nodes"] if not vertex["id"].startswith("ssd")]
    assert part["scheduling"]["graph"]["nodes"] == wanted


def handed_down(ranks: str, hosts: str) -> Resources:
    """An R document whose graph still has the ranks of the instance around this one."""
    scheduling = {"writer": "fluxion:", "graph": racks()}
    whole = r_document(lite(ranks, "0"), nodelist=[hosts]) | {"scheduling": scheduling}
    return resources.read(whole)


def test_the_scheduling_part() -> None:
    whole = handed_down("0-3", "h[0-3]")
    part = export.subset(whole, 0b1)
    assert part["scheduling"]["writer"] == "fluxion:"
    assert export.notes(whole, 0b1, part) == ()
    again = resources.read(part)
    assert (again.problems, again.writer) == ((), "fluxion:")
    assert "scheduling" not in export.subset(whole, 0b1, graph=False)
    # Without a graph that has one of the nodes it is left out.
    other = handed_down("4-5", "h[4-5]")
    none = resources.read(r_document(lite("0"), nodelist=["h0"]) | {"scheduling": {"writer": "x"}})
    for found, words in ((other, "none of these nodes"), (none, "nothing in it")):
        part = export.subset(found, 0b1)
        assert "scheduling" not in part
        assert words in export.notes(found, 0b1, part)[0].message
        assert export.notes(found, 0b1) == ()


def test_it_stops_when_it_is_not_wanted() -> None:
    for whole, times in ((resources.read(document()), 0), (resources.read({"graph": racks()}), 4)):
        asked = iter([False] * times + [True])
        with pytest.raises(Stopped):
            export.subset(whole, 1, stop=asked.__next__)
    lines = csv_lines(whole, 1, stop=lambda: True)
    next(lines)
    with pytest.raises(Stopped):
        next(lines)
