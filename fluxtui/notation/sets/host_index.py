"""Looks up hosts of a long list: by name, by range, and by how names begin (RFC 29).

`HostIndex` takes a list apart into blocks of names that are equally long and count up between the
same prefix and suffix, each sorted by number, so that a name is found by bisection and a range by
walking ranges; there is no table of names. A name is the same host however it was written:
``foo[0-4]-eth2`` holds ``foo0-eth[2]``.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from operator import lt

from fluxtui.notation.sets.hosts import (
    DIGITS,
    MAX_DIGITS,
    Builder,
    HostList,
    HostRange,
    one_length,
    padding,
)
from fluxtui.notation.sets.hosts import format as format_hosts
from fluxtui.notation.sets.idset import IdSet, repeated, to_mask

_RUNS = re.compile(rf"(?<![0-9])[0-9]{{1,{MAX_DIGITS}}}(?![0-9])")
_RUN = re.compile(r"[0-9]+")

# Of a name with more runs of digits, the last so many may be the number of a range.
_MOST_RUNS = 64

# Ranges of up to this many names are looked up name by name.
_SHORT = 16

# Ranges of a block that are kept aside, beside an eighth of all.
_LATE = 64

# Hosts that begin alike are offered as one hostlist where that has at most so many ranges.
_FEW = 3

Key = tuple[str, str]  # prefix and suffix of names
_Columns = tuple[list[int], list[int], list[int]]  # first and last numbers, and places

# A key with numbers in it: how many digits they have, the lowest and the highest one.
_Family = tuple[Key, list[tuple[int, int, int]]]

# Lengths and digits of numbers, by the text before, the text after and the other part of a key.
_Numbers = dict[tuple[str, str, str], list[tuple[int, str]]]


class _Block:
    """Ranges of equally long numbers, ascending by first number, each with its first place.

    `late` holds ranges that were added out of order, until there are many of them: moving each
    into its place at once would move all others every time.
    """

    __slots__ = ("firsts", "lasts", "late", "places", "tops")

    def __init__(self, firsts: list[int], lasts: list[int], places: list[int]) -> None:
        self._take(firsts, lasts, places)

    def _take(self, firsts: list[int], lasts: list[int], places: list[int]) -> None:
        self.firsts, self.lasts, self.places = _sorted((firsts, lasts, places))
        self.late: list[tuple[int, int, int]] = []
        # Where names are repeated: the largest last number of every 1, 2, 4, 8 ... ranges.
        disjoint = all(map(lt, self.lasts, islice(self.firsts, 1, None)))
        self.tops = [] if disjoint else list(_tops(self.lasts))

    def spans(self, first: int, last: int) -> Iterator[tuple[int, int, int]]:
        """The ranges of the numbers from first to last that are here, each with its first place.

        Ascending by first number, but for those that were added late.
        """
        stop = bisect_right(self.firsts, last)
        rows = (
            self._reaching(first, stop)
            if self.tops
            else range(bisect_left(self.lasts, first), stop)
        )
        for at in rows:
            low = max(first, self.firsts[at])
            yield low, min(last, self.lasts[at]), self.places[at] + low - self.firsts[at]
        at = bisect_left(self.late, (last + 1,)) - 1
        while at >= 0 and self.late[at][1] >= first:
            begin, end, place = self.late[at]
            low = max(first, begin)
            yield low, min(last, end), place + low - begin
            at -= 1

    def _reaching(self, first: int, stop: int) -> Iterator[int]:
        """The ranges before stop whose last number is first or more."""
        waiting = [(len(self.tops) - 1, 0)]
        while waiting:
            level, at = waiting.pop()
            if at << level >= stop or self.tops[level][at] < first:
                continue
            if level:
                below = range(2 * at, min(2 * at + 2, len(self.tops[level - 1])))
                waiting += [(level - 1, one) for one in reversed(below)]
            else:
                yield at

    def add(self, first: int, last: int, place: int) -> None:
        """Put in numbers that are not here yet."""
        at = bisect_left(self.firsts, first) - 1
        if at >= 0 and _goes_on(self.firsts[at], self.lasts[at], self.places[at], first, place):
            self.lasts[at] = last
        elif not self.late and at == len(self.firsts) - 1:
            self.firsts.append(first)
            self.lasts.append(last)
            self.places.append(place)
        else:
            self._add_late(first, last, place)

    def _add_late(self, first: int, last: int, place: int) -> None:
        at = bisect_left(self.late, (first,))
        if at and _goes_on(*self.late[at - 1], first, place):
            begin, _, begin_place = self.late[at - 1]
            self.late[at - 1] = (begin, last, begin_place)
            return
        self.late.insert(at, (first, last, place))
        if len(self.late) > _LATE + len(self.firsts) // 8:
            rows = (*zip(self.firsts, self.lasts, self.places, strict=True), *self.late)
            firsts, lasts, places = map(list, zip(*rows, strict=True))
            self._take(firsts, lasts, places)


def _goes_on(first: int, last: int, place: int, number: int, number_place: int) -> bool:
    """A number and its place come right after those of a range."""
    return last == number - 1 and place + number - first == number_place


def _tops(lasts: list[int]) -> Iterator[list[int]]:
    """The numbers, then the larger one of each two, of each four, and so on, up to one."""
    yield lasts
    while len(lasts) > 1:
        lasts = [max(lasts[at : at + 2]) for at in range(0, len(lasts), 2)]
        yield lasts


def _by_length(width: int, columns: _Columns) -> Iterator[tuple[int, _Columns]]:
    """Ranges of numbers of at least so many digits, parted by how long their numbers are."""
    firsts, lasts, places = columns
    if max(lasts) < 10**width:
        yield width, columns
        return
    firsts, lasts, places = _sorted(columns)
    while firsts:
        length = max(width, len(str(firsts[0])))
        limit = 10**length
        stop = bisect_left(firsts, limit)
        over = [at for at in range(stop) if lasts[at] >= limit]
        rest = (
            [limit] * len(over) + firsts[stop:],
            [lasts[at] for at in over] + lasts[stop:],
            [places[at] + limit - firsts[at] for at in over] + places[stop:],
        )
        for at in over:
            lasts[at] = limit - 1
        yield length, (firsts[:stop], lasts[:stop], places[:stop])
        firsts, lasts, places = rest


def _sorted(columns: _Columns) -> _Columns:
    """The same ranges, ascending by first number; new lists."""
    firsts, lasts, places = columns
    if all(map(lt, firsts, islice(firsts, 1, None))):
        return firsts[:], lasts[:], places[:]
    order = sorted(range(len(firsts)), key=firsts.__getitem__)
    return [firsts[at] for at in order], [lasts[at] for at in order], [places[at] for at in order]


def numbers_in(name: str) -> Iterator[tuple[str, str, str]]:
    """Each run of digits that may be the number of a range, between what is around it."""
    for run in list(_RUNS.finditer(name))[-_MOST_RUNS:]:
        yield name[: run.start()], run.group(), name[run.end() :]


def single(name: str) -> HostRange:
    """One name as a range, its last number set apart."""
    prefix, digits, suffix = name, "", ""
    for prefix, digits, suffix in numbers_in(name):  # noqa: B007
        pass
    number = int(digits or "0")
    return HostRange(prefix, number, number, (padding(digits) or 1) if digits else 0, suffix)


@lru_cache(maxsize=4096)
def natural(text: str) -> tuple[tuple[str, int, str], ...]:
    """What texts are sorted by as a person would: the numbers within them count as numbers."""
    parts = _RUN.split(text)
    numbers = [number.lstrip("0") for number in _RUN.findall(text)]
    lengths = [*map(len, numbers), -1]
    return tuple(zip(parts, lengths, [*numbers, ""], strict=True))


class Alternatives:
    """Finds the names of a range that keys (prefix and suffix) beside its own may hold as well.

    Of ``n[0-9]-x1`` and ``n1-x[0-9]`` the one name that both have is ``n1-x1``: where the numbers
    of two ranges are not at the same place, each has a number of the other beside its own.
    """

    __slots__ = ("_keys", "_numbers", "_seen")

    def __init__(self) -> None:
        self._keys: list[Key] = []
        # The numbers in prefixes, and those in suffixes, and how many of the keys they are from.
        self._numbers: tuple[_Numbers, _Numbers] = ({}, {})
        self._seen = [0, 0]

    def add(self, key: Key) -> None:
        """Note a prefix and a suffix that have not been noted yet."""
        self._keys.append(key)

    def of(self, group: HostRange) -> Iterator[tuple[int, Key, str]]:
        """Numbers of a range whose names others may hold, with their key and digits there."""
        for between, digits, rest in numbers_in(group.suffix):
            for first in self._among(0, (group.prefix, between, rest), group):
                yield int(first), (f"{group.prefix}{first}{between}", rest), digits
        for head, digits, between in numbers_in(group.prefix):
            for second in self._among(1, (between, group.suffix, head), group):
                yield int(second), (head, f"{between}{second}{group.suffix}"), digits

    def _among(self, side: int, around: tuple[str, str, str], group: HostRange) -> Iterator[str]:
        """The numbers in prefixes (side 0) or suffixes (1) that a range has, as written."""
        known = self._known(side).get(around, [])
        for part in one_length(group) if known else ():
            length = _length(part)
            start = bisect_left(known, (length, f"{part.first:0{length}d}"))
            stop = bisect_right(known, (length, f"{part.last:0{length}d}"))
            yield from (digits for _, digits in known[start:stop])

    def _known(self, side: int) -> _Numbers:
        """The numbers in prefixes (side 0) or suffixes (1) of all that has been noted up to now."""
        found: defaultdict[tuple[str, str, str], list[tuple[int, str]]] = defaultdict(list)
        for key in self._keys[self._seen[side] :]:
            for before, digits, after in numbers_in(key[side]):
                found[before, after, key[1 - side]].append((len(digits), digits))
        self._seen[side] = len(self._keys)
        known = self._numbers[side]
        for around, more in found.items():
            known[around] = sorted([*known.get(around, ()), *more])
        return known


@dataclass(frozen=True, slots=True)
class Named:
    """A host name, or a hostlist of several, and how many nodes have these names."""

    text: str
    nodes: int


class HostIndex:
    """The places of the hosts in a list, counted from 0; a repeated name has several places."""

    __slots__ = (
        "_alternatives",
        "_blocks",
        "_families",
        "_names",
        "_prefixes",
        "_suffixes",
        "count",
        "hosts",
    )

    def __init__(self, hosts: HostList) -> None:
        """Take the list apart; linear in its ranges."""
        self.hosts = hosts
        self.count = hosts.count
        self._names: dict[str, list[int]] = {}  # those without a number
        self._blocks: dict[Key, dict[int, _Block]] = {}  # the numbers by how long they are
        self._alternatives = Alternatives()
        # Built at first use: the families in order, and their suffixes by prefix.
        self._families: dict[Key, int] | None = None
        self._suffixes: dict[str, list[str]] = {}
        self._prefixes: list[str] = []
        rows: defaultdict[tuple[Key, int], _Columns] = defaultdict(lambda: ([], [], []))
        styles, *columns = hosts.columns
        # Rows by the style they share. Equal styles may be two objects, which does no harm.
        by_style: defaultdict[int, list[int]] = defaultdict(list)
        for at, style in enumerate(styles):
            by_style[id(style)].append(at)
        for ats in by_style.values():
            prefix, width, suffix = styles[ats[0]]
            firsts, lasts, places = (list(map(column.__getitem__, ats)) for column in columns)
            if not width:
                prefix, number, _, width, suffix = single(prefix)
                if not width:
                    self._names.setdefault(prefix, []).extend(places)
                    continue
                firsts = lasts = [number] * len(places)
            for length, some in _by_length(width, (firsts, lasts, places)):
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
        """Append hosts that are not here yet; `hosts` is not changed."""
        here = group if group.width else single(group.prefix)
        if not here.width:
            self._names[here.prefix] = [self.count]
        for part in one_length(here) if here.width else ():
            key, length = (part.prefix, part.suffix), _length(part)
            place = self.count + part.first - here.first
            block = self._blocks.get(key, {}).get(length)
            if block is not None:
                block.add(part.first, part.last, place)
            else:
                self._put(key, length, _Block([part.first], [part.last], [place]))
        self._families, self._suffixes = None, {}
        self.count += group.last - group.first + 1

    # Names and ranges

    def places(self, name: str) -> list[tuple[int, int]]:
        """The places of this name, as inclusive ranges in no order."""
        found = [(place, place) for place in self._names.get(name, ())]
        for prefix, digits, suffix in numbers_in(name):
            found += ((place, place) for place in self._at((prefix, suffix), digits))
        return found

    def _at(self, key: Key, digits: str) -> Iterator[int]:
        """The places of one name with the number as it is written."""
        block = self._blocks.get(key, {}).get(len(digits))
        if block is not None:
            number = int(digits)
            yield from (place for _, _, place in block.spans(number, number))

    def indices(self, hosts: HostList) -> IdSet:
        """The places of every host of ``hosts`` that is in the list."""
        return IdSet.from_ranges(found for group in hosts.walk() for found in self.ranges(group))

    def mask(self, hosts: HostList) -> int:
        """The same places as a bit set."""
        return to_mask(self.indices(hosts))

    def ranges(self, group: HostRange) -> Iterator[tuple[int, int]]:
        """The places of the names of one range, as inclusive ranges in no order."""
        for first, last, place in self._runs(group):
            yield place, place + last - first

    def runs(self, group: HostRange) -> list[tuple[int, int, int]]:
        """Which names of one range are here: first and last number, with the place of the first.

        The names and their places count up together; the runs come in order.
        """
        return sorted(self._runs(group))

    def _runs(self, group: HostRange) -> Iterator[tuple[int, int, int]]:
        if group.last - group.first < _SHORT:
            for number in range(group.first, group.last + 1):
                for place, _ in self.places(group.name(number)):
                    yield number, number, place
            return
        by_length = self._blocks.get((group.prefix, group.suffix), {})
        for part in one_length(group) if by_length else ():
            block = by_length.get(_length(part))
            if block is not None:
                yield from block.spans(part.first, part.last)
        for number, key, digits in self._alternatives.of(group):
            for place in self._at(key, digits):
                yield number, number, place

    # How names begin

    @property
    def families(self) -> dict[Key, int]:
        """Prefix and suffix of all names with a number, numbered and sorted as a person would."""
        if self._families is None:
            ordered = sorted(self._blocks, key=lambda key: (*map(natural, key),))
            self._families = {key: number for number, key in enumerate(ordered)}
        return self._families

    def _beginning(self, typed: str) -> Iterator[_Family]:
        """The families with names that begin so: lengths of numbers, lowest and highest number."""
        if not self._suffixes:
            for prefix, suffix in self._blocks:
                self._suffixes.setdefault(prefix, []).append(suffix)
            self._prefixes = sorted(self._suffixes)
        for end in range(len(typed)):
            for suffix in self._suffixes.get(typed[:end], ()):
                parts = list(_numbers_from(typed[end:], suffix, self._blocks[typed[:end], suffix]))
                if parts:
                    yield (typed[:end], suffix), parts
        for prefix in islice(self._prefixes, bisect_left(self._prefixes, typed), None):
            if not prefix.startswith(typed):
                return
            for suffix in self._suffixes[prefix]:
                lengths = sorted(self._blocks[prefix, suffix])
                yield (prefix, suffix), [(length, 0, 10**length - 1) for length in lengths]

    def beginning_with(self, typed: str, most: int) -> list[Named]:
        """What begins with a typed text: groups of hosts first, then the hosts; at most so many.

        The text itself is not among them. A group is all that goes on in the same way, such as
        ``n[10-19]`` for ``n1``; the names of one that has too many gaps come one by one.
        """
        groups: list[Named] = []
        names: list[Named] = []
        for (prefix, suffix), parts in islice(self._beginning(typed), most):
            blocks = self._blocks[prefix, suffix]
            found = (
                HostRange(prefix, first, last, length, suffix)
                for length, low, high in parts
                for first, last in _joined(blocks[length].spans(low, high))
            )
            some = list(islice(found, max(most, _FEW + 1 + len(parts))))
            whole = Builder()
            for one in some:
                whole.add(one)
            size = len(whole.firsts)
            if (size == 1 and whole.firsts != whole.lasts) or 1 < size <= _FEW:
                nodes = sum(
                    last - first + 1
                    for length, low, high in parts
                    for first, last, _ in blocks[length].spans(low, high)
                )
                groups.append(Named(format_hosts(whole.done()), nodes))
            single_names = (
                Named(one.name(number), sum(1 for _ in blocks[one.width].spans(number, number)))
                for one in some
                for number in range(one.first, one.last + 1)
            )
            others = (name for name in single_names if name.text != typed)
            names += islice(others, max(most - len(names), 0))
        names += [
            Named(name, len(self._names[name]))
            for name in sorted(self._names)
            if name.startswith(typed) and name != typed
        ]
        return (groups + names)[:most]

    def places_beginning_with(self, typed: str) -> Iterator[int]:
        """The places of the names that begin with a text, in the order of a person's counting."""
        for name in sorted(self._names):
            if name.startswith(typed):
                yield from self._names[name]
        order = self.families
        for key, parts in sorted(self._beginning(typed), key=lambda family: order[family[0]]):
            for length, low, high in parts:
                for first, last, place in self._blocks[key][length].spans(low, high):
                    yield from range(place, place + last - first + 1)


def _numbers_from(rest: str, suffix: str, lengths: Iterable[int]) -> Iterator[tuple[int, int, int]]:
    """The numbers that, with the suffix, begin with a text: length, lowest and highest."""
    tail = rest.lstrip(DIGITS)
    digits = rest[: len(rest) - len(tail)]
    if not digits or len(digits) > MAX_DIGITS or not suffix.startswith(tail):
        return
    for length in sorted(lengths):
        if length == len(digits) or (length > len(digits) and not tail):
            scale = 10 ** (length - len(digits))
            yield length, int(digits) * scale, (int(digits) + 1) * scale - 1


def _joined(spans: Iterator[tuple[int, int, int]]) -> Iterator[tuple[int, int]]:
    """Ranges of numbers that are ascending by first number, without overlaps or neighbours."""
    begin, end = -1, -2
    for first, last, _ in spans:
        if first <= end + 1:
            end = max(end, last)
            continue
        if begin >= 0:
            yield begin, end
        begin, end = first, last
    if begin >= 0:
        yield begin, end


def _length(part: HostRange) -> int:
    """How many digits the numbers of a range have that are all equally long."""
    return max(part.width, len(str(part.first)))


class HostNumbers:
    """Gives each host the next number when it is first named, and that same one ever after."""

    __slots__ = ("_known", "_named")

    def __init__(self) -> None:
        self._known = HostIndex(HostList())
        self._named = Builder()

    @property
    def count(self) -> int:
        """How many hosts have a number."""
        return self._known.count

    def add(self, hosts: HostList) -> tuple[IdSet, IdSet]:
        """The numbers of these hosts, and of those among them that the list names twice or more.

        Takes time with the ranges, and with the single names that are known in another form:
        every tenth of ``n[0-99]`` after ``n[0-9]5``.
        """
        runs = [run for group in hosts.walk() for run in self._numbers(group)]
        return IdSet.from_ranges(runs), repeated(runs)

    def _numbers(self, group: HostRange) -> list[tuple[int, int]]:
        """The numbers of a range; what is not known yet is noted."""
        found: list[tuple[int, int]] = []
        first = group.first
        for begin, end, number in (*self._known.runs(group), (group.last + 1, group.last, 0)):
            if first < begin:
                found.append(self._note(group._replace(first=first, last=begin - 1)))
            if begin <= end:
                found.append((number, number + end - begin))
            first = end + 1
        return found

    def _note(self, group: HostRange) -> tuple[int, int]:
        first = self.count
        self._known.add(group)
        self._named.add(group)
        return first, self.count - 1

    def knows(self, hosts: HostList) -> bool:
        """Each of these hosts has its number already."""
        return all(
            sum(end - begin + 1 for begin, end, _ in self._known.runs(group))
            == group.last - group.first + 1
            for group in hosts.walk()
        )

    def hosts(self) -> HostList:
        """The names by their numbers; nothing is to be added afterwards."""
        return self._named.done()


def same_names(one: HostList, other: HostList) -> bool:
    """Two lists of hosts name the same ones, in whatever order and however often."""
    both = HostNumbers()
    both.add(one)
    size = both.count
    named, _ = both.add(other)
    return both.count == size == named.count
