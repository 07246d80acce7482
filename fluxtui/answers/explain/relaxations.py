"""What to change about a constraint so that more nodes match (RFC 31).

One term left out, a ``not`` dropped, a name that the cluster does not have replaced by the
closest one: each with the text to type and the number of nodes that will match.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Literal, TypeAlias

from fluxtui.answers.explain.edit import Edits, edited, rewritten
from fluxtui.answers.explain.explanation import Explanation, quoted
from fluxtui.answers.explain.logic import MAX_PARTS, Normal, Place, normal, places, replaced
from fluxtui.answers.explain.names import Unknown
from fluxtui.answers.explain.wording import excludes
from fluxtui.answers.matching import Matched, match
from fluxtui.model.constraint.tree import And, Constraint, Not, Properties
from fluxtui.notation.problem import Span
from fluxtui.notation.sets.bits import less
from fluxtui.notation.wording import counted as some

Kind = Literal["name", "drop", "turn"]

_LEAVE = "leave out "


#: Relaxations that are worked out, where not all are asked for.
MOST = 10

#: Lists of names among properties for which something else is tried.
MOST_LISTS = 20

#: What is to be written for names that are not there, by the paths of their terms.
_Known: TypeAlias = Mapping[str, Constraint]

# The order of kinds: a misspelt name is more likely the mistake than something that is wanted.
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
    count       how many nodes match then, of those that are to be gained
    sentence    the changes and the number, without a full stop
    """

    changes: tuple[Change, ...]
    text: str
    constraint: Constraint
    count: int
    sentence: str


@dataclass(frozen=True, slots=True)
class Within:
    """The nodes that a change is to gain: the mask of those of a queue, and its name."""

    mask: int
    queue: str


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A change that may help: to a part, with the mask and the constraint that take its place."""

    kind: Kind
    part: Matched
    mask: int
    instead: Constraint | None = None


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
    counted: list[tuple[int, _Candidate]] = []
    known, among = _known(unknown), _among(explanation, within)
    counted += _lists(explanation, known, among, cancelled) if known else ()
    for place in places(explanation.logic, explanation.everything):
        if counted and cancelled():
            break
        counted += [
            one
            for one in _helpful(explanation, place, known, among)
            if one[1].kind == "name" or not names_only
        ]
    counted.sort(key=lambda one: (_ORDER[one[1].kind], -one[0], one[1].part.span or Span(0, 0)))
    found = ((count, (one,)) for count, one in counted)
    return _written(explanation, found, most, cancelled, within)


def _among(explanation: Explanation, within: Within | None) -> int:
    """The nodes that count."""
    return explanation.everything if within is None else within.mask


def _helpful(
    explanation: Explanation, place: Place, known: _Known, among: int
) -> Iterator[tuple[int, _Candidate]]:
    """The changes in one place that help, and how many nodes match after each."""
    before, dropped = (explanation.mask & among).bit_count(), None
    for one in _candidates(explanation, place.part, place.neutral, known):
        count = _count_after(explanation.mask, place, one.mask, among)
        # To leave a part out is less of a change than to turn it round.
        if count > before and not (one.kind == "turn" and count == dropped):
            yield count, one
        if one.kind == "drop":
            dropped = count


def _lists(
    explanation: Explanation, known: _Known, among: int, cancelled: Callable[[], bool]
) -> Iterator[tuple[int, _Candidate]]:
    """Names written as several properties, such as a list of hosts that was split at its commas:
    a row, which is not a part of its own where it is in another row.

    The first `MOST_LISTS` of them: each takes as long as to match the whole.
    """
    apart = {one.path for one in explanation.logic.walk() if one.kind in ("term", "and")}
    parts = {part.path: part for part in explanation.root.walk()}
    paths = (path for path in known if path in parts and path not in apart)
    for path in islice(paths, MOST_LISTS):
        if cancelled():
            return
        part, instead = parts[path], known[path]
        after = edited(explanation.root.constraint, {path: instead})
        mask = match(after, explanation.resources) if after is not None else 0
        count = (mask & among).bit_count()
        if count > (explanation.mask & among).bit_count():
            row = Matched(part.constraint, part.mask)
            yield count, _Candidate("name", row, mask, instead)


def best_pairs(
    explanation: Explanation,
    unknown: tuple[Unknown, ...] = (),
    cancelled: Callable[[], bool] = _never,
    most: int | None = MOST,
    within: Within | None = None,
) -> tuple[Relaxation, ...]:
    """The pairs that give most nodes, the best first; for a worker.

    They give more nodes than either change alone. Takes time with the square of the number of
    terms, so that of a constraint of very many parts there are none (`untried`).

    Only the nodes of within count, where it is given. Once cancelled says so the best of those that
    were counted will do.
    """
    found = _counted_pairs(explanation, unknown, cancelled, _among(explanation, within))
    counted = sorted(found, key=lambda one: -one[0])
    return _written(explanation, counted, most, _never, within)


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
) -> Iterator[tuple[int, tuple[_Candidate, _Candidate]]]:
    """Pairs that help, and how many nodes match after both."""
    if explanation.is_large:
        return
    everything, whole, known = explanation.everything, explanation.logic, _known(unknown)
    # Also what alone changes nothing, which `places` leaves out.
    listed = [
        one
        for part, neutral, is_negated in _neutral(whole, everything)
        for one in _candidates(explanation, part, neutral, known)
        if one.kind != "turn" and _may_help(one, is_negated=is_negated)
    ]
    at_part: dict[int, list[int]] = {}
    for number, one in enumerate(listed):
        at_part.setdefault(id(one.part), []).append(number)
    alone = [(explanation.mask & among).bit_count()] * len(listed)
    for place in places(whole, everything):
        for number in at_part.get(id(place.part), ()):
            count = _count_after(whole.mask, place, listed[number].mask, among)
            alone[number] = max(alone[number], count)
    couples = _couples(whole)
    for at, first in enumerate(listed):
        changed = replaced(whole, first.part, first.mask, everything)
        # Parts within the changed part, or around it, are not what they were.
        for place in places(changed, everything):
            if cancelled():
                return
            both = frozenset((id(first.part), id(place.part)))
            for number in at_part.get(id(place.part), ()):
                second = listed[number]
                if number <= at or (both in couples and first.kind == second.kind):
                    continue
                count = _count_after(changed.mask, place, second.mask, among)
                if count > max(alone[at], alone[number]):
                    yield count, (first, second)


def _known(unknown: tuple[Unknown, ...]) -> _Known:
    return {one.term: one.instead for one in unknown if one.instead is not None}


def _neutral(
    part: Matched, everything: int, neutral: int | None = None, *, is_negated: bool = False
) -> Iterator[tuple[Matched, int | None, bool]]:
    """Every part with the mask that has the effect of leaving it out (`Place.neutral`).

    With each is whether it is within an odd number of ``not``.
    """
    yield part, neutral, is_negated
    inner = {"and": everything, "or": 0}.get(part.kind)
    is_negated ^= part.kind == "not"
    for one in part.parts:
        yield from _neutral(one, everything, inner, is_negated=is_negated)


def _may_help(one: _Candidate, *, is_negated: bool) -> bool:
    """More nodes may match after a change, alone or with another one.

    None do where the part only loses nodes, such as a term left out of an ``or``, nor where it
    only gains some within a ``not``.
    """
    wanted, lost = one.mask, one.part.mask
    if is_negated:
        wanted, lost = lost, wanted
    return bool(less(wanted, lost))


def _couples(part: Matched) -> set[frozenset[int]]:
    """Parts that are the only two of their row, which cannot lose both of them."""
    rows = (one.parts for one in part.walk())
    return {frozenset(id(inner) for inner in row) for row in rows if len(row) == 2}


def _count_after(mask: int, place: Place, new: int, among: int) -> int:
    """How many of the nodes match with another mask for one part; 0 where the same ones do."""
    turned = place.care & (place.part.mask ^ new)
    return ((mask ^ turned) & among).bit_count() if turned else 0


def _candidates(
    explanation: Explanation, part: Matched, neutral: int | None, known: _Known
) -> Iterator[_Candidate]:
    """Every change there is to make to one part, whether it helps or not."""
    instead = known.get(part.path) if part.kind in ("term", "and") else None
    if instead is not None:
        mask = match(instead, explanation.resources)
        yield _Candidate("name", part, mask, instead)
    if neutral is not None:
        yield _Candidate("drop", part, neutral)
    # To turn the operand of a ``not`` is to turn the ``not``, which is done already.
    inside = neutral is None and part is not explanation.logic
    if (part.kind == "not" or excludes(part)) and not inside:
        yield _Candidate("turn", part, explanation.everything ^ part.mask)


# Texts


def _written(
    explanation: Explanation,
    counted: Iterable[tuple[int, tuple[_Candidate, ...]]],
    most: int | None,
    cancelled: Callable[[], bool],
    within: Within | None = None,
) -> tuple[Relaxation, ...]:
    """The first relaxations of those that were counted, with their texts.

    Left out are those that no text says, after which nothing would be asked any more, and those
    that were written before, in other words perhaps. Once cancelled says so those that are there
    by then will do, one at least.
    """
    reading, constraint = explanation.reading, explanation.root.constraint
    of = f" of {within.queue}" if within is not None else ""
    found: list[Relaxation] = []
    known: set[str | Normal] = set()
    for count, candidates in counted:
        if len(found) == most or (found and cancelled()):
            break
        changes = tuple(_change(one) for one in candidates)
        edits: Edits = {change.path: change.instead for change in changes}
        after, text = edited(constraint, edits), rewritten(reading, edits)
        if after is None or not text or not known.isdisjoint((text, normal(after))):
            continue
        known |= {text, normal(after)}
        sentence = f"{_both(changes)}: {some(count, 'node')}{of}"
        found.append(Relaxation(changes, text, after, count, sentence))
    return tuple(found)


def _change(one: _Candidate) -> Change:
    old, instead = one.part.constraint, one.instead
    if one.kind == "drop":
        words = f"{_LEAVE}{quoted(old)}"
    elif one.kind == "name":
        assert instead is not None
        words = f"write {quoted(instead)} for {quoted(old)}"
    else:
        instead = _turned(old)
        words = f"ask for {quoted(instead)} in place of {quoted(old)}"
    return Change(one.kind, one.part.path, one.part.span, instead, words)


def _turned(constraint: Constraint) -> Constraint:
    """What a constraint excludes."""
    if isinstance(constraint, Properties):
        return Properties((constraint.values[0].removeprefix("^"),))
    assert isinstance(constraint, Not)
    values = constraint.values
    return values[0] if len(values) == 1 else And(values)


def _both(changes: tuple[Change, ...]) -> str:
    """One or two changes in words."""
    first, *others = [change.words for change in changes]
    if all(change.kind == "drop" for change in changes):
        if others == [first]:
            return f"{first} both times"
        others = [words.removeprefix(_LEAVE) for words in others]
    return " and ".join((first, *others))
