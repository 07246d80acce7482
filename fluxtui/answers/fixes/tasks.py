"""Changes that may fix the ``tasks`` of a jobspec, most likely first."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fluxtui.answers.fixes.edit import Case, Change, keys_in_words, put, short, word_of
from fluxtui.answers.fixes.resources import slot_label, slots
from fluxtui.model.documents.document import steps
from fluxtui.model.documents.json_value import is_whole
from fluxtui.model.jobspec.request import RequestVertex, parse
from fluxtui.notation import count as counts
from fluxtui.notation import shellwords
from fluxtui.notation.problem import is_digits

KEYS = ("command", "slot", "count", "attributes", "distribution")

#: One task in each slot.
ONE = {"per_slot": 1}

# Slots, types or tasks that are offered for one.
_OFFERED = 4


def changes(case: Case) -> Iterator[Change]:
    """What may fix a problem whose path leads into the tasks."""
    task = case.first(2)
    if len(case.steps) == 1:
        yield from _whole(case)
    elif not isinstance(task.value, Mapping):
        yield from _not_a_task(task)
    elif task == case:
        yield from _keys(case)
    else:
        yield from _BY_KEY.get(str(case.steps[2]), _extras)(case, task)


def new_task(document: Mapping[str, Any], *command: str) -> dict[str, Any]:
    """One task in each of the first slots."""
    labels = parse(document.get("resources")).labels
    slot = labels[0] if labels else slot_label(document)
    return {"command": list(command) or ["app"], "slot": slot, "count": ONE}


def _whole(case: Case) -> Iterator[Change]:
    """The list itself: missing, empty, or with more tasks than V1 has."""
    tasks = case.value
    if isinstance(tasks, Mapping) and tasks:
        yield "make it a list", case.having([tasks])
    if isinstance(tasks, list | tuple) and len(tasks) > 1:
        for task in tasks[:_OFFERED]:
            command = task.get("command") if isinstance(task, Mapping) else None
            words = command if isinstance(command, list) else []
            text = " ".join(word for word in words if isinstance(word, str))
            name = f"the task {short(text)}" if text else "this task"
            yield f"keep only {name}", case.having([task])
    else:
        yield "run app in each slot", case.having([new_task(case.document)])


def _not_a_task(case: Case) -> Iterator[Change]:
    """Something that is not a dictionary in the place of a task."""
    found = case.value
    words = shellwords.split(found) if isinstance(found, str) else None
    if words is not None and words.ok and words.value:
        made = new_task(case.document, *(word.text for word in words.value))
        yield f"run it: {short(str(found))}", case.having(made)
    if len(case.document["tasks"]) > 1:
        yield "drop it", case.without()
    yield "run app in each slot", case.having(new_task(case.document))


def _keys(case: Case) -> Iterator[Change]:
    """Keys that a task lacks, and keys that mean nothing in it."""
    task = case.value
    yield from case.misspelt(KEYS)
    if "command" not in task:
        yield "command: app", case.with_key("command", ["app"])
    if "slot" not in task:
        yield from _slot(case, case)
    if "count" not in task:
        yield "count: per_slot: 1", case.with_key("count", ONE)
    unknown = [str(key) for key in task if key not in KEYS]
    if unknown:
        known = {key: value for key, value in task.items() if key in KEYS}
        yield f"drop {keys_in_words(unknown)}", case.having(known)


def _command(_: Case, task: Case) -> Iterator[Change]:
    """A command that is a text, empty, or holds values that are not words."""
    command = task.value.get("command")
    if isinstance(command, str):
        words = shellwords.split(command)
        if words.ok and words.value:
            listed = [word.text for word in words.value]
            yield "split it into words", task.with_key("command", listed)
        yield "make it one word", task.with_key("command", [command])
    elif isinstance(command, list | tuple) and command:
        plain = [word if isinstance(word, str) else word_of(word) for word in command]
        kept = [word for word in plain if word is not None]
        if kept:
            label = "make its words strings" if len(kept) == len(command) else "keep its words"
            yield label, task.with_key("command", kept)
    yield "command: app", task.with_key("command", ["app"])


def _slot(case: Case, task: Case) -> Iterator[Change]:
    """The label of a slot that is there, or another label for the slot."""
    request, wanted = task.request, task.value.get("slot")
    path = case.problem.path or "tasks"
    where = path if path.endswith(".slot") else f"{path}.slot"
    for label in list(dict.fromkeys(request.labels[:_OFFERED])):
        yield f"{where}: {short(label)}", task.with_key("slot", label)
    first = next(request.slots(), None)
    if len(request.labels) > 1 or (request.labels and not isinstance(wanted, str)):
        return
    if request.labels:
        yield from _labelled(task.document, first, wanted)
        return
    document = task.document if isinstance(wanted, str) else task.with_key("slot", "default")
    if first is not None:
        yield from _labelled(document, first, slot_label(document))
    else:
        yield from slots(document)


def _labelled(
    document: Mapping[str, Any], slot: RequestVertex | None, label: str
) -> Iterator[Change]:
    """The first slot under this label, which the task names."""
    if slot is not None:
        made = put(document, [*steps(slot.path), "label"], label)
        yield f"label the slot '{short(label)}'", made


def _extras(case: Case, _: Case) -> Iterator[Change]:
    """Attributes or a distribution of the wrong kind."""
    if case.problem.code == "environment-value-not-string":
        yield from case.as_string()
    yield from case.dropped()


def _count(case: Case, task: Case) -> Iterator[Change]:
    """How many tasks: one key, which V1 and flux-core know, with a number."""
    count = task.value.get("count")
    if is_whole(count):
        yield f"total: {count}", task.with_key("count", {"total": count})
    if isinstance(count, Mapping):
        key = str(case.steps[3]) if len(case.steps) > 3 else ""
        if len(count) > 1:
            yield from _one_key(task, count)
        if isinstance(count.get("per_resource"), Mapping):
            per = count["per_resource"]
            within = key == "per_resource"
            yield from _type_in_slot(task, per) if within else _without_per_resource(task, per)
        if key in ("per_slot", "total"):
            yield from _number(case, task, key, count[key])
    yield "per_slot: 1", task.with_key("count", ONE)


def _one_key(task: Case, count: Mapping[Any, Any]) -> Iterator[Change]:
    """Several keys: each alone."""
    for key in ("per_slot", "total", "per_resource"):
        if key in count:
            others = ", ".join(short(str(other)[:20]) for other in count if other != key)
            yield f"drop {others}, keep {key}", task.with_key("count", {key: count[key]})


def _number(case: Case, task: Case, key: str, value: Any) -> Iterator[Change]:
    """Another number of tasks: the one that was meant, one that is allowed, or as many in all."""
    number = _number_of(value)
    if number is not None and number is not value:
        yield f"{key}: {number}", task.with_key("count", {key: number})
    if key == "per_slot":
        yield "per_slot: 1", task.with_key("count", ONE)
        yield from _as_many(task, value)
    elif is_whole(value):
        # RFC 25 keeps total between the number of nodes and the count of the slot.
        for words in case.problem.expected:
            bound = words.rsplit(" ", 1)[-1]
            if is_digits(bound):
                yield f"total: {bound}", task.with_key("count", {"total": int(bound)})


def _type_in_slot(task: Case, per: Mapping[Any, Any]) -> Iterator[Change]:
    """Tasks for each of a resource that the slot has."""
    slot = task.request.slot(task.value.get("slot"))
    found = (vertex.type for vertex in slot.below()) if slot is not None else ()
    types = dict.fromkeys(kind for kind in found if kind is not None)
    number = _number_of(per.get("count")) or 1
    for kind in [per.get("type"), *types][: _OFFERED + 1]:
        made = {"per_resource": {"type": kind, "count": number}}
        words = f"{number} for each {short(str(kind))}"
        yield f"per_resource: {words}", task.with_key("count", made)


def _without_per_resource(task: Case, per: Mapping[Any, Any]) -> Iterator[Change]:
    """Tasks for each of a resource, in the words of V1."""
    yield "per_slot: 1", task.with_key("count", ONE)
    slot = task.request.slot(task.value.get("slot"))
    found = [v for v in slot.below() if v.type == per.get("type")] if slot is not None else []
    if len(found) == 1 and found[0].parent is slot and is_whole(per.get("count")):
        yield from _as_many(task, (found[0].number or 0) * per["count"])


def _as_many(task: Case, per_slot: Any) -> Iterator[Change]:
    """The same number of tasks in all, where that is a plain number."""
    slot = task.request.slot(task.value.get("slot"))
    in_all = slot.total if slot is not None else None
    if in_all is not None and is_whole(per_slot):
        tasks = per_slot * in_all
        yield f"total: {tasks}, as many tasks", task.with_key("count", {"total": tasks})


def _number_of(value: Any) -> int | None:
    """The positive whole number that a value is equal to."""
    if is_whole(value):
        return int(value)
    if isinstance(value, float) and value.is_integer() and 1 <= value < 1e9:
        return int(value)
    read = counts.parse(value).value if isinstance(value, str) else None
    return read if isinstance(read, int) and read > 0 else None


_BY_KEY: dict[str, Callable[[Case, Case], Iterator[Change]]] = {
    "command": _command,
    "slot": _slot,
    "count": _count,
}
