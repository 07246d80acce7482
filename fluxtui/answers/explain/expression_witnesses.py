"""A few nodes that stand for all: those that tell wrong expressions from right ones.

An expression of properties that is wrong is wrong for some node. With that node among the
witnesses it is never taken for right again; the shortest expression that is right for all
witnesses is, once it is right for every node, the shortest there is.
"""

from typing import TypeAlias

from fluxtui.answers.explain.expression_terms import Cancelled, Literal, both, either, go_on
from fluxtui.notation.query.tree import Node, Not
from fluxtui.notation.sets.bits import less

#: Nodes that no more properties part than these are looked at.
MAX_LEAVES = 400
#: Nodes from all over the cluster that are witnesses, of a small one all.
SPREAD = 500
#: Nodes on either side that are learned from one wrong expression.
LEARNED = 12
#: Properties in a row by which nodes are parted.
MAX_STEPS = 100

#: Properties that nodes have or have not; None where none of these is to match.
Path: TypeAlias = tuple[tuple[int, bool], ...] | None


class InseparableError(Exception):
    """No expression of properties, or none of a sensible size, matches just these nodes."""


class Witnesses:
    """Some nodes of a cluster, by the properties they have; those with the same ones are one.

    on, off  the witnesses that are to match and those that are not, as masks over the witnesses
    columns  for each property the witnesses that have it
    """

    def __init__(
        self, mask: int, everything: int, properties: list[Literal], cancelled: Cancelled
    ) -> None:
        self.mask = mask
        self.outside = everything ^ mask
        self.everything = everything
        self.properties = properties
        self.cancelled = cancelled
        self.on = self.off = 0
        self.columns = [0] * len(properties)
        self.numbers: dict[tuple[int, ...], int] = {}
        size = everything.bit_length() // 8 + 1
        self.inside = mask.to_bytes(size, "little")
        self.rows = []
        for literal in properties:
            go_on(cancelled)
            self.rows.append(literal.mask.to_bytes(size, "little"))

    def add(self, nodes: int) -> None:
        """The first of these nodes is a witness; InseparableError where it is one that has to
        match and another with the same properties must not."""
        self._add((nodes & -nodes).bit_length() - 1)

    def _add(self, index: int) -> None:
        byte, shift = index >> 3, index & 7
        has = tuple([row[byte] >> shift & 1 for row in self.rows])
        number = self.numbers.setdefault(has, len(self.numbers))
        bit = 1 << number
        for place, one in enumerate(has):
            if one:
                self.columns[place] |= bit
        if self.inside[byte] >> shift & 1:
            self.on |= bit
        else:
            self.off |= bit
        if self.on & self.off:
            raise InseparableError

    def first(self) -> None:
        """Nodes here and there, and for each property one with and without it on either side."""
        size = self.everything.bit_length()
        for index in range(0, size, size // SPREAD + 1):
            self._add(index)
        self.add(self.mask)
        self.add(self.outside)
        for literal in self.properties:
            go_on(self.cancelled)
            for side in (self.mask, self.outside):
                inside = side & literal.mask
                for nodes in (inside, side ^ inside):
                    if nodes:
                        self.add(nodes)

    def learn(self, found: int) -> bool:
        """Take witnesses against an expression that matches these nodes; False if it is right."""
        for wrong in (less(found, self.mask), less(self.mask, found)):
            nodes = wrong
            for _ in range(LEARNED):
                if not nodes:
                    break
                self.add(nodes)
                nodes &= nodes - 1
        return found != self.mask

    def part(self) -> Node:
        """An expression for the nodes, by parting them step by step; as short as it happens.

        Raises InseparableError.
        """
        leaves: list[Path] = []
        self._part(self.everything, (), leaves)
        return either(both(map(self._node, path)) for path in leaves if path is not None)

    def _part(self, region: int, path: tuple[tuple[int, bool], ...], leaves: list[Path]) -> None:
        go_on(self.cancelled)
        inside = region & self.mask
        if not inside or inside == region:
            leaves.append(path if inside else None)
            if len(leaves) > MAX_LEAVES:
                raise InseparableError
            return
        if len(path) > MAX_STEPS:
            raise InseparableError
        here = self._here(path)
        if not here & self.on:
            self.add(inside)
        if not here & self.off:
            self.add(region ^ inside)
        here = self._here(path)
        place = self._best(here & self.on, here & self.off)
        having = region & self.properties[place].mask
        self._part(having, (*path, (place, True)), leaves)
        self._part(region ^ having, (*path, (place, False)), leaves)

    def _here(self, path: tuple[tuple[int, bool], ...]) -> int:
        """The witnesses of a region."""
        here = self.on | self.off
        for place, has in path:
            column = self.columns[place]
            here = here & column if has else less(here, column)
        return here

    def _node(self, step: tuple[int, bool]) -> Node:
        node = self.properties[step[0]].node
        return node if step[1] else Not(node)

    def _best(self, on: int, off: int) -> int:
        """The property that parts most pairs of a witness to match and one that must not."""
        total_on, total_off = on.bit_count(), off.bit_count()
        best, most = 0, -1
        for place, column in enumerate(self.columns):
            ins, outs = (on & column).bit_count(), (off & column).bit_count()
            parted = ins * (total_off - outs) + (total_on - ins) * outs
            if parted > most:
                best, most = place, parted
        return best
