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
from typing import NamedTuple

from fluxtui.notation.bits import to_mask
from fluxtui.notation.hosts import DIGITS, MAX_DIGITS, HostList, HostRange, Style
from fluxtui.notation.ranges import IdSet
from fluxtui.notation.source import is_digits

_RUNS = re.compile(r"[0-9]+")

# Ranges up to this many names are looked up name by name.
_FEW = 16

# Ranges of a block that are kept aside, beside an eighth of all.
_LATE = 64

Key = tuple[str, str]


class _Block:
    """Ranges of one style, ascending by first number, with the place of each first number.

    Those that were put in before others are kept aside, in late, until there are many of them: to
    put each in its place would move all others every time.
    """

    __slots__ = ("bases", "ends", "firsts", "lasts", "late", "straight", "width")

    def __init__(self, width: int, firsts: list[int], lasts: list[int], bases: list[int]) -> None:
        self.width = width
        self.late: list[tuple[int, int, int]] = []
        self._take(firsts, lasts, bases)

    def _take(self, firsts: list[int], lasts: list[int], bases: list[int]) -> None:
        if not all(map(lt, firsts, firsts[1:])):
            rows = sorted(zip(firsts, lasts, bases, strict=True))
            firsts = [row[0] for row in rows]
            lasts = [row[1] for row in rows]
            bases = [row[2] for row in rows]
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
        if not self.straight:
            for low, high, base in self.spans(first, last):
                yield (base, base + high - low)
            return
        at, start = bisect_right(self.firsts, last) - 1, bisect_left(self.lasts, first)
        if start <= at:
            low = self.bases[start] + max(first - self.firsts[start], 0)
            high = self.bases[at] + min(last, self.lasts[at]) - self.firsts[at]
            yield (low, high)
        for low, high, base in self._late_spans(first, last):
            yield (base, base + high - low)

    def spans(self, first: int, last: int) -> Iterator[tuple[int, int, int]]:
        """The ranges of numbers between first and last, each with the place of its first one."""
        at = bisect_right(self.firsts, last) - 1
        while at >= 0 and self.ends[at] >= first:
            low, high = max(first, self.firsts[at]), min(last, self.lasts[at])
            if low <= high:
                yield low, high, self.bases[at] + low - self.firsts[at]
            at -= 1
        yield from self._late_spans(first, last)

    def _late_spans(self, first: int, last: int) -> Iterator[tuple[int, int, int]]:
        at = bisect_left(self.late, (last + 1,)) - 1
        while at >= 0 and self.late[at][1] >= first:
            begin, end, base = self.late[at]
            low = max(first, begin)
            yield low, min(last, end), base + low - begin
            at -= 1

    def add(self, first: int, last: int, base: int) -> None:
        """Put in numbers that are not here yet, at the places behind all others."""
        at = bisect_left(self.firsts, first) - 1
        if at >= 0 and _goes_on(self.firsts[at], self.lasts[at], self.bases[at], first, base):
            self.lasts[at] = last
            return
        if not self.late and at == len(self.firsts) - 1:
            self.straight = False
            self.firsts.append(first)
            self.lasts.append(last)
            self.bases.append(base)
            return
        place = bisect_left(self.late, (first,))
        if place and _goes_on(*self.late[place - 1], first, base):
            begin, _, at_begin = self.late[place - 1]
            self.late[place - 1] = (begin, last, at_begin)
            return
        self.late.insert(place, (first, last, base))
        if len(self.late) > _LATE + len(self.firsts) // 8:
            rows = (*zip(self.firsts, self.lasts, self.bases, strict=True), *self.late)
            firsts, lasts, bases = map(list, zip(*rows, strict=True))
            self.late = []
            self._take(firsts, lasts, bases)


def _goes_on(first: int, last: int, base: int, number: int, place: int) -> bool:
    """A number and its place come right behind those of a range."""
    return last == number - 1 and base + number - first == place


class _Asked(NamedTuple):
    """Numbers of a block, every so many, that write the same names as numbers of a range.

    The range has ``number * times + more`` for a number of the block where times is 1 or more; a
    step of more than 1 says the opposite: that it has ``number // step``.
    """

    block: _Block
    first: int
    last: int
    step: int
    times: int
    more: int

    def places(self) -> Iterator[tuple[int, int]]:
        """The places of these names, in inclusive ranges."""
        if self.step == 1:
            yield from self.block.find(self.first, self.last)
            return
        for low, high, base in self.block.spans(self.first, self.last):
            for number in range(low + (self.first - low) % self.step, high + 1, self.step):
                yield (base + number - low, base + number - low)

    def runs(self) -> Iterator[tuple[int, int, int]]:
        """First and last number of the range that count up at places that do, with the place."""
        for low, high, base in self.block.spans(self.first, self.last):
            if self.step == self.times == 1:
                yield low, high, base
                continue
            for number in range(low + (self.first - low) % self.step, high + 1, self.step):
                here = number // self.step * self.times + self.more
                yield here, here, base + number - low


def _asked(part: HostRange, tail: str, block: _Block, ending: str) -> _Asked:
    """What a block holds of a range, where one is longer than the other by the digits it ends in.

    tail and ending are the digits behind the numbers of the range and of the block; one of them
    ends in the other. Texts of one number are the same where they are equally long.
    """
    longer = len(tail) - len(ending)
    first, last, step, times, more = part.first, part.last, 1, 1, 0
    here, there = part.width, block.width
    if longer >= 0:
        if there != here + longer:
            first = max(first, 10 ** (max(here, there - longer) - 1))
        step, rest = 10**longer, int(tail[:longer] or "0")
        return _Asked(block, first * step + rest, last * step + rest, step, times, more)
    times, more = 10**-longer, int(ending[:-longer])
    first, last = -((more - first) // times), (last - more) // times
    if here != there - longer:
        first = max(first, 10 ** (max(there, here + longer) - 1))
    return _Asked(block, max(first, 0), last, step, times, more)


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

    __slots__ = ("_behind", "_blocks", "_names", "_prefixes", "count")

    def __init__(self, hosts: HostList) -> None:
        """Take the list apart; linear in its ranges."""
        self.count = hosts.count
        self._names: dict[str, list[int]] = {}
        # By prefix and suffix; then by the digits before the suffix, first by how many they are.
        self._blocks: dict[Key, dict[int, dict[str, list[_Block]]]] = {}
        self._behind: dict[str, list[str]] = {}  # the suffixes there are behind each prefix
        self._prefixes: list[str] = []  # sorted when they are asked for
        rows: dict[tuple[Style, str], tuple[list[int], list[int], list[int]]] = {}
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
            if width and not is_digits(prefix[-1:]):
                tail = _digits(suffix)
                style = (prefix, width, suffix[len(tail) :])
                row = rows.setdefault((style, tail), ([], [], []))
                row[0].extend(map(firsts.__getitem__, places))
                row[1].extend(map(lasts.__getitem__, places))
                row[2].extend(map(before.__getitem__, places))
                continue
            for at in places:
                group = HostRange(prefix, firsts[at], lasts[at], width, suffix)
                for part, offset in split(group):
                    if not part.width:
                        self._names.setdefault(part.prefix, []).append(before[at] + offset)
                        continue
                    tail = _digits(part.suffix)
                    style = (part.prefix, part.width, part.suffix[len(tail) :])
                    row = rows.setdefault((style, tail), ([], [], []))
                    row[0].append(part.first)
                    row[1].append(part.last)
                    row[2].append(before[at] + offset)
        for ((prefix, width, suffix), tail), columns in rows.items():
            self._put((prefix, suffix), tail, _Block(width, *columns))

    def _put(self, key: Key, tail: str, block: _Block) -> None:
        if key not in self._blocks:
            self._blocks[key] = {}
            suffixes = self._behind.setdefault(key[0], [])
            suffixes.append(key[1])
        self._blocks[key].setdefault(len(tail), {}).setdefault(tail, []).append(block)

    def add(self, group: HostRange) -> None:
        """Put hosts that are not here yet behind all others."""
        for part, offset in split(group):
            base = self.count + offset
            if not part.width:
                self._names[part.prefix] = [base]
                continue
            tail = _digits(part.suffix)
            key = (part.prefix, part.suffix[len(tail) :])
            found = self._blocks.get(key, {}).get(len(tail), {}).get(tail, ())
            block = next((one for one in found if one.width == part.width), None)
            if block is not None:
                block.add(part.first, part.last, base)
                continue
            self._put(key, tail, _Block(part.width, [part.first], [part.last], [base]))
        self.count += group.last - group.first + 1

    def places(self, name: str, besides: Key | None = None) -> list[tuple[int, int]]:
        """The inclusive ranges of places at which this name stands.

        Those with a prefix and a suffix that were looked through already are left out.
        """
        found = [(place, place) for place in self._names.get(name, ())]
        for run in _RUNS.finditer(name):
            key = name[: run.start()], name[run.end() :]
            by_length = self._blocks.get(key) if key != besides else None
            if not by_length or run.end() - run.start() > MAX_DIGITS:
                continue
            written = run.group()
            for length, by_tail in by_length.items():
                digits = written[: len(written) - length] if length else written
                if not digits:
                    continue
                number = int(digits)
                for block in by_tail.get(written[len(digits) :], ()):
                    if f"{number:0{block.width}d}" == digits:
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
            tail = _digits(part.suffix)
            for asked in self._asked(part, tail):
                found += asked.places()
            for number in self._otherwise(part, tail):
                found += self.places(part.name(number))
        return found

    def runs(self, group: HostRange) -> list[tuple[int, int, int]]:
        """Which names of one range are here: first and last number, with the place of the first.

        The names and their places count up together; the runs come in order.
        """
        found: set[tuple[int, int, int]] = set()
        if group.last - group.first < _FEW:
            for number in range(group.first, group.last + 1):
                found.update(
                    (number, number, place) for place, _ in self.places(group.name(number))
                )
            return sorted(found)
        for part, offset in split(group):
            tail, shift = _digits(part.suffix), group.first + offset - part.first
            runs = [run for asked in self._asked(part, tail) for run in asked.runs()]
            key = part.prefix, part.suffix[len(tail) :]
            runs += [
                (number, number, place)
                for number in self._otherwise(part, tail)
                for place, _ in self.places(part.name(number), besides=key)
            ]
            found.update((first + shift, last + shift, place) for first, last, place in runs)
        return sorted(found)

    def _asked(self, part: HostRange, tail: str) -> Iterator[_Asked]:
        """The blocks that hold names of a range with the same number set apart."""
        by_length = self._blocks.get((part.prefix, part.suffix[len(tail) :]), {})
        for length, by_tail in by_length.items():
            if length <= len(tail):
                ending = tail[len(tail) - length :]
                endings = {ending: by_tail.get(ending, [])}
            else:
                endings = {found: by_tail[found] for found in by_tail if found.endswith(tail)}
            for ending, blocks in endings.items():
                for block in blocks:
                    asked = _asked(part, tail, block, ending)
                    if asked.first <= asked.last:  # the width may leave none
                        yield asked

    def _otherwise(self, part: HostRange, tail: str) -> Iterator[int]:
        """Numbers of names of the range that the list may hold with another number set apart.

        Of two prefixes the longer begins with the shorter and a number, and as prefixes do
        not end in a digit, that number is one: there is one such name for each prefix.
        """
        prefix = part.prefix
        if len(self._prefixes) < len(self._behind):
            self._prefixes = sorted(self._behind)
        for at in range(bisect_left(self._prefixes, f"{prefix}0"), len(self._prefixes)):
            rest = self._prefixes[at][len(prefix) :]
            if not self._prefixes[at].startswith(prefix) or rest[0] not in DIGITS:
                break
            number = _digits(rest).removesuffix(tail)
            if number and _has(part, number):
                yield int(number)
        for run in _RUNS.finditer(prefix):
            head = prefix[: run.start()]
            for suffix in self._behind.get(head, ()):
                name = f"{head}{run.group()}{suffix}"
                number = name[len(prefix) : len(name) - len(part.suffix)]
                if name == f"{prefix}{number}{part.suffix}" and _has(part, number):
                    yield int(number)


def _digits(text: str) -> str:
    """The digits a text begins with."""
    return text[: len(text) - len(text.lstrip(DIGITS))]


def _has(part: HostRange, digits: str) -> bool:
    """The digits, as written, are a number of this range."""
    if not is_digits(digits) or len(digits) > MAX_DIGITS:
        return False
    number = int(digits)
    return part.first <= number <= part.last and f"{number:0{part.width}d}" == digits
