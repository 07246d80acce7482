"""The request that fits and is nearest to one that does not, by the rules of sched-simple.

As few counts as possible go down, and no further than they must. Of several ways to lower as many
counts the nearest is the one that takes the least away, as a share of what was asked; where two
take as much, nodes go before slots, slots before cores, and cores before gpus.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, permutations
from typing import Any, NamedTuple

from fluxtui.answers.feasibility.feasibility import Nearest
from fluxtui.answers.feasibility.packing import bisect
from fluxtui.answers.feasibility.simple.count import Asked
from fluxtui.answers.feasibility.simple.node_classes import Need, Pile, has_room
from fluxtui.answers.feasibility.simple.request import Request
from fluxtui.answers.feasibility.simple.words import many, number
from fluxtui.notation import count as counts

#: Says whether a resources list has room.
Test = Callable[[list[Any]], bool]


class _Part(NamedTuple):
    """One count that may be lowered.

    name is the field of Need that holds it, times factor; asked is how it stands in the request.
    """

    name: str
    asked: Asked
    floor: int
    noun: str
    factor: int = 1

    def put(self, need: Need, count: int) -> Need:
        """The need with another count of this."""
        field: dict[str, Any] = {self.name: count * self.factor}
        return need._replace(**field)


def nearest(
    resources: object, request: Request, need: Need, among: Sequence[Pile], test: Test
) -> Nearest | None:
    """The nearest request that has room, None where no smaller one has; test has the last word."""
    if not isinstance(resources, list | tuple):
        return None
    if any(asked is not None and asked.listed for asked in (request.nodes, request.slots)):
        chosen = _legal(request, need, among)
    else:
        chosen = _lowered(_parts(request), need, among)
    if not chosen:
        return None
    chosen = sorted(chosen, key=lambda pair: _steps(pair[0]))
    changed: list[Any] = list(resources)
    for part, count in reversed(chosen):  # a vertex that goes moves those behind it
        changed = _written(changed, part, count)
    words = "; ".join(_change(part, count) for part, count in chosen)
    return Nearest(tuple(changed), words) if test(changed) else None


def _parts(request: Request) -> list[_Part]:
    """The counts of a request in the order in which they go down."""
    alone = request.nodes is not None and request.nodes.path == request.slots.path
    parts = []
    if request.nodes:
        noun = "slot" if alone else "node"
        factor = request.factor
        written = request.nodes._replace(
            least=request.nodes.least // factor,
            most=None if request.nodes.most is None else request.nodes.most // factor,
        )
        parts.append(_Part("nodes", written, 1, noun, factor))
    if not alone:
        parts.append(_Part("slots", request.slots, 1, "slot"))
    parts.append(_Part("cores", Asked(request.cores, request.cores, request.cores_path), 1, "core"))
    if request.gpus:
        parts.append(_Part("gpus", Asked(request.gpus, request.gpus, request.gpus_path), 0, "gpu"))
    return parts


def _lowered(parts: Sequence[_Part], need: Need, among: Sequence[Pile]) -> list[tuple[_Part, int]]:
    """The parts to change with their new counts; empty where there is no room for the smallest."""
    parts = [part for part in parts if part.asked.least > part.floor]
    for size in range(1, len(parts) + 1):
        found = []
        for chosen in combinations(parts, size):
            # From the smallest each count goes up as far as it can, the first one furthest.
            smallest = need
            for part in chosen:
                smallest = part.put(smallest, part.floor)
            if has_room(smallest, among):
                orders = permutations(chosen) if size < 4 else (chosen, chosen[::-1])
                found += [_raised(order, smallest, among) for order in orders]
        if found:
            return min(found, key=_loss)
    return []


def _loss(chosen: Sequence[tuple[_Part, int]]) -> float:
    return sum(1 - count / part.asked.least for part, count in chosen)


def _raised(order: Sequence[_Part], need: Need, among: Sequence[Pile]) -> list[tuple[_Part, int]]:
    """The largest count of each part with which there is room, one after the other."""
    found = []
    for part in order:
        count = _largest(part, part.asked.least, need, among)
        need = part.put(need, count)
        found.append((part, count))
    return found


def _largest(part: _Part, most: int, need: Need, among: Sequence[Pile]) -> int:
    """The largest count up to ``most`` with which there is room; there is at the floor."""
    there = sum(pile.nodes * (pile.cores + pile.gpus + 1) for pile in among)
    last = min(most, there)
    found = bisect(lambda count: has_room(part.put(need, count), among), last, part.floor)
    return part.floor if found is None else found


def largest_slots(request: Request, need: Need, among: Sequence[Pile]) -> int:
    """The largest number of slots with which there is room, where there is room for the least."""
    there = sum(pile.nodes * pile.cores for pile in among)
    most = there if request.slots.most is None else request.slots.most
    return _largest(_Part("slots", request.slots, request.slots.least, "slot"), most, need, among)


def _legal(request: Request, need: Need, among: Sequence[Pile]) -> list[tuple[_Part, int]]:
    """Counts with single legal values, each replaced by its largest one with room."""
    chosen = []
    for part in reversed(_parts(request)):
        if part.asked.listed and part.asked.most is not None:
            read = counts.from_json(part.asked.written).value
            smallest = part._replace(floor=part.asked.least)
            if read is None or not has_room(need, among):
                return []
            limit = _largest(smallest, part.asked.most, need, among)
            count = counts.greatest(read, limit)
            if count is None:
                return []
            need = part.put(need, count)
            chosen.append((part, count))
    return chosen


def _steps(part: _Part) -> list[int]:
    """The places in the lists on the way from the top to the vertex of a part."""
    return [int(place) for place in re.findall(r"\[([0-9]+)\]", part.asked.path)]


def _written(resources: Sequence[Any], part: _Part, count: int) -> list[Any]:
    """The resources with another count; a vertex of which none is left goes."""

    def inner(vertices: Sequence[Any], steps: Sequence[int]) -> list[Any]:
        here, *below = steps
        vertex = vertices[here]
        if below:
            vertex = {**vertex, "with": inner(vertex["with"], below)}
        elif count:
            vertex = {**vertex, "count": _count(part.asked, count)}
        else:
            return [*vertices[:here], *vertices[here + 1 :]]
        return [*vertices[:here], vertex, *vertices[here + 1 :]]

    return inner(resources, _steps(part))


def _count(asked: Asked, count: int) -> object:
    """The count in the form of the old one: a range only begins lower."""
    if asked.listed or not asked.ranged:
        return count
    if isinstance(asked.written, Mapping):
        return {**asked.written, "min": count}
    return counts.format(counts.Range(count, asked.most))


def _change(part: _Part, count: int) -> str:
    """``8 cores, not 9``; of a range ``at least 3 nodes, not 5``."""
    if part.asked.listed:
        read = counts.from_json(part.asked.written).value
        was = counts.describe(read) if read is not None else ""
        return f"{many(count, part.noun)}, not {was}"
    least = "at least " if part.asked.ranged else ""
    what = many(count, part.noun) if count else f"no {part.noun}"
    return f"{least}{what}, not {number(part.asked.least)}"
