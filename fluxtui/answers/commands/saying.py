"""What `say` and `hear` give back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from fluxtui.notation import shellwords
from fluxtui.notation.problem import Problem, Span

if TYPE_CHECKING:
    from fluxtui.answers.commands.flux.shape import Piece

#: The programs that a jobspec is said for, in the order they are given.
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


class Remark(NamedTuple):
    """One thing that was read approximately or left out: why, and where it stands in the text."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Saying:
    """A jobspec as one program would be asked for it.

    name    the program, such as ``flux submit`` or ``srun``
    text    the command line, or None where the program cannot say it
    script  the same as a script with directives, of those that take one; a script that the job
            carries follows them, so that the directives become part of it
    exact   the program reads the text as this very request
    notes   a sentence each on what is lost, or on what the program adds
    """

    name: str
    text: str | None
    script: str | None = None
    exact: bool = False
    notes: tuple[str, ...] = ()


def saying(
    name: str, words: Sequence[str], script: str | None, exact: bool, notes: tuple[str, ...]
) -> Saying:
    """The saying of some words as one line for a shell."""
    if any("\0" in word for word in words):
        return Saying(name, None, notes=("no command line can hold a NUL character",))
    return Saying(name, shellwords.join(words), script, exact, notes)


@dataclass(slots=True)
class Known:
    """What `say` knows of the jobspec that it said last, to say one much like it in less time.

    Whoever says a job again and again makes one and hands it in each time. A vertex is known again
    as the same object, so nobody may change one in place meanwhile.
    """

    pieces: "dict[int, Piece]" = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Heard:
    """A pasted command line or script as a jobspec.

    document  the jobspec; None where nothing was recognised or an error leaves none
    what      what the text is, such as ``srun command line`` or ``sbatch script``; may be empty
    notes     what was read approximately or left out, in the order of the text
    problems  what is wrong, in the order of the text
    """

    document: Mapping[str, Any] | None
    what: str = ""
    notes: tuple[Remark, ...] = ()
    problems: tuple[Problem, ...] = ()
