"""Room by Fluxion's rules as the README of the conformance cases has them, vertex by vertex.

It looks at every vertex, knows nothing of forms, and wants vertices of one type to have one size.
For counts of jobs it tries all ways to take what a request asks for.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from fluxtui.model.resources.graph import Graph
from fluxtui.notation import count as counts
from tests.each import the

Resource = Mapping[str, Any]
FILTERED = ("node", "storage_node")


class Reference:
    """One graph; barred are the vertices that a constraint keeps out."""

    def __init__(self, graph: Graph, barred: frozenset[int] = frozenset()) -> None:
        self.graph = graph
        self.barred = barred

    def has_room(self, request: Sequence[Resource]) -> bool:
        """Rules 1, 2 and 10: what the top finds, summed over the graph."""
        slots = [wanted for wanted in request if wanted["type"] == "slot"]
        if clash(request) or len(slots) > 1:
            return False
        return all(self.top(0, request, wanted) >= least(wanted) for wanted in request)

    def top(self, row: int, request: Sequence[Resource], wanted: Resource) -> int:
        """Units of a type, or slots, at a vertex or below; the first match hides what is below."""
        kind = self.graph.types[row]
        if row in self.barred:
            return 0
        for other in request:
            if other["type"] == "slot" and self.anchors(row, other):
                return self.slots(row, other) if other is wanted else 0
            if other["type"] == kind:
                found = other is wanted and self.qualifies(row, wanted, False)
                return self.graph.sizes[row] if found else 0
        return sum(self.top(kid, request, wanted) for kid in self.graph.children[row])

    def qualifies(self, row: int, wanted: Resource, held: bool) -> bool:
        """Rules 2, 5, 7, 9 and 10 for a vertex of the wanted type."""
        held = held or wanted.get("exclusive") is True
        if row in self.barred or (held and wanted.get("exclusive") is False):
            return False
        kids = wanted.get("with", [])
        if clash(kids):
            return False
        if kids and kids[-1]["type"] == "slot":
            return self.holds(row, kids)
        return all(self.units(row, kid, held) >= least(kid) for kid in kids)

    def units(self, row: int, wanted: Resource, held: bool) -> int:
        return sum(
            self.graph.sizes[kid]
            for kid in self.graph.children[row]
            if self.graph.types[kid] == wanted["type"] and self.qualifies(kid, wanted, held)
        )

    def holds(self, row: int, slots: Sequence[Resource]) -> bool:
        """Rules 5 and 10: at the vertex or one level lower; of several slots the last counts."""
        slot = slots[-1]
        if self.anchors(row, slot):
            formed = self.slots(row, slot)
        elif len(slots) > 1:
            formed = 0
        else:
            formed = sum(
                self.slots(kid, slot)
                for kid in self.graph.children[row]
                if self.anchors(kid, slot) and kid not in self.barred
            )
        return all(formed >= least(each) for each in slots)

    def anchors(self, row: int, slot: Resource) -> bool:
        """Rule 4: the direct children include all types of the slot."""
        types = {self.graph.types[kid] for kid in self.graph.children[row]}
        return all(kid["type"] in types for kid in slot.get("with", []))

    def slots(self, row: int, slot: Resource) -> int:
        """Rules 4 and 6: bundles of whole vertices, each of the largest legal count."""
        kids = slot.get("with", [])
        if not kids or clash(kids) or any(kid["type"] == "slot" for kid in kids):
            return 0
        found = []
        for kid in kids:
            sizes = [
                self.graph.sizes[child]
                for child in self.graph.children[row]
                if self.graph.types[child] == kid["type"] and self.qualifies(child, kid, True)
            ]
            read = counts.from_json(kid["count"]).value
            share = counts.greatest(read, sum(sizes)) if read is not None else None
            found.append(bundles(sizes, share) if share else 0)
        return min(found)


def clash(wanted: Sequence[Resource]) -> bool:
    """Rule 10: a slot beside another type, and siblings of one type."""
    types = [each["type"] for each in wanted]
    if "slot" in types:
        return set(types) != {"slot"}
    return len(set(types)) < len(types)


def taken(siblings: Sequence[Resource]) -> list[Resource]:
    """What is not left to all jobs: what has a slot or something exclusive, or all if none has."""
    return [wanted for wanted in siblings if _is_held(wanted)] or list(siblings)


def _is_held(wanted: Resource) -> bool:
    own = wanted["type"] == "slot" or wanted.get("exclusive") is True
    return own or any(map(_is_held, wanted.get("with", [])))


def least(wanted: Resource) -> int:
    """Rule 3: outside of slots the minimum alone matters."""
    read = the(counts.from_json(wanted["count"]).value)
    return counts.least(read)


def bundles(sizes: Sequence[int], share: int) -> int:
    """How many sets of at least a share vertices of one size make."""
    made = units = 0
    for size in sizes:
        units += size
        if units >= share:
            made, units = made + 1, 0
    return made


def takings(
    graph: Graph, rows: Sequence[int], wanted: Resource, held: bool
) -> Iterator[frozenset[int]]:
    """Every way to take what is wanted of some vertices: the rows that nobody else may have."""
    mine = [row for row in rows if graph.types[row] == wanted["type"]]
    for chosen in combinations(mine, least(wanted)):
        yield from _all_of(graph, chosen, wanted, held)


def _all_of(
    graph: Graph, chosen: Sequence[int], wanted: Resource, held: bool
) -> Iterator[frozenset[int]]:
    if not chosen:
        yield frozenset()
        return
    for one in one_of(graph, chosen[0], wanted, held):
        for others in _all_of(graph, chosen[1:], wanted, held):
            yield one | others


def one_of(graph: Graph, row: int, wanted: Resource, held: bool) -> Iterator[frozenset[int]]:
    """Every way to take one vertex, with what is wanted below it."""
    kids = wanted.get("with", [])
    ways = [frozenset[int]()]
    for kid in kids if held or wanted.get("exclusive") is True else taken(kids):
        each = slot_takings(graph, row, kid) if kid["type"] == "slot" else takings(
            graph, graph.children[row], kid, held
        )  # fmt: skip
        options = list(each)
        ways = [way | more for way in ways for more in options]
    whole = held or wanted.get("exclusive") is True or not kids
    below = {row, *_below(graph, row)} if whole else set()
    for way in ways:
        yield way | below


def _below(graph: Graph, row: int) -> Iterator[int]:
    for kid in graph.children[row]:
        yield kid
        yield from _below(graph, kid)


def slot_takings(graph: Graph, row: int, slot: Resource) -> Iterator[frozenset[int]]:
    """Every way to fill slots at a vertex."""
    ways = [frozenset[int]()]
    for _ in range(least(slot)):
        for kid in slot["with"]:
            options = list(takings(graph, graph.children[row], kid, True))
            ways = [way | more for way in ways for more in options if not way & more]
    yield from set(ways)


def most_at_once(ways: Sequence[frozenset[int]]) -> int:
    """The largest number of ways that share no vertex, by trying them all."""
    distinct = list(set(ways))
    memo: dict[frozenset[int], int] = {}

    def most(used: frozenset[int]) -> int:
        if used not in memo:
            free = [way for way in distinct if not way & used]
            memo[used] = max((1 + most(used | way) for way in free), default=0)
        return memo[used]

    return most(frozenset())
