"""The shortest expression of properties for some nodes (RFC 35)."""

from collections.abc import Iterator
from functools import reduce
from operator import and_

from fluxtui.answers.explain.expression_cover import cover, rows
from fluxtui.answers.explain.expression_factor import factored, ordered
from fluxtui.answers.explain.expression_search import Piece, Pool
from fluxtui.answers.explain.expression_terms import (
    Cancelled,
    Literal,
    both,
    either,
    evaluate,
    go_on,
    watched,
)
from fluxtui.answers.explain.expression_witnesses import InseparableError, Witnesses
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.query.format import format as format_query
from fluxtui.notation.query.tree import Node, Not, Or
from fluxtui.notation.sets.bits import less

#: Searches, each with more witnesses than the one before.
ROUNDS = 25
#: The same where there was too much to try to be sure of the shortest.
HARD_ROUNDS = 3

#: Covers may be so much too long, for what they have in common is then said once.
SLACK = 20
#: Of so few properties also any two are members of rows.
FEW = 40

_SIGN = len("&")
_PARENTHESES = len("()")
_NOT = len("not ()")


def by_properties(
    mask: int,
    resources: Resources,
    positive: list[Literal],
    signed: list[Literal],
    limit: int,
    cancelled: Cancelled,
) -> Iterator[Node]:
    """Expressions for exactly these nodes in at most limit characters, each shorter than before.

    positive and signed are what `expression_terms.literals` gives. Nothing where
    properties cannot tell these nodes from the others. Raises StoppedError.
    """
    if not positive:
        return
    witnesses = Witnesses(mask, resources.everything, positive, cancelled)
    try:
        witnesses.first()
        found = factored(witnesses.part())
    except InseparableError:
        return
    places = {name: place for place, name in enumerate(resources.properties)}
    if (length := len(format_query(found))) <= limit:
        yield ordered(found, places)
        limit = length - 1
    hard = 0
    for _ in range(ROUNDS):
        search = _Round(witnesses, signed, cancelled)
        shorter = search.shortest(limit)
        if shorter is None:
            return
        if not witnesses.learn(evaluate(shorter, resources.properties, resources.everything)):
            yield ordered(shorter, places)
            if search.is_exact:
                return
            limit = len(format_query(shorter)) - 1
        hard += not search.is_exact
        if hard == HARD_ROUNDS:
            return


class _Round:
    """A search among expressions that are right for the witnesses so far.

    is_exact  none is shorter than what was found
    """

    def __init__(self, witnesses: Witnesses, signed: list[Literal], cancelled: Cancelled) -> None:
        self.on, self.off = witnesses.on, witnesses.off
        self.everything = self.on | self.off
        self.cancelled = cancelled
        self.is_exact = True
        self.literals = []
        by_mask: dict[int, Piece] = {}
        columns = {
            id(one.node): column
            for one, column in zip(witnesses.properties, witnesses.columns, strict=True)
        }
        for one in sorted(signed, key=lambda one: one.cost):
            negated = one.node.kind == "not"
            column = columns[id(one.node.operand if one.node.kind == "not" else one.node)]
            has = self.everything ^ column if negated else column
            if has not in by_mask:
                by_mask[has] = Piece(one.cost, has, "term", (), one.node)
                self.literals.append(by_mask[has])
        self.by_mask = by_mask

    def shortest(self, limit: int) -> Node | None:
        """The shortest expression that was found in at most limit characters."""
        pool = Pool(self.literals, self.everything, self.cancelled)
        exact = pool.grow(self.on, limit)
        if exact is not None:
            return exact.node
        if pool.done >= limit:
            return None
        self.is_exact = False
        return self.covers(pool, limit)

    def covers(self, pool: Pool, limit: int) -> Node | None:
        """The shortest of what is made of the pieces in a pool in two steps, or their opposite."""
        best: Node | None = None
        for make in (self.conditions, self.alternatives):
            for wanted, unwanted in ((self.on, self.off), (self.off, self.on)):
                lead = _NOT if wanted == self.off else 0
                found = make(pool, wanted, unwanted, limit + SLACK - lead)
                if found is None:
                    continue
                found = factored(Not(found) if lead else found)
                if (length := len(format_query(found))) <= limit:
                    best, limit = found, length - 1
        return best

    def conditions(self, pool: Pool, wanted: int, unwanted: int, limit: int) -> Node | None:
        """Conditions that all of the wanted witnesses meet."""
        units = watched(pool.units.values(), self.cancelled)
        offered = [one for one in units if one.mask & wanted == wanted]
        offered += (
            piece._replace(cost=piece.cost + _PARENTHESES)
            for piece in watched(pool.sums.values(), self.cancelled)
            if piece.mask & wanted == wanted and piece.mask not in pool.units
        )
        offered += self.sums(wanted)
        offered += self.clauses(wanted, unwanted)
        found = cover(
            ((one, less(unwanted, one.mask)) for one in offered), unwanted, limit, self.cancelled
        )
        return both(one.node for one in found) if found else None

    def alternatives(self, pool: Pool, wanted: int, unwanted: int, limit: int) -> Node | None:
        """Alternatives of which each of the wanted witnesses is one."""
        products = watched(pool.products.values(), self.cancelled)
        offered = [one for one in products if not one.mask & unwanted]
        offered += self.products(unwanted)
        for row in rows(self.members(), wanted, unwanted, self.cancelled):
            mask = reduce(and_, (one.mask for one in row))
            cost = sum(one.cost + _SIGN for one in row) - _SIGN
            offered.append(Piece(cost, mask, "and", row))
        found = cover(((one, one.mask) for one in offered), wanted, limit, self.cancelled)
        return either(one.node for one in found) if found else None

    def sums(self, wanted: int) -> Iterator[Piece]:
        """Two properties of which all of these witnesses have one; the pool ends before long ones.

        Their cost is that in parentheses.
        """
        for number, one in enumerate(self.literals):
            go_on(self.cancelled)
            missing = less(wanted, one.mask)
            for two in self.literals[number + 1 :]:
                if two.mask & missing == missing:
                    cost = one.cost + _SIGN + two.cost + _PARENTHESES
                    yield Piece(cost, one.mask | two.mask, "or", (one, two))

    def products(self, unwanted: int) -> Iterator[Piece]:
        """Two properties that none of these witnesses has both of."""
        for number, one in enumerate(self.literals):
            go_on(self.cancelled)
            wrong = one.mask & unwanted
            for two in self.literals[number + 1 :]:
                if not two.mask & wrong:
                    cost = one.cost + _SIGN + two.cost
                    yield Piece(cost, one.mask & two.mask, "and", (one, two))

    def members(self) -> list[Piece]:
        """What rows are made of: properties, and where there are few also any of two."""
        if len(self.literals) > FEW:
            return self.literals
        return [*self.literals, *self.sums(0)]

    def clauses(self, wanted: int, unwanted: int) -> Iterator[Piece]:
        """Alternatives in parentheses: what is left when rows of unwanted ones are negated."""
        for row in rows(self.literals, unwanted, wanted, self.cancelled):
            node = either(self.opposite(one) for one in row)
            mask = self.everything ^ reduce(and_, (one.mask for one in row))
            cost = len(format_query(node)) + (_PARENTHESES if isinstance(node, Or) else 0)
            yield Piece(cost, mask, "term", (), node)

    def opposite(self, one: Piece) -> Node:
        """The shortest expression for all other witnesses."""
        found = self.by_mask.get(self.everything ^ one.mask)
        return found.node if found is not None else Not(one.node)
