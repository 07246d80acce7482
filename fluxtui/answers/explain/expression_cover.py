"""The cheapest pieces that together cover something, and rows of properties made of them.

An expression in two levels is a cover: alternatives that leave no wanted witness out, or
conditions of which each unwanted witness fails one.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from heapq import nlargest
from operator import and_
from typing import NamedTuple

from fluxtui.answers.explain.expression_search import Piece
from fluxtui.answers.explain.expression_terms import Cancelled, go_on, watched
from fluxtui.notation.sets.bits import less

#: Steps of one search for a cover; the best one found until then is taken.
MAX_STEPS = 1_500
#: The same for one row of properties.
ROW_STEPS = 30
#: Pieces among which a cover is looked for.
MAX_PIECES = 300
#: Pieces of which these are chosen: those that cover most for their length.
MAX_OFFERED = 2_000
#: Elements of which the one that the fewest pieces cover is covered next.
LOOKED_AT = 32
#: Witnesses for which a row of properties is looked for.
MAX_ROWS = 40
#: Characters of a row.
LONGEST = 200

_SIGN = len("&")


class Offer(NamedTuple):
    """A piece, and what it would cover."""

    cost: int
    covers: int
    piece: Piece


def cover(
    offered: Iterable[tuple[Piece, int]],
    universe: int,
    limit: int,
    cancelled: Cancelled,
    steps: int = MAX_STEPS,
) -> list[Piece] | None:
    """The pieces that cover the universe in the fewest characters, at most limit with their signs.

    offered gives each piece with what it covers. None where there are none. Exact, unless there
    are too many pieces or steps.
    """
    offers = _useful(offered, universe, cancelled)
    search = _Search(offers, limit + _SIGN, steps, cancelled)
    search.greedy(universe)
    search.visit(universe, 0, ())
    return search.best


def _useful(
    offered: Iterable[tuple[Piece, int]], universe: int, cancelled: Cancelled
) -> list[Offer]:
    """The pieces that cover something which no cheaper one covers as well."""
    cheapest: dict[int, Offer] = {}
    for piece, whole in watched(offered, cancelled):
        covers = whole & universe
        held = cheapest.get(covers)
        if covers and (held is None or piece.cost < held.cost - _SIGN):
            cheapest[covers] = Offer(piece.cost + _SIGN, covers, piece)
    offers = list(cheapest.values())
    if len(offers) > MAX_OFFERED:
        offers = nlargest(
            MAX_OFFERED,
            watched(offers, cancelled),
            key=lambda one: one.covers.bit_count() / one.cost,
        )
    kept: list[Offer] = []
    for offer in sorted(offers, key=lambda one: (one.cost, -one.covers.bit_count())):
        go_on(cancelled)
        if not any(offer.covers & one.covers == offer.covers for one in kept):
            kept.append(offer)
            if len(kept) == MAX_PIECES:
                break
    return kept


class _Search:
    """Branch and bound; see `cover`."""

    def __init__(
        self, offers: Sequence[Offer], limit: int, steps: int, cancelled: Cancelled
    ) -> None:
        self.offers = offers
        self.limit = limit
        self.steps = steps
        self.cancelled = cancelled
        self.best: list[Piece] | None = None
        self.seen: dict[int, int] = {}
        self.covering: dict[int, list[Offer]] = {}

    def take(self, cost: int, chosen: Iterable[Piece]) -> None:
        """A cover that is better than those before."""
        self.limit = cost - 1
        self.best = list(chosen)

    def greedy(self, left: int) -> None:
        """A first cover: what covers most for its length, again and again."""
        cost, chosen = 0, []
        while left:
            go_on(self.cancelled)
            best = max(
                self.offers,
                key=lambda one: (left & one.covers).bit_count() / one.cost,
                default=None,
            )
            if best is None or not left & best.covers:
                return
            left = less(left, best.covers)
            cost += best.cost
            chosen.append(best.piece)
        if cost <= self.limit:
            self.take(cost, chosen)

    def visit(self, left: int, cost: int, chosen: tuple[Piece, ...]) -> None:
        """All ways to cover what is left that are better than the best."""
        if not left:
            self.take(cost, chosen)
            return
        self.steps -= 1
        if self.steps < 0 or self.seen.get(left, cost + 1) <= cost:
            return
        if not self.steps % 16:
            go_on(self.cancelled)
        self.seen[left] = cost
        rate = max(((left & one.covers).bit_count() / one.cost for one in self.offers), default=0)
        if not rate or cost + left.bit_count() / rate > self.limit:
            return
        for offer in self._rarest(left):
            if cost + offer.cost <= self.limit:
                rest = less(left, offer.covers)
                self.visit(rest, cost + offer.cost, (*chosen, offer.piece))

    def _rarest(self, left: int) -> list[Offer]:
        """What covers the element that the fewest cover, the most promising first."""
        found: list[Offer] | None = None
        waiting = left
        for _ in range(LOOKED_AT):
            bit = waiting & -waiting
            waiting ^= bit
            if bit not in self.covering:
                self.covering[bit] = [one for one in self.offers if one.covers & bit]
            if found is None or len(self.covering[bit]) < len(found):
                found = self.covering[bit]
            if not waiting:
                break
        return sorted(found or (), key=lambda one: -(left & one.covers).bit_count() / one.cost)


def rows(
    literals: Sequence[Piece], wanted: int, unwanted: int, cancelled: Cancelled
) -> Iterator[tuple[Piece, ...]]:
    """Properties that hold together for some wanted witnesses and for no unwanted one.

    Each wanted witness is in one of these rows at least, of the first ``MAX_ROWS``.
    """
    left = wanted
    for _ in range(MAX_ROWS):
        if not left:
            return
        go_on(cancelled)
        one_of_them = left & -left
        left ^= one_of_them
        held = [one for one in literals if one.mask & one_of_them]
        wide = _wide(held, wanted, unwanted)
        if wide:
            yield wide
            left = less(left, reduce(and_, (one.mask for one in wide)))
        offered = [(one, less(unwanted, one.mask)) for one in held]
        short = cover(offered, unwanted, LONGEST, cancelled, ROW_STEPS)
        if short:
            yield tuple(short)


def _wide(held: Sequence[Piece], wanted: int, unwanted: int) -> tuple[Piece, ...]:
    """Properties that keep out all that is unwanted and as little as can be of what is wanted."""
    chosen: list[Piece] = []
    met, wrong = wanted, unwanted
    while wrong:

        def worth(one: Piece, wrong: int = wrong, met: int = met) -> float:
            return less(wrong, one.mask).bit_count() * (met & one.mask).bit_count() / one.cost

        best = max(held, key=worth, default=None)
        if best is None or not less(wrong, best.mask):
            return ()
        chosen.append(best)
        met, wrong = met & best.mask, wrong & best.mask
    return _needed(chosen, unwanted)


def _needed(chosen: list[Piece], unwanted: int) -> tuple[Piece, ...]:
    """Those of several without which something unwanted would be let in."""
    for one in tuple(chosen):
        wrong = unwanted
        for other in chosen:
            if other is not one:
                wrong &= other.mask
        if not wrong:
            chosen.remove(one)
    return tuple(chosen)
