"""What a person had in hand on a cluster, on the same one after it was read again."""

from typing import TYPE_CHECKING

from fluxtui.notation.sets.bits import less

if TYPE_CHECKING:
    from fluxtui.answers.compare import Changes


def cursor_after(index: int | None, changes: "Changes") -> int | None:
    """The index of a node after; of one that is gone that of the next one that is not.

    None where there is no node after.
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
    return changes.back.where[index]


def carried(mask: int, changes: "Changes", known: tuple[int, int]) -> int:
    """Nodes before as nodes after; known are some that were worked out, before and after."""
    if mask == known[0]:
        return known[1]
    return changes.pairing.carry((mask,))[0] if mask else 0
