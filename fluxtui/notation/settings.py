"""Settings as words, ``verbose=2 cpu-affinity=per-task pty.interactive=1``, and as an object.

settings : blank* (setting (blank+ setting)*)? blank* | OBJECT
setting  : key ('=' value)?
key      : part ('.' part)*
part     : WORD | STRING
value    : STRING | OBJECT | ARRAY | "'" [^']* "'" | WORD

STRING, OBJECT and ARRAY are those of JSON (RFC 8259). A WORD as a value is a number, true, false or
null if it is that in JSON, else a text; ``{{`` begins a text. A key alone has the value 1, as in
the options of Flux. A dot leads into a nested object.
"""

import json
import math
import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from typing import Any

from fluxtui.notation import json_text
from fluxtui.notation.json_text import DECODER, dump, quoted
from fluxtui.notation.problem import (
    Completion,
    Problem,
    Span,
    WithProblems,
    capped,
    is_printable,
    printable,
    shortened,
    unreadable,
)

RULE = "settings"

_BLANK = re.compile(r"\s*")
_PART = r'(?:"(?:[^"\\]|\\.)*"|[^\s.="]+)'
_KEY = re.compile(rf"{_PART}(?:\.{_PART})*(?=[\s=]|\Z)")
_WORD = re.compile(r"\S+")
_TEXTS = {'"': re.compile(r'"(?:[^"\\]|\\.)*"'), "'": re.compile(r"'[^']*'")}
_NO_KEY = re.compile(r'(?:"(?:[^"\\]|\\.)*"|\S)+')

# Words that are not texts.
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_CONSTANTS = {"true": True, "false": False, "null": None}

# Keys and texts that need no quotes.
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")
_PLAIN_TEXT = re.compile(r"(?:\{\{|[^\s\"'\[\]{}=])\S*(?<!,)")

# The most parts of a key, and so levels of nested objects.
MAX_DEPTH = 100

# The longest number that is read, in digits.
_MAX_DIGITS = 4300


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: the keys that lead to it, its value, and their spans in the text."""

    path: tuple[str, ...]
    value: Any
    span: Span
    key_span: Span
    value_span: Span | None


@dataclass(frozen=True, slots=True)
class Settings(WithProblems):
    """The settings of a text: their object, None for a blank text, and each one with its spans.

    After an error the object has what could be read. There are no entries if the text is JSON.
    """

    value: dict[str, Any] | None
    entries: tuple[Setting, ...] = ()
    problems: tuple[Problem, ...] = ()

    def place(self, path: tuple[str, ...]) -> Span | None:
        """The span of the setting at this path, else of one around it or within it, else None."""
        near = [e for e in self.entries if e.path == path[: len(e.path)]]
        near += [e for e in self.entries if path == e.path[: len(path)]]
        return near[0].span if near else None


def parse(text: str) -> Settings:
    """Read settings, which may be unfinished. Never raises."""
    if (refused := unreadable("text", text, RULE)) is not None:
        return Settings({}, (), (refused,))
    begun = text.lstrip()
    if not begun:
        return Settings(None)
    if begun[0] == "{" and not begun.startswith("{{"):
        whole = json_text.parse(text)
        value = whole.value if whole.ok and isinstance(whole.value, dict) else {}
        return Settings(value, (), whole.problems)
    reader = _Reader(text)
    reader.read()
    return Settings(reader.value, tuple(reader.entries), capped(reader.problems))


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.value: dict[str, Any] = {}
        self.entries: list[Setting] = []
        self.problems: list[Problem] = []

    def past(self, form: re.Pattern[str]) -> str | None:
        """Consume and return a match of form at the current position; None if there is none."""
        found = form.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found[0] if found else None

    def wrong(self, message: str, start: int, *expected: str) -> None:
        """Add a problem with a span from start to the current position."""
        self.problems.append(Problem(message, Span(start, self.at), None, expected, RULE))

    def read(self) -> None:
        """setting (blank+ setting)*"""
        while self.past(_BLANK) is not None and self.at < len(self.text):
            start = self.at
            path = self.key()
            if path is None:
                word = printable(self.past(_NO_KEY) or "")
                message = f"'{shortened(word)}' is not a setting, which is KEY=VALUE"
                self.wrong(message, start, "KEY=VALUE")
                continue
            key_span = Span(start, self.at)
            key = self.text[slice(*key_span)]
            value, is_valid, value_span = 1, True, None
            if self.text.startswith("=", self.at):
                self.at += 1
                begin = self.at
                value, is_valid = self.read_value(start)
                value_span = Span(begin, self.at)
            elif ":" in key and key[0] != '"':  # as in YAML
                name = printable(key.rstrip(":").replace(":", "="))
                message = "a key and its value are joined by '=', not ':'"
                self.wrong(message, start, f"{name}=VALUE")
                is_valid = False
            self.entries.append(Setting(path, value, Span(start, self.at), key_span, value_span))
            if is_valid:
                self.put(path, value, key_span)

    def key(self) -> tuple[str, ...] | None:
        """part ('.' part)*; None if it is malformed."""
        found = _KEY.match(self.text, self.at)
        parts = re.findall(_PART, found[0]) if found else []
        path = tuple(_unquoted(part) if part[0] == '"' else part for part in parts)
        if found is None or None in path:
            return None
        self.at = found.end()
        return path  # type: ignore[return-value]  # contains no None

    def read_value(self, start: int) -> tuple[Any, bool]:
        """Read a value; return it and whether it is valid. start is where its key begins."""
        text, begin = self.text, self.at
        first = text[begin : begin + 1]
        value: Any
        if not first or first.isspace():
            self.wrong("a value is missing after '='", start, '"" for an empty text')
            return "", False
        if first in _TEXTS:
            found = self.past(_TEXTS[first])
            if found is None:
                self.at = len(text)
                self.wrong(f"the quote {first} is not closed", begin, f"the closing {first}")
                return text[begin + 1 :], False
            value = found[1:-1] if first == "'" else _unquoted(found)
            if value is None:
                self.wrong("the text has an escape that JSON does not know", begin, "\\n", "\\\\")
                return "", False
        elif first in "[{" and not text.startswith("{{", begin):
            try:
                value, self.at = DECODER.raw_decode(text, begin)
            except (ValueError, RecursionError):
                self.not_json(begin)
                return None, False
        else:
            return self.word(self.past(_WORD) or "", begin)
        if self.past(_WORD):
            self.wrong("a blank is missing after the value", begin, "a blank")
            return value, False
        return value, True

    def not_json(self, begin: int) -> None:
        self.at = len(self.text)
        found = json_text.parse(self.text[begin:])
        for problem in found.problems[:1]:
            span = problem.span or Span(0, self.at - begin)
            self.problems.append(replace(problem, span=span.moved(begin)))
        if not found.problems:
            self.wrong("the value is not readable JSON", begin, "a value of JSON")

    def word(self, word: str, begin: int) -> tuple[Any, bool]:
        if word in _CONSTANTS:
            return _CONSTANTS[word], True
        number = _NUMBER.fullmatch(word)
        if number is None:
            if word.endswith(","):
                message = "the ',' is part of the value; only blanks separate settings"
                span = Span(self.at - 1, self.at)
                self.problems.append(Problem(message, span, None, (), RULE, "warning"))
            return word, True
        value: int | float
        if number[1] is None and number[2] is None:
            value = int(word) if len(word.lstrip("-")) <= _MAX_DIGITS else math.inf
        else:
            value = float(word)
        if abs(value) == math.inf:
            self.wrong("the number is too large; in double quotes it is a text", begin, '"..."')
            return None, False
        return value, True

    def put(self, path: tuple[str, ...], value: Any, span: Span) -> None:
        """Add a value to the object, or a problem if another value is in its way."""
        here = self.value
        if len(path) > MAX_DEPTH:
            message = f"a setting is nested deeper than {MAX_DEPTH} levels"
            self.problems.append(Problem(message, span, None, (), RULE))
            return
        message = ""
        for depth, key in enumerate(path[:-1]):
            here = here.setdefault(key, {})
            if not isinstance(here, dict):
                name = printable(key_text(path[: depth + 1]))
                message = f"{name} already has a value, so it cannot contain others"
                break
        else:
            if path[-1] not in here:
                here[path[-1]] = value
                return
            message = f"duplicate key '{shortened(key_text(path))}'"
        self.problems.append(Problem(message, span, None, ("another key",), RULE))


def _unquoted(text: str) -> str | None:
    """The string of a text in double quotes; None if it is not JSON."""
    try:
        return str(json.loads(text, strict=False))
    except ValueError:
        return None


# Writing


def format(settings: Mapping[str, Any]) -> str:
    """The settings that `parse` reads as the same object with the same types.

    Nested objects are written with dots, empty ones and lists as JSON. ValueError if JSON cannot
    represent a value.
    """
    try:
        return " ".join(_settings(settings, "")) if settings else "{}"
    except RecursionError:
        raise ValueError("more levels than can be written") from None


def _settings(settings: Mapping[str, Any], before: str) -> list[str]:
    words: list[str] = []
    for key, value in settings.items():
        if not isinstance(key, str):
            raise ValueError("a key is not a string")
        name = before + key_text((key,))
        if isinstance(value, Mapping) and value:
            words += _settings(value, f"{name}.")
            continue
        plain = isinstance(value, str) and _PLAIN_TEXT.fullmatch(value) and is_printable(value)
        plain = plain and value not in _CONSTANTS and not _NUMBER.fullmatch(value)
        words.append(f"{name}={value if plain else dump(value)}")
    return words


def key_text(path: tuple[str, ...]) -> str:
    """The text of the keys that lead to a setting, each in quotes if necessary."""
    return ".".join(part if _PLAIN_KEY.fullmatch(part) else quoted(part) for part in path)


# Completion


@dataclass(frozen=True, slots=True)
class Known:
    """A known setting: what it does, and its possible values with their descriptions."""

    description: str
    values: tuple[tuple[str, str], ...] = ()


def completions(text: str, cursor: int, known: Mapping[str, Known]) -> list[Completion]:
    """Keys that begin with the text typed, or values of the key before the cursor.

    known maps keys with dots, such as ``pty.interactive``. Keys that are set are left out.
    """
    cursor = max(0, min(cursor, len(text)))
    entries = parse(text[:cursor]).entries
    last = entries[-1] if entries and entries[-1].span.end == cursor else None
    if last is not None and last.value_span is not None:
        span = last.value_span
        found = known.get(".".join(last.path))
        offers = [(value, value, meaning) for value, meaning in (found.values if found else ())]
        given: Container[str] = (text[slice(*span)],)
    else:
        start = last.span.start if last else cursor - len(re.split(r"\s", text[:cursor])[-1])
        span = Span(start, cursor)
        offers = [(key, f"{key}=", what.description) for key, what in known.items()]
        given = {".".join(entry.path) for entry in entries if entry is not last}
    begun = text[slice(*span)]
    return [
        Completion(written, span, meaning)
        for name, written, meaning in offers
        if name.startswith(begun) and name not in given
    ]
