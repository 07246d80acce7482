"""Build, change and check whole jobspecs by RFC 14 and RFC 25 (version 1).

Where the prose and the JSON Schema of RFC 25 differ, the prose wins: a node may be exclusive and a
slot may not, and any vertex may have a label. Its rule on ``total`` only gives warnings, because a
use case in the RFC breaks it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from fluxtui.model.documents.report import Report
from fluxtui.model.jobspec import program
from fluxtui.model.jobspec.request import (
    CANONICAL,
    MAX_PROBLEMS,
    ROOT,
    VERTEX_KEYS,
    RequestVertex,
    ResourceRequest,
    count_words,
    parse,
)
from fluxtui.notation.json_value import is_whole
from fluxtui.notation.problem import Problem, at, shortened

V1 = "RFC 25"

#: The keys of a jobspec; all are required.
KEYS = ("version", "resources", "tasks", "attributes")

#: The path of a job's script (RFC 37); Flux fills in the directory.
SCRIPT: Final = "{{tmpdir}}/script"

#: The output file of a script.
BATCH_OUTPUT: Final = "flux-{{id}}.out"

#: The mode of a regular file that its owner may read, write and run (POSIX stat).
SCRIPT_MODE: Final = 0o100700


class _Missing:
    def __bool__(self) -> bool:
        return False


#: Stands for a part of a document that is absent.
MISSING: Final = _Missing()


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether RFC 14 (canonical) and RFC 25 (v1) allow a jobspec, and if not, why.

    v1_problems has what only RFC 25 refuses, then what both refuse.
    """

    canonical: bool
    v1: bool
    problems: tuple[Problem, ...] = ()
    v1_problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()


def build(
    resources: Sequence[Mapping[str, Any]],
    command: Sequence[str] = ("app",),
    *,
    slot_label: str = "default",
    duration: float = 0.0,
    constraints: Mapping[str, Any] | None = None,
    queue: str | None = None,
    request: ResourceRequest | None = None,
) -> dict[str, Any]:
    """Build a jobspec around a resources list (RFC 14), with keys in the order of its examples.

    It runs one task per slot in the first slot that has a label, or in slot_label. duration is in
    seconds, 0 leaves it to the queue. request is the parsed resources, if available.
    """
    request = parse(resources) if request is None else request
    label = next(iter(request.by_label), slot_label)
    system: dict[str, Any] = {"duration": float(duration)}
    if queue is not None:
        system["queue"] = queue
    if constraints is not None:
        system["constraints"] = dict(constraints)
    return {
        "version": 1,
        "resources": list(resources),
        "tasks": [{"command": list(command), "slot": label, "count": {"per_slot": 1}}],
        "attributes": {"system": system},
    }


def system(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the system attributes of a jobspec; empty if it has no dictionary of them."""
    attributes = document.get("attributes")
    found = attributes.get("system") if isinstance(attributes, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def part_at(document: Any, steps: Sequence[str | int]) -> Any:
    """Return the value at the end of steps; MISSING if the document does not reach that far."""
    for step in steps:
        if isinstance(document, list | tuple):
            is_there = isinstance(step, int) and step < len(document)
            document = document[step] if is_there else MISSING  # type: ignore[index]
        elif isinstance(document, Mapping):
            document = document.get(key_at(document, step), MISSING)
        else:
            return MISSING
    return document


def key_at(mapping: Mapping[Any, Any], step: str | int) -> Any:
    """Return the key a step of a path means; a key that is not a string matches by its text."""
    if step in mapping:
        return step
    return next((key for key in mapping if str(key) == step), step)


def with_resources(
    document: Mapping[str, Any],
    resources: Sequence[Mapping[str, Any]],
    request: ResourceRequest | None = None,
    *,
    move_all: bool = False,
) -> dict[str, Any]:
    """Return the jobspec with another resources list; everything else stays the same.

    A task whose slot was relabelled follows it, and a task whose slot is gone moves to the only
    slot left, or with move_all to the first one. request is the new resources, if parsed already.
    """
    listed = list(resources) if isinstance(resources, tuple) else resources
    out = {**document, "resources": listed}
    tasks = document.get("tasks")
    after = (parse(resources) if request is None else request).labels
    if not after or not isinstance(tasks, list):
        return out
    gone = [n for n, t in enumerate(tasks) if isinstance(t, Mapping) and t.get("slot") not in after]
    if gone:
        before, out["tasks"] = parse(document.get("resources")).labels, [*tasks]
    for number in gone:
        slot = tasks[number].get("slot")
        if slot in before and len(before) == len(after):
            out["tasks"][number] = {**tasks[number], "slot": after[before.index(slot)]}
        elif len(after) == 1 or move_all:
            out["tasks"][number] = {**tasks[number], "slot": after[0]}
    return out


def with_system(document: Mapping[str, Any], key: str, value: Any | None) -> dict[str, Any]:
    """Return the jobspec with a system attribute set, or removed for None; the rest is kept."""
    raw, current = document.get("attributes"), system(document)
    if value is None and key not in current:
        return dict(document)
    changed = {name: old for name, old in current.items() if name != key or value is not None}
    if value is not None:
        changed[key] = value
    attributes = raw if isinstance(raw, Mapping) else {}
    return {**document, "attributes": {**attributes, "system": changed}}


def script_entry(text: str) -> dict[str, Any]:
    """Return the RFC 37 file entry of a script."""
    return {"mode": SCRIPT_MODE, "data": text, "encoding": "utf-8"}


def instance_options() -> dict[str, Any]:
    """Return the shell options of a job that is a Flux instance: one broker per node, no MPI."""
    return {"per-resource": {"type": "node"}, "mpi": "none", "exit-timeout": "none"}


def check(document: object, request: ResourceRequest | None = None) -> Verdict:
    """Check a document by RFC 14 and RFC 25; request is its resources, if parsed already."""
    report, v1_report = Report(CANONICAL, MAX_PROBLEMS), Report(V1, MAX_PROBLEMS)
    v1_found: list[Problem] = []  # by RFC 25
    if not isinstance(document, Mapping):
        what, code = "a jobspec is a dictionary", "jobspec-not-dictionary"
        report.wrong(what, document, "", *KEYS, code=code)
    else:
        request = parse(document.get("resources")) if request is None else request
        for key in KEYS:
            if key not in document:
                report.error(f"a jobspec needs its {key}", "", key, code=f"{key}-missing")
        version, code = document.get("version", 1), "version-not-number"
        if not is_whole(version, 0):
            report.wrong("version is a whole number", version, "version", "1", code=code)
        for problem in request.problems if "resources" in document else ():
            report.add(problem)
        if "tasks" in document:
            program.check_tasks(report, document["tasks"], request)
        if "attributes" in document:
            program.check_attributes(report, document["attributes"])
        for key in document:
            if key not in KEYS:
                message = f"flux-core refuses a jobspec with the key '{shortened(str(key))}'"
                report.warning(message, str(key), *KEYS, code="jobspec-key-unknown")
        check_v1_program(v1_report, document, request)
        v1_found = [*v1_resources(request), *v1_report.problems]
    warnings = [p for p in (*report.problems, *v1_found) if p.severity == "warning"]
    problems = tuple(p for p in report.problems if p.severity == "error")
    beyond = [problem for problem in v1_found if problem.severity == "error"]
    named = {problem.path for problem in beyond if problem.many == 1}
    v1_problems = (*beyond, *(problem for problem in problems if problem.path not in named))
    return Verdict(not problems, not v1_problems, problems, v1_problems, tuple(warnings))


def v1_resources(request: ResourceRequest) -> tuple[Problem, ...]:
    """Return why RFC 25 refuses a request: it allows only a slot, or a slot in a node."""
    report = Report(V1, MAX_PROBLEMS)
    if len(request.roots) > 1:
        message = "V1 wants exactly one resource at the top, node or slot; found "
        message += str(len(request.roots))
        report.error(message, ROOT, "node", "slot", code="v1-one-resource")
    for vertex in request.roots:
        if vertex.type == "slot":
            _v1_slot(report, vertex)
        elif vertex.type == "node":
            _v1_fields(report, vertex)
            slots = 0
            for child in vertex.children:
                if child.type == "slot":
                    slots += 1
                    _v1_slot(report, child)
                elif child.type is not None:
                    message = f"RFC 25 allows only slot under node; found '{shortened(child.type)}'"
                    report.error(message, child.path, "slot", code="v1-type")
            if slots > 1 or not any(child.is_readable for child in vertex.children):
                message = f"a node holds exactly one slot in V1; found {slots or 'none'}"
                where = vertex.path_of("with") if slots else vertex.path
                report.error(message, where, "slot", code="v1-one-slot")
        elif vertex.type is not None:
            message = (
                f"RFC 25 allows only node or slot at the top; found '{shortened(vertex.type)}'"
            )
            report.error(message, vertex.path, "node", "slot", code="v1-type")
    return report.problems


def _v1_slot(report: Report, slot: RequestVertex) -> None:
    _v1_fields(report, slot)
    kinds: list[str] = []
    for child in slot.children:
        kind = child.type
        if kind is None:
            continue
        if kind not in ("core", "gpu"):
            message = f"RFC 25 allows only core and gpu in a slot; found '{shortened(kind)}'"
            report.error(message, child.path, "core", code="v1-type")
            continue
        kinds.append(kind)
        if kinds.count(kind) == 2:
            report.error(f"a slot names {kind} once in V1", child.path, code="v1-type-repeated")
        _v1_fields(report, child)
        if "with" in child.fields:
            message = f"RFC 25 allows nothing under {kind}"
            report.error(message, child.path_of("with"), code="v1-leaf")
    if "core" not in kinds:
        report.error("a slot needs a core in V1", slot.path, "core", code="v1-core-missing")


def _v1_fields(report: Report, vertex: RequestVertex) -> None:
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
        elif key == "id" or key not in VERTEX_KEYS:
            message = f"RFC 25 allows no key '{key}' on a resource"
            report.error(message, vertex.path, *VERTEX_KEYS[:3], *VERTEX_KEYS[4:6], code="v1-key")


def check_v1_program(report: Report, jobspec: Mapping[str, Any], request: ResourceRequest) -> None:
    """Report what RFC 25 requires beyond RFC 14, other than of the resources."""
    version = jobspec.get("version", 1)
    if not (is_whole(version) and version == 1):
        report.wrong("V1 has version 1", version, "version", "1", code="v1-version")
    tasks = jobspec.get("tasks")
    if isinstance(tasks, list | tuple):
        if len(tasks) > 1:
            message = f"V1 has exactly one task; found {len(tasks)}"
            report.error(message, "tasks", "one task", code="v1-one-task")
        numbers: dict[str | None, int] | None = None  # count of the last resource of each type
        for number, task in enumerate(tasks):
            count = task.get("count") if isinstance(task, Mapping) else None
            if isinstance(count, Mapping):
                if numbers is None and "total" in count:
                    numbers = {v.type: v.number for v in request.walk() if v.number is not None}
                _v1_task_count(report, count, at("tasks", number, "count"), numbers or {})
    attributes = jobspec.get("attributes")
    if not isinstance(attributes, Mapping):
        return
    if "system" not in attributes:
        message = "V1 needs attributes.system, with at least a duration"
        report.error(message, "attributes", "system", code="duration-missing")
    elif isinstance(attributes["system"], Mapping) and "duration" not in attributes["system"]:
        message = "V1 needs a duration; 0 leaves it to the queue"
        report.error(message, at("attributes", "system"), "duration", code="duration-missing")


def _v1_task_count(
    report: Report, count: Mapping[str, Any], path: str, numbers: Mapping[str | None, int]
) -> None:
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
