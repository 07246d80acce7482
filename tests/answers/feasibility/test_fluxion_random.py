"""Fluxion on random graphs: against a reference, and whether placements hold."""

import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from random import Random
from typing import Any

import pytest

from fluxtui.answers.feasibility.feasibility import Placement, Share
from fluxtui.answers.feasibility.fluxion.prepared_graph import PreparedGraph
from fluxtui.model.resources.graph import Graph
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation import count as counts
from fluxtui.notation.count import Range
from fluxtui.notation.sets.idset import IdSet, from_mask
from tests.answers.feasibility.graphs import (
    Resource,
    Vertex,
    cluster,
    judged,
    nodes,
    prepared,
    some,
    vertex,
)
from tests.answers.feasibility.reference import (
    FILTERED,
    Reference,
    bundles,
    least,
    most_at_once,
    slot_takings,
    taken,
    takings,
)
from tests.each import the

SEEDS = range(4)


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


def random_graph(rng: Random, most: int = 6, *, uneven: bool = False) -> Vertex:
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


def some_count(rng: Random, kind: str, ranges: bool) -> int | dict[str, Any]:
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


def wanted_by(rng: Random, *, ranges: bool = True, odd: bool = True) -> list[Resource]:
    """A resources list; odd ones break rules now and then."""
    labels = count(1)

    def siblings(parent: str, held: bool, depth: int) -> list[Resource]:
        is_odd = odd and rng.random() < 0.1
        if not held and rng.random() < 0.35:
            return [slot(parent, depth), *([resource(parent, True, depth)] if is_odd else [])]
        found = [resource(parent, held, depth) for _ in range(rng.choice((1, 1, 1, 2, 2)))]
        return found if is_odd else list({each["type"]: each for each in found}.values())

    def slot(parent: str, depth: int) -> Resource:
        around = parent or rng.choice(("rack", "node", "node", "socket"))
        label, inside = f"s{next(labels)}", siblings(around, True, depth + 1)
        return {"type": "slot", "count": some_count(rng, "slot", ranges), "label": label,
                "with": inside}  # fmt: skip

    def resource(parent: str, held: bool, depth: int) -> Resource:
        kinds = BELOW[""] if odd and rng.random() < 0.1 else BELOW.get(parent, ("core",))
        kind = rng.choice(kinds)
        found: Resource = {"type": kind, "count": some_count(rng, kind, ranges)}
        if kind in BELOW and depth < 4 and rng.random() < 0.65:
            found["with"] = siblings(kind, held, depth + 1)
        if rng.random() < 0.08:
            found["exclusive"] = not odd or rng.random() < 0.6
        return found

    return siblings("", False, 0)


def some_constraint(rng: Random) -> dict[str, Any] | None:
    """Properties of nodes, or none."""
    if rng.random() < 0.6:
        return None
    return {"properties": [rng.choice(("a", "b", "^a", "^b"))]}


def barred_by(constraint: Mapping[str, Any] | None, graph: Graph) -> frozenset[int]:
    """The vertices that a constraint of one property keeps out."""
    if constraint is None:
        return frozenset()
    (name,) = constraint["properties"]
    return frozenset(
        row
        for row, kind in enumerate(graph.types)
        if kind in FILTERED and (name.lstrip("^") in graph.properties(row)) == name.startswith("^")
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_agrees_with_the_rules_vertex_by_vertex(seed: int) -> None:
    rng = Random(seed)
    answers, placed, tried = set(), 0, 0
    for turn in range(24):
        uneven = turn % 2 == 1  # the reference wants vertices of one type to have one size
        place = prepared(random_graph(rng, uneven=uneven))
        graph = the(place.graph)
        for _ in range(50):
            wanted, constraint = wanted_by(rng), some_constraint(rng)
            found = judged(wanted, constraint, place)
            barred = barred_by(constraint, graph)
            if found.placement is not None:
                Checked(graph, place.resources, found.placement, barred).check(wanted)
                placed += 1
            elif found.feasible:
                assert any(reason.severity == "warning" for reason in found.reasons)
            for path, largest in found.largest:
                check_largest(wanted, path, largest, constraint, place)
                tried += 1
            if found.nearest is not None:
                assert judged(found.nearest.resources, constraint, place).feasible
            if uneven or found.words.startswith("Jobspec"):
                continue
            expected = Reference(graph, barred).has_room(wanted)
            assert found.feasible is expected, (wanted, constraint, found)
            answers.add(expected)
            if not expected:
                assert found.reasons, (wanted, constraint)
                assert found.words
    assert answers == {True, False}
    assert placed > 200
    assert tried > 30


@dataclass
class Checked:
    """Looks whether a placement gives what was asked for."""

    graph: Graph
    resources: Resources
    placement: Placement
    barred: frozenset[int]
    seen: set[int] = field(default_factory=set)

    def check(self, wanted: Sequence[Mapping[str, Any]]) -> None:
        rows = self.placement.rows
        assert len(set(rows)) == len(rows)
        assert all(self.barred.isdisjoint(self.graph.upward(row)) for row in rows)
        for each in taken(wanted):
            if each["type"] == "slot":
                self.slots(each, sorted({self.graph.parents[row] for row in rows}))
            else:
                top = [
                    row for row in rows if set(rows).isdisjoint(list(self.graph.upward(row))[1:])
                ]
                mine = [row for row in top if self.graph.types[row] == each["type"]]
                self.matches(each, mine, False)
        assert self.seen == set(rows)
        self.shares(wanted)

    def below(self, row: int, kind: str) -> list[int]:
        """The children of a type that were taken, in the order in which they were."""
        kids = [kid for kid in self.placement.rows if self.graph.parents[kid] == row]
        return [kid for kid in kids if self.graph.types[kid] == kind]

    def matches(self, wanted: Mapping[str, Any], rows: Sequence[int], held: bool) -> None:
        """Vertices of one want: enough of them, and enough below each."""
        units = sum(self.graph.sizes[row] for row in rows)
        assert units >= least(wanted)
        read = the(counts.from_json(wanted["count"]).value)
        largest = max(self.graph.sizes[row] for row in rows)
        assert any(is_legal(read, units - over) for over in range(largest))
        self.seen.update(rows)
        held = held or wanted.get("exclusive") is True
        kids = wanted.get("with", [])
        for row in rows:
            for kid in kids if held else taken(kids):
                if kid["type"] == "slot":
                    self.slots(kid, [row, *self.graph.children[row]])
                else:
                    self.matches(kid, self.below(row, kid["type"]), held)

    def slots(self, slot: Mapping[str, Any], anchors: Sequence[int]) -> None:
        """Slots at some vertices: as many bundles of each type as there are slots."""
        made = 0
        for row in anchors:
            here = [self.below(row, kid["type"]) for kid in slot["with"]]
            if not all(here):
                continue
            each = []
            for kid, rows in zip(slot["with"], here, strict=True):
                sizes = [self.graph.sizes[kid_row] for kid_row in rows]
                each.append(bundles(sizes, least(kid)))
                self.seen.update(rows)
                for inner in rows:
                    for more in kid.get("with", []):
                        self.matches(more, self.below(inner, more["type"]), True)
            made += min(each)
        assert made >= least(slot)

    def shares(self, wanted: Sequence[Mapping[str, Any]]) -> None:
        """Masks are disjoint, and hold the ids of what was taken of each node."""
        found = self.resources
        mask = 0
        cores: dict[int, set[int]] = {}
        for share in self.placement.shares:
            assert not mask & share.mask
            mask |= share.mask
            for index in range(found.node_count):
                if share.mask >> index & 1:
                    cores[index] = set(share.cores)
                    assert set(share.cores) <= set(found.node(index).cores)
                    assert set(share.gpus) <= set(found.node(index).gpus)
        assert mask == self.placement.mask
        if "exclusive" not in str(wanted):
            counted = {index: len(each) for index, each in cores.items() if each}
            assert counted == self.cores()

    def cores(self) -> dict[int, int]:
        """How many cores were taken of each node: those at or below what is named last."""
        graph, found = self.graph, self.resources
        inner = {up for row in self.placement.rows for up in list(self.graph.upward(row))[1:]}
        last = set(self.placement.rows) - inner
        out: dict[int, int] = {}
        for row, kind in enumerate(graph.types):
            way = list(graph.upward(row))
            node = next((up for up in way if graph.types[up] == "node"), None)
            if kind == "core" and node is not None and not last.isdisjoint(way):
                index = the(found.ranks.index(graph.ranks[node]))
                out[index] = out.get(index, 0) + 1
        return out


@pytest.mark.parametrize("seed", SEEDS)
def test_counts_jobs_as_trying_all_ways_does(seed: int) -> None:
    rng = Random(seed)
    compared = 0
    while compared < 25:
        place = prepared(vertex("cluster", *small(rng)))
        wanted = wanted_by(rng, ranges=False, odd=False)
        found = judged(wanted, None, place)
        if len(wanted) > 1 or not found.feasible or found.fits is None or len(str(wanted)) > 200:
            continue
        ways = list(every_way(the(place.graph), wanted[0]))
        if len(ways) <= 300:
            assert found.fits == most_at_once(ways), (wanted, found)
            compared += 1


def small(rng: Random) -> Iterator[list[Vertex]]:
    """One to three nodes with a few cores, and gpus."""
    for rank in range(rng.randint(1, 3)):
        gpus = some(rng.choice((0, 1)), "gpu")
        yield nodes(1, some(rng.randint(1, 4), "core"), gpus, first=rank)


def every_way(graph: Graph, wanted: Mapping[str, Any]) -> Iterator[frozenset[int]]:
    """Every way to take what stands at the top of a request; slots may lie at any vertices."""
    rows = range(len(graph.types))
    if wanted["type"] != "slot":
        yield from takings(graph, rows, wanted, False)
        return
    single = {**wanted, "count": 1}
    types = {kid["type"] for kid in wanted["with"]}
    anchors = [r for r in rows if types <= {graph.types[kid] for kid in graph.children[r]}]
    options = [way for row in anchors for way in slot_takings(graph, row, single)]
    ways = {frozenset[int]()}
    for _ in range(wanted["count"]):
        ways = {way | more for way in ways for more in options if not way & more}
    yield from ways


def check_largest(
    wanted: Sequence[Any], path: str, largest: int, constraint: Any, place: PreparedGraph
) -> None:
    """A count fits, and the next one that is legal does not."""
    read = counts.from_json(vertex_at(wanted, path)["count"]).value
    assert isinstance(read, Range)
    assert is_legal(read, largest)
    above = next((n for n in counts.values(read) if n > largest), None)
    for number in filter(None, (largest, above)):
        found = judged(replaced(wanted, path, number), constraint, place)
        assert found.feasible is (number == largest)


def is_legal(count: counts.Count, value: int) -> bool:
    return counts.greatest(count, value) == value


def vertex_at(wanted: Sequence[Any], path: str) -> dict[str, Any]:
    """The resource whose count is at a path such as ``resources[0].with[1].count``."""
    found: Any = {"with": wanted}
    for place in re.findall(r"\[([0-9]+)\]", path):
        found = found["with"][int(place)]
    assert isinstance(found, dict)
    return found


def replaced(wanted: Sequence[Any], path: str, count: int) -> list[Any]:
    """The request with another count at a path."""
    out = copy.deepcopy(list(wanted))
    vertex_at(out, path)["count"] = count
    return out


@pytest.mark.parametrize("seed", SEEDS)
def test_a_plain_r_is_the_graph_that_fluxion_makes_of_it(seed: int) -> None:
    rng = Random(seed)
    for _ in range(6):
        shapes = [(rng.randint(1, 6), rng.randint(0, 2)) for _ in range(rng.randint(1, 2))]
        each = [rng.choice(shapes) for _ in range(rng.randint(1, 5))]
        entries = [(str(3 * n), ids(c), ids(g)) for n, (c, g) in enumerate(each)]
        plain = PreparedGraph.of(cluster(entries, {"a": "0,6" if len(each) > 2 else "0"}))
        same = prepared(
            vertex("cluster", *(
                nodes(1, some(c, "core"), some(g, "gpu"), first=3 * n,
                      properties={"a": ""} if n in (0, 2) else {})
                for n, (c, g) in enumerate(each)
            ))
        )  # fmt: skip
        for _ in range(60):
            wanted = wanted_by(rng)
            constraint = rng.choice((None, {"properties": ["a"]}, {"not": [{"ranks": ["0-3"]}]}))
            one, two = (judged(wanted, constraint, place) for place in (plain, same))
            assert (one.feasible, one.fits, one.largest) == (two.feasible, two.fits, two.largest)
            assert amounts(one.placement) == amounts(two.placement), wanted


def ids(count: int) -> str:
    return str(IdSet.between(0, count - 1))


def amounts(placement: Placement | None) -> dict[int, Share] | None:
    """What is taken of each node."""
    if placement is None:
        return None
    return {at: replace(one, mask=0) for one in placement.shares for at in from_mask(one.mask)}
