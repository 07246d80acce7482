"""Numbers for host names, in the order in which they are first named, kept as ranges (RFC 29)."""

from bisect import bisect_left, bisect_right

from fluxtui.notation.hostindex import in_one_way
from fluxtui.notation.hosts import Builder, HostList, Style
from fluxtui.notation.ranges import IdSet, repeated

Run = tuple[int, int]


class HostNumbers:
    """Gives each host the next number when it is first named, and that same one ever after.

    A name is the same host however it was written: ``foo[08-10]`` holds ``foo10``. A range of
    names is never taken apart, but where a number stands in its suffix.
    """

    __slots__ = ("_known", "_named", "count")

    def __init__(self) -> None:
        self.count = 0
        self._known: dict[Style, _Known] = {}
        self._named = Builder()

    def add(self, hosts: HostList) -> tuple[IdSet, IdSet]:
        """The numbers of these hosts, and of those among them that the list names twice or more."""
        runs: list[Run] = []
        for group in hosts.walk():
            for part, _ in in_one_way(group):
                style = (part.prefix, part.width, part.suffix)
                known = self._known.setdefault(style, _Known())
                for first, last, number in known.numbers(part.first, part.last, self.count):
                    runs.append((number, number + last - first))
                    if number == self.count:
                        self._named.add(part._replace(first=first, last=last))
                        self.count += last - first + 1
        numbers = IdSet.from_ranges(runs)
        if numbers.count == sum(last - first + 1 for first, last in runs):
            return numbers, IdSet()
        return numbers, repeated(runs)

    def knows(self, hosts: HostList) -> bool:
        """Each of these hosts has its number already."""
        return all(
            (known := self._known.get((part.prefix, part.width, part.suffix))) is not None
            and known.has(part.first, part.last)
            for group in hosts.walk()
            for part, _ in in_one_way(group)
        )

    def hosts(self) -> HostList:
        """The names by their numbers; nothing is to be added afterwards."""
        return self._named.done()


class _Known:
    """Numbers in names of one style: disjoint ranges, ascending, with what they stand for."""

    __slots__ = ("bases", "firsts", "lasts")

    def __init__(self) -> None:
        self.firsts: list[int] = []
        self.lasts: list[int] = []
        self.bases: list[int] = []

    def has(self, first: int, last: int) -> bool:
        """Each number of a range is known."""
        at = bisect_left(self.lasts, first)
        while first <= last and at < len(self.firsts) and self.firsts[at] <= first:
            first = self.lasts[at] + 1
            at += 1
        return first > last

    def numbers(self, first: int, last: int, new: int) -> list[tuple[int, int, int]]:
        """What a range stands for, in runs (first, last, what the first stands for).

        What is not known yet is noted as the next ones, of which ``new`` is the first.
        """
        start, stop = bisect_left(self.lasts, first), bisect_right(self.firsts, last)
        firsts, lasts, bases = (row[start:stop] for row in (self.firsts, self.lasts, self.bases))
        found: list[tuple[int, int, int]] = []
        gaps: list[tuple[int, int, int]] = []
        for begin, end, base in zip(firsts, lasts, bases, strict=True):
            if first < begin:
                gaps.append((first, begin - 1, new))
                new += begin - first
                found.append(gaps[-1])
                first = begin
            found.append((first, min(last, end), base + first - begin))
            first = end + 1
        if first <= last:
            gaps.append((first, last, new))
            found.append(gaps[-1])
        if gaps:
            rows = sorted([*gaps, *zip(firsts, lasts, bases, strict=True)])
            for column, row in enumerate((self.firsts, self.lasts, self.bases)):
                row[start:stop] = [known[column] for known in rows]
        return found


def same_names(one: HostList, other: HostList) -> bool:
    """Two lists of hosts name the same ones, in whatever order and however often."""
    both = HostNumbers()
    both.add(one)
    size = both.count
    named, _ = both.add(other)
    return both.count == size == named.count
