"""What a field of a jobspec is: one line of a form, a text <-> a part of the document.

A field is declared: its words, the place of the part, and the notation that its text is written
in. The notations are in the modules beside this one, the declarations in `fields`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from fluxtui.model.constraint.names import Names
from fluxtui.model.form.place import MISSING, Place
from fluxtui.notation import json_text
from fluxtui.notation.json_text import dump, load, quoted
from fluxtui.notation.problem import Completion, Parsed, Problem, Severity, Span, printable


@dataclass(frozen=True, slots=True)
class Context:
    """What the reading of a field may depend on beside its text.

    environ     the environment of the person who writes
    cwd         the directory of that person, absolute; "" where it is not known
    resources   the RFC 14 resources in force
    queues      the names of the queues, with a word on each where they are a mapping
    banks       the names of banks, where they are known
    document    the whole jobspec
    names       what the nodes of the cluster can be asked for by
    """

    environ: Mapping[str, str] = field(default_factory=dict)
    cwd: str = ""
    resources: Sequence[Mapping[str, Any]] = ()
    queues: Mapping[str, str] | Sequence[str] = ()
    banks: Sequence[str] = ()
    document: Mapping[str, Any] = field(default_factory=dict)
    names: Names = Names()


#: A context in which nothing is known.
NOWHERE: Final = Context()


class Notation:
    """How the values of a field are written."""

    def blank(self, text: str, path: str, context: Context) -> Parsed[Any]:
        """What a blank text means; by itself that the part is not there."""
        return Parsed(MISSING)

    def read(self, text: str, path: str, context: Context) -> Parsed[Any]:
        """The value of a text that is not blank; MISSING with an error where it has none.

        Problems have spans in the text, and ``path``, that of the field.
        """
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

    name       what the field is called: ``duration``
    label      its name on the screen, of 14 columns at most
    group      the part of the form it is in
    hint       shown in it while it is blank: an example, and what blank means
    help       a sentence or two that teach
    place      the part of the document that it is about
    multiline  the text has many lines
    """

    name: str
    label: str
    group: str
    hint: str
    help: str
    place: Place
    notation: Notation
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
        """The value of a text; MISSING where it is blank or cannot be read."""
        if not text.strip():
            return self.notation.blank(text, self.path, context)
        return self.notation.read(text, self.path, context)

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


def all_of(text: str) -> Span:
    """The span of a text without the blanks around it."""
    start = len(text) - len(text.lstrip())
    return Span(start, max(start, len(text.rstrip())))


def wrong(message: str, text: str, path: str, *expected: str, rule: str = "RFC 14") -> Parsed[Any]:
    """What is read from a text without a meaning: no value, and an error about all of it."""
    return Parsed(MISSING, (Problem(message, all_of(text), path, expected, rule),))


def remark(
    message: str,
    text: str,
    path: str,
    *expected: str,
    rule: str = "RFC 14",
    severity: Severity = "warning",
) -> Problem:
    """A problem about all of a text; a warning unless stated otherwise."""
    return Problem(message, all_of(text), path, expected, rule, severity)


def offers(text: str, cursor: int, choices: Mapping[str, str]) -> list[Completion]:
    """The choices that continue all that is before the cursor, in place of it."""
    begun = text[:cursor].lstrip()
    span = Span(min(cursor, len(text)) - len(begun), min(cursor, len(text)))
    return [
        Completion(word, span, meaning)
        for word, meaning in choices.items()
        if word.startswith(begun) and word != begun
    ]


def last_word(text: str, cursor: int, words: Sequence[Any]) -> tuple[str, Span]:
    """The word that ends at the cursor, and its span; an empty one there where none does."""
    end = len(text[:cursor])
    if words and words[-1].span.end == end:
        return words[-1].text, words[-1].span
    return "", Span(end, end)


def read_string(text: str) -> Any:
    """The string of a text; MISSING for a blank one.

    In double quotes it is a string of JSON, so that every string has a text.
    """
    word = text.strip()
    if not word:
        return MISSING
    if len(word) > 1 and word[0] == word[-1] == '"':
        try:
            return str(load(word))
        except ValueError:
            return word
    return word


def write_string(value: str) -> str:
    """The text that `read_string` reads as a string."""
    plain = value and value == value.strip() and value.isprintable() and value[0] != '"'
    return value if plain else quoted(value)


def read_json(text: str, path: str) -> Parsed[Any]:
    """The value of a JSON text; MISSING with the problems where it is none."""
    try:
        return Parsed(load(text))
    except ValueError:
        pass
    problems = tuple(replace(problem, path=path) for problem in json_text.parse(text).problems)
    return Parsed(MISSING, problems) if problems else wrong("this is not JSON", text, path)


def literal(value: object) -> str:
    """A value that no field has a text for, as JSON or as near to it as can be."""
    try:
        return dump(value)
    except ValueError:
        pass
    try:
        return printable(json.dumps(value, ensure_ascii=False, default=str))
    except (TypeError, ValueError, RecursionError):
        return "a value that cannot be shown"
