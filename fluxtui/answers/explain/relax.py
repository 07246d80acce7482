"""What to change about a constraint so that more nodes match (RFC 31).

One term left out, a ``not`` dropped, a name that the cluster does not have replaced by the
closest one: each with the text to type and the number of nodes that will match.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from fluxtui.answers import match
from fluxtui.answers.explain.clauses import Clause, Place, places, replaced
from fluxtui.answers.explain.explanation import Explanation, spans
from fluxtui.answers.explain.listing import nodes
from fluxtui.answers.explain.names import Unknown
from fluxtui.answers.explain.parts import say
from fluxtui.answers.explain.rewrite import Edits, edited, rewritten
from fluxtui.answers.explain.words import excludes
from fluxtui.model.constraint import And, Constraint, Not, Properties
from fluxtui.notation.source import Span

#: Relaxations that are worked out, where not all are asked for.
MOST = 10

Kind = Literal["name", "drop", "turn"]

# What is said first: a name that was misspelt is more likely wrong than a wish.
_ORDER: dict[Kind, int] = {"name": 0, "drop": 1, "turn": 2}


@dataclass(frozen=True, slots=True)
class Change:
    """One change to a constraint.

    name  a name that is not there becomes the closest one that is
    drop  a part is left out
    turn  a part is asked for where it was excluded

    path and span are the place of the part; instead takes its place, None where nothing does.
    """

    kind: Kind
    path: str
    span: Span | None
    instead: Constraint | None
    words: str


@dataclass(frozen=True, slots=True)
class Relaxation:
    """One or two changes after which more nodes match.

    text        the constraint to type, a query or JSON as it was before
    constraint  what it asks
    count       how many nodes match then
    sentence    the changes and the number, without a full stop
    """

    changes: tuple[Change, ...]
    text: str
    constraint: Constraint
    count: int
    sentence: str


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A change with the clause it is made to and the mask that takes its place."""

    change: Change
    clause: Clause
    mask: int


def relaxations(
    explanation: Explanation, unknown: tuple[Unknown, ...] = (), most: int | None = MOST
) -> tuple[Relaxation, ...]:
    """The single changes after which more nodes match, the best first.

    unknown is what the constraint names and the cluster does not have (`names.unknown`). Names
    come first, then the more nodes the earlier. Empty for a constraint of very many parts.
    """
    if explanation.is_large:
        return ()
    counted = []
    dropped: dict[str, int] = {}
    for candidate, place in _placed(explanation, explanation.clause, unknown):
        change = candidate.change
        count = _after(explanation.mask, place, candidate.mask).bit_count()
        if change.kind == "drop":
            dropped[change.path] = count
        # To leave a part out is less of a change than to turn it round.
        needless = change.kind == "turn" and dropped.get(change.path) == count
        if count > explanation.count and not needless:
            counted.append((count, change))
    counted.sort(key=lambda found: (_ORDER[found[1].kind], -found[0], found[1].span or Span(0, 0)))
    made = (_made(explanation, (change,), count) for count, change in counted)
    found = (relaxation for relaxation in made if relaxation is not None)
    return tuple(islice(found, most))


def pairs(
    explanation: Explanation,
    unknown: tuple[Unknown, ...] = (),
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[Relaxation]:
    """Pairs of changes that give more nodes than either of both alone, as they are found.

    Takes time with the square of the number of terms: for a worker. Ends early once cancelled
    says so.
    """
    if explanation.is_large:
        return
    everything = explanation.everything
    listed = [
        (candidate, _after(explanation.mask, place, candidate.mask))
        for candidate, place in _placed(explanation, explanation.clause, unknown)
        if candidate.change.kind != "turn"
    ]
    alone = [max(mask.bit_count(), explanation.count) for _, mask in listed]
    couples = _couples(explanation.clause)
    for at, (first, _) in enumerate(listed):
        changed = replaced(explanation.clause, first.clause, first.mask, everything)
        # What is within the changed clause, or around it, does not stand there as it did.
        standing = {id(place.clause): place for place in places(changed, everything)}
        for number in range(at + 1, len(listed)):
            if cancelled():
                return
            second, _ = listed[number]
            place = standing.get(id(second.clause))
            both = {id(first.clause), id(second.clause)}
            if place is None or (both in couples and first.change.kind == second.change.kind):
                continue
            count = _after(changed.mask, place, second.mask).bit_count()
            if count > max(alone[at], alone[number]):
                made = _made(explanation, (first.change, second.change), count)
                if made is not None:
                    yield made


def _couples(clause: Clause) -> list[set[int]]:
    """Clauses that are the only two of their row: without both of them the row would not stand."""
    return [{id(x) for x in one.clauses} for one in clause.walk() if len(one.clauses) == 2]


def best_pairs(
    explanation: Explanation,
    unknown: tuple[Unknown, ...] = (),
    cancelled: Callable[[], bool] = lambda: False,
    most: int = MOST,
) -> tuple[Relaxation, ...]:
    """The pairs that give most nodes, the best first; for a worker, as `pairs` is."""
    found = sorted(pairs(explanation, unknown, cancelled), key=lambda one: -one.count)
    return tuple(found[:most])


def _after(mask: int, place: Place, new: int) -> int:
    """The nodes that match with another mask for one clause, where it counts."""
    return mask ^ (place.care & (place.clause.mask ^ new))


def _placed(
    explanation: Explanation, clause: Clause, unknown: tuple[Unknown, ...]
) -> Iterator[tuple[_Candidate, Place]]:
    """Every single change there is to make, whether it helps or not."""
    known = {one.term: one for one in unknown if one.instead is not None}
    everything = explanation.everything
    for place in places(clause, everything):
        here = place.clause
        if here.kind == "term" and here.path in known:
            yield _renamed(explanation, here, known[here.path]), place
        if place.neutral is not None:
            words = f"leave out '{say(here.constraint)}'"
            change = Change("drop", here.path, here.span, None, words)
            yield _Candidate(change, here, place.neutral), place
        if here.kind == "not" or excludes(here):
            yield _turned(here, everything), place


def _renamed(explanation: Explanation, clause: Clause, found: Unknown) -> _Candidate:
    assert found.instead is not None
    words = f"write '{say(found.instead)}' for '{say(clause.constraint)}'"
    change = Change("name", clause.path, clause.span, found.instead, words)
    return _Candidate(change, clause, match.match(found.instead, explanation.resources))


def _turned(clause: Clause, everything: int) -> _Candidate:
    constraint = clause.constraint
    instead: Constraint
    if isinstance(constraint, Properties):
        instead = Properties((constraint.values[0].removeprefix("^"),))
    else:
        assert isinstance(constraint, Not)
        values = constraint.values
        instead = values[0] if len(values) == 1 else And(values)
    words = f"ask for '{say(instead)}' in place of '{say(clause.constraint)}'"
    change = Change("turn", clause.path, clause.span, instead, words)
    return _Candidate(change, clause, everything ^ clause.mask)


def _made(explanation: Explanation, changes: tuple[Change, ...], count: int) -> Relaxation | None:
    """The text of changes; None where no text says it, or nothing would be asked any more."""
    edits: Edits = {change.path: change.instead for change in changes}
    reading = explanation.reading
    assert reading.constraint is not None
    constraint = edited(reading.constraint, edits)
    text = rewritten(reading, spans(explanation.root.walk()), edits)
    if constraint is None or not text:
        return None
    words = " and ".join(change.words for change in changes)
    if all(change.kind == "drop" for change in changes):
        if len(changes) > 1 and len({change.words for change in changes}) == 1:
            words = f"{changes[0].words} both times"
        words = words.replace("' and leave out '", "' and '")
    return Relaxation(changes, text, constraint, count, f"{words}: {nodes(count)}")
