"""A constraint as plain logic: ``and``, ``or`` and ``not`` of terms, and what it comes to.

What Flux nests and what a person writes in a row is one row here, so that every operand of an
``and`` or an ``or`` is beside everything it is joined with.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Any, TypeAlias

from fluxtui.answers.matching import Matched
from fluxtui.model.constraint.tree import And, Constraint, Hostlist, Not, Or, Properties, Ranks
from fluxtui.notation.sets.bits import less
from fluxtui.notation.sets.hostlist import HostList
from fluxtui.notation.sets.idset import IdSet

#: Of a constraint with more parts no two are changed at once, which takes the square of them.
MAX_PARTS = 1_500
#: Hosts of a longer list are compared as they are written.
MAX_NAMED = 200
# Parts of a row that are joined at a time, at least; see `rest`.
_BLOCK = 32

#: What a constraint asks; equal only for those that ask the same.
Normal: TypeAlias = tuple[Any, ...]


def logic(part: Matched, everything: int) -> Matched:
    """A matched constraint without what only nests it; everything is the mask of all nodes.

    An ``and`` and an ``or`` have two operands or more, none of their own kind; a ``not`` has one.
    """
    while len(part.parts) == 1 and part.kind != "not":
        part = part.parts[0]
    if not part.parts:
        return part
    inner = [logic(operand, everything) for operand in part.parts]
    if part.kind != "not":
        return Matched(part.constraint, part.mask, _row(part.kind, inner))
    if len(inner) > 1:
        constraint = part.constraint
        assert isinstance(constraint, Not)
        both = And(constraint.values, path=part.path, span=part.span)
        inner = [Matched(both, everything ^ part.mask, _row("and", inner))]
    return Matched(part.constraint, part.mask, tuple(inner))


def _row(kind: str, parts: list[Matched]) -> tuple[Matched, ...]:
    """Operands in a row, those of the same kind taken apart."""
    return tuple(
        inner for part in parts for inner in (part.parts if part.kind == kind else (part,))
    )


def normal(constraint: Constraint, *, wanted: bool = True) -> Normal:
    """What a constraint asks, in whatever order and however nested it is written.

    Where this is equal for two constraints, so are the nodes on every cluster; not the other way
    round. Not wanted, it is what their ``not`` asks.
    """
    any_of = isinstance(constraint, Or) and bool(constraint.values)
    rows: list[Normal] = []
    match constraint:
        case Hostlist(_, hosts):
            if hosts:
                return ("hosts", wanted, _names(hosts))
            any_of = True  # of none, which no node satisfies
        case Ranks(_, ids):
            if ids:
                return ("ranks", wanted, ids)
            any_of = True
        case Properties(values):
            rows = [("property", wanted != v.startswith("^"), v.removeprefix("^")) for v in values]
        case And(values) | Or(values) | Not(values):
            wanted = wanted is not isinstance(constraint, Not)
            rows = [normal(value, wanted=wanted) for value in values]
    return _normal_row("or" if any_of is wanted else "and", rows)


def _normal_row(kind: str, rows: list[Normal]) -> Normal:
    """All of several, or any of them.

    Several lists of ranks, any of which will do, are one, and so are those of hosts; so are those
    none of which may hold the node.
    """
    absorbing = ("or" if kind == "and" else "and", frozenset[Normal]())
    found: set[Normal] = set()
    for one in rows:
        if one == absorbing:
            return one
        found |= one[1] if one[0] == kind else {one}
    for what in ("ranks", "hosts"):
        same = [x for x in found if x[:2] == (what, kind == "or") and not isinstance(x[2], tuple)]
        if len(same) > 1:
            lists = [one[2] for one in same]
            joined = (
                IdSet.from_ranges(pair for ids in lists for pair in ids.ranges)
                if what == "ranks"
                else frozenset().union(*lists)
            )
            found = found.difference(same) | {(what, kind == "or", joined)}
    return next(iter(found)) if len(found) == 1 else (kind, frozenset(found))


def _names(hosts: HostList) -> Any:
    if hosts.count <= MAX_NAMED:
        return frozenset(hosts)
    return tuple(zip(*hosts.rows, strict=True))


@dataclass(frozen=True, slots=True)
class Place:
    """A part and its role in the whole constraint.

    care     the nodes for which the whole constraint turns on this part: if it held for one of
             them and did not, or the other way round, so would the whole
    neutral  the mask that has the effect of leaving the part out; None where it cannot be left out
    """

    part: Matched
    care: int
    neutral: int | None


def places(part: Matched, everything: int) -> Iterator[Place]:
    """Every part that counts for some node, with the nodes it counts for, from the whole inwards.

    Takes a few operations on masks for each part, however long its row.
    """
    return _places(part, everything, everything, None)


def _places(part: Matched, care: int, everything: int, neutral: int | None) -> Iterator[Place]:
    if not care:
        return  # nor does anything within it count
    yield Place(part, care, neutral)
    row = part.parts
    if part.kind == "not":
        yield from _places(row[0], care, everything, None)
        return
    every = part.kind == "and"
    neutral = everything if every else 0
    behind = rest([inner.mask for inner in row], neutral, every=every)
    for inner, others in zip(row, behind, strict=True):
        if not care:
            return
        here = care & others if every else less(care, others)
        yield from _places(inner, here, everything, neutral)
        care = care & inner.mask if every else less(care, inner.mask)


def rest(masks: Sequence[int], start: int, *, every: bool) -> Iterator[int]:
    """For each mask of a row what start and the masks behind it have in common, or any has.

    Kept are some of them at a time: each may take as much memory as the cluster has nodes.
    """
    size = max(isqrt(len(masks)), _BLOCK)
    blocks = [masks[at : at + size] for at in range(0, len(masks), size)]
    joined = [start]
    for block in reversed(blocks[1:]):
        for mask in reversed(block):
            start = start & mask if every else start | mask
        joined.append(start)
    for block in blocks:
        behind, found = joined.pop(), []
        for mask in reversed(block):
            found.append(behind)
            behind = behind & mask if every else behind | mask
        yield from reversed(found)


def replaced(part: Matched, old: Matched, mask: int, everything: int) -> Matched:
    """The same logic with another mask for one of its parts."""
    if part is old:
        return Matched(part.constraint, mask)
    if not part.parts:
        return part
    row = tuple(replaced(inner, old, mask, everything) for inner in part.parts)
    if all(new is inner for new, inner in zip(row, part.parts, strict=True)):
        return part
    found = everything ^ row[0].mask if part.kind == "not" else row[0].mask
    for inner in row[1:]:
        found = found & inner.mask if part.kind == "and" else found | inner.mask
    return Matched(part.constraint, found, row)
