"""Bit sets: a Python ``int`` with bit i set for id i, also called a mask.

Everything here is linear in the highest bit, even for badly fragmented sets; a loop of
``mask |= 1 << i`` over a million ids would be quadratic.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TypeAlias

#: A number for each node, as pairs of weight and mask: the sum of the weights of its masks.
Planes: TypeAlias = tuple[tuple[int, int], ...]

# How many bytes of a mask are compared with zero at once: most masks are zero almost everywhere.
_CHUNK = 1 << 10
_ZEROES = bytes(_CHUNK)
_NOT_ZERO = re.compile(rb"[^\0]")

# By byte: the bits that are set in it. By bit: the digit 0 or 1 for each byte, as a translation.
_BITS = [[bit for bit in range(8) if byte >> bit & 1] for byte in range(256)]
_DIGITS = [bytes(48 + (byte >> bit & 1) for byte in range(256)) for bit in range(8)]


def fill(starts: Sequence[int], ends: Sequence[int], size: int) -> int:
    """The bit set of disjoint inclusive ranges, in any order, all below ``size``."""
    if len(starts) <= 8:
        mask = 0
        for first, last in zip(starts, ends, strict=True):
            mask |= ((1 << (last - first + 1)) - 1) << first
        return mask
    begins = _single(starts, size)
    if starts == ends:
        return begins
    # For each range, 2 ** (last + 1) - 2 ** first sets the bits from first to last.
    return (_single(ends, size) << 1) - begins


def _single(ids: Sequence[int], size: int) -> int:
    if len(ids) * 128 <= size:
        data = bytearray((size >> 3) + 1)
        for bit in ids:
            data[bit >> 3] |= 1 << (bit & 7)
        return int.from_bytes(data, "little")
    # For many ids it is three times as fast to parse a string of binary digits.
    digits = bytearray(b"0") * size
    for bit in ids:
        digits[bit] = 49
    digits.reverse()
    return int(digits, 2)


def runs(mask: int) -> Iterator[tuple[int, int]]:
    """The runs of set bits as inclusive ranges, ascending, found lazily."""
    places = edges(mask)
    for start, end in zip(places, places, strict=True):
        yield start, end - 1


def edges(mask: int) -> Iterator[int]:
    """The boundaries of the runs of set bits: first bit and end (exclusive) of each, in turn."""
    turns = mask ^ (mask << 1)
    data = turns.to_bytes((turns.bit_length() + 7) >> 3, "little")
    for start in range(0, len(data), _CHUNK):
        chunk = data[start : start + _CHUNK]
        if chunk == _ZEROES:
            continue
        for found in _NOT_ZERO.finditer(chunk):
            place = start + found.start() << 3
            for bit in _BITS[found[0][0]]:
                yield place + bit


def window(mask: int, start: int, stop: int) -> str:
    """The bits from start up to stop as characters '0' and '1'; shifts the mask only once."""
    width = stop - start
    if width <= 0:
        return ""
    part = (mask >> start) & ((1 << width) - 1)
    return f"{part:0{width}b}"[::-1]


def has(mask: int, bit: int) -> bool:
    """Whether a bit is set."""
    return bool(mask >> bit & 1)


def less(mask: int, other: int) -> int:
    """The bits of mask that are not in other; many times faster than ``mask & ~other``."""
    return mask ^ (mask & other)


def lowest(mask: int, count: int) -> int:
    """The lowest ``count`` set bits; all of them if there are no more."""
    if mask.bit_count() <= count:
        return mask
    end, size, part = 0, mask.bit_length(), mask  # bisected, to be independent of the runs
    while count:  # this many are still to be found in part, whose size bits begin at end
        half = (size + 1) // 2
        under = part & ((1 << half) - 1)
        here = under.bit_count()
        if here > count:
            part, size = under, half
        else:
            part, end, size, count = part >> half, end + half, size - half, count - here
    return mask & ((1 << end) - 1)


def highest(mask: int, count: int) -> int:
    """The highest ``count`` set bits; all of them if there are no more."""
    return less(mask, lowest(mask, max(mask.bit_count() - count, 0)))


# Numbers per node as masks, and masks as one byte per node


def planes_of(
    sets: Sequence[tuple[Sequence[int], Sequence[int]]], values: Sequence[int], size: int
) -> Planes:
    """The planes that give each node of a set the value of that set, and all other nodes 0.

    The sets are disjoint; each is the first and the last indices of its ranges, all below size.
    """
    members: dict[int, list[tuple[Sequence[int], Sequence[int]]]] = {}
    covered = 0
    for ids, value in zip(sets, values, strict=True):
        members.setdefault(value, []).append(ids)
        covered += sum(ids[1]) - sum(ids[0]) + len(ids[0])
    least = min(members, default=0) if covered == size else 0  # the part common to all: one plane
    # Binary digits that are set in the same values share one plane, with the sum of their weights.
    weights: dict[tuple[int, ...], int] = {}
    for bit in range((max(members, default=0) - least).bit_length()):
        having = tuple(value for value in members if value - least >> bit & 1)
        if having:
            weights[having] = weights.get(having, 0) + (1 << bit)
    found = [(least, (1 << size) - 1)] if least else []
    for having, weight in weights.items():
        chosen = [ids for value in having for ids in members[value]]
        starts, ends = ([*chain.from_iterable(side)] for side in zip(*chosen, strict=True))
        found.append((weight, fill(starts, ends, size)))
    return tuple(found)


def packed(masks: Sequence[int], count: int) -> bytes:
    """One byte for each of ``count`` nodes; bit k is set if the node is in mask k of at most 8."""
    ones = int.from_bytes(b"\x01" * count, "little")
    found = 0
    for bit, mask in enumerate(masks):
        digits = f"{mask & ((1 << count) - 1):0{count}b}".encode() if count else b""
        found |= (int.from_bytes(digits, "big") & ones) << bit
    return found.to_bytes(count, "little")


def unpacked(data: bytes, bit: int) -> int:
    """The mask of the nodes whose byte has this bit set; the inverse of `packed`."""
    return int(data[::-1].translate(_DIGITS[bit]) or b"0", 2)


def summed(masks: Iterable[int]) -> tuple[int, ...]:
    """How many masks each node is in, as binary digits: mask k of the result is the digit 2**k."""
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
