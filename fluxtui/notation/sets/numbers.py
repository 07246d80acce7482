"""Ascending numbers read from a text many at a time.

Python makes one object after the other of the numbers in a text. Numbers of equally many digits
stand at equal distances, though, so their digits can be laid out in fields of one large integer,
and then one multiplication works on all of them.
"""

import sys
from array import array
from itertools import compress
from typing import NamedTuple

# Numbers that are worked on at a time; large enough for few steps, and small enough for the cache.
_BLOCK = 1 << 13

# Digits of a field: more than these are not read here.
_WIDTH = 8

_TO_COMMAS = bytes.maketrans(b"-", b",")
_TO_VALUES = bytes.maketrans(b"0123456789", bytes(range(10)))


def _repeated(field: int, count: int = _BLOCK) -> int:
    return int.from_bytes(field.to_bytes(8, "little") * count, "little")


_TENS = _repeated(0x00FF00FF00FF00FF)
_THOUSANDS = _repeated(0x0000FFFF0000FFFF)
_ALL = _repeated(0x00000000FFFFFFFF)
_TOPS = _repeated(1 << 63)
_ONES = _repeated(1)


class Ascending(NamedTuple):
    """Strictly ascending numbers.

    breaks has one byte for each of them: 0 where it is one more than the number before it, else 1.
    """

    numbers: "array[int]"
    breaks: bytearray

    @property
    def apart(self) -> bool:
        """No number is one more than the one before."""
        return 0 not in self.breaks

    def runs(self) -> "tuple[array[int], array[int]]":
        """The first and last numbers of the runs; the very same array where all stand apart."""
        if self.apart:
            return self.numbers, self.numbers
        ends = self.breaks[1:] + b"\1"
        numbers = self.numbers
        return array("Q", compress(numbers, self.breaks)), array("Q", compress(numbers, ends))


def ascending(text: bytes) -> Ascending | None:
    """The numbers of a text that holds digits, and commas or hyphens between them.

    None where they do not ascend, where one has a leading zero, or where one is missing; and where
    one has more than 8 digits, so None does not say that something is wrong.
    """
    flat = text.translate(_TO_COMMAS) + b","
    found: array[int] = array("Q")
    breaks = bytearray()
    start = 0
    while start < len(flat):
        width = flat.find(b",", start, start + _WIDTH + 1) - start
        if width < 1:
            return None
        count = _count(flat, start, width)
        stop = start + count * (width + 1)
        block = flat[start:stop]
        if block.count(b",") != count or block[width :: width + 1].count(b",") != count:
            return None
        if width > 1 and b"0" in block[:: width + 1]:
            return None
        for first in range(0, count, _BLOCK):
            piece = block[first * (width + 1) : (first + _BLOCK) * (width + 1)]
            if not _extend(found, breaks, piece, width):
                return None
        start = stop
    return Ascending(found, breaks)


def _count(flat: bytes, start: int, width: int) -> int:
    """How many numbers of this many digits stand there, if all that follow have more."""
    stride = width + 1
    low, high = 1, (len(flat) - start) // stride
    while low < high:
        middle = (low + high + 1) // 2
        end = start + middle * stride - 1
        # Commas this near to each other are not behind numbers of more digits.
        if flat[end] == flat[end - stride] == 44:
            low = middle
        else:
            high = middle - 1
    return low


def _extend(found: "array[int]", breaks: bytearray, piece: bytes, width: int) -> bool:
    """Append the numbers of a piece, and where they break; False where they do not ascend."""
    before = found[-1] if found else -2
    stride = width + 1
    count = len(piece) // stride
    fields = bytearray(8 * count)
    digits = piece.translate(_TO_VALUES)
    for place in range(width):
        fields[8 - width + place :: 8] = digits[place::stride]
    # The first digit is in the lowest byte: each step joins two neighbours, the lower times ten,
    # a hundred, ten thousand.
    value = int.from_bytes(fields, "little")
    value = value * 10 + (value >> 8) & _TENS
    value = value * 100 + (value >> 16) & _THOUSANDS
    value = value * 10000 + (value >> 32) & _ALL
    if sys.byteorder == "little":
        found.frombytes(value.to_bytes(8 * count, "little"))
    else:
        numbers = array("Q", value.to_bytes(8 * count, "little"))
        numbers.byteswap()
        found.extend(numbers)
    first = found[-count]
    breaks.append(first > before + 1)
    return first > before and _note_breaks(breaks, value, count)


def _note_breaks(breaks: bytearray, value: int, count: int) -> bool:
    """Append for each number but the first whether it breaks; False where they do not ascend."""
    kept = (1 << 64 * (count - 1)) - 1
    tops, ones = _TOPS & kept, _ONES & kept
    # A field keeps its top bit where what is taken off is not more than what is put on.
    differences = (value >> 64) + tops - (value & kept) - ones
    if differences & tops != tops:
        return False
    breaks += (((differences - ones) & tops) >> 63).to_bytes(8 * count, "little")[
        : 8 * count - 8 : 8
    ]
    return True
