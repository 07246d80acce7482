"""Numbers for host names, in the order in which they are first named, kept as ranges (RFC 29)."""

from fluxtui.notation.sets.host_index import HostIndex
from fluxtui.notation.sets.hosts import Builder, HostList, HostRange
from fluxtui.notation.sets.ranges import IdSet, repeated

Run = tuple[int, int]


class HostNumbers:
    """Gives each host the next number when it is first named, and that same one ever after.

    A name is the same host however it was written: ``foo[08-10]`` holds ``foo10``.
    """

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
        numbers = IdSet.from_ranges(runs)
        if numbers.count == sum(last - first + 1 for first, last in runs):
            return numbers, IdSet()
        return numbers, repeated(runs)

    def _numbers(self, group: HostRange) -> list[Run]:
        """What a range stands for; what is not known yet is noted."""
        found: list[Run] = []
        first = group.first
        for begin, end, number in self._known.runs(group):
            if first < begin:
                found.append(self._note(group._replace(first=first, last=begin - 1)))
            found.append((number, number + end - begin))
            first = end + 1
        if first <= group.last:
            found.append(self._note(group._replace(first=first)))
        return found

    def _note(self, group: HostRange) -> Run:
        number = self.count
        self._known.add(group)
        self._named.add(group)
        return number, self.count - 1

    def knows(self, hosts: HostList) -> bool:
        """Each of these hosts has its number already."""
        for group in hosts.walk():
            first = group.first
            for begin, end, _ in self._known.runs(group):
                if first < begin:
                    return False
                first = end + 1
            if first <= group.last:
                return False
        return True

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
