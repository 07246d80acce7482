"""What becomes of an edit of a shape: the new text and the cursor, or why nothing was done."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Concatenate, ParamSpec

from fluxtui.notation.problem import MAX_LENGTH, Problem, at, printable, too_long
from fluxtui.notation.shape.edit.rewrite import Typed, rewrite, same_meaning
from fluxtui.notation.shape.edit.tree import Path, Tree, document_path, vertex_at
from fluxtui.notation.shape.format import own_text
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import RULE, Shape, Vertex

P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Edited:
    """A shape text after an edit.

    path     where the cursor should go
    problem  why nothing was done; the text is the old one then
    """

    text: str
    path: Path
    problem: Problem | None = None


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


def of_vertex(
    edit: Callable[Concatenate[Shape, Path, Vertex, P], Edited],
) -> Callable[Concatenate[Shape, Path, P], Edited]:
    """An edit that is given the vertex at a path, and refused where there is none."""

    @functools.wraps(edit)
    def found(shape: Shape, path: Path, /, *args: P.args, **kwargs: P.kwargs) -> Edited:
        vertex = vertex_at(shape.vertices, path)
        if vertex is None:
            return nowhere(shape, path)
        return edit(shape, path, vertex, *args, **kwargs)

    return found


def edited(
    shape: Shape, vertices: Tree, path: Path, typed: Typed | None = None, *, back: Path
) -> Edited:
    """The edit that leads to this tree, if its text can be read; back is the old path."""
    after = rewrite(shape, vertices, typed)
    if after is None:
        return refused(shape, back, "the shape would be nested too deeply to be read")
    if len(after.text) > MAX_LENGTH:
        return refused_for(shape, back, too_long("shape", after.text, RULE))
    return Edited(after.text, path)


def readable(vertex: Vertex) -> bool:
    """Whether a shape can say the own parts of a vertex."""
    read = parse_shape(own_text(vertex)).vertices
    return len(read) == 1 and same_meaning(read[0], vertex)


def read_line(line: str) -> Shape | Problem:
    """The shape of one vertex that was typed, or why the line is none; spans are in the line.

    A slot may have no children, since what it holds comes later.
    """
    text = line.strip()
    if not text:
        return Problem("a resource type is missing", None, None, ("a resource type",), RULE)
    read = parse_shape(line)
    if not read.ok and not parse_shape(f"{text}/core").ok:
        return next(problem for problem in read.problems if problem.severity == "error")
    if len(read.vertices) != 1:
        message = "expected one resource, not a list"
        return Problem(message, None, None, ("one resource",), RULE)
    return read
