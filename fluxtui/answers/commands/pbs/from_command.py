"""Reads ``qsub`` lines as jobspecs: those of PBS Professional, and of Torque where they differ."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fluxtui.answers.commands import foreign, options, scripts
from fluxtui.answers.commands.flux import values
from fluxtui.answers.commands.options import (
    WHOLE,
    Found,
    Line,
    Manner,
    Option,
    add,
    keep,
    leave,
    silent,
    table,
)
from fluxtui.answers.commands.pbs import layout as pbs_layout
from fluxtui.answers.commands.slurm import values as slurm_values
from fluxtui.notation import shellwords
from fluxtui.notation.problem import Span, printable
from fluxtui.notation.shellwords import Word

_WATCH = leave("says how the job is watched or reported, which a jobspec does not hold")
_POLICY = leave("belongs to the scheduling of PBS and has no counterpart in a jobspec")
_MANY = leave("makes several jobs of one; a jobspec is one job")

_OPTIONS = table(
    (
        Option(("-l",), "value", add("resources")),
        Option(("-q",), "value", keep("queue")),
        Option(("-N",), "value", keep("name")),
        Option(("-A",), "value", keep("account")),
        Option(("-P",), "value", keep("project")),
        Option(("-W",), "value", add("attributes")),
        Option(("-v",), "value", keep("variables")),
        Option(("-V",), "nothing", silent),
        Option(("-d",), "value", keep("cwd")),
        Option(("-w",), "value", keep("cwd")),
        Option(("-o",), "value", keep("output")),
        Option(("-e",), "value", keep("error")),
        Option(("-F",), "value", keep("arguments")),
        Option(("-j",), "value", silent),
        Option(("-I",), "nothing", silent),
        Option(("-X",), "nothing", silent),
        Option(("-z",), "nothing", silent),
        Option(("--version",), "nothing", silent),
        *(Option((f"-{name}",), "value", _WATCH) for name in "mMkSR"),
        *(Option((f"-{name}",), "value", _POLICY) for name in "acCDpruT"),
        *(Option((f"-{name}",), "nothing", _POLICY) for name in "bfhKx"),
        *(Option((f"-{name}",), "value", _MANY) for name in "Jt"),
    )
)

#: Programs that start tasks in an allocation.
_LAUNCHERS = ("mpiexec", "mpirun", "aprun", "orterun", "srun")


def read(
    words: Sequence[Word],
    environ: Mapping[str, str],
    assigned: Sequence[Found] = (),
    script: scripts.Script | None = None,
) -> tuple[dict[str, Any], Line]:
    """The jobspec of the words behind ``qsub``, and all that there is to say of them.

    assigned  variables set before the command, as rules of ``--env``
    script    the batch script, where its text is known
    """
    line = Line("qsub")
    manner = Manner(abbreviated=False)
    if script is not None:
        line.problems += script.problems
        for word in options.read(line, script.words, _OPTIONS, manner):
            message = f"'{printable(word.text[:40])}' is no option of qsub"
            line.problem(word.span, message, "an option such as -l nodes=4")
    rest = [word.text for word in options.read(line, words, _OPTIONS, manner)]
    job = foreign.Job()
    items = list(_items(line))
    _attributes(line, job, items, environ, assigned)
    layout = pbs_layout.read(line, items, job)
    return _document(line, job, layout, rest, script), line


def _document(
    line: Line,
    job: foreign.Job,
    layout: foreign.Layout,
    rest: list[str],
    script: scripts.Script | None,
) -> dict[str, Any]:
    if script is not None or (rest and rest[0] != "--"):
        arguments = [word.text for word in shellwords.split(line.text("arguments") or "").value]
        return foreign.add_script(line, job, layout, script, [*rest, *arguments])
    command = rest[1:]
    if command and command[0] in _LAUNCHERS:
        line.remark(WHOLE, f"{command[0]} starts the tasks; in Flux that is 'flux run'")
    if not layout.one_each:
        job.options["per-resource"] = {"type": "node"}
    return job.document(layout, [*foreign.INSTANCE, *command])


def _items(line: Line) -> Iterator[Found]:
    """The parts of all ``-l`` lists, such as ``nodes=4`` and ``walltime=1:00:00``."""
    for found in line.lists.get("resources", ()):
        start = 0
        for part in found.text.split(","):
            first, last = found.value_span
            place = found.value_span
            if last - first == len(found.text):
                place = Span(first + start, first + start + len(part))
            yield Found(found.name, part.strip(), place, place)
            start += len(part) + 1


def _attributes(
    line: Line,
    job: foreign.Job,
    items: Sequence[Found],
    environ: Mapping[str, str],
    assigned: Sequence[Found],
) -> None:
    """All that is said beside the resources."""
    for item in items:
        name, _, value = item.text.partition("=")
        if name == "walltime":
            seconds = walltime(value)
            if seconds is None:
                message = f"'{printable(value[:40])}' is no time of PBS"
                line.problem(item, message, "hours:minutes:seconds", "seconds")
            job.duration = seconds or 0.0
    for key, option in (("cwd", "cwd"), ("queue", "queue"), ("bank", "account")):
        if given := line.text(option):
            job.system[key] = given
    if (project := line.text("project")) is not None:
        job.system["project"] = project
    if (job_name := line.text("name")) is not None:
        job.system["job"] = {"name": job_name}
    for found in line.lists.get("attributes", ()):
        _extended(line, job, found)
    variables: dict[str, Any] | None = None
    if (found_variables := line.values.get("variables")) is not None:
        variables = slurm_values.exported(line, found_variables, environ)
    if assigned:
        known, _ = values.environment(line, assigned, environ)
        variables = {**(known or {}), **(variables or {})}
    if variables is not None:
        job.system["environment"] = variables
    for option, stream in (("output", "stdout"), ("error", "stderr")):
        if (path := line.text(option)) is not None:
            entry = {"type": "file", "path": path}
            job.options.setdefault("output", {})[stream] = entry


def _extended(line: Line, job: foreign.Job, found: Found) -> None:
    """``-W depend=afterok:1,group_list=x``: the dependencies; all else is left out."""
    for part in re.split(r",(?=\w+=)", found.text):
        name, _, value = part.partition("=")
        if name.strip() != "depend":
            line.remark(found, f"'{printable(name[:40])}' has no counterpart in a jobspec")
            continue
        entries = slurm_values.dependencies(line, found._replace(value=value))
        if entries:
            job.system["dependencies"] = entries
            line.remark(found, "the job ids are those of PBS; Flux knows jobs by ids of its own")


def walltime(text: str) -> float | None:
    """The seconds of ``[[hours:]minutes:]seconds[.fraction]``; None for no time."""
    found = re.fullmatch(r"(?:(?:([0-9]{1,9}):)?([0-9]{1,9}):)?([0-9]{1,9}(?:\.[0-9]{1,9})?)", text)
    if found is None:
        return None
    hours, minutes, seconds = (float(part or 0) for part in found.groups())
    return hours * 3600 + minutes * 60 + seconds
