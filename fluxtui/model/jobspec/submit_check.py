"""Whether flux-core takes a jobspec in: what it refuses as a job is submitted.

No RFC says this. It is what flux-core 0.88 does: its ``jobspec`` validator, which is stricter than
RFC 14 and laxer than RFC 25, and what its job manager asks of a duration, a queue and dependencies.
What depends on the instance is left out: its queues, limits and hosts, and the jobs it knows.
"""

from collections.abc import Mapping
from typing import Any

from fluxtui.model.documents.json_value import shown
from fluxtui.model.jobspec import submit_program, submit_values
from fluxtui.model.jobspec.jobspec import KEYS
from fluxtui.model.jobspec.submit_notes import FIRST, LAST, RULE, SECOND, Notes
from fluxtui.model.jobspec.vertex_place import Place, path_of
from fluxtui.notation import count as counts
from fluxtui.notation.problem import Problem, at, printable

__all__ = ["RULE", "check", "check_program", "check_resources"]

#: Levels of resources that flux-core's validator goes down before it gives up.
MAX_LEVELS = 490

# The types of which flux-core wants at least one; of any other there may be none.
_SOME = ("node", "slot", "core")


def check(document: object, *, has_plain_resources: bool = False) -> tuple[Problem, ...]:
    """Why flux-core would refuse this jobspec; empty if it takes it.

    has_plain_resources says that its resources are known to be plain (`jobspec.Judged`), in which
    flux-core finds nothing to refuse.

    The problems come in the order in which flux-core would find them, so the first one is what it
    says. Each has the path of the key or vertex that causes it, and ``flux-core`` for its rule.
    """
    notes = Notes()
    submit_values.check_values(notes, _rest(document) if has_plain_resources else document)
    if not isinstance(document, Mapping):
        notes.add(f"a jobspec is a dictionary; found {shown(document)}", "", *KEYS)
        return notes.problems
    _top(notes, document)
    if "resources" in document and not has_plain_resources:
        _resources(notes, document["resources"], "resources")
    submit_program.check(notes, document)
    return notes.problems


def check_resources(resources: object, path: str = "resources") -> tuple[Problem, ...]:
    """Why flux-core would refuse a resources list, by paths that start with ``path``."""
    notes = Notes()
    submit_values.check_values(notes, resources, path)
    _resources(notes, resources, path)
    return notes.problems


def check_program(document: Mapping[str, Any]) -> tuple[Problem, ...]:
    """Why flux-core would refuse a jobspec for all that it holds beside its resources."""
    notes = Notes()
    submit_values.check_values(notes, _rest(document))
    _top(notes, document)
    submit_program.check(notes, document)
    return notes.problems


def _rest(document: object) -> object:
    """A jobspec without its resources."""
    if not isinstance(document, Mapping):
        return document
    return {key: value for key, value in document.items() if key != "resources"}


def _top(notes: Notes, document: Mapping[str, Any]) -> None:
    """The four keys, all of them and no other, and the version."""
    for key in KEYS:
        if key not in document:
            notes.add(
                f"flux-core wants the {key} of a jobspec, which is missing", "", key, turn=FIRST
            )
    for key in document:
        if key not in KEYS:
            name = printable(str(key))
            message = (
                f"flux-core takes no further keys beside the four of a jobspec; found '{name}'"
            )
            notes.add(message, at("", str(key)), *KEYS, turn=FIRST)
    version = document.get("version", 1)
    if version != 1:
        notes.add(
            f"flux-core takes only version 1; found {shown(version)}", "version", "1", turn=FIRST
        )
    elif not isinstance(version, int):
        message = f"version is a whole number; found {shown(version)}"
        notes.add(message, "version", "1", turn=FIRST)


def _resources(notes: Notes, resources: object, path: str) -> None:
    """All vertices, parents first."""
    if not isinstance(resources, list | tuple):
        # A text passes for a list of its characters, and without any there is nothing to refuse.
        if resources != "":
            notes.add(f"resources is a list; found {shown(resources)}", path, "a list", turn=FIRST)
        return
    stack: list[tuple[Any, Place, int]] = [
        (resources[i], (None, i), 1) for i in range(len(resources) - 1, -1, -1)
    ]
    while stack:
        vertex, place, level = stack.pop()
        if not isinstance(vertex, Mapping):
            message = f"a resource is a dictionary; found {shown(vertex)}"
            notes.add(message, path_of(path, place), "a dictionary")
            continue
        _vertex(notes, vertex, path, place)
        if "with" not in vertex:
            continue
        inner = vertex["with"]
        if not isinstance(inner, list | tuple):
            if inner not in ("", {}):  # which hold as much as an empty list
                message = f"with is a list of resources; found {shown(inner)}"
                notes.add(message, at(path_of(path, place), "with"), "a list")
        elif level == MAX_LEVELS and inner:
            message = f"flux-core's validator fails at more than {MAX_LEVELS} levels of resources"
            notes.add(message, at(path_of(path, place), "with"))
        else:
            stack.extend([(inner[i], (place, i), level + 1) for i in range(len(inner) - 1, -1, -1)])


def _vertex(notes: Notes, vertex: Mapping[str, Any], root: str, place: Place) -> None:
    """The keys of one vertex; flux-core looks at these and takes any others."""
    kind = vertex.get("type")
    if not isinstance(kind, str):
        path = path_of(root, place)
        if "type" in vertex:
            notes.add(f"a type is a string; found {shown(kind)}", at(path, "type"), "a string")
        else:
            notes.add("flux-core wants the type of a resource, which is missing", path, "type")
    count = vertex.get("count")
    if type(count) is not int or count < 1:
        _count(notes, vertex, path_of(root, place))
    for key in ("id", "unit", "label"):
        if key in vertex and not isinstance(vertex[key], str):
            message = f"{key} is a string; found {shown(vertex[key])}"
            notes.add(message, at(path_of(root, place), key), "a string")
    if "exclusive" in vertex and vertex["exclusive"] not in (True, False):
        message = f"exclusive is true or false; found {shown(vertex['exclusive'])}"
        notes.add(message, at(path_of(root, place), "exclusive"), "true", "false")
    if kind == "slot" and "label" not in vertex:
        message = "flux-core wants the label of a slot, which is missing"
        notes.add(message, path_of(root, place), "label")


def _count(notes: Notes, vertex: Mapping[str, Any], path: str) -> None:
    """A count that is not plainly 1 or more."""
    kind = vertex.get("type")
    name = printable(kind) if isinstance(kind, str) and kind else "resource"
    if "count" not in vertex:
        notes.add(f"flux-core wants the count of a {name}, which is missing", path, "count")
        return
    count = vertex["count"]
    path = at(path, "count")
    if isinstance(count, str | Mapping):
        read = counts.from_json(count)
        words = counts.describe(read.value) if read.ok and read.value else shown(count)
        found = f"'{printable(count[:40])}'" if isinstance(count, str) else words
        message = f"flux-core takes only a whole number for a count; found {found}"
        # It refuses a text or range that RFC 14 does not know at once, and any other at the end.
        notes.add(message, path, "a number", turn=LAST if read.ok else SECOND)
    elif not isinstance(count, int):
        message = f"flux-core takes only a whole number for a count; found {shown(count)}"
        notes.add(message, path, "a number")
    elif count < 1 and kind in _SOME:
        message = f"flux-core wants 1 or more of a {name}; found {shown(count)}"
        notes.add(message, path, "1 or more")
    elif count < 0:
        notes.add(f"a count is not below 0; found {shown(count)}", path, "0 or more")
