"""Amounts of resources in words, as the reasons of both schedulers need them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from fluxtui.notation.wording import plural

_UNCOUNTABLE = frozenset(("chassis", "memory", "storage"))

# Larger numbers are rounded in sentences; no cluster has that many of anything.
_MOST = 10**15


@dataclass(frozen=True, slots=True)
class Nouns:
    """Says how much of a type there is.

    units maps the types whose vertices hold many to what is counted of them, such as ``GB``.
    """

    units: Mapping[str, str] = field(default_factory=dict)

    def amount(self, kind: str, count: int) -> str:
        """``1 core``, ``1,234 cores``, ``16 GB of memory``."""
        if kind in self.units:
            unit = "unit" if self.units[kind] == "units" and count == 1 else self.units[kind]
            return f"{number(count)} {unit} of {kind}"
        return amount(kind, count)


def amount(kind: str, count: int) -> str:
    """``1 core``, ``1,234 cores``."""
    return f"{number(count)} {kind if count == 1 else several(kind)}"


def number(value: int) -> str:
    """A number with separators; a very large one as a power of ten."""
    if value < _MOST:
        return f"{value:,}"
    return f"about 10^{int((value.bit_length() - 1) * 0.30103)}"


def several(kind: str) -> str:
    """The plural of a type."""
    return kind if kind in _UNCOUNTABLE else plural(kind, 2)


def a(kind: str) -> str:
    """A type with its indefinite article."""
    return f"{'an' if kind[:1] in ('a', 'e', 'i', 'o', 'u') or kind == 'ssd' else 'a'} {kind}"
