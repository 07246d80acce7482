"""What a translation between jobspecs and command lines gives back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fluxtui.notation import shellwords
from fluxtui.notation.problem import Problem, Span

#: The programs that a jobspec is written for, in the order of the results.
PROGRAMS = (
    "flux submit",
    "flux run",
    "flux batch",
    "flux alloc",
    "srun",
    "sbatch",
    "salloc",
    "qsub",
)


@dataclass(frozen=True, slots=True)
class Note:
    """One thing that was read approximately or left out: why, and where in the text."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Rendering:
    """A jobspec written for one program.

    name    the program, such as ``flux submit`` or ``srun``
    text    the command line, or None where the program cannot express the jobspec
    script  the same request as a script with directives, for programs that take one; the
            directives are put into the script that the job carries, if it carries one
    exact   the program reads the text as this very request
    notes   a sentence each on what is lost, or on what the program adds
    """

    name: str
    text: str | None
    script: str | None = None
    exact: bool = False
    notes: tuple[str, ...] = ()


def refusal(name: str, note: str) -> Rendering:
    """The rendering for a program that cannot express the jobspec; the note says why."""
    return Rendering(name, None, notes=(note,))


def rendering(
    name: str, words: Sequence[str], script: str | None, exact: bool, notes: tuple[str, ...]
) -> Rendering:
    """The rendering whose text is these words as one line for a shell."""
    if any("\0" in word for word in words):
        return refusal(name, "no command line can hold a NUL character")
    return Rendering(name, shellwords.join(words), script, exact, notes)


@dataclass(frozen=True, slots=True)
class ReadCommand:
    """A pasted command line or script as a jobspec.

    document  the jobspec; None where nothing was recognised or an error leaves none
    what      what the text is, such as ``srun command line`` or ``sbatch script``; may be empty
    notes     what was read approximately or left out, in the order of the text
    problems  what is wrong, in the order of the text
    """

    document: Mapping[str, Any] | None
    what: str = ""
    notes: tuple[Note, ...] = ()
    problems: tuple[Problem, ...] = ()
