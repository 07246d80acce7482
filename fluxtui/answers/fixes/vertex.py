"""Changes that may mend one vertex of the ``resources`` of a jobspec, most likely first."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from fluxtui.answers.fixes import count as fixes_count
from fluxtui.answers.fixes import resources
from fluxtui.answers.fixes.edit import each, get, keys_in_words, put, renamed, vertices, without
from fluxtui.answers.fixes.resources import CORE, Change, forms, installed, slot_label
from fluxtui.answers.fixes.shape import fresh
from fluxtui.model.jobspec.request import KEYS
from fluxtui.model.jobspec.v1 import V1
from fluxtui.notation.problem import Problem, nearest, printable
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import to_resources


class Case(NamedTuple):
    """A problem of a vertex: where it is, the vertex, and the steps from it to the key."""

    problem: Problem
    document: Mapping[str, Any]
    place: list[str | int]
    rest: list[str | int]

    @property
    def vertex(self) -> Any:
        """What stands where a vertex should."""
        return get(self.document, self.place)

    def with_vertex(self, vertex: Any) -> dict[str, Any]:
        """The document with another vertex."""
        return installed(self.document, put(self.document, self.place, vertex)["resources"])

    def everywhere(self, change: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> Any:
        """The document with every vertex changed."""
        return installed(self.document, each(self.document["resources"], change))


def changes(
    problem: Problem, document: Mapping[str, Any], steps: list[str | int]
) -> Iterator[Change]:
    """What may mend a problem whose path leads into the resources."""
    if len(steps) == 1:
        yield from resources.changes(problem, document)
        return
    depth = 2
    while depth + 1 < len(steps) and steps[depth] == "with":
        depth += 2
    case = Case(problem, document, steps[:depth], steps[depth:])
    if not isinstance(case.vertex, Mapping):
        yield from _no_vertex(case)
    elif not case.rest:
        yield from _keys(case)
        if problem.rule == V1:
            yield from forms(document)
    else:
        yield from _BY_KEY.get(str(case.rest[0]), _no_key)(case)


def _no_vertex(case: Case) -> Iterator[Change]:
    """Something that is no dictionary where a vertex should stand."""
    found = case.vertex
    if isinstance(found, list) and len(found) == 1 and isinstance(found[0], Mapping):
        yield "take it out of its list", case.with_vertex(found[0])
    if isinstance(found, str) and found:
        read = parse_shape(found)
        if read.ok and len(read.vertices) == 1:
            made = to_resources(read, slot_label(case.document))[0]
            yield f"read it as a shape: {printable(found[:40])}", case.with_vertex(made)
    dropped = without(case.document, case.place)
    yield "drop it", installed(case.document, dropped["resources"])
    yield "put a core in its place", case.with_vertex(CORE)


def _keys(case: Case) -> Iterator[Change]:
    """What a vertex lacks, and keys it may not have."""
    vertex = case.vertex
    yield from _misspelt(case)
    if "type" not in vertex:
        kind = _guess(case)
        yield f"type: {kind}", case.with_vertex({"type": kind, **vertex})
    if "count" not in vertex:
        yield from _several(case, "count: 1", "count: 1 wherever there is none", _counted)
    if vertex.get("type") == "slot":
        if "label" not in vertex:
            yield from _labels(case, lambda v: v.get("type") == "slot" and "label" not in v)
        if "with" not in vertex:
            yield "put a core in the slot", case.with_vertex({**vertex, "with": [CORE]})
    yield from _dropped_keys(case)


def _misspelt(case: Case) -> Iterator[Change]:
    """A key that is close to one which is not there."""
    vertex = case.vertex
    for key in vertex:
        near = None if key in KEYS else nearest(str(key), [k for k in KEYS if k not in vertex])
        if near:
            label = f"call the key '{printable(str(key)[:40])}' {near}"
            yield label, case.with_vertex(renamed(vertex, str(key), near))


def _guess(case: Case) -> str:
    """The type that a vertex without one most likely has."""
    vertex = case.vertex
    if "label" in vertex and "with" in vertex:
        return "slot"
    above = get(case.document, case.place[:-2]) if len(case.place) > 2 else {}
    if "with" in vertex:
        return "slot" if above.get("type") == "node" else "node"
    return "core"


def _counted(vertex: Mapping[str, Any]) -> Mapping[str, Any]:
    return vertex if "count" in vertex else {**vertex, "count": 1}


def _several(
    case: Case,
    one: str,
    many: str,
    change: Callable[[Mapping[str, Any]], Mapping[str, Any]],
) -> Iterator[Change]:
    """A change at every vertex that needs it, if there are several, and at this one alone."""
    needing = sum(change(vertex) is not vertex for vertex in vertices(case.document["resources"]))
    if needing > 1:
        yield many, case.everywhere(change)
    changed = change(case.vertex)
    if changed is not case.vertex:
        yield one, case.with_vertex(changed)


def _labels(case: Case, needs: Callable[[Mapping[str, Any]], bool]) -> Iterator[Change]:
    """New labels for the vertices that need one."""
    listed = list(vertices(case.document["resources"]))
    labels = [vertex.get("label") for vertex in listed if not needs(vertex)]
    taken = {label for label in labels if isinstance(label, str)}
    needing = [vertex for vertex in listed if needs(vertex)]
    new: list[tuple[Mapping[str, Any], str]] = []
    for vertex in needing:
        old = vertex.get("label")
        label = fresh(old if isinstance(old, str) else slot_label(case.document), taken)
        taken.add(label)
        new.append((vertex, label))

    def labelled(vertex: Mapping[str, Any]) -> Mapping[str, Any]:
        label = next((name for needer, name in new if needer is vertex), None)
        return vertex if label is None else {**vertex, "label": label}

    shown = printable(str(labelled(case.vertex).get("label"))[:40])
    many = "label the slots" if needing[0].get("type") == "slot" else "give each a label of its own"
    yield from _several(case, f"label: {shown}", many, labelled)


def _dropped_keys(case: Case) -> Iterator[Change]:
    """Without the keys that the rule does not have."""

    def trimmed(vertex: Mapping[str, Any]) -> Mapping[str, Any]:
        known = [k for k in KEYS if k != "id"] if case.problem.rule == V1 else KEYS
        if all(key in known for key in vertex):
            return vertex
        return {key: value for key, value in vertex.items() if key in known}

    kept = trimmed(case.vertex)
    gone = [str(key) for key in case.vertex if key not in kept]
    yield from _several(case, f"drop {keys_in_words(gone)}", "drop all such keys", trimmed)
    if len(gone) > 1:
        for key in gone[:3]:
            dropped = without(case.document, [*case.place, key])
            yield f"drop {keys_in_words([key])}", installed(case.document, dropped["resources"])


def _count(case: Case) -> Iterator[Change]:
    """Another count, near to the one that is there."""
    count = case.vertex.get("count")
    fixed = fixes_count.fixed(count)
    if case.problem.rule in (V1, "flux-core"):

        def lowest(vertex: Mapping[str, Any]) -> Mapping[str, Any]:
            number = fixes_count.fixed(vertex.get("count", 1))
            plain = "count" not in vertex or number is vertex["count"]
            return vertex if plain else {**vertex, "count": number}

        word = f"take the least: {fixed}" if fixes_count.is_range(count) else f"count: {fixed}"
        yield from _several(case, word, "take the least of every range", lowest)
        most = fixes_count.most(count)
        if most is not None and most != fixed:
            yield f"take the most: {most}", case.with_vertex({**case.vertex, "count": most})
        return
    mended = fixes_count.mended(count)
    if mended is not None:
        words = fixes_count.in_words(mended)
        yield f"count: {words}", case.with_vertex({**case.vertex, "count": mended})
    yield f"count: {fixed}", case.with_vertex({**case.vertex, "count": fixed})


def _type(case: Case) -> Iterator[Change]:
    kind = _guess(case)
    yield f"type: {kind}", case.with_vertex({**case.vertex, "type": kind})


def _text(case: Case) -> Iterator[Change]:
    """A unit, label or id that is no string; or a label that another has too."""
    key = str(case.rest[0])
    value = case.vertex.get(key)
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield f"{key}: '{value}'", case.with_vertex({**case.vertex, key: str(value)})
    if key == "label" and isinstance(value, str):
        seen: list[Any] = []
        again = []
        for vertex in vertices(case.document["resources"]):
            label = vertex.get("label")
            if isinstance(label, str) and label in seen:
                again.append(vertex)
            seen.append(label)
        if again:
            yield from _labels(case, lambda v: any(v is other for other in again))
    elif key == "label" and case.vertex.get("type") == "slot":
        yield from _labels(case, lambda v: v is case.vertex)
        return
    yield from _no_key(case)


def _exclusive(case: Case) -> Iterator[Change]:
    """RFC 25 has exclusive on a node only; elsewhere it is true or false."""
    value = case.vertex.get("exclusive")
    if case.problem.rule != V1:
        likely = value not in (0, "", "false", "no", "off", None)
        for choice in (likely, not likely):
            word = "true" if choice else "false"
            yield f"exclusive: {word}", case.with_vertex({**case.vertex, "exclusive": choice})
        yield from _no_key(case)
        return

    def dropped(vertex: Mapping[str, Any]) -> Mapping[str, Any]:
        if vertex.get("type") == "node" or "exclusive" not in vertex:
            return vertex
        return {key: value for key, value in vertex.items() if key != "exclusive"}

    listed = list(vertices(case.document["resources"]))
    node = next((vertex for vertex in listed if vertex.get("type") == "node"), None)
    if node is not None and value is True:
        yield (
            "make the node exclusive instead",
            case.everywhere(lambda v: {**v, "exclusive": True} if v is node else dropped(v)),
        )
    yield from _several(case, "drop exclusive", "drop exclusive where it may not be", dropped)


def _with(case: Case) -> Iterator[Change]:
    """What is in a vertex: no list, an empty one, or what V1 does not have."""
    inner = case.vertex.get("with")
    if case.problem.rule == V1:
        yield from forms(case.document)
    elif isinstance(inner, list | tuple) and inner:
        return
    elif isinstance(inner, Mapping) and inner:
        yield "make it a list", case.with_vertex({**case.vertex, "with": [inner]})
    if case.vertex.get("type") == "slot":
        yield "put a core in the slot", case.with_vertex({**case.vertex, "with": [CORE]})
    yield from _no_key(case)


def _no_key(case: Case) -> Iterator[Change]:
    """The vertex without the key."""
    key = str(case.rest[0])
    dropped = without(case.document, [*case.place, key])
    yield f"drop {keys_in_words([key])}", installed(case.document, dropped["resources"])


_BY_KEY: dict[str, Callable[[Case], Iterator[Change]]] = {
    "type": _type,
    "count": _count,
    "unit": _text,
    "label": _text,
    "id": _text,
    "exclusive": _exclusive,
    "with": _with,
}
