"""Bit sets: a Python ``int`` with bit i set for id i, also called a mask.

Everything here is linear in the highest bit, also for badly fragmented sets: a loop of
``mask |= 1 << i`` over a million ids would be quadratic.
"""

from collections.abc import Sequence
from itertools import compress

from fluxtui.notation.ranges import EMPTY, IdSet

# Looked at first when only the lowest runs are wanted.
_NEAR = (1 << 4096) - 1

_DIGITS = bytes.maketrans(b"01", b"\x00\x01")


def to_mask(idset: IdSet) -> int:
    """The bit set with bit i set for each id i; linear in the largest id.

    The caller bounds the ids: a mask takes one bit for each id up to the largest.
    """
    return fill(idset.starts, idset.ends, idset.last + 1) if idset else 0


def fill(starts: Sequence[int], ends: Sequence[int], size: int) -> int:
    """The bit set of disjoint inclusive ranges, in any order, all below ``size``."""
    if len(starts) <= 8:
        mask = 0
        for first, last in zip(starts, ends, strict=True):
            mask |= ((1 << (last - first + 1)) - 1) << first
        return mask
    row = _few if len(starts) * 128 <= size else _many
    begins = row(starts, size)
    if starts is ends:  # single ids, as an `IdSet` keeps them
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


def from_mask(mask: int) -> IdSet:
    """The ids whose bits are set; linear in the highest bit."""
    if mask <= 0:
        return EMPTY
    edges = mask ^ (mask << 1)
    digits = f"{edges:b}".encode().translate(_DIGITS)
    places = list(compress(range(len(digits) - 1, -1, -1), digits))
    places.reverse()
    return IdSet(tuple(places[::2]), tuple([end - 1 for end in places[1::2]]))


def first_ranges(mask: int, limit: int) -> list[tuple[int, int]]:
    """The first ``limit`` runs of set bits as inclusive ranges, ascending.

    Costs a few shifts of the mask for each run returned, and next to nothing where the
    runs stand near its low end.
    """
    near = _low_runs(mask & _NEAR, limit + 1)
    return near[:limit] if len(near) > limit else _low_runs(mask, limit)


def _low_runs(mask: int, limit: int) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    base = 0
    while mask and len(runs) < limit:
        gap = (mask & -mask).bit_length() - 1
        mask >>= gap
        length = (mask ^ (mask + 1)).bit_length() - 1
        mask >>= length
        base += gap + length
        runs.append((base - length, base - 1))
    return runs


def window(mask: int, start: int, stop: int) -> str:
    """One character, '0' or '1', for each bit from start up to stop; one shift of the mask."""
    width = stop - start
    if width <= 0:
        return ""
    part = (mask >> start) & ((1 << width) - 1)
    return f"{part:0{width}b}"[::-1]


def lowest(mask: int, count: int) -> int:
    """The lowest ``count`` of the bits that are set; all where there are no more."""
    if not count:
        return 0
    top, low = mask.bit_length(), 0
    high = min(count, top)
    while high < top and (mask & ((1 << high) - 1)).bit_count() < count:
        low, high = high, min(high * 2, top)
    while low < high:
        middle = (low + high) // 2
        enough = (mask & ((1 << middle) - 1)).bit_count() >= count
        low, high = (low, middle) if enough else (middle + 1, high)
    return mask & ((1 << high) - 1)
