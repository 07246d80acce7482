"""``fluxtui convert``: a script or a command line of one system for another, or as a jobspec."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from fluxtui.cli.options import Parser
from fluxtui.cli.output import (
    MOST_PROBLEMS,
    answer_lines,
    cropped,
    print_json,
    print_script,
    refusal,
    remark,
    report,
    text_of,
)
from fluxtui.notation.problem import Problem, Span, counted, listed, position, render

if TYPE_CHECKING:
    from fluxtui.answers.commands.conversion import Conversion, System, Target
    from fluxtui.answers.commands.options import Note

_DESCRIPTION = """\
Convert a job script or a command line of Flux, Slurm, PBS or LSF to another of
them, or to a jobspec (RFC 14). What is lost or only approximate is named."""

_EPILOG = """\
examples:
  fluxtui convert --to flux job.sbatch > job.sh
  fluxtui convert --to jobspec --strict job.lsf
  fluxtui convert --to slurm -- flux submit -N4 -n16 -g1 app
  fluxtui convert --to lsf -o command job.yaml
  ssh sierra cat job.lsf | fluxtui convert --to flux
  fluxtui convert --to flux - < commands.jsonl

FILE is a script with '# flux:' (RFC 36), #SBATCH, #PBS or #BSUB lines, a file
that holds a command line, a jobspec, or what 'fluxtui shape' prints; without FILE
standard input is read. After '--' comes a command line: flux submit, run, batch
or alloc, srun, sbatch, salloc, qsub, bsub or jsrun. The commands of a script stay
as they are, except that launchers such as srun and jsrun are replaced by that of
the other system.

What is lost, approximate, or needs a look in the commands of a script is reported
on standard error, with its line and what to do about it; with --strict, nothing
is printed in that case, and the exit code is 1. The same holds for anything that
is wrong, such as an unknown option.

With '-o json', the answer is {"what", "from", "to", "exact", "command", "script",
"jobspec", "shape", "options", "notes", "problems"}. With '-', each line of
standard input is a command line, or {"text": "..."} with one or a script, and is
answered by such an object on a line."""

_EXITS = {
    0: "converted",
    1: "not recognised, or something in it is wrong; with --strict also: not exact",
}
_ANSWERS = {"-o json": "conversion", "-": "conversion_line"}

_SOURCES = ("auto", "flux", "slurm", "pbs", "lsf")
_TARGETS = ("flux", "slurm", "pbs", "lsf", "jobspec", "yaml", "shape")


class _Options:
    """The parsed command line."""

    file: str | None = None
    source: str = "auto"
    target: str
    output: str | None = None
    strict: bool = False
    memory: bool = False


def parser() -> Parser:
    """The parser of the verb."""
    usage = (
        "fluxtui convert [options] --to SYSTEM [FILE]\n"
        "       fluxtui convert [options] --to SYSTEM -- COMMAND ..."
    )
    declared = Parser("fluxtui convert", _DESCRIPTION, _EPILOG, _EXITS, _ANSWERS, usage)
    add = declared.add_argument
    add("file", metavar="FILE", nargs="?", help="a script, or '-' for one a line as JSON")
    add(
        "--to",
        dest="target",
        choices=_TARGETS,
        required=True,
        help="the system to write for, or a jobspec as JSON or YAML, or its shape (RFC 46)",
    )
    add(
        "--from",
        dest="source",
        choices=_SOURCES,
        default="auto",
        help="whose directives count where a script has those of several (the first ones)",
    )
    add(
        "-o",
        "--output",
        choices=("script", "command", "json"),
        help="a script with directives or a command line (what the input is), or all as JSON",
    )
    add("--strict", action="store_true", help="print nothing where anything is not exact")
    add(
        "--memory",
        action="store_true",
        help="have Flux asked for memory, which jobspecs of version 1 (RFC 25) do not",
    )
    return declared


def run(arguments: list[str]) -> int:
    """Convert one text or many, and return the exit code."""
    options, words = _Options(), None
    if "--" in arguments:
        place = arguments.index("--")
        arguments, words = arguments[:place], arguments[place + 1 :]
    declared = parser()
    declared.parse_args(arguments, options)
    if words is not None and (options.file is not None or not words):
        wrong = "a FILE and a command line" if words else "no command line behind '--'"
        declared.error(f"there is {wrong}")
    if options.output in ("script", "command") and options.target not in _SOURCES:
        declared.error(f"--to {options.target} is no script and no command line")
    if options.file == "-":
        if options.output not in (None, "json"):
            declared.error("'-' answers in JSON Lines and takes no other output")
        return answer_lines(lambda line: _line(line, options), fine=_is_fine)
    if words is not None:
        from fluxtui.notation import shellwords

        return _one(shellwords.join(words), "", options)
    if options.file is None and sys.stdin.isatty():
        declared.error("a script is missing; '-' reads one a line from standard input")
    return _file(options.file, options)


def _file(name: str | None, options: _Options) -> int:
    """Convert the text of a file, or of standard input if name is None."""
    from fluxtui.bridge import files

    source, problems = files.read_source("-") if name is None else files.read_file(name)
    report(problems)
    if source is None:
        return 1
    return _one(source.text.replace("\r\n", "\n"), source.name if name else "", options)


def _converted(text: str, options: _Options) -> "Conversion":
    """The conversion of a text, which may be a jobspec."""
    from fluxtui.answers.commands import conversion

    target = options.target if options.target in _SOURCES else "jobspec"
    source = None if options.source == "auto" else cast("System", options.source)
    written = _document(text) if source is None else None
    if (document := _jobspec(written)) is not None:
        found = conversion.from_jobspec(document, cast("Target", target))
        return found if document is written else _of_resources(found)
    found = conversion.convert(text, cast("Target", target), source, memory=options.memory)
    if found.document is None and not found.source:
        from fluxtui.model.documents import document as documents
        from fluxtui.opening.kinds import another_kind

        other = another_kind(documents.read(text, ""), "script", rule="")
        return found if other is None else replace(found, problems=(other,))
    return found


def _of_resources(found: "Conversion") -> "Conversion":
    """Return the conversion of bare resources with a note on what was assumed."""
    from fluxtui.answers.commands.options import Note

    message = "these are resources alone: 'app' is put for the command, and no duration is given"
    return replace(found, notes=(Note(message, Span(0, 0)), *found.notes))


def _document(text: str) -> Any:
    """The value of a text that may be a jobspec; None if it cannot be one."""
    if text.startswith("#!") or not ("resources" in text or "count" in text):
        return None
    from fluxtui.model.documents import document

    found = document.read(text, "")
    return found.value if found.readable else None


def _jobspec(value: Any) -> dict[str, Any] | None:
    """Return a value that is a jobspec, or the jobspec built from one that is bare resources."""
    from fluxtui.model.jobspec import jobspec
    from fluxtui.model.verdict import kind_of
    from fluxtui.opening import jobspec_of

    if value is None or kind_of(value) != "jobspec":
        return None if value is None else jobspec_of(value)[0]
    found: dict[str, Any] = value
    return found if "tasks" in found else jobspec.build(found["resources"])


def _one(text: str, name: str, options: _Options) -> int:
    found = _converted(text, options)
    refused = _is_refused(found, options)
    if options.output == "json":
        print_json(_answer(found, text, refused))
        return 1 if refused else 0
    _report(found, text, name)
    answer = None if refused else _printed(found, options)
    if answer is not None and not print_script(answer.removesuffix("\n")):
        report([Problem("it holds control characters, and is not printed; -o json has it")])
        answer = None
    return 1 if answer is None else 0


def _is_refused(found: "Conversion", options: _Options) -> bool:
    """Whether there is no answer: something is wrong, or with --strict not exact."""
    wrong = any(problem.severity == "error" for problem in found.problems)
    return wrong or (options.strict and not found.exact)


def _printed(found: "Conversion", options: _Options) -> str | None:
    """The text to print for a conversion; None if there is none."""
    if found.document is None:
        return None
    if options.target == "shape":
        return _shape(found)
    if options.target == "yaml":
        import yaml

        return yaml.safe_dump(_plain(found.document), sort_keys=False)
    if options.target == "jobspec":
        import json

        return json.dumps(found.document, indent=2)
    wanted = options.output or ("script" if found.what.endswith("script") else "command")
    return found.script if wanted == "script" and found.script is not None else found.command


def _plain(value: Any) -> Any:
    """Copy a value without shared objects, for which YAML would write anchors."""
    import json

    return json.loads(json.dumps(value))


def _shape(found: "Conversion") -> str | None:
    from fluxtui.answers.commands.conversion import shape_of

    return shape_of(found.document or {}) or None


# Problems and notes


def _report(found: "Conversion", text: str, name: str) -> None:
    """Print the problems and the notes, each with its line, and how many options were exact."""
    for problem in found.problems[:MOST_PROBLEMS]:
        shown = replace(problem, severity="error")
        lead = "wrong" if problem.severity == "error" else "warning"
        _remark(shown, lead, text, name, ())
    for note in found.notes[:MOST_PROBLEMS]:
        span = None if note.span == Span(0, 0) else note.span
        instead = (f"instead: {note.instead}",) if note.instead else ()
        _remark(Problem(note.text, span), _CODES[note.code], text, name, instead)
    more = len(found.notes) - MOST_PROBLEMS
    if more > 0:
        remark(f"... and {more:,} more; -o json has all")
    if summary := _summary(found):
        remark(summary)


_CODES = {"lost": "lost", "approximate": "approximate", "body": "look at", "remark": "remark"}


def _remark(problem: Problem, lead: str, text: str, name: str, more: Sequence[str]) -> None:
    place = [name] if name else []
    if problem.span is not None:
        place.append(str(position(text, problem.span.start)[0]))
    where = f"{':'.join(place)}: " if place else ""
    first, *rest = render(*cropped(problem, text if problem.span else None)).split("\n")
    remark("\n".join([f"{where}{lead}: {first}", *rest, *(f"  {line}" for line in more)]))


def _summary(found: "Conversion") -> str:
    """How many options were converted how; empty if all are exact, or there are none."""
    tally = found.tally
    total = tally.exact + tally.approximate + tally.lost + tally.unknown
    if not total or total == tally.exact:
        return ""
    kinds = [(tally.exact, "exact"), (tally.approximate, "approximate"), (tally.lost, "lost"),
             (tally.unknown, "unknown")]  # fmt: skip
    parts = [f"{number} {kind}" for number, kind in kinds if number]
    return f"{counted(total, 'option')}: {listed(parts)}"


# JSON


def _line(line: str, options: _Options) -> dict[str, Any]:
    text, problems = text_of(line, "text")
    if problems:
        return refusal(problems)
    found = _converted(text, options)
    if found.document is None:
        return refusal(found.problems)
    return _answer(found, text, _is_refused(found, options))


def _is_fine(answer: dict[str, Any]) -> bool:
    if "exact" not in answer:
        return False
    wrong = any("severity" not in problem for problem in answer["problems"])
    return not wrong and any(answer[key] is not None for key in ("command", "jobspec"))


def _answer(found: "Conversion", text: str, refused: bool) -> dict[str, Any]:
    """The answer on one text as a JSON object; without the conversion if it is refused."""
    tally = found.tally
    is_given = found.document is not None and not refused
    return {
        "what": found.what,
        "from": found.source or None,
        "to": found.target,
        "exact": found.exact,
        "command": found.command if is_given else None,
        "script": found.script if is_given else None,
        "jobspec": found.document if is_given else None,
        "shape": _shape(found) if is_given else None,
        "options": {
            "exact": tally.exact,
            "approximate": tally.approximate,
            "lost": tally.lost,
            "unknown": tally.unknown,
        },
        "notes": [_note(note, text) for note in found.notes],
        "problems": [problem.to_json() for problem in found.problems],
    }


def _note(note: "Note", text: str) -> dict[str, Any]:
    is_placed = note.span != Span(0, 0)
    return {
        "code": note.code,
        "message": note.text,
        "instead": note.instead or None,
        "span": list(note.span) if is_placed else None,
        "line": position(text, note.span.start)[0] if is_placed else None,
    }
