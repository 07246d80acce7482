"""What a placement takes of each node, as cores and gpus of R."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from fluxtui.answers.feasibility.feasibility import Placement, Share
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets.bits import less
from fluxtui.notation.sets.idset import IdSet

# How many cores or gpus are taken of each node of a mask; the masks are disjoint.
Amounts = Sequence[tuple[int, int]]


@lru_cache(maxsize=2)
def kind_masks(resources: Resources) -> tuple[int, ...]:
    """The nodes of each kind, in the order of ``resources.kinds``; kept for the last resources."""
    return tuple(kind.mask for kind in resources.kinds)


def shares(
    resources: Resources, whole: int, cores: Amounts = (), gpus: Amounts = ()
) -> Iterator[Share]:
    """What is taken of the nodes of a mask that are taken whole, and of others.

    Of a node that is not taken whole the cores and gpus with the lowest ids are taken.
    """
    partly = 0
    for mask, _ in (*cores, *gpus):
        partly |= mask
    partly = less(partly, whole)
    for kind, nodes in zip(resources.kinds, kind_masks(resources), strict=True):
        if mine := nodes & whole:
            yield Share(mine, kind.cores, kind.gpus)
        if mine := nodes & partly:
            for core_count, some in _by_amount(mine, cores):
                for gpu_count, few in _by_amount(some, gpus):
                    yield Share(few, kind.cores.lowest(core_count), kind.gpus.lowest(gpu_count))


def _by_amount(mask: int, amounts: Amounts) -> Iterator[tuple[int, int]]:
    """Nodes by the amount taken of them, which is 0 for those that are left."""
    for nodes, count in amounts:
        if mine := mask & nodes:
            yield count, mine
            mask = less(mask, mine)
            if not mask:
                return
    if mask:
        yield 0, mask


def placed(found: Iterable[Share], rows: Sequence[int] = ()) -> Placement:
    """The placement of shares, and of vertices of a graph by row.

    Shares of the same ids become one; they are in the order of their first nodes.
    """
    masks: dict[tuple[IdSet, IdSet], int] = {}
    mask = 0
    for share in found:
        key = (share.cores, share.gpus)
        masks[key] = masks.get(key, 0) | share.mask
        mask |= share.mask
    merged = [Share(nodes, cores, gpus) for (cores, gpus), nodes in masks.items()]
    merged.sort(key=lambda share: share.mask & -share.mask)
    return Placement(mask, tuple(merged), tuple(rows))
