"""Find oddities in a constraint, each verified on the cluster at hand (RFC 31).

These are contradictions, conditions that are always true, terms that change nothing or appear
twice, and the surprising readings that the parser noticed (RFC 35).
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

# With how many other terms a redundant one is compared to word the message.
_COMPARED = 20


@dataclass(frozen=True, slots=True)
class Finding:
    """One oddity.

    contradiction  it matches nothing, although each of its parts matches something
    tautology      it matches every node
    redundant      it changes nothing; all redundant and duplicate parts can be left out together,
                   and the same nodes match
    duplicate      another operand of the same operator is equivalent
    double         a ``not`` of a ``not``; leaving both out matches the same nodes
    reading        it means something other than it seems to

    paths are the parts concerned, in the RFC 31 object; for redundant and duplicate the one part
    that can be left out. problem is a warning with its span in the text.
    """

    kind: Kind
    problem: Problem
    paths: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """The message, one sentence without a full stop."""
        return self.problem.message


def findings(explanation: Explanation) -> tuple[Finding, ...]:
    """Return the oddities of a constraint, in the order of the text."""
    found = [
        Finding("reading", problem)
        for problem in explanation.reading.problems
        if problem.severity == "warning"
    ]
    if explanation.everything:
        found += _Finder(explanation).whole()
    return tuple(sorted(found, key=lambda one: one.problem.span or Span(0, 0)))


class _Finder:
    """Walks through a constraint, and drops parts that change nothing as it goes."""

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
        """Examine the whole constraint, which may be a single term that every node satisfies."""
        part = self.logic
        self.visit(part, self.everything)
        is_idle = part.kind == "term" and not isinstance(part.constraint, Everything)
        if is_idle and part.mask == self.everything and not is_foreign(part, part.mask):
            self.add("tautology", _always([part]), part)
        return self.findings

    def visit(self, part: Matched, care: int) -> int:
        """Examine a part that only matters for the nodes of care; return its reduced mask."""
        inner = part.parts[0] if part.kind == "not" else part
        if inner is not part and (inner.kind == "not" or excludes(inner)):
            old = inner.constraint
            equivalent: Constraint = inner.parts[0].constraint if inner.parts else old
            if isinstance(old, Properties):
                equivalent = Properties((old.values[0].removeprefix("^"),))
            same = f"{quoted(part.constraint)} is the same as {quoted(equivalent)}"
            self.add("double", f"a 'not' of a 'not' changes nothing: {same}", part)
            # Continue inside both, so that of three in a row one pair is reported.
            return self.visit(inner.parts[0], care) if inner.parts else part.mask
        is_reported_elsewhere = inner.kind in ("or", "not") or is_foreign(inner, self.everything)
        if not part.mask and (excludes(part) or (inner is not part and not is_reported_elsewhere)):
            words = predicate(part, holds=False)
            message = f"every node is {words}, so {quoted(part.constraint)} matches none"
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
        """Report an ``and`` that matches nothing, or an ``or`` that matches everything."""
        row, masks = part.parts, [inner.mask for inner in part.parts]
        if part.kind == "and":
            if not part.mask and all(masks):
                clash = [row[at] for at in _conflict(masks, self.everything)]
                names = listed(few([quoted(one.constraint) for one in clash]))
                message = f"{names} have no node in common"
                if len(clash) > 2:
                    message += ", though each matches some"
                elif normal(clash[0].constraint) == normal(clash[1].constraint, wanted=False):
                    message = f"{names} contradict each other, so no node can match"
                self.add("contradiction", message, part, *clash)
        elif part.mask == self.everything and not any(self.is_reported(x, every=True) for x in row):
            inverted = [self.everything ^ mask for mask in masks]
            clash = [row[at] for at in _conflict(inverted, self.everything)]
            self.add("tautology", _always(clash), part, *clash)

    def single(self, part: Matched) -> list[Matched]:
        """Report duplicates among the operands, and return the others."""
        forms = [normal(inner.constraint) for inner in part.parts]
        times = Counter(forms)
        kept: dict[Normal, Matched] = {}
        for inner, form in zip(part.parts, forms, strict=True):
            if kept.setdefault(form, inner) is not inner:
                often = "twice" if times[form] == 2 else f"{times[form]:,} times"
                message = f"{quoted(inner.constraint)} appears {often}; once is enough"
                self.add("duplicate", message, inner)
        return list(kept.values())

    def needed(self, part: Matched, row: list[Matched], care: int) -> list[Matched]:
        """Report redundant operands of a row, from its end, and return those that are needed.

        At least one is kept, unless the part is the whole constraint.
        """
        every = part.kind == "and"
        neutral = self.everything if every else 0
        before = rest([inner.mask for inner in reversed(row)], neutral, every=every)
        kept: list[Matched] = []  # in reverse order
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
        """Whether it is reported within a part that it holds for every node, or for none."""
        if part.mask != (self.everything if every else 0):
            return False
        return not every or part.kind in ("or", "not") or is_foreign(part, self.everything)

    def inside(self, part: Matched, row: Sequence[Matched], care: int) -> int:
        """Examine the operands of a row, and return their joint mask."""
        every = part.kind == "and"
        result = self.everything if every else 0
        behind = rest([inner.mask for inner in row], result, every=every)
        for inner, others in zip(row, behind, strict=True):
            here = care & others if every else less(care, others)
            mask = self.visit(inner, here)
            care = care & mask if every else less(care, mask)
            result = result & mask if every else result | mask
        return result


def is_foreign(part: Matched, everything: int) -> bool:
    """Whether a part names only things the cluster does not have, reported as unknown names."""
    while part.kind == "not":
        part = part.parts[0]
    if part.kind != "term":
        return False
    return part.mask == everything if excludes(part) else not part.mask


def _conflict(masks: list[int], everything: int) -> tuple[int, ...]:
    """Return the indices of a minimal set of masks that have no bit in common; () if none."""
    before = [everything]
    for mask in masks:
        before.append(before[-1] & mask)
        if not before[-1]:
            break
    else:
        return ()
    need, places = everything, []
    end = len(before) - 1
    while need:
        # The first mask with which nothing is left is indispensable.
        end = bisect_left(range(end), True, key=lambda at: not before[at + 1] & need)
        need &= masks[end]
        places.append(end)
    return tuple(reversed(places))


# Words


def _always(parts: Sequence[Matched]) -> str:
    words = some((predicate(part) for part in parts), "or", len(parts))
    return f"every node is {words}, so this excludes none"


def _every_node(part: Matched) -> str:
    """Name every node that a part holds for, to be followed by ``is``."""
    words = predicate(part)
    if part.kind != "term":
        return f"every node that is {words}"
    is_one = isinstance(part.constraint, Hostlist | Ranks) and not words.startswith("among")
    return words if is_one else f"every node {words}"


def _idle(part: Matched, others: Iterable[Matched], everything: int, every: bool) -> str:
    """Return why a part changes nothing; every is whether it and the others must all hold."""
    name = quoted(part.constraint)
    lead = f"{name} changes nothing" if every else f"{name} can be left out"
    if every and part.mask == everything:
        return f"{lead}: every node is {predicate(part)}"
    for other in others:
        one, more = (other, part) if every else (part, other)
        if one.mask and not less(one.mask, more.mask):
            return f"{lead}: {_every_node(one)} is also {predicate(more)}"
    if every:
        return f"{lead} here: every node that the other terms leave satisfies it"
    return f"{lead}: the same nodes match without it"
