"""Changes that may fix the ``resources`` of a jobspec, most likely first."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fluxtui.answers.fixes.case import Case, Change, VertexChange, keys_in_words, short, vertices
from fluxtui.answers.fixes.reshape import (
    CORE,
    fixed,
    forms,
    free_label,
    in_words,
    is_range,
    least,
    number_in,
    slot_label,
    slots,
)
from fluxtui.model.jobspec.jobspec import V1
from fluxtui.model.jobspec.request import CANONICAL, VERTEX_KEYS
from fluxtui.notation import count as counts
from fluxtui.notation.count import Range
from fluxtui.notation.sets.idset import IdSet
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources


def changes(case: Case) -> Iterator[Change]:
    """What may fix a problem whose path leads into the resources."""
    if len(case.steps) == 1:
        yield from _whole(case)
        return
    depth = 2
    while depth + 1 < len(case.steps) and case.steps[depth] == "with":
        depth += 2
    vertex = case.first(depth)
    if not isinstance(vertex.value, Mapping):
        yield from _not_a_vertex(vertex)
    elif depth == len(case.steps):
        yield from _vertex(vertex)
        if case.problem.rule == V1:
            yield from forms(case.document)
    else:
        key = case.first(depth + 1)
        yield from _BY_KEY.get(key.key, Case.dropped)(key)


def _whole(case: Case) -> Iterator[Change]:
    document, found = case.document, case.value
    if isinstance(found, Mapping):
        yield "make it a list", case.having([found])
    elif isinstance(found, str):
        read = parse_shape(found)
        if read.ok and read.vertices:
            made = to_resources(read, slot_label(document))
            yield f"read it as a shape: {short(found)}", case.having(made)
    elif isinstance(found, list | tuple) and found:
        yield from (slots(document) if case.problem.rule == CANONICAL else forms(document))
    if not vertices(found):
        yield least(document)


def _not_a_vertex(case: Case) -> Iterator[Change]:
    found = case.value
    if isinstance(found, list) and len(found) == 1 and isinstance(found[0], Mapping):
        yield "take it out of its list", case.having(found[0])
    if isinstance(found, str) and found:
        read = parse_shape(found)
        if read.ok and len(read.vertices) == 1:
            made = to_resources(read, slot_label(case.document))[0]
            yield f"read it as a shape: {short(found)}", case.having(made)
    yield "drop it", case.without()
    yield "put a core in its place", case.having(CORE)


def _vertex(case: Case) -> Iterator[Change]:
    vertex = case.value
    yield from case.misspelt(VERTEX_KEYS)
    if "type" not in vertex:
        kind = _guess(case)
        yield f"type: {kind}", case.having({"type": kind, **vertex})
    if "count" not in vertex:
        many = "count: 1 wherever there is none"
        yield from _several(
            case, "count: 1", many, lambda raw: raw if "count" in raw else {**raw, "count": 1}
        )
    if vertex.get("type") == "slot":
        if "label" not in vertex:
            yield from _labels(case, lambda v: v.get("type") == "slot" and "label" not in v)
        if "with" not in vertex:
            yield "put a core in the slot", case.with_key("with", [CORE])
    known = [key for key in VERTEX_KEYS if key != "id" or case.problem.rule != V1]
    gone = [str(key) for key in vertex if key not in known]
    one = f"drop {keys_in_words(gone)}" if gone else ""
    yield from _several(case, one, "drop all such keys", lambda raw: _kept(raw, known.__contains__))
    for key in gone[:3] if len(gone) > 1 else ():
        yield from case.part(key).dropped()


def _kept(raw: Mapping[str, Any], stays: Callable[[str], bool]) -> Mapping[str, Any]:
    """A vertex with some of its keys; the same object where it has no others."""
    return raw if all(map(stays, raw)) else {key: raw[key] for key in raw if stays(key)}


def _guess(case: Case) -> str:
    """The type that a vertex without one most likely has."""
    vertex = case.value
    if "label" in vertex and "with" in vertex:
        return "slot"
    above = case.first(-2).value if len(case.steps) > 2 else {}
    if "with" in vertex:
        return "slot" if above.get("type") == "node" else "node"
    return "core"


def _several(case: Case, one: str, many: str, change: VertexChange) -> Iterator[Change]:
    """A change at every vertex that needs it, if there are several, and at this one alone."""
    needing = sum(change(raw) is not raw for raw in vertices(case.request.raw))
    if needing > 1:
        yield many, case.everywhere(change)
    changed = change(case.value)
    if changed is not case.value:
        yield one, case.having(changed)


def _labels(case: Case, needs: Callable[[Mapping[str, Any]], bool]) -> Iterator[Change]:
    """New labels for the vertices that need one."""
    listed = vertices(case.request.raw)
    needing = [raw for raw in listed if needs(raw)]
    taken = {raw["label"] for raw in listed if not needs(raw) and isinstance(raw.get("label"), str)}
    new: dict[int, str] = {}
    for raw in needing:
        old = raw.get("label")
        label = free_label(old if isinstance(old, str) else slot_label(case.document), taken)
        taken.add(label)
        new[id(raw)] = label
    one = f"label: {short(new.get(id(case.value), case.value.get('label')))}"
    many = "label the slots" if needing[0].get("type") == "slot" else "give each a label of its own"
    yield from _several(
        case, one, many, lambda raw: {**raw, "label": new[id(raw)]} if id(raw) in new else raw
    )


def _type(key: Case) -> Iterator[Change]:
    kind = _guess(key.first(-1))
    yield f"type: {kind}", key.having(kind)


def _count(key: Case) -> Iterator[Change]:
    count = key.value
    number = fixed(count)
    if key.problem.code not in ("v1-count", "flux-count", "flux-count-zero", "value-not-json"):
        legal = _legal(count)
        if legal is not None:
            yield f"count: {in_words(legal)}", key.having(legal)
        yield f"count: {number}", key.having(number)
        return

    def lowest(vertex: Mapping[str, Any]) -> Mapping[str, Any]:
        least = fixed(vertex.get("count", 1))
        is_plain = "count" not in vertex or least is vertex["count"]
        return vertex if is_plain else {**vertex, "count": least}

    word = f"take the least: {number}" if is_range(count) else f"count: {number}"
    yield from _several(key.first(-1), word, "take the least of every range", lowest)
    found = counts.from_json(count).value if is_range(count) else None
    most = None  # where a range has no end, or it is one number
    if isinstance(found, Range) and found.max is not None:
        most = counts.greatest(found, found.max)
    elif isinstance(found, IdSet):
        most = found.last
    if most is not None and most != number:
        yield f"take the most: {most}", key.having(most)


def _legal(count: Any) -> int | str | dict[str, int | str] | None:
    """A legal count that says what a wrong text or dictionary most likely meant, if it says it."""
    made = counts.parse(count).value if isinstance(count, str) else None
    if isinstance(count, Mapping):
        low, high, step = (number_in(count.get(key)) for key in ("min", "max", "operand"))
        operator = next((op for op in ("*", "^") if op == count.get("operator")), "+")
        first, last = (low or 1, high) if high is None else sorted((low or 1, high))
        first = max(first, 2) if operator == "^" else first
        if (low or high) and (last is None or first <= last):
            made = Range(first, last, max(1 if operator == "+" else 2, step or 1), operator)
    out = None if made is None else counts.to_json(made)
    return out if out != count and counts.from_json(out).ok else None


def _text(key: Case) -> Iterator[Change]:
    yield from key.as_string()
    yield from key.dropped()


def _label(key: Case) -> Iterator[Change]:
    vertex = key.first(-1)
    if not isinstance(key.value, str):
        yield from key.as_string()
        if vertex.value.get("type") == "slot":
            yield from _labels(vertex, lambda raw: raw is vertex.value)
            return
    else:
        seen: set[str] = set()
        again: list[int] = []
        for raw in vertices(key.request.raw):
            label = raw.get("label")
            if isinstance(label, str) and label in seen:
                again.append(id(raw))
            seen |= {label} if isinstance(label, str) else set()
        if again:
            yield from _labels(vertex, lambda raw: id(raw) in again)
    yield from key.dropped()


def _exclusive(key: Case) -> Iterator[Change]:
    """RFC 25 has exclusive on a node only; elsewhere it is true or false."""
    value = key.value
    if key.problem.rule != V1:
        likely = value not in (0, "", "false", "no", "off", None)
        for choice in (likely, not likely):
            yield f"exclusive: {'true' if choice else 'false'}", key.having(choice)
        yield from key.dropped()
        return

    def dropped(raw: Mapping[str, Any]) -> Mapping[str, Any]:
        return raw if raw.get("type") == "node" else _kept(raw, "exclusive".__ne__)

    node = next((raw for raw in vertices(key.request.raw) if raw.get("type") == "node"), None)
    if node is not None and value is True:
        moved = key.everywhere(
            lambda raw: {**raw, "exclusive": True} if raw is node else dropped(raw)
        )
        yield "make the node exclusive instead", moved
    many = "drop exclusive where it may not be"
    yield from _several(key.first(-1), "drop exclusive", many, dropped)


def _with(key: Case) -> Iterator[Change]:
    inner = key.value
    if key.problem.rule == V1:
        yield from forms(key.document)
    elif isinstance(inner, list | tuple) and inner:
        return
    elif isinstance(inner, Mapping) and inner:
        yield "make it a list", key.having([inner])
    if key.first(-1).value.get("type") == "slot":
        yield "put a core in the slot", key.having([CORE])
    yield from key.dropped()


_BY_KEY: dict[str, Callable[[Case], Iterator[Change]]] = {
    "type": _type,
    "count": _count,
    "unit": _text,
    "label": _label,
    "id": _text,
    "exclusive": _exclusive,
    "with": _with,
}
