"""From nodes to text: a short constraint that selects exactly these nodes (RFC 31, RFC 35).

Looked for are a list of ranks, one of host names, the same of all other nodes, negated, properties
(a greedy cover), and a few properties with a list that corrects them, such as ``gpu&-rank:170``.
The result is short, not always the shortest. Every text is read again and evaluated before it is
given out.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, product
from typing import Literal, TypeAlias

from fluxtui.answers import matching
from fluxtui.model.cancellation import Stop, Stopped, going_on, stop_if
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

#: Properties say why, and are preferred where that takes at most so many characters more.
WHY = 20
#: A list that is negated is read backwards, and takes in every node that is added later: each of
#: its characters counts for so many, and it is the best only where it is much the shorter one.
NEGATED = 1.5
#: Literals of one expression; what takes more tells nobody why.
MAX_LITERALS = 100
#: Literals that lists correct.
MAX_CORRECTED = 3
#: A guess at the characters of a text may be so many times too high.
GUESS = 1.5
#: A list of more stretches of nodes is longer than any input takes.
MAX_STRETCHES = 10_000

By: TypeAlias = Literal["properties", "mixed", "hosts", "ranks", "everything"]

_ORDER: tuple[By, ...] = ("everything", "properties", "mixed", "hosts", "ranks")


@dataclass(frozen=True, slots=True)
class Expression:
    """A constraint that selects exactly some nodes.

    text  a query (RFC 35), blank for every node
    by    what tells them from the others; ``mixed`` is properties with hosts or ranks
    """

    text: str
    constraint: Constraint
    mask: int
    by: By

    @property
    def is_too_long(self) -> bool:
        """No input takes so long a text."""
        return len(self.text) > MAX_LENGTH

    @property
    def is_negated(self) -> bool:
        """It takes in all nodes but those of a list, with no property that narrows it."""
        return _is_negated(self.constraint)

    @property
    def cost(self) -> int:
        """The characters of its text, those of a negated list counted for more."""
        return int(len(self.text) * NEGATED) if self.is_negated else len(self.text)

    @property
    def order(self) -> tuple[int, int]:
        """Of two expressions the one to prefer comes first."""
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


def expression(mask: int, resources: Resources, stop: Stop = going_on) -> Expression | None:
    """The best expression for exactly these nodes; None for no node, or once stop says so.

    Takes some 10 ms, and up to a few seconds for a million nodes: for a worker.
    """
    return next(iter(choices(mask, resources, stop)), None)


def choices(mask: int, resources: Resources, stop: Stop = going_on) -> tuple[Expression, ...]:
    """The best expression of each kind for exactly these nodes, the best one first.

    Where a negated list is the best of its kind, the list of the nodes themselves is there too. One
    with properties is only among them where it is better than all lists. Empty where there is no
    node, and once stop says so.
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
                one = Expression(text, constraint, mask, by)
                if by not in best or one.cost < best[by].cost:
                    best[by] = found[by, one.is_negated and by != "mixed"] = one
        stop_if(stop)
    except Stopped:
        return ()
    ordered = sorted(found.values(), key=lambda one: one.order)
    return tuple(one for one in ordered if one is ordered[0] or one.by in _LISTS)


def _candidates(
    mask: int, resources: Resources, best: dict[By, Expression], stop: Stop
) -> Iterator[tuple[By, Constraint]]:
    """Constraints for the nodes, some of them wrong; best are those that were right so far."""
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
        found = _cover(mask, others, literals, join, stop)
        if found is not None:
            yield "properties", found
    least = min((MAX_LENGTH, *(one.cost for one in best.values())))
    for found in _corrected(mask, literals, least * GUESS, resources, stop):
        yield "mixed", found


_Join: TypeAlias = type[And] | type[Or]
_JOINS: tuple[_Join, _Join] = (And, Or)
# What comes last in a row, and what before it; properties come first.
_LAST_FIRST = (Not, Hostlist | Ranks, And | Or)


def _joined(join: _Join, parts: Iterable[Constraint]) -> Constraint:
    """All of some constraints, or any: properties, rows, lists, and then what is negated."""
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
    """How many stretches of high have a node of low, which is a part of it."""
    return ((high + low) & less(high << 1, high)).bit_count() if low else 0


def _between(low: int, high: int) -> IdSet:
    """The places of low in as few stretches as can be without a place that is not in high."""
    if low == high or _stretches(high) > MAX_STRETCHES:
        return from_mask(low)
    starts = from_mask(high).starts
    grouped = groupby(from_mask(low).ranges, key=lambda one: bisect_right(starts, one[0]))
    rows = [list(row) for _, row in grouped]
    return IdSet.from_ranges([(row[0][0], row[-1][1]) for row in rows])


def _ranks(low: int, high: int, resources: Resources) -> Constraint:
    """The ranks of the nodes of low, with others of high where that makes the list shorter."""
    ids = resources.ranks.pick(_between(low, high))
    return Ranks((idset.format(ids),), ids)


def _hosts(low: int, high: int, resources: Resources) -> Constraint:
    """The same by host names, each once; they may name other nodes too."""
    named = resources.hosts.pick(_between(low, high).ranges)
    numbers: dict[Style, list[tuple[int, int]]] = {}
    for one in named.walk():
        style = (one.prefix, one.width, one.suffix)
        numbers.setdefault(style, []).append((one.first, one.last))
    out = Builder()
    for style, ranges in sorted(numbers.items()):
        ids = IdSet.from_ranges(ranges)
        out.extend(style, ids.starts, ids.ends)
    named = min(named, out.done(), key=lambda one: len(one.rows[0]))
    return Hostlist((format_hosts(named),), named)


#: Writes a list of the nodes of the first mask, and at most those of the second.
_Write: TypeAlias = Callable[[int, int, Resources], Constraint]

_LISTS: dict[By, _Write] = {"ranks": _ranks, "hosts": _hosts}


# Properties


@dataclass(frozen=True, slots=True)
class _Literal:
    """A property, or the nodes without it; opposite asks for all other nodes."""

    mask: int
    cost: int  # the characters of its text and of what joins it to others
    asked: Constraint
    opposite: Constraint


def _literals(resources: Resources) -> list[_Literal]:
    """The properties that tell nodes apart, and their opposites.

    Of several that the same nodes have, the shortest. A name that no query can say is left out.
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
    """Properties that hold for the wanted nodes and for none of the others; greedy.

    An ``or`` covers the wanted nodes by literals that hold for none of the others; an ``and`` is
    the same the other way round: literals that hold for none of the wanted nodes cover the others,
    and their opposites have to hold together. What is not covered is left to the other way. None
    where neither helps, or only many do.
    """
    target, avoid = (wanted, others) if join is Or else (others, wanted)
    found: list[_Literal] = []
    free = [one for one in literals if one.mask & target and not one.mask & avoid]
    while free and target and len(found) <= most:
        stop_if(stop)
        best = max(free, key=lambda one: (one.mask & target).bit_count() / one.cost)
        if not best.mask & target:
            break
        found.append(best)
        target = less(target, best.mask)
    if len(found) > most or (is_stuck and not found):
        return None
    found.sort(key=literals.index)
    parts = [one.asked if join is Or else one.opposite for one in found]
    if target:
        wanted, others = (target, avoid) if join is Or else (avoid, target)
        inner, left = And if join is Or else Or, most - len(found)
        rest = _cover(wanted, others, literals, inner, stop, left, is_stuck=not found)
        if rest is None:
            return None
        parts.append(rest)
    return _joined(join, parts)


def _corrected(
    wanted: int, literals: list[_Literal], least: float, resources: Resources, stop: Stop
) -> Iterator[Constraint]:
    """Properties that are nearly right, with lists of hosts or ranks for the rest.

    One literal after the other is added, each the one after which the lists are the shortest, as
    long as the text seems to become shorter, and than least; what lists take is a guess.
    """
    everything = resources.everything
    stretch = 1.5 * len(str(everything.bit_length())) + 1
    node: Constraint | None = None
    mask, before = 0, 0
    for _ in range(MAX_CORRECTED):
        best: tuple[int, _Join, _Literal] | None = None
        for one, join in product(literals, _JOINS):
            stop_if(stop)
            found = mask & one.mask if join is And else mask | one.mask
            if found in (0, mask, wanted, everything):
                continue
            extra, missing = less(found, wanted), less(wanted, found)
            pieces = _pieces(extra, everything ^ wanted | missing)
            if not missing:
                pieces = min(pieces, _pieces(wanted, everything ^ extra))
            pieces += _pieces(missing, wanted)
            lists = (bool(extra) + bool(missing)) * len("&rank:")
            cost = before + one.cost + lists + stretch * pieces
            if cost < least:
                least, best = cost, (found, join, one)
        if best is None:
            return
        mask, join, one = best
        before += one.cost
        node = _joined(join, [node, one.asked] if node else [one.asked])
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
