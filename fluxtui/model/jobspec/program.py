"""What RFC 14 asks of the ``tasks`` and ``attributes`` of a jobspec."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from fluxtui.model.documents.json_value import is_whole, shown
from fluxtui.model.documents.report import Report
from fluxtui.model.jobspec.request import RequestVertex, ResourceRequest
from fluxtui.notation.problem import at

#: Labels and types that are named of those that a document has.
NAMED = 20

_COUNTS = ("per_slot", "per_resource", "total")
_CONSTRAINT_CODES = {
    "RFC 20": "property-name",
    "RFC 22": "constraint-nodes",
    "RFC 29": "constraint-nodes",
}
_TASK = ("command", "slot", "count", "attributes", "distribution")


def check_tasks(report: Report, tasks: object, request: ResourceRequest) -> None:
    """RFC 14, Tasks: each runs in a slot of the request."""
    if not report.is_list(tasks, "tasks", "tasks", "tasks-not-list"):
        return
    if not tasks:
        message = "tasks holds at least one task; it is empty"
        report.error(message, "tasks", "a task", code="tasks-empty")
    types = _Types()
    for number, task in enumerate(tasks):
        path = at("tasks", number)
        if not report.is_dictionary(task, "a task", path, "task-not-dictionary"):
            continue
        for key in ("command", "slot", "count"):
            if key not in task:
                report.error(f"a task needs its {key}", path, key, code=f"task-{key}-missing")
        check_command(report, task.get("command", ["app"]), at(path, "command"))
        slot = _slot(report, task, path, request)
        if "count" in task:
            _task_count(report, task["count"], at(path, "count"), slot, types)
        _task_extras(report, task, path)


def check_command(report: Report, command: object, path: str) -> None:
    """RFC 14 and flux-core: the program and its arguments, as strings in a list."""
    if not isinstance(command, list | tuple):
        message = f"command is a list of a program and its arguments; found {shown(command)}"
        report.error(message, path, "a list of strings", code="command-not-list")
    elif not command:
        message = "command names at least a program; it is empty"
        report.error(message, path, "a program", code="command-empty")
    else:
        for number, word in enumerate(command):
            if not isinstance(word, str):
                message = f"the words of a command are strings; found {shown(word)}"
                report.error(message, at(path, number), "a string", code="command-word-not-string")


def _slot(
    report: Report, task: Mapping[str, Any], path: str, request: ResourceRequest
) -> RequestVertex | None:
    """The slot a task runs in, which it names by its label."""
    if "slot" not in task:
        return None
    label, labels = task["slot"], request.by_label
    path = at(path, "slot")
    slot = request.slot(label)
    if not isinstance(label, str):
        message, code = f"slot is the label of a slot; found {shown(label)}", "task-slot-not-string"
        report.error(message, path, *islice(labels, NAMED), code=code)
    elif slot is None and labels:
        message = f"no slot has the label '{label}'"
        report.error(message, path, *islice(labels, NAMED), code="task-slot-unknown")
    elif slot is None:
        report.error("the resources hold no slot", path, code="slot-missing")
    return slot


class _Types:
    """The types of the resources in each slot, found once for all tasks that name it."""

    def __init__(self) -> None:
        self._found: dict[RequestVertex, dict[str, None]] = {}

    def of(self, slot: RequestVertex) -> dict[str, None]:
        """The types, each once, in order; what is not a string by its Python text."""
        if slot not in self._found:
            inside = (vertex for vertex in slot.below() if vertex.is_readable)
            self._found[slot] = dict.fromkeys(str(vertex.fields.get("type")) for vertex in inside)
        return self._found[slot]


def _task_count(
    report: Report, count: object, path: str, slot: RequestVertex | None, types: _Types
) -> None:
    """Exactly one of per_slot, per_resource and total."""
    if not isinstance(count, Mapping):
        message = f"the count of a task is a dictionary; found {shown(count)}"
        report.error(message, path, *_COUNTS, code="task-count-not-dictionary")
        return
    if len(count) != 1 or next(iter(count)) not in _COUNTS:
        found = ", ".join(map(str, count)) or "nothing"
        message = f"the count of a task is one of per_slot, per_resource and total; found {found}"
        report.error(message, path, *_COUNTS, code="task-count-keys")
        return
    key, value = next(iter(count.items()))
    if key == "per_resource":
        _per_resource(report, value, at(path, key), slot, types)
    elif not is_whole(value):
        message = f"{key} is a whole number of 1 or more; found {shown(value)}"
        report.error(message, at(path, key), "1 or more", code="task-count-not-number")


def _per_resource(
    report: Report, value: object, path: str, slot: RequestVertex | None, types: _Types
) -> None:
    """per_resource names a type within the slot of its task, and a number."""
    if not isinstance(value, Mapping):
        message = f"per_resource is a dictionary of type and count; found {shown(value)}"
        report.error(message, path, "type", "count", code="per-resource-not-dictionary")
        return
    if not is_whole(value.get("count")):
        message = f"count is a whole number of 1 or more; found {shown(value.get('count'))}"
        report.error(message, at(path, "count"), "1 or more", code="task-count-not-number")
    kind, where = value.get("type"), at(path, "type")
    if not report.is_string(kind, "type", where, "per-resource-type-not-string"):
        return
    if slot is not None and kind not in (there := types.of(slot)):
        message = f"the slot '{slot.label}' holds no {kind}"
        code = "per-resource-type-unknown"
        report.error(message, where, *islice(there, NAMED), code=code)


def _task_extras(report: Report, task: Mapping[str, Any], path: str) -> None:
    if "distribution" in task:
        where, code = at(path, "distribution"), "distribution-not-string"
        report.is_string(task["distribution"], "distribution", where, code)
    attributes = task.get("attributes", {})
    if not isinstance(attributes, Mapping):
        message = f"the attributes of a task are a dictionary; found {shown(attributes)}"
        code = "task-attributes-not-dictionary"
        report.error(message, at(path, "attributes"), "a dictionary", code=code)
    elif "environment" in attributes:
        _environment(report, attributes["environment"], at(path, "attributes", "environment"))
    for key in task:
        if key not in _TASK:
            message = f"RFC 14 gives no meaning to the key '{key}' of a task"
            report.warning(message, path, *_TASK, code="task-key-unknown")


def check_attributes(report: Report, attributes: object) -> None:
    """RFC 14, Attributes."""
    code = "attributes-not-dictionary"
    if not report.is_dictionary(attributes, "attributes", "attributes", code):
        return
    for key, value in attributes.items():
        path = at("attributes", str(key))
        if key not in ("system", "user"):
            message = f"attributes hold only system and user; found '{key}'"
            report.error(message, path, "system", "user", code="attribute-unknown")
        elif report.is_dictionary(value, key, path, f"{key}-not-dictionary") and key == "system":
            _system(report, value, path)


def _system(report: Report, system: Mapping[str, Any], path: str) -> None:
    """The system attributes whose form RFC 14 gives; any other is left alone."""
    for key in ("duration", "preemptible-after"):
        if key in system and not _is_time(system[key]):
            message = f"{key} is a number of seconds, 0 or more; found {shown(system[key])}"
            report.error(message, at(path, key), "0 or more", code=f"{key}-not-seconds")
    for key in ("cwd", "queue", "bank", "project"):
        if key in system:
            report.is_string(system[key], key, at(path, key), f"{key}-not-string")
    cwd = system.get("cwd")
    if isinstance(cwd, str) and not cwd.startswith("/"):
        message = f"cwd is an absolute path; found '{cwd}'"
        report.error(message, at(path, "cwd"), "/...", code="cwd-relative")
    for key in ("environment", "job", "shell", "files"):
        if key in system:
            report.is_dictionary(system[key], key, at(path, key), f"{key}-not-dictionary")
    if isinstance(system.get("environment"), Mapping):
        _environment(report, system["environment"], at(path, "environment"))
    if isinstance(system.get("job"), Mapping):
        for name, value in system["job"].items():
            if not isinstance(value, str):
                message = f"the values of job are strings; found {shown(value)}"
                where = at(path, "job", str(name))
                report.error(message, where, "a string", code="job-value-not-string")
    if "dependencies" in system:
        list(check_dependencies(report, system["dependencies"], at(path, "dependencies")))
    if "constraints" in system:
        _constraints(report, system["constraints"], at(path, "constraints"))


def _is_time(value: object) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and 0 <= value < math.inf  # type: ignore[operator]


def _environment(report: Report, environment: object, path: str) -> None:
    """Names with strings, or null to unset."""
    code = "environment-not-dictionary"
    if not report.is_dictionary(environment, "environment", path, code):
        return
    for name, value in environment.items():
        if value is not None and not isinstance(value, str):
            message = f"the value of {name} is a string, or null to unset it; found {shown(value)}"
            where = at(path, str(name))
            report.error(message, where, "a string", "null", code="environment-value-not-string")


def check_dependencies(
    report: Report, dependencies: object, path: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """RFC 14 and flux-core: a list of RFC 26 dictionaries, each with a scheme and a value.

    Gives the path and the dictionary of each entry that has both.
    """
    if not report.is_list(dependencies, "dependencies", path, "dependencies-not-list"):
        return
    for number, entry in enumerate(dependencies):
        here = at(path, number)
        code = "dependency-not-dictionary"
        if not report.is_dictionary(entry, "a dependency", here, code):
            continue
        missing = [key for key in ("scheme", "value") if not isinstance(entry.get(key), str)]
        for key in missing:
            found = shown(entry[key]) if key in entry else "nothing"
            message = f"a dependency has a {key}, which is a string; found {found}"
            report.error(message, at(here, key), "a string", code=f"dependency-{key}")
        if not missing:
            yield here, entry


def _constraints(report: Report, constraints: object, path: str) -> None:
    """What RFC 31 says of the form; the words in it are checked where they meet a cluster."""
    from fluxtui.model.constraint import tree

    if not report.is_dictionary(constraints, "constraints", path, "constraint-invalid"):
        return
    for problem in tree.read(constraints, path).problems:
        # What a property may be called is RFC 20's matter, and no reason to refuse a jobspec.
        severity = "warning" if problem.rule == "RFC 20" else problem.severity
        code = _CONSTRAINT_CODES.get(problem.rule, "constraint-invalid")
        report.add(replace(problem, severity=severity, code=code))
