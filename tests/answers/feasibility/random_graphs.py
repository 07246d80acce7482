"""Random resource graphs, requests and constraints for the tests on room by Fluxion."""

from random import Random
from typing import Any

from tests.answers.feasibility.graphs import Resource, Vertex, some, vertex

#: What the vertices of a type hold, here and in the reference.
SIZES = {"memory": 2, "ssd": 10}

#: The types that may stand below each, in requests that have a chance.
BELOW = {
    "": ("cluster", "rack", "node", "socket", "core", "gpu", "memory", "ssd"),
    "cluster": ("rack", "node", "ssd"),
    "rack": ("node", "ssd"),
    "node": ("socket", "core", "gpu", "memory"),
    "socket": ("core", "gpu", "memory"),
}


def leaves(rng: Random, most: int) -> list[Vertex]:
    """Cores, and perhaps gpus and memory."""
    found = some(rng.randint(1, most), "core")
    found += some(rng.choice((0, 0, 1, 2)), "gpu")
    return found + some(rng.choice((0, 0, 1, 3)), "memory", size=SIZES["memory"])


def graph(rng: Random, most: int = 6, *, uneven: bool = False) -> Vertex:
    """A cluster of racks and nodes; ranks ascend with gaps, some nodes are for storage.

    Where it is uneven, vertices of memory differ in size, and their ids do not ascend.
    """
    ranks = iter(sorted(rng.sample(range(40), 12)))

    def node() -> Vertex:
        rank = next(ranks)
        kids: list[Vertex] = leaves(rng, most) if rng.random() < 0.6 else []
        if not kids or rng.random() < 0.2:
            kids += [vertex("socket", leaves(rng, most), id=n) for n in range(rng.randint(1, 2))]
        properties = {name: "" for name in "ab" if rng.random() < 0.5}
        kind = "node" if rng.random() < 0.9 else "storage_node"
        name = f"n{rank}"
        return vertex(kind, kids, rank=rank, name=name, properties=properties)

    def nodes(least: int) -> list[Vertex]:
        protos = [node() for _ in range(rng.randint(least, 2))]
        return protos + [alike(rng.choice(protos)) for _ in range(rng.randint(0, 1)) if protos]

    def alike(proto: Vertex) -> Vertex:
        rank = next(ranks)
        return Vertex("node", proto.kids, {**proto.meta, "rank": rank, "name": f"n{rank}"})

    racks = [
        vertex("rack", nodes(0), some(rng.randint(0, 2), "ssd", size=SIZES["ssd"]), id=n)
        for n in range(rng.randint(0, 2))
    ]
    found = vertex("cluster", racks, nodes(1), some(rng.choice((0, 0, 1)), "ssd", size=10))
    return mixed(rng, found) if uneven else found


def mixed(rng: Random, root: Vertex) -> Vertex:
    """The same with sizes and ids of its memory mixed up."""
    if root.type == "memory":
        return vertex("memory", size=rng.choice((2, 2, 3, 7)), id=rng.randint(0, 9))
    return Vertex(root.type, [mixed(rng, kid) for kid in root.kids], root.meta)


def count(rng: Random, kind: str, ranges: bool) -> int | dict[str, Any]:
    """A small count, now and then a range."""
    least = rng.choice((1, 1, 1, 2, 2, 3, 4, 6)) * rng.choice((1, SIZES.get(kind, 1)))
    if not ranges or rng.random() < 0.8:
        return least
    operator = rng.choice("++*^")
    if rng.random() < 0.3:
        return {"min": least}
    return {
        "min": max(least, 2 if operator == "^" else 1),
        "max": max(least, 2) + rng.randint(0, 8),
        "operator": operator,
        "operand": rng.choice((2, 3)) if operator != "+" else rng.choice((1, 1, 2, 3)),
    }


def request(rng: Random, *, ranges: bool = True, odd: bool = True) -> list[Resource]:
    """A resources list; odd ones break rules now and then."""
    return Maker(rng, ranges, odd).siblings("", False, 0)


class Maker:
    """Makes one request."""

    def __init__(self, rng: Random, ranges: bool, odd: bool) -> None:
        self.rng = rng
        self.ranges = ranges
        self.odd = odd
        self.slots = 0

    def siblings(self, parent: str, held: bool, depth: int) -> list[Resource]:
        rng = self.rng
        if not held and rng.random() < 0.35:
            found = [self.slot(parent, depth)]
            if self.odd and rng.random() < 0.1:
                found.append(self.resource(parent, True, depth))
            return found
        found = [self.resource(parent, held, depth) for _ in range(rng.choice((1, 1, 1, 2, 2)))]
        if self.odd and rng.random() < 0.1:
            return found
        return list({each["type"]: each for each in found}.values())

    def slot(self, parent: str, depth: int) -> Resource:
        self.slots += 1
        around = parent or self.rng.choice(("rack", "node", "node", "socket"))
        return {
            "type": "slot",
            "count": count(self.rng, "slot", self.ranges),
            "label": f"s{self.slots}",
            "with": self.siblings(around, True, depth + 1),
        }

    def resource(self, parent: str, held: bool, depth: int) -> Resource:
        rng = self.rng
        kinds = BELOW.get(parent, ("core",))
        if self.odd and rng.random() < 0.1:
            kinds = BELOW[""]
        kind = rng.choice(kinds)
        found: Resource = {"type": kind, "count": count(rng, kind, self.ranges)}
        if kind in BELOW and depth < 4 and rng.random() < 0.65:
            found["with"] = self.siblings(kind, held, depth + 1)
        if rng.random() < 0.08:
            found["exclusive"] = self.odd is False or rng.random() < 0.6
        return found


def constraint(rng: Random) -> dict[str, Any] | None:
    """Properties of nodes, or none."""
    if rng.random() < 0.6:
        return None
    return {"properties": [rng.choice(("a", "b", "^a", "^b"))]}
