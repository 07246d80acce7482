"""A stage list: constraints to show one after the other, each with a title and a note.

A YAML or JSON document: a list of steps, or a mapping with ``title`` and ``steps``. A step is a
mapping:

    title       a few words
    constraint  a query (RFC 35) as a string, or an RFC 31 object as a mapping or as JSON text
    note        some lines about it; may be left out

A step that has a fault stops no other: what can be shown of it is shown.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fluxtui.model.constraint import requires
from fluxtui.model.documents.document import Document, not_json
from fluxtui.model.documents.report import Report
from fluxtui.notation.json_value import shown
from fluxtui.notation.problem import MAX_LENGTH, Problem, at, capped
from fluxtui.notation.query.tree import shown as quoted

#: Steps of one list, and characters of a title and of a note; more are not read.
MAX_STEPS = 1000
MAX_TITLE = 200
MAX_NOTE = 4000

RULE = "stage list"

_KEYS = ("title", "constraint", "note")
_FORMS = ("a query such as gpu&-debug", "an RFC 31 object")


@dataclass(frozen=True, slots=True)
class Step:
    """One constraint to show: its title, its text as a person types it, and what is said of it.

    item is its place in the list that was read, from 0; those that cannot be shown count there.
    """

    title: str
    constraint: str
    note: str = ""
    item: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Stage:
    """A list of constraints to show; the title may be empty."""

    title: str
    steps: tuple[Step, ...]


def looks_like(value: object) -> bool:
    """Whether a document is meant as a stage list.

    It is one if it has a list of ``steps``, or is a list of which a mapping has a ``constraint``.
    """
    if isinstance(value, Mapping):
        return isinstance(value.get("steps"), list)
    if not isinstance(value, list):
        return False
    return any(isinstance(step, Mapping) and "constraint" in step for step in value)


def read(found: Document) -> tuple[Stage | None, tuple[Problem, ...]]:
    """The stage list of a document that was read. Never raises.

    There is none where no step can be shown. The problems are those of the text, then those of the
    list; each has its place in the text where it has one, and says what was expected there.
    """
    if not found.readable:
        return None, found.problems
    report = Report(RULE, limit=10 * MAX_STEPS)
    stage = _stage(report, found.value)
    problems = capped((*found.problems, *found.located(report.problems)))
    return (stage if stage.steps else None), problems


def _stage(report: Report, value: object) -> Stage:
    title, path, steps = "", "", value
    if isinstance(value, dict):
        _find_unknown(report, value, "", ("title", "steps"))
        title = _words(report, value, "title", "", MAX_TITLE)
        path, steps = "steps", value.get("steps")
        if not isinstance(steps, list):
            message = f"steps is a list; found {shown(steps)}" if "steps" in value else "no steps"
            report.error(message, path, "a list of steps")
            return Stage(title, ())
    elif not isinstance(steps, list):
        wanted = "a list of steps, or title and steps"
        report.error(f"a stage list is {wanted}; found {shown(value)}", "", wanted)
        return Stage(title, ())
    if not steps:
        report.error("the list has no step", path, "a step with title and constraint")
    if len(steps) > MAX_STEPS:
        message = f"the list has {len(steps):,} steps; more than {MAX_STEPS:,} are not read"
        report.error(message, at(path, MAX_STEPS), f"at most {MAX_STEPS:,} steps")
    read = (_step(report, step, at(path, n), n) for n, step in enumerate(steps[:MAX_STEPS]))
    return Stage(title, tuple(step for step in read if step is not None))


def _step(report: Report, value: object, path: str, item: int) -> Step | None:
    """A step; None where it has no constraint that could be shown."""
    if not isinstance(value, dict):
        report.error(f"a step is a mapping; found {shown(value)}", path, *_KEYS)
        return None
    _find_unknown(report, value, path, _KEYS)
    if "title" not in value:
        report.error("the step has no title", path, "title")
    title = _words(report, value, "title", path, MAX_TITLE)
    note = _words(report, value, "note", path, MAX_NOTE)
    constraint = value.get("constraint", "")
    if isinstance(constraint, str) and not constraint.strip():
        report.error("the step has no constraint", path, *_FORMS)
        return None
    text = _constraint(report, constraint, at(path, "constraint"))
    return None if text is None else Step(title, text, note, item)


def _find_unknown(
    report: Report, value: Mapping[Any, Any], path: str, known: tuple[str, ...]
) -> None:
    """Keys that mean nothing here, each with the one that may be meant."""
    for key in map(str, value):
        if key not in known:
            message = f"unknown key {quoted(key)}{report.hint(key, known)}"
            report.error(message, at(path, key), *known)


def _words(report: Report, value: Mapping[Any, Any], key: str, path: str, most: int) -> str:
    """A text that a person wrote, cut where it is too long; empty where there is none."""
    text, here = value.get(key, ""), at(path, key)
    if not isinstance(text, str):
        report.error(f"{key} is a string; found {shown(text)}", here, "a string")
        return ""
    if len(text) > most:
        message = f"{key} has {len(text):,} characters; more than {most:,} are not shown"
        report.error(message, here, f"at most {most:,} characters")
    return text[:most].strip()


def _constraint(report: Report, value: object, path: str) -> str | None:
    """The text of a constraint; None where it is none of its forms, or too long."""
    if isinstance(value, str):
        text = " ".join(value.splitlines()).strip()
    elif not isinstance(value, dict):
        report.error(f"constraint is not a query; found {shown(value)}", path, *_FORMS)
        return None
    elif (odd := not_json(value)) is not None:
        report.error(odd.message, f"{path}.{odd.path}" if odd.path else path, *_FORMS)
        return None
    else:
        text = json.dumps(value)
    if len(text) > MAX_LENGTH:
        message = f"the constraint has {len(text):,} characters"
        report.error(message, path, f"at most {MAX_LENGTH:,} characters")
        return None
    wrong = next((p for p in requires.read(text).problems if p.severity == "error"), None)
    if wrong is not None:
        report.error(f"the constraint cannot be read: {wrong.message}", path, *wrong.expected)
    return text
