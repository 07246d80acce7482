"""Values of JSON (RFC 8259): which are some, and which are the same."""

import marshal
import math
from collections.abc import Sequence
from typing import Any, TypeAlias

from fluxtui.model.jobspec.resources import shown
from fluxtui.notation.problem import Problem, at, no_character

RULE = "RFC 8259"

#: Levels of lists and objects; writing more of them may fail.
MAX_LEVELS = 200

#: The keys and indices that lead to a value, the last one first.
_Trail: TypeAlias = "tuple[str | int, _Trail] | None"


def problem(value: object, *, only_text: bool = True) -> Problem | None:
    """Why a value cannot be written as JSON, with the path of the part that cannot; None if it can.

    Numbers are finite, keys are strings, dates are none of its values, and strings are text:
    without only_text they may hold lone surrogates.
    """
    waiting: list[tuple[Any, _Trail, int]] = [(value, None, 0)]
    while waiting:
        here, trail, level = waiting.pop()
        if isinstance(here, dict):
            odd = next((key for key in here if not isinstance(key, str)), None)
            if odd is not None:
                return _wrong(f"a key is a string; found {shown(odd)}", trail)
            halved = next((p for key in here if (p := no_character(key))), None)
            if halved is not None and only_text:
                return _wrong(f"in a key {halved.message}", trail)
            waiting += [(child, (key, trail), level + 1) for key, child in here.items()]
        elif isinstance(here, list | tuple):
            waiting += [(child, (key, trail), level + 1) for key, child in enumerate(here)]
        elif isinstance(here, float) and not math.isfinite(here):
            return _wrong("a number is larger than JSON documents of Flux may have", trail)
        elif isinstance(here, str):
            if only_text and (halved := no_character(here)) is not None:
                return _wrong(halved.message, trail)
        elif here is not None and not isinstance(here, int | float):
            return _wrong(f"'{here}' is no value that JSON has", trail)
        if level > MAX_LEVELS:
            return _wrong(f"more than {MAX_LEVELS} levels within each other are not read", None)
    return None


def _wrong(message: str, trail: _Trail) -> Problem:
    steps: list[str | int] = []
    while trail is not None:
        step, trail = trail
        steps.append(step)
    return Problem(message, None, at("", *reversed(steps)) or None, (), RULE)


def identical(one: Any, other: Any) -> bool:
    """Equal, and of the same types all through: 1, 1.0 and true are three values.

    Lists are compared one by one, which is quick where they hold the same objects.
    """
    if type(one) is type(other) and isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return _is_same(one, other)


def known_again(values: Sequence[Any], known: Sequence[Any]) -> list[Any]:
    """The values of a list, each as the object that is known already where one is identical.

    It is looked for at the same place: counted from the front, and from the end where both lists
    end alike. What is known of the objects is then known of the list.
    """
    first, last, most = 0, 0, min(len(values), len(known))
    while first < most and _is_same(values[first], known[first]):
        first += 1
    while last < most - first and _is_same(values[-1 - last], known[-1 - last]):
        last += 1
    middle, others = list(values[first : len(values) - last]), known[first : len(known) - last]
    for number, old in enumerate(others[: len(middle)]):
        if _is_same(middle[number], old):
            middle[number] = old
    return [*known[:first], *middle, *known[len(known) - last :]]


def _is_same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    try:
        # Version 0 writes each value by its type and has no references: equal bytes, equal values.
        if marshal.dumps(one, 0) == marshal.dumps(other, 0):
            return True
    except ValueError:  # such as a date, or too many levels
        pass
    return _identical(one, other)


def _identical(one: Any, other: Any) -> bool:
    if one is other or type(one) is not type(other):
        return one is other
    if isinstance(one, dict):
        return list(one) == list(other) and all(_identical(one[k], other[k]) for k in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_identical, one, other))
    return bool(one == other)
