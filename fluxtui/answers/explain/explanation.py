"""How a constraint is read on a cluster: its parts, what each matches and what is left after it.

The constraint may be a query (RFC 35) or a JSON object (RFC 31); every part keeps its place in
the text.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from fluxtui.answers.explain import clauses
from fluxtui.answers.explain.clauses import MAX_PARTS, Clause
from fluxtui.answers.explain.parts import Part, Spans, build, steps
from fluxtui.answers.matching import match
from fluxtui.answers.matching.match import Counted
from fluxtui.model.constraint.requires import Requires
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Span


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """A constraint as it is read on a cluster.

    reading    the text and what it asks
    resources  the cluster
    root       the whole constraint, with its parts
    clause     the same as plain logic
    """

    reading: Requires
    resources: Resources
    root: Part
    clause: Clause = field(repr=False)

    @property
    def everything(self) -> int:
        """The mask of all nodes."""
        return self.resources.everything

    @property
    def total(self) -> int:
        """How many nodes the cluster has."""
        return self.resources.node_count

    @property
    def mask(self) -> int:
        """The nodes that satisfy the constraint."""
        return self.root.mask

    @property
    def count(self) -> int:
        """How many nodes satisfy the constraint."""
        return self.root.alone

    @property
    def funnel(self) -> tuple[Part, ...]:
        """What has to hold one after the other; ``left`` of each is how many nodes remain."""
        return steps(self.root)

    @property
    def emptied_by(self) -> Part | None:
        """The step of the funnel after which no node is left; None where some node matches."""
        return next((part for part in self.funnel if part.empties), None)

    @property
    def is_large(self) -> bool:
        """It has too many parts to change two of them at once (`clauses.MAX_PARTS`)."""
        return sum(1 for _ in self.clause.walk()) > MAX_PARTS

    def part_at(self, cursor: int) -> Part | None:
        """The smallest part around a place in the text, or at whose end it stands."""
        around = [
            (part.span.end - part.span.start, number, part)
            for number, (_, part) in enumerate(self.root.walk())
            if part.span is not None and part.span.start <= cursor <= part.span.end
        ]
        return min(around)[2] if around else None

    def part(self, path: str) -> Part | None:
        """The part with this path in the RFC 31 object."""
        return next((part for _, part in self.root.walk() if part.path == path), None)


def explain(
    reading: Requires, resources: Resources, counted: Counted | None = None
) -> Explanation | None:
    """How a text is read on a cluster; None where it asks nothing or is wrong.

    counted is `match.counted` of its constraint, where that is known already. Takes a few
    operations on masks for each part.
    """
    constraint = reading.constraint
    if constraint is None:
        return None
    if counted is None:
        counted = match.counted(constraint, resources)
    root = build(counted, resources, _spans(reading))
    return Explanation(reading, resources, root, clauses.build(root, resources.everything))


def _spans(reading: Requires) -> Spans:
    def span(path: str) -> Span | None:
        place = reading.place(path)
        return place.span if place is not None else None

    return span


def spans(parts: Iterable[tuple[int, Part]]) -> dict[str, Span]:
    """The places of parts in the text, by their paths."""
    return {part.path: part.span for _, part in parts if part.span is not None}
