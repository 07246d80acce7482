"""JSON (RFC 8259): the value of a text and where its parts are; which values JSON can hold."""

import json
import math
import re
from collections import Counter
from functools import cached_property
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

from fluxtui.notation import json_text
from fluxtui.notation.json_value import shown
from fluxtui.notation.problem import Parsed, Problem, Span, at, no_character

RULE = "RFC 8259"

# Values

#: Levels of lists and objects; writing more of them may fail.
MAX_LEVELS = 200


def problem(value: object, *, only_text: bool = True) -> Problem | None:
    """Why a value cannot be written as JSON, with the path of the part that cannot; None if it can.

    Numbers are finite, keys are strings, dates are none of its values, and strings are text:
    without only_text they may hold lone surrogates.
    """
    waiting: list[tuple[Any, tuple[str | int, ...]]] = [(value, ())]
    while waiting:
        here, steps = waiting.pop()
        message = ""
        if isinstance(here, dict):
            odd = next((key for key in here if not isinstance(key, str)), None)
            if odd is not None:
                message = f"a key is a string; found {shown(odd)}"
            elif only_text and (halved := next(filter(None, map(no_character, here)), None)):
                message = f"in a key {halved.message}"
            else:
                waiting += [(child, (*steps, key)) for key, child in here.items()]
        elif isinstance(here, list | tuple):
            waiting += [(child, (*steps, key)) for key, child in enumerate(here)]
        elif isinstance(here, float) and not math.isfinite(here):
            message = "a number is larger than JSON documents of Flux may have"
        elif isinstance(here, str):
            if only_text and (halved := no_character(here)) is not None:
                message = halved.message
        elif here is not None and not isinstance(here, int | float):
            message = f"'{here}' is not a value that JSON has"
        if len(steps) > MAX_LEVELS and not message:
            message, steps = f"more than {MAX_LEVELS} levels within each other are not read", ()
        if message:
            return Problem(message, None, at("", *steps) or None, (), RULE)
    return None


# Texts

# What Python's reader says, and what a person is told.
_WORDS = {
    "Expecting value": "a value is missing here",
    "Expecting ',' delimiter": "a ',' is missing here",
    "Expecting ':' delimiter": "a ':' is missing here",
    "Expecting property name enclosed in double quotes": "a key in double quotes is missing here",
    "Illegal trailing comma before end of object": "nothing follows the ','",
    "Illegal trailing comma before end of array": "nothing follows the ','",
    "Unterminated string starting at": "the string is not closed",
    "Invalid control character at": "the string holds a control character or a line break",
    "Invalid \\escape": "the string has an escape that JSON does not know",
    "Invalid \\uXXXX escape": "four hexadecimal digits are missing after \\u",
    "Extra data": "nothing may follow the end of the document",
}

# Beyond this size the repeated key is named without its place.
_TOKENIZED = 1 << 18

# No word or escape of JSON is longer; a number may be, and is then no beginning that ends wrong.
_LONGEST_WORD = 16


def read(text: str) -> Parsed[Any]:
    """Read a JSON text; a syntax error has a span, and no value.

    Infinity and NaN are problems. A duplicate key in an object is a warning, for the last one
    counts wherever Flux reads JSON.
    """
    constants: list[str] = []
    twice: dict[str, None] = {}

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            twice[next(key for key, count in counts.items() if count > 1)] = None
        return found

    try:
        value = json.loads(text, parse_constant=constants.append, object_pairs_hook=members)
    except (ValueError, RecursionError) as error:
        return Parsed(None, (syntax_problem(error, text),))
    if constants:
        signs = re.finditer(r'"(?:[^"\\]|\\.)*"|-?Infinity|NaN', text)
        span = next((Span(*sign.span()) for sign in signs if sign[0] == constants[0]), None)
        message = f"'{constants[0]}' is not JSON"
        return Parsed(None, (Problem(message, span, None, ("a number", "null"), RULE),))
    if twice and len(text) <= _TOKENIZED:
        located = json_text.parse(text)
        if located.ok:
            return Parsed(value, located.problems)
    warnings = (
        Problem(f"duplicate key '{key}'; the last one counts", rule=RULE, severity="warning")
        for key in twice
    )
    return Parsed(value, tuple(warnings))


def broken_beginning(text: str) -> Problem | None:
    """What is wrong with the beginning of a JSON text, whatever follows it; None if nothing is."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        # A text cut within a string, a number or a word is wrong only at its end.
        cut = error.msg.startswith("Unterminated string") or error.pos > len(text) - _LONGEST_WORD
        return None if cut else syntax_problem(error, text)
    except (ValueError, RecursionError) as error:
        return syntax_problem(error, text)
    return None


def syntax_problem(error: Exception, text: str) -> Problem:
    """What Python's reader found wrong with a text, in words for the person who wrote it."""
    if isinstance(error, json.JSONDecodeError):
        place = min(error.pos, len(text))
        words = _WORDS.get(error.msg, "this cannot be read")
        if not text[place:].strip() and "string" not in words:
            words = "the text is not finished"
        span = Span(place, min(place + 1, len(text)))
        return Problem(f"not JSON: {words}", span, None, (), RULE)
    if isinstance(error, RecursionError):
        return Problem("not read: JSON nested too deeply", rule=RULE)
    found = re.search(r"[0-9]{4301}", text)  # the digits that Python reads
    where = Span(found.start(), found.start() + 1) if found else None
    return Problem("not read: a number in the JSON is too long", where, rule=RULE)


_SPACE = re.compile(r"[ \t\r\n]*")

_DECODER: Any = json.JSONDecoder()


class Mark:
    """A value of a JSON text and its place, as `fluxtui.model.documents.yaml_text.Mark` has it.

    The parts of a list or an object are looked for when they are asked for, so that a part of a
    large document is found by going through what leads to it. The text has to be JSON.
    """

    anchor = False
    alias = None
    last = None

    def __init__(self, text: str, start: int = 0, end: int | None = None) -> None:
        """Take the text, and where the value begins and ends; all of the text by default."""
        if end is None:
            start = _skip(text, start)
            end = len(text.rstrip(" \t\r\n"))
        sign = text[start]
        self._text = text
        self.end = end
        self.style = sign if sign in '{["' else ""
        self.span = Span(start, start + 1 if sign in "{[" else end)
        self._repeated = False

    @property
    def odd(self) -> str:
        """Why an object has other keys than those that are written; empty where it has not."""
        return "a duplicate key" if self.parts and self._repeated else ""

    @cached_property
    def parts(self) -> dict[str | int, tuple[Span, "Mark"]]:
        """The parts with the places of their keys, by key or index; a repeated key is its last."""
        text = self._text
        found: dict[str | int, tuple[Span, Mark]] = {}
        if self.style not in {"{", "["}:
            return found
        index = _skip(text, self.span.end)
        while text[index] not in "}]":
            if text[index] == ",":
                index = _skip(text, index + 1)
            first, key_end = index, 0
            step: str | int = len(found)
            if self.style == "{":
                step, key_end = scanstring(text, index + 1)
                first = _skip(text, _skip(text, key_end) + 1)
            _, end = _DECODER.scan_once(text, first)
            span = Span(index, key_end or end)
            self._repeated = self._repeated or step in found
            found[step] = span, Mark(text, first, end)
            index = _skip(text, end)
        return found


def _skip(text: str, index: int) -> int:
    """The place of the next character that is not white space."""
    match = _SPACE.match(text, index)
    return match.end() if match else index
