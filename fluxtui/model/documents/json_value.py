"""JSON values (RFC 8259): which Python values are some, and one in few words for a message."""

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

from fluxtui.notation.problem import Problem, at, no_character

RULE = "RFC 8259"

#: Levels of lists and objects; writing more of them may fail.
MAX_LEVELS = 200

_KINDS: tuple[tuple[type, str], ...] = (
    (str, "a string"),
    (Mapping, "a dictionary"),
    (list, "a list"),
)

_WORDS = {None: "null", True: "true", False: "false"}

#: The keys and indices that lead to a value, the last one first.
_Trail: TypeAlias = "tuple[str | int, _Trail] | None"


def shown(value: object) -> str:
    """A value of a document in few words: numbers as they are, else its kind."""
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    if isinstance(value, int) and value.bit_length() > 100:  # Python writes no number without end
        return "a long number"
    if isinstance(value, int | float):
        return str(value) if len(str(value)) <= 24 else "a long number"
    return next((name for kind, name in _KINDS if isinstance(value, kind)), "another value")


def is_whole(value: object, least: int = 1) -> bool:
    """Whether a value is an integer of at least this much; true and 2.0 are none."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


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
            return _wrong(f"'{here}' is not a value that JSON has", trail)
        if level > MAX_LEVELS:
            return _wrong(f"more than {MAX_LEVELS} levels within each other are not read", None)
    return None


def _wrong(message: str, trail: _Trail) -> Problem:
    steps: list[str | int] = []
    while trail is not None:
        step, trail = trail
        steps.append(step)
    return Problem(message, None, at("", *reversed(steps)) or None, (), RULE)
