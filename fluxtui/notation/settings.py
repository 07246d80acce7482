"""Settings as words: ``verbose=2 cpu-affinity=per-task pty.interactive=1``, and their object.

settings : blank* (setting (blank+ setting)*)? blank* | OBJECT
setting  : key ('=' value)?
key      : part ('.' part)*
part     : WORD | STRING
value    : STRING | OBJECT | ARRAY | "'" [^']* "'" | WORD

STRING, OBJECT and ARRAY are those of JSON (RFC 8259). A WORD of a value is a number, true, false or
null where JSON has it so, and else a text; ``{{`` begins a text. A key alone has the value 1, as
the options of Flux have. Dots lead into objects within objects.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from fluxtui.notation import json_text
from fluxtui.notation.json_text import DECODER, dump, quoted
from fluxtui.notation.problem import MAX_LENGTH, Completion, Problem, Span, printable, too_long

RULE = "settings"

_BLANK = re.compile(r"\s*")
_WORD = re.compile(r"\S+")
_PART = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s.="]+')
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_SINGLE = re.compile(r"'[^']*'")

# Words that are not read as texts.
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_CONSTANTS = {"true": True, "false": False, "null": None}

# What needs no quotes as a key or as a text.
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")
_PLAIN_TEXT = re.compile(r"(?:\{\{|[^\s\"'\[\]{}=])\S*(?<!,)")

#: The longest number that is read, in digits.
MAX_DIGITS = 4300


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: the keys that lead to it, its value, and where they are in the text.

    value_span is None for a key without a value.
    """

    path: tuple[str, ...]
    value: Any
    span: Span
    key_span: Span
    value_span: Span | None


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a text.

    value     the object; None for a blank text. With an error: what made sense of it
    entries   each setting with its places, in order; none where the text is one JSON object
    problems  what is wrong, with places in the text
    """

    value: dict[str, Any] | None
    entries: tuple[Setting, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def ok(self) -> bool:
        """No problem is an error; there may be warnings."""
        return not any(problem.severity == "error" for problem in self.problems)

    def place(self, path: tuple[str, ...]) -> Span | None:
        """The span of the setting with this path, or of one around it, or of one within it."""
        near = [e for e in self.entries if e.path == path[: len(e.path)]]
        near += [e for e in self.entries if path == e.path[: len(path)]]
        return near[0].span if near else None


def parse(text: str) -> Settings:
    """Read settings, however unfinished. Never raises."""
    if len(text) > MAX_LENGTH:
        return Settings({}, (), (too_long("text", text, RULE),))
    start = _blank(text, 0)
    if start == len(text):
        return Settings(None)
    if text[start] == "{" and text[start : start + 2] != "{{":
        return _whole(text)
    reader = _Reader(text)
    reader.read()
    return Settings(reader.value, tuple(reader.entries), tuple(reader.problems))


def _blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _whole(text: str) -> Settings:
    """A text that is one JSON object."""
    found = json_text.parse(text)
    value = found.value if found.ok and isinstance(found.value, dict) else {}
    return Settings(value, (), found.problems)


class _Reader:
    """Reads one text; see `parse`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.value: dict[str, Any] = {}
        self.entries: list[Setting] = []
        self.problems: list[Problem] = []

    def wrong(self, message: str, start: int, *expected: str) -> None:
        """Note what is wrong from a place up to here."""
        span = Span(start, max(self.at, start))
        self.problems.append(Problem(message, span, None, expected, RULE))

    def read(self) -> None:
        """setting (blank+ setting)*"""
        while (start := _blank(self.text, self.at)) < len(self.text):
            self.at = start
            path = self.key()
            if path is None:
                self.skip(start)
                continue
            key_span = Span(start, self.at)
            value, value_span = 1, None
            if self.text[self.at : self.at + 1] == "=":
                self.at += 1
                begin = self.at
                value, good = self.found_value(start)
                value_span = Span(begin, self.at)
            else:
                good = self.alone(key_span)
            self.entries.append(Setting(path, value, Span(start, self.at), key_span, value_span))
            if good:
                self.put(path, value, key_span)

    def skip(self, start: int) -> None:
        """Go past what is not a key."""
        self.at = max(self.at, start)
        found = _WORD.match(self.text, self.at)
        self.at = found.end() if found else self.at
        word = printable(self.text[start : self.at])
        self.wrong(f"'{word[:40]}' is not a setting, which is KEY=VALUE", start, "KEY=VALUE")

    def key(self) -> tuple[str, ...] | None:
        """part ('.' part)*; None where it is malformed."""
        parts: list[str] = []
        while True:
            found = _PART.match(self.text, self.at)
            if found is None:
                return None
            self.at = found.end()
            part = _unquoted(found[0]) if found[0][0] == '"' else found[0]
            if part is None:
                return None
            parts.append(part)
            follows = self.text[self.at : self.at + 1]
            if follows == ".":
                self.at += 1
            elif not follows or follows == "=" or follows.isspace():
                return tuple(parts)
            else:
                return None

    def alone(self, span: Span) -> bool:
        """Whether a key may come without a value; what looks like YAML may not."""
        key = self.text[slice(*span)]
        if ":" not in key or key[0] == '"':
            return True
        name = printable(key.rstrip(":").replace(":", "="))
        self.wrong("a key and its value are joined by '=', not ':'", span.start, f"{name}=VALUE")
        return False

    def found_value(self, start: int) -> tuple[Any, bool]:
        """A value, and whether it can be read; start is where its key does."""
        text, begin = self.text, self.at
        first = text[begin : begin + 1]
        if not first or first.isspace():
            self.wrong("a value is missing after '='", start, '"" for an empty text')
            return "", False
        if first in "\"'":
            return self.quoted(_STRING if first == '"' else _SINGLE, first)
        if first in "[{" and text[begin : begin + 2] != "{{":
            return self.nested()
        found = _WORD.match(text, begin)
        word = found[0] if found else ""
        self.at = begin + len(word)
        return self.word(word, begin)

    def quoted(self, form: re.Pattern[str], quote: str) -> tuple[str, bool]:
        """A text in quotes, which ends the setting."""
        begin = self.at
        found = form.match(self.text, begin)
        if found is None:
            self.at = len(self.text)
            self.wrong(f"the quote {quote} is not closed", begin, f"the closing {quote}")
            return self.text[begin + 1 :], False
        self.at = found.end()
        value = found[0][1:-1] if quote == "'" else _unquoted(found[0])
        if value is None:
            self.wrong("the text has an escape that JSON does not know", begin, "\\n", "\\\\")
            return "", False
        return value, self.ended(begin)

    def ended(self, begin: int) -> bool:
        """Whether a blank or the end follows the value that began there."""
        found = _WORD.match(self.text, self.at)
        if found is None:
            return True
        self.at = found.end()
        self.wrong("a blank is missing after the value", begin, "a blank")
        return False

    def nested(self) -> tuple[Any, bool]:
        """An object or an array of JSON, which may hold blanks."""
        begin = self.at
        try:
            value, self.at = DECODER.raw_decode(self.text, begin)
        except (ValueError, RecursionError):
            return None, self.not_json(begin)
        return value, self.ended(begin)

    def not_json(self, begin: int) -> bool:
        """Say what is wrong with an object or array; goes to the end of the text."""
        self.at = len(self.text)
        found = json_text.parse(self.text[begin:])
        for problem in found.problems[:1]:
            span = problem.span or Span(0, self.at - begin)
            moved = Span(span.start + begin, span.end + begin)
            self.problems.append(replace(problem, span=moved))
        if not found.problems:
            self.wrong("the value is not JSON that can be read", begin, "a value of JSON")
        return False

    def word(self, word: str, begin: int) -> tuple[Any, bool]:
        """A number, a constant or a text without quotes."""
        if word in _CONSTANTS:
            return _CONSTANTS[word], True
        number = _NUMBER.fullmatch(word)
        if number is None:
            if word.endswith(","):
                message = "the ',' is part of the value; only blanks separate settings"
                span = Span(self.at - 1, self.at)
                self.problems.append(Problem(message, span, None, (), RULE, "warning"))
            return word, True
        value = _number(word, whole=number[1] is None and number[2] is None)
        if value is None:
            self.wrong("the number is too large; in double quotes it is a text", begin, '"..."')
        return value, value is not None

    def put(self, path: tuple[str, ...], value: Any, span: Span) -> None:
        """Put a value into the object, unless another value is in its way."""
        here = self.value
        for depth, key in enumerate(path[:-1]):
            inner = here.setdefault(key, {})
            if not isinstance(inner, dict):
                name = printable(key_text(path[: depth + 1]))
                message = f"{name} has a value already, so that nothing can be within it"
                self.problems.append(Problem(message, span, None, ("another key",), RULE))
                return
            here = inner
        if path[-1] in here:
            message = f"duplicate key '{printable(key_text(path))}'"
            self.problems.append(Problem(message, span, None, ("another key",), RULE))
            return
        here[path[-1]] = value


def _number(word: str, *, whole: bool) -> int | float | None:
    """The number of a word; None where it is larger than can be held."""
    if whole:
        return int(word) if len(word.lstrip("-")) <= MAX_DIGITS else None
    value = float(word)
    return value if math.isfinite(value) else None


def _unquoted(text: str) -> str | None:
    """The string of a text in double quotes; None where JSON does not have it so."""
    try:
        return str(json.loads(text, strict=False))
    except ValueError:
        return None


# Writing


def format(settings: Mapping[str, Any]) -> str:
    """The settings of an object that `parse` reads as the same object, types and all.

    Objects within objects are written with dots, empty ones and lists as JSON. ValueError where
    JSON has no form for a value.
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
        else:
            words.append(f"{name}={value_text(value)}")
    return words


def key_text(path: tuple[str, ...]) -> str:
    """The keys that lead to a setting, in quotes where they need them."""
    return ".".join(part if _PLAIN_KEY.fullmatch(part) else quoted(part) for part in path)


def value_text(value: Any) -> str:
    """One value as a setting has it; ValueError where JSON has no form for it."""
    if not isinstance(value, str):
        return dump(value)
    plain = _PLAIN_TEXT.fullmatch(value) and value.isprintable() and value not in _CONSTANTS
    return value if plain and not _NUMBER.fullmatch(value) else quoted(value)


# Completion


@dataclass(frozen=True, slots=True)
class Known:
    """A setting that is known: what it does, and the values it may have with what they mean."""

    description: str
    values: tuple[tuple[str, str], ...] = ()


def completions(
    text: str, cursor: int, known: Mapping[str, Known], without: Iterable[str] = ()
) -> list[Completion]:
    """Keys that go on from what is begun, or values of the key before the cursor.

    known has the keys with their dots, such as ``pty.interactive``. A key that is set already, or
    is among ``without``, is not offered again.
    """
    cursor = max(0, min(cursor, len(text)))
    entries = parse(text[:cursor]).entries
    last = entries[-1] if entries and entries[-1].span.end == cursor else None
    if last is None:
        begun = re.split(r"\s", text[:cursor])[-1]
        span = Span(cursor - len(begun), cursor)
        return _keys(begun, span, known, _named(entries) | set(without))
    if last.value_span is None:
        begun = text[slice(*last.key_span)]
        return _keys(begun, last.key_span, known, _named(entries[:-1]) | set(without))
    begun = text[slice(*last.value_span)]
    found = known.get(".".join(last.path))
    return [
        Completion(value, last.value_span, meaning)
        for value, meaning in (found.values if found else ())
        if value.startswith(begun) and value != begun
    ]


def _named(entries: Iterable[Setting]) -> set[str]:
    return {".".join(entry.path) for entry in entries}


def _keys(begun: str, span: Span, known: Mapping[str, Known], given: set[str]) -> list[Completion]:
    return [
        Completion(f"{key}=", span, what.description)
        for key, what in known.items()
        if key.startswith(begun) and key not in given
    ]
