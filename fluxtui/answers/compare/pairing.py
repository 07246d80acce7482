"""Which node of one cluster is which of another: by their ranks, or by their host names."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from operator import ne
from typing import TypeAlias

from fluxtui.model.cancellation import Stop, going_on, stop_if
from fluxtui.notation.sets.bitplanes import packed, unpacked
from fluxtui.notation.sets.host_index import HostIndex
from fluxtui.notation.sets.hosts import HostList
from fluxtui.notation.sets.idset import IdSet

#: Nodes that are looked at before it is asked whether to stop.
BLOCK = 1 << 15
#: So many runs are moved as they are, by shifts; with more of them node by node.
FEW = 8
#: Host names that a range has on the average from which on ranges are looked up, and not names.
LONG = 16

_PLANES = 8  # masks that go into one byte for each node
_BOOLS = bytes.maketrans(b"\x00\x01", b"01")

#: Nodes that are the same ones: the first of them before, the first of them after, how many.
Run: TypeAlias = tuple[int, int, int]


class Pairing:
    """For each node of a cluster the one that it is in another; nodes are known by their indices.

    before, after  how many nodes either cluster has
    where          for each node after its index before; ``before`` where it was not there
    runs           the same as (before, after, how many), ascending by the nodes after; None where
                   there are too many of them
    """

    __slots__ = ("after", "before", "runs", "where")

    def __init__(self, before: int, after: int, runs: Iterable[Run], stop: Stop = going_on) -> None:
        """Take the runs, ascending by the nodes after; no node may be in two of them."""
        self.before = before
        self.after = after
        self.where = array("i", (before,)) * after
        first: list[Run] = []
        for number, run in enumerate(_coalesced(runs)):
            if not number % BLOCK:
                stop_if(stop)
            begin, at, count = run
            self.where[at : at + count] = array("i", range(begin, begin + count))
            if len(first) <= FEW:
                first.append(run)
        self.runs: tuple[Run, ...] | None = tuple(first) if len(first) <= FEW else None

    @property
    def is_plain(self) -> bool:
        """Each node has the index that it had, and none came or went."""
        same = self.before == self.after
        return same and self.runs == (((0, 0, self.after),) if self.after else ())

    def node_before(self, index: int) -> int | None:
        """The index before of a node after; None where it was not there."""
        found = self.where[index]
        return found if found < self.before else None

    def paired(self, stop: Stop = going_on) -> int:
        """The nodes after that were there before, as a mask."""
        return self.carry(((1 << self.before) - 1,), stop)[0]

    def carry(self, masks: Sequence[int], stop: Stop = going_on) -> list[int]:
        """Masks over the nodes before as masks over the nodes after."""
        if self.runs is not None:
            return [self._shifted(mask, self.runs) for mask in masks]
        out: list[int] = []
        for at in range(0, len(masks), _PLANES):
            some = masks[at : at + _PLANES]
            values = bytes(self.values(packed(some, self.before), 0, stop))
            for bit in range(len(some)):
                stop_if(stop)
                out.append(unpacked(values, bit))
        return out

    def _shifted(self, mask: int, runs: Iterable[Run]) -> int:
        found = 0
        for begin, at, count in runs:
            found |= (mask >> begin & ((1 << count) - 1)) << at
        return found

    def values(self, values: Sequence[int], none: int, stop: Stop = going_on) -> list[int]:
        """A number for each node before as one for each node after; none where it was not there."""
        value = [*values, none].__getitem__
        found: list[int] = []
        for at in range(0, self.after, BLOCK):
            stop_if(stop)
            found.extend(map(value, self.where[at : at + BLOCK]))
        return found

    def back(self, stop: Stop = going_on) -> "Pairing":
        """The same the other way round: for each node before the one that it is after."""
        if self.runs is not None:
            turned = sorted(((at, begin, count) for begin, at, count in self.runs), key=_second)
            return Pairing(self.after, self.before, turned, stop)
        found = Pairing(self.after, self.before, (), stop)
        found.runs = None
        where = found.where
        where.append(0)  # takes what was not there
        for at in range(0, self.after, BLOCK):
            stop_if(stop)
            for index, begin in enumerate(self.where[at : at + BLOCK], at):
                where[begin] = index
        where.pop()
        return found

    def other_than(self, other: "Pairing", stop: Stop = going_on) -> int:
        """The nodes after that are another one, or none, by another pairing of the same nodes."""
        if self.runs is not None and self.runs == other.runs:
            return 0
        return unlike(self.where, other.where, stop)


def _second(run: Run) -> int:
    return run[1]


def _coalesced(runs: Iterable[Run]) -> Iterator[Run]:
    """Runs that go on from one to the next, made one."""
    begin = at = count = 0
    for run in runs:
        if count and run[0] == begin + count and run[1] == at + count:
            count += run[2]
            continue
        if count:
            yield begin, at, count
        begin, at, count = run
    if count:
        yield begin, at, count


def unlike(one: Sequence[object], other: Sequence[object], stop: Stop = going_on) -> int:
    """The places at which two sequences of the same length differ, as a mask."""
    parts = []
    for at in range(0, len(one), BLOCK):
        stop_if(stop)
        parts.append(bytes(map(ne, one[at : at + BLOCK], other[at : at + BLOCK])))
    return int(b"".join(parts)[::-1].translate(_BOOLS) or b"0", 2)


def by_rank(before: IdSet, after: IdSet, stop: Stop = going_on) -> Pairing:
    """Nodes are the same where their ranks are."""
    common = (before & after).ranges
    runs = ((before.index(a) or 0, after.index(a) or 0, b - a + 1) for a, b in common)
    return Pairing(before.count, after.count, runs, stop)


def by_host(before: HostList, after: HostList, stop: Stop = going_on) -> Pairing | None:
    """Nodes are the same where their host names are; None where a name stands for several."""
    is_long = all(len(one.rows[0]) * LONG <= one.count for one in (before, after))
    places = (_by_range if is_long else _by_name)(before, after, stop)
    return None if places is None else Pairing(before.count, after.count, places, stop)


def _by_range(before: HostList, after: HostList, stop: Stop) -> list[Run] | None:
    """The hosts of both, range by range; None where a name is there twice."""
    index = HostIndex(before)
    for one, names in ((before, index), (after, HostIndex(after))):
        runs = (run for group in one.walk() for run in names.ranges(group))
        if sum(last - first + 1 for first, last in runs) > one.count:
            return None
    found: list[Run] = []
    at = 0
    for group in after.walk():
        stop_if(stop)
        for first, last, place in index.runs(group):
            found.append((place, at + first - group.first, last - first + 1))
        at += group.last - group.first + 1
    return found


def _by_name(before: HostList, after: HostList, stop: Stop) -> list[Run] | None:
    """The same, name by name."""
    places = _places(before, stop)
    if len(places) < before.count:
        return None
    if before.rows == after.rows:
        return [(0, 0, after.count)] if after.count else []
    others = _places(after, stop)
    if len(others) < after.count:
        return None
    return [(places[name], at, 1) for name, at in others.items() if name in places]


def _places(hosts: HostList, stop: Stop) -> dict[str, int]:
    """The place of each name, of a repeated one the last."""
    found: dict[str, int] = {}
    for number, name in enumerate(hosts):
        if not number % BLOCK:
            stop_if(stop)
        found[name] = number
    return found


def renamed(before: HostList, after: HostList, pairing: Pairing, stop: Stop = going_on) -> int:
    """The paired nodes after, as a mask, whose host name is another one than before.

    Names may be there several times, and a node need not have one. Of nodes that were not there
    before it says nothing of use.
    """
    if pairing.runs is not None:
        runs = pairing.runs
        return sum(_renamed(before, begin, after, at, many, stop) for begin, at, many in runs)
    ours = [*before, *repeat("", pairing.before + 1 - before.count)]
    theirs = [*after, *repeat("", pairing.after - after.count)]
    stop_if(stop)
    return unlike([ours[place] for place in pairing.where], theirs, stop)


def _renamed(before: HostList, begin: int, after: HostList, at: int, count: int, stop: Stop) -> int:
    """The same of the nodes of one run; halves of it whose names are equal are told by ranges."""
    ours, theirs = _part(before, begin, count), _part(after, at, count)
    if ours == theirs:
        return 0
    if count > BLOCK:
        half = count // 2
        return _renamed(before, begin, after, at, half, stop) | _renamed(
            before, begin + half, after, at + half, count - half, stop
        )
    stop_if(stop)
    names = [*ours, *repeat("", count - ours.count)]
    return unlike(names, [*theirs, *repeat("", count - theirs.count)], stop) << at


def _part(hosts: HostList, first: int, count: int) -> HostList:
    """The hosts from a place on, as many as there are of so many."""
    last = min(first + count, hosts.count) - 1
    return hosts.pick([(first, last)] if first <= last else ())
