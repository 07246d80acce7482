"""Edits of where vertices are: added, removed, moved among others (RFC 46)."""

from collections.abc import Callable

from fluxtui.notation.problem import Problem, printable
from fluxtui.notation.shape.edit.edited import (
    Edited,
    edited,
    nowhere,
    of_vertex,
    read_line,
    refused,
    refused_for,
    refused_label,
)
from fluxtui.notation.shape.edit.rewrite import Typed, piece
from fluxtui.notation.shape.edit.tree import Path, Tree, put, settled, siblings_at, vertex_at
from fluxtui.notation.shape.tree import NOWHERE, Shape, Vertex


def add_child(shape: Shape, path: Path, type: str) -> Edited:
    """A new last child of a vertex, or a new last vertex at the top for the path ().

    ``type`` is a type or more of a shape, such as ``gpu=2{x}`` or ``slot/core``. The cursor goes
    to the new vertex. Where slots come to be several, those without a label get one.
    """
    if not path or not shape.vertices:
        return add_sibling(shape, (), type)
    if vertex_at(shape.vertices, path) is None:
        return nowhere(shape, path)

    def place(tree: Tree, new: Vertex) -> tuple[Tree, Path]:
        parent = _known(tree, path)
        after = parent._replace(children=(*parent.children, new))
        return put(tree, path, after), (*path, len(parent.children))

    return _added(shape, path, type, place)


def add_sibling(shape: Shape, path: Path, type: str) -> Edited:
    """A new vertex after the one at a place; for the path () after the last one at the top.

    ``type`` is as in `add_child`. An empty shape becomes just that vertex.
    """
    if path and shape.vertices and vertex_at(shape.vertices, path) is None:
        return nowhere(shape, path)

    def place(tree: Tree, new: Vertex) -> tuple[Tree, Path]:
        if not path or not tree:
            return (*tree, new), (len(tree),)
        return put(tree, path, _known(tree, path), new), (*path[:-1], path[-1] + 1)

    return _added(shape, path, type, place)


@of_vertex
def wrap(shape: Shape, path: Path, vertex: Vertex, type: str) -> Edited:
    """A new vertex around the one at a place; the cursor goes to the new one.

    ``type`` is a type or a line such as ``slot=4{a}``; it names no children.
    """

    def place(tree: Tree, new: Vertex) -> tuple[Tree, Path]:
        return put(tree, path, new._replace(children=(_known(tree, path),))), path

    return _added(shape, path, type, place, around=True)


def _added(
    shape: Shape,
    path: Path,
    line: str,
    place: Callable[[Tree, Vertex], tuple[Tree, Path]],
    *,
    around: bool = False,
) -> Edited:
    """The edit that puts the vertex of a line into the tree, with the labels that both need."""
    read = read_line(line)
    if isinstance(read, Problem):
        return refused_for(shape, path, read)
    typed = read.vertices[0]
    if around and typed.children:
        message = "a vertex around another one names no children"
        return refused(shape, path, message, "a line without '/'")
    tree, new, taken = settled(shape.vertices, typed._replace(span=NOWHERE))
    if taken:
        return refused_label(shape, path, taken)
    after, to = place(tree, new)
    new = _known(after, to)
    if around:
        own = Typed({id(new): piece(read, new, typed, own=True)})
        return edited(shape, after, to, own, back=path)
    return edited(shape, after, to, Typed(whole={id(new): piece(read, new, typed)}), back=path)


@of_vertex
def delete(shape: Shape, path: Path, vertex: Vertex) -> Edited:
    """The shape without a vertex and all that it holds; without the only one it is empty.

    The cursor goes to the next of the list, or the one before it, or the parent.
    """
    left = len(siblings_at(shape.vertices, path)) - 1
    to = (*path[:-1], min(path[-1], left - 1)) if left else path[:-1]
    return edited(shape, put(shape.vertices, path), to, back=path)


@of_vertex
def lift(shape: Shape, path: Path, vertex: Vertex) -> Edited:
    """The shape without a vertex; what it held takes its place, and the first of it the cursor."""
    if not vertex.children:
        return delete(shape, path)
    return edited(shape, put(shape.vertices, path, *vertex.children), path, back=path)


@of_vertex
def duplicate(shape: Shape, path: Path, vertex: Vertex) -> Edited:
    """The same vertex once more, after itself; the cursor goes to the copy.

    Every label of the copy is another one, since labels are unique.
    """
    tree, copy, _ = settled(shape.vertices, vertex, copy=True)
    after = put(tree, path, _known(tree, path), copy)
    return edited(shape, after, (*path[:-1], path[-1] + 1), back=path)


@of_vertex
def move(shape: Shape, path: Path, vertex: Vertex, by: int) -> Edited:
    """A vertex moved among those beside it: on by so many places, or back where it is negative.

    It goes no further than the end of the list; refused where it is there already.
    """
    row = list(siblings_at(shape.vertices, path))
    to = min(max(path[-1] + by, 0), len(row) - 1)
    if to == path[-1] and by:
        end = "last" if by > 0 else "first"
        return refused(shape, path, f"{_name(vertex)} is already the {end} of its list")
    del row[path[-1]]
    row.insert(to, vertex)
    return edited(shape, _with_row(shape.vertices, path[:-1], row), (*path[:-1], to), back=path)


@of_vertex
def indent(shape: Shape, path: Path, vertex: Vertex) -> Edited:
    """A vertex moved into the one before it, as its last child."""
    if not path[-1]:
        return refused(shape, path, f"no vertex before {_name(vertex)} could hold it")
    before = (*path[:-1], path[-1] - 1)
    parent = _known(shape.vertices, before)
    after = parent._replace(children=(*parent.children, vertex))
    tree = put(put(shape.vertices, path), before, after)
    return edited(shape, tree, (*before, len(parent.children)), back=path)


@of_vertex
def outdent(shape: Shape, path: Path, vertex: Vertex) -> Edited:
    """A vertex moved out of its parent, to the place after it."""
    if len(path) == 1:
        return refused(shape, path, f"{_name(vertex)} is already at the top")
    tree = put(shape.vertices, path)
    parent = _known(tree, path[:-1])
    to = (*path[:-2], path[-2] + 1)
    return edited(shape, put(tree, path[:-1], parent, vertex), to, back=path)


def _name(vertex: Vertex) -> str:
    return printable(vertex.type) or "it"


def _known(tree: Tree, path: Path) -> Vertex:
    """The vertex at a place that is known to be there."""
    vertex = vertex_at(tree, path)
    assert vertex is not None
    return vertex


def _with_row(tree: Tree, path: Path, row: list[Vertex]) -> Tree:
    """The tree with this list of children for the vertex at a place, or at the top."""
    if not path:
        return tuple(row)
    return put(tree, path, _known(tree, path)._replace(children=tuple(row)))
