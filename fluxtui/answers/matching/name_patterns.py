"""Patterns of host names: ``*`` stands for any characters, ``?`` for one. Case does not count."""

import re
from collections.abc import Callable
from typing import NamedTuple

_DIGITS = "0123456789"


class Pattern(NamedTuple):
    """A pattern in small letters: its characters, and which of them may be repeated or left out.

    The text is the pattern without its ``*``; stars has bit i set where a ``*`` stands before
    character i, and the bit after the last one where the pattern ends in ``*``.
    """

    text: str
    stars: int

    @classmethod
    def of(cls, written: str) -> "Pattern":
        """The pattern of a text with ``*`` and ``?`` in it."""
        text, stars = "", 0
        for character in written.lower():
            if character == "*":
                stars |= 1 << len(text)
            else:
                text += character
        return cls(text, stars)

    @classmethod
    def within(cls, text: str) -> "Pattern":
        """The pattern of the names that contain a text."""
        return cls.of(f"*{text}*")

    @property
    def literal(self) -> str:
        """The longest text that each name holds which the pattern fits."""
        cuts = (self.stars >> place & 1 for place in range(len(self.text)))
        parts = "".join(f"*{c}" if cut else c for c, cut in zip(self.text, cuts, strict=True))
        return max(re.split(r"[*?]", parts), key=len)

    def fits(self) -> Callable[[str], bool]:
        """What tells whether the pattern fits a name, which is in small letters."""
        text, inner = self.text, self.stars & ~(1 | 1 << len(self.text))
        if "?" not in text and not inner:
            before, after = self.stars & 1, self.stars >> len(text) & 1
            if before and after:
                return lambda name: text in name
            if before:
                return lambda name: name.endswith(text)
            return (lambda name: name.startswith(text)) if after else text.__eq__
        pieces = [
            (".*" if self.stars >> place & 1 else "") + ("." if c == "?" else re.escape(c))
            for place, c in enumerate(text)
        ]
        end = ".*" if self.stars >> len(text) & 1 else ""
        expression = re.compile("".join(pieces) + end, re.DOTALL)
        return lambda name: expression.fullmatch(name) is not None


class Reader:
    """Reads names by a pattern character by character, all its ways at once.

    A state is a set of places in the pattern, as bits: how much of it may have been read. From a
    state on, which of the numbers of so many digits lead to a fit is worked out once.
    """

    def __init__(self, pattern: Pattern) -> None:
        text, self._stars = pattern
        self._end = 1 << len(text)
        self._places: dict[str, int] = {}
        for place, character in enumerate(text):
            self._places[character] = self._places.get(character, 0) | 1 << place
        self._any = self._places.get("?", 0)
        self.begin = 1
        self._known: dict[tuple[int, int, str], int] = {}

    def read(self, state: int, text: str) -> int:
        """The state after some more characters."""
        for character in text:
            here = state & (self._places.get(character, 0) | self._any)
            state = here << 1 | state & self._stars
        return state

    def fits(self, state: int) -> bool:
        """The pattern fits a name that ends in this state."""
        return bool(state & self._end)

    def numbers(self, state: int, digits: int, suffix: str) -> int:
        """With which numbers it fits, as a mask with a bit for each of them.

        The numbers are written with so many digits, and a suffix comes after them.
        """
        key = (state, digits, suffix)
        if key not in self._known:
            self._known[key] = self._numbers(state, digits, suffix)
        return self._known[key]

    def _numbers(self, state: int, digits: int, suffix: str) -> int:
        size: int = 10**digits
        if not state:
            return 0
        if state & self._end & self._stars:
            return (1 << size) - 1  # whatever comes
        if not digits:
            return int(self.fits(self.read(state, suffix)))
        mask, step = 0, size // 10
        for place, digit in enumerate(_DIGITS):
            mask |= self.numbers(self.read(state, digit), digits - 1, suffix) << place * step
        return mask

    def range(self, state: int, first: int, last: int, digits: int, suffix: str) -> int:
        """The same for the numbers from first to last alone; bit 0 is that of the first."""
        size: int = 10**digits
        if not first and last == size - 1:
            return self.numbers(state, digits, suffix)
        if not state:
            return 0
        if state & self._end & self._stars:
            return (1 << (last - first + 1)) - 1
        mask, step = 0, size // 10
        for place in range(first // step, last // step + 1):
            low, high = max(first - place * step, 0), min(last - place * step, step - 1)
            part = self.range(self.read(state, _DIGITS[place]), low, high, digits - 1, suffix)
            mask |= part << max(place * step - first, 0)
        return mask
