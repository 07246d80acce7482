"""Changes that may fix one vertex of the ``resources`` of a jobspec, most likely first."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fluxtui.answers.fixes.edit import Case, Change, VertexChange, keys_in_words, short
from fluxtui.answers.fixes.resources import (
    CORE,
    fixed,
    forms,
    free_label,
    in_words,
    is_range,
    number_in,
    slot_label,
    whole_changes,
)
from fluxtui.model.jobspec.request import KEYS
from fluxtui.model.jobspec.v1 import V1
from fluxtui.notation import count as counts
from fluxtui.notation.count import Range
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import to_resources


def changes(case: Case) -> Iterator[Change]:
    """What may fix a problem whose path leads into the resources."""
    if len(case.steps) == 1:
        yield from whole_changes(case)
        return
    depth = 2
    while depth + 1 < len(case.steps) and case.steps[depth] == "with":
        depth += 2
    vertex = case.first(depth)
    if not isinstance(vertex.value, Mapping):
        yield from _not_a_vertex(vertex)
    elif depth == len(case.steps):
        yield from _keys(vertex)
        if case.problem.rule == V1:
            yield from forms(case.document)
    else:
        key = str(case.steps[depth])
        yield from _BY_KEY.get(key, _without_key)(vertex, key)


def _not_a_vertex(case: Case) -> Iterator[Change]:
    """Something that is not a dictionary in the place of a vertex."""
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


def _keys(case: Case) -> Iterator[Change]:
    """Keys that a vertex lacks, and keys that it may not have."""
    vertex = case.value
    yield from case.misspelt(KEYS)
    if "type" not in vertex:
        kind = _guess(case)
        yield f"type: {kind}", case.having({"type": kind, **vertex})
    if "count" not in vertex:
        yield from _several(case, "count: 1", "count: 1 wherever there is none", _counted)
    if vertex.get("type") == "slot":
        if "label" not in vertex:
            yield from _labels(case, lambda v: v.get("type") == "slot" and "label" not in v)
        if "with" not in vertex:
            yield "put a core in the slot", case.with_key("with", [CORE])
    yield from _further_keys(case)


def _guess(case: Case) -> str:
    """The type that a vertex without one most likely has."""
    vertex = case.value
    if "label" in vertex and "with" in vertex:
        return "slot"
    above = case.first(-2).value if len(case.steps) > 2 else {}
    if "with" in vertex:
        return "slot" if above.get("type") == "node" else "node"
    return "core"


def _counted(vertex: Mapping[str, Any]) -> Mapping[str, Any]:
    return vertex if "count" in vertex else {**vertex, "count": 1}


def _several(case: Case, one: str, many: str, change: VertexChange) -> Iterator[Change]:
    """A change at every vertex that needs it, if there are several, and at this one alone."""
    needing = sum(change(raw) is not raw for raw in case.vertices)
    if needing > 1:
        yield many, case.everywhere(change)
    changed = change(case.value)
    if changed is not case.value:
        yield one, case.having(changed)


def _labels(case: Case, needs: Callable[[Mapping[str, Any]], bool]) -> Iterator[Change]:
    """New labels for the vertices that need one."""
    listed = case.vertices
    needing = [raw for raw in listed if needs(raw)]
    taken = {raw["label"] for raw in listed if not needs(raw) and isinstance(raw.get("label"), str)}
    new: dict[int, str] = {}
    for raw in needing:
        old = raw.get("label")
        label = free_label(old if isinstance(old, str) else slot_label(case.document), taken)
        taken.add(label)
        new[id(raw)] = label

    def labelled(raw: Mapping[str, Any]) -> Mapping[str, Any]:
        return {**raw, "label": new[id(raw)]} if id(raw) in new else raw

    shown = short(str(labelled(case.value).get("label")))
    many = "label the slots" if needing[0].get("type") == "slot" else "give each a label of its own"
    yield from _several(case, f"label: {shown}", many, labelled)


def _further_keys(case: Case) -> Iterator[Change]:
    """The vertex without the keys that the rule does not have."""
    known = [key for key in KEYS if key != "id" or case.problem.rule != V1]

    def trimmed(vertex: Mapping[str, Any]) -> Mapping[str, Any]:
        if all(key in known for key in vertex):
            return vertex
        return {key: value for key, value in vertex.items() if key in known}

    gone = [str(key) for key in case.value if key not in known]
    yield from _several(case, f"drop {keys_in_words(gone)}", "drop all such keys", trimmed)
    for key in gone[:3] if len(gone) > 1 else ():
        yield f"drop {keys_in_words([key])}", case.without(key)


def _count(case: Case, key: str) -> Iterator[Change]:
    """Another count, near to the one that is there."""
    count = case.value.get(key)
    number = fixed(count)
    if case.problem.code not in ("v1-count", "flux-count", "flux-count-zero", "value-not-json"):
        legal = _legal(count)
        if legal is not None:
            yield f"count: {in_words(legal)}", case.with_key(key, legal)
        yield f"count: {number}", case.with_key(key, number)
        return

    def lowest(vertex: Mapping[str, Any]) -> Mapping[str, Any]:
        least = fixed(vertex.get("count", 1))
        plain = "count" not in vertex or least is vertex["count"]
        return vertex if plain else {**vertex, "count": least}

    word = f"take the least: {number}" if is_range(count) else f"count: {number}"
    yield from _several(case, word, "take the least of every range", lowest)
    most = _most(count)
    if most is not None and most != number:
        yield f"take the most: {most}", case.with_key(key, most)


def _most(count: Any) -> int | None:
    """The largest number of a legal count; None where there is none, or only one."""
    found = counts.from_json(count).value if is_range(count) else None
    if isinstance(found, Range):
        return None if found.max is None else counts.greatest(found, found.max)
    return None if found is None or isinstance(found, int) else found.last


def _legal(count: Any) -> int | str | dict[str, int | str] | None:
    """A legal count that says what a wrong text or dictionary most likely meant, if it says it."""
    made = None
    if isinstance(count, str):
        made = counts.parse(count).value
    elif isinstance(count, Mapping):
        made = _range(count)
    if made is None:
        return None
    out = counts.to_json(made)
    return out if counts.from_json(out).ok and out != count else None


def _range(count: Mapping[Any, Any]) -> Range | None:
    """The range of a dictionary, with what is wrong in it put right."""
    low, high, step = (number_in(count.get(key)) for key in ("min", "max", "operand"))
    if low is None and high is None:
        return None
    operator = count.get("operator")
    operator = operator if operator in ("+", "*", "^") else "+"
    low = 1 if low is None else low
    if high is not None and high < low:
        low, high = high, low
    if operator == "^":
        low = max(low, 2)
    made = Range(low, high, max(1 if operator == "+" else 2, step or 1), operator)
    return made if high is None or high >= low else None


def _type(case: Case, key: str) -> Iterator[Change]:
    kind = _guess(case)
    yield f"type: {kind}", case.with_key(key, kind)


def _text(case: Case, key: str) -> Iterator[Change]:
    """A unit or id that is not a string."""
    yield from case.part(key).as_string()
    yield from _without_key(case, key)


def _label(case: Case, key: str) -> Iterator[Change]:
    """A label that is not a string, or that another vertex has too."""
    if not isinstance(case.value.get(key), str):
        yield from case.part(key).as_string()
        if case.value.get("type") == "slot":
            yield from _labels(case, lambda raw: raw is case.value)
            return
    else:
        seen: set[str] = set()
        again = []
        for raw in case.vertices:
            label = raw.get("label")
            if isinstance(label, str):
                if label in seen:
                    again.append(raw)
                seen.add(label)
        if again:
            yield from _labels(case, lambda raw: any(raw is other for other in again))
    yield from _without_key(case, key)


def _exclusive(case: Case, key: str) -> Iterator[Change]:
    """RFC 25 has exclusive on a node only; elsewhere it is true or false."""
    value = case.value.get(key)
    if case.problem.rule != V1:
        likely = value not in (0, "", "false", "no", "off", None)
        for choice in (likely, not likely):
            yield f"exclusive: {'true' if choice else 'false'}", case.with_key(key, choice)
        yield from _without_key(case, key)
        return

    def dropped(vertex: Mapping[str, Any]) -> Mapping[str, Any]:
        if vertex.get("type") == "node" or key not in vertex:
            return vertex
        return {name: held for name, held in vertex.items() if name != key}

    listed = case.vertices
    node = next((raw for raw in listed if raw.get("type") == "node"), None)
    if node is not None and value is True:
        moved = case.everywhere(lambda raw: {**raw, key: True} if raw is node else dropped(raw))
        yield "make the node exclusive instead", moved
    yield from _several(case, "drop exclusive", "drop exclusive where it may not be", dropped)


def _with(case: Case, key: str) -> Iterator[Change]:
    """What a vertex holds: not a list, an empty one, or what V1 does not have."""
    inner = case.value.get(key)
    if case.problem.rule == V1:
        yield from forms(case.document)
    elif isinstance(inner, list | tuple) and inner:
        return
    elif isinstance(inner, Mapping) and inner:
        yield "make it a list", case.with_key(key, [inner])
    if case.value.get("type") == "slot":
        yield "put a core in the slot", case.with_key(key, [CORE])
    yield from _without_key(case, key)


def _without_key(case: Case, key: str) -> Iterator[Change]:
    yield from case.part(key).dropped()


_BY_KEY: dict[str, Callable[[Case, str], Iterator[Change]]] = {
    "type": _type,
    "count": _count,
    "unit": _text,
    "label": _label,
    "id": _text,
    "exclusive": _exclusive,
    "with": _with,
}
