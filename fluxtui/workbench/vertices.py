"""Whether the text of a jobspec has a list of vertices, or is only on the way to one."""

from collections.abc import Mapping
from typing import Any

from fluxtui.notation.source import Problem
from fluxtui.workbench.job import Form


def are_vertices(document: Mapping[str, Any]) -> bool:
    """Whether the resources of a jobspec are a list of dictionaries, whatever stands in these."""
    resources = document.get("resources")
    return isinstance(resources, list) and all(isinstance(one, Mapping) for one in resources)


def no_vertices(text: str, form: Form) -> tuple[Problem, ...]:
    """Where the resources of a text are no list of vertices."""
    from fluxtui.model import document
    from fluxtui.model.jobspec_resources import shown

    found = document.read_json(text) if form == "json" else document.read_yaml(text)
    value = found.value.get("resources")
    path, what = "resources", "resources is a list of vertices"
    if isinstance(value, list):
        number = next(n for n, one in enumerate(value) if not isinstance(one, Mapping))
        path, what, value = f"resources[{number}]", "a vertex is a dictionary", value[number]
    said = shown(value) if path != "resources" or "resources" in found.value else "none"
    problem = Problem(f"{what}; found {said}", None, path, ("- type: ...",), "RFC 14")
    return found.located((problem,))
