"""The job in the words of Flux, Slurm and PBS, as lines for a pane."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from fluxtui.notation import shellwords
from fluxtui.notation.source import printable
from fluxtui.ui.palette import Palette

if TYPE_CHECKING:
    from fluxtui.answers.equivalents import Saying

#: By form of the text pane: the programs whose command lines it shows.
PROGRAMS = {
    "flux": ("flux submit", "flux run", "flux batch", "flux alloc"),
    "slurm": ("srun", "sbatch", "salloc"),
    "pbs": ("qsub",),
}

_OPTION = re.compile(r"--?[A-Za-z][\w-]*")


def lines(sayings: "Sequence[Saying]", form: str, width: int, style: Palette) -> list[Text]:
    """The sayings of a form: each command line, whether it says all, and what it leaves out."""
    out: list[Text] = []
    for saying in sayings:
        if saying.name not in PROGRAMS[form]:
            continue
        if out:
            out.append(Text(end=""))
        out.append(_head(saying, style))
        if saying.text is not None:
            out += _command(saying.text, width, style)
        for note in saying.notes:
            out += _wrapped(printable(note), width, style)
        if saying.script:
            out.append(Text("  as lines of a script", style=style.faint, end=""))
            out += [
                Text(f"  {printable(line)}", style=style.string, no_wrap=True, end="")
                for line in saying.script.removesuffix("\n").split("\n")
            ]
    return out


def _head(saying: "Saying", style: Palette) -> Text:
    if saying.text is None:
        return Text.assemble(
            (saying.name, style.strong), ("  cannot say it", style.warning), end=""
        )
    mark = ("  = exact", style.match) if saying.exact else ("  ≈ approximate", style.warning)
    return Text.assemble((saying.name, style.strong), mark, no_wrap=True, end="")


def _command(text: str, width: int, style: Palette) -> list[Text]:
    """A command line, broken between its words, as a shell sees them, where it is too long."""
    words = [printable(text[start:end]) for start, end in _places(text)]
    out = [_code("  ", style)]
    empty = True
    for word in words:
        if not empty and out[-1].cell_len + 1 + cell_len(word) > width - 2:
            out[-1].append(" \\")
            out.append(_code("      ", style))
        elif not empty:
            out[-1].append(" ")
        option = _OPTION.match(word)
        start = len(out[-1])
        out[-1].append(word)
        if option is not None:
            out[-1].stylize(style.key, start, start + option.end())
        empty = False
    return out


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
