"""Jobspecs written as command lines and scripts of Flux, Slurm, PBS and LSF, and read from them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fluxtui.answers.commands import (
    flux_from,
    flux_to,
    jobs,
    jsrun,
    lsf,
    pbs,
    scripts,
    slurm,
)
from fluxtui.answers.commands.jobs import Job, Rendering, refusal
from fluxtui.answers.commands.options import Line, Note
from fluxtui.answers.commands.scripts import WHOLE, Command, Kind, Memory
from fluxtui.notation.problem import MAX_LENGTH, Problem, Span, capped, too_long

#: The programs that a jobspec can be written for, in the order of the results.
PROGRAMS = (
    "flux submit", "flux run", "flux batch", "flux alloc", "srun", "sbatch", "salloc", "qsub",
    "bsub", "jsrun",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ReadCommand:
    """The jobspec read from a pasted text; document is None if nothing was recognised.

    what  the form of the text, such as ``srun command line`` or ``sbatch script``
    """

    document: Mapping[str, Any] | None
    what: str = ""
    notes: tuple[Note, ...] = ()
    problems: tuple[Problem, ...] = ()


_WRITERS: Mapping[str, Callable[[Job, str], Rendering]] = {
    "qsub": pbs.to_command,
    "bsub": lsf.to_command,
    "jsrun": jsrun.to_command,
}


def to_command(
    document: Mapping[str, Any], names: Collection[str] = PROGRAMS
) -> tuple[Rendering, ...]:
    """Write a jobspec, legal or not, for each of ``PROGRAMS`` that is in names, in their order.

    Never raises. If a rendering is exact, ``from_command`` reads its text back as the same
    resources, tasks and attributes; if ``flux batch`` names a file ``script.sh``, its ``script``.
    """
    wanted = [name for name in PROGRAMS if name in names]
    job = jobs.read(document)
    if isinstance(job, str):
        return tuple(refusal(name, job) for name in wanted)
    flux = [name for name in wanted if name.startswith("flux ")]
    try:
        out = flux_to.renderings(job, flux) if flux else []
        for name in wanted[len(flux) :]:
            if job.slotless is not None:
                out.append(refusal(name, job.slotless))
            else:
                out.append(_WRITERS.get(name, slurm.to_command)(job, name))
    except RecursionError:
        note = "the jobspec is nested too deep for a command line"
        return tuple(refusal(name, note) for name in wanted)
    return tuple(out)


_READERS = {
    "qsub": pbs.from_command,
    "bsub": lsf.from_command,
    "jsrun": jsrun.from_command,
}


@dataclass(frozen=True, slots=True)
class Reading:
    """A text that was read: its command, its jobspec, and the line with its notes and problems.

    form    ``script`` or ``command line``
    others  the spans of further command lines, which are not read
    """

    command: Command
    document: dict[str, Any]
    line: Line
    form: str
    others: Sequence[Span] = ()

    @property
    def what(self) -> str:
        """The form of the text, such as ``srun command line`` or ``sbatch script``."""
        return f"{self.command.program} {self.form}"

    def notes(self) -> tuple[Note, ...]:
        """The notes in the order of the text; a note on the whole line gets the line's span."""
        line_span = self.command.span
        notes = [replace(n, span=line_span) if n.span == WHOLE else n for n in self.line.notes]
        return tuple(dict.fromkeys(sorted(notes, key=lambda note: note.span)))

    def problems(self) -> tuple[Problem, ...]:
        """The problems in the order of the text."""
        line_span = self.command.span
        problems = [
            replace(p, span=line_span) if p.span in (None, WHOLE) else p
            for p in (*self.command.problems, *self.line.problems)
        ]
        return capped(sorted(problems, key=lambda problem: problem.span or line_span))


_SUBMITS = {"flux": "flux batch", "SBATCH": "sbatch", "PBS": "qsub", "BSUB": "bsub"}


def read(
    text: str,
    environ: Mapping[str, str] | None = None,
    *,
    kind: Kind | None = None,
    memory: Memory = "nodes",
) -> Reading | ReadCommand:
    """Read a command line or a script; a `ReadCommand` says why there is no jobspec.

    kind is the kind of the directives of a script; None detects it. memory says how memory is
    requested (see `Command`). environ is as for `from_command`. Never raises.
    """
    if len(text) > MAX_LENGTH:
        return ReadCommand(None, problems=(too_long("text", text, "", MAX_LENGTH),))
    command, others = (None, []) if kind and text.startswith("#!") else scripts.find(text)
    form = "command line"
    kind = kind or scripts.kind_of(text)
    if kind is not None and (command is None or command.script is None):
        form, others = "script", []
        start = Span(0, min(len(text), max(1, text.find("\n"))))
        command = Command(_SUBMITS[kind], span=start, script=scripts.read(text, kind))
    if command is None:
        message = "not recognised as a command line or script of Flux, Slurm, PBS or LSF"
        return ReadCommand(None, "", (), (Problem(message, Span(0, len(text)), None, PROGRAMS),))
    program = command.program
    if program not in PROGRAMS:
        message = f"{program} submits many jobs; a jobspec is one job"
        problem = Problem(message, command.span, None, PROGRAMS)
        return ReadCommand(None, f"{program} {form}", (), (problem,))
    reader = flux_from.from_command if program.startswith("flux ") else _READERS.get(program)
    command = replace(command, memory=memory)
    document, line = (reader or slurm.from_command)(command, environ or {})
    if command.trailing is not None:
        line.note(command.trailing, "what follows the command is not part of it")
    if others:
        number = "one more command line is" if len(others) == 1 else f"{len(others)} more are"
        line.note(Span(others[0].start, others[-1].end), f"{number} not read")
    return Reading(command, document, line, form, others)


def from_command(text: str, environ: Mapping[str, str] | None = None) -> ReadCommand:
    """Read a pasted command line or script as a jobspec, as far as it makes sense.

    Reads lines of ``PROGRAMS``, with a prompt, variables or escaped line ends, and scripts with
    ``flux:`` (RFC 36), ``#SBATCH``, ``#PBS`` or ``#BSUB`` directives. environ is the environment
    at submission; if it is empty or None, values that come from it are left out. Never raises.
    """
    reading = read(text, environ)
    if isinstance(reading, ReadCommand):
        return reading
    return ReadCommand(reading.document, reading.what, reading.notes(), reading.problems())
