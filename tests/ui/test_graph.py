"""The graph of a cluster: what its lines say, opening and closing, looking for a vertex."""

from pathlib import Path
from typing import Any

import pytest

from fluxtui.answers.containment import GraphContainment
from fluxtui.ui.app import FluxTUI
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
    cluster,
    messages,
    plain,
    screen_text,
    shown,
    workbench_at,
    write_document,
)


def frame(app: FluxTUI) -> str:
    """The path in the lower edge of the pane."""
    said = app.views.active._border_subtitle
    return said.plain.split("  ")[0] if said is not None else ""


async def test_the_graph_is_opened_and_closed() -> None:
    async with workbench_at(on=open_graph(racks())) as (app, pilot):
        # F2 goes round the views.
        await pilot.press("escape")
        seen = []
        for _ in range(4):
            seen.append(app.views.view_name)
            assert shown(app.views.view)
            assert app.views.view.has_focus
            await pilot.press("f2")
        assert seen == ["map", "table", "graph", "map"]
        # A key right after the first f2 is for the tree.
        await pilot.afresh(on=open_graph(racks()))
        await pilot.press("escape", "f2")
        await pilot.burst("f2", "down", "right")
        graph = app.views.graph.graph
        assert graph is not None
        assert cursor_line(graph).startswith("▾ rack0")
        # Lines say what is below.
        await pilot.afresh(on=open_graph(racks()), size=(200, 50))
        graph = await into_graph(app, pilot, "down", "right", "down", "down", "right")
        assert "3 racks · 12 nodes · 96 cores · 12 memory 3,072 GB · 3 pdu 120 kW" in line_of(
            graph, "tiny0"
        )
        assert line_of(graph, "rack1") == "▸ rack1 4 nodes · 32 cores · 4 memory 1,024 GB"
        assert line_of(graph, "pdu0") == "power ← pdu0 pdu"
        assert line_of(graph, "n1 ") == "▸ n1 node rank 1 fast 8 cores · 1 memory 256 GB"
        assert [line.split() for line in lines(graph)[4:7]] == [
            ["▸", "core0-6", "7", "cores"],
            ["core7", "✗", "down"],
            ["memory0", "256", "GB"],
        ]
        # The frame has the path and the details the rest.
        await pilot.afresh(on=open_graph(racks()), size=NORMAL)
        graph = await into_graph(app, pilot)
        assert frame(app) == "/tiny0"
        assert "exclusive=no" in screen_text(app)
        await pilot.press("down", "right", "down", "down", "right", "down", "right", "down")
        assert cursor_line(graph) == "core0"
        assert frame(app) == "/tiny0/rack0/n0/core0"
        assert "id=0" in screen_text(app)
        # Opening and closing.
        await pilot.afresh(on=open_graph(racks()))
        graph = await into_graph(app, pilot, "down")
        closed = lines(graph)
        await pilot.press("enter")
        assert len(lines(graph)) == len(closed) + 5
        await pilot.press("right")
        assert cursor_line(graph) == "power ← pdu0 pdu"
        await pilot.press("left", "left")
        assert lines(graph) == closed
        await pilot.press("left")
        assert "tiny0" in cursor_line(graph)
        # All below at once.
        await pilot.afresh(on=open_graph(racks()), size=(200, 50))
        graph = await into_graph(app, pilot, "*")
        rows = graph.view.rows
        assert rows is not None
        # The cluster, racks and units with an edge each, nodes with core0-7 and memory; of the
        # first node the core that is down stands alone.
        assert len(rows) == 1 + 3 * (1 + 1) + 3 * (1 + 1) + 12 * (1 + 2) + 1
        await pilot.press("-")
        assert len(rows) == 1 + 3 + 3
        # An edge leads to its other end.
        await pilot.afresh(on=open_graph(racks()), size=NORMAL)
        graph = await into_graph(app, pilot, "down", "right", "down")
        assert cursor_line(graph) == "power ← pdu0 pdu"
        assert "enter goes there" in screen_text(app)
        await pilot.press("enter")
        assert cursor_line(graph) == "▸ pdu0 40 kW"
        await pilot.press("right", "right")
        assert cursor_line(graph) == "power → rack0 rack"
        # Closing takes the cursor out.
        await pilot.afresh(on=open_graph(racks()))
        graph = await into_graph(app, pilot, "down", "right", "down", "down")
        assert cursor_line(graph).startswith("▸ n0")
        await pilot.click("#node-graph", offset=(1, 0))
        assert cursor_line(graph).startswith("▸ tiny0")
        # Two that are opened at once are both opened.
        await pilot.afresh(on=open_graph(racks()), size=(200, 50))
        graph = await into_graph(app, pilot, "right")
        rows = graph.view.rows
        assert rows is not None
        named = ["▸ rack" in line for line in lines(graph)]
        first, second = [rows.at(row) for row in range(len(rows)) if named[row]][:2]
        graph._grow(first)
        graph._grow(second)
        await pilot.done()
        assert first.is_open
        assert second.is_open


class TestFinding:
    async def test_a_slash_looks_and_goes_there_while_one_types(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            graph = await into_graph(app, pilot, "/")
            assert shown(app.query_one("#graph-find-entry"))
            await pilot.burst(*"n10")
            await pilot.done()
            assert cursor_line(graph).startswith("▸ n10 node")
            assert app.state.cursor == 10
            await pilot.press("escape")
            assert graph.view.has_focus
            assert not app.query_one("#graph-find").display

    async def test_enter_and_arrows_go_on(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            graph = await into_graph(app, pilot, "/")
            await pilot.burst(*"RACK")
            await pilot.done()
            seen = [cursor_line(graph).split()[1]]
            for key in ("enter", "down", "enter", "up"):
                await pilot.press(key)
                await pilot.done()
                seen.append(cursor_line(graph).split()[1])
            assert seen == ["rack0", "rack1", "rack2", "rack0", "rack2"]

    async def test_a_longer_text_is_looked_for_from_where_one_began(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            graph = await into_graph(app, pilot, "/")
            await pilot.burst(*"n1")
            await pilot.done()
            assert app.state.cursor == 1
            await pilot.burst("1")
            await pilot.done()
            assert app.state.cursor == 11
            await pilot.burst("backspace")
            await pilot.done()
            assert app.state.cursor == 1
            assert "n1 node" in cursor_line(graph)

    async def test_by_a_path_and_a_leaf_that_is_folded(self) -> None:
        async with workbench_at((200, 50), on=open_graph(racks())) as (app, pilot):
            graph = await into_graph(app, pilot, "/")
            await pilot.burst(*"n5/core3")
            await pilot.done()
            assert cursor_line(graph) == "core3"
            assert app.state.cursor == 5
            assert frame(app) == "/tiny0/rack1/n5/core3"

    async def test_nothing_is_said(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            await into_graph(app, pilot, "/")
            await pilot.burst(*"[b]x")
            await pilot.done()
            assert "nothing has [b]x" in screen_text(app)


async def test_graphs_of_other_documents() -> None:
    async with workbench_at() as (app, pilot):
        # Without a graph it says so and shows what is implied.
        graph = await into_graph(app, pilot)
        assert "This document carries no resource graph" in screen_text(app)
        assert "ctrl+o opens an R document" in screen_text(app)
        assert cursor_line(graph).startswith("▾ cluster 196 nodes · 13,888 cores")
        await pilot.press("down", "down", "right", "down", "right", "down")
        assert cursor_line(graph) == "▸ core0-55 56 cores"
        assert frame(app) == "/cluster0/dune001/core0"
        assert app.state.cursor == 4
        # Another document takes its place.
        await pilot.afresh(on=open_graph(racks()))
        graph = await into_graph(app, pilot, "*")
        assert "no resource graph" not in screen_text(app)
        app.documents.open_source("demo")
        await pilot.done()
        assert "no resource graph" in screen_text(app)
        assert "dune" in "\n".join(lines(graph))
        await pilot.press("ctrl+z")
        await pilot.done()
        # Names are shown as they are.
        document = racks()
        vertices = document["graph"]["nodes"]
        vertices[0]["metadata"]["name"] = "[b]x[/b]\x1b[31m"
        vertices[0]["metadata"]["paths"] = {"containment": "/[b]x[/b]\x1b[31m"}
        vertices[0]["metadata"]["[i]key"] = "\x07[u]"
        await pilot.afresh(on=open_graph(document))
        graph = await into_graph(app, pilot)
        assert "[b]x[/b]" in line_of(graph, "cluster")
        assert "[b]x[/b]" in frame(app)
        text = screen_text(app)
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


async def test_shares_and_properties_of_both_parts() -> None:
    async with workbench_at(on=open_graph(with_execution())) as (app, pilot):
        # Properties of both parts are those of a node.
        graph = await into_graph(
            app, pilot, "down", "right", "down", "down", "down", "down", "down"
        )
        assert "n3 node rank 3 fast batch" in cursor_line(graph)
        # The share of each container.
        await pilot.afresh(on=open_graph(with_execution()), size=(200, 50))
        graph = await into_graph(app, pilot)
        await pilot.put("batch")
        assert line_of(graph, "rack2").endswith("none of 4")
        graph.view.focus()
        await pilot.press("*")
        await pilot.done()
        assert line_of(graph, "tiny0").endswith("■ 4 of 12")
        assert line_of(graph, "rack0").endswith("■ 2 of 4")
        assert line_of(graph, "n4 ").startswith("▾ ■ n4 node")
        assert line_of(graph, "n1 ").startswith("▾ · n1 node")
        await pilot.put("")
        assert "of 12" not in line_of(graph, "tiny0")


async def test_more_than_the_limit_is_not_opened_and_said() -> None:
    many = cluster(30_000)
    async with workbench_at(on=many, notifications=True) as (app, pilot):
        graph = await into_graph(app, pilot, "home", "*")
        rows = graph.view.rows
        assert rows is not None
        assert 20_000 < len(rows) < 60_000
        assert "what is further below stays closed" in messages(app)[-1]


# The graph and the other views: one cursor, one selection, the same lights; the mouse


class TestCursor:
    async def test_on_a_node_and_within_it_all_views_have_it(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            await into_graph(app, pilot, "down", "right", "down", "down", "down", "down")
            assert app.state.cursor == 2
            assert app.views.map.view.cursor == 2
            await pilot.press("right", "right", "down")
            assert app.state.cursor == 2
            assert "n2" in screen_text(app)

    async def test_on_a_rack_it_stays_where_it_was(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            graph = await into_graph(app, pilot, "down", "right", "down", "down", "down")
            assert app.state.cursor == 1
            await pilot.press("left", "left")
            assert "tiny0" not in cursor_line(graph)
            assert app.state.cursor == 1

    async def test_the_node_of_the_map_is_shown_in_the_tree(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            graph = await into_graph(app, pilot)
            await pilot.press("f2")
            await pilot.press("end", "left")
            assert app.state.cursor == RACKS * NODES - 2
            await pilot.press("f2", "f2")
            await pilot.done()
            assert cursor_line(graph).startswith("▸ n10 node")

    async def test_moved_before_the_graph_was_ever_seen(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            await pilot.press("escape", "right", "right", "right")
            await pilot.press("f2", "f2")
            await pilot.done()
            graph = app.views.graph.graph
            assert graph is not None
            assert cursor_line(graph).startswith("▸ n3 node")

    async def test_the_next_match_is_opened(self) -> None:
        async with workbench_at(on=open_graph(with_execution())) as (app, pilot):
            graph = await into_graph(app, pilot)
            await pilot.put("batch")
            graph.view.focus()
            await pilot.press("n", "n", "n")
            assert app.state.cursor == 4
            assert cursor_line(graph).startswith("▸ ■ n4 node")
            await pilot.press("p")
            assert cursor_line(graph).startswith("▸ ■ n3 node")


class TestSelection:
    async def test_all_nodes_below_a_vertex(self) -> None:
        async with workbench_at((200, 50), on=open_graph(racks())) as (app, pilot):
            graph = await into_graph(app, pilot, "down", "space")
            assert app.state.selected == 0b1111
            assert line_of(graph, "rack0").endswith("◆ all 4")
            assert line_of(graph, "tiny0").endswith("◆ 4 of 12")
            await pilot.press("right", "down", "down", "space")
            assert app.state.selected == 0b1110
            assert line_of(graph, "rack0").endswith("◆ 3 of 4")
            await pilot.press("left", "space")
            assert app.state.selected == 0b1111
            await pilot.press("space")
            assert app.state.selected == 0

    async def test_within_a_node_it_is_that_node(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            await into_graph(app, pilot, "down", "right", "down", "down", "down", "right", "right")
            await pilot.press("space")
            assert app.state.selected == 0b10

    async def test_rows_that_are_passed(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            await into_graph(app, pilot, "down", "right", "down", "down", "down")
            assert app.state.cursor == 1
            await pilot.press("shift+down", "shift+down")
            assert app.state.selected == 0b1110
            await pilot.press("shift+up")
            assert app.state.selected == 0b0110
            # Down over the unit to the next rack, which is closed and stands for all its nodes.
            await pilot.press("shift+down", "shift+down", "shift+down")
            assert app.state.selected == 0b11111110

    async def test_an_open_vertex_stands_for_the_rows_that_are_seen(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            await into_graph(app, pilot, "down", "right")
            await pilot.press("shift+down", "shift+down", "shift+down")
            assert app.state.selected == 0b11

    async def test_x_names_what_is_selected(self) -> None:
        async with workbench_at(on=open_graph(with_execution())) as (app, pilot):
            await into_graph(app, pilot, "down", "space", "x")
            await pilot.done()
            assert app.state.ask.mask == 0b1111
            assert app.state.ask.text

    async def test_escape_selects_nothing(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            graph = await into_graph(app, pilot, "space")
            assert app.state.selected == (1 << RACKS * NODES) - 1
            await pilot.press("escape")
            assert app.state.selected == 0
            assert graph.view.has_focus


class TestMouse:
    async def test_a_click_goes_there_and_its_sign_opens(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            graph = await into_graph(app, pilot)
            await pilot.click("#node-graph", offset=(8, 3))
            assert cursor_line(graph).startswith("▸ rack1")
            await pilot.click("#node-graph", offset=(3, 3))
            assert cursor_line(graph).startswith("▾ rack1")
            await pilot.click("#node-graph", offset=(9, 6))
            await pilot.settle()
            assert app.state.cursor == NODES + 1
            await pilot.click("#node-graph", offset=(3, 3))
            assert cursor_line(graph).startswith("▸ rack1")

    async def test_twice_opens_and_ctrl_selects(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            graph = await into_graph(app, pilot)
            await pilot.click("#node-graph", offset=(8, 1), times=2)
            await pilot.settle()
            assert cursor_line(graph).startswith("▾ rack0")
            await pilot.click("#node-graph", offset=(8, 1), control=True)
            await pilot.settle()
            assert app.state.selected == 0b1111

    async def test_hover_shows_the_node(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            await into_graph(app, pilot, "down", "right")
            await pilot.hover("#node-graph", offset=(8, 5))
            await pilot.settle()
            assert "n2" in screen_text(app).split("Node")[1]
            assert app.state.cursor == 0

    async def test_the_titles_are_buttons(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            app.action_cluster_view("graph")
            await pilot.done()
            assert app.views.view_name == "graph"
            assert app.views.view.has_focus
            app.action_cluster_view("map")
            await pilot.settle()
            assert app.views.view_name == "map"


SCHEDULING_ONLY = {"version": 1, "scheduling": racks()}


@pytest.mark.parametrize("document", [racks(), SCHEDULING_ONLY, with_execution()])
async def test_a_document_with_a_graph_works_in_every_pane(
    document: dict[str, Any], here: Path
) -> None:
    path = write_document(here / "cluster.json", document)
    async with workbench_at(NORMAL, source=path, shape="node=2/slot/core=8") as (app, pilot):
        await pilot.done()
        state = app.state
        count = RACKS * NODES
        assert state.cluster.resources.node_count == count
        assert f"{count} nodes · 96 cores" in screen_text(app).splitlines()[0]
        assert state.outlook.placement is not None
        await pilot.press("escape", "right")
        assert "n1" in plain(app, "#node-details")
        await pilot.press("f2")
        assert shown(app.views.table.table)
        await pilot.put("rank:3-5")
        assert app.state.ask.mask
        app.views.view.focus()
        await pilot.press("f2")
        await pilot.done()
        graph = app.views.graph.graph
        assert graph is not None
        assert "of 12" in line_of(graph, "tiny0")
        assert lines(graph)


async def test_nodes_without_ranks_are_numbered_in_order() -> None:
    nodes = [vertex("0", "cluster", "c0", "/c0"), vertex("1", "node", "a", "/c0/a")]
    nodes.append(vertex("2", "node", "b", "/c0/b"))
    document = {"graph": {"nodes": nodes, "edges": [edge("0", "1"), edge("0", "2")]}}
    async with workbench_at(on=open_graph(document)) as (app, pilot):
        await into_graph(app, pilot, "down", "down")
        assert app.state.cursor == 1


async def test_a_document_that_is_closed_meanwhile_is_counted_no_more() -> None:
    cluster = open_graph(racks())
    assert cluster.graph is not None
    tree = GraphContainment(cluster.graph, cluster.resources)
    asked = []

    def stop() -> bool:
        asked.append(1)
        return True

    assert tree.work_out(stop) is None
    assert asked
