"""Numbers of nodes as bit sets, and bit sets as a byte for each node.

For what is asked of every node at once: a mask with one digit a byte is a number again, so that a
sum or a shift of a million bytes is one operation of some milliseconds.
"""

import sys
from array import array
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TypeAlias

from fluxtui.notation.sets.bits import fill
from fluxtui.notation.sets.idset import IdSet

#: Masks by weight: the sum of the weights of the masks a bit is in is the number of that node.
Planes: TypeAlias = tuple[tuple[int, int], ...]

# Up to so many values a mask is made of each.
_FEW = 16

# Of a number in eight bytes.
_TOO_LARGE = 1 << 64

# The digit that a byte becomes, by the bit that is asked for.
_DIGITS = tuple(bytes(48 + (byte >> bit & 1) for byte in range(256)) for bit in range(8))


def planes_of(sets: Sequence[IdSet], values: Sequence[int], size: int) -> Planes:
    """The planes of nodes of which those in a set have its value, and the others 0.

    The sets are disjoint and hold indices below size. Time is linear in their ranges and in size,
    the latter for each bit of the values.
    """
    if len(set(values)) > _FEW and max(values) < _TOO_LARGE:
        return _of_bytes(sets, values, size)
    members: dict[int, list[IdSet]] = {}
    for ids, value in zip(sets, values, strict=True):
        members.setdefault(value, []).append(ids)
    covered = sum(ids.count for ids in sets) == size
    least = min(members, default=0) if covered else 0  # what all have is one plane
    # Bits that the same values have are one plane of more weight.
    weights: dict[tuple[int, ...], int] = {}
    for bit in range((max(members, default=0) - least).bit_length()):
        having = tuple(value for value in members if value - least >> bit & 1)
        if having:
            weights[having] = weights.get(having, 0) + (1 << bit)
    found = [(least, (1 << size) - 1)] if least else []
    for having, weight in weights.items():
        chosen = [ids for value in having for ids in members[value]]
        starts = [*chain.from_iterable(ids.starts for ids in chosen)]
        ends = [*chain.from_iterable(ids.ends for ids in chosen)]
        found.append((weight, fill(starts, ends, size)))
    return tuple(found)


def _of_bytes(sets: Sequence[IdSet], values: Sequence[int], size: int) -> Planes:
    """As `planes_of`, by way of a row with the number of every node in eight bytes."""
    row = array("Q", bytes(8 * size))
    for ids, value in zip(sets, values, strict=True):
        for first, last in zip(ids.starts, ids.ends, strict=True):
            if first == last:
                row[first] = value
            else:
                row[first : last + 1] = array("Q", [value]) * (last - first + 1)
    if sys.byteorder == "big":
        row.byteswap()
    data = row.tobytes()
    bits = range(max(values).bit_length())
    planes = ((1 << bit, unpacked(data[bit >> 3 :: 8], bit & 7)) for bit in bits)
    return tuple(plane for plane in planes if plane[1])


def packed(masks: Sequence[int], count: int) -> bytes:
    """A byte for each of so many nodes, in which bit k says whether the k-th of 8 masks has it."""
    ones = int.from_bytes(b"\x01" * count, "little")
    found = 0
    for bit, mask in enumerate(masks):
        digits = f"{mask & ((1 << count) - 1):0{count}b}".encode() if count else b""
        found |= (int.from_bytes(digits, "big") & ones) << bit
    return found.to_bytes(count, "little")


def unpacked(data: bytes, bit: int) -> int:
    """The mask of those in whose byte a bit is set; the other way round than `packed`."""
    return int(data[::-1].translate(_DIGITS[bit]) or b"0", 2)


def summed(masks: Iterable[int]) -> tuple[int, ...]:
    """How many of the masks have each node, as binary digits: mask k holds the digit 2 ** k."""
    digits: list[int] = []
    for mask in masks:
        carried = mask
        for place, digit in enumerate(digits):
            digits[place], carried = digit ^ carried, digit & carried
            if not carried:
                break
        if carried:
            digits.append(carried)
    return tuple(digits)
