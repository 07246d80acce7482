"""The shape text after its resources list was changed elsewhere (RFC 46, RFC 14)."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from fluxtui.notation.json_compare import identical, of_lists, same
from fluxtui.notation.shape.edit.rewrite import rewrite, same_count, same_meaning, slot_label
from fluxtui.notation.shape.edit.tree import DEFAULT, Tree, changed, labelled
from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import from_resources, to_resources
from fluxtui.notation.shape.tree import Shape, Vertex, walk


def revise(shape: Shape, resources: Sequence[Any]) -> Shape:
    """The shape of another resources list (RFC 14), with as little change as `rewrite` makes.

    It is the old shape where that says the same already. One that is unfinished or wrong is written
    anew, so that it does not stand in the way of a document that is neither. The label ``default``
    of an only slot stays out, unless it was written. What no shape can say is left out, as by
    `from_resources`.
    """
    vertices = _Origins(shape).row(shape.vertices, to_resources(shape), resources)
    slots = [vertex for vertex in walk(vertices) if vertex.type == "slot"]
    written = any(v.type == "slot" and v.label == DEFAULT for v in walk(shape.vertices))
    if written or len(slots) > 1 or any(slot.keys for slot in slots):
        vertices = changed(vertices, lambda v: labelled(v, lambda: DEFAULT))
    else:
        vertices = changed(vertices, _without_default)
    is_same = len(vertices) == len(shape.vertices) and all(map(_is, vertices, shape.vertices))
    found = shape if is_same else rewrite(shape, vertices)
    if found is not None and (found.ok or not vertices):
        return found
    anew = parse_shape(format_shape(vertices))
    return anew if found is None or anew.ok else found


def _is(one: Vertex, other: Vertex) -> bool:
    return one is other


def _without_default(vertex: Vertex) -> Vertex:
    is_default = vertex.type == "slot" and vertex.label == DEFAULT
    return vertex._replace(label=None) if is_default else vertex


class _Origins:
    """The vertices of a shape, to be found again in another resources list."""

    def __init__(self, shape: Shape) -> None:
        self._shape = shape
        self._known: dict[str, Vertex] | None = None

    def row(self, olds: Tree, was: Sequence[Any], now: object) -> Tree:
        """The vertices of a list; each old one stays itself where it says the same."""
        if not isinstance(now, list | tuple):
            return from_resources(now).value  # type: ignore[arg-type]  # it has none then
        origins = {new: old for old, new in of_lists(was, now).pairs}
        out: list[Vertex] = []
        for place, resource in enumerate(now):
            number = origins.get(place)
            if not isinstance(resource, Mapping):
                continue
            if number is None or _is_nested(was[number], resource):
                out.append(self._elsewhere(resource))
            else:
                out.append(self._vertex(olds[number], was[number], resource))
        return tuple(out)

    def _vertex(self, old: Vertex, was: Mapping[str, Any], now: Mapping[str, Any]) -> Vertex:
        """The vertex of a resource that came from an old one: itself where it is the same."""
        if identical(was, now):
            return old
        children = self.row(old.children, was.get("with", ()), now.get("with", ()))
        if len(children) == len(old.children) and all(map(_is, children, old.children)):
            children = old.children
        fresh = _fresh(now)
        if fresh.label == DEFAULT and slot_label(old) is None:
            fresh = fresh._replace(label=None)
        if same_meaning(old, fresh) and same_count(old, fresh):
            return old if children is old.children else old._replace(children=children)
        return fresh._replace(children=children, span=old.span, type_span=old.type_span)

    def _elsewhere(self, resource: Mapping[str, Any]) -> Vertex:
        """The vertex of a resource that is new in its list: perhaps one from another list."""
        if self._known is None:
            olds = list(walk(self._shape.vertices))
            self._known = {_name(to_resources((old,))[0]): old for old in olds}
        found = self._known.get(_name(resource)) if len(resource) > 2 else None
        if found is not None:
            return found
        return _fresh(resource)._replace(children=self.row((), (), resource.get("with", ())))


def _is_nested(was: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Whether one of two resources of different types is a child of the other."""
    if was["type"] == now.get("type"):
        return False
    inside = now.get("with", ())
    held = inside if isinstance(inside, list | tuple) else ()
    return any(same(was, one) for one in held) or any(same(now, one) for one in was.get("with", ()))


def _fresh(resource: Mapping[str, Any]) -> Vertex:
    """The vertex of a resource without what it holds."""
    own = {key: value for key, value in resource.items() if key != "with"}
    return from_resources((own,), label=None).value[0]


def _name(resource: Mapping[str, Any]) -> str:
    """A text that is the same for the same resource, and no other."""
    return json.dumps(resource, sort_keys=True, default=repr)
