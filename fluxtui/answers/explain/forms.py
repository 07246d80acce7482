"""A constraint in either form: the RFC 31 object laid out to be read, and the text of a bar."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from fluxtui.answers.explain.simplest import simplest
from fluxtui.model.constraint import requires
from fluxtui.model.constraint.requires import Requires
from fluxtui.model.constraint.tree import And, Constraint, Not, Or, Properties, to_json
from fluxtui.notation.problem import MAX_LENGTH, Problem, Span
from fluxtui.notation.query.format import from_constraint

#: An object that fits in so many columns stands on one line, where there is room for them.
WIDTH = 40

#: Times that a text is read again to see whether it can be shorter still.
ROUNDS = 4
#: Characters up to which it is read again at all.
MAX_AGAIN = 300
#: Operators, terms and properties of a constraint up to which the laws of logic are looked at.
MAX_PARTS = 300
#: The same for the characters of its text.
MAX_PLAIN = 6_000


def object_text(constraint: Constraint, columns: int = WIDTH) -> str:
    """The RFC 31 object in lines: operators above their operands, a term on one line.

    columns are how many there are; only a single value may go beyond them.
    """
    return _laid_out(to_json(constraint), "", min(columns, WIDTH))


def _laid_out(obj: Mapping[str, Any], indent: str, columns: int) -> str:
    line = json.dumps(obj, ensure_ascii=False)
    values = next(iter(obj.values()), ())
    # Behind it, another one or its end has a sign more.
    if not values or len(indent) + len(line) < columns:
        return indent + line
    (name,) = obj
    if isinstance(values[0], str):
        room = columns - len(indent) - 2
        lines = _filled([json.dumps(value, ensure_ascii=False) for value in values], room)
        inner = "\n".join(f"{indent}  {line}" for line in lines)
    else:
        inner = ",\n".join(_laid_out(value, indent + "  ", columns) for value in values)
    return f"{indent}{{{json.dumps(name)}: [\n{inner}\n{indent}]}}"


def _filled(values: list[str], columns: int) -> Iterator[str]:
    """Values in lines, as many in each as there is room for."""
    line = values[0]
    for value in values[1:]:
        if len(line) + len(value) + 3 > columns:
            yield f"{line},"
            line = value
        else:
            line += f", {value}"
    yield line


def read_object(text: str) -> Requires:
    """Read an RFC 31 object; a text that is none is a problem, though it may be a query."""
    start = len(text) - len(text.lstrip())
    if not text.strip() or text.startswith("{", start):
        return requires.read(text)
    found = Problem("an object begins with '{'", Span(start, start + 1), None, ("'{'",), "RFC 31")
    return Requires(text, problems=(found,), is_json=True)


def bar_text(constraint: Constraint | None, *, is_json: bool) -> str:
    """The shortest text known that asks for the same: a query, or JSON where that is wanted.

    JSON too where no query says it. What every node satisfies is blank as a query. How short it
    is, `simplest` tells. Up to `MAX_AGAIN` characters, it is the same text again, given what it
    reads as.

    A constraint of more than `MAX_PARTS` or `MAX_PLAIN` is written as it is built: this runs with
    every key. What could not be read for its length is JSON without blanks, or in the other form,
    where that is shorter.
    """
    if constraint is None:
        return ""
    text = _shorter(constraint, is_json)
    for _ in range(ROUNDS):
        if len(text) > MAX_AGAIN:
            break
        again = requires.read(text).constraint
        if again is None or again == constraint:
            break
        constraint = again
        new = _shorter(constraint, is_json)
        if new == text:
            break
        text = new
    return text


def _shorter(constraint: Constraint, is_json: bool) -> str:
    """The text of a constraint as it is built, or a shorter one of what it says."""
    plain = _text(constraint, is_json)
    if len(plain) > MAX_PLAIN or _parts(constraint) > MAX_PARTS:
        return plain
    try:
        text = _text(simplest(constraint, is_json=is_json), is_json)
        if len(text) > len(plain):  # hosts named one by one may be longer than they were written
            text = _text(simplest(constraint, is_json=is_json, named=0), is_json)
    except RecursionError:
        return plain
    # A query is wanted where there is one; none begins with a brace.
    return min(plain, text, key=lambda one: (not is_json and one.startswith("{"), len(one)))


def _text(constraint: Constraint, is_json: bool) -> str:
    """A constraint as it is built, as a query if there is one and it is wanted; see `bar_text`."""
    obj = to_json(constraint)
    text = None if is_json else from_constraint(obj)
    if text is None:
        text = json.dumps(obj, ensure_ascii=False)
    if len(text) <= MAX_LENGTH:
        return text
    compact = json.dumps(obj, ensure_ascii=False, separators=(",", ":"))
    other = from_constraint(obj)
    if len(compact) <= MAX_LENGTH or other is None:
        return min(compact, text, key=len)
    return min(compact, other, key=len)


def _parts(constraint: Constraint) -> int:
    """The operators, terms and properties of a constraint."""
    count = 0
    left = [constraint]
    while left:
        one = left.pop()
        count += len(one.values) if isinstance(one, Properties) else 1
        if isinstance(one, And | Or | Not):
            left += one.values
    return count
