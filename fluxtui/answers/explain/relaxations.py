"""What to change about a constraint so that more nodes match (RFC 31).

One term left out, a ``not`` dropped, a name that the cluster does not have replaced by the
closest one: each with the text to type and the number of nodes that will match.
"""

import operator
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Literal, TypeAlias

from fluxtui.answers.explain.edit import Edits, edited, rewritten
from fluxtui.answers.explain.explanation import (
    MAX_PARTS,
    Explanation,
    Normal,
    excludes,
    normal,
    quoted,
    rest,
)
from fluxtui.answers.explain.names import Unknown
from fluxtui.answers.matching import Matched, match
from fluxtui.model.cancellation import Stop, going_on
from fluxtui.model.constraint.tree import And, Constraint, Not, Properties
from fluxtui.notation.problem import Span
from fluxtui.notation.problem import counted as some
from fluxtui.notation.sets.bits import less

Kind = Literal["name", "drop", "turn"]

#: Relaxations that are worked out, where not all are asked for.
MOST = 10
#: Lists of names among properties for which something else is tried.
MOST_LISTS = 20
#: Relaxations that are looked at, the best ones: many may ask the same, or be said by no text.
TRIED = 50
#: Parts of constraints that are looked at in all, as each relaxation takes as long as to read and
#: match the whole; of a constraint however large `FEWEST` are looked at.
PARTS, FEWEST = 6_000, 3

_LEAVE = "leave out "
# The order of kinds: a misspelt name is more likely the mistake than something that is wanted.
_ORDER: dict[Kind, int] = {"name": 0, "drop": 1, "turn": 2}

#: What is to be written for names that are not there, by the paths of their terms.
_Known: TypeAlias = Mapping[str, Constraint]


@dataclass(frozen=True, slots=True)
class Change:
    """One change to a part of a constraint.

    name  a name that is not there becomes the closest one that is
    drop  a part is left out
    turn  a part is asked for where it was excluded

    mask and instead take the place of those of the part; instead is None where nothing does.
    """

    kind: Kind
    part: Matched
    mask: int = field(repr=False)
    instead: Constraint | None = None

    @property
    def path(self) -> str:
        """The path of the part in the RFC 31 object."""
        return self.part.path

    @property
    def words(self) -> str:
        """What to do, such as ``leave out 'gpu'``."""
        old = quoted(self.part.constraint)
        if self.instead is None:
            return f"{_LEAVE}{old}"
        new = quoted(self.instead)
        if self.kind == "name":
            return f"write {new} for {old}"
        return f"ask for {new} in place of {old}"


@dataclass(frozen=True, slots=True)
class Relaxation:
    """One or two changes after which more nodes match.

    text      the constraint to type, a query or JSON as it was before
    count     how many nodes match then, of those that are to be gained
    sentence  the changes and the number, without a full stop
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


def relaxations(
    explanation: Explanation,
    unknown: tuple[Unknown, ...] = (),
    most: int | None = MOST,
    cancelled: Stop = going_on,
    *,
    names_only: bool = False,
    within: Within | None = None,
) -> tuple[Relaxation, ...]:
    """The single changes after which more nodes match, the best first; each text once.

    unknown is what the constraint names and the cluster does not have (`names.unknown`). Names
    come first, then the more nodes the earlier. Once cancelled says so those that are written by
    then will do, one at least.
    """
    known = _known(unknown)
    among = explanation.everything if within is None else within.mask
    before = (explanation.mask & among).bit_count()
    found = [one for one in _lists(explanation, known, among, cancelled) if one[0] > before]
    for place in _places(explanation.logic, explanation.everything, explanation.everything):
        if found and cancelled():
            break
        dropped = None
        for one in _changes(explanation, place[0], place[2], known):
            count = _count_after(explanation.mask, place, one.mask, among)
            if one.kind == "drop":
                dropped = count
            elif one.kind == "turn" and count == dropped:
                continue  # to leave a part out is less of a change than to turn it round
            if count > before and (one.kind == "name" or not names_only):
                found.append((count, one))
    found.sort(key=lambda one: (_ORDER[one[1].kind], -one[0], one[1].part.span or Span(0, 0)))
    return _written(explanation, ((n, (one,)) for n, one in found), most, among, cancelled, within)


def _lists(
    explanation: Explanation, known: _Known, among: int, cancelled: Stop
) -> Iterator[tuple[int, Change]]:
    """Names written as several properties, such as a list of hosts that was split at its commas:
    a row, which is not a part of its own where it is in another row.

    The first `MOST_LISTS` of them: each takes as long as to match the whole.
    """
    if not known:
        return
    apart = {one.path for one in explanation.logic.walk() if one.kind in ("term", "and")}
    rows = (part for part in explanation.root.walk() if part.path in known)
    for part in islice((part for part in rows if part.path not in apart), MOST_LISTS):
        if cancelled():
            return
        instead = known[part.path]
        after = edited(explanation.root.constraint, {part.path: instead})
        mask = match(after, explanation.resources) if after is not None else 0
        yield (mask & among).bit_count(), Change("name", part, mask, instead)


def best_pairs(
    explanation: Explanation,
    unknown: tuple[Unknown, ...] = (),
    cancelled: Stop = going_on,
    most: int | None = MOST,
    within: Within | None = None,
) -> tuple[Relaxation, ...]:
    """The pairs that give more nodes than either change alone, the best first; for a worker.

    Takes time with the square of the number of terms: of very many there are none (`untried`). Once
    cancelled says so the best of those that were counted will do.
    """
    among = explanation.everything if within is None else within.mask
    found = sorted(_pairs(explanation, unknown, cancelled, among), key=lambda one: -one[0])
    return _written(explanation, found, most, among, going_on, within)


def untried(explanation: Explanation) -> str:
    """What was not tried to let more nodes match, as a part of a sentence; empty where all was."""
    said = f"two changes at once are tried for up to {MAX_PARTS:,} parts only"
    return said if explanation.is_large else ""


def nothing_helps(untried: str, within: Within | None = None) -> str:
    """That no change helps, in words; untried is what was not tried (`untried`)."""
    where = f" in queue {within.queue}" if within is not None else ""
    return f"no change of {'one part' if untried else 'one or two parts'} helps{where}"


def _pairs(
    explanation: Explanation, unknown: tuple[Unknown, ...], cancelled: Stop, among: int
) -> Iterator[tuple[int, tuple[Change, Change]]]:
    """Pairs that help, and how many nodes match after both."""
    if explanation.is_large:
        return
    everything, whole, known = explanation.everything, explanation.logic, _known(unknown)
    # Also what alone changes nothing, which `_places` leaves out.
    neutral = {"and": everything, "or": 0}
    inner = ((part, neutral.get(row.kind)) for row in whole.walk() for part in row.parts)
    listed = [
        one
        for part, without in chain([(whole, None)], inner)
        for one in _changes(explanation, part, without, known)
        if one.kind != "turn" and one.mask != part.mask
    ]
    at_part: dict[int, list[int]] = {}
    for number, one in enumerate(listed):
        at_part.setdefault(id(one.part), []).append(number)
    alone = [(explanation.mask & among).bit_count()] * len(listed)
    for place in _places(whole, everything, everything):
        for number in at_part.get(id(place[0]), ()):
            count = _count_after(whole.mask, place, listed[number].mask, among)
            alone[number] = max(alone[number], count)
    for at, first in enumerate(listed):
        changed = _replaced(whole, first.part, first.mask, everything)
        # Parts within the changed part, or around it, are not what they were.
        for place in _places(changed, everything, everything):
            if cancelled():
                return
            for number in at_part.get(id(place[0]), ()):
                if number > at:
                    count = _count_after(changed.mask, place, listed[number].mask, among)
                    if count > max(alone[at], alone[number]):
                        yield count, (first, listed[number])


def _known(unknown: tuple[Unknown, ...]) -> _Known:
    return {one.term: one.instead for one in unknown if one.instead is not None}


def _changes(
    explanation: Explanation, part: Matched, neutral: int | None, known: _Known
) -> Iterator[Change]:
    instead = known.get(part.path) if part.kind in ("term", "and") else None
    if instead is not None:
        yield Change("name", part, match(instead, explanation.resources), instead)
    if neutral is not None:
        yield Change("drop", part, neutral)
    # To turn the operand of a ``not`` is to turn the ``not``, which is done already.
    if neutral is None and part is not explanation.logic:
        return
    turned, old = explanation.everything ^ part.mask, part.constraint
    if excludes(part) and isinstance(old, Properties):
        yield Change("turn", part, turned, Properties((old.values[0].removeprefix("^"),)))
    elif isinstance(old, Not) and part.kind == "not":
        instead = old.values[0] if len(old.values) == 1 else And(old.values)
        yield Change("turn", part, turned, instead)


# Masks


#: A part; the nodes for which the whole constraint turns on it: if it held for one of them and did
#: not, or the other way round, so would the whole; and the mask that has the effect of leaving the
#: part out, None where it cannot be left out.
_Place: TypeAlias = tuple[Matched, int, int | None]


def _places(
    part: Matched, care: int, everything: int, neutral: int | None = None
) -> Iterator[_Place]:
    """Every part that counts for some node, from the whole inwards."""
    if not care:
        return  # nor does anything within it count
    yield part, care, neutral
    row = part.parts
    if part.kind == "not":
        yield from _places(row[0], care, everything)
        return
    every = part.kind == "and"
    neutral = everything if every else 0
    behind = rest([inner.mask for inner in row], neutral, every=every)
    for inner, others in zip(row, behind, strict=True):
        here = care & others if every else less(care, others)
        if inner.parts:
            yield from _places(inner, here, everything, neutral)
        elif here:
            yield inner, here, neutral
        care = care & inner.mask if every else less(care, inner.mask)


def _replaced(part: Matched, old: Matched, mask: int, everything: int) -> Matched:
    if part is old:
        return Matched(part.constraint, mask)
    row = tuple(
        _replaced(inner, old, mask, everything) if inner is old or inner.parts else inner
        for inner in part.parts
    )
    if all(map(operator.is_, row, part.parts)):
        return part
    found = everything ^ row[0].mask if part.kind == "not" else row[0].mask
    for inner in row[1:]:
        found = found & inner.mask if part.kind == "and" else found | inner.mask
    return Matched(part.constraint, found, row)


def _count_after(mask: int, place: _Place, new: int, among: int) -> int:
    """How many of the nodes match with another mask for one part; 0 where the same ones do."""
    part, care, _ = place
    turned = care & (part.mask ^ new)
    return ((mask ^ turned) & among).bit_count() if turned else 0


# Texts


def _written(
    explanation: Explanation,
    counted: Iterable[tuple[int, tuple[Change, ...]]],
    most: int | None,
    among: int,
    cancelled: Stop,
    within: Within | None,
) -> tuple[Relaxation, ...]:
    """The first relaxations of those that were counted, with their texts: of the first `TRIED`,
    of fewer where the constraint is large.

    Left out are those that no text says, after which nothing would be asked any more, those that
    were written before, in other words perhaps, and two changes that together are another one.
    """
    of = f" of {within.queue}" if within is not None else ""
    found: list[Relaxation] = []
    known: set[str | Normal] = set()
    parts = sum(1 for _ in explanation.root.walk())
    for count, changes in islice(counted, min(TRIED, max(FEWEST, PARTS // parts))):
        if len(found) == most or (found and cancelled()):
            break
        edits: Edits = {change.path: change.instead for change in changes}
        after = edited(explanation.root.constraint, edits)
        if after is None or (meant := normal(after)) in known:
            continue
        if (match(after, explanation.resources) & among).bit_count() != count:
            continue
        known.add(meant)
        text = rewritten(explanation.reading, edits)
        if not text or text in known:
            continue
        known.add(text)
        first, *others = [change.words for change in changes]
        is_twice = others == [first]
        if all(change.kind == "drop" for change in changes):
            others = [words.removeprefix(_LEAVE) for words in others]
        words = f"{first} both times" if is_twice else " and ".join((first, *others))
        sentence = f"{words}: {some(count, 'node')}{of}"
        found.append(Relaxation(changes, text, after, count, sentence))
    return tuple(found)
