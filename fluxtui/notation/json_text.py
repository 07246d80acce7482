"""JSON (RFC 8259): texts being typed, with the place of each part, and compact JSON.

`parse` never fails and returns value, tokens, places and problems. `load` and `dump` are for JSON
that is either correct or not used at all.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, TypeAlias

from fluxtui.notation.problem import (
    MAX_LENGTH,
    Problem,
    Span,
    Token,
    WithProblems,
    at,
    capped,
    is_printable,
    place,
    shortened,
    too_long,
)

#: The most levels of nesting in a text.
MAX_DEPTH = 150

_PIECE = re.compile(
    r"""(?P<space>[ \t\r\n]+)
      | (?P<string>"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")
      | (?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\w.]))
      | (?P<constant>(?:true|false|null)\b)
      | (?P<punctuation>[][{}:,])
      | (?P<bad>"(?:[^"\\\n]|\\[^\n])*")
      | (?P<open>"(?:[^"\\\n]|\\[^\n])*\\?)
      | (?P<error>[^\s"{}:,\[\]]+|.)
    """,
    re.VERBOSE | re.DOTALL,
)

_STRING = "a string"
_VALUE = (_STRING, "'{'", "'['", "a number", "true", "false", "null")


# Places


@dataclass(frozen=True, slots=True)
class Place:
    """Where a part of a document is in its text.

    chunks are the spans whose characters are exactly those of a string; empty if it has escapes.
    """

    span: Span
    chunks: tuple[Span, ...] = ()

    def within(self, inner: Span) -> Span:
        """The span in the text of ``inner``, a span of the string at this place."""
        return place(self.chunks, *inner) if self.chunks else self.span


#: The place of each part by its path, such as ``and[0].hostlist[0]``.
Places: TypeAlias = dict[str, Place]


@dataclass(frozen=True, slots=True)
class JsonText(WithProblems):
    """A JSON text that was read; the value is None if it could not be read to the end.

    tokens    the pieces to highlight, in order, including those after a problem
    places    where each key of the document is, by the path of its value, and each value, by the
              same path with ``=`` before it
    """

    value: Any
    tokens: tuple[Token, ...]
    places: Places
    problems: tuple[Problem, ...]


class _WrongError(Exception):
    """Stops reading, with the problem: what is wrong and what was expected."""

    def __init__(self, message: str, span: Span, expected: tuple[str, ...]) -> None:
        super().__init__(message)
        self.problem = Problem(message, span, None, expected, "RFC 8259")


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.pieces: list[tuple[str, Span]] = []
        self.keys: set[int] = set()
        self.index = 0
        self.places: Places = {}
        self.problems: list[Problem] = []
        for found in _PIECE.finditer(text):
            if found.lastgroup != "space":
                self.pieces.append((str(found.lastgroup), Span(*found.span())))

    def peek(self) -> str:
        """The next punctuation mark, or the kind of the next piece; "" at the end."""
        if self.index >= len(self.pieces):
            return ""
        kind, span = self.pieces[self.index]
        return self.text[span.start] if kind == "punctuation" else kind

    def wrong(self, expected: tuple[str, ...], message: str = "") -> _WrongError:
        """The error of an unexpected piece, or end of the text, at the current place."""
        if self.index >= len(self.pieces):
            end = len(self.text.rstrip())
            return _WrongError(message or "the text is not finished", Span(end, end), expected)
        kind, span = self.pieces[self.index]
        piece = self.text[slice(*span)]
        before = self.pieces[self.index - 1][1] if self.index else span
        if piece in ("}", "]") and self.text[slice(*before)] == "," and not message:
            what = "key" if expected != _VALUE else "value"
            return _WrongError(f"a {what} is missing after ','", before, expected)
        if kind == "error" and not message and _STRING in expected:
            constant = {"none": "null", "nil": "null"}.get(piece.lower(), piece.lower())
            if constant in expected:
                message = f"unknown constant '{piece}'; did you mean {constant}?"
                expected = (constant,)
            elif piece[0] == "'":
                message, expected = "a string takes double quotes, not single ones", ('"',)
            elif piece[0].isalpha() and len(piece) <= 40:
                message, expected = f"'{piece}' needs double quotes", (f'"{piece}"',)
        if kind == "open":
            return _WrongError("the string is not closed", span, ("'\"'",))
        if kind == "bad":
            return _WrongError("the string has a bad escape or a control character", span, ())
        return _WrongError(message or f"'{shortened(piece)}' does not belong here", span, expected)

    def take(self, *expected: str) -> Span:
        """Consume the next piece, which must be one of these; return its span."""
        if self.peek() not in expected:
            raise self.wrong(tuple(f"'{sign}'" for sign in expected))
        self.index += 1
        return self.pieces[self.index - 1][1]

    def value(self, path: str, depth: int) -> Any:
        """value : object | array | string | number | 'true' | 'false' | 'null'"""
        kind = self.peek()
        if depth > MAX_DEPTH:
            raise self.wrong((), f"the text is nested deeper than {MAX_DEPTH} levels")
        if kind in {"{", "["}:
            start = self.take(kind).start
            found = self.object(path, depth) if kind == "{" else self.array(path, depth)
            self.places[f"={path}"] = Place(Span(start, self.pieces[self.index - 1][1].end))
            return found
        if kind not in {"string", "number", "constant"}:
            raise self.wrong(_VALUE)
        span = self.take(kind)
        piece = self.text[slice(*span)]
        plain = kind == "string" and "\\" not in piece
        chunks = (Span(span.start + 1, span.end - 1),) if plain else ()
        self.places[f"={path}"] = Place(span, chunks)
        try:
            return DECODER.decode(piece)
        except ValueError:
            raise _WrongError("the number is too large", span, ()) from None

    def object(self, path: str, depth: int) -> dict[str, Any]:
        """object : '{' [ string ':' value ( ',' string ':' value )* ] '}'"""
        found: dict[str, Any] = {}
        if self.peek() == "}":
            self.take("}")
            return found
        while True:
            if self.peek() != "string":
                raise self.wrong((_STRING,) if found else (_STRING, "'}'"))
            self.keys.add(self.index)
            span = self.take("string")
            key = json.loads(self.text[slice(*span)])
            here = at(path, key)
            if key in found:
                message = f"duplicate key '{shortened(key)}'; the last one counts"
                self.problems.append(Problem(message, span, here, (), "RFC 8259", "warning"))
            self.places[here] = Place(span)
            self.take(":")
            found[key] = self.value(here, depth + 1)
            if self.text[self.take(",", "}").start] == "}":
                return found

    def array(self, path: str, depth: int) -> list[Any]:
        """array : '[' [ value ( ',' value )* ] ']'"""
        found: list[Any] = []
        if self.peek() == "]":
            self.take("]")
            return found
        while True:
            found.append(self.value(at(path, len(found)), depth + 1))
            if self.text[self.take(",", "]").start] == "]":
                return found


def parse(text: str) -> JsonText:
    """Read a JSON text; never fails. After the first error only tokens are collected."""
    if len(text) > MAX_LENGTH:
        token = Token("error", Span(0, len(text)))
        return JsonText(None, (token,), {}, (too_long("text", text, "RFC 8259"),))
    reader = _Reader(text)
    value: Any = None
    try:
        value = reader.value("", 1)
        if reader.peek():
            raise reader.wrong((), "nothing may follow the end of the document")
    except _WrongError as wrong:
        value = None
        reader.problems.append(wrong.problem)
    tokens = []
    for index, (kind, span) in enumerate(reader.pieces):
        colour = "error" if kind in {"open", "bad"} else kind
        tokens.append(Token("key" if index in reader.keys else colour, span))
    return JsonText(value, tuple(tokens), reader.places, capped(reader.problems))


# Compact JSON


def dump(value: Any) -> str:
    """A value as compact JSON, with control characters escaped.

    ValueError if JSON cannot represent it, such as an infinite number or a key that is no string.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, RecursionError) as error:
        raise ValueError(str(error)) from None
    waiting = [value]
    while waiting:  # json.dumps turns keys that are numbers into strings, which is another value
        here = waiting.pop()
        if isinstance(here, dict):
            if not all(isinstance(key, str) for key in here):
                raise ValueError("a key is not a string")
            waiting.extend(here.values())
        elif isinstance(here, list | tuple):
            waiting.extend(here)
    return _escaped(text)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError("a number is too large")
    return value


#: Reads strict RFC 8259 JSON: refuses Infinity, NaN, and numbers that overflow to infinity.
DECODER = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite)


def load(text: str) -> Any:
    """The value of a JSON text; ValueError if it is not JSON."""
    try:
        return DECODER.decode(text)
    except RecursionError as error:
        raise ValueError(str(error)) from None


def quoted(value: Any) -> str:
    """A text in double quotes with JSON escapes; any other value as compact JSON.

    A value that JSON cannot represent is written as its Python ``repr``.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=repr)
    return _escaped(text)


def _escaped(text: str) -> str:
    if is_printable(text):
        return text
    return "".join(c if is_printable(c) else json.dumps(c)[1:-1] for c in text)
