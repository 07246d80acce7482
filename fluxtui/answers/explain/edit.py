"""Edit parts of a constraint, producing new text (RFC 31, RFC 35).

A query stays a query, JSON stays JSON, and unchanged parts are copied from the text. Every result
is parsed again to verify that it expresses exactly the intended constraint; if no small change of
the text does, the whole text is rewritten.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

from fluxtui.answers.explain.explanation import Explanation, Part, normal, quoted
from fluxtui.model.constraint import requires, tree
from fluxtui.model.constraint.requires import Requires
from fluxtui.model.constraint.tree import And, Constraint, Everything, Not, Or, Properties, to_json
from fluxtui.model.documents import rewrite
from fluxtui.model.documents.document import read_json
from fluxtui.notation.problem import Problem, Span, common_ends
from fluxtui.notation.query.format import from_constraint
from fluxtui.notation.query.parser import TERM_STARTS
from fluxtui.notation.query.parser import parse as parse_query

#: Replacements of parts, by path in the RFC 31 object; None removes the part. A replacement may
#: contain parts of the edited constraint, whose text is kept.
Edits: TypeAlias = Mapping[str, Constraint | None]

# A single term in parentheses.
_LONE = re.compile(r"(?<!\w)\(\s*([^\s()&|,]+)\s*\)(?!\w)")
_SIGNS = {"and": ("&", "&&", "and"), "or": ("|", "||", "or")}


def edited(constraint: Constraint, edits: Edits) -> Constraint | None:
    """Return a constraint after edits; None if nothing is left of it.

    An operator that loses all its operands is removed; an ``and`` or ``or`` that loses all but one
    becomes that one.
    """
    if constraint.path in edits:
        return edits[constraint.path]
    if not constraint.parts:
        return constraint
    parts = (edited(part, edits) for part in constraint.parts)
    kept = tuple(part for part in parts if part is not None)
    if not kept or (isinstance(constraint, And | Or) and len(kept) == 1 < len(constraint.parts)):
        return kept[0] if kept else None
    if isinstance(constraint, Or | Not):
        return type(constraint)(kept)
    names = [part.values for part in kept if isinstance(part, Properties)]
    if isinstance(constraint, And) or len(names) < len(kept):
        return And(kept)
    return Properties(tuple(name for values in names for name in values))


def expresses(text: str, constraint: Constraint) -> bool:
    """Whether a text expresses exactly this constraint."""
    is_json = text.lstrip().startswith("{")  # read without spans, which would take longest
    read = tree.read(read_json(text).value) if is_json else None
    parsed = read.value if read is not None else requires.read(text).constraint
    return parsed is not None and normal(parsed) == normal(constraint)


def rewritten(reading: Requires, edits: Edits) -> str | None:
    """Return the text after edits: empty if nothing is left, None if no text expresses the result.

    If the reading has no text, as for a constraint that was not typed, all of it is written.
    """
    assert reading.constraint is not None
    wanted = edited(reading.constraint, edits)
    if wanted is None:
        return ""
    if reading.is_json:
        before = rewrite.read(read_json(reading.text or "{}"))
        new_text = rewrite.rewritten(before, to_json(wanted)).text
    else:
        for grouped in (False, True) if reading.text else ():
            text = _Writer(reading.text, edits, grouped).whole(reading.constraint)
            if not _LONE.search(reading.text):  # a group may have been reduced to one property
                text = _LONE.sub(r"\1", text)
            if expresses(text, wanted):
                return text
        new_text = from_constraint(to_json(wanted)) or ""
    return new_text if expresses(new_text, wanted) else None


class _Writer:
    """Writes a query after edits; grouped puts parentheses around every new ``and`` or ``or``."""

    def __init__(self, text: str, edits: Edits, grouped: bool) -> None:
        self.text = text
        self.edits = edits
        self.grouped = grouped

    def whole(self, constraint: Constraint) -> str:
        start, end = self.around(constraint)
        return self.text[:start] + (self.part(constraint) or "") + self.text[end:]

    def around(self, part: Constraint) -> Span:
        """Return the span of a part including the parentheses around it."""
        text, (start, end) = self.text, part.span or Span(0, 0)
        while True:
            before = len(text[:start].rstrip()) - 1
            behind = len(text) - len(text[end:].lstrip())
            if before < 0 or text[before] != "(" or text[behind : behind + 1] != ")":
                return Span(start, end)
            start, end = before, behind + 1

    def part(self, part: Constraint, *, bare: bool = False) -> str | None:
        """Return the text of a part after the edits, or None; bare leaves out its parentheses."""
        span = part.span or Span(0, 0)
        start, end = span if bare else self.around(part)
        if part.path in self.edits:
            new = self.edits[part.path]
            text = self.write(new) if new is not None else None
            if text is None or _kind(text) not in _SIGNS:
                return text
            if (start, end) != span and self.text[start:end] not in text:
                return self.text[start : span.start] + text + self.text[span.end : end]
            return f"({text})" if self.grouped else text
        parts = part.parts
        if not parts:
            return self.text[start:end]
        kept = [n for n, one in enumerate(parts) if edited(one, self.edits) is not None]
        if not kept:
            return None
        if len(kept) == 1 < len(parts):
            if isinstance(part, And | Or):  # the operator itself is no longer needed
                rest = self.part(parts[kept[0]], bare=True) or ""
                return f"({rest})" if self.grouped and _kind(rest) in _SIGNS else rest
            start, end = span
        spans = [self.around(one) for one in parts]
        text = self.text[start : spans[0].start] + (self.part(parts[kept[0]]) or "")
        for number in kept[1:]:
            text += self.text[spans[number - 1].end : spans[number].start]
            text += self.part(parts[number]) or ""
        return text + self.text[spans[-1].end : end]

    def write(self, new: Constraint) -> str:
        if new.span is not None:
            return self.text[slice(*new.span)]
        if isinstance(new, Not) and len(new.values) == 1:
            text = self.operand(new.values[0], ("and", "or"))
            return f"-{text}" if _kind(text) == "term" and text[0] != "(" else f"not {text}"
        if not isinstance(new, And | Or) or len(new.values) < 2:
            return from_constraint(to_json(new)) or ""
        loose = ("or",) if isinstance(new, And) else ()
        signs, other_signs = _SIGNS[new.operator], _SIGNS["or" if isinstance(new, And) else "and"]
        text = self.operand(new.values[0], loose)
        for left, right in pairwise(new.values):
            gap = ""  # keep the text between operands that both come from the old text
            if left.span is not None and right.span is not None:
                gap = self.text[self.around(left).end : self.around(right).start]
            sign = gap.strip()
            if sign in other_signs:
                gap = gap.replace(sign, signs[other_signs.index(sign)])
            elif sign not in signs and not (gap.isspace() and isinstance(new, And)):
                gap = signs[0]
            text += gap + self.operand(right, loose)
        return text

    def operand(self, value: Constraint, loose: Collection[str]) -> str:
        """Return an operand, in parentheses if its kind is in loose: operators that bind less."""
        if value.span is not None:
            around = self.around(value)
            if around != value.span:
                return self.text[slice(*around)]
        text = self.write(value)
        return f"({text})" if _kind(text) in (_SIGNS if self.grouped else loose) else text


def _kind(query: str) -> str:
    """Return how the operands of a query are joined; ``term`` for a single one."""
    found = parse_query(query).tree
    return found.kind if found is not None else ""


# Edits at one part


@dataclass(frozen=True, slots=True)
class Edited:
    """The text after an edit and the path of the edited part in it, or why nothing was changed."""

    text: str = ""
    path: str = ""
    problem: Problem | None = None


def negate(explanation: Explanation, part: Part) -> Edited:
    """Negate a part; for the operand of a ``not``, remove the ``not``."""
    around = _around(explanation, part)
    if around is not None and isinstance(around.constraint, Not) and len(around.parts) == 1:
        part = around
    new: Constraint = Not((part.constraint,))
    match part.constraint:
        case Not(values):
            new = values[0] if len(values) == 1 else And(values) if values else Everything()
        case Properties((value,)) if value.startswith("^"):
            new = Properties((value[1:],))
        case Properties((value,)) if explanation.reading.is_json and value:
            new = Properties((f"^{value}",))
    return _with(explanation, part, new)


def swap(explanation: Explanation, part: Part) -> Edited:
    """Swap ``and`` and ``or``, of a part or, for a term, of the operator around it."""
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
    """Remove a part; an operator that loses all its operands is removed too."""
    return _with(explanation, part, None)


def join(explanation: Explanation, part: Part, operator: Literal["and", "or"], text: str) -> Edited:
    """Join a part with the constraint in text, a query or JSON, by an operator."""
    is_json, more = explanation.reading.is_json, requires.read(text)
    if more.constraint is None:
        errors = (problem for problem in more.problems if problem.severity == "error")
        nothing = Problem("nothing is asked", None, None, TERM_STARTS[:3], "RFC 35")
        return Edited(problem=next(errors, nothing))
    obj = to_json(more.constraint)
    if more.is_json and not is_json and not from_constraint(obj):
        return Edited(problem=Problem(f"no query can express {quoted(more.constraint)}"))
    added = tree.read(obj).value  # without its spans, which belong to another text
    assert added is not None
    kind, old = And if operator == "and" else Or, part.constraint
    values = old.values if is_json and isinstance(old, kind) and old.values else (old,)
    new = kind((*values, added))
    return _with(explanation, part, new, added, len(explanation.reading.text))


def _with(
    explanation: Explanation,
    part: Part,
    new: Constraint | None,
    goal: Constraint | None = None,
    near: int = 0,
) -> Edited:
    """Replace a part by new.

    goal is the constraint of the part to select afterwards, by default all that is new; if it
    occurs several times, the one nearest to the position near is taken.
    """
    reading, edits = explanation.reading, {part.path: new}
    assert reading.constraint is not None
    text, wanted = rewritten(reading, edits), edited(reading.constraint, edits)
    if text is None and wanted is not None:
        problem = Problem(f"no query can express {quoted(wanted)}", None, None, (), "RFC 35")
        return Edited(problem=problem)
    after = requires.read(text or "").constraint
    if not text or after is None or part.span is None:
        return Edited(text or "")
    start, stop = common_ends(reading.text, text)
    start = min(start, part.span.start)
    end = max(len(text) - stop, part.span.end + len(text) - len(reading.text))
    meant = normal(goal) if goal is not None else None
    within, around = [], []
    for one in after.walk():
        first, last = one.span or Span(0, 0)
        if meant is not None and start <= first < last <= end and normal(one) == meant:
            within.append((abs(first - near), one.path))
        if first <= start and end <= last:
            around.append((last - first, one.path))
    return Edited(text, min(within or around, key=lambda one: one[0], default=(0, ""))[1])


def _around(explanation: Explanation, part: Part) -> Part | None:
    return next((one for one in explanation.root.walk() if part in one.parts), None)
