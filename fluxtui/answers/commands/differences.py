"""Where two jobspecs ask for different things.

Compared are the resources, the tasks and the attributes. These do not count as differences: the
version, counts that are written differently and mean the same (``"2+"`` and ``{min: 2}``), the
order of resources in one list, the label of the slot that the only task runs in, and a duration
that is left out or 0.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fluxtui.answers.commands.jobs import copied, drop, value_at
from fluxtui.model.jobspec.request import RequestVertex, parse
from fluxtui.notation import count as counts
from fluxtui.notation.problem import at, printable
from fluxtui.notation.sets.idset import IdSet

# The label that the slot of the only task has in comparisons.
_SLOT = "\0slot"


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where two jobspecs differ; what one of them does not have is None."""

    path: str
    first: Any
    second: Any


def between(first: Mapping[str, Any], second: Mapping[str, Any]) -> tuple[Difference, ...]:
    """Where the second jobspec differs from the first.

    What submission adds by itself does not count where the first does not mention it: the
    environment, the working directory and the resource limits.
    """
    (one, label), (other, called) = _normal(first), _normal(second)
    _forget_added(one, other)

    def named(value: Any, label: Any) -> Any:
        return _mapped(value, lambda leaf: label if leaf == _SLOT else leaf)

    found = _differ("", one, other)
    return tuple(Difference(path, named(a, label), named(b, called)) for path, a, b in found)


def _normal(document: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
    tasks, label = document.get("tasks"), None
    if isinstance(tasks, Sequence) and len(tasks) == 1 and isinstance(tasks[0], Mapping):
        label = tasks[0].get("slot")
        tasks = [{**tasks[0], "slot": _SLOT}]
    attributes = copied(document.get("attributes"))
    if isinstance(attributes, dict):
        system = attributes.get("system", {})
        if system is None or isinstance(system, dict):
            attributes["system"] = {"duration": 0, **(system or {})}
    request = parse(document.get("resources"))
    resources = _resources(request.roots, label) if request.is_list else request.raw
    return {"resources": resources, "tasks": tasks, "attributes": attributes}, label


def _resources(vertices: Sequence[RequestVertex], label: Any) -> list[Any]:
    made = []
    for vertex in vertices:
        fields = dict(vertex.fields)
        if vertex.count is not None:
            fields["count"] = vertex.count
        if vertex.is_slot and fields.get("label") == label:
            fields["label"] = _SLOT
        if vertex.children:
            fields["with"] = _resources(vertex.children, label)
        made.append(fields if vertex.is_readable else vertex.raw)
    if not all(vertex.is_readable for vertex in vertices):
        return made
    return sorted(made, key=lambda fields: str(fields.get("type")))


def _forget_added(one: dict[str, Any], other: dict[str, Any]) -> None:
    first, second = (value_at(document, "attributes", "system") for document in (one, other))
    if not isinstance(first, dict) or not isinstance(second, dict):
        return
    for key in ("environment", "cwd"):
        if key not in first:
            second.pop(key, None)
    if value_at(first, "shell", "options", "rlimit") is None:
        drop(second, "shell", "options", "rlimit")
    for system in (first, second):
        if value_at(system, "shell", "options") == {}:
            drop(system, "shell", "options")
        if system.get("shell") == {}:
            del system["shell"]


def _differ(path: str, first: Any, second: Any) -> Iterator[tuple[str, Any, Any]]:
    """Every place where two values differ, as deep as their forms agree.

    The ``count`` of a task is one place, since it has just one of several keys.
    """
    if first == second:
        return
    whole = path.startswith("tasks[") and path.endswith("].count")
    if not whole and isinstance(first, Mapping) and isinstance(second, Mapping):
        for key in dict.fromkeys((*first, *second)):
            yield from _differ(at(path, str(key)), first.get(key), second.get(key))
    elif isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        for number, (one, other) in enumerate(zip(first, second, strict=True)):
            yield from _differ(at(path, number), one, other)
    else:
        yield path, first, second


def _mapped(value: Any, leaf: Callable[[Any], Any]) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _mapped(inner, leaf) for key, inner in value.items()}
    return [_mapped(inner, leaf) for inner in value] if isinstance(value, list) else leaf(value)


def sentences(found: Sequence[Difference], most: int = 6) -> list[str]:
    """What the second jobspec loses, adds or changes, in one sentence each."""
    out = []
    for difference in found[:most]:
        path, first, second = printable(difference.path), difference.first, difference.second
        if second is None:
            out.append(f"{path} is left out: {_shown(first)}")
        elif first is None:
            out.append(f"{path} is added: {_shown(second)}")
        else:
            out.append(f"{path} comes out as {_shown(second)}, not {_shown(first)}")
    if len(found) > most:
        out.append(f"{len(found) - most} more places differ")
    return out


def _shown(value: Any) -> str:

    def plain(part: Any) -> str:
        return counts.format(part) if isinstance(part, counts.Range | IdSet) else str(part)

    text = value
    if not isinstance(value, str):
        text = json.dumps(_mapped(value, lambda leaf: leaf), ensure_ascii=False, default=plain)
    text = printable(text)
    return text if len(text) <= 60 else f"{text[:57]}..."
