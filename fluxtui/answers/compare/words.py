"""What differs from one cluster to another, as rows of a report and as JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from fluxtui.answers.compare.changes import Changes, Resized, moves
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import counted, plural
from fluxtui.notation.sets import idset
from fluxtui.notation.sets.bits import has, less
from fluxtui.notation.sets.hostlist import format as format_hosts
from fluxtui.notation.sets.idset import IdSet

#: Ranges of a hostlist or an idset that a row shows.
NAMED = 12
#: Groups of added or removed nodes, and moves, that have a row each; more are one row.
MOST = 20
#: Names of more columns than these push what follows out of its column.
ALIGNED = 32
#: Moves that JSON lists one by one.
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
    heads = []
    for sign, name, resources in (("-", before, changes.before), ("+", after, changes.after)):
        heads.append(f"{sign} {name:<{width}}  {', '.join(resources.whole.words())}")
    return [*heads, "", *lines(rows), "", f"{headline(changes)} ({matched_by(changes)})"]


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """The rows as text, a line each: ``~ 4 nodes  n[4-7]  cores 48 → 64``."""
    sizes, names = layout(rows)
    for row in rows:
        yield f"{row.sign} {row.size:>{sizes}}  {row.names:<{names}}  {row.words}"


def layout(rows: Sequence[Row]) -> tuple[int, int]:
    """How many columns the sizes and the names of rows take, so that what follows is aligned."""
    sizes = max((len(row.size) for row in rows), default=0)
    fitting = (len(row.names) for row in rows if len(row.names) <= ALIGNED)
    return sizes, max(fitting, default=0)


def rows(changes: Changes) -> Iterator[Row]:
    """The changes, a row each: what came, what went, what moved, then sizes and properties."""
    before, after, by_rank = changes.before, changes.after, changes.by == "rank"

    def row(sign: Sign, nodes: int, resources: Resources, words: str) -> Row:
        names = (resources.ranks_text if by_rank else resources.hosts_of)(nodes, limit=NAMED)
        lead = f"{plural('rank', nodes.bit_count())} " if by_rank else ""
        return Row(sign, nodes, f"{lead}{names}", words)

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
        yield row("~", idset.to_mask(one.nodes), after, _resized(one))
    for turned in changes.turned:
        for mask, verb in ((turned.gained, "gained"), (turned.lost, "lost")):
            if mask:
                yield row("~", mask, after, f"{verb} property {turned.name}")


def _resized(one: Resized) -> str:
    """``cores 48 → 64``; where there are as many as before, which: ``cores 0-3 → 4-7``."""
    if one.before.count == one.after.count:
        return f"{one.what} {_ids(one.before)} → {_ids(one.after)}"
    return f"{one.what} {one.before.count:,} → {one.after.count:,}"


def _ids(ids: IdSet) -> str:
    return idset.format(ids, NAMED)


def node_groups(resources: Resources, mask: int, most: int) -> list[tuple[int, tuple[str, ...]]]:
    """The nodes of a mask by what they are like, those with the lowest index first.

    For each group its nodes and the properties that all of them have, in document order. Nodes of
    a group have the same number of cores and gpus and the same properties; where there are more
    than so many kinds of them, they are one group. Empty for no nodes.
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


def to_json(changes: Changes) -> dict[str, Any]:
    """The changes as a JSON object; hosts and ranks are whole.

    Both sides of a move are in the same order where it says so.
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
        "same": changes.is_same,
        "by": changes.by,
        "before": asdict(before.whole),
        "after": asdict(after.whole),
        "added": named(changes.added),
        "removed": named(changes.removed, before),
        "changed": named(changes.changed),
        "unchanged": changes.same.bit_count(),
        "moved": moved,
        **resized,
        "properties": {
            turned.name: {"gained": named(turned.gained), "lost": named(turned.lost)}
            for turned in changes.turned
        },
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
            old, new = (name or "without a name" for name in (before.host(was), after.host(index)))
            found.append(f"host {old} → {new}")
    found += [_resized(one) for one in changes.resized if index in one.nodes]
    for turned in changes.turned:
        if has(turned.gained, index):
            found.append(f"gained property {turned.name}")
        elif has(turned.lost, index):
            found.append(f"lost property {turned.name}")
    return found
