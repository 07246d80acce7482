"""Edits of a constraint at one of its parts, as new text (RFC 31, RFC 35).

Each takes an explanation and a part of it, and gives the text that says the same but for that
part: a query stays a query, JSON stays JSON, and as much as can be stands as it was typed.
"""

import json
import re
from collections.abc import Iterable
from itertools import product
from typing import Literal, NamedTuple

from fluxtui.answers.explain.explanation import Explanation, explain, spans
from fluxtui.answers.explain.meaning import meaning
from fluxtui.answers.explain.parts import Part, quoted
from fluxtui.answers.explain.rewrite import edited, rewritten, says
from fluxtui.model.constraint import requires
from fluxtui.model.constraint.tree import (
    And,
    Constraint,
    Everything,
    Not,
    Or,
    Properties,
    to_json,
)
from fluxtui.notation.problem import Problem, Span, at
from fluxtui.notation.query.format import from_constraint
from fluxtui.notation.query.tree import Node
from fluxtui.notation.splice import common_ends

#: What ``negate`` puts around an expression.
_BRACKETS = re.compile(r"not\s*\((.*)\)", re.DOTALL)

_SWAPPED = {"&": "|", "&&": "||", "and": "or", "|": "&", "||": "&&", "or": "and"}


class Edited(NamedTuple):
    """A constraint after an edit.

    text     what stands there now, blank where nothing is asked any more
    path     the part that was edited, in the RFC 31 object of that text
    problem  why nothing was changed, or None
    """

    text: str = ""
    path: str = ""
    problem: Problem | None = None


def negate(explanation: Explanation, part: Part) -> Edited:
    """Ask for the opposite of a part; of what stands under ``not``, take that away."""
    around = _around(explanation, part)
    if around is not None and isinstance(around.constraint, Not) and len(around.parts) == 1:
        part = around
    new = _opposite(part.constraint, explanation.reading.is_json)
    return _with(explanation, part, new, _negated(explanation, part))


def _opposite(constraint: Constraint, is_json: bool) -> Constraint:
    match constraint:
        case Not(values):
            if len(values) == 1:
                return values[0]
            return And(values) if values else Everything()
        case Properties((value,)) if value.startswith("^"):
            return Properties((value[1:],))
        case Properties((value,)) if is_json and value:
            return Properties((f"^{value}",))
    return Not((constraint,))


def _negated(explanation: Explanation, part: Part) -> Iterable[str]:
    """A query with a sign of negation before a part; of a ``not`` without it and its brackets."""
    if explanation.reading.is_json or part.span is None:
        return
    start, end = part.span
    text = explanation.reading.text
    piece = text[start:end]
    if isinstance(part.constraint, Not):
        inner = _BRACKETS.fullmatch(piece)
        if inner is not None:
            yield _put(explanation, part.span, inner[1])
        return
    if text[:start].endswith("(") and text[end:].startswith(")"):
        yield _put(explanation, Span(start - 1, end + 1), f"not ({piece})")
    for new in (f"-{piece}", f"not {piece}", f"not ({piece})", f"(not ({piece}))"):
        yield _put(explanation, part.span, new)


def swap(explanation: Explanation, part: Part) -> Edited:
    """Make an ``and`` an ``or``, or the other way round: the part, or the one around a term."""
    row: Part | None = part
    while row is not None and not _is_row(row):
        row = _around(explanation, row)
    if row is None:
        return Edited(problem=Problem("no 'and' or 'or' to swap here"))
    new: Constraint
    match row.constraint:
        case Properties(values):
            new = Or(tuple(Properties((value,)) for value in values))
        case And(values):
            new = Or(values)
        case Or(values):
            new = And(values)
        case Not(values):
            new = Not((Or(values),))
        case _:
            raise AssertionError(row.constraint)
    goal = _Goal(part.constraint, part.span.start) if part.span and row is not part else None
    return _with(explanation, row, new, _swapped(explanation, row), goal)


def _is_row(part: Part) -> bool:
    """Its operands stand in a row of which all count, or any."""
    return len(part.parts) > 1 or (bool(part.parts) and not isinstance(part.constraint, Not))


def _swapped(explanation: Explanation, row: Part) -> Iterable[str]:
    """The text with other signs between the operands of a row."""
    reading = explanation.reading
    if reading.is_json:
        place = reading.places.get(at(row.path, row.operator))
        if place is not None and isinstance(row.constraint, And | Or):
            other = "or" if isinstance(row.constraint, And) else "and"
            yield _put(explanation, place.span, json.dumps(other))
        return
    node = _node(reading.tree, row.span)
    if node is None or (node.kind != "and" and node.kind != "or"):
        return
    text, end = "", 0
    for span in node.operator_spans:
        sign = _SWAPPED.get(reading.text[slice(*span)].lower()) if span is not None else None
        if span is None or sign is None:
            return
        text += reading.text[end : span.start] + sign
        end = span.end
    text += reading.text[end:]
    yield text
    around = Span(node.span.start, node.span.end + len(text) - len(reading.text))
    yield f"{text[: around.start]}({text[slice(*around)]}){text[around.end :]}"


def _node(tree: Node | None, span: Span | None) -> Node | None:
    """The outermost node of a query with this place."""
    while tree is not None and span is not None and tree.span != span:
        inner = () if tree.kind == "term" else _operands(tree)
        tree = next((one for one in inner if _covers(one.span, span)), None)
    return tree


def _operands(tree: Node) -> tuple[Node, ...]:
    if tree.kind == "term":
        return ()
    return (tree.operand,) if tree.kind == "not" else tree.operands


def delete(explanation: Explanation, part: Part) -> Edited:
    """Leave a part out; an operator that loses all of its operands goes with them."""
    return _with(explanation, part, None)


def join(explanation: Explanation, part: Part, operator: Literal["and", "or"], text: str) -> Edited:
    """Ask for a part and something else, or for either; text says what, a query or JSON."""
    more = requires.read(text)
    if more.constraint is not None and more.is_json and not explanation.reading.is_json:
        text = from_constraint(to_json(more.constraint)) or ""
        if not text:
            return Edited(problem=Problem(f"no query says {quoted(more.constraint)}"))
        more = requires.read(text)
    if more.constraint is None:
        errors = (problem for problem in more.problems if problem.severity == "error")
        nothing = Problem("nothing is asked", None, None, more.expected[:3], "RFC 35")
        return Edited(problem=next(errors, nothing))
    kind = And if operator == "and" else Or
    own = part.constraint
    values = own.values if isinstance(own, kind) and own.values else (own,)
    new = kind((*values, more.constraint))
    goal = _Goal(more.constraint, len(explanation.reading.text))
    return _with(explanation, part, new, _joined(explanation, part, kind, more), goal)


def _joined(
    explanation: Explanation, part: Part, kind: type[And | Or], more: requires.Requires
) -> Iterable[str]:
    """The text with something beside a part, in as few parentheses as will do."""
    if part.span is None or more.constraint is None:
        return
    reading = explanation.reading
    piece = reading.text[slice(*part.span)]
    if reading.is_json:
        added = json.dumps(to_json(more.constraint), ensure_ascii=False)
        name = kind.__name__.lower()
        if isinstance(part.constraint, kind):
            last = part.parts[-1].span if part.parts else None
            if last is not None:
                yield _put(explanation, Span(last.end, last.end), f", {added}")
        yield _put(explanation, part.span, f'{{"{name}": [{piece}, {added}]}}')
        return
    added = more.text.strip()
    sign = "&" if kind is And else "|"
    for whole, left, right in sorted(product((False, True), repeat=3), key=sum):
        row = f"{_grouped(piece, left)}{sign}{_grouped(added, right)}"
        yield _put(explanation, part.span, _grouped(row, whole))


def _grouped(text: str, grouped: bool) -> str:
    return f"({text})" if grouped else text


# The text after an edit


class _Goal(NamedTuple):
    """The part to go to after an edit: the one that says this, as near as can be to a place."""

    constraint: Constraint
    near: int


def _with(
    explanation: Explanation,
    part: Part,
    new: Constraint | None,
    texts: Iterable[str] = (),
    goal: _Goal | None = None,
) -> Edited:
    """The first text that says what it is meant to, with new in the place of a part.

    goal is the part to go to in it, where that is not all that is new.
    """
    reading = explanation.reading
    assert reading.constraint is not None
    edits = {part.path: new}
    wanted = edited(reading.constraint, edits)
    text = None
    if wanted is not None:
        text = next((text for text in texts if says(text, wanted)), None)
    if text is None:
        text = rewritten(reading, spans(explanation.root.walk()), edits)
    if text is None:
        said = quoted(wanted) if wanted is not None else "it"
        return Edited(problem=Problem(f"no query says {said}", None, None, (), "RFC 35"))
    return Edited(text, _path(explanation, part, text, goal))


def _put(explanation: Explanation, span: Span, new: str) -> str:
    text = explanation.reading.text
    return text[: span.start] + new + text[span.end :]


def _around(explanation: Explanation, part: Part) -> Part | None:
    """The part of which a part is an operand."""
    return next((one for _, one in explanation.root.walk() if part in one.parts), None)


def _path(explanation: Explanation, part: Part, text: str, goal: _Goal | None) -> str:
    """The path of the goal, else of the smallest part of a text around all that changed."""
    after = explain(requires.read(text), explanation.resources)
    if after is None or part.span is None:
        return ""
    changed = _changed(explanation.reading.text, text, part.span)
    placed = [(one, one.span) for _, one in after.root.walk() if one.span is not None]
    if goal is not None:
        wanted = meaning(goal.constraint)
        same = [
            (abs(span.start - goal.near), one.path)
            for one, span in placed
            if _covers(changed, span) and meaning(one.constraint) == wanted
        ]
        if same:
            return min(same)[1]
    around = [(span.end - span.start, one.path) for one, span in placed if _covers(span, changed)]
    return min(around, key=lambda found: found[0])[1] if around else ""


def _changed(old: str, new: str, span: Span) -> Span:
    """Where in a new text that stands which differs from the old, and what stood at span."""
    start, stop = common_ends(old, new)
    end = max(len(new) - stop, span.end + len(new) - len(old))
    return Span(min(start, span.start), end)


def _covers(around: Span, span: Span) -> bool:
    return around.start <= span.start and span.end <= around.end
