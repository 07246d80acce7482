"""Where each vertex of a resource graph stands once all is open, and what is below it."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from fluxtui.answers.containment.items import COUNTED, Tally
from fluxtui.model.cancellation import Stop
from fluxtui.model.resources.document import Resources
from fluxtui.model.resources.graph import Graph
from fluxtui.model.resources.resource_set import node_indices

TYPES_COUNTED = 32  # of a graph with more types, the others are not counted
LOOK_UP = 4096  # vertices between two looks at whether to stop


class Kind(NamedTuple):
    """The vertices of one type: where they stand, and their sizes added up where these count."""

    type: str
    places: "array[int]"
    sums: list[int] | None
    unit: str


@dataclass(frozen=True, slots=True)
class Places:
    """Where each vertex stands when the whole tree is open, from above.

    order    the rows in that order
    place    the place of each row
    end      the first place after all that is below each row
    kinds    the vertices by type, in the order of their first one
    nodes    the places of the nodes that the cluster has
    indices  their indices
    index    the index of each of these by row
    rows     the row of each of these by index
    """

    order: "array[int]"
    place: "array[int]"
    end: "array[int]"
    kinds: tuple[Kind, ...]
    nodes: "array[int]"
    indices: "array[int]"
    index: Mapping[int, int]
    rows: Mapping[int, int]


def placed(graph: Graph, resources: Resources, stop: Stop) -> Places | None:
    """Where each vertex stands, and what is below it; None once stop says so."""
    order = _order(graph, stop)
    if order is None:
        return None
    place = array("i", bytes(len(graph.parents) * array("i").itemsize))
    for at, row in enumerate(order):
        place[row] = at
    end = _ends(graph, order, place)
    if stop():
        return None
    kinds = _kinds(graph, order)
    index = node_indices(graph, resources)
    rows: dict[int, int] = {}
    for row, number in index.items():
        rows.setdefault(number, row)
    nodes = array("i", sorted(place[row] for row in rows.values()))
    indices = array("i", (index[order[at]] for at in nodes))
    return Places(order, place, end, kinds, nodes, indices, index, rows)


def _order(graph: Graph, stop: Stop) -> "array[int] | None":
    children = graph.children
    order = array("i")
    waiting = list(reversed(graph.roots))
    while waiting:
        row = waiting.pop()
        order.append(row)
        if not len(order) % LOOK_UP and stop():
            return None
        below = children[row]
        if below:
            waiting.extend(reversed(below))
    return order


def _ends(graph: Graph, order: "array[int]", place: "array[int]") -> "array[int]":
    parents = graph.parents
    end = array("i", (at + 1 for at in place))
    for row in reversed(order):
        parent = parents[row]
        if parent >= 0 and end[row] > end[parent]:
            end[parent] = end[row]
    return end


def _kinds(graph: Graph, order: "array[int]") -> tuple[Kind, ...]:
    types, sizes = graph.types, graph.sizes
    found: dict[str, array[int]] = {}
    for at, row in enumerate(order):
        kind = types[row]
        if kind in found:
            found[kind].append(at)
        elif len(found) < TYPES_COUNTED:
            found[kind] = array("i", (at,))
    kinds = []
    for kind, places in found.items():
        own = [sizes[order[place]] for place in places]
        if own.count(1) == len(own):
            kinds.append(Kind(kind, places, None, ""))
            continue
        units = {graph.units[order[place]] for place in places}
        sums = list(accumulate(own, initial=0)) if len(units) == 1 else None
        kinds.append(Kind(kind, places, sums, units.pop() if sums else ""))
    return tuple(kinds)


def tally(kind: Kind, start: int, end: int) -> Tally | None:
    """How many of a kind stand between two places; None for none."""
    low, high = bisect_left(kind.places, start), bisect_right(kind.places, end - 1)
    if low == high:
        return None
    total = kind.sums[high] - kind.sums[low] if kind.sums is not None else None
    if total is None or (total == high - low and not kind.unit):
        return Tally(kind.type, high - low)
    if kind.type in COUNTED and not kind.unit:
        return Tally(kind.type, total)
    return Tally(kind.type, high - low, total, kind.unit)
