"""How a text is drawn: a column for each character, YAML in its colours, a line as a strip."""

import re
from collections.abc import Iterable
from itertools import pairwise

from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.strip import Strip

from fluxtui.notation.problem import Token
from fluxtui.ui.kit.palette import Palette

_KEY = re.compile(r'^(\s*)((?:- )*)("(?:[^"\\]|\\.)*"|[^\s"\[{:#][^:#]*?)(:)(?= |$)')
_CONSTANT = re.compile(r"(true|false|null|-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?)[,\]}]*\Z")


def visible(text: str, *, tabs: bool = False) -> str:
    """The text with a sign of one column for each character that cannot be printed.

    It has as many characters as before. With tabs, they stay: for who draws tab stops.
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or (tabs and c == "\t") else "\N{REPLACEMENT CHARACTER}" for c in text
    )


def columns(text: str) -> int:
    """The columns that a text takes as it is shown; of a long one that is plain found at once."""
    return len(text) if text.isascii() else cell_len(visible(text))


def uncoloured(line: str) -> Text:
    """One line as it stands; tabs are left to who draws it."""
    return Text(visible(line, tabs=True), no_wrap=True, end="")


def in_colours(text: str, tokens: Iterable[Token], style: Palette) -> Text:
    """A shape or a constraint in one line, each of its tokens in its colour."""
    line = Text(visible(text), style=style.plain, end="")
    for kind, span in tokens:
        line.stylize(style.token(kind), *span)
    return line


def colour(line: str, style: Palette) -> Text:
    """One line of YAML or JSON, its key and its value in their colours.

    A character of the line is one of the text too; tabs are left to who draws it.
    """
    line = visible(line, tabs=True)
    text = Text(line, style=style.string, no_wrap=True, end="")
    start = 0
    key = _KEY.match(line)
    if key:
        text.stylize(style.punctuation, 0, key.start(3))
        text.stylize(style.key, key.start(3), key.end(3))
        text.stylize(style.punctuation, key.start(4), key.end(4))
        start = key.end(4)
    value = line[start:].lstrip(" \t-")
    at = len(line) - len(value)
    if _CONSTANT.match(value):
        text.stylize(style.number, at)
    if value and value[0] in "[]{}":
        text.stylize(style.punctuation, at)
    if not key:
        text.stylize(style.punctuation, 0, at)
    return text


def in_row(line: Text, base: Style, start: int, width: int, console: Console) -> Strip:
    """So many columns of a line of text from one on, filled up with blanks, on a ground.

    Rich draws the style of the line itself only where there is another one in it.
    """
    ground = base + console.get_style(line.style, default=Style.null())
    plain, spans = line.plain, line.spans
    cuts = sorted({0, len(plain), *(min(at, len(plain)) for span in spans for at in span[:2])})
    segments = []
    for first, end in pairwise(cuts):
        style = ground
        for begin, stop, over in spans:
            if begin < end and stop > first:
                style += console.get_style(over, default=Style.null())
        segments.append(Segment(plain[first:end], style))
    strip = Strip(segments, line.cell_len)
    if start or strip.cell_length > width:
        strip = strip.crop(start, start + width)
    return strip.extend_cell_length(width, base)
