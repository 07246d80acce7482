"""The job as command lines of Flux, Slurm and PBS, as lines for a pane."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from fluxtui.notation import shellwords
from fluxtui.notation.problem import printable
from fluxtui.ui.kit.lines import MadeLines
from fluxtui.ui.kit.palette import Palette
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


if TYPE_CHECKING:
    from fluxtui.answers.commands.jobs import Rendering

#: By form of the text pane: the programs whose command lines it shows.
PROGRAMS = {
    "flux": ("flux submit", "flux run", "flux batch", "flux alloc"),
    "slurm": ("srun", "sbatch", "salloc"),
    "pbs": ("qsub",),
}

NARROWEST = 20  # columns; in fewer nothing is broken within a word

_OPTION = re.compile(r"--?[A-Za-z][\w-]*")


def lines(
    renderings: "Sequence[Rendering]", form: str, width: int, style: Palette
) -> tuple[Sequence[Text], int]:
    """The renderings of a form: each command line, whether it says all, and what it leaves out.

    And how wide the widest line is. What a long word goes on with is drawn where it is in sight: it
    may be hundreds of lines.
    """
    rows = _rows(renderings, form, width, style)

    def made(number: int) -> Text:
        row = rows[number]
        return _code(row, style) if isinstance(row, str) else row

    widths = (columns(row if isinstance(row, str) else row.plain) for row in rows)
    return MadeLines(len(rows), made), max(widths, default=0)


def _rows(
    renderings: "Sequence[Rendering]", form: str, width: int, style: Palette
) -> list[Text | str]:
    """The lines, those that are nothing but a part of a command line as strings."""
    out: list[Text | str] = []
    for rendering in renderings:
        if rendering.name not in PROGRAMS[form]:
            continue
        if out:
            out.append(Text(end=""))
        out.append(_head(rendering, style))
        if rendering.text is not None:
            out += _command(rendering.text, width, style)
        for note in rendering.notes:
            out += _wrapped(printable(note), width, style)
        if rendering.script:
            out += _script(rendering.script, width, style)
    return out


def _script(script: str, width: int, style: Palette) -> list[Text]:
    """The lines of a script as they are, and that they go on where they are too wide.

    A comment, as a directive is, has no way to be broken.
    """
    rows = [f"  {printable(line)}" for line in script.removesuffix("\n").split("\n")]
    head = "  as lines of a script"
    if max(map(columns, rows)) > width:
        head += ", to be scrolled with \N{RIGHTWARDS ARROW}"
    return [
        Text(head, style=style.faint, no_wrap=True, end=""),
        *(Text(row, style=style.string, no_wrap=True, end="") for row in rows),
    ]


def _head(rendering: "Rendering", style: Palette) -> Text:
    if rendering.text is None:
        return Text.assemble(
            (rendering.name, style.strong), ("  cannot express it", style.warning), end=""
        )
    mark = ("  = exact", style.match) if rendering.exact else ("  ≈ approximate", style.warning)
    return Text.assemble((rendering.name, style.strong), mark, no_wrap=True, end="")


def _command(text: str, width: int, style: Palette) -> list[Text | str]:
    """A command line, broken between its words, as a shell sees them, where it is too long.

    A word that is too long for a line is broken too, so that a shell reads all of it as it is.
    """
    line = _code("  ", style)
    out: list[Text | str] = [line]
    empty = True
    for start, end in _places(text):
        word = text[start:end]
        shown = printable(word)
        if not empty and columns(line.plain) + 1 + columns(shown) > width - 2:
            line.append(" \\")
            line = _code("      ", style)
            out.append(line)
        elif not empty:
            line.append(" ")
        here = columns(line.plain)
        whole = "\n" not in word and here + columns(shown) <= max(width - 2, NARROWEST)
        first, *others = (shown,) if whole else _long(word, here, width)
        option = _OPTION.match(first)
        place = len(line)
        line.append(first)
        if option is not None:
            line.stylize(style.key, place, place + option.end())
        if others:  # the next word goes on behind the last of them
            line = _code(others.pop(), style)
            out += [*others, line]
        empty = False
    return out


def _long(word: str, here: int, width: int) -> list[str]:
    """A word in lines; there is this much in the first of them already."""
    room = max(width - 2, NARROWEST)
    return in_lines(word, max(room - here, NARROWEST), room)


def _places(text: str) -> Sequence[tuple[int, int]]:
    """Where its words begin and end; all of it is one where it is too long to be read."""
    return [word.span for word in shellwords.split(text).value] or [(0, len(text))]


def _code(text: str, style: Palette) -> Text:
    return Text(text, style=style.plain, no_wrap=True, end="")


def _wrapped(note: str, width: int, style: Palette) -> list[Text]:
    """A note, broken between words."""
    import textwrap

    found = textwrap.wrap(note, max(width - 4, 20), initial_indent="  · ", subsequent_indent="    ")
    return [Text(line, style=style.quiet, no_wrap=True, end="") for line in found]
