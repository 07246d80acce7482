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
from typing import TYPE_CHECKING, Any

from fluxtui.model.constraint import requires
from fluxtui.model.documents import json_value
from fluxtui.model.documents.json_value import shown
from fluxtui.notation.problem import MAX_LENGTH, Problem, at, capped, nearest
from fluxtui.notation.query.tree import shown as quoted

if TYPE_CHECKING:
    from fluxtui.model.documents.document import Document

#: Steps of one list, and characters of a title and of a note; more are not read.
MAX_STEPS = 1000
MAX_TITLE = 200
MAX_NOTE = 4000

RULE = "stage list"

_KEYS = ("title", "constraint", "note")
_OUTER = ("title", "steps")
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


def read(found: "Document") -> tuple[Stage | None, tuple[Problem, ...]]:
    """The stage list of a document that was read. Never raises.

    There is none where no step can be shown. The problems are those of the text, then those of the
    list; each has its place in the text where it has one, and says what was expected there.
    """
    if not found.readable:
        return None, found.problems
    reader = _Reader()
    stage = reader.stage(found.value)
    problems = capped((*found.problems, *found.located(reader.problems)))
    return (stage if stage is not None and stage.steps else None), problems


class _Reader:
    """Reads the steps, and collects what is wrong; see `read`."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def error(self, message: str, path: str, *expected: str) -> None:
        self.problems.append(Problem(message, None, path or None, expected, RULE))

    def stage(self, value: object) -> Stage | None:
        if isinstance(value, list):
            return Stage("", self.steps(value, ""))
        if not isinstance(value, dict):
            wanted = "a list of steps, or title and steps"
            self.error(f"a stage list is {wanted}; found {shown(value)}", "", wanted)
            return None
        self.unknown(value, "", _OUTER)
        title = self.words(value, "title", "", MAX_TITLE)
        steps = value.get("steps")
        if not isinstance(steps, list):
            said = f"steps is a list; found {shown(steps)}" if "steps" in value else "no steps"
            self.error(said, "steps", "a list of steps")
            return None
        return Stage(title, self.steps(steps, "steps"))

    def steps(self, values: list[Any], path: str) -> tuple[Step, ...]:
        if not values:
            self.error("the list has no step", path, "a step with title and constraint")
        if len(values) > MAX_STEPS:
            message = f"the list has {len(values):,} steps; more than {MAX_STEPS:,} are not read"
            self.error(message, at(path, MAX_STEPS), f"at most {MAX_STEPS:,} steps")
        read = (self.step(step, at(path, n), n) for n, step in enumerate(values[:MAX_STEPS]))
        return tuple(step for step in read if step is not None)

    def step(self, value: object, path: str, item: int) -> Step | None:
        """A step; None where it has no constraint that could be shown."""
        if not isinstance(value, dict):
            self.error(f"a step is a mapping; found {shown(value)}", path, *_KEYS)
            return None
        self.unknown(value, path, _KEYS)
        if "title" not in value:
            self.error("the step has no title", path, "title")
        title = self.words(value, "title", path, MAX_TITLE)
        note = self.words(value, "note", path, MAX_NOTE)
        given = value.get("constraint", "")
        if isinstance(given, str) and not given.strip():
            self.error("the step has no constraint", path, *_FORMS)
            return None
        text = self.constraint(value["constraint"], at(path, "constraint"))
        return None if text is None else Step(title, text, note, item)

    def unknown(self, value: Mapping[Any, Any], path: str, known: tuple[str, ...]) -> None:
        """Keys that mean nothing here, each with the one that may be meant."""
        for key in value:
            if key not in known:
                near = nearest(str(key), known)
                hint = f"; did you mean {near}?" if near else ""
                self.error(f"unknown key {quoted(str(key))}{hint}", at(path, str(key)), *known)

    def words(self, value: Mapping[Any, Any], key: str, path: str, most: int) -> str:
        """A text that a person wrote, cut where it is too long; empty where there is none."""
        text = value.get(key)
        if text is None and key not in value:
            return ""
        here = at(path, key)
        if not isinstance(text, str):
            self.error(f"{key} is a string; found {shown(text)}", here, "a string")
            return ""
        if len(text) > most:
            message = f"{key} has {len(text):,} characters; more than {most:,} are not shown"
            self.error(message, here, f"at most {most:,} characters")
        return text[:most].strip()

    def constraint(self, value: object, path: str) -> str | None:
        """The text of a constraint; None where it is none of its forms, or too long."""
        if isinstance(value, dict):
            odd = json_value.problem(value)
            if odd is not None:
                self.error(odd.message, f"{path}.{odd.path}" if odd.path else path, *_FORMS)
                return None
            text = json.dumps(value)
        elif isinstance(value, str):
            text = " ".join(value.splitlines()).strip()
        else:
            self.error(f"constraint is not a query; found {shown(value)}", path, *_FORMS)
            return None
        if len(text) > MAX_LENGTH:
            message = f"the constraint has {len(text):,} characters"
            self.error(message, path, f"at most {MAX_LENGTH:,} characters")
            return None
        wrong = next((p for p in requires.read(text).problems if p.severity == "error"), None)
        if wrong is not None:
            said = f"the constraint cannot be read: {wrong.message}"
            self.error(said, path, *wrong.expected)
        return text
