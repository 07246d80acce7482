"""A constraint written down again: as the text of a bar, and as an object laid out to be read."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from fluxtui.model.constraint import requires
from fluxtui.model.constraint.requires import Requires
from fluxtui.model.constraint.tree import Constraint, to_json
from fluxtui.notation.problem import MAX_LENGTH, Problem, Span
from fluxtui.notation.query.format import from_constraint

#: An object that fits in so many columns is written on one line, where there is room for them.
WIDTH = 40


def bar_text(constraint: Constraint | None, *, is_json: bool) -> str:
    """The constraint as a query (RFC 35), or as JSON (RFC 31) where is_json says so.

    JSON too where no query says it; the other form, or JSON without blanks, where the text would
    be longer than what is read. What every node satisfies is blank as a query.
    """
    if constraint is None:
        return ""
    obj = to_json(constraint)
    as_query = from_constraint(obj)
    as_json = json.dumps(obj, ensure_ascii=False)
    text = as_json if is_json or as_query is None else as_query
    if len(text) <= MAX_LENGTH:
        return text
    compact = json.dumps(obj, ensure_ascii=False, separators=(",", ":"))
    if len(compact) <= MAX_LENGTH or as_query is None:
        return min(text, compact, key=len)
    return min(compact, as_query, key=len)


def object_text(constraint: Constraint, columns: int = WIDTH) -> str:
    """The RFC 31 object in lines: operators above their operands, a term on one line.

    columns are how many there are; only a single value may go beyond them.
    """
    return _laid_out(to_json(constraint), "", min(columns, WIDTH))


def _laid_out(obj: Mapping[str, Any], indent: str, columns: int) -> str:
    line = json.dumps(obj, ensure_ascii=False)
    values = next(iter(obj.values()), ())
    # What follows it, a comma or a bracket, takes one column more.
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
    """Read an RFC 31 object; any other text is a problem, also where it is a query."""
    start = len(text) - len(text.lstrip())
    if not text.strip() or text.startswith("{", start):
        return requires.read(text)
    found = Problem("an object begins with '{'", Span(start, start + 1), None, ("'{'",), "RFC 31")
    return Requires(text, problems=(found,), is_json=True)
