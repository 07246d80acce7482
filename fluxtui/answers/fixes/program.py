"""Changes that may fix the ``tasks`` and ``attributes`` of a jobspec, most likely first."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from fluxtui.answers.fixes.case import Case, Change, keys_in_words, put, renamed, short, word_of
from fluxtui.answers.fixes.resources import number_in, slot_label, slots
from fluxtui.model.constraint.tree import OPERATORS
from fluxtui.model.documents.document import steps
from fluxtui.model.jobspec.jobspec import MISSING, part_at
from fluxtui.model.jobspec.program import SYSTEM_KEYS, TASK_KEYS
from fluxtui.model.jobspec.request import parse
from fluxtui.model.jobspec.verdicts import SCHEMES
from fluxtui.model.property_name import ILLEGAL
from fluxtui.notation import dependency, duration, shellwords
from fluxtui.notation.json_value import is_whole
from fluxtui.notation.problem import is_digits
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.query.tree import to_constraint
from fluxtui.notation.sets import hostlist, idset

#: One task in each slot.
ONE = {"per_slot": 1}

# The maximum number of slots, types or tasks to offer.
_OFFERED = 4

_JOB = ("attributes", "system", "job")
_NOT_IN_NAMES = re.compile(f"(?!^\\^)[{re.escape(ILLEGAL)}]")
_STRINGS = ("cwd", "queue", "bank", "project")

# The number of steps to the constraint: attributes, system, constraints.
_ABOVE = 3


def task_changes(case: Case) -> Iterator[Change]:
    """The changes that may fix a problem whose path leads into the tasks."""
    task = case.first(2)
    if len(case.steps) == 1:
        yield from _tasks(case)
    elif not isinstance(task.value, Mapping):
        yield from _not_a_task(task)
    elif len(case.steps) == 2:
        yield from _task(case)
    elif case.steps[2] == "command":
        yield from _command(task)
    elif case.steps[2] == "slot":
        yield from _slot(case, task)
    elif case.steps[2] == "count":
        yield from _count(case, task)
    else:
        if case.problem.code == "environment-value-not-string":
            yield from case.as_string()
        yield from case.dropped()


def new_task(document: Mapping[str, Any], *command: str) -> dict[str, Any]:
    """A task that runs once in each slot with the first label."""
    labels = parse(document.get("resources")).labels
    slot = labels[0] if labels else slot_label(document)
    return {"command": list(command) or ["app"], "slot": slot, "count": ONE}


def _tasks(case: Case) -> Iterator[Change]:
    tasks = case.value
    if isinstance(tasks, Mapping) and tasks:
        yield "make it a list", case.having([tasks])
    if not isinstance(tasks, list | tuple) or len(tasks) < 2:
        yield "run app in each slot", case.having([new_task(case.document)])
        return
    for task in tasks[:_OFFERED]:
        command = part_at(task, ["command"])
        words = command if isinstance(command, list) else []
        text = " ".join(word for word in words if isinstance(word, str))
        yield f"keep only {f'the task {short(text)}' if text else 'this task'}", case.having([task])


def _not_a_task(case: Case) -> Iterator[Change]:
    words = shellwords.split(case.value) if isinstance(case.value, str) else None
    if words is not None and words.ok and words.value:
        made = new_task(case.document, *(word.text for word in words.value))
        yield f"run it: {short(case.value)}", case.having(made)
    if len(case.document["tasks"]) > 1:
        yield "drop it", case.without()
    yield "run app in each slot", case.having(new_task(case.document))


def _task(case: Case) -> Iterator[Change]:
    task = case.value
    yield from case.misspelt(TASK_KEYS)
    if "command" not in task:
        yield "command: app", case.with_key("command", ["app"])
    if "slot" not in task:
        yield from _slot(case, case)
    if "count" not in task:
        yield "count: per_slot: 1", case.with_key("count", ONE)
    unknown = [key for key in task if key not in TASK_KEYS]
    if unknown:
        known = {key: value for key, value in task.items() if key in TASK_KEYS}
        yield f"drop {keys_in_words(unknown)}", case.having(known)


def _command(task: Case) -> Iterator[Change]:
    command = task.value.get("command")
    if isinstance(command, str):
        words = shellwords.split(command)
        if words.ok and words.value:
            listed = [word.text for word in words.value]
            yield "split it into words", task.with_key("command", listed)
        yield "make it one word", task.with_key("command", [command])
    elif isinstance(command, list | tuple):
        plain = [word if isinstance(word, str) else word_of(word) for word in command]
        kept = [word for word in plain if word is not None]
        if kept:
            label = "make its words strings" if len(kept) == len(command) else "keep its words"
            yield label, task.with_key("command", kept)
    yield "command: app", task.with_key("command", ["app"])


def _slot(case: Case, task: Case) -> Iterator[Change]:
    wanted, labels = task.value.get("slot"), task.request.labels
    path = case.problem.path or "tasks"
    where = path if path.endswith(".slot") else f"{path}.slot"
    for label in dict.fromkeys(labels[:_OFFERED]):
        yield f"{where}: {short(label)}", task.with_key("slot", label)
    is_string = isinstance(wanted, str)
    if len(labels) > 1 or (labels and not is_string):
        return
    slot = next(task.request.slots(), None)
    document = task.document if is_string else task.with_key("slot", "default")
    if slot is None:
        yield from slots(document)
    else:
        label = wanted if labels else slot_label(document)
        made = put(document, [*steps(slot.path), "label"], label)
        yield f"label the slot '{short(label)}'", made


def _count(case: Case, task: Case) -> Iterator[Change]:
    count, slot = task.value.get("count"), task.request.slot(task.value.get("slot"))

    def tasks(key: str, number: Any, more: str = "") -> Change:
        return f"{key}: {number}{more}", task.with_key("count", {key: number})

    def as_many(per_slot: Any) -> Iterator[Change]:
        slots = slot.total if slot is not None else None
        if slots is not None and is_whole(per_slot):
            yield tasks("total", per_slot * slots, ", as many tasks")

    if is_whole(count):
        yield tasks("total", count)
    if isinstance(count, Mapping):
        for key in ("per_slot", "total", "per_resource") if len(count) > 1 else ():
            if key in count:
                others = ", ".join(short(other) for other in count if other != key)
                label = f"drop {others}, keep {key}"
                yield label, task.with_key("count", {key: count[key]})
        key, per = str(case.steps[3]) if len(case.steps) > 3 else "", count.get("per_resource")
        inside = list(slot.below()) if slot is not None and isinstance(per, Mapping) else []
        if isinstance(per, Mapping) and key == "per_resource":
            types = dict.fromkeys(vertex.type for vertex in inside if vertex.type is not None)
            number = number_in(per.get("count")) or 1
            for kind in [per.get("type"), *types][: _OFFERED + 1]:
                made = {"per_resource": {"type": kind, "count": number}}
                label = f"per_resource: {number} for each {short(kind)}"
                yield label, task.with_key("count", made)
        elif isinstance(per, Mapping):
            yield tasks("per_slot", 1)
            found = [vertex for vertex in inside if vertex.type == per.get("type")]
            if len(found) == 1 and found[0].parent is slot and is_whole(per.get("count")):
                yield from as_many((found[0].number or 0) * per["count"])
        if key in ("per_slot", "total"):
            nearest = number_in(count[key])
            if nearest is not None and nearest is not count[key]:
                yield tasks(key, nearest)
        if key == "per_slot":
            yield tasks("per_slot", 1)
            yield from as_many(count[key])
        elif key == "total" and is_whole(count[key]):
            # RFC 25 keeps total between the number of nodes and the count of the slot.
            for words in case.problem.expected:
                bound = words.rsplit(" ", 1)[-1]
                if is_digits(bound):
                    yield tasks("total", int(bound))
    yield tasks("per_slot", 1)


def attribute_changes(case: Case) -> Iterator[Change]:
    """The changes that may fix a problem whose path leads into the attributes."""
    code, below, value = case.problem.code, case.steps[1:], case.value
    if below in ((), ("system",)):  # the minimum for V1: a duration of 0
        current = value if isinstance(value, Mapping) else {}
        duration_key = {"duration": 0} if below else {"system": {"duration": 0}}
        lead = "" if below and isinstance(value, Mapping) else "add a "
        yield f"{lead}duration: 0", case.having({**current, **duration_key})
    elif code == "attribute-unknown":
        for section in ("system", "user") if case.key in SYSTEM_KEYS else ("user",):
            yield from case.moved_to(section)
    elif below in (("system", "duration"), ("system", "preemptible-after")):
        read = duration.parse(value).value if isinstance(value, str) else None
        if read is not None and read < float("inf"):
            seconds = int(read) if read.is_integer() else read
            label = f"{case.key}: {seconds}, which is {duration.describe(read)}"
            yield label, case.having(seconds)
        if case.key == "duration":
            yield "duration: 0", case.having(0)
            return
    elif code.endswith("-value-not-string") or (len(below) == 2 and case.key in _STRINGS):
        yield from case.as_string()
    elif below[:2] == ("system", "dependencies"):
        yield from _dependencies(case)
        if len(below) > 3:
            yield "drop the dependency", case.first(4).without()
            return
    elif below[:2] == ("system", "constraints"):
        yield from _constraint(case)
    if len(below) > 1 or code in ("attribute-unknown", "user-not-dictionary"):
        yield from case.dropped()
    if len(case.steps) > _ABOVE and case.steps[2] == "constraints":
        yield "drop the constraints", case.first(_ABOVE).without()


def _dependencies(case: Case) -> Iterator[Change]:
    value, code = case.value, case.problem.code
    if isinstance(value, str) and len(case.steps) < 5:
        if entry := dependency.parse(value).value:
            made: Any = [entry] if code == "dependencies-not-list" else entry
            yield f"wait for {short(value)}", case.having(made)
    elif code == "dependencies-not-list" and isinstance(value, Mapping) and value:
        yield "make it a list", case.having([value])
    elif code == "dependency-job-unnamed":  # name the job after its program
        command = part_at(case.document, ["tasks", 0, "command", 0])
        name = command.rsplit("/", 1)[-1] if isinstance(command, str) else ""
        job = part_at(case.document, _JOB)
        named = {**(job if isinstance(job, Mapping) else {}), "name": name or "app"}
        yield f"name the job {short(named['name'])}", put(case.document, _JOB, named)
    elif len(case.steps) > 4:
        yield from case.as_string()
        near = case.problem.expected
        if code == "dependency-scheme-unknown" and len(near) == 1 and near[0] in SCHEMES:
            yield f"scheme: {near[0]}", case.having(near[0])


def _constraint(case: Case) -> Iterator[Change]:
    value, last = case.value, case.steps[-1]
    if value is MISSING:
        return
    if isinstance(value, Mapping):
        if len(value) > 1:
            joined = {"and": [{key: part} for key, part in value.items()]}
            yield "combine them with and", case.having(joined)
    elif isinstance(last, str) and len(case.steps) > _ABOVE:
        # A name that is not an operator, or values that are not a list.
        outer, expected = case.first(-1), case.problem.expected
        near = expected[0] if len(expected) == 1 else ""
        if near in OPERATORS and near not in outer.value:
            yield f"rename the operator to {near}", outer.having(renamed(outer.value, last, near))
        if not isinstance(value, list | tuple) and value is not None:
            yield "make it a list", case.having([value])
    else:
        operator = next(step for step in reversed(case.steps) if isinstance(step, str))
        yield from _operand(case, operator)


def _operand(case: Case, operator: str) -> Iterator[Change]:
    """The changes for a constraint that is not a dictionary, or a wrong value of an operator."""
    value = case.value
    if operator in ("and", "or", "not", "constraints"):
        parts = [value] if isinstance(value, str) else value
        if not isinstance(parts, list):
            return
        if all(isinstance(part, Mapping) for part in parts):
            yield "combine them with and", case.having({"and": parts})
        elif all(isinstance(part, str) for part in parts):
            label = f"ask for the properties {short(', '.join(parts))}"
            yield label, case.having({"properties": parts})
    elif not isinstance(value, str):
        yield from case.as_string()
    else:
        plain, text = value.replace("\0", ""), ""
        if operator == "properties":
            read, outer = parse_query(value), case.first(-2)
            is_alone = len(case.first(-1).value) == 1 and len(outer.value) == 1
            if is_alone and read.ok and read.tree is not None:
                label = f"read it as a query: {short(value)}"
                yield label, outer.having(to_constraint(read.tree))
            text = _NOT_IN_NAMES.sub("", plain)
        elif operator == "ranks":
            text = str(idset.parse(plain).value or "")
        elif operator == "hostlist":
            text = str(hostlist.parse(plain).value)
        if text:
            yield f"{operator}: {short(text)}", case.having(text)
