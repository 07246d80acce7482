"""The field of the system attributes that have no field of their own (RFC 14)."""

from collections.abc import Iterable, Mapping
from typing import Any

from fluxtui.model.documents.report import Report
from fluxtui.model.form.field import MISSING, Context, all_of
from fluxtui.model.form.place import OWNED, Place, with_key
from fluxtui.model.form.settings import located, settings_field
from fluxtui.model.jobspec import program
from fluxtui.model.jobspec.request import CANONICAL
from fluxtui.notation.problem import Problem
from fluxtui.notation.settings import Known, Settings

_SYSTEM = "attributes.system"
_SYSTEM_KNOWN = {
    "job.note": Known("anything to find the job by; texts only"),
    "exec.test.run_duration": Known("do not run, but take so long", (("1s", "a second"),)),
    "alloc-bypass.R": Known("resources to take without asking the scheduler"),
}

# The fields of the system attributes that have one.
_LABELS = {
    "duration": "Duration",
    "preemptible-after": "Preemptible",
    "cwd": "Directory",
    "environment": "Environment",
    "queue": "Queue",
    "bank": "Bank",
    "project": "Project",
    "dependencies": "Dependencies",
    "constraints": "Constraints",
    "job.name": "Job name",
    "shell.options": "Shell options",
    "files.script": "Script",
    "batch.script": "Script",
}


def _check_system(text: str, found: Settings, context: Context) -> Iterable[Problem]:
    """What has a field of its own is typed there; RFC 14 on the rest."""
    value = found.value or {}
    for path in _owned(value, OWNED, ()):
        name = ".".join(path)
        span = found.place(path) or all_of(text)
        message = f"{name} has a field of its own; type it at {_LABELS[name]}"
        yield Problem(message, span, _SYSTEM, (_LABELS[name],), CANONICAL)
    report = Report(CANONICAL)
    program.check_attributes(report, {"system": value})
    yield from located(text, found, report.problems, _SYSTEM)


def _owned(
    value: Mapping[str, Any], owned: Mapping[str, Any], before: tuple[str, ...]
) -> Iterable[tuple[str, ...]]:
    """The keys of system attributes that have a field of their own."""
    for key in value:
        if key not in owned:
            continue
        inner = owned[key]
        if inner is None:
            yield (*before, key)
        elif isinstance(value[key], Mapping):
            yield from _owned(value[key], inner, (*before, key))


_system = Place(("attributes", "system"))


def _get_rest(document: Mapping[str, Any]) -> Any:
    """The system attributes that have no field; MISSING where there are none."""
    found = _system.get(document)
    if found is MISSING or not isinstance(found, Mapping):
        return found
    return _rest(found, OWNED) or MISSING


def _rest(mapping: Mapping[str, Any], owned: Mapping[str, Any]) -> dict[str, Any]:
    out = {}
    for key, value in mapping.items():
        inner = owned.get(key, MISSING)
        if inner is MISSING or (inner is not None and not (isinstance(value, Mapping) and value)):
            out[key] = value
        elif inner is not None:
            left = _rest(value, inner)
            if left:
                out[key] = value if len(left) == len(value) else left
    return out


def _put_rest(document: Mapping[str, Any], value: Any) -> dict[str, Any]:
    """A document with these system attributes beside those that have a field."""
    found = _system.get(document)
    if value is MISSING and not isinstance(found, Mapping):
        return document if isinstance(document, dict) else dict(document)
    rest = {} if value is MISSING else value
    if not isinstance(rest, Mapping):
        return _system.put(document, rest)
    return _system.put(document, _joined(found if isinstance(found, Mapping) else {}, OWNED, rest))


def _joined(
    known: Mapping[str, Any], owned: Mapping[str, Any], rest: Mapping[str, Any]
) -> dict[str, Any]:
    """What of the known has a field, and the rest; in the order of the known, new keys last."""
    out: dict[str, Any] = {}
    for key, value in known.items():
        inner = owned.get(key, MISSING)
        if inner is None:
            out[key] = value
        elif inner is MISSING or not isinstance(value, Mapping) or not _only(value, inner):
            if key in rest:
                out[key] = rest[key]
        elif not isinstance(rest.get(key, {}), Mapping):
            out[key] = rest[key]
        else:
            out[key] = _joined(value, inner, rest.get(key, {}))
    for key, value in rest.items():
        if key not in out:
            out = with_key(out, key, value)
    return out


def _only(value: Mapping[str, Any], owned: Mapping[str, Any]) -> bool:
    """A dictionary holds a key that has a field of its own."""
    return any(key in value for key in owned)


SYSTEM = settings_field(
    "system",
    "Other system",
    "job.note=test · blank: none",
    "System attributes that have no field here, as KEY=VALUE. Flux takes any, also those that it "
    "does not know.",
    _SYSTEM,
    _system,
    ("setting", "settings"),
    _SYSTEM_KNOWN,
    _check_system,
)._replace(get=_get_rest, put=_put_rest)
