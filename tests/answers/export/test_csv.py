"""Some nodes of a cluster as a table (RFC 4180)."""

import csv
import io
from typing import Any

from hypothesis import given

from fluxtui.answers.export.csv import csv_lines
from fluxtui.model.resources import document
from fluxtui.model.resources.document import Node, Resources
from tests import big
from tests.answers.clusters import nodes, taken


def table(read: Resources, mask: int, *, matrix: bool = False) -> list[list[str]]:
    """The table as a reader of CSV finds it."""
    text = "".join(csv_lines(read, mask, matrix=matrix))
    return list(csv.reader(io.StringIO(text, newline="")))


def row(node: Node) -> list[str]:
    """The row of a node, but for its properties."""
    counts = [str(node.cores.count), str(node.gpus.count)]
    return [str(node.rank), node.host, *counts, str(node.cores), str(node.gpus)]


@given(taken)
def test_a_row_for_each_node(of: tuple[Resources, int]) -> None:
    read, mask = of
    head, *rows = table(read, mask)
    assert head == ["rank", "host", "cores", "gpus", "core_ids", "gpu_ids", "properties"]
    assert rows == [[*row(node), "|".join(node.properties)] for node in nodes(read, mask)]


@given(taken)
def test_a_column_for_each_property(of: tuple[Resources, int]) -> None:
    read, mask = of
    head, *rows = table(read, mask, matrix=True)
    assert head[6:] == list(read.properties)
    assert rows == [
        [*row(node), *(str(int(name in node.properties)) for name in read.properties)]
        for node in nodes(read, mask)
    ]


def test_many_nodes() -> None:
    read = document.read(big.fragmented(4_000))
    mask = (read.everything // 3 >> 1_800 << 1_800) | 0b101
    assert table(read, mask)[1:] == [
        [*row(node), "|".join(node.properties)] for node in nodes(read, mask)
    ]


def small(**execution: Any) -> Resources:
    lite = [{"rank": "0-2", "children": {"core": "0-1"}}]
    return document.read({"version": 1, "execution": {"R_lite": lite, **execution}})


def test_records_end_as_rfc_4180_says_and_names_stand_as_they_are() -> None:
    read = small(nodelist=["=cmd", "@n", "-1"], properties={"+batch": "0", "a,b": "0-1"})
    assert list(csv_lines(read, 0b11)) == [
        "rank,host,cores,gpus,core_ids,gpu_ids,properties\r\n",
        '0,=cmd,2,0,0-1,,"+batch|a,b"\r\n',
        '1,@n,2,0,0-1,,"a,b"\r\n',
    ]


def test_a_property_that_is_named_as_a_column() -> None:
    read = small(nodelist=["n[0-2]"], properties={"gpus": "1", "gpu": "0"})
    head, *rows = table(read, 0b11, matrix=True)
    assert head[6:] == ["properties.gpus", "gpu"]
    assert [cells[6:] for cells in rows] == [["0", "1"], ["1", "0"]]


def test_hosts_that_are_not_known_and_no_properties() -> None:
    read = small(nodelist=["n0"])
    assert [cells[1] for cells in table(read, 0b111)[1:]] == ["n0", "", ""]
    assert [len(cells) for cells in table(read, 0b111, matrix=True)] == [6] * 4


def test_no_node_is_a_head_alone() -> None:
    assert len(table(small(), 0)) == 1
    assert len(table(document.Resources(), 5)) == 1
