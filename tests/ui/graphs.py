"""Documents with a resource graph, and the graph of the workbench in hands, for the tests."""

from typing import Any

from fluxtui.model.resources import document as resources
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.nodes.graph import ClusterGraph
from fluxtui.workbench import Cluster, Source
from tests.ui.helpers import Hands

RACKS, NODES, CORES = 3, 4, 8  # nodes of a rack, cores of a node


def vertex(id_: str, kind: str, name: str, path: str, **more: Any) -> dict[str, Any]:
    """A vertex as Fluxion writes it."""
    return {
        "id": id_,
        "metadata": {"type": kind, "name": name, "paths": {"containment": path}, **more},
    }


def edge(source: str, target: str, subsystem: str = "containment") -> dict[str, Any]:
    """An edge."""
    return {"source": source, "target": target, "metadata": {"subsystem": subsystem}}


def racks() -> dict[str, Any]:
    """A bare graph: racks of nodes with cores and memory, and a power unit for each rack.

    Every other node has the property fast; one core is down.
    """
    nodes, edges = [vertex("c", "cluster", "tiny0", "/tiny0", exclusive=False)], []
    for rack in range(RACKS):
        here = f"/tiny0/rack{rack}"
        nodes.append(vertex(f"r{rack}", "rack", f"rack{rack}", here))
        nodes.append(
            vertex(f"p{rack}", "pdu", f"pdu{rack}", f"/tiny0/pdu{rack}", size=40, unit="kW")
        )
        edges += [
            edge("c", f"r{rack}"),
            edge("c", f"p{rack}"),
            edge(f"p{rack}", f"r{rack}", "power"),
        ]
        for node in range(NODES):
            rank = rack * NODES + node
            own: dict[str, Any] = {"properties": {"fast": ""}} if rank % 2 else {}
            nodes.append(
                vertex(f"n{rank}", "node", f"n{rank}", f"{here}/n{rank}", rank=rank, **own)
            )
            edges.append(edge(f"r{rack}", f"n{rank}"))
            for core in range(CORES):
                down = {"status": 1} if (rank, core) == (0, 7) else {}
                path = f"{here}/n{rank}/core{core}"
                nodes.append(vertex(f"{rank}.{core}", "core", f"core{core}", path, id=core, **down))
                edges.append(edge(f"n{rank}", f"{rank}.{core}"))
            memory = vertex(f"m{rank}", "memory", "memory0", f"{here}/n{rank}/memory0")
            memory["metadata"] |= {"size": 256, "unit": "GB"}
            nodes.append(memory)
            edges.append(edge(f"n{rank}", f"m{rank}"))
    return {"graph": {"nodes": nodes, "edges": edges}}


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


def open_graph(document: dict[str, Any]) -> Cluster:
    """The cluster of a document."""
    return Cluster.of(Source("graph.json"), resources.read(document))


async def into_graph(app: FluxTUI, pilot: Hands, *keys: str) -> ClusterGraph:
    """Go to the graph, wait until it is counted, and press keys there."""
    app.go_to("graph")
    await pilot.done()
    graph = app.views.graph.graph
    assert graph is not None
    assert app.focused is graph.view
    for key in keys:
        await pilot.press(key)
        await pilot.done()
    return graph


def lines(graph: ClusterGraph) -> list[str]:
    """The lines of the tree that are seen, as they are drawn."""
    view = graph.view
    drawn = (view.render_line(y).text.rstrip() for y in range(view.size.height))
    return [line for line in drawn if line]


def line_of(graph: ClusterGraph, piece: str) -> str:
    """The first line with a piece in it, its blanks put together."""
    for line in lines(graph):
        if piece in line:
            return " ".join(line.split())
    raise AssertionError((piece, lines(graph)))


def cursor_line(graph: ClusterGraph) -> str:
    """The line with the cursor, without its sign, its blanks put together."""
    return line_of(graph, "›").removeprefix("›").strip()
