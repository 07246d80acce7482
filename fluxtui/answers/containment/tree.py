"""The containment hierarchy of a document, with or without a graph, and the lines below an item."""

from collections.abc import Sequence
from typing import TypeAlias

from fluxtui.answers.containment.items import MANY, Bond, Fold, Item, Items
from fluxtui.answers.containment.of_graph import GraphContainment
from fluxtui.answers.containment.of_list import ListedContainment
from fluxtui.model.resources.graph import Graph
from fluxtui.model.resources.resource_set import Resources

#: Both have the same methods. What requires a walk over all vertices is available only after
#: `work_out` has run in a worker and its result has been passed to `take`.
Containment: TypeAlias = GraphContainment | ListedContainment


def containment_of(
    graph: Graph | None, resources: Resources, runs: Sequence[tuple[int, int]]
) -> Containment:
    """Return the containment hierarchy of a document: from its graph, or from R without one.

    runs are the runs of similar host names for `ListedContainment`.
    """
    if graph is not None and graph.types:
        return GraphContainment(graph, resources)
    return ListedContainment(resources, runs)


def items_below(tree: Containment, item: Item | None) -> Items:
    """Return what is below an item when it is open; None is the whole tree."""
    if item is None:
        return Items((), tree.roots)
    if isinstance(item, Bond):
        return Items((), ())
    if isinstance(item, Fold):
        return Items((), tree.children(item.parent)[item.start : item.start + item.count])
    bonds = [Bond(item, link) for link in tree.links(item)]
    kids = tree.children(item)
    return Items(bonds, tree.folded(item, kids) if len(kids) >= MANY else kids)


def can_open(tree: Containment, item: Item) -> bool:
    """Whether there is something below an item."""
    if isinstance(item, Fold):
        return True
    return not isinstance(item, Bond) and bool(tree.children(item) or tree.links(item))
