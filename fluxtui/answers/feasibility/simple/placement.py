"""Where sched-simple would place a job: which nodes, and of each the lowest core and gpu ids."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from fluxtui.answers.feasibility.feasibility import Placement, Share
from fluxtui.answers.feasibility.simple.node_classes import Need, Pile, runs
from fluxtui.model.resources.resource_set import NodeKind, Resources
from fluxtui.notation.sets.bits import fill, first_ranges, from_mask, lowest
from fluxtui.notation.sets.idset import IdSet

# Of a mask with so few nodes the ranges are looked up one by one.
_FEW = 8


class _Piece(NamedTuple):
    """Some nodes of a pile, and how many slots are taken of each; None takes the nodes whole."""

    pile: Pile
    mask: int
    slots: int | None


def place(need: Need, most: int | None, among: Sequence[Pile], resources: Resources) -> Placement:
    """Nodes or slots up to ``most``, None for as many as there are, in the order of sched-simple.

    The piles hold enough for the least.
    """
    found = list(_node_pieces(need, most, among) if need.nodes else _pieces(need, most, among))
    mask = 0
    for piece in found:
        mask |= piece.mask
    return Placement(mask, _shares(need, found, resources))


def _node_pieces(need: Need, most: int | None, among: Sequence[Pile]) -> Iterator[_Piece]:
    slots = None if need.whole else need.slots
    left = most
    for pile in among:
        if left == 0:
            return
        if need.slots_on(pile) < need.slots:
            continue
        mask = pile.mask if left is None or left >= pile.nodes else lowest(pile.mask, left)
        left = left if left is None else max(left - pile.nodes, 0)
        yield _Piece(pile, mask, slots)


def _pieces(need: Need, wanted: int | None, among: Sequence[Pile]) -> Iterator[_Piece]:
    left = wanted
    for pile in among:
        slots = need.slots_on(pile)
        if left == 0:
            return
        if not slots:
            continue
        most = pile.nodes if left is None else left // slots
        full = pile.mask if most >= pile.nodes else lowest(pile.mask, most)
        if full:
            yield _Piece(pile, full, slots)
        if left is not None:
            left -= min(most, pile.nodes) * slots
            rest = pile.mask ^ full
            if left and rest:
                # Too few for one more full node: the next one takes what is left.
                yield _Piece(pile, rest & -rest, left)
                return


def _shares(need: Need, pieces: Sequence[_Piece], resources: Resources) -> tuple[Share, ...]:
    """The pieces by what is taken; nodes of which the same ids are taken stand together."""
    masks: dict[tuple[IdSet, IdSet], int] = {}
    ranges: dict[tuple[IdSet, IdSet], list[tuple[int, int]]] = {}
    for piece in pieces:
        if len(piece.pile.kinds) == 1:
            key = _taken(need, piece.slots, piece.pile.kinds[0])
            masks[key] = masks.get(key, 0) | piece.mask
    for kind, slots, found in _by_kind([p for p in pieces if len(p.pile.kinds) > 1], resources):
        key = _taken(need, slots, kind)
        ranges.setdefault(key, []).extend(found)
        masks.setdefault(key, 0)
    for key, several in ranges.items():
        masks[key] |= _joined(several, resources.node_count)
    return tuple(Share(mask, cores, gpus) for (cores, gpus), mask in masks.items())


def _joined(ranges: Sequence[tuple[int, int]], size: int) -> int:
    """The mask of disjoint ranges, which are mostly single nodes far apart."""
    starts, ends = zip(*ranges, strict=True)
    count = sum(ends) - sum(starts) + len(starts)
    if len(starts) <= _FEW or count > 4 * len(starts):
        return fill(starts, ends, size)
    data = bytearray((size >> 3) + 1)
    for start, end in ranges:
        for bit in range(start, end + 1):
            data[bit >> 3] |= 1 << (bit & 7)
    return int.from_bytes(data, "little")


def _taken(need: Need, slots: int | None, kind: NodeKind) -> tuple[IdSet, IdSet]:
    """The cores and gpus of a node that so many slots take, or all of them."""
    if slots is None:
        return kind.cores, kind.gpus
    return kind.cores.lowest(slots * need.cores), kind.gpus.lowest(slots * need.gpus)


def _by_kind(
    pieces: Sequence[_Piece], resources: Resources
) -> Iterator[tuple[NodeKind, int | None, Sequence[tuple[int, int]]]]:
    """The nodes of pieces as ranges of rank indices by their kind, with the slots taken of each.

    A pile has kinds of its own, so that all pieces but the small ones can be cut up at once.
    """
    rest: dict[tuple[int, int], int | None] = {}
    mask = 0
    for piece in pieces:
        if piece.mask.bit_count() <= _FEW:
            for number, ranges in _cut(first_ranges(piece.mask, _FEW), resources).items():
                yield resources.kinds[number], piece.slots, ranges
        elif piece.mask.bit_count() == sum(kind.indices.count for kind in piece.pile.kinds):
            for whole in piece.pile.kinds:
                yield whole, piece.slots, whole.indices.ranges
        else:
            mask |= piece.mask
            rest[piece.pile.cores, piece.pile.gpus] = piece.slots
    for number, ranges in _cut(from_mask(mask).ranges, resources).items():
        kind = resources.kinds[number]
        yield kind, rest[kind.cores.count, kind.gpus.count], ranges


def _cut(
    ranges: Iterable[tuple[int, int]], resources: Resources
) -> dict[int, list[tuple[int, int]]]:
    """Ranges of rank indices by the number of the kind that the nodes are of."""
    starts, ends, numbers = runs(resources)
    found: dict[int, list[tuple[int, int]]] = {}
    for low, high in ranges:
        run = bisect_right(starts, low) - 1
        while run < len(starts) and starts[run] <= high:
            here = (max(low, starts[run]), min(high, ends[run]))
            found.setdefault(numbers[run], []).append(here)
            run += 1
    return found
