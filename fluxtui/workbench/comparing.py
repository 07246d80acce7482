"""Two constraints side by side: the one that was kept is A, the one that is written now is B."""

from dataclasses import dataclass, replace

from fluxtui.answers import matching
from fluxtui.model.constraint.tree import Constraint
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets.bits import less


@dataclass(frozen=True, slots=True)
class Kept:
    """The constraint that others are compared with.

    text        as it was written; blank where it asks nothing
    constraint  what it asks; None asks nothing, and all nodes will do
    mask        the nodes that satisfy it, as a bit set over indices
    asked       the resources that the mask is of
    """

    text: str
    constraint: Constraint | None
    mask: int
    asked: Resources


@dataclass(frozen=True, slots=True)
class Comparison:
    """The nodes of B against those of A, as bit sets.

    both    those that A and B have
    gained  those that B alone has
    lost    those that A alone has
    """

    both: int
    gained: int
    lost: int


def compare(a: int, b: int) -> Comparison:
    """The nodes of one mask, B, against those of another, A."""
    return Comparison(a & b, less(b, a), less(a, b))


def kept_on(resources: Resources, kept: Kept | None) -> Kept | None:
    """A kept constraint on these resources: it is matched anew where they are others."""
    if kept is None or kept.asked is resources:
        return kept
    constraint = kept.constraint
    everything = resources.everything
    mask = everything if constraint is None else matching.match(constraint, resources)
    return replace(kept, mask=mask, asked=resources)
