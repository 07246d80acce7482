"""Nodes in rows: what every order of them answers, and the same order turned round."""

from collections.abc import Sequence
from typing import Literal, Protocol


class Nodes(Protocol):
    """Nodes in an order: what `Order` and `MaskRows` have in common."""

    @property
    def count(self) -> int:
        """How many rows."""

    def prepare(self) -> None:
        """Build now what is else built at first use."""

    def indices(self, start: int, stop: int) -> Sequence[int]:
        """The nodes of the rows from start up to stop, in order."""

    def row(self, index: int) -> int | None:
        """The row of a node, None where it has none."""

    def nodes(self, start: int, stop: int) -> int:
        """The nodes of the rows from start up to stop, as a mask."""

    def following(self, mask: int, row: int, by: Literal[-1, 1]) -> int | None:
        """The nearest row after a row, or before it, whose node is in a mask; None for none."""


class Turned:
    """Nodes from the last to the first; nothing is copied."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self.count = nodes.count

    def prepare(self) -> None:
        """Build now what else is built at first use."""
        self._nodes.prepare()

    def indices(self, start: int, stop: int) -> Sequence[int]:
        """The nodes of the rows from start up to stop, in order."""
        stop = min(stop, self.count)
        return self._nodes.indices(self.count - stop, self.count - max(start, 0))[::-1]

    def row(self, index: int) -> int | None:
        """The row of a node, None where it has none."""
        row = self._nodes.row(index)
        return None if row is None else self.count - 1 - row

    def nodes(self, start: int, stop: int) -> int:
        """The nodes of the rows from start up to stop, as a mask."""
        return self._nodes.nodes(self.count - stop, self.count - start)

    def following(self, mask: int, row: int, by: Literal[-1, 1]) -> int | None:
        """The nearest row after a row, or before it, whose node is in a mask; None for none."""
        found = self._nodes.following(mask, self.count - 1 - row, 1 if by < 0 else -1)
        return None if found is None else self.count - 1 - found
