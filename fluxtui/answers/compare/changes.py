"""What differs from one cluster to another: nodes, their cores and gpus, their properties."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from fluxtui.answers.compare.pairing import Pairing, by_host, by_rank, unlike
from fluxtui.answers.compare.pairing_names import BLOCK
from fluxtui.answers.compare.renaming import renamed
from fluxtui.model.cancellation import Stop, Stopped, going_on, stop_if
from fluxtui.model.resources.document import Resources
from fluxtui.notation.sets import idset
from fluxtui.notation.sets.bits import less
from fluxtui.notation.sets.idset import IdSet, from_mask
from fluxtui.notation.sets.idset import runs as runs_of

By = Literal["rank", "host"]
Kind = tuple[IdSet, IdSet]  # the ids of the cores, and of the gpus


class Resized(NamedTuple):
    """Nodes that have other cores, or other gpus, than before.

    before, after  the ids that they had, and those that they have
    nodes          which these are, by their indices after
    """

    what: Literal["cores", "gpus"]
    before: IdSet
    after: IdSet
    nodes: IdSet


class Turned(NamedTuple):
    """The nodes, as masks over those after, that got a property, and those that lost it."""

    name: str
    gained: int
    lost: int


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """All that differs from a cluster before to one after.

    Masks are over the nodes after, but for those that say that they are over the nodes before.

    by         what tells that two nodes are the same one: their host names, or their ranks
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

    Nodes are told by their host names where each of them has one of its own, else by their ranks;
    by asks for one of both. Takes time for each node: not for the event loop.
    """
    try:
        return _changes(before, after, by, stop)
    except Stopped:
        return None


def _changes(before: Resources, after: Resources, by: By | None, stop: Stop) -> Changes:
    pairing, told_by, why = _paired(before, after, by, stop)
    back = pairing.back(stop)
    here = pairing.paired(stop)
    moved = _moved(before, after, pairing, told_by, stop) & here
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
        told_by,
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
    """Why nodes cannot be told by their host names; blank where they can, or may be."""
    for one in (before, after):
        if one.hosts.count < one.node_count:
            return "not every node has a host name"
    return ""


def _paired(
    before: Resources, after: Resources, by: By | None, stop: Stop
) -> tuple[Pairing, By, str]:
    """The pairing, what it tells nodes by, and why that is not their host names."""
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
        own = not why_not_by_host(before, after)
        named = by_host(before.hosts, after.hosts, stop) if own else None
        if named is not None:
            return pairing.other_than(named, stop)
        return renamed(before.hosts, after.hosts, pairing, stop)
    if pairing.is_plain and before.ranks == after.ranks:
        return 0
    return pairing.other_than(by_rank(before.ranks, after.ranks, stop), stop)


# Cores and gpus


def _resized(
    before: Resources, after: Resources, pairing: Pairing, here: int, stop: Stop
) -> Iterator[Resized]:
    """The paired nodes that have other cores or gpus, grouped."""
    numbers = _numbered(before, after)
    width = (len(numbers).bit_length() + 7) // 8
    ours = [pairing.column(column, stop) for column in _columns(before, numbers, width, stop)]
    theirs = _columns(after, numbers, width, stop)
    differ = 0
    for one, other in zip(ours, theirs, strict=True):
        if one != other:
            differ |= unlike(one, other, stop)
    kinds = {tuple(number.to_bytes(width, "little")): kind for kind, number in numbers.items()}
    groups: dict[Resized, list[IdSet]] = {}
    for key, nodes in _by_values([*ours, *theirs], differ & here, stop).items():
        was, now = kinds[key[:width]], kinds[key[width:]]
        if was[0] != now[0]:
            groups.setdefault(Resized("cores", was[0], now[0], idset.EMPTY), []).append(nodes)
        if was[1] != now[1]:
            groups.setdefault(Resized("gpus", was[1], now[1], idset.EMPTY), []).append(nodes)
    whole = (one._replace(nodes=_union(parts)) for one, parts in groups.items())
    yield from sorted(whole, key=lambda one: (one.what, one.nodes.first))


def _numbered(before: Resources, after: Resources) -> dict[Kind, int]:
    """A number for each kind of node of both; 0 is that of a node which has nothing."""
    numbers: dict[Kind, int] = {(idset.EMPTY, idset.EMPTY): 0}
    for kind in (*before.kinds, *after.kinds):
        numbers.setdefault((kind.cores, kind.gpus), len(numbers))
    return numbers


def _columns(
    resources: Resources, numbers: Mapping[Kind, int], width: int, stop: Stop
) -> list[bytes]:
    """The number of each node's kind, a byte after the other, the lowest one first."""
    columns = [bytearray(resources.node_count) for _ in range(width)]
    for kind in resources.kinds:
        stop_if(stop)
        number = numbers[kind.cores, kind.gpus]
        for value, column in zip(number.to_bytes(width, "little"), columns, strict=True):
            for first, last in zip(kind.indices.starts, kind.indices.ends, strict=True):
                if first == last:
                    column[first] = value
                else:
                    column[first : last + 1] = bytes((value,)) * (last - first + 1)
    return [bytes(column) for column in columns]


def _by_values(columns: list[bytes], mask: int, stop: Stop) -> dict[tuple[int, ...], IdSet]:
    """The nodes of a mask by their values in columns."""
    found: dict[tuple[int, ...], list[int]] = {}
    for first, last in _blocks(from_mask(mask)):
        stop_if(stop)
        values = zip(*(column[first : last + 1] for column in columns), strict=True)
        for index, key in enumerate(values, first):
            found.setdefault(key, []).append(index)
    return {key: IdSet(*runs_of(indices)) for key, indices in found.items()}


def _blocks(nodes: IdSet) -> Iterator[tuple[int, int]]:
    for first, last in zip(nodes.starts, nodes.ends, strict=True):
        for at in range(first, last + 1, BLOCK):
            yield at, min(at + BLOCK - 1, last)


def _union(parts: Iterable[IdSet]) -> IdSet:
    first, *others = parts
    if not others:
        return first
    return IdSet.from_ranges(r for part in (first, *others) for r in part.ranges)


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
