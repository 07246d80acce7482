"""Resources of any form in the form of RFC 25: a slot of cores and gpus, in a node or alone."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import gcd
from typing import Any, NamedTuple

from fluxtui.answers.fixes.count import fixed, in_words, is_range
from fluxtui.answers.fixes.edit import each, vertices
from fluxtui.model.documents.json_value import is_whole
from fluxtui.model.jobspec.request import MAX_DEPTH
from fluxtui.notation.problem import printable
from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.resources import from_resources

#: The types of RFC 25.
TYPES = ("node", "slot", "core", "gpu")

# What V1 lets stand on a resource; exclusive on a node alone.
_KEYS = ("type", "count", "unit", "with", "label")
_NODE_KEYS = (*_KEYS, "exclusive")

# Characters of a shape in a label.
_WIDTH = 60


class Reshaped(NamedTuple):
    """Resources in the form of RFC 25; lost is what they say no longer, in words."""

    resources: list[Any]
    lost: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The shape, and whether it is only near to what was asked for."""
        text = format_shape(from_resources(self.resources).value)
        text = text if len(text) <= _WIDTH else f"{text[: _WIDTH - 3]}..."
        return f"{printable(text)}{near(self.lost)}"


def near(lost: Sequence[str]) -> str:
    """What a label says of a fix that keeps not all of what was meant."""
    if not lost:
        return ""
    shown = [printable(word)[:40] for word in dict.fromkeys(lost)]
    more = f" and {len(shown) - 2} more" if len(shown) > 3 else ""
    return f" (approximate: {', '.join(shown if not more else shown[:2])}{more})"


@dataclass(slots=True)
class _Spot:
    """A vertex in its tree: those above it, from the top, and itself last."""

    vertex: Mapping[str, Any]
    above: tuple[Mapping[str, Any], ...] = ()
    kind: str = field(init=False)

    def __post_init__(self) -> None:
        kind = self.vertex.get("type")
        self.kind = kind if isinstance(kind, str) else ""

    @property
    def chain(self) -> tuple[Mapping[str, Any], ...]:
        return (*self.above, self.vertex)


def reshape(resources: Any, label: str = "default") -> Reshaped:
    """The resources as node over slot, or slot alone, with cores and gpus in it (RFC 25).

    The slot with the label is kept, else the first one; label is also what a new slot is called.
    Levels between are multiplied out. Vertices that need no change stay the same objects.
    """
    maker = _Maker(list(_spots(resources)), label)
    made = maker.make()
    same = isinstance(resources, list) and _equal(resources, made)
    return Reshaped(resources if same else made, tuple(maker.lost))


def strict(form: Reshaped) -> Reshaped:
    """A form with nothing in it that RFC 25 refuses: ranges and further keys give way too."""
    lost = list(form.lost)

    def plain(vertex: Mapping[str, Any]) -> Mapping[str, Any]:
        number = fixed(vertex.get("count"))
        known = _NODE_KEYS if vertex.get("type") == "node" else _KEYS
        if all(key in known for key in vertex) and number is vertex.get("count"):
            return vertex
        if is_range(vertex.get("count")):
            lost.append("the least of the ranges")
        lost.extend(f"without the key '{key}'" for key in vertex if key not in known)
        kept = {key: value for key, value in vertex.items() if key in known}
        return {**kept, "count": number}

    return Reshaped(list(each(form.resources, plain)), tuple(lost))


def variants(resources: Any, label: str = "default") -> list[tuple[str, Reshaped]]:
    """Other forms that V1 has for resources without a slot: what each is, and the form."""
    spots = list(_spots(resources))
    if any(spot.kind == "slot" for spot in spots):
        return []
    out = []
    whole = reshape(resources, label)
    slot, content = _slot_of(whole.resources)
    numbers = [vertex.get("count") for vertex in content]
    if all(is_whole(number) for number in numbers):
        parts = gcd(*numbers)
        if parts > 1:
            made = [{**vertex, "count": vertex["count"] // parts} for vertex in content]
            out.append(("make more and smaller slots", _with_slot(whole, slot, parts, made)))
    group = next((spot for spot in spots if spot.kind not in TYPES), None)
    if group is not None and _alone(group, resources):
        inner = _slot_of(reshape(group.vertex.get("with"), label).resources)[1]
        what = f"make each {printable(group.kind)[:20] or 'group'} a slot"
        out.append((what, _with_slot(whole, slot, fixed(group.vertex.get("count")), inner)))
    return out


def _alone(spot: _Spot, resources: Sequence[Any]) -> bool:
    """Whether a vertex is the only one at the top or in a node, with no node in it."""
    holder = spot.above[-1].get("with") if spot.above else resources
    if spot.above and spot.above[-1].get("type") != "node":
        return False
    inner = list(vertices(spot.vertex.get("with")))
    plain = bool(inner) and all(vertex.get("type") != "node" for vertex in inner)
    return plain and len(holder or ()) == 1


def fresh(label: str, taken: Iterable[str]) -> str:
    """The label, with a number behind it where it is taken."""
    used = set(taken)
    names = [label, *(f"{label}{number}" for number in range(2, len(used) + 3))]
    return next(name for name in names if name not in used)


def _slot_of(resources: Sequence[Any]) -> tuple[Mapping[str, Any], Sequence[Any]]:
    """The slot of reshaped resources, and what is in it."""
    slot = next(vertex for vertex in vertices(resources) if vertex.get("type") == "slot")
    return slot, slot["with"]


def _with_slot(
    form: Reshaped, slot: Mapping[str, Any], count: int, content: Sequence[Any]
) -> Reshaped:
    """Reshaped resources with another count and content of the slot."""
    changed = {**slot, "count": count, "with": list(content)}
    top = form.resources[0]
    return Reshaped([changed if top is slot else {**top, "with": [changed]}], form.lost)


def _spots(resources: Any) -> Iterator[_Spot]:
    """Every vertex that is a dictionary, parents first."""
    if not isinstance(resources, list | tuple):
        return
    stack = [_Spot(v) for v in reversed(resources) if isinstance(v, Mapping)]
    while stack:
        spot = stack.pop()
        yield spot
        inner = spot.vertex.get("with")
        if isinstance(inner, list | tuple) and len(spot.above) < MAX_DEPTH:
            chain = spot.chain
            stack.extend(_Spot(v, chain) for v in reversed(inner) if isinstance(v, Mapping))


class _Maker:
    """Makes the form of RFC 25 from a tree, and notes what it cannot keep."""

    def __init__(self, spots: list[_Spot], label: str) -> None:
        self.spots = spots
        self.label = label
        self.lost: list[str] = []

    def make(self) -> list[Any]:
        """The resources list."""
        slots = [spot for spot in self.spots if spot.kind == "slot"]
        named = [spot for spot in slots if spot.vertex.get("label") == self.label]
        labelled = [spot for spot in slots if isinstance(spot.vertex.get("label"), str)]
        if slots:
            return self.around((named or labelled or slots)[0])
        node = next((spot for spot in self.spots if spot.kind == "node"), None)
        if node is None:
            return [self.new_slot(self.content(self.spots, 0))]
        self.forget(node)
        slot = self.new_slot(self.content(self.within(node), len(node.chain)))
        return [self.changed(node.vertex, self.product(node.chain), [slot])]

    def around(self, slot: _Spot) -> list[Any]:
        """The form with a slot that is there."""
        self.forget(slot)
        inside = self.within(slot)
        outer = [i for i, vertex in enumerate(slot.above) if vertex.get("type") == "node"]
        if outer:
            cut = outer[-1] + 1
            content = self.content(inside, len(slot.chain))
            made = self.changed(slot.vertex, self.product(slot.chain[cut:]), content)
            return [self.changed(slot.above[cut - 1], self.product(slot.above[:cut]), [made])]
        node = next((spot for spot in inside if spot.kind == "node"), None)
        if node is None:
            content = self.content(inside, len(slot.chain))
            return [self.changed(slot.vertex, self.product(slot.chain), content)]
        return [self.turned(slot, node, inside)]

    def turned(self, slot: _Spot, node: _Spot, inside: list[_Spot]) -> Mapping[str, Any]:
        """A slot of nodes as nodes with a slot on each."""
        beside = [spot for spot in inside if spot.vertex is not node.vertex]
        if any(node.vertex not in spot.above and spot.vertex not in node.above for spot in beside):
            self.lost.append("leaves out what stands beside the node")
        before = self.product(slot.chain)
        total = self.product(node.chain)
        if total != before:
            self.lost.append(f"{in_words(total)} slots in place of {in_words(before)}")
        content = self.content(self.within(node), len(node.chain))
        made = self.changed(slot.vertex, 1, content)
        return self.changed(node.vertex, total, [made])

    def within(self, spot: _Spot) -> list[_Spot]:
        """The vertices under one."""
        depth = len(spot.above)
        return [s for s in self.spots if len(s.above) > depth and s.above[depth] is spot.vertex]

    def forget(self, kept: _Spot) -> None:
        """Note what stands neither above, at nor under the vertex that is kept."""
        chain = kept.chain
        for spot in self.spots:
            level = len(spot.above)
            if level >= len(chain) or spot.vertex is chain[level]:
                continue
            if all(above is mine for above, mine in zip(spot.above, chain, strict=False)):
                labelled = spot.kind == "slot" and isinstance(spot.vertex.get("label"), str)
                same = spot.kind == kept.kind and not labelled
                self.lost.append(
                    f"only the first {spot.kind}" if same else f"without {_name(spot)}"
                )

    def content(self, inside: list[_Spot], depth: int) -> list[Any]:
        """The cores and gpus under a vertex, which has so many levels with its own."""
        out: list[Any] = []
        for kind in ("core", "gpu"):
            found = [spot for spot in inside if spot.kind == kind]
            if found:
                out.append((inside.index(found[0]), self.sum(found, depth)))
        for spot in inside:
            if spot.kind not in ("core", "gpu"):
                self.lost.append(f"without {_name(spot)}")
        listed = [vertex for _, vertex in sorted(out, key=lambda pair: pair[0])]
        if not any(vertex.get("type") == "core" for vertex in listed):
            listed.insert(0, {"type": "core", "count": 1})
        return listed

    def sum(self, found: list[_Spot], depth: int) -> Mapping[str, Any]:
        """Several vertices of one type as one; a single one may keep its range."""
        factors = [self.product(spot.chain[depth:]) for spot in found]
        total = factors[0] if len(factors) == 1 else sum(fixed(factor) for factor in factors)
        if len(factors) > 1 and not all(map(is_whole, factors)):
            self.lost.append("the least of the ranges")
        return self.changed(found[0].vertex, total, None)

    def product(self, chain: Sequence[Mapping[str, Any]]) -> Any:
        """The counts of some levels multiplied; a range stays one where all others are 1."""
        kept = [vertex.get("count", 1) for vertex in chain]
        others = [count for count in kept if not (is_whole(count) and count == 1)]
        for vertex in chain:
            if vertex.get("type") not in TYPES:
                self.lost.append(f"without {_name(_Spot(vertex))}")
        if len(others) <= 1:
            return others[0] if others else 1
        if not all(map(is_whole, others)):
            self.lost.append("the least of the ranges")
        total = 1
        for count in others:
            total *= fixed(count)
        return total

    def changed(self, vertex: Mapping[str, Any], count: Any, content: Any) -> Mapping[str, Any]:
        """The vertex with a count and what is in it; the same object where it has both."""
        inner = vertex.get("with")
        same = inner is None if content is None else _equal(inner, content)
        if same and count is vertex.get("count"):
            return vertex
        out = {key: value for key, value in vertex.items() if key != "with" or content is not None}
        out["count"] = count
        if content is not None:
            out["with"] = inner if same else content
        return out

    def new_slot(self, content: list[Any]) -> Mapping[str, Any]:
        """A slot where there was none."""
        taken = [spot.vertex["label"] for spot in self.spots if "label" in spot.vertex]
        label = fresh(self.label, [name for name in taken if isinstance(name, str)])
        return {"type": "slot", "count": 1, "label": label, "with": content}


def _name(spot: _Spot) -> str:
    """A vertex in the words of a loss."""
    label = spot.vertex.get("label")
    name = f" '{label}'" if spot.kind == "slot" and isinstance(label, str) else ""
    return f"{spot.kind or 'what has no type'}{name}"


def _equal(before: Any, after: list[Any]) -> bool:
    """Whether a list holds the same objects as before."""
    if not isinstance(before, list | tuple) or len(before) != len(after):
        return False
    return all(old is new for old, new in zip(before, after, strict=True))
