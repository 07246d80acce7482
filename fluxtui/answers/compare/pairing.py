"""Which node of one cluster is which of another: by their ranks, or by their host names."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from operator import ne

from fluxtui.answers.compare.pairing_names import (
    BLOCK,
    Numbers,
    alternatives,
    hosts_in_order,
    ranks_in_order,
)
from fluxtui.model.cancellation import Stop, going_on, stop_if
from fluxtui.notation.sets.bitplanes import packed, unpacked
from fluxtui.notation.sets.hosts import HostList
from fluxtui.notation.sets.idset import IdSet

# So many runs are moved as they stand, by shifts; more of them node by node.
FEW = 8
# Runs of fewer nodes are noted node by node, which is faster for them.
SHORT = 5

_PLANES = 8  # masks that go into one byte for each node
_BOOLS = bytes.maketrans(b"\x00\x01", b"01")


# Nodes that are the same ones: the first of them before, the first of them after, how many.
Run = tuple[int, int, int]


class Pairing:
    """For each node of a cluster the one that it is in another; nodes are told by their indices.

    before, after  how many nodes either cluster has
    where          for each node after its index before; ``before`` where it was not there
    runs           the same as (before, after, how many), ascending by the nodes after; None where
                   there are too many of them
    """

    __slots__ = ("after", "before", "runs", "where")

    runs: tuple[Run, ...] | None

    def __init__(self, before: int, after: int, runs: Iterable[Run], stop: Stop = going_on) -> None:
        """Take the runs, in any order; no node may be in two of them."""
        self.before = before
        self.after = after
        self.where = array("i", (before,)) * after
        few: list[Run] | None = []
        source = iter(runs)
        while block := list(islice(source, BLOCK)):
            stop_if(stop)
            if few is not None:
                few = _coalesced([*few, *block])
                few = few if len(few) <= BLOCK else None
            self._put(block, stop)
        few = _coalesced(sorted(few, key=lambda run: run[1])) if few is not None else None
        self.runs = tuple(few) if few is not None and len(few) <= FEW else None

    def _put(self, runs: list[Run], stop: Stop) -> None:
        where = self.where
        for begin, at, count in runs:
            if count < SHORT:
                for step in range(count):
                    where[at + step] = begin + step
                continue
            for done in range(0, count, BLOCK):
                part = min(BLOCK, count - done)
                where[at + done : at + done + part] = array(
                    "i", range(begin + done, begin + done + part)
                )
                if done:
                    stop_if(stop)

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
            return [self._shifted(mask) for mask in masks]
        out: list[int] = []
        for at in range(0, len(masks), _PLANES):
            some = masks[at : at + _PLANES]
            stop_if(stop)
            column = self.column(packed(some, self.before), stop)
            for bit in range(len(some)):
                stop_if(stop)
                out.append(unpacked(column, bit))
        return out

    def _shifted(self, mask: int) -> int:
        found = 0
        for begin, at, count in self.runs or ():
            found |= (mask >> begin & ((1 << count) - 1)) << at
        return found

    def column(self, values: bytes, stop: Stop = going_on) -> bytes:
        """A byte for each node before as one for each node after; 0 where it was not there."""
        if self.is_plain:
            return values
        value = (values + b"\0").__getitem__
        parts = []
        for at in range(0, self.after, BLOCK):
            stop_if(stop)
            parts.append(bytes(map(value, self.where[at : at + BLOCK])))
        return b"".join(parts)

    def back(self, stop: Stop = going_on) -> "Pairing":
        """The same the other way round: for each node before the one that it is after."""
        if self.runs is not None:
            turned = ((at, begin, count) for begin, at, count in self.runs)
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


def unlike(one: Sequence[int], other: Sequence[int], stop: Stop = going_on) -> int:
    """The places at which two sequences of the same length differ, as a mask."""
    parts = []
    for at in range(0, len(one), BLOCK):
        stop_if(stop)
        ours, theirs = one[at : at + BLOCK], other[at : at + BLOCK]
        same = ours == theirs
        parts.append(bytes(len(ours)) if same else bytes(map(ne, ours, theirs)))
    return int(b"".join(parts)[::-1].translate(_BOOLS) or b"0", 2)


def by_rank(before: IdSet, after: IdSet, stop: Stop = going_on) -> Pairing:
    """Nodes are the same where their ranks are."""
    runs = _common(ranks_in_order(before), ranks_in_order(after))
    return Pairing(before.count, after.count, runs, stop)


def by_host(before: HostList, after: HostList, stop: Stop = going_on) -> Pairing | None:
    """Nodes are the same where their host names are; None where a name stands for several."""
    if _alike(before, after, stop):
        rows = hosts_in_order(after, alternatives((after,), stop), stop)
        plain = ((0, 0, after.count),) if after.count else ()
        return Pairing(after.count, after.count, plain, stop) if rows is not None else None
    otherwise = alternatives((before, after), stop)
    ours, theirs = (hosts_in_order(one, otherwise, stop) for one in (before, after))
    if ours is None or theirs is None:
        return None
    both = (_common(ours[key], names) for key, names in theirs.items() if key in ours)
    runs = chain.from_iterable(both)
    return Pairing(before.count, after.count, runs, stop)


def _alike(one: HostList, other: HostList, stop: Stop) -> bool:
    """Two lists are written alike, so that they are the same."""
    ones: tuple[Sequence[object], ...] = one.rows
    others: tuple[Sequence[object], ...] = other.rows
    if len(ones[0]) != len(others[0]):
        return False
    for ours, theirs in zip(ones, others, strict=True):
        for at in range(0, len(ours), BLOCK):
            stop_if(stop)
            if ours[at : at + BLOCK] != theirs[at : at + BLOCK]:
                return False
    return True


def _common(one: Numbers, other: Numbers) -> Iterator[Run]:
    """The numbers that both have, as runs of their nodes."""
    if one.firsts == other.firsts and one.lasts == other.lasts:
        counts = (last - first + 1 for first, last in zip(one.firsts, one.lasts, strict=True))
        yield from zip(one.nodes, other.nodes, counts, strict=True)
        return
    # Plain names for what the loop looks at: it goes round a million times.
    at, there, most, others = 0, 0, len(one.firsts), len(other.firsts)
    (firsts, lasts, ours), (begins, ends, theirs) = one, other
    while at < most and there < others:
        first, last, begin, end = firsts[at], lasts[at], begins[there], ends[there]
        low = first if first > begin else begin  # noqa: FURB136  # max takes twice as long
        high = last if last < end else end  # noqa: FURB136
        if low <= high:
            yield ours[at] + low - first, theirs[there] + low - begin, high - low + 1
        if last == high:
            at += 1
        else:
            there += 1


def _coalesced(runs: list[Run]) -> list[Run]:
    """Runs that go on from one to the next, made one."""
    found: list[Run] = []
    begin = at = count = -1
    for run in runs:
        if run[0] == begin + count and run[1] == at + count:
            count += run[2]
            continue
        if count > 0:
            found.append((begin, at, count))
        begin, at, count = run
    if count > 0:
        found.append((begin, at, count))
    return found
