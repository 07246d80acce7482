"""Properties and a list of hosts or ranks together: ``gpu&-host:n[3-4]``, ``gpu|rank:7``."""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

from fluxtui.answers.explain import expression_lists as lists
from fluxtui.answers.explain import expression_terms as terms
from fluxtui.answers.explain.expression_lists import Listed, runs_between
from fluxtui.answers.explain.expression_terms import Cancelled, both, either, go_on
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.query.tree import Node, Not
from fluxtui.notation.sets.bits import less

#: Properties that are put together before a list corrects them.
PROPERTIES = 3
#: Expressions of each number of properties to which one more is added.
KEPT = 6
#: Expressions that are looked at.
TRIED = 6_000
#: The most promising of them, whose lists are written out.
WRITTEN = 10

_SIGN = len("&")
_PARENTHESES = len("()")
_LEAD = len("rank:")

#: Gives the shortest list for the nodes of the first mask, and at most those of the second.
Write = Callable[[int, int], Listed | None]


class Base(NamedTuple):
    """An expression of properties that is nearly right; guess is what it may cost corrected."""

    guess: float
    cost: int
    mask: int
    node: Node


class Correction(NamedTuple):
    """What a list has to name: the nodes of low and none beyond those of high."""

    join: Literal["and", "and not", "or", "or not"]
    low: int
    high: int


def mixed(
    mask: int,
    resources: Resources,
    literals: Sequence[terms.Literal],
    limit: int,
    cancelled: Cancelled,
) -> Iterator[Node]:
    """Expressions of a few properties with a list of hosts or of ranks added or taken away.

    limit is the most characters it is of use with. Whether they are exact is for the caller to
    see, who also chooses the shortest. Raises StoppedError.
    """
    search = _Search(mask, resources.everything, literals, limit, cancelled)

    def write(low: int, high: int) -> Listed | None:
        return lists.shortest(low, high, resources, cancelled)

    for base in search.best():
        for way in search.ways(base.mask):
            if base.cost + search.least(way) < limit:
                node = _corrected(base.node, way, write)
                if node is not None:
                    yield node


class _Search:
    """Looks for expressions that are nearly right; see `mixed`."""

    def __init__(
        self,
        mask: int,
        everything: int,
        literals: Sequence[terms.Literal],
        limit: int,
        cancelled: Cancelled,
    ) -> None:
        self.mask = mask
        self.outside = everything ^ mask
        self.everything = everything
        self.literals = literals
        self.limit = limit
        self.cancelled = cancelled
        # What one more stretch of nodes costs: its numbers and what stands between them.
        self.digits = len(str(everything.bit_length() - 1))
        self.stretch = 1.5 * self.digits + 1
        self.left = TRIED

    def best(self) -> list[Base]:
        """The most promising expressions, the best first."""
        row = [
            self.base(one.cost, one.mask, one.node)
            for one in self.literals
            if one.mask != self.mask and one.cost + _LEAD + _SIGN < self.limit and self.is_asked()
        ]
        found = sorted(row, key=lambda one: one.guess)
        row = found[:KEPT]
        for _ in range(PROPERTIES - 1):
            row = sorted(self.longer(row), key=lambda one: one.guess)[:KEPT]
            found += row
        unique = {one.mask: one for one in sorted(found, key=lambda one: -one.guess)}
        return sorted(unique.values(), key=lambda one: one.guess)[:WRITTEN]

    def is_asked(self) -> bool:
        """One more expression may be looked at."""
        go_on(self.cancelled)
        self.left -= 1
        return self.left >= 0

    def longer(self, row: Sequence[Base]) -> Iterator[Base]:
        """Expressions with one property more."""
        for base in row:
            for one in self.literals:
                cost = base.cost + _SIGN + one.cost
                if cost + _LEAD + _SIGN >= self.limit or not self.is_asked():
                    continue
                met = base.mask & one.mask
                if met not in (0, base.mask, one.mask, self.mask):
                    more = _PARENTHESES if base.node.kind == "or" else 0
                    yield self.base(cost + more, met, both((base.node, one.node)))
                joined = base.mask | one.mask
                if joined not in (self.everything, base.mask, one.mask, self.mask):
                    yield self.base(cost, joined, either((base.node, one.node)))

    def base(self, cost: int, mask: int, node: Node) -> Base:
        """An expression with a guess at what it costs once it is corrected."""
        guess = min(
            sum(_LEAD + _SIGN + self.stretch * runs_between(one.low, one.high) for one in way)
            for way in self.ways(mask)
        )
        return Base(cost + guess, cost, mask, node)

    def ways(self, mask: int) -> list[tuple[Correction, ...]]:
        """How lists make an expression right that matches these nodes."""
        extra, missing = less(mask, self.mask), less(self.mask, mask)
        if extra and missing:
            away = Correction("and not", extra, self.outside | missing)
            return [(away, Correction("or", missing, self.mask))]
        if extra:
            one = Correction("and", self.mask, self.everything ^ extra)
            return [(one,), (Correction("and not", extra, self.outside),)]
        one = Correction("or", missing, self.mask)
        return [(one,), (Correction("or not", self.outside, self.everything ^ missing),)]

    def least(self, way: tuple[Correction, ...]) -> int:
        """About the fewest characters that lists have."""
        return sum(_LEAD + self.digits * runs_between(one.low, one.high) for one in way)


def _corrected(node: Node, way: tuple[Correction, ...], write: Write) -> Node | None:
    """An expression with its lists; None where no list says it."""
    for one in way:
        listed = write(one.low, one.high)
        if listed is None:
            return None
        term = Not(listed.term) if one.join.endswith("not") else listed.term
        node = both((node, term)) if one.join.startswith("and") else either((node, term))
    return node
