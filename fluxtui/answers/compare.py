"""What differs from one cluster to another: nodes, what they have, their properties.

Nodes are known by their indices, and the nodes of both are paired first: by rank, or by host name.
"""

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from itertools import product, repeat
from operator import ne, or_
from typing import Any, Literal, NamedTuple, TypeAlias

from fluxtui.model.cancellation import Stop, Stopped, going_on, stop_if
from fluxtui.model.live.nodes import STATES, NodeState, NodeStates
from fluxtui.model.resources.resource_set import Resources
from fluxtui.model.resources.topology import WHOLE, Domain
from fluxtui.model.resources.topology_changes import differences, ordered
from fluxtui.model.resources.topology_changes import to_json as inside_json
from fluxtui.notation.problem import counted, plural
from fluxtui.notation.sets import idset
from fluxtui.notation.sets.bits import has, less, packed, unpacked
from fluxtui.notation.sets.host_index import HostIndex
from fluxtui.notation.sets.hostlist import HostList
from fluxtui.notation.sets.hostlist import format as format_hosts
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

#: Ranges of a hostlist or an idset that a row shows.
NAMED = 12
#: Groups of added or removed nodes, and moves, that have a row each; more are one row.
MOST = 20
#: Names of more columns than these push what follows out of its column.
ALIGNED = 32
#: Moves that JSON lists one by one.
MOST_MOVES = 1000

Sign: TypeAlias = Literal["+", "-", "~"]

_STATES = "States of nodes"  # the group of their rows

_PLANES = 8  # masks that go into one byte for each node
_BOOLS = bytes.maketrans(b"\x00\x01", b"01")


class Pairing:
    """For each node of a cluster after its index before; ``before`` where it was not there."""

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
        for first, last, place in sorted(index.runs(group)):
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
    """Nodes, by their indices after, that have other cores, or other gpus, than before."""

    what: What
    before: IdSet
    after: IdSet
    nodes: IdSet


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """Nodes, by their indices after, that have something else inside (RFC 49) than before."""

    before: Domain
    after: Domain
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
    changed    the nodes that are in both, and not the same; changed_before is these before
    moved      by host: the nodes that have another rank; by rank: those that have another host name
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
    rebuilt: tuple[Rebuilt, ...]
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
    rebuilt = tuple(_rebuilt(before, after, pairing, here, stop))
    for nodes in (*(one.nodes for one in resized), *(one.nodes for one in rebuilt)):
        changed |= idset.to_mask(nodes)
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
        rebuilt=rebuilt,
        turned=turned,
    )


def _renamed(before: HostList, after: HostList, pairing: Pairing, stop: Stop) -> int:
    """The paired nodes, as a mask over those after, whose host name is another than before.

    Names may be there several times, and a node need not have one.
    """
    ours = [*before, *repeat("", pairing.before + 1 - before.count)]
    theirs = [*after, *repeat("", pairing.after - after.count)]
    stop_if(stop)
    return _unlike([ours[place] for place in pairing.where], theirs, stop)


def _resized(
    before: Resources, after: Resources, pairing: Pairing, here: int, stop: Stop
) -> list[Resized]:
    numbers: dict[tuple[IdSet, IdSet], int] = {(idset.EMPTY, idset.EMPTY): 0}
    each: list[list[int]] = []  # for each node of either cluster the number of what it has
    for one in (before, after):
        stop_if(stop)
        held = [numbers.setdefault((k.cores, k.gpus), len(numbers)) for k in one.kinds]
        each.append([*map([0, *held].__getitem__, one.kind_numbers)])
    kinds = list(numbers)
    groups: dict[tuple[What, IdSet, IdSet], list[int]] = {}
    for (old, new), indices in _other(each, pairing, here, stop).items():
        for what, was, now in zip(_WHAT, kinds[old], kinds[new], strict=True):
            if was != now:
                groups.setdefault((what, was, now), []).extend(indices)
    found = [Resized(*key, IdSet.of(indices)) for key, indices in groups.items()]
    return sorted(found, key=lambda one: (one.what, one.nodes.first))


def _rebuilt(
    before: Resources, after: Resources, pairing: Pairing, here: int, stop: Stop
) -> list[Rebuilt]:
    if not before.topologies and not after.topologies:
        return []
    numbers: dict[Domain, int] = {WHOLE: 0}
    each: list[list[int]] = []
    for one in (before, after):
        stop_if(stop)
        held = [numbers.setdefault(ordered(t.node), len(numbers)) for t in one.topologies]
        each.append([*map([0, *held].__getitem__, one.topology_numbers)])
    insides = list(numbers)
    groups = _other(each, pairing, here, stop).items()
    found = [Rebuilt(insides[a], insides[b], IdSet.of(indices)) for (a, b), indices in groups]
    return sorted(found, key=lambda one: one.nodes.first)


def _other(
    each: Sequence[Sequence[int]], pairing: Pairing, here: int, stop: Stop
) -> dict[tuple[int, int], list[int]]:
    """The nodes of both that have another number than before, by both numbers.

    each has a number for each node before, and one for each node after.
    """
    ours, theirs = pairing.values(each[0], 0, stop), each[1]
    nodes: dict[tuple[int, int], list[int]] = {}
    for number, index in enumerate(idset.from_mask(_unlike(ours, theirs, stop) & here)):
        if not number % BLOCK:
            stop_if(stop)
        nodes.setdefault((ours[index], theirs[index]), []).append(index)
    return nodes


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


class Restated(NamedTuple):
    """The nodes, as a mask over those after, that were in one state and are in another."""

    was: NodeState
    now: NodeState
    nodes: int


def restated(changes: Changes, before: NodeStates, after: NodeStates) -> list[Restated]:
    """The nodes of both that are in another state than before, in the order of the states now."""
    had = changes.pairing.carry([before.by_state[state] for state in STATES])
    both = product(STATES, zip(STATES, had, strict=True))
    found = (Restated(was, now, after.by_state[now] & mask) for now, (was, mask) in both)
    return [one for one in found if one.was != one.now and one.nodes]


# As rows of a report, and as JSON


@dataclass(frozen=True, slots=True)
class Row:
    """One change: ``+`` for what came, ``-`` for what went, ``~`` for what is different.

    nodes  a mask over those after, or with ``-`` over those before
    names  their hosts, or where nodes go by their ranks these, cut; or what else it is about
    group  what it belongs to; empty for the nodes themselves
    jobs   how many jobs it is about
    """

    sign: Sign
    nodes: int
    names: str
    words: str
    group: str = ""
    jobs: int = 0

    @property
    def size(self) -> str:
        """How many nodes or jobs: ``4 nodes``; empty where it is about none."""
        if self.jobs:
            return counted(self.jobs, "job")
        return counted(self.nodes.bit_count(), "node") if self.nodes else ""


def headline(changes: Changes, rows: Sequence[Row] = ()) -> str:
    """``4 nodes added · 2 removed · 8 changed · 189 the same``, or that nothing is changed.

    rows are all changes, where there may be some that are not of the nodes themselves.
    """
    others = sum(row.nodes.bit_count() for row in rows if row.group == _STATES)
    if changes.is_same:
        count = counted(changes.after.node_count, "node")
        if not rows:
            return f"no change: {count} in both"
        is_configured = any(row.group != _STATES for row in rows)
        lead = "another configuration for the same" if is_configured else "the same"
        return f"{lead} {count}" + (f", {others:,} of them in another state" if others else "")
    counts = (
        (changes.added, "added"),
        (changes.removed, "removed"),
        (changes.changed, "changed"),
        (changes.same, "the same"),
    )
    (first, word), *more = ((mask.bit_count(), words) for mask, words in counts if mask)
    more += [(others, "in another state")] if others else []
    said = (f"{count:,} {words}" for count, words in more)
    return " · ".join((f"{counted(first, 'node')} {word}", *said))


def matched_by(changes: Changes) -> str:
    """What shows that two nodes are the same one."""
    if changes.by == "host":
        return "matched by host name"
    return "matched by rank" + (f": {changes.why_ranks}" if changes.why_ranks else "")


def report(changes: Changes, rows: Sequence[Row], before: str, after: str) -> list[str]:
    """All that is to be said, in lines: both documents by their names, the rows, what stayed."""
    if not rows:
        return [headline(changes)]
    width = max(len(before), len(after))
    heads = []
    for sign, name, resources in (("-", before, changes.before), ("+", after, changes.after)):
        heads.append(f"{sign} {name:<{width}}  {', '.join(resources.whole.words())}")
    return [*heads, "", *lines(rows), "", f"{headline(changes, rows)} ({matched_by(changes)})"]


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """The rows as text, a line each: ``~ 4 nodes  n[4-7]  cores 48 → 64``."""
    sizes, names = layout(rows)
    group = ""
    for row in rows:
        if row.group != group:
            yield from ([""] if row is not rows[0] else [])
            yield (group := row.group)
        yield f"{row.sign} {row.size:>{sizes}}  {row.names:<{names}}  {row.words}".rstrip()


def layout(rows: Sequence[Row]) -> tuple[int, int]:
    """How many columns the sizes and the names of rows take, so that what follows is aligned."""
    sizes = max((len(row.size) for row in rows), default=0)
    fitting = (len(row.names) for row in rows if len(row.names) <= ALIGNED)
    return sizes, max(fitting, default=0)


def _inside_words(one: Rebuilt) -> list[str]:
    """What is other inside, a phrase each; of very many the first."""
    found = differences(one.before, one.after)
    more = len(found) - MOST
    return [*found[:MOST], f"{more:,} more"] if more > 0 else found


def rows(changes: Changes, states: Iterable[Restated] = ()) -> Iterator[Row]:
    """The changes, a row each: what came, went, moved, then sizes, what is inside, properties and
    states.
    """
    before, after, by_rank = changes.before, changes.after, changes.by == "rank"

    def row(sign: Sign, nodes: int, resources: Resources, words: str, group: str = "") -> Row:
        names = (resources.ranks_text if by_rank else resources.hosts_of)(nodes, limit=NAMED)
        lead = f"{plural('rank', nodes.bit_count())} " if by_rank else ""
        return Row(sign, nodes, f"{lead}{names}", words, group)

    came: tuple[tuple[Sign, int, Resources], ...] = (
        ("+", changes.added, after),
        ("-", changes.removed, before),
    )
    for sign, mask, resources in came:
        for nodes, properties in node_groups(resources, mask, MOST):
            parts = resources.totals(nodes).words()[1:]
            parts += [" ".join(properties)] if properties else []
            yield row(sign, nodes, resources, " · ".join(parts))
    if by_rank and changes.moved:
        was = before.hosts_of(changes.before_of(changes.moved), limit=NAMED)
        now = after.hosts_of(changes.moved, limit=NAMED)
        words = f"hosts {was or 'without names'} → {now or 'without names'}"
        yield row("~", changes.moved, after, words)
    for move in moves(changes, MOST) if not by_rank else ():
        words = f"{plural('rank', move.before.count)} {_ids(move.before)} → {_ids(move.after)}"
        words += "" if move.in_order else ", in another order"
        yield row("~", idset.to_mask(move.nodes), after, words)
    for one in changes.resized:
        yield row("~", idset.to_mask(one.nodes), after, _size_words(one))
    for inside in changes.rebuilt[:MOST]:
        yield row("~", idset.to_mask(inside.nodes), after, "; ".join(_inside_words(inside)))
    if others := changes.rebuilt[MOST:]:
        mask = reduce(or_, (idset.to_mask(inside.nodes) for inside in others))
        yield row("~", mask, after, f"other things inside, in {len(others):,} ways")
    for turned in changes.turned:
        for mask, verb in ((turned.gained, "gained"), (turned.lost, "lost")):
            if mask:
                yield row("~", mask, after, f"{verb} property {turned.name}")
    for was, now, nodes in states:
        yield row("~", nodes, after, f"{was} → {now}", _STATES)


def _size_words(one: Resized) -> str:
    """``cores 48 → 64``; where there are as many as before, which: ``cores 0-3 → 4-7``."""
    if one.before.count == one.after.count:
        return f"{one.what} {_ids(one.before)} → {_ids(one.after)}"
    return f"{one.what} {one.before.count:,} → {one.after.count:,}"


def _ids(ids: IdSet) -> str:
    return idset.format(ids, NAMED)


def node_groups(resources: Resources, mask: int, most: int) -> list[tuple[int, tuple[str, ...]]]:
    """The nodes of a mask by what they are like, with the properties that all of a group have.

    Nodes of a group have the same number of cores and gpus and the same properties; where there
    are more than so many kinds of them, they are one group. Those with the lowest index come first.
    """
    if not mask:
        return []
    groups = [mask]
    sizes: dict[tuple[int, int], int] = {}
    for kind in resources.kinds:
        size = kind.cores.count, kind.gpus.count
        sizes[size] = sizes.get(size, 0) | kind.mask
        if len(sizes) > most:
            break
    for part in (*sizes.values(), *resources.properties.values()):
        groups = [half for nodes in groups for half in (nodes & part, less(nodes, part)) if half]
        if len(groups) > most:
            groups = [mask]
            break
    named = resources.properties.items()
    found = [(nodes, tuple(n for n, m in named if not less(nodes, m))) for nodes in groups]
    return sorted(found, key=lambda group: group[0] & -group[0])


def to_json(
    changes: Changes,
    rows: Collection[Row],
    configuration: Mapping[str, Any] | None = None,
    states: Iterable[Restated] | None = None,
) -> dict[str, Any]:
    """What differs as a JSON object; hosts and ranks are whole.

    rows tell all of it, with what the configuration of the second changes and which nodes are in
    other states, where both have one, or have states.
    """
    before, after = changes.before, changes.after

    def named(nodes: IdSet | int, resources: Resources = after) -> dict[str, Any]:
        """How many nodes, their ranks, and their hosts in the order of these."""
        nodes = idset.from_mask(nodes) if isinstance(nodes, int) else nodes
        hosts = format_hosts(resources.hosts.pick(nodes.ranges))
        return {"count": nodes.count, "ranks": str(resources.ranks.pick(nodes)), "hosts": hosts}

    moved = []
    for move in moves(changes, MOST_MOVES) if changes.by == "host" else ():
        both = {"from": {"ranks": str(move.before)}, "to": {"ranks": str(move.after)}}
        moved.append(named(move.nodes) | both | {"in_order": move.in_order})
    if changes.by == "rank" and changes.moved:
        was, now = before.hosts_of(changes.before_of(changes.moved)), after.hosts_of(changes.moved)
        both = {"from": {"hosts": was}, "to": {"hosts": now}}
        moved.append(named(changes.moved) | both | {"in_order": True})
    resized: dict[str, list[Any]] = {"cores": [], "gpus": []}
    for one in changes.resized:
        ids = {"from": str(one.before), "to": str(one.after)}
        resized[one.what].append(ids | named(one.nodes))
    return {
        "same": not rows,
        "by": changes.by,
        "before": asdict(before.whole),
        "after": asdict(after.whole),
        "added": named(changes.added),
        "removed": named(changes.removed, before),
        "changed": named(changes.changed),
        "unchanged": changes.same.bit_count(),
        "moved": moved,
        **resized,
        "inside": [
            {
                "from": inside_json(one.before),
                "to": inside_json(one.after),
                "changes": differences(one.before, one.after, named=MOST_MOVES),
                **named(one.nodes),
            }
            for one in changes.rebuilt
        ],
        "properties": {
            turned.name: {"gained": named(turned.gained), "lost": named(turned.lost)}
            for turned in changes.turned
        },
        **(
            {"states": [{"from": was, "to": now} | named(nodes) for was, now, nodes in states]}
            if states is not None
            else {}
        ),
        **({"configuration": configuration} if configuration is not None else {}),
    }


def of_node(changes: Changes, index: int) -> list[str]:
    """What is not as before in a node that was there: a phrase each, such as ``cores 48 → 64``."""
    was = changes.pairing.node_before(index)
    if was is None or not has(changes.changed, index):
        return []
    before, after = changes.before, changes.after
    found: list[str] = []
    if has(changes.moved, index):
        if changes.by == "host":
            found.append(f"rank {before.rank(was)} → {after.rank(index)}")
        else:
            old, new = (name or "without a name" for name in (before.host(was), after.host(index)))
            found.append(f"host {old} → {new}")
    found += [_size_words(one) for one in changes.resized if index in one.nodes]
    for inside in changes.rebuilt:
        if index in inside.nodes:
            found += _inside_words(inside)
    for turned in changes.turned:
        if has(turned.gained, index):
            found.append(f"gained property {turned.name}")
        elif has(turned.lost, index):
            found.append(f"lost property {turned.name}")
    return found
