"""The graph and the other views: one cursor, one selection, the same lights; the mouse."""

from pathlib import Path
from typing import Any

import pytest

from fluxtui.answers.containment.graph import GraphContainment
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
    done,
    plain,
    press,
    put,
    screen_text,
    settle,
    shown,
    workbench_at,
    write_document,
)


class TestCursor:
    async def test_on_a_node_and_within_it_all_views_have_it(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            await into_graph(app, pilot, "down", "right", "down", "down", "down", "down")
            assert app.state.cursor == 2
            assert app.cluster_pane.map.cursor == 2
            await press(pilot, "right", "right", "down")
            assert app.state.cursor == 2
            assert "n2" in screen_text(app)

    async def test_on_a_rack_it_stays_where_it_was(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            graph = await into_graph(app, pilot, "down", "right", "down", "down", "down")
            assert app.state.cursor == 1
            await press(pilot, "left", "left")
            assert "tiny0" not in cursor_line(graph)
            assert app.state.cursor == 1

    async def test_the_node_of_the_map_is_shown_in_the_tree(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            graph = await into_graph(app, pilot)
            await press(pilot, "f2")
            await press(pilot, "end", "left")
            assert app.state.cursor == RACKS * NODES - 2
            await press(pilot, "f2", "f2")
            await done(pilot)
            assert cursor_line(graph).startswith("▸ n10 node")

    async def test_moved_before_the_graph_was_ever_seen(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            await press(pilot, "escape", "right", "right", "right")
            await press(pilot, "f2", "f2")
            await done(pilot)
            graph = app.cluster_pane.graph
            assert graph is not None
            assert cursor_line(graph).startswith("▸ n3 node")

    async def test_the_next_match_is_opened(self) -> None:
        async with workbench_at(on=open_graph(with_execution())) as (app, pilot):
            graph = await into_graph(app, pilot)
            await put(pilot, "batch")
            graph.view.focus()
            await press(pilot, "n", "n", "n")
            assert app.state.cursor == 4
            assert cursor_line(graph).startswith("▸ ■ n4 node")
            await press(pilot, "p")
            assert cursor_line(graph).startswith("▸ ■ n3 node")


class TestSelection:
    async def test_all_nodes_below_a_vertex(self) -> None:
        async with workbench_at((200, 50), on=open_graph(racks())) as (app, pilot):
            graph = await into_graph(app, pilot, "down", "space")
            assert app.state.selected == 0b1111
            assert line_of(graph, "rack0").endswith("◆ all 4")
            assert line_of(graph, "tiny0").endswith("◆ 4 of 12")
            await press(pilot, "right", "down", "down", "space")
            assert app.state.selected == 0b1110
            assert line_of(graph, "rack0").endswith("◆ 3 of 4")
            await press(pilot, "left", "space")
            assert app.state.selected == 0b1111
            await press(pilot, "space")
            assert app.state.selected == 0

    async def test_within_a_node_it_is_that_node(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            await into_graph(app, pilot, "down", "right", "down", "down", "down", "right", "right")
            await press(pilot, "space")
            assert app.state.selected == 0b10

    async def test_rows_that_are_passed(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            await into_graph(app, pilot, "down", "right", "down", "down", "down")
            assert app.state.cursor == 1
            await press(pilot, "shift+down", "shift+down")
            assert app.state.selected == 0b1110
            await press(pilot, "shift+up")
            assert app.state.selected == 0b0110
            # Down over the unit to the next rack, which is closed and stands for all its nodes.
            await press(pilot, "shift+down", "shift+down", "shift+down")
            assert app.state.selected == 0b11111110

    async def test_an_open_vertex_stands_for_the_rows_that_are_seen(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            await into_graph(app, pilot, "down", "right")
            await press(pilot, "shift+down", "shift+down", "shift+down")
            assert app.state.selected == 0b11

    async def test_x_names_what_is_selected(self) -> None:
        async with workbench_at(on=open_graph(with_execution())) as (app, pilot):
            await into_graph(app, pilot, "down", "space", "x")
            await done(pilot)
            assert app.state.ask.mask == 0b1111
            assert app.state.ask.text

    async def test_escape_selects_nothing(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            graph = await into_graph(app, pilot, "space")
            assert app.state.selected == (1 << RACKS * NODES) - 1
            await press(pilot, "escape")
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
            await settle(pilot)
            assert app.state.cursor == NODES + 1
            await pilot.click("#node-graph", offset=(3, 3))
            assert cursor_line(graph).startswith("▸ rack1")

    async def test_twice_opens_and_ctrl_selects(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            graph = await into_graph(app, pilot)
            await pilot.click("#node-graph", offset=(8, 1), times=2)
            await settle(pilot)
            assert cursor_line(graph).startswith("▾ rack0")
            await pilot.click("#node-graph", offset=(8, 1), control=True)
            await settle(pilot)
            assert app.state.selected == 0b1111

    async def test_hover_shows_the_node(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            await into_graph(app, pilot, "down", "right")
            await pilot.hover("#node-graph", offset=(8, 5))
            await settle(pilot)
            assert "n2" in screen_text(app).split("Node")[1]
            assert app.state.cursor == 0

    async def test_the_titles_are_buttons(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            app.action_cluster_view("graph")
            await done(pilot)
            assert app.cluster_pane.view_name == "graph"
            assert app.cluster_pane.view.has_focus
            app.action_cluster_view("map")
            await settle(pilot)
            assert app.cluster_pane.view_name == "map"


SCHEDULING_ONLY = {"version": 1, "scheduling": racks()}


@pytest.mark.parametrize("document", [racks(), SCHEDULING_ONLY, with_execution()])
async def test_a_document_with_a_graph_works_in_every_pane(
    document: dict[str, Any], here: Path
) -> None:
    path = write_document(here / "cluster.json", document)
    async with workbench_at(NORMAL, source=path, shape="node=2/slot/core=8") as (app, pilot):
        await done(pilot)
        state = app.state
        count = RACKS * NODES
        assert state.cluster.resources.node_count == count
        assert f"{count} nodes · 96 cores" in screen_text(app).splitlines()[0]
        assert state.outlook.placement is not None
        await press(pilot, "escape", "right")
        assert "n1" in plain(app, "#node-details")
        await press(pilot, "f2")
        assert shown(app.cluster_pane.table)
        await put(pilot, "rank:3-5")
        assert app.state.ask.mask
        app.cluster_pane.view.focus()
        await press(pilot, "f2")
        await done(pilot)
        graph = app.cluster_pane.graph
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
