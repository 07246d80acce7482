"""What flux-core asks of the ``tasks`` and ``attributes`` of a jobspec as it takes it in."""

from collections.abc import Mapping
from typing import Any

from fluxtui.model.documents.json_value import shown
from fluxtui.model.jobspec import submit_constraints, submit_dependencies
from fluxtui.model.jobspec.program import check_command
from fluxtui.model.jobspec.submit_notes import FIRST, LAST, Notes
from fluxtui.notation.problem import at, printable

_KINDS = ("per_slot", "total", "per_resource")


def check(notes: Notes, document: Mapping[str, Any]) -> None:
    """Note what flux-core refuses in all but the resources and the keys at the top."""
    if "tasks" in document:
        _tasks(notes, document["tasks"])
    if "attributes" in document:
        _attributes(notes, document["attributes"])


def _tasks(notes: Notes, tasks: object) -> None:
    """Any number of tasks; whether their slots are there, flux-core does not ask."""
    if not isinstance(tasks, list | tuple):
        # A text passes for a list of its characters, and without any there is nothing to refuse.
        if tasks != "":
            notes.add(f"tasks is a list; found {shown(tasks)}", "tasks", "a list", turn=FIRST)
        return
    for number, task in enumerate(tasks):
        path = at("tasks", number)
        if not isinstance(task, Mapping):
            notes.add(f"a task is a dictionary; found {shown(task)}", path, "a dictionary")
            continue
        for key in ("command", "slot", "count"):
            if key not in task:
                notes.add(f"flux-core wants the {key} of a task, which is missing", path, key)
        if "count" in task:
            _task_count(notes, task["count"], at(path, "count"))
        if "slot" in task and not isinstance(task["slot"], str):
            message = f"slot is the label of a slot; found {shown(task['slot'])}"
            notes.add(message, at(path, "slot"), "a string")
        if "attributes" in task and not isinstance(task["attributes"], Mapping):
            message = (
                f"the attributes of a task are a dictionary; found {shown(task['attributes'])}"
            )
            notes.add(message, at(path, "attributes"), "a dictionary")
        if "command" in task:
            check_command(notes.add, task["command"], at(path, "command"))


def _task_count(notes: Notes, count: object, path: str) -> None:
    """One key: per_slot or total, with a number. RFC 14's per_resource is refused at the end."""
    if not isinstance(count, Mapping):
        message = f"the count of a task is a dictionary; found {shown(count)}"
        notes.add(message, path, *_KINDS[:2])
        return
    key = next(iter(count), None)
    if len(count) != 1 or key not in _KINDS:
        found = ", ".join(printable(str(key)) for key in count) or "nothing"
        message = f"the count of a task is either per_slot or total; found {found}"
        notes.add(message, path, *_KINDS[:2])
    elif key == "per_resource":
        message = "flux-core takes only per_slot and total; found per_resource"
        notes.add(message, path, *_KINDS[:2], turn=LAST)
    elif not isinstance(count[key], int) or count[key] <= 0:
        message = f"{key} is a whole number of 1 or more; found {shown(count[key])}"
        notes.add(message, at(path, key), "1 or more")


def _attributes(notes: Notes, attributes: object) -> None:
    """Only system and user; what is in user is free."""
    if not isinstance(attributes, Mapping):
        message = f"attributes is a dictionary; found {shown(attributes)}"
        notes.add(message, "attributes", "a dictionary", turn=FIRST)
        return
    for key in attributes:
        if key not in ("system", "user"):
            message = f"attributes hold only system and user; found '{printable(str(key))}'"
            notes.add(message, at("attributes", str(key)), "system", "user")
    if "system" not in attributes:
        message = "flux-core wants attributes.system, with at least a duration"
        notes.add(message, "attributes", "system", turn=LAST)
    elif not isinstance(attributes["system"], Mapping):
        message = f"system is a dictionary; found {shown(attributes['system'])}"
        notes.add(message, at("attributes", "system"), "a dictionary")
    else:
        _system(notes, attributes["system"], at("attributes", "system"))


def _system(notes: Notes, system: Mapping[str, Any], path: str) -> None:
    """The attributes that flux-core looks at; it stores all others as they are."""
    if "dependencies" in system:
        submit_dependencies.check(notes, system, path)
    if "constraints" in system:
        submit_constraints.check(notes, system["constraints"], at(path, "constraints"))
    if "duration" not in system:
        message = "flux-core wants a duration; 0 leaves it to the queue"
        notes.add(message, path, "duration", turn=LAST)
    else:
        duration = system["duration"]
        # Its validator takes true for a number, its job manager does not.
        if isinstance(duration, bool) or not isinstance(duration, int | float):
            message = f"duration is a number of seconds; found {shown(duration)}"
            notes.add(message, at(path, "duration"), "a number", turn=LAST)
    if "queue" in system and not isinstance(system["queue"], str):
        message = f"queue is the name of one; found {shown(system['queue'])}"
        notes.add(message, at(path, "queue"), "a string", turn=LAST)
