"""Comparison of two constraints: the kept one is A, the current one is B."""

from dataclasses import dataclass, replace

from fluxtui.answers import matching
from fluxtui.model.constraint.tree import Constraint
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets.bits import less


@dataclass(frozen=True, slots=True)
class Kept:
    """The constraint that others are compared with.

    text        as it was written; blank for no constraint
    constraint  its tree; None for no constraint, which all nodes satisfy
    mask        the nodes that satisfy it, as a bit set over indices
    resources   the resources that the mask refers to
    """

    text: str
    constraint: Constraint | None
    mask: int
    resources: Resources


@dataclass(frozen=True, slots=True)
class Comparison:
    """The nodes of B compared with those of A, as bit sets.

    both    the nodes in A and B
    gained  the nodes in B only
    lost    the nodes in A only
    """

    both: int
    gained: int
    lost: int


def compare(a: int, b: int) -> Comparison:
    """Compare the nodes of mask b with those of mask a."""
    return Comparison(a & b, less(b, a), less(a, b))


def kept_on(resources: Resources, kept: Kept | None) -> Kept | None:
    """Return a kept constraint for these resources, matched again if they are different ones."""
    if kept is None or kept.resources is resources:
        return kept
    constraint = kept.constraint
    everything = resources.everything
    mask = everything if constraint is None else matching.match(constraint, resources)
    return replace(kept, mask=mask, resources=resources)
