"""The cursor and the selection on a cluster after it was read again."""

from typing import TYPE_CHECKING

from fluxtui.notation.sets.bits import less

if TYPE_CHECKING:
    from fluxtui.answers.compare import Changes


def cursor_after(index: int | None, changes: "Changes") -> int | None:
    """Return a node's new index; if the node is gone, that of the next one still there.

    If none follows, that of the last one before it; None if the cluster has no nodes any more.
    """
    count = changes.after.node_count
    if index is None or not count:
        return 0 if count else None
    kept = less(changes.before.everything, changes.removed)
    later, earlier = kept >> index, kept & ((1 << index) - 1)
    if later:
        index += (later & -later).bit_length() - 1
    elif earlier:
        index = earlier.bit_length() - 1
    else:
        return 0
    return changes.inverse.where[index]


def carried(mask: int, changes: "Changes", known: tuple[int, int]) -> int:
    """Map a mask of nodes before to nodes after; known is a pair already computed."""
    if mask == known[0]:
        return known[1]
    return changes.pairing.carry((mask,))[0] if mask else 0
