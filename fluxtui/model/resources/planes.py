"""A small number for each of a million nodes, as few masks that add up to it."""

import sys
from array import array
from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import TypeAlias

from fluxtui.notation.sets.bits import fill
from fluxtui.notation.sets.idset import IdSet

#: Masks by weight: the sum of the weights of the masks a bit is in is the number of that node.
Planes: TypeAlias = tuple[tuple[int, int], ...]

# Up to so many sets a mask is made of each.
_FEW = 16

# Of a number in four bytes.
_TOO_LARGE = 1 << 32


def of(sets: Sequence[IdSet], values: Sequence[int], size: int) -> Planes:
    """The planes of nodes of which those in a set have its value, and the others 0.

    The sets are disjoint and hold indices below size. Time is linear in their ranges and in size,
    and does not grow with the values.
    """
    if len(set(values)) <= _FEW or max(values) >= _TOO_LARGE:
        return _by_masks(sets, values, size)
    return _by_lanes(sets, values, size)


def _by_masks(sets: Sequence[IdSet], values: Sequence[int], size: int) -> Planes:
    covered = sum(ids.count for ids in sets) == size
    least = min(values, default=0) if covered else 0  # what all have is one plane
    values = [value - least for value in values]
    masks: dict[int, int] = {}
    for value in dict.fromkeys(values):
        if not value:
            continue
        same = [ids for ids, other in zip(sets, values, strict=True) if other == value]
        masks[value] = _together(same, size)
    bits = max(masks, default=0).bit_length()
    planes: dict[tuple[int, ...], int] = {}
    for bit in range(bits):
        # Bits that the same values have are one plane of more weight.
        having = tuple(value for value in masks if value >> bit & 1)
        if having:
            planes[having] = planes.get(having, 0) + (1 << bit)
    found = [(least, (1 << size) - 1)] if least else []
    for having, weight in planes.items():
        found.append((weight, reduce(or_, (masks[value] for value in having))))
    return tuple(found)


def _together(sets: Sequence[IdSet], size: int) -> int:
    """The mask of all that is in one of the sets."""
    if len(sets) == 1:
        return fill(sets[0].starts, sets[0].ends, size)
    starts: list[int] = []
    ends: list[int] = []
    for ids in sets:
        starts += ids.starts
        ends += ids.ends
    return fill(starts, ends, size)


def _by_lanes(sets: Sequence[IdSet], values: Sequence[int], size: int) -> Planes:
    from fluxtui.notation.sets.lanes import unpacked

    lane = array("I", bytes(array("I").itemsize * size))
    for ids, value in zip(sets, values, strict=True):
        if ids.starts is ids.ends:
            for index in ids.starts:
                lane[index] = value
            continue
        for first, last in zip(ids.starts, ids.ends, strict=True):
            if first == last:
                lane[first] = value
            else:
                lane[first : last + 1] = array("I", [value]) * (last - first + 1)
    data = lane.tobytes() if sys.byteorder == "little" else _swapped(lane)
    found = []
    for bit in range(max(values).bit_length()):
        mask = unpacked(data[bit >> 3 :: lane.itemsize], bit & 7)
        if mask:
            found.append((1 << bit, mask))
    return tuple(found)


def _swapped(lane: "array[int]") -> bytes:
    lane.byteswap()
    return lane.tobytes()
