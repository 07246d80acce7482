"""Completion in a long shape: only what stands around the cursor is read (RFC 46)."""

import re

from fluxtui.notation.problem import Completion, Span
from fluxtui.notation.shape import completion

# Quoted text, which may hold any sign; brackets with no others in them, which may stay as they are;
# and the signs that a list is made of.
_MARKS = re.compile(
    r"""
    "(?:[^"\\]|\\.)*"? | '(?:[^'\\]|\\.)*'?
    | \[[^][{}"']*\] | \{[^][{}"']*\}
    | [][{};]
    """,
    re.VERBOSE,
)


def completions(text: str, cursor: int) -> list[Completion]:
    """What may be typed at the cursor, as `shape_completion.completions` says it.

    The finished resources beside those that the cursor stands in are passed over, so that the
    cost is that of what is left and not that of the whole text.
    """
    cursor = max(0, min(cursor, len(text)))
    kept = _kept(text, cursor)
    near = "".join(text[part.start : part.end] for part in kept)
    shift = cursor - len(near)
    return [
        offer._replace(span=Span(offer.span.start + shift, offer.span.end + shift))
        for offer in completion.completions(near + text[cursor:], len(near))
    ]


class _Level:
    """One bracket that is open: the parts of it that matter, and where what follows them begins."""

    __slots__ = ("parts", "sign", "start")

    def __init__(self, sign: str, start: int) -> None:
        self.sign = sign
        self.parts: list[Span] = []
        self.start = start

    def close(self, end: int) -> list[Span]:
        """Its parts up to an end."""
        return [*self.parts, Span(self.start, end)]


def _kept(text: str, cursor: int) -> list[Span]:
    """The parts before the cursor that matter: of each list the last resource."""
    levels = [_Level("", 0)]
    for mark in _MARKS.finditer(text, 0, cursor):
        sign, at, level = mark.group(), mark.start(), levels[-1]
        if sign in ("[", "{"):
            level.parts.append(Span(level.start, at + 1))
            levels.append(_Level(sign, at + 1))
        elif sign in ("]", "}"):
            if level.sign != ("[" if sign == "]" else "{"):
                return [Span(0, cursor)]  # brackets that do not match: nothing is sure
            levels.pop()
            levels[-1].parts += level.close(at + 1)
            levels[-1].start = at + 1
        elif sign == ";" and level.sign == "[":
            level.parts.clear()
            level.start = at + 1
    parts = [part for level in levels[:-1] for part in level.parts]
    return parts + levels[-1].close(cursor)
