"""Admission against many queues, and room: on a plain R of 100,000 nodes, on a graph as large."""

from typing import Any

from fluxtui.answers.admission import Person, admit_everywhere
from fluxtui.answers.feasibility import sched_simple as simple
from fluxtui.answers.feasibility.fit import fit
from fluxtui.answers.feasibility.fluxion import check as fluxion
from fluxtui.answers.feasibility.fluxion.prepared_graph import PreparedGraph
from fluxtui.model import queues
from fluxtui.model.jobspec import jobspec
from fluxtui.model.jobspec.request import parse
from fluxtui.model.resources import document as resources
from fluxtui.model.resources import graph
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources
from tests.benchmarks.measure import FRAME, bounded, report, side_by_side, timed

GRAPH = 0.2

SHAPES = {
    "that fits": "node=64/slot=4/[core=8;gpu]",
    "that does not": "node=64/slot=4/[core=9;gpu]",
    "of slots": "slot=100000/core=3",
}

#: Requests of a graph: levels left out, ranges, siblings, and one with no room.
GRAPH_SHAPES = (
    "slot=4/node/socket=2/[core=20;gpu]",
    "rack/slot=2/node",
    "node=2-64:2:*/socket=2/slot/core=4",
    "slot=100/core=3",
    "node=100/socket=2/core=64",
)


def plain(nodes: int) -> Resources:
    """So many nodes of two kinds."""
    tenth = nodes // 10
    return resources.read(
        {
            "version": 1,
            "execution": {
                "R_lite": [
                    {"rank": f"0-{nodes - tenth - 1}", "children": {"core": "0-31"}},
                    {
                        "rank": f"{nodes - tenth}-{nodes - 1}",
                        "children": {"core": "0-32", "gpu": "0-3"},
                    },
                ],
                "nodelist": [f"n[0-{nodes - 1}]"],
                "properties": {"a": f"0-{nodes // 2}", "b": f"{tenth}-{nodes - 1}"},
            },
        }
    )


def jgf(racks: int, nodes: int, cores: int) -> dict[str, Any]:
    """A graph of racks of nodes, each with two sockets of cores, one gpu each."""
    vertices: list[dict[str, Any]] = []
    edges: list[dict[str, str]] = []

    def add(kind: str, parent: int, path: str, **more: object) -> tuple[int, str]:
        row = len(vertices)
        here = f"{path}/{kind}{row}"
        metadata = {"type": kind, "id": row, "paths": {"containment": here}, **more}
        vertices.append({"id": str(row), "metadata": metadata})
        if parent >= 0:
            edges.append({"source": str(parent), "target": str(row)})
        return row, here

    top, path = add("cluster", -1, "")
    rank = 0
    for _ in range(racks):
        rack, in_rack = add("rack", top, path)
        for _ in range(nodes):
            node, in_node = add("node", rack, in_rack, rank=rank, name=f"n{rank}")
            rank += 1
            for _ in range(2):
                socket, in_socket = add("socket", node, in_node)
                for _ in range(cores):
                    add("core", socket, in_socket)
                add("gpu", socket, in_socket)
    return {"graph": {"nodes": vertices, "edges": edges}}


def job(text: str) -> dict[str, Any]:
    """The jobspec of a shape, with a constraint."""
    found = to_resources(parse_shape(text))
    return jobspec.build(found, constraints={"properties": ["b"]})


def one_by_one(document: dict[str, Any], cluster: Resources) -> bool:
    """Room for ``node=N/slot=S/[core=C;gpu=G]``, node by node."""
    node = document["resources"][0]
    slot = node["with"][0]
    wanted = {child["type"]: child["count"] * slot["count"] for child in slot["with"]}
    found = 0
    for index in range(cluster.node_count):
        if not cluster.properties["b"] >> index & 1:
            continue
        kind = cluster.node(index)
        found += len(kind.cores) >= wanted["core"] and len(kind.gpus) >= wanted["gpu"]
    return bool(found >= node["count"])


def _admission() -> bool:
    print("\nAdmission: a job against 50 queues")
    table = {
        "policy": {
            "jobspec": {"defaults": {"system": {"queue": "q0", "duration": "1h"}}},
            "limits": {"duration": "1d", "job-size": {"max": {"nnodes": 50}}},
        },
        "queues": {
            f"q{n}": {"requires": ["b"], "policy": {"limits": {"job-size": {"max": {"ncores": n}}}}}
            for n in range(50)
        },
    }
    config = queues.read_config(table)
    assert config.ok
    document = job(SHAPES["that fits"])
    who = Person("someone", ())
    return bounded(
        "every queue, with reasons and what is stored",
        lambda: admit_everywhere(document, config, who),
        FRAME,
    )


def _plain() -> bool:
    cluster = plain(100_000)
    cluster.prepare()
    index = PreparedGraph.of(cluster)
    allowed = cluster.properties["b"]
    kept = True
    print("\nRoom on a plain R of 100,000 nodes: both schedulers, placement, nearest")
    for name, text in SHAPES.items():
        document = job(text)
        kept &= bounded(f"a request {name}", lambda d=document: fit(d, index, allowed), FRAME)
    small = plain(2_000)
    document = job(SHAPES["that fits"])
    medians = side_by_side(
        {
            "node by node, in Python": lambda: timed(lambda: one_by_one(document, small)),
            "fluxtui": lambda: timed(
                lambda: simple.check_strictly(document, small, small.properties["b"])
            ),
        },
        5,
    )
    report("  on 2,000 nodes, beside a look at each", medians, "node by node, in Python", {})
    return kept


def _graph() -> bool:
    document = jgf(32, 50, 30)
    found = graph.read(document["graph"]).value
    cluster = resources.read(document)
    index = PreparedGraph.of(cluster)
    print(f"\nRoom on a graph of {len(found.types):,} vertices")
    kept = True
    for text in GRAPH_SHAPES:
        wanted = to_resources(parse_shape(text))
        kept &= bounded(
            text, lambda w=wanted: fluxion.check_feasibility(parse(w), None, index), GRAPH
        )
    return kept


def run() -> bool:
    """Measure and report; whether the limits are kept."""
    kept = _admission()
    kept &= _plain()
    return _graph() and kept
