"""What differs from one cluster to another: nodes, their cores and gpus, their properties."""

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fluxtui.answers.compare.pairing import BLOCK, Pairing, by_host, by_rank, renamed, unlike
from fluxtui.model.cancellation import Stop, Stopped, going_on, stop_if
from fluxtui.model.resources.document import Resources
from fluxtui.notation.sets import idset
from fluxtui.notation.sets.bits import less
from fluxtui.notation.sets.idset import IdSet

By: TypeAlias = Literal["rank", "host"]
What: TypeAlias = Literal["cores", "gpus"]

_WHAT: tuple[What, What] = ("cores", "gpus")


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

    by         what shows that two nodes are the same one: their host names, or their ranks
    why_ranks  why it is not the host names; blank where it is, or where ranks were asked for
    pairing    which node after is which before
    back       the same the other way round
    added      the nodes that were not there before
    removed    the nodes before, as a mask over these, that are not there any more
    changed    the nodes that are in both, and not the same
    changed_before  the same nodes as a mask over those before
    moved      by host: the nodes that have another rank; by rank: those that have another host name
    resized    the nodes with other cores or gpus, grouped by what these were and are
    turned     the properties that nodes got or lost, in document order
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
    pairing, matched_by, why = _paired(before, after, by, stop)
    back = pairing.back(stop)
    here = pairing.paired(stop)
    moved = _moved(before, after, pairing, matched_by, stop) & here
    resized = tuple(_resized(before, after, pairing, here, stop))
    turned = tuple(_turned(before, after, pairing, here, stop))
    changed = moved
    for one in resized:
        changed |= idset.to_mask(one.nodes)
    for prop in turned:
        changed |= prop.gained | prop.lost
    return Changes(
        before,
        after,
        matched_by,
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


def why_not_by_host(before: Resources, after: Resources) -> str:
    """Why nodes cannot be identified by their host names; blank where they can, or may be."""
    for one in (before, after):
        if one.hosts.count < one.node_count:
            return "not every node has a host name"
    return ""


def _paired(
    before: Resources, after: Resources, by: By | None, stop: Stop
) -> tuple[Pairing, By, str]:
    """The pairing, what it goes by, and why that is not the host names."""
    why = ""
    if by != "rank":
        why = why_not_by_host(before, after)
        found = None if why else by_host(before.hosts, after.hosts, stop)
        if found is not None:
            return found, "host", ""
        why = why or "several nodes share a host name"
    return by_rank(before.ranks, after.ranks, stop), "rank", why


def _moved(before: Resources, after: Resources, pairing: Pairing, by: By, stop: Stop) -> int:
    """The paired nodes whose rank is another, or, by rank, whose host name is."""
    if by == "rank":
        return renamed(before.hosts, after.hosts, pairing, stop)
    if pairing.is_plain and before.ranks == after.ranks:
        return 0
    return pairing.other_than(by_rank(before.ranks, after.ranks, stop), stop)


# Cores and gpus


def _resized(
    before: Resources, after: Resources, pairing: Pairing, here: int, stop: Stop
) -> list[Resized]:
    """The paired nodes that have other cores or gpus, grouped."""
    numbers: dict[tuple[IdSet, IdSet], int] = {(idset.EMPTY, idset.EMPTY): 0}
    for kind in (*before.kinds, *after.kinds):
        numbers.setdefault((kind.cores, kind.gpus), len(numbers))
    ours = pairing.values(_numbers(before, numbers, stop), 0, stop)
    theirs = list(_numbers(after, numbers, stop))
    nodes: dict[tuple[int, int], list[int]] = {}
    for number, index in enumerate(idset.from_mask(unlike(ours, theirs, stop) & here)):
        if not number % BLOCK:
            stop_if(stop)
        nodes.setdefault((ours[index], theirs[index]), []).append(index)
    kinds = list(numbers)
    groups: dict[tuple[What, IdSet, IdSet], list[int]] = {}
    for (one, other), indices in nodes.items():
        for what, was, now in zip(_WHAT, kinds[one], kinds[other], strict=True):
            if was != now:
                groups.setdefault((what, was, now), []).extend(indices)
    found = [Resized(*key, IdSet.of(indices)) for key, indices in groups.items()]
    return sorted(found, key=lambda one: (one.what, one.nodes.first))


def _numbers(
    resources: Resources, numbers: Mapping[tuple[IdSet, IdSet], int], stop: Stop
) -> "array[int]":
    """The number of each node's cores and gpus, 0 where it has none."""
    found = array("i", bytes(4 * resources.node_count))
    for kind in resources.kinds:
        stop_if(stop)
        number = numbers[kind.cores, kind.gpus]
        for first, last in zip(kind.indices.starts, kind.indices.ends, strict=True):
            if first == last:
                found[first] = number
            else:
                found[first : last + 1] = array("i", (number,)) * (last - first + 1)
    return found


# Properties


def _turned(
    before: Resources, after: Resources, pairing: Pairing, here: int, stop: Stop
) -> Iterator[Turned]:
    """The properties that paired nodes got or lost."""
    names = list(before.properties)
    carried = dict(zip(names, pairing.carry([*before.properties.values()], stop), strict=True))
    for name in dict.fromkeys((*after.properties, *names)):
        had, has = carried.get(name, 0), after.properties.get(name, 0) & here
        if had != has:
            yield Turned(name, less(has, had), less(had, has))


# Ranks


@dataclass(frozen=True, slots=True)
class Move:
    """Nodes whose ranks became larger, or smaller, by the same number.

    nodes   which nodes, by their indices after
    before  their ranks before; after are those that they have, in the same order
    by      the number that was added; None where it is another one for each of them
    """

    nodes: IdSet
    before: IdSet
    after: IdSet
    by: int | None


def moves(changes: Changes, most: int) -> list[Move]:
    """The nodes with another rank, by how far they moved, those with the lowest index first.

    Where they moved by more than so many different distances, they are one move without one.
    Takes time for each of them: not for the event loop.
    """
    nodes = idset.from_mask(changes.moved)
    if not nodes:
        return []
    was, now = array("q", changes.before.ranks), array("q", changes.after.ranks)
    where = changes.pairing.where
    found: dict[int, list[int]] = {}
    for index in nodes:
        found.setdefault(now[index] - was[where[index]], []).append(index)
        if len(found) > most:
            before = changes.before.ranks_of(changes.before_of(changes.moved))
            return [Move(nodes, before, changes.after.ranks.pick(nodes), None)]
    moved = ((IdSet.of(indices), by) for by, indices in found.items())
    afters = ((nodes, changes.after.ranks.pick(nodes), by) for nodes, by in moved)
    return [Move(nodes, after.shifted(-by), after, by) for nodes, after, by in afters]
