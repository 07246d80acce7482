"""Edits of a constraint at its parts, as new text (RFC 31, RFC 35).

A query stays a query, JSON stays JSON, and as much as possible stays as it was typed: the text is
changed at the spans of the parts. What comes out is read again and asks for exactly what it is
meant to; where no small change does that, all of it is written anew.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, product
from typing import Literal, TypeAlias

from fluxtui.answers.explain.explanation import Explanation, Part, quoted
from fluxtui.answers.explain.logic import normal
from fluxtui.model.constraint import requires
from fluxtui.model.constraint.requires import Requires
from fluxtui.model.constraint.tree import (
    And,
    Constraint,
    Everything,
    Hostlist,
    Not,
    Or,
    Properties,
    Ranks,
    to_json,
)
from fluxtui.notation.problem import Problem, Span, common_ends
from fluxtui.notation.query.format import from_constraint
from fluxtui.notation.query.lexer import Lexeme, lex

#: What takes the place of a part, by its path in the RFC 31 object; None leaves it out.
Edits: TypeAlias = Mapping[str, Constraint | None]

# Texts that are tried for several changes at once.
_MOST_TEXTS = 12

_SWAPPED = {"&": "|", "&&": "||", "and": "or", "|": "&", "||": "&&", "or": "and"}


# A constraint after edits


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
    if not kept or isinstance(constraint, And | Or | Not):
        return type(constraint)(kept) if kept else None  # type: ignore[arg-type, call-arg]
    names = [part.values for part in kept if isinstance(part, Properties)]
    if len(names) < len(kept):
        return And(kept)
    return Properties(tuple(name for values in names for name in values))


def rewritten(reading: Requires, edits: Edits) -> str | None:
    """The text of a reading after edits: empty where nothing is left, None where none says it."""
    assert reading.constraint is not None
    wanted = edited(reading.constraint, edits)
    return "" if wanted is None else _first(_texts(reading, edits), wanted, reading.is_json)


def says(text: str, constraint: Constraint) -> bool:
    """A text asks for just what a constraint does."""
    found = requires.read(text).constraint
    return found is not None and normal(found) == normal(constraint)


def _first(texts: Iterable[str], wanted: Constraint, is_json: bool) -> str | None:
    """The first of some texts that asks for what is wanted, else that written anew."""
    found = next((text for text in texts if text and says(text, wanted)), None)
    if found is not None:
        return found
    if is_json:
        return json.dumps(to_json(wanted))
    text = from_constraint(to_json(wanted))
    return text if text and says(text, wanted) else None


# The text at the spans of what changes


def _texts(reading: Requires, edits: Edits) -> Iterator[str]:
    """Texts with only the parts changed that edits are about, the smallest change first."""
    assert reading.constraint is not None
    changes = _changes(reading.constraint, edits)
    if any(part.span is None for part, _ in changes):
        return
    changes.sort(key=lambda change: change[0].span or Span(0, 0), reverse=True)
    writer = _write_json if reading.is_json else _write_query
    choices: list[list[str | None]] = []
    for part, new in changes:
        choices.append([*_replacements(reading, part, new)] or [None])
    for pieces in islice(product(*choices), _MOST_TEXTS):
        text = reading.text  # which is changed from its end, so that the spans in front hold
        for (part, new), piece in zip(changes, pieces, strict=True):
            if new is not None and piece is None:
                return
            text = writer(text, _span(part), piece)
        yield text


def _changes(part: Constraint, edits: Edits) -> list[tuple[Constraint, Constraint | None]]:
    """The outermost parts that something else takes the place of, or nothing."""
    if part.path in edits:
        return [(part, edits[part.path])]
    found = [change for inner in part.parts for change in _changes(inner, edits)]
    if found and len(found) >= len(part.parts) and edited(part, edits) is None:
        return [(part, None)]
    return found


def _span(part: Constraint | Part) -> Span:
    assert part.span is not None
    return part.span


def _put(text: str, span: Span, new: str) -> str:
    return text[: span.start] + new + text[span.end :]


def _replacements(reading: Requires, part: Constraint, new: Constraint | None) -> Iterator[str]:
    """What can be written in the place of a part; nothing where the part is left out."""
    if new is None:
        return
    text, span = reading.text, _span(part)
    if reading.is_json:
        yield from _json_pieces(text, part, new)
        return
    if isinstance(part, Not):
        yield from _unsigned(text, span)
    elif isinstance(part, Properties | Hostlist | Ranks) and type(part) is type(new):
        word = _word(text, span)
        values = ",".join(new.values)
        if word is not None and word.node is not None:
            node = word.node
            if node.name is not None and len(node.values) == len(part.values):
                inner = Span(node.value_spans[0].start, node.value_spans[-1].end)
                yield text[span.start : inner.start] + values + text[inner.end : span.end]
            elif len(node.values) > 1:
                yield values
    written = from_constraint(to_json(new))
    if written:
        yield written
        yield f"({written})"


def _write_query(text: str, span: Span, piece: str | None) -> str:
    """A query with a piece in the place of a span, or without it and what joins it."""
    words = lex(text).lexemes
    word = _word(text, span)
    several = word is not None and word.node is not None and len(word.node.values) > 1
    if word is not None and several and span != word.span:
        if piece is not None:
            return _put(text, span, piece)
        comma = Span(span.start - 1, span.end)
        return _put(text, comma if text[comma.start] == "," else Span(span.start, span.end + 1), "")
    if word is not None:
        span = Span(min(span.start, word.span.start), max(span.end, word.span.end))
    if piece is not None:
        return _put(text, span, piece)
    before = [one for one in words if one.span.end <= span.start]
    behind = [one for one in words if one.span.start >= span.end]
    while before and behind and before[-1].kind == "open" and behind[0].kind == "close":
        span = Span(before.pop().span.start, behind.pop(0).span.end)
    start, end = span
    if before and before[-1].kind in ("and", "or", "term", "close"):
        if before[-1].kind in ("and", "or"):
            before.pop()
        start = before[-1].span.end if before else start
    elif behind and behind[0].kind != "close":
        end = behind[0].span.start
        if behind[0].kind in ("and", "or") and len(behind) > 1:
            end = behind[1].span.start
    return _unwrapped(_put(text, Span(start, end), ""), start)


def _unwrapped(text: str, at: int) -> str:
    """A query without parentheses around at that hold only one operand any more."""
    words = lex(text).lexemes
    opened: list[int] = []
    for number, word in enumerate(words):
        if word.kind == "open":
            opened.append(number)
        elif word.kind == "close" and opened:
            first = opened.pop()
            if not words[first].span.end <= at <= word.span.start:
                continue
            inner = words[first + 1 : number]
            if not _is_one(inner):
                return text
            piece = text[inner[0].span.start : inner[-1].span.end]
            around = Span(words[first].span.start, word.span.end)
            return _unwrapped(_put(text, around, piece), around.start)
    return text


def _is_one(words: tuple[Lexeme, ...]) -> bool:
    """Some words are one term, or something in parentheses, with any signs of negation."""
    while words and words[0].kind in ("not", "negate"):
        words = words[1:]
    if len(words) < 2:
        return bool(words)
    depth = 0
    for word in words[:-1]:
        depth += (word.kind == "open") - (word.kind == "close")
        if not depth:
            return False
    return True


def _word(text: str, span: Span) -> Lexeme | None:
    """The word of a query that holds a span; None where that reaches over several words."""
    return next(
        (
            word
            for word in lex(text).lexemes
            if word.span.start <= span.start and span.end <= word.span.end
        ),
        None,
    )


def _unsigned(text: str, span: Span) -> Iterator[str]:
    """The operand of a negation as it is written, without and with the parentheses around it."""
    inner = re.sub(r"^(?:-|not\b)\s*", "", text[slice(*span)])
    if inner.startswith("(") and inner.endswith(")"):
        yield inner[1:-1]
    yield inner


def _write_json(text: str, span: Span, piece: str | None) -> str:
    """JSON with a piece in the place of a span, or without it and the comma beside it."""
    if piece is not None:
        return _put(text, span, piece)
    before = re.search(r"\s*,\s*\Z", text[: span.start])
    if before is not None:
        return _put(text, Span(before.start(), span.end), "")
    behind = re.match(r"\s*,\s*", text[span.end :])
    return _put(text, Span(span.start, span.end + (behind.end() if behind else 0)), "")


def _json_pieces(text: str, part: Constraint, new: Constraint) -> Iterator[str]:
    span = _span(part)
    if isinstance(part, Not) and part.values == (new,):
        yield text[slice(*_span(part.values[0]))]
    elif isinstance(part, Properties) and part.spans == (span,):  # one of several
        if isinstance(new, Properties):
            yield ", ".join(json.dumps(value, ensure_ascii=False) for value in new.values)
        return
    yield json.dumps(to_json(new), ensure_ascii=False)


def _json_keyed(text: str, part: Constraint, operator: str) -> Iterator[str]:
    """The JSON of a part with another operator; nothing where its key is written in escapes."""
    start, end = _span(part)
    head = text[start : _span(part.parts[0]).start]
    key = json.dumps(part.operator)
    if key in head:
        yield head.replace(key, json.dumps(operator), 1) + text[start + len(head) : end]


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


def _negated(explanation: Explanation, part: Part) -> Iterator[str]:
    """A query with a sign of negation before a part; of a ``not`` without it and its brackets."""
    if explanation.reading.is_json or part.span is None:
        return
    start, end = part.span
    text = explanation.reading.text
    piece = text[start:end]
    if isinstance(part.constraint, Not):
        for inner in _unsigned(text, part.span):
            yield _put(text, part.span, inner)
        return
    if text[:start].endswith("(") and text[end:].startswith(")"):
        yield _put(text, Span(start - 1, end + 1), f"not ({piece})")
    for new in (f"-{piece}", f"not {piece}", f"not ({piece})", f"(not ({piece}))"):
        yield _put(text, part.span, new)


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
    near = part.span.start if part.span else 0
    return _with(explanation, row, new, _swapped(explanation, row), goal, near)


def _swapped(explanation: Explanation, row: Part) -> Iterator[str]:
    """The text with other signs between the operands of a row."""
    text, span = explanation.reading.text, row.span
    if span is None or row.kind == "not":
        return
    if explanation.reading.is_json:
        if isinstance(row.constraint, And | Or):
            for piece in _json_keyed(text, row.constraint, _SWAPPED[row.kind]):
                yield _put(text, span, piece)
        return
    new, end = "", 0
    for left, right in zip(row.parts, row.parts[1:], strict=False):
        between = Span(_span(left).end, _span(right).start)
        signs = [
            word.span
            for word in lex(text).lexemes
            if word.kind in ("and", "or") and between.start <= word.span.start < between.end
        ]
        if len(signs) != 1:
            return
        new += text[end : signs[0].start] + _SWAPPED[text[slice(*signs[0])]]
        end = signs[0].end
    new += text[end:]
    yield new
    around = Span(span.start, span.end + len(new) - len(text))
    yield _put(new, around, f"({new[slice(*around)]})")


def delete(explanation: Explanation, part: Part) -> Edited:
    """Leave a part out; an operator that loses all of its operands goes with them."""
    return _with(explanation, part, None)


def join(explanation: Explanation, part: Part, operator: Literal["and", "or"], text: str) -> Edited:
    """Ask for a part and something else, or for either; text says what, a query or JSON."""
    more = requires.read(text)
    if more.constraint is not None and more.is_json and not explanation.reading.is_json:
        text = from_constraint(to_json(more.constraint)) or ""
        if not text:
            return Edited(problem=Problem(f"no query can express {quoted(more.constraint)}"))
        more = requires.read(text)
    if more.constraint is None:
        errors = (problem for problem in more.problems if problem.severity == "error")
        nothing = Problem("nothing is asked", None, None, more.expected[:3], "RFC 35")
        return Edited(problem=next(errors, nothing))
    kind = And if operator == "and" else Or
    own = part.constraint
    values = own.values if isinstance(own, kind) and own.values else (own,)
    new = kind((*values, more.constraint))
    texts = _joined(explanation.reading, part, operator, more)
    near = len(explanation.reading.text)
    return _with(explanation, part, new, texts, more.constraint, near)


def _joined(reading: Requires, part: Part, operator: str, more: Requires) -> Iterator[str]:
    """The text with something beside a part, in as few parentheses as will do."""
    if part.span is None or more.constraint is None:
        return
    text, span = reading.text, part.span
    piece = text[slice(*span)]
    if reading.is_json:
        added = json.dumps(to_json(more.constraint), ensure_ascii=False)
        if part.constraint.operator == operator and part.parts:
            last = _span(part.parts[-1]).end
            yield _put(text, Span(last, last), f", {added}")
        yield _put(text, span, f'{{"{operator}": [{piece}, {added}]}}')
        return
    sign = "&" if operator == "and" else "|"
    for whole, left, right in sorted(product((False, True), repeat=3), key=sum):
        row = f"{_grouped(piece, left)}{sign}{_grouped(more.text.strip(), right)}"
        yield _put(text, span, _grouped(row, whole))


def _grouped(text: str, grouped: bool) -> str:
    return f"({text})" if grouped else text


def _with(
    explanation: Explanation,
    part: Part,
    new: Constraint | None,
    texts: Iterable[str] = (),
    goal: Constraint | None = None,
    near: int = 0,
) -> Edited:
    """The first text that says what it is meant to, with new in the place of a part.

    goal is what the part to go to in it asks, where that is not all that is new; of several it is
    the one nearest to a place of the text before.
    """
    reading = explanation.reading
    assert reading.constraint is not None
    edits = {part.path: new}
    wanted = edited(reading.constraint, edits)
    if wanted is None:
        return Edited()
    text = next((text for text in texts if says(text, wanted)), None) or rewritten(reading, edits)
    if text is None:
        problem = Problem(f"no query can express {quoted(wanted)}", None, None, (), "RFC 35")
        return Edited(problem=problem)
    return Edited(text, _path(explanation, part, text, goal, near))


def _around(explanation: Explanation, part: Part) -> Part | None:
    """The part of which a part is an operand."""
    return next((one for one in explanation.root.walk() if part in one.parts), None)


def _path(
    explanation: Explanation, part: Part, text: str, goal: Constraint | None, near: int
) -> str:
    """The path of the goal, else of the smallest part of a text around all that changed."""
    after = requires.read(text).constraint
    if after is None or part.span is None:
        return ""
    changed = _changed(explanation.reading.text, text, part.span)
    placed = [(one, one.span) for one in after.walk() if one.span is not None]
    if goal is not None:
        wanted = normal(goal)
        same = [
            (abs(span.start - near), one.path)
            for one, span in placed
            if _covers(changed, span) and normal(one) == wanted
        ]
        if same:
            return min(same)[1]
    around = [(span.end - span.start, one.path) for one, span in placed if _covers(span, changed)]
    return min(around, key=lambda found: found[0])[1] if around else ""


def _changed(old: str, new: str, span: Span) -> Span:
    """The part of a new text that differs from the old one, and what was at span in that."""
    start, stop = common_ends(old, new)
    end = max(len(new) - stop, span.end + len(new) - len(old))
    return Span(min(start, span.start), end)


def _covers(around: Span, span: Span) -> bool:
    return around.start <= span.start and span.end <= around.end
