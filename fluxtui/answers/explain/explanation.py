"""How a constraint is read on a cluster: its parts, what each matches and what is left after it.

The constraint may be a query (RFC 35) or a JSON object (RFC 31); every part keeps its place in
the text.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from fluxtui.answers.explain.logic import MAX_PARTS, logic
from fluxtui.answers.matching import Matched, describe, matched
from fluxtui.model.constraint.requires import Requires
from fluxtui.model.constraint.tree import Constraint, Not
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.query.tree import shown
from fluxtui.notation.sets.bits import less


@dataclass(frozen=True, slots=True, eq=False)
class Part(Matched):
    """One part of a constraint, with what it does to the nodes that arrive at it.

    A node arrives at a part if everything before it in every ``and`` around it has let the node
    pass; the operands of ``or`` and ``not`` are asked of all nodes that arrive there.

    alone    how many nodes satisfy it
    left     how many of the nodes that arrive here satisfy it
    adds     for an operand of an ``or``: how many the operands before it do not let pass
    empties  nodes arrive here and none is left, in a row of operands that all have to hold
    """

    alone: int = 0
    left: int = 0
    adds: int | None = None
    empties: bool = False
    parts: tuple["Part", ...] = ()

    @property
    def operator(self) -> str:
        """``and``, ``or``, ``not``; of a term the RFC 31 operator, empty for ``{}``."""
        return self.constraint.operator if self.kind == "term" else self.kind

    @property
    def words(self) -> str:
        """What it asks, in words, its middle left out when long."""
        return say(self.constraint)

    @property
    def label(self) -> str:
        """One line of a tree: the operator of what has operands, the whole of a term."""
        if not self.parts:
            return self.words
        several = isinstance(self.constraint, Not) and len(self.parts) > 1
        return "not all of" if several else self.operator

    def walk(self) -> Iterator["Part"]:
        """This part and all below it, in order."""
        yield self
        for part in self.parts:
            yield from part.walk()


def say(constraint: Constraint) -> str:
    """A constraint in words, its middle left out when long."""
    return shown(describe(constraint))[1:-1]


def quoted(constraint: Constraint) -> str:
    """The same for a sentence: in quotes that are not its own."""
    return shown(describe(constraint))


def is_row(part: Matched) -> bool:
    """It is all of its operands: an ``and``, or an ``or`` of one."""
    return part.kind == "and" or (part.kind == "or" and len(part.parts) == 1)


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """A constraint as it is read on a cluster.

    reading    the text and what it asks
    resources  the cluster
    root       the whole constraint, with its parts
    logic      the same as plain logic
    """

    reading: Requires
    resources: Resources
    root: Part
    logic: Matched = field(repr=False)

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
        return _steps(self.root)

    @property
    def emptied_by(self) -> Part | None:
        """The step of the funnel after which no node is left; None where some node matches."""
        return next((part for part in self.funnel if part.empties), None)

    @property
    def is_large(self) -> bool:
        """It has too many parts to change two of them at once (`logic.MAX_PARTS`)."""
        return sum(1 for _ in self.logic.walk()) > MAX_PARTS

    def part_at(self, cursor: int) -> Part | None:
        """The smallest part that contains a position in the text, or ends there."""
        around = [
            (part.span.end - part.span.start, number, part)
            for number, part in enumerate(self.root.walk())
            if part.span is not None and part.span.start <= cursor <= part.span.end
        ]
        return min(around)[2] if around else None

    def part(self, path: str) -> Part | None:
        """The part with this path in the RFC 31 object."""
        return next((part for part in self.root.walk() if part.path == path), None)


def _steps(part: Part) -> tuple[Part, ...]:
    """What has to hold one after the other: the operands of ``and``, also below one another."""
    if not is_row(part):
        return (part,)
    return tuple(step for operand in part.parts for step in _steps(operand))


def explain(
    reading: Requires, resources: Resources, known: Matched | None = None
) -> Explanation | None:
    """How a text is read on a cluster; None where it asks nothing or is wrong.

    known are the masks of its constraint, or of one that is equal to it, where they are known
    already. Takes a few operations on masks for each part.
    """
    constraint = reading.constraint
    if constraint is None:
        return None
    if known is None:
        known = matched(constraint, resources)
    funnel = _Funnel(resources)
    root = funnel.part(constraint, known, resources.everything, resources.node_count, step=True)
    return Explanation(reading, resources, root, logic(root, resources.everything))


class _Funnel:
    """Counts what is left after each part; see `explain`.

    A count of a large mask costs more than all else here, so what has operands is counted by
    them: what is left after an ``and`` is left after its last operand.
    """

    def __init__(self, resources: Resources) -> None:
        self.everything = resources.everything
        self.total = resources.node_count
        self.inverted = False

    def part(
        self,
        constraint: Constraint,
        known: Matched,
        arriving: int,
        before: int,
        seen: int | None = None,
        *,
        step: bool,
    ) -> Part:
        """One part; arriving are the nodes that arrive, before is how many.

        seen are those that the operands before this one let pass, where it is one of an ``or``.
        step says that nothing matches where this part lets nothing pass.
        """
        mask = known.mask
        operands = list(zip(constraint.parts, known.parts, strict=True))
        if known.kind == "and":
            parts, left = self._all(operands, arriving, before)
        elif known.kind == "or":
            parts, left = self._any(operands, arriving, before, step=step and is_row(known))
        elif known.kind == "not":
            around, self.inverted = self.inverted, True
            parts, kept = self._all(operands, arriving, before)
            self.inverted, left = around, before - kept
        else:
            parts, left = [], self._passing(arriving, mask).bit_count()
        if arriving is self.everything:
            alone = left
        elif known.kind == "not" and len(parts) == 1:
            alone = self.total - parts[0].alone
        else:
            alone = mask.bit_count()
        empties = step and before > 0 and not left and not is_row(known)
        adds = self._adds(arriving, mask, left, seen)
        return Part(
            constraint, mask, tuple(parts), alone=alone, left=left, adds=adds, empties=empties
        )

    def _passing(self, arriving: int, mask: int) -> int:
        return mask if arriving is self.everything else arriving & mask

    def _adds(self, arriving: int, mask: int, left: int, seen: int | None) -> int | None:
        """How many of the nodes that arrive pass here and not before."""
        if not seen:
            return left if seen == 0 else None
        return less(self._passing(arriving, mask), seen).bit_count()

    def _all(
        self, operands: Sequence[tuple[Constraint, Matched]], arriving: int, before: int
    ) -> tuple[list[Part], int]:
        """Operands that all have to hold, and how many nodes are left after the last."""
        parts = []
        for constraint, known in operands:
            part = self.part(constraint, known, arriving, before, step=not self.inverted)
            parts.append(part)
            arriving = self._passing(arriving, known.mask)
            before = part.left
        return parts, before

    def _any(
        self,
        operands: Sequence[tuple[Constraint, Matched]],
        arriving: int,
        before: int,
        *,
        step: bool,
    ) -> tuple[list[Part], int]:
        """The operands of ``or``, and how many nodes any of them lets pass."""
        parts = []
        seen = left = 0
        for constraint, known in operands:
            part = self.part(constraint, known, arriving, before, seen, step=step)
            parts.append(part)
            seen |= self._passing(arriving, known.mask)
            left += part.adds or 0
        return parts, left


@dataclass(frozen=True, slots=True)
class Line:
    """A part as a line of a tree: what is drawn before it (``│ └ ``), and its words."""

    part: Part
    guide: str
    words: str

    @property
    def note(self) -> str:
        """What is worth saying of its counts; empty where nothing is."""
        if self.part.adds is not None:
            return f"adds {self.part.adds:,}"
        return "nothing is left" if self.part.empties else ""


def lines(part: Part, lead: str = "", guide: str = "") -> Iterator[Line]:
    """A part and all below it, parents first; ``not`` of a single term is one line.

    lead is drawn before the part itself, guide before what is below it.
    """
    single = isinstance(part.constraint, Not) and len(part.parts) == 1
    told = single and not part.parts[0].parts
    yield Line(part, lead, part.words if told else part.label)
    for number, inner in enumerate(() if told else part.parts):
        last = number == len(part.parts) - 1
        branch, stem = ("└ ", "  ") if last else ("├ ", "│ ")
        yield from lines(inner, guide + branch, guide + stem)
