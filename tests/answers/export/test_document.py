"""Some nodes of a cluster as an R document (RFC 20)."""

import json
from typing import Any

import pytest
from hypothesis import given

from fluxtui.answers.export import document as export
from fluxtui.answers.export.csv import csv_lines
from fluxtui.model.cancellation import Stopped
from fluxtui.model.resources import document as resources
from fluxtui.model.resources.document import Node, Resources
from tests import big
from tests.answers.clusters import nodes, taken
from tests.each import for_each
from tests.model.clusters import document as r_document
from tests.model.clusters import lite


def document(**execution: Any) -> dict[str, Any]:
    return r_document(lite("2-4,9"), lite("5", "0-1", "0"), **{"nodelist": ["n[2-6]"], **execution})


def subset(read: Resources, mask: int) -> dict[str, Any]:
    """The document as it comes back from its text."""
    found: dict[str, Any] = json.loads(json.dumps(export.subset(read, mask)))
    return found


def said(node: Node) -> tuple[Any, ...]:
    """What is told of a node wherever it stands."""
    return node.rank, node.host, node.cores, node.gpus, node.properties


@given(taken)
def test_the_part_says_of_each_node_what_the_whole_says(of: tuple[Resources, int]) -> None:
    whole, mask = of
    if not mask:
        return
    part = resources.read(subset(whole, mask))
    assert part.ok
    assert list(map(said, nodes(part))) == list(map(said, nodes(whole, mask)))
    assert (part.starttime, part.expiration) == (whole.starttime, whole.expiration)
    assert all(part.properties.values())


@given(taken)
def test_what_is_taken_whole_is_the_whole(of: tuple[Resources, int]) -> None:
    whole, _ = of
    again = resources.read(subset(whole, whole.everything))
    assert again.nslots == whole.nslots
    assert again.kinds == whole.kinds
    assert export.notes(whole, whole.everything) == ()


def test_the_form_in_force() -> None:
    whole = resources.read(
        document(properties={"a": "2-5", "b": "9", "+q": "5"}, starttime=1, expiration=2.5)
    )
    assert export.subset(whole, 0b11001) == {
        "version": 1,
        "execution": {
            "R_lite": [lite("2,9"), lite("5", "0-1", "0")],
            "starttime": 1.0,
            "expiration": 2.5,
            "nodelist": ["n[2,5-6]"],
            "properties": {"a": "2,5", "b": "9", "+q": "5"},
        },
    }


def test_what_is_unset_and_what_no_node_has() -> None:
    whole = resources.read(document(properties={"a": "2-4", "b": "9", "c": ""}, starttime=0))
    execution = export.subset(whole, 1)["execution"]
    assert (execution["starttime"], execution["expiration"]) == (0.0, 0.0)
    assert export.subset(whole, 0)["execution"]["R_lite"] == []
    assert export.subset(whole, 1 << 60 | 1) == export.subset(whole, 1)
    assert export.subset(whole, 0b1)["execution"]["properties"] == {"a": "2"}
    assert "properties" not in export.subset(whole, 0b1000)["execution"]


def test_the_slots_are_those_of_the_whole_allocation() -> None:
    whole = resources.read(document(nslots=7))
    assert export.subset(whole, whole.everything)["execution"]["nslots"] == 7
    assert export.notes(whole, whole.everything) == ()
    assert "nslots" not in export.subset(whole, 1)["execution"]
    (note,) = export.notes(whole, 1)
    assert note.message.startswith("nslots is left out")
    assert note.severity == "warning"


@for_each("mask", [0b1, 0b11111, 0b10010])
def test_without_hosts_there_is_no_nodelist(mask: int) -> None:
    raw = document()
    del raw["execution"]["nodelist"]
    whole = resources.read(raw)
    part = resources.read(subset(whole, mask))
    assert [problem.message for problem in part.problems] == ["nodelist is missing"]
    assert list(map(said, nodes(part))) == list(map(said, nodes(whole, mask)))
    assert "host names are not known" in export.notes(whole, mask)[0].message


def test_nodes_that_the_document_does_not_name_keep_what_they_have() -> None:
    whole = resources.read(document(nodelist=["n[2-3]"]))
    part = resources.read(subset(whole, 0b10110))
    assert [node.host for node in nodes(part)] == ["n3", "", ""]
    assert "some names of these nodes" in export.notes(whole, 0b10110)[0].message
    assert export.notes(whole, 0b11) == ()


def test_nodes_without_cores_are_not_lost() -> None:
    raw = document()
    raw["execution"]["R_lite"][1]["children"] = {"gpu": "0"}
    whole = resources.read(raw)
    part = resources.read(subset(whole, 0b11000))
    assert list(map(said, nodes(part))) == list(map(said, nodes(whole, 0b11000)))
    assert "no core" in export.notes(whole, 0b11000)[0].message
    assert export.notes(whole, 0b1) == ()


def test_a_document_with_a_graph_alone_gets_an_execution() -> None:
    raw = {
        "nodes": [
            {"id": str(rank), "metadata": {"type": "node", "name": f"h{rank}", "rank": rank}}
            for rank in range(3)
        ]
        + [{"id": "9", "metadata": {"type": "core", "id": 0, "paths": {"containment": "/h1/c0"}}}],
        "edges": [{"source": "1", "target": "9"}],
    }
    whole = resources.read({"version": 1, "scheduling": {"graph": raw}})
    assert whole.form == "scheduling"
    part = resources.read(subset(whole, 0b10))
    assert part.problems == ()
    assert part.form == "execution"
    assert list(map(said, nodes(part))) == list(map(said, nodes(whole, 0b10)))


@for_each("name", big.DOCUMENTS)
def test_documents_of_many_nodes(name: str) -> None:
    whole = resources.read(big.DOCUMENTS[name](4_000))
    mask = whole.everything // 7 ^ (1 << 1_234)
    part = resources.read(subset(whole, mask))
    assert part.problems == ()
    assert list(map(said, nodes(part))) == list(map(said, nodes(whole, mask)))


def test_it_stops_when_it_is_not_wanted() -> None:
    whole = resources.read(document())
    with pytest.raises(Stopped):
        export.subset(whole, 1, stop=lambda: True)
    lines = csv_lines(whole, 1, stop=lambda: True)
    next(lines)
    with pytest.raises(Stopped):
        next(lines)


def test_a_scheduling_part_without_a_graph_is_left_out() -> None:
    raw = document() | {"scheduling": {"writer": "fluxion:", "other": 1}}
    whole = resources.read(raw)
    part = export.subset(whole, 0b1)
    assert "scheduling" not in part
    assert "no graph in it" in export.notes(whole, 0b1, part)[0].message
    assert export.notes(whole, 0b1) == ()


def test_the_graph_of_other_nodes() -> None:
    node = {"id": "1", "metadata": {"type": "node", "name": "n2", "rank": 2}}
    whole = resources.read(document() | {"scheduling": {"graph": {"nodes": [node], "edges": []}}})
    part = export.subset(whole, 0b10)
    assert "scheduling" not in part
    assert "none of these nodes" in export.notes(whole, 0b10, part)[0].message
    assert "scheduling" in export.subset(whole, 0b1)
    assert "scheduling" not in export.subset(whole, 0b1, graph=False)
