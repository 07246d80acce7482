"""The job as command lines of Flux, Slurm and PBS."""

import re
from collections.abc import Iterator, Sequence
from operator import is_
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType

from fluxtui.notation import shellwords
from fluxtui.notation.problem import printable
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import LinesView, MadeLines
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.text import columns
from fluxtui.workbench import State

if TYPE_CHECKING:
    from fluxtui.answers.commands.jobs import Rendering

#: The commands whose lines are shown together, by the title of the tab.
PROGRAMS = {
    "flux": ("flux submit", "flux run", "flux batch", "flux alloc"),
    "Slurm": ("srun", "sbatch", "salloc"),
    "PBS": ("qsub",),
}

# The command lines of a longer shape take more time than a key may: they come a frame later.
MANY_TOKENS = 5_000

NARROWEST = 20  # columns; in fewer nothing is broken within a word

_OPTION = re.compile(r"--?[A-Za-z][\w-]*")


def lines(
    renderings: "Sequence[Rendering]", width: int, style: Palette
) -> tuple[Sequence[Text], int]:
    """Each command line, whether it says all of the job, and what it leaves out.

    And how wide the widest line is. What a long word goes on with is drawn where it is in sight: it
    may be hundreds of lines.
    """
    rows: list[Text | str] = []  # those that are nothing but a part of a command line as strings
    for rendering in renderings:
        if rows:
            rows.append(Text(end=""))
        rows.append(_head(rendering, style))
        if rendering.text is not None:
            rows += _command(rendering.text, width, style)
        for note in rendering.notes:
            rows += _wrapped(printable(note), width, style)
        if rendering.script:
            rows += _script(rendering.script, width, style)

    def made(number: int) -> Text:
        row = rows[number]
        return _code(row, style) if isinstance(row, str) else row

    widths = (columns(row if isinstance(row, str) else row.plain) for row in rows)
    return MadeLines(len(rows), made), max(widths, default=0)


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
    mark = ("  = exact", style.good) if rendering.exact else ("  ≈ approximate", style.warning)
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


# One word of a shell that is wider than a line, in several: a shell reads the same word from them.
#
# A line that goes on ends with a backslash, and the next one begins at its very beginning. Within
# single quotes a backslash says nothing, so they are closed before it and opened again; so are
# those of ``$'...'``.

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


class CommandsPane(Pane):
    """Shows the job as command lines of one program at a time."""

    title = "flux"

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("commands.form", "j", "next_form", "Form", "Go on to Slurm, to PBS, to flux",
             footer=True),
    ]  # fmt: skip

    form = "flux"

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.view = LinesView(id="commands-text")
        self._state: State | None = None
        # The last command lines, and the parts of the state that they were made of.
        self._of: tuple[object, ...] = ()
        self._renderings: tuple[Rendering, ...] = ()

    def compose(self) -> ComposeResult:
        """The lines alone."""
        yield self.view

    def show(self, state: State) -> None:
        """Show the job of a state."""
        self._state = state
        self.say_keys()
        if state.empty:
            lines = ("The job as command lines, as you type it.", "ctrl+y copies them.")
            self.view.show_lines(self.hint(*lines))
        elif len(state.build.shape.tokens) > MANY_TOKENS:
            self.call_after_refresh(self._show, state)
        else:
            self._show(state)

    def _show(self, state: State) -> None:
        if state is self._state:
            self.view.show_lines(*lines(self.renderings(state), self.size.width - 4, self.style))

    def renderings(self, state: State) -> "tuple[Rendering, ...]":
        """The job of a state for the program that is shown; written anew only for another job."""
        if state.empty:
            return ()
        parts = (state.job.document, state.build.resources, state.ask.constraint)
        of = (self.form, state.submission.queue, *parts)
        if not self._of or not all(map(is_, of, self._of)):
            from fluxtui.answers.commands.translation import to_command

            self._of, self._renderings = of, to_command(state.jobspec(), PROGRAMS[self.form])
        return self._renderings

    def action_next_form(self) -> None:
        """Go on to the next program."""
        forms = list(PROGRAMS)
        self.turn_to(forms[(forms.index(self.form) + 1) % len(forms)])

    def turn_to(self, form: str) -> None:
        """Show the command lines of a program, from their beginning."""
        self.form = form
        self.put_title(form)
        if self._state is not None:
            self.show(self._state)
        self.view.scroll_to(0, 0, animate=False, immediate=True)

    def say_keys(self) -> None:
        """Say that the job is an earlier one, or the key while it works."""
        state, forms = self._state, list(PROGRAMS)
        after = forms[(forms.index(self.form) + 1) % len(forms)]
        keys = f"j {after}" if self.has_keys(self.view) else ""
        is_old = state is not None and state.stale and not state.empty
        self.say_in_frame("stale" if is_old else keys)

    def on_resize(self) -> None:
        """It has come in sight, or has other room."""
        if self._state is not None:
            self.show(self._state)
