"""The graph of a cluster: its lines, opening and closing, finding a vertex, nodes in it."""

from pathlib import Path
from typing import Any

import pytest

from fluxtui import workbench
from fluxtui.answers.containment import GraphContainment, ListedContainment
from fluxtui.model.live import nodes
from fluxtui.model.resources import document as resources
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.nodes.graph import ClusterGraph
from fluxtui.ui.nodes.graph_lines import Lines
from fluxtui.ui.nodes.highlights import NOTHING, Highlight, Lamps, highlights_of
from fluxtui.ui.nodes.open_rows import OpenRows
from fluxtui.workbench import Cluster, Source
from tests.each import the
from tests.model.topologies import XEON, xeon
from tests.model.topologies import tree as tree_of
from tests.ui.documents import cluster, write_document
from tests.ui.helpers import NORMAL, WIDE, Hands, workbench_at
from tests.ui.maps import legend
from tests.ui.seen import lacking, messages, plain, screen_text, shown

RACKS, NODES, CORES = 3, 4, 8  # nodes of a rack, cores of a node
ALL = (1 << RACKS * NODES) - 1


def graph_of(*paths: str, **more: dict[str, Any]) -> dict[str, Any]:
    """A graph as Fluxion writes it: a vertex is its path, and is of the type that it is named by.

    more is the metadata of vertices beside that, by their names.
    """
    vertices, edges = [], []
    for path in paths:
        above, _, name = path.rpartition("/")
        kind = {"tiny": "cluster", "n": "node"}.get(
            name.rstrip("0123456789"), name.rstrip("0123456789")
        )
        own = more.get(name, {})
        data = {"type": kind, "name": name, "paths": {"containment": path}, **own}
        vertices.append({"id": path, "metadata": data})
        if above:
            edges.append(
                {"source": above, "target": path, "metadata": {"subsystem": "containment"}}
            )
    return {"graph": {"nodes": vertices, "edges": edges}}


def racks() -> dict[str, Any]:
    """Racks of nodes with cores and memory, and a power unit for each rack.

    Every other node has the property fast; one core is down.
    """
    paths, own = ["/tiny0"], {"tiny0": {"exclusive": False}, "memory0": {"size": 256, "unit": "GB"}}
    for rack in range(RACKS):
        paths += [f"/tiny0/rack{rack}", f"/tiny0/pdu{rack}"]
        own[f"pdu{rack}"] = {"size": 40, "unit": "kW"}
        for rank in range(rack * NODES, (rack + 1) * NODES):
            here = f"/tiny0/rack{rack}/n{rank}"
            paths += [here, *(f"{here}/core{core}" for core in range(CORES)), f"{here}/memory0"]
            own[f"n{rank}"] = {"rank": rank, **({"properties": {"fast": ""}} if rank % 2 else {})}
    own |= {f"core{core}": {"id": core} for core in range(CORES)}
    document = graph_of(*paths, **own)
    for rack in range(RACKS):
        power = {"source": f"/tiny0/pdu{rack}", "target": f"/tiny0/rack{rack}"}
        document["graph"]["edges"].append({**power, "metadata": {"subsystem": "power"}})
    down = next(v for v in document["graph"]["nodes"] if v["id"] == "/tiny0/rack0/n0/core7")
    down["metadata"] = {**down["metadata"], "status": 1}
    return document


def with_execution() -> dict[str, Any]:
    """An R document with the same graph in its scheduling part, and properties of its own."""
    count = RACKS * NODES
    return {
        "version": 1,
        "execution": {
            "R_lite": [{"rank": f"0-{count - 1}", "children": {"core": f"0-{CORES - 1}"}}],
            "nodelist": [f"n[0-{count - 1}]"],
            "properties": {"batch": "2-5"},
        },
        "scheduling": {"writer": "fluxion:test", **racks()},
    }


def opened(document: dict[str, Any]) -> Cluster:
    return Cluster.of(Source("graph.json"), resources.read(document))


def drawn(width: int, lights: tuple[Highlight, ...] = ()) -> list[str]:
    """All lines of the racks, opened, in so many columns."""
    on = opened(with_execution())
    assert on.graph is not None
    tree = GraphContainment(on.graph, on.resources)
    tree.take(tree.work_out(lambda: False))
    rows = OpenRows(tree)
    branch, _ = rows.grown(rows.at(0), 1_000)
    rows.at(0).put(branch)
    maker = Lines(tree, Lamps(NOTHING._replace(lights=lights)), Palette.of({}))
    return [maker.line(rows.at(row), width, here=not row).text for row in range(len(rows))]


def test_lines_say_what_is_below_and_how_many_nodes_are_lit() -> None:
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
    lit = [" ".join(line.split()) for line in drawn(120, (Highlight(0b111100, "■", "match"),))]
    assert "■ 4 of 12 3 racks · 12 nodes" in lit[0]
    for begin in ("▾ rack0 ■ 2 of 4 4 nodes", "▾ rack2 none of 4 4 nodes", "▾ ■ n4 "):
        assert any(line.startswith(begin) for line in lit)
    for width in (0, 1, 20, 40, 200):
        assert {len(line) for line in drawn(width, (Highlight(1, "■", "match"),))} == {width}


def inside_lines(document: Any, *paths: str, shape: str = "", used: Any = None) -> list[str]:
    """The lines of a document whose nodes have topologies, opened down to some vertices.

    used is the R of what is in use, where an instance runs there.
    """
    on = Cluster.of(Source("R"), resources.read(document))
    state = workbench.start(on, shape)
    tree = ListedContainment(on.resources, on.stretches)
    tree.take(tree.work_out(lambda: False))
    rows, lamps, style = OpenRows(tree), Lamps(highlights_of(state)), Palette.of({})
    maker = Lines(tree, lamps, style)
    if used is not None:
        states, _ = nodes.read({"allocated": {"R": used}}, None, on.resources)
        kind = on.resources.kind_at
        maker = Lines(tree, lamps, style, states, lambda index: states.in_use(index, kind(index)))
    rows.open(rows.at(0))
    for path in paths:
        rows.reveal(the(tree.find(path, 0, 1, lambda: False)))
    found = (maker.line(rows.at(row), 140, here=False).text for row in range(len(rows)))
    return [" ".join(line.split()) for line in found]


def test_what_a_placement_takes_is_lit_inside_a_node() -> None:
    """Of an R document whose nodes have topologies (RFC 49), down to single cores."""
    paths = ("n0/socket0/numa1/core22", "n0/socket1/numa")
    lines = inside_lines(xeon(), *paths, shape="node/slot=2/[core=8;gpu]")
    for line in (
        "▸ ■ n1 node rank 1 2 sockets · 8 numa domains · 120 cores · 8 gpus",
        "▾ ▣ n0 node rank 0 ▣ 16 cores, 2 gpus 2 sockets · 8 numa domains · 120 cores · 8 gpus",
        "▸ numa0 ▣ 8 cores, 1 gpu 15 cores · 1 gpu",
        "▾ core15-29 15 cores ▣ 15-22",
        "core22 ▣",
        "core23",
        "gpu1 ▣",
        "▸ numa4 15 cores · 1 gpu",
    ):
        assert line in lines


def test_what_is_in_use_is_told_inside_a_node() -> None:
    """Of a running Flux, by what the scheduler says is in use, down to single cores."""
    used = tree_of(
        *(("0", XEON, "0-11,60-74", "0"), ("1", XEON, "0-119", "0-7"), ("2", XEON, "0-119", ""))
    )
    lines = inside_lines(xeon(), "n0/socket0/numa0/core11", "n1/socket1/numa4", used=used)
    for line in (
        "▾ n0 node rank 0 partly ◧ 27 of 120 cores in use "
        "2 sockets · 8 numa domains · 120 cores · 8 gpus",
        "▾ socket0 ◧ 12 of 60 cores in use 4 numa domains · 60 cores · 4 gpus",
        "▾ numa0 ◧ 12 of 15 cores, 1 gpu in use 15 cores · 1 gpu",
        "▾ core0-14 15 cores ◧ 0-11 in use",
        "core11 □ in use",
        "core12",
        "gpu0 □ in use",
        "▸ numa1 15 cores · 1 gpu",
        "▸ socket1 ◧ 15 of 60 cores in use 4 numa domains · 60 cores · 4 gpus",
        "▾ n1 node rank 1 allocated □ all in use 2 sockets · 8 numa domains · 120 cores · 8 gpus",
        "▸ numa4 □ all in use 15 cores · 1 gpu",
        "▸ n2 node rank 2 allocated ◧ 120 cores in use "
        "2 sockets · 8 numa domains · 120 cores · 8 gpus",
        "▸ n3 node rank 3 free 2 sockets · 8 numa domains · 120 cores · 8 gpus",
    ):
        assert line in lines


def test_how_much_of_a_node_an_allocation_has_is_told() -> None:
    """R of a job has the topology of the whole node (RFC 49, Allocated R)."""
    allocated = tree_of(
        ("0", XEON, "0-7,60-74", "0,4"), ("1", XEON, "0-119", "0-7"), ("2", XEON, "0-119", "0-3,5")
    )
    lines = inside_lines(allocated, "n0/socket0/numa1", "n0/socket1/numa4", "n1/socket0")
    for line in (
        "▾ n0 node rank 0 ◧ 23 of 120 cores in R 2 sockets · 8 numa domains · 23 cores · 2 gpus",
        "▾ socket0 ◧ 8 of 60 cores in R 4 numa domains · 8 cores · 1 gpu",
        "numa1 none in R",
        "▸ numa4 □ all in R 15 cores · 1 gpu",
        "▾ n1 node rank 1 2 sockets · 8 numa domains · 120 cores · 8 gpus",
        "▸ socket0 4 numa domains · 60 cores · 4 gpus",
        "▸ n2 node rank 2 ◧ 5 of 8 gpus in R 2 sockets · 8 numa domains · 120 cores · 5 gpus",
    ):
        assert line in lines


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
        await pilot.afresh(on=opened(with_execution()))
        graph = await into_graph(app, pilot, "*", "down")
        before = lines(graph)
        app.theme = "textual-light"
        await pilot.settle()
        assert lines(graph) == before
        # Nodes without ranks are numbered in order.
        await pilot.afresh(on=opened(graph_of("/tiny0", "/tiny0/n7", "/tiny0/n3")))
        await into_graph(app, pilot, "down", "down")
        assert app.state.cursor == 1
        # More than the limit is not opened, and said.
        await pilot.afresh(on=cluster(30_000))
        graph = await into_graph(app, pilot, "home", "*")
        assert 20_000 < len(graph.view.rows) < 60_000
        assert "anything deeper stays closed" in messages(app)[-1]


async def test_one_cursor_and_one_selection_for_all_views() -> None:
    async with workbench_at(on=opened(with_execution())) as (app, pilot):
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
            ("escape home space", ALL),
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
