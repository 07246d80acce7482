"""Counts of a jobspec as sched-simple reads them, its oddities included (RFC 14, RFC 45).

Its words are given with every refusal, since users meet them in job events.
"""

from collections.abc import Mapping
from typing import NamedTuple

from fluxtui.notation import count as counts
from fluxtui.notation.problem import Problem
from fluxtui.notation.sets import idset

# A stepped count may stand for so many values.
_MAX_VALUES = 65_536


class RefusedError(Exception):
    """sched-simple refuses a request: in its own words, and why by our reading."""

    def __init__(self, words: str, *problems: Problem) -> None:
        super().__init__(words)
        self.words = words
        self.problems = problems


class Asked(NamedTuple):
    """How many of something a request asks for.

    most is None where there is no limit. listed tells a count with single legal values, such as
    an idset or a range with steps. path is that of the count in the jobspec, written the count as
    it stands there.
    """

    least: int
    most: int | None
    path: str = ""
    listed: bool = False
    written: object = None

    @property
    def ranged(self) -> bool:
        """More than one number will do."""
        return self.least != self.most

    def times(self, factor: int) -> "Asked":
        """The same with every number multiplied."""
        if factor == 1:  # also since true is a number here, and called by its name
            return self
        most = None if self.most is None else self.most * factor
        return self._replace(least=self.least * factor, most=most)


def asked(value: object, path: str) -> Asked:
    """A ``count`` as sched-simple reads it; what is no number, text or dictionary counts as 1.

    Raises RefusedError with its words where it refuses.
    """
    try:
        return _read(value)._replace(path=path, written=value)
    except (ValueError, TypeError, OverflowError) as error:
        found = [p for p in counts.from_json(value, path).problems if p.severity == "error"]
        message = "sched-simple cannot read this count"
        problems = found or [Problem(message, None, path, counts.WANTED, "RFC 14")]
        raise RefusedError(str(error), *problems) from None


def _read(value: object) -> Asked:
    if isinstance(value, int):
        if value < 1:
            raise ValueError(f"RFC 14 count: integer count must be >= 1, got {value}")
        return Asked(value, value)
    if isinstance(value, Mapping):
        return _from_mapping(value)
    if isinstance(value, str):
        return _from_text(value.strip())
    return Asked(1, 1)


def _from_mapping(value: Mapping[str, object]) -> Asked:
    """RFC 14's dictionary; its numbers are taken from floats and texts as well."""
    operator = value.get("operator", "+")
    operand = int(value.get("operand", 1))  # type: ignore[call-overload]
    least = _least(value.get("min", 1))
    most = value.get("max")
    if most is None:
        return _open("RFC 14", least, operator, operand)
    return _stepped(least, _most(most, least), operator, operand)


def _from_text(text: str) -> Asked:
    """RFC 45's text, or an idset."""
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    bounds, *step = text.split(":")
    if bounds.endswith("+"):
        least = _least(bounds[:-1])
        operand, operator = _step(step)
        return _open("RFC 45", least, operator, operand)
    if step:
        low, high = bounds.split("-")
        first, last = int(low), int(high)
        least = _least(first)
        most = _most(last, least)
        operand, operator = _step(step)
        return _stepped(least, most, operator, operand)
    if "," in text:
        ids = joined_ids(text)
        return Asked(_least(ids.first), ids.last, listed=True)
    if "-" in text:
        low, high = text.split("-", 1)
        least = _least(low)
        return Asked(least, _most(high, least))
    least = _least(text)
    return Asked(least, least)


def _step(step: list[str]) -> tuple[int, str]:
    return int(step[0]) if step else 1, step[1] if len(step) > 1 else "+"


def _least(value: object) -> int:
    least = int(value)  # type: ignore[call-overload]
    if least < 1:
        raise ValueError(f"RFC 14 count: min must be >= 1, got {least}")
    return int(least)


def _most(value: object, least: int) -> int:
    most = int(value)  # type: ignore[call-overload]
    if most < least:
        raise ValueError(f"RFC 14 count: max must be >= min, got max={most} min={least}")
    return int(most)


def _open(rule: str, least: int, operator: object, operand: int) -> Asked:
    """A range without end; it may have no steps."""
    if operator != "+" or operand != 1:
        raise ValueError(
            f"{rule} unbounded count with operator={operator!r} "
            f"operand={operand} cannot be expanded to a finite set"
        )
    return Asked(least, None)


def _stepped(least: int, most: int, operator: object, operand: int) -> Asked:
    """A range with an end, and the last of its values where it has steps."""
    if operator == "+" and operand == 1:
        return Asked(least, most)
    if operator not in ("+", "*", "^"):
        raise ValueError(f"RFC 14 count: operator {operator!r} is not supported")
    if operator in ("*", "^") and operand <= 1:
        raise ValueError(f"RFC 14 count: operator {operator!r} requires operand > 1, got {operand}")
    if operator == "^" and least < 2:
        raise ValueError(f"RFC 14 count: operator '^' requires min >= 2, got {least}")
    if operator == "+":
        if operand <= 0:
            raise ValueError(f"RFC 14 count: additive operator requires operand > 0, got {operand}")
        if (most - least) // operand >= _MAX_VALUES:
            raise ValueError("RFC 14 count: sequence too large to expand")
    return Asked(least, most, listed=True)


def joined_ids(text: str) -> idset.IdSet:
    """An idset as Flux reads it, which skips commas with nothing between them (RFC 22).

    Raises ValueError with Flux's words.
    """
    inner = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    parsed = idset.parse(",".join(part for part in inner.split(",") if part))
    if not parsed.ok or "[" in inner or "]" in inner:
        raise ValueError(f"IDset(): Invalid argument: {text}")
    return parsed.value
