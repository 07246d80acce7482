"""All expressions of properties by their length, each set of witnesses once (RFC 35).

Of expressions for the same witnesses only the shortest is kept, so that what is built of them is
the shortest as well: once all of a length have been made, none is shorter than what was found.
"""

from typing import Literal, NamedTuple

from fluxtui.answers.explain.expression_terms import (
    Cancelled,
    both,
    either,
    go_on,
    is_plain,
    not_all,
    watched,
)
from fluxtui.notation.query.tree import Node, Not

#: Pairs of expressions that are put together; takes some 0.1 s.
WORK = 150_000

_SIGNS = len("&")
_PARENTHESES = len("()")
_NOT = len("not ()")


class Piece(NamedTuple):
    """An expression: the characters of its text, the witnesses it matches, and what it says.

    kind   how its parts are joined; of a ``term`` the node stands for them
    parts  the pieces it is made of
    """

    cost: int
    mask: int
    kind: Literal["term", "and", "or", "not"]
    parts: tuple["Piece", ...] = ()
    term: Node | None = None

    @property
    def node(self) -> Node:
        """The expression itself."""
        if self.term is not None:
            return self.term
        nodes = [part.node for part in self.parts]
        if self.kind == "not":
            return Not(nodes[0])
        return both(nodes) if self.kind == "and" else either(nodes)


class Pool:
    """Expressions by what they match, the shortest for each.

    units     what may stand beside ``&`` and ``|``: terms, ``not (...)``, what is in parentheses
    products  units, and several joined by ``&``
    sums      all: products, and several joined by ``|``
    done      all expressions of at most so many characters are there
    """

    def __init__(self, literals: list[Piece], everything: int, cancelled: Cancelled) -> None:
        self.everything = everything
        self.cancelled = cancelled
        self.units: dict[int, Piece] = {}
        self.products: dict[int, Piece] = {}
        self.sums: dict[int, Piece] = {}
        self.done = 0
        self._work = WORK
        self._waiting: dict[int, list[Piece]] = {}
        self._units: dict[int, list[Piece]] = {}
        self._products: dict[int, list[Piece]] = {}
        self._sums: dict[int, list[Piece]] = {}
        # Lists such as 'a,b', for '-a,b', by the witnesses with all of them.
        self._lists: dict[int, list[tuple[int, tuple[str, ...]]]] = {}
        self._listed: set[int] = set()
        for literal in literals:
            self._waiting.setdefault(literal.cost, []).append(literal)
        self._plain = [(one, one.term) for one in literals if one.term and is_plain(one.term)]

    def grow(self, wanted: int, limit: int) -> Piece | None:
        """The shortest expression of at most limit characters for the wanted witnesses.

        None where there is none, or where there was too much to try; see done.
        """
        for cost in range(1, limit + 1):
            go_on(self.cancelled)
            self._make_units(cost)
            self._make_lists(cost)
            whole = self._join(cost)
            found = self.sums.get(wanted)
            if found is not None:
                return found
            if not whole:
                break
            self.done = cost
        return None

    def _make_units(self, cost: int) -> None:
        for piece in self._waiting.pop(cost, ()):
            self._unit(piece)
        for mask, names in self._lists.get(cost - 1, ()):
            if len(names) > 1:
                said = not_all(names)
                self._unit(Piece(cost, self.everything ^ mask, "term", (), said))
        for piece in watched(self._sums.get(cost - _NOT, ()), self.cancelled):
            self._unit(Piece(cost, self.everything ^ piece.mask, "not", (piece,)))
        for piece in watched(self._sums.get(cost - _PARENTHESES, ()), self.cancelled):
            if piece.kind == "or":
                self._unit(piece._replace(cost=cost))

    def _unit(self, piece: Piece) -> None:
        if piece.mask in (0, self.everything) or piece.mask in self.products:
            return
        self.units[piece.mask] = piece
        self._units.setdefault(piece.cost, []).append(piece)
        self._product(piece)

    def _product(self, piece: Piece) -> None:
        self.products[piece.mask] = piece
        self._products.setdefault(piece.cost, []).append(piece)

    def _sum(self, piece: Piece) -> None:
        self.sums[piece.mask] = piece
        self._sums.setdefault(piece.cost, []).append(piece)

    def _make_lists(self, cost: int) -> None:
        for name, term in self._plain:
            value = term.values
            if name.cost == cost:
                self._list(cost, name.mask, value)
            for mask, names in self._lists.get(cost - _SIGNS - name.cost, ()):
                self._work -= 1
                self._list(cost, mask & name.mask, names + value)

    def _list(self, cost: int, mask: int, names: tuple[str, ...]) -> None:
        if mask and mask not in self._listed:
            self._listed.add(mask)
            self._lists.setdefault(cost, []).append((mask, names))

    def _join(self, cost: int) -> bool:
        """Make all products and sums of this length; False where there were too many."""
        known, everything = self.products, self.everything
        for first, second in self._rows(self._units, self._products, cost):
            for one in first:
                if not self._spend(len(second)):
                    return False
                mask = one.mask
                for other in second:
                    met = mask & other.mask
                    if met and met not in known:
                        self._product(Piece(cost, met, "and", (one, other)))
        for piece in watched(self._products.get(cost, ()), self.cancelled):
            if piece.mask not in self.sums:
                self._sum(piece)
        known = self.sums
        for first, second in self._rows(self._products, self._sums, cost):
            for one in first:
                if not self._spend(len(second)):
                    return False
                mask = one.mask
                for other in second:
                    met = mask | other.mask
                    if met not in known and met != everything:
                        self._sum(Piece(cost, met, "or", (one, other)))
        return True

    def _rows(
        self, firsts: dict[int, list[Piece]], seconds: dict[int, list[Piece]], cost: int
    ) -> list[tuple[list[Piece], list[Piece]]]:
        """Rows of pieces that come to this length when they are joined."""
        return [
            (row, seconds[cost - _SIGNS - own])
            for own, row in firsts.items()
            if cost - _SIGNS - own in seconds
        ]

    def _spend(self, work: int) -> bool:
        go_on(self.cancelled)
        self._work -= work
        return self._work >= 0
