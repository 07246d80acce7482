"""The resources of a text; and what a text is where a document of another kind is needed."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeGuard

from fluxtui.bridge import files
from fluxtui.model.resources import document as resources
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Problem

if TYPE_CHECKING:
    from fluxtui.model.documents.document import Document
    from fluxtui.model.verdict import Kind

_NAMES: "dict[Kind, str]" = {
    "jobspec": "a jobspec",
    "R": "an R document",
    "JGF": "a resource graph",
    "config": "a Flux configuration",
    "snapshot": "a snapshot of a running Flux",
    "stage": "a stage list",
    "script": "a job script or a command line",
}


def another_kind(found: "Document", *wanted: "Kind", rule: str) -> Problem | None:
    """Return the problem that a text is of none of the kinds wanted; None if it is of no kind.

    The first of the kinds is what the problem asks for.
    """
    from fluxtui.model import stage, verdict
    from fluxtui.opening.scripts import is_command

    kind: Kind = verdict.kind_of(found.value) if found.readable else "unknown"
    if is_command(found):
        kind = "script"
    elif kind == "unknown" and found.readable:
        if found.form == "toml":
            kind = "config"
        elif stage.looks_like(found.value):
            kind = "stage"
        elif are_vertices(found.value):
            kind = "jobspec"
    if kind in ("unknown", *wanted):
        return None
    return Problem(f"this is {_NAMES[kind]}, not {_NAMES[wanted[0]]}", rule=rule)


def resources_of(source: files.Source) -> Resources:
    """Return the resources of a document that was read.

    If it is a document of another kind, the only problem says so.
    """
    if source.document is not None:
        return resources.read(source.document)
    found = resources.read_text(source.text)
    if found.ok or found.node_count or len(source.text) > files.MAX_OTHER_BYTES:
        return found
    from fluxtui.model.documents import document

    other = another_kind(document.read(source.text, source.name), "R", "JGF", rule="RFC 20")
    return found if other is None else replace(found, problems=(other,))


def are_vertices(value: object) -> TypeGuard[list[dict[str, Any]]]:
    """Whether a value is a list of resources, not one of other parts of a jobspec."""
    if not isinstance(value, list) or not all(isinstance(vertex, dict) for vertex in value):
        return False
    return any("count" in vertex or "with" in vertex for vertex in value)
