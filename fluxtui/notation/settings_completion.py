"""What may stand at the cursor of a text of settings."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from fluxtui.notation.problem import Completion, Span
from fluxtui.notation.settings import Setting, parse


class Known(NamedTuple):
    """A setting that is known: what it does, and the values it may have with what they mean."""

    description: str
    values: tuple[tuple[str, str], ...] = ()


def completions(
    text: str, cursor: int, known: Mapping[str, Known], without: Iterable[str] = ()
) -> list[Completion]:
    """Keys that go on from what is begun, or values of the key before the cursor.

    known has the keys with their dots, such as ``pty.interactive``. A key that is set already, or
    is among ``without``, is not offered again.
    """
    cursor = max(0, min(cursor, len(text)))
    entries = parse(text[:cursor]).entries
    last = entries[-1] if entries and entries[-1].span.end == cursor else None
    if last is None:
        begun = re.split(r"\s", text[:cursor])[-1]
        span = Span(cursor - len(begun), cursor)
        return _keys(begun, span, known, _named(entries) | set(without))
    if last.value_span is None:
        begun = text[slice(*last.key_span)]
        return _keys(begun, last.key_span, known, _named(entries[:-1]) | set(without))
    begun = text[slice(*last.value_span)]
    found = known.get(".".join(last.path))
    return [
        Completion(value, last.value_span, meaning)
        for value, meaning in (found.values if found else ())
        if value.startswith(begun) and value != begun
    ]


def _named(entries: Iterable[Setting]) -> set[str]:
    return {".".join(entry.path) for entry in entries}


def _keys(begun: str, span: Span, known: Mapping[str, Known], given: set[str]) -> list[Completion]:
    return [
        Completion(f"{key}=", span, what.description)
        for key, what in known.items()
        if key.startswith(begun) and key not in given
    ]
