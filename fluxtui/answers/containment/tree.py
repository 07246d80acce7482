"""What contains what in a document, with a graph or without, and what is below an item of it."""

from collections.abc import Sequence
from typing import TypeAlias

from fluxtui.answers.containment.items import MANY, Bond, Fold, Item, Items
from fluxtui.answers.containment.of_graph import GraphContainment
from fluxtui.answers.containment.of_list import ListedContainment
from fluxtui.model.resources.graph import Graph
from fluxtui.model.resources.resource_set import Resources

#: Both answer the same questions. What takes a walk over all vertices is known once `work_out` has
#: run in the background and `take` has been given its result.
Containment: TypeAlias = GraphContainment | ListedContainment


def containment_of(
    graph: Graph | None, resources: Resources, runs: Sequence[tuple[int, int]]
) -> Containment:
    """What contains what in a document: by its graph, or by what R says without one.

    runs are those of like host names, as of `ListedContainment`.
    """
    if graph is not None and graph.types:
        return GraphContainment(graph, resources)
    return ListedContainment(resources, runs)


def items_below(tree: Containment, item: Item | None) -> Items:
    """What is below an item once it is open; None is the whole tree."""
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
    """Whether something is below an item."""
    if isinstance(item, Fold):
        return True
    return not isinstance(item, Bond) and bool(tree.children(item) or tree.links(item))
