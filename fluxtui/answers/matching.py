"""Find the nodes that satisfy a constraint (RFC 31), and nodes by the beginning of a name.

Answers are masks: an ``int`` with one bit for each rank index of the resources.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import islice
from operator import and_, or_
from typing import Any, Literal

from fluxtui.model.constraint.tree import (
    And,
    Constraint,
    Everything,
    Hostlist,
    Not,
    Or,
    Properties,
    Ranks,
)
from fluxtui.model.constraint.tree import read as read_constraint
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Span, is_digits

# Longer numbers are not ranks.
_RANK_DIGITS = 18
_NO_NAME = "''"


@dataclass(frozen=True, slots=True, eq=False)
class Matched:
    """One part of a constraint, and the mask of the nodes that satisfy this part on its own."""

    constraint: Constraint
    mask: int
    parts: tuple["Matched", ...] = ()

    @property
    def path(self) -> str:
        """The path of the part in the RFC 31 object."""
        return self.constraint.path

    @property
    def span(self) -> Span | None:
        """The span of the part in the text; None if unknown."""
        return self.constraint.span

    @property
    def kind(self) -> Literal["and", "or", "not", "term"]:
        """How the operands are joined, several properties by ``and``; a term has no operands."""
        if not self.parts:
            return "term"
        if isinstance(self.constraint, And | Properties):
            return "and"
        return "or" if isinstance(self.constraint, Or) else "not"

    def walk(self) -> Iterator["Matched"]:
        """Yield this part and all parts below it, in order."""
        yield self
        for part in self.parts:
            yield from part.walk()


def match(constraint: Constraint, resources: Resources) -> int:
    """Return the mask of the nodes that satisfy a constraint.

    ``{}`` and an empty ``and``, ``or`` or ``properties`` match all nodes; an empty ``not``,
    ``hostlist`` or ``ranks`` matches none. A host name is not a property.
    """
    match constraint:
        case Everything():
            return resources.everything
        case Properties(values):
            return _all((_property(value, resources) for value in values), resources)
        case Hostlist():
            return resources.mask_of_hosts(constraint.hosts)
        case Ranks():
            return resources.mask_of_ranks(constraint.ids)
        case Or(values) if values:
            return reduce(or_, (match(part, resources) for part in values))
        case Not(values):
            masks = (match(part, resources) for part in values)
            return resources.everything ^ _all(masks, resources) if values else 0
    return _all((match(part, resources) for part in constraint.values), resources)


def covered(requires: Mapping[str, Any] | None, resources: Resources) -> int:
    """Return the mask of the nodes that meet a queue's ``requires`` (RFC 33); all for None."""
    if requires is None:
        return resources.everything
    constraint = read_constraint(requires).value
    return match(constraint, resources) if constraint is not None else 0


def _all(masks: Iterator[int], resources: Resources) -> int:
    """Return the intersection of the masks; all nodes if there are none."""
    first = next(masks, None)
    return resources.everything if first is None else reduce(and_, masks, first)


def _property(value: str, resources: Resources) -> int:
    mask = resources.properties.get(value.removeprefix("^"), 0)
    return resources.everything ^ mask if value.startswith("^") else mask


def matched(constraint: Constraint, resources: Resources) -> Matched:
    """Return the constraint as a tree, each part with the nodes that satisfy it on its own."""
    parts = tuple(matched(part, resources) for part in constraint.parts)
    if not parts:
        return Matched(constraint, match(constraint, resources))
    mask = reduce(or_ if isinstance(constraint, Or) else and_, (part.mask for part in parts))
    if isinstance(constraint, Not):
        mask ^= resources.everything
    return Matched(constraint, mask, parts)


def conditions(tree: Matched) -> tuple[Matched, ...]:
    """Return the conditions a node has to meet; an ``or`` or a ``not`` is a single condition."""
    if tree.kind == "and":
        return tuple(condition for part in tree.parts for condition in conditions(part))
    return (tree,)


def describe(constraint: Constraint) -> str:
    """Describe a constraint, such as ``gpu and not (host n[0-3])``; an empty name is ``''``."""
    match constraint:
        case Everything():
            return "any node"
        case Properties(values):
            signs = ("not " if value.startswith("^") else "" for value in values)
            names = (value.removeprefix("^") or _NO_NAME for value in values)
            words = map("".join, zip(signs, names, strict=True))
            return " and ".join(words) or "any node"
        case Hostlist(values):
            return f"host {','.join(values) or _NO_NAME}" if values else "no node"
        case Ranks(values):
            return f"rank {','.join(values) or _NO_NAME}" if values else "no node"
        case Not(values):
            return f"not {_grouped(And(values))}" if values else "no node"
    joint = " or " if isinstance(constraint, Or) else " and "
    return joint.join(_grouped(part) for part in constraint.values) or "any node"


def _grouped(constraint: Constraint) -> str:
    while isinstance(constraint, And | Or) and len(constraint.values) == 1:
        constraint = constraint.values[0]
    many = not isinstance(constraint, Everything) and len(constraint.values) > 1
    simple = isinstance(constraint, Hostlist | Ranks) or not many
    text = describe(constraint)
    return text if simple else f"({text})"


def find(resources: Resources, text: str, most: int) -> list[int]:
    """Return the indices of at most this many nodes that a text may mean; none if it is empty.

    The node with this number as its rank comes first, then hosts with this name, then hosts whose
    names begin with it.
    """
    if not text:
        return []
    index = resources.host_index
    is_rank = is_digits(text) and len(text) <= _RANK_DIGITS
    rank = resources.ranks.index(int(text)) if is_rank else None
    exact = sorted(index.places(text))
    longer = islice(index.places_beginning_with(text), len(exact) + most)
    places = dict.fromkeys([*([] if rank is None else [rank]), *exact, *longer])
    return [place for place in places if place < resources.node_count][:most]
