"""Check the ``tasks`` and ``attributes`` of a jobspec by RFC 14."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any

from fluxtui.model.documents.report import Report
from fluxtui.model.jobspec.request import RequestVertex, ResourceRequest
from fluxtui.notation.json_value import is_whole, shown
from fluxtui.notation.problem import at

#: At most this many labels or types of a document are suggested.
NAMED = 20

#: The keys of a task; the first three are required.
TASK_KEYS = ("command", "slot", "count", "attributes", "distribution")

#: The system attributes that RFC 14 and flux-core know.
SYSTEM_KEYS = (
    "duration", "preemptible-after", "cwd", "environment", "queue", "bank", "project",
    "dependencies", "constraints", "job", "shell", "files",
)  # fmt: skip

_COUNTS = ("per_slot", "per_resource", "total")
_CONSTRAINT_CODES = {
    "RFC 20": "property-name",
    "RFC 22": "constraint-nodes",
    "RFC 29": "constraint-nodes",
}


def check_tasks(report: Report, tasks: object, request: ResourceRequest) -> None:
    """Check the tasks (RFC 14, Tasks); each runs in a slot of the request."""
    if not report.is_list(tasks, "tasks", "tasks", "tasks-not-list"):
        return
    if not tasks:
        message = "tasks holds at least one task; it is empty"
        report.error(message, "tasks", "a task", code="tasks-empty")
    types_in = cache(_types_in)  # many tasks may run in one slot
    for number, task in enumerate(tasks):
        path = at("tasks", number)
        if not report.is_dictionary(task, "a task", path, "task-not-dictionary"):
            continue
        for key in TASK_KEYS[:3]:
            if key not in task:
                report.error(f"a task needs its {key}", path, key, code=f"task-{key}-missing")
        if "command" in task:
            check_command(report, task["command"], at(path, "command"))
        label = task.get("slot")
        slot = request.slot(label)
        if "slot" in task and slot is None:
            where, labels = at(path, "slot"), list(islice(request.by_label, NAMED))
            if not isinstance(label, str):
                what = "slot is the label of a slot"
                report.wrong(what, label, where, *labels, code="task-slot-not-string")
            elif labels:
                message = f"no slot has the label '{label}'"
                report.error(message, where, *labels, code="task-slot-unknown")
            else:
                report.error("the resources hold no slot", where, code="slot-missing")
        if "count" in task:
            _task_count(report, task["count"], at(path, "count"), slot, types_in)
        if "distribution" in task:
            where, code = at(path, "distribution"), "distribution-not-string"
            report.is_string(task["distribution"], "distribution", where, code)
        attributes = task_attributes(report, task, path)
        if "environment" in attributes:
            _environment(report, attributes["environment"], at(path, "attributes", "environment"))
        for key in task:
            if key not in TASK_KEYS:
                message = f"RFC 14 gives no meaning to the key '{key}' of a task"
                report.warning(message, path, *TASK_KEYS, code="task-key-unknown")


def task_attributes(report: Report, task: Mapping[str, Any], path: str) -> Mapping[str, Any]:
    """Return the attributes of a task; empty if it has none, or if they are not a dictionary."""
    found, code = task.get("attributes", {}), "task-attributes-not-dictionary"
    if isinstance(found, Mapping):
        return found
    what = "the attributes of a task are a dictionary"
    report.wrong(what, found, at(path, "attributes"), "a dictionary", code=code)
    return {}


def check_command(report: Report, command: object, path: str) -> None:
    """Check that a command is a list of strings with at least a program (RFC 14, flux-core)."""
    if not isinstance(command, list | tuple):
        what = "command is a list of a program and its arguments"
        report.wrong(what, command, path, "a list of strings", code="command-not-list")
    elif not command:
        message = "command names at least a program; it is empty"
        report.error(message, path, "a program", code="command-empty")
    for number, word in enumerate(command if isinstance(command, list | tuple) else ()):
        if not isinstance(word, str):
            what, code = "the words of a command are strings", "command-word-not-string"
            report.wrong(what, word, at(path, number), "a string", code=code)


def _types_in(slot: RequestVertex) -> dict[str, None]:
    """Return the distinct types in a slot, in order; types that are not strings as text."""
    inside = (vertex for vertex in slot.below() if vertex.is_readable)
    return dict.fromkeys(str(vertex.fields.get("type")) for vertex in inside)


def _task_count(
    report: Report,
    count: object,
    path: str,
    slot: RequestVertex | None,
    types_in: Callable[[RequestVertex], dict[str, None]],
) -> None:
    if not isinstance(count, Mapping):
        what, code = "the count of a task is a dictionary", "task-count-not-dictionary"
        report.wrong(what, count, path, *_COUNTS, code=code)
        return
    if len(count) != 1 or next(iter(count)) not in _COUNTS:
        found = ", ".join(f"'{key}'" for key in count) or "nothing"
        message = f"the count of a task is one of per_slot, per_resource and total; found {found}"
        report.error(message, path, *_COUNTS, code="task-count-keys")
        return
    key, value = next(iter(count.items()))
    path = at(path, key)
    if key == "per_resource" and not isinstance(value, Mapping):
        what, code = "per_resource is a dictionary of type and count", "per-resource-not-dictionary"
        report.wrong(what, value, path, "type", "count", code=code)
        return
    number, name, where = value, key, path
    if key == "per_resource":
        number, name, where = value.get("count"), "count", at(path, "count")
    if not is_whole(number):
        what = f"{name} is a whole number of 1 or more"
        report.wrong(what, number, where, "1 or more", code="task-count-not-number")
    if key == "per_resource":
        kind, where = value.get("type"), at(path, "type")
        is_string = report.is_string(kind, "type", where, "per-resource-type-not-string")
        if is_string and slot is not None and kind not in (there := types_in(slot)):
            message, code = f"the slot '{slot.label}' holds no {kind}", "per-resource-type-unknown"
            report.error(message, where, *islice(there, NAMED), code=code)


def check_attributes(report: Report, attributes: object) -> None:
    """Check the attributes of a jobspec (RFC 14, Attributes)."""
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
    """Check the system attributes that RFC 14 specifies; others are ignored."""
    for key in ("duration", "preemptible-after"):
        time = system.get(key, 0)
        if isinstance(time, bool) or not isinstance(time, int | float) or not 0 <= time < math.inf:
            what, code = f"{key} is a number of seconds, 0 or more", f"{key}-not-seconds"
            report.wrong(what, time, at(path, key), "0 or more", code=code)
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
                where, code = at(path, "job", str(name)), "job-value-not-string"
                report.wrong("the values of job are strings", value, where, "a string", code=code)
    if "dependencies" in system:
        list(check_dependencies(report, system["dependencies"], at(path, "dependencies")))
    if "constraints" in system:
        _constraints(report, system["constraints"], at(path, "constraints"))


def _environment(report: Report, environment: object, path: str) -> None:
    code = "environment-not-dictionary"
    if not report.is_dictionary(environment, "environment", path, code):
        return
    for name, value in environment.items():
        if value is not None and not isinstance(value, str):
            what = f"the value of {name} is a string, or null to unset it"
            where, code = at(path, str(name)), "environment-value-not-string"
            report.wrong(what, value, where, "a string", "null", code=code)


def check_dependencies(
    report: Report, dependencies: object, path: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Check a list of RFC 26 dictionaries, each with a scheme and a value (RFC 14, flux-core).

    Yields the path and the dictionary of each entry that has both.
    """
    if not report.is_list(dependencies, "dependencies", path, "dependencies-not-list"):
        return
    for number, entry in enumerate(dependencies):
        here = at(path, number)
        if not report.is_dictionary(entry, "a dependency", here, "dependency-not-dictionary"):
            continue
        missing = [key for key in ("scheme", "value") if not isinstance(entry.get(key), str)]
        for key in missing:
            found = shown(entry[key]) if key in entry else "nothing"
            message = f"a dependency has a {key}, which is a string; found {found}"
            report.error(message, at(here, key), "a string", code=f"dependency-{key}")
        if not missing:
            yield here, entry


def _constraints(report: Report, constraints: object, path: str) -> None:
    """Check the form by RFC 31; the names in it are checked only against a cluster."""
    from fluxtui.model.constraint import tree

    if not report.is_dictionary(constraints, "constraints", path, "constraint-invalid"):
        return
    for problem in tree.read(constraints, path).problems:
        # Legal property names are a matter of RFC 20, and no reason to reject a jobspec.
        severity = "warning" if problem.rule == "RFC 20" else problem.severity
        code = _CONSTRAINT_CODES.get(problem.rule, "constraint-invalid")
        report.add(replace(problem, severity=severity, code=code))
