"""The parts of a constraint with what each of them does to the nodes (RFC 31)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from fluxtui.answers import match
from fluxtui.answers.match import Counted
from fluxtui.model.constraint import And, Constraint, Not, Or, Properties
from fluxtui.notation.query_tree import shown
from fluxtui.notation.source import Span

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


def build(counted: Counted, everything: int, spans: Spans) -> Part:
    """The parts of a constraint, from its masks (`fluxtui.answers.match.counted`)."""
    return _Builder(spans).part(counted, everything, everything.bit_count(), step=True)


class _Builder:
    """Counts what is left after each part; see `build`."""

    def __init__(self, spans: Spans) -> None:
        self.spans = spans
        self.inverted = False

    def part(
        self, counted: Counted, arriving: int, before: int, adds: int | None = None, *, step: bool
    ) -> Part:
        """One part; arriving are the nodes that arrive, before is how many.

        step says that nothing matches where this part lets nothing pass.
        """
        mask = counted.mask
        left = (arriving & mask).bit_count()
        if is_and(counted):
            parts = self._all(counted.parts, arriving, before)
        elif isinstance(counted.constraint, Or):
            parts = self._any(counted.parts, arriving, before, step=step and is_row(counted))
        else:
            parts = self._none(counted.parts, arriving, before)
        empties = step and before > 0 and not left and not is_row(counted)
        span = self._span(counted, parts)
        return Part(
            counted.constraint,
            counted.path,
            span,
            mask,
            mask.bit_count(),
            left,
            adds,
            empties,
            tuple(parts),
        )

    def _all(self, operands: tuple[Counted, ...], arriving: int, before: int) -> list[Part]:
        parts = []
        for operand in operands:
            parts.append(self.part(operand, arriving, before, step=not self.inverted))
            arriving &= operand.mask
            before = parts[-1].left
        return parts

    def _any(
        self, operands: tuple[Counted, ...], arriving: int, before: int, *, step: bool
    ) -> list[Part]:
        parts = []
        seen = 0
        for operand in operands:
            passing = arriving & operand.mask
            adds = (passing ^ (passing & seen)).bit_count()
            seen |= passing
            parts.append(self.part(operand, arriving, before, adds, step=step))
        return parts

    def _none(self, operands: tuple[Counted, ...], arriving: int, before: int) -> list[Part]:
        """The operands of ``not``: one where none is left empties nothing."""
        around, self.inverted = self.inverted, True
        parts = self._all(operands, arriving, before)
        self.inverted = around
        return parts

    def _span(self, counted: Counted, parts: list[Part]) -> Span | None:
        """The place of a part; properties that Flux merges reach from the first to the last."""
        span = self.spans(counted.path)
        inner = [part.span for part in parts if part.span is not None]
        if span is None or not inner or not isinstance(counted.constraint, Properties):
            return span
        return Span(min(span.start, inner[0].start), max(span.end, inner[-1].end))
