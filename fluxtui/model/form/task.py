"""The notations of where a task runs and how many of it there are: slots and counts (RFC 14)."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fluxtui.model.documents.json_value import is_whole
from fluxtui.model.documents.report import Report
from fluxtui.model.form.field import (
    Context,
    Notation,
    all_of,
    offers,
    read_json,
    read_string,
    remark,
    write_string,
    wrong,
)
from fluxtui.model.form.place import MISSING, task
from fluxtui.model.jobspec import program, v1
from fluxtui.model.jobspec.request import CANONICAL, RequestVertex, ResourceRequest, parse
from fluxtui.model.jobspec.words import count_words
from fluxtui.notation.json_text import dump
from fluxtui.notation.problem import Completion, Parsed, Problem, printable
from fluxtui.notation.wording import counted

_SLOT = task("slot")


def _request(context: Context) -> ResourceRequest:
    """The resources that the task runs in."""
    return parse(list(context.resources) or context.document.get("resources"))


def _checked(
    text: str, path: str, parts: Mapping[str, Any], request: ResourceRequest
) -> tuple[Problem, ...]:
    """What RFC 14 and RFC 25 say of a slot or a count, as problems of a text; V1's as warnings."""
    whole = {"slot": "", "command": ["app"], "count": {"per_slot": 1}, **parts}
    report, v1_report = Report(CANONICAL), Report(v1.V1)
    program.check_tasks(report, [whole], request)
    if "count" in parts:
        v1.check_program(v1_report, {"tasks": [whole]}, request)
    softer = [replace(problem, severity="warning") for problem in v1_report.problems]
    return tuple(
        replace(problem, span=all_of(text))
        for problem in (*report.problems, *softer)
        if (problem.path or "").startswith(path)
    )


class Slot(Notation):
    """The label of a slot, which the resources have."""

    def blank(self, text: str, path: str, context: Context) -> Parsed[Any]:
        """A task cannot do without; the labels there are come with the problem."""
        labels = _request(context).labels
        message = "a task runs in a slot; type its label"
        return wrong(message, text, path, *(labels or ["default"]))

    def read(self, text: str, path: str, context: Context) -> Parsed[Any]:
        """The label."""
        label, request = read_string(text), _request(context)
        if not request.raw:
            return Parsed(label)
        return Parsed(label, _checked(text, path, {"slot": label}, request))

    def is_legal(self, value: Any) -> bool:
        """Any string."""
        return isinstance(value, str)

    def write(self, value: Any) -> str:
        """The label, in quotes where it needs them."""
        return write_string(value)

    def describe(self, value: Any, context: Context) -> str:
        """How many slots of this label there are, and what each holds."""
        return _in_words(_request(context).slot(value))

    def complete(self, text: str, cursor: int, context: Context) -> list[Completion]:
        """The labels there are."""
        labels = _request(context).by_label.items()
        found = {write_string(label): _in_words(slot) or "a slot" for label, slot in labels}
        return offers(text, cursor, found)


def _in_words(slot: RequestVertex | None) -> str:
    """``8 slots of core ×2, memory ×4 GB``; the number only where it is one number."""
    held = [] if slot is None else [_held(v.fields) for v in slot.children if v.is_readable]
    if slot is None or not held:
        return ""
    number = slot.total
    some = "" if number is None else f"{counted(number, 'slot')} of "
    return f"{some}{', '.join(held)}"


def _held(vertex: Mapping[str, Any]) -> str:
    """A resource of a slot: ``core ×2``, ``memory ×4 GB``."""
    kind, count, unit = vertex.get("type", "?"), vertex.get("count", 1), vertex.get("unit")
    words = str(kind) if count == 1 and not unit else f"{kind} ×{count_words(count)}"
    return printable(f"{words} {unit}" if isinstance(unit, str) else words)


# How people write counts; each gives a key of RFC 14 with the groups of the match.
_TOTAL = re.compile(r"(?:total\s*[=:]?\s*)?(-?[0-9]{1,4300})(?:\s+(?:total|tasks?|in all))?")
_PER_RESOURCE = re.compile(r"per_resource\s*=\s*([^\s=]+)\s*=\s*(-?[0-9]{1,4300})")
_PER = re.compile(
    r"(?:(-?[0-9]{1,4300})\s*)?(?:tasks?\s+)?"
    r"(?:(?:per|in each|in every|for each)\s+|/\s*)([A-Za-z][A-Za-z0-9_.-]*)"
)
_PER_SLOT = re.compile(r"per_slot\s*[=:]?\s*(-?[0-9]{1,4300})")
_TYPE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")

_FORMS = ("per_slot=1", "total=5", "per_resource=core=2")


class Count(Notation):
    """``per_slot=N``, ``total=N``, ``per_resource=TYPE=N``, and how people write these."""

    def blank(self, text: str, path: str, context: Context) -> Parsed[Any]:
        """One task in each slot."""
        return Parsed({"per_slot": 1})

    def read(self, text: str, path: str, context: Context) -> Parsed[Any]:
        """The count, with what RFC 14, RFC 25 and flux-core hold against it."""
        word = text.strip()
        count: Any = _count(word)
        if word[0] == "{":
            found = read_json(text, path)
            if not found.ok:
                return found
            count = found.value
        elif count is None:
            message = f"'{printable(word[:40])}' does not say how many tasks there are"
            return wrong(message, text, path, *_FORMS)
        label = _SLOT.get(context.document)
        parts = {"count": count, **({"slot": label} if label is not MISSING else {})}
        problems = _checked(text, path, parts, _request(context))
        if not self.is_legal(count):
            return Parsed(MISSING, problems)
        if any(problem.severity == "error" for problem in problems):
            return Parsed(count, problems)
        return Parsed(count, (*_advice(text, path, count), *problems))

    def is_legal(self, value: Any) -> bool:
        """A dictionary of one of the three keys."""
        if not isinstance(value, dict) or len(value) != 1:
            return False
        ((key, number),) = value.items()
        if key == "per_resource" and isinstance(number, dict):
            return is_whole(number.get("count")) and isinstance(number.get("type"), str)
        return key in ("per_slot", "total") and is_whole(number)

    def write(self, value: Any) -> str:
        """The key and the number; JSON for a type that no word fits."""
        ((key, number),) = value.items()
        if key != "per_resource":
            return f"{key}={number}"
        if len(number) == 2 and _TYPE.fullmatch(number["type"]):
            return f"per_resource={number['type']}={number['count']}"
        return dump(value)

    def describe(self, value: Any, context: Context) -> str:
        """How many tasks there are for each slot, and in all."""
        ((key, count),) = value.items()
        if key == "per_resource":
            return f"{_tasks(count['count'])} for each {count['type']} of a slot"
        slot = _request(context).slot(_SLOT.get(context.document))
        slots = None if slot is None else slot.total
        if key == "total":
            return f"{_tasks(count)} in {'all' if slots is None else counted(slots, 'slot')}"
        every = f": {_tasks(count * slots)} in all" if slots else ""
        return f"{_tasks(count)} in each slot{every}"

    def complete(self, text: str, cursor: int, context: Context) -> list[Completion]:
        """The keys, and the types that the slot holds."""
        choices = {"per_slot=1": "one task in each slot", "total=": "so many tasks in all"}
        label = _SLOT.get(context.document)
        for slot in _request(context).slots():
            if slot.label is None or (label is not MISSING and slot.label != label):
                continue
            for vertex in slot.below():
                if vertex.type is not None and _TYPE.fullmatch(vertex.type):
                    meaning = f"one task for each {vertex.type} of a slot"
                    choices[f"per_resource={vertex.type}=1"] = meaning
        return offers(text, cursor, choices)


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


def _advice(text: str, path: str, count: Mapping[str, Any]) -> tuple[Problem, ...]:
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
    return (remark(message, text, path, advice, rule="flux-core"),)


def _tasks(number: int) -> str:
    if number.bit_length() > 100:  # Python writes no number without end
        return "very many tasks"
    return "one task" if number == 1 else f"{number:,} tasks"
