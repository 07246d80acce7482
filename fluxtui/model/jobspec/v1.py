"""What RFC 25 (jobspec version 1) asks of a jobspec beyond RFC 14.

Where the prose and the JSON Schema of RFC 25 differ, the prose counts: a node may be exclusive
and a slot may not, and any vertex may have a label. The rule on ``total`` gives warnings only,
since a use case of the RFC breaks it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from fluxtui.model.documents.report import Report
from fluxtui.model.jobspec.request import KEYS, MAX_PROBLEMS, ROOT, RequestVertex, ResourceRequest
from fluxtui.model.jobspec.words import count_words
from fluxtui.notation.json_value import is_whole
from fluxtui.notation.problem import Problem, at

V1 = "RFC 25"


def check_resources(request: ResourceRequest) -> tuple[Problem, ...]:
    """Why RFC 25 refuses a request beyond RFC 14: it allows node over slot, or slot alone."""
    report = Report(V1, MAX_PROBLEMS)
    if len(request.roots) > 1:
        message = "V1 wants exactly one resource at the top, node or slot; found "
        message += str(len(request.roots))
        report.error(message, ROOT, "node", "slot", code="v1-one-resource")
    for vertex in request.roots:
        if vertex.type == "slot":
            _slot(report, vertex)
        elif vertex.type == "node":
            _fields(report, vertex)
            slots = 0
            for child in vertex.children:
                if child.type == "slot":
                    slots += 1
                    _slot(report, child)
                elif child.type is not None:
                    message = f"RFC 25 allows only slot under node; found {child.type}"
                    report.error(message, child.path, "slot", code="v1-type")
            if slots > 1 or not any(child.is_readable for child in vertex.children):
                message = f"a node holds exactly one slot in V1; found {slots or 'none'}"
                where = vertex.path_of("with") if slots else vertex.path
                report.error(message, where, "slot", code="v1-one-slot")
        elif vertex.type is not None:
            message = f"RFC 25 allows only node or slot at the top; found {vertex.type}"
            report.error(message, vertex.path, "node", "slot", code="v1-type")
    return report.problems


def refusals(request: ResourceRequest) -> tuple[Problem, ...]:
    """Why RFC 25 refuses a request: what it asks beyond RFC 14, then what RFC 14 asks elsewhere."""
    return both(check_resources(request), request.errors)


def both(v1: Sequence[Problem], canonical: Sequence[Problem]) -> tuple[Problem, ...]:
    """What V1 refuses, and what RFC 14 refuses at paths that V1 has not named already."""
    named = {problem.path for problem in v1 if problem.many == 1}
    return (*v1, *(problem for problem in canonical if problem.path not in named))


def _slot(report: Report, slot: RequestVertex) -> None:
    _fields(report, slot)
    kinds: list[str] = []
    for child in slot.children:
        kind = child.type
        if kind is None:
            continue
        if kind not in ("core", "gpu"):
            message = f"RFC 25 allows only core and gpu in a slot; found {kind}"
            report.error(message, child.path, "core", code="v1-type")
            continue
        kinds.append(kind)
        if kinds.count(kind) == 2:
            report.error(f"a slot names {kind} once in V1", child.path, code="v1-type-repeated")
        _fields(report, child)
        if "with" in child.fields:
            message = f"RFC 25 allows nothing under {kind}"
            report.error(message, child.path_of("with"), code="v1-leaf")
    if "core" not in kinds:
        report.error("a slot needs a core in V1", slot.path, "core", code="v1-core-missing")


def _fields(report: Report, vertex: RequestVertex) -> None:
    """The count of a vertex in V1, which is one number, and its keys."""
    fields = vertex.fields
    if "count" in fields and vertex.number is None:
        count = fields["count"]
        found = f"'{count}'" if isinstance(count, str) else count_words(count)
        message = f"V1 counts are single integers; found {found}"
        report.error(message, vertex.path_of("count"), "a number", code="v1-count")
    for key in fields:
        if key == "exclusive" and vertex.type != "node":
            message = f"RFC 25 allows exclusive only on node; found on {vertex.type}"
            report.error(message, vertex.path_of(key), code="v1-exclusive")
        elif key == "id" or key not in KEYS:
            message = f"RFC 25 allows no key '{key}' on a resource"
            report.error(message, vertex.path, *KEYS[:3], *KEYS[4:6], code="v1-key")


def check_program(report: Report, jobspec: Mapping[str, Any], request: ResourceRequest) -> None:
    """What RFC 25 asks beyond RFC 14 of all but the resources."""
    version = jobspec.get("version", 1)
    if not (is_whole(version) and version == 1):
        report.wrong("V1 has version 1", version, "version", "1", code="v1-version")
    tasks = jobspec.get("tasks")
    if isinstance(tasks, list | tuple):
        if len(tasks) > 1:
            message = f"V1 has exactly one task; found {len(tasks)}"
            report.error(message, "tasks", "one task", code="v1-one-task")
        numbers: dict[str | None, int] | None = None  # of the last resource of each type
        for number, task in enumerate(tasks):
            count = task.get("count") if isinstance(task, Mapping) else None
            if isinstance(count, Mapping):
                if numbers is None and "total" in count:
                    numbers = {v.type: v.number for v in request.walk() if v.number is not None}
                _task_count(report, count, at("tasks", number, "count"), numbers or {})
    attributes = jobspec.get("attributes")
    if not isinstance(attributes, Mapping):
        return
    if "system" not in attributes:
        message = "V1 needs attributes.system, with at least a duration"
        report.error(message, "attributes", "system", code="duration-missing")
    elif isinstance(attributes["system"], Mapping) and "duration" not in attributes["system"]:
        message = "V1 needs a duration; 0 leaves it to the queue"
        report.error(message, at("attributes", "system"), "duration", code="duration-missing")


def _task_count(
    report: Report, count: Mapping[str, Any], path: str, numbers: Mapping[str | None, int]
) -> None:
    """per_slot is one, total is between the nodes and the slots, per_resource is not known."""
    if "per_resource" in count:
        message = "V1 knows only per_slot and total; found per_resource"
        report.error(message, path, "per_slot: 1", code="v1-per-resource")
    if is_whole(count.get("per_slot")) and count["per_slot"] != 1:
        message = f"per_slot is 1 in V1; found {count['per_slot']}"
        report.error(message, at(path, "per_slot"), "1", code="v1-per-slot")
    total, path = count.get("total"), at(path, "total")
    if not isinstance(total, int) or not is_whole(total):
        return
    nodes, slots = numbers.get("node"), numbers.get("slot")
    if slots is not None and total > slots:
        message = f"RFC 25 wants total to be at most the count of the slot, {slots}; found {total}"
        report.warning(message, path, f"at most {slots}", code="v1-total")
    elif nodes is not None and total < nodes:
        message = f"RFC 25 wants total to be at least the number of nodes, {nodes}; found {total}"
        report.warning(message, path, f"at least {nodes}", code="v1-total")
