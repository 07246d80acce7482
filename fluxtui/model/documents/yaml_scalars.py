"""The values of YAML scalars, as YAML 1.1 reads them and JSON can hold them."""

import math
import re
from typing import Any

from fluxtui.notation.problem import Problem

# No number of a document is longer; reading one takes time beyond its length.
MAX_NUMBER = 100

_DIGITS = re.compile(r"[-+]?[0-9.][0-9a-fA-FxX_.:]*+")
_TAG = "tag:yaml.org,2002:"


class Scalars:
    """Reads scalar events of PyYAML."""

    def __init__(self) -> None:
        import yaml

        self.resolver: Any = yaml.resolver.Resolver()
        self.constructor: Any = yaml.constructor.SafeConstructor()
        self.node = yaml.ScalarNode
        self.event = yaml.ScalarEvent
        self.words: dict[str, tuple[Any, Problem | None]] = {}

    def is_merge(self, event: Any) -> bool:
        """The event is the merge key ``<<``, without quotes."""
        return (
            isinstance(event, self.event)
            and event.value == "<<"
            and event.implicit[0]
            and event.tag is None
        )

    def value(self, event: Any) -> tuple[Any, Problem | None]:
        """The value of a scalar, a string where it is no other of JSON; and what is wrong."""
        if event.tag is not None or not event.implicit[0]:
            return self._read(event)
        # The same few words stand in a document again and again.
        found = self.words.get(event.value)
        if found is None:
            found = self.words[event.value] = self._read(event)
        return found

    def _read(self, event: Any) -> tuple[Any, Problem | None]:
        word: str = event.value
        tag = event.tag
        if len(word) > MAX_NUMBER and tag is None and event.implicit[0]:
            # Telling the kind of a long word may take more memory than the word itself.
            return word, _too_long(word) if _DIGITS.fullmatch(word) else None
        if tag is None or tag == "!":
            tag = self.resolver.resolve(self.node, word, event.implicit)
        kind = tag.removeprefix(_TAG)
        if kind in {"str", "merge", "value"}:
            return word, None
        if kind in {"int", "float"} and len(word) > MAX_NUMBER:
            return word, _too_long(word)
        if kind in {"null", "bool", "int", "float"}:
            return self._plain(tag, word, kind)
        quoted = f'"{word}" in quotes'
        if kind == "timestamp":
            message = f"'{word}' is a date in YAML, which JSON does not have"
            return word, Problem(message, expected=(quoted,))
        if kind == "binary":
            return word, Problem("binary values have no place in a document of Flux")
        return word, Problem(f"the tag '{tag}' has no meaning in a document of Flux")

    def _plain(self, tag: str, word: str, kind: str) -> tuple[Any, Problem | None]:
        try:
            value = self.constructor.construct_object(self.node(tag, word))
        except (ValueError, KeyError, IndexError, OverflowError):
            return word, Problem(f"'{word}' is no {_NAMES[kind]}")
        self.constructor.constructed_objects.clear()
        if isinstance(value, float) and not math.isfinite(value):
            return value, Problem(f"'{word}' is a number that JSON does not have")
        return value, None


def _too_long(word: str) -> Problem:
    return Problem(f"the number '{word[:20]}…' is too long")


_NAMES = {"null": "null", "bool": "true or false", "int": "whole number", "float": "number"}
