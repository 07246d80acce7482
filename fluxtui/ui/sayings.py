"""The job in the words of Flux, Slurm and PBS, as lines for a pane."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

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
                for line in saying.script.splitlines()
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
    """A command line, broken between its options where it is too long."""
    out: list[Text] = []
    line = "  "
    words = printable(text).split(" ")
    for number, word in enumerate(words):
        room = width - 2
        if cell_len(line) > 4 and cell_len(line) + cell_len(word) > room:
            out.append(_code(line + "\\", style))
            line = "      "
        line += word + (" " if number < len(words) - 1 else "")
    out.append(_code(line, style))
    return out


def _code(line: str, style: Palette) -> Text:
    text = Text(line, style=style.plain, no_wrap=True, end="")
    text.highlight_regex(r"(?<= )--?[A-Za-z][\w-]*", style.key)
    return text


def _wrapped(note: str, width: int, style: Palette) -> list[Text]:
    """A note, broken between words."""
    import textwrap

    found = textwrap.wrap(note, max(width - 4, 20), initial_indent="  · ", subsequent_indent="    ")
    return [Text(line, style=style.quiet, no_wrap=True, end="") for line in found]
