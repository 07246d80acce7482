"""Where hosts stand in a long list: names or hostlists to places, without a table of names.

The list is taken apart into blocks of equal prefix, suffix and zero padding, each sorted by
number, so a name is found by bisection and a range by walking ranges. A name is the same
host however it was written: ``foo[0-4]-eth2`` holds ``foo0-eth[2]``.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import accumulate, islice
from operator import lt

from fluxtui.notation.bits import to_mask
from fluxtui.notation.hosts import DIGITS, MAX_DIGITS, HostList, HostRange
from fluxtui.notation.ranges import IdSet
from fluxtui.notation.source import is_digits

_RUNS = re.compile(r"[0-9]+")
_DIGIT = frozenset(DIGITS)

# Ranges up to this many names are looked up name by name.
_FEW = 16

Key = tuple[str, str]


class _Block:
    """Ranges of one style, ascending by first number, with the place of each first number."""

    __slots__ = ("bases", "ends", "firsts", "lasts", "straight", "width")

    def __init__(self, width: int, firsts: list[int], lasts: list[int], bases: list[int]) -> None:
        if not all(map(lt, firsts, firsts[1:])):
            rows = sorted(zip(firsts, lasts, bases, strict=True))
            firsts = [row[0] for row in rows]
            lasts = [row[1] for row in rows]
            bases = [row[2] for row in rows]
        self.width = width
        self.firsts = firsts
        self.lasts = lasts
        self.bases = bases
        # The largest last number so far, where ranges overlap since names are repeated.
        disjoint = all(map(lt, lasts, islice(firsts, 1, None)))
        self.ends = lasts if disjoint else list(accumulate(lasts, max))
        # Names that count up at places that count up: any stretch of them is one stretch.
        names = sum(lasts) - sum(firsts) + len(firsts)
        self.straight = disjoint and bases[0] + names == bases[-1] + lasts[-1] - firsts[-1] + 1
        if self.straight:
            after = [b + n - f + 1 for f, n, b in zip(firsts, lasts, bases, strict=True)]
            self.straight = after[:-1] == bases[1:]

    def find(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """The places of the names whose numbers lie between first and last."""
        at = bisect_right(self.firsts, last) - 1
        if self.straight:
            start = bisect_left(self.lasts, first)
            if start <= at:
                low = self.bases[start] + max(first - self.firsts[start], 0)
                high = self.bases[at] + min(last, self.lasts[at]) - self.firsts[at]
                yield (low, high)
            return
        while at >= 0 and self.ends[at] >= first:
            low, high = max(first, self.firsts[at]), min(last, self.lasts[at])
            if low <= high:
                shift = self.bases[at] - self.firsts[at]
                yield (low + shift, high + shift)
            at -= 1

    def find_ending(self, part: HostRange, tail: str) -> Iterator[tuple[int, int]]:
        """The places of the numbers that are one of the range followed by these digits."""
        scale, end = 10 ** len(tail), int(tail)
        first, last = part.first * scale + end, part.last * scale + end
        at = bisect_right(self.firsts, last) - 1
        while at >= 0 and self.ends[at] >= first:
            low, high = max(first, self.firsts[at]), min(last, self.lasts[at])
            for number in range(low + (end - low) % scale, high + 1, scale):
                if f"{number:0{self.width}d}" == f"{number // scale:0{part.width}d}{tail}":
                    place = self.bases[at] + number - self.firsts[at]
                    yield (place, place)
            at -= 1


def split(group: HostRange) -> Iterator[tuple[HostRange, int]]:
    """A range as ranges whose prefix does not end in a digit, each with its offset.

    ``foo1[8-12]`` is ``foo[18-19]`` and ``foo[110-112]``.
    """
    prefix, first, last, width, suffix = group
    if not width:
        yield single(prefix), 0
    elif not is_digits(prefix[-1:]):
        yield group, 0
    else:
        head = prefix.rstrip(DIGITS)
        lead = prefix[len(head) :]
        start = first
        while start <= last:
            size = max(width, len(str(start)))
            end = min(last, 10**size - 1)
            low, high = (int(f"{lead}{n:0{size}d}") for n in (start, end))
            padded = len(lead) + size if lead[0] == "0" else 1
            yield HostRange(head, low, high, padded, suffix), start - first
            start = end + 1


def _apart(group: HostRange) -> Iterator[tuple[HostRange, int]]:
    """The same, a suffix that begins with a digit being written out name by name."""
    if group.width and is_digits(group.suffix[:1]):
        for number in range(group.first, group.last + 1):
            yield single(group.name(number)), number - group.first
    else:
        yield from split(group)


def in_one_way(group: HostRange) -> Iterator[tuple[HostRange, int]]:
    """A range as ranges that hold a name in one way only, however it is written, with offsets.

    Their last number is set apart, and those that are padded stand apart from those that are long
    enough without: ``foo[08-10]`` is ``foo[08-09]`` and ``foo10``.
    """
    parts = split(group)
    if group.width and not _DIGIT.isdisjoint(group.suffix):
        numbers = range(group.first, group.last + 1)
        parts = ((single(group.name(number)), number - group.first) for number in numbers)
    for part, offset in parts:
        full = 10 ** (part.width - 1) if part.width > 1 else 0
        if part.first < full:
            yield part._replace(last=min(part.last, full - 1)), offset
        if part.last >= full:
            first = max(part.first, full)
            plain = part._replace(first=first, width=min(part.width, 1))
            yield plain, offset + first - part.first


def single(name: str) -> HostRange:
    """One name, its last number set apart."""
    runs = list(_RUNS.finditer(name))
    last = runs[-1] if runs else None
    if last is None or last.end() - last.start() > MAX_DIGITS:
        return HostRange(name, 0, 0, 0, "")
    digits = last.group()
    width = len(digits) if digits[0] == "0" and len(digits) > 1 else 1
    number = int(digits)
    return HostRange(name[: last.start()], number, number, width, name[last.end() :])


class HostIndex:
    """The places of hosts in a list; a repeated name stands at several places."""

    __slots__ = ("_blocks", "_names", "count")

    def __init__(self, hosts: HostList) -> None:
        """Take the list apart; linear in its ranges."""
        self.count = hosts.count
        self._names: dict[str, list[int]] = {}
        rows: dict[tuple[Key, int], tuple[list[int], list[int], list[int]]] = {}
        styles, firsts, lasts, before = hosts.columns
        # Rows by the style they share. Equal styles may be two objects, which does no harm.
        by_style: dict[int, list[int]] = {}
        for at, style_id in enumerate(map(id, styles)):
            found = by_style.get(style_id)
            if found is None:
                by_style[style_id] = [at]
            else:
                found.append(at)
        for places in by_style.values():
            prefix, width, suffix = styles[places[0]]
            if width and not is_digits(prefix[-1:]) and not is_digits(suffix[:1]):
                row = rows.setdefault(((prefix, suffix), width), ([], [], []))
                row[0].extend(map(firsts.__getitem__, places))
                row[1].extend(map(lasts.__getitem__, places))
                row[2].extend(map(before.__getitem__, places))
            else:
                for at in places:
                    group = HostRange(prefix, firsts[at], lasts[at], width, suffix)
                    self._take_apart(rows, group, before[at])
        self._blocks: dict[Key, list[_Block]] = {}
        for (key, width), columns in rows.items():
            self._blocks.setdefault(key, []).append(_Block(width, *columns))

    def _take_apart(
        self,
        rows: dict[tuple[Key, int], tuple[list[int], list[int], list[int]]],
        group: HostRange,
        base: int,
    ) -> None:
        for part, offset in _apart(group):
            if not part.width:
                self._names.setdefault(part.prefix, []).append(base + offset)
                continue
            row = rows.setdefault(((part.prefix, part.suffix), part.width), ([], [], []))
            row[0].append(part.first)
            row[1].append(part.last)
            row[2].append(base + offset)

    def places(self, name: str) -> list[tuple[int, int]]:
        """The inclusive ranges of places at which this name stands."""
        found = [(place, place) for place in self._names.get(name, ())]
        for digits in _RUNS.finditer(name):
            blocks = self._blocks.get((name[: digits.start()], name[digits.end() :]))
            if not blocks or digits.end() - digits.start() > MAX_DIGITS:
                continue
            number = int(digits.group())
            for block in blocks:
                if f"{number:0{block.width}d}" == digits.group():
                    found += block.find(number, number)
        return found

    def indices(self, hosts: HostList) -> IdSet:
        """The places, counted from 0, of every host of ``hosts`` that is in the list."""
        found: list[tuple[int, int]] = []
        for group in hosts.walk():
            found += self.ranges(group)
        return IdSet.from_ranges(found)

    def mask(self, hosts: HostList) -> int:
        """The same places as a bit set."""
        return to_mask(self.indices(hosts))

    def ranges(self, group: HostRange) -> list[tuple[int, int]]:
        """The places of the names of one range, as inclusive ranges in no order."""
        found: list[tuple[int, int]] = []
        if group.last - group.first < _FEW:
            for number in range(group.first, group.last + 1):
                found += self.places(group.name(number))
            return found
        for part, _ in split(group):
            if part.first == part.last or not part.width:
                found += self.places(part.name(part.first))
                continue
            tail = _digits(part.suffix)
            for block in self._blocks.get((part.prefix, part.suffix[len(tail) :]), ()):
                if tail:
                    found += block.find_ending(part, tail)
                    continue
                low = part.first
                if block.width != part.width:
                    # Written in other widths only numbers of enough digits look the same.
                    low = max(low, 10 ** (max(block.width, part.width) - 1))
                found += block.find(low, part.last)
            for name in self._otherwise(part, tail):
                found += self.places(name)
        return found

    def _otherwise(self, part: HostRange, tail: str) -> Iterator[str]:
        """Names of the range that the list may hold with another number set apart.

        Of two prefixes the longer begins with the shorter and a number, and as prefixes do
        not end in a digit, that number is one: there is one such name for each prefix.
        """
        for prefix, suffix in self._blocks:
            if prefix == part.prefix:
                continue
            if prefix.startswith(part.prefix):
                number = _digits(prefix[len(part.prefix) :]).removesuffix(tail)
                if number and _has(part, number):
                    yield f"{part.prefix}{number}{part.suffix}"
            elif part.prefix.startswith(prefix):
                digits = _digits(part.prefix[len(prefix) :])
                name = f"{prefix}{digits}{suffix}"
                number = name[len(part.prefix) : len(name) - len(part.suffix)]
                if name == f"{part.prefix}{number}{part.suffix}" and _has(part, number):
                    yield name


def _digits(text: str) -> str:
    """The digits a text begins with."""
    return text[: len(text) - len(text.lstrip(DIGITS))]


def _has(part: HostRange, digits: str) -> bool:
    """The digits, as written, are a number of this range."""
    if not is_digits(digits) or len(digits) > MAX_DIGITS:
        return False
    number = int(digits)
    return part.first <= number <= part.last and f"{number:0{part.width}d}" == digits
