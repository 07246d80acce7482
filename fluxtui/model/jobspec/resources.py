"""Walks over raw lists of resources, for readers that have no `request` yet."""

from collections.abc import Iterator, Mapping
from typing import Any

from fluxtui.model.jobspec.request import MAX_DEPTH


def walk(resources: object, path: str = "resources") -> Iterator[tuple[str, Any, int]]:
    """Every vertex with its path and its depth, parents first, in the order of the document.

    What is no dictionary is given too. Goes no deeper than ``MAX_DEPTH``.
    """
    top = list(resources) if isinstance(resources, list | tuple) else []
    # Written out rather than by `at`, which takes half of the time of a check of many vertices.
    stack = [(f"{path}[{i}]", vertex, 0) for i, vertex in reversed(list(enumerate(top)))]
    while stack:
        here, vertex, depth = stack.pop()
        yield here, vertex, depth
        inner = vertex.get("with") if isinstance(vertex, Mapping) else None
        if isinstance(inner, list | tuple) and depth < MAX_DEPTH:
            children = [(f"{here}.with[{i}]", child, depth + 1) for i, child in enumerate(inner)]
            stack.extend(reversed(children))


def slots(resources: object) -> Iterator[Mapping[str, Any]]:
    """The slots of a resources list that have a label, in the order of the document."""
    top = list(resources) if isinstance(resources, list | tuple) else []
    stack = [(vertex, 0) for vertex in reversed(top)]
    while stack:
        vertex, depth = stack.pop()
        if type(vertex) is not dict and not isinstance(vertex, Mapping):
            continue
        if vertex.get("type") == "slot" and isinstance(vertex.get("label"), str):
            yield vertex
        inner = vertex.get("with")
        if isinstance(inner, list | tuple) and depth < MAX_DEPTH:
            stack.extend([(child, depth + 1) for child in reversed(inner)])
