"""Changes that may mend the ``resources`` of a jobspec as a whole, most likely first."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from fluxtui.answers.fixes.edit import each, vertices
from fluxtui.answers.fixes.shape import TYPES, Reshaped, fresh, reshape, strict, variants
from fluxtui.model.jobspec import jobspec
from fluxtui.model.jobspec.request import CANONICAL, parse
from fluxtui.notation.problem import Problem, printable
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import to_resources

#: What a change says, and the document with it.
Change: TypeAlias = tuple[str, Any]

#: What stands for work where nothing says what is wanted.
CORE = {"type": "core", "count": 1}


def installed(document: Mapping[str, Any], resources: Any) -> dict[str, Any]:
    """The document with these resources; a task whose slot is gone runs in the first there is."""
    out = jobspec.with_resources(document, resources)
    labels, tasks = parse(resources).labels, document.get("tasks")
    if labels and isinstance(tasks, list):
        out["tasks"] = [
            {**task, "slot": labels[0]}
            if isinstance(task, Mapping) and task.get("slot") not in labels
            else task
            for task in out["tasks"]
        ]
    if isinstance(tasks, list) and all(
        new is old for new, old in zip(out["tasks"], tasks, strict=True)
    ):
        out["tasks"] = tasks
    out["resources"] = resources
    return out


def slot_label(document: Mapping[str, Any]) -> str:
    """What the first task calls its slot, or ``default``."""
    tasks = document.get("tasks")
    first = tasks[0] if isinstance(tasks, list) and tasks else None
    label = first.get("slot") if isinstance(first, Mapping) else None
    return label if isinstance(label, str) and label else "default"


def changes(problem: Problem, document: Mapping[str, Any]) -> Iterator[Change]:
    """The list itself: not there, empty, without a slot, or with too much in it."""
    found = document.get("resources")
    if isinstance(found, Mapping):
        yield "make it a list", installed(document, [found])
    elif isinstance(found, str):
        read = parse_shape(found)
        if read.ok and read.vertices:
            made = to_resources(read, slot_label(document))
            yield f"read it as a shape: {printable(found[:40])}", installed(document, made)
    if isinstance(found, list | tuple) and found:
        yield from (slots(document) if problem.rule == CANONICAL else forms(document))
    if not any(vertices(found)):
        yield _least(document)


def _least(document: Mapping[str, Any]) -> Change:
    """The least that a job can ask for."""
    made = reshape([], slot_label(document))
    return "ask for a slot with a core", installed(document, made.resources)


def forms(document: Mapping[str, Any]) -> Iterator[Change]:
    """The resources in the form of RFC 25."""
    resources, label = document.get("resources"), slot_label(document)
    if not any(vertices(resources)):
        return
    made = reshape(resources, label)
    bare = not any(vertex.get("type") == "slot" for vertex in vertices(resources))
    what = "put a slot in" if bare else "write it as"
    for form in (made, strict(made)):
        yield _in_form(document, what, form)
    for what, other in variants(resources, label):
        yield _in_form(document, what, other)


def _in_form(document: Mapping[str, Any], what: str, form: Reshaped) -> Change:
    """The document with resources in the form of V1, whose slot may hold less than before.

    Tasks that were counted by what is no longer in it are one in each slot.
    """
    out = installed(document, form.resources)
    there = [vertex.get("type") for vertex in vertices(form.resources)]
    tasks, label = out.get("tasks"), f"{what}: {form.words}"
    if isinstance(tasks, list) and not all(_counted(task, there) for task in tasks):
        ones = [t if _counted(t, there) else {**t, "count": {"per_slot": 1}} for t in tasks]
        return f"{label}, per_slot: 1", {**out, "tasks": ones}
    return label, out


def _counted(task: Any, there: list[Any]) -> bool:
    """Whether a task is not counted by a resource, or by a core or gpu that is there."""
    count = task.get("count") if isinstance(task, Mapping) else None
    each = count.get("per_resource") if isinstance(count, Mapping) else None
    kind = each.get("type") if isinstance(each, Mapping) else "core"
    return kind in ("core", "gpu") and kind in there


def slots(document: Mapping[str, Any]) -> Iterator[Change]:
    """The resources with a slot in or around them, as RFC 14 allows it anywhere."""
    resources = document.get("resources")
    if not isinstance(resources, list | tuple) or not resources:
        yield _least(document)
        return
    found = list(vertices(resources))
    plain = all(vertex.get("type") in TYPES for vertex in found)
    if plain:
        yield from forms(document)
    taken = [vertex["label"] for vertex in found if isinstance(vertex.get("label"), str)]
    label = fresh(slot_label(document), taken)
    node = next((vertex for vertex in found if vertex.get("type") == "node"), None)
    if node is not None and not plain:
        slot = {"type": "slot", "count": 1, "label": label, "with": node.get("with") or [CORE]}
        inner = each(resources, lambda v: {**v, "with": [slot]} if v is node else v)
        yield "put a slot in the node", installed(document, inner)
    outer = {"type": "slot", "count": 1, "label": label, "with": list(resources)}
    yield "put a slot around all of it", installed(document, [outer])
    if not plain:
        yield from forms(document)
