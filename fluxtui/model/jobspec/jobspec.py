"""Jobspecs: what a job asks for and runs (RFC 14), and the simple form of them (RFC 25, V1).

Where the prose and the JSON Schema of RFC 25 differ, the prose counts: a node may be exclusive
and a slot may not, and any vertex may have a label. The rule on ``total`` gives warnings only,
since a use case of the RFC breaks it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from fluxtui.model.documents.json_value import shown
from fluxtui.model.jobspec import program
from fluxtui.model.jobspec import resources as jobspec_resources
from fluxtui.model.jobspec.resource_checks import (
    Judged,
    both,
    check_resources,
    check_v1_resources,
    errors,
    judge_resources,
)
from fluxtui.model.jobspec.resources import count_words, slots, walk
from fluxtui.notation.problem import Problem

__all__ = [
    "Judged",
    "Verdict",
    "build",
    "check",
    "check_resources",
    "check_v1_resources",
    "count_words",
    "describe_vertex",
    "dump",
    "judge_resources",
    "labels",
    "schema_problems",
    "slots",
    "system",
    "walk",
    "with_resources",
    "with_system",
]

KEYS = ("version", "resources", "tasks", "attributes")


class Verdict(NamedTuple):
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
) -> dict[str, Any]:
    """A whole jobspec around a resources list (RFC 14), with keys in the order of its examples.

    One task for each slot runs the command in the first slot that has a label; slot_label is
    named where there is none. duration is in seconds, 0 leaves it to the queue.
    """
    labelled = next(slots(resources), None)
    system: dict[str, Any] = {"duration": float(duration)}
    if queue is not None:
        system["queue"] = queue
    if constraints is not None:
        system["constraints"] = dict(constraints)
    task = {
        "command": list(command),
        "slot": slot_label if labelled is None else labelled["label"],
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
    document: Mapping[str, Any], resources: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """A jobspec with another resources list; all else of the document stays the same.

    A task whose slot has another label now, or whose slot has gone where only one is left, goes
    along.
    """
    out = {**document, "resources": list(resources)}
    before, after = labels(document.get("resources")), labels(resources)
    tasks = document.get("tasks")
    if after and isinstance(tasks, list):
        out["tasks"] = [_moved(task, before, after) for task in tasks]
    return out


def labels(resources: object) -> list[str]:
    """The labels of the slots of a resources list, in its order."""
    return [slot["label"] for slot in slots(resources)]


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


def check(jobspec: object, judged: Judged | None = None) -> Verdict:
    """The verdict of RFC 14 and RFC 25 on a whole document.

    judged is what is held against its resources, where that is known already.
    """
    canonical = jobspec_resources.Checker(jobspec_resources.CANONICAL)
    v1 = jobspec_resources.Checker(jobspec_resources.V1)
    if not isinstance(jobspec, Mapping):
        found = shown(jobspec)
        canonical.error(f"a jobspec is a dictionary; found {found}", "", *KEYS)
    else:
        judged = judge_resources(jobspec.get("resources")) if judged is None else judged
        _document(canonical, jobspec, judged)
        v1.problems.extend(judged.v1)
        program.check_v1_program(v1, jobspec)
    problems = errors(canonical.problems)
    v1_problems = both(errors(v1.problems), problems)
    warnings = [p for p in (*canonical.problems, *v1.problems) if p.severity == "warning"]
    return Verdict(not problems, not v1_problems, tuple(problems), v1_problems, tuple(warnings))


def _document(check: jobspec_resources.Checker, jobspec: Mapping[str, Any], judged: Judged) -> None:
    """RFC 14: the four keys of a jobspec, and what is in them."""
    for key in KEYS:
        if key not in jobspec:
            check.error(f"a jobspec needs its {key}", "", key)
    version = jobspec.get("version", 1)
    if not jobspec_resources.is_whole(version, 0):
        found = shown(version)
        check.error(f"version is a whole number; found {found}", "version", "1")
    if "resources" in jobspec:
        check.problems.extend(judged.canonical)
    if "tasks" in jobspec:
        resources = jobspec.get("resources")
        program.check_tasks(check, jobspec["tasks"], resources, judged.labels)
    if "attributes" in jobspec:
        program.check_attributes(check, jobspec["attributes"])
    for key in jobspec:
        if key not in KEYS:
            message = f"flux-core refuses a jobspec with the key '{key}'"
            check.warn(message, str(key), *KEYS)


def describe_vertex(vertex: Mapping[str, Any]) -> str:
    """One vertex in words, without its children: ``slot 4 "task"``, ``memory 2 or more GB``."""
    parts = [str(vertex.get("type", "?")), count_words(vertex.get("count", 1))]
    if isinstance(vertex.get("unit"), str):
        parts.append(vertex["unit"])
    if isinstance(vertex.get("label"), str):
        parts.append(f'"{vertex["label"]}"')
    if isinstance(vertex.get("exclusive"), bool):
        parts.append("exclusive" if vertex["exclusive"] else "shared")
    return " ".join(parts)


def dump(document: object, form: Literal["yaml", "json"] = "yaml") -> str:
    """A jobspec or a part of it as text that ends with a line break; keys keep their order."""
    from fluxtui.model.jobspec import text

    return text.dump(document, form)


def schema_problems(
    jobspec: object, which: Literal["canonical", "v1"] = "canonical"
) -> tuple[Problem, ...]:
    """Where a jobspec does not fit the JSON Schema of RFC 14 (``canonical``) or RFC 25 (``v1``).

    The schemas hold what a schema can say; `check` knows all rules and says more.
    """
    from fluxtui.model.jobspec import schema

    return schema.problems(jobspec, which)
