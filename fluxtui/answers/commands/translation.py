"""Jobspecs as command lines and scripts of Flux, Slurm and PBS, and those read as jobspecs."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fluxtui.answers.commands import job, pasted, pbs, scripts
from fluxtui.answers.commands.flux import from_command as from_flux
from fluxtui.answers.commands.flux import to_command as to_flux
from fluxtui.answers.commands.options import WHOLE, Found, Line
from fluxtui.answers.commands.pasted import Command
from fluxtui.answers.commands.results import PROGRAMS, Note, ReadCommand, Rendering, refusal
from fluxtui.answers.commands.slurm import from_command as from_slurm
from fluxtui.answers.commands.slurm import to_command as to_slurm
from fluxtui.notation.problem import MAX_LENGTH, Problem, Span, capped, too_long
from fluxtui.notation.shellwords import Word

#: The program that takes a script with these directives.
_TAKES = {"flux": "flux batch", "SBATCH": "sbatch", "PBS": "qsub"}


def to_command(
    document: Mapping[str, Any], names: Collection[str] = PROGRAMS
) -> tuple[Rendering, ...]:
    """A jobspec written for each of ``PROGRAMS`` that is named, in their order.

    Takes any RFC 14 jobspec, legal or not, and never raises. Where a program cannot express it,
    the text is None and a note says why. Where the task's slot does not exist, Flux is asked for
    just that, with a note; Slurm and PBS have no words for it. What ``exact`` means is written
    down in the ``to_command`` module of each system; for each exact text, ``from_command(text)``
    gives the same resources, tasks and attributes. Only ``flux batch`` names a file,
    ``script.sh``, which holds the script that the job carries; read its ``script`` instead.
    """
    wanted = [name for name in PROGRAMS if name in names]
    found = job.read(document)
    if isinstance(found, str):
        return tuple(refusal(name, found) for name in wanted)
    try:
        return tuple(_renderings(found, wanted))
    except RecursionError:
        note = "the jobspec is nested too deep for a command line"
        return tuple(refusal(name, note) for name in wanted)


def _renderings(found: job.Job, wanted: Sequence[str]) -> Iterator[Rendering]:
    flux = [name for name in wanted if name.startswith("flux ")]
    others = wanted[len(flux) :]
    if flux:
        yield from to_flux.renderings(found, flux)
    if found.slotless is not None:
        yield from (refusal(name, found.slotless) for name in others)
        return
    slurm = [name for name in others if name != "qsub"]
    if slurm:
        yield from to_slurm.renderings(found, slurm)
    if "qsub" in others:
        yield pbs.to_command(found)


def from_command(text: str, environ: Mapping[str, str] | None = None) -> ReadCommand:
    """A pasted command line or script as a jobspec, however much of it makes sense.

    Reads ``flux submit``, ``run``, ``batch`` and ``alloc``, ``srun``, ``sbatch``, ``salloc`` and
    ``qsub`` lines, with a prompt, variables or escaped line ends, and scripts with ``flux:``
    (RFC 36), ``#SBATCH`` or ``#PBS`` directives. environ is the environment that the job would be
    submitted with; where it is empty or None, what would be taken from it is left out.

    Of a Flux line the document is what Flux makes of it, without what Flux takes from where it
    runs: the environment where no option mentions it, the working directory, the resource
    limits. Never raises.
    """
    environ = environ or {}
    if len(text) > MAX_LENGTH:
        return ReadCommand(None, problems=(too_long("text", text, "", MAX_LENGTH),))
    first, others = pasted.find(text)
    kind = scripts.kind_of(text)
    if kind is not None and (first is None or first.document is None):
        program = _TAKES[kind]
        start = Span(0, min(len(text), max(1, text.find("\n"))))
        document, line = _read(program, (), environ, (), scripts.read(text, kind))
        return _result(document, f"{program} script", line.notes, line.problems, start)
    if first is None:
        message = "no command line or script of Flux, Slurm or PBS is recognised"
        return ReadCommand(None, "", (), (Problem(message, Span(0, len(text)), None, PROGRAMS),))
    return _command(first, others, environ)


def _command(command: Command, others: Sequence[Span], environ: Mapping[str, str]) -> ReadCommand:
    program = command.program
    what = f"{program} command line"
    if program not in PROGRAMS:
        message = f"{program} makes many jobs; a jobspec is one"
        return ReadCommand(None, what, (), (Problem(message, command.span, None, PROGRAMS),))
    script = None
    if command.document is not None:
        body, offset = command.document
        script = scripts.read(body, _directives(program), offset)
    document, line = _read(program, command.words, environ, command.assigned, script)
    notes = list(line.notes)
    if command.behind is not None:
        notes.append(Note("what follows the command is not part of it", command.behind))
    if others:
        span = Span(others[0].start, others[-1].end)
        number = "one more command line is" if len(others) == 1 else f"{len(others)} more are"
        notes.append(Note(f"{number} not read", span))
    return _result(document, what, notes, (*command.problems, *line.problems), command.span)


def _directives(program: str) -> scripts.Kind:
    return "flux" if "flux" in program else "PBS" if program == "qsub" else "SBATCH"


def _read(
    program: str,
    words: Sequence[Word],
    environ: Mapping[str, str],
    assigned: Sequence[Found],
    script: scripts.Script | None,
) -> tuple[dict[str, Any], Line]:
    """What the reader of a program makes of the words behind it."""
    if program == "qsub":
        return pbs.from_command(words, environ, assigned, script)
    if program.startswith("flux "):
        name = program.removeprefix("flux ")
        return from_flux.read(name, words, environ, assigned, script)
    return from_slurm.read(program, words, environ, assigned, script)


def _result(
    document: dict[str, Any],
    what: str,
    notes: Sequence[Note],
    problems: Sequence[Problem],
    start: Span,
) -> ReadCommand:
    """All in the order of the text; what concerns the line as a whole has the span ``start``."""

    def placed(span: Span | None) -> Span:
        return start if span is None or span == WHOLE else span

    kept = sorted((replace(n, span=placed(n.span)) for n in notes), key=lambda note: note.span)
    wrong = sorted(
        (replace(p, span=placed(p.span)) for p in problems), key=lambda p: p.span or start
    )
    return ReadCommand(document, what, tuple(dict.fromkeys(kept)), capped(wrong))
