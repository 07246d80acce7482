"""The jobspecs that a command line can express, one task with a command, and what is written."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from fluxtui.model.jobspec.jobspec import SCRIPT
from fluxtui.model.jobspec.request import ResourceRequest, parse
from fluxtui.notation import shellwords
from fluxtui.notation.problem import printable

#: What a job runs: a program in each slot, ``flux start``, ``flux broker``, or one with a script.
Kind = Literal["program", "start", "alloc", "batch"]

#: The name of a job's script in a command line, where the jobspec does not say.
SCRIPT_NAME = "script.sh"

#: The streams of a task: the shell option that names their file, and the stream.
STREAMS = {
    "input": ("input", "stdin"),
    "output": ("output", "stdout"),
    "error": ("output", "stderr"),
}


@dataclass(frozen=True, slots=True)
class Rendering:
    """A jobspec written for one program.

    text    the command line, or None where the program cannot express the jobspec
    script  the same as directives in the script that the job carries, or in one that runs it
    exact   the program reads the text as this very request
    notes   a sentence each on what is lost, or on what the program adds
    """

    name: str
    text: str | None
    script: str | None = None
    exact: bool = False
    notes: tuple[str, ...] = ()


def refusal(name: str, note: str) -> Rendering:
    """The rendering for a program that cannot express the jobspec; the note says why."""
    return Rendering(name, None, notes=(note,))


def rendering(
    name: str, words: Sequence[str], script: str | None, exact: bool, notes: Sequence[str]
) -> Rendering:
    """The rendering whose text is these words as one line for a shell."""
    if any("\0" in word for word in words):
        return refusal(name, "no command line can hold a NUL character")
    return Rendering(name, shellwords.join(words), script, exact, tuple(notes))


def after_options(command: Sequence[str]) -> list[str]:
    """The command, kept apart from the options where it could be taken for one."""
    is_option = bool(command) and (command[0].startswith("-") or not command[0])
    return ["--", *command] if is_option else list(command)


@dataclass(frozen=True, slots=True)
class Job:
    """A jobspec of one task, and what its command does.

    inner     the program that finally runs, with its arguments; of a script the arguments alone
    script    the text of the script that the job carries
    slotless  why the task runs in none of the slots there are, which RFC 14 refuses
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

    def notes(self) -> list[str]:
        """What any Flux command line changes, or how Flux reads a job that is not legal."""
        version = self.document.get("version", 1)
        notes = [] if self.slotless is None else [self.slotless]
        return notes if version == 1 else [*notes, f"Flux writes version 1, and this has {version}"]


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
    request = parse(resources)
    label, slots = tasks[0].get("slot"), list(request.slots())
    slotless = None
    # A slot without a label may be the one meant.
    if not any(slot.fields.get("label", label) == label for slot in slots):
        why = f"none has the label '{printable(label)}'" if isinstance(label, str) else ""
        why = (why or "its slot is not a string") if slots else "the resources hold none"
        slotless = f"the task has no slot to run in: {why}"
    command = tuple(words)
    if command[:2] == ("flux", "start"):
        return Job(document, request, command, "start", (), command[2:], None, slotless)
    if command[:2] != ("flux", "broker"):
        return Job(document, request, command, "program", (), command, None, slotless)
    rest = command[2:]
    is_option = [word.startswith("-") and word != "--" and "," not in word for word in rest]
    end = [*is_option, False].index(False)
    # The text of the file ``script`` (RFC 14, RFC 37).
    script = value_at(document, "attributes", "system", "files", "script", "data")
    kind: Kind = "alloc"
    if isinstance(script, str) and rest[end : end + 1] == (SCRIPT,):
        kind = "batch"
    inner, text = (rest[end:], None) if kind == "alloc" else (rest[end + 1 :], script)
    return Job(document, request, command, kind, rest[:end], inner, text, slotless)


class Attributes:
    """Copies of the attributes of a jobspec, which are taken out as they are written.

    system is without the options of the job shell; others are all that are not of the system.
    """

    def __init__(self, attributes: object) -> None:
        self.others: dict[Any, Any] = copied(attributes) if isinstance(attributes, Mapping) else {}
        system = self.others.pop("system", None)
        self.system: dict[Any, Any] = system if isinstance(system, dict) else {}
        options = value_at(self.system, "shell", "options")
        self.options: dict[Any, Any] = options if isinstance(options, dict) else {}
        if isinstance(options, dict):
            del self.system["shell"]["options"]


def take(tree: dict[Any, Any], path: str, write: Callable[[Any], list[str] | None]) -> list[str]:
    """The words for the attribute at a dotted path, which is taken out.

    write makes them; it gives None where there are none, and the attribute stays.
    """
    keys = path.split(".")
    found = value_at(tree, *keys)
    words = None if found is None else write(found)
    if words is not None:
        drop(tree, *keys)
    return words or []


def option(name: str) -> Callable[[Any], list[str] | None]:
    """What writes a text as the value of an option."""
    return lambda value: [name, value] if isinstance(value, str) else None


def when(value: object, *words: str) -> Callable[[Any], list[str] | None]:
    """What writes one value of an attribute, and no other."""
    return lambda found: list(words) if found == value else None


def is_seconds(value: object) -> bool:
    """Whether a value is a number of seconds, and a finite one as flux-core reads it."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 <= value <= sys.float_info.max


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
