"""The fields of the task: its command, its slot, and how many of it there are (RFC 14)."""

import re
from collections.abc import Mapping
from typing import Any

from fluxtui.model.documents.json_value import is_whole
from fluxtui.model.documents.report import Report
from fluxtui.model.form.field import (
    MISSING,
    NOWHERE,
    Context,
    Field,
    offers,
    read_json,
    read_string,
    remark,
    write_string,
    wrong,
)
from fluxtui.model.form.place import task
from fluxtui.model.jobspec import program, v1
from fluxtui.model.jobspec.request import CANONICAL, parse
from fluxtui.model.jobspec.words import count_words
from fluxtui.notation.json_text import dump
from fluxtui.notation.problem import Completion, Parsed, Problem, Span, printable

_SLOT = "tasks[0].slot"
_COUNT = "tasks[0].count"

_TOTAL = re.compile(r"(?:total\s*[=:]?\s*)?(-?[0-9]{1,4300})(?:\s+(?:total|tasks?|in all))?")
_PER_RESOURCE = re.compile(r"per_resource\s*=\s*([^\s=]+)\s*=\s*(-?[0-9]{1,4300})")
_PER = re.compile(
    r"(?:(-?[0-9]{1,4300})\s*)?(?:tasks?\s+)?"
    r"(?:(?:per|in each|in every|for each)\s+|/\s*)([A-Za-z][A-Za-z0-9_.-]*)"
)
_PER_SLOT = re.compile(r"per_slot\s*[=:]?\s*(-?[0-9]{1,4300})")
_TYPE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")

_FORMS = ("per_slot=1", "total=5", "per_resource=core=2")


def _resources(context: Context) -> Any:
    """The resources that the task runs in."""
    return list(context.resources) or context.document.get("resources")


def _read_slot(text: str, context: Context) -> Parsed[Any]:
    """The label of a slot, which the resources have."""
    resources = _resources(context)
    label = read_string(text)
    if label is MISSING:
        labels = [slot["label"] for slot in _slots(resources)]
        return wrong("a task runs in a slot; type its label", text, _SLOT, *(labels or ["default"]))
    if not resources:
        return Parsed(label)
    return Parsed(label, _checked(text, _SLOT, {"slot": label}, resources, context))


def _checked(
    text: str, path: str, parts: Mapping[str, Any], resources: Any, context: Context
) -> tuple[Problem, ...]:
    """What RFC 14 and RFC 25 say of a slot or a count, as problems of a text; V1's as warnings."""
    wanted = {"slot": "", "command": ["app"], "count": {"per_slot": 1}, **parts}
    report, v1_report = Report(CANONICAL), Report(v1.V1)
    request = parse(resources)
    program.check_tasks(report, [wanted], request)
    if "count" in parts:
        v1.check_program(v1_report, {"tasks": [wanted]}, request)
    softer = [problem._replace(severity="warning") for problem in v1_report.problems]
    span = Span(len(text) - len(text.lstrip()), len(text.rstrip()))
    return tuple(
        problem._replace(span=span)
        for problem in (*report.problems, *softer)
        if (problem.path or "").startswith(path)
    )


def _slots(resources: Any) -> list[Mapping[str, Any]]:
    """The slots that have a label, in order, found without the paths that lead to them."""
    found = []
    waiting = list(reversed(resources)) if isinstance(resources, list | tuple) else []
    while waiting:
        vertex = waiting.pop()
        if not isinstance(vertex, Mapping):
            continue
        if vertex.get("type") == "slot" and isinstance(vertex.get("label"), str):
            found.append(vertex)
        inner = vertex.get("with")
        waiting += reversed(inner) if isinstance(inner, list | tuple) else ()
    return found


def _describe_slot(value: Any, context: Context = NOWHERE) -> str:
    """How many slots of this label there are, and what each holds."""
    for slot in _slots(_resources(context)) if isinstance(value, str) else ():
        if slot["label"] == value:
            inner = slot.get("with")
            listed = inner if isinstance(inner, list | tuple) else ()
            held = [_held(vertex) for vertex in listed if isinstance(vertex, Mapping)]
            number = _number_of_slots(_resources(context), value)
            some = "" if number is None else f"{number:,} slot{'' if number == 1 else 's'} of "
            return f"{some}{', '.join(held)}" if held else ""
    return ""


def _held(vertex: Mapping[str, Any]) -> str:
    """A resource of a slot: ``core ×2``, ``memory ×4 GB``."""
    kind, count, unit = vertex.get("type", "?"), vertex.get("count", 1), vertex.get("unit")
    words = str(kind) if count == 1 and not unit else f"{kind} ×{count_words(count)}"
    return printable(f"{words} {unit}" if isinstance(unit, str) else words)


def _number_of_slots(resources: Any, label: object) -> int | None:
    """How many slots of a label there are in all; None where that is not one number."""
    waiting = [(vertex, 1) for vertex in resources] if isinstance(resources, list | tuple) else []
    while waiting:
        vertex, times = waiting.pop()
        if not isinstance(vertex, Mapping):
            continue
        count = vertex.get("count")
        here = times * count if isinstance(count, int) and is_whole(count) else 0
        if vertex.get("type") == "slot" and vertex.get("label") == label:
            return here or None
        inner = vertex.get("with")
        waiting += [(child, here) for child in inner] if isinstance(inner, list | tuple) else []
    return None


def _complete_slot(text: str, cursor: int, context: Context) -> list[Completion]:
    labels = [slot["label"] for slot in _slots(_resources(context))]
    found = {write_string(label): _describe_slot(label, context) or "a slot" for label in labels}
    return offers(text, cursor, found)


def _read_count(text: str, context: Context) -> Parsed[Any]:
    """``per_slot=N``, ``total=N``, ``per_resource=TYPE=N``, and how people say these."""
    word = text.strip()
    if not word:
        return Parsed({"per_slot": 1})
    if word[0] == "{":
        return _read_json(text, context)
    count = _count(word)
    if count is None:
        message = f"'{printable(word[:40])}' does not say how many tasks there are"
        return wrong(message, text, _COUNT, *_FORMS)
    return _judged(text, count, context)


def _count(word: str) -> dict[str, Any] | None:
    """The count of a text."""
    if found := _PER_SLOT.fullmatch(word):
        return {"per_slot": int(found[1])}
    if found := _TOTAL.fullmatch(word):
        return {"total": int(found[1])}
    if found := _PER_RESOURCE.fullmatch(word):
        return {"per_resource": {"type": found[1], "count": int(found[2])}}
    if found := _PER.fullmatch(word):
        number = int(found[1]) if found[1] else 1
        if found[2] in ("slot", "slots"):
            return {"per_slot": number}
        return {"per_resource": {"type": found[2], "count": number}}
    return None


def _read_json(text: str, context: Context) -> Parsed[Any]:
    """A count as the document has it, for what the words do not say."""
    found = read_json(text, _COUNT)
    return _judged(text, found.value, context) if found.ok else found


def _judged(text: str, count: Any, context: Context) -> Parsed[Any]:
    """A count with what is to be said of it."""
    resources = _resources(context)
    label = task("slot").get(context.document)
    parts = {"count": count, **({"slot": label} if label is not MISSING else {})}
    problems = _checked(text, _COUNT, parts, resources, context)
    if not _legal(count):
        return Parsed(MISSING, problems)
    if any(problem.severity == "error" for problem in problems):
        return Parsed(count, problems)
    return Parsed(count, (*_advice(text, count), *problems))


def _advice(text: str, count: Mapping[str, Any]) -> tuple[Problem, ...]:
    """What flux-core refuses of a legal count, and what to type in its place."""
    message, advice = "flux-core runs one task in each slot; total=N sets another number", "total=N"
    if "per_resource" in count:
        kind, number = count["per_resource"]["type"], count["per_resource"]["count"]
        message = "flux-core refuses per_resource; total=N sets how many tasks there are"
        if kind in ("node", "core"):
            more = "" if number == 1 else f" per-resource.count={number}"
            advice = f"per-resource.type={kind}{more}"
            message = f"flux-core refuses per_resource; type {advice} at Shell options"
    elif count.get("per_slot", 1) == 1:
        return ()
    return (remark(message, text, _COUNT, advice, rule="flux-core"),)


def _legal(count: object) -> bool:
    """A count that RFC 14 knows."""
    if not isinstance(count, dict) or len(count) != 1:
        return False
    ((key, value),) = count.items()
    if key == "per_resource" and isinstance(value, dict):
        return is_whole(value.get("count")) and isinstance(value.get("type"), str)
    return key in ("per_slot", "total") and is_whole(value)


def _write_count(value: Any) -> str:
    if value is MISSING:
        return ""
    if not _legal(value):
        raise ValueError("not the count of a task")
    ((key, number),) = value.items()
    text = f"{key}={number}" if key != "per_resource" else ""
    if not text and len(number) == 2 and _TYPE.fullmatch(number["type"]):
        text = f"per_resource={number['type']}={number['count']}"
    return text or dump(value)


def _describe_count(value: Any, context: Context = NOWHERE) -> str:
    if not _legal(value):
        return ""
    ((key, count),) = value.items()
    if key == "per_resource":
        return f"{_tasks(count['count'])} for each {count['type']} of a slot"
    slots_in_all = _number_of_slots(_resources(context), task("slot").get(context.document))
    among = "" if not slots_in_all else f"{slots_in_all:,} slot{'' if slots_in_all == 1 else 's'}"
    if key == "total":
        return f"{_tasks(count)} in {among or 'all'}"
    every = f": {_tasks(count * slots_in_all)} in all" if slots_in_all else ""
    return f"{_tasks(count)} in each slot{every}"


def _tasks(number: int) -> str:
    if number.bit_length() > 100:  # Python writes no number without end
        return "very many tasks"
    return "one task" if number == 1 else f"{number:,} tasks"


def _complete_count(text: str, cursor: int, context: Context) -> list[Completion]:
    choices = {"per_slot=1": "one task in each slot", "total=": "so many tasks in all"}
    label = task("slot").get(context.document)
    for slot in _slots(_resources(context)):
        if slot["label"] == label or label is MISSING:
            for vertex in parse(slot.get("with")).walk():
                kind = vertex.type
                if kind is not None and _TYPE.fullmatch(kind):
                    choices[f"per_resource={kind}=1"] = f"one task for each {kind} of a slot"
    return offers(text, cursor, choices)


SLOT = Field(
    "slot",
    "Slot",
    "Task",
    "default",
    "The label of the slot that the tasks run in. A slot is the part of the shape that each task "
    "gets for itself.",
    _SLOT,
    _read_slot,
    write_string,
    _describe_slot,
    _complete_slot,
    task("slot").get,
    task("slot").put,
)
COUNT = Field(
    "tasks",
    "Tasks",
    "Task",
    "5 · 2 per slot · blank: one in each slot",
    "How many tasks there are: per_slot=1 for each slot, total=5 in all, "
    "per_resource=core=2 for each core of a slot.",
    _COUNT,
    _read_count,
    _write_count,
    _describe_count,
    _complete_count,
    task("count").get,
    task("count").put,
)
