"""The parts of a form field: one line of a form, which maps a text to a part of a jobspec.

A field is declared in `fields` by its words, the place of its part and the notation of its text.
Keys put into a document follow the order of RFC 14's examples; untouched parts stay the same
objects.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any, Final

from fluxtui.model.constraint.completion import Names
from fluxtui.model.documents.report import Report
from fluxtui.model.jobspec import program
from fluxtui.model.jobspec.jobspec import KEYS, MISSING, part_at
from fluxtui.model.jobspec.request import CANONICAL, ResourceRequest, parse
from fluxtui.notation import json_text
from fluxtui.notation.json_text import load, quoted
from fluxtui.notation.json_value import identical
from fluxtui.notation.problem import Completion, Parsed, Problem, Span, at, is_printable

# Places


# The keys of dictionaries in the order of RFC 14, by the steps that lead to the dictionary.
_ORDERS: Final[Mapping[tuple[str | int, ...], tuple[str, ...]]] = {
    (): KEYS,
    ("tasks", 0): program.TASK_KEYS,
    ("attributes",): ("system", "user"),
    ("attributes", "system"): program.SYSTEM_KEYS,
}


@dataclass(frozen=True, slots=True)
class Place:
    """The keys and indices that lead to a part of a jobspec.

    steps  such as ``("attributes", "system", "job", "name")``
    drop   how many of the enclosing dictionaries are removed once they are empty
    same   whether two values are equivalent, so that the second need not replace the first
    """

    steps: tuple[str | int, ...]
    drop: int = 0
    same: Callable[[Any, Any], bool] = identical

    @property
    def path(self) -> str:
        """The steps as a path: ``attributes.system.job.name``, ``tasks[0].count``."""
        return at("", *self.steps)

    def get(self, document: Mapping[str, Any]) -> Any:
        """Return the part; MISSING if it is absent or a step on the way leads nowhere."""
        return part_at(document, self.steps)

    def put(self, document: Mapping[str, Any], value: Any) -> dict[str, Any]:
        """Return the document with this part, without it for MISSING; itself if nothing changes."""
        old = self.get(document)
        if old is value or (old is not MISSING and self.same(old, value)):
            return document if isinstance(document, dict) else dict(document)
        return self.changed(document, value)

    def changed(self, document: Mapping[str, Any], value: Any) -> dict[str, Any]:
        """Return the document with a value of this part that differs from the current one."""
        made = self._with(document, 0, value)
        return made if isinstance(made, dict) else {}

    def _with(self, here: Any, depth: int, value: Any) -> Any:
        if depth == len(self.steps):
            return value
        step = self.steps[depth]
        if isinstance(step, int):
            items = list(here) if isinstance(here, list | tuple) else []
            if step >= len(items):
                items.append({})
            items[step] = self._with(items[step], depth + 1, value)
            return items
        known: Mapping[str, Any] = here if isinstance(here, Mapping) else {}
        inner = self._with(known.get(step), depth + 1, value)
        if value is MISSING and not inner and depth >= len(self.steps) - 1 - self.drop:
            return {key: known[key] for key in known if key != step}
        order = _ORDERS.get(self.steps[:depth], ())
        if step in known or step not in order:
            return {**known, step: inner}
        # Insert a new key before the keys that follow it in the order.
        later = order[order.index(step) :]
        front = takewhile(lambda key: key not in later, known)
        return {**dict.fromkeys(front), step: inner, **known}


def system(*keys: str, drop: int = 0, same: Callable[[Any, Any], bool] = identical) -> Place:
    """Return the place of a system attribute."""
    return Place(("attributes", "system", *keys), drop, same)


def task(key: str) -> Place:
    """Return the place of a key of the first task."""
    return Place(("tasks", 0, key))


# Fields


@dataclass(frozen=True, slots=True)
class Context:
    """What reading a field may depend on besides its text.

    environ and cwd are the user's; cwd is absolute, or "" if unknown.
    """

    environ: Mapping[str, str] = field(default_factory=dict)
    cwd: str = ""
    queues: Sequence[str] = ()
    document: Mapping[str, Any] = field(default_factory=dict)
    names: Names = Names()


#: An empty context.
NOWHERE: Final = Context()


class Notation:
    """How the values of a field are written. Problems have spans in the text."""

    def blank(self, text: str, context: Context) -> Parsed[Any]:
        """Return the value of a blank text; by default the part is absent."""
        return Parsed(MISSING)

    def read(self, text: str, context: Context) -> Parsed[Any]:
        """Return the value of a text that is not blank; MISSING with an error if malformed."""
        raise NotImplementedError

    def is_legal(self, value: Any) -> bool:
        """Whether a value is legal by RFC 14, so that `write` can be called."""
        raise NotImplementedError

    def write(self, value: Any) -> str:
        """Return the canonical text of a legal value; ValueError if it cannot be written."""
        raise NotImplementedError

    def describe(self, value: Any, context: Context) -> str:
        """Describe a legal value in words; "" if there is nothing to add."""
        return ""

    def complete(self, text: str, cursor: int, context: Context) -> list[Completion]:
        """Return what may be inserted at a cursor in a text."""
        return []


@dataclass(frozen=True, slots=True)
class Field:
    """One line of the form.

    label  its name on the screen, at most 14 columns wide
    group  the section of the form
    hint   an example, and what a blank field means
    help   a sentence or two of explanation
    """

    name: str
    label: str
    group: str
    place: Place
    notation: Notation
    hint: str
    help: str
    multiline: bool = False

    @property
    def path(self) -> str:
        """The path of its part, such as ``attributes.system.duration``."""
        return self.place.path

    @property
    def placeholder(self) -> str:
        """The hint, in words that nobody takes for the value of an empty field."""
        return f"e.g. {self.hint}"

    def get(self, document: Mapping[str, Any]) -> Any:
        """Return the value in a document, MISSING if the part is absent."""
        return self.place.get(document)

    def put(self, document: Mapping[str, Any], value: Any) -> dict[str, Any]:
        """Return the document with this value; the same object if it already has it."""
        return self.place.put(document, value)

    def read(self, text: str, context: Context) -> Parsed[Any]:
        """Return the value of a text; MISSING if it means absence or cannot be read.

        The path of each problem is the field's, or one inside its part.
        """
        read = self.notation.read if text.strip() else self.notation.blank
        value, problems = read(text, context)
        path = self.path
        inside = (p if (p.path or "").startswith(path) else replace(p, path=path) for p in problems)
        return Parsed(value, tuple(inside))

    def write(self, value: Any) -> str:
        """Return the canonical text of a value, "" for MISSING; ValueError if there is none."""
        if value is MISSING:
            return ""
        if not self.notation.is_legal(value):
            raise ValueError(f"not a value of the field {self.name}")
        return self.notation.write(value)

    def describe(self, value: Any, context: Context = NOWHERE) -> str:
        """Describe a value in words; "" if there is nothing to add. Never raises."""
        legal = value is not MISSING and self.notation.is_legal(value)
        return self.notation.describe(value, context) if legal else ""

    def complete(self, text: str, cursor: int, context: Context) -> list[Completion]:
        """Return what may be inserted at a cursor in a text."""
        return self.notation.complete(text, cursor, context)


# Helpers of the notations


def all_of(text: str) -> Span:
    """Return the span of a text without the blanks around it."""
    start = len(text) - len(text.lstrip())
    return Span(start, max(start, len(text.rstrip())))


def wrong(message: str, text: str, *expected: str) -> Parsed[Any]:
    """Return the result for a malformed text: no value, and an error that spans all of it."""
    return Parsed(MISSING, (Problem(message, all_of(text), None, expected, CANONICAL),))


def remark(message: str, text: str, *expected: str, rule: str) -> Problem:
    """Return a warning that spans all of a text."""
    return Problem(message, all_of(text), None, expected, rule, "warning")


def begun(text: str, cursor: int) -> tuple[str, Span]:
    """Return the text before the cursor, without leading blanks, and its span."""
    word, end = text[:cursor].lstrip(), len(text[:cursor])
    return word, Span(end - len(word), end)


def problems_at(
    place: Place, document: Mapping[str, Any], request: ResourceRequest | None = None
) -> tuple[Problem, ...]:
    """Check a part of a document by RFC 14; its resources are parsed unless request is given."""
    report = Report(CANONICAL)
    if place.steps[0] == "tasks":
        request = request or parse(document.get("resources"))
        program.check_tasks(report, document.get("tasks"), request)
    else:
        program.check_attributes(report, document.get("attributes", {}))
    return tuple(p for p in report.problems if (p.path or "").startswith(place.path))


def offers(begun: str, span: Span, choices: Mapping[str, str]) -> list[Completion]:
    """Return completions for the choices that start with begun, to replace its span."""
    return [
        Completion(choice, span, meaning)
        for choice, meaning in choices.items()
        if choice.startswith(begun) and choice != begun
    ]


def read_string(text: str) -> str:
    """Return the string a text means; double-quoted text is JSON, so any string can be written."""
    word = text.strip()
    if len(word) > 1 and word[0] == word[-1] == '"':
        try:
            return str(load(word))
        except ValueError:
            pass
    return word


def write_string(value: str) -> str:
    """Return the text that `read_string` reads back as this string."""
    plain = value and value == value.strip() and is_printable(value) and value[0] != '"'
    return value if plain else quoted(value)


def read_json(text: str) -> Parsed[Any]:
    """Return the value of a JSON text; MISSING with problems if it is not JSON."""
    try:
        return Parsed(load(text))
    except ValueError:
        problems = json_text.parse(text).problems
        return Parsed(MISSING, problems) if problems else wrong("this is not JSON", text)
