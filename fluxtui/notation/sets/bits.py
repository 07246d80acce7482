"""Bit sets: a Python ``int`` with bit i set for id i, also called a mask.

Everything here is linear in the highest bit, also for badly fragmented sets: a loop of
``mask |= 1 << i`` over a million ids would be quadratic.
"""

from collections.abc import Sequence

# How many bits are looked at first when only the lowest runs are wanted.
_NEAR = 1 << 12
_LOW = (1 << _NEAR) - 1


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

    Some thousand bits are looked at together, so that what is done for each run costs little,
    however many bits there are above.
    """
    found: list[tuple[int, int]] = []
    base = 0  # the place of the lowest bit of what is left of the mask
    while mask and len(found) < limit:
        near = mask & _LOW
        gap = _zeros(near or mask)
        length = _zeros(~(near >> gap)) if near else _NEAR
        if gap + length >= _NEAR:  # the run may go on above, and is measured in the whole mask
            mask >>= gap
            length = _zeros(~mask)
            mask >>= length
            found.append((base + gap, base + gap + length - 1))
            base += gap + length
            continue
        at = base
        while near and len(found) < limit:
            gap = _zeros(near)
            length = _zeros(~(near >> gap))
            if at - base + gap + length >= _NEAR:
                break
            near >>= gap + length
            at += gap + length
            found.append((at - length, at - 1))
        mask >>= at - base
        base = at
    return found


def _zeros(mask: int) -> int:
    """How many bits below the lowest one that is set; not for 0."""
    return (mask & -mask).bit_length() - 1


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
    """The lowest ``count`` of the bits that are set; all where there are no more."""
    if mask.bit_count() <= count:
        return mask
    end, size, part = 0, mask.bit_length(), mask
    while count:  # as many are wanted of a part, which begins at end and has so many bits
        half = (size + 1) // 2
        under = part & ((1 << half) - 1)
        here = under.bit_count()
        if here > count:
            part, size = under, half
        else:
            part, end, size, count = part >> half, end + half, size - half, count - here
    return mask & ((1 << end) - 1)
