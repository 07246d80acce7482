"""What the keys of the jobspec tree do to the shape: one edit of its text each."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from fluxtui.notation.shape import Shape, Vertex
from fluxtui.notation.source import Problem

if TYPE_CHECKING:
    from fluxtui.notation.shape_edit import Edited


class Ask(NamedTuple):
    """A question that comes before an edit: what is asked, the text to begin with, the edit."""

    question: str
    text: str
    edit: "Callable[[str], Edited]"


class VertexKey(NamedTuple):
    """One key of the tree: its name for Textual, how it is written, and what it does."""

    key: str
    shown: str
    name: str
    help: str


VERTEX_KEYS = (
    VertexKey("enter", "enter", "change", "change type, count and keys"),
    VertexKey("plus,equals_sign", "+", "more", "one more"),
    VertexKey("minus", "-", "fewer", "one fewer"),
    VertexKey("a", "a", "child", "add what it holds"),
    VertexKey("o", "o", "sibling", "add another beside it"),
    VertexKey("c", "c", "duplicate", "duplicate it"),
    VertexKey("d,delete", "d", "delete", "delete it, with what it holds"),
    VertexKey("b", "b", "lift", "delete it alone, and keep what it holds"),
    VertexKey("w", "w", "wrap", "put something around it"),
    VertexKey("x", "x", "exclusive", "exclusive, shared, or neither"),
    VertexKey("l", "l", "label", "name it by a label"),
    VertexKey("u", "u", "unit", "give its unit, such as GB"),
    VertexKey("k", "k", "key", "set another key"),
    VertexKey("shift+up,K", "K", "up", "move it up"),
    VertexKey("shift+down,J", "J", "down", "move it down"),
    VertexKey("right_angle_bracket,greater_than_sign", ">", "indent", "move it into the one above"),
    VertexKey("left_angle_bracket,less_than_sign", "<", "outdent", "move it out"),
)


def do(name: str, shape: Shape, path: tuple[int, ...]) -> "Edited | Ask":
    """What a key does to the vertex at a path: the edit, or the question before it."""
    from fluxtui.notation import shape_edit as edits

    vertex = _vertex(shape, path)
    at_once: dict[str, Callable[[], Edited]] = {
        "more": lambda: edits.step_count(shape, path, 1),
        "fewer": lambda: edits.step_count(shape, path, -1),
        "duplicate": lambda: edits.duplicate(shape, path),
        "delete": lambda: edits.delete(shape, path),
        "lift": lambda: edits.lift(shape, path),
        "exclusive": lambda: edits.toggle_exclusive(shape, path),
        "up": lambda: edits.move(shape, path, -1),
        "down": lambda: edits.move(shape, path, 1),
        "indent": lambda: edits.indent(shape, path),
        "outdent": lambda: edits.outdent(shape, path),
    }
    if name in at_once:
        return at_once[name]()
    kind, own = vertex.type, edits.own_text(shape, path)
    asked = {
        "change": Ask(kind, own, lambda t: edits.edit_vertex(shape, path, t)),
        "child": Ask(f"in {kind}", "", lambda t: edits.add_child(shape, path, t)),
        "sibling": Ask(f"beside {kind}", "", lambda t: edits.add_sibling(shape, path, t)),
        "wrap": Ask(f"around {kind}", "", lambda t: edits.wrap(shape, path, t)),
        "label": Ask("label", _key(vertex, "label"), lambda t: edits.set_label(shape, path, t)),
        "unit": Ask("unit", _key(vertex, "unit"), lambda t: _set(shape, path, "unit", t)),
        "key": Ask("key:value", "", lambda t: _set_pair(shape, path, t)),
    }
    return asked[name]


def first(shape: Shape, text: str) -> "Edited":
    """The first vertex of a shape that has none."""
    from fluxtui.notation import shape_edit as edits

    return edits.add_sibling(shape, (), text)


def _vertex(shape: Shape, path: tuple[int, ...]) -> Vertex:
    vertex = shape.vertices[path[0]]
    for step in path[1:]:
        vertex = vertex.children[step]
    return vertex


def _key(vertex: Vertex, key: str) -> str:
    if key == "label" and vertex.type == "slot":
        return vertex.label or ""
    found = next((item.value for item in vertex.keys if item.key == key), "")
    return found if isinstance(found, str) else ""


def _set(shape: Shape, path: tuple[int, ...], key: str, text: str) -> "Edited":
    """Set a key to a text; an empty one takes the key away."""
    from fluxtui.notation import shape_edit as edits

    if text.strip():
        return edits.set_key(shape, path, key, text.strip())
    return edits.remove_key(shape, path, key)


def _set_pair(shape: Shape, path: tuple[int, ...], text: str) -> "Edited":
    """Set the key of ``key:value``; a key alone is true, one after ``-`` false."""
    from fluxtui.notation import shape as shapes
    from fluxtui.notation import shape_edit as edits

    parsed = shapes.parse(f"x{{{text}}}")
    items = parsed.vertices[0].keys if parsed.vertices else ()
    if parsed.ok and not items and text.strip() == "":
        return edits.Edited(shape.text, path, None)
    if not parsed.ok or len(items) != 1:
        message = "this is no key and its value"
        wanted = ("id:0-3", "unit:GB", "x", "-x")
        return edits.Edited(shape.text, path, Problem(message, None, None, wanted, "RFC 46"))
    return edits.set_key(shape, path, items[0].key, items[0].value)
