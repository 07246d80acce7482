"""The job as command lines of Flux, Slurm and PBS."""

import re
from collections.abc import Sequence
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
PART = 2_000  # characters of a word that are quoted together

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
    head = "  as a script"
    if max(map(columns, rows)) > width:
        head += "; \N{RIGHTWARDS ARROW} scrolls"
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
    words = shellwords.split(text).value
    if not words:  # it is too long to be read
        line.append(printable(text))
    for number, word in enumerate(words):
        shown = printable(text[slice(*word.span)])
        if number and columns(line.plain) + 1 + columns(shown) > width - 2:
            line.append(" \\")
            line = _code("      ", style)
            out.append(line)
        elif number:
            line.append(" ")
        here, room = columns(line.plain), max(width - 2, NARROWEST)
        rows = [shown]
        if "\n" in word.text or here + columns(shown) > room:
            rows = in_lines(word.text, max(room - here, NARROWEST), room)
        option = _OPTION.match(rows[0])
        place = len(line)
        line.append(rows[0])
        if option is not None:
            line.stylize(style.key, place, place + option.end())
        if rows[1:]:  # the next word goes on behind the last of them
            line = _code(rows.pop(), style)
            out += [*rows[1:], line]
    return out


def _code(text: str, style: Palette) -> Text:
    return Text(text, style=style.plain, no_wrap=True, end="")


def _wrapped(note: str, width: int, style: Palette) -> list[Text]:
    import textwrap

    found = textwrap.wrap(note, max(width - 4, 20), initial_indent="  · ", subsequent_indent="    ")
    return [Text(line, style=style.quiet, no_wrap=True, end="") for line in found]


def in_lines(word: str, first: int, room: int) -> list[str]:
    """A word that is wider than a line, in several: a shell reads the same word from them.

    Each is a part that is quoted by itself, in as many columns as there are: of the first so many,
    of the others room. One that goes on ends with a backslash, and the next one begins at its very
    beginning; a line break in the word is one here too.
    """
    lines: list[str] = []
    at, width = 0, first
    while at < len(word):
        end = _end(word, at, width)
        lines += shellwords.quote(word[at:end]).split("\n")
        if end < len(word):
            lines[-1] += "\\"
        at, width = end, room
    return lines or ["''"]


def _end(word: str, at: int, width: int) -> int:
    """Where the part of a word ends for which there is room: with a line of it, or within one."""

    def fits(end: int) -> bool:
        rows = shellwords.quote(word[at:end]).split("\n")
        return max(map(columns, rows)) < width

    end = at
    while end < len(word) and end - at < PART:
        line = word.find("\n", end) + 1 or len(word)
        if not fits(line):
            break
        end = line
    if end > at:
        return end
    end = min(len(word), at + max(width - 1, 1))
    while end > at + 1 and not fits(end):
        end -= 1
    return end


class CommandsPane(Pane):
    """Shows the job as command lines of one program at a time."""

    title = "flux"

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("commands.form", "j", "next_form", "Other form", "Switch between flux, Slurm and PBS",
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
        """The lines."""
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
        """Break the lines for the new width."""
        if self._state is not None:
            self.show(self._state)
