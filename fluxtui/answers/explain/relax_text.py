"""Changes to a constraint, and the text to type after them (RFC 31, RFC 35)."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from fluxtui.answers.explain.clauses import Clause
from fluxtui.answers.explain.explanation import Explanation, spans
from fluxtui.answers.explain.meaning import Meaning, meaning
from fluxtui.answers.explain.parts import quoted
from fluxtui.answers.explain.rewrite import Edits, edited, rewritten
from fluxtui.model.constraint.tree import And, Constraint, Not, Properties
from fluxtui.notation.problem import Span
from fluxtui.notation.wording import counted

Kind = Literal["name", "drop", "turn"]

_LEAVE = "leave out "


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


class Within(NamedTuple):
    """The nodes that a change is to gain: the mask of those of a queue, and its name."""

    mask: int
    queue: str


class Candidate(NamedTuple):
    """A change that may help: to a clause, with the mask and the constraint that take its place."""

    kind: Kind
    clause: Clause
    mask: int
    instead: Constraint | None = None


def written(
    explanation: Explanation,
    counted: Iterable[tuple[int, tuple[Candidate, ...]]],
    most: int | None,
    cancelled: Callable[[], bool],
    within: Within | None = None,
) -> tuple[Relaxation, ...]:
    """The first relaxations of those that were counted, with their texts.

    Once cancelled says so those that are there by then will do, one at least.
    """
    writer = Writer(explanation, within)
    found: list[Relaxation] = []
    for count, changes in counted:
        if len(found) == most or (found and cancelled()):
            break
        one = writer.write(changes, count)
        if one is not None:
            found.append(one)
    return tuple(found)


class Writer:
    """Writes the texts of changes to one constraint, each once."""

    def __init__(self, explanation: Explanation, within: Within | None = None) -> None:
        self._explanation = explanation
        self._of = f" of {within.queue}" if within is not None else ""
        self._texts: set[str] = set()
        self._meanings: set[Meaning] = set()

    @cached_property
    def _spans(self) -> dict[str, Span]:
        return spans(self._explanation.root.walk())

    def write(self, candidates: tuple[Candidate, ...], count: int) -> Relaxation | None:
        """A relaxation with its text, where so many nodes match after it.

        None where no text says it, where nothing would be asked any more, and where the same was
        written before, in other words perhaps.
        """
        changes = tuple(_change(one) for one in candidates)
        edits: Edits = {change.path: change.instead for change in changes}
        reading = self._explanation.reading
        assert reading.constraint is not None
        constraint = edited(reading.constraint, edits)
        text = rewritten(reading, self._spans, edits)
        if constraint is None or not text or not self._is_new(text, constraint):
            return None
        sentence = f"{_both(changes)}: {counted(count, 'node')}{self._of}"
        return Relaxation(changes, text, constraint, count, sentence)

    def _is_new(self, text: str, constraint: Constraint) -> bool:
        says = meaning(constraint)
        if text in self._texts or says in self._meanings:
            return False
        self._texts.add(text)
        self._meanings.add(says)
        return True


def _change(one: Candidate) -> Change:
    old, instead = one.clause.constraint, one.instead
    if one.kind == "drop":
        words = f"{_LEAVE}{quoted(old)}"
    elif one.kind == "name":
        assert instead is not None
        words = f"write {quoted(instead)} for {quoted(old)}"
    else:
        instead = _turned(old)
        words = f"ask for {quoted(instead)} in place of {quoted(old)}"
    return Change(one.kind, one.clause.path, one.clause.span, instead, words)


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
