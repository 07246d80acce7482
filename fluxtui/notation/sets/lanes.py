"""A byte for each node, worked out of masks: for what is asked of every node at once.

A mask with one digit a byte is a number again, so that a sum or a shift of a million bytes is one
operation. No single operation takes longer than some milliseconds, so none keeps a screen waiting
while it runs beside one.
"""

from collections.abc import Iterable, Sequence

# The digit that a byte becomes, by the bit that is asked for.
_DIGITS = tuple(bytes(48 + (byte >> bit & 1) for byte in range(256)) for bit in range(8))


def spread(mask: int, count: int) -> int:
    """The first so many bits of a mask, a byte each: 0 or 1, the first in the lowest byte."""
    ones = int.from_bytes(b"\x01" * count, "little")
    digits = f"{mask & ((1 << count) - 1):0{count}b}".encode() if count else b""
    return int.from_bytes(digits, "big") & ones


def packed(masks: Sequence[int], count: int) -> bytes:
    """A byte for each of so many nodes, in which bit k says whether the k-th of 8 masks has it."""
    found = 0
    for bit, mask in enumerate(masks):
        found |= spread(mask, count) << bit
    return found.to_bytes(count, "little")


def unpacked(data: bytes, bit: int) -> int:
    """The mask of those in whose byte a bit is set; the other way round than `packed`."""
    return int(data[::-1].translate(_DIGITS[bit]) or b"0", 2)


def gathered(data: bytes, value: int) -> int:
    """The mask of those whose byte has a value."""
    digits = data.translate(b"0" * value + b"1" + b"0" * (255 - value))
    return int(digits[::-1], 2) if digits else 0


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
