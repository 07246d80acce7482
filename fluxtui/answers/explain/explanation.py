"""A constraint evaluated on a cluster: its parts, what each matches and what is left after it.

The constraint may be a query (RFC 35) or a JSON object (RFC 31); every part keeps its span in the
text. Besides the constraint as written there is its plain logic, in which nested ``and`` and ``or``
are flattened.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from operator import and_, or_
from typing import Any, TypeAlias

from fluxtui.answers.matching import Matched, describe, matched
from fluxtui.model.constraint.requires import Requires
from fluxtui.model.constraint.tree import And, Constraint, Hostlist, Not, Or, Properties, Ranks
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.query.tree import shown
from fluxtui.notation.sets.bits import less

#: Pairs of changes, whose number is quadratic, are not tried on a constraint with more parts.
MAX_PARTS = 400
#: Longer host lists are compared as written, not as sets.
MAX_NAMED = 200

#: The normal form of a constraint; equal forms imply equivalent constraints.
Normal: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Part(Matched):
    """One part of a constraint, with its effect on the nodes that arrive at it.

    A node arrives at a part if it satisfies everything before the part in every enclosing ``and``;
    all operands of an ``or`` see the nodes that arrive at it, and a ``not`` is as an ``and``.

    alone    how many nodes satisfy it
    left     how many of the arriving nodes satisfy it
    adds     for an operand of an ``or``: how many nodes it adds to those of the operands before it
    empties  whether nodes arrive and none is left, where the whole constraint requires this part
    """

    alone: int = 0
    left: int = 0
    adds: int | None = None
    empties: bool = False
    parts: tuple["Part", ...] = ()

    @property
    def operator(self) -> str:
        """``and``, ``or`` or ``not``; for a term its RFC 31 operator, empty for ``{}``."""
        return self.constraint.operator if self.kind == "term" else self.kind

    @property
    def words(self) -> str:
        """The part in words, abbreviated in the middle if long."""
        return in_words(self.constraint)

    @property
    def label(self) -> str:
        """Its label in a tree: the operator if it has operands, otherwise the whole term."""
        if not self.parts:
            return self.words
        return "not all of" if self.kind == "not" and len(self.parts) > 1 else self.operator

    def walk(self) -> Iterator["Part"]:
        """Yield this part and all parts below it, in order."""
        yield self
        for part in self.parts:
            yield from part.walk()


def in_words(constraint: Constraint) -> str:
    """Describe a constraint, abbreviated in the middle if long."""
    return quoted(constraint)[1:-1]


def quoted(constraint: Constraint) -> str:
    """The same in quotes, for a sentence."""
    return shown(describe(constraint))


def is_row(part: Matched) -> bool:
    """Whether a part requires all of its operands: an ``and``, or an ``or`` of one."""
    return part.kind == "and" or (part.kind == "or" and len(part.parts) == 1)


def excludes(part: Matched) -> bool:
    """Whether a part is a single property negated by ``^``."""
    constraint = part.constraint
    if not isinstance(constraint, Properties) or len(constraint.values) != 1:
        return False
    return constraint.values[0].startswith("^")


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """A constraint evaluated on a cluster.

    root is the whole constraint with its parts, logic the same as plain logic.
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
        """The conditions that narrow the nodes in turn; ``left`` is how many remain after each."""
        return _steps(self.root)

    @property
    def emptied_by(self) -> Part | None:
        """The step of the funnel after which no node is left; None if some node matches."""
        return next((part for part in self.funnel if part.empties), None)

    @property
    def is_large(self) -> bool:
        """Whether it has too many parts to try changing two at once (`MAX_PARTS`)."""
        return sum(1 for _ in self.logic.walk()) > MAX_PARTS

    def part_at(self, cursor: int) -> Part | None:
        """Return the smallest part whose span contains the cursor or ends there."""
        around = [
            (part.span.end - part.span.start, number, part)
            for number, part in enumerate(self.root.walk())
            if part.span is not None and part.span.start <= cursor <= part.span.end
        ]
        return min(around)[2] if around else None

    def part(self, path: str) -> Part | None:
        """Return the part with this path in the RFC 31 object, or None."""
        return next((part for part in self.root.walk() if part.path == path), None)


def _steps(part: Part) -> tuple[Part, ...]:
    if not is_row(part):
        return (part,)
    return tuple(step for operand in part.parts for step in _steps(operand))


def explain(
    reading: Requires, resources: Resources, known: Matched | None = None
) -> Explanation | None:
    """Evaluate a text on a cluster; None if it is blank or malformed.

    known has the masks of its constraint, or of an equal one, if already computed.
    """
    constraint = reading.constraint
    if constraint is None:
        return None
    known = known or matched(constraint, resources)
    everything = resources.everything
    root = _part(constraint, known, everything, everything, step=True)
    return Explanation(reading, resources, root, logic(root, everything))


def _part(
    constraint: Constraint,
    known: Matched,
    arriving: int,
    everything: int,
    seen: int | None = None,
    *,
    step: bool,
    inverted: bool = False,
) -> Part:
    """Return a part with the counts for the arriving nodes.

    For an operand of an ``or``, seen are the nodes of the operands before it. step is whether the
    whole constraint matches nothing if this part does.
    """
    passing = arriving & known.mask
    inverted = inverted or known.kind == "not"
    is_any = known.kind == "or"
    inner_step = step and is_row(known) if is_any else not inverted
    parts: list[Part] = []
    here, before = arriving, 0 if is_any else None
    for operand, inner in zip(constraint.parts, known.parts, strict=True):
        child = _part(operand, inner, here, everything, before, step=inner_step, inverted=inverted)
        parts.append(child)
        if before is not None:
            before |= here & inner.mask
        else:
            here &= inner.mask
    left = passing.bit_count()
    alone = left if arriving == everything else known.mask.bit_count()
    adds = None if seen is None else less(passing, seen).bit_count()
    empties = step and arriving > 0 and not left and not is_row(known)
    return Part(constraint, known.mask, tuple(parts), alone, left, adds, empties)


@dataclass(frozen=True, slots=True)
class Line:
    """A part as a line of a tree: the lines drawn before it (``│ └ ``), and its words."""

    part: Part
    guide: str
    words: str

    @property
    def note(self) -> str:
        """A remark on its counts; often empty."""
        if self.part.adds is not None:
            return f"adds {self.part.adds:,}"
        return "nothing is left" if self.part.empties else ""


def lines(part: Part, lead: str = "", guide: str = "") -> Iterator[Line]:
    """Yield lines for a part and all below it, parents first; ``not TERM`` is a single line."""
    is_one = part.kind == "not" and len(part.parts) == 1 and not part.parts[0].parts
    yield Line(part, lead, part.words if is_one else part.label)
    for number, inner in enumerate(() if is_one else part.parts, 1):
        branch, stem = ("└ ", "  ") if number == len(part.parts) else ("├ ", "│ ")
        yield from lines(inner, guide + branch, guide + stem)


# Plain logic


def logic(part: Matched, everything: int) -> Matched:
    """Return a matched constraint with redundant nesting removed.

    In it, ``and`` and ``or`` have two or more operands, none of the same kind; ``not`` has one.
    """
    while len(part.parts) == 1 and part.kind != "not":
        part = part.parts[0]
    constraint = part.constraint
    inner = [logic(operand, everything) for operand in part.parts]
    if isinstance(constraint, Not) and len(inner) > 1:
        both = And(constraint.values, path=part.path, span=part.span)
        mask = everything ^ part.mask
        return Matched(constraint, part.mask, (Matched(both, mask, _row("and", inner)),))
    return Matched(constraint, part.mask, _row(part.kind, inner)) if inner else part


def _row(kind: str, parts: list[Matched]) -> tuple[Matched, ...]:
    flat = (part.parts if part.kind == kind != "not" else (part,) for part in parts)
    return tuple(inner for row in flat for inner in row)


def normal(constraint: Constraint, *, wanted: bool = True) -> Normal:
    """Return the normal form of a constraint, independent of order and nesting.

    Constraints with equal forms match the same nodes on every cluster; the converse need not hold.
    If not wanted, return the form of the negated constraint.
    """
    any_of = isinstance(constraint, Or) and bool(constraint.values)
    rows: list[Normal] = []
    match constraint:
        case Hostlist(_, hosts):
            if hosts:
                is_short = hosts.count <= MAX_NAMED
                named = frozenset(hosts) if is_short else tuple(zip(*hosts.rows, strict=True))
                return ("hosts", wanted, named)
            any_of = True  # an ``or`` of nothing, which no node satisfies
        case Ranks(_, ids):
            if ids:
                return ("ranks", wanted, ids)
            any_of = True
        case Properties(values):
            rows = [("property", wanted != v.startswith("^"), v.removeprefix("^")) for v in values]
        case And(values) | Or(values) | Not(values):
            wanted = wanted is not isinstance(constraint, Not)
            rows = [normal(value, wanted=wanted) for value in values]
    kind, other = ("or", "and") if any_of is wanted else ("and", "or")
    absorbing = (other, frozenset[Normal]())
    operands: set[Normal] = set()
    for row in rows:
        if row == absorbing:
            return row
        operands |= row[1] if row[0] == kind else {row}
    return next(iter(operands)) if len(operands) == 1 else (kind, frozenset(operands))


def rest(masks: Sequence[int], start: int, *, every: bool) -> Iterator[int]:
    """For each mask yield start intersected with all masks after it, or united if not every."""
    join = and_ if every else or_
    return reversed([*accumulate(reversed(masks[1:]), join, initial=start)][: len(masks)])
