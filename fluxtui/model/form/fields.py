"""The fields of the form for a whole jobspec; each maps a text to a part of the document.

They cover RFC 14 except for the resources, which the shape expresses. A text changes only its own
part, so that a malformed part is kept until its own field is edited.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from fluxtui.model.documents.report import Report
from fluxtui.model.form import program as runs
from fluxtui.model.form import settings, values
from fluxtui.model.form.field import (
    NOWHERE,
    Context,
    Field,
    Place,
    all_of,
    problems_at,
    system,
    task,
)
from fluxtui.model.jobspec.jobspec import MISSING, V1, check_v1_program
from fluxtui.model.jobspec.request import CANONICAL, ResourceRequest
from fluxtui.notation.json_text import dump
from fluxtui.notation.json_value import shown
from fluxtui.notation.problem import Problem, is_printable, printable

#: All fields in the order of the form; fields of one group are adjacent.
FIELDS: Final[tuple[Field, ...]] = (
    Field("command", "Command", "Task", task("command"), runs.COMMAND,
          "app -x 'two words'",
          "The program each task runs, and its arguments. Quotes hold words together as in a "
          "shell, but nothing else works as in a shell: no $NAME, no *, no |."),
    Field("script", "Script", "Task", runs.SCRIPT_PLACE, runs.SCRIPT,
          "#!/bin/sh … · blank: only the command",
          "A batch script that goes with the job. It runs once, in a Flux instance of its own on "
          "all the resources of the job, as with flux batch.", multiline=True),
    Field("slot", "Slot", "Task", task("slot"), values.SLOT,
          "default",
          "The label of the slot that the tasks run in. A slot is the part of the shape that "
          "each task gets for itself."),
    Field("tasks", "Tasks", "Task", task("count"), values.COUNT,
          "5 · 2 per slot · blank: one in each slot",
          "How many tasks there are: per_slot=1 for each slot, total=5 in all, "
          "per_resource=core=2 for each core of a slot."),
    Field("distribution", "Distribution", "Task", task("distribution"), values.DISTRIBUTION,
          "cyclic · blank: left to Flux",
          "How the tasks are laid out among their slots: a hint for the launcher (RFC 14)."),
    Field("job-name", "Job name", "Task", system("job", "name", drop=1), values.JOB_NAME,
          "my run · blank: the program's name",
          "What the job is called in lists such as that of flux jobs. It need not be unique."),
    Field("duration", "Duration", "Limits",
          system("duration", same=values.same_time), values.DURATION,
          "1.5h · blank: the queue's default",
          "How long the job may run: a number and one of the units ms, s, m, h, d (RFC 23). When "
          "the time is up, Flux ends the job."),
    Field("preemptible-after", "Preemptible", "Limits",
          system("preemptible-after", same=values.same_time), values.PREEMPTIBLE,
          "30m · blank: never",
          "After running this long the job may be stopped to make way for others; 0 means at "
          "any time. If blank, it is never stopped for them."),
    Field("dependencies", "Dependencies", "Limits", runs.DEPENDENCY_PLACE, runs.DEPENDENCIES,
          "afterok:ƒ2oLkTLb · blank: waits for no job",
          "What has to happen before the job may start: afterok:ID waits until that job has "
          "succeeded; there are also afterany, afternotok, afterexcept and afterstart. Separate "
          "several with blanks; all of them have to happen."),
    Field("queue", "Queue", "Where", system("queue"), values.QUEUE,
          "batch · blank: the default queue",
          "The queue the job is sent to. Queues have their own nodes, limits and default "
          "durations."),
    Field("bank", "Bank", "Where", system("bank"), values.STRING,
          "physics · blank: your default bank",
          "The account that the job is charged to, where the cluster keeps accounts."),
    Field("project", "Project", "Where", system("project"), values.STRING,
          "weather · blank: none",
          "The project that the job is done for, where the cluster keeps accounts."),
    Field("constraints", "Constraints", "Where", system("constraints"), values.CONSTRAINT,
          "gpu&-debug · blank: that of the constraint bar",
          "Which nodes the job may have, as a constraint of its own: gpu requires a property, "
          "-debug excludes one, host:n[1-3] names hosts."),
    Field("cwd", "Directory", "Environment", system("cwd"), values.DIRECTORY,
          "/home/me/run · . is where you are now · blank: left to Flux",
          "The absolute path of the directory the tasks start in. It has to exist on the nodes of "
          "the job."),
    Field("environment", "Environment", "Environment", system("environment"), runs.ENVIRONMENT,
          "OMP_NUM_THREADS=4 PATH · blank: none",
          "The variables the job starts with, applied word by word: NAME=value sets one, NAME or "
          "OMP_* copies from your environment, -NAME removes."),
    Field("shell-options", "Shell options", "Extras",
          system("shell", "options", drop=1), settings.SHELL_OPTIONS,
          "cpu-affinity=per-task verbose=2 · blank: none",
          "Options of the job shell, which starts the tasks: KEY=VALUE with blanks between them. "
          "A dot leads into a group, as in pty.interactive=1."),
    Field("task-attributes", "Task settings", "Extras", task("attributes"), settings.TASK_SETTINGS,
          "environment.NAME=value · blank: none",
          "Attributes of the task only, as KEY=VALUE. Variables here override those of the job "
          "(RFC 14): environment.NAME=value."),
    Field("system", "Other system", "Extras", settings.FURTHER_SYSTEM, settings.SYSTEM_SETTINGS,
          "job.note=test · blank: none",
          "System attributes that have no field here, as KEY=VALUE. Flux accepts any, even those "
          "that it does not know."),
    Field("user", "User", "Extras", Place(("attributes", "user")), settings.SETTINGS,
          "run=7 note='second try' · blank: none",
          "Whatever you want to keep with the job, as KEY=VALUE. Flux ignores it."),
)  # fmt: skip

_BY_NAME: Final = {field.name: field for field in FIELDS}


def by_name(name: str) -> Field:
    """Return the field with this name; KeyError if there is none."""
    return _BY_NAME[name]


def text(field: Field, document: Mapping[str, Any]) -> str:
    """Return the canonical text of a field; an illegal value, which has none, is shown as JSON."""
    return _text(field, field.get(document))[0]


def _text(field: Field, value: Any) -> tuple[str, bool]:
    """Return the text of a value, and whether it is canonical and reads back as the value."""
    try:
        return field.write(value), True
    except ValueError:
        if field.name == "command" and isinstance(value, str) and is_printable(value):
            return value, False
    try:
        return dump(value), False
    except ValueError:
        pass
    try:
        return printable(json.dumps(value, ensure_ascii=False, default=str)), False
    except (TypeError, ValueError, RecursionError):
        return "a value that cannot be shown", False


def problems(
    field: Field, text: str, document: Mapping[str, Any], context: Context
) -> tuple[Problem, ...]:
    """Return the problems of a field's text, given the current document.

    Problems have spans in the text and paths in the document. If the text merely shows a malformed
    or missing part of the document, the problems of that part are returned.
    """
    value = field.get(document)
    canonical, legal = _text(field, value)
    if text == canonical and not legal:
        return _of_document(field, text, document, value)
    parsed = field.read(text, replace(context, document=document))
    if value is not MISSING or text != canonical or parsed.value is MISSING:
        return parsed.problems
    # The blank text shows a part that is missing from the jobspec.
    if field.name != "duration":
        message = f"a task needs its {field.path.rpartition('.')[2]}"
        example = field.write(field.read("", NOWHERE).value)
        missing = Problem(message, all_of(text), field.path, (example,), CANONICAL)
        return (*parsed.problems, missing)
    report, raw = Report(V1), document.get("attributes")
    attributes = {"system": {}, **(raw if isinstance(raw, Mapping) else {})}
    check_v1_program(report, {"attributes": attributes}, ResourceRequest())
    warnings = (replace(p, severity="warning", span=all_of(text)) for p in report.problems)
    return (*parsed.problems, *warnings)


def _of_document(
    field: Field, text: str, document: Mapping[str, Any], held: Any
) -> tuple[Problem, ...]:
    """Return the RFC 14 problems of an illegal part; at least one."""
    # Suggest the text that the part holds if it can be read, or else the example of the hint.
    suggestion = field.hint.split(" · ")[0]
    if isinstance(held, str) and held.strip():
        read = field.read(held, replace(NOWHERE, document=document))
        suggestion = held if read.ok and read.value is not MISSING else suggestion
    errors = tuple(
        replace(problem, span=all_of(text), expected=(suggestion,))
        for problem in problems_at(field.place, document)
        if problem.severity == "error"
    )
    message = f"this is not allowed here; found {shown(held)}"
    return errors or (Problem(message, all_of(text), field.path, (suggestion,), CANONICAL),)
