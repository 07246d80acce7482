"""The fields of the whole jobspec: one line of a form each, as text <-> a part of the document.

All of RFC 14 but its resources, which a shape says. A text keeps to one part of the document, so
that a part that is malformed stays as it is until its own field is edited.
"""

from collections.abc import Mapping
from typing import Any, Final

from fluxtui.model.documents.json_value import shown
from fluxtui.model.documents.report import Report
from fluxtui.model.form.command import COMMAND, SCRIPT
from fluxtui.model.form.constraints import CONSTRAINTS
from fluxtui.model.form.dependencies import DEPENDENCIES
from fluxtui.model.form.environment import ENVIRONMENT
from fluxtui.model.form.field import MISSING, NOWHERE, Context, Field, all_of, literal
from fluxtui.model.form.settings import SHELL_OPTIONS, TASK_ATTRIBUTES, USER
from fluxtui.model.form.strings import BANK, CWD, DISTRIBUTION, NAME, PROJECT, QUEUE
from fluxtui.model.form.system import SYSTEM
from fluxtui.model.form.task import COUNT, SLOT
from fluxtui.model.form.time import DURATION, PREEMPTIBLE
from fluxtui.model.jobspec import program, v1
from fluxtui.model.jobspec.request import CANONICAL, ResourceRequest, parse
from fluxtui.notation.problem import Problem

__all__ = [
    "FIELDS",
    "MISSING",
    "NOWHERE",
    "Context",
    "Field",
    "by_name",
    "field_of",
    "problems",
    "text",
    "value",
    "with_value",
]

#: Every field, in the order of the form; those of a group stand together.
FIELDS: Final[tuple[Field, ...]] = (
    COMMAND,
    SCRIPT,
    SLOT,
    COUNT,
    DISTRIBUTION,
    NAME,
    DURATION,
    PREEMPTIBLE,
    DEPENDENCIES,
    QUEUE,
    BANK,
    PROJECT,
    CONSTRAINTS,
    CWD,
    ENVIRONMENT,
    SHELL_OPTIONS,
    TASK_ATTRIBUTES,
    SYSTEM,
    USER,
)

_BY_NAME: Final = {field.name: field for field in FIELDS}

# Parts that hold others, and the field that shows what is wrong with all of one.
_AROUND: Final = {
    "tasks": COMMAND,
    "tasks[0]": COMMAND,
    "attributes": DURATION,
    "attributes.system": DURATION,
    "attributes.system.batch.script": SCRIPT,
}


def by_name(name: str) -> Field:
    """The field of a name; KeyError where there is none."""
    return _BY_NAME[name]


def value(field: Field, document: Mapping[str, Any]) -> Any:
    """What a document says at a field; ``MISSING`` where it says nothing.

    Also what RFC 14 does not know, such as a duration that is a string.
    """
    return field.get(document)


def with_value(field: Field, document: Mapping[str, Any], value: Any) -> dict[str, Any]:
    """A document that says this at a field; ``MISSING`` takes the part away.

    The document itself where it says so already. Dictionaries on the way are made where they are
    missing, with their keys in the order of RFC 14; what is not touched stays the same object.
    """
    return field.put(document, value)


def text(field: Field, document: Mapping[str, Any]) -> str:
    """The canonical text of a field; a value that has none, since it is not legal, as JSON."""
    return _text(field, field.get(document))[0]


def _text(field: Field, value: Any) -> tuple[str, bool]:
    """The text of a value, and whether it is the value's own."""
    try:
        return field.write(value), True
    except ValueError:
        if field is COMMAND and isinstance(value, str) and value.isprintable():
            return value, False
        return literal(value), False


def problems(
    field: Field, text: str, document: Mapping[str, Any], context: Context
) -> tuple[Problem, ...]:
    """What is wrong or odd with the text of a field, in the document that is in force.

    Problems have spans in the text and paths in the document. A text that shows a malformed part of
    the document as it is has the problems of that part; so has one that shows what is missing.
    """
    held = field.get(document)
    own, legal = _text(field, held)
    if text == own and not legal:
        return _of_document(field, text, document, held)
    found = field.read(text, context._replace(document=document))
    if held is MISSING and text == own and found.value is not MISSING:
        return (*found.problems, *_missing(field, text, document))
    return found.problems


def _of_document(
    field: Field, text: str, document: Mapping[str, Any], held: Any
) -> tuple[Problem, ...]:
    """What RFC 14 says of a part that is not legal; something is said in any case."""
    report = Report(CANONICAL)
    if field.path.startswith("tasks"):
        program.check_tasks(report, document.get("tasks"), parse(document.get("resources")))
    else:
        program.check_attributes(report, document.get("attributes", {}))
    span = all_of(text)
    wanted = _instead(field, held, document)
    found = tuple(
        problem._replace(span=span, expected=wanted)
        for problem in report.problems
        if (problem.path or "").startswith(field.path) and problem.severity == "error"
    )
    if found:
        return found
    message = f"this cannot stand here; found {shown(held)}"
    return (Problem(message, span, field.path, wanted, CANONICAL),)


def _instead(field: Field, held: Any, document: Mapping[str, Any]) -> tuple[str, ...]:
    """What to type in place of a part that is not legal: the text in it, or else an example."""
    if isinstance(held, str) and held.strip():
        read = field.read(held, NOWHERE._replace(document=document))
        if read.ok and read.value is not MISSING:
            return (held,)
    return (field.hint.split(" · ")[0],)


def _missing(field: Field, text: str, document: Mapping[str, Any]) -> tuple[Problem, ...]:
    """What a jobspec lacks that a blank field stands for."""
    if field is DURATION:
        report = Report("RFC 25")
        attributes = {"system": {}, **_attributes(document)}
        v1.check_program(report, {"attributes": attributes}, ResourceRequest())
        soft = [p._replace(severity="warning", span=all_of(text)) for p in report.problems]
        return tuple(soft)
    message = f"a task needs its {field.path.rpartition('.')[2]}"
    example = field.write(field.read("", NOWHERE).value)
    return (Problem(message, all_of(text), field.path, (example,), CANONICAL),)


def _attributes(document: Mapping[str, Any]) -> Mapping[str, Any]:
    found = document.get("attributes")
    return found if isinstance(found, Mapping) else {}


def field_of(problem_path: str) -> Field | None:
    """The field that a problem of a document belongs to, by its path; None where none is.

    Problems of the resources belong to no field, nor do those of a second task.
    """
    found = _AROUND.get(problem_path)
    if found is not None:
        return found
    near: Field | None = None
    for field in FIELDS:
        path = field.path
        within = problem_path.startswith(path) and problem_path[len(path) :][:1] in ("", ".", "[")
        if within and (near is None or len(path) > len(near.path)):
            near = field
    return near
