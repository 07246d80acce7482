"""Compares two clusters: their nodes, the resources and the inside of nodes, and properties.

Nodes are identified by their indices; the nodes of both are paired first, by rank or host name.
"""

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from itertools import product, repeat
from operator import ne, or_
from typing import Any, Literal, NamedTuple, TypeAlias

from fluxtui.model.cancellation import Stop, Stopped, never_stop, stop_if
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

#: A run of paired nodes: the index of the first one before, that after, and their number.
Run: TypeAlias = tuple[int, int, int]

#: How many nodes to process between two checks for cancellation.
BLOCK = 1 << 15
#: From this average number of host names per range on, ranges are looked up instead of names.
LONG = 16

#: How many ranges of a hostlist or an idset a row shows.
NAMED = 12
#: The maximum number of groups of added or removed nodes, and of moves, with a row each.
MOST = 20
#: Names wider than this are not aligned, so that they do not widen the column.
ALIGNED = 32
#: The maximum number of moves that JSON lists one by one.
MOST_MOVES = 1000

Sign: TypeAlias = Literal["+", "-", "~"]

_STATES = "States of nodes"  # the group of rows about states

_PLANES = 8  # how many masks fit into one byte per node
_BOOLS = bytes.maketrans(b"\x00\x01", b"01")


class Pairing:
    """Pairs the nodes of two clusters.

    before, after  the number of nodes of each cluster
    where          for each node after its index before, or ``before`` if it is new
    """

    __slots__ = ("after", "before", "where")

    def __init__(
        self, before: int, after: int, runs: Iterable[Run], stop: Stop = never_stop
    ) -> None:
        """Take the runs of paired nodes; no node may be in two runs."""
        self.before = before
        self.after = after
        self.where = array("i", (before,)) * after
        for number, (begin, at, count) in enumerate(runs):
            if not number % BLOCK:
                stop_if(stop)
            self.where[at : at + count] = array("i", range(begin, begin + count))

    def node_before(self, index: int) -> int | None:
        """The index before of a node after, or None if it is new."""
        found = self.where[index]
        return found if found < self.before else None

    def paired(self, stop: Stop = never_stop) -> int:
        """The nodes after that existed before, as a mask."""
        return _unlike(self.where, array("i", (self.before,)) * self.after, stop)

    def carry(self, masks: Sequence[int], stop: Stop = never_stop) -> list[int]:
        """Convert masks over the nodes before to masks over the nodes after."""
        out: list[int] = []
        for at in range(0, len(masks), _PLANES):
            some = masks[at : at + _PLANES]
            values = bytes(self.values(packed(some, self.before), 0, stop))
            for bit in range(len(some)):
                stop_if(stop)
                out.append(unpacked(values, bit))
        return out

    def values(self, values: Sequence[int], none: int, stop: Stop = never_stop) -> list[int]:
        """Convert numbers of the nodes before to numbers of the nodes after; new ones get none."""
        value = [*values, none].__getitem__
        found: list[int] = []
        for at in range(0, self.after, BLOCK):
            stop_if(stop)
            found.extend(map(value, self.where[at : at + BLOCK]))
        return found

    def inverse(self, stop: Stop = never_stop) -> "Pairing":
        """The pairing in the other direction: the index after of each node before."""
        found = Pairing(self.after, self.before, (), stop)
        where = found.where
        where.append(0)  # a slot for the new nodes
        for at in range(0, self.after, BLOCK):
            stop_if(stop)
            for index, begin in enumerate(self.where[at : at + BLOCK], at):
                where[begin] = index
        where.pop()
        return found


def by_rank(before: IdSet, after: IdSet, stop: Stop = never_stop) -> Pairing:
    """Pair nodes with the same rank."""
    common = (before & after).ranges
    runs = ((before.index(a) or 0, after.index(a) or 0, b - a + 1) for a, b in common)
    return Pairing(before.count, after.count, runs, stop)


def by_host(before: HostList, after: HostList, stop: Stop = never_stop) -> Pairing | None:
    """Pair nodes with the same host name; None if several nodes share a name."""
    is_long = all(len(one.rows[0]) * LONG <= one.count for one in (before, after))
    runs = (_by_range if is_long else _by_name)(before, after, stop)
    return None if runs is None else Pairing(before.count, after.count, runs, stop)


def _by_range(before: HostList, after: HostList, stop: Stop) -> list[Run] | None:
    """Pair the hosts range by range; None if a name occurs twice."""
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
    """Pair the hosts one by one; None if a name occurs twice."""
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
    at_before, at_after = places
    return [(at_before[name], at, 1) for name, at in at_after.items() if name in at_before]


def _unlike(one: Sequence[object], other: Sequence[object], stop: Stop) -> int:
    """The indices at which two sequences of the same length differ, as a mask."""
    parts = []
    for at in range(0, len(one), BLOCK):
        stop_if(stop)
        some, others = one[at : at + BLOCK], other[at : at + BLOCK]
        parts.append(bytes(len(some) if some == others else map(ne, some, others)))
    return int(b"".join(parts)[::-1].translate(_BOOLS) or b"0", 2)


@dataclass(frozen=True, slots=True)
class ResourceChange:
    """Nodes, by their indices after, whose cores or gpus changed."""

    what: What
    before: IdSet
    after: IdSet
    nodes: IdSet


@dataclass(frozen=True, slots=True)
class InsideChange:
    """Nodes, by their indices after, whose inside (RFC 49) changed."""

    before: Domain
    after: Domain
    nodes: IdSet


@dataclass(frozen=True, slots=True)
class PropertyChange:
    """The nodes, as masks over those after, that gained a property, and those that lost it."""

    name: str
    gained: int
    lost: int


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """All differences between a cluster before and one after.

    Masks are over the nodes after, unless stated otherwise.

    by         what nodes are paired by
    why_ranks  why nodes are not paired by host name; empty if they are, or ranks were requested
    pairing    the indices before of the nodes after; inverse has the opposite direction
    removed    the nodes that no longer exist, as a mask over the nodes before
    changed    the nodes that are in both but differ; changed_before is over the nodes before
    moved      by host: the nodes with another rank; by rank: those with another host name
    """

    before: Resources
    after: Resources
    by: By
    why_ranks: str
    pairing: Pairing
    inverse: Pairing
    added: int
    removed: int
    changed: int
    changed_before: int
    moved: int
    resource_changes: tuple[ResourceChange, ...]
    inside_changes: tuple[InsideChange, ...]
    property_changes: tuple[PropertyChange, ...]

    @property
    def same(self) -> int:
        """The nodes that are in both and do not differ."""
        return less(self.after.everything, self.added | self.changed)

    @property
    def is_same(self) -> bool:
        """Whether nothing changed."""
        return not (self.added or self.removed or self.changed)

    def before_of(self, mask: int) -> int:
        """Convert a mask over the nodes after to one over the nodes before, without added ones."""
        return self.inverse.carry((mask,))[0] if mask else 0


def changes(
    before: Resources, after: Resources, by: By | None = None, stop: Stop = never_stop
) -> Changes | None:
    """Compare the resources before and after; None if stop says so.

    Nodes are paired by host name if each has a unique one, else by rank; ``by`` requests one of
    these, but host names only if possible. Takes time for each node: not for the event loop.
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
    inverse, paired = pairing.inverse(stop), pairing.paired(stop)
    changed = moved = moved & paired
    resource_changes = tuple(_resource_changes(before, after, pairing, paired, stop))
    inside_changes = tuple(_inside_changes(before, after, pairing, paired, stop))
    for nodes in (*(c.nodes for c in resource_changes), *(c.nodes for c in inside_changes)):
        changed |= idset.to_mask(nodes)
    carried = pairing.carry([*before.properties.values()], stop)
    had = dict(zip(before.properties, carried, strict=True))
    has = {name: mask & paired for name, mask in after.properties.items()}
    names = dict.fromkeys((*has, *had))
    both = [(name, had.get(name, 0), has.get(name, 0)) for name in names]
    property_changes = tuple(
        PropertyChange(name, less(b, a), less(a, b)) for name, a, b in both if a != b
    )
    for prop in property_changes:
        changed |= prop.gained | prop.lost
    return Changes(
        before,
        after,
        by,
        why,
        pairing,
        inverse,
        added=less(after.everything, paired),
        removed=less(before.everything, inverse.paired(stop)),
        changed=changed,
        changed_before=inverse.carry((changed,), stop)[0],
        moved=moved,
        resource_changes=resource_changes,
        inside_changes=inside_changes,
        property_changes=property_changes,
    )


def _renamed(before: HostList, after: HostList, pairing: Pairing, stop: Stop) -> int:
    """The paired nodes whose host name changed, as a mask over the nodes after.

    Names may occur several times, and a node may have none.
    """
    names_before = [*before, *repeat("", pairing.before + 1 - before.count)]
    names_after = [*after, *repeat("", pairing.after - after.count)]
    stop_if(stop)
    return _unlike([names_before[place] for place in pairing.where], names_after, stop)


def _resource_changes(
    before: Resources, after: Resources, pairing: Pairing, paired: int, stop: Stop
) -> list[ResourceChange]:
    numbers: dict[tuple[IdSet, IdSet], int] = {(idset.EMPTY, idset.EMPTY): 0}
    each: list[list[int]] = []  # a number for the cores and gpus of each node, for each cluster
    for one in (before, after):
        stop_if(stop)
        own = [numbers.setdefault((k.cores, k.gpus), len(numbers)) for k in one.kinds]
        each.append([*map([0, *own].__getitem__, one.kind_numbers)])
    kinds = list(numbers)
    groups: dict[tuple[What, IdSet, IdSet], list[int]] = {}
    for (old, new), indices in _renumbered(each, pairing, paired, stop).items():
        for what, was, now in zip(_WHAT, kinds[old], kinds[new], strict=True):
            if was != now:
                groups.setdefault((what, was, now), []).extend(indices)
    found = [ResourceChange(*key, IdSet.of(indices)) for key, indices in groups.items()]
    return sorted(found, key=lambda change: (change.what, change.nodes.first))


def _inside_changes(
    before: Resources, after: Resources, pairing: Pairing, paired: int, stop: Stop
) -> list[InsideChange]:
    if not before.topologies and not after.topologies:
        return []
    numbers: dict[Domain, int] = {WHOLE: 0}
    each: list[list[int]] = []
    for one in (before, after):
        stop_if(stop)
        own = [numbers.setdefault(ordered(t.node), len(numbers)) for t in one.topologies]
        each.append([*map([0, *own].__getitem__, one.topology_numbers)])
    insides = list(numbers)
    groups = _renumbered(each, pairing, paired, stop).items()
    found = [InsideChange(insides[a], insides[b], IdSet.of(indices)) for (a, b), indices in groups]
    return sorted(found, key=lambda change: change.nodes.first)


def _renumbered(
    each: Sequence[Sequence[int]], pairing: Pairing, paired: int, stop: Stop
) -> dict[tuple[int, int], list[int]]:
    """The paired nodes whose number changed, by the numbers before and after.

    each has the numbers of the nodes before, and those of the nodes after.
    """
    was, now = pairing.values(each[0], 0, stop), each[1]
    nodes: dict[tuple[int, int], list[int]] = {}
    for number, index in enumerate(idset.from_mask(_unlike(was, now, stop) & paired)):
        if not number % BLOCK:
            stop_if(stop)
        nodes.setdefault((was[index], now[index]), []).append(index)
    return nodes


@dataclass(frozen=True, slots=True)
class Move:
    """Nodes, by their indices after, and their ranks before and after.

    If in_order, all ranks changed by the same number.
    """

    nodes: IdSet
    before: IdSet
    after: IdSet
    in_order: bool = True


def moves(changes: Changes, most: int) -> list[Move]:
    """Group the nodes with another rank by the difference, those with the lowest index first.

    If there are more than ``most`` differences, all nodes are in one move that is not in order.
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


class StateChange(NamedTuple):
    """The nodes, as a mask over those after, that changed from one state to another."""

    was: NodeState
    now: NodeState
    nodes: int


def state_changes(changes: Changes, before: NodeStates, after: NodeStates) -> list[StateChange]:
    """The paired nodes whose state changed, in the order of the states after."""
    had = changes.pairing.carry([before.by_state[state] for state in STATES])
    both = product(STATES, zip(STATES, had, strict=True))
    found = (StateChange(was, now, after.by_state[now] & mask) for now, (was, mask) in both)
    return [change for change in found if change.was != change.now and change.nodes]


# Rows of a report, and JSON


@dataclass(frozen=True, slots=True)
class Row:
    """One change: ``+`` for something added, ``-`` for removed, ``~`` for changed.

    nodes  a mask over the nodes after, or with ``-`` over the nodes before
    names  their hosts, or their ranks if nodes are paired by rank, cut; or another subject
    group  the heading that the row belongs to; empty for the nodes themselves
    jobs   the number of jobs that the row is about
    """

    sign: Sign
    nodes: int
    names: str
    words: str
    group: str = ""
    jobs: int = 0

    @property
    def size(self) -> str:
        """The number of nodes or jobs: ``4 nodes``; empty if the row is about neither."""
        if self.jobs:
            return counted(self.jobs, "job")
        return counted(self.nodes.bit_count(), "node") if self.nodes else ""


def headline(changes: Changes, rows: Sequence[Row] = ()) -> str:
    """Summarise: ``4 nodes added · 2 removed · 8 changed · 189 the same``, or that nothing changed.

    rows are all rows of the report, including those that are not about the nodes themselves.
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
    phrases = (f"{count:,} {words}" for count, words in more)
    return " · ".join((f"{counted(first, 'node')} {word}", *phrases))


def matched_by(changes: Changes) -> str:
    """Say how the nodes were paired."""
    if changes.by == "host":
        return "matched by host name"
    return "matched by rank" + (f": {changes.why_ranks}" if changes.why_ranks else "")


def report(changes: Changes, rows: Sequence[Row], before: str, after: str) -> list[str]:
    """The lines of a report: both documents with their names, the rows, and the summary."""
    if not rows:
        return [headline(changes)]
    width = max(len(before), len(after))
    heads = []
    for sign, name, resources in (("-", before, changes.before), ("+", after, changes.after)):
        heads.append(f"{sign} {name:<{width}}  {', '.join(resources.whole.words())}")
    return [*heads, "", *lines(rows), "", f"{headline(changes, rows)} ({matched_by(changes)})"]


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """The rows as lines under their headings: ``~ 4 nodes  n[4-7]  cores 48 → 64``."""
    sizes, names = layout(rows)
    group = ""
    for row in rows:
        if row.group != group:
            yield from ([""] if row is not rows[0] else [])
            yield (group := row.group)
        yield f"{row.sign} {row.size:>{sizes}}  {row.names:<{names}}  {row.words}".rstrip()


def layout(rows: Sequence[Row]) -> tuple[int, int]:
    """The widths in columns of the sizes and of the names of rows, so that the rest is aligned."""
    sizes = max((len(row.size) for row in rows), default=0)
    fitting = (len(row.names) for row in rows if len(row.names) <= ALIGNED)
    return sizes, max(fitting, default=0)


def _inside_words(change: InsideChange) -> list[str]:
    """A phrase for each difference inside; only the first ones if there are very many."""
    found = differences(change.before, change.after)
    more = len(found) - MOST
    return [*found[:MOST], f"{more:,} more"] if more > 0 else found


def rows(changes: Changes, states: Iterable[StateChange] = ()) -> Iterator[Row]:
    """A row for each change: added, removed and moved nodes, then changes of resources, the inside
    of nodes, properties and states.
    """
    before, after, by_rank = changes.before, changes.after, changes.by == "rank"

    def row(sign: Sign, nodes: int, resources: Resources, words: str, group: str = "") -> Row:
        names = (resources.ranks_text if by_rank else resources.hosts_of)(nodes, limit=NAMED)
        lead = f"{plural('rank', nodes.bit_count())} " if by_rank else ""
        return Row(sign, nodes, f"{lead}{names}", words, group)

    unpaired: tuple[tuple[Sign, int, Resources], ...] = (
        ("+", changes.added, after),
        ("-", changes.removed, before),
    )
    for sign, mask, resources in unpaired:
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
    for change in changes.resource_changes:
        yield row("~", idset.to_mask(change.nodes), after, _resource_words(change))
    for inside in changes.inside_changes[:MOST]:
        yield row("~", idset.to_mask(inside.nodes), after, "; ".join(_inside_words(inside)))
    if others := changes.inside_changes[MOST:]:
        mask = reduce(or_, (idset.to_mask(inside.nodes) for inside in others))
        yield row("~", mask, after, f"other things inside, in {len(others):,} ways")
    for prop in changes.property_changes:
        for mask, verb in ((prop.gained, "gained"), (prop.lost, "lost")):
            if mask:
                yield row("~", mask, after, f"{verb} property {prop.name}")
    for was, now, nodes in states:
        yield row("~", nodes, after, f"{was} → {now}", _STATES)


def _resource_words(change: ResourceChange) -> str:
    """``cores 48 → 64``; if the number is the same, the ids: ``cores 0-3 → 4-7``."""
    if change.before.count == change.after.count:
        return f"{change.what} {_ids(change.before)} → {_ids(change.after)}"
    return f"{change.what} {change.before.count:,} → {change.after.count:,}"


def _ids(ids: IdSet) -> str:
    return idset.format(ids, NAMED)


def node_groups(resources: Resources, mask: int, most: int) -> list[tuple[int, tuple[str, ...]]]:
    """Group the nodes of a mask; each group has the properties that all of its nodes have.

    Nodes of a group have the same numbers of cores and gpus and the same properties. If there are
    more than ``most`` groups, all nodes are one. Groups are in the order of their lowest index.
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
    states: Iterable[StateChange] | None = None,
) -> dict[str, Any]:
    """The differences as a JSON object, with complete hosts and ranks.

    rows are all rows of the report, so that ``same`` is true if there are none. configuration and
    states are the changes of these, or None if not both have a configuration, or states.
    """
    before, after = changes.before, changes.after

    def named(nodes: IdSet | int, resources: Resources = after) -> dict[str, Any]:
        """The number of nodes, their ranks, and their hosts in the order of the ranks."""
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
    for change in changes.resource_changes:
        ids = {"from": str(change.before), "to": str(change.after)}
        resized[change.what].append(ids | named(change.nodes))
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
                "from": inside_json(inside.before),
                "to": inside_json(inside.after),
                "changes": differences(inside.before, inside.after, named=MOST_MOVES),
                **named(inside.nodes),
            }
            for inside in changes.inside_changes
        ],
        "properties": {
            prop.name: {"gained": named(prop.gained), "lost": named(prop.lost)}
            for prop in changes.property_changes
        },
        **(
            {"states": [{"from": was, "to": now} | named(nodes) for was, now, nodes in states]}
            if states is not None
            else {}
        ),
        **({"configuration": configuration} if configuration is not None else {}),
    }


def node_changes(changes: Changes, index: int) -> list[str]:
    """The changes of a paired node, a phrase each, such as ``cores 48 → 64``; index is after."""
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
    found += [_resource_words(c) for c in changes.resource_changes if index in c.nodes]
    for inside in changes.inside_changes:
        if index in inside.nodes:
            found += _inside_words(inside)
    for prop in changes.property_changes:
        if has(prop.gained, index):
            found.append(f"gained property {prop.name}")
        elif has(prop.lost, index):
            found.append(f"lost property {prop.name}")
    return found
