"""Suggest changes to a constraint after which more nodes match (RFC 31).

A change leaves out a term, drops a ``not``, or replaces an unknown name by the closest one; each
comes with the new text and the number of nodes that will match.
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
from fluxtui.model.cancellation import Stop, never_stop
from fluxtui.model.constraint.tree import And, Constraint, Not, Properties, to_json
from fluxtui.notation.problem import Span
from fluxtui.notation.problem import counted as some
from fluxtui.notation.query.format import from_constraint
from fluxtui.notation.query.tree import shown
from fluxtui.notation.sets.bits import less

Kind = Literal["name", "drop", "turn"]

#: How many relaxations are returned by default.
MOST = 10
#: For how many lists of names among properties a replacement is tried.
MOST_LISTS = 20
#: How many of the best relaxations are examined; some may be equivalent, or impossible to write.
TRIED = 50
#: How many parts are examined in total, because each relaxation is read and matched as a whole; at
#: least `FEWEST` relaxations are examined, however large the constraint.
PARTS, FEWEST = 6_000, 3

_LEAVE = "leave out "
# The order of kinds: a misspelt name is more likely to be the mistake than a deliberate condition.
_ORDER: dict[Kind, int] = {"name": 0, "drop": 1, "turn": 2}

#: Replacements for unknown names, by the paths of their terms.
_Known: TypeAlias = Mapping[str, Constraint]


@dataclass(frozen=True, slots=True)
class Change:
    """One change to a part of a constraint.

    name  an unknown name is replaced by the closest one that exists
    drop  a part is left out
    turn  a part is required instead of excluded

    mask and instead replace those of the part; instead is None if the part is left out.
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
        """The change in words, such as ``leave out 'gpu'``."""
        old = self.part.constraint
        if self.instead is None:
            return f"{_LEAVE}{quoted(old)}"
        if self.kind == "name":
            return f"write {_query(self.instead)} for {_query(old)}"
        return f"ask for {quoted(self.instead)} in place of {quoted(old)}"


@dataclass(frozen=True, slots=True)
class Relaxation:
    """One or two changes after which more nodes match.

    text      the new constraint, a query or JSON like the old one
    count     how many nodes match it, in the queue if one is given
    sentence  the changes and the count, without a full stop
    """

    changes: tuple[Change, ...]
    text: str
    constraint: Constraint
    count: int
    sentence: str


@dataclass(frozen=True, slots=True)
class Within:
    """The nodes that count as gained: the mask of a queue's nodes, and the queue's name."""

    mask: int
    queue: str


def relaxations(
    explanation: Explanation,
    unknown: tuple[Unknown, ...] = (),
    most: int | None = MOST,
    cancelled: Stop = never_stop,
    *,
    names_only: bool = False,
    within: Within | None = None,
) -> tuple[Relaxation, ...]:
    """Return the single changes after which more nodes match, the best first; each text once.

    unknown has the unknown names of the constraint (`names.unknown`). Changes of names come first,
    otherwise those that gain the most nodes. If cancelled, those written so far are returned, at
    least one.
    """
    known = _known(unknown)
    among = explanation.everything if within is None else within.mask
    before = (explanation.mask & among).bit_count()
    found = [one for one in _lists(explanation, known, among, cancelled) if one[0] > before]
    for place in _places(explanation.logic, explanation.everything, explanation.everything):
        if found and cancelled():
            break
        dropped = None
        for change in _changes(explanation, place[0], place[2], known):
            count = _count_after(explanation.mask, place, change.mask, among)
            if change.kind == "drop":
                dropped = count
            elif change.kind == "turn" and count == dropped:
                continue  # leaving a part out is a smaller change than inverting it
            if count > before and (change.kind == "name" or not names_only):
                found.append((count, change))
    found.sort(key=lambda one: (_ORDER[one[1].kind], -one[0], one[1].part.span or Span(0, 0)))
    return _written(explanation, ((n, (one,)) for n, one in found), most, among, cancelled, within)


def _lists(
    explanation: Explanation, known: _Known, among: int, cancelled: Stop
) -> Iterator[tuple[int, Change]]:
    """Yield changes of names written as several properties, such as a host list split at commas.

    They are rows of properties, which plain logic flattens into the row around them. At most
    `MOST_LISTS`, because each takes as long as matching the whole constraint.
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
    cancelled: Stop = never_stop,
    most: int | None = MOST,
    within: Within | None = None,
) -> tuple[Relaxation, ...]:
    """Return pairs of changes that gain more nodes than either alone, the best first.

    The time is quadratic in the number of terms, so run it in a worker; very large constraints get
    none (`untried`). If cancelled, the best of those counted so far are returned.
    """
    among = explanation.everything if within is None else within.mask
    found = sorted(_pairs(explanation, unknown, cancelled, among), key=lambda pair: -pair[0])
    return _written(explanation, found, most, among, never_stop, within)


def untried(explanation: Explanation) -> str:
    """Return what was not tried to gain nodes, as part of a sentence; empty if all was."""
    limit = f"two changes at once are tried for up to {MAX_PARTS:,} parts only"
    return limit if explanation.is_large else ""


def nothing_helps(explanation: Explanation, untried: str, within: Within | None = None) -> str:
    """Return a sentence that no change helps; untried is the text from `untried`."""
    where = f" in queue {within.queue}" if within is not None else ""
    has_one = sum(not part.parts for part in explanation.root.walk()) == 1
    several = "one part" if untried else "one or two parts"
    return f"no change of {'its only part' if has_one else several} helps{where}"


def _pairs(
    explanation: Explanation, unknown: tuple[Unknown, ...], cancelled: Stop, among: int
) -> Iterator[tuple[int, tuple[Change, Change]]]:
    """Yield pairs that help, with the number of nodes that match after both."""
    if explanation.is_large:
        return
    everything, whole, known = explanation.everything, explanation.logic, _known(unknown)
    # Include parts that change nothing on their own, which `_places` leaves out.
    neutral = {"and": everything, "or": 0}
    inner = ((part, neutral.get(row.kind)) for row in whole.walk() for part in row.parts)
    changes = [
        change
        for part, without in chain([(whole, None)], inner)
        for change in _changes(explanation, part, without, known)
        if change.kind != "turn" and change.mask != part.mask
    ]
    at_part: dict[int, list[int]] = {}
    for number, change in enumerate(changes):
        at_part.setdefault(id(change.part), []).append(number)
    alone = [(explanation.mask & among).bit_count()] * len(changes)
    for place in _places(whole, everything, everything):
        for number in at_part.get(id(place[0]), ()):
            count = _count_after(whole.mask, place, changes[number].mask, among)
            alone[number] = max(alone[number], count)
    for at, first in enumerate(changes):
        changed = _replaced(whole, first.part, first.mask, everything)
        # Parts inside or around the changed part are new objects, and so are skipped.
        for place in _places(changed, everything, everything):
            if cancelled():
                return
            for number in at_part.get(id(place[0]), ()):
                if number > at:
                    count = _count_after(changed.mask, place, changes[number].mask, among)
                    if count > max(alone[at], alone[number]):
                        yield count, (first, changes[number])


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
    # Inverting the operand of a ``not`` is the same as inverting the ``not``.
    if neutral is None and part is not explanation.logic:
        return
    inverted, old = explanation.everything ^ part.mask, part.constraint
    if excludes(part) and isinstance(old, Properties):
        yield Change("turn", part, inverted, Properties((old.values[0].removeprefix("^"),)))
    elif isinstance(old, Not) and part.kind == "not":
        instead = old.values[0] if len(old.values) == 1 else And(old.values)
        yield Change("turn", part, inverted, instead)


def _query(constraint: Constraint) -> str:
    """Quote the query for a constraint; in words if there is none."""
    text = from_constraint(to_json(constraint))
    return shown(text) if text else quoted(constraint)


# Masks


#: A part; the nodes for which it decides: whether the whole constraint matches one of these changes
#: with the part; and the mask equivalent to leaving the part out, None if it cannot be.
_Place: TypeAlias = tuple[Matched, int, int | None]


def _places(
    part: Matched, care: int, everything: int, neutral: int | None = None
) -> Iterator[_Place]:
    """Yield every part that decides for some node, from the whole inwards."""
    if not care:
        return  # parts inside it do not matter either
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
    new_mask = everything ^ row[0].mask if part.kind == "not" else row[0].mask
    for inner in row[1:]:
        new_mask = new_mask & inner.mask if part.kind == "and" else new_mask | inner.mask
    return Matched(part.constraint, new_mask, row)


def _count_after(mask: int, place: _Place, new: int, among: int) -> int:
    """Count the nodes that match with a new mask for one part; 0 if the match is unchanged."""
    part, care, _ = place
    flipped = care & (part.mask ^ new)
    return ((mask ^ flipped) & among).bit_count() if flipped else 0


# Texts


def _written(
    explanation: Explanation,
    counted: Iterable[tuple[int, tuple[Change, ...]]],
    most: int | None,
    among: int,
    cancelled: Stop,
    within: Within | None,
) -> tuple[Relaxation, ...]:
    """Write the texts of the first relaxations: up to `TRIED`, fewer for a large constraint.

    Left out are those that no text expresses, that leave no constraint, that are equivalent to an
    earlier one, and pairs whose combined effect differs from the count.
    """
    of = f" of {within.queue}" if within is not None else ""
    results: list[Relaxation] = []
    seen: set[str | Normal] = set()
    parts = sum(1 for _ in explanation.root.walk())
    for count, changes in islice(counted, min(TRIED, max(FEWEST, PARTS // parts))):
        if len(results) == most or (results and cancelled()):
            break
        edits: Edits = {change.path: change.instead for change in changes}
        after = edited(explanation.root.constraint, edits)
        if after is None or (form := normal(after)) in seen:
            continue
        if (match(after, explanation.resources) & among).bit_count() != count:
            continue
        seen.add(form)
        text = rewritten(explanation.reading, edits)
        if not text or text in seen:
            continue
        seen.add(text)
        first, *others = [change.words for change in changes]
        is_twice = others == [first]
        if all(change.kind == "drop" for change in changes):
            others = [words.removeprefix(_LEAVE) for words in others]
        words = f"{first} both times" if is_twice else " and ".join((first, *others))
        sentence = f"{words}: {some(count, 'node')}{of}"
        results.append(Relaxation(changes, text, after, count, sentence))
    return tuple(results)
