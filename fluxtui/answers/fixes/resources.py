"""Changes that may fix the ``resources`` of a jobspec, most likely first.

To satisfy RFC 25, resources of any form are reshaped into a slot of cores and gpus, in a node or
alone.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import gcd, prod
from typing import Any

from fluxtui.answers.fixes.case import (
    Case,
    Change,
    VertexChange,
    are_same,
    each,
    installed,
    keys_in_words,
    short,
    vertices,
)
from fluxtui.model.jobspec.jobspec import V1
from fluxtui.model.jobspec.request import CANONICAL, MAX_INTEGER, VERTEX_KEYS, RequestVertex, parse
from fluxtui.notation import count as counts
from fluxtui.notation.count import Range
from fluxtui.notation.json_value import is_whole
from fluxtui.notation.problem import nearest, shortened
from fluxtui.notation.sets.idset import IdSet
from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import from_resources, to_resources

#: The default resource if nothing says what is wanted.
CORE = {"type": "core", "count": 1}

#: The types of RFC 25, and the keys that it allows on them; exclusive only on a node.
TYPES = ("node", "slot", "core", "gpu")
_KEYS = ("type", "count", "unit", "with", "label")

_LEAST = "the minimum of each range"


def slot_label(document: Mapping[str, Any]) -> str:
    """The label of the first task's slot, or ``default``."""
    tasks = document.get("tasks")
    first = tasks[0] if isinstance(tasks, list) and tasks else None
    label = first.get("slot") if isinstance(first, Mapping) else None
    return label if isinstance(label, str) and label else "default"


def free_label(label: str, taken: Iterable[str]) -> str:
    """The label, with a number appended if it is taken."""
    used = set(taken)
    names = [label, *(f"{label}{number}" for number in range(2, len(used) + 3))]
    return next(name for name in names if name not in used)


def least(document: Mapping[str, Any]) -> Change:
    """The change to the smallest possible request."""
    made = reshape([], slot_label(document))
    return "ask for a slot with a core", installed(document, made.resources)


def slots(document: Mapping[str, Any]) -> Iterator[Change]:
    """The changes that put a slot in or around the resources; RFC 14 allows it anywhere."""
    resources = document.get("resources")
    if not isinstance(resources, list | tuple) or not resources:
        yield least(document)
        return
    found = vertices(resources)
    is_plain = all(raw.get("type") in TYPES for raw in found)
    if is_plain:
        yield from forms(document)
    taken = [raw["label"] for raw in found if isinstance(raw.get("label"), str)]
    slot = {"type": "slot", "count": 1, "label": free_label(slot_label(document), taken)}
    node = next((raw for raw in found if raw.get("type") == "node"), None)
    if node is not None and not is_plain:
        inner = {**slot, "with": node.get("with") or [CORE]}
        changed = each(resources, lambda raw: {**raw, "with": [inner]} if raw is node else raw)
        yield "put a slot in the node", installed(document, changed)
    around = {**slot, "with": list(resources)}
    yield "put a slot around all of it", installed(document, [around])
    if not is_plain:
        yield from forms(document)


def forms(document: Mapping[str, Any]) -> Iterator[Change]:
    """The changes to forms of the resources that RFC 25 allows."""
    resources, label = document.get("resources"), slot_label(document)
    found = vertices(resources)
    if not found:
        return
    made = reshape(resources, label)
    is_bare = not any(raw.get("type") == "slot" for raw in found)
    what = "put a slot in" if is_bare else "write it as"
    offered = [(what, made), (what, _strict(made))]
    for what, form in (*offered, *(_variants(resources, label) if is_bare else ())):
        # A task that was counted by a resource that is gone runs once in each slot.
        out = installed(document, form.resources)
        types = [raw.get("type") for raw in vertices(form.resources)]
        tasks, one, words = out.get("tasks"), {"per_slot": 1}, f"{what}: {form.words}"
        if isinstance(tasks, list) and not all(_is_counted(task, types) for task in tasks):
            words += ", per_slot: 1"
            tasks = [task if _is_counted(task, types) else {**task, "count": one} for task in tasks]
            out = {**out, "tasks": tasks}
        yield words, out


def _is_counted(task: Any, types: list[Any]) -> bool:
    count = task.get("count") if isinstance(task, Mapping) else None
    per_resource = count.get("per_resource") if isinstance(count, Mapping) else None
    kind = per_resource.get("type") if isinstance(per_resource, Mapping) else "core"
    return kind in ("core", "gpu") and kind in types


@dataclass(frozen=True, slots=True)
class Reshaped:
    """Resources in the form of RFC 25; lost describes the parts of the request that are lost."""

    resources: list[Any]
    lost: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The shape, and what makes it only approximate."""
        text = shortened(format_shape(from_resources(self.resources).value))
        lost = [shortened(word) for word in dict.fromkeys(self.lost)]
        if len(lost) > 3:
            lost = [f"{', '.join(lost[:2])} and {len(lost) - 2} more"]
        return f"{text} (approximate: {', '.join(lost)})" if lost else text


def reshape(resources: Any, label: str = "default") -> Reshaped:
    """Reshape resources to a slot of cores and gpus, in a node or alone (RFC 25).

    The slot with the label is kept, else the first slot; a new slot gets the label. The counts of
    other levels are multiplied. Vertices that need no change stay the same objects.
    """
    lost: list[str] = []
    readable = [vertex for vertex in parse(resources).walk() if vertex.is_readable]
    slot = max(
        (vertex for vertex in readable if vertex.is_slot),
        key=lambda slot: (slot.label == label) + (slot.label is not None),
        default=None,
    )
    above = [vertex for vertex in slot.above if vertex.type == "node"] if slot is not None else []
    inside = readable if slot is None else _inside(slot)
    node = above[-1] if above else next((v for v in inside if v.type == "node"), None)
    if (kept := slot or node) is not None:
        lost += _siblings_lost(kept, readable)
    holder = slot or node  # whose content the slot gets
    if slot is not None and node is not None and not above:  # nodes in a slot: one slot per node
        holder = node
        others = [vertex for vertex in inside if vertex is not node]
        if any(node not in vertex.above and vertex not in node.above for vertex in others):
            lost.append("leaves out the siblings of the node")
        before, total = _product(_chain(slot), lost), _product(_chain(node), lost)
        if total != before:
            lost.append(f"{in_words(total)} slots in place of {in_words(before)}")
    if holder is None:
        content = _content(readable, 0, lost)
    else:
        content = _content(_inside(holder), holder.depth + 1, lost)
    if slot is None:
        name = free_label(label, [v.label for v in readable if v.label is not None])
        made: Mapping[str, Any] = {"type": "slot", "count": 1, "label": name, "with": content}
    else:
        within = 0 if not above else above[-1].depth + 1
        count = 1 if holder is node else _product(_chain(slot)[within:], lost)
        made = _changed(slot, count, content)
    if node is not None:
        is_whole_node = holder is node and slot is not None and not _inside(node)
        made = _changed(node, _product(_chain(node), lost), [made])
        if is_whole_node:  # a slot of an empty node gets the whole node
            made = {**made, "exclusive": True}
    is_same = isinstance(resources, list) and are_same([made], resources)
    return Reshaped(resources if is_same else [made], tuple(lost))


def _chain(vertex: RequestVertex) -> tuple[RequestVertex, ...]:
    return (*vertex.above, vertex)


def _inside(vertex: RequestVertex) -> list[RequestVertex]:
    return [below for below in vertex.below() if below.is_readable]


def _siblings_lost(kept: RequestVertex, vertices: Sequence[RequestVertex]) -> Iterator[str]:
    """Describe the loss of each vertex that is neither above, at nor below the kept vertex."""
    chain = _chain(kept)
    for vertex in vertices:
        level = vertex.depth
        if level >= len(chain) or vertex is chain[level]:
            continue
        if level == 0 or vertex.parent is chain[level - 1]:
            is_named = vertex.is_slot and vertex.label is not None
            is_alike = vertex.type == kept.type and not is_named
            yield f"only the first {vertex.type}" if is_alike else _without(vertex)


def _content(inside: Sequence[RequestVertex], depth: int, lost: list[str]) -> list[Any]:
    """The cores and gpus of these vertices, merged by type; depth levels above do not count."""
    made = {}
    for kind in ("core", "gpu"):
        found = [vertex for vertex in inside if vertex.type == kind]
        counted = [_product(_chain(vertex)[depth:], lost) for vertex in found]
        if len(found) > 1 and not all(map(is_whole, counted)):
            lost.append(_LEAST)
        if found:
            total = counted[0] if len(found) == 1 else sum(map(fixed, counted))
            made[found[0]] = _changed(found[0], total, None)
    lost += [_without(vertex) for vertex in inside if vertex.type not in ("core", "gpu")]
    listed = [made[vertex] for vertex in inside if vertex in made]
    return listed if any(vertex.type == "core" for vertex in made) else [CORE, *listed]


def _product(chain: Sequence[RequestVertex], lost: list[str]) -> Any:
    """The product of the counts of some levels; a range stays a range if all others are 1."""
    kept = [vertex.fields.get("count", 1) for vertex in chain]
    others = [count for count in kept if not (is_whole(count) and count == 1)]
    lost += [_without(vertex) for vertex in chain if vertex.type not in TYPES]
    if len(others) <= 1:
        return others[0] if others else 1
    if not all(map(is_whole, others)):
        lost.append(_LEAST)
    return prod(map(fixed, others))


def _changed(vertex: RequestVertex, count: Any, content: Any) -> Mapping[str, Any]:
    raw = vertex.fields
    inner = raw.get("with")
    is_same = inner is None if content is None else are_same(content, inner)
    if is_same and count is raw.get("count"):
        return raw
    out = {key: value for key, value in raw.items() if key != "with" or content is not None}
    out["count"] = count
    if content is not None:
        out["with"] = inner if is_same else content
    return out


def _without(vertex: RequestVertex) -> str:
    name = f" '{vertex.label}'" if vertex.is_slot and vertex.label is not None else ""
    return f"without {vertex.type or 'a vertex without a type'}{name}"


def _strict(form: Reshaped) -> Reshaped:
    """The form with ranges and unknown keys removed too, so that RFC 25 accepts all of it."""
    lost = list(form.lost)

    def plain(raw: Mapping[str, Any]) -> Mapping[str, Any]:
        number = fixed(raw.get("count"))
        known = (*_KEYS, "exclusive") if raw.get("type") == "node" else _KEYS
        if all(key in known for key in raw) and number is raw.get("count"):
            return raw
        if is_range(raw.get("count")):
            lost.append(_LEAST)
        lost.extend(f"without the key '{key}'" for key in raw if key not in known)
        return {**{key: value for key, value in raw.items() if key in known}, "count": number}

    return Reshaped(list(each(form.resources, plain)), tuple(lost))


def _variants(resources: Any, label: str) -> Iterator[tuple[str, Reshaped]]:
    """Alternative V1 forms for resources without a slot: what each does, and the form."""
    whole, request = reshape(resources, label), parse(resources)
    top = whole.resources[0]
    slot = top if top.get("type") == "slot" else top["with"][0]

    def with_slot(count: int, content: Sequence[Any]) -> Reshaped:
        changed = {**slot, "count": count, "with": list(content)}
        made = changed if top is slot else {**top, "with": [changed]}
        return Reshaped([made], whole.lost)

    numbers = [raw.get("count") for raw in slot["with"]]
    if all(map(is_whole, numbers)) and (parts := gcd(*numbers)) > 1:
        content = [{**raw, "count": raw["count"] // parts} for raw in slot["with"]]
        yield "make more and smaller slots", with_slot(parts, content)
    readable = (vertex for vertex in request.walk() if vertex.is_readable)
    group = next((vertex for vertex in readable if vertex.type not in TYPES), None)
    if group is None or (group.parent is not None and group.parent.type != "node"):
        return
    siblings = request.roots if group.parent is None else group.parent.children
    inside = _inside(group)
    if len(siblings) == 1 and inside and all(vertex.type != "node" for vertex in inside):
        content = reshape(group.fields.get("with"), label).resources[0]["with"]
        what = f"make each {shortened(group.type or '') or 'group'} a slot"
        yield what, with_slot(fixed(group.fields.get("count")), content)


def is_range(count: Any) -> bool:
    """Whether a count is legal and allows more than one number."""
    read = counts.from_json(count)
    return read.ok and read.value is not None and not isinstance(read.value, int)


def fixed(count: Any) -> int:
    """A single number for a count: itself, the minimum of a range, or a guess for a wrong one."""
    read = None if isinstance(count, int | float) else counts.from_json(count).value
    if read is not None:
        return counts.least(read)
    if isinstance(count, Mapping):
        return number_in(count.get("min")) or number_in(count.get("max")) or 1
    return min(number_in(count) or 1, MAX_INTEGER)


def in_words(count: Any) -> str:
    """Describe a legal count for a label."""
    value = counts.from_json(count).value
    return str(count) if value is None else counts.describe(value)


def number_in(value: Any) -> int | None:
    """A positive whole number in a value, or in the digits of a text; None if there is none."""
    if is_whole(value):
        return int(value)
    if isinstance(value, float) and 1 <= value < 1e9:
        return round(value)
    found = re.search(r"[1-9][0-9]*", value) if isinstance(value, str) else None
    return int(found[0]) if found and len(found[0]) < 10 else None


def changes(case: Case) -> Iterator[Change]:
    """The changes that may fix a problem whose path leads into the resources."""
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
    elif case.steps[depth] == "type":
        kind = _guess(vertex)
        yield f"type: {kind}", case.first(depth + 1).having(kind)
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
    yield "replace it with a core", case.having(CORE)


def _vertex(case: Case) -> Iterator[Change]:
    vertex = case.value
    yield from case.misspelt(VERTEX_KEYS)
    kind = vertex.get("type")
    meant = nearest(kind, TYPES) if isinstance(kind, str) and kind not in TYPES else None
    if meant:
        yield f"type: {meant}, not {short(kind)}", case.having({**vertex, "type": meant})
    if "type" not in vertex:
        kind = _guess(case)
        yield f"type: {kind}", case.having({"type": kind, **vertex})
    if "count" not in vertex:
        many = "count: 1 everywhere it is missing"
        yield from _several(
            case, "count: 1", many, lambda raw: raw if "count" in raw else {**raw, "count": 1}
        )
    if vertex.get("type") == "slot":
        if "label" not in vertex:
            yield from _labels(case, lambda v: v.get("type") == "slot" and "label" not in v)
        if "with" not in vertex:
            yield "put a core in the slot", case.with_key("with", [CORE])
    known = [key for key in VERTEX_KEYS if key != "id" or case.problem.rule != V1]
    unknown = [str(key) for key in vertex if key not in known]
    one = f"drop {keys_in_words(unknown)}" if unknown else ""
    yield from _several(case, one, "drop all such keys", lambda raw: _kept(raw, known.__contains__))
    for key in unknown[:3] if len(unknown) > 1 else ():
        yield from replace(case, steps=(*case.steps, key)).dropped()


def _kept(raw: Mapping[str, Any], stays: Callable[[str], bool]) -> Mapping[str, Any]:
    return raw if all(map(stays, raw)) else {key: raw[key] for key in raw if stays(key)}


def _guess(case: Case) -> str:
    vertex = case.value
    if "label" in vertex and "with" in vertex:
        return "slot"
    above = case.first(-2).value if len(case.steps) > 2 else {}
    if "with" in vertex:
        return "slot" if above.get("type") == "node" else "node"
    return "core"


def _several(case: Case, one: str, many: str, change: VertexChange) -> Iterator[Change]:
    """A change of every vertex that needs it, if there are several, and of this vertex alone."""
    needing = sum(change(raw) is not raw for raw in vertices(case.request.raw))
    if needing > 1:
        yield many, case.everywhere(change)
    changed = change(case.value)
    if changed is not case.value:
        yield one, case.having(changed)


def _labels(case: Case, needs: Callable[[Mapping[str, Any]], bool]) -> Iterator[Change]:
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

    word = f"use the minimum: {number}" if is_range(count) else f"count: {number}"
    yield from _several(key.first(-1), word, "use the minimum of every range", lowest)
    found = counts.from_json(count).value if is_range(count) else None
    most = None  # for a range without an end, or a single number
    if isinstance(found, Range) and found.max is not None:
        most = counts.greatest(found, found.max)
    elif isinstance(found, IdSet):
        most = found.last
    if most is not None and most != number:
        yield f"use the maximum: {most}", key.having(most)


def _legal(count: Any) -> int | str | dict[str, int | str] | None:
    """The legal count that a wrong text or dictionary most likely means, or None."""
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
        repeated: list[int] = []
        for raw in vertices(key.request.raw):
            label = raw.get("label")
            if isinstance(label, str) and label in seen:
                repeated.append(id(raw))
            seen |= {label} if isinstance(label, str) else set()
        if repeated:
            yield from _labels(vertex, lambda raw: id(raw) in repeated)
    yield from key.dropped()


def _exclusive(key: Case) -> Iterator[Change]:
    """RFC 25 allows exclusive only on a node; RFC 14 allows it anywhere as true or false."""
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
    many = "drop exclusive where it is not allowed"
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
    "count": _count,
    "unit": _text,
    "label": _label,
    "id": _text,
    "exclusive": _exclusive,
    "with": _with,
}
