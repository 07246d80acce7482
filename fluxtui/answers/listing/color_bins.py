"""Values of the nodes in a few steps, each with the nodes that have it: for colours on a map.

All of it looks at every kind of nodes or at every vertex of the graph: in the background.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from fluxtui.answers.listing.orders import filled, ranges_by_number
from fluxtui.model.resources.graph import Graph
from fluxtui.model.resources.resource_set import Resources, node_indices
from fluxtui.notation.sets.bits import less
from fluxtui.notation.sets.idset import IdSet, to_mask

#: At most so many steps, that of none not counted.
MOST = 6


@dataclass(frozen=True, slots=True)
class Shade:
    """Nodes that are alike in a value.

    words  the value, or the range of values
    mask   the nodes that have it
    level  0 for none of it, else the step from 1 on; of one that is bad, -1
    """

    words: str
    mask: int
    level: int


def by_value(resources: Resources, what: Literal["cores", "gpus"]) -> tuple[Shade, ...]:
    """The nodes by how many cores or gpus they have: those without, then ascending.

    Each number is a step of its own where there are few, else they are ranges of equal length.
    """
    found = ranges_by_number(resources, what)
    values = [value for value in found if value]
    step = _length(values)
    bins: dict[int, list[tuple[int, int]]] = {}
    for value, ranges in found.items():
        bins.setdefault(_step(value, values, step), []).extend(ranges)
    return tuple(
        Shade(
            _range(number, values, step) if number else "none",
            filled(ranges, resources.node_count),
            number,
        )
        for number, ranges in bins.items()
    )


def _length(values: list[int]) -> int:
    """How long the ranges are; 0 where each value is a step of its own."""
    if len(values) <= MOST:
        return 0
    length = 1
    while (values[-1] - 1) // length >= MOST:
        length *= 2
    return length


def _step(value: int, values: list[int], length: int) -> int:
    """The step of a value, from 1 on; 0 for none of it."""
    if not value:
        return 0
    return (value - 1) // length + 1 if length else values.index(value) + 1


def _range(number: int, values: list[int], length: int) -> str:
    if not length:
        return f"{values[number - 1]:,}"
    return f"{(number - 1) * length + 1:,}-{number * length:,}" if length > 1 else f"{number:,}"


def by_property(resources: Resources, name: str) -> tuple[Shade, ...]:
    """The nodes that have a property, and those that have not."""
    mask = resources.properties.get(name, 0)
    found = (Shade(name, mask, MOST), Shade(f"not {name}", less(resources.everything, mask), 0))
    return tuple(shade for shade in found if shade.mask)


def by_state(resources: Resources, graph: Graph | None) -> tuple[Shade, ...]:
    """The nodes that are down, by their vertex or one that contains it, and those that are up.

    Empty where no vertex of the graph says anything of its status.
    """
    if graph is None or not graph.statuses:
        return ()
    down = to_mask(IdSet.of(_down(resources, graph)))
    up = less(resources.everything, down)
    return tuple(shade for shade in (Shade("down", down, -1), Shade("up", up, MOST)) if shade.mask)


def _down(resources: Resources, graph: Graph) -> Iterator[int]:
    """The indices of the nodes that are down."""
    known: dict[int, bool] = {-1: True}
    for row, index in node_indices(graph, resources).items():
        if not _is_up(graph, row, known):
            yield index


def _is_up(graph: Graph, row: int, known: dict[int, bool]) -> bool:
    """A vertex and all that contain it are up; known has the answers so far."""
    trail = []
    while row not in known:
        trail.append(row)
        row = graph.parents[row]
    up = known[row]
    for below in reversed(trail):
        up = known[below] = up and not graph.is_down(below)
    return up
