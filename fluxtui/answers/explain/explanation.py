"""How a constraint is read on a cluster: its parts, what each matches and what is left after it.

The constraint may be a query (RFC 35) or a JSON object (RFC 31); every part keeps its place in
the text. Beside the constraint as it is written there is its plain logic, in which every operand of
an ``and`` or an ``or`` is beside everything it is joined with.
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

#: Of a constraint with more parts no two are changed at once, which takes the square of them.
MAX_PARTS = 400
#: Hosts of a longer list are compared as they are written.
MAX_NAMED = 200

#: What a constraint asks; equal only for those that ask the same.
Normal: TypeAlias = tuple[Any, ...]


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
        return "not all of" if self.kind == "not" and len(self.parts) > 1 else self.operator

    def walk(self) -> Iterator["Part"]:
        """This part and all below it, in order."""
        yield self
        for part in self.parts:
            yield from part.walk()


def say(constraint: Constraint) -> str:
    """A constraint in words, its middle left out when long."""
    return quoted(constraint)[1:-1]


def quoted(constraint: Constraint) -> str:
    """The same for a sentence: in quotes that are not its own."""
    return shown(describe(constraint))


def is_row(part: Matched) -> bool:
    """It is all of its operands: an ``and``, or an ``or`` of one."""
    return part.kind == "and" or (part.kind == "or" and len(part.parts) == 1)


def excludes(part: Matched) -> bool:
    """A term that asks for nodes without a property."""
    constraint = part.constraint
    if not isinstance(constraint, Properties) or len(constraint.values) != 1:
        return False
    return constraint.values[0].startswith("^")


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """A constraint as it is read on a cluster.

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
        """What has to hold one after the other; ``left`` of each is how many nodes remain."""
        return _steps(self.root)

    @property
    def emptied_by(self) -> Part | None:
        """The step of the funnel after which no node is left; None where some node matches."""
        return next((part for part in self.funnel if part.empties), None)

    @property
    def is_large(self) -> bool:
        """It has too many parts to change two of them at once (`MAX_PARTS`)."""
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
    if not is_row(part):
        return (part,)
    return tuple(step for operand in part.parts for step in _steps(operand))


def explain(
    reading: Requires, resources: Resources, known: Matched | None = None
) -> Explanation | None:
    """How a text is read on a cluster; None where it asks nothing or is wrong.

    known are the masks of its constraint, or of one that is equal to it, where they are known.
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
    """One part with its counts, of the nodes that arrive.

    seen are those that the operands before this one let pass, where it is one of an ``or``; step
    says that nothing matches where this part lets nothing pass.
    """
    passing = arriving & known.mask
    inverted = inverted or known.kind == "not"
    is_any = known.kind == "or"
    inner_step = step and is_row(known) if is_any else not inverted
    parts: list[Part] = []
    here, before = arriving, 0 if is_any else None
    for operand, inner in zip(constraint.parts, known.parts, strict=True):
        one = _part(operand, inner, here, everything, before, step=inner_step, inverted=inverted)
        parts.append(one)
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
    """A part and all below it, parents first; ``not`` of a single term is one line."""
    is_one = part.kind == "not" and len(part.parts) == 1 and not part.parts[0].parts
    yield Line(part, lead, part.words if is_one else part.label)
    for number, inner in enumerate(() if is_one else part.parts, 1):
        branch, stem = ("└ ", "  ") if number == len(part.parts) else ("├ ", "│ ")
        yield from lines(inner, guide + branch, guide + stem)


# Plain logic


def logic(part: Matched, everything: int) -> Matched:
    """A matched constraint without what only nests it.

    An ``and`` and an ``or`` have two operands or more, none of their own kind; a ``not`` has one.
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
    """What a constraint asks, in whatever order and however nested it is written.

    Where this is equal for two constraints, so are the nodes on every cluster; not the other way
    round. Not wanted, it is what their ``not`` asks.
    """
    any_of = isinstance(constraint, Or) and bool(constraint.values)
    rows: list[Normal] = []
    match constraint:
        case Hostlist(_, hosts):
            if hosts:
                is_short = hosts.count <= MAX_NAMED
                named = frozenset(hosts) if is_short else tuple(zip(*hosts.rows, strict=True))
                return ("hosts", wanted, named)
            any_of = True  # of none, which no node satisfies
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
    found: set[Normal] = set()
    for one in rows:
        if one == absorbing:
            return one
        found |= one[1] if one[0] == kind else {one}
    return next(iter(found)) if len(found) == 1 else (kind, frozenset(found))


def rest(masks: Sequence[int], start: int, *, every: bool) -> Iterator[int]:
    """For each mask of a row what start and the masks behind it have in common, or any has."""
    join = and_ if every else or_
    return reversed([*accumulate(reversed(masks[1:]), join, initial=start)][: len(masks)])
