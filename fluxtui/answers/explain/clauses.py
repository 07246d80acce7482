"""A constraint as plain logic: ``and``, ``or`` and ``not`` of terms, with masks.

What Flux nests and what a person writes in a row is one row here, so that every operand of an
``and`` or an ``or`` stands beside all that it is joined with.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Literal, NamedTuple

from fluxtui.answers.explain.parts import Part, is_and
from fluxtui.model.constraint.tree import And, Constraint, Not
from fluxtui.notation.problem import Span
from fluxtui.notation.sets.bits import less

#: Of a constraint with more parts no two are changed at once, which takes the square of them.
MAX_PARTS = 1_500
# Parts of a row that are joined at a time, at least; see `rest`.
_BLOCK = 32


@dataclass(frozen=True, slots=True, eq=False)
class Clause:
    """One part of a constraint, as logic has it.

    kind     ``and`` and ``or`` have two clauses or more, ``not`` has one, a ``term`` none
    path     where it stands in the RFC 31 object; that of a ``not`` also for what it negates
    span     where it stands in the text, None where that is not known
    mask     the nodes that satisfy it
    """

    kind: Literal["and", "or", "not", "term"]
    constraint: Constraint
    path: str
    span: Span | None
    mask: int
    clauses: tuple["Clause", ...] = ()

    def walk(self) -> Iterator["Clause"]:
        """This clause and all below it."""
        yield self
        for clause in self.clauses:
            yield from clause.walk()


def build(part: Part, everything: int) -> Clause:
    """The logic of a part."""
    while len(part.parts) == 1 and not isinstance(part.constraint, Not):
        part = part.parts[0]
    here = (part.constraint, part.path, part.span, part.mask)
    if not part.parts:
        return Clause("term", *here)
    inner = [build(operand, everything) for operand in part.parts]
    if isinstance(part.constraint, Not):
        if len(inner) > 1:
            both = (And(part.constraint.values), part.path, part.span, everything ^ part.mask)
            inner = [Clause("and", *both, _row("and", inner))]
        return Clause("not", *here, tuple(inner))
    kind: Literal["and", "or"] = "and" if is_and(part) else "or"
    return Clause(kind, *here, _row(kind, inner))


def _row(kind: str, clauses: list[Clause]) -> tuple[Clause, ...]:
    """Clauses in a row, those of the same kind taken apart."""
    return tuple(
        inner
        for clause in clauses
        for inner in (clause.clauses if clause.kind == kind else (clause,))
    )


class Place(NamedTuple):
    """A clause where it stands.

    care     the nodes for which the whole constraint turns on this clause: if it held for one of
             them and did not, or the other way round, so would the whole
    neutral  the mask that stands for leaving the clause out; None where it cannot be left out
    """

    clause: Clause
    care: int
    neutral: int | None


def places(clause: Clause, everything: int) -> Iterator[Place]:
    """Every clause that counts for some node, with the nodes it counts for, from the whole inwards.

    Takes a few operations on masks for each clause, however many stand in a row.
    """
    return _places(clause, everything, everything, None)


def _places(clause: Clause, care: int, everything: int, neutral: int | None) -> Iterator[Place]:
    if not care:
        return  # nor does anything within it count
    yield Place(clause, care, neutral)
    row = clause.clauses
    if clause.kind == "not":
        yield from _places(row[0], care, everything, None)
        return
    every = clause.kind == "and"
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

    Kept are some of them at a time: each may take as much room as the cluster has nodes.
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


def replaced(clause: Clause, old: Clause, mask: int, everything: int) -> Clause:
    """The same logic with another mask for one of its clauses."""
    if clause is old:
        return Clause("term", clause.constraint, clause.path, clause.span, mask)
    if not clause.clauses:
        return clause
    row = tuple(replaced(inner, old, mask, everything) for inner in clause.clauses)
    if all(new is inner for new, inner in zip(row, clause.clauses, strict=True)):
        return clause
    found = everything ^ row[0].mask if clause.kind == "not" else row[0].mask
    for inner in row[1:]:
        found = found & inner.mask if clause.kind == "and" else found | inner.mask
    return Clause(clause.kind, clause.constraint, clause.path, clause.span, found, row)


def conflict(masks: list[int], everything: int) -> tuple[int, ...]:
    """The places of a few masks that have no bit in common, as few as can be; empty if all do.

    None of them can be left out, though there may be a smaller set elsewhere.
    """
    before = [everything]
    for mask in masks:
        before.append(before[-1] & mask)
        if not before[-1]:
            break
    else:
        return ()
    need, found = everything, []
    end = len(before) - 1
    while need:
        # The first mask with which nothing is left cannot be done without.
        end = bisect_left(range(end), True, key=lambda at: not before[at + 1] & need)
        need &= masks[end]
        found.append(end)
    return tuple(reversed(found))
