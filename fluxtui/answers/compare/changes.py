"""What differs from one cluster to another: nodes, their cores and gpus, their properties.

Nodes are known by their indices, and the nodes of both are paired first: by rank, or by host name.
"""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from operator import ne
from typing import Literal, TypeAlias

from fluxtui.model.cancellation import Stop, Stopped, going_on, stop_if
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets import idset
from fluxtui.notation.sets.bits import less, packed, unpacked
from fluxtui.notation.sets.host_index import HostIndex
from fluxtui.notation.sets.hostlist import HostList
from fluxtui.notation.sets.idset import IdSet

By: TypeAlias = Literal["rank", "host"]
What: TypeAlias = Literal["cores", "gpus"]

_WHAT: tuple[What, What] = ("cores", "gpus")

#: Nodes that are the same ones: the first of them before, the first of them after, how many.
Run: TypeAlias = tuple[int, int, int]

#: Nodes that are looked at before it is asked whether to stop.
BLOCK = 1 << 15
#: Host names that a range has on the average from which on ranges are looked up, and not names.
LONG = 16

_PLANES = 8  # masks that go into one byte for each node
_BOOLS = bytes.maketrans(b"\x00\x01", b"01")


class Pairing:
    """For each node of a cluster the one that it is in another.

    before, after  how many nodes either cluster has
    where          for each node after its index before; ``before`` where it was not there
    """

    __slots__ = ("after", "before", "where")

    def __init__(self, before: int, after: int, runs: Iterable[Run], stop: Stop = going_on) -> None:
        """Take the nodes that are the same ones; no node may be in two runs."""
        self.before = before
        self.after = after
        self.where = array("i", (before,)) * after
        for number, (begin, at, count) in enumerate(runs):
            if not number % BLOCK:
                stop_if(stop)
            self.where[at : at + count] = array("i", range(begin, begin + count))

    def node_before(self, index: int) -> int | None:
        """The index before of a node after; None where it was not there."""
        found = self.where[index]
        return found if found < self.before else None

    def paired(self, stop: Stop = going_on) -> int:
        """The nodes after that were there before, as a mask."""
        return _unlike(self.where, array("i", (self.before,)) * self.after, stop)

    def carry(self, masks: Sequence[int], stop: Stop = going_on) -> list[int]:
        """Masks over the nodes before as masks over the nodes after."""
        out: list[int] = []
        for at in range(0, len(masks), _PLANES):
            some = masks[at : at + _PLANES]
            values = bytes(self.values(packed(some, self.before), 0, stop))
            for bit in range(len(some)):
                stop_if(stop)
                out.append(unpacked(values, bit))
        return out

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
        found = Pairing(self.after, self.before, (), stop)
        where = found.where
        where.append(0)  # takes what was not there
        for at in range(0, self.after, BLOCK):
            stop_if(stop)
            for index, begin in enumerate(self.where[at : at + BLOCK], at):
                where[begin] = index
        where.pop()
        return found


def by_rank(before: IdSet, after: IdSet, stop: Stop = going_on) -> Pairing:
    """Nodes are the same where their ranks are."""
    common = (before & after).ranges
    runs = ((before.index(a) or 0, after.index(a) or 0, b - a + 1) for a, b in common)
    return Pairing(before.count, after.count, runs, stop)


def by_host(before: HostList, after: HostList, stop: Stop = going_on) -> Pairing | None:
    """Nodes are the same where their host names are; None where several share a name."""
    is_long = all(len(one.rows[0]) * LONG <= one.count for one in (before, after))
    runs = (_by_range if is_long else _by_name)(before, after, stop)
    return None if runs is None else Pairing(before.count, after.count, runs, stop)


def _by_range(before: HostList, after: HostList, stop: Stop) -> list[Run] | None:
    """The hosts of both, range by range; None where a name is there twice."""
    index = HostIndex(before)
    for one, names in ((before, index), (after, HostIndex(after))):
        runs = (run for group in one.walk() for run in names.runs(group))
        if sum(last - first + 1 for first, last, _ in runs) > one.count:
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
    places: list[dict[str, int]] = []
    for hosts in (before, after):
        found: dict[str, int] = {}
        for number, name in enumerate(hosts):
            if not number % BLOCK:
                stop_if(stop)
            found[name] = number
        if len(found) < hosts.count:
            return None
        places.append(found)
    ours, theirs = places
    return [(ours[name], at, 1) for name, at in theirs.items() if name in ours]


def _unlike(one: Sequence[object], other: Sequence[object], stop: Stop) -> int:
    """The places at which two sequences of the same length differ, as a mask."""
    parts = []
    for at in range(0, len(one), BLOCK):
        stop_if(stop)
        some, others = one[at : at + BLOCK], other[at : at + BLOCK]
        parts.append(bytes(len(some) if some == others else map(ne, some, others)))
    return int(b"".join(parts)[::-1].translate(_BOOLS) or b"0", 2)


@dataclass(frozen=True, slots=True)
class Resized:
    """Nodes that have other cores, or other gpus, than before.

    before, after  the ids that they had, and those that they have
    nodes          which nodes, by their indices after
    """

    what: What
    before: IdSet
    after: IdSet
    nodes: IdSet


@dataclass(frozen=True, slots=True)
class Turned:
    """The nodes, as masks over those after, that got a property, and those that lost it."""

    name: str
    gained: int
    lost: int


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """All that differs from a cluster before to one after.

    Masks are over the nodes after, but for those that say that they are over the nodes before.

    by         what shows that two nodes are the same one
    why_ranks  why it is not the host names; blank where it is, or where ranks were asked for
    pairing    which node after is which before; back is the same the other way round
    removed    the nodes before, as a mask over these, that are not there any more
    changed    the nodes that are in both, and not the same
    changed_before  the same nodes as a mask over those before
    moved      by host: the nodes that have another rank; by rank: those that have another host name
    resized    the nodes with other cores or gpus, grouped by what these were and are
    """

    before: Resources
    after: Resources
    by: By
    why_ranks: str
    pairing: Pairing
    back: Pairing
    added: int
    removed: int
    changed: int
    changed_before: int
    moved: int
    resized: tuple[Resized, ...]
    turned: tuple[Turned, ...]

    @property
    def same(self) -> int:
        """The nodes that are in both, with nothing changed."""
        return less(self.after.everything, self.added | self.changed)

    @property
    def is_same(self) -> bool:
        """Nothing is changed at all."""
        return not (self.added or self.removed or self.changed)

    def before_of(self, mask: int) -> int:
        """Nodes after, as a mask over what they were before; added ones were nothing."""
        return self.back.carry((mask,))[0] if mask else 0


def changes(
    before: Resources, after: Resources, by: By | None = None, stop: Stop = going_on
) -> Changes | None:
    """What differs from the resources before to those after; None where it is to stop.

    Nodes are identified by their host names where each of them has one of its own, else by their
    ranks; by asks for one of both. Takes time for each node: not for the event loop.
    """
    try:
        return _changes(before, after, by, stop)
    except Stopped:
        return None


def _changes(before: Resources, after: Resources, by: By | None, stop: Stop) -> Changes:
    why, pairing = "", None
    if by != "rank":
        is_named = all(one.hosts.count >= one.node_count for one in (before, after))
        pairing = by_host(before.hosts, after.hosts, stop) if is_named else None
        if pairing is None:
            shared, missing = "several nodes share a host name", "not every node has a host name"
            why = shared if is_named else missing
    ranks = by_rank(before.ranks, after.ranks, stop)
    if pairing is None:
        by, pairing = "rank", ranks
        moved = _renamed(before.hosts, after.hosts, pairing, stop)
    else:
        by, moved = "host", _unlike(pairing.where, ranks.where, stop)
    back, here = pairing.back(stop), pairing.paired(stop)
    changed = moved = moved & here
    resized = tuple(_resized(before, after, pairing, here, stop))
    for one in resized:
        changed |= idset.to_mask(one.nodes)
    carried = pairing.carry([*before.properties.values()], stop)
    had = dict(zip(before.properties, carried, strict=True))
    has = {name: mask & here for name, mask in after.properties.items()}
    names = dict.fromkeys((*has, *had))
    both = [(name, had.get(name, 0), has.get(name, 0)) for name in names]
    turned = tuple(Turned(name, less(b, a), less(a, b)) for name, a, b in both if a != b)
    for prop in turned:
        changed |= prop.gained | prop.lost
    return Changes(
        before,
        after,
        by,
        why,
        pairing,
        back,
        added=less(after.everything, here),
        removed=less(before.everything, back.paired(stop)),
        changed=changed,
        changed_before=back.carry((changed,), stop)[0],
        moved=moved,
        resized=resized,
        turned=turned,
    )


def _renamed(before: HostList, after: HostList, pairing: Pairing, stop: Stop) -> int:
    """The paired nodes, as a mask over those after, whose host name is another than before.

    Names may be there several times, and a node need not have one. Of nodes that were not there
    before it says nothing of use.
    """
    ours = [*before, *repeat("", pairing.before + 1 - before.count)]
    theirs = [*after, *repeat("", pairing.after - after.count)]
    stop_if(stop)
    return _unlike([ours[place] for place in pairing.where], theirs, stop)


def _resized(
    before: Resources, after: Resources, pairing: Pairing, here: int, stop: Stop
) -> list[Resized]:
    """The paired nodes that have other cores or gpus, grouped."""
    numbers: dict[tuple[IdSet, IdSet], int] = {(idset.EMPTY, idset.EMPTY): 0}
    each: list[list[int]] = []  # for each node of either cluster the number of what it has
    for one in (before, after):
        stop_if(stop)
        held = [numbers.setdefault((k.cores, k.gpus), len(numbers)) for k in one.kinds]
        each.append([*map([0, *held].__getitem__, one.kind_numbers)])
    ours, theirs = pairing.values(each[0], 0, stop), each[1]
    nodes: dict[tuple[int, int], list[int]] = {}
    for number, index in enumerate(idset.from_mask(_unlike(ours, theirs, stop) & here)):
        if not number % BLOCK:
            stop_if(stop)
        nodes.setdefault((ours[index], theirs[index]), []).append(index)
    kinds = list(numbers)
    groups: dict[tuple[What, IdSet, IdSet], list[int]] = {}
    for (old, new), indices in nodes.items():
        for what, was, now in zip(_WHAT, kinds[old], kinds[new], strict=True):
            if was != now:
                groups.setdefault((what, was, now), []).extend(indices)
    found = [Resized(*key, IdSet.of(indices)) for key, indices in groups.items()]
    return sorted(found, key=lambda one: (one.what, one.nodes.first))


@dataclass(frozen=True, slots=True)
class Move:
    """Nodes, by their indices after, and their ranks before and after.

    Where these are in the same order, all became larger, or smaller, by the same number.
    """

    nodes: IdSet
    before: IdSet
    after: IdSet
    in_order: bool = True


def moves(changes: Changes, most: int) -> list[Move]:
    """The nodes with another rank, by how far they moved, those with the lowest index first.

    Where they moved by more than so many different distances, they are one move without one.
    Takes time for each of them: not for the event loop.
    """
    nodes = idset.from_mask(changes.moved)
    if not nodes:
        return []
    was, now = array("q", changes.before.ranks), array("q", changes.after.ranks)
    where, pick = changes.pairing.where, changes.after.ranks.pick
    found: dict[int, list[int]] = {}
    for index in nodes:
        found.setdefault(now[index] - was[where[index]], []).append(index)
        if len(found) > most:
            before = changes.before.ranks_of(changes.before_of(changes.moved))
            return [Move(nodes, before, pick(nodes), in_order=False)]
    out = []
    for by, indices in found.items():
        moved, after = IdSet.of(indices), pick(IdSet.of(indices))
        out.append(Move(moved, after.shifted(-by), after))
    return out
