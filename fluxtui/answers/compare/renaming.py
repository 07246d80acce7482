"""Which nodes have another host name than before, where something else tells which is which."""

from collections.abc import Iterator

from fluxtui.answers.compare.pairing import Pairing, Run
from fluxtui.answers.compare.pairing_names import BLOCK
from fluxtui.model.cancellation import Stop, going_on, stop_if
from fluxtui.notation.sets.hosts import HostList, HostRange
from fluxtui.notation.sets.idset import IdSet, to_mask

_NONE = HostRange("", 0, 0, 0, "")


def renamed(before: HostList, after: HostList, pairing: Pairing, stop: Stop = going_on) -> int:
    """The nodes after, as a mask, whose host name is another one than before.

    Names may be there several times, and a node need not have one. Nodes that were not there
    before are not renamed.
    """
    if pairing.is_plain and before.rows == after.rows:
        return 0
    found: list[tuple[int, int]] = []
    for number, (begin, at, count) in enumerate(_runs(pairing)):
        if not number % BLOCK:
            stop_if(stop)
        done = 0
        for one, other, size in _side_by_side(before, begin, after, at, count):
            found += _unlike(one, other, size, at + done)
            done += size
    return to_mask(IdSet.from_ranges(found))


def _runs(pairing: Pairing) -> Iterator[Run]:
    """The runs of a pairing, however many."""
    if pairing.runs is not None:
        yield from pairing.runs
        return
    first = at = count = 0
    for place, node in enumerate(pairing.where):
        if count and node == first + count < pairing.before:
            count += 1
            continue
        if count:
            yield first, at, count
        first, at, count = node, place, int(node < pairing.before)
    if count:
        yield first, at, count


def _side_by_side(
    before: HostList, begin: int, after: HostList, at: int, count: int
) -> Iterator[tuple[HostRange, HostRange, int]]:
    """The names of so many nodes, in pieces that stand within one range of either list."""
    ours, theirs = _pieces(before, begin, count), _pieces(after, at, count)
    one, mine = next(ours)
    other, yours = next(theirs)
    while True:
        size = min(mine, yours)
        yield one, other, size
        count -= size
        if not count:
            return
        one, mine = (_on(one, size), mine - size) if mine > size else next(ours)
        other, yours = (_on(other, size), yours - size) if yours > size else next(theirs)


def _pieces(hosts: HostList, start: int, count: int) -> Iterator[tuple[HostRange, int]]:
    """The ranges of so many nodes, each with its size; the last one holds those without a name."""
    for group in hosts.walk(start, start + count):
        size = group.last - group.first + 1
        yield group, size
        count -= size
    if count:
        yield _NONE, count


def _on(group: HostRange, by: int) -> HostRange:
    """What is left of a range after so many names."""
    return group._replace(first=group.first + by) if group.width else group


def _unlike(one: HostRange, other: HostRange, size: int, at: int) -> list[tuple[int, int]]:
    """Those of so many nodes from an index on whose names differ, as ranges."""
    if one.width == other.width and (one.prefix, one.suffix) == (other.prefix, other.suffix):
        return [] if one.first == other.first else [(at, at + size - 1)]
    if _NONE in (one, other):
        return [(at, at + size - 1)]
    return [
        (at + step, at + step)
        for step in range(size)
        if one.name(one.first + step) != other.name(other.first + step)
    ]
