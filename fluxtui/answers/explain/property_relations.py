"""How the properties of a cluster relate: same nodes, part of another, never together."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from fluxtui.model.cancellation import Stop, going_on
from fluxtui.notation.sets.idset import from_mask


class Related(NamedTuple):
    """The other properties as seen from one of them. Properties of no node are never among them.

    same    those of just the same nodes
    within  those of all of its nodes and more, but for what another one of these is within; the
            fewest nodes first
    holds   those of some of its nodes and no others; the most nodes first
    apart   those that share no node with it; the most nodes first

    Of as many nodes, the first in the document is the first here.
    """

    same: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    holds: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Relations:
    """The relations of all properties; see `relations`.

    counts  how many nodes each property has, in document order
    """

    counts: Mapping[str, int]
    # Properties of the same nodes are one set, the sets are numbered from the fewest nodes on.
    # What they have to do with each other is kept as bit sets over these numbers: of ten thousand
    # properties, names in lists would not fit into the memory.
    _sets: tuple[tuple[str, ...], ...] = field(repr=False)
    _number: Mapping[str, int] = field(repr=False)
    _within: tuple[int, ...] = field(repr=False)
    _apart: tuple[int, ...] = field(repr=False)

    def of(self, name: str) -> Related:
        """What the others are to a property; nothing for one of no node, or that is not there."""
        number = self._number.get(name)
        if number is None:
            return Related()
        around = self._within[number]
        nearest = around
        for other in from_mask(around):
            nearest &= ~self._within[other]
        holds = (n for n in range(number) if self._within[n] >> number & 1)
        return Related(
            tuple(other for other in self._sets[number] if other != name),
            self._names(from_mask(nearest)),
            self._names(self._largest_first(holds)),
            self._names(self._largest_first(from_mask(self._apart[number]))),
        )

    def _largest_first(self, numbers: Iterable[int]) -> list[int]:
        return sorted(numbers, key=lambda number: -self.counts[self._sets[number][0]])

    def _names(self, numbers: Iterable[int]) -> tuple[str, ...]:
        return tuple(chain.from_iterable(self._sets[number] for number in numbers))


def relations(properties: Mapping[str, int], stop: Stop = going_on) -> Relations | None:
    """How properties, given with the masks of their nodes, relate to each other.

    None once stop says that it is not wanted any more. Two hundred properties of a million nodes
    take some tenths of a second: not for the event loop.
    """
    same: dict[int, list[str]] = {}
    for name, mask in properties.items():
        same.setdefault(mask, []).append(name)
        if stop():
            return None
    sizes = {mask: mask.bit_count() for mask in same}
    counts = {name: sizes[mask] for name, mask in properties.items()}
    same.pop(0, None)
    masks = sorted(same, key=sizes.__getitem__)
    pairs = _pairs(masks, stop)
    if pairs is None:
        return None
    sets = tuple(tuple(same[mask]) for mask in masks)
    number = {name: n for n, names in enumerate(sets) for name in names}
    return Relations(counts, sets, number, *pairs)


def _pairs(masks: list[int], stop: Stop) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """For each of several sets, which ones it is within, and which ones it shares no node with.

    The sets differ, have nodes, and the smaller ones come first.
    """
    spans = [((mask & -mask).bit_length(), mask.bit_length()) for mask in masks]
    within = [0] * len(masks)
    apart = [0] * len(masks)
    for small, mask in enumerate(masks):
        first, last = spans[small]
        for large in range(small + 1, len(masks)):
            if stop():
                return None
            start, end = spans[large]
            # Where one ends before the other begins, the masks need not be looked at.
            common = mask & masks[large] if start <= last and first <= end else 0
            if not common:
                apart[small] |= 1 << large
                apart[large] |= 1 << small
            elif common == mask:
                within[small] |= 1 << large
    return tuple(within), tuple(apart)
