"""JSON a person is typing: its value, its colours, and where each part of it stands (RFC 8259)."""

import json
import re
from typing import Any, NamedTuple

from fluxtui.notation.places import Place, Places
from fluxtui.notation.problem import MAX_LENGTH, Problem, Span, Token, at, too_long

#: Levels of nesting a text may have.
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


def _bare(piece: str, expected: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """What is wrong with a word that stands in no double quotes, and what was expected."""
    constant = {"none": "null", "nil": "null"}.get(piece.lower(), piece.lower())
    if constant in expected:
        return f"unknown constant '{piece}'; did you mean {constant}?", (constant,)
    if piece[0] == "'":
        return "a string stands in double quotes, not in single ones", ('"',)
    if piece[0].isalpha() and len(piece) <= 40:
        return f"'{piece}' needs double quotes", (f'"{piece}"',)
    return "", expected


class JsonText(NamedTuple):
    """A JSON text as far as it makes sense.

    value     the document, or None where there is a problem (ok tells it from a null)
    tokens    the coloured pieces, in order, those behind a problem as well
    places    where each value and each key of the document stands, by path; a key has the path
              of its value, and the value of a key that of the same path with ``=`` before it
    problems  the first thing that is wrong, and keys that occur twice
    expected  what may come next at the end of the text
    """

    value: Any
    tokens: tuple[Token, ...]
    places: Places
    problems: tuple[Problem, ...]
    expected: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """No problem is an error (warnings may stand)."""
        return not any(p.severity == "error" for p in self.problems)


class _WrongError(Exception):
    """Reading stops here: what is wrong and what was expected."""

    def __init__(self, message: str, span: Span, expected: tuple[str, ...]) -> None:
        super().__init__(message)
        self.problem = Problem(message, span, None, expected, "RFC 8259")


class _Reader:
    """Reads one text; see `parse`."""

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
        """The next punctuation sign, or the kind of the next piece; "" at the end."""
        if self.index >= len(self.pieces):
            return ""
        kind, span = self.pieces[self.index]
        return self.text[span.start] if kind == "punctuation" else kind

    def wrong(self, expected: tuple[str, ...], message: str = "") -> _WrongError:
        """Something else stands here than expected, or nothing."""
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
            message, expected = _bare(piece, expected)
        if kind == "open":
            return _WrongError("the string is not closed", span, ("'\"'",))
        if kind == "bad":
            return _WrongError("the string has a bad escape or a control character", span, ())
        return _WrongError(message or f"'{piece[:40]}' does not belong here", span, expected)

    def take(self, *expected: str) -> Span:
        """The next piece, which has to be this sign."""
        if self.peek() not in expected:
            raise self.wrong(tuple(f"'{sign}'" for sign in expected))
        self.index += 1
        return self.pieces[self.index - 1][1]

    def document(self) -> object:
        """document : value , and nothing behind it."""
        value, _ = self.value("", 1)
        if self.index < len(self.pieces):
            raise self.wrong((), "nothing may follow the end of the document")
        return value

    def value(self, path: str, depth: int) -> tuple[Any, Span]:
        """value : object | array | string | number | 'true' | 'false' | 'null'"""
        kind = self.peek()
        if depth > MAX_DEPTH:
            raise self.wrong((), f"the text is nested deeper than {MAX_DEPTH} levels")
        if kind in {"{", "["}:
            start = self.take(kind).start
            found = self.object(path, depth) if kind == "{" else self.array(path, depth)
            span = Span(start, self.pieces[self.index - 1][1].end)
            self.places[f"={path}"] = Place(span)
            return found, span
        if kind not in {"string", "number", "constant"}:
            raise self.wrong(_VALUE)
        span = self.take(kind)
        piece = self.text[slice(*span)]
        plain = kind == "string" and "\\" not in piece
        self.places[f"={path}"] = Place(
            span, (Span(span.start + 1, span.end - 1),) if plain else ()
        )
        try:
            return json.loads(piece), span
        except ValueError:
            raise _WrongError("the number is too long", span, ()) from None

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
                message = f"the key '{key}' occurs twice; the last one counts"
                self.problems.append(Problem(message, span, here, (), "RFC 8259", "warning"))
            self.places[here] = Place(span)
            self.take(":")
            found[key], _ = self.value(here, depth + 1)
            if self.text[self.take(",", "}").start] == "}":
                return found

    def array(self, path: str, depth: int) -> list[Any]:
        """array : '[' [ value ( ',' value )* ] ']'"""
        found: list[Any] = []
        if self.peek() == "]":
            self.take("]")
            return found
        while True:
            value, _ = self.value(at(path, len(found)), depth + 1)
            found.append(value)
            if self.text[self.take(",", "]").start] == "]":
                return found


def parse(text: str) -> JsonText:
    """Read a JSON text; never fails, stops reading (not colouring) at the first problem."""
    if len(text) > MAX_LENGTH:
        token = Token("error", Span(0, len(text)))
        return JsonText(None, (token,), {}, (too_long("text", text, "RFC 8259"),), ())
    reader = _Reader(text)
    value: Any = None
    expected: tuple[str, ...] = ()
    try:
        value = reader.document()
    except _WrongError as wrong:
        reader.problems.append(wrong.problem)
        if reader.index >= len(reader.pieces) or reader.peek() == "open":
            expected = wrong.problem.expected
    tokens = []
    for index, (kind, span) in enumerate(reader.pieces):
        colour = (
            "key" if index in reader.keys else {"open": "error", "bad": "error"}.get(kind, kind)
        )
        tokens.append(Token(colour, span))
    return JsonText(value, tuple(tokens), reader.places, tuple(reader.problems), expected)
