"""The hosts whose names a pattern fits, of a million within a frame where they are ranges.

Where names come in long ranges, the digits of their numbers are walked and not the names. Where
most ranges are single names, the names are looked at as one text.
"""

from collections.abc import Iterator

from fluxtui.answers.matching.name_patterns import Pattern, Reader
from fluxtui.model.cancellation import Stop, going_on, stop_if
from fluxtui.notation.sets.hosts import HostList, HostRange, Style
from fluxtui.notation.sets.idset import IdSet

# Names a range has on the average, from which on the ranges are walked.
_LONG = 128

# Single names that are looked at within a few milliseconds.
_FEW = 20_000

# Names, or ranges, that are looked at between two questions whether to go on.
_BLOCK = 4096

_BITS = bytes.maketrans(b"\x00\x01", b"01")


def ranks_as_names(ranks: IdSet) -> HostList:
    """Ranks as names that are numbers alone, in their order, as long as they are written."""
    firsts = list(ranks.starts)
    return HostList([("", 1, "")] * len(firsts), firsts, list(ranks.ends))


def is_quick(count: int, ranges: int) -> bool:
    """It takes a few milliseconds to find some of so many names in so many ranges."""
    return _is_long(count, ranges) or count <= _FEW


def _is_long(count: int, ranges: int) -> bool:
    """So many names stand in so long ranges that these are walked."""
    return count >= _LONG * ranges


class Names:
    """The host names of a cluster, to be found by patterns; what is built for that is kept."""

    def __init__(self, hosts: HostList) -> None:
        self._hosts = hosts
        self._by_ranges = _is_long(hosts.count, len(hosts.rows[0]))
        self._text = ""
        self._blocks: list[tuple[int, int]] = []  # where each ends in the text, and its names

    @property
    def is_quick(self) -> bool:
        """It takes a few milliseconds to find names, also for the first time."""
        return is_quick(self._hosts.count, len(self._hosts.rows[0]))

    def fitting(self, pattern: Pattern, stop: Stop = going_on) -> int:
        """The places of the names that a pattern fits, as a mask.

        stop is asked now and then whether it is not wanted any more; then it raises `Stopped`.
        """
        parts = self._walked(pattern, stop) if self._by_ranges else self._read(pattern, stop)
        digits = "".join(parts)
        return int(digits[::-1], 2) if digits else 0

    # Long ranges

    def _walked(self, pattern: Pattern, stop: Stop) -> Iterator[str]:
        """A character for each host, 1 where the pattern fits."""
        reader = Reader(pattern)
        begun: dict[str, int] = {}
        for number, group in enumerate(self._hosts.walk()):
            if not number % _BLOCK:
                stop_if(stop)
            state = begun.get(group.prefix)
            if state is None:
                state = begun[group.prefix] = reader.read(reader.begin, group.prefix.lower())
            yield from _walk(reader, state, group)

    # Single names

    def _read(self, pattern: Pattern, stop: Stop) -> Iterator[str]:
        """The same, from the names as one text."""
        if not self._blocks:
            self._join(stop)
        fits, literal = pattern.fits(), pattern.literal
        text, start = self._text, 0
        for end, size in self._blocks:
            stop_if(stop)
            if text.find(literal, start, end) < 0:
                yield "0" * size
            else:
                yield bytes(map(fits, text[start:end].split("\n"))).translate(_BITS).decode()
            start = end + 1

    def _join(self, stop: Stop) -> None:
        """Put the names together, in small letters, a few thousand ranges at a time."""
        texts: list[str] = []
        blocks: list[tuple[int, int]] = []
        styles, firsts, lasts = self._hosts.rows
        at = -1
        for start in range(0, len(styles), _BLOCK):
            stop_if(stop)
            rows = slice(start, start + _BLOCK)
            names = list(_names(styles[rows], firsts[rows], lasts[rows]))
            text = "\n".join(names).lower()
            if text.count("\n") >= len(names):  # a faulty document may have a name of two lines
                text = "\n".join(name.replace("\n", " ") for name in names).lower()
            at += len(text) + 1
            texts.append(text)
            blocks.append((at, len(names)))
        self._text, self._blocks = "\n".join(texts), blocks


def _names(styles: list[Style], firsts: list[int], lasts: list[int]) -> Iterator[str]:
    for (prefix, width, suffix), first, last in zip(styles, firsts, lasts, strict=True):
        if not width:
            yield prefix
        elif first == last:
            yield f"{prefix}{str(first).zfill(width)}{suffix}"
        else:
            for number in range(first, last + 1):
                yield f"{prefix}{str(number).zfill(width)}{suffix}"


def _walk(reader: Reader, state: int, group: HostRange) -> Iterator[str]:
    """A character for each host of a range, after whose prefix the reader is in a state."""
    if not group.width:
        yield "1" if reader.fits(state) else "0"
        return
    first, suffix = group.first, group.suffix.lower()
    while first <= group.last:
        digits = max(group.width, len(str(first)))
        last = min(group.last, 10**digits - 1)
        mask = reader.range(state, first, last, digits, suffix)
        yield f"{mask:0{last - first + 1}b}"[::-1]
        first = last + 1
