"""JSON on one line, of characters that a terminal prints (RFC 8259)."""

import json
from typing import Any


def dump(value: Any) -> str:
    """A value as compact JSON, with control characters as escapes.

    Raises ValueError where JSON has no form for it: numbers without end, keys that are no strings,
    dates, numbers of thousands of digits, more levels than can be written.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, RecursionError) as error:
        raise ValueError(str(error)) from None
    if not _keys_are_strings(value):
        raise ValueError("a key is no string")
    return _escaped(text)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError("a number is too large")
    return value


#: Reads JSON as RFC 8259 has it: without Infinity and NaN, and no number becomes one of them.
DECODER = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite)


def load(text: str) -> Any:
    """The value of a JSON text; ValueError where it is none."""
    try:
        return DECODER.decode(text)
    except RecursionError as error:
        raise ValueError(str(error)) from None


def quoted(text: str) -> str:
    """A text in double quotes, with the escapes of JSON."""
    return _escaped(json.dumps(text, ensure_ascii=False))


def _escaped(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def _keys_are_strings(value: Any) -> bool:
    """JSON would make strings of keys that are numbers, and so another value."""
    waiting = [value]
    while waiting:
        here = waiting.pop()
        if isinstance(here, dict):
            if not all(isinstance(key, str) for key in here):
                return False
            waiting.extend(here.values())
        elif isinstance(here, list | tuple):
            waiting.extend(here)
    return True
