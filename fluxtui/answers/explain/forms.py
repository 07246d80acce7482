"""A constraint in either form: the RFC 31 object laid out to be read, and the text of a bar."""

import json
from collections.abc import Mapping
from typing import Any

from fluxtui.model import requires
from fluxtui.model.constraint import Constraint, to_json
from fluxtui.model.requires import Requires
from fluxtui.notation import query
from fluxtui.notation.source import Problem, Span

#: An object that fits in so many columns stands on one line.
WIDTH = 40


def object_text(constraint: Constraint) -> str:
    """The RFC 31 object in lines: operators above their operands, a term on one line."""
    return _laid_out(to_json(constraint), "")


def _laid_out(obj: Mapping[str, Any], indent: str) -> str:
    line = json.dumps(obj, ensure_ascii=False)
    nested = [key for key, values in obj.items() if values and isinstance(values[0], dict)]
    if not nested or len(indent) + len(line) <= WIDTH:
        return indent + line
    (name,) = nested
    inner = ",\n".join(_laid_out(value, indent + "  ") for value in obj[name])
    return f"{indent}{{{json.dumps(name)}: [\n{inner}\n{indent}]}}"


def read_object(text: str) -> Requires:
    """Read an RFC 31 object; a text that is none is a problem, though it may be a query."""
    start = len(text) - len(text.lstrip())
    if not text.strip() or text.startswith("{", start):
        return requires.read(text)
    found = Problem("an object begins with '{'", Span(start, start + 1), None, ("'{'",), "RFC 31")
    return Requires(text, problems=(found,), is_json=True)


def bar_text(constraint: Constraint | None, *, is_json: bool) -> str:
    """The shortest text that asks for the same: a query, or JSON where that is wanted.

    JSON too where no query says it. What every node satisfies is blank as a query.
    """
    if constraint is None:
        return ""
    obj = to_json(constraint)
    text = None if is_json else query.from_constraint(obj)
    return json.dumps(obj, ensure_ascii=False) if text is None else text
