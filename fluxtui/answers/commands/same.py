"""Whether two jobspecs ask for the same, and where they differ.

Compared are the resources, the tasks and the attributes. Not held apart are the version, counts
that are written differently and mean the same (``"2+"`` and ``{min: 2}``), the order of resources
beside each other, the label of the slot that the only task runs in, and a duration that is left
out or 0.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from fluxtui.notation import count as counts
from fluxtui.notation.problem import at, printable

# The label that the slot of the only task has in comparisons.
_SLOT = "\0slot"


class Difference(NamedTuple):
    """One place where two jobspecs differ; what one of them does not have is None."""

    path: str
    first: Any
    second: Any


def of_resources(first: Any, label: object, second: Any, other: object) -> tuple[Difference, ...]:
    """Where the second list of resources differs from the first.

    label and other are those of the slots that the task runs in.
    """
    one, two = _vertices(first, label), _vertices(second, other)
    return () if one == two else _named(_differ("resources", one, two), label, other)


def differences(
    first: Mapping[str, Any], second: Mapping[str, Any], *, resources: bool = True
) -> tuple[Difference, ...]:
    """Where the second jobspec differs from the first.

    What submission adds by itself does not count where the first says nothing of it: the
    environment, the working directory and the resource limits. ``resources=False`` leaves the
    resources aside.
    """
    one, other = normal(first, resources), normal(second, resources)
    _forget_added(one, other)
    if one == other:
        return ()
    return _named(_differ("", one, other), _label(first), _label(second))


def normal(document: Mapping[str, Any], resources: bool = True) -> dict[str, Any]:
    """The resources, tasks and attributes of a jobspec in one form of several that mean the same.

    Parts that have not the form of a jobspec stay as they are. ``resources=False`` leaves the
    resources aside.
    """
    tasks, task, label = document.get("tasks"), _only_task(document), _label(document)
    if task is not None:
        tasks = [{**task, "slot": _SLOT}]
    return {
        "resources": _vertices(document.get("resources"), label) if resources else None,
        "tasks": tasks,
        "attributes": _attributes(document.get("attributes")),
    }


def _only_task(document: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The task of a jobspec that has just one."""
    tasks = document.get("tasks")
    if not isinstance(tasks, Sequence) or len(tasks) != 1 or not isinstance(tasks[0], Mapping):
        return None
    return tasks[0]


def _label(document: Mapping[str, Any]) -> Any:
    """The label of the slots that the only task runs in; None where there is no such task."""
    task = _only_task(document)
    return None if task is None else task.get("slot")


def _named(found: Iterable[Difference], label: Any, other: Any) -> tuple[Difference, ...]:
    """The differences with the slot of the only task called as each of both calls it."""
    return tuple(
        Difference(path, _called(first, label), _called(second, other))
        for path, first, second in found
    )


def _called(value: Any, label: Any) -> Any:
    """A value of a comparison, with the label that the slot of the task has outside of it."""
    if isinstance(value, Mapping):
        return {key: _called(inner, label) for key, inner in value.items()}
    if isinstance(value, list):
        return [_called(inner, label) for inner in value]
    return label if value == _SLOT else value


def _vertices(resources: Any, label: Any) -> Any:
    if not isinstance(resources, list | tuple):
        return resources
    made = [_vertex(item, label) if isinstance(item, Mapping) else item for item in resources]
    return sorted(made, key=_type) if all(isinstance(item, Mapping) for item in made) else made


def _type(vertex: Mapping[str, Any]) -> str:
    """What vertices beside each other are sorted by: their order says nothing."""
    return str(vertex.get("type"))


def _vertex(vertex: Mapping[str, Any], label: Any) -> dict[str, Any]:
    out = dict(vertex)
    if not isinstance(out.get("count"), int):
        count = counts.from_json(out.get("count"))
        out["count"] = count.value if count.ok else out.get("count")
    if out.get("type") == "slot" and out.get("label") == label:
        out["label"] = _SLOT
    if "with" in out:
        out["with"] = _vertices(out["with"], label)
    return out


def _attributes(attributes: Any) -> Any:
    if not isinstance(attributes, Mapping):
        return attributes
    system = attributes.get("system")
    if not isinstance(system, Mapping):
        return {**attributes, "system": {"duration": 0}} if system is None else dict(attributes)
    return {**attributes, "system": {"duration": 0, **system}}


def _forget_added(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Drop from the second what submission adds and the first does not have."""
    first, second = (_system(document) for document in (one, other))
    if first is None or second is None:
        return
    for key in ("environment", "cwd"):
        if key not in first:
            second.pop(key, None)
    mine, theirs = _options(first), _options(second)
    if theirs is not None and "rlimit" not in (mine or {}):
        theirs.pop("rlimit", None)
    for system in (first, second):
        _drop_empty(system)


def _system(document: Mapping[str, Any]) -> dict[str, Any] | None:
    attributes = document["attributes"]
    system = attributes.get("system") if isinstance(attributes, Mapping) else None
    return system if isinstance(system, dict) else None


def _options(system: dict[str, Any]) -> dict[str, Any] | None:
    """The shell options, copied so that they can be changed."""
    shell = system.get("shell")
    options = shell.get("options") if isinstance(shell, Mapping) else None
    if not isinstance(shell, Mapping) or not isinstance(options, Mapping):
        return None
    system["shell"] = {**shell, "options": dict(options)}
    found: dict[str, Any] = system["shell"]["options"]
    return found


def _drop_empty(system: dict[str, Any]) -> None:
    shell = system.get("shell")
    if isinstance(shell, Mapping) and shell.get("options") == {}:
        system["shell"] = shell = {key: shell[key] for key in shell if key != "options"}
    if shell == {}:
        del system["shell"]


def _differ(path: str, first: Any, second: Any) -> Iterator[Difference]:
    """Every place where two values differ, as deep as their forms agree.

    The ``count`` of a task is one place, since it has just one of several keys.
    """
    whole = path.startswith("tasks[") and path.endswith("].count")
    if not whole and isinstance(first, Mapping) and isinstance(second, Mapping):
        for key in dict.fromkeys((*first, *second)):
            if key not in first or key not in second or first[key] != second[key]:
                yield from _differ(at(path, str(key)), first.get(key), second.get(key))
    elif isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        for number, (one, other) in enumerate(zip(first, second, strict=True)):
            if one != other:
                yield from _differ(at(path, number), one, other)
    elif first != second:
        yield Difference(path, first, second)


def sentences(found: Sequence[Difference], most: int = 6) -> tuple[str, ...]:
    """What the second jobspec loses, adds or changes, in one sentence each."""
    out = [_sentence(difference) for difference in found[:most]]
    if len(found) > most:
        out.append(f"{len(found) - most} more places differ")
    return tuple(out)


def _sentence(difference: Difference) -> str:
    path, first, second = difference
    path = printable(path)
    if second is None:
        return f"{path} is left out: {_shown(first)}"
    if first is None:
        return f"{path} is added: {_shown(second)}"
    return f"{path} comes out as {_shown(second)}, not {_shown(first)}"


def _shown(value: Any) -> str:
    """A value in few characters, as JSON with counts in their short form."""
    import json

    if isinstance(value, list):
        value = [_plain(item) for item in value]
    text = value if isinstance(value, str) else json.dumps(_plain(value), ensure_ascii=False)
    text = printable(text)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _plain(value: Any) -> Any:
    """The value with parsed counts as texts again, which JSON can hold."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if value is None or isinstance(value, str | bool | int | float):
        return value
    from fluxtui.notation.sets.idset import IdSet

    return counts.format(value) if isinstance(value, counts.Range | IdSet) else str(value)
