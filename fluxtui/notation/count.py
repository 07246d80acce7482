"""How many of a resource: one number, an idset of numbers, or a range (RFC 14, RFC 45).

count    : '[' value ']' | value
value    : INTEGER | IDSET | range
range    : MIN '-' MAX step? | MIN '+' step?
step     : ':' OPERAND (':' ('+' | '*' | '^'))?
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from fluxtui.notation.problem import Completion, Parsed, Problem, Span, is_digits

if TYPE_CHECKING:
    from fluxtui.notation.sets.idset import IdSet

RULE = "RFC 45"

# No machine has that many of anything.
MAX_DIGITS = 100

# Where a power would pass this many bits the row of values ends; exponents may be any number.
_MAX_BITS = 4096

WANTED = ("a number such as 4", "a range such as 2-8 or 2+", "an idset such as 2,4,8")


class Range(NamedTuple):
    """The values from min on, each made from the one before by ``value operator operand``.

    max is the largest value allowed, or None where there is none. operator is ``+``, ``*``
    or ``^`` (RFC 14).
    """

    min: int
    max: int | None = None
    operand: int = 1
    operator: str = "+"


if TYPE_CHECKING:
    Count: TypeAlias = int | Range | IdSet
    Style: TypeAlias = Literal["dict", "string"]
else:  # the module of IdSet takes a while to load, and few shapes hold one
    Count = object
    Style = str


def parse(text: str, offset: int = 0) -> Parsed[Count | None]:
    """Read a count (RFC 46's ``count``, which is RFC 14's number, RFC 22 idset or RFC 45 range).

    Spans of problems count from ``offset``. After a problem the value is what could be made
    of the text, or None.
    """
    start, end = 0, len(text)
    if text[:1] == "[" and text[-1:] == "]" and end > 1:
        start, end = 1, end - 1
    inner = text[start:end]
    if is_digits(inner) and inner[0] != "0" and len(inner) <= MAX_DIGITS:
        return Parsed(int(inner))
    if "," in inner:
        return _idset(inner, offset + start)
    from fluxtui.notation import count_text  # most counts are one number

    return count_text.Reader(inner, offset + start).read()


def _idset(text: str, offset: int) -> Parsed[Count | None]:
    """An RFC 22 idset, whose ids must be positive to be counts (RFC 14)."""
    from fluxtui.notation.sets import idset

    ids, problems = idset.parse(text, offset)
    if not ids:
        return Parsed(None, problems)
    if ids.first == 0:
        where = Span(offset, offset + 1) if text[0] == "0" else Span(offset, offset + len(text))
        message = "0 is not a count; a count is 1 or more"
        problems = (*problems, Problem(message, where, expected=("1 or more",), rule="RFC 14"))
    return Parsed(ids.first if len(ids) == 1 else ids, problems)


def broken(value: Range) -> tuple[str, str, str]:
    """What RFC 14 holds against the min, max and operand of a range; each empty where fine."""
    low = top = step = ""
    if value.max is not None and value.max < value.min:
        top = f"the largest count, {value.max}, is below the smallest, {value.min}"
    if value.operator == "^" and value.min < 2:
        low = "with ^ the smallest count is 2 or more, or it would never grow"
    if value.operator in ("*", "^") and value.operand < 2:
        step = f"with {value.operator} the operand is 2 or more, or the count would never grow"
    return low, top, step


def format(count: Count) -> str:
    """The shortest text that `parse` reads back as this count, without brackets (RFC 45)."""
    if isinstance(count, int):
        return str(count)
    if not isinstance(count, Range):
        ranges = count.ranges
        if len(ranges) > 1 or not ranges or ranges[0][0] == ranges[0][1]:
            return str(count)
        # One run would read back as a range, so its first number stands apart.
        first, last = ranges[0]
        return f"{first},{last}" if last == first + 1 else f"{first},{first + 1}-{last}"
    text = f"{count.min}+" if count.max is None else f"{count.min}-{count.max}"
    if count.operator != "+":
        return f"{text}:{count.operand}:{count.operator}"
    return text if count.operand == 1 else f"{text}:{count.operand}"


def describe(count: Count) -> str:
    """The count in words, such as ``2 or more`` or ``4, 9, 16 or 25``."""
    if isinstance(count, int):
        return str(count)
    if not isinstance(count, Range):
        shown = [str(a) if a == b else f"{a} to {b}" for a, b in count.ranges[:6]]
        if len(count.ranges) > 6:
            return f"{', '.join(shown[:4])} ... up to {count.last}"
        return _or(shown)
    if count.operator == "+":
        text = f"{count.min} or more" if count.max is None else f"{count.min} to {count.max}"
        return text if count.operand == 1 else f"{text} in steps of {count.operand}"
    shown = []
    for value in values(count):
        shown.append(str(value))
        if len(shown) == 5:
            break
    if len(shown) < 5:
        return _or(shown)
    how = "times" if count.operator == "*" else "to the power"
    until = "and so on" if count.max is None else f"up to {count.max}"
    return f"{', '.join(shown[:3])} ... {until} ({how} {count.operand})"


def _or(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"


def to_json(count: Count, style: Style = "dict") -> int | str | dict[str, int | str]:
    """The count as RFC 14 JSON: a number, a dictionary for a range, a string for an idset.

    An open range with a step has no legal dictionary (RFC 14 wants ``max`` beside
    ``operator``), so it stays a string.
    """
    if isinstance(count, int):
        return count
    if style == "string" or not isinstance(count, Range):
        return format(count)
    if count.max is None:
        plain = count.operand == 1 and count.operator == "+"
        return {"min": count.min} if plain else format(count)
    return {
        "min": count.min,
        "max": count.max,
        "operator": count.operator,
        "operand": count.operand,
    }


def from_json(value: object, path: str = "count") -> Parsed[Count | None]:
    """Read the value of RFC 14's ``count``; problems carry paths that start with ``path``."""
    from fluxtui.notation import count_json

    return count_json.read(value, path)


def values(count: Count) -> Iterator[int]:
    """The legal values, ascending; without end where the range is open.

    Powers stop before they pass 4096 bits.
    """
    if isinstance(count, int):
        yield count
        return
    if not isinstance(count, Range):
        yield from count
        return
    value: int | None = count.min
    while value is not None and (count.max is None or value <= count.max):
        yield value
        value = _next(count, value)


def _next(count: Range, value: int) -> int | None:
    """The value after this one, or None where there is none worth writing."""
    if count.operator == "+":
        following = value + count.operand
    elif count.operator == "*":
        following = value * count.operand
    elif (value.bit_length() - 1) * count.operand > _MAX_BITS:
        return None
    else:
        following = value**count.operand
    return following if following > value else None


def least(count: Count) -> int:
    """The smallest legal value."""
    if isinstance(count, int):
        return count
    return count.min if isinstance(count, Range) else count.first


def contains(count: Count, n: int) -> bool:
    """Whether n is one of the legal values."""
    return greatest(count, n) == n


def greatest(count: Count, limit: int) -> int | None:
    """The largest legal value that is at most ``limit``, or None where all are above it."""
    if isinstance(count, int):
        return count if count <= limit else None
    if not isinstance(count, Range):
        below = [min(last, limit) for first, last in count.ranges if first <= limit]
        return below[-1] if below else None
    if count.max is not None:
        limit = min(limit, count.max)
    if count.min > limit:
        return None
    if count.operator == "+":
        return limit - (limit - count.min) % count.operand
    best = count.min
    for value in values(count):
        if value > limit:
            break
        best = value
    return best


def completions(text: str, cursor: int) -> list[Completion]:
    """What may stand at the cursor of a count."""
    from fluxtui.notation import count_completion

    return count_completion.completions(text, cursor)
