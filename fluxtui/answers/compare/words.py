"""What differs from one cluster to another, as rows of a report and as JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from fluxtui.answers.compare.changes import Changes, Move, Resized, moves
from fluxtui.model.resources.document import Resources
from fluxtui.notation.sets import idset
from fluxtui.notation.sets.bits import has, less
from fluxtui.notation.sets.hosts import format as format_hosts
from fluxtui.notation.sets.idset import IdSet
from fluxtui.notation.wording import counted, plural

#: Ranges of a hostlist or an idset that a row shows.
NAMED = 12
#: Groups that added or removed nodes are told in, moves that are told, before all are one row.
MOST = 20
#: Names of more columns than these push what follows out of its column.
ALIGNED = 32
#: Moves that JSON tells of one by one.
MOST_MOVES = 1000

Sign: TypeAlias = Literal["+", "-", "~"]


@dataclass(frozen=True, slots=True)
class Row:
    """One change: some nodes and what happened to them.

    sign   ``+`` for what came, ``-`` for what went, ``~`` for what is different
    nodes  which nodes: a mask over those after, or with ``-`` over those before
    names  their hosts, or where nodes go by their ranks these, cut
    words  what happened, and what they hold
    """

    sign: Sign
    nodes: int
    names: str
    words: str

    @property
    def size(self) -> str:
        """How many nodes: ``4 nodes``."""
        return counted(self.nodes.bit_count(), "node")


def headline(changes: Changes) -> str:
    """``4 nodes added · 2 removed · 8 changed · 189 the same``, or that nothing is changed."""
    if changes.is_same:
        return f"no change: {counted(changes.after.node_count, 'node')} in both"
    counts = (
        (changes.added, "added"),
        (changes.removed, "removed"),
        (changes.changed, "changed"),
        (changes.same, "the same"),
    )
    (first, word), *others = ((mask.bit_count(), words) for mask, words in counts if mask)
    said = (f"{count:,} {words}" for count, words in others)
    return " · ".join((f"{counted(first, 'node')} {word}", *said))


def matched_by(changes: Changes) -> str:
    """What shows that two nodes are the same one."""
    if changes.by == "host":
        return "matched by host name"
    return "matched by rank" + (f": {changes.why_ranks}" if changes.why_ranks else "")


def report(changes: Changes, rows: Sequence[Row], before: str, after: str) -> list[str]:
    """All that is to be said, in lines: both documents by their names, the rows, what stayed."""
    if changes.is_same:
        return [headline(changes)]
    width = max(len(before), len(after))
    heads = (
        f"{sign} {name:<{width}}  {_size(resources)}"
        for sign, name, resources in (("-", before, changes.before), ("+", after, changes.after))
    )
    return [*heads, "", *lines(rows), "", f"{headline(changes)} ({matched_by(changes)})"]


def _size(resources: Resources) -> str:
    whole = resources.whole
    parts = [counted(whole.nodes, "node"), counted(whole.cores, "core")]
    if whole.gpus:
        parts.append(counted(whole.gpus, "gpu"))
    return ", ".join(parts)


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """The rows as text, a line each: ``~ 4 nodes  n[4-7]  cores 48 → 64``."""
    widths = layout(rows)
    for row in rows:
        yield f"{row.sign} {row.size:>{widths[0]}}  {row.names:<{widths[1]}}  {row.words}"


def layout(rows: Sequence[Row]) -> tuple[int, int]:
    """How many columns the sizes and the names of rows take, so that what follows is aligned."""
    sizes = max((len(row.size) for row in rows), default=0)
    fitting = (len(row.names) for row in rows if len(row.names) <= ALIGNED)
    return sizes, max(fitting, default=0)


def rows(changes: Changes) -> Iterator[Row]:
    """The changes, a row each: what came, what went, what moved, then sizes and properties."""
    before, after = changes.before, changes.after
    yield from _grouped("+", changes.added, after, changes)
    yield from _grouped("-", changes.removed, before, changes)
    yield from _moved(changes)
    for one in changes.resized:
        mask = idset.to_mask(one.nodes)
        yield Row("~", mask, names(mask, after, changes), resized(one))
    for turned in changes.turned:
        for mask, verb in ((turned.gained, "gained"), (turned.lost, "lost")):
            if mask:
                yield Row("~", mask, names(mask, after, changes), f"{verb} property {turned.name}")


def names(mask: int, resources: Resources, changes: Changes, limit: int | None = NAMED) -> str:
    """The nodes by what tells them: their hosts, or their ranks."""
    if changes.by == "host":
        return resources.hosts_of(mask, limit=limit)
    text = resources.ranks_text(mask, limit=limit)
    return f"{plural('rank', mask.bit_count())} {text}"


def resized(one: Resized) -> str:
    """``cores 48 → 64``; where there are as many as before, which: ``cores 0-3 → 4-7``."""
    if one.before.count == one.after.count:
        return f"{one.what} {_ids(one.before)} → {_ids(one.after)}"
    return f"{one.what} {one.before.count:,} → {one.after.count:,}"


def _ids(ids: IdSet) -> str:
    return idset.format(ids, NAMED)


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """Nodes with the same number of cores and gpus and the same properties.

    nodes       which nodes, as a mask
    properties  what all of them have, in document order
    """

    nodes: int
    properties: tuple[str, ...]


def node_groups(resources: Resources, mask: int, most: int) -> list[NodeGroup]:
    """The nodes of a mask by what they are like, those with the lowest index first.

    Where there are more than so many kinds of them, they are one group, with the properties that
    all of them have; empty for no nodes.
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
    found = [
        NodeGroup(nodes, tuple(n for n, m in resources.properties.items() if not less(nodes, m)))
        for nodes in groups
    ]
    return sorted(found, key=lambda group: group.nodes & -group.nodes)


def _grouped(sign: Sign, mask: int, resources: Resources, changes: Changes) -> Iterator[Row]:
    """Nodes that came or went, a row for those that are alike."""
    for group in node_groups(resources, mask, MOST):
        totals = resources.totals(group.nodes)
        parts = [counted(totals.cores, "core")]
        if totals.gpus:
            parts.append(counted(totals.gpus, "gpu"))
        if group.properties:
            parts.append(" ".join(group.properties))
        listed = names(group.nodes, resources, changes)
        yield Row(sign, group.nodes, listed, " · ".join(parts))


def _moved(changes: Changes) -> Iterator[Row]:
    """Nodes with other ranks, or by rank with other host names."""
    if changes.by == "rank":
        if changes.moved:
            was = changes.before.hosts_of(changes.before_of(changes.moved), limit=NAMED)
            now = changes.after.hosts_of(changes.moved, limit=NAMED)
            words = f"hosts {was or 'without names'} → {now or 'without names'}"
            listed = names(changes.moved, changes.after, changes)
            yield Row("~", changes.moved, listed, words)
        return
    for move in moves(changes, MOST):
        mask = idset.to_mask(move.nodes)
        yield Row("~", mask, names(mask, changes.after, changes), _move(move))


def _move(move: Move) -> str:
    """``rank 4 → 8``; says so where the nodes moved each by another distance."""
    words = f"{plural('rank', move.before.count)} {_ids(move.before)} → {_ids(move.after)}"
    return words if move.by is not None else f"{words}, in another order"


def to_json(changes: Changes) -> dict[str, Any]:
    """The changes as a JSON object; hosts and ranks are whole."""
    before, after = changes.before, changes.after
    found: dict[str, Any] = {
        "same": changes.is_same,
        "by": changes.by,
        "before": _totals(before),
        "after": _totals(after),
        "added": _listed(changes.added, after),
        "removed": _listed(changes.removed, before),
        "changed": _listed(changes.changed, after),
        "unchanged": changes.same.bit_count(),
    }
    found["moved"] = list(_moves_json(changes))
    for what in ("cores", "gpus"):
        found[what] = [
            {"from": str(one.before), "to": str(one.after)} | _named(one.nodes, after)
            for one in changes.resized
            if one.what == what
        ]
    found["properties"] = {
        turned.name: {
            "gained": _listed(turned.gained, after),
            "lost": _listed(turned.lost, after),
        }
        for turned in changes.turned
    }
    return found


def _moves_json(changes: Changes) -> Iterator[dict[str, Any]]:
    """Nodes with other ranks or names; both sides are in the same order where it says so."""
    before, after = changes.before, changes.after
    if changes.by == "rank":
        if changes.moved:
            was = changes.before_of(changes.moved)
            yield _listed(changes.moved, after) | {
                "from": {"hosts": before.hosts_of(was)},
                "to": {"hosts": after.hosts_of(changes.moved)},
                "in_order": True,
            }
        return
    for move in moves(changes, MOST_MOVES):
        yield _named(move.nodes, after) | {
            "from": {"ranks": str(move.before)},
            "to": {"ranks": str(move.after)},
            "in_order": move.by is not None,
        }


def _totals(resources: Resources) -> dict[str, int]:
    whole = resources.whole
    return {"nodes": whole.nodes, "cores": whole.cores, "gpus": whole.gpus}


def _listed(mask: int, resources: Resources) -> dict[str, Any]:
    return _named(idset.from_mask(mask), resources)


def _named(nodes: IdSet, resources: Resources) -> dict[str, Any]:
    """How many nodes, their ranks, and their hosts in the order of these."""
    return {
        "count": nodes.count,
        "ranks": str(resources.ranks.pick(nodes)),
        "hosts": format_hosts(resources.hosts.pick(nodes.ranges)),
    }


def of_node(changes: Changes, index: int) -> list[str]:
    """What is not as before in a node after: a phrase each, such as ``cores 48 → 64``.

    Empty for a node that is the same, and for one that was not there before.
    """
    was = changes.pairing.node_before(index)
    if was is None or not has(changes.changed, index):
        return []
    before, after = changes.before, changes.after
    found: list[str] = []
    if has(changes.moved, index):
        if changes.by == "host":
            found.append(f"rank {before.rank(was)} → {after.rank(index)}")
        else:
            names = (before.host(was), after.host(index))
            found.append("host {} → {}".format(*(name or "without a name" for name in names)))
    found += [resized(one) for one in changes.resized if index in one.nodes]
    for turned in changes.turned:
        if has(turned.gained, index):
            found.append(f"gained property {turned.name}")
        elif has(turned.lost, index):
            found.append(f"lost property {turned.name}")
    return found
