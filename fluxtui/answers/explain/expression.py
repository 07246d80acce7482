"""From nodes to text: find a short constraint that selects exactly these nodes (RFC 31, RFC 35).

Candidates are a list of ranks or of host names, the negated list of all other nodes, properties (a
greedy cover), and a few properties corrected by a list, such as ``gpu&-rank:170``. The result is
short, but not always the shortest. Every text is parsed and evaluated before it is returned.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, product
from typing import Literal, TypeAlias

from fluxtui.answers import matching
from fluxtui.model.cancellation import Stop, Stopped, never_stop, stop_if
from fluxtui.model.constraint import requires
from fluxtui.model.constraint.tree import (
    And,
    Constraint,
    Everything,
    Hostlist,
    Not,
    Or,
    Properties,
    Ranks,
    to_json,
)
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import MAX_LENGTH
from fluxtui.notation.query.format import from_constraint
from fluxtui.notation.sets import idset
from fluxtui.notation.sets.bits import less
from fluxtui.notation.sets.hostlist import Builder, Style
from fluxtui.notation.sets.hostlist import format as format_hosts
from fluxtui.notation.sets.idset import IdSet, from_mask

#: Properties explain the choice; they are preferred if they cost at most this many more characters.
WHY = 20
#: Weight of each character of a negated list, which is harder to read, and also selects every node
#: that is added later: it wins only if it is much shorter.
NEGATED = 1.5
#: The most literals in one expression; more explain nothing.
MAX_LITERALS = 100
#: The most literals in an expression that is corrected by lists.
MAX_CORRECTED = 3
#: By how much the estimated length of a text may be too high.
GUESS = 1.5
#: A list of more runs of nodes is longer than any input accepts.
MAX_STRETCHES = 10_000

By: TypeAlias = Literal["properties", "mixed", "hosts", "ranks", "everything"]

_ORDER: tuple[By, ...] = ("everything", "properties", "mixed", "hosts", "ranks")


@dataclass(frozen=True, slots=True)
class Expression:
    """A constraint that selects exactly some nodes.

    text  a query (RFC 35), blank for every node
    by    what it selects them by; ``mixed`` is properties with hosts or ranks
    """

    text: str
    constraint: Constraint
    mask: int
    by: By

    @property
    def is_too_long(self) -> bool:
        """Whether the text is too long for any input."""
        return len(self.text) > MAX_LENGTH

    @property
    def is_negated(self) -> bool:
        """Whether it selects all nodes except those of a list, without narrowing by properties."""
        return _is_negated(self.constraint)

    @property
    def cost(self) -> int:
        """The length of its text, weighted if it is a negated list."""
        return int(len(self.text) * NEGATED) if self.is_negated else len(self.text)

    @property
    def order(self) -> tuple[int, int]:
        """The sort key; the preferred expression comes first."""
        return self.cost - WHY * (self.by == "properties"), _ORDER.index(self.by)


def _is_negated(constraint: Constraint) -> bool:
    match constraint:
        case Not((Hostlist() | Ranks(),)):
            return True
        case Or(values):
            return any(map(_is_negated, values))
        case And(values):
            return bool(values) and all(map(_is_negated, values))
    return False


def expression(mask: int, resources: Resources, stop: Stop = never_stop) -> Expression | None:
    """Return the best expression for exactly these nodes; None for no nodes, or if cancelled.

    Takes some 10 ms, and up to a few seconds for a million nodes, so run it in a worker.
    """
    return next(iter(choices(mask, resources, stop)), None)


def choices(mask: int, resources: Resources, stop: Stop = never_stop) -> tuple[Expression, ...]:
    """Return the best expression of each kind for exactly these nodes, the best one first.

    If a negated list is the best of its kind, the plain list is included too. An expression with
    properties is only included if it beats all lists. Empty for no nodes, or if cancelled.
    """
    mask &= resources.everything
    if mask in (0, resources.everything):
        return (Expression("", Everything(), mask, "everything"),) if mask else ()
    best: dict[By, Expression] = {}
    found: dict[tuple[By, bool], Expression] = {}
    try:
        for by, candidate in _candidates(mask, resources, best, stop):
            stop_if(stop)
            constraint, text = candidate, from_constraint(to_json(candidate))
            if text and len(text) <= MAX_LENGTH:
                constraint = requires.read(text).constraint or Everything()
            if text and matching.match(constraint, resources) == mask:
                choice = Expression(text, constraint, mask, by)
                if by not in best or choice.cost < best[by].cost:
                    best[by] = found[by, choice.is_negated and by != "mixed"] = choice
        stop_if(stop)
    except Stopped:
        return ()
    ordered = sorted(found.values(), key=lambda one: one.order)
    return tuple(one for one in ordered if one is ordered[0] or one.by in _LISTS)


def _candidates(
    mask: int, resources: Resources, best: dict[By, Expression], stop: Stop
) -> Iterator[tuple[By, Constraint]]:
    """Yield candidates, which may select other nodes; best has those accepted so far."""
    others = resources.everything ^ mask
    yield "ranks", _ranks(mask, mask, resources)
    for nodes in (mask, others):
        if _stretches(nodes) <= MAX_STRETCHES:
            for by, write in _LISTS.items():
                stop_if(stop)
                term = write(nodes, nodes, resources)
                yield by, term if nodes is mask else Not((term,))
    literals = _literals(resources)
    for join in _JOINS:
        candidate = _cover(mask, others, literals, join, stop)
        if candidate is not None:
            yield "properties", candidate
    shortest = min((MAX_LENGTH, *(one.cost for one in best.values())))
    for candidate in _corrected(mask, literals, shortest * GUESS, resources, stop):
        yield "mixed", candidate


_Join: TypeAlias = type[And] | type[Or]
_JOINS: tuple[_Join, _Join] = (And, Or)
# Operands are ordered by these types, the last one first; properties come before all of them.
_LAST_FIRST = (Not, Hostlist | Ranks, And | Or)


def _joined(join: _Join, parts: Iterable[Constraint]) -> Constraint:
    """Join constraints, in the order properties, ``and`` and ``or``, lists, negated ones."""
    nested = (part.values if isinstance(part, join) else (part,) for part in parts)
    flat = sorted(
        (part for row in nested for part in row),
        key=lambda part: [isinstance(part, kind) for kind in _LAST_FIRST],
    )
    return join(tuple(flat)) if len(flat) > 1 else flat[0]


# Lists of hosts and of ranks


def _stretches(mask: int) -> int:
    return less(mask, mask << 1).bit_count()


def _pieces(low: int, high: int) -> int:
    """Count the runs of high that contain a node of low, a subset of high."""
    return ((high + low) & less(high << 1, high)).bit_count() if low else 0


def _between(low: int, high: int) -> IdSet:
    """Return the indices of low in as few ranges as possible, filled only with indices of high."""
    if low == high or _stretches(high) > MAX_STRETCHES:
        return from_mask(low)
    starts = from_mask(high).starts
    grouped = groupby(from_mask(low).ranges, key=lambda pair: bisect_right(starts, pair[0]))
    rows = [list(row) for _, row in grouped]
    return IdSet.from_ranges([(row[0][0], row[-1][1]) for row in rows])


def _ranks(low: int, high: int, resources: Resources) -> Constraint:
    """Return the ranks of low, with others of high where that makes the list shorter."""
    ids = resources.ranks.pick(_between(low, high))
    return Ranks((idset.format(ids),), ids)


def _hosts(low: int, high: int, resources: Resources) -> Constraint:
    """The same by distinct host names, which other nodes may share."""
    named = resources.hosts.pick(_between(low, high).ranges)
    numbers: dict[Style, list[tuple[int, int]]] = {}
    for group in named.walk():
        style = (group.prefix, group.width, group.suffix)
        numbers.setdefault(style, []).append((group.first, group.last))
    out = Builder()
    for style, ranges in sorted(numbers.items()):
        ids = IdSet.from_ranges(ranges)
        out.extend(style, ids.starts, ids.ends)
    named = min(named, out.done(), key=lambda hosts: len(hosts.rows[0]))
    return Hostlist((format_hosts(named),), named)


#: Writes a list of all nodes of the first mask, and others only of the second.
_Write: TypeAlias = Callable[[int, int, Resources], Constraint]

_LISTS: dict[By, _Write] = {"ranks": _ranks, "hosts": _hosts}


# Properties


@dataclass(frozen=True, slots=True)
class _Literal:
    """A property or its negation; opposite is the constraint for all other nodes."""

    mask: int
    cost: int  # the length of its text and the operator that joins it to others
    asked: Constraint
    opposite: Constraint


def _literals(resources: Resources) -> list[_Literal]:
    """Return the properties that some but not all nodes have, and their negations.

    Of several with the same nodes the shortest is kept; names no query can express are left out.
    """
    everything = resources.everything
    found: dict[int, tuple[int, Constraint]] = {}
    named = resources.properties.items()
    plain: list[tuple[int, Constraint]] = [
        (mask, Properties((name,))) for name, mask in named if not name.startswith("^")
    ]
    for mask, asked in (*plain, *((everything ^ mask, Not((asked,))) for mask, asked in plain)):
        text = from_constraint(to_json(asked)) if mask not in (0, everything) else None
        if text and (mask not in found or len(text) + 1 < found[mask][0]):
            found[mask] = len(text) + len("&"), asked
    return [_Literal(mask, *one, found[everything ^ mask][1]) for mask, one in found.items()]


def _cover(
    wanted: int,
    others: int,
    literals: list[_Literal],
    join: _Join,
    stop: Stop,
    most: int = MAX_LITERALS,
    is_stuck: bool = False,
) -> Constraint | None:
    """Find properties that hold for the wanted nodes and for none of the others, greedily.

    An ``or`` covers the wanted nodes by literals that hold for none of the others. An ``and`` is
    the dual: literals that hold for none of the wanted nodes cover the others, and their opposites
    are joined. What one leaves uncovered is passed on to the other. None if neither gets further,
    or if it takes more than most literals.
    """
    target, avoid = (wanted, others) if join is Or else (others, wanted)
    chosen: list[_Literal] = []
    free = [literal for literal in literals if literal.mask & target and not literal.mask & avoid]
    while free and target and len(chosen) <= most:
        stop_if(stop)
        best = max(free, key=lambda literal: (literal.mask & target).bit_count() / literal.cost)
        if not best.mask & target:
            break
        chosen.append(best)
        target = less(target, best.mask)
    if len(chosen) > most or (is_stuck and not chosen):
        return None
    chosen.sort(key=literals.index)
    parts = [literal.asked if join is Or else literal.opposite for literal in chosen]
    if target:
        wanted, others = (target, avoid) if join is Or else (avoid, target)
        inner, literals_left = And if join is Or else Or, most - len(chosen)
        rest = _cover(wanted, others, literals, inner, stop, literals_left, is_stuck=not chosen)
        if rest is None:
            return None
        parts.append(rest)
    return _joined(join, parts)


def _corrected(
    wanted: int, literals: list[_Literal], limit: float, resources: Resources, stop: Stop
) -> Iterator[Constraint]:
    """Yield properties that nearly select the nodes, corrected by lists of hosts or ranks.

    Literals are added one by one, each time the one that leaves the shortest lists, as long as the
    text gets shorter, and shorter than limit; the length of the lists is only estimated.
    """
    everything = resources.everything
    stretch = 1.5 * len(str(everything.bit_length())) + 1
    node: Constraint | None = None
    mask, before = 0, 0
    for _ in range(MAX_CORRECTED):
        best: tuple[int, _Join, _Literal] | None = None
        for literal, join in product(literals, _JOINS):
            stop_if(stop)
            new_mask = mask & literal.mask if join is And else mask | literal.mask
            if new_mask in (0, mask, wanted, everything):
                continue
            extra, missing = less(new_mask, wanted), less(wanted, new_mask)
            pieces = _pieces(extra, everything ^ wanted | missing)
            if not missing:
                pieces = min(pieces, _pieces(wanted, everything ^ extra))
            pieces += _pieces(missing, wanted)
            lists = (bool(extra) + bool(missing)) * len("&rank:")
            cost = before + literal.cost + lists + stretch * pieces
            if cost < limit:
                limit, best = cost, (new_mask, join, literal)
        if best is None:
            return
        mask, join, literal = best
        before += literal.cost
        node = _joined(join, [node, literal.asked] if node else [literal.asked])
        extra, missing = less(mask, wanted), less(wanted, mask)
        for write in _LISTS.values():
            stop_if(stop)
            if not missing:
                shared = write(wanted, everything ^ extra, resources)
                yield _joined(And, [node, shared])
            whole = node
            if extra:
                away = write(extra, everything ^ wanted | missing, resources)
                whole = _joined(And, [node, Not((away,))])
            yield _joined(Or, [whole, write(missing, wanted, resources)]) if missing else whole
