"""The shape text after its resources list was changed somewhere else (RFC 46, RFC 14)."""

from collections.abc import Mapping, Sequence
from typing import Any

from fluxtui.notation.json_compare import same
from fluxtui.notation.shape.edit.compose import rewrite
from fluxtui.notation.shape.edit.labels import DEFAULT
from fluxtui.notation.shape.edit.tree import changed
from fluxtui.notation.shape.resources import from_resources, to_resources
from fluxtui.notation.shape.tree import Shape, Vertex, walk


def revise(
    shape: Shape,
    resources: Sequence[Mapping[str, Any]],
    before: Sequence[Mapping[str, Any]] | None = None,
) -> str:
    """The text for another resources list (RFC 14), with as little change as `rewrite` makes.

    before is the list that the shape stands for, where that is known; vertices of both lists are
    not looked at.

    It is the old text where that says the same already. The label ``default`` of an only slot
    stays out, unless it was written. What no shape can say is left out, as by `from_resources`.
    """
    before = to_resources(shape) if before is None else before
    vertices = _row(shape.vertices, before, resources)
    if vertices is shape.vertices:
        return shape.text
    if _has_bare_slot(vertices, shape):
        slots = [vertex for vertex in walk(vertices) if vertex.type == "slot"]
        written = any(v.type == "slot" and v.label == DEFAULT for v in walk(shape.vertices))
        if written or len(slots) > 1 or any(slot.keys for slot in slots):
            vertices = changed(vertices, _labelled)
    return rewrite(shape, vertices)


def _has_bare_slot(vertices: tuple[Vertex, ...], shape: Shape) -> bool:
    """Whether a slot of a new tree has no label; shape is the tree that it came from.

    Without an error there is no such slot beside another one: the first slot tells of all.
    """
    first = next((vertex for vertex in walk(shape.vertices) if vertex.type == "slot"), None)
    if shape.ok and first is not None and first.label is not None:
        known = set(map(id, shape.vertices))
        vertices = tuple([vertex for vertex in vertices if id(vertex) not in known])
    return any(vertex.type == "slot" and vertex.label is None for vertex in walk(vertices))


def _labelled(vertex: Vertex) -> Vertex:
    """A slot with the label that it has without one; any other vertex as it is."""
    left_out = vertex.type == "slot" and vertex.label is None
    return vertex._replace(label=DEFAULT) if left_out else vertex


def _row(
    olds: tuple[Vertex, ...], was: Sequence[Mapping[str, Any]], now: object
) -> tuple[Vertex, ...]:
    """The vertices of a list, where it is the old list from either end those of that list."""
    if not now and not olds:
        return olds
    if not isinstance(now, list | tuple) or not all(isinstance(one, Mapping) for one in now):
        return from_resources(now).value  # type: ignore[arg-type]  # it says what it leaves out
    if len(olds) == len(now):
        row = tuple(map(_vertex, olds, was, now))
        return olds if all(a is b for a, b in zip(olds, row, strict=True)) else row
    first, last, most = 0, 0, min(len(olds), len(now))
    while first < most and _vertex(olds[first], was[first], now[first]) is olds[first]:
        first += 1
    while (
        last < most - first
        and _vertex(olds[-1 - last], was[-1 - last], now[-1 - last]) is (olds[-1 - last])
    ):
        last += 1
    middle = from_resources(now[first : len(now) - last]).value
    return (*olds[:first], *middle, *olds[len(olds) - last :])


def _vertex(old: Vertex, was: Mapping[str, Any], now: Mapping[str, Any]) -> Vertex:
    """The vertex of a resource: the old one itself where it is the same, else what differs."""
    if now is was:
        return old
    if now.get("type") != old.type:
        return from_resources((now,)).value[0]
    children = _row(old.children, was.get("with", ()), now.get("with", ()))
    if _same_own(was, now):
        return old if children is old.children else old._replace(children=children)
    own = {key: value for key, value in now.items() if key != "with"}
    fresh = from_resources((own,)).value[0]
    return fresh._replace(children=children, span=old.span, type_span=old.type_span)


def _same_own(was: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Whether two resources are the same but for what they hold."""
    if len(was) - ("with" in was) != len(now) - ("with" in now):
        return False
    for key, value in was.items():
        if key != "with":
            other = now.get(key, now)
            if other is not value and not same(value, other):
                return False
    return True
