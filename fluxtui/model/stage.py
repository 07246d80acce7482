"""A stage list: constraints to show one after the other, each with a title and a note.

The YAML or JSON document is a list of steps, or a mapping with ``title`` and ``steps``. A step is a
mapping:

    title       a few words
    constraint  a query (RFC 35) as a string, or an RFC 31 object as a mapping or as JSON text
    note        some lines about it; optional

A faulty step does not affect the others, and is shown as far as it can be read.
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

#: Limits: steps in a list, characters of a title and of a note; anything beyond is not read.
MAX_STEPS = 1000
MAX_TITLE = 200
MAX_NOTE = 4000

RULE = "stage list"

_KEYS = ("title", "constraint", "note")
_FORMS = ("a query such as gpu&-debug", "an RFC 31 object")


@dataclass(frozen=True, slots=True)
class Step:
    """One constraint to show: its title, its text as a person would type it, and a note about it.

    item is its index in the document's list, which also counts steps that cannot be shown.
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

    It is if it has a list of ``steps``, or is a list with a mapping that has a key of a step.
    """
    if isinstance(value, Mapping):
        return isinstance(value.get("steps"), list)
    if not isinstance(value, list):
        return False
    return any(isinstance(step, Mapping) and not step.keys().isdisjoint(_KEYS) for step in value)


def read(found: Document) -> tuple[Stage | None, tuple[Problem, ...]]:
    """Return the stage list of a document, None if no step can be shown. Never raises.

    The problems of the text come first, then those of the list, with spans where known.
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
        report.check_keys(value, "a stage list", "", "title", "steps")
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
    """Read a step; None if it has no constraint that can be shown."""
    if not isinstance(value, dict):
        report.error(f"a step is a mapping; found {shown(value)}", path, *_KEYS)
        return None
    report.check_keys(value, "a step", path, *_KEYS)
    if "title" not in value:
        report.error("the step has no title", path, "title")
    title = _words(report, value, "title", path, MAX_TITLE)
    note = _words(report, value, "note", path, MAX_NOTE)
    constraint = value.get("constraint", "")
    if isinstance(constraint, str) and not constraint.strip():
        report.error("the step has no constraint", path, *_FORMS)
        return None
    query = _constraint(report, constraint, at(path, "constraint"))
    return None if query is None else Step(title, query, note, item)


def _words(report: Report, value: Mapping[Any, Any], key: str, path: str, most: int) -> str:
    """Return the text under a key, cut to most characters; empty if there is none."""
    text, here = value.get(key, ""), at(path, key)
    if not isinstance(text, str):
        report.error(f"{key} is a string; found {shown(text)}", here, "a string")
        return ""
    if len(text) > most:
        message = f"{key} has {len(text):,} characters; more than {most:,} are not shown"
        report.error(message, here, f"at most {most:,} characters")
    return text[:most].strip()


def _constraint(report: Report, value: object, path: str) -> str | None:
    """Return the text of a constraint; None if it has none of the known forms, or is too long."""
    if isinstance(value, str):
        text = " ".join(value.splitlines()).strip()
    elif not isinstance(value, dict):
        report.error(f"constraint is not a query; found {shown(value)}", path, *_FORMS)
        return None
    elif (fault := not_json(value)) is not None:
        report.error(fault.message, f"{path}.{fault.path}" if fault.path else path, *_FORMS)
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
