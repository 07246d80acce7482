"""The vertices of a jobspec before and after an edit, and whether its text has any yet."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from fluxtui.model.jobspec.jobspec import MISSING
from fluxtui.model.jobspec.request import parse
from fluxtui.notation.json_value import canonical, identical, of_lists, same
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


def as_in_document(
    was: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]], listed: object
) -> Sequence[Any]:
    """Return the resources list of an edited shape; what the edit left as it was, the document has.

    was is the list of the shape before the edit, listed that of the document that it was read from:
    it may have counts in other words, and values that no shape can express. A count, a label or
    another key that was edited is as in now.
    """
    if not isinstance(listed, list | tuple) or identical(listed, was):
        return now
    return _Document(was, listed).row(was, now, listed)


class _Document:
    """The resources list of a document, beside that of the shape that it was read from."""

    def __init__(self, was: Sequence[Mapping[str, Any]], listed: Sequence[Any]) -> None:
        self.was, self.listed = was, listed

    @cached_property
    def known(self) -> dict[str, Any]:
        """The vertices of the document by the text of what the shape has for them."""
        found: dict[str, Any] = {}
        rows: list[tuple[Any, Any]] = [(self.was, self.listed)]
        while rows:
            was, listed = rows.pop()
            for old, vertex in zip(was, _vertices(listed)[0], strict=False):
                found.setdefault(canonical(old), vertex)
                rows.append((old.get("with", ()), vertex.get("with")))
        return found

    def row(
        self, was: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]], listed: object
    ) -> list[Any]:
        """Return an edited list of vertices; what is no vertex stays before the next one."""
        vertices, others = _vertices(listed)
        origins = {new: old for old, new in of_lists(was, now).pairs if old < len(vertices)}
        out: list[Any] = []
        for place, vertex in enumerate(now):
            old = origins.get(place)
            out += others.pop(old, ()) if old is not None else ()
            if old is not None and same(was[old], vertex):
                out.append(vertices[old])
            elif old is not None and was[old]["type"] == vertex["type"]:
                out.append(self.vertex(was[old], vertex, vertices[old]))
            else:
                out.append(self.known.get(canonical(vertex)) or self.vertex({}, vertex, {}))
        return [*out, *(other for left in others.values() for other in left)]

    def vertex(
        self, was: Mapping[str, Any], now: Mapping[str, Any], listed: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Return a vertex of the document with the keys that differ between was and now."""
        keys = {*was, *now}
        changed = {key for key in keys if not same(was.get(key, MISSING), now.get(key, MISSING))}
        added = {key: value for key, value in now.items() if key in changed and key not in listed}
        out: dict[str, Any] = {}
        for key, value in listed.items():
            if key == "with":
                out |= added
            if key not in changed or key in now:
                out[key] = now[key] if key in changed else value
        out |= added
        if "with" in changed and "with" in now:
            out["with"] = self.row(was.get("with", ()), now["with"], listed.get("with"))
        return out


def _vertices(listed: object) -> tuple[list[Mapping[str, Any]], dict[int, list[Any]]]:
    """Return the vertices of a list, and what else is in it, by the number of the next vertex."""
    vertices: list[Mapping[str, Any]] = []
    others: dict[int, list[Any]] = {}
    for one in listed if isinstance(listed, list | tuple) else ():
        if isinstance(one, Mapping):
            vertices.append(one)
        else:
            others.setdefault(len(vertices), []).append(one)
    return vertices, others
