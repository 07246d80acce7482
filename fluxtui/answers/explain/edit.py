"""Edits of a constraint at its parts, as new text (RFC 31, RFC 35).

A query stays a query, JSON stays JSON, and what does not change is copied from the text. What comes
out is read again and asks for exactly what it is meant to; where no small change does that, all of
it is written anew.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fluxtui.answers.explain.explanation import Explanation, Part, normal, quoted
from fluxtui.model.constraint import requires, tree
from fluxtui.model.constraint.requires import Requires
from fluxtui.model.constraint.tree import And, Constraint, Everything, Not, Or, Properties, to_json
from fluxtui.notation.problem import Problem, Span, common_ends
from fluxtui.notation.query.format import from_constraint
from fluxtui.notation.query.parser import TERM_STARTS
from fluxtui.notation.query.parser import parse as parse_query

#: What takes the place of a part, by its path in the RFC 31 object; None leaves it out. It may hold
#: parts of the constraint that is edited, which are written as they were.
Edits: TypeAlias = Mapping[str, Constraint | None]

_SIGNS = {"and": ("&", "&&", "and"), "or": ("|", "||", "or")}


def edited(constraint: Constraint, edits: Edits) -> Constraint | None:
    """A constraint after edits; None where nothing is left of it.

    Each of several properties is a part of its own. What loses all of its operands goes with them.
    """
    if constraint.path in edits:
        return edits[constraint.path]
    if not constraint.parts:
        return constraint
    found = (edited(part, edits) for part in constraint.parts)
    kept = tuple(part for part in found if part is not None)
    if not kept or isinstance(constraint, Or | Not):
        return type(constraint)(kept) if kept else None  # type: ignore[arg-type, call-arg]
    names = [part.values for part in kept if isinstance(part, Properties)]
    if isinstance(constraint, And) or len(names) < len(kept):
        return And(kept)
    return Properties(tuple(name for values in names for name in values))


def says(text: str, constraint: Constraint) -> bool:
    """A text asks for just what a constraint does."""
    found = requires.read(text).constraint
    return found is not None and normal(found) == normal(constraint)


def rewritten(reading: Requires, edits: Edits) -> str | None:
    """The text of a reading after edits: empty where nothing is left, None where none says it.

    Without a text, as while a constraint in force is being changed, it is written anew.
    """
    assert reading.constraint is not None
    wanted = edited(reading.constraint, edits)
    if wanted is None:
        return ""
    for grouped in (False, True) if reading.text else ():
        text = _Writer(reading, edits, grouped).whole(reading.constraint)
        if says(text, wanted):
            return text
    obj = to_json(wanted)
    anew = json.dumps(obj, ensure_ascii=False) if reading.is_json else from_constraint(obj)
    return anew if anew and says(anew, wanted) else None


class _Writer:
    """Writes a constraint after edits.

    Parentheses go around operands that need them; grouped, around every row that is new.
    """

    def __init__(self, reading: Requires, edits: Edits, grouped: bool) -> None:
        self.text = reading.text
        self.is_json = reading.is_json
        self.edits = edits
        self.grouped = grouped

    def whole(self, constraint: Constraint) -> str:
        start, end = self.around(constraint)
        return self.text[:start] + (self.part(constraint) or "") + self.text[end:]

    def around(self, part: Constraint) -> Span:
        """The place of a part with the parentheses around it."""
        text, (start, end) = self.text, part.span or Span(0, 0)
        before, behind = start, end
        while not self.is_json:
            while before and text[before - 1].isspace():
                before -= 1
            while behind < len(text) and text[behind].isspace():
                behind += 1
            if text[before - 1 : before] != "(" or text[behind : behind + 1] != ")":
                break
            start = before = before - 1
            end = behind = behind + 1
        return Span(start, end)

    def part(self, part: Constraint, *, bare: bool = False) -> str | None:
        """A part after the edits; None where nothing is left of it. Bare is without parentheses."""
        start, end = (part.span or Span(0, 0)) if bare else self.around(part)
        if part.path in self.edits:
            new = self.edits[part.path]
            return None if new is None else self.put(self.write(new, part), part, start, end)
        parts = part.parts
        if not parts:
            return self.text[start:end]
        kept = [n for n, one in enumerate(parts) if edited(one, self.edits) is not None]
        if not kept:
            return None
        if len(kept) == 1 < len(parts):
            is_laid_out = self.is_json and "\n" in self.text[start:end]
            if isinstance(part, And | Or) and not is_laid_out:  # what held its operands goes
                left = self.part(parts[kept[0]], bare=True) or ""
                return f"({left})" if self.grouped and self.is_row(left) else left
            start, end = part.span or Span(0, 0)
        spans = [self.around(one) for one in parts]
        text = self.text[start : spans[0].start] + (self.part(parts[kept[0]]) or "")
        for number in kept[1:]:
            text += self.text[spans[number - 1].end : spans[number].start]
            text += self.part(parts[number]) or ""
        return text + self.text[spans[-1].end : end]

    def put(self, text: str, part: Constraint, start: int, end: int) -> str:
        """A new text in place of a part; a row stays in the parentheses that are there."""
        if not self.is_row(text) or part.span is None:
            return text
        if (start, end) != part.span and self.text[start:end] not in text:
            return self.text[start : part.span.start] + text + self.text[part.span.end : end]
        return f"({text})" if self.grouped else text

    def is_row(self, text: str) -> bool:
        """A query of several operands, with nothing around them."""
        return not self.is_json and _kind(text) in _SIGNS

    def write(self, new: Constraint, old: Constraint | None = None) -> str:
        """A constraint, in place of an old one where that is given."""
        if new.span is not None:
            copied = self.text[slice(*new.span)]
            is_word = self.is_json and copied.startswith('"')
            return f'{{"properties": [{copied}]}}' if is_word else copied
        if self.is_json:
            return self.json(new, old)
        if isinstance(new, Not) and len(new.values) == 1:
            text = self.operand(new.values[0], ("and", "or"))
            return f"-{text}" if _kind(text) == "term" and text[0] != "(" else f"not {text}"
        if isinstance(new, And | Or) and len(new.values) > 1:
            loose = ("or",) if isinstance(new, And) else ()
            return self.row(new, [self.operand(value, loose) for value in new.values])
        return from_constraint(to_json(new)) or ""

    def operand(self, value: Constraint, loose: tuple[str, ...]) -> str:
        """An operand of a query, in parentheses where it is a row of a kind that is loose there."""
        if value.span is not None:
            around = self.around(value)
            if around != value.span:
                return self.text[slice(*around)]
        text = self.write(value)
        return f"({text})" if _kind(text) in (_SIGNS if self.grouped else loose) else text

    def json(self, new: Constraint, old: Constraint | None) -> str:
        """An RFC 31 object, with the layout of an old one where they are alike."""
        if isinstance(new, Everything):
            return "{}"
        start, end = f'{{"{new.operator}": [', "]}"
        spans: Sequence[Span | None] = ()
        if isinstance(new, And | Or | Not):
            values = self.row(new, [self.write(value) for value in new.values])
            spans = [part.span for part in old.parts] if old is not None else ()
        else:
            kept = 0
            if old is not None and type(old) is type(new):
                spans = old.spans
                kept = len(spans) if new.values[: len(spans)] == old.values else 0
            pieces = [json.dumps(value, ensure_ascii=False) for value in new.values[kept:]]
            if kept and spans[0] and spans[-1]:
                pieces.insert(0, self.text[spans[0].start : spans[-1].end])
            values = ", ".join(pieces)
        if old is not None and old.span and spans and spans[0] and spans[-1]:
            start = self.text[old.span.start : spans[0].start]
            start = start.replace(f'"{old.operator}"', f'"{new.operator}"', 1)
            end = self.text[spans[-1].end : old.span.end]
        return start + values + end

    def row(self, new: And | Or | Not, texts: list[str]) -> str:
        """Operands in a row; between those that were beside each other is what was there."""
        text = texts[0] if texts else ""
        for left, right, piece in zip(new.values, new.values[1:], texts[1:], strict=False):
            gap = ""
            if left.span is not None and right.span is not None:
                gap = self.text[self.around(left).end : self.around(right).start]
            text += self.gap(gap, new.operator) + piece
        return text

    def gap(self, gap: str, operator: str) -> str:
        """What joins two operands, where something else may have been between them."""
        sign = gap.strip()
        if self.is_json:
            return gap if sign == "," else ", "
        own, other = _SIGNS[operator], _SIGNS["or" if operator == "and" else "and"]
        if sign in other:
            return gap.replace(sign, own[other.index(sign)])
        return gap if sign in own or (gap.isspace() and operator == "and") else own[0]


def _kind(query: str) -> str:
    """How the operands of a query are joined; ``term`` where it has but one."""
    found = parse_query(query).tree
    return found.kind if found is not None else ""


# Edits at one part


@dataclass(frozen=True, slots=True)
class Edited:
    """A constraint after an edit.

    text     the new text, blank where nothing is asked any more
    path     the part that was edited, in the RFC 31 object of that text
    problem  why nothing was changed, or None
    """

    text: str = ""
    path: str = ""
    problem: Problem | None = None


def negate(explanation: Explanation, part: Part) -> Edited:
    """Ask for the opposite of a part; for the operand of a ``not``, remove the ``not``."""
    around = _around(explanation, part)
    if around is not None and isinstance(around.constraint, Not) and len(around.parts) == 1:
        part = around
    constraint = part.constraint
    new: Constraint = Not((constraint,))
    match constraint:
        case Not(values):
            new = values[0] if len(values) == 1 else And(values) if values else Everything()
        case Properties((value,)) if value.startswith("^"):
            new = Properties((value[1:],))
        case Properties((value,)) if explanation.reading.is_json and value:
            new = Properties((f"^{value}",))
    return _with(explanation, part, new)


def swap(explanation: Explanation, part: Part) -> Edited:
    """Make an ``and`` an ``or``, or the other way round: the part, or the one around a term."""
    row: Part | None = part
    while row is not None and (row.kind == "term" or (row.kind == "not" and len(row.parts) == 1)):
        row = _around(explanation, row)
    if row is None:
        return Edited(problem=Problem("no 'and' or 'or' to swap here"))
    operands = row.constraint.parts
    new: Constraint = And(operands) if row.kind == "or" else Or(operands)
    if row.kind == "not":
        new = Not((new,))
    goal = part.constraint if row is not part else None
    return _with(explanation, row, new, goal, part.span.start if part.span else 0)


def delete(explanation: Explanation, part: Part) -> Edited:
    """Leave a part out; an operator that loses all of its operands goes with them."""
    return _with(explanation, part, None)


def join(explanation: Explanation, part: Part, operator: Literal["and", "or"], text: str) -> Edited:
    """Ask for a part and something else, or for either; text says what, a query or JSON."""
    more = requires.read(text)
    if more.constraint is None:
        errors = (problem for problem in more.problems if problem.severity == "error")
        nothing = Problem("nothing is asked", None, None, TERM_STARTS[:3], "RFC 35")
        return Edited(problem=next(errors, nothing))
    obj = to_json(more.constraint)
    if more.is_json and not explanation.reading.is_json and not from_constraint(obj):
        return Edited(problem=Problem(f"no query can express {quoted(more.constraint)}"))
    added = tree.read(obj).value  # without its places, which are those of another text
    assert added is not None
    kind = And if operator == "and" else Or
    own = part.constraint
    values: tuple[Constraint, ...] = (own,)
    if explanation.reading.is_json and isinstance(own, kind) and own.values:
        values = own.values
    near = len(explanation.reading.text)
    return _with(explanation, part, kind((*values, added)), added, near)


def _with(
    explanation: Explanation,
    part: Part,
    new: Constraint | None,
    goal: Constraint | None = None,
    near: int = 0,
) -> Edited:
    """The text with new in place of a part.

    goal is what the part to go to in it asks, where that is not all that is new; of several it is
    the one nearest to a place of the text before.
    """
    reading = explanation.reading
    assert reading.constraint is not None
    edits = {part.path: new}
    text = rewritten(reading, edits)
    wanted = edited(reading.constraint, edits)
    if text is None and wanted is not None:
        problem = Problem(f"no query can express {quoted(wanted)}", None, None, (), "RFC 35")
        return Edited(problem=problem)
    after = requires.read(text or "").constraint
    if not text or after is None or part.span is None:
        return Edited(text or "")
    start, stop = common_ends(reading.text, text)
    end = max(len(text) - stop, part.span.end + len(text) - len(reading.text))
    changed = Span(min(start, part.span.start), end)
    placed = [(one, one.span) for one in after.walk() if one.span is not None]
    asked = normal(goal) if goal is not None else None
    found = [
        (abs(span.start - near), one.path)
        for one, span in placed
        if asked is not None and _covers(changed, span) and normal(one) == asked
    ]
    around = [(span.end - span.start, one.path) for one, span in placed if _covers(span, changed)]
    return Edited(text, min(found or around, key=lambda one: one[0], default=(0, ""))[1])


def _around(explanation: Explanation, part: Part) -> Part | None:
    """The part of which a part is an operand."""
    return next((one for one in explanation.root.walk() if part in one.parts), None)


def _covers(around: Span, span: Span) -> bool:
    return around.start <= span.start and span.end <= around.end
