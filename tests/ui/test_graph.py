"""The graph of a cluster: what its lines say, opening and closing, looking for a vertex."""

import pytest

from fluxtui.ui.app import FluxTUI
from tests.ui.graphs import (
    cursor_line,
    into_graph,
    line_of,
    lines,
    open_graph,
    racks,
    with_execution,
)
from tests.ui.helpers import (
    SIZES,
    burst,
    cluster,
    done,
    messages,
    press,
    put,
    screen_text,
    settle,
    shown,
    workbench_at,
)


def frame(app: FluxTUI) -> str:
    """The path in the lower edge of the pane."""
    said = app.cluster_pane._border_subtitle
    return said.plain.split("  ")[0] if said is not None else ""


@pytest.mark.parametrize("size", SIZES)
async def test_f2_goes_round_the_views(size: tuple[int, int]) -> None:
    async with workbench_at(size, on=open_graph(racks())) as (app, pilot):
        await press(pilot, "escape")
        seen = []
        for _ in range(4):
            seen.append(app.cluster_pane.view_name)
            assert shown(app.cluster_pane.view)
            assert app.cluster_pane.view.has_focus
            await press(pilot, "f2")
        assert seen == ["map", "table", "graph", "map"]


async def test_a_key_right_after_the_first_f2_is_for_the_tree() -> None:
    async with workbench_at(on=open_graph(racks())) as (app, pilot):
        await press(pilot, "escape", "f2")
        await burst(pilot, "f2", "down", "right")
        graph = app.cluster_pane.graph
        assert graph is not None
        assert cursor_line(graph).startswith("▾ rack0")


async def test_lines_say_what_is_below() -> None:
    async with workbench_at((200, 50), on=open_graph(racks())) as (app, pilot):
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


async def test_the_frame_has_the_path_and_the_details_the_rest() -> None:
    async with workbench_at(on=open_graph(racks())) as (app, pilot):
        graph = await into_graph(app, pilot)
        assert frame(app) == "/tiny0"
        assert "exclusive=no" in screen_text(app)
        await press(pilot, "down", "right", "down", "down", "right", "down", "right", "down")
        assert cursor_line(graph) == "core0"
        assert frame(app) == "/tiny0/rack0/n0/core0"
        assert "id=0" in screen_text(app)


async def test_opening_and_closing() -> None:
    async with workbench_at(on=open_graph(racks())) as (app, pilot):
        graph = await into_graph(app, pilot, "down")
        closed = lines(graph)
        await press(pilot, "enter")
        assert len(lines(graph)) == len(closed) + 5
        await press(pilot, "right")
        assert cursor_line(graph) == "power ← pdu0 pdu"
        await press(pilot, "left", "left")
        assert lines(graph) == closed
        await press(pilot, "left")
        assert "tiny0" in cursor_line(graph)


async def test_all_below_at_once() -> None:
    async with workbench_at((200, 50), on=open_graph(racks())) as (app, pilot):
        graph = await into_graph(app, pilot, "*")
        rows = graph.view.rows
        assert rows is not None
        # The cluster, racks and units with an edge each, nodes with core0-7 and memory; of the
        # first node the core that is down stands alone.
        assert len(rows) == 1 + 3 * (1 + 1) + 3 * (1 + 1) + 12 * (1 + 2) + 1
        await press(pilot, "-")
        assert len(rows) == 1 + 3 + 3


async def test_an_edge_leads_to_its_other_end() -> None:
    async with workbench_at(on=open_graph(racks())) as (app, pilot):
        graph = await into_graph(app, pilot, "down", "right", "down")
        assert cursor_line(graph) == "power ← pdu0 pdu"
        assert "enter goes there" in screen_text(app)
        await press(pilot, "enter")
        assert cursor_line(graph) == "▸ pdu0 40 kW"
        await press(pilot, "right", "right")
        assert cursor_line(graph) == "power → rack0 rack"


async def test_closing_takes_the_cursor_out() -> None:
    async with workbench_at(on=open_graph(racks())) as (app, pilot):
        graph = await into_graph(app, pilot, "down", "right", "down", "down")
        assert cursor_line(graph).startswith("▸ n0")
        await pilot.click("#node-graph", offset=(1, 0))
        assert cursor_line(graph).startswith("▸ tiny0")


class TestFinding:
    async def test_a_slash_looks_and_goes_there_while_one_types(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            graph = await into_graph(app, pilot, "/")
            assert shown(app.query_one("#graph-find-entry"))
            await burst(pilot, *"n10")
            await done(pilot)
            assert cursor_line(graph).startswith("▸ n10 node")
            assert app.state.cursor == 10
            await press(pilot, "escape")
            assert graph.view.has_focus
            assert not app.query_one("#graph-find").display

    async def test_enter_and_arrows_go_on(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            graph = await into_graph(app, pilot, "/")
            await burst(pilot, *"RACK")
            await done(pilot)
            seen = [cursor_line(graph).split()[1]]
            for key in ("enter", "down", "enter", "up"):
                await press(pilot, key)
                await done(pilot)
                seen.append(cursor_line(graph).split()[1])
            assert seen == ["rack0", "rack1", "rack2", "rack0", "rack2"]

    async def test_a_longer_text_is_looked_for_from_where_one_began(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            graph = await into_graph(app, pilot, "/")
            await burst(pilot, *"n1")
            await done(pilot)
            assert app.state.cursor == 1
            await burst(pilot, "1")
            await done(pilot)
            assert app.state.cursor == 11
            await burst(pilot, "backspace")
            await done(pilot)
            assert app.state.cursor == 1
            assert "n1 node" in cursor_line(graph)

    async def test_by_a_path_and_a_leaf_that_is_folded(self) -> None:
        async with workbench_at((200, 50), on=open_graph(racks())) as (app, pilot):
            graph = await into_graph(app, pilot, "/")
            await burst(pilot, *"n5/core3")
            await done(pilot)
            assert cursor_line(graph) == "core3"
            assert app.state.cursor == 5
            assert frame(app) == "/tiny0/rack1/n5/core3"

    async def test_nothing_is_said(self) -> None:
        async with workbench_at(on=open_graph(racks())) as (app, pilot):
            await into_graph(app, pilot, "/")
            await burst(pilot, *"[b]x")
            await done(pilot)
            assert "nothing has [b]x" in screen_text(app)


async def test_without_a_graph_it_says_so_and_shows_what_is_implied() -> None:
    async with workbench_at() as (app, pilot):
        graph = await into_graph(app, pilot)
        assert "This document carries no resource graph" in screen_text(app)
        assert "ctrl+o opens an R document" in screen_text(app)
        assert cursor_line(graph).startswith("▾ cluster 196 nodes · 13,888 cores")
        await press(pilot, "down", "down", "right", "down", "right", "down")
        assert cursor_line(graph) == "▸ core0-55 56 cores"
        assert frame(app) == "/cluster0/dune001/core0"
        assert app.state.cursor == 4


async def test_another_document_takes_its_place() -> None:
    async with workbench_at(on=open_graph(racks())) as (app, pilot):
        graph = await into_graph(app, pilot, "*")
        assert "no resource graph" not in screen_text(app)
        app.action_demo()
        await done(pilot)
        assert "no resource graph" in screen_text(app)
        assert "dune" in "\n".join(lines(graph))
        await press(pilot, "ctrl+z")
        await done(pilot)


async def test_names_are_shown_as_they_are() -> None:
    document = racks()
    vertices = document["graph"]["nodes"]
    vertices[0]["metadata"]["name"] = "[b]x[/b]\x1b[31m"
    vertices[0]["metadata"]["paths"] = {"containment": "/[b]x[/b]\x1b[31m"}
    vertices[0]["metadata"]["[i]key"] = "\x07[u]"
    async with workbench_at(on=open_graph(document)) as (app, pilot):
        graph = await into_graph(app, pilot)
        assert "[b]x[/b]" in line_of(graph, "cluster")
        assert "[b]x[/b]" in frame(app)
        text = screen_text(app)
        assert "[i]key=" in text
        assert "\x1b" not in text
        assert "\x07" not in text


async def test_two_that_are_opened_at_once_are_both_opened() -> None:
    async with workbench_at((200, 50), on=open_graph(racks())) as (app, pilot):
        graph = await into_graph(app, pilot, "right")
        rows = graph.view.rows
        assert rows is not None
        named = ["▸ rack" in line for line in lines(graph)]
        first, second = [rows.at(row) for row in range(len(rows)) if named[row]][:2]
        graph._grow(first)
        graph._grow(second)
        await done(pilot)
        assert first.is_open
        assert second.is_open


async def test_the_theme_changes_and_what_is_open_stays() -> None:
    async with workbench_at(on=open_graph(with_execution())) as (app, pilot):
        graph = await into_graph(app, pilot, "*", "down")
        before = lines(graph)
        app.theme = "textual-light"
        await settle(pilot)
        assert lines(graph) == before


async def test_properties_of_both_parts_are_those_of_a_node() -> None:
    async with workbench_at(on=open_graph(with_execution())) as (app, pilot):
        graph = await into_graph(
            app, pilot, "down", "right", "down", "down", "down", "down", "down"
        )
        assert "n3 node rank 3 fast batch" in cursor_line(graph)


async def test_the_share_of_each_container() -> None:
    async with workbench_at((200, 50), on=open_graph(with_execution())) as (app, pilot):
        graph = await into_graph(app, pilot)
        await put(pilot, "batch")
        assert line_of(graph, "rack2").endswith("none of 4")
        graph.view.focus()
        await press(pilot, "*")
        await done(pilot)
        assert line_of(graph, "tiny0").endswith("■ 4 of 12")
        assert line_of(graph, "rack0").endswith("■ 2 of 4")
        assert line_of(graph, "n4 ").startswith("▾ ■ n4 node")
        assert line_of(graph, "n1 ").startswith("▾ · n1 node")
        await put(pilot, "")
        assert "of 12" not in line_of(graph, "tiny0")


async def test_the_palette_and_the_help_have_the_keys() -> None:
    async with workbench_at(on=open_graph(racks())) as (app, pilot):
        commands = {c.title: c.callback for c in app.get_system_commands(app.screen)}
        assert {"Cluster: Graph", "Graph: Open all below  (*)"} <= set(commands)
        commands["Graph: Find  (/)"]()
        await done(pilot)
        assert app.focused is app.query_one("#graph-find-entry")
        commands["Cluster: Map"]()
        await done(pilot)
        assert app.focused is app.cluster_pane.map
        commands["Graph: Open all below  (*)"]()
        await done(pilot)
        graph = app.cluster_pane.graph
        assert graph is not None
        assert "core0-7" in "\n".join(lines(graph))


async def test_more_than_the_limit_is_not_opened_and_said() -> None:
    many = cluster(30_000)
    async with workbench_at(on=many, notifications=True) as (app, pilot):
        graph = await into_graph(app, pilot, "home", "*")
        rows = graph.view.rows
        assert rows is not None
        assert 20_000 < len(rows) < 60_000
        assert "what is further below stays closed" in messages(app)[-1]
