"""The vertices of a jobspec before and after an edit, and whether its text has any yet."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from fluxtui.model.jobspec.request import parse
from fluxtui.notation.json_value import canonical, of_lists, same
from fluxtui.notation.problem import Problem, at
from fluxtui.notation.shape.tree import Path
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


def own_parts(vertex: Mapping[str, Any]) -> dict[str, Any]:
    """Return a vertex without the vertices in it."""
    return {key: value for key, value in vertex.items() if key != "with"}


def changed_path(
    was: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]], cursor: Path = ()
) -> Path:
    """Return the path of the first vertex that a resources list has or that is other than it was.

    If some are only gone, this is the path of what has the place of the first one, else of the one
    before, else of what held it. Where only the order changed, the vertex at the cursor moves
    along; cursor is a path in the list as it was. () if nothing changed.
    """
    names, olds = [canonical(one) for one in now], [canonical(one) for one in was]
    if names == olds:
        return ()
    if sorted(names) == sorted(olds):
        at_cursor = olds[cursor[0]] if cursor and cursor[0] < len(olds) else ""
        changed = next(n for n, name in enumerate(names) if name != olds[n])
        return (names.index(at_cursor) if at_cursor in names else changed,)
    found = of_lists(was, now)
    origins = {new: old for old, new in found.pairs}
    for place, one in enumerate(now):
        if place not in origins:
            return (place,)
        before, below = was[origins[place]], cursor[1:] * (cursor[:1] == (origins[place],))
        if same(one, before):
            continue
        if not same(own_parts(one), own_parts(before)):
            return (place,)
        inner = changed_path(before.get("with", ()), one.get("with", ()), below)
        return (place, *inner)
    gone = found.gaps[0].first
    return (min(gone, len(now) - 1),) if now else ()
