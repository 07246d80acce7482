"""Counts of a resource: one number, an idset of numbers, or a range (RFC 14, RFC 45).

count    : '[' value ']' | value
value    : INTEGER | IDSET | range
range    : MIN '-' MAX step? | MIN '+' step?
step     : ':' OPERAND (':' ('+' | '*' | '^'))?
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from typing import Any, Literal, TypeAlias

from fluxtui.notation.json_value import is_whole, shown
from fluxtui.notation.problem import (
    Completion,
    Parsed,
    Problem,
    Severity,
    Span,
    at,
    capped,
    is_digits,
    listed,
    shortened,
)
from fluxtui.notation.sets import idset
from fluxtui.notation.sets.idset import IdSet

RULE = "RFC 45"

# No machine has more of anything.
MAX_DIGITS = 100

# The values of a range end before one exceeds this many bits; exponents may be arbitrarily large.
_MAX_BITS = 4096

_OPERATORS = ("+", "*", "^")

WANTED = ("a number such as 4", "a range such as 2-8 or 2+", "an idset such as 2,4,8")


@dataclass(frozen=True, slots=True)
class Range:
    """The values from min to max; each is the previous one, operator, operand (RFC 14)."""

    min: int
    max: int | None = None
    operand: int = 1
    operator: str = "+"


Count: TypeAlias = int | Range | IdSet
Style: TypeAlias = Literal["dict", "string"]


# Reading a text


def parse(text: str, offset: int = 0) -> Parsed[Count | None]:
    """Read a count (RFC 46's ``count``, which is RFC 14's number, RFC 22 idset or RFC 45 range).

    After a problem the value is what could be read of the text, or None.
    """
    start, end = 0, len(text)
    if text[:1] == "[" and text[-1:] == "]" and end > 1:
        start, end = 1, end - 1
    inner = text[start:end]
    reader = _Reader(inner, offset + start)
    if "," not in inner:
        return Parsed(reader.count(), tuple(reader.problems))
    ids, problems = idset.parse(inner, offset + start)
    if not ids:
        return Parsed(None, problems)
    if ids.first == 0:
        message = "0 is not a count; a count is 1 or more"
        end = 1 if inner[0] == "0" else len(inner)
        reader.problem(message, 0, end, "1 or more", rule="RFC 14")
    return Parsed(ids.first if len(ids) == 1 else ids, (*problems, *reader.problems))


class _Reader:
    def __init__(self, text: str, offset: int) -> None:
        self.text = text
        self.offset = offset
        self.pos = 0
        self.problems: list[Problem] = []

    def problem(self, message: str, start: int, end: int, *expected: str, rule: str = RULE) -> None:
        span = Span(self.offset + start, self.offset + end)
        self.problems.append(Problem(message, span, expected=expected, rule=rule))

    def count(self) -> Count | None:
        """count : MIN range?"""
        text = self.text
        if text[:1] == "[":
            self.problem("the bracket '[' is not closed", 0, 1, "']'")
            return None
        if not is_digits(text[:1]):
            message = f"'{shortened(text)}' is not a count" if text else "a count is missing"
            self.problem(message, 0, len(text), *WANTED)
            return None
        low, span = self.number("count")
        value: Count | None = low
        if low is not None and text[self.pos :].startswith(("-", "+")):
            value = self.range(low, span)
        rest = text[self.pos :]
        if rest == "]":
            self.problem("']' closes nothing; no '[' is open", self.pos, len(text))
        elif rest:
            message = f"'{shortened(rest)}' does not belong in a count"
            self.problem(message, self.pos, len(text), *WANTED)
        return value

    def range(self, low: int, low_span: tuple[int, int]) -> Count:
        """range : ('-' MAX | '+') (':' OPERAND (':' OPERATOR)?)?"""
        value = Range(low)
        self.pos += 1
        high_span = step_span = (0, 0)
        if self.text[self.pos - 1] == "-":
            high, high_span = self.number("largest count")
            if high is None:
                return low
            value = replace(value, max=high)
        if self.text.startswith(":", self.pos):
            self.pos += 1
            operand, step_span = self.number("operand")
            if operand is not None:
                value = replace(value, operand=operand, operator=self.operator())
        spans = (low_span, high_span, step_span)
        wanted = ("2 or more", f"{low} or more", "2 or more")
        for span, message, expected in zip(spans, broken(value), wanted, strict=True):
            if message:
                self.problem(message, *span, expected, rule="RFC 14")
        return value

    def operator(self) -> str:
        """(':' OPERATOR)?"""
        rest = self.text[self.pos :]
        if rest[:1] != ":":
            return "+"
        if rest[1:2] and rest[1] in _OPERATORS:
            self.pos += 2
            return rest[1]
        start, self.pos = self.pos, len(self.text)
        message = "the operator is missing after ':'"
        if rest != ":":
            start, message = start + 1, f"'{shortened(rest[1:])}' is not an operator"
        self.problem(message, start, self.pos, *_OPERATORS)
        return "+"

    def number(self, name: str) -> tuple[int | None, tuple[int, int]]:
        """Read a positive decimal number without leading zeroes; return it and where it is."""
        start, text = self.pos, self.text
        digits = re.match("[0-9]*", text[start:])[0]  # type: ignore[index]
        self.pos += len(digits)
        span = (start, self.pos)
        a_name = f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
        if not digits:
            self.pos = len(text)
            if start < len(text):
                message = f"'{shortened(text[start:])}' is not a number"
                self.problem(message, start, len(text), a_name)
            else:
                message = f"the {name} is missing after '{text[start - 1]}'"
                self.problem(message, start - 1, len(text), a_name)
            return None, span
        if len(digits) > MAX_DIGITS:
            self.problem(f"a number of {len(digits)} digits is too large", *span)
            return None, span
        number = int(digits)
        if number == 0:
            self.problem(f"0 is not {a_name}; it is 1 or more", *span, "1 or more", rule="RFC 14")
            return None, span
        if digits[0] == "0":
            self.problem(f"'{digits}' has leading zeroes", *span, str(number))
        return number, span


def broken(value: Range) -> tuple[str, str, str]:
    """Messages about min, max and operand where they break RFC 14, each ``""`` if it is fine."""
    low = top = step = ""
    if value.max is not None and value.max < value.min:
        top = f"the largest count, {shown(value.max)}, is below the smallest, {shown(value.min)}"
    if value.operator == "^" and value.min < 2:
        low = "with ^ the smallest count is 2 or more, or it would never grow"
    if value.operator in ("*", "^") and value.operand < 2:
        step = f"with {value.operator} the operand is 2 or more, or the count would never grow"
    return low, top, step


# Writing


def format(count: Count) -> str:
    """The text that `parse` reads back as this count, without brackets (RFC 45)."""
    if isinstance(count, int):
        return str(count)
    if not isinstance(count, Range):
        ranges = count.ranges
        if len(ranges) > 1 or not ranges or ranges[0][0] == ranges[0][1]:
            return str(count)
        # A single run would read back as a range, so its first number is written separately.
        first, last = ranges[0]
        return f"{first},{last}" if last == first + 1 else f"{first},{first + 1}-{last}"
    text = f"{count.min}+" if count.max is None else f"{count.min}-{count.max}"
    if count.operator != "+":
        return f"{text}:{count.operand}:{count.operator}"
    return text if count.operand == 1 else f"{text}:{count.operand}"


def describe(count: Count, of: str = "") -> str:
    """The count in words, such as ``2 or more`` or ``4, 9, 16 or 25``.

    of is what is counted, in the plural if there may be several: ``8 to 16 cores in steps of 4``.
    """
    of = of and f" {of}"
    if isinstance(count, int):
        return f"{shown(count)}{of}"
    if not isinstance(count, Range):
        parts = [str(a) if a == b else f"{a} to {b}" for a, b in count.ranges[:6]]
        if len(count.ranges) > 6:
            return f"{', '.join(parts[:4])} ... up to {count.last}{of}"
        return f"{listed(parts, 'or')}{of}"
    low, high, step = shown(count.min), shown(count.max), shown(count.operand)
    if count.operator == "+":
        if count.min == count.max:
            return f"{low}{of}"
        text = f"{low} or more" if count.max is None else f"{low} to {high}"
        return f"{text}{of}" if count.operand == 1 else f"{text}{of} in steps of {step}"
    parts = list(map(shown, islice(values(count), 5)))
    if len(parts) < 5:
        return f"{listed(parts, 'or')}{of}"
    how = "times" if count.operator == "*" else "to the power"
    until = f"{of or ' ...'} and so on" if count.max is None else f" ... up to {high}{of}"
    return f"{', '.join(parts[:3])}{until} ({how} {step})"


def to_json(count: Count, style: Style = "dict") -> int | str | dict[str, int | str]:
    """The count as RFC 14 JSON: a number, a dictionary for a range, a string for an idset.

    An open range with a step has no legal dictionary (RFC 14 requires ``max`` with
    ``operator``), so it stays a string.
    """
    if isinstance(count, int):
        return count
    if style == "string" or not isinstance(count, Range):
        return format(count)
    if count.max is None:
        plain = count.operand == 1 and count.operator == "+"
        return {"min": count.min} if plain else format(count)
    limits = {"min": count.min, "max": count.max}
    return {**limits, "operator": count.operator, "operand": count.operand}


# JSON (RFC 14)


def from_json(value: object, path: str = "count") -> Parsed[Count | None]:
    """Read the value of RFC 14's ``count``; problems carry paths that start with ``path``."""
    if isinstance(value, Mapping):
        return _from_dict(value, path)
    if isinstance(value, str):
        found, problems = parse(value)
        return Parsed(found, tuple(replace(p, span=None, path=path) for p in problems))
    if isinstance(value, bool) or not isinstance(value, int):
        message = f"a count is a number, a string or a dictionary; found {shown(value)}"
        return Parsed(None, (Problem(message, None, path, WANTED, "RFC 14"),))
    if value < 1:
        message = f"a count is 1 or more; found {shown(value)}"
        return Parsed(None, (Problem(message, None, path, ("1 or more",), "RFC 14"),))
    return Parsed(value)


def _from_dict(value: Mapping[Any, Any], path: str) -> Parsed[Count | None]:
    problems: list[Problem] = []
    keys = ("min", "max", "operator", "operand")

    def problem(message: str, where: str, *expected: str, severity: Severity = "error") -> None:
        problems.append(Problem(message, None, where, expected, "RFC 14", severity))

    for key in value:
        if key not in keys:
            problem(f"a range has no key '{shortened(str(key))}'", path, *keys)
    numbers: dict[str, int] = {}
    for key in ("min", "max", "operand"):
        found: Any = value.get(key)
        if is_whole(found):
            numbers[key] = found
        elif key in value:
            problem(f"{key} is a whole number of 1 or more; found {shown(found)}", at(path, key))
        elif key == "min":
            problem("a range needs its min", path, "min")
    operator = value.get("operator", "+")
    if operator not in _OPERATORS:
        problem(
            f"operator is +, * or ^; found '{shortened(str(operator))}'",
            at(path, "operator"),
            *_OPERATORS,
        )
        operator = "+"
    steps = [key for key in ("operator", "operand") if key in value]
    if len(steps) == 1:
        other = "operand" if steps[0] == "operator" else "operator"
        problem(f"{steps[0]} requires {other}", path, other)
    elif steps and "max" not in value:
        without = "without max, write a string such as 2+:2"
        problem(f"operator and operand require max; {without}", path, "max")
    elif "max" in value and not steps:
        message = "max without operator and operand is legal, but RFC 14's schema refuses it"
        problem(message, path, "operator", "operand", severity="warning")
    if "min" not in numbers:
        return Parsed(None, capped(problems))
    count = Range(numbers["min"], numbers.get("max"), numbers.get("operand", 1), operator)
    for key, message in zip(("min", "max", "operand"), broken(count), strict=True):
        if message:
            smallest = shown(count.min) if key == "max" else "2"
            problem(message, at(path, key), f"{smallest} or more")
    return Parsed(count, capped(problems))


# Values


def values(count: Count) -> Iterator[int]:
    """The legal values, ascending; endless if the range is open, but powers end at 4096 bits."""
    if isinstance(count, int):
        yield count
        return
    if not isinstance(count, Range):
        yield from count
        return
    value = count.min
    while count.max is None or value <= count.max:
        yield value
        before = value
        if count.operator == "+":
            value += count.operand
        elif count.operator == "*":
            value *= count.operand
        elif (value.bit_length() - 1) * count.operand > _MAX_BITS:
            return
        else:
            value **= count.operand
        if value <= before:
            return


def least(count: Count) -> int:
    """The smallest legal value."""
    if isinstance(count, int):
        return count
    return count.min if isinstance(count, Range) else count.first


def greatest(count: Count, limit: int) -> int | None:
    """The largest legal value that is at most ``limit``, or None if all are above it."""
    if isinstance(count, int):
        return count if count <= limit else None
    if not isinstance(count, Range):
        below = [min(last, limit) for first, last in count.ranges if first <= limit]
        return below[-1] if below else None
    if count.max is not None:
        limit = min(limit, count.max)
    if count.operator == "+":
        return limit - (limit - count.min) % count.operand if count.min <= limit else None
    return max(takewhile(lambda value: value <= limit, values(count)), default=None)


# Completion

# Completions of an empty text.
_EXAMPLES = (
    ("2", "two of them"),
    ("2+", "two or more"),
    ("2-8", "two to eight"),
    ("2-16:2:*", "2, 4, 8 or 16"),
    ("4,9,16", "4, 9 or 16"),
)


def completions(text: str, cursor: int) -> list[Completion]:
    """What may be typed at the cursor: examples if nothing is typed yet, else what can follow."""
    cursor = max(0, min(cursor, len(text)))
    before = text[:cursor]
    opened = before.startswith("[")
    before = before[opened:]
    choices: Iterable[tuple[str, str]]
    if not before:
        choices = _EXAMPLES if opened else (*_EXAMPLES, ("[", "a count in brackets"))
    else:
        choices = _after(before)
        if opened and parse(before).ok:
            choices = (*choices, ("]", "the end of the count"))
    return [Completion(sign, Span(cursor, cursor), meaning) for sign, meaning in choices]


def _after(before: str) -> Iterator[tuple[str, str]]:
    last = next(iter(re.findall("[0-9]+", before)[-1:]), "")
    number = str(int(last) + 1) if last and len(last) <= MAX_DIGITS else ""
    if before[-1] in "-,:":
        steps = ("2",) if before.count(":") == 1 else _OPERATORS
        for more in steps if before[-1] == ":" else filter(None, (number,)):
            found = parse(before + more)
            if found.ok and found.value is not None:
                yield more, describe(found.value)
        return
    open_range = parse(f"{before}+")
    if open_range.ok and open_range.value is not None:
        yield "+", describe(open_range.value)
    for sign, more, meaning in (
        ("-", number, "up to the number that follows"),
        (":", "2", "in steps of the number that follows"),
        (":", "+", "the operator: + * or ^"),
        (",", number, "or another number"),
    ):
        begun = re.sub(r"\b([0-9]+)-\1$", r"\1", before) if sign == "," else before
        if more and parse(begun + sign + more).ok:  # after 3-3 as after 3
            yield sign, meaning
