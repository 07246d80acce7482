"""The properties as marks: a column for each, with titles that can be read, and what is asked."""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from rich.style import Style

from fluxtui.notation.problem import printable
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.wording import property_name
from fluxtui.ui.nodes.table_columns import GAP

if TYPE_CHECKING:
    from fluxtui.answers.explain.properties import Standing

HAS, LACKS = "●", "·"
MISSING, UNWANTED = "○", "✗"  # it is required and not there; it is there and excluded

STEP = 2  # columns that a mark takes where the titles stand upright, if no letter is wide
CONTROL = "▯"  # in an upright title, where an escape would be read as letters
UPRIGHT = (3, 10)  # the rows that upright titles take at the least and the most
LONGEST = 16  # the rows that they take at the most where that makes more of them whole

_GLYPHS = str.maketrans("10", HAS + LACKS)


class Piece(NamedTuple):
    """A text at a terminal column, with its style."""

    start: int
    text: str
    style: Style


class Marks:
    """The columns of marks: where each stands, and what the titles are.

    Where all titles fit side by side they lie, with the marks below their middles. Else they stand
    upright, a letter a row, cut in the middle where they are too long.
    """

    def __init__(self, names: Sequence[str], room: int, rows: int, most: int = 0) -> None:
        """Columns for properties in so much room: terminal columns, and rows for the titles.

        They may take more rows, up to the most, where more of them are whole then.
        """
        self.names = names
        lying_titles = [property_name(name) for name in names]
        self._titles: Sequence[Sequence[str]] = lying_titles
        widths = [cell_len(title) for title in lying_titles]
        self._step = STEP
        lying = sum(widths) + GAP * max(len(names) - 1, 0)
        self.upright = bool(names) and lying > room
        if self.upright:
            letters = [_letters(name) for name in names]
            self.height = _height([len(title) for title in letters], rows, most)
            self._titles = [_cut(title, self.height) for title in letters]
            widest = max(cell_len(letter) for title in self._titles for letter in title)
            self._step = STEP + widest - 1
            self._starts = [self._step * number for number in range(len(names))]
            self.width = max(self._step * len(names) - 1, 1)
            self._lead = [0] * len(names)
        else:
            self.height = 1
            self._starts, at = [], 0
            for width in widths:
                self._starts.append(at)
                at += width + GAP
            self.width = max(at - GAP, len("marks"))
            self._lead = [max(width - 1, 0) // 2 for width in widths]

    def between(self, left: int, right: int) -> range:
        """The numbers of the columns of which something stands from left up to right."""
        if self.upright:
            return range(max(left // self._step, 0), min(-(-right // self._step), len(self.names)))
        return range(len(self.names))  # they are all in sight

    def at(self, x: int) -> str | None:
        """The property whose column is at a place; None for none."""
        for number in self.between(x, x + 1):
            end = self._starts[number + 1] if number + 1 < len(self.names) else self.width + 1
            if self._starts[number] <= x < end:
                return self.names[number]
        return None

    def titles(
        self,
        y: int,
        shown: range,
        standings: "Mapping[str, Standing]",
        style: Palette,
        arrow: tuple[str, str] | None,
    ) -> Iterator[Piece]:
        """Row y of the titles; arrow is the property that rows are sorted by, and its sign."""
        for number in shown:
            name, start = self.names[number], self._starts[number]
            title = self._titles[number]
            look = _title_style(standings.get(name), style)
            if arrow is not None and arrow[0] == name:
                look = style.strong if name not in standings else look
                if y == self.height - 1:
                    end = start + (self._step - 1 if self.upright else cell_len("".join(title)))
                    yield Piece(end, arrow[1], style.strong)
            if not self.upright:
                yield Piece(start, "".join(title), look)
                continue
            letter = y - (self.height - len(title))
            if letter >= 0:
                yield Piece(start, title[letter], look)

    def marks(
        self,
        bits: str,
        shown: range,
        standings: "Mapping[str, Standing]",
        plain: Style,
        style: Palette,
    ) -> Iterator[Piece]:
        """The marks of one row, from the 1 or 0 of each of the columns shown.

        Runs of those that nothing is asked of are one piece.
        """
        texts = bits.translate(_GLYPHS)
        asked = [n - shown.start for n in shown if self.names[n] in standings]
        at = 0
        for place in [*asked, len(texts)]:
            if place > at:
                yield self._run(shown.start + at, texts[at:place], plain)
            if place < len(texts):
                number = shown.start + place
                standing = standings[self.names[number]]
                glyph, look = _asked(standing, texts[place], plain, style)
                yield Piece(self._starts[number] + self._lead[number], glyph, look)
            at = place + 1

    def _run(self, first: int, glyphs: str, plain: Style) -> Piece:
        start = self._starts[first] + self._lead[first]
        if self.upright:
            return Piece(start, (" " * (self._step - 1)).join(glyphs), plain)
        text, at = "", start
        for number, glyph in enumerate(glyphs, first):
            place = self._starts[number] + self._lead[number]
            text += " " * (place - at) + glyph
            at = place + 1
        return Piece(start, text, plain)


def _letters(name: str) -> list[str]:
    """What stands in the rows of an upright title: an accent with its letter, a sign for an escape.

    What has no width and is no accent is left out.
    """
    letters: list[str] = []
    for character in property_name(name) if not name.strip() else name:
        if printable(character) != character:
            letters.append(CONTROL)
        elif cell_len(character):
            letters.append(character)
        elif unicodedata.combining(character) and letters:
            letters[-1] += character
    return letters or [CONTROL]


def _height(lengths: Sequence[int], rows: int, most: int) -> int:
    """The rows of upright titles: as few as make the most of them whole that there is room for."""
    longest = max(lengths)
    least = max(UPRIGHT[0], min(longest, rows, UPRIGHT[1]))
    heights = range(least, max(least, min(longest, most, LONGEST)) + 1)
    return max(heights, key=lambda height: sum(length <= height for length in lengths))


def _cut(title: list[str], height: int) -> list[str]:
    """A title in so many letters: its beginning and its end, which tells numbered ones apart."""
    if len(title) <= height:
        return title
    text = "".join(letter[0] for letter in title)
    digits = len(text) - len(text.rstrip("0123456789"))
    tail = min(max(digits, 1), height - 2)
    return [*title[: height - 1 - tail], "…", *title[len(title) - tail :]]


def _title_style(standing: "Standing | None", style: Palette) -> Style:
    if standing is None:
        return style.quiet
    return style.match if standing in ("required", "either") else style.problem


def _asked(standing: "Standing", glyph: str, plain: Style, style: Palette) -> tuple[str, Style]:
    """A mark of a property that the constraint names, and its style."""
    has = glyph == HAS
    if standing == "required":
        return (HAS, style.match) if has else (MISSING, style.problem)
    if standing == "excluded":
        return (UNWANTED, style.problem) if has else (LACKS, style.match)
    if standing == "both":
        return (UNWANTED if has else MISSING), style.problem
    return (HAS, style.match) if has else (LACKS, plain)
