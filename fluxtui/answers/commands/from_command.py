"""A pasted text as a jobspec: finds what it is and lets the reader of that read it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fluxtui.answers.commands import pasted, scripts
from fluxtui.answers.commands.options import WHOLE, Found, Line
from fluxtui.answers.commands.pasted import Command
from fluxtui.answers.commands.saying import PROGRAMS, Heard, Remark
from fluxtui.notation.problem import MAX_LENGTH, Problem, Span, capped, too_long
from fluxtui.notation.shellwords import Word

#: The program that takes a script with these directives.
_TAKES = {"flux": "flux batch", "SBATCH": "sbatch", "PBS": "qsub"}


def hear(text: str, environ: Mapping[str, str]) -> Heard:
    """See `fluxtui.answers.commands.hear`."""
    if len(text) > MAX_LENGTH:
        return Heard(None, problems=(too_long("text", text, "", MAX_LENGTH),))
    first, others = pasted.find(text)
    kind = scripts.kind_of(text)
    if kind is not None and (first is None or first.document is None):
        directives = scripts.read(text, kind)
        return _heard(text, _TAKES[kind], (), environ, script=directives, what="script")
    if first is None:
        message = "no command line or script of Flux, Slurm or PBS is recognised"
        return Heard(None, "", (), (Problem(message, Span(0, len(text)), None, PROGRAMS),))
    return _command(text, first, others, environ)


def _command(
    text: str, command: Command, others: Sequence[Span], environ: Mapping[str, str]
) -> Heard:
    program = command.program
    what = f"{program} command line"
    if program not in PROGRAMS:
        message = f"{program} makes many jobs; a jobspec is one"
        return Heard(None, what, (), (Problem(message, command.span, None, PROGRAMS),))
    script = None
    if command.document is not None:
        body, offset = command.document
        kind: scripts.Kind = (
            "flux" if "flux" in program else "PBS" if program == "qsub" else "SBATCH"
        )
        script = scripts.read(body, kind, offset)
    further = []
    if command.behind is not None:
        further.append(Remark("what stands behind the command is not part of it", command.behind))
    if others:
        span = Span(others[0].start, others[-1].end)
        number = "one more command line is" if len(others) == 1 else f"{len(others)} more are"
        further.append(Remark(f"{number} not read", span))
    return _heard(
        text,
        program,
        command.words,
        environ,
        assigned=command.assigned,
        script=script,
        what="command line",
        further=further,
        problems=command.problems,
        start=command.span,
    )


def _heard(
    text: str,
    program: str,
    words: Sequence[Word],
    environ: Mapping[str, str],
    *,
    what: str,
    assigned: Sequence[Found] = (),
    script: scripts.Script | None = None,
    further: Sequence[Remark] = (),
    problems: Sequence[Problem] = (),
    start: Span | None = None,
) -> Heard:
    """What the reader of a program makes of its words, with all remarks in order."""
    document, line = _reader(program)(words, environ, assigned, script)
    start = start or Span(0, min(len(text), max(1, text.find("\n"))))
    remarks = [remark._replace(span=_placed(remark.span, start)) for remark in line.remarks]
    wrong = [p._replace(span=_placed(p.span, start)) for p in (*problems, *line.problems)]
    wrong.sort(key=lambda problem: problem.span or start)
    remarks = sorted((*remarks, *further), key=lambda remark: remark.span)
    return Heard(document, f"{program} {what}", tuple(dict.fromkeys(remarks)), capped(wrong))


def _placed(span: Span | None, start: Span) -> Span:
    """Where a remark stands; one on the line as a whole stands at its beginning."""
    return start if span is None or span == WHOLE else span


_Reader = Callable[
    [Sequence[Word], Mapping[str, str], Sequence[Found], scripts.Script | None],
    tuple[dict[str, Any], Line],
]


def _reader(program: str) -> _Reader:
    """The reader of a program, of which only one is wanted at a time."""
    if program == "qsub":
        from fluxtui.answers.commands.pbs import from_command as pbs_hear

        return pbs_hear.read
    if program in ("srun", "sbatch", "salloc"):
        from fluxtui.answers.commands.slurm import from_command as slurm_hear

        return lambda *given: slurm_hear.read(program, *given)
    from fluxtui.answers.commands.flux import from_command

    return lambda *given: from_command.read(program.removeprefix("flux "), *given)
