"""Paths in the tree of a shape, trees with a part replaced, and the labels that trees need.

A path is a vertex's number among those at the top, then its number at each level: (0, 1) is what
a jobspec calls ``resources[0].with[1]`` (RFC 14). A shape with one slot may leave its label out,
and then it is ``default``; with more slots each needs a label of its own (RFC 46).
"""

import re
from collections.abc import Callable, Iterable, Sequence

from fluxtui.notation.problem import at
from fluxtui.notation.shape.tree import Item, Vertex, walk

#: The place of a vertex: its number among those at the top, then its number at each level.
Path = tuple[int, ...]

Tree = tuple[Vertex, ...]

DEFAULT = "default"

# What the labels of slots are made of that were given none.
_SLOT = "slot"

_PLACE = re.compile(r"resources\[([0-9]{1,9})\]((?:\.with\[[0-9]{1,9}\])*)")


def path_of(document_path: str) -> Path:
    """The path that a path in a document stands for: ``resources[0].with[1].count`` is (0, 1).

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


def vertex_at(vertices: Tree, path: Path) -> Vertex | None:
    """The vertex at a path, or None where there is none."""
    vertex = None
    for step in path:
        if not 0 <= step < len(vertices):
            return None
        vertex = vertices[step]
        vertices = vertex.children
    return vertex


def siblings_at(vertices: Tree, path: Path) -> Tree:
    """The list that the vertex at a path is in."""
    parent = vertex_at(vertices, path[:-1])
    return vertices if parent is None else parent.children


def put(vertices: Tree, path: Path, *instead: Vertex) -> Tree:
    """The tree with these vertices in place of the one at a path."""
    step = path[0]
    if len(path) > 1:
        parent = vertices[step]
        instead = (parent._replace(children=put(parent.children, path[1:], *instead)),)
    return (*vertices[:step], *instead, *vertices[step + 1 :])


def changed(vertices: Tree, change: Callable[[Vertex], Vertex]) -> Tree:
    """The tree with each vertex as ``change`` gives it; what it leaves alone stays itself."""
    out = []
    for vertex in vertices:
        after = change(vertex)
        inside = changed(after.children, change)
        if any(a is not b for a, b in zip(inside, after.children, strict=True)):
            after = after._replace(children=inside)
        out.append(after)
    return tuple(out)


class Labels:
    """The labels that are taken, and others that are not."""

    __slots__ = ("_last", "taken")

    def __init__(self, taken: Iterable[str]) -> None:
        self.taken = set(taken)
        self._last: dict[str, int] = {}

    def default(self) -> str:
        """``default`` if it is free, else another; it is taken from now on."""
        return self.like(DEFAULT) if DEFAULT in self.taken else self._take(DEFAULT)

    def like(self, label: str) -> str:
        """A label like this one with the next number, from 2 on; it is taken from now on."""
        name = _SLOT if label == DEFAULT else label
        found = re.search(r"[0-9]{1,9}\Z", name)
        digits = found[0] if found else ""
        base = name[: len(name) - len(digits)]
        number = max(self._last.get(base, 0), int(digits or 1)) + 1
        while f"{base}{number:0{len(digits)}d}" in self.taken:
            number += 1
        self._last[base] = number
        return self._take(f"{base}{number:0{len(digits)}d}")

    def _take(self, label: str) -> str:
        self.taken.add(label)
        return label


def labels(vertices: Sequence[Vertex]) -> list[str]:
    """Every label of a tree: those of slots, and the key ``label`` of other types."""
    out = []
    for vertex in walk(tuple(vertices)):
        if vertex.type == "slot" and vertex.label is not None:
            out.append(vertex.label)
        out += [item.value for item in vertex.keys if _is_label(item)]
    return out


def slots(vertices: Sequence[Vertex]) -> int:
    """How many slots a tree has."""
    return sum(vertex.type == "slot" for vertex in walk(tuple(vertices)))


def settled(vertices: Tree, added: Vertex, *, copy: bool = False) -> tuple[Tree, Vertex, str]:
    """A tree and the vertex added to it with the labels that both need; of a copy all are others.

    Where there come to be several slots, the first that has no label gets ``default``, which it
    was without saying so, and the others a new name. The text is a label that was asked for and
    is taken, else empty.
    """
    used = Labels(labels(vertices))
    own = labels((added,))
    several = slots((added,)) and slots(vertices) + slots((added,)) > 1
    if several:
        vertices = changed(vertices, lambda v: labelled(v, used.default))
    if copy:
        added = changed((added,), lambda v: _renamed(v, used))[0]
    elif clash := next((label for label in own if label in used.taken), ""):
        return vertices, added, clash
    used.taken.update(own)
    if several:
        added = changed((added,), lambda v: labelled(v, lambda: used.like(DEFAULT)))[0]
    elif added.keys:
        added = labelled(added, used.default)
    return vertices, added, ""


def labelled(vertex: Vertex, name: Callable[[], str]) -> Vertex:
    """A slot with this label if it had none; any other vertex as it is."""
    without = vertex.type == "slot" and vertex.label is None
    return vertex._replace(label=name()) if without else vertex


def _renamed(vertex: Vertex, used: Labels) -> Vertex:
    """The vertex with labels that are not taken in place of its own."""
    if vertex.type == "slot" and vertex.label is not None:
        vertex = vertex._replace(label=used.like(vertex.label))
    if not any(map(_is_label, vertex.keys)):
        return vertex
    keys = (i._replace(value=used.like(i.value)) if _is_label(i) else i for i in vertex.keys)
    return vertex._replace(keys=tuple(keys))


def _is_label(item: Item) -> bool:
    return item.key == "label" and isinstance(item.value, str)
