"""The jobspecs that command lines can say: one task, with a command."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from fluxtui.answers.commands import demand as demands
from fluxtui.answers.commands.demand import Demand
from fluxtui.answers.commands.flux.build import SCRIPT
from fluxtui.model.jobspec.resources import slots, walk
from fluxtui.notation.problem import printable

#: What a job runs: a program in each slot, ``flux start``, ``flux broker``, or one with a script.
Kind = Literal["program", "start", "alloc", "batch"]


class Request(NamedTuple):
    """A jobspec of one task, and what its command is about.

    command         all words
    broker_options  the options of the broker, where the command is one
    inner           the program and its arguments that run in the end; the arguments alone of a
                    script; empty where an instance runs nothing
    script          the text of the script that the job carries
    slotless        why the task runs in none of the slots there are, where RFC 14 refuses that
    """

    document: Mapping[str, Any]
    command: tuple[str, ...]
    kind: Kind = "program"
    broker_options: tuple[str, ...] = ()
    inner: tuple[str, ...] = ()
    script: str | None = None
    slotless: str | None = None

    def demand(self) -> Demand:
        """What it asks for in the terms of other batch systems; each time a fresh one."""
        return demands.read(self.document)

    def notes(self) -> tuple[str, ...]:
        """What every command line of Flux adds or renames, or makes of a job that is not legal."""
        version = self.document.get("version", 1)
        other = None if version == 1 else f"Flux writes version 1, where this says {version}"
        return tuple(note for note in (self.slotless, other) if note is not None)


def read(document: Mapping[str, Any]) -> Request | str:
    """The request of a jobspec, or why no command line says it."""
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
        return "the command holds what is no text"
    slotless = _slotless(resources, tasks[0].get("slot"))
    return _classified(document, tuple(words))._replace(slotless=slotless)


def _slotless(resources: object, label: object) -> str | None:
    """Why a task runs in none of the slots there are; one without a label may be the one meant."""
    if any(slot["label"] == label for slot in slots(resources)):
        return None  # as nearly always, and soon
    vertices = (vertex for _, vertex, _ in walk(resources) if isinstance(vertex, Mapping))
    there = [vertex.get("label", label) for vertex in vertices if vertex.get("type") == "slot"]
    if label in there:
        return None
    lead = "the task has no slot to run in: "
    if not there:
        return f"{lead}the resources hold none"
    if not isinstance(label, str):
        return f"{lead}it names none by its label"
    return f"{lead}none has the label '{printable(label)}'"


def _classified(document: Mapping[str, Any], words: tuple[str, ...]) -> Request:
    if words[:2] == ("flux", "start"):
        return Request(document, words, "start", (), words[2:])
    if words[:2] != ("flux", "broker"):
        return Request(document, words, "program", (), words)
    rest = words[2:]
    options = 0
    while options < len(rest) and rest[options].startswith("-") and "," not in rest[options]:
        if rest[options] == "--":
            break
        options += 1
    script = _script(document)
    if script is not None and rest[options : options + 1] == (SCRIPT,):
        inner = rest[options + 1 :]
        return Request(document, words, "batch", rest[:options], inner, script)
    return Request(document, words, "alloc", rest[:options], rest[options:])


def _script(document: Mapping[str, Any]) -> str | None:
    """The text of the file ``script`` (RFC 14, RFC 37)."""
    found: Any = document
    for key in ("attributes", "system", "files", "script", "data"):
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, str) else None
