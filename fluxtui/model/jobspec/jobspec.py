"""Whole jobspecs (RFC 14): built, changed, and checked against RFC 14 and RFC 25."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from fluxtui.model.documents.json_value import is_whole, shown
from fluxtui.model.documents.report import Report
from fluxtui.model.jobspec import program, v1
from fluxtui.model.jobspec.request import CANONICAL, MAX_PROBLEMS, ResourceRequest, parse
from fluxtui.notation.problem import Problem

KEYS = ("version", "resources", "tasks", "attributes")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What RFC 14 and RFC 25 say of a jobspec.

    canonical    legal by RFC 14
    v1           legal by RFC 25
    problems     why not by RFC 14
    v1_problems  why not by RFC 25: what it refuses beyond RFC 14, then what both refuse
    warnings     what is legal and may surprise
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
    """A whole jobspec around a resources list (RFC 14), with keys in the order of its examples.

    One task for each slot runs the command in the first slot that has a label; slot_label is
    named where there is none. duration is in seconds, 0 leaves it to the queue. request is the
    parsed resources, from whoever has them already.
    """
    request = parse(resources) if request is None else request
    label = next(iter(request.by_label), slot_label)
    system: dict[str, Any] = {"duration": float(duration)}
    if queue is not None:
        system["queue"] = queue
    if constraints is not None:
        system["constraints"] = dict(constraints)
    task = {
        "command": list(command),
        "slot": label,
        "count": {"per_slot": 1},
    }
    return {
        "version": 1,
        "resources": list(resources),
        "tasks": [task],
        "attributes": {"system": system},
    }


def system(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The system attributes of a jobspec; empty where it has no dictionary of them."""
    attributes = document.get("attributes")
    found = attributes.get("system") if isinstance(attributes, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def with_resources(
    document: Mapping[str, Any],
    resources: Sequence[Mapping[str, Any]],
    request: ResourceRequest | None = None,
) -> dict[str, Any]:
    """A jobspec with another resources list; all else of the document stays the same.

    A task whose slot has another label now, or whose slot has gone where only one is left, goes
    along. request is the new resources, from whoever has parsed them already.
    """
    out = {**document, "resources": list(resources)}
    tasks = document.get("tasks")
    after = (parse(resources) if request is None else request).labels
    if after and isinstance(tasks, list):
        stays = all(isinstance(task, Mapping) and task.get("slot") in after for task in tasks)
        before = [] if stays else parse(document.get("resources")).labels
        out["tasks"] = [_moved(task, before, after) for task in tasks]
    return out


def _moved(task: object, before: list[str], after: list[str]) -> object:
    """A task in the slot that has the place of its own one now, where that can be told."""
    if not isinstance(task, Mapping) or task.get("slot") in after:
        return task
    slot = task.get("slot")
    if slot in before and len(before) == len(after):
        return {**task, "slot": after[before.index(slot)]}
    return {**task, "slot": after[0]} if len(after) == 1 else task


def with_system(document: Mapping[str, Any], key: str, value: Any | None) -> dict[str, Any]:
    """A jobspec with a system attribute set, or without it where the value is None.

    All else of the document stays the same; what should hold the attribute and is no dictionary
    gives way to one that holds it.
    """
    found = document.get("attributes")
    attributes = found if isinstance(found, Mapping) else {}
    before = attributes.get("system")
    changed = dict(before) if isinstance(before, Mapping) else {}
    if value is None:
        if key not in changed:
            return dict(document)
        del changed[key]
    else:
        changed[key] = value
    return {**document, "attributes": {**attributes, "system": changed}}


def check(document: object, request: ResourceRequest | None = None) -> Verdict:
    """The verdict of RFC 14 and RFC 25 on a whole document.

    request is its resources, from whoever has parsed them already.
    """
    canonical, v1_report = Report(CANONICAL, MAX_PROBLEMS), Report(v1.V1, MAX_PROBLEMS)
    v1_problems: tuple[Problem, ...] = ()
    if not isinstance(document, Mapping):
        message = f"a jobspec is a dictionary; found {shown(document)}"
        canonical.error(message, "", *KEYS, code="jobspec-not-dictionary")
    else:
        request = parse(document.get("resources")) if request is None else request
        _document(canonical, document, request)
        v1.check_program(v1_report, document, request)
        v1_problems = v1.check_resources(request)
    problems = _errors(canonical.problems)
    v1_problems = (*v1_problems, *v1_report.problems)
    warnings = [p for p in (*canonical.problems, *v1_problems) if p.severity == "warning"]
    v1_problems = v1.both(_errors(v1_problems), problems)
    return Verdict(not problems, not v1_problems, problems, v1_problems, tuple(warnings))


def _errors(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    return tuple(problem for problem in problems if problem.severity == "error")


def _document(report: Report, document: Mapping[str, Any], request: ResourceRequest) -> None:
    """RFC 14: the four keys of a jobspec, and what is in them."""
    for key in KEYS:
        if key not in document:
            report.error(f"a jobspec needs its {key}", "", key, code=f"{key}-missing")
    version = document.get("version", 1)
    if not is_whole(version, 0):
        message = f"version is a whole number; found {shown(version)}"
        report.error(message, "version", "1", code="version-not-number")
    if "resources" in document:
        for problem in request.problems:
            report.add(problem)
    if "tasks" in document:
        program.check_tasks(report, document["tasks"], request)
    if "attributes" in document:
        program.check_attributes(report, document["attributes"])
    for key in document:
        if key not in KEYS:
            message = f"flux-core refuses a jobspec with the key '{key}'"
            report.warning(message, str(key), *KEYS, code="jobspec-key-unknown")


def schema_problems(
    jobspec: object, which: Literal["canonical", "v1"] = "canonical"
) -> tuple[Problem, ...]:
    """Where a jobspec does not fit the JSON Schema of RFC 14 (``canonical``) or RFC 25 (``v1``).

    The schemas hold what a schema can say; `check` knows all rules and says more.
    """
    from fluxtui.model.jobspec import schema

    return schema.problems(jobspec, which)
