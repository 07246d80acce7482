"""Writes settings: the words that read as the same object, types and all."""

import re
from collections.abc import Mapping
from typing import Any

from fluxtui.notation.json_line import dump, quoted

#: Words that are no texts.
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
CONSTANTS = {"true": True, "false": False, "null": None}

# What needs no quotes as a key or as a text.
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")
_PLAIN_TEXT = re.compile(r"(?:\{\{|[^\s\"'\[\]{}=])\S*(?<!,)")


def format(settings: Mapping[str, Any]) -> str:
    """The settings of an object that `parse` reads as the same object, types and all.

    Objects within objects are written with dots, empty ones and lists as JSON. ValueError where
    JSON has no form for a value.
    """
    try:
        return " ".join(_settings(settings, "")) if settings else "{}"
    except RecursionError:
        raise ValueError("more levels than can be written") from None


def _settings(settings: Mapping[str, Any], before: str) -> list[str]:
    words: list[str] = []
    for key, value in settings.items():
        if not isinstance(key, str):
            raise ValueError("a key is no string")
        name = before + key_text((key,))
        if isinstance(value, Mapping) and value:
            words += _settings(value, f"{name}.")
        else:
            words.append(f"{name}={value_text(value)}")
    return words


def key_text(path: tuple[str, ...]) -> str:
    """The keys that lead to a setting, in quotes where they need them."""
    return ".".join(part if _PLAIN_KEY.fullmatch(part) else quoted(part) for part in path)


def value_text(value: Any) -> str:
    """One value as a setting has it; ValueError where JSON has no form for it."""
    if not isinstance(value, str):
        return dump(value)
    plain = _PLAIN_TEXT.fullmatch(value) and value.isprintable() and value not in CONSTANTS
    return value if plain and not NUMBER.fullmatch(value) else quoted(value)
