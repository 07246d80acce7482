"""Changes to the ``resources`` of a jobspec as a whole: a slot in them, the form of RFC 25.

Resources of any form are reshaped into a slot of cores and gpus, in a node or alone.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import gcd
from typing import Any

from fluxtui.answers.fixes.edit import Case, Change, are_same, each, installed, short, vertices
from fluxtui.model.documents.json_value import is_whole
from fluxtui.model.jobspec.request import CANONICAL, MAX_INTEGER, RequestVertex, parse
from fluxtui.notation import count as counts
from fluxtui.notation.problem import printable
from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import from_resources, to_resources

#: The resource where nothing says what is wanted.
CORE = {"type": "core", "count": 1}

#: The types of RFC 25, and the keys that it allows on them; exclusive on a node alone.
TYPES = ("node", "slot", "core", "gpu")
_KEYS = ("type", "count", "unit", "with", "label")

# Characters of a shape in a label.
_WIDTH = 60


def slot_label(document: Mapping[str, Any]) -> str:
    """What the first task calls its slot, or ``default``."""
    tasks = document.get("tasks")
    first = tasks[0] if isinstance(tasks, list) and tasks else None
    label = first.get("slot") if isinstance(first, Mapping) else None
    return label if isinstance(label, str) and label else "default"


def free_label(label: str, taken: Iterable[str]) -> str:
    """The label, with a number behind it where it is taken."""
    used = set(taken)
    names = [label, *(f"{label}{number}" for number in range(2, len(used) + 3))]
    return next(name for name in names if name not in used)


def whole_changes(case: Case) -> Iterator[Change]:
    """The list itself: missing, empty, without a slot, or with too much in it."""
    document, found = case.document, case.value
    if isinstance(found, Mapping):
        yield "make it a list", case.having([found])
    elif isinstance(found, str):
        read = parse_shape(found)
        if read.ok and read.vertices:
            made = to_resources(read, slot_label(document))
            yield f"read it as a shape: {short(found)}", case.having(made)
    if isinstance(found, list | tuple) and found:
        yield from (slots(document) if case.problem.rule == CANONICAL else forms(document))
    if not vertices(found):
        yield _least(document)


def _least(document: Mapping[str, Any]) -> Change:
    """The least that a job can ask for."""
    made = reshape([], slot_label(document))
    return "ask for a slot with a core", installed(document, made.resources)


def slots(document: Mapping[str, Any]) -> Iterator[Change]:
    """The resources with a slot in or around them, as RFC 14 allows it anywhere."""
    resources = document.get("resources")
    if not isinstance(resources, list | tuple) or not resources:
        yield _least(document)
        return
    found = vertices(resources)
    plain = all(raw.get("type") in TYPES for raw in found)
    if plain:
        yield from forms(document)
    taken = [raw["label"] for raw in found if isinstance(raw.get("label"), str)]
    slot = {"type": "slot", "count": 1, "label": free_label(slot_label(document), taken)}
    node = next((raw for raw in found if raw.get("type") == "node"), None)
    if node is not None and not plain:
        inner = {**slot, "with": node.get("with") or [CORE]}
        changed = each(resources, lambda raw: {**raw, "with": [inner]} if raw is node else raw)
        yield "put a slot in the node", installed(document, changed)
    outer = {**slot, "with": list(resources)}
    yield "put a slot around all of it", installed(document, [outer])
    if not plain:
        yield from forms(document)


def forms(document: Mapping[str, Any]) -> Iterator[Change]:
    """The resources in the form of RFC 25."""
    resources, label = document.get("resources"), slot_label(document)
    found = vertices(resources)
    if not found:
        return
    made = reshape(resources, label)
    bare = not any(raw.get("type") == "slot" for raw in found)
    what = "put a slot in" if bare else "write it as"
    for form in (made, _strict(made)):
        yield _in_form(document, what, form)
    for what, other in _variants(resources, label) if bare else ():
        yield _in_form(document, what, other)


def _in_form(document: Mapping[str, Any], what: str, form: "Reshaped") -> Change:
    """The document with resources in the form of V1, whose slot may hold less than before.

    Tasks that were counted by a resource that the slot does not hold are one in each slot.
    """
    out = installed(document, form.resources)
    there = [raw.get("type") for raw in vertices(form.resources)]
    tasks, label = out.get("tasks"), f"{what}: {form.words}"
    if isinstance(tasks, list) and not all(_is_counted(task, there) for task in tasks):
        one = {"count": {"per_slot": 1}}
        ones = [task if _is_counted(task, there) else {**task, **one} for task in tasks]
        return f"{label}, per_slot: 1", {**out, "tasks": ones}
    return label, out


def _is_counted(task: Any, there: list[Any]) -> bool:
    """Whether a task is not counted by a resource, or by a core or gpu that is there."""
    count = task.get("count") if isinstance(task, Mapping) else None
    per = count.get("per_resource") if isinstance(count, Mapping) else None
    kind = per.get("type") if isinstance(per, Mapping) else "core"
    return kind in ("core", "gpu") and kind in there


@dataclass(frozen=True, slots=True)
class Reshaped:
    """Resources in the form of RFC 25; lost is what they say no longer, in words."""

    resources: list[Any]
    lost: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The shape, and whether it is only near to what was asked for."""
        text = format_shape(from_resources(self.resources).value)
        text = printable(text if len(text) <= _WIDTH else f"{text[: _WIDTH - 3]}...")
        if not self.lost:
            return text
        lost = [printable(word)[:40] for word in dict.fromkeys(self.lost)]
        if len(lost) > 3:
            return f"{text} (approximate: {', '.join(lost[:2])} and {len(lost) - 2} more)"
        return f"{text} (approximate: {', '.join(lost)})"


def reshape(resources: Any, label: str = "default") -> Reshaped:
    """The resources as node over slot, or slot alone, with cores and gpus in it (RFC 25).

    The slot with the label is kept, else the first one; label is also what a new slot is called.
    Levels between are multiplied out. Vertices that need no change stay the same objects.
    """
    maker = _Maker([v for v in parse(resources).walk() if v.is_readable], label)
    made = maker.make()
    same = isinstance(resources, list) and are_same(made, resources)
    return Reshaped(resources if same else made, tuple(maker.lost))


def _strict(form: Reshaped) -> Reshaped:
    """A form with nothing in it that RFC 25 refuses: ranges and further keys are replaced too."""
    lost = list(form.lost)

    def plain(raw: Mapping[str, Any]) -> Mapping[str, Any]:
        number = fixed(raw.get("count"))
        known = (*_KEYS, "exclusive") if raw.get("type") == "node" else _KEYS
        if all(key in known for key in raw) and number is raw.get("count"):
            return raw
        if is_range(raw.get("count")):
            lost.append("the least of the ranges")
        lost.extend(f"without the key '{key}'" for key in raw if key not in known)
        return {**{key: value for key, value in raw.items() if key in known}, "count": number}

    return Reshaped(list(each(form.resources, plain)), tuple(lost))


def _variants(resources: Any, label: str) -> Iterator[tuple[str, Reshaped]]:
    """Other forms that V1 has for resources without a slot: what each is, and the form."""
    whole = reshape(resources, label)
    slot = next(raw for raw in vertices(whole.resources) if raw.get("type") == "slot")

    def with_slot(count: int, content: Sequence[Any]) -> Reshaped:
        changed = {**slot, "count": count, "with": list(content)}
        top = whole.resources[0]
        made = [changed if top is slot else {**top, "with": [changed]}]
        return Reshaped(made, whole.lost)

    numbers = [raw.get("count") for raw in slot["with"]]
    if all(map(is_whole, numbers)) and (parts := gcd(*numbers)) > 1:
        content = [{**raw, "count": raw["count"] // parts} for raw in slot["with"]]
        yield "make more and smaller slots", with_slot(parts, content)
    request = parse(resources)
    readable = (vertex for vertex in request.walk() if vertex.is_readable)
    group = next((vertex for vertex in readable if vertex.type not in TYPES), None)
    if group is not None and _is_alone(group, len(request.roots)):
        inner = reshape(group.fields.get("with"), label).resources[0]["with"]
        what = f"make each {printable(group.type or '')[:20] or 'group'} a slot"
        yield what, with_slot(fixed(group.fields.get("count")), inner)


def _is_alone(vertex: RequestVertex, roots: int) -> bool:
    """Whether a vertex is the only one at the top or in a node, with no node in it."""
    beside = roots
    if vertex.parent is not None:
        if vertex.parent.type != "node":
            return False
        beside = len(vertex.parent.children)
    inner = [child for child in vertex.below() if child.is_readable]
    return beside == 1 and bool(inner) and all(child.type != "node" for child in inner)


class _Maker:
    """Makes the form of RFC 25 from vertices, parents first, and notes what it cannot keep."""

    def __init__(self, vertices: list[RequestVertex], label: str) -> None:
        self.vertices = vertices
        self.label = label
        self.lost: list[str] = []

    def make(self) -> list[Any]:
        """The resources list."""
        slots = [vertex for vertex in self.vertices if vertex.is_slot]
        named = [slot for slot in slots if slot.label == self.label]
        labelled = [slot for slot in slots if slot.label is not None]
        if slots:
            return self.around((named or labelled or slots)[0])
        node = next((vertex for vertex in self.vertices if vertex.type == "node"), None)
        if node is None:
            return [self.new_slot(self.content(self.vertices, 0))]
        self.forget(node)
        slot = self.new_slot(self.content(_inside(node), node.depth + 1))
        return [self.changed(node, self.product(_chain(node)), [slot])]

    def around(self, slot: RequestVertex) -> list[Any]:
        """The form with a slot that is there."""
        self.forget(slot)
        inside, chain = _inside(slot), _chain(slot)
        outer = [vertex.depth for vertex in slot.above if vertex.type == "node"]
        node = next((vertex for vertex in inside if vertex.type == "node"), None)
        if outer or node is None:
            cut = outer[-1] + 1 if outer else 0
            content = self.content(inside, len(chain))
            made = self.changed(slot, self.product(chain[cut:]), content)
            if not outer:
                return [made]
            return [self.changed(chain[cut - 1], self.product(chain[:cut]), [made])]
        return [self.turned(slot, node, inside)]

    def turned(
        self, slot: RequestVertex, node: RequestVertex, inside: list[RequestVertex]
    ) -> Mapping[str, Any]:
        """A slot of nodes as nodes with a slot on each."""
        beside = [vertex for vertex in inside if vertex is not node]
        if any(node not in vertex.above and vertex not in node.above for vertex in beside):
            self.lost.append("leaves out what is beside the node")
        before = self.product(_chain(slot))
        total = self.product(_chain(node))
        if total != before:
            self.lost.append(f"{in_words(total)} slots in place of {in_words(before)}")
        content = self.content(_inside(node), node.depth + 1)
        return self.changed(node, total, [self.changed(slot, 1, content)])

    def forget(self, kept: RequestVertex) -> None:
        """Note each vertex that is neither above, at nor below the one that is kept."""
        chain = _chain(kept)
        for vertex in self.vertices:
            level = vertex.depth
            if level >= len(chain) or vertex is chain[level]:
                continue
            if level == 0 or vertex.parent is chain[level - 1]:
                labelled = vertex.is_slot and vertex.label is not None
                same = vertex.type == kept.type and not labelled
                self.lost.append(f"only the first {vertex.type}" if same else _without(vertex))

    def content(self, inside: Sequence[RequestVertex], depth: int) -> list[Any]:
        """The cores and gpus below a vertex, which has so many levels with its own."""
        cores, gpus = ([v for v in inside if v.type == kind] for kind in ("core", "gpu"))
        made = {kind[0]: self.sum(kind, depth) for kind in (cores, gpus) if kind}
        self.lost += [_without(v) for v in inside if v.type not in ("core", "gpu")]
        listed = [made[vertex] for vertex in inside if vertex in made]
        return listed if cores else [CORE, *listed]

    def sum(self, found: list[RequestVertex], depth: int) -> Mapping[str, Any]:
        """Several vertices of one type as one; a single one may keep its range."""
        factors = [self.product(_chain(vertex)[depth:]) for vertex in found]
        total = factors[0] if len(factors) == 1 else sum(map(fixed, factors))
        if len(factors) > 1 and not all(map(is_whole, factors)):
            self.lost.append("the least of the ranges")
        return self.changed(found[0], total, None)

    def product(self, chain: Sequence[RequestVertex]) -> Any:
        """The counts of some levels multiplied; a range stays one where all others are 1."""
        kept = [vertex.fields.get("count", 1) for vertex in chain]
        others = [count for count in kept if not (is_whole(count) and count == 1)]
        self.lost += [_without(vertex) for vertex in chain if vertex.type not in TYPES]
        if len(others) <= 1:
            return others[0] if others else 1
        if not all(map(is_whole, others)):
            self.lost.append("the least of the ranges")
        total = 1
        for count in others:
            total *= fixed(count)
        return total

    def changed(self, vertex: RequestVertex, count: Any, content: Any) -> Mapping[str, Any]:
        """The vertex with a count and content; the same object where it has both."""
        raw = vertex.fields
        inner = raw.get("with")
        same = inner is None if content is None else are_same(content, inner)
        if same and count is raw.get("count"):
            return raw
        out = {key: value for key, value in raw.items() if key != "with" or content is not None}
        out["count"] = count
        if content is not None:
            out["with"] = inner if same else content
        return out

    def new_slot(self, content: list[Any]) -> Mapping[str, Any]:
        """A slot where there was none."""
        taken = [vertex.label for vertex in self.vertices if vertex.label is not None]
        label = free_label(self.label, taken)
        return {"type": "slot", "count": 1, "label": label, "with": content}


def _chain(vertex: RequestVertex) -> tuple[RequestVertex, ...]:
    """The vertex after those above it."""
    return (*vertex.above, vertex)


def _inside(vertex: RequestVertex) -> list[RequestVertex]:
    """The vertices below one."""
    return [below for below in vertex.below() if below.is_readable]


def _without(vertex: RequestVertex) -> str:
    """The loss of a vertex in words."""
    name = f" '{vertex.label}'" if vertex.is_slot and vertex.label is not None else ""
    return f"without {vertex.type or 'what has no type'}{name}"


def is_range(count: Any) -> bool:
    """Whether a count is legal and allows more than one number."""
    read = counts.from_json(count)
    return read.ok and read.value is not None and not isinstance(read.value, int)


def fixed(count: Any) -> int:
    """One number for a count: itself, the least of a range, or what is nearest to a wrong one."""
    if is_whole(count):
        return min(int(count), MAX_INTEGER)
    if isinstance(count, float) and 1 <= count < 1e9:
        return round(count)
    found = None if isinstance(count, bool | float) else counts.from_json(count).value
    if found is not None:
        return counts.least(found)
    if isinstance(count, Mapping):
        return number_in(count.get("min")) or number_in(count.get("max")) or 1
    return (number_in(count) or 1) if isinstance(count, str) else 1


def in_words(count: Any) -> str:
    """A legal count for a label."""
    value = counts.from_json(count).value
    return str(count) if value is None else counts.describe(value)


def number_in(value: Any) -> int | None:
    """A positive whole number in a value or in the digits that a text begins with."""
    if is_whole(value):
        return int(value)
    if isinstance(value, float) and 1 <= value < 1e9:
        return round(value)
    found = re.search(r"[1-9][0-9]{0,8}", value) if isinstance(value, str) else None
    return int(found[0]) if found else None
