"""Documents to open, the clusters that are in them, and jobspecs."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from fluxtui import opening
from fluxtui.model.jobspec import jobspec
from fluxtui.model.queues import Config
from fluxtui.model.resources import document as resources
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources
from fluxtui.workbench import Cluster, Source
from tests.answers.feasibility.graphs import Vertex, jgf, vertex
from tests.model.topologies import xeon


@cache
def demo() -> Cluster:
    """The cluster that ships inside."""
    cluster, problems = opening.open_cluster("demo", None)
    assert cluster is not None, problems
    return cluster


def document(
    nodes: int, properties: Mapping[str, str] | None = None, hosts: str | None = None, **more: Any
) -> dict[str, Any]:
    """An R document of so many nodes of 4 cores."""
    execution: dict[str, Any] = {
        "R_lite": [{"rank": f"0-{nodes - 1}", "children": {"core": "0-3"}}] if nodes else [],
        "nodelist": [hosts or f"n[0-{nodes - 1}]"] if nodes else [],
        **more,
    }
    if properties:
        execution["properties"] = dict(properties)
    return {"version": 1, "execution": execution}


def cluster(nodes: int, properties: Mapping[str, str] | None = None, **more: Any) -> Cluster:
    """A cluster of so many nodes."""
    return Cluster.of(Source("test"), resources.read(document(nodes, properties, **more)))


def xeons(config: Config | None = None) -> Cluster:
    """16 nodes of two sockets with four numas each, of 15 cores and a gpu."""
    return Cluster.of(Source("xeons"), resources.read(xeon()), config)


def opened(document: dict[str, Any]) -> Cluster:
    """The cluster of a document."""
    return Cluster.of(Source("graph.json"), resources.read(document))


RACKS, NODES, CORES = 3, 4, 8  # nodes of a rack, cores of a node


def racks() -> dict[str, Any]:
    """A bare graph: racks of nodes with cores and memory, and a power unit for each rack.

    Every other node has the property fast; one core is down.
    """

    def node(rank: int) -> Vertex:
        cores = [vertex("core", name=f"core{number}", id=number) for number in range(CORES)]
        memory = vertex("memory", name="memory0", size=256, unit="GB")
        fast = {"properties": {"fast": ""}} if rank % 2 else {}
        return vertex("node", cores, memory, name=f"n{rank}", rank=rank, **fast)

    below = []
    for rack in range(RACKS):
        nodes = [node(rank) for rank in range(rack * NODES, (rack + 1) * NODES)]
        below += [
            vertex("rack", nodes, name=f"rack{rack}"),
            vertex("pdu", name=f"pdu{rack}", size=40, unit="kW"),
        ]
    below[0].kids[0].kids[7].meta["status"] = 1
    found = jgf(vertex("cluster", below, name="tiny0", exclusive=False))
    ids = {one["metadata"]["name"]: one["id"] for one in found["graph"]["nodes"]}
    found["graph"]["edges"] += [
        {
            "source": ids[f"pdu{rack}"],
            "target": ids[f"rack{rack}"],
            "metadata": {"subsystem": "power"},
        }
        for rack in range(RACKS)
    ]
    return found


def racks_in_r() -> dict[str, Any]:
    """An R document with the same graph in its scheduling part, and a property of its own."""
    return {
        **document(RACKS * NODES, {"batch": "2-5"}),
        "scheduling": {"writer": "fluxion:test", **racks()},
    }


def write_document(path: Path, content: object) -> str:
    """A file with a document, or with any text; its path."""
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return str(path)


def mask_of(*indices: int) -> int:
    """The mask of some nodes."""
    return sum(1 << index for index in indices)


def job(shape: str, *command: str, **more: Any) -> dict[str, Any]:
    """A jobspec of a shape."""
    found: dict[str, Any] = jobspec.build(
        to_resources(parse_shape(shape)), command or ("app",), **more
    )
    return found
