"""Where hosts stand in a long list: names or hostlists to places, without a table of names.

The list is taken apart into blocks of names that are equally long and count up between the same
prefix and suffix, each sorted by number, so a name is found by bisection and a range by walking
ranges. A name is the same host however it was written: ``foo[0-4]-eth2`` holds ``foo0-eth[2]``.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from operator import lt

from fluxtui.notation.sets.bits import to_mask
from fluxtui.notation.sets.hosts import MAX_DIGITS, HostList, HostRange, one_length, padding
from fluxtui.notation.sets.ranges import IdSet

_RUNS = re.compile(rf"(?<![0-9])[0-9]{{1,{MAX_DIGITS}}}(?![0-9])")

# Of a name with more runs of digits, the last so many may be the number of a range.
_MOST_RUNS = 64

# Ranges up to this many names are looked up name by name.
_FEW = 16

# Ranges of a block that are kept aside, beside an eighth of all.
_LATE = 64

Key = tuple[str, str]  # prefix and suffix of names
_Columns = tuple[list[int], list[int], list[int]]  # first and last numbers, and places

# Numbers as they are written, with their lengths, by what stands around them and another number.
_Numbers = defaultdict[tuple[str, str, str], list[tuple[int, str]]]


class _Block:
    """Ranges of numbers, ascending by first number, with the place of each first number.

    Those that were put in before others are kept aside, in late, until there are many of them: to
    put each in its place would move all others every time.
    """

    __slots__ = ("bases", "firsts", "lasts", "late", "straight", "tops")

    def __init__(self, firsts: list[int], lasts: list[int], bases: list[int]) -> None:
        self.late: list[tuple[int, int, int]] = []
        self._take(firsts, lasts, bases)

    def _take(self, firsts: list[int], lasts: list[int], bases: list[int]) -> None:
        self.firsts, self.lasts, self.bases = firsts, lasts, bases = _sorted(firsts, lasts, bases)
        # Where names are repeated: the largest last number of every 1, 2, 4, 8 ... ranges.
        disjoint = all(map(lt, lasts, islice(firsts, 1, None)))
        self.tops = [] if disjoint else list(_tops(lasts))
        # Names that count up at places that count up: any stretch of them is one stretch.
        names = sum(lasts) - sum(firsts) + len(firsts)
        self.straight = disjoint and bases[0] + names == bases[-1] + lasts[-1] - firsts[-1] + 1
        if self.straight:
            after = [b + n - f + 1 for f, n, b in zip(firsts, lasts, bases, strict=True)]
            self.straight = after[:-1] == bases[1:]

    def find(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """The places of the numbers between first and last, as inclusive ranges."""
        if not self.straight or self.late:
            for low, high, base in self.spans(first, last):
                yield (base, base + high - low)
            return
        at, start = bisect_right(self.firsts, last) - 1, bisect_left(self.lasts, first)
        if start <= at:
            low = self.bases[start] + max(first - self.firsts[start], 0)
            high = self.bases[at] + min(last, self.lasts[at]) - self.firsts[at]
            yield (low, high)

    def spans(self, first: int, last: int) -> Iterator[tuple[int, int, int]]:
        """The ranges of numbers between first and last, each with the place of its first one."""
        stop = bisect_right(self.firsts, last)
        rows = (
            self._reaching(first, stop)
            if self.tops
            else range(bisect_left(self.lasts, first), stop)
        )
        for at in rows:
            low = max(first, self.firsts[at])
            yield low, min(last, self.lasts[at]), self.bases[at] + low - self.firsts[at]
        at = bisect_left(self.late, (last + 1,)) - 1
        while at >= 0 and self.late[at][1] >= first:
            begin, end, base = self.late[at]
            low = max(first, begin)
            yield low, min(last, end), base + low - begin
            at -= 1

    def _reaching(self, first: int, stop: int) -> Iterator[int]:
        """The ranges before stop that reach up to first or beyond."""
        looked_at = [(len(self.tops) - 1, 0)]
        while looked_at:
            level, at = looked_at.pop()
            if at << level >= stop or self.tops[level][at] < first:
                continue
            if level:
                below = range(2 * at, min(2 * at + 2, len(self.tops[level - 1])))
                looked_at += [(level - 1, one) for one in below]
            else:
                yield at

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


def _sorted(firsts: list[int], lasts: list[int], bases: list[int]) -> _Columns:
    """The same ranges, ascending by first number."""
    if all(map(lt, firsts, islice(firsts, 1, None))):
        return firsts, lasts, bases
    rows = sorted(zip(firsts, lasts, bases, strict=True))
    return [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]


def _tops(lasts: list[int]) -> Iterator[list[int]]:
    """The numbers, then the larger one of each two, of each four, and so on, up to one."""
    yield lasts
    while len(lasts) > 1:
        lasts = [max(lasts[at : at + 2]) for at in range(0, len(lasts), 2)]
        yield lasts


def _by_length(width: int, columns: _Columns) -> Iterator[tuple[int, _Columns]]:
    """Ranges of numbers of at least so many digits as ranges of equally long ones, by length."""
    firsts, lasts, bases = columns
    if max(lasts) < 10**width:
        yield width, columns
        return
    firsts, lasts, bases = _sorted(firsts, lasts, bases)
    while firsts:
        length = max(width, len(str(firsts[0])))
        limit = 10**length
        stop = bisect_left(firsts, limit)
        shorter = firsts[:stop], lasts[:stop], bases[:stop]
        over = [at for at in range(stop) if lasts[at] >= limit]
        firsts = [limit] * len(over) + firsts[stop:]
        bases = [bases[at] + limit - shorter[0][at] for at in over] + bases[stop:]
        lasts = [lasts[at] for at in over] + lasts[stop:]
        for at in over:
            shorter[1][at] = limit - 1
        yield length, shorter


def numbers_in(name: str) -> Iterator[tuple[str, str, str]]:
    """Each run of digits that may be the number of a range, between what is around it."""
    for run in list(_RUNS.finditer(name))[-_MOST_RUNS:]:
        yield name[: run.start()], run.group(), name[run.end() :]


def single(name: str) -> HostRange:
    """One name, its last number set apart."""
    prefix, digits, suffix = name, "", ""
    for prefix, digits, suffix in numbers_in(name):  # noqa: B007
        pass
    number = int(digits or "0")
    return HostRange(prefix, number, number, (padding(digits) or 1) if digits else 0, suffix)


class Alternatives:
    """Prefixes and suffixes between which names may stand that others hold as well.

    Of ``n[0-9]-x1`` and ``n1-x[0-9]`` the one name that both have is ``n1-x1``: where the numbers
    of two ranges are not at the same place, each has a digit string of the other beside it.
    """

    __slots__ = ("_earlier", "_keys", "_later", "_seen_earlier", "_seen_later")

    def __init__(self) -> None:
        self._keys: list[Key] = []
        # By what stands before, between and behind two numbers: all that the first one is in
        # prefixes, and all that the second one is in suffixes; the shortest first.
        self._earlier: _Numbers = defaultdict(list)
        self._later: _Numbers = defaultdict(list)
        self._seen_earlier = self._seen_later = 0

    def add(self, key: Key) -> None:
        """Note a prefix and a suffix that have not been noted yet."""
        self._keys.append(key)

    def of(self, group: HostRange) -> Iterator[tuple[int, Key, str]]:
        """Numbers of a range whose names others may hold, with their key and digits there."""
        for between, digits, rest in numbers_in(group.suffix):
            for first in _among(self._in_prefixes(), (group.prefix, between, rest), group):
                yield int(first), (f"{group.prefix}{first}{between}", rest), digits
        for head, digits, between in numbers_in(group.prefix):
            for second in _among(self._in_suffixes(), (head, between, group.suffix), group):
                yield int(second), (head, f"{between}{second}{group.suffix}"), digits

    def _in_prefixes(self) -> _Numbers:
        """The first numbers of all that has been noted, up to now."""
        found: _Numbers = defaultdict(list)
        for prefix, suffix in self._keys[self._seen_earlier :]:
            for head, digits, between in numbers_in(prefix):
                found[head, between, suffix].append((len(digits), digits))
        self._seen_earlier = len(self._keys)
        return _merged(self._earlier, found)

    def _in_suffixes(self) -> _Numbers:
        """The second numbers of all that has been noted, up to now."""
        found: _Numbers = defaultdict(list)
        for prefix, suffix in self._keys[self._seen_later :]:
            for between, digits, rest in numbers_in(suffix):
                found[prefix, between, rest].append((len(digits), digits))
        self._seen_later = len(self._keys)
        return _merged(self._later, found)


def _merged(numbers: _Numbers, found: _Numbers) -> _Numbers:
    """The numbers with those that were found, in order."""
    for around, more in found.items():
        numbers[around] += more
        numbers[around].sort()
    return numbers


def _among(numbers: _Numbers, around: tuple[str, str, str], group: HostRange) -> Iterator[str]:
    """Those of the numbers with these texts around them that a range has, as they are written."""
    known = numbers.get(around, [])
    for part in one_length(group) if known else ():
        length = _length(part)
        start = bisect_left(known, (length, f"{part.first:0{length}d}"))
        stop = bisect_right(known, (length, f"{part.last:0{length}d}"))
        yield from (digits for _, digits in known[start:stop])


class HostIndex:
    """The places of hosts in a list; a repeated name stands at several places."""

    __slots__ = ("_alternatives", "_blocks", "_names", "count")

    def __init__(self, hosts: HostList) -> None:
        """Take the list apart; linear in its ranges."""
        self.count = hosts.count
        self._names: dict[str, list[int]] = {}  # those without a number
        self._blocks: dict[Key, dict[int, _Block]] = {}  # the numbers by how long they are
        self._alternatives = Alternatives()
        rows: defaultdict[tuple[Key, int], _Columns] = defaultdict(lambda: ([], [], []))
        styles, *columns = hosts.columns
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
            firsts, lasts, bases = (list(map(column.__getitem__, places)) for column in columns)
            if not width:
                prefix, number, _, width, suffix = single(prefix)
                if not width:
                    self._names.setdefault(prefix, []).extend(bases)
                    continue
                firsts = lasts = [number] * len(bases)
            for length, some in _by_length(width, (firsts, lasts, bases)):
                for column, further in zip(rows[(prefix, suffix), length], some, strict=True):
                    column.extend(further)
        for (key, length), some in rows.items():
            self._put(key, length, _Block(*some))

    def _put(self, key: Key, length: int, block: _Block) -> None:
        if key not in self._blocks:
            self._blocks[key] = {}
            self._alternatives.add(key)
        self._blocks[key][length] = block

    def add(self, group: HostRange) -> None:
        """Put hosts that are not here yet behind all others."""
        here = group if group.width else single(group.prefix)
        if not here.width:
            self._names[here.prefix] = [self.count]
        for part in one_length(here) if here.width else ():
            key, length = (part.prefix, part.suffix), _length(part)
            base = self.count + part.first - here.first
            block = self._blocks.get(key, {}).get(length)
            if block is not None:
                block.add(part.first, part.last, base)
            else:
                self._put(key, length, _Block([part.first], [part.last], [base]))
        self.count += group.last - group.first + 1

    def places(self, name: str) -> list[tuple[int, int]]:
        """The inclusive ranges of places at which this name stands."""
        found = [(place, place) for place in self._names.get(name, ())]
        for prefix, digits, suffix in numbers_in(name):
            found += self._at((prefix, suffix), digits)
        return found

    def _at(self, key: Key, digits: str) -> Iterator[tuple[int, int]]:
        """The places of one name with the number as it is written."""
        block = self._blocks.get(key, {}).get(len(digits))
        if block is not None:
            yield from block.find(int(digits), int(digits))

    def indices(self, hosts: HostList) -> IdSet:
        """The places, counted from 0, of every host of ``hosts`` that is in the list."""
        return IdSet.from_ranges(found for group in hosts.walk() for found in self.ranges(group))

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
        for block, part in self._blocks_of(group):
            found += block.find(part.first, part.last)
        for _, key, digits in self._alternatives.of(group):
            found += self._at(key, digits)
        return found

    def runs(self, group: HostRange) -> list[tuple[int, int, int]]:
        """Which names of one range are here: first and last number, with the place of the first.

        The names and their places count up together; the runs come in order.
        """
        found: list[tuple[int, int, int]] = []
        if group.last - group.first < _FEW:
            for number in range(group.first, group.last + 1):
                found += [(number, number, place) for place, _ in self.places(group.name(number))]
            return found
        for block, part in self._blocks_of(group):
            found += block.spans(part.first, part.last)
        for number, key, digits in self._alternatives.of(group):
            found += [(number, number, place) for place, _ in self._at(key, digits)]
        return sorted(found)

    def _blocks_of(self, group: HostRange) -> Iterator[tuple[_Block, HostRange]]:
        """The blocks with the prefix and the suffix of a range, each with its part of the range."""
        by_length = self._blocks.get((group.prefix, group.suffix), {})
        for part in one_length(group) if by_length else ():
            block = by_length.get(_length(part))
            if block is not None:
                yield block, part


def _length(part: HostRange) -> int:
    """How many digits the numbers of a range have that are all equally long."""
    return max(part.width, len(str(part.first)))
