"""What a field of a jobspec is: one line of a form, a text <-> a part of the document.

A field is declared in `fields`: its words, the place of the part, the notation of its text. Keys
that are put into a document follow the order of RFC 14's examples; what is not touched stays the
same object.
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


# The keys of each dictionary in the order of RFC 14, by the steps that lead to it.
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
    drop   how many of the dictionaries around the part are taken away once they are empty
    same   whether two values mean the same; the second does not replace the first then
    """

    steps: tuple[str | int, ...]
    drop: int = 0
    same: Callable[[Any, Any], bool] = identical

    @property
    def path(self) -> str:
        """The steps as a path: ``attributes.system.job.name``, ``tasks[0].count``."""
        return at("", *self.steps)

    def get(self, document: Mapping[str, Any]) -> Any:
        """The part; MISSING where it is not there, or something on the way is not a dictionary."""
        return part_at(document, self.steps)

    def put(self, document: Mapping[str, Any], value: Any) -> dict[str, Any]:
        """A document with this part, without it for MISSING; the same one where nothing changes."""
        old = self.get(document)
        if old is value or (old is not MISSING and self.same(old, value)):
            return document if isinstance(document, dict) else dict(document)
        return self.changed(document, value)

    def changed(self, document: Mapping[str, Any], value: Any) -> dict[str, Any]:
        """A document with another value of this part than it had."""
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
        # A new key comes before those that follow it in the order.
        later = order[order.index(step) :]
        front = takewhile(lambda key: key not in later, known)
        return {**dict.fromkeys(front), step: inner, **known}


def system(*keys: str, drop: int = 0, same: Callable[[Any, Any], bool] = identical) -> Place:
    """The place of a system attribute."""
    return Place(("attributes", "system", *keys), drop, same)


def task(key: str) -> Place:
    """The place of a key of the first task."""
    return Place(("tasks", 0, key))


# Fields


@dataclass(frozen=True, slots=True)
class Context:
    """What the reading of a field may depend on beside its text.

    environ and cwd are those of the person who writes; cwd is absolute, "" where it is not known.
    """

    environ: Mapping[str, str] = field(default_factory=dict)
    cwd: str = ""
    queues: Sequence[str] = ()
    document: Mapping[str, Any] = field(default_factory=dict)
    names: Names = Names()


#: A context in which nothing is known.
NOWHERE: Final = Context()


class Notation:
    """How the values of a field are written. Problems have spans in the text."""

    def blank(self, text: str, context: Context) -> Parsed[Any]:
        """What a blank text means; by itself that the part is not there."""
        return Parsed(MISSING)

    def read(self, text: str, context: Context) -> Parsed[Any]:
        """The value of a text that is not blank; MISSING with an error where it has none."""
        raise NotImplementedError

    def is_legal(self, value: Any) -> bool:
        """Whether RFC 14 knows such a value, so that it has a text."""
        raise NotImplementedError

    def write(self, value: Any) -> str:
        """The canonical text of a legal value; ValueError where it has none after all."""
        raise NotImplementedError

    def describe(self, value: Any, context: Context) -> str:
        """A legal value in words, "" where there is nothing to say."""
        return ""

    def complete(self, text: str, cursor: int, context: Context) -> list[Completion]:
        """What may come at a place in a text."""
        return []


@dataclass(frozen=True, slots=True)
class Field:
    """One line of the form.

    label  its name on the screen, of 14 columns at most
    group  the part of the form it is in
    hint   shown in it while it is blank: an example, and what blank means
    help   a sentence or two that teach
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
        """The path of its part: ``attributes.system.duration``."""
        return self.place.path

    def get(self, document: Mapping[str, Any]) -> Any:
        """The value in a document, MISSING where the part is not there."""
        return self.place.get(document)

    def put(self, document: Mapping[str, Any], value: Any) -> dict[str, Any]:
        """A document with this value; the same one where it has it already."""
        return self.place.put(document, value)

    def read(self, text: str, context: Context) -> Parsed[Any]:
        """The value of a text; MISSING where it is blank or cannot be read.

        Problems have the path of the field, or of what is within its part.
        """
        read = self.notation.read if text.strip() else self.notation.blank
        value, problems = read(text, context)
        path = self.path
        inside = (p if (p.path or "").startswith(path) else replace(p, path=path) for p in problems)
        return Parsed(value, tuple(inside))

    def write(self, value: Any) -> str:
        """The canonical text of a value, "" for MISSING; ValueError where it has none."""
        if value is MISSING:
            return ""
        if not self.notation.is_legal(value):
            raise ValueError(f"not a value of the field {self.name}")
        return self.notation.write(value)

    def describe(self, value: Any, context: Context = NOWHERE) -> str:
        """The value in words, "" where there is nothing to say. Never raises."""
        legal = value is not MISSING and self.notation.is_legal(value)
        return self.notation.describe(value, context) if legal else ""

    def complete(self, text: str, cursor: int, context: Context) -> list[Completion]:
        """What may come at a place in a text."""
        return self.notation.complete(text, cursor, context)


# What notations share


def all_of(text: str) -> Span:
    """The span of a text without the blanks around it."""
    start = len(text) - len(text.lstrip())
    return Span(start, max(start, len(text.rstrip())))


def wrong(message: str, text: str, *expected: str) -> Parsed[Any]:
    """What is read from a text without a meaning: no value, and an error about all of it."""
    return Parsed(MISSING, (Problem(message, all_of(text), None, expected, CANONICAL),))


def remark(message: str, text: str, *expected: str, rule: str) -> Problem:
    """A warning about all of a text."""
    return Problem(message, all_of(text), None, expected, rule, "warning")


def begun(text: str, cursor: int) -> tuple[str, Span]:
    """All that is before the cursor but for blanks at the beginning, and its span."""
    word, end = text[:cursor].lstrip(), len(text[:cursor])
    return word, Span(end - len(word), end)


def problems_at(
    place: Place, document: Mapping[str, Any], request: ResourceRequest | None = None
) -> tuple[Problem, ...]:
    """What RFC 14 says of a part of a document; its resources are read where they are not given."""
    report = Report(CANONICAL)
    if place.steps[0] == "tasks":
        request = request or parse(document.get("resources"))
        program.check_tasks(report, document.get("tasks"), request)
    else:
        program.check_attributes(report, document.get("attributes", {}))
    return tuple(p for p in report.problems if (p.path or "").startswith(place.path))


def offers(begun: str, span: Span, choices: Mapping[str, str]) -> list[Completion]:
    """The choices that continue what is begun, in place of its span."""
    return [
        Completion(choice, span, meaning)
        for choice, meaning in choices.items()
        if choice.startswith(begun) and choice != begun
    ]


def read_string(text: str) -> str:
    """The string of a text; in double quotes that of JSON, so that every string has a text."""
    word = text.strip()
    if len(word) > 1 and word[0] == word[-1] == '"':
        try:
            return str(load(word))
        except ValueError:
            pass
    return word


def write_string(value: str) -> str:
    """The text that `read_string` reads as a string."""
    plain = value and value == value.strip() and is_printable(value) and value[0] != '"'
    return value if plain else quoted(value)


def read_json(text: str) -> Parsed[Any]:
    """The value of a JSON text; MISSING with the problems where it is none."""
    try:
        return Parsed(load(text))
    except ValueError:
        problems = json_text.parse(text).problems
        return Parsed(MISSING, problems) if problems else wrong("this is not JSON", text)
