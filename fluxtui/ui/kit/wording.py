"""Numbers, counts and times in words, the same in every pane."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from rich.cells import cell_len, set_cell_size

from fluxtui.model.resources.resource_set import Totals
from fluxtui.notation.problem import Problem, printable

DOT = " · "

Keep = Literal["start", "words", "end", "both"]

LEAST_BOTH = 8  # columns in which both ends of a text say something


def totals(value: Totals) -> str:
    """``203 nodes · 9,216 cores · 96 gpus``; gpus are left out where there are none."""
    return DOT.join(value.words())


def moment(seconds: float) -> str:
    """Seconds since the epoch as a date and time here; beyond the calendar, the number itself."""
    try:
        return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M %Z")
    except (OverflowError, OSError, ValueError):
        return f"{seconds:g} s"


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


_COMMANDS = ("flux ", "srun ", "sbatch ", "salloc ", "qsub ", "#SBATCH", "#PBS", "#flux", "# flux:")


def begins_as_command(text: str) -> bool:
    """A text begins as a command line of flux, Slurm or PBS does, or as a script for one."""
    return text.lstrip("$ \t").startswith(_COMMANDS)
