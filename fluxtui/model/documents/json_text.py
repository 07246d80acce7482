"""JSON texts: their value, and where a part of it stands (RFC 8259)."""

import json
import re
from collections.abc import Iterator, Sequence
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from fluxtui.notation.problem import Problem, Span

RULE = "RFC 8259"

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


class JsonText(NamedTuple):
    """The value of a JSON text; ok is False where the text is not JSON and there is none."""

    value: Any
    ok: bool
    problems: tuple[Problem, ...] = ()


def read(text: str) -> JsonText:
    """Read a JSON text; a syntax error has a span.

    Infinity and NaN are problems. A key that stands twice in an object is a warning, for the last
    one counts wherever Flux reads JSON.
    """
    constants: list[str] = []
    twice: list[str] = []

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice.append(_repeated([key for key, _ in pairs]))
        return found

    try:
        value = json.loads(text, parse_constant=constants.append, object_pairs_hook=members)
    except (ValueError, RecursionError) as error:
        return JsonText(None, False, (syntax_problem(error, text),))
    if constants:
        return JsonText(None, False, (_constant(constants[0], text),))
    return JsonText(value, True, _repeats(text, twice))


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


def _constant(name: str, text: str) -> Problem:
    """A number that JSON does not have, with the place of the first one."""
    signs = re.finditer(r'"(?:[^"\\]|\\.)*"|-?Infinity|NaN', text)
    span = next((Span(*sign.span()) for sign in signs if sign[0] == name), None)
    return Problem(f"'{name}' is not JSON", span, None, ("a number", "null"), RULE)


def _repeated(keys: list[str]) -> str:
    """The first key that stands for the second time."""
    seen: set[str] = set()
    for key in keys:
        if key in seen:
            break
        seen.add(key)
    return key


def _repeats(text: str, keys: list[str]) -> tuple[Problem, ...]:
    """A warning for each object with a key that stands twice; with places in texts of some size."""
    if not keys:
        return ()
    if len(text) <= _TOKENIZED:
        from fluxtui.notation import json_text

        found = json_text.parse(text)
        if found.ok:
            return found.problems
    return tuple(
        Problem(f"duplicate key '{key}'; the last one counts", rule=RULE, severity="warning")
        for key in dict.fromkeys(keys)
    )


_SPACE = re.compile(r"[ \t\r\n]*")


class Member(NamedTuple):
    """A part of a JSON list or object: its key or index, and where it stands.

    span is that of the key, or of the item; the value stands from first to last.
    """

    step: str | int
    span: Span
    first: int
    last: int


class Places:
    """Finds where parts of a JSON text stand. The text has to be JSON.

    Each list and object on the way to a part is gone through once.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        decoder: Any = json.JSONDecoder()
        self._decode = decoder.scan_once
        self._known: dict[int, list[Member]] = {}
        self._steps: dict[int, dict[str | int, Member]] = {}

    def find(self, steps: Sequence[str | int]) -> tuple[Span | None, int]:
        """The last part on the way of a path that is there, and how many steps lead to it."""
        here = self._skip(0)
        found = None
        for number, step in enumerate(steps):
            try:
                place = self._parts(here).get(step)
            except (StopIteration, ValueError, IndexError, RecursionError):
                place = None
            if place is None:
                return found, number
            found, here = place.span, place.first
        return found, len(steps)

    def whole(self) -> Member:
        """The value of the text."""
        first = self._skip(0)
        _, last = self._decode(self._text, first)
        return Member(0, Span(first, last), first, last)

    def members(self, start: int) -> list[Member]:
        """The parts of the list or object that begins here, in order, also those that repeat."""
        known = self._known.get(start)
        if known is None:
            known = self._known[start] = list(self._members(start))
        return known

    def _skip(self, index: int) -> int:
        match = _SPACE.match(self._text, index)
        return match.end() if match else index

    def _parts(self, start: int) -> dict[str | int, Member]:
        """The parts by key or index; of a key that repeats the last one."""
        parts = self._steps.get(start)
        if parts is None:
            parts = self._steps[start] = {member.step: member for member in self.members(start)}
        return parts

    def _members(self, start: int) -> Iterator[Member]:
        text = self._text
        if text[start] not in "{[":
            return
        is_object = text[start] == "{"
        index = self._skip(start + 1)
        count = 0
        while text[index] not in "}]":
            if text[index] == ",":
                index = self._skip(index + 1)
            first = index
            step: str | int = count
            if is_object:
                step, index = scanstring(text, index + 1)
                span = Span(first, index)
                first = self._skip(self._skip(index) + 1)
            _, end = self._decode(text, first)
            yield Member(step, span if is_object else Span(first, end), first, end)
            index = self._skip(end)
            count += 1
