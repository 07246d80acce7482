"""The ``tasks`` and ``attributes`` of a jobspec, by RFC 14 and RFC 25."""

import math
from collections.abc import Mapping
from itertools import islice
from typing import Any, NamedTuple, Protocol

from fluxtui.model.documents.json_value import shown
from fluxtui.model.jobspec.resources import Checker, Slots, is_whole, walk
from fluxtui.notation.problem import at

#: Labels and types that are named of those that a document has.
NAMED = 20

_COUNTS = ("per_slot", "per_resource", "total")
_NO_PLACES: Mapping[str, int] = {}
_TASK = ("command", "slot", "count", "attributes", "distribution")


def check_tasks(
    check: Checker, tasks: object, resources: object, places: Mapping[str, int] = _NO_PLACES
) -> None:
    """RFC 14, Tasks. places is the number of the vertex at the top that a label is in, if known."""
    if not isinstance(tasks, list | tuple):
        check.error(f"tasks is a list; found {shown(tasks)}", "tasks", "a list")
        return
    if not tasks:
        check.error("tasks holds at least one task; it is empty", "tasks", "a task")
    there = Slots(resources, places)
    for number, task in enumerate(tasks):
        path = at("tasks", number)
        if not isinstance(task, Mapping):
            check.error(f"a task is a dictionary; found {shown(task)}", path, "a dictionary")
            continue
        for key in ("command", "slot", "count"):
            if key not in task:
                check.error(f"a task needs its {key}", path, key)
        check_command(check.error, task.get("command", ["app"]), at(path, "command"))
        slot = _slot(check, task, path, there)
        if "count" in task:
            _task_count(check, task["count"], at(path, "count"), slot, there)
        _task_extras(check, task, path)


class Report(Protocol):
    """Notes a problem by its message, its path and what was expected."""

    def __call__(self, message: str, path: str, *expected: str) -> None:
        """Note it."""


def check_command(report: Report, command: object, path: str) -> None:
    """RFC 14: the program and its arguments, as strings in a list; so flux-core wants them too."""
    if not isinstance(command, list | tuple):
        message = f"command is a list of a program and its arguments; found {shown(command)}"
        report(message, path, "a list of strings")
    elif not command:
        report("command names at least a program; it is empty", path, "a program")
    else:
        for number, word in enumerate(command):
            if not isinstance(word, str):
                message = f"the words of a command are strings; found {shown(word)}"
                report(message, at(path, number), "a string")


def _slot(
    check: Checker, task: Mapping[str, Any], path: str, there: Slots
) -> Mapping[str, Any] | None:
    """The slot a task runs in, which it names by its label."""
    if "slot" not in task:
        return None
    label = task["slot"]
    path = at(path, "slot")
    if not isinstance(label, str):
        check.error(
            f"slot is the label of a slot; found {shown(label)}",
            path,
            *islice(there.labelled, NAMED),
        )
        return None
    slot = there.named(label)
    if slot is None:
        labels = there.labelled
        what = f"no slot has the label '{label}'" if labels else "the resources hold no slot"
        check.error(what, path, *islice(labels, NAMED))
    return slot


def _task_count(
    check: Checker, count: object, path: str, slot: Mapping[str, Any] | None, there: Slots
) -> None:
    """Exactly one of per_slot, per_resource and total."""
    if not isinstance(count, Mapping):
        message = f"the count of a task is a dictionary; found {shown(count)}"
        check.error(message, path, *_COUNTS)
        return
    if len(count) != 1 or next(iter(count)) not in _COUNTS:
        found = ", ".join(map(str, count)) or "nothing"
        message = f"the count of a task is one of per_slot, per_resource and total; found {found}"
        check.error(message, path, *_COUNTS)
        return
    key, value = next(iter(count.items()))
    if key == "per_resource":
        _per_resource(check, value, at(path, key), slot, there)
    elif not is_whole(value):
        message = f"{key} is a whole number of 1 or more; found {shown(value)}"
        check.error(message, at(path, key), "1 or more")


def _per_resource(
    check: Checker, value: object, path: str, slot: Mapping[str, Any] | None, there: Slots
) -> None:
    """per_resource names a type within the slot of its task, and a number."""
    if not isinstance(value, Mapping):
        message = f"per_resource is a dictionary of type and count; found {shown(value)}"
        check.error(message, path, "type", "count")
        return
    if not is_whole(value.get("count")):
        message = f"count is a whole number of 1 or more; found {shown(value.get('count'))}"
        check.error(message, at(path, "count"), "1 or more")
    kind = value.get("type")
    if not isinstance(kind, str):
        check.error(f"type is a string; found {shown(kind)}", at(path, "type"), "a string")
    elif slot is not None:
        types = there.types(slot)
        if kind not in types:
            message = f"the slot '{slot['label']}' holds no {kind}"
            check.error(message, at(path, "type"), *islice(types, NAMED))


def _task_extras(check: Checker, task: Mapping[str, Any], path: str) -> None:
    if "distribution" in task and not isinstance(task["distribution"], str):
        message = f"distribution is a string; found {shown(task['distribution'])}"
        check.error(message, at(path, "distribution"), "a string")
    attributes = task.get("attributes", {})
    if not isinstance(attributes, Mapping):
        message = f"the attributes of a task are a dictionary; found {shown(attributes)}"
        check.error(message, at(path, "attributes"), "a dictionary")
    elif "environment" in attributes:
        _environment(check, attributes["environment"], at(path, "attributes", "environment"))
    for key in task:
        if key not in _TASK:
            check.warn(f"RFC 14 gives no meaning to the key '{key}' of a task", path, *_TASK)


def check_attributes(check: Checker, attributes: object) -> None:
    """RFC 14, Attributes."""
    if not isinstance(attributes, Mapping):
        message = f"attributes is a dictionary; found {shown(attributes)}"
        check.error(message, "attributes", "a dictionary")
        return
    for key, value in attributes.items():
        path = at("attributes", str(key))
        if key not in ("system", "user"):
            message = f"attributes hold only system and user; found '{key}'"
            check.error(message, path, "system", "user")
        elif not isinstance(value, Mapping):
            check.error(f"{key} is a dictionary; found {shown(value)}", path, "a dictionary")
        elif key == "system":
            _system(check, value, path)


def _system(check: Checker, system: Mapping[str, Any], path: str) -> None:
    """The system attributes whose form RFC 14 gives; any other is left alone."""
    for key in ("duration", "preemptible-after"):
        if key in system and not _is_time(system[key]):
            message = f"{key} is a number of seconds, 0 or more; found {shown(system[key])}"
            check.error(message, at(path, key), "0 or more")
    for key in ("cwd", "queue", "bank", "project"):
        if key in system and not isinstance(system[key], str):
            check.error(f"{key} is a string; found {shown(system[key])}", at(path, key), "a string")
    cwd = system.get("cwd")
    if isinstance(cwd, str) and not cwd.startswith("/"):
        check.error(f"cwd is an absolute path; found '{cwd}'", at(path, "cwd"), "/...")
    for key in ("environment", "job", "shell", "files"):
        if key in system and not isinstance(system[key], Mapping):
            message = f"{key} is a dictionary; found {shown(system[key])}"
            check.error(message, at(path, key), "a dictionary")
    if isinstance(system.get("environment"), Mapping):
        _environment(check, system["environment"], at(path, "environment"))
    if isinstance(system.get("job"), Mapping):
        for name, value in system["job"].items():
            if not isinstance(value, str):
                message = f"the values of job are strings; found {shown(value)}"
                check.error(message, at(path, "job", str(name)), "a string")
    if "dependencies" in system:
        _dependencies(check, system["dependencies"], at(path, "dependencies"))
    if "constraints" in system:
        _constraints(check, system["constraints"], at(path, "constraints"))


def _is_time(value: object) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and 0 <= value < math.inf  # type: ignore[operator]


def _environment(check: Checker, environment: object, path: str) -> None:
    """Names with strings, or null to unset."""
    if not isinstance(environment, Mapping):
        message = f"environment is a dictionary; found {shown(environment)}"
        check.error(message, path, "a dictionary")
        return
    for name, value in environment.items():
        if value is not None and not isinstance(value, str):
            message = f"the value of {name} is a string, or null to unset it; found {shown(value)}"
            check.error(message, at(path, str(name)), "a string", "null")


def _dependencies(check: Checker, dependencies: object, path: str) -> None:
    """A list of RFC 26 dictionaries, each with a scheme and a value."""
    if not isinstance(dependencies, list | tuple):
        message = f"dependencies is a list; found {shown(dependencies)}"
        check.error(message, path, "a list")
        return
    for number, entry in enumerate(dependencies):
        here = at(path, number)
        if not isinstance(entry, Mapping):
            check.error(f"a dependency is a dictionary; found {shown(entry)}", here, "a dictionary")
            continue
        for key in ("scheme", "value"):
            if not isinstance(entry.get(key), str):
                found = shown(entry[key]) if key in entry else "nothing"
                message = f"a dependency has a {key}, which is a string; found {found}"
                check.error(message, at(here, key), "a string")


def _constraints(check: Checker, constraints: object, path: str) -> None:
    """What RFC 31 says of the form; the words in it are judged where they meet a cluster."""
    from fluxtui.model.constraint import tree

    if not isinstance(constraints, Mapping):
        message = f"constraints is a dictionary; found {shown(constraints)}"
        check.error(message, path, "a dictionary")
        return
    for problem in tree.read(constraints, path).problems:
        # What a property may be called is RFC 20's matter, and no reason to refuse a jobspec.
        severity = "warning" if problem.rule == "RFC 20" else problem.severity
        check.problems.append(problem._replace(severity=severity))


def check_v1_program(check: Checker, jobspec: Mapping[str, Any]) -> None:
    """What RFC 25 asks of the rest of a jobspec beyond RFC 14."""
    version = jobspec.get("version")
    if "version" in jobspec and not (is_whole(version) and version == 1):
        check.error(f"V1 has version 1; found {shown(version)}", "version", "1")
    tasks = jobspec.get("tasks")
    if isinstance(tasks, list | tuple):
        if len(tasks) > 1:
            check.error(f"V1 has exactly one task; found {len(tasks)}", "tasks", "one task")
        counts = [
            (number, task["count"])
            for number, task in enumerate(tasks)
            if isinstance(task, Mapping) and isinstance(task.get("count"), Mapping)
        ]
        sizes = _Sizes()
        if any("total" in count for _, count in counts):
            sizes = _sizes(jobspec.get("resources"))
        for number, count in counts:
            _v1_task_count(check, count, at("tasks", number, "count"), sizes)
    attributes = jobspec.get("attributes")
    if not isinstance(attributes, Mapping):
        return
    if "system" not in attributes:
        message = "V1 needs attributes.system, with at least a duration"
        check.error(message, "attributes", "system")
    elif isinstance(attributes["system"], Mapping) and "duration" not in attributes["system"]:
        message = "V1 needs a duration; 0 leaves it to the queue"
        check.error(message, at("attributes", "system"), "duration")


class _Sizes(NamedTuple):
    """The counts of the last node and of the last slot of a request; None where there is none."""

    nodes: int | None = None
    slots: int | None = None


def _sizes(resources: object) -> _Sizes:
    nodes = slot = None
    for _, vertex, _ in walk(resources):
        if isinstance(vertex, Mapping) and is_whole(vertex.get("count")):
            if vertex.get("type") == "node":
                nodes = vertex["count"]
            elif vertex.get("type") == "slot":
                slot = vertex["count"]
    return _Sizes(nodes, slot)


def _v1_task_count(check: Checker, count: Mapping[str, Any], path: str, sizes: _Sizes) -> None:
    """per_slot is one, total stands between the nodes and the slots, per_resource is not known."""
    if "per_resource" in count:
        check.error("V1 knows only per_slot and total; found per_resource", path, "per_slot: 1")
    if is_whole(count.get("per_slot")) and count["per_slot"] != 1:
        message = f"per_slot is 1 in V1; found {count['per_slot']}"
        check.error(message, at(path, "per_slot"), "1")
    if is_whole(count.get("total")):
        _total(check, count["total"], at(path, "total"), sizes)


def _total(check: Checker, total: int, path: str, sizes: _Sizes) -> None:
    """Only a warning: a use case of RFC 25 itself asks for more tasks than its slot counts."""
    nodes, slot = sizes
    if slot is not None and total > slot:
        message = f"RFC 25 wants total to be at most the count of the slot, {slot}; found {total}"
        check.warn(message, path, f"at most {slot}")
    elif nodes is not None and total < nodes:
        message = f"RFC 25 wants total to be at least the number of nodes, {nodes}; found {total}"
        check.warn(message, path, f"at least {nodes}")
