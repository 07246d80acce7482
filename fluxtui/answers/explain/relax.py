"""What to change about a constraint so that more nodes match (RFC 31).

One term left out, a ``not`` dropped, a name that the cluster does not have replaced by the
closest one: each with the text to type and the number of nodes that will match.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import TypeAlias

from fluxtui.answers.explain.clauses import MAX_PARTS, Clause, Place, places, replaced
from fluxtui.answers.explain.explanation import Explanation
from fluxtui.answers.explain.names import Unknown
from fluxtui.answers.explain.relax_text import (
    Candidate,
    Kind,
    Relaxation,
    Within,
    Writer,
    written,
)
from fluxtui.answers.explain.rewrite import edited
from fluxtui.answers.explain.words import excludes
from fluxtui.answers.matching import match
from fluxtui.model.constraint.tree import Constraint
from fluxtui.notation.problem import Span
from fluxtui.notation.sets.bits import less

__all__ = ["Kind", "Relaxation", "Within", "best_pairs", "pairs", "relaxations", "untried"]

#: Relaxations that are worked out, where not all are asked for.
MOST = 10

#: Lists of names among properties for which something else is tried.
MOST_LISTS = 20

#: What is to be written for names that are not there, by the paths of their terms.
_Known: TypeAlias = Mapping[str, Constraint]

# What is said first: a name that was misspelt is more likely wrong than a wish.
_ORDER: dict[Kind, int] = {"name": 0, "drop": 1, "turn": 2}


def _never() -> bool:
    return False


def relaxations(
    explanation: Explanation,
    unknown: tuple[Unknown, ...] = (),
    most: int | None = MOST,
    cancelled: Callable[[], bool] = _never,
    *,
    names_only: bool = False,
    within: Within | None = None,
) -> tuple[Relaxation, ...]:
    """The single changes after which more nodes match, the best first; each text once.

    unknown is what the constraint names and the cluster does not have (`names.unknown`). Names
    come first, then the more nodes the earlier. Only the nodes of within count, where it is given.
    To count takes a few operations on masks for each part; to write a text takes as long as to read
    the whole constraint. Once cancelled says so those that are written by then will do, one at
    least.
    """
    counted: list[tuple[int, Candidate]] = []
    known, among = _known(unknown), _among(explanation, within)
    counted += _lists(explanation, known, among, cancelled) if known else ()
    for place in places(explanation.clause, explanation.everything):
        if counted and cancelled():
            break
        counted += [
            one
            for one in _helpful(explanation, place, known, among)
            if one[1].kind == "name" or not names_only
        ]
    counted.sort(key=lambda one: (_ORDER[one[1].kind], -one[0], one[1].clause.span or Span(0, 0)))
    found = ((count, (one,)) for count, one in counted)
    return written(explanation, found, most, cancelled, within)


def _among(explanation: Explanation, within: Within | None) -> int:
    """The nodes that count."""
    return explanation.everything if within is None else within.mask


def _helpful(
    explanation: Explanation, place: Place, known: _Known, among: int
) -> Iterator[tuple[int, Candidate]]:
    """The changes in one place that help, and how many nodes match after each."""
    before, dropped = (explanation.mask & among).bit_count(), None
    for one in _candidates(explanation, place.clause, place.neutral, known):
        count = _count_after(explanation.mask, place, one.mask, among)
        # To leave a part out is less of a change than to turn it round.
        if count > before and not (one.kind == "turn" and count == dropped):
            yield count, one
        if one.kind == "drop":
            dropped = count


def _lists(
    explanation: Explanation, known: _Known, among: int, cancelled: Callable[[], bool]
) -> Iterator[tuple[int, Candidate]]:
    """Names that stand in several properties at once, such as a list of hosts that was parted at
    its commas: a row, which is no clause of its own where it stands in another.

    The first `MOST_LISTS` of them: each takes as long as to match the whole.
    """
    clauses = {one.path for one in explanation.clause.walk() if one.kind in ("term", "and")}
    parts = {part.path: part for _, part in explanation.root.walk()}
    paths = (path for path in known if path in parts and path not in clauses)
    for path in islice(paths, MOST_LISTS):
        if cancelled():
            return
        part, instead = parts[path], known[path]
        after = edited(explanation.root.constraint, {path: instead})
        mask = match.match(after, explanation.resources) if after is not None else 0
        count = (mask & among).bit_count()
        if count > (explanation.mask & among).bit_count():
            row = Clause("term", part.constraint, path, part.span, part.mask)
            yield count, Candidate("name", row, mask, instead)


def pairs(
    explanation: Explanation,
    unknown: tuple[Unknown, ...] = (),
    cancelled: Callable[[], bool] = _never,
) -> Iterator[Relaxation]:
    """Pairs of changes that give more nodes than either of both alone, as they are found.

    Takes time with the square of the number of terms: for a worker. Ends early once cancelled
    says so; of a constraint of very many parts there are none (`untried`).
    """
    writer = Writer(explanation)
    for count, both in _counted_pairs(explanation, unknown, cancelled, explanation.everything):
        made = writer.write(both, count)
        if made is not None:
            yield made


def best_pairs(
    explanation: Explanation,
    unknown: tuple[Unknown, ...] = (),
    cancelled: Callable[[], bool] = _never,
    most: int = MOST,
    within: Within | None = None,
) -> tuple[Relaxation, ...]:
    """The pairs that give most nodes, the best first; for a worker, as `pairs` is.

    Only the nodes of within count, where it is given. Once cancelled says so the best of those that
    were counted will do.
    """
    found = _counted_pairs(explanation, unknown, cancelled, _among(explanation, within))
    counted = sorted(found, key=lambda one: -one[0])
    return written(explanation, counted, most, _never, within)


def untried(explanation: Explanation) -> str:
    """What was not tried to let more nodes match, in words; empty where all was.

    A part of a sentence, without a full stop.
    """
    if not explanation.is_large:
        return ""
    return f"two changes at once are tried for up to {MAX_PARTS:,} parts only"


def nothing_helps(untried: str, within: Within | None = None) -> str:
    """That no change helps, in words; untried is what was not tried (`untried`)."""
    where = f" in queue {within.queue}" if within is not None else ""
    return f"no change of {'one part' if untried else 'one or two parts'} helps{where}"


def _counted_pairs(
    explanation: Explanation,
    unknown: tuple[Unknown, ...],
    cancelled: Callable[[], bool],
    among: int,
) -> Iterator[tuple[int, tuple[Candidate, Candidate]]]:
    """Pairs that help, and how many nodes match after both."""
    if explanation.is_large:
        return
    everything, whole, known = explanation.everything, explanation.clause, _known(unknown)
    # Also what alone changes nothing, which `places` leaves out.
    listed = [
        one
        for clause, neutral, is_negated in _neutral(whole, everything)
        for one in _candidates(explanation, clause, neutral, known)
        if one.kind != "turn" and _may_help(one, is_negated=is_negated)
    ]
    at_clause: dict[int, list[int]] = {}
    for number, one in enumerate(listed):
        at_clause.setdefault(id(one.clause), []).append(number)
    alone = [(explanation.mask & among).bit_count()] * len(listed)
    for place in places(whole, everything):
        for number in at_clause.get(id(place.clause), ()):
            count = _count_after(whole.mask, place, listed[number].mask, among)
            alone[number] = max(alone[number], count)
    couples = _couples(whole)
    for at, first in enumerate(listed):
        changed = replaced(whole, first.clause, first.mask, everything)
        # What is within the changed clause, or around it, does not stand there as it did.
        for place in places(changed, everything):
            if cancelled():
                return
            both = frozenset((id(first.clause), id(place.clause)))
            for number in at_clause.get(id(place.clause), ()):
                second = listed[number]
                if number <= at or (both in couples and first.kind == second.kind):
                    continue
                count = _count_after(changed.mask, place, second.mask, among)
                if count > max(alone[at], alone[number]):
                    yield count, (first, second)


def _known(unknown: tuple[Unknown, ...]) -> _Known:
    return {one.term: one.instead for one in unknown if one.instead is not None}


def _neutral(
    clause: Clause, everything: int, neutral: int | None = None, *, is_negated: bool = False
) -> Iterator[tuple[Clause, int | None, bool]]:
    """Every clause with the mask that stands for leaving it out (`Place.neutral`).

    With each is whether it stands within an odd number of ``not``.
    """
    yield clause, neutral, is_negated
    inner = {"and": everything, "or": 0}.get(clause.kind)
    is_negated ^= clause.kind == "not"
    for one in clause.clauses:
        yield from _neutral(one, everything, inner, is_negated=is_negated)


def _may_help(one: Candidate, *, is_negated: bool) -> bool:
    """More nodes may match after a change, alone or with another one.

    None do where the clause only loses nodes, such as a term left out of an ``or``, nor where it
    only gains some within a ``not``.
    """
    wanted, lost = one.mask, one.clause.mask
    if is_negated:
        wanted, lost = lost, wanted
    return bool(less(wanted, lost))


def _couples(clause: Clause) -> set[frozenset[int]]:
    """Clauses that are the only two of their row: without both of them the row would not stand."""
    rows = (one.clauses for one in clause.walk())
    return {frozenset(id(inner) for inner in row) for row in rows if len(row) == 2}


def _count_after(mask: int, place: Place, new: int, among: int) -> int:
    """How many of the nodes match with another mask for one clause; 0 where the same ones do."""
    turned = place.care & (place.clause.mask ^ new)
    return ((mask ^ turned) & among).bit_count() if turned else 0


def _candidates(
    explanation: Explanation, clause: Clause, neutral: int | None, known: _Known
) -> Iterator[Candidate]:
    """Every change there is to make to one clause, whether it helps or not."""
    instead = known.get(clause.path) if clause.kind in ("term", "and") else None
    if instead is not None:
        mask = match.match(instead, explanation.resources)
        yield Candidate("name", clause, mask, instead)
    if neutral is not None:
        yield Candidate("drop", clause, neutral)
    # To turn what stands in a ``not`` is to turn the ``not``, which is done already.
    inside = neutral is None and clause is not explanation.clause
    if (clause.kind == "not" or excludes(clause)) and not inside:
        yield Candidate("turn", clause, explanation.everything ^ clause.mask)
