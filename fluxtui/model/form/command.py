"""The fields of what is run: the command, as words of a shell, and the script (RFC 14, RFC 37).

A job with a script is what ``flux batch`` makes of one: the script is among the files of the job,
and the command is that of a Flux instance that runs it on all that the job gets.
"""

from collections.abc import Mapping
from typing import Any, Final

from fluxtui.model.form.field import (
    MISSING,
    NOWHERE,
    Context,
    Field,
    offers,
    remark,
    wrong,
)
from fluxtui.model.form.place import system, task
from fluxtui.notation import shellwords
from fluxtui.notation.json_compare import identical
from fluxtui.notation.json_text import dump, load
from fluxtui.notation.problem import Completion, Parsed, Problem, Span

_COMMAND = "tasks[0].command"
_SCRIPT = "attributes.system.files.script"

#: What the path of the script is called in a command; Flux puts it in.
TEMPLATE = "{{tmpdir}}/script"

#: The command of a job that runs a script, and the command of one that runs none.
RUN_SCRIPT = ("flux", "broker", TEMPLATE)
PLAIN = ("app",)

# A regular file that its owner may read, write and run (POSIX stat).
_MODE = 0o100700

# What `flux batch` sets beside the script: one broker on each node, which needs no MPI and outlives
# the first that ends, and a file for the output.
_OPTIONS: Final[Mapping[str, Any]] = {
    "output": {"stdout": {"type": "file", "path": "flux-{{id}}.out"}},
    "per-resource": {"type": "node"},
    "mpi": "none",
    "exit-timeout": "none",
}

_TAGS = {
    "{{id}}": "the id of the job",
    "{{name}}": "the name of the job",
    "{{nnodes}}": "how many nodes the job has",
    "{{ntasks}}": "how many tasks the job has",
    "{{taskid}}": "the number of the task, from 0",
    "{{node.name}}": "the host the task is on",
    "{{node.id}}": "the number of the node in the job, from 0",
    "{{tmpdir}}": "a directory of the job on each node",
}

_command = task("command")
_file = system("files", "script", drop=1)
_old = system("batch", "script", drop=1)
_options = system("shell", "options", drop=1)


def _read_command(text: str, context: Context) -> Parsed[Any]:
    """The words of a shell; a JSON list of strings where a word has what no line shows."""
    if not text.strip():
        return wrong("a task needs a command; type a program and its arguments", text, _COMMAND)
    if text.lstrip()[0] == "[" and (listed := _listed(text)) is not None:
        return Parsed(listed, _others(text, context))
    split = shellwords.split(text)
    problems = tuple(problem._replace(path=_COMMAND) for problem in split.problems)
    if not split.ok:
        return Parsed(MISSING, problems)
    return Parsed([word.text for word in split.value], (*problems, *_others(text, context)))


def _listed(text: str) -> list[str] | None:
    """The strings of a JSON list; None where it is none, such as the program ``[``."""
    try:
        found = load(text)
    except ValueError:
        return None
    good = isinstance(found, list) and found and all(isinstance(word, str) for word in found)
    return found if good else None


def _others(text: str, context: Context) -> tuple[Problem, ...]:
    """The form shows the first task alone."""
    tasks = context.document.get("tasks")
    if not isinstance(tasks, list) or len(tasks) < 2:
        return ()
    message = f"this is the first of {len(tasks):,} tasks; V1 has one alone"
    return (remark(message, text, "tasks", "one task", rule="RFC 25"),)


def _write_command(value: Any) -> str:
    if value is MISSING:
        return ""
    if not isinstance(value, list) or not value:
        raise ValueError("not a list of a program and its arguments")
    if not all(isinstance(word, str) for word in value):
        raise ValueError("a word is no string")
    return shellwords.join(value) if all(map(str.isprintable, value)) else dump(value)


def _describe_command(value: Any, context: Context = NOWHERE) -> str:
    if not isinstance(value, list):
        return ""
    if TEMPLATE in value:
        return "a Flux instance that runs the script"
    more = len(value) - 1
    return "" if more < 1 else f"{more:,} argument{'' if more == 1 else 's'}"


def _complete_command(text: str, cursor: int, context: Context) -> list[Completion]:
    """The tags that Flux fills in, behind ``{``."""
    before = text[:cursor]
    start = before.rfind("{{")
    start = len(before) - 1 if start < 0 and before.endswith("{") else start
    begun = before[start:] if start >= 0 else ""
    span = Span(start, len(before))
    return [
        Completion(tag, span, meaning)
        for tag, meaning in _TAGS.items()
        if begun and tag.startswith(begun) and tag != begun
    ]


def _get_script(document: Mapping[str, Any]) -> Any:
    """The text of the script; where it is not a text, the whole entry of the file."""
    entry = _file.get(document)
    if entry is MISSING:
        return _old.get(document)
    if isinstance(entry, Mapping) and entry.get("encoding") == "utf-8" and "data" in entry:
        return entry["data"]
    return entry


def _put_script(document: Mapping[str, Any], value: Any) -> dict[str, Any]:
    """A document that runs a script as ``flux batch`` has it, or that runs none any more."""
    if identical(_get_script(document), value):
        return document if isinstance(document, dict) else dict(document)
    if value is MISSING:
        return _without_script(document)
    if _file.get(document) is MISSING and _old.get(document) is not MISSING:
        return _old.put(document, value)
    entry = _file.get(document)
    new = entry is MISSING
    known = {key: entry[key] for key in entry} if isinstance(entry, Mapping) else {"mode": _MODE}
    if "size" in known and isinstance(value, str):
        known["size"] = len(value.encode("utf-8", "surrogatepass"))
    made = _file.put(document, {**known, "data": value, "encoding": "utf-8"})
    return _as_batch(made) if new else made


def _as_batch(document: Mapping[str, Any]) -> dict[str, Any]:
    """The command and the shell options that a script needs; what is set already stays."""
    command = _command.get(document)
    made = dict(document)
    if not isinstance(command, list) or TEMPLATE not in command:
        made = _command.put(made, list(RUN_SCRIPT))
    options = _options.get(made)
    if options is not MISSING and not isinstance(options, Mapping):
        return made
    known: Mapping[str, Any] = options if isinstance(options, Mapping) else {}
    further = {key: value for key, value in _OPTIONS.items() if key not in known}
    return _options.put(made, {**known, **further})


def replaced_by_script(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """The command, as a text, that went from a document when it got a script and nothing else.

    "" where none did, and for the one that stands in a document before a person has typed any.
    """
    command, runs = _command.get(before), _command.get(now)
    if not isinstance(command, list) or TEMPLATE in command or command == list(PLAIN):
        return ""
    if runs != list(RUN_SCRIPT) or not identical(_put_script(before, _get_script(now)), now):
        return ""
    try:
        return _write_command(command)
    except ValueError:
        return ""


def _without_script(document: Mapping[str, Any]) -> dict[str, Any]:
    """A document without the script, and with a plain command if it ran the script."""
    made = _old.put(_file.put(document, MISSING), MISSING)
    command = _command.get(made)
    if not isinstance(command, list) or TEMPLATE not in command:
        return made
    made = _command.put(made, list(PLAIN))
    options = _options.get(made)
    if not isinstance(options, Mapping):
        return made
    left = {k: v for k, v in options.items() if k not in _OPTIONS or v != _OPTIONS[k]}
    return _options.put(made, left or MISSING) if len(left) < len(options) else made


def _read_script(text: str, context: Context) -> Parsed[Any]:
    """The script is the text, line by line; a blank one is none."""
    if not text.strip():
        return Parsed(MISSING)
    found = []
    if not text.startswith("#!"):
        message = "flux batch wants a script to begin with '#!' and what reads it"
        first = Span(0, len(text.split("\n", 1)[0]))
        problem = Problem(message, first, _SCRIPT, ("#!/bin/sh",), "flux-core", "warning")
        found.append(problem)
    command = _command.get(context.document)
    listed = isinstance(command, list) and TEMPLATE in command
    if _file.get(context.document) is not MISSING and not listed:
        message = f"the command does not run the script; it would as {shellwords.join(RUN_SCRIPT)}"
        found.append(remark(message, text, _SCRIPT, shellwords.join(RUN_SCRIPT), rule="flux-core"))
    return Parsed(text, tuple(found))


def _write_script(value: Any) -> str:
    if value is MISSING:
        return ""
    if not isinstance(value, str) or not value.strip():
        raise ValueError("not the text of a script")
    return value


def _describe_script(value: Any, context: Context = NOWHERE) -> str:
    if not isinstance(value, str) or not value.strip():
        return ""
    lines = len(value.splitlines())
    return f"{lines:,} line{'' if lines == 1 else 's'}"


def _complete_script(text: str, cursor: int, context: Context) -> list[Completion]:
    if "\n" in text[:cursor]:
        return []
    choices = {
        "#!/bin/sh": "a script for any shell",
        "#!/bin/bash": "a script for bash",
        "#!/usr/bin/env python3": "a script in Python",
    }
    return offers(text, cursor, choices)


COMMAND = Field(
    "command",
    "Command",
    "Task",
    "app -x 'two words'",
    "The program each task runs, and its arguments. Quotes hold words together as in a shell; "
    "nothing else of a shell is done: no $NAME, no *, no |.",
    _COMMAND,
    _read_command,
    _write_command,
    _describe_command,
    _complete_command,
    _command.get,
    _command.put,
)
SCRIPT = Field(
    "script",
    "Script",
    "Task",
    "#!/bin/sh … · blank: the command alone",
    "A batch script that goes with the job. It runs once, in a Flux instance of its own on all "
    "that the job gets, as with flux batch.",
    _SCRIPT,
    _read_script,
    _write_script,
    _describe_script,
    _complete_script,
    _get_script,
    _put_script,
    multiline=True,
)
