"""Reads ``flux submit``, ``run``, ``batch`` and ``alloc`` lines as the jobspecs they make."""

from collections.abc import Mapping, Sequence
from typing import Any

from fluxtui.answers.commands import options, scripts
from fluxtui.answers.commands.flux import build, table
from fluxtui.answers.commands.options import WHOLE, Found, Line
from fluxtui.notation.problem import Problem, Span
from fluxtui.notation.shellwords import Word


def script_entry(text: str) -> dict[str, Any]:
    """The RFC 37 file that ``flux batch`` makes of a script."""
    return {"mode": build.SCRIPT_MODE, "data": text, "encoding": "utf-8"}


def read(
    program: str,
    words: Sequence[Word],
    environ: Mapping[str, str],
    assigned: Sequence[Found] = (),
    script: scripts.Script | None = None,
    shapes: Mapping[str, list[dict[str, Any]]] | None = None,
) -> tuple[dict[str, Any], Line]:
    """The jobspec of the words behind ``flux PROGRAM``, and all that there is to say of them.

    assigned  variables set before the command, as rules of ``--env``
    script    the batch script, where its text is known
    shapes    the resources of shapes that are known
    """
    line = Line(f"flux {program}")
    line.shapes = shapes or {}
    known = table.options(program)
    line.lists["env"] = list(assigned)
    if script is not None:
        line.problems += script.problems
        behind = options.read(line, script.words, known, table.MANNER)
        if behind:
            span = Span(behind[0].span.start, behind[-1].span.end)
            line.remark(span, "flux batch takes no notice of this; signs such as | need quotes")
    rest = options.read(line, words, known, table.MANNER)
    command = [word.text for word in rest]
    if command[:1] == ["--"] and program != "alloc":
        command = command[1:]
    if program == "alloc":
        return build.allocation(line, command, environ), line
    if program == "batch" and script is not None and not (script.body or script.text[:2] == "#!"):
        line.remark(WHOLE, "the commands of the script are not here; 'app' stands for them")
        return build.unnamed(line, environ), line
    if program == "batch":
        return _batch(line, command, environ, script), line
    if not command:
        line.problem(WHOLE, "the command to run is missing", "a program")
        command = ["app"]
    return build.tasks(line, command, environ), line


def _batch(
    line: Line, command: list[str], environ: Mapping[str, str], script: scripts.Script | None
) -> dict[str, Any]:
    """The script is the one given, or wrapped, or known by its name alone."""
    text = None if script is None else script.text
    if line.has("wrap"):
        text = f"#!/bin/sh\n{' '.join(command)}\n" if command else text
        if script is not None and not command:
            text = f"#!/bin/sh\n{script.text}"
    elif text is not None and not text.startswith("#!"):
        message = "flux batch wants a script that begins with #!"
        line.problem(WHOLE, message, "#!/bin/sh")
    elif text is None:
        what = f"the script {command[0]}" if command else "the script"
        message = f"{what} is not read here: its text and its directives are left out"
        line.remark(WHOLE, message)
    name = command[0] if command else "batch"
    return build.batch(line, command[1:], environ, text, name)


def words_document(
    program: str,
    words: Sequence[str],
    script: str | None,
    shapes: Mapping[str, list[dict[str, Any]]] | None = None,
) -> tuple[dict[str, Any], tuple[Problem, ...]]:
    """The jobspec of plain words, and the problems Flux would refuse them for.

    shapes  the resources of shapes that are known, which need not be read again
    """
    placed = [Word(word, Span(0, len(word))) for word in words]
    read_script = None if script is None else scripts.read(script, "flux")
    document, line = read(program, placed, {}, (), read_script, shapes)
    return document or {}, tuple(p for p in line.problems if p.severity == "error")
