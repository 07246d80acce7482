"""Host names by how they begin: what a name may become while it is being typed (RFC 29)."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import accumulate, islice
from typing import NamedTuple

from fluxtui.notation.sets.hosts import DIGITS, MAX_DIGITS, Builder, HostList, HostRange, Style
from fluxtui.notation.sets.hosts import format as format_hosts
from fluxtui.notation.sets.ranges import IdSet

# A group of hosts is offered as a whole where its text has at most so many ranges.
_FEW = 3
# Ways of writing a number behind one prefix that are looked at.
_MOST_STYLES = 64


class Named(NamedTuple):
    """A host name, or a hostlist of several, and how many nodes it stands for."""

    text: str
    nodes: int


class _Family:
    """The numbers behind one prefix: which there are, and how many nodes up to each."""

    __slots__ = ("_first_sums", "_firsts", "_last_sums", "_lasts", "numbers")

    def __init__(self, firsts: list[int], lasts: list[int]) -> None:
        self._firsts = sorted(firsts)
        self._lasts = sorted(lasts)
        self._first_sums = [0, *accumulate(self._firsts)]
        self._last_sums = [0, *accumulate(self._lasts)]
        self.numbers = IdSet.from_ranges(zip(firsts, lasts, strict=True))

    def _up_to(self, number: int) -> int:
        """How many nodes have this number or a lower one; a repeated name counts each time."""
        begun, ended = bisect_right(self._firsts, number), bisect_left(self._lasts, number)
        rise = begun * (number + 1) - self._first_sums[begun]
        return rise - (ended * number - self._last_sums[ended])

    def count(self, first: int, last: int) -> int:
        """How many nodes have a number from first to last."""
        return self._up_to(last) - self._up_to(first - 1)

    def within(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """The ranges of the numbers there are, from first to last, as far as they are asked for."""
        starts, ends = self.numbers.starts, self.numbers.ends
        for at in range(bisect_left(ends, first), len(starts)):
            if starts[at] > last:
                return
            yield max(starts[at], first), min(ends[at], last)


class HostNames:
    """The host names of a cluster, found by how they begin.

    To build it takes time linear in the ranges of the list (not in its names); a look-up does not
    grow with the list.
    """

    __slots__ = ("_behind", "_families", "_prefixes", "_whole", "_wholes", "hosts")

    def __init__(self, hosts: HostList) -> None:
        self.hosts = hosts
        rows: dict[Style, tuple[list[int], list[int]]] = {}
        self._whole: dict[str, int] = {}  # names without a number, and how often they occur
        styles, firsts, lasts = hosts.rows
        start = 0
        while start < len(styles):
            style, stop = styles[start], start + 1
            while stop < len(styles) and styles[stop] is style:
                stop += 1
            if style[1]:
                row = rows.setdefault(style, ([], []))
                row[0].extend(firsts[start:stop])
                row[1].extend(lasts[start:stop])
            else:
                self._whole[style[0]] = self._whole.get(style[0], 0) + stop - start
            start = stop
        self._behind: dict[str, list[Style]] = {}
        self._families: dict[Style, _Family] = {}
        for style, row in rows.items():
            self._families[style] = _Family(*row)
            self._behind.setdefault(style[0], []).append(style)
        self._prefixes = sorted(self._behind)
        self._wholes = sorted(self._whole)

    def beginning_with(self, typed: str, most: int) -> list[Named]:
        """What begins with a typed text: groups of hosts first, then the hosts; at most so many.

        The text itself is not among them. A group is all that goes on in the same way, such as
        ``n[10-19]`` for ``n1``; the names of one that has too many gaps come one by one.
        """
        groups: list[Named] = []
        names: list[Named] = []
        for style, intervals in islice(self._going_on(typed), most):
            family = self._families[style]
            ranges = (r for low, high in intervals for r in family.within(low, high))
            found = list(islice(ranges, max(most, _FEW + 1)))
            whole = self._group(style, family, intervals, found)
            if whole is not None:
                groups.append(whole)
            numbers = (n for first, last in found for n in range(first, last + 1))
            known = (Named(_name(style, n), family.count(n, n)) for n in numbers)
            single = (name for name in known if name.text != typed)
            names += islice(single, max(most - len(names), 0))
        at = bisect_left(self._wholes, typed)
        names += [
            Named(name, self._whole[name])
            for name in self._wholes[at : at + most]
            if name.startswith(typed) and name != typed
        ]
        return (groups + names)[:most]

    def _going_on(self, typed: str) -> Iterator[tuple[Style, list[tuple[int, int]]]]:
        """The styles that names which begin with a text are written in, with their numbers."""
        for end in range(len(typed)):
            for style in self._behind.get(typed[:end], ())[:_MOST_STYLES]:
                top = self._families[style].numbers.last
                if intervals := _intervals(typed[end:], style, top):
                    yield style, intervals
        for at in range(bisect_left(self._prefixes, typed), len(self._prefixes)):
            prefix = self._prefixes[at]
            if not prefix.startswith(typed):
                return
            for style in self._behind[prefix][:_MOST_STYLES]:
                yield style, [(0, self._families[style].numbers.last)]

    def _group(
        self,
        style: Style,
        family: _Family,
        intervals: list[tuple[int, int]],
        found: list[tuple[int, int]],
    ) -> Named | None:
        """All of them as one hostlist, where there are several and few ranges say it."""
        several = len(found) > 1 or (len(found) == 1 and found[0][0] < found[0][1])
        if not several or len(found) > _FEW:
            return None
        prefix, width, suffix = style
        out = Builder()
        for first, last in found:
            out.add(HostRange(prefix, first, last, width, suffix))
        nodes = sum(family.count(low, high) for low, high in intervals)
        return Named(format_hosts(out.done()), nodes)


def _name(style: Style, number: int) -> str:
    prefix, width, suffix = style
    return f"{prefix}{number:0{width}d}{suffix}"


def _intervals(rest: str, style: Style, top: int) -> list[tuple[int, int]]:
    """The numbers up to top that, written in a style behind its prefix, begin with a text."""
    _, width, suffix = style
    tail = rest.lstrip(DIGITS)
    digits = rest[: len(rest) - len(tail)]
    if not digits or len(digits) > MAX_DIGITS:
        return []
    number = int(digits)
    if tail:
        written = f"{number:0{width}d}" == digits and suffix.startswith(tail)
        return [(number, number)] if written else []
    found = []
    longest = max(width, len(str(top)))
    for length in range(max(width, len(digits)), longest + 1):
        if length > width and digits[0] == "0":
            break  # only what is padded to the width begins with a zero
        low = number * 10 ** (length - len(digits))
        found.append((low, low + 10 ** (length - len(digits)) - 1))
    return found
