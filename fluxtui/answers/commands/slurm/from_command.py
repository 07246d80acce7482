"""Reads ``srun``, ``sbatch`` and ``salloc`` lines as jobspecs."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from fluxtui.answers.commands import foreign, options, scripts
from fluxtui.answers.commands.flux import values as flux_values
from fluxtui.answers.commands.options import WHOLE, Found, Line
from fluxtui.answers.commands.slurm import layout as slurm_layout
from fluxtui.answers.commands.slurm import table
from fluxtui.answers.commands.slurm import values as slurm_values
from fluxtui.notation.problem import Span, printable
from fluxtui.notation.shellwords import Word

_MOST = 5  # lines that are named

_USE_FLUX = "use flux run, as there is no Slurm in a job of Flux"

# srun as the command of a line, or of a part of one; behind a '#' it is only told of. Variables
# and folders are looked at only so far: each part of a line may begin with them.
_SRUN = re.compile(
    r"""^(?:[^#\n'"]*(?:[;&|({`!]|\b(?:then|do|else|exec|time|if|while|nohup)\b))?[ \t]*"""
    r"""(?:[A-Za-z_]\w*=[^\s;&|#]{0,200}[ \t]+)*(?:/[^\s;&|#]{0,200}/)?(srun)(?=[ \t\n\\]|$)""",
    re.MULTILINE,
)


def read(
    program: str,
    words: Sequence[Word],
    environ: Mapping[str, str],
    assigned: Sequence[Found] = (),
    script: scripts.Script | None = None,
) -> tuple[dict[str, Any], Line]:
    """The jobspec of the words behind the program, and all that there is to say of them.

    assigned  variables set before the command, as rules of ``--env``
    script    the batch script, where its text is known
    """
    line = Line(program)
    known = table.options(program)
    if script is not None:
        line.problems += script.problems
        for word in options.read(line, script.words, known, table.MANNER):
            message = f"'{printable(word.text[:40])}' is no option of sbatch"
            line.problem(word.span, message, "an option such as -N4")
    rest = [word.text for word in options.read(line, words, known, table.MANNER)]
    if rest[:1] == ["--"]:
        rest = rest[1:]
    job = foreign.Job()
    _attributes(line, job, environ, assigned)
    layout = slurm_layout.read(line)
    if program == "sbatch":
        return _batch(line, job, layout, rest, script), line
    if program == "salloc":
        return _allocation(job, layout, rest), line
    if not rest:
        text = "no command is given; the resources start a Flux instance, as in RFC 14"
        line.remark(WHOLE, text)
        return _allocation(job, layout, rest), line
    return job.document(layout, rest), line


def _allocation(job: foreign.Job, layout: foreign.Layout, rest: list[str]) -> dict[str, Any]:
    """``salloc``: one broker on each node, which runs the command if there is one."""
    if not layout.one_each and _tasks(layout) > 1:
        job.options["per-resource"] = {"type": "node"}
        if "per_slot" in layout.tasks:
            layout = layout._replace(tasks={"per_slot": 1})
    return job.document(layout, [*foreign.INSTANCE, *rest])


def _tasks(layout: foreign.Layout) -> int:
    """How many tasks the slots have; 2 for any number that is not one."""
    count = layout.resources[0]["count"]
    return 1 if count == 1 and layout.tasks == {"per_slot": 1} else 2


def _batch(
    line: Line,
    job: foreign.Job,
    layout: foreign.Layout,
    rest: list[str],
    script: scripts.Script | None,
) -> dict[str, Any]:
    wrap = line.text("wrap")
    if wrap is not None:
        if _SRUN.search(wrap):
            line.remark(line.values["wrap"], f"srun in --wrap: {_USE_FLUX}")
        return job.script(layout, f"#!/bin/sh\n{wrap}\n", rest, "wrap")
    if script is not None:
        _steps(line, script)
    return foreign.add_script(line, job, layout, script, rest)


def _steps(line: Line, script: scripts.Script) -> None:
    """Note where a script starts tasks by srun, which talks to Slurm alone."""
    found = list(_SRUN.finditer(script.text)) if "srun" in script.text else []
    if not found:
        return
    numbers = [str(script.text.count("\n", 0, one.start(1)) + 1) for one in found[:_MOST]]
    where = f"line{'s' if len(found) > 1 else ''} {', '.join(numbers)}"
    more = f" and {len(found) - _MOST} more" if len(found) > _MOST else ""
    first, last = (script.offset + place for place in found[0].span(1))
    line.remark(Span(first, last), f"srun in {where}{more}: {_USE_FLUX}")


def _attributes(
    line: Line, job: foreign.Job, environ: Mapping[str, str], assigned: Sequence[Found]
) -> None:
    """All that is said beside the resources."""
    _time(line, job)
    if (cwd := line.text("cwd")) is not None:
        job.system["cwd"] = cwd
    _environment(line, job, environ, assigned)
    if (found := line.values.get("partition")) is not None:
        first, comma, _ = found.text.partition(",")
        if comma:
            line.remark(found, f"a job names one queue; only {printable(first)} is read")
        job.system["queue"] = first
    if (account := line.text("account")) is not None:
        job.system["bank"] = account
    if (name := line.text("name")) is not None:
        job.system["job"] = {"name": name}
    if (found := line.values.get("dependency")) is not None:
        entries = slurm_values.dependencies(line, found)
        if entries:
            job.system["dependencies"] = entries
            line.remark(found, "the job ids are those of Slurm; Flux knows jobs by ids of its own")
    _places(line, job)
    _shell(line, job)


def _time(line: Line, job: foreign.Job) -> None:
    found = line.values.get("time")
    if found is None:
        return
    seconds = slurm_values.seconds(found.text)
    if seconds is None:
        message = f"'{printable(found.text[:40])}' is no time of Slurm"
        line.problem(found, message, "minutes", "hours:minutes:seconds", "days-hours")
    job.duration = seconds or 0.0


def _environment(
    line: Line, job: foreign.Job, environ: Mapping[str, str], assigned: Sequence[Found]
) -> None:
    found = line.values.get("export")
    variables = None if found is None else slurm_values.exported(line, found, environ)
    if assigned:
        known, _ = flux_values.environment(line, assigned, environ)
        variables = {**(known or {}), **(variables or {})}
    if variables is not None:
        job.system["environment"] = variables


def _places(line: Line, job: foreign.Job) -> None:
    """The constraints on nodes: their features and names (RFC 31)."""
    if (found := line.values.get("constraint")) is not None:
        tree = slurm_values.features(line, found)
        if tree is not None:
            job.constraints.append(tree)
    if (found := line.values.get("nodelist")) is not None:
        values = slurm_values.hosts(line, found)
        if values is not None:
            job.constraints.append({"hostlist": values})
            if line.text("nodes") != str(slurm_values.host_count(found.text)):
                text = "Slurm gives the job all of these nodes, Flux as many of them as it asks for"
                line.remark(found, text)
    if (found := line.values.get("exclude")) is not None:
        values = slurm_values.hosts(line, found)
        if values is not None:
            job.constraints.append({"not": [{"hostlist": values}]})


def _shell(line: Line, job: foreign.Job) -> None:
    """The options of the job shell: files, signals, and where tasks go."""
    for name, kind, stream in (
        ("output", "output", "stdout"),
        ("error", "output", "stderr"),
        ("input", "input", "stdin"),
    ):
        found = line.values.get(name)
        if found is None or found.text in ("all", "none"):
            continue
        entry = {"type": "file", "path": slurm_values.path(line, found)}
        job.options.setdefault(kind, {})[stream] = entry
        if kind == "output" and line.has("label"):
            entry["label"] = True  # type: ignore[assignment]
    if line.has("pty"):
        job.options["pty"] = {"interactive": 1}
    if (found := line.values.get("unbuffered")) is not None:
        line.remark(found, "output is buffered in Flux unless its own -u says otherwise")
    if (found := line.values.get("signal")) is not None:
        _signal(line, job, found)
    if (found := line.values.get("distribution")) is not None:
        first = found.text.split(",")[0].split(":")[0]
        if first == "cyclic":
            job.options["taskmap"] = {"scheme": "cyclic", "value": ""}
        elif first not in ("block", "*"):
            line.remark(found, f"Flux has no distribution '{printable(first)}'")


def _signal(line: Line, job: foreign.Job, found: Found) -> None:
    """``--signal=[R|B:]SIGNAL[@SECONDS]`` as the shell option of that name."""
    lead, colon, text = found.text.rpartition(":")
    if colon:
        line.remark(found, f"'{printable(lead)}:' has no counterpart in Flux")
    signal = flux_values.signal(line, found._replace(value=text))
    if signal is not None:
        job.options["signal"] = signal
