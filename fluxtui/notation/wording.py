"""Counts and lists in a sentence: ``3 nodes``, ``a, b and c``."""

from collections.abc import Sequence


def plural(noun: str, number: float, several: str | None = None) -> str:
    """A noun in the form that a number asks for: ``node`` for 1, else ``nodes``.

    several is the plural where it is not the noun with an ``s``.
    """
    if number == 1:
        return noun
    return f"{noun}s" if several is None else several


def counted(number: int, noun: str, several: str | None = None) -> str:
    """A number with its noun: ``1 node``, ``1,234 nodes``; see `plural` for several."""
    return f"{number:,} {plural(noun, number, several)}"


def listed(words: Sequence[str], last: str = "and") -> str:
    """Words in a row: ``a``, ``a and b``, ``a, b and c``; last comes before the last one."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"
