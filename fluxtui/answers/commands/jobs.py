"""The jobspecs that a command line can express, their renderings, and how two jobspecs differ.

A command line runs one task with a command.
"""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from fluxtui.model.jobspec.jobspec import SCRIPT
from fluxtui.model.jobspec.request import RequestVertex, ResourceRequest, parse
from fluxtui.notation import count as counts
from fluxtui.notation import shellwords
from fluxtui.notation.problem import at, counted, printable, shortened, surrogate_problem
from fluxtui.notation.sets.idset import IdSet

#: What a job runs: a program in each slot, ``flux start``, or ``flux broker`` without or with a
#: script.
Kind = Literal["program", "start", "alloc", "batch"]

#: The file name for a job's script in a command line; a jobspec has none.
SCRIPT_NAME = "script.sh"

#: The shell option for the file of each stream of a task, and the stream's name in that option.
STREAMS = {
    "input": ("input", "stdin"),
    "output": ("output", "stdout"),
    "error": ("output", "stderr"),
}


class Remark(str):
    """A note on a rendering, with the path in the jobspec that it is about and a code.

    The code is ``lost`` if something is left out, ``approximate`` if it comes out differently, and
    ``remark`` if nothing is lost but the user should know.
    """

    path: str
    code: str

    def __new__(cls, text: str, path: str = "", code: str = "approximate") -> "Remark":
        """Return the note with its path and code."""
        made = super().__new__(cls, text)
        made.path, made.code = path, code
        return made


@dataclass(frozen=True, slots=True)
class Rendering:
    """A jobspec written for one program.

    text    the command line, or None if the program cannot express the jobspec
    script  the same as directives in the job's own script, or in a script that runs its command
    exact   whether the program reads the text as exactly this request
    notes   one sentence for each thing that is lost, or that the program adds
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
    if any(map(surrogate_problem, words)):
        return refusal(name, "no command line can hold half of a character")
    return Rendering(name, shellwords.join(words), script, exact, tuple(notes))


def after_options(command: Sequence[str]) -> list[str]:
    """The command, after ``--`` if it could be taken for an option."""
    is_option = bool(command) and (command[0].startswith("-") or not command[0])
    return ["--", *command] if is_option else list(command)


@dataclass(frozen=True, slots=True)
class Job:
    """A jobspec with one task, and what its command does.

    inner     the program that finally runs, with its arguments; only the arguments of a script
    script    the text of the script in the jobspec
    slotless  why the task has no slot to run in, which RFC 14 forbids; None if it has one
    """

    document: Mapping[str, Any]
    task: Mapping[str, Any]
    request: ResourceRequest
    command: tuple[str, ...]
    kind: Kind
    broker_options: tuple[str, ...]
    inner: tuple[str, ...]
    script: str | None
    slotless: str | None

    def notes(self) -> list[str]:
        """Notes that apply to every Flux command line: a missing slot, and another version."""
        version = self.document.get("version", 1)
        notes = [] if self.slotless is None else [self.slotless]
        return notes if version == 1 else [*notes, f"Flux writes version 1, and this has {version}"]


def read(document: Mapping[str, Any]) -> Job | str:
    """Read a jobspec as a job, or return why no command line can express it."""
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
    # A slot without a label may be the one that is meant.
    if not any(slot.fields.get("label", label) == label for slot in slots):
        why = f"none has the label '{shortened(label)}'" if isinstance(label, str) else ""
        why = (why or "its slot is not a string") if slots else "the resources hold none"
        slotless = f"the task has no slot to run in: {why}"
    kind: Kind = "program"
    inner = command = tuple(words)
    options, script = command[:0], None
    if command[:2] == ("flux", "start"):
        kind, inner = "start", command[2:]
    elif command[:2] == ("flux", "broker"):
        kind, rest = "alloc", command[2:]
        is_option = [word.startswith("-") and word != "--" and "," not in word for word in rest]
        end = [*is_option, False].index(False)
        options, inner = rest[:end], rest[end:]
        # The text of the file ``script`` (RFC 14, RFC 37).
        text = value_at(document, "attributes", "system", "files", "script", "data")
        if isinstance(text, str) and inner[:1] == (SCRIPT,):
            kind, inner, script = "batch", inner[1:], text
    return Job(document, tasks[0], request, command, kind, options, inner, script, slotless)


class Attributes:
    """Copies of the attributes of a jobspec, from which each is removed when it is written.

    system does not include the options of the job shell.
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
    """Remove the attribute at a dotted path, and return the words that write makes of it.

    The attribute stays, and there are no words, if write returns None.
    """
    keys = path.split(".")
    found = value_at(tree, *keys)
    words = None if found is None else write(found)
    if words is not None:
        drop(tree, *keys)
    return words or []


#: What makes the job shell pass on output and input at once, by path among its options.
UNBUFFERED: Mapping[str, Any] = {
    "output.stdout.buffer": {"type": "none"},
    "output.stderr.buffer": {"type": "none"},
    "output.batch-timeout": 0.05,
    "input.batch-timeout": 0,
}


def take_unbuffered(options: dict[Any, Any]) -> list[str]:
    """Remove ``UNBUFFERED`` and return ``-u``; if not all of it is there, no word is returned."""
    paths = [path.split(".") for path in UNBUFFERED]
    if [value_at(options, *path) for path in paths] != list(UNBUFFERED.values()):
        return []
    for path in paths:
        drop(options, *path)
    return ["-u"]


def when(value: object, *words: str) -> Callable[[Any], list[str] | None]:
    """Return a writer that gives these words for one value of an attribute, else None."""
    return lambda given: list(words) if given == value else None


def is_seconds(value: object) -> bool:
    """Whether a value is a number of seconds that is finite when flux-core reads it."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 <= value <= sys.float_info.max


def value_at(tree: Any, *path: str) -> Any:
    """The value at a path of keys, or None."""
    for key in path:
        tree = tree.get(key) if isinstance(tree, Mapping) else None
    return tree


def copied(value: Any) -> Any:
    """A copy of a value and all its dictionaries, so that parts of them can be removed."""
    if isinstance(value, Mapping):
        return {key: copied(inner) for key, inner in value.items()}
    return value


def drop(tree: dict[Any, Any], *path: str) -> None:
    """Remove the value at a path, and dictionaries that become empty."""
    inner = tree.get(path[0])
    if len(path) > 1 and isinstance(inner, dict):
        drop(inner, *path[1:])
    if len(path) == 1 or inner == {}:
        tree.pop(path[0], None)


# Replaces the label of the only task's slot in comparisons.
_SLOT = "\0slot"


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where two jobspecs differ; a value that one of them does not have is None."""

    path: str
    first: Any
    second: Any


def differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> tuple[Difference, ...]:
    """Where the second jobspec differs from the first in resources, tasks and attributes.

    These are ignored: counts that are written differently (``"2+"`` and ``{min: 2}``), the order
    of resources, the label of the only task's slot, a duration of 0; and, if the first has none,
    the environment, working directory and resource limits, which are added at submission.
    """
    (one, label), (other, other_label) = _normal(first), _normal(second)
    before, after = (value_at(document, "attributes", "system") for document in (one, other))
    if isinstance(before, dict) and isinstance(after, dict):
        for key in ("environment", "cwd"):
            if key not in before:
                after.pop(key, None)
        if value_at(before, "shell", "options", "rlimit") is None:
            drop(after, "shell", "options", "rlimit")
        for system in (before, after):
            if value_at(system, "shell", "options") == {}:
                drop(system, "shell", "options")
            if system.get("shell") == {}:
                del system["shell"]

    def restored(value: Any, label: Any) -> Any:
        return _mapped(value, lambda leaf: label if leaf == _SLOT else leaf)

    found = _differ("", one, other)
    return tuple(
        Difference(path, restored(a, label), restored(b, other_label)) for path, a, b in found
    )


def _normal(document: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
    tasks, label = document.get("tasks"), None
    if isinstance(tasks, Sequence) and len(tasks) == 1 and isinstance(tasks[0], Mapping):
        label = tasks[0].get("slot")
        tasks = [{**tasks[0], "slot": _SLOT}]
    attributes = copied(document.get("attributes"))
    if isinstance(attributes, dict):
        system = attributes.get("system", {})
        if system is None or isinstance(system, dict):
            attributes["system"] = {"duration": 0, **(system or {})}
    request = parse(document.get("resources"))
    resources = _resources(request.roots, label) if request.is_list else request.raw
    return {"resources": resources, "tasks": tasks, "attributes": attributes}, label


def _resources(vertices: Sequence[RequestVertex], label: Any) -> list[Any]:
    out = []
    for vertex in vertices:
        fields = dict(vertex.fields)
        if vertex.count is not None:
            fields["count"] = vertex.count
        if vertex.is_slot and fields.get("label") == label:
            fields["label"] = _SLOT
        if vertex.children:
            fields["with"] = _resources(vertex.children, label)
        out.append(fields if vertex.is_readable else vertex.raw)
    if not all(vertex.is_readable for vertex in vertices):
        return out
    return sorted(out, key=lambda fields: str(fields.get("type")))


def _differ(path: str, first: Any, second: Any) -> Iterator[tuple[str, Any, Any]]:
    """Every place where two values differ; the ``count`` of a task counts as one place."""
    if first == second:
        return
    is_count = path.startswith("tasks[") and path.endswith("].count")
    if not is_count and isinstance(first, Mapping) and isinstance(second, Mapping):
        for key in dict.fromkeys((*first, *second)):
            yield from _differ(at(path, str(key)), first.get(key), second.get(key))
    elif isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        for number, (one, other) in enumerate(zip(first, second, strict=True)):
            yield from _differ(at(path, number), one, other)
    else:
        yield path, first, second


def _mapped(value: Any, leaf: Callable[[Any], Any]) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _mapped(inner, leaf) for key, inner in value.items()}
    return [_mapped(inner, leaf) for inner in value] if isinstance(value, list) else leaf(value)


def sentences(found: Sequence[Difference], most: int = 6) -> list[str]:
    """One sentence for each thing that the second jobspec loses, adds or changes."""
    out: list[str] = []
    for difference in found[:most]:
        path, first, second = printable(difference.path), difference.first, difference.second
        if second is None:
            out.append(Remark(f"{path} is left out: {_shown(first)}", path, "lost"))
        elif first is None:
            out.append(Remark(f"{path} is added: {_shown(second)}", path))
        elif all(texts := [_tasks(count) for count in (first, second)]) and "count" in path:
            out.append(Remark(f"the job runs {texts[1]}, not {texts[0]}", path))
        else:
            shown = f"{path} comes out as {_shown(second)}, not {_shown(first)}"
            out.append(Remark(shown, path))
    if len(found) > most:
        out.append(f"{len(found) - most} more places differ")
    return out


def _tasks(count: Any) -> str:
    """The count of a task in words; empty if it is not one."""
    match count:
        case {"per_slot": int(number), **rest} if not rest:
            where = "in each slot"
        case {"total": int(number), **rest} if not rest:
            where = "in all"
        case {"per_resource": {"type": str(kind), "count": int(number)}, **rest} if not rest:
            where = f"for each {shortened(kind)}"
        case _:
            return ""
    return f"{counted(number, 'task')} {where}"


def _shown(value: Any) -> str:
    def plain(part: Any) -> str:
        return counts.format(part) if isinstance(part, counts.Range | IdSet) else str(part)

    if not isinstance(value, str):
        value = json.dumps(_mapped(value, lambda leaf: leaf), ensure_ascii=False, default=plain)
    return shortened(value)
