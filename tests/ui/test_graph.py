"""The graph of a cluster: its lines, opening and closing, finding a vertex, nodes in it."""

from pathlib import Path
from typing import Any

import pytest

from fluxtui.answers.containment.of_graph import GraphContainment
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.nodes.graph import ClusterGraph
from tests.answers.feasibility.graphs import jgf, vertex
from tests.ui.documents import NODES, RACKS, cluster, opened, racks, racks_in_r, write_document
from tests.ui.helpers import NORMAL, WIDE, Hands, workbench_at
from tests.ui.seen import lacking, messages, plain, screen_text, shown


async def into_graph(app: FluxTUI, pilot: Hands, *keys: str) -> ClusterGraph:
    """Go to the graph, wait until it is counted, and press keys there."""
    app.go_to("graph")
    await pilot.done()
    graph = app.views.graph.part
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


async def test_all_below_is_opened_at_once() -> None:
    """And two that are opened at once are both opened; closing takes the cursor out."""
    async with workbench_at(WIDE, on=opened(racks())) as (app, pilot):
        graph = await into_graph(app, pilot, "*")
        rows = graph.view.rows
        # The cluster, racks and units with an edge each, nodes with core0-7 and memory; of the
        # first node the core that is down stands alone.
        assert len(rows) == 1 + 3 * (1 + 1) + 3 * (1 + 1) + 12 * (1 + 2) + 1
        await pilot.press("-")
        assert len(rows) == 1 + 3 + 3
        await pilot.press("down", "right", "down", "down")
        await pilot.click("#node-graph", offset=(1, 0))
        assert line_of(graph, "›").startswith("›▸ tiny0")
        await pilot.press("right")
        spots = [rows.at(row) for row, line in enumerate(lines(graph)) if "▸ rack" in line][:2]
        for spot in spots:
            graph.view.go_to_vertex(spot.item)
            graph.action_open_all()
        await pilot.done()
        assert [spot.is_open for spot in spots] == [True, True]
        # The mouse is over what is there now, though it has hardly moved.
        await pilot.press("*")
        row = next(row for row in range(len(rows)) if graph.view.node_of(row) == 1)
        await pilot.hover("#node-graph", offset=(10, row))
        assert app.seen() == 1
        graph.view.put_open(rows.at(1), None)
        await pilot.hover("#node-graph", offset=(11, row))
        assert app.seen() == graph.view.node_of(row) != 1
        # More than the limit is not opened, and said.
        await pilot.afresh(on=cluster(30_000))
        graph = await into_graph(app, pilot, "home", "*")
        assert 20_000 < len(graph.view.rows) < 60_000
        assert "anything deeper stays closed" in messages(app)[-1]
        # The theme changes and what is open stays.
        await pilot.afresh(on=opened(racks_in_r()))
        graph = await into_graph(app, pilot, "*", "down")
        before = lines(graph)
        app.theme = "textual-light"
        await pilot.settle()
        assert lines(graph) == before


async def test_graphs_of_other_documents() -> None:
    # Names are shown as they are.
    document = racks()
    top = document["graph"]["nodes"][0]["metadata"]
    top |= {"name": "[b]x[/b]\x1b[31m", "paths": {"containment": "/[b]x[/b]\x1b[31m"}}
    top["[i]key"] = "\x07[u]"
    async with workbench_at(on=opened(document)) as (app, pilot):
        graph = await into_graph(app, pilot)
        assert "[b]x[/b]" in line_of(graph, "cluster")
        text = screen_text(app)
        assert not lacking(text, "/[b]x[/b]", "[i]key=")
        assert not {"\x1b", "\x07"} & set(text)
        # Nodes without ranks are numbered in order.
        unranked = vertex("cluster", vertex("node", name="n7"), vertex("node", name="n3"))
        await pilot.afresh(on=opened(jgf(unranked)))
        await into_graph(app, pilot, "down", "down")
        assert app.state.cursor == 1


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
        assert shown(app.views.table.view)
        await pilot.put("rank:3-5")
        graph = await into_graph(app, pilot)
        assert "of 12" in line_of(graph, "tiny0")


def test_a_document_that_is_closed_meanwhile_is_counted_no_more() -> None:
    on = opened(racks())
    assert on.graph is not None
    assert GraphContainment(on.graph, on.resources).work_out(lambda: True) is None
