"""What is odd about a constraint on the cluster at hand, each thing proved there (RFC 31).

Contradictions, terms that change nothing or are written twice, conditions that are always true; and
the surprising readings that the parser already noticed (RFC 35).
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Literal

from fluxtui.answers.explain.explanation import Explanation, Normal, excludes, normal, quoted, rest
from fluxtui.answers.explain.why import few, predicate, some
from fluxtui.answers.matching import Matched
from fluxtui.model.constraint.tree import Constraint, Everything, Hostlist, Properties, Ranks
from fluxtui.notation.problem import Problem, Span, listed
from fluxtui.notation.sets.bits import less

Kind = Literal["contradiction", "tautology", "redundant", "duplicate", "double", "reading"]

# Terms with which one is compared for the words of a mark on it.
_COMPARED = 20


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is odd.

    contradiction  it matches nothing, although each of its parts matches something
    tautology      it matches every node
    redundant      it changes nothing where it stands; all of these and all duplicates can be left
                   out at once, and the same nodes match
    duplicate      an operand beside it already asks the same
    double         a ``not`` of a ``not``; both can be left out at once, and the same nodes match
    reading        it means something other than it seems to

    paths are the parts it is about, in the RFC 31 object; of what is redundant or a duplicate the
    one part that can go. problem says it, as a warning with its place in the text.
    """

    kind: Kind
    problem: Problem
    paths: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """One sentence, without a full stop."""
        return self.problem.message


def findings(explanation: Explanation) -> tuple[Finding, ...]:
    """What is odd about a constraint, in the order of the text."""
    found = [
        Finding("reading", problem)
        for problem in explanation.reading.problems
        if problem.severity == "warning"
    ]
    if explanation.everything:
        found += _Finder(explanation).whole()
    return tuple(sorted(found, key=lambda one: one.problem.span or Span(0, 0)))


class _Finder:
    """Walks through a constraint, leaving out as it goes what changes nothing."""

    def __init__(self, explanation: Explanation) -> None:
        self.everything = explanation.everything
        self.logic = explanation.logic
        self.findings: list[Finding] = []

    def add(self, kind: Kind, message: str, part: Matched, *others: Matched) -> None:
        paths = tuple(other.path for other in others or (part,))
        path = part.path or None
        self.findings.append(
            Finding(kind, Problem(message, part.span, path, (), "RFC 31", "warning"), paths)
        )

    def whole(self) -> list[Finding]:
        """Look at the whole constraint, which may be one term that every node satisfies."""
        part = self.logic
        self.visit(part, self.everything)
        is_idle = part.kind == "term" and not isinstance(part.constraint, Everything)
        if is_idle and part.mask == self.everything and not is_foreign(part, part.mask):
            self.add("tautology", _always([part]), part)
        return self.findings

    def visit(self, part: Matched, care: int) -> int:
        """Look at a part that counts for some nodes only; its mask without what can go."""
        inner = part.parts[0] if part.kind == "not" else part
        if inner is not part and (inner.kind == "not" or excludes(inner)):
            old = inner.constraint
            meant: Constraint = inner.parts[0].constraint if inner.parts else old
            if isinstance(old, Properties):
                meant = Properties((old.values[0].removeprefix("^"),))
            same = f"{quoted(part.constraint)} is the same as {quoted(meant)}"
            self.add("double", f"a 'not' of a 'not' changes nothing: {same}", part)
            # It reads as what is within: of three in a row, two are reported once.
            return self.visit(inner.parts[0], care) if inner.parts else part.mask
        told = inner.kind in ("or", "not") or is_foreign(inner, self.everything)
        if not part.mask and (excludes(part) or (inner is not part and not told)):
            said = predicate(part, holds=False)
            message = f"every node is {said}, so {quoted(part.constraint)} matches none"
            self.add("contradiction", message, part)
        if inner is not part:
            return self.everything ^ self.visit(inner, care)
        if part.kind == "term":
            return part.mask
        self.judge(part)
        row = self.single(part)
        if part.mask & care:
            row = self.needed(part, row, care)
        return self.inside(part, row, care)

    def judge(self, part: Matched) -> None:
        """An ``and`` that matches nothing, an ``or`` that matches everything."""
        row, masks = part.parts, [inner.mask for inner in part.parts]
        if part.kind == "and":
            if not part.mask and all(masks):
                found = [row[at] for at in _conflict(masks, self.everything)]
                names = listed(few([quoted(one.constraint) for one in found]))
                message = f"{names} have no node in common"
                if len(found) > 2:
                    message += ", though each matches some"
                elif normal(found[0].constraint) == normal(found[1].constraint, wanted=False):
                    message = f"{names} contradict each other, so no node can match"
                self.add("contradiction", message, part, *found)
        elif part.mask == self.everything and not any(self.is_reported(x, every=True) for x in row):
            turned = [self.everything ^ mask for mask in masks]
            found = [row[at] for at in _conflict(turned, self.everything)]
            self.add("tautology", _always(found), part, *found)

    def single(self, part: Matched) -> list[Matched]:
        """The parts of a row, of those that say the same the first."""
        said = [normal(inner.constraint) for inner in part.parts]
        times = Counter(said)
        kept: dict[Normal, Matched] = {}
        for inner, says in zip(part.parts, said, strict=True):
            if kept.setdefault(says, inner) is not inner:
                often = "twice" if times[says] == 2 else f"{times[says]:,} times"
                message = f"{quoted(inner.constraint)} appears {often}; once is enough"
                self.add("duplicate", message, inner)
        return list(kept.values())

    def needed(self, part: Matched, row: list[Matched], care: int) -> list[Matched]:
        """The parts of a row that cannot all be left out, those in front being kept rather.

        Only the whole constraint may lose all of them.
        """
        every = part.kind == "and"
        neutral = self.everything if every else 0
        before = rest([inner.mask for inner in reversed(row)], neutral, every=every)
        kept: list[Matched] = []  # the last of the row first
        behind = neutral
        for at, front in zip(range(len(row) - 1, -1, -1), before, strict=True):
            inner = row[at]
            last = not at and not kept and part is not self.logic
            if every:
                changed = less(care & front & behind, inner.mask)
            else:
                changed = less(care & inner.mask, front | behind)
            if last or self.is_reported(inner, every=every) or changed:
                behind = behind & inner.mask if every else behind | inner.mask
                kept.append(inner)
            else:
                others = islice(chain(islice(row, at), reversed(kept)), _COMPARED)
                self.add("redundant", _idle(inner, others, self.everything, every), inner)
                self.visit(inner, 0)
        kept.reverse()
        return kept

    def is_reported(self, part: Matched, *, every: bool) -> bool:
        """It is already reported within a part that it holds for every node, or for none."""
        if part.mask != (self.everything if every else 0):
            return False
        return not every or part.kind in ("or", "not") or is_foreign(part, self.everything)

    def inside(self, part: Matched, row: Sequence[Matched], care: int) -> int:
        """Look into the parts of a row; what they come to."""
        every = part.kind == "and"
        found = self.everything if every else 0
        behind = rest([inner.mask for inner in row], found, every=every)
        for inner, others in zip(row, behind, strict=True):
            here = care & others if every else less(care, others)
            mask = self.visit(inner, here)
            care = care & mask if every else less(care, mask)
            found = found & mask if every else found | mask
        return found


def is_foreign(part: Matched, everything: int) -> bool:
    """It names only what the cluster does not have, which is reported as an unknown name."""
    while part.kind == "not":
        part = part.parts[0]
    if part.kind != "term":
        return False
    return part.mask == everything if excludes(part) else not part.mask


def _conflict(masks: list[int], everything: int) -> tuple[int, ...]:
    """The places of a few masks that have no bit in common; none of them can be left out."""
    before = [everything]
    for mask in masks:
        before.append(before[-1] & mask)
        if not before[-1]:
            break
    else:
        return ()
    need, found = everything, []
    end = len(before) - 1
    while need:
        # The first mask with which nothing is left cannot be done without.
        end = bisect_left(range(end), True, key=lambda at: not before[at + 1] & need)
        need &= masks[end]
        found.append(end)
    return tuple(reversed(found))


# Words


def _always(parts: Sequence[Matched]) -> str:
    said = some((predicate(part) for part in parts), "or", len(parts))
    return f"every node is {said}, so this excludes none"


def _whoever(part: Matched) -> str:
    """Each node that a part holds for, to be followed by ``is``."""
    said = predicate(part)
    if part.kind != "term":
        return f"every node that is {said}"
    is_one = isinstance(part.constraint, Hostlist | Ranks) and not said.startswith("among")
    return said if is_one else f"every node {said}"


def _idle(part: Matched, others: Iterable[Matched], everything: int, every: bool) -> str:
    """A part changes nothing beside the others; every: all of them have to hold."""
    name = quoted(part.constraint)
    lead = f"{name} changes nothing" if every else f"{name} can be left out"
    if every and part.mask == everything:
        return f"{lead}: every node is {predicate(part)}"
    for other in others:
        one, more = (other, part) if every else (part, other)
        if one.mask and not less(one.mask, more.mask):
            return f"{lead}: {_whoever(one)} is also {predicate(more)}"
    if every:
        return f"{lead} here: every node that the other terms leave satisfies it"
    return f"{lead}: the same nodes match without it"
