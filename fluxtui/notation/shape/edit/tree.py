"""Places in a shape's tree, and what becomes of a tree that was edited (RFC 46, RFC 14)."""

import re
from collections.abc import Callable
from typing import NamedTuple

from fluxtui.notation.problem import MAX_LENGTH, Problem, at, printable, too_long
from fluxtui.notation.shape.edit.align import same_meaning
from fluxtui.notation.shape.edit.compose import compose
from fluxtui.notation.shape.edit.own import fresh_own
from fluxtui.notation.shape.edit.write import Typed
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import RULE, Shape, Vertex

#: The place of a vertex: its number among those at the top, then its number at each level.
Path = tuple[int, ...]

_PLACE = re.compile(r"resources\[([0-9]{1,9})\]((?:\.with\[[0-9]{1,9}\])*)")


class Edited(NamedTuple):
    """A shape text after an edit.

    path     where the cursor should stand now
    problem  why nothing was done; the text is the old one then
    """

    text: str
    path: Path
    problem: Problem | None = None


def path_of(document_path: str) -> Path:
    """The place that a path in a document names: ``resources[0].with[1].count`` is (0, 1).

    What follows the vertex is left out; a path that names no vertex is ().
    """
    found = _PLACE.match(document_path)
    return tuple(map(int, re.findall("[0-9]+", found[0]))) if found else ()


def document_path(path: Path) -> str:
    """The path of a vertex in a jobspec, such as ``resources[0].with[1]``."""
    out = "resources"
    for number, step in enumerate(path):
        out = at(out, "with", step) if number else at(out, step)
    return out


def vertex_at(vertices: tuple[Vertex, ...], path: Path) -> Vertex | None:
    """The vertex at a place, or None where there is none."""
    vertex = None
    for step in path:
        if not 0 <= step < len(vertices):
            return None
        vertex = vertices[step]
        vertices = vertex.children
    return vertex


def siblings_at(vertices: tuple[Vertex, ...], path: Path) -> tuple[Vertex, ...]:
    """The list that the vertex at a place stands in."""
    parent = vertex_at(vertices, path[:-1])
    return vertices if parent is None else parent.children


def put(vertices: tuple[Vertex, ...], path: Path, *instead: Vertex) -> tuple[Vertex, ...]:
    """The tree with these vertices in place of the one that stands there."""
    step = path[0]
    if len(path) > 1:
        parent = vertices[step]
        instead = (parent._replace(children=put(parent.children, path[1:], *instead)),)
    return (*vertices[:step], *instead, *vertices[step + 1 :])


def changed(vertices: tuple[Vertex, ...], change: Callable[[Vertex], Vertex]) -> tuple[Vertex, ...]:
    """The tree with each vertex as ``change`` gives it; what it leaves alone stays itself."""
    out = []
    for vertex in vertices:
        after = change(vertex)
        inside = changed(after.children, change)
        if any(a is not b for a, b in zip(inside, after.children, strict=True)):
            after = after._replace(children=inside)
        out.append(after)
    return tuple(out)


def refused(
    shape: Shape, path: Path, message: str, *expected: str, rule: str = RULE, key: str = ""
) -> Edited:
    """An edit that is not made, and why."""
    where = document_path(path)
    problem = Problem(message, None, at(where, key) if key else where, expected, rule)
    return refused_for(shape, path, problem)


def refused_for(shape: Shape, path: Path, problem: Problem) -> Edited:
    """An edit that is not made because of this problem; the cursor stays, or goes further out."""
    while path and vertex_at(shape.vertices, path) is None:
        path = path[:-1]
    return Edited(shape.text, path, problem)


def refused_label(shape: Shape, path: Path, label: str) -> Edited:
    """An edit that would give a label twice."""
    message = f"the label '{printable(label)}' is already taken"
    return refused(shape, path, message, "another label", rule="RFC 14", key="label")


def nowhere(shape: Shape, path: Path) -> Edited:
    """An edit of a vertex that is not there."""
    return refused(shape, path, f"there is no resource at {document_path(path)}")


def edited(
    shape: Shape,
    vertices: tuple[Vertex, ...],
    path: Path,
    typed: Typed | None = None,
    *,
    back: Path,
) -> Edited:
    """The edit that leads to this tree, if its text can be read; back is the old place."""
    text, lawful = compose(shape, vertices, typed)
    if len(text) > MAX_LENGTH:
        return refused_for(shape, back, too_long("shape", text, RULE))
    if not lawful:
        return refused(shape, back, "the shape would be nested too deeply to be read")
    return Edited(text, path)


def readable(vertex: Vertex) -> bool:
    """Whether the own parts of a vertex are such as a shape can say."""
    read = parse_shape(fresh_own(vertex)).vertices
    return len(read) == 1 and same_meaning(read[0], vertex)
