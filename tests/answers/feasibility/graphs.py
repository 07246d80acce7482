"""Resource graphs and requests for the tests of Fluxion."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fluxtui.answers.feasibility.feasibility import Feasibility
from fluxtui.answers.feasibility.fluxion.check import check_feasibility
from fluxtui.answers.feasibility.fluxion.prepared_graph import PreparedGraph
from fluxtui.model.jobspec.request import parse
from fluxtui.model.resources import document as resources
from fluxtui.model.resources import graph
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources
from tests.answers.feasibility.requests import cluster

Resource = dict[str, Any]


@dataclass
class Vertex:
    """A vertex to be: its type, what stands in its metadata, what is below it."""

    type: str
    kids: list["Vertex"]
    meta: dict[str, Any]


def vertex(kind: str, *kids: "Vertex | list[Vertex]", **meta: Any) -> Vertex:
    """A vertex; children may be given as lists of them."""
    flat: list[Vertex] = []
    for kid in kids:
        flat.extend(kid if isinstance(kid, list) else [kid])
    return Vertex(kind, flat, meta)


def some(count: int, kind: str, **meta: Any) -> list[Vertex]:
    """So many vertices without children, with ids of their own."""
    return [vertex(kind, id=number, **meta) for number in range(count)]


def jgf(root: Vertex) -> dict[str, Any]:
    """The graph in JSON Graph Format, parents before children."""
    nodes: list[dict[str, Any]] = []
    edges: list[dict[str, str]] = []
    waiting: list[tuple[Vertex, str, int]] = [(root, "", -1)]
    while waiting:
        here, path, parent = waiting.pop()
        row = len(nodes)
        name = here.meta.get("name", f"{here.type}{row}")
        meta = {"type": here.type, "name": name, **here.meta}
        meta["paths"] = {"containment": f"{path}/{name}"}
        nodes.append({"id": str(row), "metadata": meta})
        if parent >= 0:
            edges.append({"source": str(parent), "target": str(row)})
        waiting.extend((kid, f"{path}/{name}", row) for kid in reversed(here.kids))
    return {"graph": {"nodes": nodes, "edges": edges}}


def prepared(root: Vertex) -> PreparedGraph:
    """A graph made ready."""
    document = jgf(root)
    read = graph.read(document["graph"])
    assert read.ok, read.problems
    return PreparedGraph.of(resources.read(document))


def judged(
    resources: Sequence[Mapping[str, Any]],
    constraint: Any,
    place: PreparedGraph,
    allowed: int | None = None,
    **more: bool,
) -> Feasibility:
    """What Fluxion says of a resources list."""
    return check_feasibility(parse(list(resources)), constraint, place, allowed, **more)


def request(text: str) -> list[Resource]:
    """The resources list of a shape (RFC 46)."""
    read = parse_shape(text)
    assert read.ok, read.problems
    return to_resources(read)


def sockets(count: int, cores: int = 18, **more: int) -> list[Vertex]:
    """Sockets with cores, and so many others by type; memory comes in vertices of 2 GB."""
    found = []
    for number in range(count):
        others = [
            some(n, kind, **({"size": 2, "unit": "GB"} if kind == "memory" else {}))
            for kind, n in more.items()
        ]
        found.append(vertex("socket", some(cores, "core"), *others, id=number))
    return found


def nodes(count: int, *kids: "Vertex | list[Vertex]", first: int = 0, **meta: Any) -> list[Vertex]:
    """Nodes of consecutive ranks, all with the same below them."""
    return [
        vertex("node", *kids, rank=rank, name=f"n{rank}", **meta)
        for rank in range(first, first + count)
    ]


#: Two nodes of two sockets with 18 cores, a gpu and four vertices of memory each, in one rack.
TINY = vertex("cluster", vertex("rack", nodes(2, sockets(2, 18, gpu=1, memory=4))))

#: Three plain nodes, a large one with gpus and an odd one, and a chassis of storage.
MIXED = vertex(
    "cluster",
    nodes(3, some(8, "core"), properties={"plain": ""}),
    nodes(1, some(16, "core"), some(2, "gpu"), first=3, properties={"large": "", "gpu": ""}),
    nodes(1, some(4, "core"), sockets(1, 6), first=4),
    vertex(
        "chassis",
        some(3, "ssd", size=100, unit="GB"),
        vertex("storage_node", some(2, "core"), name="s0"),
    ),
)

#: A gpu beside few cores and many cores without one; disks of several sizes, on two levels.
ODD = vertex(
    "cluster",
    vertex("rack", nodes(1, some(4, "core"), some(1, "gpu")), nodes(1, some(8, "core"), first=1)),
    vertex("rack", nodes(1, some(6, "memory", size=2, unit="GB"), first=2)),
    vertex("shelf", some(2, "ssd", size=100, unit="GB"), vertex("ssd", id=9, size=30, unit="GB")),
    vertex("ssd", id=7, size=500, unit="GB"),
)


def disks(*sizes: int) -> Vertex:
    """A cluster with a node and disks of these sizes beside it."""
    row = [vertex("ssd", id=number, size=size) for number, size in enumerate(sizes)]
    return vertex("cluster", nodes(1), row)


#: The graphs of recorded answers, by name; ``bare`` and ``plain`` are R without a graph.
GRAPHS = {
    "tiny": prepared(TINY),
    "mixed": prepared(MIXED),
    "odd": prepared(ODD),
    "one": prepared(vertex("cluster", nodes(1, sockets(1, 4)))),
    "pair": prepared(vertex("cluster", nodes(2, sockets(1, 4)))),
    "alone": prepared(vertex("node", some(4, "core"), rank=7, uniq_id=40)),
    "empty": prepared(vertex("cluster", some(2, "ssd", size=0))),
    "disks": prepared(disks(400, 100, 100, 50)),
    "others": prepared(disks(70, 70, 50, 50)),
    "plain": PreparedGraph.of(cluster([("0-3", "0-7", "")])),
    "bare": PreparedGraph.of(cluster([("0-3", "0-7", "0-1")])),
}
