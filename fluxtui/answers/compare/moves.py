"""Nodes that are told by their host names and have another rank than before."""

from array import array
from typing import NamedTuple

from fluxtui.answers.compare.changes import Changes
from fluxtui.notation.sets import idset
from fluxtui.notation.sets.idset import IdSet, runs


class Move(NamedTuple):
    """Nodes whose ranks became larger, or smaller, by the same number.

    nodes   which these are, by their indices after
    before  their ranks before; after are those that they have, in the same order
    by      the number that was added; None where it is another one for each of them
    """

    nodes: IdSet
    before: IdSet
    after: IdSet
    by: int | None


def moves(changes: Changes, most: int) -> list[Move]:
    """The nodes that moved, by how far, those with the lowest index first.

    Where they moved by more than so many different distances, they are one move without one.
    Takes time for each of them: not for the event loop.
    """
    nodes = idset.from_mask(changes.moved)
    if not nodes:
        return []
    was, now = array("q", changes.before.ranks), array("q", changes.after.ranks)
    where = changes.pairing.where
    found: dict[int, list[int]] = {}
    for index in nodes:
        found.setdefault(now[index] - was[where[index]], []).append(index)
        if len(found) > most:
            return [_move(changes, nodes, None)]
    return [_move(changes, IdSet(*runs(indices)), by) for by, indices in found.items()]


def _move(changes: Changes, nodes: IdSet, by: int | None) -> Move:
    after = changes.after.ranks.pick(nodes)
    if by is not None:
        return Move(nodes, after.shifted(-by), after, by)
    before = changes.before.ranks_of(changes.before_of(idset.to_mask(nodes)))
    return Move(nodes, before, after, None)
