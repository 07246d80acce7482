"""Changes that may mend the ``tasks`` of a jobspec, most likely first."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fluxtui.answers.fixes import task_count
from fluxtui.answers.fixes.edit import (
    NOTHING,
    get,
    keys_in_words,
    put,
    renamed,
    vertices,
    without,
    word_of,
)
from fluxtui.answers.fixes.resources import Change, slot_label, slots
from fluxtui.answers.fixes.task_count import ONE, Case
from fluxtui.model.documents.document import steps
from fluxtui.model.jobspec.request import parse
from fluxtui.model.jobspec.resources import walk
from fluxtui.notation import shellwords
from fluxtui.notation.problem import Problem, nearest, printable

KEYS = ("command", "slot", "count", "attributes", "distribution")

# Slots, types or tasks that are offered for one.
_OFFERED = 4


def changes(
    problem: Problem, document: Mapping[str, Any], path: list[str | int]
) -> Iterator[Change]:
    """What may mend a problem whose path leads into the tasks."""
    if len(path) == 1:
        yield from _whole(document)
        return
    case = Case(problem, document, path[:2], path[2:])
    if not isinstance(case.task, Mapping):
        yield from _no_task(case)
    elif not case.rest:
        yield from _keys(case)
    else:
        yield from _BY_KEY.get(str(case.rest[0]), _dropped)(case)


def new_task(document: Mapping[str, Any], *command: str) -> dict[str, Any]:
    """One task in each of the first slots."""
    labels = parse(document.get("resources")).labels
    slot = labels[0] if labels else slot_label(document)
    return {"command": list(command) or ["app"], "slot": slot, "count": ONE}


def _whole(document: Mapping[str, Any]) -> Iterator[Change]:
    """The list itself: not there, empty, or with more tasks than V1 has."""
    tasks = document.get("tasks")
    if isinstance(tasks, Mapping) and tasks:
        yield "make it a list", put(document, ["tasks"], [tasks])
    if isinstance(tasks, list | tuple) and len(tasks) > 1:
        for task in tasks[:_OFFERED]:
            yield f"keep only {_named(task)}", put(document, ["tasks"], [task])
    else:
        yield "run app in each slot", put(document, ["tasks"], [new_task(document)])


def _named(task: Any) -> str:
    """A task in the words of a label, by its program."""
    command = task.get("command") if isinstance(task, Mapping) else None
    words = command if isinstance(command, list) else []
    text = " ".join(word for word in words if isinstance(word, str))
    return f"the task {printable(text[:40])}" if text else "this task"


def _no_task(case: Case) -> Iterator[Change]:
    """Something that is no dictionary where a task should stand."""
    found = case.task
    words = shellwords.split(found) if isinstance(found, str) else None
    if words is not None and words.ok and words.value:
        made = new_task(case.document, *(word.text for word in words.value))
        yield f"run it: {printable(str(found)[:40])}", put(case.document, case.place, made)
    if len(case.document["tasks"]) > 1:
        yield "drop it", without(case.document, case.place)
    yield "run app in each slot", put(case.document, case.place, new_task(case.document))


def _keys(case: Case) -> Iterator[Change]:
    """What a task lacks, and keys that mean nothing in it."""
    missing = [key for key in KEYS[:3] if key not in case.task]
    unknown = [str(key) for key in case.task if key not in KEYS]
    for key in unknown:
        near = nearest(key, [name for name in KEYS if name not in case.task])
        if near:
            label = f"call the key '{printable(key[:40])}' {near}"
            yield label, put(case.document, case.place, renamed(case.task, key, near))
    if "command" in missing:
        yield "command: app", case.having("command", ["app"])
    if "slot" in missing:
        yield from _slot(case)
    if "count" in missing:
        yield "count: per_slot: 1", case.having("count", ONE)
    if unknown:
        task = {key: value for key, value in case.task.items() if key in KEYS}
        yield f"drop {keys_in_words(unknown)}", put(case.document, case.place, task)


def _command(case: Case) -> Iterator[Change]:
    """A command that is a text, empty, or holds what are no words."""
    command = case.task.get("command")
    if isinstance(command, str):
        words = shellwords.split(command)
        if words.ok and words.value:
            yield "split it into words", case.having("command", [w.text for w in words.value])
        yield "make it one word", case.having("command", [command])
    elif isinstance(command, list | tuple) and command:
        plain = [word if isinstance(word, str) else word_of(word) for word in command]
        kept = [word for word in plain if word is not None]
        if kept:
            all_kept = len(kept) == len(command)
            yield (
                "make its words strings" if all_kept else "keep its words",
                case.having("command", kept),
            )
    yield "command: app", case.having("command", ["app"])


def _slot(case: Case) -> Iterator[Change]:
    """The label of a slot that is there, or another label for the slot."""
    labels = parse(case.document.get("resources")).labels
    path = case.problem.path or "tasks"
    where = path if path.endswith(".slot") else f"{path}.slot"
    for label in dict.fromkeys(labels[:_OFFERED]):
        yield f"{where}: {printable(label[:40])}", case.having("slot", label)
    wanted = case.task.get("slot")
    if labels:
        if isinstance(wanted, str) and len(labels) == 1:
            yield from _labelled(case.document, wanted)
        return
    document = case.document if isinstance(wanted, str) else case.having("slot", "default")
    found = vertices(document.get("resources"))
    if any(vertex.get("type") == "slot" for vertex in found):
        yield from _labelled(document, slot_label(document))
    else:
        yield from slots(document)


def _labelled(document: Mapping[str, Any], label: str) -> Iterator[Change]:
    """The first slot under this label, which the task names."""
    for path, vertex, _ in walk(document.get("resources")):
        if isinstance(vertex, Mapping) and vertex.get("type") == "slot":
            made = put(document, [*steps(path), "label"], label)
            yield f"label the slot '{printable(label[:40])}'", made
            return


def _extras(case: Case) -> Iterator[Change]:
    """Attributes or a distribution of the wrong kind."""
    value = get(case.document, case.steps)
    if "environment" in case.rest[:2] and len(case.rest) == 3:
        word = word_of(value)
        if word is not None:
            yield f"make it the string '{word}'", put(case.document, case.steps, word)
    yield from _dropped(case)


def _dropped(case: Case) -> Iterator[Change]:
    """The task without what the path leads to."""
    if get(case.document, case.steps) is not NOTHING:
        yield f"drop {keys_in_words([str(case.steps[-1])])}", without(case.document, case.steps)


_BY_KEY: dict[str, Callable[[Case], Iterator[Change]]] = {
    "command": _command,
    "slot": _slot,
    "count": task_count.changes,
    "attributes": _extras,
    "distribution": _extras,
}
