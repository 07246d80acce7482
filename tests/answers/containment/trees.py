"""Containment trees for the tests, and the plainest way to answer what is asked of one."""

import random
from collections.abc import Iterator
from typing import Any

from fluxtui.answers.containment.of_graph import GraphContainment
from fluxtui.answers.containment.of_list import ListedContainment
from fluxtui.answers.containment.tree import Containment
from fluxtui.answers.listing.rows import host_runs
from fluxtui.model.resources import document as resources
from fluxtui.model.resources import graph
from tests.model.clusters import document, lite

KINDS = ("rack", "node", "socket", "core", "gpu", "memory", "node")


#: What nodes may have inside; of some of it they have nothing.
INSIDES: list[dict[str, Any]] = [
    {"cores": "0-7", "gpus": "0-3"},
    {"socket": [
        {"gpus": "0", "numa": [{"cores": "0-1"}, {"cores": "2-7", "memory": 8}]}, {"gpus": "1-3"}
    ]},
    {"numa": [{"cores": "4-7"}, {"cores": "0-3", "gpus": "0-3"}]},
]  # fmt: skip


def random_graph(seed: int) -> dict[str, Any]:
    """A graph of some forty vertices in an order of its own, with runs of equal leaves."""
    choose = random.Random(seed)
    parents: list[int] = [-1]
    metadata: list[dict[str, Any]] = [{"type": "cluster", "name": "c0"}]

    def add(parent: int, kind: str, **more: Any) -> int:
        row = len(parents)
        parents.append(parent)
        name = f"{kind}{row if choose.random() < 0.9 else 7}"
        metadata.append({"type": kind, "name": name, **more})
        return row

    for _ in range(choose.randint(0, 25)):
        kind = choose.choice(KINDS)
        more: dict[str, Any] = {"rank": choose.randint(0, 12)} if kind == "node" else {}
        if kind == "memory":
            more = {"size": choose.choice((1, 4, 4, 16)), "unit": choose.choice(("GB", "GB", "TB"))}
        row = add(choose.randrange(len(parents)), kind, **more)
        if choose.random() < 0.3:
            each = choose.choice(({}, {"size": 2, "unit": "GB"}, {"status": 1}))
            for _ in range(choose.randint(2, 7)):
                add(row, choose.choice(("core", "core", "ssd")), **each)
    order = list(range(len(parents)))
    if choose.random() < 0.5:
        order.reverse()  # as Fluxion writes it: what is contained first
    nodes = [{"id": str(row), "metadata": metadata[row]} for row in order]
    edges = [
        {"source": str(parent), "target": str(row), "metadata": {"subsystem": "containment"}}
        for row, parent in enumerate(parents)
        if parent >= 0
    ]
    for _ in range(choose.randint(0, 4)):
        source, target = choose.choices(range(len(parents)), k=2)
        power = {"subsystem": "power", "name": {"power": "supplies_to"}}
        edges.append({"source": str(source), "target": str(target), "metadata": power})
    return {"graph": {"nodes": nodes, "edges": edges}}


def of_graph(document: dict[str, Any]) -> tuple[GraphContainment, graph.Graph]:
    """The tree of a bare graph, with what takes a walk, and the graph."""
    found = graph.read(document["graph"]).value
    tree = GraphContainment(found, resources.read(document))
    tree.take(tree.work_out(lambda: False))
    return tree, found


def random_listed(seed: int) -> tuple[ListedContainment, resources.Resources]:
    """What an R document of some nodes implies: several names, kinds and gaps among the ranks."""
    choose = random.Random(seed)
    count = choose.randint(1, 30)
    ranks = sorted(choose.sample(range(60), count))
    kinds = choose.choices(("0-3", "0-7", "0,2-5", "1"), k=count)
    gpus = choose.choices(("", "0-3", "0"), k=count)
    entries = (
        lite(str(rank), cores, ids or None)
        for rank, cores, ids in zip(ranks, kinds, gpus, strict=True)
    )
    names = [f"{'abc'[min(at // 8, 2)]}{at}" for at in range(count)]
    whole = document(*entries, nodelist=names)
    if choose.random() < 0.5:
        whole["scheduling"] = {"writer": "TreePool", "children": [
            {"ranks": str(rank), "topo": choose.choice(INSIDES)} for rank in ranks
        ]}  # fmt: skip
    found = resources.read(whole)
    tree = ListedContainment(found, host_runs(found))
    tree.take(tree.work_out(lambda: False))
    return tree, found


def walk(tree: Containment, vertex: int | None = None) -> Iterator[int]:
    """All vertices from above, or those at and below one."""
    for root in tree.roots if vertex is None else (vertex,):
        yield root
        for kid in tree.children(root):
            yield from walk(tree, kid)
