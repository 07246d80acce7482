"""From nodes to text: a short constraint that selects exactly these nodes (RFC 31, RFC 35).

Looked for are a list of ranks, one of host names, the same of all other nodes, negated, properties
(a greedy cover), and a few properties with a list that corrects them, such as ``gpu&-rank:170``.
The result is short, not always the shortest. Every text is read again and evaluated before it is
given out.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import groupby, product
from operator import and_
from typing import Literal, TypeAlias

from fluxtui.answers import matching
from fluxtui.model.cancellation import Stop, Stopped, going_on, stop_if
from fluxtui.model.constraint import requires
from fluxtui.model.constraint import tree as rfc31
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
from fluxtui.notation.query import tree
from fluxtui.notation.query.format import format as query_text
from fluxtui.notation.query.format import from_constraint
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.query.tree import NOWHERE, Node
from fluxtui.notation.sets import idset
from fluxtui.notation.sets.bits import less
from fluxtui.notation.sets.hostlist import Builder, HostRange, Style
from fluxtui.notation.sets.hostlist import format as format_hosts
from fluxtui.notation.sets.idset import IdSet, from_mask

#: Properties say why, and are preferred where that takes at most so many characters more.
WHY = 20
#: A list that is negated is read backwards, and takes in every node that is added later: each of
#: its characters counts for so many, and it is the best only where it is much the shorter one.
NEGATED = 1.5
#: Literals of one expression; what takes more tells nobody why.
MAX_LITERALS = 100
#: Literals that hold for none of some nodes only together.
MAX_TOGETHER = 8
#: Literals that lists correct.
MAX_CORRECTED = 3
#: A guess at the characters of a text may be so many times too high.
GUESS = 1.5
#: A list of more stretches of nodes is longer than any input takes.
MAX_STRETCHES = 10_000
#: Of so few hosts the list is also tried without brackets, as in ``n1,n2``.
FEW = 3

By: TypeAlias = Literal["properties", "mixed", "hosts", "ranks", "everything"]

_ORDER: tuple[By, ...] = ("everything", "properties", "mixed", "hosts", "ranks")


@dataclass(frozen=True, slots=True)
class Expression:
    """A constraint that selects exactly some nodes.

    text        as it is typed: a query (RFC 35), blank for every node
    constraint  what it asks
    mask        the nodes
    by          what tells them from the others; ``mixed`` is properties with hosts or ranks
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
        lead = WHY if self.by == "properties" else 0
        return self.cost - lead, _ORDER.index(self.by)


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
    """The best expression for exactly these nodes.

    None where there is no node, or once stop says so. Takes some 10 ms, and up to a few seconds for
    a million nodes: for a worker.
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
        for by, node in _candidates(mask, resources, best, stop):
            stop_if(stop)
            one = _exact(node, by, mask, resources)
            if one is not None and (by not in best or one.cost < best[by].cost):
                best[by] = found[by, one.is_negated and by != "mixed"] = one
        stop_if(stop)
    except Stopped:
        return ()
    ordered = sorted(found.values(), key=lambda one: one.order)
    return tuple(one for one in ordered if one is ordered[0] or one.by in _LISTS)


def _exact(node: Node, by: By, mask: int, resources: Resources) -> Expression | None:
    """A query with its text; None where it does not select exactly these nodes."""
    try:
        text = query_text(node)
    except ValueError:  # a name that no query can say
        return None
    if len(text) > MAX_LENGTH:
        constraint = rfc31.read(tree.to_constraint(node)).value
    else:
        constraint = requires.read(text).constraint
    if constraint is None or matching.match(constraint, resources) != mask:
        return None
    return Expression(text, constraint, mask, by)


def _candidates(
    mask: int, resources: Resources, best: Mapping[By, Expression], stop: Stop
) -> Iterator[tuple[By, Node]]:
    """Queries for the nodes, some of which may be wrong; best are those that were right so far."""
    others = resources.everything ^ mask
    yield "ranks", _ranks(mask, mask, resources)
    for nodes in (mask, others):
        if _stretches(nodes) <= MAX_STRETCHES:
            for by, write in _LISTS.items():
                stop_if(stop)
                term = write(nodes, nodes, resources)
                yield by, term if nodes is mask else tree.Not(term)
    cover = _Cover(resources, stop)
    for way in _WAYS:
        cover.left = MAX_LITERALS
        node = cover.exactly(mask, others, way)
        if node is not None:
            yield "properties", node
    least = min((MAX_LENGTH, *(one.cost for one in best.values())))
    for node in cover.corrected(mask, least):
        yield "mixed", node


# Lists of hosts and of ranks


def _stretches(mask: int) -> int:
    """How many stretches of nodes in a row a mask has."""
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


def _ranks(low: int, high: int, resources: Resources) -> Node:
    """The ranks of the nodes of low, with others of high where that makes the list shorter."""
    return _list("rank", idset.format(resources.ranks.pick(_between(low, high))))


def _hosts(low: int, high: int, resources: Resources) -> Node:
    """The same by host names, each once; they may name other nodes too."""
    named = resources.hosts.pick(_between(low, high).ranges)
    numbers: dict[Style, list[tuple[int, int]]] = {}
    for one in named.walk():
        style = (one.prefix, one.width, one.suffix)
        numbers.setdefault(style, []).append((one.first, one.last))
    out = Builder()
    for (prefix, width, suffix), ranges in sorted(numbers.items()):
        for first, last in IdSet.from_ranges(ranges).ranges:
            out.add(HostRange(prefix, first, last, width, suffix))
    named = min(named, out.done(), key=lambda one: len(one.rows[0]))
    text = format_hosts(named)
    return _list("host", min(text, ",".join(named), key=len) if named.count <= FEW else text)


def _list(name: str, text: str) -> Node:
    return tree.Term(name, (text,), value_spans=(NOWHERE,))


#: Writes a list of the nodes of the first mask, and at most those of the second.
_Write: TypeAlias = Callable[[int, int, Resources], Node]

_LISTS: dict[By, _Write] = {"ranks": _ranks, "hosts": _hosts}


# Properties


@dataclass(frozen=True, slots=True)
class _Literal:
    """A property, or the nodes without it.

    mask      its nodes
    cost      the characters of its text and of what joins it to others
    opposite  the query for all other nodes
    """

    mask: int
    cost: int
    node: Node
    opposite: Node


_Way: TypeAlias = Literal["and", "or"]
_WAYS: tuple[_Way, _Way] = ("and", "or")


class _Cover:
    """Finds expressions of properties.

    An ``or`` covers the wanted nodes by literals that hold for none of the others; an ``and`` is
    the same the other way round: literals that hold for none of the wanted nodes cover the others,
    and their opposites have to hold together.
    """

    def __init__(self, resources: Resources, stop: Stop) -> None:
        self.resources = resources
        self.stop = stop
        self.left = 0
        self.literals = _literals(resources)

    def exactly(self, wanted: int, others: int, way: _Way, *, stuck: bool = False) -> Node | None:
        """An expression that holds for the wanted nodes and for none of the others; greedy.

        What literals alone do not cover is left to one the other way round. Where that did not
        help either (stuck), some is covered by literals that hold together. None where properties
        do not tell the nodes apart, or only many do.
        """
        target, avoid = (wanted, others) if way == "or" else (others, wanted)
        rows = [[one] for one in self.alone(target, avoid)]
        if not rows and stuck:
            rows = [self.together(target, avoid)]
            if not rows[0]:
                return None
        self.left -= sum(map(len, rows))
        nodes = []
        for row in rows:
            target = less(target, reduce(and_, (one.mask for one in row)))
            parts = [one.node if way == "or" else one.opposite for one in row]
            nodes.append(_joined("and" if way == "or" else "or", parts))
        if target:
            if self.left < 0:
                return None
            wanted, others = (target, others) if way == "or" else (wanted, target)
            rest = self.exactly(wanted, others, "and" if way == "or" else "or", stuck=not rows)
            if rest is None:
                return None
            nodes.append(rest)
        return _joined(way, nodes)

    def alone(self, target: int, avoid: int) -> list[_Literal]:
        """Literals that hold for none of the nodes to avoid, as far as they cover the target."""
        free = [one for one in self.literals if one.mask & target and not one.mask & avoid]
        chosen: list[_Literal] = []
        while free and target:
            stop_if(self.stop)
            best = max(free, key=lambda one: (one.mask & target).bit_count() / one.cost)
            if not best.mask & target:
                break
            chosen.append(best)
            target = less(target, best.mask)
        return [one for one in self.literals if one in chosen]

    def together(self, target: int, avoid: int) -> list[_Literal]:
        """Literals that together hold for some of the target and for none of the nodes to avoid.

        Empty where properties do not tell the first node of the target from these.
        """
        if self.alike(target) & avoid:
            return []
        chosen: list[_Literal] = []
        while avoid:
            stop_if(self.stop)
            best = max(
                self.literals,
                key=lambda one: (
                    (one.mask & target).bit_count() * less(avoid, one.mask).bit_count() / one.cost
                ),
            )
            if len(chosen) == MAX_TOGETHER or not best.mask & target or not less(avoid, best.mask):
                return []
            chosen.append(best)
            target &= best.mask
            avoid &= best.mask
        return [one for one in self.literals if one in chosen]

    def alike(self, nodes: int) -> int:
        """The nodes with just the properties of the first of these."""
        has = self.resources.properties_at((nodes & -nodes).bit_length() - 1)
        found = self.resources.everything
        for name, mask in self.resources.properties.items():
            found = found & mask if name in has else less(found, mask)
        return found

    def corrected(self, wanted: int, least: float) -> Iterator[Node]:
        """Expressions that are nearly right, with lists of hosts or ranks for the rest.

        One literal after the other is added, each the one after which the lists are the shortest,
        as long as that seems to make the text shorter. Nothing where it seems to take many more
        than least characters; what lists take is a guess.
        """
        node: Node | None = None
        mask, least = 0, least * GUESS
        for _ in range(MAX_CORRECTED):
            steps = self.steps(mask, wanted)
            cost, way, one = min(steps, key=lambda step: step[0], default=(least, "or", None))
            cost += len(query_text(node)) if node else 0
            if one is None or cost >= least:
                return
            least = cost
            node = _joined(way, [node, one.node]) if node else one.node
            mask = mask & one.mask if way == "and" else mask | one.mask
            for write in _LISTS.values():
                stop_if(self.stop)
                yield from _corrections(node, mask, wanted, self.resources, write)

    def steps(self, mask: int, wanted: int) -> Iterator[tuple[float, _Way, _Literal | None]]:
        """Each literal and way to add it to an expression for the nodes of mask.

        With each goes a guess at the characters of the literal and of the lists that follow.
        """
        everything = self.resources.everything
        stretch = 1.5 * len(str(everything.bit_length())) + 1
        for one, way in product(self.literals, _WAYS):
            stop_if(self.stop)
            found = mask & one.mask if way == "and" else mask | one.mask
            if found in (0, mask, wanted, everything):
                continue
            extra, missing = less(found, wanted), less(wanted, found)
            pieces = _pieces(extra, everything ^ wanted | missing)
            if not missing:
                pieces = min(pieces, _pieces(wanted, everything ^ extra))
            pieces += _pieces(missing, wanted)
            lists = (bool(extra) + bool(missing)) * len("&rank:")
            yield one.cost + lists + stretch * pieces, way, one


def _corrections(
    node: Node, mask: int, wanted: int, resources: Resources, write: _Write
) -> Iterator[Node]:
    """An expression for the nodes of mask with lists that make it one for the wanted nodes."""
    extra, missing = less(mask, wanted), less(wanted, mask)
    if not missing:
        yield _joined("and", [node, write(wanted, resources.everything ^ extra, resources)])
    if extra:
        away = write(extra, resources.everything ^ wanted | missing, resources)
        node = _joined("and", [node, tree.Not(away)])
    if missing:
        node = _joined("or", [node, write(missing, wanted, resources)])
    yield node


def _literals(resources: Resources) -> list[_Literal]:
    """The properties that tell nodes apart, and their opposites.

    Of several that the same nodes have, the shortest. A name that no query can say is left out.
    """
    everything = resources.everything
    found: dict[int, tuple[int, Node]] = {}

    def keep(mask: int, node: Node) -> None:
        cost = len(query_text(node)) + len("&")
        if mask not in found or cost < found[mask][0]:
            found[mask] = cost, node

    for name, mask in resources.properties.items():
        constraint = Properties((name,))
        text = from_constraint(to_json(constraint))
        if text and mask not in (0, everything) and not name.startswith("^"):
            reading = parse_query(text).tree
            if reading is not None and reading.kind == "term":
                keep(mask, reading)
    for mask, (_, node) in tuple(found.items()):
        keep(everything ^ mask, tree.Not(node))
    return [_Literal(mask, *of, found[everything ^ mask][1]) for mask, of in found.items()]


def _joined(way: _Way, nodes: Iterable[Node]) -> Node:
    """All of some nodes, or any of them: properties, rows, lists, and then what is negated.

    ``-a|-b`` is ``-a,b``, and ``-a&-b&-c...`` becomes one ``not (a|b|c...)`` where that is shorter.
    """
    flat = [one for node in nodes for one in (node.operands if node.kind == way else (node,))]
    flat.sort(key=_place)
    negated = [one.operand for one in flat if one.kind == "not"]
    if way == "or":
        negated = [one for one in negated if _is_plain(one)]
    if len(negated) > (1 if way == "or" else len("not ()")):
        flat = [one for one in flat if one.kind != "not" or one.operand not in negated]
        flat.append(tree.Not(_both(negated) if way == "or" else _joined("or", negated)))
    if len(flat) == 1:
        return flat[0]
    return tree.Or(tuple(flat)) if way == "or" else tree.And(tuple(flat))


def _place(node: Node) -> int:
    """Where a node comes in a row: a property, a row, a list, and last what is negated."""
    if node.kind == "term":
        return 2 if node.name in ("host", "rank") else 0
    return 3 if node.kind == "not" else 1


def _is_plain(node: Node) -> bool:
    """Properties without quotes and without an operator, which can be several in one term."""
    return node.kind == "term" and node.name is None and query_text(node) == ",".join(node.values)


def _both(terms: Iterable[Node]) -> Node:
    """The properties of several terms in one: ``a,b``."""
    values = dict.fromkeys(v for one in terms if one.kind == "term" for v in one.values)
    return tree.Term(None, tuple(values), value_spans=(NOWHERE,) * len(values))
