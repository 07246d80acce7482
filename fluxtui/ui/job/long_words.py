"""One word of a shell that is wider than a line, in several: a shell reads the same word from them.

A line that goes on ends with a backslash, and the next one begins at its very beginning. Within
single quotes a backslash says nothing, so they are closed before it and opened again; so are
those of ``$'...'``.
"""

import re
from collections.abc import Iterator

from fluxtui.notation.problem import printable
from fluxtui.ui.kit.text import columns

_PART = re.compile(
    r"""(?P<open>\$'|["'])|\\.|(?:[^'"\\$]|\$(?!'))+|\\""",
    re.DOTALL,
)
# What stands within each quote, piece by piece: escapes are not cut.
_INSIDE = {
    "'": re.compile(r"[^']+"),
    '"': re.compile(r"""\\.|[^\\"]+|\\""", re.DOTALL),
    "$'": re.compile(r"\\(?:x[0-9a-f]{2}|.)|[^\\']+|\\", re.DOTALL),
}
_PLAIN = re.compile(r"[\x20-\x7e]*")


def in_lines(word: str, first: int, room: int) -> list[str]:
    """The lines of a word as it is quoted: the first of so many columns, the others of room.

    A line break in quotes is one here too; other characters that cannot be printed are escaped,
    which a shell does not undo.
    """
    lines = _Lines(first, room)
    for text, quote in _pieces(word):
        lines.add(text, quote)
    return [*lines.done, lines.line]


def _pieces(word: str) -> Iterator[tuple[str, str]]:
    """What a word consists of, and the quote that is open behind each piece."""
    place, quote = 0, ""
    while place < len(word):
        found = (_INSIDE[quote] if quote else _PART).match(word, place)
        if found is None:  # the quote ends
            piece, quote = word[place], ""
        else:
            piece = found[0]
            quote = quote or found["open"] or ""
        yield piece, quote
        place += len(piece)


class _Lines:
    """Lines that are filled one after the other; quote is the one that is open in the last."""

    def __init__(self, first: int, room: int) -> None:
        self.done: list[str] = []
        self.line = ""
        self._left = first
        self._room = room
        self._quote = ""

    def add(self, text: str, quote: str) -> None:
        """Add a piece; behind it this quote is open."""
        is_escape = text.startswith("\\") and quote != "'"  # which is not cut
        if is_escape or text == "$'" or (len(text) == 1 and text != "\n"):
            self._add_whole(printable(text), quote)
            return
        for number, row in enumerate(text.split("\n")):
            if number:
                self._break("")
            self._add_row(row, quote)

    def _add_row(self, row: str, quote: str) -> None:
        """Add characters, as many to a line as fit; of plain ones each takes one column."""
        plain = _PLAIN.match(row)
        end = plain.end() if plain is not None else 0
        start = 0
        while start < end:
            fits = self._left - _end(quote)
            if fits < 1 and self.line not in ("", self._quote):
                self._go_on()
                continue
            taken = row[start : min(end, start + max(fits, 1))]
            self._put(taken, len(taken), quote)
            start += len(taken)
        for sign in row[end:]:
            self._add_whole(printable(sign), quote)

    def _add_whole(self, text: str, quote: str) -> None:
        width = columns(text)
        if width + _end(quote) > self._left and self.line not in ("", self._quote):
            self._go_on()
        self._put(text, width, quote)

    def _put(self, text: str, width: int, quote: str) -> None:
        self.line += text
        self._left -= width
        self._quote = quote

    def _go_on(self) -> None:
        """End the line within the word, and begin the next one."""
        quote = self._quote if self._quote != '"' else ""
        self._break(f"{quote[-1:]}\\")
        self._put(quote, len(quote), self._quote)

    def _break(self, end: str) -> None:
        self.done.append(self.line + end)
        self.line, self._left = "", self._room


def _end(quote: str) -> int:
    """Columns of what ends a line where this quote is open."""
    return 2 if quote in ("'", "$'") else 1
