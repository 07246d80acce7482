"""Durations written as ``N[ms|s|m|h|d]`` (RFC 23, Flux Standard Duration)."""

import math
import re

from fluxtui.notation.problem import Completion, Parsed, Problem, Span, is_digits, plural, shortened

RULE = "RFC 23"

#: The longest text that is read, in characters.
MAX_LENGTH = 1000

# Suffix, seconds, and name of each unit.
UNITS = (
    ("d", 86400.0, "day"),
    ("h", 3600.0, "hour"),
    ("m", 60.0, "minute"),
    ("s", 1.0, "second"),
    ("ms", 0.001, "millisecond"),
)

_SECONDS = {suffix: seconds for suffix, seconds, _ in UNITS}
_SUFFIXES = ("ms", "s", "m", "h", "d")

# What C99 strtod accepts, except for the sign and NaN.
_HEX = r"0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+)?"
# Unambiguous: otherwise matching many numbers in a row would take exponential time.
_NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_DECIMAL = rf"{_NUMBER}(?:[eE][+-]?[0-9]+)?"
_FORM = rf"[ \t\n\v\f\r]*([+-]?)(?:({_HEX})|({_DECIMAL})|((?i:infinity|inf)))(.*)"


def parse(text: str, offset: int = 0) -> Parsed[float | None]:
    """Read a duration as seconds (RFC 23); ``inf`` and ``infinity`` are ``math.inf``.

    Numbers are those of C99 ``strtod``: decimal or hexadecimal, optionally after white space
    and a sign. Spans of problems count from ``offset``; the value is None if the text is not
    a duration.
    """

    def refused(message: str, start: int, *expected: str) -> Parsed[float | None]:
        wanted = expected or ("a number and a unit such as 30s, 1.5h or 2d", "inf")
        span = Span(offset + start, offset + len(text))
        return Parsed(None, (Problem(message, span, expected=wanted, rule=RULE),))

    found = re.fullmatch(_FORM, text, re.DOTALL) if len(text) <= MAX_LENGTH else None
    if found is None:
        blank = not text[:MAX_LENGTH].strip()
        what = "a duration is missing" if blank else f"'{shortened(text)}' is not a duration"
        return refused(what, 0)
    sign, hexadecimal, decimal, infinite, suffix = found.groups()
    rest = found.start(5)
    if infinite and suffix:
        message = f"an infinite duration takes no unit; found '{shortened(suffix)}'"
        return refused(message, rest, "the end of the text")
    if suffix and suffix not in _SECONDS:
        message, wanted = _unit(text, text[:rest], suffix)
        return refused(message, rest, *wanted)
    try:
        number = float.fromhex(hexadecimal) if hexadecimal else float(decimal or "inf")
    except OverflowError:
        number = math.inf
    if sign == "-" and number > 0:
        return refused("a duration is 0 or more", 0, "0 or more")
    # Division rounds only once; 0.001 is already rounded.
    seconds = number / 1000 if suffix == "ms" else number * _SECONDS.get(suffix, 1.0)
    if math.isinf(seconds) and not infinite:
        message = f"'{shortened(text)}' is more than a number can hold and counts as infinite"
        span = Span(offset, offset + len(text))
        return Parsed(math.inf, (Problem(message, span, rule=RULE, severity="warning"),))
    return Parsed(abs(seconds))


# How the names of units begin, and the suffix in RFC 23; "" for months, which have none.
_WORDS = (("ms", "ms"), ("mil", "ms"), ("mo", ""), ("s", "s"), ("m", "m"), ("h", "h"), ("d", "d"))


def _unit(text: str, number: str, suffix: str) -> tuple[str, tuple[str, ...]]:
    word = suffix.strip()
    if word in _SECONDS or not word:
        return "white space does not belong in a duration", (f"{number.strip()}{word}",)
    if re.fullmatch(rf"(?:\s*{_NUMBER}\s*(?:ms|[smhd]))+\s*", text):
        parts = re.findall(rf"({_NUMBER})\s*(ms|[smhd])", text)
        total = sum(float(value) * _SECONDS[unit] for value, unit in parts)
        return "a duration has one number and one unit", (format(round(total, 3)),)
    if word[0] == "," and is_digits(word[1:2]):
        return "the decimal point of a duration is '.', not ','", (text.replace(",", ".", 1),)
    if word[0] == ":":
        return "a duration is one number and one unit, not hours and minutes", ("1.5h", "90m")
    near = next((unit for start, unit in _WORDS if word.lower().startswith(start)), "")
    if near and word.isalpha() and len(word) <= 12:
        message = f"'{word}' is not a unit of time; did you mean {near}?"
        return message, (f"{number.strip()}{near}",)
    return f"'{shortened(word)}' is not a unit of time", _SUFFIXES


def format(seconds: float) -> str:
    """The shortest RFC 23 text that `parse` reads back as exactly this many seconds.

    ValueError for a negative number and for NaN, which are not durations.
    """
    if not seconds >= 0:
        raise ValueError(f"not a duration: {seconds}")
    if math.isinf(seconds):
        return "inf"
    if not seconds:
        return "0"
    seconds = float(seconds)
    best = _plain(seconds)
    rank = (len(best), True)
    for suffix, size, _ in UNITS:
        number = seconds * 1000 if suffix == "ms" else seconds / size
        if math.isinf(number):
            continue
        text = _plain(number) + suffix
        # Of two equally short texts, one with a whole number of a unit is clearer: 1m, not 60.
        new = (len(text), not number.is_integer())
        if new < rank and parse(text).value == seconds:
            best, rank = text, new
    return best


def _plain(number: float) -> str:
    text = repr(number).replace("e+", "e").replace("e-0", "e-")
    return text.removesuffix(".0")


def describe(seconds: float) -> str:
    """The duration in words, such as ``1 hour 30 minutes``; ``unlimited`` if it is infinite.

    The seconds are rounded to thousandths; a duration below one second is in milliseconds.
    """
    if math.isinf(seconds):
        return "unlimited"
    parts: list[tuple[float, str]] = []
    if 0 < seconds < 1:
        parts.append((round(seconds * 1000, 6), "millisecond"))
    else:
        left = round(seconds, 3)
        for _, size, name in UNITS[:3]:
            number, left = divmod(left, size)
            parts.append((number, name))
        left = round(left, 3)
        parts = [(number, name) for number, name in parts if number]
        if left or not parts:
            parts.append((left, "second"))
    return " ".join(
        f"{int(number) if number == int(number) else f'{number:.6g}'} {plural(name, number)}"
        for number, name in parts
    )


def brief(seconds: float) -> str:
    """The duration in at most six columns: ``45s``, ``12m``, ``3h05m``, ``2d04h``, ``120d``."""
    minutes, rest = divmod(int(max(seconds, 0)), 60)
    hours, days = minutes // 60, minutes // 1440
    if days:
        return f"{days}d{hours % 24:02}h" if days < 100 else f"{min(days, 99_999)}d"
    if hours:
        return f"{hours}h{minutes % 60:02}m"
    return f"{minutes}m" if minutes else f"{rest}s"


_EXAMPLES = ("30s", "10m", "1h", "1.5h", "1d", "inf")


def completions(text: str, cursor: int) -> list[Completion]:
    """What may be typed at the cursor: example durations, or a unit after a number."""
    cursor = max(0, min(cursor, len(text)))
    before = text[:cursor]
    number = re.fullmatch(rf"({_NUMBER})([a-z]*)", before[:MAX_LENGTH])
    if number is None:
        offers = [word for word in _EXAMPLES if word.startswith(before) and word != before]
        start = 0
    else:
        begun = number[2]
        offers = [unit for unit in _SUFFIXES if unit.startswith(begun) and unit != begun]
        start = number.start(2)
    out = []
    for offer in offers:
        seconds = parse(before[:start] + offer).value
        if seconds is not None:
            out.append(Completion(offer, Span(start, cursor), describe(seconds)))
    return out
