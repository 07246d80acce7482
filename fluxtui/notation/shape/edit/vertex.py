"""Edits of one vertex: its type, its label, its keys, or all of these (RFC 46, RFC 14)."""

from collections.abc import Sequence
from typing import Any

from fluxtui.notation.problem import Problem, at, printable
from fluxtui.notation.shape.edit.labels import Labels, labels, settled, slots
from fluxtui.notation.shape.edit.line import read_line
from fluxtui.notation.shape.edit.own import fresh_own
from fluxtui.notation.shape.edit.tree import (
    Edited,
    Path,
    document_path,
    edited,
    nowhere,
    put,
    readable,
    refused,
    refused_for,
    refused_label,
    vertex_at,
)
from fluxtui.notation.shape.edit.write import Typed, piece
from fluxtui.notation.shape.rules import check
from fluxtui.notation.shape.tree import Item, Shape, Vertex


def set_type(shape: Shape, path: Path, type: str) -> Edited:
    """The vertex with another resource type; the name is taken as it is, quotes and all.

    A slot's label becomes the key ``label`` of another type, and the other way round. A new slot
    gets a label where it needs one.
    """
    vertex = vertex_at(shape.vertices, path)
    if vertex is None:
        return nowhere(shape, path)
    if not type:
        return refused(shape, path, "a resource type is empty", "a resource type")
    if type == vertex.type:
        return Edited(shape.text, path)
    after = vertex._replace(type=type, children=())
    if vertex.type == "slot":
        item = () if vertex.label is None else (Item("label", vertex.label),)
        after = after._replace(label=None, keys=(*item, *vertex.keys))
    elif type == "slot":
        given = [item.value for item in vertex.keys if item.key == "label"]
        label = given[0] if given and isinstance(given[0], str) else None
        after = after._replace(label=label, keys=_without(vertex.keys, "label"))
    return _instead(shape, path, vertex, after)


def set_label(shape: Shape, path: Path, label: str) -> Edited:
    """The vertex with this label, which no other vertex may have; an empty text takes it away.

    Refused where a slot needs its label: beside other slots, and before keys.
    """
    vertex = vertex_at(shape.vertices, path)
    if vertex is None:
        return nowhere(shape, path)
    if vertex.type != "slot":
        if label:
            return set_key(shape, path, "label", label)
        known = any(item.key == "label" for item in vertex.keys)
        return remove_key(shape, path, "label") if known else Edited(shape.text, path)
    if not label and slots(shape.vertices) > 1:
        message = "a slot needs a label where there is more than one slot"
        return refused(shape, path, message, "a label", key="label")
    if not label and vertex.keys:
        message = "a slot with keys needs a label before them"
        return refused(shape, path, message, "a label", key="label")
    if label != vertex.label and label in labels(shape.vertices):
        return refused_label(shape, path, label)
    return _changed(shape, path, vertex._replace(label=label or None))


def set_key(shape: Shape, path: Path, key: str, value: Any) -> Edited:
    """The vertex with this key, which may be new, and any JSON value.

    The key is the name that RFC 14 has, so ``exclusive`` and not ``x``. A slot without a label
    gets one before its first key.
    """
    vertex = vertex_at(shape.vertices, path)
    if vertex is None:
        return nowhere(shape, path)
    if key == "label" and vertex.type == "slot" and isinstance(value, str):
        return set_label(shape, path, value)
    others = put(shape.vertices, path, vertex._replace(keys=()))
    if key == "label" and value in labels(others):
        return refused_label(shape, path, value)
    item = Item(key, value)
    wrong = check((Vertex("node", keys=(item,)),))
    if wrong:
        where = at(document_path(path), key)
        return refused_for(shape, path, wrong[0]._replace(span=None, path=where))
    places = [place for place, old in enumerate(vertex.keys) if old.key == key]
    keys = list(vertex.keys)
    for place in reversed(places[1:]):
        del keys[place]
    if places:
        keys[places[0]] = keys[places[0]]._replace(value=value)
    else:
        keys.append(item)
    after = vertex._replace(keys=tuple(keys))
    if after.type == "slot" and after.label is None:
        after = after._replace(label=Labels(labels(shape.vertices)).default())
    return _changed(shape, path, after)


def remove_key(shape: Shape, path: Path, key: str) -> Edited:
    """The vertex without this key; refused where it has none of that name."""
    vertex = vertex_at(shape.vertices, path)
    if vertex is None:
        return nowhere(shape, path)
    if key == "label" and vertex.type == "slot":
        return set_label(shape, path, "")
    keys = _without(vertex.keys, key)
    if len(keys) == len(vertex.keys):
        return refused(shape, path, f"{printable(vertex.type)} has no key '{printable(key)}'")
    return _changed(shape, path, vertex._replace(keys=keys))


def toggle_exclusive(shape: Shape, path: Path) -> Edited:
    """The vertex made exclusive, then shared, then neither: ``x``, ``-x``, no key (RFC 14)."""
    vertex = vertex_at(shape.vertices, path)
    if vertex is None:
        return nowhere(shape, path)
    given = [item.value for item in vertex.keys if item.key == "exclusive"]
    if given and given[0] is False:
        return remove_key(shape, path, "exclusive")
    return set_key(shape, path, "exclusive", not (given and given[0] is True))


def own_text(shape: Shape, path: Path) -> str:
    """A vertex as it was typed, without what it holds: the line to begin `edit_vertex` with."""
    vertex = vertex_at(shape.vertices, path)
    return "" if vertex is None else piece(shape, vertex, vertex, own=True)


def edit_vertex(shape: Shape, path: Path, line: str) -> Edited:
    """The vertex with the type, count, label and keys of a line such as ``node=4{x}``.

    What it holds stays; a line may name children only where the vertex has none. A line that
    `shape.format` would write just so says nothing of how things are spelled, and what it leaves
    as it was keeps its own spelling; any other line is taken letter for letter. A slot beside
    others keeps its label where the line leaves it out.
    """
    vertex = vertex_at(shape.vertices, path)
    if vertex is None:
        return nowhere(shape, path)
    read = read_line(line)
    if isinstance(read, Problem):
        return refused_for(shape, path, read)
    typed = read.vertices[0]
    if typed.children and vertex.children:
        message = "the line of a vertex does not name what it holds"
        return refused(shape, path, message, "a line without '/'")
    after = vertex._replace(
        type=typed.type, count=typed.count, count_text=typed.count_text, label=typed.label,
        keys=tuple(Item(item.key, item.value) for item in typed.keys), children=typed.children,
    )  # fmt: skip
    if after.type == "slot" and after.label is None and slots(shape.vertices) > 1:
        after = after._replace(label=vertex.label)
    return _instead(shape, path, vertex, after, read)


def _instead(
    shape: Shape, path: Path, vertex: Vertex, after: Vertex, line: Shape | None = None
) -> Edited:
    """The edit that gives a vertex other parts; ``after`` holds only the children that are new."""
    if not readable(after):
        return refused(shape, path, "a shape cannot say this")
    rest = put(shape.vertices, path, vertex._replace(type="", label=None, keys=()))
    new_slot = slots((after,)) > (vertex.type == "slot")
    if new_slot:
        rest, after, taken = settled(rest, after)
    else:
        known = labels((vertex._replace(children=()),))
        others = labels(rest)
        taken = next(
            (name for name in labels((after,)) if name in others and name not in known), None
        )
    if taken is not None:
        return refused_label(shape, path, taken)
    inside = vertex_at(rest, path)
    if inside is not None and inside.children:
        after = after._replace(children=inside.children)
    typed = None if line is None else _typed(line, after)
    return edited(shape, put(rest, path, after), path, typed, back=path)


def _typed(line: Shape, after: Vertex) -> Typed:
    """The texts of a line for the vertex that it gives, and for those below it."""
    old = line.vertices[0]
    own = piece(line, after, old, own=True)
    whole = {
        id(new): piece(line, new, child)
        for new, child in zip(after.children, old.children, strict=False)
    }
    return Typed({id(after): own} if own != fresh_own(after) else {}, whole)


def _changed(shape: Shape, path: Path, after: Vertex) -> Edited:
    if not readable(after):
        return refused(shape, path, "a shape cannot say this")
    return edited(shape, put(shape.vertices, path, after), path, back=path)


def _without(keys: Sequence[Item], key: str) -> tuple[Item, ...]:
    return tuple(item for item in keys if item.key != key)
