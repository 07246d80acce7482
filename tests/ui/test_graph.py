"""The graph of a cluster: its lines, opening and closing, finding a vertex, nodes in it."""

from pathlib import Path
from typing import Any

import pytest
from textual.content import Content

from fluxtui.answers.containment import GraphContainment
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.nodes.graph_lines import Lamps, Lines
from fluxtui.ui.nodes.highlights import DARK, Highlight
from fluxtui.ui.nodes.open_rows import OpenRows
from tests.ui.graphs import (
    NODES,
    RACKS,
    cursor_line,
    edge,
    into_graph,
    line_of,
    lines,
    open_graph,
    racks,
    vertex,
    with_execution,
)
from tests.ui.helpers import (
    NORMAL,
    WIDE,
    cluster,
    messages,
    plain,
    screen_text,
    shown,
    workbench_at,
    write_document,
)

ALL = (1 << RACKS * NODES) - 1


def frame(app: FluxTUI) -> str:
    """What is in the lower edge of the pane."""
    return Content.from_markup(str(app.views.graph.border_subtitle)).plain


# Lines, without an app


def drawn(width: int, lights: tuple[Highlight, ...] = ()) -> list[str]:
    """All lines of the racks, opened, in so many columns."""
    on = open_graph(with_execution())
    assert on.graph is not None
    tree = GraphContainment(on.graph, on.resources)
    tree.take(tree.work_out(lambda: False))
    rows = OpenRows(tree)
    branch, _ = rows.grown(rows.at(0), 1_000)
    assert branch is not None
    rows.at(0).put(branch)
    maker = Lines(tree, Lamps(lights, DARK), Palette.of({}))
    return [maker.line(rows.at(row), width, here=not row).text for row in range(len(rows))]


def test_lines_say_what_is_below() -> None:
    found = [" ".join(line.split()) for line in drawn(120)]
    assert found[0] == (
        "›▾ tiny0 cluster 3 racks · 12 nodes · 96 cores · 12 memory 3,072 GB · 3 pdu 120 kW"
    )
    for line in (
        "▾ rack1 4 nodes · 32 cores · 4 memory 1,024 GB",
        "power ← pdu0 pdu",
        "▾ n1 node rank 1 fast 8 cores · 1 memory 256 GB",
        "▾ n3 node rank 3 fast batch 8 cores · 1 memory 256 GB",
        "▸ core0-6 7 cores",
        "core7 ✗ down",
        "memory0 256 GB",
    ):
        assert line in found


def test_lines_say_how_many_nodes_are_lit() -> None:
    found = drawn(120, (Highlight(0b111100, "■", "match"),))
    said = [" ".join(line.split()) for line in found]
    assert "■ 4 of 12 3 racks · 12 nodes" in said[0]
    for words in ("▾ rack0 ■ 2 of 4 4 nodes · 32 cores", "▾ rack2 none of 4 4 nodes · 32 cores"):
        assert any(line.startswith(words) for line in said)
    assert any(line.lstrip().startswith("▾ ■ n4 ") for line in found)


@pytest.mark.parametrize("width", [0, 1, 20, 40, 200])
def test_a_line_is_as_wide_as_it_is_to_be(width: int) -> None:
    assert {len(line) for line in drawn(width, (Highlight(1, "■", "match"),))} == {width}


# In the workbench


async def test_the_graph_is_opened_and_closed() -> None:
    async with workbench_at(WIDE, on=open_graph(racks())) as (app, pilot):
        graph = await into_graph(app, pilot)
        assert frame(app).startswith("/tiny0  → opens")
        assert "exclusive=no" in screen_text(app)
        await pilot.press("down")
        closed = lines(graph)
        await pilot.press("enter")
        assert len(lines(graph)) == len(closed) + 5
        await pilot.press("right")
        assert cursor_line(graph) == "power ← pdu0 pdu"
        assert "enter goes there" in screen_text(app)
        await pilot.press("left", "left")
        assert lines(graph) == closed
        await pilot.press("left")
        assert "tiny0" in cursor_line(graph)
        # Into folded cores.
        await pilot.press("down", "right", "down", "down", "right", "down", "right", "down")
        assert cursor_line(graph) == "core0"
        assert frame(app).startswith("/tiny0/rack0/n0/core0")
        assert "id=0" in screen_text(app)
        # An edge leads to its other end, and back.
        await pilot.press("home", "down", "down", "enter")
        assert cursor_line(graph) == "▸ pdu0 40 kW"
        await pilot.press("right", "right")
        assert cursor_line(graph) == "power → rack0 rack"
        # All below at once: the cluster, racks and units with an edge each, nodes with core0-7 and
        # memory; of the first node the core that is down stands alone.
        await pilot.afresh(on=open_graph(racks()), size=WIDE)
        graph = await into_graph(app, pilot, "*")
        rows = graph.view.rows
        assert rows is not None
        assert len(rows) == 1 + 3 * (1 + 1) + 3 * (1 + 1) + 12 * (1 + 2) + 1
        await pilot.press("-")
        assert len(rows) == 1 + 3 + 3
        # Closing takes the cursor out.
        await pilot.press("down", "right", "down", "down")
        await pilot.click("#node-graph", offset=(1, 0))
        assert cursor_line(graph).startswith("▸ tiny0")
        # Two that are opened at once are both opened.
        await pilot.press("right")
        named = ["▸ rack" in line for line in lines(graph)]
        first, second = [rows.at(row) for row in range(len(rows)) if named[row]][:2]
        for spot in (first, second):
            assert isinstance(spot.item, int)
            graph.view.go_to(spot.item)
            graph.action_open_all()
        await pilot.done()
        assert first.is_open
        assert second.is_open


async def test_a_slash_finds() -> None:
    async with workbench_at(WIDE, on=open_graph(racks())) as (app, pilot):
        # It goes there while one types, from where one began.
        graph = await into_graph(app, pilot, "/")
        for text, index in (("n1", 1), ("1", 11), ("", 1)):
            await pilot.burst(*(text or ["backspace"]))
            await pilot.done()
            assert app.state.cursor == index
            assert cursor_line(graph).startswith(f"▸ n{index} node")
        await pilot.press("escape")
        assert graph.view.has_focus
        assert not app.query_one("#graph-find").display
        # Enter and arrows go on.
        await pilot.press("home", "/")
        await pilot.burst(*"RACK")
        await pilot.done()
        seen = [cursor_line(graph).split()[1]]
        for key in ("enter", "down", "enter", "up"):
            await pilot.press(key)
            await pilot.done()
            seen.append(cursor_line(graph).split()[1])
        assert seen == ["rack0", "rack1", "rack2", "rack0", "rack2"]
        # By a path, within a node and in folded cores; and what nothing has.
        for text, said in (
            ("n5/core3", "/tiny0/rack1/n5/core3"),
            ("[b]x", "nothing contains [b]x"),
        ):
            await pilot.press("escape", "/")
            await pilot.burst(*text)
            await pilot.done()
            assert said in screen_text(app)
        assert app.state.cursor == 5


async def test_graphs_of_other_documents() -> None:
    async with workbench_at() as (app, pilot):
        # Without a graph it says so and shows what is implied.
        graph = await into_graph(app, pilot)
        assert "This document has no resource graph" in screen_text(app)
        assert "ctrl+o opens an R document" in " ".join(plain(app, "#graph-details").split())
        assert cursor_line(graph).startswith("▾ cluster 196 nodes · 13,888 cores")
        await pilot.press("down", "down", "right", "down", "right", "down")
        assert cursor_line(graph) == "▸ core0-55 56 cores"
        assert frame(app).startswith("/cluster0/dune001/core0")
        assert app.state.cursor == 4
        # Names are shown as they are.
        document = racks()
        vertices = document["graph"]["nodes"]
        vertices[0]["metadata"]["name"] = "[b]x[/b]\x1b[31m"
        vertices[0]["metadata"]["paths"] = {"containment": "/[b]x[/b]\x1b[31m"}
        vertices[0]["metadata"]["[i]key"] = "\x07[u]"
        await pilot.afresh(on=open_graph(document))
        graph = await into_graph(app, pilot)
        assert "no resource graph" not in screen_text(app)
        assert "[b]x[/b]" in line_of(graph, "cluster")
        text = screen_text(app)
        assert "/[b]x[/b]" in text
        assert "[i]key=" in text
        assert "\x1b" not in text
        assert "\x07" not in text
        # The theme changes and what is open stays.
        await pilot.afresh(on=open_graph(with_execution()))
        graph = await into_graph(app, pilot, "*", "down")
        before = lines(graph)
        app.theme = "textual-light"
        await pilot.settle()
        assert lines(graph) == before
        # Nodes without ranks are numbered in order.
        nodes = [vertex("0", "cluster", "c0", "/c0"), vertex("1", "node", "a", "/c0/a")]
        nodes.append(vertex("2", "node", "b", "/c0/b"))
        document = {"graph": {"nodes": nodes, "edges": [edge("0", "1"), edge("0", "2")]}}
        await pilot.afresh(on=open_graph(document))
        await into_graph(app, pilot, "down", "down")
        assert app.state.cursor == 1


async def test_more_than_the_limit_is_not_opened_and_said() -> None:
    async with workbench_at(on=cluster(30_000), notifications=True) as (app, pilot):
        graph = await into_graph(app, pilot, "home", "*")
        rows = graph.view.rows
        assert rows is not None
        assert 20_000 < len(rows) < 60_000
        assert "anything deeper stays closed" in messages(app)[-1]


async def test_one_cursor_for_all_views() -> None:
    async with workbench_at(on=open_graph(with_execution())) as (app, pilot):
        # The map's node is shown when one first looks.
        app.go_to("map")
        await pilot.press("right", "right", "right")
        graph = await into_graph(app, pilot)
        assert cursor_line(graph).startswith("▸ n3 node")
        # On a node and within it all views have it; on a rack it stays.
        await pilot.press("up", "right", "right", "down")
        assert app.state.cursor == 2
        app.go_to("map")
        await pilot.settle()
        assert app.views.map.view.cursor == 2
        await into_graph(app, pilot)
        await pilot.press("left", "left", "left", "left")
        assert "rack0" in cursor_line(graph)
        assert app.state.cursor == 2
        # The next match is opened.
        await pilot.put("batch")
        await into_graph(app, pilot, "n", "n")
        assert app.state.cursor == 4
        assert cursor_line(graph).startswith("▸ ■ n4 node")
        await pilot.press("p")
        assert cursor_line(graph).startswith("▸ ■ n3 node")


async def test_nodes_are_selected() -> None:
    async with workbench_at(WIDE, on=open_graph(racks())) as (app, pilot):
        # All nodes below a vertex, and none of them again.
        graph = await into_graph(app, pilot, "down", "space")
        assert app.state.selected == 0b1111
        assert "◆ all 4 " in line_of(graph, "rack0")
        assert "◆ 4 of 12 " in line_of(graph, "tiny0")
        await pilot.press("right", "down", "down", "space")
        assert app.state.selected == 0b1110
        assert "◆ 3 of 4 " in line_of(graph, "rack0")
        await pilot.press("left", "space", "space")
        assert app.state.selected == 0
        # Within a node it is that node.
        await pilot.press("down", "down", "right", "right", "space")
        assert app.state.selected == 0b1
        await pilot.press("escape", "left", "left")
        # The rows that are passed; a closed rack counts with all its nodes.
        await pilot.press("down")
        assert app.state.cursor == 1
        for keys, selected in (
            (["shift+down"] * 2, 0b1110),
            (["shift+up"], 0b0110),
            (["shift+down"] * 3, 0b11111110),
        ):
            await pilot.press(*keys)
            assert app.state.selected == selected
        await pilot.press("escape")
        assert app.state.selected == 0
        assert graph.view.has_focus
        # An open one counts with the rows that are seen.
        await pilot.press("home", "down", "shift+down", "shift+down", "shift+down")
        assert app.state.selected == 0b11
        await pilot.press("escape", "home", "space")
        assert app.state.selected == ALL


async def test_the_mouse() -> None:
    async with workbench_at(on=open_graph(racks())) as (app, pilot):
        graph = await into_graph(app, pilot)
        await pilot.click("#node-graph", offset=(8, 3))
        assert cursor_line(graph).startswith("▸ rack1")
        await pilot.click("#node-graph", offset=(3, 3))
        assert cursor_line(graph).startswith("▾ rack1")
        await pilot.click("#node-graph", offset=(9, 6))
        await pilot.settle()
        assert app.state.cursor == NODES + 1
        await pilot.hover("#node-graph", offset=(8, 7))
        await pilot.settle()
        assert plain(app, "#node-details").startswith("n6")
        await pilot.click("#node-graph", offset=(8, 1), times=2)
        await pilot.settle()
        assert cursor_line(graph).startswith("▾ rack0")
        await pilot.click("#node-graph", offset=(8, 1), control=True)
        await pilot.settle()
        assert app.state.selected == 0b1111


SCHEDULING_ONLY = {"version": 1, "scheduling": racks()}


@pytest.mark.parametrize("document", [racks(), SCHEDULING_ONLY, with_execution()])
async def test_a_document_with_a_graph_works_in_every_pane(
    document: dict[str, Any], here: Path
) -> None:
    path = write_document(here / "cluster.json", document)
    async with workbench_at(NORMAL, source=path, shape="node=2/slot/core=8") as (app, pilot):
        await pilot.done()
        assert app.state.cluster.resources.node_count == RACKS * NODES
        assert app.state.outlook.placement is not None
        app.go_to("map")
        await pilot.press("right")
        assert "n1" in plain(app, "#node-details")
        app.go_to("table")
        await pilot.settle()
        assert shown(app.views.table.table)
        await pilot.put("rank:3-5")
        graph = await into_graph(app, pilot)
        assert "of 12" in line_of(graph, "tiny0")


async def test_a_document_that_is_closed_meanwhile_is_counted_no_more() -> None:
    on = open_graph(racks())
    assert on.graph is not None
    tree = GraphContainment(on.graph, on.resources)
    asked = []

    def stop() -> bool:
        asked.append(1)
        return True

    assert tree.work_out(stop) is None
    assert asked
