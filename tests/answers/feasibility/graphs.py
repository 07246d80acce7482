"""Resource graphs, clusters without one, and jobs for the tests of feasibility."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fluxtui.answers.feasibility.feasibility import Feasibility
from fluxtui.answers.feasibility.fluxion.check import check_feasibility
from fluxtui.answers.feasibility.fluxion.prepared_graph import PreparedGraph
from fluxtui.model.jobspec import jobspec
from fluxtui.model.jobspec.request import parse
from fluxtui.model.resources import document as resources
from fluxtui.model.resources import graph
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets import idset
from tests.model.clusters import document as r_document
from tests.model.clusters import lite
from tests.model.jobspecs import resources_of
from tests.model.topologies import UNEVEN, domains, tree, xeon

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


# Clusters without a graph, and jobs for them


Job = dict[str, Any]


def job(text: str, constraint: Any = None) -> Job:
    """The jobspec of a shape (RFC 46)."""
    return with_resources(resources_of(text), constraint)


def with_resources(resources: Any, constraint: Any = None, **keys: Any) -> Job:
    """A jobspec of these resources, whatever they are."""
    constraints = {} if constraint is None else {"constraints": constraint}
    built = jobspec.build([], duration=60.0)
    built["attributes"]["system"] |= constraints
    return {**built, "resources": resources, **keys}


def cluster(
    entries: list[tuple[str, str, str]], properties: dict[str, str] | None = None
) -> Resources:
    """Resources of (ranks, cores, gpus); hosts are n0, n1 and so on by place."""
    made = (lite(ranks, cores, gpus or None) for ranks, cores, gpus in entries)
    count = sum(idset.parse(ranks).value.count for ranks, _, _ in entries)
    hosts = f"n[0-{count - 1}]" if count > 1 else "n0"
    read = resources.read(r_document(*made, nodelist=[hosts], properties=properties or {}))
    assert read.ok, read.problems
    return read


#: Three nodes with cores alone, one large one with two gpus, two small ones with four.
UNLIKE = cluster(
    [("0-2", "0-7", ""), ("3", "0-15", "0-1"), ("4-5", "0-3", "0-3")],
    {"plain": "0-2", "large": "3", "one": "0", "gpu": "3-5"},
)

#: The clusters of recorded answers, by name.
CLUSTERS = {
    "mixed": UNLIKE,
    "even": cluster([("0-3", "0-7", "")]),
    "single": cluster([("0", "0-3", "0")]),
    "bare": cluster([("0", "0-3", "")]),
    "seven": cluster([("0-6", "0-7", "")], {"one": "0", "large": "1"}),
    "four": cluster([("0-3", "0-7", "0-1")], {"a": "0-1", "b": "1-2"}),
    "gaps": cluster(
        [("0,7", "4-7", ""), ("2", "3,7,9-12", "5"), ("3,5", "0,2,4,6", "1,3"), ("9", "0-5", "")]
    ),
    "none": Resources(),
    "xeon": resources.read(xeon(properties={"a": "0-1"})),
    "inside": resources.read(
        tree(
            ("0-1", UNEVEN, "0-19", "0"),
            ("2", {"cores": "0-19", "gpus": "0"}, "0-19", "0"),
            ("3", {"socket": domains(2, 8, gpus=2)}, "0-15", "0-3"),
            properties={"large": "3"},
        )
    ),
    "deep": resources.read(
        tree(
            ("0", {"socket": [{"numa": domains(2, 8)}, {"numa": domains(2, 8, 2)}]}, "0-31", "0-3"),
            ("1", {"socket": [{"cores": "0-7"}, {"cores": "8-15", "gpus": "0-1"}]}, "0-15", "0-1"),
        )
    ),
    "depths": resources.read(
        tree(
            ("0-1", {"socket": domains(2, 12)}, "0-23", "0-1"),
            (
                "2-3",
                {"socket": [{"numa": domains(4, 4)}, {"numa": domains(4, 4, 4)}]},
                "0-31",
                "0-7",
            ),
        )
    ),
    # An allocated R: the topology is that of whole nodes, of two nodes a part was allocated.
    "part": resources.read(
        tree(("0-1", UNEVEN, "0-3", ""), ("2-3", UNEVEN, "0-19", "0"), properties={"full": "2-3"})
    ),
}

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
    "down": prepared(
        vertex("cluster", vertex("ssd", size=10, status=1), vertex("ssd", id=1, size=10))
    ),
    "plain": PreparedGraph.of(cluster([("0-3", "0-7", "")])),
    "bare": PreparedGraph.of(cluster([("0-3", "0-7", "0-1")])),
}
