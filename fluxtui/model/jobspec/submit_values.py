"""Values of a jobspec that cannot reach flux-core, since its JSON has no form for them."""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from fluxtui.model.documents.json_value import shown
from fluxtui.model.jobspec.resources import MOST
from fluxtui.model.jobspec.submit_notes import FIRST, Notes
from fluxtui.notation.problem import at

#: The least whole number that flux-core's reader of JSON holds.
LEAST = -(2**63)

# Levels of lists and dictionaries that can be sent.
_MAX_LEVELS = 980

# What a JSON text with such a value has in it, and few others have.
_SUSPECT = re.compile(r"[0-9]{19}|\\u0000|\\ud")
_NUL = "\0"


def check_values(notes: Notes, value: object, path: str = "") -> None:
    """Note each value that is no JSON, or that flux-core's reader of JSON refuses.

    Those are numbers beyond 64 bits or without end, and NUL characters in strings.
    """
    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        _search(notes, value, path)
        return
    if _SUSPECT.search(text):
        _search(notes, value, path)


def _search(notes: Notes, value: object, path: str) -> None:
    """Look at every value, in the order of the document."""
    stack: list[tuple[Any, str, int]] = [(value, path, 1)]
    while stack:
        value, path, level = stack.pop()
        if isinstance(value, Mapping):
            found = [(value[key], at(path, str(key)), level + 1) for key in value]
            for key in value:
                _text(notes, str(key), at(path, str(key)), "a key")
        elif isinstance(value, list | tuple):
            found = [(item, at(path, number), level + 1) for number, item in enumerate(value)]
        else:
            _single(notes, value, path)
            continue
        if level > _MAX_LEVELS:
            notes.add(
                f"more than {_MAX_LEVELS} levels cannot be sent to flux-core", path, turn=FIRST
            )
        else:
            stack.extend(reversed(found))


def _single(notes: Notes, value: object, path: str) -> None:
    """One value that holds no others."""
    if value is None or isinstance(value, bool):
        return
    if isinstance(value, int):
        if not LEAST <= value <= MOST:
            message = "flux-core reads whole numbers of up to 64 bits; this one is larger"
            notes.add(message, path, f"at most {MOST}", turn=FIRST)
    elif isinstance(value, float):
        if not math.isfinite(value):
            message = f"flux-core reads JSON, which has no number {value}"
            notes.add(message, path, "a finite number", turn=FIRST)
    elif isinstance(value, str):
        _text(notes, value, path, "a string")
    else:
        message = f"flux-core reads JSON, which has no form for {shown(value)}"
        notes.add(message, path, "a string", "a number", turn=FIRST)


def _text(notes: Notes, text: str, path: str, what: str) -> None:
    if _NUL in text:
        notes.add(f"flux-core refuses {what} with a NUL character", path, turn=FIRST)
        return
    try:
        text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        notes.add(f"flux-core refuses {what} with half of a character", path, turn=FIRST)
