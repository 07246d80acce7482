"""Resources as the shape that makes Flux ask for them: ``flux submit --resources-shape``.

A person changes one vertex with a key, and the shape is wanted again: what was made of the other
vertices at the top is kept by whoever asks, for as long as they are the very same.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from fluxtui.answers.commands import same
from fluxtui.answers.commands.saying import Known
from fluxtui.model.jobspec.resources import slots
from fluxtui.notation.problem import printable
from fluxtui.notation.shape import rules
from fluxtui.notation.shape.format import format_shape, joined
from fluxtui.notation.shape.resources import from_resources, to_resources
from fluxtui.notation.shape.tree import Vertex, walk


class AskedShape(NamedTuple):
    """A shape for Flux.

    trouble      why Flux cannot be asked for the resources
    text         the shape (RFC 46), with the slot of the task called as Flux calls it
    resources    what Flux makes of the shape
    differences  where those differ from the resources of the jobspec
    """

    trouble: str | None
    text: str
    resources: list[dict[str, Any]]
    differences: tuple[same.Difference, ...]


NO_SHAPE = AskedShape(None, "", [], ())


class Piece(NamedTuple):
    """One of the vertices at the top, with the slot of the task called as Flux calls it.

    slots     how many it holds
    has_slot  that of the task is among them
    wrong     why it makes no vertex of a shape
    unread    why Flux does not read that vertex as RFC 46 has it
    text      its shape
    made      the resource that Flux makes of that
    is_same   that is the resource it comes from, but for what the slot of the task is called
    """

    source: object
    label: object
    vertices: tuple[Vertex, ...]
    slots: int
    has_slot: bool
    wrong: str | None
    unread: str | None
    text: str = ""
    made: dict[str, Any] | None = None
    is_same: bool = False


def shape_of(resources: Sequence[Any], label: object, known: Known | None = None) -> AskedShape:
    """The shape for a resources list (RFC 14) whose task runs in the slots of a label.

    known is what is kept of the list before; None where nothing is.
    """
    pieces = _pieces_of(resources, label, Known() if known is None else known)
    if sum(piece.slots for piece in pieces) == 1:  # which needs no label
        pieces = [_piece_of(p.source, label, "task") if p.slots else p for p in pieces]
    trouble = _trouble(pieces)
    if trouble is not None:
        return NO_SHAPE._replace(trouble=trouble)
    made = [piece.made for piece in pieces if piece.made is not None]
    text = joined([piece.text for piece in pieces])
    # Where it is not there, a slot called task is another one, however alike the lists are.
    if any(piece.has_slot for piece in pieces) and all(piece.is_same for piece in pieces):
        return AskedShape(None, text, made, ())
    return AskedShape(None, text, made, same.of_resources(resources, label, made, "task"))


def _pieces_of(resources: Sequence[object], label: object, known: Known) -> list[Piece]:
    """The pieces of these vertices, made where they are others than the last time.

    They are found by the identity of their vertices, which they keep alive.
    """
    found = []
    for vertex in resources:
        piece = known.pieces.get(id(vertex))
        if piece is None or piece.source is not vertex or piece.label != label:
            piece = _piece_of(vertex, label)
        found.append(piece)
    known.pieces = {id(piece.source): piece for piece in found}
    return found


def _trouble(pieces: Sequence[Piece]) -> str | None:
    wrong = next((piece.wrong for piece in pieces if piece.wrong is not None), None)
    if wrong is None:
        broken = rules.check(tuple(v for piece in pieces for v in piece.vertices))
        wrong = broken[0].message if broken else None
    if wrong is None:
        wrong = next((piece.unread for piece in pieces if piece.unread is not None), None)
    return wrong


def _piece_of(source: Any, label: object, left_out: str | None = None) -> Piece:
    """The piece of a vertex; left_out is the label that its only slot goes without."""
    renamed = _renamed([source], label)
    tree = from_resources(renamed, left_out)
    piece = Piece(
        source,
        label,
        tree.value,
        slots=sum(vertex.type == "slot" for vertex in walk(tree.value)),
        has_slot=any(slot["label"] == label for slot in slots([source])),
        wrong=next((p.message for p in tree.problems if p.severity == "error"), None),
        unread=_unread_in(tree.value),
    )
    if piece.wrong is not None or piece.unread is not None:
        return piece
    (made,) = to_resources(tree.value, "task", "string")
    text = format_shape(tree.value)
    return piece._replace(text=text, made=made, is_same=renamed == [made])


def _renamed(resources: Any, label: object) -> list[Any]:
    out = []
    for vertex in resources:
        if isinstance(vertex, Mapping):
            copy = dict(vertex)
            if copy.get("type") == "slot" and copy.get("label") == label:
                copy["label"] = "task"
            if isinstance(copy.get("with"), list | tuple):
                copy["with"] = _renamed(copy["with"], label)
            out.append(copy)
        else:
            out.append(vertex)
    return out


def _unread_in(vertices: tuple[Vertex, ...]) -> str | None:
    """Why Flux does not read the shape of these as the same resources.

    flux-core 0.88 knows no escapes in quotes and no arrays before the last bracket, takes
    constants in any case and a slot in any letters, and a label ``x`` for the key ``exclusive``.
    """
    for vertex in walk(vertices):
        if vertex.type == "slot" and not vertex.children:
            return "a slot holds nothing, which no shape can say"
        word = _unread_word(vertex.type)
        if vertex.label is not None and word is None:
            word = "the label x" if vertex.label == "x" else _unread_word(vertex.label)
        if vertex.keys and word is None:
            words = (_unread_word(item.key) or _unread(item.value) for item in vertex.keys)
            word = next(filter(None, words), None)
        if word is not None:
            return f"Flux does not read {printable(word)[:60]} in a shape as RFC 46 has it"
    return None


def _unread(value: object) -> str | None:
    """What of a value Flux takes otherwise."""
    if isinstance(value, list | tuple):
        return "an array"
    if isinstance(value, Mapping):
        words = (_unread_word(key) or _unread(inner) for key, inner in value.items())
        return next(filter(None, words), None)
    if isinstance(value, str) and value.lower() in _CONSTANTS and value not in _CONSTANTS:
        return f"'{value}'"
    return _unread_word(value)


_CONSTANTS = ("true", "false", "null")


def _unread_word(word: object) -> str | None:
    """A word that needs escapes, which Flux does not know."""
    if not isinstance(word, str) or (word.isalnum() and word != ""):
        return None
    return f"'{word}'" if '"' in word or "\\" in word or not word.isprintable() else None
