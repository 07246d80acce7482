"""The batch script of a job, which goes with the job as ``flux batch`` has it (RFC 37)."""

from collections.abc import Mapping
from typing import Any

from fluxtui.model.form.field import Context, Notation, offers, remark
from fluxtui.model.form.place import MISSING, Place, system, task, unchanged
from fluxtui.model.form.words import Command
from fluxtui.model.jobspec import batch
from fluxtui.notation import shellwords
from fluxtui.notation.json_compare import identical
from fluxtui.notation.problem import Completion, Parsed, Problem, Span
from fluxtui.notation.wording import counted

#: The command of a job that runs a script, and the command of one that runs none.
RUN_SCRIPT = ("flux", "broker", batch.SCRIPT)
PLAIN = ("app",)

_COMMAND = task("command")
_FILE = system("files", "script", drop=1)
_OLD = system("batch", "script", drop=1)
_OPTIONS = system("shell", "options", drop=1)


def _shell_options() -> dict[str, Any]:
    """What ``flux batch`` sets beside the script."""
    output = {"stdout": {"type": "file", "path": batch.OUTPUT}}
    return {"output": output, **batch.instance_options()}


def runs_script(command: object) -> bool:
    """Whether a command, as the document has it, runs the job's script."""
    return isinstance(command, list) and batch.SCRIPT in command


class ScriptPlace(Place):
    """The text of the script among the files of the job; with it go command and shell options."""

    __slots__ = ()

    def get(self, document: Mapping[str, Any]) -> Any:
        """The text of the script; where it is not a text, the whole entry of the file."""
        entry = _FILE.get(document)
        if entry is MISSING:
            return _OLD.get(document)
        if isinstance(entry, Mapping) and entry.get("encoding") == "utf-8" and "data" in entry:
            return entry["data"]
        return entry

    def put(self, document: Mapping[str, Any], value: Any) -> dict[str, Any]:
        """A document that runs a script as ``flux batch`` has it, or that runs none any more."""
        if identical(self.get(document), value):
            return unchanged(document)
        if value is MISSING:
            return _without_script(document)
        entry = _FILE.get(document)
        if entry is MISSING and _OLD.get(document) is not MISSING:
            return _OLD.put(document, value)
        known = dict(entry) if isinstance(entry, Mapping) else {"mode": batch.MODE}
        if "size" in known and isinstance(value, str):
            known["size"] = len(value.encode("utf-8", "surrogatepass"))
        made = _FILE.put(document, {**known, "data": value, "encoding": "utf-8"})
        return _as_batch(made) if entry is MISSING else made


def _as_batch(document: dict[str, Any]) -> dict[str, Any]:
    """The command and the shell options that a script needs; what is set already stays."""
    if not runs_script(_COMMAND.get(document)):
        document = _COMMAND.put(document, list(RUN_SCRIPT))
    options = _OPTIONS.get(document) or {}
    if not isinstance(options, Mapping):
        return document
    further = {key: value for key, value in _shell_options().items() if key not in options}
    return _OPTIONS.put(document, {**options, **further})


def _without_script(document: Mapping[str, Any]) -> dict[str, Any]:
    """A document without the script, and with a plain command if it ran the script."""
    made = _OLD.put(_FILE.put(document, MISSING), MISSING)
    if not runs_script(_COMMAND.get(made)):
        return made
    made = _COMMAND.put(made, list(PLAIN))
    options = _OPTIONS.get(made)
    if not isinstance(options, Mapping):
        return made
    ours = _shell_options()
    left = {key: value for key, value in options.items() if key not in ours or value != ours[key]}
    return _OPTIONS.put(made, left or MISSING) if len(left) < len(options) else made


SCRIPT_PLACE = ScriptPlace(_FILE.steps)


def replaced_by_script(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """The command, as a text, that went from a document when it got a script and nothing else.

    "" where none did, and for the one that a document has before a person has typed any.
    """
    command, runs = _COMMAND.get(before), _COMMAND.get(now)
    if not isinstance(command, list) or runs_script(command) or command == list(PLAIN):
        return ""
    with_script = SCRIPT_PLACE.put(before, SCRIPT_PLACE.get(now))
    if runs != list(RUN_SCRIPT) or not identical(with_script, now):
        return ""
    return Command().write(command) if Command().is_legal(command) else ""


class Script(Notation):
    """The text itself, line by line."""

    def read(self, text: str, path: str, context: Context) -> Parsed[Any]:
        """The text, with warnings on what keeps it from being run."""
        found = []
        if not text.startswith("#!"):
            message = "flux batch wants a script to begin with '#!' and what reads it"
            first = Span(0, len(text.split("\n", 1)[0]))
            problem = Problem(message, first, path, ("#!/bin/sh",), "flux-core", "warning")
            found.append(problem)
        document = context.document
        if _FILE.get(document) is not MISSING and not runs_script(_COMMAND.get(document)):
            command = shellwords.join(RUN_SCRIPT)
            message = f"the command does not run the script; it would as {command}"
            found.append(remark(message, text, path, command, rule="flux-core"))
        return Parsed(text, tuple(found))

    def is_legal(self, value: Any) -> bool:
        """A text that is not blank."""
        return isinstance(value, str) and bool(value.strip())

    def write(self, value: Any) -> str:
        """The text."""
        text: str = value
        return text

    def describe(self, value: Any, context: Context) -> str:
        """How many lines there are."""
        return counted(len(value.splitlines()), "line")

    def complete(self, text: str, cursor: int, context: Context) -> list[Completion]:
        """First lines."""
        if "\n" in text[:cursor]:
            return []
        choices = {
            "#!/bin/sh": "a script for any shell",
            "#!/bin/bash": "a script for bash",
            "#!/usr/bin/env python3": "a script in Python",
        }
        return offers(text, cursor, choices)
