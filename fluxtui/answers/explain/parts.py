"""The parts of a constraint with what each of them does to the nodes (RFC 31)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from fluxtui.answers.matching import match
from fluxtui.answers.matching.match import Counted
from fluxtui.model.constraint.tree import And, Constraint, Not, Or, Properties
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Span
from fluxtui.notation.query.tree import shown
from fluxtui.notation.sets.bits import less

#: The place of a part in the text, by its path.
Spans: TypeAlias = Callable[[str], Span | None]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One part of a constraint: an operator with its operands, or a term.

    A node arrives at a part if all that stands before it in every ``and`` around it has let the
    node pass; the operands of ``or`` and ``not`` are asked of all nodes that arrive there.

    path     where it stands in the RFC 31 object; each of several properties has its own
    span     where it stands in the text, None where that is not known
    mask     the nodes that satisfy it alone
    alone    how many these are
    left     how many of the nodes that arrive here satisfy it
    adds     for an operand of an ``or``: how many the operands before it do not let pass
    empties  nodes arrive here and none is left, in a row of operands that all have to hold
    parts    its operands, in order
    """

    constraint: Constraint
    path: str
    span: Span | None
    mask: int
    alone: int
    left: int
    adds: int | None = None
    empties: bool = False
    parts: tuple["Part", ...] = ()

    @property
    def operator(self) -> str:
        """``and``, ``or``, ``not``; of a term the RFC 31 operator, empty for ``{}``."""
        return "and" if is_and(self) else match.operator(self.constraint)

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

    def walk(self, depth: int = 0) -> Iterator[tuple[int, "Part"]]:
        """This part and all below it, in order, each with its depth."""
        yield depth, self
        for part in self.parts:
            yield from part.walk(depth + 1)


def say(constraint: Constraint) -> str:
    """A constraint in words, its middle left out when long."""
    return shown(match.describe(constraint))[1:-1]


def quoted(constraint: Constraint) -> str:
    """The same for a sentence: in quotes that are not its own."""
    return shown(match.describe(constraint))


def is_and(part: Part | Counted) -> bool:
    """All of its operands have to hold."""
    return bool(part.parts) and isinstance(part.constraint, And | Properties)


def is_row(part: Part | Counted) -> bool:
    """It is all of its operands: an ``and``, or an ``or`` of one."""
    return is_and(part) or (isinstance(part.constraint, Or) and len(part.parts) == 1)


def steps(part: Part) -> tuple[Part, ...]:
    """What has to hold one after the other: the operands of ``and``, also below one another."""
    if not is_row(part):
        return (part,)
    return tuple(step for operand in part.parts for step in steps(operand))


def build(counted: Counted, resources: Resources, spans: Spans) -> Part:
    """The parts of a constraint, from its masks (`fluxtui.answers.matching.match.counted`)."""
    everything = resources.everything
    return _Builder(resources, spans).part(counted, everything, resources.node_count, step=True)


class _Builder:
    """Counts what is left after each part; see `build`.

    A count of a large mask costs more than all else here, so what has operands is counted by
    them: what is left after an ``and`` is left after its last operand.
    """

    def __init__(self, resources: Resources, spans: Spans) -> None:
        self.everything = resources.everything
        self.count = int.bit_count
        self.spans = spans
        self.inverted = False

    def part(
        self, counted: Counted, arriving: int, before: int, seen: int | None = None, *, step: bool
    ) -> Part:
        """One part; arriving are the nodes that arrive, before is how many.

        seen are those that the operands before this one let pass, where it is one of an ``or``.
        step says that nothing matches where this part lets nothing pass.
        """
        mask = counted.mask
        if is_and(counted):
            parts, left = self._all(counted.parts, arriving, before)
        elif isinstance(counted.constraint, Or) and counted.parts:
            step_below = step and is_row(counted)
            parts, left = self._any(counted.parts, arriving, before, step=step_below)
        elif counted.parts:
            parts, left = self._none(counted.parts, arriving, before)
        else:
            parts, left = [], self.count(self._passing(arriving, mask))
        alone = left if arriving is self.everything else self.count(mask)
        empties = step and before > 0 and not left and not is_row(counted)
        return Part(
            counted.constraint,
            counted.path,
            self._span(counted, parts),
            mask,
            alone,
            left,
            self._adds(arriving, mask, left, seen),
            empties,
            tuple(parts),
        )

    def _passing(self, arriving: int, mask: int) -> int:
        return mask if arriving is self.everything else arriving & mask

    def _adds(self, arriving: int, mask: int, left: int, seen: int | None) -> int | None:
        """How many of the nodes that arrive pass here and not before."""
        if not seen:
            return left if seen == 0 else None
        return less(self._passing(arriving, mask), seen).bit_count()

    def _all(
        self, operands: tuple[Counted, ...], arriving: int, before: int
    ) -> tuple[list[Part], int]:
        """The operands of ``and``, and how many nodes are left after the last."""
        parts = []
        for operand in operands:
            parts.append(self.part(operand, arriving, before, step=not self.inverted))
            arriving = self._passing(arriving, operand.mask)
            before = parts[-1].left
        return parts, before

    def _any(
        self, operands: tuple[Counted, ...], arriving: int, before: int, *, step: bool
    ) -> tuple[list[Part], int]:
        """The operands of ``or``, and how many nodes any of them lets pass."""
        parts = []
        seen = left = 0
        for operand in operands:
            parts.append(self.part(operand, arriving, before, seen, step=step))
            seen |= self._passing(arriving, operand.mask)
            left += parts[-1].adds or 0
        return parts, left

    def _none(
        self, operands: tuple[Counted, ...], arriving: int, before: int
    ) -> tuple[list[Part], int]:
        """The operands of ``not``, one of which may leave none, and how many nodes it keeps."""
        around, self.inverted = self.inverted, True
        parts, left = self._all(operands, arriving, before)
        self.inverted = around
        return parts, before - left

    def _span(self, counted: Counted, parts: list[Part]) -> Span | None:
        """The place of a part; properties that Flux merges reach from the first to the last."""
        span = self.spans(counted.path)
        inner = [part.span for part in parts if part.span is not None]
        if span is None or not inner or not isinstance(counted.constraint, Properties):
            return span
        return Span(min(span.start, inner[0].start), max(span.end, inner[-1].end))
