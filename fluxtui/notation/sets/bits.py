"""Bit sets: a Python ``int`` with bit i set for id i, also called a mask.

Everything here is linear in the highest bit, also for badly fragmented sets: a loop of
``mask |= 1 << i`` over a million ids would be quadratic.
"""

from collections.abc import Sequence
from functools import cache

# How many bits are looked at first when only the lowest runs are wanted: two to the power of it.
_NEAR = 12


def fill(starts: Sequence[int], ends: Sequence[int], size: int) -> int:
    """The bit set of disjoint inclusive ranges, in any order, all below ``size``."""
    if len(starts) <= 8:
        mask = 0
        for first, last in zip(starts, ends, strict=True):
            mask |= ((1 << (last - first + 1)) - 1) << first
        return mask
    row = _few if len(starts) * 128 <= size else _many
    begins = row(starts, size)
    if starts == ends:  # single ids
        return begins
    # The bits from the first to the last of a range are the bit behind it, less its first one.
    return (row(ends, size) << 1) - begins


def _many(ids: Sequence[int], size: int) -> int:
    """The bit set of these ids: one character for each, read as a binary number."""
    digits = bytearray(b"0") * size
    for bit in ids:
        digits[bit] = 49
    digits.reverse()
    return int(digits, 2)


def _few(ids: Sequence[int], size: int) -> int:
    """The same, for ids that are far apart."""
    found = bytearray((size >> 3) + 1)
    for bit in ids:
        found[bit >> 3] |= 1 << (bit & 7)
    return int.from_bytes(found, "little")


def first_ranges(mask: int, limit: int) -> list[tuple[int, int]]:
    """The first ``limit`` runs of set bits as inclusive ranges, ascending.

    Costs a few sums of the mask for each, and next to nothing where they stand near the first.
    """
    base = _begin(mask)
    if base:
        mask >>= base
    # The last run that is found may go on above the bits that are looked at.
    near = _low_runs(mask & _low(_NEAR), limit + 1, base)
    return near[:limit] if len(near) > limit else _low_runs(mask, limit, base)


def _low_runs(mask: int, limit: int, base: int) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    while mask and len(runs) < limit:
        gap = (mask & -mask).bit_length() - 1
        mask >>= gap
        length = (mask ^ (mask + 1)).bit_length() - 1
        mask >>= length
        base += gap + length
        runs.append((base - length, base - 1))
    return runs


def _begin(mask: int) -> int:
    """The lowest bit that is set, or 0 where that is not far above."""
    if not mask or mask & _low(_NEAR):
        return 0
    return (mask ^ (mask - 1)).bit_length() - 1


@cache
def _low(power: int) -> int:
    """So many bits as two to a power: kept, since a sum takes ten times as long as an ``and``."""
    return (1 << (1 << power)) - 1


def window(mask: int, start: int, stop: int) -> str:
    """One character, '0' or '1', for each bit from start up to stop; one shift of the mask."""
    width = stop - start
    if width <= 0:
        return ""
    part = (mask >> start) & ((1 << width) - 1)
    return f"{part:0{width}b}"[::-1]


def has(mask: int, bit: int) -> bool:
    """Whether a bit is set; looked for from the nearer end of the mask."""
    if 2 * bit < mask.bit_length():
        return bool(mask & (1 << bit))
    return bool(mask >> bit & 1)


def less(mask: int, other: int) -> int:
    """The bits of a mask that another does not have; many times faster than ``mask & ~other``."""
    return mask ^ (mask & other)


def lowest(mask: int, count: int) -> int:
    """The lowest ``count`` of the bits that are set; all where there are no more.

    Costs what the bits from the first to the last one taken do, and not those above.
    """
    if not count:
        return 0
    base, left = _begin(mask), count
    rest = mask >> base if base else mask
    top, power, end = rest.bit_length(), (count - 1).bit_length(), 0
    while (here := (part := rest & _low(power)).bit_count()) < left:
        if 1 << power >= top:
            return mask
        power += 1
    while here > left:
        power -= 1
        under = (low := part & _low(power)).bit_count()
        if under >= left:
            part, here = low, under
        else:
            part >>= 1 << power
            end, left, here = end + (1 << power), left - under, here - under
    return (rest & ((1 << end + (1 << power)) - 1)) << base
