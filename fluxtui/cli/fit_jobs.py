"""The jobs for ``fluxtui fit``: from a file, from a shape and a constraint, or from a line."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from fluxtui import opening
from fluxtui.answers.explain import names
from fluxtui.cli.output import report, report_typed, unknown_keys
from fluxtui.model.constraint import requires, tree
from fluxtui.model.jobspec import jobspec
from fluxtui.model.jobspec.verdicts import refused_by_flux_alone
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.json_value import shown
from fluxtui.notation.problem import Problem, at, capped
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources

#: The keys that a line may have in addition to resources, or to a jobspec.
BESIDE_RESOURCES = ("constraints", "queue", "duration")
BESIDE_JOBSPEC = ("queue",)

_FORMS = ('{"jobspec": ...}', '{"resources": [...]}', '{"script": "..."}')


def unknown_names(job: Mapping[str, Any], resources: Resources) -> tuple[Problem, ...]:
    """Return warnings on names in the constraint of a job that no node has."""
    constraint = tree.read(jobspec.system(job).get("constraints")).value
    if constraint is None:
        return ()
    return names.hints(constraint, resources, "attributes.system.constraints")


def from_file(name: str, resources: Resources) -> tuple[Mapping[str, Any] | None, bool]:
    """Read a jobspec from a file; return it, and whether it is legal (RFC 14). Print problems.

    Warnings on names that these resources do not have, and on what flux-core refuses, are printed
    too. It is None if the file has none.
    """
    written = opening.read_jobspec(name)
    report(written.problems, written.source.text, written.source.name)
    if written.jobspec is None:
        return None, False
    wrong = jobspec.check(written.jobspec).problems
    refused = (replace(p, severity="warning") for p in refused_by_flux_alone(written.jobspec))
    odd = () if wrong else (*refused, *unknown_names(written.jobspec, resources))
    report(written.located((*wrong, *odd)), written.source.text, written.source.name)
    return written.jobspec, not wrong


def from_texts(
    text: str, expression: str | None, resources: Resources
) -> tuple[Mapping[str, Any] | None, bool]:
    """Build a jobspec from a shape and a constraint; return it, and whether it is legal (RFC 14).

    Problems are printed, and hints on the constraint for these resources. The jobspec is None if
    the shape or the constraint is wrong.
    """
    parsed = parse_shape(text)
    report_typed(parsed.problems, parsed.text, "shape")
    wrong = any(problem.severity == "error" for problem in parsed.problems)
    reading = requires.read(expression or "")
    if expression is not None:
        problems = parse_query(expression).problems if reading.blank else reading.problems
        report_typed(problems, expression, "query")
        wrong = wrong or reading.constraint is None
    if wrong:
        return None, False
    constraints = None
    if reading.constraint is not None:
        report(reading.located(names.hints(reading.constraint, resources)), expression)
        constraints = tree.to_json(reading.constraint)
    found = jobspec.build(to_resources(parsed.vertices), constraints=constraints)
    faults = jobspec.check(found).problems
    report(faults)
    return found, not faults


def of_line(value: object) -> tuple[Mapping[str, Any] | None, tuple[Problem, ...]]:
    """Return the jobspec of a line, or None with problems.

    A line is a jobspec, ``{"jobspec": ...}`` with an optional queue that replaces its own,
    ``{"script": "..."}`` with a job script or a command line and an optional queue, or
    ``{"resources": [...]}`` with optional constraints, queue and duration.
    """
    from fluxtui.model.documents.document import not_json

    odd = not_json(value)
    if odd is not None:
        return None, (odd,)
    if isinstance(value, dict) and "script" in value:
        return _of_script(value)
    if not isinstance(value, dict) or not {"jobspec", "resources"} & value.keys():
        message = "the line is an object with a jobspec, a script, or with resources"
        return None, (Problem(message, expected=_FORMS),)
    if "jobspec" in value:
        wrong = unknown_keys(value, ("jobspec", *BESIDE_JOBSPEC), "a jobspec")
        return _whole(value["jobspec"], "jobspec", value, wrong)
    if value.keys() & {"version", "tasks", "attributes"}:
        wrong = unknown_keys(value, jobspec.KEYS, "the keys of a jobspec")
        return _whole(value, "", {}, wrong)
    return _built(value)


def _of_script(
    value: Mapping[str, Any],
) -> tuple[Mapping[str, Any] | None, tuple[Problem, ...]]:
    """Return the jobspec of a job script or a command line, or None with problems."""
    from fluxtui.model.documents import document

    wrong = [*unknown_keys(value, ("script", *BESIDE_JOBSPEC), "a script"), *_odd(value)]
    script = None
    if isinstance(value["script"], str):
        script = opening.script_of(document.read(value["script"]))
    if script is None:
        message = "script is the text of a job script or a command line"
        wrong.append(Problem(message, None, "script", ("a string",)))
    elif script.jobspec is None:
        wrong += [replace(problem, span=None, path="script") for problem in script.problems]
    if wrong or script is None or script.jobspec is None:
        return None, capped(wrong)
    return in_queue(script.jobspec, value.get("queue")), ()


def _whole(
    found: object, path: str, beside: Mapping[str, Any], wrong: list[Problem]
) -> tuple[Mapping[str, Any] | None, tuple[Problem, ...]]:
    """Return a whole jobspec with the queue given in addition to it, or None with problems."""
    if not isinstance(found, dict) or not isinstance(found.get("resources"), list):
        message = "a jobspec is an object with resources"
        return None, capped([*wrong, Problem(message, path=path or None, rule="RFC 14")])
    wrong = [*wrong, *_vertices(found["resources"], at(path, "resources")), *_odd(beside)]
    return (None, capped(wrong)) if wrong else (in_queue(found, beside.get("queue")), ())


def _built(value: Mapping[str, Any]) -> tuple[Mapping[str, Any] | None, tuple[Problem, ...]]:
    """Build a jobspec from the resources of a line, or return None with problems."""
    wrong = unknown_keys(value, ("resources", *BESIDE_RESOURCES), "resources")
    resources = value["resources"]
    if not isinstance(resources, list):
        message = f"resources is a list; found {shown(resources)}"
        wrong.append(Problem(message, None, "resources", ("a list",), "RFC 14"))
    else:
        wrong += _vertices(resources, "resources")
    wrong += _odd(value)
    if wrong:
        return None, capped(wrong)
    job = jobspec.build(resources)
    system = job["attributes"]["system"]
    system |= {key: value[key] for key in BESIDE_RESOURCES if key in value}
    return job, ()


def _vertices(resources: list[Any], path: str) -> Iterable[Problem]:
    """The problems of resources that are not objects; the schedulers check the rest."""
    return [
        Problem(f"a resource is an object; found {shown(v)}", None, at(path, i), (), "RFC 14")
        for i, v in enumerate(resources)
        if not isinstance(v, dict)
    ]


def _odd(value: Mapping[str, Any]) -> Iterable[Problem]:
    """The problems of additional keys whose values have the wrong type."""
    duration = value.get("duration", 0)
    if "queue" in value and not isinstance(value["queue"], str):
        yield Problem(f"queue is a string; found {shown(value['queue'])}", None, "queue")
    if not isinstance(value.get("constraints", {}), dict):
        found = shown(value["constraints"])
        yield Problem(f"constraints is an object; found {found}", None, "constraints", (), "RFC 31")
    if isinstance(duration, bool) or not isinstance(duration, int | float):
        message = f"duration is a number of seconds; found {shown(duration)}"
        yield Problem(message, None, "duration", (), "RFC 25")


def in_queue(job: Mapping[str, Any], queue: str | None) -> Mapping[str, Any]:
    """Return the jobspec with its queue replaced by queue, if given."""
    if queue is None:
        return job
    attributes = job.get("attributes")
    attributes = attributes if isinstance(attributes, Mapping) else {}
    system = {**jobspec.system(job), "queue": queue}
    return {**job, "attributes": {**attributes, "system": system}}
