"""The jobspecs that a command line can express, one task with a command, and their attributes."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from fluxtui.model.jobspec.batch import SCRIPT
from fluxtui.model.jobspec.request import ResourceRequest, parse
from fluxtui.notation.problem import printable

#: What a job runs: a program in each slot, ``flux start``, ``flux broker``, or one with a script.
Kind = Literal["program", "start", "alloc", "batch"]

#: The name of a job's script in a command line, where the jobspec does not say.
SCRIPT_NAME = "script.sh"


@dataclass(frozen=True, slots=True)
class Job:
    """A jobspec of one task, and what its command does.

    request         its resources
    command         all words
    kind            what the command is
    broker_options  the options of the broker, where the command is one
    inner           the program that finally runs, with its arguments; of a script the arguments
                    alone; empty where an instance runs nothing
    script          the text of the script that the job carries
    slotless        why the task runs in none of the slots there are, which RFC 14 refuses
    """

    document: Mapping[str, Any]
    request: ResourceRequest
    command: tuple[str, ...]
    kind: Kind
    broker_options: tuple[str, ...]
    inner: tuple[str, ...]
    script: str | None
    slotless: str | None

    @property
    def task(self) -> Mapping[str, Any]:
        """The only task."""
        found: Mapping[str, Any] = self.document["tasks"][0]
        return found

    def notes(self) -> tuple[str, ...]:
        """What any Flux command line changes, or how Flux reads a job that is not legal."""
        version = self.document.get("version", 1)
        other = None if version == 1 else f"Flux writes version 1, and this has {version}"
        return tuple(note for note in (self.slotless, other) if note is not None)


def read(document: Mapping[str, Any]) -> Job | str:
    """The job of a jobspec, or why no command line can express it."""
    resources, tasks = document.get("resources"), document.get("tasks")
    if not isinstance(resources, list | tuple) or not resources:
        return "there are no resources"
    if not isinstance(tasks, list | tuple) or not tasks or not isinstance(tasks[0], Mapping):
        return "there is no task"
    if len(tasks) > 1:
        return f"a command line runs one task; this jobspec has {len(tasks)}"
    words = tasks[0].get("command")
    if not isinstance(words, list | tuple) or not words:
        return "the task has no command"
    if not all(isinstance(word, str) for word in words):
        return "the command holds a word that is not a text"
    kind, options, inner, script = _command(document, tuple(words))
    request = parse(resources)
    slotless = _slotless(request, tasks[0].get("slot"))
    return Job(document, request, tuple(words), kind, options, inner, script, slotless)


def _slotless(request: ResourceRequest, label: object) -> str | None:
    """Why a task runs in none of the slots there are; one without a label may be the one meant."""
    if request.slot(label) is not None:
        return None
    there = [slot.fields.get("label", label) for slot in request.slots()]
    if label in there:
        return None
    lead = "the task has no slot to run in: "
    if not there:
        return f"{lead}the resources hold none"
    if not isinstance(label, str):
        return f"{lead}its slot is not a string"
    return f"{lead}none has the label '{printable(label)}'"


def _command(
    document: Mapping[str, Any], words: tuple[str, ...]
) -> tuple[Kind, tuple[str, ...], tuple[str, ...], str | None]:
    """The kind, the broker's options, the inner command and the script of a job."""
    if words[:2] == ("flux", "start"):
        return "start", (), words[2:], None
    if words[:2] != ("flux", "broker"):
        return "program", (), words, None
    rest = words[2:]
    end = 0
    while end < len(rest) and rest[end].startswith("-") and rest[end] != "--":
        if "," in rest[end]:
            break
        end += 1
    script = _script(document)
    if script is not None and rest[end : end + 1] == (SCRIPT,):
        return "batch", rest[:end], rest[end + 1 :], script
    return "alloc", rest[:end], rest[end:], None


def _script(document: Mapping[str, Any]) -> str | None:
    """The text of the file ``script`` (RFC 14, RFC 37)."""
    found = value_at(document, "attributes", "system", "files", "script", "data")
    return found if isinstance(found, str) else None


# Attributes

#: The streams of a task: the shell option that names their file, and the stream.
STREAMS = {
    "input": ("input", "stdin"),
    "output": ("output", "stdout"),
    "error": ("output", "stderr"),
}


class Attributes:
    """Copies of the attributes of a jobspec.

    system   the system attributes but for the options of the job shell
    options  the options of the job shell
    others   all other attributes
    """

    def __init__(self, attributes: object) -> None:
        self.others: dict[Any, Any] = copied(attributes) if isinstance(attributes, Mapping) else {}
        system = self.others.pop("system", None)
        self.system: dict[Any, Any] = system if isinstance(system, dict) else {}
        shell = self.system.get("shell")
        options = shell.get("options") if isinstance(shell, dict) else None
        self.options: dict[Any, Any] = options if isinstance(options, dict) else {}
        if isinstance(options, dict):
            del self.system["shell"]["options"]

    def take_text(self, *path: str) -> str | None:
        """Take out a system attribute that is a string; None where it is not there or not one."""
        found = value_at(self.system, *path)
        if not isinstance(found, str):
            return None
        drop(self.system, *path)
        return found

    def drop_option(self, name: str, value: object) -> bool:
        """Take out an option of the shell if it has this value; whether it had."""
        if self.options.get(name) != value:
            return False
        del self.options[name]
        return True


def is_seconds(value: object) -> bool:
    """Whether a value is a finite number of seconds."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return value >= 0 and math.isfinite(value)


def value_at(tree: Any, *path: str) -> Any:
    """The value at a path of keys, None where there is none."""
    for key in path:
        tree = tree.get(key) if isinstance(tree, Mapping) else None
    return tree


def copied(value: Any) -> Any:
    """A value with all its dictionaries copied, so that parts of them can be taken out."""
    if isinstance(value, Mapping):
        return {key: copied(inner) for key, inner in value.items()}
    return value


def drop(tree: dict[Any, Any], *path: str) -> None:
    """Take out the value at a path, and the dictionaries that are empty after that."""
    inner = tree.get(path[0])
    if len(path) > 1 and isinstance(inner, dict):
        drop(inner, *path[1:])
    if len(path) == 1 or inner == {}:
        tree.pop(path[0], None)
