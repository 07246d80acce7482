"""Whole jobspecs (RFC 14): built, changed, and checked against RFC 14 and RFC 25.

The JSON Schemas of both ship in ``schemas``.
"""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from fluxtui.model.documents.report import Report
from fluxtui.model.jobspec import program, v1
from fluxtui.model.jobspec.request import CANONICAL, MAX_PROBLEMS, ResourceRequest, parse
from fluxtui.notation.json_value import is_whole
from fluxtui.notation.problem import Problem, at

#: The keys of a jobspec, all of which it needs.
KEYS = ("version", "resources", "tasks", "attributes")


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether RFC 14 (canonical) and RFC 25 (v1) allow a jobspec, and if not, why.

    v1_problems are what RFC 25 refuses beyond RFC 14, then what both refuse.
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

    One task for each slot runs the command in the first slot that has a label, or in slot_label.
    duration is in seconds, 0 leaves it to the queue. request is the resources, if parsed already.
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
    """The system attributes of a jobspec; empty where it has no dictionary of them."""
    attributes = document.get("attributes")
    found = attributes.get("system") if isinstance(attributes, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def with_resources(
    document: Mapping[str, Any],
    resources: Sequence[Mapping[str, Any]],
    request: ResourceRequest | None = None,
    *,
    move_all: bool = False,
) -> dict[str, Any]:
    """A jobspec with another resources list; all else of the document stays the same.

    A task whose slot has another label now, or whose slot has gone where only one is left, goes
    along; with move_all any other task whose slot has gone runs in the first slot. request is the
    new resources, from whoever has parsed them already.
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
    """A jobspec with a system attribute set, or without it where the value is None.

    All else stays the same; a dictionary replaces what should hold the attribute and is not one.
    """
    found, held = document.get("attributes"), system(document)
    if value is None and key not in held:
        return dict(document)
    changed = {name: old for name, old in held.items() if name != key or value is not None}
    if value is not None:
        changed[key] = value
    attributes = found if isinstance(found, Mapping) else {}
    return {**document, "attributes": {**attributes, "system": changed}}


def check(document: object, request: ResourceRequest | None = None) -> Verdict:
    """The verdict of RFC 14 and RFC 25; request is the document's resources, if parsed already."""
    report, v1_report = Report(CANONICAL, MAX_PROBLEMS), Report(v1.V1, MAX_PROBLEMS)
    found: list[Problem] = []  # by RFC 25
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
                message = f"flux-core refuses a jobspec with the key '{key}'"
                report.warning(message, str(key), *KEYS, code="jobspec-key-unknown")
        v1.check_program(v1_report, document, request)
        found = [*v1.check_resources(request), *v1_report.problems]
    warnings = [p for p in (*report.problems, *found) if p.severity == "warning"]
    problems = tuple(p for p in report.problems if p.severity == "error")
    v1_problems = v1.both([p for p in found if p.severity == "error"], problems)
    return Verdict(not problems, not v1_problems, problems, v1_problems, tuple(warnings))


# What a keyword of JSON Schema means to a person, when a value fails it.
_WORDS = {
    "required": "a key is missing",
    "additionalProperties": "a key is not allowed",
    "type": "the value is of another kind",
    "const": "the value is another",
    "enum": "the value is another",
    "minimum": "the number is too small",
    "minItems": "the list is too short",
    "maxItems": "the list is too long",
    "minProperties": "the dictionary needs a key",
    "maxProperties": "the dictionary has too many keys",
    "pattern": "the text is of another form",
    "contains": "the list misses what it must hold",
}


def schema_problems(
    jobspec: object, which: Literal["canonical", "v1"] = "canonical"
) -> tuple[Problem, ...]:
    """Where a jobspec does not fit the JSON Schema of RFC 14 (``canonical``) or RFC 25 (``v1``).

    The schemas hold what a schema can say; `check` knows all rules and says more. In our words, by
    path.
    """
    rule = CANONICAL if which == "canonical" else v1.V1
    try:
        errors = sorted(_schema(which).iter_errors(jobspec), key=lambda e: list(map(str, e.path)))
    except RecursionError:
        return (Problem("the document is nested too deeply for its schema", rule=rule),)
    found = []
    for error in errors:
        message = f"{_WORDS.get(str(error.validator), 'the value does not fit the schema')} here"
        found.append(Problem(message, path=at("", *error.absolute_path) or None, rule=rule))
    return tuple(found)


@functools.cache
def _schema(which: str) -> Any:
    """The validator of a schema (draft 7); jsonschema takes a while to load, so only on demand."""
    import json
    from importlib import resources

    import jsonschema

    name = "jobspec.json" if which == "canonical" else "jobspec_v1.json"
    file = resources.files("fluxtui.model.jobspec").joinpath("schemas", name)
    return jsonschema.Draft7Validator(json.loads(file.read_text(encoding="utf-8")))
