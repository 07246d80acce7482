"""The fields that are settings: of the job shell, of the task, of the user."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from fluxtui.model.documents.report import Report
from fluxtui.model.form.field import MISSING, NOWHERE, Context, Field, all_of, remark
from fluxtui.model.form.place import Place, system, task
from fluxtui.model.form.shell_options import OPTIONS, odd
from fluxtui.model.jobspec import program
from fluxtui.model.jobspec.request import CANONICAL, ResourceRequest
from fluxtui.notation import settings
from fluxtui.notation.problem import Completion, Parsed, Problem
from fluxtui.notation.settings import Known, Settings

#: What is to be said of settings that can be read; may change their value.
Check = Callable[[str, Settings, Context], Iterable[Problem]]


def _read(text: str, context: Context, path: str, check: Check) -> Parsed[Any]:
    found = settings.parse(text)
    if found.value is None:
        return Parsed(MISSING)
    problems = [problem._replace(path=path) for problem in found.problems]
    if not found.ok:
        return Parsed(MISSING, tuple(problems))
    return Parsed(found.value, (*problems, *check(text, found, context)))


def _write(value: Any) -> str:
    if value is MISSING:
        return ""
    if not isinstance(value, dict):
        raise ValueError("not a dictionary")
    return settings.format(value)


def _describe(one: str, many: str) -> Callable[..., str]:
    def describe(value: Any, context: Context = NOWHERE) -> str:
        if not isinstance(value, dict) or not value:
            return ""
        return f"{len(value):,} {one if len(value) == 1 else many}"

    return describe


def _completing(known: Mapping[str, Known]) -> Callable[[str, int, Context], list[Completion]]:
    def complete(text: str, cursor: int, context: Context) -> list[Completion]:
        return settings.completions(text, cursor, known)

    return complete


def located(
    text: str, found: Settings, problems: Iterable[Problem], path: str
) -> Iterable[Problem]:
    """Problems of a document at the settings they are about."""
    from fluxtui.model.documents.document import steps

    for problem in problems:
        inner = tuple(map(str, steps((problem.path or "")[len(path) :])))
        span = found.place(inner) if inner else None
        wanted = problem.expected
        for entry in found.entries if "a string" in wanted else ():
            if entry.path == inner and isinstance(entry.value, int | float) and entry.value_span:
                key, value = (text[slice(*part)] for part in (entry.key_span, entry.value_span))
                wanted = (f'{key}="{value}"',)
        yield problem._replace(span=span or all_of(text), expected=wanted)


_TASK = "tasks[0].attributes"
_TASK_KNOWN = {"environment.NAME": Known("a variable of these tasks alone")}


def _write_task(value: Any) -> str:
    """Settings; the values of variables are texts, or null, and no numbers (RFC 14)."""
    inner = value.get("environment", {}) if isinstance(value, dict) else {}
    if not isinstance(inner, dict) or not all(
        v is None or isinstance(v, str) for v in inner.values()
    ):
        raise ValueError("not the environment of a task")
    return _write(value)


def _check_task(text: str, found: Settings, context: Context) -> Iterable[Problem]:
    """RFC 14 on the attributes of a task; the value of a variable is always a text."""
    value = found.value or {}
    inner = value.get("environment")
    for entry in found.entries:
        plain = isinstance(entry.value, int | float) and entry.value_span is not None
        if plain and len(entry.path) == 2 and entry.path[0] == "environment":
            inner[entry.path[1]] = text[slice(*entry.value_span)]  # type: ignore[index,misc]
    report = Report(CANONICAL)
    one = {"command": ["app"], "slot": "", "count": {"per_slot": 1}, "attributes": value}
    program.check_tasks(report, [one], ResourceRequest())
    mine = [problem for problem in report.problems if (problem.path or "").startswith(_TASK)]
    yield from located(text, found, mine, _TASK)
    nested = any(isinstance(held, dict | list) for held in value.values())
    message = "flux-core takes no notice of the attributes of a task"
    if nested:
        message += ", and Fluxion refuses a job that has lists or dictionaries in them"
    if value:
        yield remark(message, text, _TASK, rule="flux-core")


_OPTIONS = "attributes.system.shell.options"


def _check_options(text: str, found: Settings, context: Context) -> Iterable[Problem]:
    for problem in odd(found.entries):
        yield problem._replace(path=_OPTIONS)


def _nothing_more(text: str, found: Settings, context: Context) -> Iterable[Problem]:
    return ()


def settings_field(
    name: str,
    label: str,
    hint: str,
    help: str,
    path: str,
    place: Place,
    words: tuple[str, str],
    known: Mapping[str, Known],
    check: Check,
) -> Field:
    """A field of settings."""

    def read(text: str, context: Context) -> Parsed[Any]:
        return _read(text, context, path, check)

    return Field(
        name,
        label,
        "Extras",
        hint,
        help,
        path,
        read,
        _write,
        _describe(*words),
        _completing(known),
        place.get,
        place.put,
    )


SHELL_OPTIONS = settings_field(
    "shell-options",
    "Shell options",
    "cpu-affinity=per-task verbose=2 · blank: none",
    "Options of the job shell, which starts the tasks: KEY=VALUE with blanks between them. Dots "
    "lead into groups, as in pty.interactive=1.",
    _OPTIONS,
    system("shell", "options", drop=1),
    ("option", "options"),
    OPTIONS,
    _check_options,
)
TASK_ATTRIBUTES = settings_field(
    "task-attributes",
    "Task settings",
    "environment.NAME=value · blank: none",
    "Attributes of the task alone, as KEY=VALUE. RFC 14 has variables here that count before those "
    "of the job: environment.NAME=value.",
    _TASK,
    task("attributes"),
    ("setting", "settings"),
    _TASK_KNOWN,
    _check_task,
)._replace(write=_write_task)
USER = settings_field(
    "user",
    "User",
    "run=7 note='second try' · blank: none",
    "Whatever you want to keep with the job, as KEY=VALUE. Flux takes no notice of it.",
    "attributes.user",
    Place(("attributes", "user")),
    ("setting", "settings"),
    {},
    _nothing_more,
)
