"""Nodes that are alike, told together, as ``flux resource list`` does."""

from typing import NamedTuple

from fluxtui.model.resources.document import Resources
from fluxtui.notation.sets.bits import less


class Stack(NamedTuple):
    """Nodes with the same number of cores and gpus and the same properties.

    nodes       which these are, as a mask
    properties  what all of them have, in document order
    """

    nodes: int
    properties: tuple[str, ...]


def stacks(resources: Resources, mask: int, most: int) -> list[Stack]:
    """The nodes of a mask by what they are like, those with the lowest index first.

    Where there are more than so many sorts of them, they are one stack, with the properties that
    all of them have; no nodes are none.
    """
    if not mask:
        return []
    sorts = [mask]
    sizes: dict[tuple[int, int], int] = {}
    for kind in resources.kinds:
        size = kind.cores.count, kind.gpus.count
        sizes[size] = sizes.get(size, 0) | kind.mask
        if len(sizes) > most:
            break
    for part in (*sizes.values(), *resources.properties.values()):
        sorts = [half for nodes in sorts for half in (nodes & part, less(nodes, part)) if half]
        if len(sorts) > most:
            sorts = [mask]
            break
    found = [
        Stack(nodes, tuple(n for n, m in resources.properties.items() if not less(nodes, m)))
        for nodes in sorts
    ]
    return sorted(found, key=lambda stack: stack.nodes & -stack.nodes)
