"""A constraint with some of its parts left out or replaced, in the words of its writer.

What is not touched stands as it was typed. Every text is read again, and says exactly what it
is meant to; where a small change would not do that, all of it is written anew.
"""

import json
from collections.abc import Mapping
from typing import TypeAlias

from fluxtui.answers.explain.meaning import meaning
from fluxtui.answers.explain.rewrite_json import json_text
from fluxtui.answers.explain.rewrite_query import query_text
from fluxtui.answers.matching import match
from fluxtui.model.constraint import requires
from fluxtui.model.constraint.requires import Requires
from fluxtui.model.constraint.tree import (
    And,
    Constraint,
    Not,
    Or,
    Properties,
    to_json,
)
from fluxtui.notation.problem import Span, at
from fluxtui.notation.query.format import from_constraint

#: What takes the place of a part, by its path in the RFC 31 object; None leaves it out.
Edits: TypeAlias = Mapping[str, Constraint | None]


def edited(constraint: Constraint, edits: Edits, path: str = "") -> Constraint | None:
    """A constraint after edits; None where nothing is left of it.

    Each of several properties is a part of its own. What loses all of its operands goes with them.
    """
    if path in edits:
        return edits[path]
    match constraint:
        case Properties(values) if len(values) > 1:
            kept: list[str] = []
            for number, value in enumerate(values):
                new = _one(value, edits, at(path, "properties", number))
                if new is not None and not isinstance(new, Properties):
                    return _taken_apart(values, edits, path)
                kept += new.values if new is not None else ()
            return Properties(tuple(kept)) if kept else None
        case And(values) | Or(values) | Not(values) if values:
            return _row(constraint, values, edits, at(path, match.operator(constraint)))
    return constraint


def _one(value: str, edits: Edits, path: str) -> Constraint | None:
    return edits[path] if path in edits else Properties((value,))


def _taken_apart(values: tuple[str, ...], edits: Edits, path: str) -> Constraint:
    """Properties of which one becomes something else, such as a host."""
    parts = (_one(v, edits, at(path, "properties", number)) for number, v in enumerate(values))
    return And(tuple(part for part in parts if part is not None))


def _row(
    constraint: And | Or | Not, values: tuple[Constraint, ...], edits: Edits, path: str
) -> Constraint | None:
    parts = (edited(value, edits, at(path, number)) for number, value in enumerate(values))
    kept = tuple(part for part in parts if part is not None)
    return type(constraint)(kept) if kept else None


def rewritten(reading: Requires, spans: Mapping[str, Span], edits: Edits) -> str | None:
    """The text of a reading after edits; empty where nothing is left, None where no text says it.

    spans are the places of the parts in the text, by their paths.
    """
    assert reading.constraint is not None
    wanted = edited(reading.constraint, edits)
    if wanted is None:
        return ""
    if reading.is_json:
        text = json_text(reading, edits)
        return text if text and says(text, wanted) else json.dumps(to_json(wanted))
    text = query_text(reading, spans, edits)
    if text and says(text, wanted):
        return text
    text = from_constraint(to_json(wanted))
    return text if text and says(text, wanted) else None


def says(text: str, constraint: Constraint) -> bool:
    """A text asks for just what a constraint does."""
    found = requires.read(text).constraint
    return found is not None and meaning(found) == meaning(constraint)
