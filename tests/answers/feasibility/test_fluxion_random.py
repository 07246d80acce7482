"""Fluxion on random graphs: against a reference, and whether placements hold."""

import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest

from fluxtui.answers.feasibility.feasibility import Placement
from fluxtui.answers.feasibility.fluxion.prepared_graph import PreparedGraph
from fluxtui.model.resources import document as resources
from fluxtui.model.resources import graph as graphs
from fluxtui.model.resources.graph import Graph
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation import count as counts
from fluxtui.notation.count import Range
from fluxtui.notation.sets.idset import IdSet
from tests.answers.feasibility import random_graphs
from tests.answers.feasibility.graphs import Vertex, jgf, judged, nodes, some, vertex
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
from tests.model.clusters import document, lite

SEEDS = range(4)


@dataclass
class Place:
    """A random graph in all its forms."""

    graph: Graph
    resources: Resources
    index: PreparedGraph

    @classmethod
    def of(cls, root: Vertex) -> "Place":
        document = jgf(root)
        graph = graphs.read(document["graph"]).value
        found = resources.read(document)
        return cls(graph, found, PreparedGraph.of(found))

    def barred(self, constraint: Mapping[str, Any] | None) -> frozenset[int]:
        """The vertices that a constraint of one property keeps out."""
        if constraint is None:
            return frozenset()
        (name,) = constraint["properties"]
        return frozenset(
            row
            for row, kind in enumerate(self.graph.types)
            if kind in FILTERED
            and (name.lstrip("^") in self.graph.properties(row)) == name.startswith("^")
        )


@pytest.mark.parametrize("seed", SEEDS)
def test_agrees_with_the_rules_vertex_by_vertex(seed: int) -> None:
    rng = Random(seed)
    answers, placed = set(), 0
    for turn in range(24):
        uneven = turn % 2 == 1  # the reference wants vertices of one type to have one size
        place = Place.of(random_graphs.graph(rng, uneven=uneven))
        for _ in range(50):
            wanted, constraint = random_graphs.request(rng), random_graphs.constraint(rng)
            found = judged(wanted, constraint, place.index)
            barred = place.barred(constraint)
            if found.placement is not None:
                Checked(place, found.placement, barred).check(wanted)
                placed += 1
            elif found.feasible:
                assert any(reason.severity == "warning" for reason in found.reasons)
            if found.nearest is not None:
                assert judged(found.nearest.resources, constraint, place.index).feasible
            if uneven or found.words.startswith("Jobspec"):
                continue
            expected = Reference(place.graph, barred).has_room(wanted)
            assert found.feasible is expected, (wanted, constraint, found)
            answers.add(expected)
            if not expected:
                assert found.reasons, (wanted, constraint)
                assert found.words
    assert answers == {True, False}
    assert placed > 200


@dataclass
class Checked:
    """Looks whether a placement gives what was asked for."""

    place: Place
    placement: Placement
    barred: frozenset[int]
    seen: set[int] = field(default_factory=set)

    def check(self, wanted: Sequence[Mapping[str, Any]]) -> None:
        rows = self.placement.rows
        assert len(set(rows)) == len(rows)
        assert self.barred.isdisjoint(self.way(rows))
        for each in taken(wanted):
            if each["type"] == "slot":
                self.slots(each, sorted({self.place.graph.parents[row] for row in rows}))
            else:
                top = [row for row in rows if set(rows).isdisjoint(list(self.way([row]))[1:])]
                mine = [row for row in top if self.place.graph.types[row] == each["type"]]
                self.matches(each, mine, False)
        assert self.seen == set(rows)
        self.shares(wanted)

    def way(self, rows: Sequence[int]) -> Iterator[int]:
        """Vertices and all that is around them."""
        for row in rows:
            up = row
            while up >= 0:
                yield up
                up = self.place.graph.parents[up]

    def below(self, row: int, kind: str) -> list[int]:
        """The children of a type that were taken, in the order in which they were."""
        graph = self.place.graph
        kids = [kid for kid in self.placement.rows if graph.parents[kid] == row]
        return [kid for kid in kids if graph.types[kid] == kind]

    def matches(self, wanted: Mapping[str, Any], rows: Sequence[int], held: bool) -> None:
        """Vertices of one want: enough of them, and enough below each."""
        units = sum(self.place.graph.sizes[row] for row in rows)
        assert units >= least(wanted)
        read = the(counts.from_json(wanted["count"]).value)
        largest = max(self.place.graph.sizes[row] for row in rows)
        assert any(is_legal(read, units - over) for over in range(largest))
        self.seen.update(rows)
        held = held or wanted.get("exclusive") is True
        kids = wanted.get("with", [])
        for row in rows:
            for kid in kids if held else taken(kids):
                if kid["type"] == "slot":
                    self.slots(kid, [row, *self.place.graph.children[row]])
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
                sizes = [self.place.graph.sizes[kid_row] for kid_row in rows]
                each.append(bundles(sizes, least(kid)))
                self.seen.update(rows)
                for inner in rows:
                    for more in kid.get("with", []):
                        self.matches(more, self.below(inner, more["type"]), True)
            made += min(each)
        assert made >= least(slot)

    def shares(self, wanted: Sequence[Mapping[str, Any]]) -> None:
        """Masks are disjoint, and hold the ids of what was taken of each node."""
        found = self.place.resources
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
        graph, found = self.place.graph, self.place.resources
        inner = {up for row in self.placement.rows for up in list(self.way([row]))[1:]}
        last = set(self.placement.rows) - inner
        out: dict[int, int] = {}
        for row, kind in enumerate(graph.types):
            way = list(self.way([row]))
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
        place = Place.of(vertex("cluster", *small(rng)))
        wanted = random_graphs.request(rng, ranges=False, odd=False)
        found = judged(wanted, None, place.index)
        if len(wanted) > 1 or not found.feasible or found.fits is None or len(str(wanted)) > 200:
            continue
        ways = list(every_way(place.graph, wanted[0]))
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


@pytest.mark.parametrize("seed", SEEDS)
def test_largest_is_the_last_that_fits(seed: int) -> None:
    rng = Random(seed)
    tried = 0
    while tried < 30:
        place = Place.of(random_graphs.graph(rng))
        wanted = random_graphs.request(rng, odd=False)
        for path, largest in judged(wanted, None, place.index).largest:
            tried += 1
            read = counts.from_json(vertex_at(wanted, path)["count"]).value
            assert isinstance(read, Range)
            assert is_legal(read, largest)
            assert judged(replaced(wanted, path, largest), None, place.index).feasible
            above = next((n for n in counts.values(read) if n > largest), None)
            if above is not None:
                more = replaced(wanted, path, above)
                assert not judged(more, None, place.index).feasible


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
        entries = (lite(str(3 * n), ids(c), ids(g) if g else None) for n, (c, g) in enumerate(each))
        names = [f"n{3 * n}" for n in range(len(each))]
        some_of_them = "0,6" if len(each) > 2 else "0"
        plain = resources.read(document(*entries, nodelist=names, properties={"a": some_of_them}))
        assert plain.ok
        same = Place.of(
            vertex("cluster", *(
                nodes(1, some(c, "core"), some(g, "gpu"), first=3 * n,
                      properties={"a": ""} if n in (0, 2) else {})
                for n, (c, g) in enumerate(each)
            ))
        )  # fmt: skip
        for _ in range(60):
            wanted = random_graphs.request(rng)
            constraint = rng.choice((None, {"properties": ["a"]}, {"not": [{"ranks": ["0-3"]}]}))
            one = judged(wanted, constraint, PreparedGraph.of(plain))
            two = judged(wanted, constraint, same.index)
            assert one.feasible == two.feasible, wanted
            assert (one.fits, one.largest) == (two.fits, two.largest)
            if one.placement is not None and two.placement is not None:
                assert amounts(one.placement) == amounts(two.placement), wanted
            assert (one.placement is None) == (two.placement is None)


def ids(count: int) -> str:
    return str(IdSet.between(0, count - 1))


def amounts(placement: Placement) -> list[tuple[int, IdSet, IdSet]]:
    """What is taken, node by node."""
    return sorted(
        (
            (index, share.cores, share.gpus)
            for share in placement.shares
            for index in range(share.mask.bit_length())
            if share.mask >> index & 1
        ),
        key=lambda part: part[0],
    )
