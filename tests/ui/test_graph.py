"""The graph of a cluster: its lines, opening and closing, finding a vertex, nodes in it."""

from pathlib import Path
from typing import Any

import pytest

from fluxtui.answers.containment import GraphContainment
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.nodes.graph import ClusterGraph
from tests.answers.feasibility.graphs import jgf, vertex
from tests.ui.documents import NODES, RACKS, cluster, opened, racks, racks_in_r, write_document
from tests.ui.helpers import NORMAL, WIDE, Hands, workbench_at
from tests.ui.maps import legend
from tests.ui.seen import lacking, messages, plain, screen_text, shown


async def into_graph(app: FluxTUI, pilot: Hands, *keys: str) -> ClusterGraph:
    """Go to the graph, wait until it is counted, and press keys there."""
    app.go_to("graph")
    await pilot.done()
    graph = app.views.graph.graph
    assert app.focused is graph.view
    for key in keys:
        await pilot.do(key)
    return graph


def lines(graph: ClusterGraph) -> list[str]:
    """The lines of the tree that are seen, as they are drawn."""
    view = graph.view
    seen = (view.render_line(y).text.rstrip() for y in range(view.size.height))
    return [line for line in seen if line]


def line_of(graph: ClusterGraph, piece: str) -> str:
    """The first line with a piece in it, its blanks put together."""
    return next(" ".join(line.split()) for line in lines(graph) if piece in line)


def cursor_line(graph: ClusterGraph) -> str:
    """The line with the cursor, without its sign, its blanks put together."""
    return line_of(graph, "›").removeprefix("›").strip()


async def test_the_graph_is_opened_and_closed() -> None:
    async with workbench_at(WIDE, on=opened(racks())) as (app, pilot):
        graph = await into_graph(app, pilot)
        assert (legend(app), "exclusive=no" in screen_text(app)) == ("/tiny0", True)
        await pilot.press("down")
        assert legend(app) == "/tiny0/rack0  → opens"
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
        assert legend(app) == "/tiny0/rack0/n0/core0"
        assert "id=0" in screen_text(app)
        # An edge leads to its other end, and back.
        await pilot.steps(
            lambda: cursor_line(graph),
            ("home down down enter", "▸ pdu0 40 kW"),
            ("right right", "power → rack0 rack"),
        )
        # All below at once: the cluster, racks and units with an edge each, nodes with core0-7 and
        # memory; of the first node the core that is down stands alone.
        await pilot.afresh(on=opened(racks()), size=WIDE)
        graph = await into_graph(app, pilot, "*")
        rows = graph.view.rows
        assert len(rows) == 1 + 3 * (1 + 1) + 3 * (1 + 1) + 12 * (1 + 2) + 1
        await pilot.press("-")
        assert len(rows) == 1 + 3 + 3
        # Closing takes the cursor out.
        await pilot.press("down", "right", "down", "down")
        await pilot.click("#node-graph", offset=(1, 0))
        assert cursor_line(graph).startswith("▸ tiny0")
        # Two that are opened at once are both opened.
        await pilot.press("right")
        spots = [rows.at(row) for row, line in enumerate(lines(graph)) if "▸ rack" in line][:2]
        for spot in spots:
            assert isinstance(spot.item, int)
            graph.view.go_to(spot.item)
            graph.action_open_all()
        await pilot.done()
        assert [spot.is_open for spot in spots] == [True, True]
        # The mouse.
        await pilot.afresh(on=opened(racks()), size=NORMAL)
        graph = await into_graph(app, pilot)
        for offset, times, line in (
            ((8, 3), 1, "▸ rack1"),
            ((3, 3), 1, "▾ rack1"),
            ((9, 6), 1, "▸ n5"),
            ((8, 1), 2, "▾ rack0"),
        ):
            await pilot.click("#node-graph", offset=offset, times=times)
            assert cursor_line(graph).startswith(line)
        assert app.state.cursor == NODES + 1
        await pilot.click("#node-graph", offset=(8, 1), control=True)
        assert app.state.selected == 0b1111
        await pilot.hover("#node-graph", offset=(8, 3))
        assert plain(app, "#node-details").startswith("n0")


async def test_a_slash_finds() -> None:
    async with workbench_at(WIDE, on=opened(racks())) as (app, pilot):
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
            await pilot.do(key)
            seen.append(cursor_line(graph).split()[1])
        assert seen == ["rack0", "rack1", "rack2", "rack0", "rack2"]
        assert "↓ next · ↑ previous" in screen_text(app)
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
    async with workbench_at(notifications=True) as (app, pilot):
        # Without a graph it says so and shows what is implied.
        graph = await into_graph(app, pilot)
        assert "This document has no resource graph" in screen_text(app)
        assert "ctrl+o opens an R document" in " ".join(plain(app, "#graph-details").split())
        assert cursor_line(graph).startswith("▾ cluster 196 nodes · 13,888 cores")
        await pilot.press("down", "down", "right", "down", "right", "down")
        assert cursor_line(graph) == "▸ core0-55 56 cores"
        assert legend(app).startswith("/cluster0/dune001/core0")
        assert app.state.cursor == 4
        # Names are shown as they are.
        document = racks()
        top = document["graph"]["nodes"][0]["metadata"]
        top |= {"name": "[b]x[/b]\x1b[31m", "paths": {"containment": "/[b]x[/b]\x1b[31m"}}
        top["[i]key"] = "\x07[u]"
        await pilot.afresh(on=opened(document))
        graph = await into_graph(app, pilot)
        assert "[b]x[/b]" in line_of(graph, "cluster")
        text = screen_text(app)
        assert not lacking(text, "/[b]x[/b]", "[i]key=")
        assert "no resource graph" not in text
        assert not {"\x1b", "\x07"} & set(text)
        # The theme changes and what is open stays.
        await pilot.afresh(on=opened(racks_in_r()))
        graph = await into_graph(app, pilot, "*", "down")
        before = lines(graph)
        app.theme = "textual-light"
        await pilot.settle()
        assert lines(graph) == before
        # Nodes without ranks are numbered in order.
        unranked = vertex("cluster", vertex("node", name="n7"), vertex("node", name="n3"))
        await pilot.afresh(on=opened(jgf(unranked)))
        await into_graph(app, pilot, "down", "down")
        assert app.state.cursor == 1
        # More than the limit is not opened, and said.
        await pilot.afresh(on=cluster(30_000))
        graph = await into_graph(app, pilot, "home", "*")
        assert 20_000 < len(graph.view.rows) < 60_000
        assert "anything deeper stays closed" in messages(app)[-1]


async def test_one_cursor_and_one_selection_for_all_views() -> None:
    async with workbench_at(on=opened(racks_in_r())) as (app, pilot):
        # The map's node is shown when one first looks.
        await pilot.go("map", "right", "right", "right")
        graph = await into_graph(app, pilot)
        assert cursor_line(graph).startswith("▸ n3 node")
        # On a node and within it all views have it; on a rack it stays.
        await pilot.press("up", "right", "right", "down")
        assert app.state.cursor == 2
        await pilot.go("map")
        assert app.views.map.view.cursor == 2
        await into_graph(app, pilot, "left", "left", "left", "left")
        assert "rack0" in cursor_line(graph)
        assert app.state.cursor == 2
        # The next match is opened, also where the cursor is on its rack.
        for requires, keys, line in (
            ("batch", ["n", "n"], "▸ ■ n4 node"),
            ("batch", ["p"], "▸ ■ n3 node"),
            ("rank:3", ["left", "n"], "▸ ■ n3 node"),
        ):
            await pilot.put(requires)
            await into_graph(app, pilot, *keys)
            assert cursor_line(graph).startswith(line)
        assert app.state.cursor == 3
        # All nodes below a vertex are selected, and none of them again.
        await pilot.afresh(on=opened(racks()), size=WIDE)
        graph = await into_graph(app, pilot, "down", "space")
        assert app.state.selected == 0b1111
        assert "◆ all 4 " in line_of(graph, "rack0")
        assert "◆ 4 of 12 " in line_of(graph, "tiny0")
        await pilot.steps(
            lambda: app.state.selected,
            ("right down down space", 0b1110),
            ("left space space", 0),
            # Within a node it is that node.
            ("down down right right space", 0b1),
            # The rows that are passed; a closed rack counts with all its nodes.
            ("escape left left down shift+down shift+down", 0b1110),
            ("shift+up", 0b0110),
            ("shift+down shift+down shift+down", 0b11111110),
            # An open one counts with the rows that are seen.
            ("escape home down shift+down shift+down shift+down", 0b11),
            ("escape home space", (1 << RACKS * NODES) - 1),
        )
        assert graph.view.has_focus


@pytest.mark.parametrize("document", [racks(), {"version": 1, "scheduling": racks()}])
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
        await pilot.go("table")
        assert shown(app.views.table.table)
        await pilot.put("rank:3-5")
        graph = await into_graph(app, pilot)
        assert "of 12" in line_of(graph, "tiny0")


def test_a_document_that_is_closed_meanwhile_is_counted_no_more() -> None:
    on = opened(racks())
    assert on.graph is not None
    assert GraphContainment(on.graph, on.resources).work_out(lambda: True) is None
