"""The pieces of a shape text one by one, and how its writer spaces them (RFC 46).

A piece is written as `shape_format` writes it in a vertex that has nothing else, so that quotes
and numbers follow one set of rules.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from fluxtui.notation import count as counts
from fluxtui.notation.problem import Token
from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.tree import Item, Vertex


def type_text(name: str) -> str:
    """A resource type, in quotes if it has to be."""
    return format_shape((Vertex(name),))


def label_text(label: str) -> str:
    """A slot's label, in quotes if it has to be."""
    return format_shape((Vertex("slot", label=label),))[5:-1]


def key_text(key: str) -> str:
    """A key, ``x`` for ``exclusive``, in quotes if it has to be."""
    return format_shape((Vertex("a", keys=(Item(key, True),)),))[2:-1]


def value_text(value: Any) -> str:
    """A value as it stands behind a key and a colon."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return format_shape((Vertex("a", keys=(Item("k", value),)),))[4:-1]


def count_text(vertex: Vertex) -> str:
    """The count without its ``=``: as it was written where that is still what it is."""
    text = vertex.count_text
    if text:
        read = counts.parse(text)
        if read.ok and read.value == vertex.count:
            return text
    return counts.format(vertex.count)


def joined(
    texts: Sequence[str], places: Sequence[int | None], gaps: Sequence[str], fresh: str
) -> str:
    """The members of a list with the separators they had.

    places  where each member stood in the old list, None for a new one
    gaps    the separators of the old list: they keep their places in a list of the same length,
            and elsewhere go with the member before them or the one behind them
    fresh   the separator where the old list had none
    """
    if len(texts) == len(gaps) + 1:
        between = list(gaps)
    else:
        between = [
            gaps[before] if before is not None and before < len(gaps)
            else gaps[after - 1] if after
            else fresh
            for before, after in pairwise(places)
        ]  # fmt: skip
    parts = [*texts[:1]]
    for gap, text in zip(between, texts[1:], strict=True):
        parts += (gap, text)
    return "".join(parts)


class Around(NamedTuple):
    """A sign and the white space on both sides of it."""

    before: str
    sign: str
    after: str

    @property
    def text(self) -> str:
        """The sign between its white space."""
        return f"{self.before}{self.sign}{self.after}"


class Style:
    """How a text is spaced: the first sign of each kind stands for all of them."""

    __slots__ = ("_found", "text", "tokens")

    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self._found: dict[str, Around] = {}

    def around(self, sign: str) -> Around:
        """The sign with the white space about its first one; without any where there is none."""
        if sign not in self._found:
            self._found[sign] = self._first(sign) or Around("", sign, "")
        return self._found[sign]

    def separator(self, sign: str) -> str:
        """``;`` or ``,`` with its white space; where there is none, with that of the other."""
        found = self._first(sign) or self._first(";" if sign == "," else ",")
        return found._replace(sign=sign).text if found else sign

    def _first(self, sign: str) -> Around | None:
        at = self.text.find(sign)
        while at >= 0:
            number = bisect_right(self.tokens, at, key=_start) - 1
            if number >= 0 and self._is(number, at, sign):
                return self._spaced(number, sign)
            # Not a sign but part of something else, which is gone past as a whole.
            past = self.tokens[number].span.end if number >= 0 else 0
            at = self.text.find(sign, max(past, at + 1))
        return None

    def _is(self, number: int, at: int, sign: str) -> bool:
        """Whether this token is that sign; a bracket, whether it opens a list."""
        kind, span = self.tokens[number]
        if kind != "punctuation" or span.start != at:
            return False
        if sign != "[" or not number:
            return True
        before = self.tokens[number - 1].span
        return self.text[before.start : before.end] == "/"

    def _spaced(self, number: int, sign: str) -> Around:
        start, end = self.tokens[number].span
        left = self.tokens[number - 1].span.end if number else start
        right = self.tokens[number + 1].span.start if number + 1 < len(self.tokens) else end
        return Around(_inline(self.text[left:start]), sign, _inline(self.text[end:right]))


def _start(token: Token) -> int:
    return token.span.start


def _inline(space: str) -> str:
    """White space as it may stand anywhere: line ends stay where they were typed."""
    return " " if "\n" in space or "\r" in space else space
