"""The notation of settings, ``KEY=VALUE`` with dots into groups: options and further attributes."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from fluxtui.model.documents.report import Report
from fluxtui.model.form import shell_options
from fluxtui.model.form.field import Context, Notation, all_of, remark
from fluxtui.model.form.place import MISSING, Place, unchanged, with_key
from fluxtui.model.jobspec import program
from fluxtui.model.jobspec.request import CANONICAL, ResourceRequest
from fluxtui.notation import settings
from fluxtui.notation.problem import Completion, Parsed, Problem
from fluxtui.notation.settings import Known
from fluxtui.notation.wording import counted

#: What is odd about settings, by their text and the path of the field; may change their value.
Check = Callable[[str, settings.Settings, str], Iterable[Problem]]


def no_problems(text: str, found: settings.Settings, path: str) -> Iterable[Problem]:
    """Nothing is odd about any settings."""
    return ()


@dataclass(frozen=True, slots=True)
class Settings(Notation):
    """A dictionary as settings.

    noun   what one of them is called
    known  keys that are offered
    """

    noun: str = "setting"
    known: Mapping[str, Known] | None = None
    check: Check = no_problems

    def read(self, text: str, path: str, context: Context) -> Parsed[Any]:
        """The dictionary."""
        found = settings.parse(text)
        problems = [replace(problem, path=path) for problem in found.problems]
        if found.value is None or not found.ok:
            return Parsed(MISSING, tuple(problems))
        return Parsed(found.value, (*problems, *self.check(text, found, path)))

    def is_legal(self, value: Any) -> bool:
        """Any dictionary."""
        return isinstance(value, dict)

    def write(self, value: Any) -> str:
        """The settings with blanks between them."""
        return settings.format(value)

    def describe(self, value: Any, context: Context) -> str:
        """How many there are."""
        return counted(len(value), self.noun) if value else ""

    def complete(self, text: str, cursor: int, context: Context) -> list[Completion]:
        """Known keys and their values."""
        return settings.completions(text, cursor, self.known or {})


def _located(
    text: str, found: settings.Settings, problems: Iterable[Problem], path: str
) -> Iterable[Problem]:
    """Problems of a document at the settings they are about."""
    from fluxtui.model.documents.document import steps

    for problem in problems:
        inner = tuple(map(str, steps((problem.path or "")[len(path) :])))
        span = found.place(inner) if inner else None
        wanted = problem.expected
        for entry in found.entries if "a string" in wanted else ():
            if entry.path == inner and isinstance(entry.value, int | float) and entry.value_span:
                key, value = (text[slice(*part)] for part in (entry.key_span, entry.value_span))
                wanted = (f'{key}="{value}"',)
        yield replace(problem, span=span or all_of(text), expected=wanted)


def odd_shell_options(text: str, found: settings.Settings, path: str) -> Iterable[Problem]:
    """What flux-core does not know, or takes otherwise."""
    for problem in shell_options.odd(found.entries):
        yield replace(problem, path=path)


class TaskSettings(Settings):
    """The attributes of a task; the values of its variables are texts or null (RFC 14)."""

    __slots__ = ()

    def is_legal(self, value: Any) -> bool:
        """A dictionary whose environment holds nothing but texts and null."""
        inner = value.get("environment", {}) if isinstance(value, dict) else None
        return isinstance(inner, dict) and all(
            v is None or isinstance(v, str) for v in inner.values()
        )


def odd_task_settings(text: str, found: settings.Settings, path: str) -> Iterable[Problem]:
    """RFC 14 on the attributes of a task; the value of a variable becomes a text."""
    value = found.value or {}
    inner = value.get("environment")
    for entry in found.entries:
        plain = isinstance(entry.value, int | float) and entry.value_span is not None
        if plain and len(entry.path) == 2 and entry.path[0] == "environment":
            inner[entry.path[1]] = text[slice(*entry.value_span)]  # type: ignore[index,misc]
    report = Report(CANONICAL)
    one = {"command": ["app"], "slot": "", "count": {"per_slot": 1}, "attributes": value}
    program.check_tasks(report, [one], ResourceRequest())
    mine = [problem for problem in report.problems if (problem.path or "").startswith(path)]
    yield from _located(text, found, mine, path)
    message = "flux-core takes no notice of the attributes of a task"
    if any(isinstance(held, dict | list) for held in value.values()):
        message += ", and Fluxion refuses a job that has lists or dictionaries in them"
    if value:
        yield remark(message, text, path, rule="flux-core")


# System attributes

#: System attributes that have a field of their own: its label, or by the keys within the attribute.
OWNED: Final[Mapping[str, Any]] = {
    "duration": "Duration",
    "preemptible-after": "Preemptible",
    "cwd": "Directory",
    "environment": "Environment",
    "queue": "Queue",
    "bank": "Bank",
    "project": "Project",
    "dependencies": "Dependencies",
    "constraints": "Constraints",
    "job": {"name": "Job name"},
    "shell": {"options": "Shell options"},
    "files": {"script": "Script"},
    "batch": {"script": "Script"},
}


def odd_system_settings(text: str, found: settings.Settings, path: str) -> Iterable[Problem]:
    """What has a field of its own is typed there; RFC 14 on the rest."""
    value = found.value or {}
    for keys, label in _owned(value, OWNED, ()):
        span = found.place(keys) or all_of(text)
        message = f"{'.'.join(keys)} has a field of its own; type it at {label}"
        yield Problem(message, span, path, (label,), CANONICAL)
    report = Report(CANONICAL)
    program.check_attributes(report, {"system": value})
    yield from _located(text, found, report.problems, path)


def _owned(
    value: Mapping[str, Any], owned: Mapping[str, Any], before: tuple[str, ...]
) -> Iterable[tuple[tuple[str, ...], str]]:
    """The keys that have a field of their own, with its label."""
    for key in value:
        inner = owned.get(key)
        if isinstance(inner, str):
            yield (*before, key), inner
        elif inner is not None and isinstance(value[key], Mapping):
            yield from _owned(value[key], inner, (*before, key))


class FurtherSystem(Place):
    """The system attributes that have no field of their own."""

    __slots__ = ()

    def get(self, document: Mapping[str, Any]) -> Any:
        """Those attributes; MISSING where there are none."""
        found = super().get(document)
        if found is MISSING or not isinstance(found, Mapping):
            return found
        return _rest(found, OWNED) or MISSING

    def put(self, document: Mapping[str, Any], value: Any) -> dict[str, Any]:
        """A document with these attributes beside those that have a field."""
        place = Place(self.steps)
        found = place.get(document)
        known = found if isinstance(found, Mapping) else None
        if isinstance(value, Mapping):
            return place.put(document, _joined(known or {}, OWNED, value))
        if value is not MISSING:
            return place.put(document, value)
        return (
            unchanged(document) if known is None else place.put(document, _joined(known, OWNED, {}))
        )


def _rest(mapping: Mapping[str, Any], owned: Mapping[str, Any]) -> dict[str, Any]:
    """What has no field of its own."""
    out = {}
    for key, value in mapping.items():
        inner = owned.get(key)
        if inner is None or (not isinstance(inner, str) and not _is_filled(value)):
            out[key] = value
        elif not isinstance(inner, str) and (left := _rest(value, inner)):
            out[key] = value if len(left) == len(value) else left
    return out


def _is_filled(value: Any) -> bool:
    return isinstance(value, Mapping) and bool(value)


def _joined(
    known: Mapping[str, Any], owned: Mapping[str, Any], rest: Mapping[str, Any]
) -> dict[str, Any]:
    """What of the known has a field, and the rest; in the order of the known, new keys last."""
    out: dict[str, Any] = {}
    for key, value in known.items():
        inner = owned.get(key)
        if isinstance(inner, str):
            out[key] = value
        elif inner is None or not isinstance(value, Mapping) or not inner.keys() & value.keys():
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
