"""Shapes and the ``resources`` list of RFC 14, one made from the other (RFC 46)."""

from collections.abc import Mapping, Sequence
from typing import Any

from fluxtui.notation import count
from fluxtui.notation.problem import Parsed, Problem, at
from fluxtui.notation.shape.tree import MAX_DEPTH, Item, Shape, Vertex, changed, count_text, walk

_OWN_PLACE = ("type", "count", "with")


def to_resources(
    shape: Shape | Sequence[Vertex], label: str = "default", counts: count.Style = "dict"
) -> list[dict[str, Any]]:
    """The RFC 14 resources list of a tree.

    label   for the slot that has none
    counts  ``dict`` gives ranges as dictionaries where RFC 14 has one for them, ``string`` gives
            every range as its RFC 45 text; idsets are texts in both
    """
    vertices = shape.vertices if isinstance(shape, Shape) else shape
    return [_resource(vertex, label, counts) for vertex in vertices]


def _resource(vertex: Vertex, label: str, style: count.Style) -> dict[str, Any]:
    number = count.to_json(vertex.count, style)
    if isinstance(number, str):
        number = count_text(vertex)
    out: dict[str, Any] = {"type": vertex.type, "count": number}
    slot = vertex.type == "slot"
    if slot:
        out["label"] = label if vertex.label is None else vertex.label
    for item in vertex.keys:
        if item.key not in _OWN_PLACE and not (slot and item.key == "label"):
            out[item.key] = item.value
    if vertex.children:
        out["with"] = [_resource(child, label, style) for child in vertex.children]
    return out


def from_resources(
    resources: Sequence[Any], label: str | None = "default"
) -> Parsed[tuple[Vertex, ...]]:
    """The tree of an RFC 14 resources list, with the problems that kept parts of it out.

    The only slot loses its label where that is ``label``, since a shape may leave it out; a slot
    without a label gets it where it has keys, since the first entry in its braces would be read as
    its label. With None every slot keeps the label that it has, or has not.
    """
    problems: list[Problem] = []
    vertices = _vertices(resources, "resources", problems, 0)
    slots = [vertex for vertex in walk(vertices) if vertex.type == "slot"]
    is_only = len(slots) == 1

    def labelled(vertex: Vertex) -> Vertex:
        if vertex.type == "slot" and vertex.label is None and vertex.keys:
            return vertex._replace(label=label)
        if vertex.type == "slot" and vertex.label == label and is_only and not vertex.keys:
            return vertex._replace(label=None)
        return vertex

    if label is not None and (is_only or any(v.label is None and v.keys for v in slots)):
        vertices = changed(vertices, labelled)
    return Parsed(vertices, tuple(problems))


def _vertices(
    resources: object, path: str, problems: list[Problem], depth: int
) -> tuple[Vertex, ...]:
    if not isinstance(resources, list | tuple) or depth > MAX_DEPTH:
        what = "a list of resources" if depth <= MAX_DEPTH else f"at most {MAX_DEPTH} levels"
        problems.append(Problem(f"a shape holds {what}", None, path, (what,), "RFC 14"))
        return ()
    out = []
    for number, resource in enumerate(resources):
        here = f"{path}[{number}]"
        if type(resource) is dict or isinstance(resource, Mapping):
            out.append(_vertex(resource, here, problems, depth))
        else:
            message = "a resource is a dictionary with type and count"
            problems.append(Problem(message, None, here, ("a dictionary",), "RFC 14"))
    return tuple(out)


def _vertex(resource: Mapping[str, Any], path: str, problems: list[Problem], depth: int) -> Vertex:
    name, written = resource.get("type"), resource.get("count")
    if not isinstance(name, str):
        message = "a resource needs a type, which is a string"
        problems.append(Problem(message, None, at(path, "type"), ("a type",), "RFC 14"))
        name = ""
    number: count.Count = 1
    text = ""
    if type(written) is int and written > 0:  # as nearly all are
        number = written
    else:
        found = count.from_json(written, at(path, "count"))
        problems.extend(found.problems)
        number = found.value or 1
        text = written.strip("[]") if isinstance(written, str) and found.ok else ""
    label = resource.get("label") if name == "slot" else None
    children: tuple[Vertex, ...] = ()
    if "with" in resource:
        children = _vertices(resource["with"], f"{path}.with", problems, depth + 1)
    keys: list[Item] = []
    for key, value in resource.items():
        if key not in _OWN_PLACE and not (key == "label" and name == "slot"):
            keys.append(Item(str(key), value))
    slot_label = label if isinstance(label, str) else None
    return Vertex(name, number, slot_label, tuple(keys), children, count_text=text)
