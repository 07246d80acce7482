"""What is odd about a constraint on the cluster at hand, each thing proved there (RFC 31).

Contradictions, terms that change nothing, what is said twice, what is always true; and what was
noticed already: readings that surprise (RFC 35).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Literal

from fluxtui.answers.explain import findings_words as words
from fluxtui.answers.explain.clauses import Clause, conflict, rest
from fluxtui.answers.explain.explanation import Explanation
from fluxtui.answers.explain.meaning import Meaning, meaning
from fluxtui.answers.explain.words import excludes
from fluxtui.model.constraint.tree import Everything
from fluxtui.notation.problem import Problem, Span
from fluxtui.notation.sets.bits import less

Kind = Literal["contradiction", "tautology", "redundant", "duplicate", "double", "reading"]

# Comparisons of two terms that are made for the words of the marks on one constraint.
_COMPARED = 10_000


@dataclass(frozen=True, slots=True)
class Mark:
    """One thing that is odd.

    contradiction  it matches nothing, although each of its parts matches something
    tautology      it matches every node
    redundant      it changes nothing where it stands; all of these and all duplicates can be left
                   out at once, and the same nodes match
    duplicate      it says again what stands beside it already
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


def marks(explanation: Explanation) -> tuple[Mark, ...]:
    """What is odd about a constraint, in the order of the text.

    Proved by the masks of its parts, with a few operations on masks for each of them; of very
    many marks those at the end may be told in fewer words.
    """
    found = [
        Mark("reading", problem)
        for problem in explanation.reading.problems
        if problem.severity == "warning"
    ]
    if explanation.everything:
        finder = _Finder(explanation)
        finder.whole()
        found += finder.marks
    return tuple(sorted(found, key=lambda mark: mark.problem.span or Span(0, 0)))


class _Finder:
    """Walks through a constraint, leaving out as it goes what changes nothing; see `marks`."""

    def __init__(self, explanation: Explanation) -> None:
        self.everything = explanation.everything
        self.whole_clause = explanation.clause
        self.marks: list[Mark] = []
        self.left = _COMPARED

    def add(self, kind: Kind, message: str, clause: Clause, *others: Clause) -> None:
        """Note a mark on a clause; others are those it is about, where it is about several."""
        paths = tuple(other.path for other in others or (clause,))
        path = clause.path or None
        self.marks.append(
            Mark(kind, Problem(message, clause.span, path, (), "RFC 31", "warning"), paths)
        )

    def whole(self) -> None:
        """Look at the whole constraint, which may be one term that every node satisfies."""
        clause = self.whole_clause
        self.visit(clause, self.everything)
        if clause.kind != "term" or clause.mask != self.everything:
            return
        if not isinstance(clause.constraint, Everything) and not is_foreign(clause, clause.mask):
            self.add("tautology", words.always([clause]), clause)

    def visit(self, clause: Clause, care: int) -> int:
        """Look at a clause that counts for some nodes only; its mask without what can go."""
        if clause.kind == "term":
            if excludes(clause) and not clause.mask:
                self.add("contradiction", words.never(clause), clause)
            return clause.mask
        if clause.kind == "not":
            inner = clause.clauses[0]
            if inner.kind == "not" or excludes(inner):
                self.add("double", words.double(clause), clause)
                # It reads as what is within: of three in a row two are told once.
                return self.visit(inner.clauses[0], care) if inner.clauses else clause.mask
            told = inner.kind in ("or", "not") or is_foreign(inner, self.everything)
            if not clause.mask and not told:
                self.add("contradiction", words.never(clause), clause)
            return self.everything ^ self.visit(inner, care)
        self.judge(clause)
        row = list(self.single(clause))
        if clause.mask & care:
            row = self.needed(clause, row, care)
        return self.inside(clause, row, care)

    def judge(self, clause: Clause) -> None:
        """An ``and`` that matches nothing, an ``or`` that matches everything."""
        row = clause.clauses
        masks = [inner.mask for inner in row]
        if clause.kind == "and":
            if clause.mask or not all(masks):
                return
            found = [row[at] for at in conflict(masks, self.everything)]
            self.add("contradiction", words.excluding(found), clause, *found)
        elif clause.mask == self.everything and not any(self.is_told(x, every=True) for x in row):
            turned = [self.everything ^ mask for mask in masks]
            found = [row[at] for at in conflict(turned, self.everything)]
            self.add("tautology", words.always(found), clause, *found)

    def single(self, clause: Clause) -> Iterator[Clause]:
        """The clauses of a row, of those that say the same the first."""
        said = [meaning(inner.constraint) for inner in clause.clauses]
        times: Counter[Meaning] = Counter(said)
        seen: set[Meaning] = set()
        for inner, says in zip(clause.clauses, said, strict=True):
            if says in seen:
                self.add("duplicate", words.again(inner, times[says]), inner)
            else:
                seen.add(says)
                yield inner

    def needed(self, clause: Clause, row: list[Clause], care: int) -> list[Clause]:
        """The clauses of a row that cannot all be left out, those in front being kept rather.

        One is kept in any case, for no constraint stands without any; but for the whole one.
        """
        every = clause.kind == "and"
        neutral = self.everything if every else 0
        before = rest([inner.mask for inner in reversed(row)], neutral, every=every)
        kept: list[Clause] = []  # the last of the row first
        behind = neutral
        for at, front in zip(range(len(row) - 1, -1, -1), before, strict=True):
            inner = row[at]
            last = not at and not kept and clause is not self.whole_clause
            if (
                last
                or self.is_told(inner, every=every)
                or changes(inner.mask, front, behind, care, every=every)
            ):
                behind = behind & inner.mask if every else behind | inner.mask
                kept.append(inner)
            else:
                others = self.compared(chain(islice(row, at), reversed(kept)))
                self.add("redundant", words.idle(inner, others, self.everything, every), inner)
                self.visit(inner, 0)
        kept.reverse()
        return kept

    def compared(self, others: Iterable[Clause]) -> Iterator[Clause]:
        """The clauses to compare one with, as long as there is time for it."""
        for other in others:
            if not self.left:
                return
            self.left -= 1
            yield other

    def is_told(self, clause: Clause, *, every: bool) -> bool:
        """That a clause holds for every node, or for none, is said of what is in it already."""
        if clause.mask != (self.everything if every else 0):
            return False
        return not every or clause.kind in ("or", "not") or is_foreign(clause, self.everything)

    def inside(self, clause: Clause, row: Sequence[Clause], care: int) -> int:
        """Look into the clauses of a row; what they come to."""
        every = clause.kind == "and"
        found = self.everything if every else 0
        behind = rest([inner.mask for inner in row], found, every=every)
        for inner, others in zip(row, behind, strict=True):
            here = care & others if every else less(care, others)
            mask = self.visit(inner, here)
            care = care & mask if every else less(care, mask)
            found = found & mask if every else found | mask
        return found


def changes(mask: int, before: int, behind: int, care: int, *, every: bool) -> bool:
    """A clause changes something where it counts, between those before and behind it in a row."""
    if every:
        return bool(less(care & before & behind, mask))
    return bool(less(care & mask, before | behind))


def is_foreign(clause: Clause, everything: int) -> bool:
    """It names only what the cluster does not have, which is told as such."""
    while clause.kind == "not":
        clause = clause.clauses[0]
    if clause.kind != "term":
        return False
    return clause.mask == everything if excludes(clause) else not clause.mask
