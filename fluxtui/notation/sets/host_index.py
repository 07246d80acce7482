"""Look up the hosts of a long list by name, by range, or by the beginning of names (RFC 29).

`HostIndex` splits a list into blocks of names with the same prefix, suffix and number of digits,
sorted by number, so that a name is found by bisection and a range by walking ranges; there is no
table of names. A name is the same host however it was written: ``foo[0-4]-eth2`` contains
``foo0-eth[2]``.
"""

import re
from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise
from typing import TypeAlias

from fluxtui.notation.problem import Completion, Span, counted
from fluxtui.notation.sets.hostlist import (
    DIGITS,
    MAX_DIGITS,
    Builder,
    HostList,
    HostRange,
    one_length,
    padding,
)
from fluxtui.notation.sets.hostlist import format as format_hosts
from fluxtui.notation.sets.idset import CLOSE, MOST, IdSet, repeated, signs_after, to_mask

_RUNS = re.compile(rf"(?<![0-9])[0-9]{{1,{MAX_DIGITS}}}(?![0-9])")
_RUN = re.compile(r"[0-9]+")

# Only this many runs of digits, the last ones of a name, can be the number of a range.
_MOST_RUNS = 64

# Ranges of at most this many names are looked up name by name.
_SHORT = 16

# Hosts that begin alike are offered as one hostlist if it has at most this many ranges.
_FEW = 3

Key: TypeAlias = tuple[str, str]  # prefix and suffix of names

# The first and last number of a range of numbers of equal length, and the place of the first.
# Any two rows of a block have the same numbers or none in common.
_Row: TypeAlias = tuple[int, int, int]


def numbers_in(name: str) -> Iterator[tuple[str, str, str]]:
    """Each run of digits that can be the number of a range, as text before, digits, text after."""
    for run in list(_RUNS.finditer(name))[-_MOST_RUNS:]:
        yield name[: run.start()], run.group(), name[run.end() :]


def single(name: str) -> HostRange:
    """The range of one name; its number is the last run of digits of the name."""
    *_, (prefix, digits, suffix) = ((name, "", ""), *numbers_in(name))
    number = int(digits or "0")
    return HostRange(prefix, number, number, (padding(digits) or 1) if digits else 0, suffix)


@lru_cache(maxsize=4096)
def natural(text: str) -> tuple[tuple[str, int, str], ...]:
    """Sort key for natural order, which compares the numbers within texts by value."""
    parts = _RUN.split(text)
    numbers = [number.lstrip("0") for number in _RUN.findall(text)]
    lengths = [*map(len, numbers), -1]
    return tuple(zip(parts, lengths, [*numbers, ""], strict=True))


def _length(part: HostRange) -> int:
    return max(part.width, len(str(part.first)))


def _parted(rows: list[_Row]) -> list[_Row]:
    """The rows in order, cut so that overlapping rows have the same first and last number."""
    rows.sort()
    if all(one[1] < other[0] for one, other in pairwise(rows)):
        return rows
    cuts = sorted({first for first, _, _ in rows} | {last + 1 for _, last, _ in rows})
    out = []
    for first, last, place in rows:
        inner = cuts[bisect_right(cuts, first) : bisect_right(cuts, last)]
        for begin, end in pairwise((first, *inner, last + 1)):
            out.append((begin, end - 1, place + begin - first))
    return sorted(out)


def _within(rows: list[_Row], first: int, last: int) -> Iterator[_Row]:
    """The parts of the rows with numbers from first to last, ascending."""
    at = bisect_left(rows, (first,))
    while at and rows[at - 1][1] >= first:
        at -= 1
    for row in range(at, len(rows)):
        begin, end, place = rows[row]
        if begin > last:
            return
        low = max(first, begin)
        yield low, min(last, end), place + low - begin


@dataclass(frozen=True, slots=True)
class Named:
    """A host name or a hostlist, and how many nodes have these names."""

    text: str
    nodes: int


class HostIndex:
    """The places of the hosts of a list, counted from 0; a repeated name has several places."""

    __slots__ = ("_blocks", "_families", "_names", "_numbers", "_waiting", "count", "hosts")

    def __init__(self, hosts: HostList) -> None:
        """Index the list; linear in its ranges."""
        self.hosts = hosts
        self.count = hosts.count
        self._names: dict[str, list[int]] = {}  # the names without a number
        self._blocks: dict[Key, dict[int, list[_Row]]] = {}  # by the number of digits
        self._families: dict[Key, int] | None = None
        # Numbers within prefixes (side 0) and suffixes (1): length and digits, by side, the text
        # before, the text after, and the other affix. The keys in _waiting are not yet included.
        self._numbers: dict[tuple[int, str, str, str], list[tuple[int, str]]] = {}
        self._waiting: list[Key] = []
        for style, first, last, place in zip(*hosts.rows, hosts.before, strict=False):
            prefix, width, suffix = style
            if width:
                self._put(prefix, first, last, width, suffix, place)
            elif (numbered := single(prefix)).width:
                self._put(*numbered, place)
            else:
                self._names.setdefault(prefix, []).append(place)
        for block in self._blocks.values():
            for length, rows in block.items():
                block[length] = _parted(rows)

    def _put(self, prefix: str, first: int, last: int, width: int, suffix: str, place: int) -> None:
        """Append a range to the blocks of its lengths, without sorting their rows."""
        block = self._blocks.get((prefix, suffix))
        if block is None:
            block = self._blocks[prefix, suffix] = {}
            self._waiting.append((prefix, suffix))
        length = max(width, len(str(first)))
        while last >= 10**length:
            limit: int = 10**length
            block.setdefault(length, []).append((first, limit - 1, place))
            first, place, length = limit, place + limit - first, length + 1
        block.setdefault(length, []).append((first, last, place))

    def add(self, group: HostRange) -> None:
        """Append hosts that are not in the index; `hosts` does not change."""
        numbered = group if group.width else single(group.prefix)
        if not numbered.width:
            self._names[numbered.prefix] = [self.count]
        for part in one_length(numbered) if numbered.width else ():
            place = self.count + part.first - numbered.first
            rows = self._blocks.get((part.prefix, part.suffix), {}).get(_length(part))
            if rows is None:
                self._put(*part, place)
                continue
            at = bisect_left(rows, (part.first,))
            begin, end, first_place = rows[at - 1] if at else (-1, -2, 0)
            if end == part.first - 1 and first_place + part.first - begin == place:
                rows[at - 1] = (begin, part.last, first_place)
            else:
                insort(rows, (part.first, part.last, place))
        self._families = None
        self.count += group.last - group.first + 1

    # Names and ranges

    def places(self, name: str) -> list[int]:
        """The places of this name, in no particular order."""
        found = list(self._names.get(name, ()))
        for prefix, digits, suffix in numbers_in(name):
            found += self._at((prefix, suffix), digits)
        return found

    def _at(self, key: Key, digits: str) -> Iterator[int]:
        rows, number = self._blocks.get(key, {}).get(len(digits), []), int(digits)
        return (place for _, _, place in _within(rows, number, number))

    def indices(self, hosts: HostList) -> IdSet:
        """The places of all hosts of ``hosts`` that are in the list."""
        return IdSet.from_ranges(
            (place, place + last - first)
            for group in dict.fromkeys(hosts.walk())  # one name may be repeated a thousand times
            for first, last, place in self.runs(group)
        )

    def mask(self, hosts: HostList) -> int:
        """The places of all hosts of ``hosts`` that are in the list, as a bit set."""
        return to_mask(self.indices(hosts))

    def runs(self, group: HostRange) -> Iterator[_Row]:
        """The runs of a range that are in the list, as first number, last number and first place.

        Names and places are both consecutive within a run; the runs come in no particular order.
        """
        if group.last - group.first < _SHORT:
            for number in range(group.first, group.last + 1):
                for place in self.places(group.name(number)):
                    yield number, number, place
            return
        by_length = self._blocks.get((group.prefix, group.suffix), {})
        for part in one_length(group) if by_length else ():
            yield from _within(by_length.get(_length(part), []), part.first, part.last)
        for number, key, digits in self._elsewhere(group):
            for place in self._at(key, digits):
                yield number, number, place

    def _elsewhere(self, group: HostRange) -> Iterator[tuple[int, Key, str]]:
        """Numbers of a range whose names other keys may hold, with that key and the digits there.

        ``n[0-9]-x1`` and ``n1-x[0-9]`` share the name ``n1-x1``: if the numbers of two ranges are
        not at the same place, each has a number of the other in its prefix or suffix.
        """
        unindexed: defaultdict[tuple[int, str, str, str], list[tuple[int, str]]] = defaultdict(list)
        for key in self._waiting:
            for side in (0, 1):
                for before, digits, after in numbers_in(key[side]):
                    unindexed[side, before, after, key[1 - side]].append((len(digits), digits))
        self._waiting.clear()
        for around, found in unindexed.items():
            self._numbers[around] = sorted([*self._numbers.get(around, ()), *found])
        for between, digits, rest in numbers_in(group.suffix):
            for first in self._among((0, group.prefix, between, rest), group):
                yield int(first), (f"{group.prefix}{first}{between}", rest), digits
        for head, digits, between in numbers_in(group.prefix):
            for second in self._among((1, between, group.suffix, head), group):
                yield int(second), (head, f"{between}{second}{group.suffix}"), digits

    def _among(self, around: tuple[int, str, str, str], group: HostRange) -> Iterator[str]:
        """The digits of other keys at one place whose numbers are in the range, as written."""
        candidates = self._numbers.get(around, [])
        for part in one_length(group) if candidates else ():
            length = _length(part)
            start = bisect_left(candidates, (length, f"{part.first:0{length}d}"))
            stop = bisect_right(candidates, (length, f"{part.last:0{length}d}"))
            yield from (digits for _, digits in candidates[start:stop])

    # Lookup by the beginning of a name

    @property
    def families(self) -> dict[Key, int]:
        """The prefix and suffix of all names with a number, in natural order, with their index."""
        if self._families is None:
            ordered = sorted(self._blocks, key=lambda key: (*map(natural, key),))
            self._families = {key: number for number, key in enumerate(ordered)}
        return self._families

    def _beginning(self, typed: str) -> Iterator[tuple[Key, list[tuple[int, int, int]]]]:
        """The families that can have names with this beginning, in order, with their numbers.

        The numbers are given as number of digits, lowest and highest.
        """
        for key in self.families:
            prefix, suffix = key
            lengths = sorted(self._blocks[key])
            if prefix.startswith(typed):
                yield key, [(length, 0, 10**length - 1) for length in lengths]
            elif typed.startswith(prefix):
                found = list(_numbers_from(typed[len(prefix) :], suffix, lengths))
                if found:
                    yield key, found

    def beginning_with(self, typed: str, most: int) -> list[Named]:
        """Completions of a typed text: groups of hosts first, then single hosts; at most ``most``.

        The text itself is not included. A group is all names of one family that begin with the
        text, such as ``n[10-19]`` for ``n1``; with too many gaps only its single names are given.
        """
        groups: list[Named] = []
        names: list[Named] = []
        for (prefix, suffix), parts in islice(self._beginning(typed), most):
            blocks = self._blocks[prefix, suffix]
            found = (
                HostRange(prefix, first, last, length, suffix)
                for length, low, high in parts
                for first, last in _joined(_within(blocks[length], low, high))
            )
            ranges = list(islice(found, max(most, _FEW + 1 + len(parts))))
            whole = Builder()
            for run in ranges:
                whole.add(run)
            size = len(whole.firsts)
            if (size == 1 and whole.firsts != whole.lasts) or 1 < size <= _FEW:
                nodes = sum(
                    last - first + 1
                    for length, low, high in parts
                    for first, last, _ in _within(blocks[length], low, high)
                )
                groups.append(Named(format_hosts(whole.done()), nodes))
            others = (
                Named(run.name(number), sum(1 for _ in _within(blocks[run.width], number, number)))
                for run in ranges
                for number in range(run.first, run.last + 1)
                if run.name(number) != typed
            )
            names += islice(others, max(most - len(names), 0))
        names += [
            Named(name, len(self._names[name]))
            for name in sorted(self._names)
            if name.startswith(typed) and name != typed
        ]
        return (groups + names)[:most]

    def places_beginning_with(self, typed: str) -> Iterator[int]:
        """The places of the names that begin with a text, in natural order."""
        for name in sorted(self._names):
            if name.startswith(typed):
                yield from self._names[name]
        for key, parts in self._beginning(typed):
            for length, low, high in parts:
                for first, last, place in _within(self._blocks[key][length], low, high):
                    yield from range(place, place + last - first + 1)


def _numbers_from(rest: str, suffix: str, lengths: Iterable[int]) -> Iterator[tuple[int, int, int]]:
    tail = rest.lstrip(DIGITS)
    digits = rest[: len(rest) - len(tail)]
    if not digits or len(digits) > MAX_DIGITS or not suffix.startswith(tail):
        return
    for length in lengths:
        if length == len(digits) or (length > len(digits) and not tail):
            scale = 10 ** (length - len(digits))
            yield length, int(digits) * scale, (int(digits) + 1) * scale - 1


def _joined(rows: Iterable[_Row]) -> Iterator[tuple[int, int]]:
    """The numbers of ascending rows as ranges, neither overlapping nor adjacent."""
    begin, end = -1, -2
    for first, last, _ in rows:
        if first > end + 1:
            if begin >= 0:
                yield begin, end
            begin = first
        end = max(end, last)
    if begin >= 0:
        yield begin, end


class HostNumbers:
    """Numbers hosts in the order in which they are first added."""

    __slots__ = ("_known", "_named")

    def __init__(self) -> None:
        self._known = HostIndex(HostList())
        self._named = Builder()

    @property
    def count(self) -> int:
        """The number of different hosts added so far."""
        return self._known.count

    def add(self, hosts: HostList) -> tuple[IdSet, IdSet]:
        """Return the numbers of these hosts, and of those that the list names more than once.

        Linear in the ranges and in the names that are already known in another form, such as
        every tenth name of ``n[0-99]`` after ``n[0-9]5``.
        """
        runs: list[tuple[int, int]] = []
        for group in hosts.walk():
            first = group.first
            known = sorted(self._known.runs(group))
            for begin, end, number in (*known, (group.last + 1, group.last, 0)):
                if first < begin:
                    new = group._replace(first=first, last=begin - 1)
                    runs.append((self.count, self.count + begin - 1 - first))
                    self._known.add(new)
                    self._named.add(new)
                if begin <= end:
                    runs.append((number, number + end - begin))
                first = end + 1
        return IdSet.from_ranges(runs), repeated(runs)

    def knows(self, hosts: HostList) -> bool:
        """Whether all of these hosts have a number already."""
        return all(
            sum(end - begin + 1 for begin, end, _ in self._known.runs(group))
            == group.last - group.first + 1
            for group in hosts.walk()
        )

    def hosts(self) -> HostList:
        """The names in the order of their numbers; nothing may be added afterwards."""
        return self._named.done()


def same_names(one: HostList, other: HostList) -> bool:
    """Whether two lists name the same hosts, regardless of order and repetition."""
    both = HostNumbers()
    both.add(one)
    size = both.count
    named, _ = both.add(other)
    return both.count == size == named.count


# Completion


#: The index without hosts.
NO_HOSTS = HostIndex(HostList())


def completions(text: str, cursor: int, known: HostIndex = NO_HOSTS) -> list[Completion]:
    """What may be typed at the cursor of a hostlist: hosts of the cluster, then punctuation.

    A name or a group of names replaces the text after the last comma; a punctuation mark has an
    empty span.
    """
    cursor = max(0, min(cursor, len(text)))
    before = re.sub(r"\[[^]]*", lambda inside: "." * len(inside[0]), text[:cursor])
    typed = text[before.rfind(",") + 1 : cursor]
    if not re.fullmatch(r"[!-+\--Z\\^-~]*(?:\[[0-9,-]*(?:\][!-+\--Z\\^-~]*)?)?", typed):
        return []
    prefix, bracket, body = typed.partition("[")
    signs: list[tuple[str, str]] = []
    found: list[Completion] = []
    if bracket and "]" not in body:
        if re.fullmatch(r"[0-9]+(?:-[0-9]+)?(?:,[0-9]+(?:-[0-9]+)?)*", body):
            signs = [*signs_after(body, "another number"), CLOSE]
    elif bracket:
        signs = [(",", "another host")]
    else:
        span = Span(cursor - len(typed), cursor)
        found = [
            Completion(one.text, span, counted(one.nodes, "node"), one.nodes)
            for one in known.beginning_with(prefix, MOST)
        ]
        if typed:
            signs = [("[", "a list of numbers, such as n[0-3]"), (",", "another host")]
    return found + [Completion(sign, Span(cursor, cursor), meaning) for sign, meaning in signs]
