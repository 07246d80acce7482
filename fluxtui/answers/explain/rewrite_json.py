"""The JSON text of a constraint with some of its parts left out or replaced (RFC 31)."""

import json
from collections.abc import Mapping

from fluxtui.answers.explain.rewrite_row import joined
from fluxtui.answers.matching import match
from fluxtui.model.constraint.requires import Requires
from fluxtui.model.constraint.tree import (
    And,
    Constraint,
    Hostlist,
    Not,
    Or,
    Properties,
    Ranks,
    to_json,
)
from fluxtui.notation.problem import Span, at


def json_text(reading: Requires, edits: Mapping[str, Constraint | None]) -> str | None:
    """The text after edits; None where nothing is left, or where it does not have such places."""
    assert reading.constraint is not None
    writer = _Writer(reading, edits)
    try:
        whole = writer.span("")
        new = writer.object(reading.constraint, "")
    except KeyError:
        return None
    text = reading.text
    return None if new is None else text[: whole.start] + new + text[whole.end :]


class _Writer:
    """Writes the parts of one text; KeyError where one has no place in it."""

    def __init__(self, reading: Requires, edits: Mapping[str, Constraint | None]) -> None:
        self.text = reading.text
        self.places = reading.places
        self.edits = edits

    def span(self, path: str) -> Span:
        return self.places[f"={path}"].span

    def object(self, constraint: Constraint, path: str) -> str | None:
        """One constraint object."""
        if path in self.edits:
            return self.instead(constraint, self.edits[path], path)
        whole = self.span(path)
        if isinstance(constraint, And | Or | Not):
            values = at(path, match.operator(constraint))
            paths = [at(values, number) for number in range(len(constraint.values))]
            pairs = zip(constraint.values, paths, strict=True)
            pieces = [self.object(value, here) for value, here in pairs]
        elif isinstance(constraint, Properties) and len(constraint.values) > 1:
            paths = [at(path, "properties", n) for n in range(len(constraint.values))]
            pieces = [self.string(here) for here in paths]
        else:
            paths = []
            pieces = []
        if not paths:
            return self.text[slice(*whole)]
        spans = [self.span(here) for here in paths]
        row = joined(self.text, spans, pieces)
        if row is None:
            return None
        return self.text[whole.start : spans[0].start] + row + self.text[spans[-1].end : whole.end]

    def string(self, path: str) -> str | None:
        """One of several properties; a replacement that is none has no place here."""
        if path not in self.edits:
            return self.text[slice(*self.span(path))]
        new = self.edits[path]
        if new is None:
            return None
        if not isinstance(new, Properties):
            raise KeyError(path)
        return json.dumps(new.values[0], ensure_ascii=False)

    def instead(self, old: Constraint, new: Constraint | None, path: str) -> str | None:
        """What takes the place of an object."""
        if new is None:
            return None
        if isinstance(old, Not) and old.values == (new,):
            return self.text[slice(*self.span(at(path, "not", 0)))]
        whole = self.span(path)
        if isinstance(old, Not) and new == And(old.values):
            key = self.places[at(path, "not")].span
            return self.text[whole.start : key.start] + '"and"' + self.text[key.end : whole.end]
        if isinstance(old, Properties | Hostlist | Ranks) and type(old) is type(new):
            return self.values(old, new, path, whole)
        return json.dumps(to_json(new), ensure_ascii=False)

    def values(self, old: Constraint, new: Constraint, path: str, whole: Span) -> str:
        """A term of the same kind: only the values that differ are written anew."""
        assert isinstance(old, Properties | Hostlist | Ranks)
        assert isinstance(new, Properties | Hostlist | Ranks)
        paths = [at(path, match.operator(old), number) for number in range(len(old.values))]
        if len(new.values) != len(old.values):
            raise KeyError(path)
        found = ""
        start = whole.start
        for before, after, here in zip(old.values, new.values, paths, strict=True):
            span = self.span(here)
            piece = self.text[slice(*span)]
            if before != after:
                piece = json.dumps(after, ensure_ascii=False)
            found += self.text[start : span.start] + piece
            start = span.end
        return found + self.text[start : whole.end]
