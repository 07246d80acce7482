"""The tree of a shape, each part with its span in the text (RFC 46).

Also the conversion from and to the ``resources`` list of RFC 14.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import is_
from typing import Any, NamedTuple, TypeAlias

from fluxtui.notation import count as counts
from fluxtui.notation.problem import Parsed, Problem, Span, Token, WithProblems, at, shortened

RULE = "RFC 46"

# The most levels of brackets, children and values together; no machine has so many. Each of them
# is two levels in a jobspec, of which YAML is read up to 100.
MAX_DEPTH = 48

# The span of a part that was not read from a text.
NOWHERE = Span(0, 0)

#: The usual resource types (RFC 14, RFC 46), with their descriptions.
TYPES = {
    "node": "a compute node",
    "slot": "where tasks run; holds the resources of each task",
    "core": "a processor core",
    "gpu": "a graphics processor",
    "memory": "memory; give its unit, as in memory=4{unit:GB}",
    "socket": "a processor socket",
    "numa": "a memory domain",
    "pu": "a hardware thread",
    "ssd": "a solid state drive",
    "storage": "storage",
    "rack": "a rack of nodes",
    "chassis": "a chassis of nodes",
    "switch": "a network switch",
    "cluster": "a whole cluster",
}


class Item(NamedTuple):
    """A key of a vertex and its value, which is any JSON value.

    value_span is None if the key alone, bare or with a sign, gives a boolean.
    """

    key: str
    value: Any
    span: Span = NOWHERE
    key_span: Span = NOWHERE
    value_span: Span | None = None


class Vertex(NamedTuple):
    """One resource: its type, count, label, keys and children.

    type        empty if it is missing in an unfinished text
    label       the label of a slot, None if omitted; other types have theirs among keys
    keys        the other keys in the order written, including repeated ones
    span        the whole vertex, including its children
    count_text  the count as written, without brackets; empty if omitted
    own_end     the end of its type, count and braces, before the slash of its children
    """

    type: str
    count: counts.Count = 1  # type: ignore[assignment]  # as in RFC 14; hides tuple.count
    label: str | None = None
    keys: tuple[Item, ...] = ()
    children: tuple["Vertex", ...] = ()
    span: Span = NOWHERE
    type_span: Span = NOWHERE
    count_span: Span | None = None
    label_span: Span | None = None
    count_text: str = ""
    own_end: int = 0


#: The vertices of a list, each with its children.
Tree: TypeAlias = tuple[Vertex, ...]

#: The path of a vertex: its index at the top, then the index at each level below.
#: (0, 1) is ``resources[0].with[1]`` in a jobspec (RFC 14).
Path: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Shape(WithProblems):
    """A text read as a shape, as far as possible; every visible character is in a token."""

    text: str
    vertices: tuple[Vertex, ...] = ()
    tokens: tuple[Token, ...] = ()
    problems: tuple[Problem, ...] = ()


def walk(vertices: tuple[Vertex, ...]) -> Iterator[Vertex]:
    """Every vertex of a tree in preorder, which is the order of the text."""
    stack = list(reversed(vertices))
    while stack:
        vertex = stack.pop()
        yield vertex
        stack.extend(reversed(vertex.children))


def count_text(vertex: Vertex) -> str:
    """The text of the count without its ``=``, as it was written if that is still right."""
    text = vertex.count_text
    if text:
        read = counts.parse(text)
        if read.ok and read.value == vertex.count:
            return text
    return counts.format(vertex.count)


def changed(vertices: Tree, change: Callable[[Vertex], Vertex]) -> Tree:
    """The tree with ``change`` applied to each vertex; unchanged vertices keep their identity."""
    out = []
    for vertex in vertices:
        after = change(vertex)
        inside = changed(after.children, change)
        if not all(map(is_, inside, after.children)):
            after = after._replace(children=inside)
        out.append(after)
    return tuple(out)


def vertex_at(vertices: Tree, path: Path) -> Vertex | None:
    """The vertex at a path, or None if there is none."""
    vertex = None
    for step in path:
        if not 0 <= step < len(vertices):
            return None
        vertex = vertices[step]
        vertices = vertex.children
    return vertex


def path_of(document_path: str) -> Path:
    """The vertex a document path is in, or (): ``resources[0].with[1].count`` is in (0, 1)."""
    found = re.match(r"resources\[([0-9]{1,9})\]((?:\.with\[[0-9]{1,9}\])*)", document_path)
    return tuple(map(int, re.findall("[0-9]+", found[0]))) if found else ()


def document_path(path: Path) -> str:
    """The document path of a vertex in a jobspec, such as ``resources[0].with[1]``."""
    out = "resources"
    for number, step in enumerate(path):
        out = at(out, "with", step) if number else at(out, step)
    return out


# Rules beyond the grammar: labels, and keys with a meaning (RFC 46, RFC 14)

_TAKEN = {
    "type": "the type comes before the braces",
    "count": "the count comes before the braces, as in =4",
    "with": "children come after the braces, as in /core",
}


def check(vertices: Tree) -> list[Problem]:
    """The problems of a tree beyond its grammar, in no particular order."""
    problems: list[Problem] = []
    labels: list[tuple[str, Span]] = []
    unlabelled: list[Vertex] = []
    slots = 0
    stack = [*vertices[::-1]]
    while stack:
        vertex = stack.pop()
        stack += vertex.children[::-1]
        if vertex.type == "slot":
            slots += 1
            if vertex.label is None:
                unlabelled.append(vertex)
            else:
                labels.append((vertex.label, vertex.label_span or vertex.span))
        elif len(vertex.type) == 4 and vertex.type.lower() == "slot":
            message = f"'{vertex.type}' is a type of its own; flux-core reads it as slot"
            span = vertex.type_span
            problems.append(Problem(message, span, None, ("slot",), RULE, "warning"))
        _keys(vertex, labels, problems)
    taken: set[str] = set()
    for label, span in labels:
        if label in taken:
            message = f"the label '{label}' is already taken"
            problems.append(Problem(message, span, None, ("another label",), "RFC 14"))
        taken.add(label)
    if slots > 1:
        for vertex in unlabelled:
            message = "a slot needs a label if there is more than one slot"
            problems.append(Problem(message, vertex.type_span, None, ("{ and a label",), RULE))
    return problems


def _keys(vertex: Vertex, labels: list[tuple[str, Span]], problems: list[Problem]) -> None:
    seen = {"label"} if vertex.type == "slot" and vertex.label is not None else set()
    for item in vertex.keys:
        if item.key in _TAKEN:
            problems.append(Problem(f"{_TAKEN[item.key]}, not as a key", item.key_span, rule=RULE))
        elif item.key in seen:
            message = f"duplicate key '{shortened(item.key)}'"
            problems.append(Problem(message, item.key_span, None, ("another key",), RULE))
        elif item.key in ("label", "unit", "id") and not isinstance(item.value, str):
            message = f"the value of '{item.key}' is a string"
            plain = isinstance(item.value, int | float) and not isinstance(item.value, bool)
            expected = (f'{item.key}:"{item.value}"' if plain else "a string",)
            where = item.value_span or item.key_span
            problems.append(Problem(message, where, None, expected, "RFC 14"))
        elif item.key == "exclusive" and not isinstance(item.value, bool):
            message = "the value of 'exclusive' is true or false"
            where = item.value_span or item.key_span
            problems.append(Problem(message, where, None, ("x", "-x"), "RFC 14"))
        elif item.key == "label":
            labels.append((item.value, item.value_span or item.span))
        seen.add(item.key)


# The resources list (RFC 14)

_OWN_PLACE = ("type", "count", "with")


def to_resources(
    shape: Shape | Sequence[Vertex], label: str = "default", counts: counts.Style = "dict"
) -> list[dict[str, Any]]:
    """The RFC 14 resources list of a tree; a slot without a label gets ``label``.

    With ``counts="dict"`` ranges are dictionaries if RFC 14 has one for them, else RFC 45 texts.
    """
    vertices = shape.vertices if isinstance(shape, Shape) else shape
    return [_resource(vertex, label, counts) for vertex in vertices]


def _resource(vertex: Vertex, label: str, style: counts.Style) -> dict[str, Any]:
    number = counts.to_json(vertex.count, style)
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
    """The tree of an RFC 14 resources list, with problems about the parts that were left out.

    A single slot without keys loses its label if that is ``label``, since a shape may omit it. A
    slot with keys but no label gets it, since the first entry in its braces would be read as its
    label. If ``label`` is None, no label changes.
    """
    problems: list[Problem] = []
    vertices = _vertices(resources, "resources", problems, 0)
    is_only = sum(vertex.type == "slot" for vertex in walk(vertices)) == 1

    def labelled(vertex: Vertex) -> Vertex:
        if vertex.type == "slot" and vertex.label is None and vertex.keys:
            return vertex._replace(label=label)
        if vertex.type == "slot" and vertex.label == label and is_only and not vertex.keys:
            return vertex._replace(label=None)
        return vertex

    return Parsed(vertices if label is None else changed(vertices, labelled), tuple(problems))


def _vertices(
    resources: object, path: str, problems: list[Problem], depth: int
) -> tuple[Vertex, ...]:
    if depth > MAX_DEPTH or not isinstance(resources, list | tuple):
        what = "a list of resources"
        wrong = Problem(f"a shape has {what}", None, path, (what,), "RFC 14")
        problems.append(_too_deep(path) if depth > MAX_DEPTH else wrong)
        return ()
    out = []
    for number, resource in enumerate(resources):
        here = f"{path}[{number}]"
        if isinstance(resource, Mapping):
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
    number: counts.Count = 1
    text = ""
    if type(written) is int and written > 0:  # fast path for nearly all
        number = written
    else:
        found = counts.from_json(written, at(path, "count"))
        problems.extend(found.problems)
        number = found.value or 1
        text = written.strip("[]") if isinstance(written, str) and found.ok else ""
    label = resource.get("label") if name == "slot" else None
    label = label if isinstance(label, str) else None
    children: tuple[Vertex, ...] = ()
    if "with" in resource:
        children = _vertices(resource["with"], f"{path}.with", problems, depth + 1)
    keys: list[Item] = []
    for key, value in resource.items():
        if key in _OWN_PLACE or (key == "label" and name == "slot"):
            continue
        if _has_levels(value, MAX_DEPTH - depth):  # the braces of the vertex take one level
            problems.append(_too_deep(at(path, str(key))))
        else:
            keys.append(Item(str(key), value))
    return Vertex(name, number, label, tuple(keys), children, count_text=text)


def _has_levels(value: object, levels: int) -> bool:
    """Whether a value has at least this many levels of nested lists and mappings."""
    held: list[Any] = [value]
    for _ in range(levels):
        held = [one for one in held if isinstance(one, list | tuple | Mapping)]
        if not held:
            return False
        held = [x for one in held for x in (one.values() if isinstance(one, Mapping) else one)]
    return True


def _too_deep(path: str) -> Problem:
    what = f"at most {MAX_DEPTH} levels"
    return Problem(f"a shape has {what}", None, path, (what,), "RFC 14")
