"""Lines of a width, broken where a constraint, a list of hosts or a sentence may be."""

import re

from rich.cells import cell_len
from rich.text import Text

PER_COLUMN = 4  # characters that may share a column, before more are not looked at

# A piece that a line may end after.
_PIECE = re.compile(r"[^ ,&|]*(?:[,&|]| +|$)")


def fold(text: str, width: int) -> list[str]:
    """The text in lines, which together are the text; a piece that is too wide is broken anywhere.

    At least one line; none is wider than so many columns, but for blanks at its end.
    """
    lines: list[str] = []
    here = ""
    for piece in _PIECE.findall(text):
        if here and cell_len(here + piece.rstrip()) > width:
            lines.append(here)
            here = ""
        *full, here = _chopped(here + piece.rstrip(), max(width, 1))
        here += piece[len(piece.rstrip()) :]
        lines += full
    return [*lines, here] if here or not lines else lines


def _chopped(text: str, width: int) -> list[str]:
    """The text in parts of so many columns; at least one part."""
    if cell_len(text) <= width:
        return [text]
    parts = [""]
    room = width
    for character in text:
        columns = cell_len(character)
        if columns > room and parts[-1]:
            parts.append("")
            room = width
        parts[-1] += character
        room -= columns
    return parts


def folded(text: Text, width: int, most: int) -> Text:
    """A styled line in so many lines at most, parted by line breaks; what is left out is marked."""
    text = text[: (most + 1) * (width + 1) * PER_COLUMN]
    lines = fold(text.plain, width)
    ends = [0]
    for line in lines[:most]:
        ends.append(ends[-1] + len(line))
    parts = list(text.divide(ends[1:]))[: len(lines[:most])]
    for part in parts:
        part.rstrip()
    if len(lines) > most:
        parts[-1].truncate(max(width - 1, 0))
        parts[-1].append("…")
    return Text("\n").join(parts)
