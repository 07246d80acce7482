"""What contains what in a cluster, for looking at it: from the cluster down to its cores.

A vertex is known by a number. Of a graph it is the row; what the execution part of an R document
implies is numbered by rule, so that nothing is made for a million nodes before it is looked at.
"""

from typing import TypeAlias

from fluxtui.answers.containment.graph import GraphContainment
from fluxtui.answers.containment.items import MANY, Bond, Fold, Item, Items
from fluxtui.answers.containment.listed import ListedContainment

#: Both answer the same questions. What takes a walk over all vertices is known once `work_out` has
#: run in the background and `take` has been given its result.
Containment: TypeAlias = GraphContainment | ListedContainment


def items_below(tree: Containment, item: Item | None) -> Items:
    """What is below an item once it is open; None stands for all there is."""
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
