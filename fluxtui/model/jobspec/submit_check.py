"""Whether flux-core accepts a jobspec: what it refuses when a job is submitted.

No RFC says this. It is what flux-core 0.88 does: its ``jobspec`` validator, which is stricter than
RFC 14 and laxer than RFC 25, and what its job manager asks of a duration, a queue and dependencies.
What depends on the instance is left out: its queues, limits and hosts, and the jobs it knows.
"""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from fluxtui.model.documents.json_value import shown
from fluxtui.model.jobspec import submit_attributes
from fluxtui.model.jobspec.jobspec import KEYS
from fluxtui.model.jobspec.program import check_command
from fluxtui.model.jobspec.request import (
    MAX_INTEGER,
    MAX_LEVELS,
    ROOT,
    RequestVertex,
    ResourceRequest,
    parse,
)
from fluxtui.model.jobspec.submit_attributes import Notes
from fluxtui.notation import count as counts
from fluxtui.notation.problem import Problem, at, printable

# The types of which flux-core wants at least one; of any other there may be none.
_AT_LEAST_ONE = ("node", "slot", "core")

_TASK_COUNTS = ("per_slot", "total", "per_resource")

_MIN_INTEGER = -(2**63)

# Levels of lists and dictionaries that can be sent.
_MAX_JSON_LEVELS = 980

# What a JSON text that flux-core refuses has in it, and few others have.
_SUSPECT = re.compile(r"[0-9]{19}|\\u0000|\\ud")


def check(document: object, request: ResourceRequest | None = None) -> tuple[Problem, ...]:
    """Why flux-core would refuse this jobspec; empty if it accepts it.

    request is its resources, from whoever has parsed them already.

    The problems come in the order in which flux-core would find them, so the first one is what it
    says. Each has the path of the key or vertex that causes it, and ``flux-core`` for its rule.
    """
    notes = Notes()
    if not isinstance(document, Mapping):
        _values(notes, document)
        message = f"a jobspec is a dictionary; found {shown(document)}"
        notes.second.error(message, "", *KEYS, code="jobspec-not-dictionary")
        return notes.problems
    resources = document.get("resources")
    request = parse(resources) if request is None else request
    if request.is_plain:  # flux-core accepts it, and its values need no look
        resources = []
    _values(notes, {**document, "resources": resources})
    _top(notes, document)
    if "resources" in document and not request.is_plain:
        _resources(notes, request)
    if "tasks" in document:
        _tasks(notes, document["tasks"])
    if "attributes" in document:
        _attributes(notes, document["attributes"])
    return notes.problems


def _top(notes: Notes, document: Mapping[str, Any]) -> None:
    """The four keys, all of them and no other, and the version."""
    for key in KEYS:
        if key not in document:
            message = f"flux-core wants the {key} of a jobspec, which is missing"
            notes.first.error(message, "", key, code=f"{key}-missing")
    for key in document:
        if key not in KEYS:
            message = "flux-core takes no keys but the four of a jobspec; found "
            message += f"'{printable(str(key))}'"
            notes.first.error(message, at("", str(key)), *KEYS, code="jobspec-key-unknown")
    version = document.get("version", 1)
    if version != 1:
        message = f"flux-core takes only version 1; found {shown(version)}"
        notes.first.error(message, "version", "1", code="flux-version")
    elif not isinstance(version, int):
        message = f"version is a whole number; found {shown(version)}"
        notes.first.error(message, "version", "1", code="flux-version")


def _resources(notes: Notes, request: ResourceRequest) -> None:
    """All vertices, parents first."""
    if not request.is_list:
        # A string passes for a list of its characters, and an empty one has nothing to refuse.
        if request.raw != "":
            notes.first.is_list(request.raw, "resources", ROOT, "resources-not-list")
        return
    for vertex in request.walk():
        code = "resource-not-dictionary"
        if not notes.second.is_dictionary(vertex.raw, "a resource", vertex.path, code):
            continue
        _vertex(notes, vertex)
        inner = vertex.fields.get("with", [])
        if not isinstance(inner, list | tuple):
            if inner not in ("", {}):  # which hold as much as an empty list
                message = f"with is a list of resources; found {shown(inner)}"
                notes.second.error(message, vertex.path_of("with"), "a list", code="with-not-list")
        elif inner and not vertex.children:
            message = f"flux-core's validator fails at more than {MAX_LEVELS} levels of resources"
            notes.second.error(message, vertex.path_of("with"), code="resources-too-deep")


def _vertex(notes: Notes, vertex: RequestVertex) -> None:
    """The keys of one vertex; flux-core looks at these and takes any others."""
    fields, note = vertex.fields, notes.second.error
    if "type" not in fields:
        message = "flux-core wants the type of a resource, which is missing"
        note(message, vertex.path, "type", code="type-missing")
    elif vertex.type is None:
        notes.second.is_string(fields["type"], "a type", vertex.path_of("type"), "type-not-string")
    if vertex.number is None:
        _count(notes, vertex)
    for key in ("id", "unit", "label"):
        if key in fields:
            notes.second.is_string(fields[key], key, vertex.path_of(key), f"{key}-not-string")
    if "exclusive" in fields and fields["exclusive"] not in (True, False):
        message = f"exclusive is true or false; found {shown(fields['exclusive'])}"
        note(message, vertex.path_of("exclusive"), "true", "false", code="exclusive-not-boolean")
    if vertex.is_slot and "label" not in fields:
        message = "flux-core wants the label of a slot, which is missing"
        note(message, vertex.path, "label", code="slot-label-missing")


def _count(notes: Notes, vertex: RequestVertex) -> None:
    """A count that is not plainly 1 or more."""
    name = printable(vertex.type or "resource")
    if "count" not in vertex.fields:
        message = f"flux-core wants the count of a {name}, which is missing"
        notes.second.error(message, vertex.path, "count", code="count-missing")
        return
    count, path = vertex.fields["count"], vertex.path_of("count")
    if isinstance(count, int):
        if count < 1 and vertex.type in _AT_LEAST_ONE:
            message = f"flux-core wants 1 or more of a {name}; found {shown(count)}"
            notes.second.error(message, path, "1 or more", code="flux-count-zero")
        elif count < 0:
            message = f"a count is not below 0; found {shown(count)}"
            notes.second.error(message, path, "0 or more", code="flux-count-zero")
        return
    found = shown(count) if vertex.count is None else counts.describe(vertex.count)
    found = f"'{printable(count[:40])}'" if isinstance(count, str) else found
    # A text or range that RFC 14 does not know is refused at once, any other one at the end.
    refused_in = notes.second if vertex.count is None else notes.last
    message = f"flux-core takes only a whole number for a count; found {found}"
    refused_in.error(message, path, "a number", code="flux-count")


def _tasks(notes: Notes, tasks: object) -> None:
    """Any number of tasks; flux-core does not ask whether their slots exist."""
    note = notes.second.error
    if not isinstance(tasks, list | tuple):
        # A string passes for a list of its characters, and an empty one has nothing to refuse.
        if tasks != "":
            notes.first.is_list(tasks, "tasks", "tasks", "tasks-not-list")
        return
    for number, task in enumerate(tasks):
        path = at("tasks", number)
        if not notes.second.is_dictionary(task, "a task", path, "task-not-dictionary"):
            continue
        for key in ("command", "slot", "count"):
            if key not in task:
                message = f"flux-core wants the {key} of a task, which is missing"
                note(message, path, key, code=f"task-{key}-missing")
        if "count" in task:
            _task_count(notes, task["count"], at(path, "count"))
        if "slot" in task and not isinstance(task["slot"], str):
            message = f"slot is the label of a slot; found {shown(task['slot'])}"
            note(message, at(path, "slot"), "a string", code="task-slot-not-string")
        if "attributes" in task and not isinstance(task["attributes"], Mapping):
            found = shown(task["attributes"])
            message = f"the attributes of a task are a dictionary; found {found}"
            code = "task-attributes-not-dictionary"
            note(message, at(path, "attributes"), "a dictionary", code=code)
        if "command" in task:
            check_command(notes.second, task["command"], at(path, "command"))


def _task_count(notes: Notes, count: object, path: str) -> None:
    """One key: per_slot or total, with a number. RFC 14's per_resource is refused at the end."""
    if not isinstance(count, Mapping):
        message = f"the count of a task is a dictionary; found {shown(count)}"
        notes.second.error(message, path, *_TASK_COUNTS[:2], code="task-count-not-dictionary")
        return
    key = next(iter(count), None)
    if len(count) != 1 or key not in _TASK_COUNTS:
        found = ", ".join(printable(str(key)) for key in count) or "nothing"
        message = f"the count of a task is either per_slot or total; found {found}"
        notes.second.error(message, path, *_TASK_COUNTS[:2], code="task-count-keys")
    elif key == "per_resource":
        message = "flux-core takes only per_slot and total; found per_resource"
        notes.last.error(message, path, *_TASK_COUNTS[:2], code="flux-per-resource")
    elif not isinstance(count[key], int) or count[key] <= 0:
        message = f"{key} is a whole number of 1 or more; found {shown(count[key])}"
        notes.second.error(message, at(path, key), "1 or more", code="task-count-not-number")


def _attributes(notes: Notes, attributes: object) -> None:
    """Only system and user; what is in user is free."""
    code = "attributes-not-dictionary"
    if not notes.first.is_dictionary(attributes, "attributes", "attributes", code):
        return
    for key in attributes:
        if key not in ("system", "user"):
            message = f"attributes hold only system and user; found '{printable(str(key))}'"
            path = at("attributes", str(key))
            notes.second.error(message, path, "system", "user", code="attribute-unknown")
    if "system" not in attributes:
        message = "flux-core wants attributes.system, with at least a duration"
        notes.last.error(message, "attributes", "system", code="duration-missing")
        return
    system, path = attributes["system"], at("attributes", "system")
    if notes.second.is_dictionary(system, "system", path, "system-not-dictionary"):
        _system(notes, system, path)


def _system(notes: Notes, system: Mapping[str, Any], path: str) -> None:
    """The attributes that flux-core looks at; it stores all others as they are."""
    if "dependencies" in system:
        submit_attributes.check_dependencies(notes, system, path)
    if "constraints" in system:
        where = at(path, "constraints")
        submit_attributes.check_constraint(notes, system["constraints"], where)
    if "duration" not in system:
        message = "flux-core wants a duration; 0 leaves it to the queue"
        notes.last.error(message, path, "duration", code="duration-missing")
    else:
        duration = system["duration"]
        # Its validator takes true for a number, its job manager does not.
        if isinstance(duration, bool) or not isinstance(duration, int | float):
            message = f"duration is a number of seconds; found {shown(duration)}"
            where = at(path, "duration")
            notes.last.error(message, where, "a number", code="duration-not-seconds")
    if "queue" in system and not isinstance(system["queue"], str):
        message = f"queue is the name of a queue; found {shown(system['queue'])}"
        notes.last.error(message, at(path, "queue"), "a string", code="queue-not-string")


def _values(notes: Notes, value: object) -> None:
    """Note each value that is not JSON, or that flux-core's JSON reader refuses.

    Those are numbers beyond 64 bits or without end, and NUL characters in strings.
    """
    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        text = None
    if text is not None and not _SUSPECT.search(text):
        return
    stack: list[tuple[Any, str, int]] = [(value, "", 1)]
    while stack:
        value, path, level = stack.pop()
        if isinstance(value, Mapping):
            found = [(value[key], at(path, str(key)), level + 1) for key in value]
            for key in value:
                _text(notes, str(key), at(path, str(key)), "a key")
        elif isinstance(value, list | tuple):
            found = [(item, at(path, number), level + 1) for number, item in enumerate(value)]
        else:
            _scalar(notes, value, path)
            continue
        if level > _MAX_JSON_LEVELS:
            message = f"more than {_MAX_JSON_LEVELS} levels cannot be sent to flux-core"
            notes.first.error(message, path, code="value-not-json")
        else:
            stack.extend(reversed(found))


def _scalar(notes: Notes, value: object, path: str) -> None:
    """One value that holds no others."""
    if value is None or isinstance(value, bool):
        return
    if isinstance(value, int):
        if not _MIN_INTEGER <= value <= MAX_INTEGER:
            message = "flux-core reads whole numbers of up to 64 bits; this one is larger"
            notes.first.error(message, path, f"at most {MAX_INTEGER}", code="value-not-json")
    elif isinstance(value, float):
        if not math.isfinite(value):
            message = f"flux-core reads JSON, which has no number {value}"
            notes.first.error(message, path, "a finite number", code="value-not-json")
    elif isinstance(value, str):
        _text(notes, value, path, "a string")
    else:
        message = f"flux-core reads JSON, which has no form for {shown(value)}"
        notes.first.error(message, path, "a string", "a number", code="value-not-json")


def _text(notes: Notes, text: str, path: str, what: str) -> None:
    if "\0" in text:
        message = f"flux-core refuses {what} with a NUL character"
        notes.first.error(message, path, code="value-not-json")
        return
    try:
        text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        message = f"flux-core refuses {what} with half of a character"
        notes.first.error(message, path, code="value-not-json")
