"""What the keys of the jobspec tree do to the shape: one edit of its text each.

Every edit is loaded with the first key that needs it, as the first frame does without.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from fluxtui.notation.problem import Problem
from fluxtui.notation.shape.tree import Shape, Vertex

if TYPE_CHECKING:
    from fluxtui.notation.shape.edit import Edited

#: (0, 1) is the second child of the first vertex at the top.
Path: TypeAlias = tuple[int, ...]


class Question(NamedTuple):
    """A question that comes before an edit.

    text    what is asked for
    begin   the answer to begin with
    edit    the edit for an answer
    vertex  the answer is a vertex, and not a label or a key
    """

    text: str
    begin: str
    edit: "Callable[[str], Edited]"
    vertex: bool = True


class VertexKey(NamedTuple):
    """One key of the tree.

    key     its names for Textual
    shown   how it is written in the help
    help    what it does, in words
    act     what it does to the vertex at a path: the edit, or the question before it
    begins  where there is no vertex yet, it asks for the first one
    """

    key: str
    shown: str
    help: str
    act: "Callable[[Shape, Path], Edited | Question]"
    begins: bool = False


def _more(shape: Shape, path: Path) -> "Edited":
    from fluxtui.notation.shape.edit import step_count

    return step_count(shape, path, 1)


def _fewer(shape: Shape, path: Path) -> "Edited":
    from fluxtui.notation.shape.edit import step_count

    return step_count(shape, path, -1)


def _duplicate(shape: Shape, path: Path) -> "Edited":
    from fluxtui.notation.shape.edit import duplicate

    return duplicate(shape, path)


def _delete(shape: Shape, path: Path) -> "Edited":
    from fluxtui.notation.shape.edit import delete

    return delete(shape, path)


def _lift(shape: Shape, path: Path) -> "Edited":
    from fluxtui.notation.shape.edit import lift

    return lift(shape, path)


def _exclusive(shape: Shape, path: Path) -> "Edited":
    from fluxtui.notation.shape.edit import toggle_exclusive

    return toggle_exclusive(shape, path)


def _up(shape: Shape, path: Path) -> "Edited":
    from fluxtui.notation.shape.edit import move

    return move(shape, path, -1)


def _down(shape: Shape, path: Path) -> "Edited":
    from fluxtui.notation.shape.edit import move

    return move(shape, path, 1)


def _indent(shape: Shape, path: Path) -> "Edited":
    from fluxtui.notation.shape.edit import indent

    return indent(shape, path)


def _outdent(shape: Shape, path: Path) -> "Edited":
    from fluxtui.notation.shape.edit import outdent

    return outdent(shape, path)


def first(shape: Shape) -> Question:
    """The question for the first vertex of a shape that has none."""
    from fluxtui.notation.shape.edit import add_sibling

    return Question("what", "", lambda text: add_sibling(shape, (), text))


def _change(shape: Shape, path: Path) -> Question:
    from fluxtui.notation.shape.edit import edit_vertex, line_of

    kind = _vertex(shape, path).type
    return Question(kind, line_of(shape, path), lambda text: edit_vertex(shape, path, text))


def _child(shape: Shape, path: Path) -> Question:
    from fluxtui.notation.shape.edit import add_child

    kind = _vertex(shape, path).type
    return Question(f"in {kind}", "", lambda text: add_child(shape, path, text))


def _sibling(shape: Shape, path: Path) -> Question:
    from fluxtui.notation.shape.edit import add_sibling

    kind = _vertex(shape, path).type
    return Question(f"beside {kind}", "", lambda text: add_sibling(shape, path, text))


def _wrap(shape: Shape, path: Path) -> Question:
    from fluxtui.notation.shape.edit import wrap

    kind = _vertex(shape, path).type
    return Question(f"around {kind}", "", lambda text: wrap(shape, path, text))


def _label(shape: Shape, path: Path) -> Question:
    from fluxtui.notation.shape.edit import set_label

    vertex = _vertex(shape, path)
    label = vertex.label or "" if vertex.type == "slot" else _text_of(vertex, "label")
    return Question("label", label, lambda text: set_label(shape, path, text), vertex=False)


def _unit(shape: Shape, path: Path) -> Question:
    unit = _text_of(_vertex(shape, path), "unit")
    return Question("unit", unit, lambda text: _with_unit(shape, path, text), vertex=False)


def _key(shape: Shape, path: Path) -> Question:
    return Question("key:value", "", lambda text: _with_pair(shape, path, text), vertex=False)


def _with_unit(shape: Shape, path: Path, text: str) -> "Edited":
    """Set the unit; an empty text takes it away."""
    from fluxtui.notation.shape.edit import remove_key, set_key

    if text.strip():
        return set_key(shape, path, "unit", text.strip())
    return remove_key(shape, path, "unit")


def _with_pair(shape: Shape, path: Path, text: str) -> "Edited":
    """Set the key of ``key:value``; a key alone is true, one after ``-`` false."""
    from fluxtui.notation.shape.edit import Edited, set_key
    from fluxtui.notation.shape.parser import parse_shape

    if not text.strip():
        return Edited(shape.text, path)
    parsed = parse_shape(f"x{{{text}}}")
    vertices = parsed.vertices
    # A brace in the text may end the keys early, and other vertices follow.
    alone = parsed.ok and len(vertices) == 1 and not vertices[0].children
    items = vertices[0].keys if alone else ()
    if len(items) != 1 or parsed.tokens[-1].span.end != len(parsed.text):
        message = "this is no key and its value"
        wanted = ("id:0-3", "unit:GB", "x", "-x")
        return Edited(shape.text, path, Problem(message, None, None, wanted, "RFC 46"))
    return set_key(shape, path, items[0].key, items[0].value)


def _vertex(shape: Shape, path: Path) -> Vertex:
    vertex = shape.vertices[path[0]]
    for step in path[1:]:
        vertex = vertex.children[step]
    return vertex


def _text_of(vertex: Vertex, key: str) -> str:
    """The value of a key, where that is a text; else an empty one."""
    found = next((item.value for item in vertex.keys if item.key == key), "")
    return found if isinstance(found, str) else ""


#: The keys, in the order of the help.
VERTEX_KEYS = (
    VertexKey("enter", "enter", "change type, count and keys", _change, begins=True),
    VertexKey("plus,equals_sign", "+", "one more", _more),
    VertexKey("minus", "-", "one fewer", _fewer),
    VertexKey("a", "a", "add what it holds", _child, begins=True),
    VertexKey("o", "o", "add another beside it", _sibling, begins=True),
    VertexKey("c", "c", "duplicate it", _duplicate),
    VertexKey("d,delete", "d", "delete it, with what it holds", _delete),
    VertexKey("b", "b", "delete it alone, and keep what it holds", _lift),
    VertexKey("w", "w", "put something around it", _wrap),
    VertexKey("x", "x", "exclusive, shared, or neither", _exclusive),
    VertexKey("l", "l", "name it by a label", _label),
    VertexKey("u", "u", "give its unit, such as GB", _unit),
    VertexKey("k", "k", "set another key", _key),
    VertexKey("shift+up,K", "K", "move it up", _up),
    VertexKey("shift+down,J", "J", "move it down", _down),
    VertexKey("right_angle_bracket,greater_than_sign", ">", "move it into the one above", _indent),
    VertexKey("left_angle_bracket,less_than_sign", "<", "move it out", _outdent),
)
