"""Patterns of host names: ``*`` stands for any characters, ``?`` for one. Case does not count."""

import re
from collections.abc import Callable
from typing import NamedTuple


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
