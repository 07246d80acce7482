"""Text as it is shown, the same in every pane: in words, in columns, in lines, as strips."""

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

LEAST_BOTH = 8  # columns in which both ends of a text say something
PER_COLUMN = 4  # characters that may share a column, before more are not looked at
LONG = 4  # times as wide as a row is a line of ASCII of which only what is in sight is drawn

_EIGHTHS = " ▏▎▍▌▋▊▉█"

# A piece that a line may end after.
_PIECE = re.compile(r"[^ ,&|]*(?:[,&|]| +|$)")


# Characters and columns


def visible(text: str, *, tabs: bool = False) -> str:
    """The text with a sign of one column for each character that cannot be printed.

    It has as many characters as before. With tabs, they stay: for who draws tab stops.
    """
    return replaced_signs(text, "\t" if tabs else "")


def columns(text: str) -> int:
    """The columns that a text takes as it is shown; of a long one that is plain found at once."""
    return len(text) if text.isascii() else cell_len(visible(text))


def shorten(text: str, width: int, keep: Keep = "start") -> str:
    """The text cut to so many columns, with an ellipsis where something is cut.

    It keeps its start, whole words of its start, its end (of a path that says most), or both, which
    tells numbered names apart.
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
    """The same in just so many columns."""
    return set_cell_size(shorten(text, width, keep), width)


def _end(text: str, width: int) -> str:
    """The last so many columns of a text."""
    text = text[-width:] if width else ""
    while cell_len(text) > width:
        text = text[1:]
    return text


def bar(part: int, count: int, whole: int, width: int) -> tuple[str, str]:
    """A bar as long as the part of the whole, in eighths of a column, and what follows it.

    What follows are dots as far as count reaches, then blanks up to the width. Something shows
    for any part above 0.
    """
    eighths = round(part * width * 8 / whole) if whole else 0
    full, more = divmod(max(eighths, 1) if part and width else eighths, 8)
    lit = "█" * full + (_EIGHTHS[more] if more else "")
    reach = -(-count * width // whole) if whole else 0
    return lit, ("·" * max(reach - len(lit), 0)).ljust(width - len(lit))


class LazySequence(Sequence[T]):
    """So many things in a row, each made when it is asked for."""

    def __init__(self, count: int, make: Callable[[int], T]) -> None:
        self._count = count
        self._make = make

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, at: int | slice) -> Any:  # one of them, or some
        places = range(self._count)[at]
        return self._make(places) if isinstance(places, int) else [self._make(n) for n in places]


# Where the lines of a text end, and in which of them a character is
#
# Lines end as a text editor has it: by line feeds, or carriage returns before them. Python's
# ``splitlines`` and Textual's documents see more ends, such as U+2028 and form feeds, which may
# be part of a string of YAML or JSON.


def line_end(text: str) -> LineEnd | None:
    """What every line of a text ends with; a line feed where they differ, None where it has one.

    Splitting the text there, and joining it again, gives the same text.
    """
    feeds = text.count("\n")
    if not feeds:
        return "\r" if "\r" in text else None
    return "\r\n" if text.count("\r\n") == feeds else "\n"


def location(text: str, index: int, end: LineEnd | None) -> tuple[int, int]:
    """The line and the column of a character, both from 0, where lines end so."""
    end = end or "\n"
    before = text.rfind(end, 0, index)
    return text.count(end, 0, index), index - (before + len(end) if before >= 0 else 0)


def line_of(problem: Problem, text: str) -> int:
    """The line, from 1, that a problem of a text begins in; the first for one of all of it."""
    start = problem.span.start if problem.span is not None else 0
    return location(text, start, line_end(text))[0] + 1


def with_feeds(text: str) -> str:
    """A pasted text with line feeds alone: many terminals send a carriage return for each."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


# Lines of a width


def styled_line(*parts: str | tuple[str, Style], style: Style | str = "") -> Text:
    """A line that never wraps; a part is a text, or a text and its style, on a style for all."""
    return Text.assemble(*parts, style=style, no_wrap=True, end="")


def cut(line: Text, width: int) -> Text:
    """A line in so many columns at most; what is left out is marked."""
    if line.cell_len > width:
        line = line.copy()
        line.truncate(width, overflow="ellipsis")
    return line


def fold(text: str, width: int) -> list[str]:
    """The text in lines, broken where a constraint, a list of hosts or a sentence may be.

    Together they are the text, and there is at least one. None is wider than so many columns, but
    for blanks at its end; a piece that is too wide is broken anywhere.
    """
    lines: list[str] = []
    here = ""
    for piece in _PIECE.findall(text):
        if here and cell_len(here + piece.rstrip()) > width:
            lines.append(here)
            here = ""
        word = here + piece.rstrip()  # cut only where it must be: Rich loses what takes no column
        *full, here = chop_cells(word, max(width, 1)) if cell_len(word) > width else [word]
        here += piece[len(piece.rstrip()) :]
        lines += full
    return [*lines, here] if here or not lines else lines


def wrap(line: Text, width: int, hang: int = 0, most: int | None = None) -> list[Text]:
    """A styled line in rows of a width, at most so many; what is left out is marked.

    They go on as far in as the line began, and hang columns more, where there is room for that.
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
    """One line as it is; tabs are left to who draws it."""
    return Text(visible(line, tabs=True), no_wrap=True, end="")


def in_row(line: Text, base: Style, start: int, width: int, console: Console) -> Strip:
    """So many columns of a line of text from one on, filled up with blanks, on a ground.

    Rich draws the style of the line itself only where there is another one in it.
    """
    if len(line) > LONG * width and line.plain.isascii():
        line, start = line[start : start + width], 0
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


# Numbers, times and problems in words


def totals(value: Totals) -> str:
    """``203 nodes · 9,216 cores · 96 gpus``; gpus are left out where there are none."""
    return DOT.join(value.words())


def moment(seconds: float) -> str:
    """Seconds since the epoch as a date and time here; beyond the calendar, the number itself."""
    try:
        return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M %Z")
    except (OverflowError, OSError, ValueError):
        return f"{seconds:g} s"


def property_name(name: str) -> str:
    """The name of a property as it is shown; quoted where nothing would be seen of it."""
    return printable(name) if name.strip() else f'"{printable(name)}"'


def problem_words(problem: Problem) -> str:
    """A problem in one line: where in the document, unless the message says so itself, and what."""
    path = problem.path or ""
    if not path or re.match(rf"{re.escape(path)}\b", problem.message):
        return printable(problem.message)
    return printable(f"{path}: {problem.message}")


def alike(problems: Sequence[Problem]) -> list[tuple[Problem, int]]:
    """The first of all problems that say the same of different names and numbers; how many each."""
    found: dict[tuple[str, ...], tuple[Problem, int]] = {}
    for problem in problems:
        words = (_NAMED.sub("", part) for part in (problem.message, problem.path or ""))
        key = (*words, problem.rule, problem.severity)
        first, count = found.get(key, (problem, 0))
        found[key] = first, count + problem.many
    return list(found.values())


# What problems that are alike differ in.
_NAMED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[0-9]+")


def expected_words(problem: Problem, most: int = 3) -> str:
    """``; expected a, b, c, …``: what would be right; blank where the problem itself says so."""
    if not problem.expected or "did you mean" in problem.message:
        return ""
    more = ", …" if len(problem.expected) > most else ""
    return f"; expected {', '.join(map(printable, problem.expected[:most]))}{more}"


_COMMANDS = (
    "flux ", "srun ", "sbatch ", "salloc ", "qsub ", "bsub ", "jsrun ",
    "#SBATCH", "#PBS", "#BSUB", "#flux", "# flux:",
)  # fmt: skip


def begins_as_command(text: str) -> bool:
    """A text begins as a command line of Flux, Slurm, PBS or LSF does, or as a script for one."""
    return text.lstrip("$ \t").startswith(_COMMANDS)
