"""Counts near to one that is refused."""

import re
from collections.abc import Mapping
from typing import Any

from fluxtui.model.documents.json_value import is_whole
from fluxtui.model.jobspec.request import MAX_INTEGER
from fluxtui.notation import count as counts
from fluxtui.notation.count import Range

_KEYS = ("min", "max", "operand")


def is_range(count: Any) -> bool:
    """Whether a count is legal and allows more than one number."""
    read = counts.from_json(count)
    return read.ok and read.value is not None and not isinstance(read.value, int)


def fixed(count: Any) -> int:
    """One number for a count: itself, the least of a range, or what is nearest to a wrong one."""
    if is_whole(count):
        return min(int(count), MAX_INTEGER)
    if isinstance(count, float) and 1 <= count < 1e9:
        return round(count)
    found = None if isinstance(count, bool | float) else counts.from_json(count).value
    if found is not None:
        return counts.least(found)
    if isinstance(count, Mapping):
        numbers = [number for key in _KEYS[:2] if (number := _number(count.get(key)))]
        return numbers[0] if numbers else 1
    return (_number(count) or 1) if isinstance(count, str) else 1


def most(count: Any) -> int | None:
    """The largest number of a legal count; None where there is none, or only one."""
    if not is_range(count):
        return None
    found = counts.from_json(count).value
    if isinstance(found, Range):
        return None if found.max is None else counts.greatest(found, found.max)
    return None if found is None or isinstance(found, int) else found.last


def mended(count: Any) -> int | str | dict[str, int | str] | None:
    """A legal count that says what a wrong text or dictionary most likely meant, if it says it."""
    if isinstance(count, str):
        made = counts.parse(count).value
    elif isinstance(count, Mapping):
        made = _range(count)
    else:
        return None
    if made is None:
        return None
    out = counts.to_json(made)
    return out if counts.from_json(out).ok and out != count else None


def in_words(count: int | str | dict[str, int | str]) -> str:
    """A legal count for a label."""
    value = counts.from_json(count).value
    return str(count) if value is None else counts.describe(value)


def _range(count: Mapping[Any, Any]) -> Range | None:
    """The range of a dictionary, with what is wrong in it put right."""
    low, high, step = (_number(count.get(key)) for key in _KEYS)
    if low is None and high is None:
        return None
    operator = count.get("operator")
    operator = operator if operator in ("+", "*", "^") else "+"
    low = 1 if low is None else low
    if high is not None and high < low:
        low, high = high, low
    if operator == "^":
        low = max(low, 2)
    least = 1 if operator == "+" else 2
    made = Range(low, high, max(least, step or 1), operator)
    return made if high is None or high >= low else None


def _number(value: Any) -> int | None:
    """A positive whole number in a value or in the digits that a text begins with."""
    if is_whole(value):
        return int(value)
    if isinstance(value, float) and 1 <= value < 1e9:
        return round(value)
    found = re.search(r"[1-9][0-9]{0,8}", value) if isinstance(value, str) else None
    return int(found[0]) if found else None
