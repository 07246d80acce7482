"""Prepare text for display: visible characters, cutting, wrapping, strips, words for values."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import accumulate, pairwise
from typing import Any, Literal, TypeVar

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.strip import Strip

from fluxtui.model.resources.resource_set import Totals
from fluxtui.notation.problem import Problem, printable, replaced_signs

T = TypeVar("T")

DOT = " · "

Keep = Literal["start", "words", "end", "both"]

LineEnd = Literal["\r\n", "\n", "\r"]

LEAST_BOTH = 8  # columns from which it makes sense to keep both ends of a text
PER_COLUMN = 4  # characters (such as combining ones) to expect in a column at most
LONG = 4  # from this many times the row width on, only the visible part of an ASCII line is styled

_EIGHTHS = " ▏▎▍▌▋▊▉█"

# A piece of text after which a line may be broken.
_PIECE = re.compile(r"[^ ,&|]*(?:[,&|]| +|$)")


# Characters and columns


def visible(text: str, *, tabs: bool = False) -> str:
    """Return the text with a one-column sign for each character that is not printable.

    The number of characters stays the same. With tabs, tabs are kept for the caller to expand.
    """
    return replaced_signs(text, "\t" if tabs else "")


def columns(text: str) -> int:
    """Return the columns that a text takes on the screen; for ASCII text without scanning it."""
    return len(text) if text.isascii() else cell_len(visible(text))


def shorten(text: str, width: int, keep: Keep = "start") -> str:
    """Return the text cut to a number of columns, with an ellipsis in place of what is cut.

    keep is which part stays: the start, whole words at the start, the end (for paths), or both ends
    (for numbered names).
    """
    if cell_len(text) <= width:
        return text
    room = max(width - 1, 0)
    if width < 1:
        return ""
    if keep == "end":
        return "…" + _end(text, room)
    if keep == "both" and width >= LEAST_BOTH:
        head = width // 3
        return f"{set_cell_size(text, head)}…{_end(text, room - head)}"
    cut = set_cell_size(text, room)
    if keep == "words" and not text[len(cut) : len(cut) + 1].isspace():
        cut = cut.rpartition(" ")[0] or cut
    return f"{cut.rstrip(' ·:,' if keep == 'words' else None)}…"


def fitted(text: str, width: int, keep: Keep = "start") -> str:
    """Return the text shortened or padded to exactly this many columns."""
    return set_cell_size(shorten(text, width, keep), width)


def _end(text: str, width: int) -> str:
    """Return the last columns of a text."""
    text = text[-width:] if width else ""
    while cell_len(text) > width:
        text = text[1:]
    return text


def bar(part: int, count: int, whole: int, width: int) -> tuple[str, str]:
    """Return a bar for part of the whole, drawn in eighths of a column, and what follows it.

    What follows are dots up to the share of count, then blanks up to the width. A part above 0
    always shows.
    """
    eighths = round(part * width * 8 / whole) if whole else 0
    full, more = divmod(max(eighths, 1) if part and width else eighths, 8)
    lit = "█" * full + (_EIGHTHS[more] if more else "")
    reach = -(-count * width // whole) if whole else 0
    return lit, ("·" * max(reach - len(lit), 0)).ljust(width - len(lit))


class LazySequence(Sequence[T]):
    """A sequence of count elements, each made on access."""

    def __init__(self, count: int, make: Callable[[int], T]) -> None:
        self._count = count
        self._make = make

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, at: int | slice) -> Any:  # an element, or a list of elements
        places = range(self._count)[at]
        return self._make(places) if isinstance(places, int) else [self._make(n) for n in places]


# Line ends, and the line of a character
#
# As in a text editor, a line ends with a line feed, a carriage return or both. Python's
# ``splitlines`` and Textual's documents know more line ends, such as U+2028 and form feeds, which
# may be part of a string in YAML or JSON.


def line_end(text: str) -> LineEnd | None:
    """Return the line end of a text: a line feed if they differ, None if it has only one line.

    Splitting the text at it and joining the lines with it gives the same text.
    """
    feeds = text.count("\n")
    if not feeds:
        return "\r" if "\r" in text else None
    return "\r\n" if text.count("\r\n") == feeds else "\n"


def location(text: str, index: int, end: LineEnd | None) -> tuple[int, int]:
    """Return the line and the column of a character, both from 0, given the line end."""
    end = end or "\n"
    before = text.rfind(end, 0, index)
    return text.count(end, 0, index), index - (before + len(end) if before >= 0 else 0)


def line_of(problem: Problem, text: str) -> int:
    """Return the line, from 1, where a problem of a text begins; 1 if it has no span."""
    start = problem.span.start if problem.span is not None else 0
    return location(text, start, line_end(text))[0] + 1


def with_feeds(text: str) -> str:
    """Return a pasted text with line feeds only: many terminals send carriage returns instead."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


# Lines of a width


def styled_line(*parts: str | tuple[str, Style], style: Style | str = "") -> Text:
    """Return a line that never wraps; each part is a text, or a text and a style added to style."""
    return Text.assemble(*parts, style=style, no_wrap=True, end="")


def cut(line: Text, width: int) -> Text:
    """Return a line cut to at most this many columns, with an ellipsis if it is cut."""
    if line.cell_len > width:
        line = line.copy()
        line.truncate(width, overflow="ellipsis")
    return line


def fold(text: str, width: int) -> list[str]:
    """Break a text into lines, at places suitable for constraints, host lists and sentences.

    The lines joined are the text, and there is at least one. Apart from blanks at its end, no line
    is wider than width columns; a piece that is too wide is broken anywhere.
    """
    lines: list[str] = []
    here = ""
    for piece in _PIECE.findall(text):
        if here and cell_len(here + piece.rstrip()) > width:
            lines.append(here)
            here = ""
        word = here + piece.rstrip()  # chop only if needed: Rich drops zero-width characters
        *full, here = chop_cells(word, max(width, 1)) if cell_len(word) > width else [word]
        here += piece[len(piece.rstrip()) :]
        lines += full
    return [*lines, here] if here or not lines else lines


def wrap(line: Text, width: int, hang: int = 0, most: int | None = None) -> list[Text]:
    """Wrap a styled line into rows, no more than most, with an ellipsis if any are left out.

    Further rows are indented like the line plus hang columns, if that leaves enough room.
    """
    if line.cell_len <= width:
        return [line]
    if most is not None:
        line = line[: (most + 1) * (width + 1) * PER_COLUMN]
    plain = line.plain
    indent = len(plain) - len(plain.lstrip(" ")) + hang
    indent = indent if indent * 3 < width else 0
    lead, rest = line.divide([indent]) if indent else (Text(), line)
    rows = []
    ends = list(accumulate(map(len, fold(rest.plain, width - indent))))
    for part in rest.divide(ends[:-1]):
        part.rstrip()
        row = Text(style=line.style, no_wrap=True, end="")
        rows.append(row.append_text(lead).append_text(part))
        lead = Text(" " * indent)
    if most is not None and len(rows) > most:
        del rows[most:]
        rows[-1].truncate(max(width - 1, 0))
        rows[-1].append("…")
    return rows


def uncoloured(line: str) -> Text:
    """Return a line without colours; tabs are left for the caller to expand."""
    return Text(visible(line, tabs=True), no_wrap=True, end="")


def in_row(line: Text, base: Style, start: int, width: int, console: Console) -> Strip:
    """Draw width columns of a line, from column start, padded with blanks, on a base style.

    Rich's own rendering drops the style of a line that has no spans.
    """
    if len(line) > LONG * width and line.plain.isascii():
        line, start = line[start : start + width], 0
    line_style = base + console.get_style(line.style, default=Style.null())
    plain, spans = line.plain, line.spans
    cuts = sorted({0, len(plain), *(min(at, len(plain)) for span in spans for at in span[:2])})
    segments = []
    for first, end in pairwise(cuts):
        style = line_style
        for begin, stop, over in spans:
            if begin < end and stop > first:
                style += console.get_style(over, default=Style.null())
        segments.append(Segment(plain[first:end], style))
    strip = Strip(segments, line.cell_len)
    if start or strip.cell_length > width:
        strip = strip.crop(start, start + width)
    return strip.extend_cell_length(width, base)


# Numbers, times and problems in words


def totals(value: Totals) -> str:
    """Return ``203 nodes · 9,216 cores · 96 gpus``; without gpus if there are none."""
    return DOT.join(value.words())


def moment(seconds: float) -> str:
    """Return seconds since the epoch as local date and time; the number if it is out of range."""
    try:
        return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M %Z")
    except (OverflowError, OSError, ValueError):
        return f"{seconds:g} s"


def property_name(name: str) -> str:
    """Return a property name for display, quoted if it is blank."""
    return printable(name) if name.strip() else f'"{printable(name)}"'


def problem_words(problem: Problem) -> str:
    """Return a problem in one line: its path, unless the message begins with that, and message."""
    path = problem.path or ""
    if not path or re.match(rf"{re.escape(path)}\b", problem.message):
        return printable(problem.message)
    return printable(f"{path}: {problem.message}")


def alike(problems: Sequence[Problem]) -> list[tuple[Problem, int]]:
    """Group problems that differ only in names and numbers: the first of each, and how many."""
    groups: dict[tuple[str, ...], tuple[Problem, int]] = {}
    for problem in problems:
        words = (_NAMED.sub("", part) for part in (problem.message, problem.path or ""))
        key = (*words, problem.rule, problem.severity)
        first, count = groups.get(key, (problem, 0))
        groups[key] = first, count + problem.many
    return list(groups.values())


# The parts in which problems of a group may differ.
_NAMED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[0-9]+")


def expected_words(problem: Problem, most: int = 3) -> str:
    """Return ``; expected a, b, c, …`` for a problem; empty if its message has a suggestion."""
    if not problem.expected or "did you mean" in problem.message:
        return ""
    more = ", …" if len(problem.expected) > most else ""
    return f"; expected {', '.join(map(printable, problem.expected[:most]))}{more}"


_COMMANDS = (
    "flux ", "srun ", "sbatch ", "salloc ", "qsub ", "bsub ", "jsrun ",
    "#SBATCH", "#PBS", "#BSUB", "#flux", "# flux:",
)  # fmt: skip

# A prompt, and variables that are set for the command alone.
_BEFORE = re.compile(
    r"""[$ \t]*(?:env[ \t]+)?(?:[A-Za-z_]\w*=(?:'[^'\n]*'|"[^"\n]*"|[^\s'"])*[ \t]+)*"""
)


def begins_as_command(text: str) -> bool:
    """Return whether a text begins like a command line or script of Flux, Slurm, PBS or LSF."""
    before = _BEFORE.match(text)
    return text.startswith(_COMMANDS, before.end() if before is not None else 0)
