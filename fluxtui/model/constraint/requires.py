"""A constraint as users type it: a query (RFC 35) or a JSON object (RFC 31).

A text that begins with ``{`` is JSON; any other text is a query. Constraints are also written as
either: as one line for an input, and as an object in readable layout.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fluxtui.model.constraint import tree as rfc31
from fluxtui.model.constraint.tree import Constraint, Locate, to_json
from fluxtui.notation import json_text
from fluxtui.notation.json_text import Place, Places
from fluxtui.notation.problem import (
    MAX_LENGTH,
    Problem,
    Span,
    Token,
    WithProblems,
    capped,
    unreadable,
)
from fluxtui.notation.query.format import from_constraint
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.query.tree import Node as QueryNode
from fluxtui.notation.query.tree import to_constraint

#: An object of at most this many columns is written on one line if it fits.
WIDTH = 40


@dataclass(frozen=True, slots=True)
class Requires(WithProblems):
    """A text that was read as a constraint.

    constraint  None if there is an error or the text is blank
    is_json     whether the text is an RFC 31 object, not a query
    tree        the query, as far as it could be read; None for JSON
    places      where each part of the RFC 31 object is in the text, by path; in JSON the path leads
                to the key of a value, and with ``=`` before it to the value
    """

    text: str
    constraint: Constraint | None = None
    tokens: tuple[Token, ...] = ()
    problems: tuple[Problem, ...] = ()
    is_json: bool = False
    tree: QueryNode | None = None
    places: Mapping[str, Place] = field(default_factory=dict)

    @property
    def blank(self) -> bool:
        """Whether the text is blank."""
        return not self.text.strip()

    def located(self, problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """Give problems with a path in the constraint, such as hints, their spans in this text.

        Problems of a query lose their path, which its author never sees; at most `MAX_PROBLEMS`.
        """
        locate = _finder(self.places, "=" if self.is_json else "")
        placed = [
            replace(p, span=locate(p.path or "", None), path=p.path if self.is_json else None)
            for p in problems
        ]
        return capped(placed)


def read(text: str) -> Requires:
    """Read a query or an RFC 31 object; never fails. Problems of a query have no path."""
    problem = unreadable("constraint", text, "RFC 31")
    if problem is not None:
        token = Token("error", Span(0, len(text)))
        return Requires(text, tokens=(token,), problems=(problem,))
    if not text.strip():
        return Requires(text)
    if not text.lstrip().startswith("{"):
        return _read_query(text)
    parsed = json_text.parse(text)
    constraint, problems = None, parsed.problems
    if parsed.ok:
        result = rfc31.read(parsed.value, "", _finder(parsed.places, "="))
        constraint, problems = result.value, problems + result.problems
    return Requires(text, constraint, parsed.tokens, problems, True, None, parsed.places)


def _read_query(text: str) -> Requires:
    parsed = parse_query(text)
    problems = parsed.problems
    constraint = None
    places: Places = {}
    if parsed.tree is not None:
        obj, locate = to_constraint(parsed.tree, places), _finder(places, "")
        result = rfc31.read(obj, "", locate, is_query=True)
        # Within the span of a syntax error nothing else is reported.
        errors = [p.span for p in problems if p.severity == "error" and p.span]
        others = tuple(
            replace(problem, path=None)
            for problem in result.problems
            if not any(
                problem.span and problem.span.start < span.end and span.start < problem.span.end
                for span in errors
            )
        )
        in_order = sorted((*problems, *others), key=lambda p: (p.span or Span(0, 0), p.severity))
        problems = capped(in_order)
        constraint = result.value if parsed.ok else None
    return Requires(text, constraint, parsed.tokens, problems, False, parsed.tree, places)


def _finder(places: Mapping[str, Place], value_mark: str) -> Locate:
    """A function that looks up places; value_mark is the prefix of paths that lead to values."""

    def locate(path: str, inner: Span | None) -> Span | None:
        place = places.get(path) if inner is None else None
        place = place or places.get(value_mark + path) or places.get(path)
        if place is None:
            return None
        return place.span if inner is None else place.within(inner)

    return locate


# Constraints as text


def bar_text(constraint: Constraint | None, *, is_json: bool) -> str:
    """The constraint as a query (RFC 35), or as JSON (RFC 31) if is_json or if no query means it.

    The other form, or JSON without blanks, if the text would be too long to be read.
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
    """The RFC 31 object in lines of at most ``columns``, except where a single value is longer."""
    return _laid_out(to_json(constraint), "", min(columns, WIDTH))


def _laid_out(obj: Mapping[str, Any], indent: str, columns: int) -> str:
    line = json.dumps(obj, ensure_ascii=False)
    values = next(iter(obj.values()), ())
    # The comma or bracket that follows takes one more column.
    if not values or len(indent) + len(line) < columns:
        return indent + line
    (name,) = obj
    if isinstance(values[0], str):
        lines = [f"{indent}  {json.dumps(value, ensure_ascii=False)}" for value in values]
    else:
        lines = [_laid_out(value, indent + "  ", columns) for value in values]
    inner = ",\n".join(lines)
    return f"{indent}{{{json.dumps(name)}: [\n{inner}\n{indent}]}}"


def read_object(text: str) -> Requires:
    """Read an RFC 31 object; any other text is a problem, even if it is a query."""
    start = len(text) - len(text.lstrip())
    if not text.strip() or text.startswith("{", start):
        return read(text)
    found = Problem("an object begins with '{'", Span(start, start + 1), None, ("'{'",), "RFC 31")
    return Requires(text, problems=(found,), is_json=True)
