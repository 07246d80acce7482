"""Whether the text of a jobspec has a list of vertices yet."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fluxtui.model.jobspec.request import parse
from fluxtui.notation.problem import Problem, at
from fluxtui.workbench.job import Form


def are_vertices(document: Mapping[str, Any]) -> bool:
    """Whether the resources of a jobspec are a list of dictionaries, whatever their contents."""
    resources = document.get("resources")
    return isinstance(resources, list) and all(isinstance(one, Mapping) for one in resources)


def no_vertices(text: str, form: Form) -> tuple[Problem, ...]:
    """Return why the resources of a text are not a list of vertices, with the place in the text."""
    from fluxtui.model.documents import document

    found = document.read_json(text) if form == "json" else document.read_yaml(text)
    resources = found.value.get("resources")
    if "resources" not in found.value:
        problem = Problem("a jobspec needs its resources", None, None, ("resources",), "RFC 14")
    elif isinstance(resources, list):
        number = next(n for n, one in enumerate(resources) if not isinstance(one, Mapping))
        (problem,) = parse([resources[number]]).problems
        problem = replace(problem, path=at("resources", number))
    else:
        (problem,) = parse(resources).problems
    return found.located((problem,))
