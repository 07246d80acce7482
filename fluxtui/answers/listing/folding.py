"""Nodes that are alike: classes of equal cores, gpus and properties, as a listing folds them."""

import struct
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fluxtui.model.cancellation import Stop, going_on, stop_if
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets.bitplanes import packed

#: In what nodes of a class are equal.
By = Literal["cores", "gpus", "properties"]

#: What makes two nodes the same to who asks for resources.
ALIKE: tuple[By, ...] = ("cores", "gpus", "properties")

# Nodes that are looked at between two questions whether the work is still wanted.
_CHUNK = 1 << 15


@dataclass(frozen=True, slots=True)
class Folds:
    """The class of each node, numbered in the order in which they come by rank.

    classes  the number of each node's class, by index
    firsts   the first node of each class
    """

    classes: "array[int]"
    firsts: "array[int]"

    @property
    def count(self) -> int:
        """How many classes."""
        return len(self.firsts)


def fold(
    resources: Resources,
    by: Sequence[By] = ALIKE,
    stop: Stop = going_on,
) -> Folds:
    """The classes of nodes that are equal in all that is named; numbers of cores and gpus count.

    It is linear in the nodes times the properties, in the background: 200 properties of a million
    nodes take about as long as reading them. Raises Stopped where stop says so.
    """
    count = resources.node_count
    planes = [*_number_planes(resources, by, stop)]
    if "properties" in by:
        masks = [*dict.fromkeys(resources.properties.values())]
        masks = [mask for mask in masks if mask and mask != resources.everything]
        for at in range(0, len(masks), 8):
            stop_if(stop)
            planes.append(packed(masks[at : at + 8], count))
    return _numbered(planes, count, stop)


def _number_planes(resources: Resources, by: Sequence[By], stop: Stop) -> Sequence[bytes]:
    """What tells nodes of different numbers of cores and gpus apart: bytes of each node."""
    known: dict[tuple[int, int], int] = {}
    numbers = array("I")
    for start in range(0, resources.node_count, _CHUNK):
        stop_if(stop)
        end = min(start + _CHUNK, resources.node_count)
        blank = [0] * (end - start)
        cores = resources.cores_between(start, end) if "cores" in by else blank
        gpus = resources.gpus_between(start, end) if "gpus" in by else blank
        for pair in zip(cores, gpus, strict=True):
            numbers.append(known.setdefault(pair, len(known)))
    data = numbers.tobytes()
    used = (max(len(known) - 1, 0).bit_length() + 7) // 8
    size = numbers.itemsize
    places = range(size) if _LITTLE else range(size - 1, -1, -1)
    return [data[place::size] for place in places[:used]]


_LITTLE = array("I", [1]).tobytes()[0] == 1


def _numbered(planes: Sequence[bytes], count: int, stop: Stop) -> Folds:
    """A class for each different row of bytes, a byte from each plane."""
    classes, firsts = array("I"), array("I")
    width = len(planes)
    if not width:
        return Folds(array("I", bytes(4 * count)), array("I", [0][:count]))
    known: dict[bytes, int] = {}
    rows = struct.Struct(f"{width}s")
    for start in range(0, count, _CHUNK):
        stop_if(stop)
        part = bytearray(width * min(_CHUNK, count - start))
        for place, plane in enumerate(planes):
            part[place::width] = plane[start : start + _CHUNK]
        for index, (row,) in enumerate(rows.iter_unpack(part), start):
            number = known.setdefault(row, len(known))
            classes.append(number)
            if number == len(firsts):
                firsts.append(index)
    return Folds(classes, firsts)
